"""`deflate/1`: the compressed bytes of a file, the same on every machine (`docs/formats/deflate-1.md`).

The format is the output of the reference zlib, 1.2.11 to 1.3.1, for raw deflate at level 6 with default
settings, given the whole input in one piece. Two encoders make it:

- the zlib this Python was built with, if it is the reference one. Many are not: forks and hardware give other
  bytes, and differ among each other by version and processor. So it has to answer a test first;
- our own in pure Python, some fifty times slower, where the test is failed.

Nobody needs to choose: `reference_encoder()` runs the test at its first call and remembers the outcome.

>>> encoder = reference_encoder()
>>> compressor = encoder.compressor()
>>> (compressor.compress(b"a" * 9) + compressor.flush()).hex()
'4b4c840200'
"""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate, cycle, pairwise, takewhile
from typing import TYPE_CHECKING, Protocol

from verify.archive.deflate1.specimen import specimen
from verify.archive.deflate1.stream import PureCompressor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["NATIVE", "PURE", "Compressor", "Encoder", "native", "reference_encoder"]

WINDOW = 1 << 15

# SHA-256 of the specimen, and of what the format makes of it; `bench/deflate_agreement.py --answers` prints both
_SPECIMEN = "42e0d8a1406e042def7e9dfc4dab0e64315c2ae2da579c989038c14a412be7dd"
_ANSWER = "6c0cd30f3d61cc345691f16bd413a9a2c32d52df164393f220cdf4211de8e60e"

# How the specimen is cut for the test. No cut lies within the last 262 bytes of a 64 KiB window, where the
# reference encoder itself depends on the cut (see `_Aligned`).
_CUTS: tuple[tuple[int, ...], ...] = ((1 << 30,), (8192,), (1, 4099, 61, 7, 977, 20_011, 3))


class Compressor(Protocol):
    """A stream being compressed: what `zlib.compressobj` gives."""

    def compress(self, data: bytes, /) -> bytes:
        """Take more input, give what output there is."""

    def flush(self) -> bytes:
        """End the stream and give the rest."""


@dataclass(frozen=True, slots=True)
class Encoder:
    """A maker of `deflate/1` streams."""

    name: str
    slow: bool
    """Whether it is worth showing progress for a few megabytes."""
    make: Callable[[], Compressor] = field(repr=False)

    def compressor(self) -> Compressor:
        """A new stream."""
        return self.make()


def native() -> Compressor:
    """A stream of the zlib this Python was built with, whatever it is."""
    return zlib.compressobj(6, zlib.DEFLATED, -15, 8)


@cache
def reference_encoder(candidate: Callable[[], Compressor] = native) -> Encoder:
    """The fastest encoder at hand that is known to make the format's bytes."""
    if not _answers(candidate):
        return PURE
    if candidate is native:
        return NATIVE
    return Encoder("candidate", slow=False, make=lambda: _Aligned(candidate()))


def _answers(candidate: Callable[[], Compressor]) -> bool:
    """The known-answer test: the same, right bytes however the input is cut."""
    data = specimen()
    if hashlib.sha256(data).hexdigest() != _SPECIMEN:  # then nothing is known about the answer either
        return False
    return all(_digest(candidate, _cut(data, sizes)) == _ANSWER for sizes in _CUTS)


def _cut(data: bytes, sizes: tuple[int, ...]) -> Iterator[bytes]:
    """The data in pieces of the given sizes, over and over."""
    places = takewhile(lambda place: place < len(data), accumulate(cycle(sizes), initial=0))
    for start, end in pairwise((*places, len(data))):
        yield data[start:end]


def _digest(candidate: Callable[[], Compressor], pieces: Iterator[bytes]) -> str | None:
    try:
        stream = candidate()
        state = hashlib.sha256()
        for piece in pieces:
            state.update(stream.compress(piece))
        state.update(stream.flush())
    except (zlib.error, ValueError):  # it cannot even be set up this way
        return None
    return state.hexdigest()


class _Aligned:
    """Feeds the reference encoder at multiples of 32 KiB only.

    It is said not to depend on how its input is cut, and nearly does not. But it moves its 64 KiB window on as
    soon as fewer than 262 unread bytes are left in it. A cut within those last bytes makes that happen one
    position early, and a copy from exactly 32506 bytes back is then missed. Cuts at the window's own steps
    leave it as if there were none.
    """

    __slots__ = ("_held", "_stream")

    def __init__(self, stream: Compressor) -> None:
        self._stream = stream
        self._held = bytearray()

    def compress(self, data: bytes, /) -> bytes:
        """Take more input, give what output there is."""
        if not self._held:  # nothing to join: the bulk of a file goes in as it is
            whole = len(data) // WINDOW * WINDOW
            self._held += data[whole:]
            return self._stream.compress(data[:whole]) if whole else b""
        out = []
        for start in range(0, len(data), 32 * WINDOW):
            self._held += data[start : start + 32 * WINDOW]
            whole = len(self._held) // WINDOW * WINDOW
            out.append(self._stream.compress(bytes(self._held[:whole])))
            del self._held[:whole]
        return b"".join(out)

    def flush(self) -> bytes:
        """End the stream and give the rest."""
        rest = self._stream.compress(bytes(self._held))
        self._held.clear()
        return rest + self._stream.flush()


PURE = Encoder("pure", slow=True, make=PureCompressor)
NATIVE = Encoder("native", slow=False, make=lambda: _Aligned(native()))
