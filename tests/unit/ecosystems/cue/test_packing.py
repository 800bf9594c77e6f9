"""cue/1: what of a source makes a CUE module."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.repositories import MadeRepository
from verify.ecosystems.cue.packing import CueSelection, open_source, select_git, select_self
from verify.errors import Malformed, Refuted
from verify.tree.directory import DirectoryTree
from verify.tree.git import Repository
from verify.tree.memory import MemoryTree
from verify.tree.port import Irregular, Oddity

if TYPE_CHECKING:
    from pathlib import Path

MODULE = "cue.mod/module.cue"


def tree(*files: str, links: tuple[str, ...] = ()) -> MemoryTree:
    irregulars = [Irregular(name, Oddity.SYMLINK) for name in links]
    return MemoryTree(dict.fromkeys((MODULE, *files), b"x"), irregulars=irregulars)


def fate(found: CueSelection, name: str) -> str:
    """Where one name ended, and that it ended there only."""
    ends = ["kept"] * (name in found.selection.kept)
    ends += [reason for each, reason in found.selection.omitted if each == name]
    ends += [each.check for each in found.invalid if each.name == name]
    assert len(ends) == 1
    return ends[0]


CASES = [
    ("a.cue", "kept"),
    (".hidden/_x", "kept"),
    ("vendor/x/y", "kept"),
    ("cue.mod/pkg/x", "kept"),
    ("cue.mod/vendor/x", "vendored"),
    ("sub/cue.mod/module.cue", "in another module"),
    ("sub/CUE.MOD/module.cue", "in another module"),
    ("cue.mod/x/cue.mod/y", "in another module"),
    (".hg_archival.txt", "inserted by hg archive"),
    ("d/.hg_archival.txt", "kept"),
    ("cue.mod/local-module.cue", "for development only"),
    ("CUE.mod/x", "cue.case"),
    ("cue.mod/MODULE.cue", "cue.case"),
    ("it's", "name.character"),
    ("aux.cue", "name.reserved"),
    ("dot.", "name.trailing-dot"),
]


@pytest.mark.parametrize(("name", "end"), CASES)
def test_every_name_ends_where_cue_ends_it(name: str, end: str) -> None:
    assert fate(select_self(tree(name)), name) == end
    assert fate(select_git(tree(name)), name) == end


def test_kind_self_looks_at_folders() -> None:
    found = select_self(tree("sub/cue.mod/x", "sub/a", ".git/HEAD", "d/.svn/x", links=("l", "sub/l")))
    assert found.selection.kept == (MODULE,)
    assert found.selection.omitted == (
        (".git/HEAD", "version control"),
        ("d/.svn/x", "version control"),
        ("l", "symbolic link"),
        ("sub/a", "in another module"),
        ("sub/cue.mod/x", "in another module"),
        ("sub/l", "in another module"),
    )


def test_collisions_fall_on_the_later_name() -> None:
    found = select_self(tree("A/x", "a/y", "K", "\u212a", "ß", "ss"))
    assert [(each.name, each.check) for each in found.invalid] == [
        ("a/y", "name.case-collision"),
        ("\u212a", "name.case-collision"),
    ]


def test_tracked_names_decide_for_kind_git() -> None:
    found = select_git(tree("a", "b", links=("l",)), {MODULE, "a", "l", "gone"})
    assert found.selection.kept == ("a", MODULE)
    assert found.selection.omitted == (("b", "not tracked"), ("l", "symbolic link"))
    assert [(each.name, each.check) for each in found.invalid] == [("gone", "tree.missing-file")]


def test_no_module_file_is_a_fault_and_invalid_names_come_first() -> None:
    found = select_self(MemoryTree({"a'": b""}))
    assert [each.check for each in found.faults] == ["cue.no-module-file"]
    with pytest.raises(Malformed) as caught:
        found.require()
    assert caught.value.check == "name.character"


def test_sizes_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    from verify.ecosystems.cue import packing

    monkeypatch.setattr(packing, "MOST_TOTAL", 3)
    select_self(tree("a", "b")).require()
    with pytest.raises(Malformed) as caught:
        select_self(tree("a", "b", "c")).require()
    assert caught.value.check == "cue.module-too-large"
    monkeypatch.setattr(packing, "MOST_LICENSE", 0)
    assert fate(select_self(tree("LICENSE")), "LICENSE") == "cue.file-too-large"


@pytest.fixture
def made(tmp_path: Path) -> MadeRepository:
    return MadeRepository(tmp_path / "repository")


def test_a_module_inherits_the_roots_licence_in_kind_git_only(made: MadeRepository) -> None:
    made.commit({"LICENSE": b"root", "m/cue.mod/module.cue": b"", "m/a.cue": b"", ".gitignore": b"*.log\n"})
    made.write({"m/b.log": b""})
    folder = made.folder / "m"
    found = open_source(DirectoryTree(folder), "git", Repository(folder))
    assert [entry.name for entry in found.entries()] == ["LICENSE", "a.cue", MODULE]
    with found.open("LICENSE") as stream:
        assert stream.read() == b"root"
    assert [entry.name for entry in open_source(DirectoryTree(folder), "self").entries()] == [
        "a.cue",
        "b.log",
        MODULE,
    ]


def test_a_licence_of_its_own_is_not_replaced(made: MadeRepository) -> None:
    made.commit({"LICENSE": b"root", "m/LICENSE": b"own", "m/cue.mod/module.cue": b""})
    found = open_source(DirectoryTree(made.folder / "m"), "git", Repository(made.folder / "m"))
    with found.open("LICENSE") as stream:
        assert stream.read() == b"own"


def test_an_unclean_module_or_licence_is_refused_and_dirt_beside_it_is_not(made: MadeRepository) -> None:
    made.commit({"LICENSE": b"root", "m/cue.mod/module.cue": b"", "other": b""})
    folder = made.folder / "m"
    made.write({"other": b"2", "beside": b""})
    open_source(DirectoryTree(folder), "git", Repository(folder))
    for dirt in ("LICENSE", "m/new"):
        made.write({dirt: b"dirt"})
        with pytest.raises(Refuted) as caught:
            open_source(DirectoryTree(folder), "git", Repository(folder))
        assert caught.value.check == "git.unclean"
        made("checkout", "-q", "LICENSE")
