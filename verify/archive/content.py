"""The bytes of one entry, and the proof that they are what its headers say, before the last of them is given.

Output stops at the declared size + 1. The deflate stream must end, with nothing after it inside the entry's
data; size and CRC must be right. Errors are Malformed: `archive.deflate`, `archive.deflate-junk`,
`archive.size`, `archive.crc`, `archive.cut-short`.
"""

from __future__ import annotations

import io
import zlib
from typing import TYPE_CHECKING, NamedTuple

from verify.errors import Malformed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import WriteableBuffer

    from verify.archive.source import Source, Window


class Data(NamedTuple):
    """What is needed to read an entry."""

    name: str
    deflated: bool
    offset: int
    csize: int
    size: int
    crc: int


def whole(data: Data, window: Window) -> bytes:
    """All of it at once: for entries that fit in memory."""
    held = window.at(data.offset, data.csize)
    if len(held) != data.csize:
        raise _error(data, "archive.cut-short", "the file ends inside it")
    if data.deflated:
        stream = zlib.decompressobj(-15)
        try:
            # one more than declared: zero would mean no limit at all
            out = stream.decompress(held, data.size + 1)
        except zlib.error as error:
            raise _error(data, "archive.deflate", _zlib_text(error)) from None
        _judge_end(data, len(out), ended=stream.eof, junk=len(stream.unused_data))
    else:
        out = held
    if len(out) != data.size:
        raise _wrong_size(data, len(out))
    if zlib.crc32(out) != data.crc:
        raise _wrong_crc(data, zlib.crc32(out))
    return out


def blocks(data: Data, source: Source, chunk: int) -> Iterator[bytes]:
    """In pieces of at most `chunk`; the last piece is held back until everything is proved."""
    pieces = _inflated(data, source, chunk) if data.deflated else _stored(data, source, chunk)
    held, crc, got = b"", 0, 0
    for piece in pieces:
        if held:
            yield held
        held = piece
        got += len(piece)
        crc = zlib.crc32(piece, crc)
    if got != data.size:
        raise _wrong_size(data, got)
    if crc != data.crc:
        raise _wrong_crc(data, crc)
    if held:
        yield held


def _stored(data: Data, source: Source, chunk: int) -> Iterator[bytes]:
    for at in range(0, data.csize, chunk):
        size = min(chunk, data.csize - at)
        piece = source.read_at(data.offset + at, size)
        if len(piece) != size:
            raise _error(data, "archive.cut-short", "the file ends inside it")
        yield piece


def _inflated(data: Data, source: Source, chunk: int) -> Iterator[bytes]:
    stream, got, read, pending = zlib.decompressobj(-15), 0, 0, b""
    while not stream.eof:
        if not pending and read < data.csize:
            pending = source.read_at(data.offset + read, min(chunk, data.csize - read))
            if not pending:
                raise _error(data, "archive.cut-short", "the file ends inside it")
            read += len(pending)
        given = len(pending)
        try:
            out = stream.decompress(pending, min(chunk, data.size + 1 - got))
        except zlib.error as error:
            raise _error(data, "archive.deflate", _zlib_text(error)) from None
        pending = stream.unconsumed_tail
        got += len(out)
        if got > data.size or (not out and not given and not stream.eof):
            break
        if out:
            yield out
    _judge_end(data, got, ended=stream.eof, junk=len(stream.unused_data) + data.csize - read)


def _judge_end(data: Data, got: int, *, ended: bool, junk: int) -> None:
    if got > data.size:
        raise _wrong_size(data, got)
    if not ended:
        raise _error(data, "archive.deflate", "the deflate stream does not end")
    if junk:
        raise _error(data, "archive.deflate-junk", f"{junk} bytes follow the end of the deflate stream")


def _error(data: Data, check: str, text: str) -> Malformed:
    return Malformed(text, check=check).within(f"entry {data.name!r}")


def _wrong_size(data: Data, got: int) -> Malformed:
    more = "more" if got > data.size else str(got)
    return _error(data, "archive.size", f"size: expected {data.size}, got {more}")


def _wrong_crc(data: Data, got: int) -> Malformed:
    return _error(data, "archive.crc", f"crc: expected {data.crc:08x}, got {got:08x}")


def _zlib_text(error: zlib.error) -> str:
    return f"not a deflate stream ({str(error).rpartition(': ')[2]})"


class Stream(io.RawIOBase):
    """`blocks` as a file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        super().__init__()
        self._pieces = pieces
        self._held = memoryview(b"")

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, into: WriteableBuffer) -> int:
        """As any raw stream; a fault of the entry is raised here."""
        if not self._held:
            self._held = memoryview(next(self._pieces, b""))
        target = memoryview(into).cast("B")
        size = min(len(target), len(self._held))
        target[:size] = self._held[:size]
        self._held = self._held[size:]
        return size
