"""Where an artifact is: in a registry's repository, or in a layout folder.

    oci://HOST[:PORT]/REPOSITORY[:TAG][@DIGEST]     or the same without the scheme
    ocidir://PATH[:TAG][@DIGEST]                    `:`, `@` and `%` in the path percent-encoded

A host without a scheme needs a dot, a port, brackets or the name localhost: `acme/net` alone is no
reference, because who would serve it depends on the tool. Hosts are lower case. `docker.io` has its
`library/`, and its address is `api_host`. Where both a tag and a digest stand, the digest decides.

>>> str(Reference.parse("ghcr.io/acme/net:v1.4.0"))
'oci://ghcr.io/acme/net:v1.4.0'
>>> Reference.parse("oci://localhost:5000/net").host
'localhost:5000'
>>> parse_reference("ocidir://./mirror%3A1:v2").path
'./mirror:1'
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from ipaddress import AddressValueError, IPv6Address
from typing import Self
from urllib.parse import quote, unquote_to_bytes

from verify.digest import Digest
from verify.errors import Malformed, Misused

_COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_REPOSITORY = re.compile(rf"{_COMPONENT}(?:/{_COMPONENT})*")
_TAG = re.compile(r"[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}")
_LABEL = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_HOST = re.compile(rf"({_LABEL}(?:\.{_LABEL})*|\[[0-9a-f:.]+\])(?::([0-9]{{1,5}}))?")
_MOST_NAME = 255
_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_HUB = {"docker.io", "index.docker.io", "registry-1.docker.io"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """Something in a registry. Without tag and digest it names the repository."""

    host: str  # with the port, where one is given
    repository: str
    tag: str | None = None
    digest: Digest | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises Misused (`oci.reference`)."""
        rest = text.removeprefix("oci://")
        name, tag, digest = _split(rest, text)
        host, slash, repository = name.partition("/")
        if not slash or not repository:
            raise _misused(text, "expected HOST/REPOSITORY", "oci://HOST/REPOSITORY:TAG")
        if "@" in host:
            raise _misused(text, "expected a host without credentials", "modseal login HOST")
        host = _host(host, text, bare=rest != text)
        if host in _HUB:
            host = "docker.io"
            repository = repository if "/" in repository else f"library/{repository}"
        check_repository(host, repository, text)
        return cls(host=host, repository=repository, tag=tag, digest=digest)

    @property
    def api_host(self) -> str:
        """Where its registry is asked."""
        return "registry-1.docker.io" if self.host == "docker.io" else self.host

    @property
    def name(self) -> str:
        """Host and repository."""
        return f"{self.host}/{self.repository}"

    def at(self, *, tag: str | None = None, digest: Digest | None = None) -> Self:
        """Another place in the same repository."""
        return replace(self, tag=tag, digest=digest)

    def __str__(self) -> str:
        return f"oci://{self.name}{_suffix(self.tag, self.digest)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutReference:
    """Something in a layout folder."""

    path: str
    tag: str | None = None
    digest: Digest | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises Misused (`oci.reference`)."""
        if not text.startswith("ocidir://"):
            raise _misused(text, "expected ocidir://", "ocidir://PATH:TAG")
        encoded, tag, digest = _split(text.removeprefix("ocidir://"), text)
        if not encoded or ":" in encoded or _PERCENT.search(encoded):
            raise _misused(text, "expected a path with : @ % percent-encoded", "ocidir://./mirror:v1")
        try:
            path = unquote_to_bytes(encoded).decode("utf-8")
        except UnicodeDecodeError:
            raise _misused(text, "path: expected UTF-8", "ocidir://./mirror:v1") from None
        if "\0" in path:
            raise _misused(text, "path: expected no NUL", "ocidir://./mirror:v1")
        return cls(path=path, tag=tag, digest=digest)

    @property
    def name(self) -> str:
        """The folder, as it is written in a reference."""
        return f"ocidir://{quote(self.path, safe=_SAFE)}"

    def at(self, *, tag: str | None = None, digest: Digest | None = None) -> Self:
        """Another place in the same folder."""
        return replace(self, tag=tag, digest=digest)

    def __str__(self) -> str:
        return f"{self.name}{_suffix(self.tag, self.digest)}"


_SAFE = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) not in ":@%")


def parse_reference(text: str) -> Reference | LayoutReference:
    """Either of the two, by the scheme. Raises Misused (`oci.reference`)."""
    return LayoutReference.parse(text) if text.startswith("ocidir://") else Reference.parse(text)


def check_tag(tag: str) -> str:
    """The tag, if it is one. Raises Misused (`oci.reference`)."""
    if not _TAG.fullmatch(tag):
        hint = f"a registry's tag cannot hold +: {tag.replace('+', '_')}" if "+" in tag else None
        raise Misused(
            f"tag {tag!r}: expected letters, digits, _ . - and at most 128", check="oci.reference", hint=hint
        )
    return tag


def check_repository(host: str, repository: str, text: str | None = None) -> str:
    """The repository's name, if it is one and fits. Raises Misused (`oci.reference`)."""
    shown = text if text is not None else f"{host}/{repository}"
    if not _REPOSITORY.fullmatch(repository):
        hint = repository.lower() if repository.lower() != repository else None
        raise _misused(shown, f"repository {repository!r}: expected lower-case path components", hint)
    if len(host) + 1 + len(repository) > _MOST_NAME:
        raise _misused(shown, f"expected at most {_MOST_NAME} characters of host and repository", None)
    return repository


def _split(rest: str, text: str) -> tuple[str, str | None, Digest | None]:
    name, at, digest_text = rest.partition("@")
    digest = None
    if at:
        try:
            digest = Digest.parse(digest_text)
        except Malformed as error:
            raise _misused(text, error.message, "NAME@sha256:…") from None
    before, colon, last = name.rpartition(":")
    # a colon before a slash belongs to a port
    if not colon or "/" in last:
        return name, None, digest
    return before, check_tag(last), digest


def _host(host: str, text: str, *, bare: bool) -> str:
    lower = host.lower()
    match = _HOST.fullmatch(lower)
    if match is None or (match[2] is not None and not 0 < int(match[2]) <= 65535):
        raise _misused(text, f"host {host!r}: expected a name or address and an optional port", None)
    if lower.startswith("["):
        try:
            IPv6Address(match[1][1:-1])
        except AddressValueError:
            raise _misused(text, f"host {host!r}: expected an IPv6 address", None) from None
    if not bare and not ("." in lower or ":" in lower or lower == "localhost"):
        raise _misused(
            text,
            f"{host!r} is no host by itself",
            f"oci://{text}, or docker.io/{text} if Docker Hub is meant",
        )
    return lower


def _suffix(tag: str | None, digest: Digest | None) -> str:
    return (f":{tag}" if tag is not None else "") + (f"@{digest}" if digest is not None else "")


def _misused(text: str, problem: str, hint: str | None) -> Misused:
    return Misused(f"reference {text!r}: {problem}", check="oci.reference", hint=hint)
