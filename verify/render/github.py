"""A report as GitHub workflow commands, which the runner shows as annotations.

    ::error file=cue.mod/sum.cue,line=7,title=tree.extra-file example.com/net@v1.4.0::hook.cue: not locked

The runner keeps ten annotations of a kind per step and drops the rest without a word, so no more are
written: worst first, and the last of a kind says how many are left out. Failed is `error`, unknown is
`warning`, excepted and noted are `notice`. The last line is always a notice with the account.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.render.escape import terminal, workflow_data, workflow_property
from verify.render.telling import Status, status, told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.report import Finding, Report

MOST = 10
_TITLE = 200  # characters; the runner cuts a title at 255 bytes
_MESSAGE = 4000
_KIND = {
    Status.FAILED: "error",
    Status.UNKNOWN: "warning",
    Status.EXCEPTED: "notice",
    Status.NOTED: "notice",
}


def render(report: Report) -> str:
    """The commands, one per line."""
    findings = [each for each in told(report) if status(each) in _KIND]
    lines: list[str] = []
    for kind in ("error", "warning", "notice"):
        room = MOST - (kind == "notice")  # one notice is the account's
        lines += _some(kind, [each for each in findings if _KIND[status(each)] == kind], room)
    lines.append(_closing(report))
    return "\n".join(lines) + "\n"


def _some(kind: str, findings: list[Finding], room: int) -> Iterator[str]:
    if len(findings) <= room:
        yield from (_command(kind, each) for each in findings)
        return
    yield from (_command(kind, each) for each in findings[: room - 1])
    yield f"::{kind} title=modseal::{len(findings) - room + 1} more (see --output json)"


def _command(kind: str, finding: Finding) -> str:
    path = finding.place.path if finding.place else finding.file
    properties = []
    if path:
        properties.append(f"file={workflow_property(path)}")
    if finding.place and finding.place.line:
        properties.append(f"line={finding.place.line}")
    title = f"{finding.check.id} {finding.subject or ''}".strip()
    properties.append(f"title={workflow_property(_cut(title, _TITLE))}")
    return f"::{kind} {','.join(properties)}::{workflow_data(_cut(_message(finding), _MESSAGE))}"


def _message(finding: Finding) -> str:
    head = ": ".join(
        terminal(part) for part in (finding.file, finding.message or finding.check.title) if part
    )
    lines = [head or finding.check.id]
    lines += [f"{terminal(each.label)}: {terminal(each.text)}" for each in finding.details]
    if finding.exception is not None:
        lines.append(f"excepted: {terminal(finding.exception)}")
    lines += [f"hint: {terminal(hint)}" for hint in finding.hints]
    return "\n".join(lines)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _closing(report: Report) -> str:
    said = [str(report.account), f"basis: {report.basis}"]
    said += [f"weakened: {flag}" for flag in sorted(report.weakened)]
    said += [f"{each.label}: {each.text}" for each in report.facts]
    text = _cut("\n".join(map(terminal, said)), _MESSAGE)
    return f"::notice title=modseal {report.verdict.value}::{workflow_data(text)}"
