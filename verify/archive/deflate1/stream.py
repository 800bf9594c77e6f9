"""One walk over the input: literals, copies, and where blocks end.

The walk is one step *lazy*: a copy found at one position is written only if the next position finds no longer
one; otherwise the byte between becomes a literal. Numbers in this file are the format's (`docs/formats/`).

What comes out does not depend on the pieces the input comes in: a position is judged only when 262 bytes from
it on are known, or the end is.

>>> import zlib
>>> encoder = PureCompressor()
>>> packed = encoder.compress(b"row, row, ") + encoder.compress(b"row your boat") + encoder.flush()
>>> zlib.decompress(packed, -15)
b'row, row, row your boat'
"""

from __future__ import annotations

from verify.archive.deflate1.bits import BitSink
from verify.archive.deflate1.blocks import DISTANCE_TOKEN, LENGTH_TOKEN, write_block
from verify.archive.deflate1.matching import LONGEST, LOOKAHEAD, REACH, SHORTEST, WINDOW, Index, common

_SEGMENT = 1 << 17  # bytes walked at a time: larger is faster and needs more memory
_BLOCK_SYMBOLS = (1 << 14) - 1
_GOOD = 8  # from here on a longer copy is searched for less hard,
_LAZY = 16  # and from here on not at all
_NICE = 128  # a search ends with the first copy this long
_LINKS = 128
_FEW_LINKS = 32
_FAR = 4096  # a copy of three bytes from farther back is not worth its bits


class PureCompressor:
    """The encoder in pure Python. Memory: a few segments and one block's symbols, whatever the input."""

    __slots__ = (
        "_at", "_block", "_data", "_found", "_length", "_offset", "_pending", "_pieces",
        "_position", "_sink", "_symbols", "_tokens",
    )  # fmt: skip

    def __init__(self) -> None:
        self._sink = BitSink()
        self._pieces: list[bytes] = []  # given, not yet looked at
        self._pending = 0
        self._data = b""
        self._offset = 0  # of _data in the input; positions below are within _data
        self._position = 0
        self._block = 0  # where the block begins
        self._tokens: list[int] = []
        self._symbols = 0
        self._length = SHORTEST - 1  # of the copy found one position back
        self._found = 0  # where that copy comes from
        self._at = False  # whether the byte one position back waits to be a literal

    def compress(self, data: bytes) -> bytes:
        """Take more input, give what output there is."""
        view = memoryview(data)
        for start in range(0, len(view), _SEGMENT):
            piece = bytes(view[start : start + _SEGMENT])
            self._pieces.append(piece)
            self._pending += len(piece)
            if self._pending >= _SEGMENT:
                self._advance(last=False)
        return self._sink.take()

    def flush(self) -> bytes:
        """End the stream."""
        self._advance(last=True)
        return self._sink.take()

    def _advance(self, *, last: bool) -> None:
        """Look at all that was given; the last 261 bytes only if nothing more comes."""
        keep = max(0, self._position - WINDOW)  # what can still be copied from,
        raw = max(0, min(keep, max(self._block, self._position - 2 * WINDOW)))  # or stored
        self._data = b"".join((self._data[raw:], *self._pieces))
        self._pieces.clear()
        self._pending = 0
        self._offset += raw
        self._position -= raw
        self._block -= raw
        self._found -= raw
        # the very first byte of the input cannot be copied from, so it is not indexed
        self._walk(Index(self._data, max(keep - raw, 1 - self._offset, 0)), last=last)

    def _base(self, position: int) -> int:
        """Where the encoder's window of two times 32 KiB begins when it judges `position`.

        It moves on by 32 KiB as soon as fewer than 262 of its bytes are left to judge and 65274 lie behind.
        At the end of the input, bytes may run short one position earlier.
        """
        short = len(self._data) - position < LOOKAHEAD
        return max(0, (self._offset + position - REACH - 1 + short) // WINDOW * WINDOW) - self._offset

    def _end_block(self, judged: int, end: int, *, last: bool) -> None:
        """Write the block that ends before `end`, as seen from the position just judged."""
        stored = self._data[self._block : end] if self._block >= self._base(judged) else None
        write_block(self._sink, self._tokens, stored, last=last)
        self._tokens.clear()
        self._symbols = 0
        self._block = end

    def _walk(self, index: Index, *, last: bool) -> None:  # noqa: C901, PLR0912, PLR0915 - the hot loop: calls and attributes would halve its speed
        data, rank, near3, near4 = self._data, index.rank, index.near3, index.near4
        size = len(data)
        stop = size if last else size - LOOKAHEAD + 1
        here, length, found, waiting = self._position, self._length, self._found, self._at
        symbols, tokens = self._symbols, self._tokens
        put = tokens.append
        most, nice = LONGEST, _NICE

        while here < stop:
            before, source, length = length, found, SHORTEST - 1
            if size - here < LONGEST:  # only near the end of the input
                most = size - here
                nice = min(nice, most)

            # 1. search, unless the copy found one position back is long enough
            there = near3[here]
            least = here - REACH + 1
            if there == least - 1 and there > self._base(here):
                least = there  # the first link of a chain, and only that, may lie one byte farther back
            if there >= least and before < _LAZY and before < most:
                lowest = rank[here] - (_LINKS if before < _GOOD else _FEW_LINKS)
                best = max(before, SHORTEST)
                link = near4[here]
                if best < most:
                    wanted = data[here + best]
                    while link >= least and rank[link] >= lowest:
                        if data[link + best] == wanted:
                            agree = common(data, here, link, most)
                            if agree > best:
                                best = agree
                                found = link
                                if best >= nice:
                                    break
                                wanted = data[here + best]
                        link = near4[link]
                if best > SHORTEST:
                    if best > before:
                        length = best
                elif before < SHORTEST:  # no four bytes agree anywhere; the nearest three may do
                    least = max(least, here - _FAR)
                    three = data[here : here + SHORTEST]
                    while there >= least and rank[there] >= lowest:
                        if data[there : there + SHORTEST] == three:
                            found = there
                            length = SHORTEST
                            break
                        there = near3[there]

            # 2. decide about the position before
            if before >= SHORTEST and length <= before:
                put(LENGTH_TOKEN + before)
                put(DISTANCE_TOKEN + here - 1 - source)
                symbols += 1
                judged = here
                here += before - 1
                length = SHORTEST - 1
                waiting = False
                if symbols == _BLOCK_SYMBOLS:
                    self._end_block(judged, here, last=False)
                    symbols = 0
                continue
            if waiting:
                put(data[here - 1])
                symbols += 1
                if symbols == _BLOCK_SYMBOLS:
                    self._end_block(here, here, last=False)
                    symbols = 0
            waiting = True
            here += 1

        self._position, self._length, self._found, self._at, self._symbols = (
            here,
            length,
            found,
            waiting,
            symbols,
        )
        if last:
            if waiting:
                put(data[here - 1])
            self._end_block(here, here, last=True)
