"""Which earlier positions a position may be copied from.

Positions are chained by a 15-bit hash of their three bytes, newest first; a search looks at a limited number of
links and no farther back than `REACH`. Chains hold strangers, too, whose three bytes merely share a hash, and
strangers use up links: so the hash is part of the format, though a stranger is never copied from.

Walking such chains is what an encoder spends its time on. Here every position instead knows its *rank*, how
many positions of the same hash came before it. The links a search may follow are then those whose rank lies
within its allowance, and copies longer than three bytes are looked for along sparser chains without strangers,
which join positions that agree in four bytes.
"""

from __future__ import annotations

from array import array

SHORTEST = 3
LONGEST = 258
WINDOW = 1 << 15
LOOKAHEAD = LONGEST + SHORTEST + 1  # how much must be known before a position is judged
REACH = WINDOW - LOOKAHEAD  # the farthest distance of a copy
NOWHERE = -1 << 20  # farther back than any reach


class Index:
    """Chains and ranks of one stretch of bytes, from position `first` on."""

    __slots__ = ("near3", "near4", "rank")

    def __init__(self, data: bytes, first: int) -> None:
        self.near3 = [
            NOWHERE
        ] * first  # the last position before this one whose three bytes have the same hash
        self.rank = [0] * first
        self.near4 = [NOWHERE] * first  # the last one that agrees in four bytes
        self._chain_threes(data, first)
        self._chain_fours(data, first)
        for column, blank in ((self.near3, NOWHERE), (self.rank, 0), (self.near4, NOWHERE)):
            column.extend([blank] * (len(data) - len(column)))  # too few bytes behind the last positions

    def _chain_threes(self, data: bytes, first: int) -> None:
        newest = [NOWHERE] * WINDOW
        counts = [0] * WINDOW
        link, grade = self.near3.append, self.rank.append
        value = 0
        for byte in data[first : first + 2]:
            value = value << 5 ^ byte
        for position, byte in enumerate(data[first + 2 :], first):
            value = (value << 5 ^ byte) & 0x7FFF
            link(newest[value])
            newest[value] = position
            count = counts[value]
            grade(count)
            counts[value] = count + 1

    def _chain_fours(self, data: bytes, first: int) -> None:
        newest: dict[int, int] = {}
        find, link = newest.get, self.near4.append
        for position, four in enumerate(_fours(data, first), first):
            link(find(four, NOWHERE))
            newest[four] = position


def _fours(data: bytes, first: int) -> array[int]:
    """The four bytes at every position from `first` on, as one number each (which one is no matter)."""
    count = max(0, len(data) - first - 3)
    fours = array("I", bytes(4 * count))
    for lane in range(min(4, count)):
        whole = (len(data) - first - lane) // 4 * 4
        fours[lane::4] = array("I", data[first + lane : first + lane + whole])
    return fours


def common(data: bytes, here: int, there: int, most: int) -> int:
    """How many bytes agree from both positions on, at most `most`; the first four are known to."""
    known = 4
    while (
        known + 16 <= most
        and data[here + known : here + known + 16] == data[there + known : there + known + 16]
    ):
        known += 16
    while known < most and data[here + known] == data[there + known]:
        known += 1
    return known
