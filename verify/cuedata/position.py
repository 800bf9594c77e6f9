"""Where something stands in a document, and the error that says so.

Lines and columns count from 1; a column counts characters, not bytes.

>>> str(Position(3, 7))
'3:7'
>>> str(Fault(Position(3, 7), "expected a field, got ','", check="cue.syntax").within("cue.mod/module.cue"))
"cue.mod/module.cue: 3:7: expected a field, got ','"
"""

from __future__ import annotations

from typing import NamedTuple

from verify.errors import Malformed


class Position(NamedTuple):
    """A line and a column."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


NOWHERE = Position(0, 0)  # of values that were made, not parsed


class Fault(Malformed):
    """A document breaks a rule, at a place a person can go to."""

    def __init__(self, position: Position, message: str, *, check: str, hint: str | None = None) -> None:
        super().__init__(message, check=check, hint=hint)
        self.position = position
        if position != NOWHERE:
            self.context = (str(position),)
