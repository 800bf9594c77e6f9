"""A report as Markdown, for a CI step summary.

Untrusted text stands in code spans only, never in a table, a link or a heading. GitHub drops a summary of
more than 1 MiB whole, so this one stays below `MOST` bytes: findings are left out from the end, one line
says how many, and the account is always there, first and last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.render.escape import code
from verify.render.telling import Status, status, told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.report import Finding, Report

MOST = 1_000_000
_RESERVE = 60_000  # for what stands before and after the findings, with every character escaped
_LONGEST = 4_000  # characters of one untrusted text
_WORD = {
    Status.FAILED: "**FAIL**",
    Status.UNKNOWN: "**UNKNOWN**",
    Status.EXCEPTED: "EXCEPTED",
    Status.NOTED: "note",
}


def render(report: Report) -> str:
    """The whole summary."""
    account = _span(str(report.account))
    head = [f"## modseal: {report.verdict.value}", "", account, ""]
    tail = [f"basis: {_span(str(report.basis))}", "", account]
    items = [*_context(report), *(_item(each) for each in told(report) if status(each) in _WORD)]
    kept: list[str] = []
    size = _RESERVE
    for item in items:
        size += len(item.encode()) + 1
        if size > MOST:
            break
        kept.append(item)
    cut = len(items) - len(kept)
    if cut:
        kept.append(f"- {cut} more left out to stay below the size limit (see `--output json`)")
    middle = [*kept, ""] if kept else []
    return "\n".join((*head, *middle, *tail)) + "\n"


def _span(text: str) -> str:
    return code(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")


def _context(report: Report) -> Iterator[str]:
    yield from (f"- weakened: {_span(flag)}" for flag in sorted(report.weakened))
    yield from (f"- {_span(each.label)}: {_span(each.text)}" for each in report.facts)


def _item(finding: Finding) -> str:
    subject = f" {_span(finding.subject)}" if finding.subject is not None else ""
    lines = [f"- {_WORD[status(finding)]} {_span(finding.check.id)}{subject}"]
    rows = [("file", finding.file), ("why", finding.message or None)]
    rows += [("at", str(finding.place))] if finding.place else []
    lines += [f"  - {label}: {_span(text)}" for label, text in rows if text is not None]
    lines += [f"  - {_span(each.label)}: {_span(each.text)}" for each in finding.details]
    if finding.exception is not None:
        lines.append(f"  - except: {_span(finding.exception)}")
    lines += [f"  - hint: {_span(hint)}" for hint in finding.hints]
    return "\n".join(lines)
