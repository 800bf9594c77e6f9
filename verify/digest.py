r"""Digests of byte streams, hashes of trees, and the only hashing loop.

A `Digest` names one byte stream: `sha256:` and 64 lower-case hex digits (`sha512:` and 128 where a registry
uses it). A `TreeHash` names a tree: `h1:` and the padded base64 of 32 bytes. The two are never comparable.

>>> Digest.of(b"")
Digest('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
>>> TreeHash.from_lines([(b"a.cue", hashlib.sha256(b"x: 1\n").digest())])
TreeHash('h1:8pP7K1GbHBUIdkUC2anYmaGHS1e9yC3hd3Lm74mNBCY=')

The lines of a tree hash are, in the order of the names' bytes: the file's SHA-256 in hex, two spaces, the
name, a newline. Whoever builds them refuses names with newlines first.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

from verify.errors import Exhausted, Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_HEX = {"sha256": 64, "sha512": 128}
_DIGITS = frozenset("0123456789abcdef")
_H1_LENGTH = len("h1:") + 44
CHUNK = 1 << 20
CACHED = 1 << 18  # a buffer that is read into and hashed from


class Reader(Protocol):
    """Anything bytes can be read from."""

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes; empty at the end."""


@dataclass(frozen=True, slots=True, order=True)
class Digest:
    """`sha256:…` of one byte stream."""

    text: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Exactly `algorithm:hex`; anything else is Malformed."""
        algorithm, colon, hexes = text.partition(":")
        length = _HEX.get(algorithm)
        if not colon or length is None:
            raise Malformed(f"digest {text!r}: expected sha256: or sha512: and hex", check="digest.malformed")
        if len(hexes) != length or not _DIGITS.issuperset(hexes):
            raise Malformed(
                f"digest {text!r}: expected {length} lower-case hex digits",
                check="digest.malformed",
            )
        return cls(text)

    @classmethod
    def of(cls, data: bytes) -> Self:
        """The sha256 digest of bytes in memory."""
        return cls("sha256:" + hashlib.sha256(data).hexdigest())

    def matches(self, data: bytes) -> bool:
        """Whether bytes in memory have this digest."""
        return hashlib.new(self.algorithm, data).hexdigest() == self.hex

    @property
    def algorithm(self) -> str:
        """`sha256` or `sha512`."""
        return self.text.partition(":")[0]

    @property
    def hex(self) -> str:
        """The hex digits alone."""
        return self.text.partition(":")[2]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Digest({self.text!r})"


@dataclass(frozen=True, slots=True, order=True)
class TreeHash:
    """`h1:…` over a tree."""

    text: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Exactly `h1:` and canonical padded base64 of 32 bytes."""
        if not text.startswith("h1:"):
            raise Malformed(
                f"tree hash {text!r}: expected h1:, got another algorithm", check="hash.malformed"
            )
        try:
            raw = base64.b64decode(text[3:].encode("ascii"), validate=True)
        except (UnicodeEncodeError, binascii.Error):
            raw = b""
        # a second rendering catches non-zero padding bits, which decoders let through
        if len(text) != _H1_LENGTH or base64.b64encode(raw).decode("ascii") != text[3:]:
            raise Malformed(f"tree hash {text!r}: expected base64 of 32 bytes", check="hash.malformed")
        return cls(text)

    @classmethod
    def from_lines(cls, lines: Iterable[tuple[bytes, bytes]]) -> Self:
        """From (name in UTF-8, SHA-256 of the content), already in the order of the names' bytes."""
        outer = hashlib.sha256()
        for name, digest in lines:
            outer.update(b"%b  %b\n" % (digest.hex().encode("ascii"), name))
        return cls.from_bytes(outer.digest())

    @classmethod
    def from_bytes(cls, raw: bytes) -> Self:
        """From the 32 bytes of the outer SHA-256."""
        if len(raw) != 32:
            raise Malformed(f"tree hash: expected 32 bytes, got {len(raw)}", check="hash.malformed")
        return cls("h1:" + base64.b64encode(raw).decode("ascii"))

    @property
    def hex(self) -> str:
        """The same 32 bytes in hex: what in-toto calls dirHash."""
        return base64.b64decode(self.text[3:]).hex()

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"TreeHash({self.text!r})"


# a NamedTuple, not a dataclass: one is made for every file, and is made in a third of the time
class Measure(NamedTuple):
    """What reading a stream to its end told: its size and its SHA-256."""

    size: int
    sha256: bytes

    @property
    def digest(self) -> Digest:
        """The same as a Digest."""
        return Digest("sha256:" + self.sha256.hex())


def measure(reader: Reader, *, most: int, chunk: int = CHUNK) -> Measure:
    """Read to the end, at most `most` + 1 bytes, in constant memory.

    Raises Exhausted when there is more than `most`.
    """
    state = hashlib.sha256()
    size = 0
    for block in _blocks(reader, most + 1, chunk):
        state.update(block)
        size += len(block)
        if size > most:
            raise Exhausted(f"stream is longer than {most} bytes", check="limit.size")
    return Measure(size, state.digest())


def _blocks(reader: Reader, most: int, chunk: int) -> Iterator[bytes | memoryview]:
    """At most `most` bytes. Into one buffer that stays in the processor's cache, where the reader knows how."""
    fill = getattr(reader, "readinto", None)
    if fill is None:
        while most and (block := reader.read(min(chunk, most))):
            most -= len(block)
            yield block
        return
    buffer = memoryview(bytearray(min(chunk, CACHED, most)))
    while most and (count := fill(buffer[: min(len(buffer), most)])):
        most -= count
        yield buffer[:count]
