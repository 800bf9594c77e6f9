r"""What a 401 asks for: the WWW-Authenticate headers, read as RFC 9110 writes them.

Several challenges may stand in one header, and several headers in one answer. Names compare without case;
a value is a token or a quoted string; a parameter that stands twice makes its challenge useless.

>>> parse_challenges(['Negotiate, Bearer realm="https://auth.example.com/t?a=1,2",service=r, basic realm="x\\"y"'])
(Challenge('negotiate'), Challenge('bearer', realm, service), Challenge('basic', realm))
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # noqa: S105 - a grammar
_PARAMETER = re.compile(
    rf'[ \t]*({_TOKEN})[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|({_TOKEN}))[ \t]*(?=,|$)', re.DOTALL
)
_SCHEME = re.compile(rf"[ \t]*({_TOKEN})(?:[ \t]+|(?=,)|$)")
_TOKEN68 = re.compile(r"[A-Za-z0-9._~+/-]+=*[ \t]*(?=,|$)")
_MOST = 16 << 10


@dataclass(frozen=True, slots=True, repr=False)
class Challenge:
    """A scheme in lower case and its parameters."""

    scheme: str
    parameters: Mapping[str, str] = field(default_factory=dict, hash=False)

    def get(self, name: str) -> str:
        """A parameter, or empty."""
        return self.parameters.get(name, "")

    def __repr__(self) -> str:
        return f"Challenge({', '.join([repr(self.scheme), *self.parameters])})"


def parse_challenges(values: Iterable[str]) -> tuple[Challenge, ...]:
    """Every challenge that can be read, in order. What cannot be read ends its own header, not the others."""
    found: list[Challenge] = []
    for value in values:
        found.extend(_parse(value[:_MOST]))
    return tuple(found)


def _parse(text: str) -> list[Challenge]:
    found: list[Challenge] = []
    at = 0
    while at < len(text):
        if text[at] in ", \t":
            at += 1
            continue
        match = _SCHEME.match(text, at)
        if match is None or _PARAMETER.match(text, at):
            break
        at = match.end()
        parameters, at, twice = _parameters(text, at)
        if not twice:
            found.append(Challenge(match[1].lower(), parameters))
    return found


def _parameters(text: str, at: int) -> tuple[dict[str, str], int, bool]:
    found: dict[str, str] = {}
    twice = False
    while True:
        start = at
        while at < len(text) and text[at] in ", \t":
            at += 1
        match = _PARAMETER.match(text, at)
        if match is None:
            break
        name = match[1].lower()
        twice = twice or name in found
        found[name] = match[3] if match[2] is None else re.sub(r"\\(.)", r"\1", match[2], flags=re.DOTALL)
        at = match.end()
    if not found and (blob := _TOKEN68.match(text, start)):
        return found, blob.end(), twice
    return found, max(start, at), twice
