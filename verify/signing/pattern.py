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
from dataclasses import dataclass, field
from typing import Self

from verify.errors import Misused

_PART = re.compile(r"\*+")
_ANY = {"*": "[!-.0-?A-~]+", "**": "[!-?A-~]+"}
_HOST = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://([^/]*)")
_MOST = 2_048


@dataclass(frozen=True, slots=True)
class Pattern:
    """One expected name."""

    text: str
    _compiled: re.Pattern[str] = field(repr=False, compare=False)

    @classmethod
    def parse(cls, text: str) -> Self:
        """As a person or a policy writes it. Raises Misused."""
        if not text or len(text) > _MOST or text != text.strip() or not text.isprintable():
            raise Misused(f"name {text!r}: expected a name of printable characters")
        if not text.strip("*/@.:"):
            raise Misused(f"name {text!r}: matches anybody", hint="name the signer you expect")
        host = _HOST.match(text)
        if "*" in text and host is not None and "*" in host[1]:
            raise Misused(f"name {text!r}: a wildcard in the host would match strangers")
        if "*" in text and "://" in text and host is None:
            raise Misused(f"name {text!r}: a wildcard in the scheme would match strangers")
        return cls(text, re.compile(_translated(text)))

    @classmethod
    def exact(cls, text: str) -> Self:
        """A name in which `*` is only a star."""
        return cls(text, re.compile(re.escape(text)))

    def differs(self, name: str) -> str:
        """Empty where the whole name matches, else why not."""
        if len(name) > _MOST:
            return "is too long"
        return "" if self._compiled.fullmatch(name) else "does not match"

    def __str__(self) -> str:
        return self.text


def _translated(text: str) -> str:
    made, at = [], 0
    for run in _PART.finditer(text):
        if run[0] not in _ANY:
            raise Misused(f"name {text!r}: expected * or **, got {run[0]}")
        made += [re.escape(text[at : run.start()]), _ANY[run[0]]]
        at = run.end()
    if len(made) > 16:  # each wildcard can be tried at every place: bound the work, not only the length
        raise Misused(f"name {text!r}: more than 8 wildcards")
    return "".join([*made, re.escape(text[at:])])
