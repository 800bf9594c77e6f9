"""Reading ahead changes nothing about what is read, and never leaves anybody waiting."""

from __future__ import annotations

import io
import threading

import pytest

from verify.digest import Digest
from verify.errors import Refuted
from verify.oci.ahead import DEPTH, ReadAhead
from verify.oci.blob import VerifyingReader

DATA = bytes(range(256)) * 8


@pytest.mark.parametrize("block", [7, 512, len(DATA), 2 * len(DATA)])
@pytest.mark.parametrize("size", [100, 512, 1 << 20, -1])
def test_the_same_bytes_in_order(block: int, size: int) -> None:
    ahead = ReadAhead(io.BytesIO(DATA), block=block)
    found = b"".join(iter(lambda: ahead.read(size), b""))
    ahead.close()
    assert found == DATA


def test_wrong_bytes_are_refused_before_the_last_of_them() -> None:
    checked = VerifyingReader(io.BytesIO(DATA), Digest.of(b"other"), size=len(DATA))
    ahead = ReadAhead(checked, block=1000)
    found: list[bytes] = []
    with pytest.raises(Refuted) as caught:
        found.extend(iter(lambda: ahead.read(1000), b""))
    assert caught.value.check == "oci.digest-mismatch"
    assert sum(map(len, found)) < len(DATA)
    with pytest.raises(Refuted):
        ahead.read(1)
    ahead.close()


class _Endless:
    def __init__(self) -> None:
        self.reads = 0
        self.closed = threading.Event()

    def read(self, size: int = -1, /) -> bytes:
        self.reads += 1
        return b"x" * size

    def close(self) -> None:
        self.closed.set()


def test_a_closed_one_stops_and_closes_its_source_and_has_read_little() -> None:
    source = _Endless()
    ahead = ReadAhead(source, block=10)
    assert ahead.read(10) == b"x" * 10
    ahead.close()
    assert source.closed.wait(5)
    assert source.reads <= 2 * DEPTH + 4
