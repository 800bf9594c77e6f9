from pathlib import Path

import pytest

from tests.support.tree_on_disk import write_tree
from verify.errors import Absent, Exhausted, Misused, Refuted
from verify.limits import Limits
from verify.tree.directory import DirectoryTree
from verify.tree.hashing import hash_tree
from verify.tree.measuring import LARGE
from verify.tree.memory import MemoryTree
from verify.tree.port import Irregular, Oddity


class Told:
    """Events, added up."""

    def __init__(self) -> None:
        self.total: int | None = None
        self.amount = 0
        self.ended = 0

    def begin(self, task: str, total: int | None = None, unit: str = "B") -> None:
        self.total = total

    def advance(self, task: str, amount: int) -> None:
        self.amount += amount

    def end(self, task: str) -> None:
        self.ended += 1

    def note(self, level: object, text: str) -> None:
        raise AssertionError(text)


def test_hidden_and_ignored_files_count(tmp_path: Path) -> None:
    files = {".git/config": b"", ".modsealignore": b"*\n", "a~": b"", ".hidden/x": b""}
    write_tree(tmp_path, files)
    assert hash_tree(DirectoryTree(tmp_path)) == hash_tree(MemoryTree(files))


def test_empty_folders_are_listed(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a/b": b""})
    (tmp_path / "a" / "empty" / "inner").mkdir(parents=True)
    assert DirectoryTree(tmp_path).irregulars() == (Irregular("a/empty/inner", Oddity.EMPTY_FOLDER),)


def test_the_root_may_be_a_link_that_was_typed(tmp_path: Path) -> None:
    write_tree(tmp_path / "real", {"a": b"1"})
    (tmp_path / "link").symlink_to("real")
    assert hash_tree(DirectoryTree(tmp_path / "link")) == hash_tree(MemoryTree({"a": b"1"}))


def test_a_root_that_is_not_there_or_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(Absent) as caught:
        DirectoryTree(tmp_path / "nothing").entries()
    assert caught.value.check == "tree.absent"
    with pytest.raises(Misused):
        DirectoryTree(tmp_path / "file").entries()


def test_below_is_reached_by_real_folders_only(tmp_path: Path) -> None:
    write_tree(tmp_path, {"v/m@v1/a": b"1", "file": b""})
    assert hash_tree(DirectoryTree(tmp_path, below="v/m@v1")) == hash_tree(MemoryTree({"a": b"1"}))
    with pytest.raises(Absent):
        DirectoryTree(tmp_path, below="v/other").entries()
    with pytest.raises(Refuted) as caught:
        DirectoryTree(tmp_path, below="file/x").entries()
    assert caught.value.check == "tree.not-a-folder"
    with pytest.raises(Misused):
        DirectoryTree(tmp_path, below="v/../..").entries()


def test_caps_hold_at_the_limit_and_break_beyond(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a/b/c": b"", "d": b""})
    assert len(DirectoryTree(tmp_path, Limits(tree_files=2, tree_depth=3)).entries()) == 2
    with pytest.raises(Exhausted) as caught:
        DirectoryTree(tmp_path, Limits(tree_files=1)).entries()
    assert caught.value.check == "limit.tree-files"
    with pytest.raises(Exhausted) as caught:
        DirectoryTree(tmp_path, Limits(tree_depth=2)).entries()
    assert caught.value.check == "limit.tree-depth"


def test_progress_adds_up(tmp_path: Path) -> None:
    write_tree(
        tmp_path, {"a": b"x" * 10, "large": b"y" * (LARGE + 1), "z/large": b"z" * (LARGE + 2), "z/s": b"1"}
    )
    told = Told()
    list(DirectoryTree(tmp_path, events=told).measures())
    assert told.total == told.amount == 2 * LARGE + 14
    assert told.ended == 1


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    write_tree(tmp_path, {f"d{n}/large": b"y" * (LARGE + 1) for n in range(9)} | {"a/b/c": b""})
    before = len(list(Path("/dev/fd").iterdir()))
    tree = DirectoryTree(tmp_path)
    list(tree.measures())
    early = tree.measures()
    next(early)
    next(early)
    early.close()  # type: ignore[attr-defined]
    tree.open("a/b/c").close()
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_folders_between_files_of_one_folder(tmp_path: Path) -> None:
    # byte order leaves a folder and comes back to it: a/, a-b, a.b/, a/c, a/d/e, a/f, ab
    files = {
        "a/c": b"1",
        "a/d/e": b"2",
        "a/f": b"3",
        "a-b/x": b"4",
        "a.b/y": b"5",
        "ab": b"6",
        "a/d.d/g": b"7",
    }
    write_tree(tmp_path, files)
    assert hash_tree(DirectoryTree(tmp_path)) == hash_tree(MemoryTree(files))
