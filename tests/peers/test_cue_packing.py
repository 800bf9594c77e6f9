"""cue/1 against the real thing: the module zip package of CUE judges the same folders.

The folders are those of the package's own tests, read from where the peer was built from, and some of our own.
"""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from verify.ecosystems.cue.packing import select_self
from verify.tree.directory import DirectoryTree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.peers import Peers

Files = dict[str, bytes]
MODULE = "cue.mod/module.cue"
OUR_NAMES = (
    ("a.cue", "b/c.cue", ".hidden/x", "_x/y", "B.txt", "~", "a b", "a@b"),
    ("\u00e9", "\u4e2d", "e\u0301", "\u0661", "\u2713", "\u017f", "s", "\u212a", "k", "\u00df", "ss"),
    ("A/x", "a/y", "b/X", "b/x"),
    ("aux", "d/NUL.txt", "com1", "com0", "lpt9.a.b", "conin$", "con.", "x.", "...", " x", "x "),
    (
        "cue.mod/pkg/x",
        "cue.mod/vendor/a/b",
        "cue.mod/vendor",
        "cue.mod/local-module.cue",
        "cue.mod/Module.cue",
    ),
    (
        "sub/cue.mod/x",
        "sub/d/e",
        "s2/CUE.MOD/x",
        "s2/y",
        "s3/cue.mod",
        "s3/y",
        "cue.mod/x/cue.mod/y",
        "cue.mod/x/z",
    ),
    (".git/x", "a/.svn/x", "b/.hg", ".bzr/x", ".GIT/x", ".hg_archival.txt", "d/.hg_archival.txt", "LICENSE"),
    (
        "semi;colon",
        "star*",
        "quo'te",
        'dou"ble',
        "back\\slash",
        "col:on",
        "tab\t",
        "le<ss",
        "pi|pe",
        "que?",
        "ti`ck",
    ),
)


def parse_txtar(data: bytes) -> Files:
    """The files of an archive in Go's text format: a line `-- name --` begins each."""
    files: Files = {}
    name = None
    for line in data.splitlines(keepends=True):
        if line.startswith(b"-- ") and line.rstrip().endswith(b" --"):
            name = line.rstrip()[3:-3].strip().decode("utf-8")
            files[name] = b""
        elif name is not None:
            files[name] += line
    return files


def their_cases(source: Path) -> Iterator[Files]:
    for path in sorted(source.glob("mod/modzip/testdata/*/*.txt")):
        files = parse_txtar(path.read_bytes())
        files.pop("want", None)
        yield files


def write(root: Path, files: Files) -> None:
    root.mkdir()
    for name, data in files.items():
        path = root / name
        if not path.resolve().is_relative_to(root.resolve()):
            continue
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        except OSError:
            continue  # both a file and a folder: no disk can hold it


def compare(program: str, root: Path) -> None:
    done = subprocess.run([program, "checkdir", str(root)], capture_output=True, check=False, timeout=60)
    told = json.loads(done.stdout)

    def relative(names: list[str] | dict[str, str]) -> set[str]:
        return {name.removeprefix(f"{root}/") for name in names}

    ours = select_self(DirectoryTree(root))
    assert set(ours.selection.kept) == relative(told["valid"])
    assert {each.name for each in ours.invalid} == relative(told["invalid"])
    assert any(each.check == "cue.no-module-file" for each in ours.faults) == ("module" in told)
    theirs = relative(told["omitted"])
    for name, _ in ours.selection.omitted:  # cue tells a folder once, without what lies in it
        assert any(name == each or name.startswith(f"{each}/") for each in theirs), name
    for name in theirs:
        assert any(name == each or each.startswith(f"{name}/") for each, _ in ours.selection.omitted), name


@pytest.mark.peer("cuemodzip")
def test_cue_judges_its_own_test_folders_the_same(peer: Peers, tmp_path: Path) -> None:
    program = peer("cuemodzip")
    count = 0
    for number, files in enumerate(their_cases(peer.module("cuemodzip", "cuelang.org/go"))):
        write(tmp_path / str(number), files)
        compare(program, tmp_path / str(number))
        count += 1
    print(f"{count} folders of cue's own judged alike")  # the evidence
    assert count >= 20


@pytest.mark.peer("cuemodzip")
@pytest.mark.parametrize("names", OUR_NAMES)
def test_cue_judges_our_folders_the_same(peer: Peers, tmp_path: Path, names: tuple[str, ...]) -> None:
    root = tmp_path / "tree"
    write(root, dict.fromkeys((MODULE, *names), b"x"))
    (root / "link").symlink_to("a.cue")
    compare(peer("cuemodzip"), root)


@pytest.mark.peer("cuemodzip")
@pytest.mark.parametrize("names", OUR_NAMES)
def test_cue_judges_each_name_alone_the_same(peer: Peers, tmp_path: Path, names: tuple[str, ...]) -> None:
    for number, name in enumerate(names):
        write(tmp_path / str(number), {MODULE: b"x", name: b"x"})
        compare(peer("cuemodzip"), tmp_path / str(number))
