"""The vendored tree: the same bytes from every place, all of it or nothing."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.support.command import Ran, modseal
from tests.support.cue_workspaces import DEEP, LOG, NET, Stage, entry_line, module_files, publish, zipped
from verify.tree.listing import TreeList
from verify.workflows import vendoring

if TYPE_CHECKING:
    from pathlib import Path

    from verify.limits import Limits
    from verify.tree.port import Tree


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setenv("CUE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("CUE_REGISTRY", raising=False)
    stage = Stage(tmp_path).build()
    assert modseal("lock", str(stage.work), "--from", str(stage.mirror)).code == 0
    return stage


def _vendor(stage: Stage, *words: str) -> Ran:
    return modseal("vendor", str(stage.work), "--from", str(stage.mirror), *words)


def _bytes(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_it_holds_the_modules_their_lists_and_the_record_and_says_who_reads_it(stage: Stage) -> None:
    ran = _vendor(stage)
    assert ran.code == 0, ran.err
    assert "cue itself does not read this folder" in ran.err
    folder = stage.work / "cue.mod/vendor"
    names = set(_bytes(folder))
    assert {"modules.cue", f"{NET}.h1list", f"{NET}/README.md", f"{DEEP}/cue.mod/module.cue"} <= names
    assert len(names) == 1 + 3 + 10
    listed = modseal("hash", "--check", str(folder / f"{NET}.h1list"), str(folder / NET))
    assert listed.code == 0, listed.err


def test_the_same_bytes_from_the_mirror_the_cache_and_itself(stage: Stage, tmp_path: Path) -> None:
    _vendor(stage)
    folder = stage.work / "cue.mod/vendor"
    first = _bytes(folder)
    assert _vendor(stage, "--cache", str(tmp_path / "cache")).code == 0
    shutil.rmtree(stage.mirror)
    stage.mirror.mkdir()
    shutil.rmtree(folder)
    assert modseal("vendor", str(stage.work)).code == 0  # the cache alone
    assert _bytes(folder) == first
    shutil.rmtree(tmp_path / "cache")
    assert modseal("vendor", str(stage.work)).code == 0  # what is vendored already
    assert _bytes(folder) == first
    assert modseal("vendor", str(stage.work), "-o", str(tmp_path / "out")).code == 0
    assert _bytes(tmp_path / "out") == first


def test_a_damaged_module_is_taken_anew_and_a_stray_goes(stage: Stage) -> None:
    _vendor(stage)
    first = _bytes(stage.work / "cue.mod/vendor")
    (stage.vendored(NET) / "README.md").write_bytes(b"x")
    (stage.work / "cue.mod/vendor/evil.cue").write_bytes(b"x")
    assert _vendor(stage).code == 0
    assert _bytes(stage.work / "cue.mod/vendor") == first


def test_restore_leaves_the_others_alone(stage: Stage) -> None:
    _vendor(stage)
    for module in (NET, LOG):
        (stage.vendored(module) / "cue.mod/module.cue").write_bytes(
            (stage.vendored(module) / "cue.mod/module.cue").read_bytes() + b"// ours\n"
        )
    assert _vendor(stage, "--restore", NET).code == 0
    assert b"ours" not in (stage.vendored(NET) / "cue.mod/module.cue").read_bytes()
    assert b"ours" in (stage.vendored(LOG) / "cue.mod/module.cue").read_bytes()
    assert _vendor(stage, "--restore", "example.com/none").code == 2


def test_other_bytes_are_refused_and_nothing_changes(stage: Stage) -> None:
    evil = module_files(NET, [DEEP], {"evil.cue": b"x: 1\n"})
    publish(stage.mirror, NET, evil, force=True)
    # the locked manifest is still there by its digest
    assert _vendor(stage).code == 0
    before = _bytes(stage.work / "cue.mod/vendor")
    shutil.rmtree(stage.mirror / "example.com/net")
    publish(stage.mirror, NET, evil)
    (stage.vendored(NET) / "README.md").write_bytes(b"x")
    ran = _vendor(stage)
    assert ran.code == 3  # nobody has what is locked
    assert set(_bytes(stage.work / "cue.mod/vendor")) == set(before)
    assert not [path for path in (stage.work / "cue.mod").iterdir() if path.name.startswith(".vendor")]


def test_a_forged_tree_hash_is_found_before_anything_is_written(stage: Stage) -> None:
    line = entry_line(stage.sums.read_bytes(), NET)
    other = entry_line(stage.sums.read_bytes(), LOG)
    hashed = line.split(b'"')[3]
    stage.sums.write_bytes(stage.sums.read_bytes().replace(hashed, other.split(b'"')[3]))
    ran = _vendor(stage)
    assert (ran.code, "[lock.changed]" in ran.err) == (1, True)
    assert not (stage.work / "cue.mod/vendor").exists()


def test_what_was_written_is_compared_too(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = vendoring._write

    def less(tree: Tree, into: Path, limits: Limits) -> TreeList:
        listed = whole(tree, into, limits)
        return TreeList.from_items(list(listed.items())[:-1])  # a disk that lost a file

    monkeypatch.setattr(vendoring, "_write", less)
    ran = _vendor(stage)
    assert (ran.code, "[tree.hash]" in ran.err) == (1, True)
    assert not (stage.work / "cue.mod/vendor").exists()


def test_an_interruption_leaves_the_former_tree(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    _vendor(stage)
    before = _bytes(stage.work / "cue.mod/vendor")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(vendoring, "render_vendor_list", stop)
    assert _vendor(stage).code == 130
    assert _bytes(stage.work / "cue.mod/vendor") == before
    assert sorted(path.name for path in (stage.work / "cue.mod").iterdir()) == [
        "module.cue",
        "sum.cue",
        "vendor",
    ]


def test_without_a_lock_nothing_is_vendored(stage: Stage) -> None:
    stage.sums.unlink()
    ran = _vendor(stage)
    assert (ran.code, "[lock.entry]" in ran.err) == (1, True)


def test_a_folder_of_somebody_elses_is_not_replaced(stage: Stage, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/precious").write_bytes(b"x")
    assert _vendor(stage, "-o", str(tmp_path / "out")).code == 2
    assert (tmp_path / "out/precious").exists()


def test_check_says_whether_it_is_what_the_lock_says(stage: Stage) -> None:
    assert modseal("vendor", str(stage.work), "--check").code == 3
    _vendor(stage)
    assert modseal("vendor", str(stage.work), "--check").code == 0
    (stage.vendored(NET) / "README.md").write_bytes(b"x")
    assert modseal("vendor", str(stage.work), "--check").code == 1


def test_a_cache_holds_what_was_published_byte_for_byte(stage: Stage, tmp_path: Path) -> None:
    for _ in range(2):  # repeated, it converges
        assert _vendor(stage, "--cache", str(tmp_path / "filled")).code == 0
    place = tmp_path / "filled/mod/download/example.com/net/@v"
    files = module_files(NET, [DEEP], {"README.md": b"net\n"})
    assert (place / "v1.4.0.zip").read_bytes() == zipped(files)
    assert (place / "v1.4.0.mod").read_bytes() == files["cue.mod/module.cue"]
    (place / "v1.4.0.zip").write_bytes(b"damaged")
    assert _vendor(stage, "--cache", str(tmp_path / "filled")).code == 0
    assert (place / "v1.4.0.zip").read_bytes() == zipped(files)


def test_lock_from_the_cache_says_so_and_a_registry_completes_it(stage: Stage, tmp_path: Path) -> None:
    assert _vendor(stage, "--cache", str(tmp_path / "cache")).code == 0
    first = stage.sums.read_bytes()
    stage.sums.unlink()
    ran = modseal("lock", str(stage.work), "--trust-cache")
    assert (ran.code, "lock.trusted-cache" in ran.out) == (0, True)
    assert stage.sums.read_bytes().count(b'source: {address: "cache"}') == 3
    for words in ((), ("--from", str(stage.mirror))):
        assert modseal("verify", "tree", str(stage.work), *words).code == 0
    assert modseal("lock", str(stage.work), "--from", str(stage.mirror)).code == 0
    assert stage.sums.read_bytes() == first
    assert modseal("lock", str(stage.work), "--trust-cache").code == 0  # and is not undone
    assert stage.sums.read_bytes() == first
