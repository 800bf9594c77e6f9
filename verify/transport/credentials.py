"""Who we are to a host: a name and a password, or a token. Secrets show in no repr, message or log.

>>> Credential(user="ada", password=Secret("hunter2"), source="env")
Credential(user='ada', password=Secret(…), identity_token=None, registry_token=None, source='env')

An *account* is where a credential is for: `host[:port]` and, as Podman has it, a path: `ghcr.io/acme/net`.
Docker Hub has many names and one account.

>>> account_keys("ghcr.io/acme/net")
('ghcr.io/acme/net', 'ghcr.io/acme', 'ghcr.io')
>>> normal_key("https://index.docker.io/v1/"), normal_key("https://ghcr.io"), normal_key("ghcr.io/acme")
('docker.io', 'ghcr.io', 'ghcr.io/acme')
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

_HUB = frozenset({"docker.io", "index.docker.io", "registry-1.docker.io"})
HUB_KEY = "https://index.docker.io/v1/"  # what Docker's own file and helpers call Docker Hub


class Secret:
    """A text that is only shown to who calls `reveal`."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself: for a header or a file, never for a message."""
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return "Secret(…)"

    def __str__(self) -> str:
        return "…"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a secret is not copied into other forms")


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """What was found for an account, and where."""

    user: str = ""
    password: Secret | None = None
    identity_token: Secret | None = None  # a refresh token: exchanged for a bearer token
    registry_token: Secret | None = None  # a bearer token, used as it is
    source: str = ""


class Keys(Protocol):
    """The port to wherever credentials lie."""

    def find(self, account: str) -> Credential | None:
        """The credential of the longest matching account, or None. Raises Unavailable (`credentials.*`)."""


class NoKeys:
    """Nobody is known anywhere."""

    def find(self, account: str) -> Credential | None:
        """None."""
        del account
        return None


def host_of(account: str) -> str:
    """The account's host[:port]."""
    return account.partition("/")[0]


def account_keys(account: str) -> tuple[str, ...]:
    """The account itself, then each shorter path, then its host."""
    parts = account.split("/")
    return tuple("/".join(parts[:count]) for count in range(len(parts), 0, -1))


def normal_key(key: str) -> str:
    """A file's key in its comparable form: a URL is only its host; Docker Hub is docker.io."""
    lower = key.strip()
    for scheme in ("https://", "http://"):
        if lower.lower().startswith(scheme):
            lower = lower[len(scheme) :].partition("/")[0]
    host, slash, path = lower.rstrip("/").partition("/")
    host = host.lower()
    if host in _HUB:
        # a path without a namespace below is the old index address, not a repository
        return "docker.io" if path in {"", "v1", "v2"} else f"docker.io/{path}"
    return f"{host}{slash}{path}"


def helper_key(host: str) -> str:
    """What a credential helper is asked for."""
    return HUB_KEY if normal_key(host) == "docker.io" else host
