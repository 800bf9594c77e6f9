"""Identity of a module: `path@version`, valid by construction; and the order of versions.

A path here is what every ecosystem's own grammar must at least satisfy: printable ASCII without space, `@`,
backslash, quotes or control characters, elements that are neither empty nor `.` nor `..`. Each ecosystem narrows it.
A version is either a semantic version, with or without a leading `v`, or (where an ecosystem locks commits
or digests) any other token of the same alphabet; only semantic versions have an order.

>>> str(Module.parse("example.com/net@v1.4.0"))
'example.com/net@v1.4.0'
>>> Version.parse("v1.10.0") > Version.parse("v1.9.0") > Version.parse("v1.9.0-rc.1")
True
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import total_ordering
from typing import Self

from verify.errors import Malformed

_ELEMENT = re.compile(r"[!#$%&()*+,\-.0-9:;=A-Z\[\]^_a-z{}~]+")
_TOKEN = re.compile(r"[!#$%&()*+,\-.0-9:;=A-Z^_a-z~/]+")
_NUMBER = r"(?:0|[1-9][0-9]*)"
_SEMVER = re.compile(
    rf"v?({_NUMBER})\.({_NUMBER})\.({_NUMBER})"
    r"(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?"
    r"(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?"
)


def _number_key(digits: str) -> tuple[int, str]:
    # by length, then bytes: a version with a million digits must not become a big integer
    return (len(digits), digits)


def _prerelease_key(part: str) -> tuple[int, tuple[int, str], str]:
    return (0, _number_key(part), "") if part.isdigit() else (1, (0, ""), part)


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Version:
    """A semantic version in the order of semver 2.0; build metadata does not order."""

    text: str
    major: str
    minor: str
    patch: str
    prerelease: tuple[str, ...]
    build: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """All three numbers, ASCII digits, no leading zeros."""
        match = _SEMVER.fullmatch(text)
        if match is None or not text.isascii():
            raise Malformed(
                f"version {text!r}: expected a semantic version such as v1.2.3", check="module.version"
            )
        major, minor, patch, pre, build = match.groups()
        parts = tuple(pre.split(".")) if pre else ()
        if any(part.isdigit() and part != "0" and part.startswith("0") for part in parts):
            raise Malformed(f"version {text!r}: number with a leading zero", check="module.version")
        return cls(text, major, minor, patch, parts, build or "")

    @property
    def _key(self) -> tuple[object, ...]:
        numbers = (_number_key(self.major), _number_key(self.minor), _number_key(self.patch))
        return (*numbers, not self.prerelease, tuple(_prerelease_key(part) for part in self.prerelease))

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Version) else NotImplemented

    def __lt__(self, other: Self) -> bool:
        return self._key < other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, order=True)
class Module:
    """An identity, not files."""

    path: str
    version: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """`path@version`."""
        path, at, version = text.rpartition("@")
        if not at:
            raise Malformed(f"module {text!r}: expected path@version", check="module.malformed")
        return cls.of(path, version)

    @classmethod
    def of(cls, path: str, version: str) -> Self:
        """From its two parts, each checked."""
        for element in path.split("/"):
            if element in {".", ".."} or not _ELEMENT.fullmatch(element):
                raise Malformed(
                    f"module path {path!r}: invalid element {element!r}", check="module.malformed"
                )
        if not _TOKEN.fullmatch(version):
            raise Malformed(f"module {path!r}: invalid version {version!r}", check="module.malformed")
        return cls(path, version)

    def __str__(self) -> str:
        return f"{self.path}@{self.version}"
