"""The records of a zip file as values, and the one container modseal writes.

A zip is: for each entry a local header, its data and perhaps a data descriptor; then the central directory,
one record for each entry; then (zip64) a 64-bit end record and its locator; then the end record. All numbers
are little-endian.

The canonical container, in full:

1. Entries stand in the order of their names' UTF-8 bytes, from offset 0, each right after the one before.
2. Files only. Names as the portable profile of `verify.tree.names` has them, a prefix included.
3. Date 0x0021 and time 0 (1980-01-01 00:00:00); made-by 0x0314 (Unix); internal attributes 0; external
   attributes `0o100644 << 16`, or `0o100755 << 16` where the profile keeps the executable bit.
4. Flag bit 11 (UTF-8) exactly when a name is not ASCII, no other flag: CRC and sizes stand in the local header.
5. zip64 exactly when a value is at or above 0xFFFFFFFF (entries: 0xFFFF). The local header then carries both
   sizes in its extra field, both 32-bit fields saturated; the central record carries only those that are
   saturated, in the order size, compressed size, offset. A record needs version 45 exactly when it carries
   that extra field, else 20. No other extra field, no comment.
6. The central directory follows the last entry; the end record follows it and ends the file. Where zip64 is
   needed a 64-bit end record (made-by 0x0314, version 45, no extensible data) and its locator stand between.

>>> local_header(Facts(name=b"a.cue", method=STORED, crc=0x1, csize=5, size=5)).hex()
'504b03041400000000000000210001000000050000000500000005000000612e637565'
"""

from __future__ import annotations

import struct
from typing import NamedTuple, Self

LOCAL_MARK = b"PK\x03\x04"
CENTRAL_MARK = b"PK\x01\x02"
END_MARK = b"PK\x05\x06"
END64_MARK = b"PK\x06\x06"
LOCATOR_MARK = b"PK\x06\x07"
DESCRIPTOR_MARK = b"PK\x07\x08"
MARKS = (LOCAL_MARK, CENTRAL_MARK, END_MARK, END64_MARK, LOCATOR_MARK, DESCRIPTOR_MARK)

STORED = 0
DEFLATED = 8
FULL32 = 0xFFFFFFFF
FULL16 = 0xFFFF

FLAG_ENCRYPTED = 1 << 0
FLAG_LEVEL = (1 << 1) | (1 << 2)  # how hard the writer tried; means nothing to a reader
FLAG_DESCRIPTOR = 1 << 3
FLAG_UTF8 = 1 << 11

MADE_BY = 0x0314
NEEDS = 20
NEEDS_ZIP64 = 45
DOS_TIME = 0
DOS_DATE = 0x0021
ATTRIBUTES = 0o100644 << 16
ATTRIBUTES_EXECUTABLE = 0o100755 << 16
ZIP64_ID = 0x0001

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_END64 = struct.Struct("<4sQ2H2I4Q")
_LOCATOR = struct.Struct("<4sIQI")
LOCAL_SIZE = _LOCAL.size
CENTRAL_SIZE = _CENTRAL.size
END_SIZE = _END.size
END64_SIZE = _END64.size
LOCATOR_SIZE = _LOCATOR.size
DESCRIPTOR = struct.Struct("<4s3I")
DESCRIPTOR64 = struct.Struct("<4sI2Q")


# NamedTuples, not dataclasses: one of each is made for every entry, and `_make` costs a third


class Local(NamedTuple):
    """A local header's fixed part, as it stands in the file."""

    mark: bytes
    needs: int
    flags: int
    method: int
    time: int
    date: int
    crc: int
    csize: int
    size: int
    name_size: int
    extra_size: int

    @classmethod
    def unpack(cls, data: bytes, at: int = 0) -> Self:
        """From at least LOCAL_SIZE bytes; the mark is the caller's to look at."""
        return cls._make(_LOCAL.unpack_from(data, at))


