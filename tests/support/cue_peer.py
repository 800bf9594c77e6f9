"""Asks CUE's own libraries, in one process for many questions."""

from __future__ import annotations

import base64
import json
import subprocess
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from verify.cuedata.syntax import Bool, Bytes, ListValue, Number, Struct, Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verify.cuedata.syntax import Value


class Answer(NamedTuple):
    """What CUE said: `error` is empty where it accepted."""

    error: str
    value: Any


def ask(binary: str, questions: Iterable[tuple[str, bytes]], *, base: bytes = b"") -> list[Answer]:
    """The answers to (operation, text) questions, in order; the operations stand in the program's comment."""
    lines = [
        json.dumps(
            {"op": op, "src": base64.b64encode(text).decode(), "base": base64.b64encode(base).decode()}
        )
        for op, text in questions
    ]
    done = subprocess.run(
        [binary], input="\n".join([*lines, ""]).encode(), capture_output=True, check=True, timeout=300
    )
    answers = [json.loads(line, parse_float=Decimal, parse_int=Decimal) for line in done.stdout.splitlines()]
    assert len(answers) == len(lines)
    return [Answer(answer.get("error", ""), answer.get("value")) for answer in answers]


def exported(value: Value) -> object:
    """A merged value as CUE writes it in JSON: fields with a mark are gone, bytes are base64."""
    match value:
        case Struct(fields=fields):
            return {field.label: exported(field.value) for field in fields}
        case ListValue(items=items):
            return [exported(item) for item in items]
        case Bytes(value=raw):
            return base64.b64encode(raw).decode()
        case Number(value=number) | Text(value=number) | Bool(value=number):
            return number
        case _:
            return None
