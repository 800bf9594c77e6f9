"""The verifying reader: nothing complete comes out unchecked."""

from __future__ import annotations

import hashlib
import io

import pytest

from verify.digest import Digest
from verify.errors import Exhausted, ModsealError, Refuted
from verify.oci.blob import VerifyingReader

DATA = bytes(range(256)) * 10


class Drip:
    """One byte at a time, however much is asked for, and never more than a bound."""

    def __init__(self, data: bytes) -> None:
        self.rest = io.BytesIO(data)

    def read(self, size: int = -1, /) -> bytes:
        assert size != 0
        return self.rest.read(1)


class Endless:
    given = 0

    def read(self, size: int = -1, /) -> bytes:
        assert size > 0
        self.given += size
        return b"x" * size


@pytest.mark.parametrize("step", [1, 7, 100, len(DATA), len(DATA) + 1, -1])
@pytest.mark.parametrize("size", [None, len(DATA)])
def test_right_bytes(step: int, size: int | None) -> None:
    reader = VerifyingReader(io.BytesIO(DATA), Digest.of(DATA), size=size)
    found = b"".join(iter(lambda: reader.read(step), b""))
    assert found == DATA
    assert reader.verified


@pytest.mark.parametrize("position", [0, 1000, len(DATA) - 1])
def test_the_last_bytes_of_wrong_content_never_come_out(position: int) -> None:
    wrong = bytearray(DATA)
    wrong[position] ^= 1
    reader = VerifyingReader(io.BytesIO(bytes(wrong)), Digest.of(DATA), size=len(DATA))
    assert len(reader.read(len(DATA) - 1)) == len(DATA) - 1
    assert not reader.verified
    with pytest.raises(Refuted) as caught:
        reader.read(1)
    assert caught.value.check == "oci.digest-mismatch"


def test_without_a_size_the_end_is_where_it_is_checked() -> None:
    reader = VerifyingReader(io.BytesIO(b"wrong"), Digest.of(b"right"))
    assert reader.read(5) == b"wrong"
    assert not reader.verified
    with pytest.raises(Refuted):
        reader.read(1)


def test_a_failure_stays_a_failure() -> None:
    reader = VerifyingReader(io.BytesIO(b"wrong"), Digest.of(b"right"), size=5)
    for _ in range(3):
        with pytest.raises(Refuted):
            reader.read()
    assert not reader.verified


def test_one_byte_too_many_is_not_forgiven_when_asked_again() -> None:
    reader = VerifyingReader(io.BytesIO(DATA + b"x"), Digest.of(DATA), size=len(DATA))
    for _ in range(2):
        with pytest.raises(Refuted) as caught:
            reader.read()
        assert caught.value.check == "oci.size-mismatch"
    assert not reader.verified


@pytest.mark.parametrize(
    ("data", "size", "check"),
    [
        (DATA[:-1], len(DATA), "oci.size-mismatch"),
        (DATA + b"x", len(DATA), "oci.size-mismatch"),
        (b"", 1, "oci.size-mismatch"),
    ],
)
def test_another_size(data: bytes, size: int, check: str) -> None:
    with pytest.raises(Refuted) as caught:
        VerifyingReader(Drip(data), Digest.of(DATA), size=size).read()
    assert caught.value.check == check


def test_endless_bytes_end_at_the_size() -> None:
    source = Endless()
    with pytest.raises(ModsealError):
        VerifyingReader(source, Digest.of(DATA), size=1000).read()
    assert source.given == 1001


def test_endless_bytes_end_at_the_limit() -> None:
    source = Endless()
    with pytest.raises(Exhausted) as caught:
        VerifyingReader(source, Digest.of(DATA), most=5000).read()
    assert caught.value.check == "oci.too-large"
    assert source.given == 5001


def test_a_size_beyond_the_limit_is_not_begun() -> None:
    source = Endless()
    with pytest.raises(Exhausted):
        VerifyingReader(source, Digest.of(DATA), size=5001, most=5000)
    assert source.given == 0


def test_sha512() -> None:
    digest = Digest.parse("sha512:" + hashlib.sha512(DATA).hexdigest())
    assert VerifyingReader(io.BytesIO(DATA), digest).read() == DATA
    with pytest.raises(Refuted):
        VerifyingReader(io.BytesIO(DATA[1:]), digest).read()


def test_closing_closes_once() -> None:
    closed = []
    with VerifyingReader(io.BytesIO(b""), Digest.of(b""), close=lambda: closed.append(1)) as reader:
        reader.close()
    assert closed == [1]
