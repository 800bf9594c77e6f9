"""Half a megabyte of input that tells deflate encoders apart, made anew each time from a hash function.

Encoders that are not the same differ in how they search (depth, laziness, how far back), in where blocks end
and in how codes are chosen. Each part below is there for one of these. Its bytes must never change: the
digests of what the encoder makes of them stand in `verify.archive.deflate`.
"""

from __future__ import annotations

import hashlib
from itertools import pairwise

_SYLLABLES = (
    b"ka",
    b"mo",
    b"li",
    b"tern",
    b"po",
    b"ra",
    b"si",
    b"du",
    b"ven",
    b"o",
    b"ban",
    b"qui",
    b"ex",
    b"ul",
    b"ty",
    b"gra",
)


def specimen() -> bytes:
    """The input of the known-answer test."""
    return b"".join(
        (
            _prose(110_000),
            _noise("stored", 40_000),
            _letters("few letters", 30_000, b"ACGT"),
            _runs(),
            _window_edges(),
            _records(4_000),
            _letters("two letters", 10_000, b"01"),
            _prose(20_000)[::-1],
        )
    )


def _noise(seed: str, size: int) -> bytes:
    return hashlib.shake_256(b"deflate/1 " + seed.encode()).digest(size)


def _letters(seed: str, size: int, alphabet: bytes) -> bytes:
    """Few different letters: long chains of candidates, where the limits of the search decide."""
    return _noise(seed, size).translate((alphabet * 256)[:256])


def _prose(size: int) -> bytes:
    """Words of uneven frequency, in lines: most of what is ever packed."""
    words = [_SYLLABLES[n % 16] + _SYLLABLES[n // 16] + (b"\n" if n % 11 == 10 else b" ") for n in range(256)]
    common = [words[n * n // 256] for n in range(256)]  # small numbers more often
    return b"".join(map(common.__getitem__, _noise("prose", size // 4)))[:size]


def _runs() -> bytes:
    """Runs shorter and longer than the longest copy, some of them interrupted."""
    noise = _noise("runs", 500)
    return b"".join(bytes((value,)) * (1 + length * 3) for value, length in pairwise(noise))


def _window_edges() -> bytes:
    """Repetitions from as far back as a copy may reach, and from one byte farther."""
    parts = []
    for distance in (32_505, 32_506, 32_507, 32_768):
        mark = _noise(f"mark {distance}", 40)
        parts += [mark, _letters(f"gap {distance}", distance - 40, bytes(range(64))), mark]
    return b"".join(parts)


def _records(count: int) -> bytes:
    """Numbered records of fixed size, as binary files hold them."""
    noise = _noise("records", count)
    return b"".join(b"\0\1%c\0%c%c\xff\xff" % (n & 255, n >> 8, noise[n] & 15) for n in range(count))
