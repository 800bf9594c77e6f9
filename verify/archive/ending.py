"""Finds where a zip ends and its directory lies, and refuses every zip where that could be told in two ways.

1. The end record is the one whose comment ends exactly where the file ends. None such: something follows it
   (`archive.suffix-data`) or its comment is cut short (`archive.comment-length`). Two such: one lies in the
   other's comment (`archive.eocd-in-comment`), as does any record's mark there.
2. An end record's mark between the directory's start and the end record is refused (`archive.several-eocd`).
   One inside an entry's data is not: a zip may hold a stored zip, and readers search from the end.
3. A zip64 locator right before the end record is always heeded, and must agree with it in every field that is
   not saturated (`archive.zip64-disagrees`); the 64-bit record stands right before the locator, where the
   locator says, without extensible data (`archive.zip64-locator`, `archive.zip64-end`).
4. Directory offset + size is where the ending begins (`archive.prefix-data`, `archive.directory-offset`,
   `archive.directory-size`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.archive.format import (
    CENTRAL_MARK,
    END64_MARK,
    END64_SIZE,
    END_MARK,
    END_SIZE,
    FULL16,
    FULL32,
    LOCATOR_MARK,
    LOCATOR_SIZE,
    MARKS,
    End,
    End64,
    Locator,
)

if TYPE_CHECKING:
    from verify.archive.fault import Docket
    from verify.archive.source import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """Where the directory is and how many records it claims."""

    offset: int
    size: int
    count: int
    comment: bytes

    @property
    def end(self) -> int:
        """Where the directory ends and the end records begin."""
        return self.offset + self.size


def find_ending(source: Source, docket: Docket) -> Ending | None:
    """None where reading on would be guessing; the docket says why."""
    reach = min(source.size, END_SIZE + FULL16)
    base = source.size - reach
    tail = source.read_at(base, reach)
    places = _places(tail)
    at = _choose(tail, places, docket)
    if at is None:
        return None
    end = End.unpack(tail, at)
    comment = tail[at + END_SIZE : at + END_SIZE + end.comment_size]
    _judge_comment(comment, docket)
    if end.disk or end.directory_disk or end.records_here != end.records:
        docket.fail("archive.disk", "end record names more than one disk")
    wide = _widened(source, base + at, end, docket)
    if wide is None:
        return None
    if any(wide.offset <= base + place < base + at for place in places):
        docket.fail("archive.several-eocd", "a second end record stands in or after the directory")
    return _placed(source, wide, comment, docket)


def _places(tail: bytes) -> list[int]:
    places = []
    at = tail.find(END_MARK)
    while 0 <= at <= len(tail) - END_SIZE:
        places.append(at)
        at = tail.find(END_MARK, at + 1)
    return places


def _choose(tail: bytes, places: list[int], docket: Docket) -> int | None:
    if not places:
        docket.fail("archive.no-end", "no end record: this is not a zip file, or it is cut short")
        return None
    left = {at: len(tail) - at - END_SIZE - End.unpack(tail, at).comment_size for at in places}
    exact = [at for at in places if left[at] == 0]
    if not exact:
        last = places[-1]
        if left[last] > 0:
            docket.fail("archive.suffix-data", f"{left[last]} bytes follow the end record")
        else:
            docket.fail("archive.comment-length", f"the comment lacks {-left[last]} of its bytes")
        return last
    # the earlier one reaches the end of the file only by having the later one in its comment
    if len(exact) > 1:
        docket.fail("archive.eocd-in-comment", "the comment holds another end record")
    return exact[-1]


def _judge_comment(comment: bytes, docket: Docket) -> None:
    if any(mark in comment for mark in MARKS):
        docket.fail("archive.eocd-in-comment", "the comment holds the mark of a zip record")
    elif comment:
        docket.note("archive.comment", f"the archive has a comment of {len(comment)} bytes")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wide:
    offset: int
    size: int
    count: int
    end: int  # where the first of the end records begins


def _widened(source: Source, at: int, end: End, docket: Docket) -> _Wide | None:
    locator_at = at - LOCATOR_SIZE
    found = source.read_at(locator_at, LOCATOR_SIZE) if locator_at >= 0 else b""
    if not found.startswith(LOCATOR_MARK):
        if FULL32 in (end.size, end.offset):
            docket.fail("archive.zip64-missing", "the end record refers to a 64-bit one that is not there")
            return None
        return _Wide(offset=end.offset, size=end.size, count=end.records, end=at)
    locator = Locator.unpack(found)
    wide_at = locator_at - END64_SIZE
    if locator.disk or locator.disks > 1 or locator.offset != wide_at:
        docket.fail("archive.zip64-locator", f"locator: expected {wide_at}, got {locator.offset}")
    raw = source.read_at(wide_at, END64_SIZE) if wide_at >= 0 else b""
    if not raw.startswith(END64_MARK) or len(raw) < END64_SIZE:
        docket.fail("archive.zip64-end", "no 64-bit end record right before its locator")
        return None
    wide = End64.unpack(raw)
    _judge_wide(end, wide, docket)
    return _Wide(offset=wide.offset, size=wide.size, count=wide.records, end=wide_at)


def _judge_wide(end: End, wide: End64, docket: Docket) -> None:
    if wide.record_size != END64_SIZE - 12:
        docket.fail("archive.zip64-end", "the 64-bit end record has extensible data or a wrong length")
    if wide.disk or wide.directory_disk or wide.records_here != wide.records:
        docket.fail("archive.disk", "64-bit end record names more than one disk")
    pairs = (
        ("count", end.records, wide.records, FULL16),
        ("size", end.size, wide.size, FULL32),
        ("offset", end.offset, wide.offset, FULL32),
    )
    for noun, narrow, broad, full in pairs:
        if narrow not in (full, broad):
            docket.fail(
                "archive.zip64-disagrees",
                f"directory {noun}: {narrow} in one end record, {broad} in the other",
            )
    if all(narrow != full for _, narrow, _, full in pairs):
        docket.note("archive.zip64-unneeded", "a 64-bit end record that nothing refers to")


def _placed(source: Source, wide: _Wide, comment: bytes, docket: Docket) -> Ending | None:
    if wide.offset + wide.size == wide.end:
        return Ending(offset=wide.offset, size=wide.size, count=wide.count, comment=comment)
    by_size = wide.end - wide.size
    if by_size > wide.offset and source.read_at(by_size, 4) == CENTRAL_MARK:
        docket.fail("archive.prefix-data", f"{by_size - wide.offset} bytes stand before the archive")
    elif wide.offset < wide.end and source.read_at(wide.offset, 4) == CENTRAL_MARK:
        docket.fail(
            "archive.directory-size", f"directory size: expected {wide.end - wide.offset}, got {wide.size}"
        )
    else:
        docket.fail("archive.directory-offset", f"directory offset: expected {by_size}, got {wide.offset}")
    return None
