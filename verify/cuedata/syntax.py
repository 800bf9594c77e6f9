"""What a data-only CUE document says, as it says it: frozen values with positions.

A `Struct` keeps its fields in order and keeps repeated ones: CUE merges them, a lock file must not have
them, and `verify.cuedata.merging` or the reader of the format decides. Fields of an embedded `{…}` stand
where it stood. Comments and attributes carry no data and are dropped.

A field's `mark` is `?` or `!` where the document has it: CUE then states a condition on a field, not a field.
A `hidden` field begins with an unquoted underscore and belongs to no exported data.

Two values are equal when they mean the same; positions and the spelling of numbers do not count. Numbers are
exact: `1K` is the integer 1000, `1.0` is a float equal to `1.00` and different from the integer 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from verify.cuedata.position import NOWHERE, Position

if TYPE_CHECKING:
    from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Text:
    """A double-quoted string."""

    value: str
    position: Position = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Bytes:
    """A single-quoted string: any bytes."""

    value: bytes
    position: Position = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Number:
    """An integer or a float; `text` is how it was written, sign included."""

    value: Decimal
    integer: bool
    text: str = field(default="", compare=False)
    position: Position = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Bool:
    """`true` or `false`."""

    value: bool
    position: Position = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Null:
    """`null`."""

    position: Position = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class ListValue:
    """`[…]`."""

    items: tuple[Value, ...]
    position: Position = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Struct:
    """`{…}`, or a whole document."""

    fields: tuple[Field, ...]
    position: Position = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Field:
    """One `label: value`."""

    label: str
    value: Value
    mark: str = ""  # "", "?" or "!"
    hidden: bool = False
    position: Position = field(default=NOWHERE, compare=False)


Scalar: TypeAlias = Text | Bytes | Number | Bool | Null
Value: TypeAlias = Scalar | ListValue | Struct


def kind(value: Value) -> str:
    """What a message calls it.

    >>> kind(Text("x")), kind(Struct(()))
    ('a string', 'a struct')
    """
    if isinstance(value, Number):
        return "an integer" if value.integer else "a float"
    return _KINDS[type(value)]


_KINDS: dict[type[object], str] = {
    Text: "a string",
    Bytes: "bytes",
    Bool: "a boolean",
    Null: "null",
    ListValue: "a list",
    Struct: "a struct",
}
