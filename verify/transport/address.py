"""Where a request goes, and which two places are the same.

An `Address` is an absolute http or https URL that two parsers read alike: printable ASCII, no user
information, no backslash, an explicit host. An `Origin` is its scheme, host and port; credentials belong to
one origin and never leave it.

>>> base = Address.parse("https://Example.com/v2/a?x=1")
>>> base.origin, base.target
(Origin('https://example.com:443'), '/v2/a?x=1')
>>> base.join("../b").text
'https://example.com:443/b'
>>> Address.parse("http://user@example.com/")
Traceback (most recent call last):
verify.errors.Unavailable: address 'http://…@example.com/': expected no user information

An *inner* host is one that only the local machine or network means: a loopback, link-local, private or
unspecified address in any spelling that a resolver takes, or `localhost`.

>>> [Address.parse(f"http://{host}/").origin.inner for host in ("127.1", "0x7f000001", "[::1]", "example.com")]
[True, True, True, False]
"""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass
from typing import Self
from urllib.parse import urljoin, urlsplit

from verify.errors import Unavailable

_PORTS = {"http": 80, "https": 443}
_TEXT = re.compile(r"[!-~]+")  # printable ASCII without the space
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?\.?")
_NUMERIC = re.compile(r"[0-9a-fx.]+")
_USER = re.compile(r"//[^/?#]*@")
_MOST = 8192


@dataclass(frozen=True, slots=True, order=True, repr=False)
class Origin:
    """Scheme, host and port."""

    scheme: str
    host: str  # lower case; an IPv6 address without brackets
    port: int

    @property
    def netloc(self) -> str:
        """As in a Host header: the port only where it is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Whether only this machine is meant."""
        number = _number(self.host)
        return _is_local_name(self.host) if number is None else number.is_loopback

    @property
    def inner(self) -> bool:
        """Whether only this machine or network is meant."""
        number = _number(self.host)
        if number is None:
            return _is_local_name(self.host)
        return not number.is_global or number.is_multicast

    def __str__(self) -> str:
        return f"{self.scheme}://{self.netloc}"

    def __repr__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"Origin('{self.scheme}://{host}:{self.port}')"


@dataclass(frozen=True, slots=True)
class Address:
    """An absolute URL without fragment."""

    origin: Origin
    target: str  # path and query, as they are sent

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises Unavailable (`transport.address`): an address comes from a server as often as from a user."""
        if len(text) > _MOST or not _TEXT.fullmatch(text) or "\\" in text:
            raise _bad(text, "expected at most 8192 printable ASCII characters and no backslash")
        try:
            parts = urlsplit(text)
            port = parts.port
        except ValueError:
            raise _bad(text, "expected a URL") from None
        if parts.scheme not in _PORTS:
            raise _bad(text, "expected http or https")
        if "@" in parts.netloc:
            raise _bad(text, "expected no user information")
        host = _host(parts.hostname or "", text)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return cls(Origin(parts.scheme, host, _PORTS[parts.scheme] if port is None else port), target)

    @property
    def text(self) -> str:
        """The whole URL, the port always given."""
        host = f"[{self.origin.host}]" if ":" in self.origin.host else self.origin.host
        return f"{self.origin.scheme}://{host}:{self.origin.port}{self.target}"

    def join(self, reference: str) -> Self:
        """What a Location or Link of this address means. Raises as `parse`."""
        try:
            return type(self).parse(urljoin(self.text, reference))
        except ValueError:  # brackets that do not match
            raise _bad(reference, "expected a URL") from None

    def at(self, target: str) -> Self:
        """Another path at the same origin."""
        return type(self)(self.origin, target)

    def with_query(self, query: str) -> Self:
        """The query is added to the one that is there."""
        return self.at(f"{self.target}{'&' if '?' in self.target else '?'}{query}")

    def __str__(self) -> str:
        """For messages: without the query, which may hold a signature or an upload's state."""
        return f"{self.origin}{self.target.partition('?')[0]}"


def _host(host: str, text: str) -> str:
    if ":" in host:
        try:
            return str(ipaddress.IPv6Address(host))
        except ValueError:
            raise _bad(text, "expected an IPv6 address in brackets") from None
    if not _NAME.fullmatch(host) or ".." in host:
        raise _bad(text, "expected a host name or address")
    return host


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    if ":" in host:
        six = ipaddress.IPv6Address(host)
        return six.ipv4_mapped or six
    if not _NUMERIC.fullmatch(host):
        return None
    try:
        # the resolver takes 127.1, 0177.0.0.1 and 2130706433 as well
        return ipaddress.IPv4Address(socket.inet_aton(host.rstrip(".")))
    except OSError:
        return None


def _is_local_name(host: str) -> bool:
    name = host.rstrip(".")
    return name == "localhost" or name.endswith(".localhost")


def _bad(text: str, problem: str) -> Unavailable:
    shown = _USER.sub("//…@", text.partition("?")[0])[:200]
    return Unavailable(f"address {shown!r}: {problem}", check="transport.address")
