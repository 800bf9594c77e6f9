"""Locking: what is written, what is refused, what is listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.command import Ran, modseal
from tests.support.cue_workspaces import DEEP, LOG, NET, Stage, module_files, publish
from verify.ecosystems.cue.sums import RULES
from verify.sums.sumfile import parse

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setenv("CUE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("CUE_REGISTRY", raising=False)
    return Stage(tmp_path).build()


def _lock(stage: Stage, *words: str) -> Ran:
    return modseal("lock", str(stage.work), "--from", str(stage.mirror), "-O", "json", *words)


def _ids(ran: Ran) -> set[str]:
    return {each["check"] for each in ran.data()["findings"] if each["outcome"] != "passed"}


def test_every_module_of_the_build_list_is_locked(stage: Stage) -> None:
    ran = _lock(stage)
    assert ran.code == 0, ran.err
    entries = parse(stage.sums.read_bytes(), RULES).entries
    assert [entry.key for entry in entries] == [DEEP, LOG, NET]
    assert _ids(ran) == {"lock.added"}


def test_locking_again_changes_nothing(stage: Stage) -> None:
    _lock(stage)
    before = stage.sums.read_bytes()
    ran = _lock(stage)
    assert (ran.code, _ids(ran), stage.sums.read_bytes()) == (0, set(), before)


def test_other_bytes_for_a_locked_version_are_refused_and_nothing_is_written(stage: Stage) -> None:
    _lock(stage)
    before = stage.sums.read_bytes()
    publish(stage.mirror, NET, module_files(NET, [DEEP], {"new.cue": b"x: 1\n"}), force=True)
    ran = _lock(stage)
    assert (ran.code, _ids(ran)) == (1, {"lock.changed"})
    assert stage.sums.read_bytes() == before
    changed = _lock(stage, "--update", NET)
    assert (changed.code, _ids(changed)) == (0, {"lock.updated"})
    assert stage.sums.read_bytes() != before


def test_a_module_nobody_needs_is_removed_and_named(stage: Stage) -> None:
    _lock(stage)
    stage.ask([LOG])
    ran = _lock(stage)
    assert (ran.code, _ids(ran)) == (0, {"lock.removed"})
    assert [entry.key for entry in parse(stage.sums.read_bytes(), RULES).entries] == [LOG]


def test_a_module_file_beside_the_zip_that_is_another_is_refused(stage: Stage) -> None:
    files = module_files(LOG)
    publish(stage.mirror, LOG, files, beside=files["cue.mod/module.cue"] + b"// more\n", force=True)
    ran = _lock(stage)
    assert (ran.code, _ids(ran)) == (1, {"lock.added", "cue.layer-mismatch"})
    assert not stage.sums.exists()


def test_a_module_under_another_name_is_refused(stage: Stage) -> None:
    publish(stage.mirror, LOG, module_files("example.com/evil@v1.1.0"), force=True)
    ran = modseal("lock", str(stage.work), "--from", str(stage.mirror))
    assert (ran.code, "modfile.mismatch" in ran.err) == (1, True)


def test_a_module_that_is_no_root_is_held_to_its_name_too(stage: Stage) -> None:
    publish(stage.mirror, DEEP, module_files("example.com/evil@v0.3.0"), force=True)
    ran = _lock(stage)
    assert (ran.code, "modfile.mismatch" in _ids(ran), stage.sums.exists()) == (1, True, False)


def test_a_module_nobody_has_is_undecidable(stage: Stage) -> None:
    stage.ask([LOG, "example.com/none@v1.0.0"])
    ran = modseal("lock", str(stage.work), "--from", str(stage.mirror))
    assert ran.code == 3
    assert not stage.sums.exists()


def test_an_untidy_dependency_is_told(stage: Stage) -> None:
    publish(stage.mirror, "example.com/mid@v0.1.0", module_files("example.com/mid@v0.1.0", [NET]))
    stage.ask(["example.com/mid@v0.1.0"])
    ran = _lock(stage)
    assert (ran.code, _ids(ran)) == (0, {"lock.added", "lock.untidy"})
    assert any(DEEP in each["message"] for each in ran.data()["findings"] if each["check"] == "lock.untidy")


def test_an_unreadable_sum_file_is_not_overwritten(stage: Stage) -> None:
    stage.sums.write_bytes(b"broken: [")
    assert _lock(stage).code == 1
    assert stage.sums.read_bytes() == b"broken: ["


def test_a_lone_layout_is_asked_for_the_module_it_holds(stage: Stage) -> None:
    words = [
        word
        for path in ("net", "log", "deep")
        for word in ("--from", str(stage.mirror / "example.com" / path))
    ]
    ran = modseal("lock", str(stage.work), *words)
    assert ran.code == 0, ran.err + ran.out
    alone = modseal("lock", str(stage.work), "--from", str(stage.mirror / "example.com/net"))
    assert alone.code == 3


def test_git_repositories_get_attributes(stage: Stage) -> None:
    _lock(stage)
    assert not (stage.work / "cue.mod/.gitattributes").exists()
    (stage.work / ".git").mkdir()
    _lock(stage)
    assert "/sum.cue text eol=lf" in (stage.work / "cue.mod/.gitattributes").read_text()


def test_a_module_without_dependencies_has_an_empty_sum_file(stage: Stage) -> None:
    stage.ask([])
    assert _lock(stage).code == 0
    assert parse(stage.sums.read_bytes(), RULES).entries == ()


CHECKED = {
    "complete": (lambda data: data, 0, set()),
    "crlf": (lambda data: data.replace(b"\n", b"\r\n"), 1, {"sum.not-canonical"}),
    "entry removed": (
        lambda data: b"".join(line for line in data.splitlines(True) if b"log@" not in line),
        1,
        {"lock.entry"},
    ),
    "surplus": (lambda data: data.replace(b"log@v1.1.0", b"log@v1.0.9"), 1, {"lock.entry", "sum.surplus"}),
    "deleted": (None, 1, {"lock.absent"}),
}


@pytest.mark.parametrize("case", CHECKED)
def test_check_says_whether_the_sum_file_is_as_it_should_be(stage: Stage, case: str) -> None:
    change, code, ids = CHECKED[case]
    _lock(stage)
    if change is None:
        stage.sums.unlink()
    else:
        stage.sums.write_bytes(change(stage.sums.read_bytes()))
    before = sorted(stage.work.rglob("*"))
    ran = _lock(stage, "--check")
    assert (ran.code, _ids(ran)) == (code, ids)
    assert sorted(stage.work.rglob("*")) == before


def test_check_without_module_files_cannot_decide(stage: Stage) -> None:
    _lock(stage)
    ran = modseal("lock", str(stage.work), "--check", "-O", "json")
    assert (ran.code, _ids(ran)) == (3, {"lock.build-list"})


def test_merge_unites_and_refuses_conflicts(stage: Stage, tmp_path: Path) -> None:
    stage.ask([LOG])
    _lock(stage)
    base, ours, theirs = (tmp_path / name for name in ("base", "ours", "theirs"))
    base.write_bytes(stage.sums.read_bytes())
    stage.ask([LOG, DEEP])
    _lock(stage)
    ours.write_bytes(stage.sums.read_bytes())
    theirs.write_bytes(base.read_bytes())
    assert modseal("lock", "--merge", str(base), str(ours), str(theirs)).code == 0
    assert [entry.key for entry in parse(ours.read_bytes(), RULES).entries] == [DEEP, LOG]
    publish(stage.mirror, DEEP, module_files(DEEP, [], {"x": b"1"}), force=True)
    _lock(stage, "--update", DEEP)
    theirs.write_bytes(stage.sums.read_bytes())
    before = ours.read_bytes()
    ran = modseal("lock", "--merge", str(base), str(ours), str(theirs))
    assert (ran.code, "sum.conflict" in ran.out, ours.read_bytes()) == (1, True, before)
