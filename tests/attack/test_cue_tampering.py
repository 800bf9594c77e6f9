"""One test for each way of tampering with a CUE workspace, by the check that must say so."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.command import Ran, modseal
from tests.support.cue_workspaces import (
    DEEP,
    LOG,
    NET,
    Stage,
    entry_line,
    forged_entry,
    module_files,
    publish,
    zipped,
)
from verify.digest import Digest
from verify.tree.listing import TreeList
from verify.tree.memory import MemoryTree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NET_FILES = module_files(NET, [DEEP], {"README.md": b"net\n"})
EVIL = module_files(NET, [DEEP], {"README.md": b"net, but another\n"})


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Locked, vendored, with a filled cache, and verified: what every attack begins with."""
    folder = tmp_path_factory.mktemp("stage")
    stage = Stage(folder).build()
    os.environ["CUE_CACHE_DIR"] = str(folder / "cache")
    try:
        for words in (["lock"], ["vendor"], ["vendor", "--cache", str(folder / "cache")]):
            ran = modseal(words[0], str(stage.work), "--from", str(stage.mirror), *words[1:])
            assert ran.code == 0, ran.err + ran.out
        for module in (NET, LOG, DEEP):  # as cue does on first use
            shutil.copytree(stage.vendored(module), folder / "cache/mod/extract" / module)
    finally:
        del os.environ["CUE_CACHE_DIR"]
    return folder


@pytest.fixture
def stage(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    folder = tmp_path / "stage"
    shutil.copytree(original, folder)
    monkeypatch.setenv("CUE_CACHE_DIR", str(tmp_path / "no-cache"))
    return Stage(folder)


def _verify(stage: Stage, *words: str) -> Ran:
    return modseal("verify", "tree", str(stage.work), "-O", "json", *words)


def _found(ran: Ran) -> set[str]:
    assert ran.out, ran.err
    return {each["check"] for each in ran.data()["findings"] if each["outcome"] in {"failed", "unknown"}}


def _cache(stage: Stage) -> tuple[str, str]:
    return "--cache", str(stage.folder / "cache")


def test_what_every_attack_begins_with_passes(stage: Stage) -> None:
    for words in ((), _cache(stage), ("--from", str(stage.mirror)), ("--sum", str(stage.sums))):
        ran = _verify(stage, *words)
        assert (ran.code, _found(ran)) == (0, set()), words


def _edit(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))


def _without(stage: Stage, name: str) -> None:
    data = stage.sums.read_bytes()
    stage.sums.write_bytes(data.replace(entry_line(data, name), b""))


def _link(stage: Stage) -> None:
    path = stage.vendored(NET) / "README.md"
    path.rename(stage.folder / "elsewhere")
    path.symlink_to(stage.folder / "elsewhere")


def _link_folder(stage: Stage) -> None:
    stage.vendored(NET).rename(stage.folder / "elsewhere")
    stage.vendored(NET).symlink_to(stage.folder / "elsewhere")


def _link_vendor(stage: Stage) -> None:
    path = stage.work / "cue.mod/vendor"
    path.rename(stage.folder / "elsewhere")
    path.symlink_to(stage.folder / "elsewhere")


def _swap(stage: Stage) -> None:
    shutil.rmtree(stage.vendored(NET))
    shutil.copytree(stage.vendored(LOG), stage.vendored(NET))


def _relabel(stage: Stage) -> None:
    stage.vendored(NET).rename(stage.vendored("example.com/net@v1.5.0"))


def _forge_tree(stage: Stage) -> None:
    """The module, its tree list: everything beside the sum file."""
    (stage.vendored(NET) / "README.md").write_bytes(EVIL["README.md"])
    lines = TreeList.of(MemoryTree(EVIL)).render()
    stage.vendored(NET + ".h1list").write_bytes(lines)


def _forge_all(stage: Stage) -> None:
    """Tree, list, record and sum file, all agreeing."""
    _forge_tree(stage)
    data = stage.sums.read_bytes()
    stage.sums.write_bytes(data.replace(entry_line(data, NET), forged_entry(NET, EVIL)))
    modseal("vendor", str(stage.work))  # a person with the product writes the record


def _duplicate(stage: Stage) -> None:
    data = stage.sums.read_bytes()
    line = entry_line(data, NET)
    stage.sums.write_bytes(data.replace(line, line + forged_entry(NET, EVIL)))


