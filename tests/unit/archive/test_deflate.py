"""The format's bytes, and the gate in front of the native encoder."""

from __future__ import annotations

import hashlib
import zlib
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.support.deflate_inputs import KINDS, mixture
from verify.archive import deflate
from verify.archive.deflate import NATIVE, PURE, Compressor, Encoder, reference_encoder
from verify.archive.deflate1 import matching
from verify.archive.deflate1.bits import BitSink
from verify.archive.deflate1.huffman import lengths, patterns
from verify.archive.deflate1.specimen import specimen
from verify.archive.deflate1.stream import PureCompressor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

needs_reference = pytest.mark.skipif(
    reference_encoder() is not NATIVE, reason="this Python's zlib is not the reference encoder"
)


def pack(encoder: Encoder, pieces: Iterable[bytes]) -> bytes:
    stream = encoder.compressor()
    return b"".join([stream.compress(piece) for piece in pieces]) + stream.flush()


def inflate(data: bytes) -> bytes:
    stream = zlib.decompressobj(-15)
    out = stream.decompress(data)
    assert stream.eof
    assert not stream.unused_data
    return out


@pytest.mark.parametrize(
    ("data", "packed"),
    [(b"", "0300"), (b"a", "4b0400"), (b"aa", "4b4c0400"), (b"aaa", "4b4c4c0400"), (b"a" * 9, "4b4c840200")],
)
def test_tiny_inputs_have_their_known_bytes(data: bytes, packed: str) -> None:
    assert pack(PURE, [data]).hex() == packed


def test_the_specimen_has_its_known_answer_in_pure_python() -> None:
    data = specimen()
    assert len(data) >= 512 << 10
    assert hashlib.sha256(data).hexdigest() == deflate._SPECIMEN
    assert hashlib.sha256(pack(PURE, [data])).hexdigest() == deflate._ANSWER


@pytest.mark.parametrize("kind", [*KINDS, mixture], ids=lambda kind: kind.__name__)
def test_what_is_packed_inflates_to_the_same(kind: Callable[[Random, int], bytes]) -> None:
    data = kind(Random(5), 30_000)
    assert inflate(pack(PURE, [data])) == data


