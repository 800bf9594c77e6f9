"""A file of more than 4 GiB and one after it, packed for real, proved, and read by other tools."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING, BinaryIO

import pytest

from verify.archive.inspection import check_archive
from verify.archive.reader import Container
from verify.archive.writer import write_archive
from verify.report import Outcome
from verify.tree.directory import DirectoryTree

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.peers import Peers

SIZE = (1 << 32) + 12345


class Holes:
    """Writes blocks of zeros as holes, so that 4 GiB take no room on the disk."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, data: bytes, /) -> int:
        if len(data) > 4096 and data.count(0) == len(data):
            self._file.seek(len(data), os.SEEK_CUR)
        else:
            self._file.write(data)
        return len(data)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems may not make holes")
@pytest.mark.peer("goarchive", "unzip")
def test_more_than_4_gib(tmp_path: Path, peer: Peers) -> None:
    source = tmp_path / "source"
    source.mkdir()
    with (source / "a").open("wb") as sparse:
        sparse.truncate(SIZE)
    (source / "b").write_bytes(b"after")
    path = tmp_path / "x.zip"
    with path.open("wb") as out:
        written = write_archive(DirectoryTree(source), Holes(out))
    with path.open("rb") as file:
        inspection = check_archive(file, subject="zip", container=Container.CANONICAL)
    assert {each.outcome for each in inspection.findings} == {Outcome.PASSED}
    assert inspection.tree_hash == written.tree_hash
    with zipfile.ZipFile(path) as archive:
        assert [(info.filename, info.file_size) for info in archive.infolist()] == [("a", SIZE), ("b", 5)]
        assert archive.read("b") == b"after"
    subprocess.run([peer("unzip"), "-tqq", str(path)], check=True, timeout=600)
    told = subprocess.run(
        [peer("goarchive"), "hashzip", str(path)], check=True, timeout=600, capture_output=True, text=True
    )
    assert told.stdout.strip() == str(written.tree_hash)