def _reorder(stage: Stage) -> None:
    data = stage.sums.read_bytes()
    line = entry_line(data, DEEP)
    stage.sums.write_bytes(
        data.replace(line, b"").replace(b"}\n", b"}\n", 1).removesuffix(b"}\n") + line + b"}\n"
    )


def _drop_field(field: bytes) -> Callable[[Stage], None]:
    def drop(stage: Stage) -> None:
        data = stage.sums.read_bytes()
        line = entry_line(data, NET)
        parts = [
            part for part in line.split(b"{")[1].split(b"}")[0].split(b", ") if not part.startswith(field)
        ]
        stage.sums.write_bytes(data.replace(line, line.split(b"{")[0] + b"{" + b", ".join(parts) + b"}\n"))

    return drop


def _write(name: str, data: bytes = b"x: 1\n") -> Callable[[Stage], None]:
    def write(stage: Stage) -> None:
        path = stage.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    return write


def _in_net(name: str, change: Callable[[Path], object]) -> Callable[[Stage], None]:
    return lambda stage: change(stage.vendored(NET) / name) and None


ATTACKS: dict[str, tuple[Callable[[Stage], object], set[str]]] = {
    "a byte": (_in_net("README.md", lambda path: path.write_bytes(b"neT\n")), {"tree.changed-file"}),
    "a byte of the module file": (
        _in_net("cue.mod/module.cue", lambda path: path.write_bytes(path.read_bytes() + b"\n")),
        {"tree.changed-file", "lock.modfile"},
    ),
    "a file added": (_in_net("templates/hook.cue", lambda path: path.write_bytes(b"")), {"tree.extra-file"}),
    "a file removed": (_in_net("README.md", lambda path: path.unlink()), {"tree.missing-file"}),
    "a file renamed": (
        _in_net("README.md", lambda path: path.rename(path.with_name("READ.md"))),
        {"tree.missing-file", "tree.extra-file"},
    ),
    "a file's case changed": (
        _in_net("README.md", lambda path: path.rename(path.with_name("readme.md"))),
        {"tree.case-changed"},
    ),
    "a file linked": (_link, {"tree.symlink", "tree.missing-file"}),
    "a module's folder linked": (
        _link_folder,
        {"lock.build-list", "tree.symlink", "tree.empty", "tree.missing-file", "lock.modfile"},
    ),
    "the vendored tree linked": (_link_vendor, {"lock.build-list", "tree.symlink"}),
    "an ignore file that hides what is added": (
        lambda stage: (
            (stage.vendored(NET) / ".modsealignore").write_bytes(b"*\n"),
            (stage.vendored(NET) / "evil.cue").write_bytes(b"x"),
        ),
        {"tree.extra-file"},
    ),
    "a version control folder that hides what is added": (
        _write("cue.mod/vendor/example.com/net@v1.4.0/.git/evil.cue"),
        {"tree.extra-file"},
    ),
    "a module removed": (
        lambda stage: shutil.rmtree(stage.vendored(NET)),
        {"lock.build-list", "tree.missing-module"},
    ),
    "a module swapped for another": (
        _swap,
        {"lock.build-list", "tree.missing-file", "tree.extra-file", "tree.changed-file", "lock.modfile"},
    ),
    "a version relabelled": (_relabel, {"lock.build-list", "tree.missing-module", "tree.extra-module"}),
    "a module added": (_write("cue.mod/vendor/example.com/evil@v1.0.0/x.cue"), {"tree.extra-module"}),
    "a file beside the modules": (_write("cue.mod/vendor/evil.cue"), {"tree.extra-file"}),
    "tree and tree list edited together": (_forge_tree, {"tree.hash", "list.hash"}),
    "a tree list removed": (lambda stage: stage.vendored(NET + ".h1list").unlink(), {"list.hash"}),
    "a tree list edited": (
        lambda stage: _edit(stage.vendored(NET + ".h1list"), b"README.md", b"READ.md"),
        {"list.hash"},
    ),
    "modules.cue edited": (
        lambda stage: _edit(
            stage.work / "cue.mod/vendor/modules.cue", b'archive: "sha256:', b'archive: "sha256:0'
        ),
        {"vendor.list"},
    ),
    "modules.cue names other bytes": (
        lambda stage: (
            path := stage.work / "cue.mod/vendor/modules.cue",
            line := entry_line(path.read_bytes(), NET),
            _edit(path, line, line.replace(line[-20:-5], b"0" * 15)),
        ),
        {"vendor.record"},
    ),
    "modules.cue loses a module": (
        lambda stage: (
            path := stage.work / "cue.mod/vendor/modules.cue",
            _edit(path, entry_line(path.read_bytes(), NET), b""),
        ),
        {"vendor.record"},
    ),
    "modules.cue deleted": (
        lambda stage: (stage.work / "cue.mod/vendor/modules.cue").unlink(),
        {"vendor.record"},
    ),
    "sum.cue emptied": (lambda stage: stage.sums.write_bytes(b""), {"sum.format"}),
    "sum.cue deleted": (lambda stage: stage.sums.unlink(), {"lock.absent"}),
    "sum.cue linked": (
        lambda stage: (stage.sums.rename(stage.folder / "s"), stage.sums.symlink_to(stage.folder / "s")),
        {"tree.symlink"},
    ),
    "an entry removed": (lambda stage: _without(stage, NET), {"lock.entry", "vendor.record"}),
    "an entry that a dependency needs removed": (
        lambda stage: _without(stage, DEEP),
        {"lock.entry", "vendor.record"},
    ),
    "a field removed": (_drop_field(b"tree"), {"sum.missing-field"}),
    "a hash edited": (lambda stage: _edit(stage.sums, b'tree: "h1:', b'tree: "h1:A'), {"sum.value"}),
    "an entry duplicated": (_duplicate, {"sum.duplicate-key"}),
    "an entry more": (
        lambda stage: _edit(
            stage.sums, b"modules: {\n", b"modules: {\n" + forged_entry("example.com/a@v1.0.0", EVIL)
        ),
        {"sum.surplus"},
    ),
    "a key in another Unicode spelling": (
        lambda stage: _edit(stage.sums, b'"example.com/net@', '"ex\u0430mple.com/net@'.encode()),
        {"sum.key"},
    ),
    "an unknown field": (
        lambda stage: _edit(stage.sums, b'ecosystem: "cue"', b'ecosystem: "cue"\nignore: true'),
        {"sum.unknown-field"},
    ),
    "a dependency removed from module.cue": (
        lambda stage: stage.ask([LOG]),
        {"sum.surplus", "tree.extra-module", "vendor.record"},
    ),
    "a dependency's version changed in module.cue": (
        lambda stage: stage.ask([LOG, "example.com/net@v1.3.0"]),
        {"lock.build-list", "lock.entry"},
    ),
    "a folder in a module's place": (
        _write(
            "cue.mod/local-module.cue",
            b'deps: {\n\t"example.com/net@v1": {v: "v1.4.0", replaceWith: "./evil"}\n'
            b'\t"example.com/log@v1": v: "v1.1.0"\n}\n',
        ),
        {"modfile.replace"},
    ),
    "packages over a locked module": (_write("cue.mod/pkg/example.com/net/evil.cue"), {"tree.shadowed"}),
    "packages over a package of a locked module": (
        _write("cue.mod/usr/example.com/net/templates/evil.cue"),
        {"tree.shadowed"},
    ),
    "a link in cue.mod/gen": (
        lambda stage: ((stage.work / "cue.mod/gen").mkdir(), (stage.work / "cue.mod/gen/x").symlink_to("/")),
        {"tree.symlink"},
    ),
}
REFUSED_OUTRIGHT = {"sum.cue linked", "a folder in a module's place"}


