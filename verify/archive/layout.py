"""Every byte before the directory belongs to exactly one entry: no prefix, no gap, no overlap, none hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.archive.format import LOCAL_MARK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.archive.fault import Docket
    from verify.archive.member import Span
    from verify.archive.source import Window


def judge_layout(spans: Sequence[Span], directory: int, window: Window, docket: Docket) -> None:
    """`spans` sorted by start; `directory` is where the central directory begins."""
    at = 0
    for span in spans:
        if span.start > at:
            _judge_between(at, span.start, window, docket)
        elif span.start < at:
            docket.fail("archive.overlap", "it begins inside another entry", span.name)
        at = max(at, span.end)
    if at < directory:
        _judge_between(at, directory, window, docket)
    elif at > directory:
        docket.fail(
            "archive.overlap", "it runs into the central directory", spans[-1].name if spans else None
        )


def _judge_between(start: int, end: int, window: Window, docket: Docket) -> None:
    if window.at(start, 4) == LOCAL_MARK:
        docket.fail("archive.hidden-entry", f"a local header at {start} that the directory does not name")
    elif start == 0:
        docket.fail("archive.prefix-data", f"{end} bytes stand before the first entry")
    else:
        docket.fail("archive.gap", f"{end - start} bytes at {start} belong to nothing")
