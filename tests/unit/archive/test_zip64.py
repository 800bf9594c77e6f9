"""Values beyond 32 (entries: 16) bits, on files that are mostly holes and trees that are mostly pretence.

Packing and proving more than 4 GiB takes as long as hashing them: tests/peers/test_zip64_peers.py does it once,
against other tools. Here only the records are read.
"""

from __future__ import annotations

import io
import struct
import sys
from typing import TYPE_CHECKING

import pytest

from verify.archive.format import STORED, Facts, central_record, ending, local_header
from verify.archive.reader import Container, read_archive
from verify.archive.writer import write_archive
from verify.tree.memory import MemoryTree

if TYPE_CHECKING:
    from pathlib import Path

BIG = 0xFFFFFFFF


def facts(size: int) -> Facts:
    return Facts(name=b"a", method=STORED, crc=7, csize=size, size=size)


def test_the_largest_size_without_zip64() -> None:
    assert len(local_header(facts(BIG - 1))) == 31
    assert len(central_record(facts(BIG - 1), BIG - 1)) == 47


def test_the_smallest_size_with_zip64() -> None:
    local = local_header(facts(BIG))
    assert local[4:6] == struct.pack("<H", 45)
    assert local[18:26] == b"\xff" * 8
    assert local[31:] == struct.pack("<2H2Q", 1, 16, BIG, BIG)


@pytest.mark.parametrize(
    ("size", "offset", "values"),
    [(BIG, 0, (BIG, BIG)), (5, BIG, (BIG,)), (BIG + 1, BIG + 2, (BIG + 1, BIG + 1, BIG + 2))],
)
def test_a_central_record_carries_only_what_is_saturated(
    size: int, offset: int, values: tuple[int, ...]
) -> None:
    record = central_record(facts(size), offset)
    assert record[6:8] == struct.pack("<H", 45)
    assert record[47:] == struct.pack(f"<2H{len(values)}Q", 1, 8 * len(values), *values)


@pytest.mark.parametrize(
    ("count", "size", "offset", "wide"),
    [(0xFFFE, 1, 1, False), (0xFFFF, 1, 1, True), (1, BIG, 1, True), (1, 1, BIG, True)],
)
def test_the_ending_grows_exactly_where_a_value_is_saturated(
    count: int, size: int, offset: int, wide: bool
) -> None:
    assert len(ending(count, size, offset)) == (98 if wide else 22)


def test_as_many_entries_as_16_bits_hold() -> None:
    count = 0xFFFF
    files = {f"{number:05x}": b"" for number in range(count)}
    out = io.BytesIO()
    written = write_archive(MemoryTree(files), out)
    archive = read_archive(out, container=Container.CANONICAL)
    assert len(archive.entries()) == written.entries == count
    assert out.getvalue()[-98:].startswith(b"PK\x06\x06")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems may not make holes")
def test_a_stored_file_of_more_than_4_gib(tmp_path: Path) -> None:
    """And one after it, whose offset is beyond 4 GiB."""
    size = BIG + 10
    local = local_header(Facts(name=b"a", method=STORED, crc=0, csize=size, size=size))
    after = Facts(name=b"b", method=STORED, crc=0, csize=0, size=0)
    at = len(local) + size
    records = central_record(
        Facts(name=b"a", method=STORED, crc=0, csize=size, size=size), 0
    ) + central_record(after, at)
    path = tmp_path / "big.zip"
    with path.open("w+b") as file:
        file.write(local)
        file.seek(at)
        start = at + file.write(local_header(after))
        file.write(records + ending(2, len(records), start))
        archive = read_archive(file, container=Container.CANONICAL)
        assert [(entry.name, entry.size) for entry in archive.entries()] == [("a", size), ("b", 0)]
        assert next(archive.blocks("a")) == bytes(1 << 20)
        with archive.open("b") as stream:
            assert stream.read() == b""