@pytest.mark.parametrize("attack", ATTACKS)
def test_attack_on_the_vendored_tree_or_the_lock(stage: Stage, attack: str) -> None:
    change, expected = ATTACKS[attack]
    change(stage)
    ran = _verify(stage)
    assert ran.code in {1, 3}
    if attack in REFUSED_OUTRIGHT:
        assert ran.code == 1
        assert f"[{next(iter(expected))}]" in ran.err
        return
    assert _found(ran) == expected
    assert ran.code == (3 if attack == "sum.cue deleted" else 1)


@pytest.mark.parametrize("field", ["tree", "modfile", "archive", "manifest"])
def test_no_field_of_an_entry_can_be_left_out(stage: Stage, field: str) -> None:
    _drop_field(field.encode())(stage)
    assert _found(_verify(stage)) == {"sum.missing-field"}


NOTED = {
    "made executable": (lambda stage: (stage.vendored(NET) / "README.md").chmod(0o755), set()),
    "CRLF": (
        lambda stage: stage.sums.write_bytes(stage.sums.read_bytes().replace(b"\n", b"\r\n")),
        {"sum.not-canonical"},
    ),
    "reordered": (_reorder, {"sum.not-canonical"}),
    "an empty folder": (lambda stage: (stage.vendored(NET) / "empty").mkdir(), {"tree.empty-folder"}),
    "own packages": (_write("cue.mod/gen/k8s.example/api/types.cue"), {"tree.local-packages"}),
}


