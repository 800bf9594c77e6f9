r"""A request's body off a connection: with a stated length, or in chunks. Never more than was framed.

What is framed in two ways at once, or in a way that is not exactly ours, is refused: two readers could take
its end for two places. Trailers are read and dropped. Waiting for a client that asked to be told to go on
ends with the first read, so that a refusal comes before the bytes do.

>>> import io
>>> ChunkedBody(io.BytesIO(b"3\r\nabc\r\n0\r\n\r\n")).read()
b'abc'
>>> LengthBody(io.BytesIO(b"ab"), 3).read()
Traceback (most recent call last):
verify.oci.serve.body.BodyEnded: body: expected 3 bytes, got 2
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from verify.errors import Malformed, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})(?:;[^\r\n]*)?\r?\n")
_LENGTH = re.compile(r"[0-9]{1,18}")
_LINE = 4096
_TRAILERS = 64
_BLOCK = 1 << 20


class Source(Protocol):
    """What a connection gives."""

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes."""

    def readline(self, size: int = -1, /) -> bytes:
        """One line of at most `size` bytes."""


class Progress(Protocol):
    """Told before and after each piece, so that somebody can look at the clock."""

    def __call__(self, amount: int, *, ended: bool) -> None:
        """`amount` more bytes came; `ended`: nothing more is waited for."""


class BodyEnded(Unavailable):
    """The client stopped, was too slow, or broke the framing: the connection is of no more use."""


class FramedBody:
    """What both kinds share: telling the client to go on, counting, and the rest that nobody read."""

    def __init__(self, source: Source, begin: Callable[[], None] | None, progress: Progress | None) -> None:
        self.ended = False
        self._source = source
        self._begin = begin
        self._progress = progress

    @property
    def waiting(self) -> bool:
        """The client waits to be told to send, and was not."""
        return self._begin is not None and not self.ended

    @property
    def length(self) -> int | None:
        """As stated."""
        raise NotImplementedError

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes, everything if negative."""
        if self._begin is not None:
            begin, self._begin = self._begin, None
            begin()
        if size < 0:
            return b"".join(iter(lambda: self._piece(_BLOCK), b""))
        return self._piece(min(size, _BLOCK))

    def drain(self, most: int) -> bool:
        """Read and drop at most `most` bytes; whether that was all."""
        while not self.ended and most > 0:
            most -= len(self.read(min(most, _BLOCK)))
        return self.ended

    def _piece(self, size: int) -> bytes:
        self._tell(0)
        block = self._next(size)
        self._tell(len(block))
        return block

    def _tell(self, amount: int) -> None:
        if self._progress is not None:
            self._progress(amount, ended=self.ended)

    def _next(self, size: int) -> bytes:
        raise NotImplementedError

    def _take(self, size: int) -> bytes:
        try:
            return self._source.read(size)
        except OSError as error:
            raise BodyEnded(f"body: {error}") from error

    def _line(self) -> bytes:
        try:
            line = self._source.readline(_LINE + 1)
        except OSError as error:
            raise BodyEnded(f"body: {error}") from error
        if len(line) > _LINE or not line.endswith(b"\n"):
            raise BodyEnded("body: expected a line of a chunked body")
        return line


class LengthBody(FramedBody):
    """So many bytes."""

    def __init__(
        self,
        source: Source,
        length: int,
        *,
        begin: Callable[[], None] | None = None,
        progress: Progress | None = None,
    ) -> None:
        super().__init__(source, begin if length else None, progress)
        self._length = self._left = length
        self.ended = length == 0

    @property
    def length(self) -> int:
        return self._length

    def _next(self, size: int) -> bytes:
        if not self._left or not size:
            return b""
        block = self._take(min(size, self._left))
        if not block:
            raise BodyEnded(f"body: expected {self._length} bytes, got {self._length - self._left}")
        self._left -= len(block)
        self.ended = self._left == 0
        return block


class ChunkedBody(FramedBody):
    """Chunks, each with its size."""

    def __init__(
        self,
        source: Source,
        *,
        begin: Callable[[], None] | None = None,
        progress: Progress | None = None,
    ) -> None:
        super().__init__(source, begin, progress)
        self._left = 0

    @property
    def length(self) -> None:
        return None

    def _next(self, size: int) -> bytes:
        if self.ended or not size:
            return b""
        if not self._left and not self._open_chunk():
            return b""
        block = self._take(min(size, self._left))
        if not block:
            raise BodyEnded("body: ended inside a chunk")
        self._left -= len(block)
        if not self._left and self._line() not in {b"\r\n", b"\n"}:
            raise BodyEnded("body: expected the end of a chunk")
        return block

    def _open_chunk(self) -> bool:
        match = _SIZE.fullmatch(self._line())
        if match is None:
            raise BodyEnded("body: expected the size of a chunk")
        self._left = int(match[1], 16)
        if self._left:
            return True
        for _ in range(_TRAILERS):
            if self._line() in {b"\r\n", b"\n"}:
                self.ended = True
                return False
        raise BodyEnded("body: too many trailers")


def frame_body(
    headers: Mapping[str, str],
    source: Source,
    *,
    begin: Callable[[], None] | None = None,
    progress: Progress | None = None,
) -> FramedBody:
    """The body that the headers announce. Raises Malformed."""
    coding, length = headers.get("transfer-encoding"), headers.get("content-length")
    if coding is not None:
        if length is not None:
            raise Malformed("body: framed by a length and by chunks")
        if coding.strip().lower() != "chunked":
            raise Malformed("body: expected the transfer coding chunked")
        return ChunkedBody(source, begin=begin, progress=progress)
    if length is not None and not _LENGTH.fullmatch(length):
        raise Malformed("body: Content-Length: expected digits")
    return LengthBody(source, int(length or "0"), begin=begin, progress=progress)
