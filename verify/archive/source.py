"""Bytes at an offset: how a zip is read. Nothing is mapped, so a file that shrinks raises and does not kill."""

from __future__ import annotations

import io
import os
from typing import BinaryIO

_AHEAD = 256 << 10


class Source:
    """A seekable binary file, read by position; `pread` where there is a descriptor."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._descriptor: int | None = None
        try:
            self._descriptor = file.fileno() if hasattr(os, "pread") else None
        except (OSError, AttributeError):
            self._descriptor = None  # memory
        self.size = file.seek(0, io.SEEK_END)

    @property
    def apart(self) -> bool:
        """Whether several threads may read it at once."""
        return self._descriptor is not None

    def read_at(self, offset: int, size: int) -> bytes:
        """Exactly `size` bytes, fewer only at the end of the file."""
        parts: list[bytes] = []
        while size > 0:
            block = self._piece(offset, size)
            if not block:
                break
            parts.append(block)
            offset += len(block)
            size -= len(block)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _piece(self, offset: int, size: int) -> bytes:
        if self._descriptor is not None:
            return os.pread(self._descriptor, size, offset)
        self._file.seek(offset)
        return self._file.read(size)


class Front:
    """All of a source, as a stream from its beginning."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._at = 0
        self._closed = False

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes (all that is left where it is negative); none when it is closed."""
        wanted = size if size >= 0 else max(0, self._source.size - self._at)
        data = b"" if self._closed else self._source.read_at(self._at, wanted)
        self._at += len(data)
        return data

    def close(self) -> None:
        """No more is wanted."""
        self._closed = True


class Window:
    """Many short reads, mostly forwards, out of few long ones."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._start = 0
        self._bytes = b""

    def at(self, offset: int, size: int) -> bytes:
        """As `Source.read_at`."""
        begin = offset - self._start
        if begin < 0 or begin + size > len(self._bytes):
            self._start, begin = offset, 0
            self._bytes = self._source.read_at(offset, max(size, _AHEAD))
        return self._bytes[begin : begin + size]
