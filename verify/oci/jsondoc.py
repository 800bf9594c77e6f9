r"""JSON as strictly as two readers must agree on it, and rendered as Go's encoder writes it.

Refused: more than `most` bytes, bytes that are not UTF-8, a byte order mark, a key twice in one object, NaN
and Infinity, a lone surrogate in an escape, nesting beyond `depth`, anything but one value.

Known keys in another case are refused by `exact_keys`, which each document applies to its own objects: Go's
decoder takes `MediaType` for `mediaType`, most others do not.

Rendering is compact and keeps the order of keys; `<`, `>`, `&` and the line separators are escaped as Go
escapes them, so that a manifest equals what a Go program writes from the same values.

>>> render_json({"schemaVersion": 2, "a": "x<y\u2028é"}).decode()
'{"schemaVersion":2,"a":"x\\u003cy\\u2028é"}'
>>> parse_json(b'{"a":1,"a":2}', most=100)
Traceback (most recent call last):
verify.errors.Malformed: document: key 'a' stands twice in one object
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from verify.errors import Exhausted, Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Json = str | int | float | bool | None | Sequence["Json"] | Mapping[str, "Json"]

_DEPTH = 32
_MARKS = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)
_GO_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def parse_json(data: bytes, *, most: int, depth: int = _DEPTH, what: str = "document") -> Json:
    """One JSON value. Raises Malformed; Exhausted (`oci.too-large`) beyond `most` bytes."""
    if len(data) > most:
        raise Exhausted(f"{what}: longer than {most} bytes", check="oci.too-large")
    _refuse_depth(data, depth, what)
    try:
        text = data.decode("utf-8")
        value: Json = json.loads(text, object_pairs_hook=_pairs, parse_constant=_constant)
        # a lone surrogate can stand in an escape and in no UTF-8: what it means differs between readers
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except Malformed as error:
        raise error.within(what) from None
    except UnicodeError as error:
        raise Malformed(f"{what}: not UTF-8", check="oci.json-malformed") from error
    except ValueError as error:
        raise Malformed(f"{what}: not JSON: {_reason(error)}", check="oci.json-malformed") from error
    return value


def render_json(value: Json) -> bytes:
    """Compact, keys in the order given, no newline at the end."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate(_GO_ESCAPES).encode("utf-8")


def exact_keys(members: Mapping[str, Json], known: Iterable[str], what: str) -> None:
    """Refuse a key that differs from a known one only in case: Go would take it for that one."""
    folded = {key.casefold(): key for key in known}
    for key in members:
        meant = folded.get(key.casefold())
        if meant is not None and meant != key:
            raise Malformed(
                f"{what}: key {key!r}: expected {meant!r}, got it in another case",
                check="oci.json-duplicate-key",
            )


def _pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members: dict[str, Json] = {}
    for key, value in pairs:
        if key in members:
            raise Malformed(f"key {key!r} stands twice in one object", check="oci.json-duplicate-key")
        members[key] = value
    return members


def _constant(name: str) -> Json:
    raise Malformed(f"{name} is not JSON", check="oci.json-malformed")


def _reason(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.lower()} at line {error.lineno}"
    return "a number is too long"


def _refuse_depth(data: bytes, depth: int, what: str) -> None:
    # before the parser runs: its own recursion must not be what stops it
    level = 0
    for mark in _MARKS.finditer(data):
        first = mark[0][:1]
        if first in b"[{":
            level += 1
            if level > depth:
                raise Malformed(f"{what}: nested deeper than {depth}", check="oci.json-deep")
        elif first in b"]}":
            level -= 1
