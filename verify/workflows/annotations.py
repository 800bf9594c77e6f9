"""What a publisher says of an artifact: annotations, and a time if one is wanted.

An artifact carries no time unless somebody asks for one, so that publishing the same content twice gives the
same manifest. `--created` asks, and so does `SOURCE_DATE_EPOCH`; only a CUE module ignores the latter, because
cue writes no time and its manifest shall stay cue's.

>>> parse_annotations(["team=net"])
{'team': 'net'}
>>> created("1767225600", {})
'2026-01-01T00:00:00Z'
>>> created(None, {"SOURCE_DATE_EPOCH": "0"})
'1970-01-01T00:00:00Z'
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from verify.errors import Misused

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CREATED: Final = "org.opencontainers.image.created"


def parse_annotations(words: Iterable[str]) -> dict[str, str]:
    """From `KEY=VALUE`. Raises Misused."""
    found: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not key or not equals:
            raise Misused(f"annotation {word!r}: expected KEY=VALUE")
        if key in found:
            raise Misused(f"annotation {key!r}: stands twice")
        try:
            word.encode("utf-8")
        except UnicodeEncodeError:
            raise Misused(f"annotation {word!r}: expected UTF-8") from None
        found[key] = value
    return found


def created(said: str | None, environment: Mapping[str, str]) -> str | None:
    """The time to record, in UTC: RFC 3339 or seconds since 1970; None where nobody asked. Raises Misused."""
    if said is not None:
        return _time(said, "--created")
    epoch = environment.get("SOURCE_DATE_EPOCH", "")
    return _time(epoch, "SOURCE_DATE_EPOCH") if epoch else None


def _time(text: str, what: str) -> str:
    try:
        seconds = text.isascii() and text.isdigit()
        moment = datetime.fromtimestamp(int(text), UTC) if seconds else datetime.fromisoformat(text)
    except (ValueError, OverflowError, OSError):
        moment = None
    if moment is None or moment.tzinfo is None:  # without a zone nobody knows which moment it is
        raise Misused(f"{what} {text!r}: expected 2026-01-02T03:04:05Z or seconds since 1970")
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
