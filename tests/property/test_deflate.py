"""Our own encoder gives the reference's bytes, whatever the input and however it is cut."""

from __future__ import annotations

import zlib
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.deflate_inputs import EDGES, KINDS, mixture
from verify.archive.deflate import NATIVE, PURE, Encoder, reference_encoder

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(
    reference_encoder() is not NATIVE, reason="this Python's zlib is not the reference encoder"
)

SETTINGS = settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from([*KINDS, mixture])


def reference(data: bytes) -> bytes:
    stream = zlib.compressobj(6, zlib.DEFLATED, -15, 8)
    return stream.compress(data) + stream.flush()


def packed(encoder: Encoder, data: bytes, cuts: list[int]) -> bytes:
    stream = encoder.compressor()
    places = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    pieces = [stream.compress(data[a:b]) for a, b in pairwise(places)]
    return b"".join(pieces) + stream.flush()


@settings(SETTINGS, max_examples=60)
@given(data=st.binary(max_size=600) | st.text("ab", max_size=600).map(str.encode))
def test_small_inputs(data: bytes) -> None:
    assert packed(PURE, data, []) == reference(data)


@settings(SETTINGS, max_examples=25)
@given(kind=kinds, seed=seeds, size=st.integers(0, 60_000), cuts=st.lists(st.integers(0, 70_000), max_size=4))
def test_structured_inputs(
    kind: Callable[[Random, int], bytes], seed: int, size: int, cuts: list[int]
) -> None:
    data = kind(Random(seed), size)
    expected = reference(data)
    assert packed(PURE, data, cuts) == expected
    assert packed(NATIVE, data, cuts) == expected


@settings(SETTINGS, max_examples=12)
@given(distance=st.sampled_from(EDGES), length=st.integers(3, 300), seed=seeds, wide=st.booleans())
def test_copies_from_the_edges_of_the_window(distance: int, length: int, seed: int, wide: bool) -> None:
    random = Random(seed)
    mark = random.randbytes(length)
    gap = random.randbytes(max(0, distance - length))
    data = random.randbytes(seed % 50) + mark + (gap if wide else gap.translate(bytes(range(16)) * 16)) + mark
    assert packed(PURE, data, []) == reference(data)


@pytest.mark.slow
@pytest.mark.parametrize("turn", range(15))
@pytest.mark.parametrize("kind", [*KINDS, mixture], ids=lambda kind: kind.__name__)
def test_thirty_megabytes(kind: Callable[[Random, int], bytes], turn: int) -> None:
    random = Random(f"{kind.__name__} {turn}")
    data = kind(random, random.choice((65_535, 65_536, 98_304, 230_000, 400_000, 500_000)))
    expected = reference(data)
    assert packed(PURE, data, []) == expected
    assert packed(NATIVE, data, random.sample(range(len(data)), 5)) == expected
