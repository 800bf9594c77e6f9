r"""DER, read strictly: as much of it as RFC 3161 timestamps need.

One tag byte, the shortest length, nothing behind the last element. What has two spellings in BER has one here, so
bytes that are hashed are the bytes that were read.

>>> reader = Reader(b"\x02\x01\x05\x04\x02ab")
>>> reader.integer(), reader.take(OCTETS), reader.end()
(5, b'ab', None)
>>> oid(b"\x2b\x06\x01")
'1.3.6.1'
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from verify.errors import Malformed

INTEGER, OCTETS, OID, SEQUENCE, SET = 0x02, 0x04, 0x06, 0x30, 0x31
GENERALIZED_TIME = 0x18
_TIME = re.compile(r"(\d{14})(?:\.(\d*[1-9]))?Z", re.ASCII)


def context(number: int) -> int:
    """The tag of a constructed field `[number]`."""
    return 0xA0 | number


@dataclass(slots=True)
class Reader:
    """The elements of one constructed value, in their order."""

    data: bytes
    at: int = 0

    def next_tag(self) -> int | None:
        """What comes next, or None at the end."""
        return self.data[self.at] if self.at < len(self.data) else None

    def element(self) -> tuple[int, bytes, bytes]:
        """Tag, content and the whole element. Raises Malformed."""
        start = self.at
        tag, length, begin = self._head(start)
        stop = begin + length
        if stop > len(self.data):
            raise _malformed("ends early")
        self.at = stop
        return tag, self.data[begin:stop], self.data[start:stop]

    def take(self, tag: int) -> bytes:
        """The content of an element that must have this tag."""
        found, content, _ = self.element()
        if found != tag:
            raise _malformed(f"expected tag {tag:#04x}, got {found:#04x}")
        return content

    def inner(self, tag: int = SEQUENCE) -> Reader:
        """The same, to be read on."""
        return Reader(self.take(tag))

    def optional(self, tag: int) -> bytes | None:
        """The content if the next element has this tag."""
        return self.take(tag) if self.next_tag() == tag else None

    def integer(self) -> int:
        """Any integer, in its shortest form."""
        content = self.take(INTEGER)
        if not content or (
            len(content) > 1 and content[0] in {0, 0xFF} and content[0] >> 7 == content[1] >> 7
        ):
            raise _malformed("an integer has leading bytes")
        return int.from_bytes(content, "big", signed=True)

    def end(self) -> None:
        """Nothing may follow."""
        if self.at != len(self.data):
            raise _malformed("something follows the last element")

    def _head(self, start: int) -> tuple[int, int, int]:
        if start + 2 > len(self.data):
            raise _malformed("ends early")
        tag, length, begin = self.data[start], self.data[start + 1], start + 2
        if tag & 0x1F == 0x1F:
            raise _malformed("a tag of several bytes")
        if length >= 0x80:
            width = length & 0x7F
            digits = self.data[begin : begin + width]
            length, begin = int.from_bytes(digits, "big"), begin + width
            if not 1 <= width <= 4 or len(digits) != width or not digits[0] or length < 0x80:
                raise _malformed("a length in more than one spelling")
        return tag, length, begin


def oid(content: bytes) -> str:
    """An object identifier in dots."""
    if not content or content[-1] & 0x80:
        raise _malformed("an object identifier ends early")
    arcs, value = [], 0
    for byte in content:
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            arcs.append(value)
            value = 0
    first = min(arcs[0] // 40, 2)
    return ".".join(map(str, (first, arcs[0] - 40 * first, *arcs[1:])))


def generalized_time(content: bytes) -> datetime:
    """As DER spells it: to the second or a fraction of it, in UTC."""
    match = _TIME.fullmatch(content.decode("latin-1"))
    try:
        moment = datetime.strptime(match[1], "%Y%m%d%H%M%S").replace(tzinfo=UTC) if match else None
    except ValueError:
        moment = None
    if match is None or moment is None:
        raise _malformed("expected a GeneralizedTime in UTC")
    return moment.replace(microsecond=int((match[2] or "0")[:6].ljust(6, "0")))


def _malformed(message: str) -> Malformed:
    return Malformed(f"DER: {message}", check="timestamp.malformed")
