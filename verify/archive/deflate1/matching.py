"""Which earlier positions a position may be copied from.

Positions are chained by a 15-bit hash of their three bytes, newest first; a search looks at a limited number of
links and no farther back than `REACH`. Chains hold strangers, too, whose three bytes merely share a hash, and
strangers use up links: so the hash is part of the format, though a stranger is never copied from.

Walking such chains is what an encoder spends its time on. Here every position instead knows its *rank*, how
many positions of the same hash came before it, and the nearest earlier positions that agree with it in three
and in four bytes. Then the links a search may follow are those whose rank lies within its allowance, and only
positions that agree are ever looked at.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SHORTEST = 3
LONGEST = 258
WINDOW = 1 << 15
LOOKAHEAD = LONGEST + SHORTEST + 1  # how much must be known before a position is judged
REACH = WINDOW - LOOKAHEAD  # the farthest distance of a copy
NOWHERE = -1 << 20  # farther back than any reach


class Index:
    """Ranks and nearest agreeing positions of one stretch of bytes, from position `first` on."""

    __slots__ = ("near3", "near4", "rank")

    def __init__(self, data: bytes, first: int) -> None:
        hashed = max(first, len(data) - SHORTEST + 1)
        self.rank = [0] * first + _ranks(data, first, hashed)
        self.near3 = [NOWHERE] * first
        self.near4 = [NOWHERE] * first
        words = _words(data, first)
        self.near4 += _nearest(words[: max(0, hashed - 1 - first)], first)
        self.near3 += _nearest([word & 0xFFFFFF for word in words[: hashed - first]], first)
        for column, blank in ((self.rank, 0), (self.near3, NOWHERE), (self.near4, NOWHERE)):
            column += [blank] * (len(data) - len(column))


def _ranks(data: bytes, first: int, stop: int) -> list[int]:
    """How many earlier positions share the hash of each position."""
    seen = [0] * WINDOW
    ranks = []
    keep = ranks.append
    value = 0
    for byte in data[first : first + SHORTEST - 1]:
        value = (value << 5 ^ byte) & 0x7FFF
    for byte in data[first + SHORTEST - 1 : stop + SHORTEST - 1]:
        value = (value << 5 ^ byte) & 0x7FFF
        rank = seen[value]
        keep(rank)
        seen[value] = rank + 1
    return ranks


def _words(data: bytes, first: int) -> array[int]:
    """The four bytes at every position as one number; zeros stand behind the end."""
    padded = data[first:] + bytes(8)
    words = array("I", bytes(4 * (len(data) - first + 4)))
    for offset in range(4):
        lane = padded[offset : offset + (len(padded) - offset) // 4 * 4]
        column = array("I", lane)
        room = len(range(offset, len(words), 4))
        words[offset::4] = column[:room]
    return words[: len(data) - first]


def _nearest(keys: Iterable[int], first: int) -> list[int]:
    """For each key, where the same key last stood."""
    last: dict[int, int] = {}
    find = last.get
    result = []
    keep = result.append
    for position, key in enumerate(keys, first):
        keep(find(key, NOWHERE))
        last[key] = position
    return result


def common(data: bytes, here: int, there: int, known: int, most: int) -> int:
    """How many bytes agree from both positions on, at most `most`, given that `known` do."""
    while known + 16 <= most and data[here + known : here + known + 16] == data[there + known : there + known + 16]:
        known += 16
    while known < most and data[here + known] == data[there + known]:
        known += 1
    return known