@pytest.mark.parametrize("change", NOTED)
def test_what_changes_no_byte_that_cue_loads_is_told_and_decides_nothing(stage: Stage, change: str) -> None:
    """CUE keeps no modes; a sum file in another spelling says the same."""
    act, expected = NOTED[change]
    act(stage)
    ran = _verify(stage)
    assert ran.code == 0
    assert {each["check"] for each in ran.data()["findings"] if each["outcome"] == "noted"} == expected


def test_tree_lock_and_sum_edited_together_pass_alone_and_fail_against_a_pin(stage: Stage) -> None:
    shutil.copy(stage.sums, stage.folder / "pin.cue")
    digest = hashlib.sha256(stage.sums.read_bytes()).hexdigest()
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"], ["tag", "v1.0.0"]):
        names = ["-c", "user.name=x", "-c", "user.email=x@example.com"]
        subprocess.run(["git", *names, *words], cwd=stage.work, check=True, timeout=30)
    _forge_all(stage)
    assert _verify(stage).code == 0
    for pin in (str(stage.folder / "pin.cue"), f"sha256:{digest}", "git:v1.0.0"):
        ran = _verify(stage, "--sum", pin)
        assert (ran.code, "lock.pinned" in _found(ran)) == (1, True), pin
        assert ran.data()["basis"]["kind"] == "pinned"
    (stage.sums).unlink()
    assert "lock.pinned" in _found(_verify(stage, "--sum", str(stage.folder / "pin.cue")))


@pytest.mark.parametrize("place", ["cue.mod/sum.cue", "cue.mod/vendor/../pin.cue", "pin.cue"])
def test_a_pin_that_lies_in_the_tree_pins_nothing(stage: Stage, place: str) -> None:
    _forge_all(stage)
    forged = stage.work / place
    if forged.name == "pin.cue":
        shutil.copy(stage.sums, forged)
    ran = _verify(stage, "--sum", str(forged))
    assert ran.code == 0
    assert ran.data()["basis"]["kind"] == "self-consistent"


def _cache_zip(stage: Stage, data: bytes) -> None:
    (stage.folder / "cache/mod/download/example.com/net/@v/v1.4.0.zip").write_bytes(data)


def _cache_all(stage: Stage) -> None:
    _cache_zip(stage, zipped(EVIL))
    (stage.folder / "cache/mod/extract" / NET / "README.md").write_bytes(EVIL["README.md"])


CACHE: dict[str, tuple[Callable[[Stage], object], set[str]]] = {
    "zip": (lambda stage: _cache_zip(stage, zipped(EVIL)), {"lock.archive", "tree.hash"}),
    "zip packed otherwise": (
        lambda stage: _cache_zip(stage, zipped(NET_FILES)[:-22] + zipped(NET_FILES)[-22:] + b"\0"),
        {"lock.archive", "archive.suffix-data"},
    ),
    "extracted file": (
        lambda stage: (stage.folder / "cache/mod/extract" / NET / "evil.cue").write_bytes(b"x"),
        {"tree.extra-file"},
    ),
    "zip and extracted tree together": (
        _cache_all,
        {"lock.archive", "tree.hash"},
    ),
    "module file": (
        lambda stage: (stage.folder / "cache/mod/download/example.com/net/@v/v1.4.0.mod").write_bytes(
            b"module: 1"
        ),
        {"lock.modfile"},
    ),
    "extracted folder linked": (
        lambda stage: (
            path := stage.folder / "cache/mod/extract" / NET,
            path.rename(stage.folder / "e"),
            path.symlink_to(stage.folder / "e"),
        ),
        {"tree.symlink"},
    ),
}


@pytest.mark.parametrize("vendored", [True, False])
@pytest.mark.parametrize("attack", CACHE)
def test_attack_on_the_cache(stage: Stage, attack: str, vendored: bool) -> None:
    if not vendored:
        shutil.rmtree(stage.work / "cue.mod/vendor")
    assert _verify(stage, *_cache(stage)).code == 0
    change, expected = CACHE[attack]
    change(stage)
    ran = _verify(stage, *_cache(stage))
    if attack == "module file" and not vendored:
        expected = expected | {"lock.build-list"}  # nobody else has the module file
    assert (ran.code, _found(ran)) == (1, expected)


