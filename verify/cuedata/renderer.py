r"""The one way this product writes a value as CUE.

A field a line, tabs, LF; labels bare where they are plain ASCII names and no keywords, else quoted; strings
on one line in double quotes, bytes in single quotes; integers in plain digits. Control, bidirectional and
invisible characters are escaped, so that what a person sees is what stands there.

>>> from verify.cuedata.syntax import Field, Struct, Text
>>> render(Struct((Field("a-b", Struct((Field("c", Text("x\n")),))),)))
'"a-b": {\n\tc: "x\\n"\n}\n'

`parse(render(struct))` equals `struct`; rendering that again changes nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from verify.cuedata.syntax import Bool, Bytes, Field, ListValue, Null, Number, Struct, Text

if TYPE_CHECKING:
    from verify.cuedata.syntax import Scalar, Value

_BARE = re.compile(r"[A-Za-z$][A-Za-z0-9_$]*")
_KEYWORDS = frozenset(
    (
        "else",
        "fallback",
        "false",
        "for",
        "func",
        "if",
        "import",
        "in",
        "let",
        "null",
        "otherwise",
        "package",
        "true",
        "try",
    )
)
_ESCAPED = re.compile(
    '["\\\\\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb'
    "\U000e0000-\U000e007f]"
)
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def render(struct: Struct) -> str:
    """A document: the struct's fields at the left margin."""
    return "".join(_field(field, "") for field in struct.fields)


def quote(text: str) -> str:
    """A string as a CUE literal on one line; it is also a valid label."""
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def label(name: str) -> str:
    """A label, bare where that is safe."""
    return name if _BARE.fullmatch(name) and name not in _KEYWORDS else quote(name)


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    point = ord(char)
    return _SHORT.get(char) or (f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}")


def _field(field: Field, indent: str) -> str:
    name = field.label if field.hidden else label(field.label)
    return f"{indent}{name}{field.mark}: {_value(field.value, indent)}\n"


def _value(value: Value, indent: str) -> str:
    match value:
        case Struct(fields=fields):
            inner = "".join(_field(each, indent + "\t") for each in fields)
            return "{\n" + inner + indent + "}" if inner else "{}"
        case ListValue(items=items):
            inner = "".join(f"{indent}\t{_value(each, indent + chr(9))},\n" for each in items)
            return "[\n" + inner + indent + "]" if inner else "[]"
        case _:
            return _scalar(value)


def _scalar(value: Scalar) -> str:
    match value:
        case Text(value=text):
            return quote(text)
        case Bytes(value=raw):
            return "'" + "".join(_byte(each) for each in raw) + "'"
        case Number():
            return _number(value)
        case Bool(value=truth):
            return "true" if truth else "false"
        case Null():
            return "null"


def _byte(value: int) -> str:
    return chr(value) if 0x20 <= value < 0x7F and value not in b"'\\" else f"\\x{value:02x}"


def _number(number: Number) -> str:
    if number.integer:
        return str(int(number.value))
    sign, digits, exponent = number.value.as_tuple()
    if not isinstance(exponent, int):
        raise TypeError(f"number {number.value} is not finite")
    text = "".join(map(str, digits)).lstrip("0")
    kept = text.rstrip("0")
    exponent += len(text) - len(kept)
    if not kept:
        return "0.0"
    if -len(kept) < exponent < 0:
        plain = f"{kept[:exponent]}.{kept[exponent:]}"
    elif exponent == 0:
        plain = f"{kept}.0"
    else:
        plain = f"{kept}e{exponent:+d}"
    return ("-" if sign else "") + plain