class Central(NamedTuple):
    """A central record's fixed part, as it stands in the file."""

    mark: bytes
    made_by: int
    needs: int
    flags: int
    method: int
    time: int
    date: int
    crc: int
    csize: int
    size: int
    name_size: int
    extra_size: int
    comment_size: int
    disk: int
    internal: int
    external: int
    offset: int

    @classmethod
    def unpack(cls, data: bytes, at: int = 0) -> Self:
        """From at least CENTRAL_SIZE bytes; the mark is the caller's to look at."""
        return cls._make(_CENTRAL.unpack_from(data, at))


class End(NamedTuple):
    """The end record's fixed part."""

    mark: bytes
    disk: int
    directory_disk: int
    records_here: int
    records: int
    size: int
    offset: int
    comment_size: int

    @classmethod
    def unpack(cls, data: bytes, at: int = 0) -> Self:
        """From at least END_SIZE bytes."""
        return cls._make(_END.unpack_from(data, at))


class End64(NamedTuple):
    """The 64-bit end record's fixed part."""

    mark: bytes
    record_size: int
    made_by: int
    needs: int
    disk: int
    directory_disk: int
    records_here: int
    records: int
    size: int
    offset: int

    @classmethod
    def unpack(cls, data: bytes, at: int = 0) -> Self:
        """From at least END64_SIZE bytes."""
        return cls._make(_END64.unpack_from(data, at))


class Locator(NamedTuple):
    """Where the 64-bit end record stands."""

    mark: bytes
    disk: int
    offset: int
    disks: int

    @classmethod
    def unpack(cls, data: bytes, at: int = 0) -> Self:
        """From at least LOCATOR_SIZE bytes."""
        return cls._make(_LOCATOR.unpack_from(data, at))


class Facts(NamedTuple):
    """All that varies from one canonical entry to the next."""

    name: bytes
    method: int
    crc: int
    csize: int
    size: int
    executable: bool = False

    @property
    def flags(self) -> int:
        """Bit 11 exactly when the name is not ASCII."""
        return 0 if self.name.isascii() else FLAG_UTF8


def _zip64(*values: int) -> bytes:
    return struct.pack(f"<2H{len(values)}Q", ZIP64_ID, 8 * len(values), *values) if values else b""


def local_header(facts: Facts) -> bytes:
    """The local header, name and extra field of a canonical entry."""
    name, method, crc, csize, size, _ = facts
    needs, extra = NEEDS, b""
    if size >= FULL32 or csize >= FULL32:
        needs, extra = NEEDS_ZIP64, _zip64(size, csize)
        size = csize = FULL32
    fixed = _LOCAL.pack(
        LOCAL_MARK, needs, facts.flags, method, DOS_TIME, DOS_DATE, crc, csize, size, len(name), len(extra)
    )
    return fixed + name + extra


def central_record(facts: Facts, offset: int) -> bytes:
    """The central record, name and extra field of a canonical entry."""
    name, method, crc, csize, size, executable = facts
    needs, extra = NEEDS, b""
    if size >= FULL32 or csize >= FULL32 or offset >= FULL32:
        needs, extra = NEEDS_ZIP64, _zip64(*(value for value in (size, csize, offset) if value >= FULL32))
        size, csize, offset = min(size, FULL32), min(csize, FULL32), min(offset, FULL32)
    fixed = _CENTRAL.pack(
        CENTRAL_MARK,
        MADE_BY,
        needs,
        facts.flags,
        method,
        DOS_TIME,
        DOS_DATE,
        crc,
        csize,
        size,
        len(name),
        len(extra),
        0,
        0,
        0,
        ATTRIBUTES_EXECUTABLE if executable else ATTRIBUTES,
        offset,
    )
    return fixed + name + extra


def ending(count: int, size: int, offset: int) -> bytes:
    """What follows the central directory: `size` bytes of `count` records from `offset`."""
    tail = _END.pack(
        END_MARK, 0, 0, min(count, FULL16), min(count, FULL16), min(size, FULL32), min(offset, FULL32), 0
    )
    if count < FULL16 and size < FULL32 and offset < FULL32:
        return tail
    wide = _END64.pack(END64_MARK, END64_SIZE - 12, MADE_BY, NEEDS_ZIP64, 0, 0, count, count, size, offset)
    return wide + _LOCATOR.pack(LOCATOR_MARK, 0, offset + size, 1) + tail
