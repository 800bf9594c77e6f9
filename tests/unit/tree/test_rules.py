"""generic/1: what of a source is packed."""

from __future__ import annotations

import pytest

from verify.errors import Absent, Exhausted, Malformed
from verify.limits import Limits
from verify.tree.memory import MemoryTree
from verify.tree.port import Irregular, Oddity
from verify.tree.rules import select, select_generic


def names(*files: str, ignore: bytes | None = None) -> MemoryTree:
    more = {} if ignore is None else {".modsealignore": ignore}
    return MemoryTree(dict.fromkeys(files, b"x") | more)


def test_version_control_folders_are_omitted_at_any_depth_and_files_of_the_name_are_not() -> None:
    tree = names(".git/HEAD", "a/.hg/x", "b/.git", ".github/w", ".gitignore", ".GIT/x", ".hidden/f")
    found = select(tree)
    assert found.kept == (".GIT/x", ".github/w", ".gitignore", ".hidden/f", "b/.git")
    assert found.omitted == ((".git/HEAD", "version control"), ("a/.hg/x", "version control"))


@pytest.mark.parametrize(
    ("ignore", "kept"),
    [
        (b"*.log\n", (".modsealignore", "a", "d/keep", "d/x")),
        (b"*.log\r\n", (".modsealignore", "a", "d/keep", "d/x")),
        (b"\xef\xbb\xbf*.log", (".modsealignore", "a", "d/keep", "d/x")),
        (b"d/*\n!d/keep\n", (".modsealignore", "a", "d/keep", "z.log")),
        (b"/d/\n", (".modsealignore", "a", "z.log")),
        (b"# no\n\n.modsealignore\n", ("a", "d/keep", "d/x", "d/y.log", "z.log")),
    ],
)
def test_the_ignore_file_of_the_root_counts(ignore: bytes, kept: tuple[str, ...]) -> None:
    assert select(names("a", "d/keep", "d/x", "d/y.log", "z.log", ignore=ignore)).kept == kept


def test_an_ignore_file_below_the_root_does_not_count() -> None:
    assert select(MemoryTree({"d/.modsealignore": b"*", "d/a": b""})).kept == ("d/.modsealignore", "d/a")


def test_ignored_links_are_out_of_sight_and_others_are_not() -> None:
    links = [Irregular(name, Oddity.SYMLINK) for name in ("l", "out/l", ".git/l")]
    tree = MemoryTree({".modsealignore": b"/out/\n", "a": b"1"}, irregulars=links)
    view = select_generic(tree)
    assert view.irregulars() == (Irregular("l", Oddity.SYMLINK),)
    assert [entry.name for entry, _ in view.measures()] == [".modsealignore", "a"]
    assert view.selection.omitted == ((".git/l", "version control"), ("out/l", "ignored"))


def test_what_is_omitted_cannot_be_opened() -> None:
    view = select_generic(names("a", "b", ignore=b"b"))
    assert view.open("a").read() == b"x"
    with pytest.raises(Absent) as caught:
        view.open("b")
    assert caught.value.check == "tree.missing-file"


@pytest.mark.parametrize("ignore", [b"\xff\n", b"ok\n!\n"])
def test_an_ignore_file_that_cannot_be_read_is_malformed(ignore: bytes) -> None:
    with pytest.raises(Malformed) as caught:
        select(names("a", ignore=ignore))
    assert caught.value.check == "pack.ignore-file"


def test_an_ignore_file_has_a_limit() -> None:
    assert select(names("a", ignore=b"#" * 9 + b"\n"), Limits(ignore_bytes=10)).kept
    with pytest.raises(Exhausted) as caught:
        select(names("a", ignore=b"#" * 10 + b"\n"), Limits(ignore_bytes=10))
    assert caught.value.check == "limit.size"
