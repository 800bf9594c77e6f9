"""Inputs that reach every corner of a deflate encoder, made from a seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

REACH = 32_506  # the farthest copy
EDGES = (*range(32_500, 32_512), *range(32_760, 32_770))  # distances around it and around the window's size


def noise(random: Random, size: int) -> bytes:
    return random.randbytes(size)


def letters(random: Random, size: int) -> bytes:
    count = random.choice((1, 2, 3, 4, 8, 16, 32, 64, 100, 128))
    alphabet = random.randbytes(count)
    return random.randbytes(size).translate((alphabet * 256)[:256])


def prose(random: Random, size: int) -> bytes:
    """Words, some much more common than others, with their mistakes."""
    words = [
        random.randbytes(random.randint(1, 9)).translate(bytes(97 + n % 26 for n in range(256)))
        for _ in range(300)
    ]
    weights = [1 / (n + 1) for n in range(300)]
    return b" ".join(random.choices(words, weights, k=size // 5 + 1))[:size]


def runs(random: Random, size: int) -> bytes:
    out = bytearray()
    while len(out) < size:
        out += random.randbytes(random.choice((1, 1, 2, 3, 5))) * random.choice(
            (1, 2, 3, 4, 86, 257, 258, 259, 300, 1000)
        )
    return bytes(out[:size])


def echoes(random: Random, size: int) -> bytes:
    """Copies of known length from known distances, the edges of the window among them."""
    out = bytearray(noise(random, 300))
    while len(out) < size:
        distance = random.choice((*EDGES, 1, 2, 3, 4, 4095, 4096, 4097, random.randint(1, 32_768)))
        length = random.choice((3, 3, 3, 4, 7, 8, 15, 16, 17, 127, 128, 129, 257, 258, 259))
        if distance <= len(out):
            for _ in range(length):
                out.append(out[-distance])
        out += letters(random, random.choice((0, 1, 2, 5, 50, 500, 5000)))
    return bytes(out[:size])


def collisions(random: Random, size: int) -> bytes:
    """Different three-byte strings with the same 15-bit hash, which use up the links of a search."""
    base = random.randbytes(3)
    strangers = [bytes(((base[0] + 32 * n) & 255, base[1], base[2])) for n in range(8)]
    pool = [
        *strangers,
        *(string + random.randbytes(random.randint(1, 12)) for string in strangers for _ in range(6)),
    ]
    return b"".join(random.choices(pool, k=size // 3 + 1))[:size]


def window_step(random: Random, size: int) -> bytes:
    """A copy from the farthest distance exactly where the window moves on."""
    out = bytearray(random.randbytes(max(size, 66_000)).translate(bytes(range(8)) * 32))
    here = 65_274 + random.choice((-1, 0, 0, 0, 1))
    mark = bytes(range(8, 8 + random.choice((3, 4, 20, 200))))
    for place in (here - REACH, here):
        out[place : place + len(mark)] = mark
    return bytes(out[: max(size, here + len(mark) + random.randint(0, 300))])


def skewed(random: Random, size: int) -> bytes:
    """Frequencies like Fibonacci's numbers: codes longer than the format allows, which must be repaired."""
    weights, pair = [], (1, 1)
    for _ in range(random.randint(18, 26)):
        weights.append(pair[0])
        pair = (pair[1], sum(pair))
    symbols = random.sample(range(256), len(weights))
    parts = [bytes((symbol,)) * weight for symbol, weight in zip(symbols, weights, strict=True)]
    pool = bytearray(b"".join(parts)[-16_000:] if random.random() < 0.3 else b"".join(parts)[:16_000])
    random.shuffle(pool)
    return (bytes(pool) * (size // max(1, len(pool)) + 1))[:size]


KINDS: tuple[Callable[[Random, int], bytes], ...] = (
    noise, letters, prose, runs, echoes, collisions, window_step, skewed,
)  # fmt: skip


def mixture(random: Random, size: int) -> bytes:
    """Parts of every kind, one after another; some a whole block long, some a few bytes."""
    out = bytearray()
    while len(out) < size:
        kind = random.choice(KINDS)
        part = kind(random, random.choice((1, 10, 300, 5000, 16_382, 16_383, 16_384, 40_000)))
        out += part[: random.randint(0, len(part))] if random.random() < 0.5 else part
    return bytes(out[:size])
