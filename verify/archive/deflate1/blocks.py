"""One block of symbols, written stored, with the fixed codes or with codes of its own: whichever is shortest.

Symbols come as *tokens*, small numbers in stream order: 0 to 255 a literal byte, `LENGTH_TOKEN + n` a copy of
n bytes, followed at once by `DISTANCE_TOKEN + d`, how far back the copy begins.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from verify.archive.deflate1.huffman import lengths, patterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from verify.archive.deflate1.bits import BitSink

LENGTH_TOKEN = 254  # a copy of 3 bytes is token 257
DISTANCE_TOKEN = 512  # a distance of 1 is token 513
END = 256
MAX_CODE = 15

_STORED, _FIXED, _DYNAMIC = 0, 1, 2
_FIXED_LITERALS = [8] * 144 + [9] * 112 + [7] * 24 + [8] * 8
_FIXED_DISTANCES = [5] * 30
_HEADER_ORDER = (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15)  # RFC 1951 §3.2.7
_HEADER_EXTRA = {16: 2, 17: 3, 18: 7}
_HEADER_MAX = 7


def write_block(sink: BitSink, tokens: Sequence[int], stored: bytes | None, *, last: bool) -> None:
    """Write one block. `stored` holds the bytes it stands for, None where the format rules storing out."""
    block = _Block.of(tokens)
    own = _OwnCodes.of(block)
    fixed_bits = block.cost(_FIXED_LITERALS, _FIXED_DISTANCES)
    fixed, dynamic = (fixed_bits + 10) // 8, (own.bits(block) + 10) // 8  # three bits of head, rounded up
    if stored is not None and len(stored) + 4 <= min(fixed, dynamic):
        sink.number(_STORED << 1 | last, 3)
        sink.align()
        size = len(stored)
        sink.raw(size.to_bytes(2, "little") + (size ^ 0xFFFF).to_bytes(2, "little") + stored)
    elif fixed <= dynamic:
        sink.number(_FIXED << 1 | last, 3)
        sink.strings(block.strings(tokens, _FIXED_LITERALS, _FIXED_DISTANCES))
    else:
        sink.number(_DYNAMIC << 1 | last, 3)
        sink.strings(own.header())
        sink.strings(block.strings(tokens, own.literals, own.distances))
    if last:
        sink.align()


@cache
def _length_parts() -> tuple[tuple[int, int, int], ...]:
    """For each copy length: its symbol, how many extra bits follow, and their value (RFC 1951 §3.2.5)."""
    parts = [(0, 0, 0)] * 3
    for code in range(28):
        extra = max(0, code // 4 - 1)
        parts += [(257 + code, extra, value) for value in range(1 << extra)]
    return (*parts[:258], (285, 0, 0))  # 258 has a symbol of its own


def _distance_part(distance: int) -> tuple[int, int, int]:
    """The symbol of a distance, how many extra bits follow, and their value."""
    offset = distance - 1
    extra = max(0, offset.bit_length() - 2)
    if not extra:
        return offset, 0, 0
    return 2 * extra + (offset >> extra), extra, offset & ((1 << extra) - 1)


@dataclass(frozen=True, slots=True)
class _Block:
    """What occurs in a block, and how often."""

    tokens: Mapping[int, int]
    literals: Mapping[int, int]  # symbols 0 to 285, the end among them
    distances: Mapping[int, int]
    extra: int  # all extra bits together

    @classmethod
    def of(cls, tokens: Sequence[int]) -> _Block:
        counted = Counter(tokens)
        literals, distances = Counter({END: 1}), Counter[int]()
        extra = 0
        for token, count in counted.items():
            if token < END:
                literals[token] += count
            elif token <= DISTANCE_TOKEN:
                symbol, width, _ = _length_parts()[token - LENGTH_TOKEN]
                literals[symbol] += count
                extra += width * count
            else:
                symbol, width, _ = _distance_part(token - DISTANCE_TOKEN)
                distances[symbol] += count
                extra += width * count
        return cls(counted, literals, distances, extra)

    def cost(self, literals: Sequence[int], distances: Sequence[int]) -> int:
        """How many bits the symbols take under the given code lengths."""
        return (
            sum(count * literals[symbol] for symbol, count in self.literals.items())
            + sum(count * distances[symbol] for symbol, count in self.distances.items())
            + self.extra
        )

    def strings(
        self, tokens: Sequence[int], literals: Sequence[int], distances: Sequence[int]
    ) -> Iterator[str]:
        """The bits of every token and of the end."""
        letters, spans = patterns(literals), patterns(distances)
        bits = {}
        for token in self.tokens:
            if token < END:
                bits[token] = letters[token]
                continue
            if token <= DISTANCE_TOKEN:
                symbol, width, value = _length_parts()[token - LENGTH_TOKEN]
                code = letters[symbol]
            else:
                symbol, width, value = _distance_part(token - DISTANCE_TOKEN)
                code = spans[symbol]
            bits[token] = f"{value:0{width}b}{code}" if width else code
        yield from map(bits.__getitem__, tokens)
        yield letters[END]


@dataclass(frozen=True, slots=True)
class _OwnCodes:
    """Codes made for one block, and the header that tells them."""

    literals: Sequence[int]
    distances: Sequence[int]
    runs: Sequence[tuple[int, int]]  # header symbols, each with the value of its extra bits
    heads: Sequence[int]  # lengths of the codes of header symbols

    @classmethod
    def of(cls, block: _Block) -> _OwnCodes:
        literals = lengths(block.literals, size=286, most=MAX_CODE)
        distances = lengths(block.distances, size=30, most=MAX_CODE)
        runs = [*_runs(literals), *_runs(distances)]  # no run goes over from one to the other
        heads = lengths(Counter(symbol for symbol, _ in runs), size=19, most=_HEADER_MAX)
        heads += [0] * (19 - len(heads))
        return cls(literals, distances, runs, heads)

    @property
    def _told(self) -> int:
        """How many header code lengths are written: unused ones at the end of the order are not, at least four are."""
        told = 19
        while told > 4 and not self.heads[_HEADER_ORDER[told - 1]]:
            told -= 1
        return told

    def bits(self, block: _Block) -> int:
        """Bits of the block under these codes, the header's included."""
        header = 5 + 5 + 4 + 3 * self._told
        header += sum(self.heads[symbol] + _HEADER_EXTRA.get(symbol, 0) for symbol, _ in self.runs)
        return header + block.cost(self.literals, self.distances)

    def header(self) -> Iterator[str]:
        """The bits that tell the codes (RFC 1951 §3.2.7)."""
        yield f"{len(self.literals) - 257:05b}"
        yield f"{len(self.distances) - 1:05b}"
        yield f"{self._told - 4:04b}"
        for symbol in _HEADER_ORDER[: self._told]:
            yield f"{self.heads[symbol]:03b}"
        codes = patterns(self.heads)
        for symbol, value in self.runs:
            width = _HEADER_EXTRA.get(symbol, 0)
            yield f"{value:0{width}b}{codes[symbol]}" if width else codes[symbol]


def _runs(code_lengths: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Code lengths as header symbols: a length, 16 (the last one again), 17 or 18 (zeros), with extra values."""
    values = list(code_lengths)
    start = 0
    previous = -1
    while start < len(values):
        value = values[start]
        most = 138 if value == 0 else 6 if value == previous else 7  # 7: one told, six repeated
        count = 1
        while count < most and values[start + count : start + count + 1] == [value]:
            count += 1
        start += count
        repeated = count if value in (0, previous) else count - 1
        if repeated < 3:
            yield from [(value, 0)] * count
        elif value == 0:
            yield (17, count - 3) if count <= 10 else (18, count - 11)
        else:
            if value != previous:
                yield value, 0
            yield 16, repeated - 3
        previous = value
