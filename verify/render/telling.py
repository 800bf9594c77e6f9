"""What a report has to tell, in the order every format tells it: worst first, then by subject and check.

To the findings come the *gaps*: what keeps a run from passing although no finding says so, made into
findings of the `report.*` checks. So no renderer can turn a run that did not pass into an empty document.

>>> [str(gap.check.id) for gap in gaps(Report(command="verify tree"))]
['report.nothing-checked']
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from verify.render.checks import EMPTY_LOCK, NOT_LOCKED, NOT_RUN, NOTHING_CHECKED, NOTHING_VERIFIED
from verify.report import Finding, Outcome, Report, Standing, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Status(StrEnum):
    """How a finding counts once its exception is heard, worst first."""

    FAILED = "failed"
    UNKNOWN = "unknown"
    EXCEPTED = "excepted"
    NOTED = "noted"
    PASSED = "passed"


_RANK = {status: rank for rank, status in enumerate(Status)}


def status(finding: Finding) -> Status:
    """Only a failure can be excepted."""
    if finding.outcome is Outcome.FAILED and finding.exception is not None:
        return Status.EXCEPTED
    return Status(finding.outcome.value)


def gaps(report: Report) -> tuple[Finding, ...]:
    """Why the run did not pass, or passed empty, where no finding of the report says it."""
    found = [*_unanswered(report)]
    found += [Finding(check=NOT_LOCKED, outcome=Outcome.UNKNOWN, message=name) for name in report.not_locked]
    if report.verdict is Verdict.PASSED:
        if not report.subjects:
            found.append(Finding(check=EMPTY_LOCK, outcome=Outcome.NOTED, message="the lock names no module"))
    elif not found and all(status(each) not in {Status.FAILED, Status.UNKNOWN} for each in report.findings):
        found.append(_nothing(report))
    return tuple(found)


def _unanswered(report: Report) -> Iterator[Finding]:
    missing = {subject.name: checks for subject, checks in report.missing}
    explained = {each.subject for each in report.findings if each.outcome is Outcome.UNKNOWN}
    for subject, standing in report.standings:
        if standing is not Standing.UNKNOWN or subject.name in explained:
            continue
        if subject.requires:
            message = "required, and without an answer: " + ", ".join(missing[subject.name])
        else:
            message = "no check is required of it: nothing was proved"
        yield Finding(check=NOT_RUN, outcome=Outcome.UNKNOWN, subject=subject.name, message=message)


def _nothing(report: Report) -> Finding:
    if report.subjects:
        return Finding(check=NOTHING_VERIFIED, outcome=Outcome.UNKNOWN, message="no subject was verified")
    if not report.empty_lock:
        return Finding(check=NOTHING_CHECKED, outcome=Outcome.UNKNOWN, message="no subject was found")
    return Finding(
        check=NOTHING_CHECKED,
        outcome=Outcome.UNKNOWN,
        message="the lock names no module",
        hints=(f"modseal {report.command} --allow-empty",),
    )


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """Worst first, then what concerns the whole run, then by subject, check, file and all the rest."""
    return sorted(findings, key=_key)


def told(report: Report) -> list[Finding]:
    """Every finding and every gap, in order."""
    return ordered((*report.findings, *gaps(report)))


def _key(finding: Finding) -> tuple[object, ...]:
    place = finding.place
    return (
        _RANK[status(finding)],
        finding.subject is not None,
        finding.subject or "",
        finding.check.id,
        finding.file or "",
        finding.message,
        (place.path, place.line or 0) if place else ("", 0),
        tuple((each.label, each.text) for each in finding.details),
        finding.hints,
        finding.exception or "",
        finding.check.title,
    )
