"""One file below a folder: no link on the way, and each way of not being there has its check."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from verify.errors import Absent, Malformed, Misused, ModsealError, Refuted
from verify.tree.below import lies_below, open_below, read_below

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> str:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("a/b/file")
    (tmp_path / "way").symlink_to("a")
    os.mkfifo(tmp_path / "pipe")
    return str(tmp_path)


def test_a_file_is_read(root: str) -> None:
    assert read_below(root, "a/b/file", 5) == b"12345"
    with open_below(root, "a/b/file") as file:
        assert file.read(2) == b"12"


REFUSED: dict[str, tuple[str, type[ModsealError], str | None]] = {
    "absent": ("a/none", Absent, "tree.absent"),
    "absent folder": ("none/file", Absent, "tree.absent"),
    "link": ("link", Refuted, "tree.symlink"),
    "link on the way": ("way/b/file", Refuted, "tree.symlink"),
    "file on the way": ("a/b/file/x", Refuted, "tree.not-a-folder"),
    "folder": ("a/b", Refuted, "tree.not-a-file"),
    "pipe": ("pipe", Refuted, "tree.not-a-file"),
    "upwards": ("../x", Misused, None),
    "empty part": ("a//b", Misused, None),
}


@pytest.mark.parametrize("case", REFUSED)
def test_whatever_is_no_file_there_is_refused_by_name(root: str, case: str) -> None:
    path, kind, check = REFUSED[case]
    with pytest.raises(kind) as caught:
        read_below(root, path, 10)
    assert caught.value.check == check


def test_a_longer_file_is_refused(root: str) -> None:
    with pytest.raises(Malformed) as caught:
        read_below(root, "a/b/file", 4)
    assert caught.value.check == "limit.size"


def test_lying_there(root: str) -> None:
    assert [lies_below(root, path) for path in ("a/b", "a/b/file", "link", "none", "none/x")] == [
        True, True, True, False, False,
    ]  # fmt: skip
    with pytest.raises(Refuted):
        lies_below(root, "way/b")
