"""What a check means: for `modseal explain`, and as the one source of the reference page.

>>> from verify.report import Check
>>> print(explain(Check(id="tree.hash", title="tree hash", meaning="The files differ.", remedy="Fetch again.")))
tree.hash: tree hash
<BLANKLINE>
The files differ.
<BLANKLINE>
What to do: Fetch again.
<BLANKLINE>
"""

from __future__ import annotations

import re
import textwrap
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verify.report import Check

__all__ = ["explain", "reference"]

_WIDTH = 88
_SPAN = re.compile(r"(`[^`]*`)")


def explain(check: Check) -> str:
    """Plain text, wrapped."""
    parts = [f"{check.id}: {check.title}", check.meaning]
    if check.remedy:
        parts.append(f"What to do: {check.remedy}")
    return "\n\n".join(_wrapped(part) for part in parts if part) + "\n"


def reference(checks: Iterable[Check]) -> str:
    """The Markdown page of all checks, by room. The same check twice is one; two of one id are a mistake."""
    by_id: dict[str, Check] = {}
    for check in checks:
        if by_id.setdefault(check.id, check) != check:
            raise ValueError(f"two checks called {check.id}")
    lines = [
        "# Checks",
        "",
        "Every finding names one of these. `modseal explain CHECK-ID` prints the same text.",
    ]
    ordered = sorted(by_id.values(), key=lambda check: (_room(check), check.id))
    for room, group in groupby(ordered, key=_room):
        lines += ["", f"## {room}"]
        for check in group:
            lines += ["", f"### `{check.id}`", "", f"**{_prose(check.title)}**", "", _prose(check.meaning)]
            lines += ["", f"What to do: {_prose(check.remedy)}"] if check.remedy else []
    return "\n".join(lines) + "\n"


def _room(check: Check) -> str:
    return check.id.partition(".")[0]


def _wrapped(text: str) -> str:
    return "\n".join(
        textwrap.fill(line, _WIDTH, break_long_words=False, break_on_hyphens=False)
        for line in text.split("\n")
    )


def _prose(text: str) -> str:
    """Our own text, in which `<name>` must not become an element and `*` no emphasis; code spans stay."""
    parts = _SPAN.split(text)
    return "".join(part if i % 2 else re.sub(r"([<*_\[\]\\])", r"\\\1", part) for i, part in enumerate(parts))
