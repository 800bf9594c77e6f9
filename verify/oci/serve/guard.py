"""Who may ask at all: what stands between a server on this machine and the web pages this machine looks at.

1. A page can make a browser connect here under a name of its own (DNS rebinding). So the Host header must be a
   name of this machine with this server's port; beyond loopback also an address, or a name given on purpose.
2. A page can make a browser send a plain POST here under our right name. Browsers say where a request comes
   from, registry clients do not: a foreign Origin, or Sec-Fetch-Site, is refused.

>>> guard = Guard(port=5000)
>>> guard.refusal({"host": "localhost:5000"}) is None
True
>>> guard.refusal({"host": "registry.example:5000"}).status
403
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING

from verify.oci.serve.answers import Answer, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping

_OURS = ("localhost", "127.0.0.1", "[::1]")
_DEFAULT_PORT = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """`hosts` are further names, with a port where theirs is another one; `open` allows any address."""

    port: int
    hosts: tuple[str, ...] = ()
    open: bool = False

    def refusal(self, headers: Mapping[str, str]) -> Answer | None:
        """Why not, if not."""
        host = headers.get("host", "").lower()
        if not host:
            return refuse(400, "DENIED", "no Host header")
        if not self._ours(host):
            return refuse(403, "DENIED", "Host: expected a name of this machine with this server's port")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in {f"http://{host}", f"https://{host}"}:
            return refuse(403, "DENIED", "Origin: a page of another origin asks")
        if headers.get("sec-fetch-site", "none") not in {"none", "same-origin"}:
            return refuse(403, "DENIED", "Sec-Fetch-Site: a page of another origin asks")
        return None

    def _ours(self, host: str) -> bool:
        named = {each.lower() for each in self.hosts}
        name, port = _split(host)
        if host in named or (name in named and port == self.port):
            return True
        if port != self.port:
            return False
        return name in _OURS or (self.open and _is_address(name))


def _split(host: str) -> tuple[str, int | None]:
    name, colon, port = host.rpartition(":")
    if not colon or "]" in port:
        return host, _DEFAULT_PORT
    return name, int(port) if port.isascii() and port.isdigit() and len(port) <= 5 else None


def _is_address(name: str) -> bool:
    try:
        ip_address(name[1:-1] if name.startswith("[") and name.endswith("]") else name)
    except ValueError:
        return False
    return True
