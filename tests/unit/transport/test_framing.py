"""Where an answer ends, without a connection."""

from __future__ import annotations

import io

import pytest

from verify.errors import Unavailable
from verify.transport.framing import FramedBody, body_length
from verify.transport.message import Headers

CHUNKED = ("Transfer-Encoding", "chunked")


def length(value: str) -> tuple[str, str]:
    return ("Content-Length", value)


@pytest.mark.parametrize(
    ("method", "status", "headers", "framed", "expected"),
    [
        ("GET", 200, [length("12")], True, 12),
        ("GET", 200, [length("12"), length("12")], True, 12),
        ("GET", 200, [length("12, 12")], True, 12),
        ("GET", 200, [CHUNKED], True, None),
        ("GET", 200, [("Content-Encoding", "identity"), length("0")], True, 0),
        ("GET", 200, [], False, None),
        ("HEAD", 200, [length("99")], True, 0),
        ("GET", 204, [], True, 0),
        ("GET", 304, [], True, 0),
    ],
)
def test_length(
    method: str, status: int, headers: list[tuple[str, str]], framed: bool, expected: int | None
) -> None:
    assert body_length(method, status, Headers.of(headers), framed=framed) == expected


@pytest.mark.parametrize(
    ("headers", "check"),
    [
        ([], "transport.framing"),
        ([length("")], "transport.framing"),
        ([length("-1")], "transport.framing"),
        ([length("+1")], "transport.framing"),
        ([length("1_0")], "transport.framing"),
        ([length("٣")], "transport.framing"),
        ([length("0x10")], "transport.framing"),
        ([length("1" * 19)], "transport.framing"),
        ([length("1"), length("2")], "transport.framing"),
        ([length("1, 2")], "transport.framing"),
        ([CHUNKED, length("1")], "transport.framing"),
        ([("Transfer-Encoding", "gzip, chunked")], "transport.framing"),
        ([("Content-Encoding", "gzip"), length("1")], "transport.encoded"),
        ([("Content-Encoding", "br"), length("1")], "transport.encoded"),
        ([("Content-Encoding", "identity"), ("Content-Encoding", "x"), length("1")], "transport.encoded"),
    ],
)
def test_no_length(headers: list[tuple[str, str]], check: str) -> None:
    with pytest.raises(Unavailable) as caught:
        body_length("GET", 200, Headers.of(headers), framed=True)
    assert caught.value.check == check


def whole(body: FramedBody, size: int) -> bytes:
    blocks = []
    while block := body.read(size):
        blocks.append(block)
    return b"".join(blocks)


@pytest.mark.parametrize(
    ("data", "stated", "check"),
    [(b"abc", 4, "fetch.cut"), (b"abc", 2, "transport.surplus"), (b"", 1, "fetch.cut")],
)
def test_body_that_ends_elsewhere(data: bytes, stated: int, check: str) -> None:
    for size in (-1, 1, 100):
        body = FramedBody(io.BytesIO(data), stated, "x")
        with pytest.raises(Unavailable) as caught:
            whole(body, size)
        assert caught.value.check == check


@pytest.mark.parametrize("stated", [3, None])
def test_body_that_ends_where_it_should(stated: int | None) -> None:
    for size in (1, 2, 3, 100):
        assert whole(FramedBody(io.BytesIO(b"abc"), stated, "x"), size) == b"abc"
