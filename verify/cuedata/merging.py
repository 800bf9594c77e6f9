r"""Repeated fields made one, as CUE unifies data.

Structs merge field by field, lists of one length element by element, equal scalars are one; an integer and a
float are never equal. A field with `?` or `!` alone is no field: the first is dropped, the second refused;
beside a plain one it merges into it. Hidden fields must agree and are then dropped.

>>> from verify.cuedata.parser import parse
>>> [field.label for field in merge(parse(b"a: b: 1, c: 2, a: d: 3")).fields]
['a', 'c']
>>> merge(parse(b"a: 1\na: 2\n"))
Traceback (most recent call last):
verify.cuedata.position.Fault: 2:4: field a: expected 1 as on line 1, got another value
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.cuedata.position import Fault
from verify.cuedata.renderer import label
from verify.cuedata.syntax import Field, ListValue, Number, Struct, Text, kind

if TYPE_CHECKING:
    from verify.cuedata.syntax import Value


def merge(struct: Struct) -> Struct:
    """Every label once, all the way down. Raises Fault (`cue.conflict`, `cue.required`)."""
    return _structs((struct,))


def _structs(structs: tuple[Struct, ...]) -> Struct:
    groups: dict[tuple[str, bool], list[Field]] = {}
    for struct in structs:
        for field in struct.fields:
            groups.setdefault((field.label, field.hidden), []).append(field)
    merged = []
    for (name, hidden), group in groups.items():
        plain = [field for field in group if not field.mark]
        if plain:
            value = _values(name, tuple(field.value for field in group))
            if not hidden:
                merged.append(Field(name, value, position=plain[0].position))
        elif any(field.mark == "!" for field in group):
            raise Fault(
                group[0].position, f"field {label(name)} is required and has no value", check="cue.required"
            )
    return Struct(tuple(merged), structs[0].position)


def _values(name: str, values: tuple[Value, ...]) -> Value:
    first = values[0]
    structs = tuple(value for value in values if isinstance(value, Struct))
    if len(structs) == len(values):
        return _structs(structs)
    lists = tuple(value for value in values if isinstance(value, ListValue))
    if isinstance(first, ListValue) and len(lists) == len(values):
        for each in lists:
            if len(each.items) != len(first.items):
                raise _conflict(name, first, each)
        columns = zip(*(value.items for value in lists), strict=True)
        return ListValue(tuple(_values(name, column) for column in columns), first.position)
    for other in values[1:]:
        if other != first:
            raise _conflict(name, first, other)
    return first


def _conflict(name: str, first: Value, other: Value) -> Fault:
    shown = kind(first)
    if isinstance(first, Number):
        shown = first.text
    elif isinstance(first, Text) and len(first.value) < 80:
        shown = repr(first.value)
    return Fault(
        other.position,
        f"field {label(name)}: expected {shown} as on line {first.position.line}, got another value",
        check="cue.conflict",
    )
