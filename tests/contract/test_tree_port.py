"""What every Tree promises, held over every implementation this room has."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.repositories import MadeRepository
from tests.support.tree_on_disk import write_tree
from verify.errors import Absent
from verify.tree import folder
from verify.tree.commit import GitTree
from verify.tree.directory import DirectoryTree
from verify.tree.hashing import hash_tree
from verify.tree.listing import TreeList
from verify.tree.memory import MemoryTree
from verify.tree.port import Tree

FILES = {
    "a/b": b"1",
    "a-b": b"2",
    "a.b": b"3",
    "a0": b"4",
    "a/c/d/e.cue": b"x: 1\n",
    "a/z": b"",
    "large": bytes(range(256)) * 8192,
    "a/large2": b"y" * (1 << 20) + b"z",
    "é/\U0001f600": b"5",
    "é/\uffee": b"6",
}
EXECUTABLES = ("a/b", "large")

Maker = Callable[[dict[str, bytes], Path], Tree]


def _memory(files: dict[str, bytes], _: Path) -> Tree:
    return MemoryTree(files, executables=[name for name in EXECUTABLES if name in files])


def _directory(files: dict[str, bytes], path: Path) -> Tree:
    return DirectoryTree(write_tree(path, files, EXECUTABLES))


def _commit(files: dict[str, bytes], path: Path) -> Tree:
    made = MadeRepository(path / "repository")
    write_tree(made.folder, files, EXECUTABLES)
    return GitTree.of(made.folder, made.commit({}))


@pytest.fixture(params=["memory", "commit", "descriptors", "paths"])
def make(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Maker:
    if request.param == "memory":
        return _memory
    if request.param == "commit":
        return _commit
    if request.param == "paths":
        monkeypatch.setattr(folder, "DESCRIPTORS", False)
    elif not folder.DESCRIPTORS:
        pytest.skip("this system has no calls relative to a folder's descriptor")
    return _directory


def test_entries_stand_in_the_order_of_their_bytes(make: Maker, tmp_path: Path) -> None:
    entries = make(FILES, tmp_path).entries()
    assert [entry.name for entry in entries] == sorted(FILES, key=str.encode)
    assert {entry.name: entry.size for entry in entries} == {name: len(data) for name, data in FILES.items()}
    assert {entry.name for entry in entries if entry.executable} == set(EXECUTABLES)


def test_measures_follow_entries(make: Maker, tmp_path: Path) -> None:
    tree = make(FILES, tmp_path)
    measures = list(tree.measures())
    assert [entry for entry, _ in measures] == list(tree.entries())
    assert {entry.name: found.sha256 for entry, found in measures} == {
        name: hashlib.sha256(data).digest() for name, data in FILES.items()
    }


def test_open_gives_the_bytes(make: Maker, tmp_path: Path) -> None:
    tree = make(FILES, tmp_path)
    for name, data in FILES.items():
        with tree.open(name) as file:
            assert file.read() == data


def test_open_of_what_is_not_there_is_absent(make: Maker, tmp_path: Path) -> None:
    with pytest.raises(Absent):
        make(FILES, tmp_path).open("a/nothing")
    with pytest.raises(Absent):
        make(FILES, tmp_path).open("../a-b")


def test_a_tree_can_be_read_twice_and_left_early(make: Maker, tmp_path: Path) -> None:
    tree = make(FILES, tmp_path)
    measures = tree.measures()
    next(measures)
    measures.close()  # type: ignore[attr-defined]
    assert hash_tree(tree) == hash_tree(tree)


def test_nothing_is_irregular_in_a_plain_tree(make: Maker, tmp_path: Path) -> None:
    assert list(make(FILES, tmp_path).irregulars()) == []


def test_an_empty_tree(make: Maker, tmp_path: Path) -> None:
    tree = make({}, tmp_path)
    assert list(tree.entries()) == []
    assert list(tree.irregulars()) == []
    assert str(hash_tree(tree)) == "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="


VECTORS = {
    "empty go.mod": ({"go.mod": b""}, "", "h1:G7mAYYxgmS0lVkHyy2hEOLQCFB0DlQFTMLWggykrydY="),
    "order of separators": (
        {"a/b": b"1", "a-b": b"2", "a.b": b"3", "a0": b"4"},
        "",
        "h1:Auv5ykbTdbW2eUYKJH2XNaQ6lvVGbk6t5TYS37SznrI=",
    ),
    "UTF-8 order, with a prefix": (
        {"go.mod": b"module example.com/m\n", "\xe9.txt": b"x", "\U0001f600": b"y", "\uffee": b"z"},
        "example.com/m@v1.0.0",
        "h1:P3Fu8iyCbduVOofGxMyq3HujwEPFQvIJaGz6TfyZ9zc=",
    ),
}


@pytest.mark.parametrize("case", list(VECTORS))
def test_hash_is_that_of_go(make: Maker, tmp_path: Path, case: str) -> None:
    files, prefix, expected = VECTORS[case]
    tree = make(files, tmp_path)
    assert str(hash_tree(tree, prefix)) == expected
    assert str(TreeList.of(tree, prefix).tree_hash) == expected
    if prefix:
        assert str(hash_tree(tree, prefix + "/")) == expected
