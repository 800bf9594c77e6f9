r"""What a server says when it says no, as text for a message. Never acted upon but for its codes.

>>> read_complaint(b'{"errors":[{"code":"NAME_UNKNOWN","message":"no such repository"}]}')
Complaint(codes=('NAME_UNKNOWN',), text='NAME_UNKNOWN: no such repository')
>>> read_complaint(b"404 page not found\n").text
'404 page not found'
"""

from __future__ import annotations

import json
from dataclasses import dataclass

_MOST = 300


@dataclass(frozen=True, slots=True)
class Complaint:
    """The codes of the distribution specification, where there are any, and a short text."""

    codes: tuple[str, ...] = ()
    text: str = ""


def read_complaint(data: bytes) -> Complaint:
    """From the start of a body, whatever its type says: JSON is tried, text is cut."""
    text = data.decode("utf-8", "replace")
    try:
        # a body that was cut, is nested without end or is no JSON is only text
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    errors = value.get("errors") if isinstance(value, dict) else None
    if not isinstance(errors, list):
        plain = "" if text.lstrip().startswith("<") else " ".join(text.split())
        return Complaint(text=plain[:_MOST])
    codes: list[str] = []
    said: list[str] = []
    for each in errors[:5]:
        code = each.get("code") if isinstance(each, dict) else None
        message = each.get("message") if isinstance(each, dict) else None
        if isinstance(code, str):
            codes.append(code[:64])
        said.append(": ".join(part for part in (code, message) if isinstance(part, str) and part))
    return Complaint(codes=tuple(codes), text="; ".join(filter(None, said))[:_MOST])