@needs_reference
@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 257, 258, 259, 260, 261, 262, 263])
def test_the_end_of_the_input_is_handled_as_by_the_reference(size: int) -> None:
    for data in (b"ab" * size, bytes(size), b"abcde" + bytes(range(256)) + b"abcde" * (size // 5)):
        assert pack(PURE, [data[:size]]) == pack(NATIVE, [data[:size]])


@needs_reference
@pytest.mark.parametrize("symbols", [16_381, 16_382, 16_383, 16_384, 16_385, 32_765, 32_766, 32_767])
def test_a_block_ends_at_its_last_symbol(symbols: int) -> None:
    incompressible = Random(9).randbytes(symbols)
    five_bits = incompressible.translate(bytes(range(32)) * 8)
    for data in (incompressible, five_bits, five_bits + b"abcabcabc"):
        assert pack(PURE, [data]) == pack(NATIVE, [data])


@needs_reference
@pytest.mark.parametrize("mark", [3, 4, 20, 258])
@pytest.mark.parametrize("distance", [32_505, 32_506, 32_507, 32_768])
def test_a_copy_from_the_edge_of_the_window(distance: int, mark: int) -> None:
    gap = Random(distance).randbytes(distance - mark).translate(bytes(range(64)) * 4)
    data = (bytes(range(200, 200 + min(mark, 50))) * 6)[:mark] + gap
    data = b"." + data + data[:mark] + b"!"
    assert pack(PURE, [data]) == pack(NATIVE, [data])


@needs_reference
@pytest.mark.parametrize("found", [14, 15, 16, 17])
def test_a_long_copy_is_not_given_up_for_a_longer_one(found: int) -> None:
    same = bytes(range(100, 99 + found))
    data = b".x" + same + b"1" + same + b"zyw" + b"2x" + same + b"zyw"
    assert pack(PURE, [data]) == pack(NATIVE, [data])


@needs_reference
def test_of_two_equally_short_ways_the_fixed_codes_are_taken() -> None:
    random = Random(4)
    for size in range(1, 400):
        data = random.randbytes(size % 60 + 20).translate(bytes(range(97, 113)) * 16)
        assert pack(PURE, [data]) == pack(NATIVE, [data])


def at_the_step(total: int) -> bytes:
    """Its only copy comes from 32506 bytes back, at the position where the reference may move its window."""
    data = bytearray(Random(1).randbytes(70_000).translate(bytes(n % 28 for n in range(256))))
    data[32_768:32_772] = bytes((28, 29, 30, 31))
    data[65_274:65_294] = data[32_768:32_788]
    return bytes(data[:total])


@needs_reference
@pytest.mark.parametrize("total", [65_294, 65_535, 65_536, 70_000])
def test_a_copy_across_the_step_of_the_window_does_not_depend_on_the_cut(total: int) -> None:
    data = at_the_step(total)
    whole = zlib.compressobj(6, zlib.DEFLATED, -15, 8)
    expected = whole.compress(data) + whole.flush()
    for cut in (0, 65_274, 65_400, 65_535, 65_536):
        assert pack(NATIVE, [data[:cut], data[cut:]]) == expected, cut
    assert pack(PURE, [data[:65_535], data[65_535:]]) == expected


@needs_reference
def test_the_reference_itself_depends_on_a_cut_which_is_why_it_is_fed_in_steps() -> None:
    data = at_the_step(70_000)
    stream = deflate.native()
    cut = stream.compress(data[:65_535]) + stream.compress(data[65_535:]) + stream.flush()
    assert cut != pack(NATIVE, [data])
    assert inflate(cut) == data


def test_pieces_of_any_size_give_the_same_bytes() -> None:
    data = mixture(Random(11), 140_000)
    whole = pack(PURE, [data])
    for size in (1 << 12, 131_072):
        assert pack(PURE, [data[at : at + size] for at in range(0, len(data), size)]) == whole
    short = data[:5000]
    assert pack(PURE, [short[:1], b"", short[1:2], short[2:]]) == pack(PURE, [short])


def test_memory_does_not_grow_with_the_input() -> None:
    stream = PureCompressor()
    piece = bytes(1 << 16)
    for _ in range(8):
        stream.compress(piece)
        assert len(stream._data) <= 4 * matching.WINDOW + (1 << 17)
        assert len(stream._tokens) <= 2 << 14
    assert stream.flush()


class Dependent:
    """Right in one piece, wrong in several: it starts a new block where a piece ends."""

    def __init__(self) -> None:
        self.stream = deflate.native()
        self.calls = 0

    def compress(self, data: bytes, /) -> bytes:
        self.calls += 1
        out = self.stream.compress(data)
        return out + self.stream.flush(zlib.Z_SYNC_FLUSH) if self.calls > 1 else out  # type: ignore[call-arg]

    def flush(self) -> bytes:
        return self.stream.flush()


def made(level: int, method: int, bits: int, memory: int, strategy: int = 0) -> Callable[[], Compressor]:
    return lambda: zlib.compressobj(level, method, bits, memory, strategy)


WRONG: dict[str, Callable[[], Compressor]] = {
    "level 1": made(1, 8, -15, 8),
    "level 5": made(5, 8, -15, 8),
    "level 7": made(7, 8, -15, 8),
    "level 9": made(9, 8, -15, 8),
    "smaller blocks": made(6, 8, -15, 7),
    "larger blocks": made(6, 8, -15, 9),
    "half the window": made(6, 8, -14, 8),
    "filtered strategy": made(6, 8, -15, 8, zlib.Z_FILTERED),
    "no copies": made(6, 8, -15, 8, zlib.Z_HUFFMAN_ONLY),
    "runs only": made(6, 8, -15, 8, zlib.Z_RLE),
    "fixed codes": made(6, 8, -15, 8, zlib.Z_FIXED),
    "zlib header": made(6, 8, 15, 8),
    "gzip header": made(6, 8, 31, 8),
    "parameters refused": made(6, 8, -15, 99),
    "depends on pieces": Dependent,
}


@pytest.mark.parametrize("candidate", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_native_encoder_is_not_used(candidate: Callable[[], Compressor]) -> None:
    assert reference_encoder(candidate) is PURE


def test_zlib_ng_is_not_used() -> None:
    fork = pytest.importorskip("zlib_ng.zlib_ng", reason="needs the zlib-ng wheel (dev extra)")
    assert reference_encoder(lambda: fork.compressobj(6, fork.DEFLATED, -15, 8)) is PURE


@needs_reference
def test_the_dependent_encoder_is_right_in_one_piece() -> None:
    """Else the case above would be found for another reason."""
    stream, data = Dependent(), specimen()
    assert hashlib.sha256(stream.compress(data) + stream.flush()).hexdigest() == deflate._ANSWER


@needs_reference
def test_a_right_candidate_is_used_and_fed_in_steps() -> None:
    encoder = reference_encoder(lambda: zlib.compressobj(6, zlib.DEFLATED, -15))
    assert not encoder.slow
    data = at_the_step(70_000)
    assert pack(encoder, [data[:65_535], data[65_535:]]) == pack(PURE, [data])


def test_a_specimen_that_changed_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deflate, "specimen", lambda: b"something else")
    assert not deflate._answers(deflate.native)


def test_codes_that_grow_too_long_are_repaired() -> None:
    fibonacci = [1, 1]
    while len(fibonacci) < 20:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    found = lengths(dict(enumerate(fibonacci)), size=286, most=15)
    assert max(found) == 15
    assert sum(2.0**-length for length in found) == 1.0


def test_a_single_symbol_gets_a_companion() -> None:
    assert lengths({5: 3}, size=30, most=15) == [1, 0, 0, 0, 0, 1]
    assert lengths({}, size=30, most=15) == [1, 1]
    assert lengths({1: 9}, size=30, most=15) == [0, 1, 1]


def test_codes_are_written_from_their_last_bit() -> None:
    assert patterns([3, 3, 3, 3, 3, 2, 4, 4])[6:] == ["0111", "1111"]  # RFC 1951's own example


def test_bits_fill_bytes_from_the_lowest() -> None:
    sink = BitSink()
    sink.number(0b101, 3)
    sink.strings(["0", "11"])
    assert sink.take() == b""
    sink.align()
    sink.raw(b"z")
    assert sink.take() == bytes([0b110101]) + b"z"
