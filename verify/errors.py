"""One exception tree, split by whose fault it is.

    ModsealError
     ├─ Malformed      bytes break the rules of their format             exit 1
     ├─ Refuted        well-formed, and what it claims is not true       exit 1
     ├─ Misused        the caller asked for something that cannot be     exit 2
     └─ Undecidable    nobody can say                                    exit 3
         ├─ Unavailable    it may exist, but could not be reached or read
         ├─ Absent         it was asked for in the right place and is not there
         └─ Exhausted      a limit was reached before the answer

Absent, unreachable and refuted are three answers: code that catches one of them must not catch another
by accident, so none of the three is a base of another.

A message is lower case, without a full stop: subject first, then *expected X, got Y*. `check` is the
stable id a report uses, `hint` is something a person can type. Context gathers as the error rises:

>>> error = Malformed("name is empty", check="archive.name-empty")
>>> str(error.within("entry 3").within("zip mods.zip"))
'zip mods.zip: entry 3: name is empty'
"""

from __future__ import annotations

from typing import Self


class ModsealError(Exception):
    """Everything the product raises on purpose."""

    exit_code = 3

    def __init__(self, message: str, *, check: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.check = check
        self.hint = hint
        self.context: tuple[str, ...] = ()

    def within(self, place: str) -> Self:
        """Add where it happened, innermost first, and hand the same error back to be raised."""
        self.context = (place, *self.context)
        return self

    def __str__(self) -> str:
        return ": ".join((*self.context, self.message))


class Malformed(ModsealError):
    """Bytes break the rules of their format."""

    exit_code = 1


class Refuted(ModsealError):
    """Well-formed, and what it claims is not true."""

    exit_code = 1


class Misused(ModsealError):
    """The caller asked for something that cannot be."""

    exit_code = 2


class Undecidable(ModsealError):
    """Nobody can say."""

    exit_code = 3


class Unavailable(Undecidable):
    """It may exist, but could not be reached or read."""


class Absent(Undecidable):
    """It was asked for in the right place and is not there."""


class Exhausted(Undecidable):
    """A limit was reached before the answer."""
