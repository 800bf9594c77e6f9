"""Expected names of signers: written out, or with `*` and `**`; never a regular expression.

1. The whole name must match. Letters match as they are: no case folding, no normalisation.
2. `*` stands for at least one printable ASCII character other than `/` and `@`; `**` for the same with `/`.
   Neither stands for `@`: a branch may be called `x@refs/heads/main`, and everything up to the last `@` would be
   the attacker's to choose.
3. A URI's scheme and host hold no wildcard, and a pattern that is nothing but wildcards is refused.
4. A pattern has no control characters or spaces around it: Misused, since nobody means that.

>>> rule = Pattern.parse("https://github.com/acme/*/.github/workflows/release.yml@refs/tags/v*")
>>> rule.differs("https://github.com/acme/net/.github/workflows/release.yml@refs/tags/v1.0.0")
''
>>> rule.differs("https://github.com/acme-evil/net/.github/workflows/release.yml@refs/tags/v1")
'does not match'
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from typing import Self

from verify.errors import Misused

_PART = re.compile(r"(\*+)")
_VISIBLE = frozenset(string.printable) - frozenset(string.whitespace) - {"@"}
_ANY = {"*": _VISIBLE - {"/"}, "**": _VISIBLE}
_HOST = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://([^/]*)")
_MOST = 2_048


@dataclass(frozen=True, slots=True)
class Pattern:
    """One expected name, in pieces: texts, and wildcards between them."""

    text: str
    pieces: tuple[tuple[str, bool], ...]  # (text, whether it is a wildcard)

    @classmethod
    def parse(cls, text: str) -> Self:
        """As a person or a policy writes it. Raises Misused."""
        if not text or len(text) > _MOST or text != text.strip() or not text.isprintable():
            raise Misused(f"name {text!r}: expected a name of printable characters")
        if not text.strip("*/@.:"):
            raise Misused(f"name {text!r}: matches anybody", hint="name the signer you expect")
        host = _HOST.match(text)
        if "*" in (text if host is None and "://" in text else host[1] if host else ""):
            raise Misused(f"name {text!r}: a wildcard in the scheme or host would match strangers")
        pieces = tuple(piece for piece in _PART.split(text) if piece)
        if wrong := [piece for piece in pieces if piece.startswith("***")]:
            raise Misused(f"name {text!r}: expected * or **, got {wrong[0]}")
        return cls(text, tuple((piece, piece in _ANY) for piece in pieces))

    @classmethod
    def exact(cls, text: str) -> Self:
        """A name in which `*` is only a star."""
        return cls(text, ((text, False),))

    def differs(self, name: str) -> str:
        """Empty where the whole name matches, else why not."""
        if len(name) > _MOST:
            return "is too long"
        reached = {0}
        for piece, wild in self.pieces:
            reached = _through(reached, name, _ANY[piece]) if wild else _past(reached, name, piece)
        return "" if len(name) in reached else "does not match"

    def __str__(self) -> str:
        return self.text


def _past(reached: set[int], name: str, piece: str) -> set[int]:
    return {at + len(piece) for at in reached if name.startswith(piece, at)}


def _through(reached: set[int], name: str, wild: frozenset[str]) -> set[int]:
    """Every place behind at least one character of a wildcard; linear, whatever the name repeats."""
    found: set[int] = set()
    end = 0
    for at in sorted(reached):
        end = max(end, at)
        while end < len(name) and name[end] in wild:
            end += 1
            found.add(end)
    return found
