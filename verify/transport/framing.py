"""Where an answer ends, and that its bytes are those on the wire.

1. A body has a Content-Length, or is chunked, or ends with the connection; never two of these. Content-Length
   is ASCII digits, and all its values agree.
2. A body that ends with the connection cannot be told from one that was cut: it is refused, unless the caller
   knows a digest.
3. A body shorter than stated is cut (`fetch.cut`). Bytes after the stated end belong to nothing that was
   asked: the answer is refused and the connection is not used again (`transport.surplus`, see `paced`).
4. A content coding is refused: nobody asked for one, and the bytes would not be those with the digest.

>>> from verify.transport.message import Headers
>>> body_length("GET", 200, Headers.of([("Content-Length", "12")]), framed=True)
12
>>> body_length("GET", 200, Headers.of([("Content-Length", "12"), ("Content-Length", "13")]), framed=True)
Traceback (most recent call last):
verify.errors.Unavailable: answer: its Content-Length is '12, 13'
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from verify.errors import Unavailable

if TYPE_CHECKING:
    from verify.digest import Reader
    from verify.transport.message import Headers

_DIGITS = re.compile(r"[0-9]{1,18}")


def body_length(method: str, status: int, headers: Headers, *, framed: bool) -> int | None:
    """How long the body is; None where only its end tells. Raises Unavailable (`transport.*`)."""
    codings = [value.strip().lower() for value in headers.all("content-encoding")]
    if any(coding not in {"", "identity"} for coding in codings):
        raise Unavailable(
            f"answer: is encoded as {', '.join(codings)!r}, which nobody asked for", check="transport.encoded"
        )
    if method == "HEAD" or status in {204, 304}:
        return 0
    lengths = {part.strip() for value in headers.all("content-length") for part in value.split(",")}
    chunked = headers.get("transfer-encoding")
    if chunked is not None and (lengths or chunked.strip().lower() != "chunked"):
        raise _framing(f"has Transfer-Encoding {chunked!r} and a Content-Length or another coding")
    if not lengths:
        if chunked is None and framed:
            raise _framing("states neither a Content-Length nor chunks, so nobody knows when it is whole")
        return None
    if len(lengths) > 1 or not _DIGITS.fullmatch(next(iter(lengths))):
        raise _framing(f"its Content-Length is {', '.join(sorted(lengths))!r}")
    return int(lengths.pop())


class FramedBody:
    """A body that ends where it was said to end."""

    def __init__(self, source: Reader, length: int | None, what: str) -> None:
        self._source = source
        self._left = length
        self._length = length
        self._what = what

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes. Raises Unavailable (`fetch.cut`)."""
        if size < 0:
            return b"".join(iter(lambda: self.read(1 << 20), b""))
        block = self._source.read(size if self._left is None else min(size, self._left + 1))
        if self._left is None or not size:
            return block
        if not block and self._left:
            raise Unavailable(
                f"{self._what}: ended {self._left} bytes short of {self._length}", check="fetch.cut"
            )
        if len(block) > self._left:
            raise Unavailable(f"{self._what}: goes on after {self._length} bytes", check="transport.surplus")
        self._left -= len(block)
        return block


def _framing(problem: str) -> Unavailable:
    return Unavailable(f"answer: {problem}", check="transport.framing")
