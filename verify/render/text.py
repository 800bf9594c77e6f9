"""A report for people at a terminal: worst first, the basis, and the account as the last line, always.

    FAIL tree.extra-file  example.com/net@v1.4.0
      found    templates/hook.cue   not in the locked tree
      locked   cue.mod/sum.cue:7    h1:Khu2…43=
      hint: modseal vendor --restore example.com/net@v1.4.0
    basis: self-consistent (pin it with --sum git:v1.2.0)
    1 module = 0 verified + 1 failed + 0 unknown + 0 excepted; 0 not locked

1. Findings of one check on one subject with one status stand under one heading; after `CAP` of them the
   rest is counted. Hints are gathered below, each once.
2. A detail labelled `found` stands beside the file, one labelled `locked` beside the place of the lock.
3. No line begins with untrusted text: a CI runner would take `::error::` at a line's start as a command.
4. Passed findings are counted by the account, and listed only when asked.
"""

from __future__ import annotations

from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING

from verify.render.escape import terminal
from verify.render.telling import Status, status, told

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from verify.report import Finding, Report

CAP = 20
_WIDEST = 48  # a longer first column is not padded to
_WORD = {
    Status.FAILED: "FAIL",
    Status.UNKNOWN: "UNKNOWN",
    Status.EXCEPTED: "EXCEPTED",
    Status.NOTED: "note",
    Status.PASSED: "PASS",
}
_COLOUR = {
    Status.FAILED: "\x1b[1;31m",
    Status.UNKNOWN: "\x1b[1;33m",
    Status.EXCEPTED: "\x1b[35m",
    Status.NOTED: "\x1b[36m",
    Status.PASSED: "\x1b[32m",
}
_VERDICT = {"passed": Status.PASSED, "failed": Status.FAILED, "unknown": Status.UNKNOWN}
_RESET = "\x1b[0m"

_Row = tuple[str, str, str]


class Style(StrEnum):
    """Plain unless the caller knows that a terminal is listening."""

    PLAIN = "plain"
    COLOUR = "colour"


def render(report: Report, *, style: Style = Style.PLAIN, verbose: bool = False) -> str:
    """The whole report; `verbose` lists what passed too."""
    findings = told(report)
    shown = [each for each in findings if status(each) is not Status.PASSED]
    lines: list[str] = []
    if verbose:
        lines += _passes([each for each in findings if status(each) is Status.PASSED], style)
    for (kind, check, subject), group in groupby(shown, key=_heading):
        lines.append(_paint(_WORD[kind], kind, style) + f" {check}" + (f"  {subject}" if subject else ""))
        lines += _body(list(group))
    lines += [f"weakened: {terminal(flag)}" for flag in sorted(report.weakened)]
    lines += [f"{terminal(fact.label)}: {terminal(fact.text)}" for fact in report.facts]
    lines.append(f"basis: {terminal(str(report.basis))}")
    lines.append(_paint(terminal(str(report.account)), _VERDICT[report.verdict.value], style))
    return "\n".join(lines) + "\n"


def _heading(finding: Finding) -> tuple[Status, str, str]:
    return status(finding), finding.check.id, terminal(finding.subject or "")


def _paint(text: str, kind: Status, style: Style) -> str:
    return f"{_COLOUR[kind]}{text}{_RESET}" if style is Style.COLOUR else text


def _passes(findings: Iterable[Finding], style: Style) -> Iterator[str]:
    word = _paint(_WORD[Status.PASSED], Status.PASSED, style)
    for subject, group in groupby(findings, key=lambda each: each.subject):
        checks = dict.fromkeys(each.check.id for each in group)
        yield f"{word} {terminal(subject or 'the run')}  {', '.join(checks)}"


def _body(findings: list[Finding]) -> Iterator[str]:
    rows = [row for finding in findings[:CAP] for row in _rows(finding)]
    labels = max((len(label) for label, _, _ in rows), default=0)
    # only what has something to its right needs a column
    first = max((len(text) for _, text, right in rows if right and len(text) <= _WIDEST), default=0)
    for label, text, right in rows:
        yield f"  {label:{labels}}   " + (f"{text:{first}}   {right}" if right else text)
    if len(findings) > CAP:
        yield f"  … and {len(findings) - CAP} more (see --output json)"
    for hint in dict.fromkeys(hint for finding in findings[:CAP] for hint in finding.hints):
        yield f"  hint: {terminal(hint)}"


def _rows(finding: Finding) -> Iterator[_Row]:
    details = [(terminal(each.label), terminal(each.text)) for each in finding.details]
    # where nothing else says what is wrong, the check's title does
    bare = not (finding.message or details or finding.exception)
    message = terminal(finding.message or (finding.check.title if bare else ""))
    if finding.file is not None:
        found = next((each for each in details if each[0] == "found"), None)
        if found:
            details.remove(found)
            yield "found", terminal(finding.file), found[1]
        else:
            yield "file", terminal(finding.file), message
            message = ""
    if message:
        yield "why", message, ""
    place = terminal(str(finding.place)) if finding.place else ""
    for label, text in details:
        if label == "locked" and place:
            yield label, place, text
            place = ""
        else:
            yield label, text, ""
    if place:
        yield "at", place, ""
    if finding.exception is not None:
        yield "except", terminal(finding.exception), ""
