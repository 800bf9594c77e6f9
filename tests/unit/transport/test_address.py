"""Addresses that two parsers could read differently are none; inner hosts are known in every spelling."""

from __future__ import annotations

import pytest

from verify.errors import Unavailable
from verify.transport.address import Address


@pytest.mark.parametrize(
    "text",
    [
        "", "//example.com/", "ftp://example.com/", "file:///etc/passwd", "https://", "https:///path",
        "https://user@example.com/", "https://user:pw@example.com/", "https://@example.com/",
        "https://example.com\\@evil.example/", "https://exa mple.com/", "https://example.com/\r\nX: y",
        "https://example.com:99999/", "https://example.com:x/", "https://[::1/", "https://[zz]/",
        "https://exämple.com/", "https://example..com/", "https://-/", "https://a/" + "x" * 9000,
    ],
)  # fmt: skip
def test_no_address(text: str) -> None:
    with pytest.raises(Unavailable) as caught:
        Address.parse(text)
    assert caught.value.check == "transport.address"
    assert "pw" not in str(caught.value)


def test_what_does_not_join_is_refused() -> None:
    for reference in ("http://[", "//a@b/", "javascript:x"):
        with pytest.raises(Unavailable):
            Address.parse("https://example.com/").join(reference)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.1", "0177.0.0.1", "0x7f.1", "2130706433", "0x7f000001", "localhost", "LOCALHOST",
        "localhost.", "a.localhost", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0",  # noqa: S104 - a host, not a place to listen

        "100.64.0.1", "224.0.0.1", "[::1]", "[::]", "[fe80::1]", "[fc00::1]", "[::ffff:127.0.0.1]",
        "[::ffff:a00:1]", "127.0.0.1.",
    ],
)  # fmt: skip
def test_inner(host: str) -> None:
    assert Address.parse(f"http://{host}/").origin.inner


@pytest.mark.parametrize(
    "host", ["example.com", "8.8.8.8", "[2606:4700::1]", "localhost.example.com", "10.example"]
)
def test_not_inner(host: str) -> None:
    assert not Address.parse(f"http://{host}/").origin.inner


def test_origins_differ_by_scheme_host_and_port_and_nothing_else() -> None:
    origin = Address.parse("https://Example.COM/a?b").origin
    assert origin == Address.parse("https://example.com:443/").origin
    for other in ("http://example.com:443/", "https://example.com:444/", "https://example.com.evil.example/"):
        assert Address.parse(other).origin != origin


def test_messages_hide_the_query() -> None:
    assert "secret" not in str(Address.parse("https://example.com/a?sig=secret"))