def test_the_cache_in_use_is_looked_at_without_being_named(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    _cache_all(stage)
    monkeypatch.setenv("CUE_CACHE_DIR", str(stage.folder / "cache"))
    assert _verify(stage).code == 1
    assert _verify(stage, "--cache", "none").code == 0


def test_a_moved_tag_in_the_mirror(stage: Stage) -> None:
    publish(stage.mirror, NET, EVIL, force=True)
    ran = _verify(stage, "--from", str(stage.mirror))
    assert (ran.code, _found(ran)) == (1, {"oci.tag-moved"})


def test_a_mirror_whose_layers_disagree(stage: Stage) -> None:
    declared = EVIL["cue.mod/module.cue"] + b"// served, and not packed\n"
    digest = publish(stage.mirror, NET, NET_FILES, beside=declared, force=True)
    data = stage.sums.read_bytes()
    line = entry_line(data, NET)
    # an attacker who can move the lock's manifest too
    head, _, _ = line.partition(b"manifest: ")
    stage.sums.write_bytes(data.replace(line, head + f'manifest: "{digest}"}}\n'.encode()))
    assert "cue.layer-mismatch" in _found(_verify(stage, "--from", str(stage.mirror)))


def test_a_damaged_blob_in_the_mirror(stage: Stage) -> None:
    digest = Digest.of(zipped(NET_FILES))
    path = stage.mirror / "example.com/net/blobs/sha256" / digest.hex
    path.write_bytes(path.read_bytes()[:-1] + b"\1")
    assert _found(_verify(stage, "--from", str(stage.mirror))) == {"oci.digest-mismatch"}


def test_a_replacement_fails_unless_it_is_accepted_by_name(stage: Stage) -> None:
    (stage.work / "cue.mod/module.cue").write_text(
        (stage.work / "cue.mod/module.cue").read_text().replace("v0.15.0", "v0.17.0")
    )
    (stage.work / "cue.mod/local-module.cue").write_text(
        'deps: {\n\t"example.com/net@v1": replaceWith: "./evil"\n\t"example.com/log@v1": {}\n}\n'
    )
    ran = _verify(stage)
    assert (ran.code, _found(ran)) == (1, {"tree.replaced"})
    accepted = _verify(stage, "--except", f"tree.replaced:{NET}=a patch until v1.4.1")
    assert accepted.code == 0
    assert accepted.data()["account"]["excepted"] == 1


def test_an_accepted_edit_is_excepted_and_an_idle_exception_is_told(stage: Stage) -> None:
    (stage.vendored(NET) / "README.md").write_bytes(b"ours\n")
    ran = _verify(stage, "--except", f"tree.changed-file:{NET}=ours", "--except", "tree.extra-file=none")
    assert ran.code == 0, ran.out
    assert ran.data()["account"]["excepted"] == 1
    assert "exception.unused" in {each["check"] for each in ran.data()["findings"]}
    assert _verify(stage, "--except", "no.check=reason").code == 2
    assert _verify(stage, "--except", "tree.replaced").code == 2


def test_narrowing_says_so(stage: Stage) -> None:
    (stage.vendored(NET) / "README.md").write_bytes(b"ours\n")
    ran = modseal("verify", "tree", str(stage.work), "--module", LOG)
    assert ran.code == 0
    assert f"narrowed: to {LOG}, of 3 modules" in ran.out
    assert "1 module = 1 verified" in ran.out
    assert _verify(stage, "--module", "example.com/none").code == 2


def test_a_module_without_dependencies(stage: Stage) -> None:
    shutil.rmtree(stage.work / "cue.mod")
    stage.ask([])
    assert _verify(stage).code == 3
    assert _verify(stage, "--allow-empty").code == 0
    _write("cue.mod/vendor/example.com/evil@v1.0.0/x.cue")(stage)
    assert _verify(stage, "--allow-empty").code == 1


def test_the_diff_shows_what_changed(stage: Stage) -> None:
    (stage.vendored(NET) / "README.md").write_bytes(b"nut\n")
    for words in (_cache(stage), ("--from", str(stage.mirror))):
        ran = modseal("verify", "tree", str(stage.work), "--diff", *words)
        assert ran.code == 1
        assert "-net" in ran.out
        assert "+nut" in ran.out
    assert "the original is neither" in modseal("verify", "tree", str(stage.work), "--diff").out
