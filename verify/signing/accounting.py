"""One satisfying attestation is enough, and every other candidate is accounted for.

1. A candidate that satisfies passes `attestation.accepted`. The rest are noted: they sink nothing.
2. Where none does, a candidate that nobody could judge (unreachable, unbound, trust material missing), or a list
   that may be incomplete, makes the answer unknown: the one asked for may be among what was not seen.
3. Otherwise the answer is no. The candidate that came closest carries the failure with its own check, the rest
   are noted; without any candidate it is `attestation.none`.

Malformed, refuted and unreachable stay three answers throughout.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.errors import Undecidable
from verify.report import Detail, Finding, Outcome
from verify.signing import checks
from verify.signing.attestation import Mismatch, compare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.errors import ModsealError
    from verify.report import Check
    from verify.signing.attestation import Asked, Attestation

_HELD = 50  # candidates told one by one; the rest are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something attached or handed over: opened, or the reason why not."""

    origin: str  # a digest or a file name, for people
    attestation: Attestation | None = None
    error: ModsealError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The findings, and the attestation that satisfied."""

    findings: tuple[Finding, ...]
    accepted: Attestation | None = None


@dataclass(frozen=True, slots=True)
class _Outcome:
    candidate: Candidate
    mismatch: Mismatch

    @property
    def undecided(self) -> bool:
        error = self.candidate.error
        return isinstance(error, Undecidable) or self.mismatch.check is checks.UNBOUND


def check_attestations(
    candidates: Sequence[Candidate], asked: Asked, *, subject: str, incomplete: str = ""
) -> Judged:
    """Findings on one subject; `incomplete` says why the list of candidates may lack some."""
    others: list[_Outcome] = []
    accepted: Candidate | None = None
    for candidate in candidates:
        mismatch = _mismatch(candidate, asked)
        if mismatch is not None:
            others.append(_Outcome(candidate, mismatch))
        elif accepted is None:
            accepted = candidate
    if accepted is not None and accepted.attestation is not None:
        first = _passed(accepted.origin, accepted.attestation, asked, subject)
        notes = tuple(_told(each, Outcome.NOTED, subject) for each in others[:_HELD])
        return Judged(findings=(first, *notes, *_rest(others, subject)), accepted=accepted.attestation)
    return Judged(findings=_refused(others, subject, incomplete))


def _mismatch(candidate: Candidate, asked: Asked) -> Mismatch | None:
    if candidate.attestation is not None:
        return compare(candidate.attestation, asked)
    error = candidate.error
    check = checks.BY_ID.get(error.check or "", checks.UNREADABLE) if error else checks.UNREADABLE
    return Mismatch(check=check, message=str(error or "was not opened"), rank=0)


def _passed(origin: str, attestation: Attestation, asked: Asked, subject: str) -> Finding:
    details = [
        Detail(label="signed by", text=str(attestation.identity)),
        Detail(label="says", text=attestation.predicate_type),
        Detail(label="in", text=origin),
    ]
    if asked.module is None or attestation.statement is None:
        details.append(Detail(label="bound to", text="the bytes alone"))
    details += [Detail(label="not checked", text=note) for note in attestation.notes]
    return Finding(check=checks.ACCEPTED, outcome=Outcome.PASSED, subject=subject, details=tuple(details))


def _refused(others: Sequence[_Outcome], subject: str, incomplete: str) -> tuple[Finding, ...]:
    undecided = [each for each in others if each.undecided]
    outcome = Outcome.UNKNOWN if undecided or incomplete else Outcome.FAILED
    findings = []
    if incomplete:
        findings.append(_finding(checks.LIST_INCOMPLETE, Outcome.UNKNOWN, subject, incomplete))
    if not others:
        findings.append(_finding(checks.NONE, outcome, subject, "nothing is attached"))
    else:
        findings.append(
            _finding(
                checks.ACCEPTED,
                outcome,
                subject,
                f"none of {len(others)} is an accepted statement by an expected signer",
            )
        )
    closest = max(others, key=lambda each: each.mismatch.rank, default=None)
    decisive = undecided if outcome is Outcome.UNKNOWN else [closest]
    shown = sorted(others, key=lambda each: each not in decisive)[:_HELD]
    findings += [_told(each, outcome if each in decisive else Outcome.NOTED, subject) for each in shown]
    return (*findings, *_rest(others, subject))


def _told(each: _Outcome, outcome: Outcome, subject: str) -> Finding:
    hint = each.candidate.error.hint if each.candidate.error else None
    return Finding(
        check=each.mismatch.check,
        outcome=outcome,
        subject=subject,
        message=each.mismatch.message,
        details=(Detail(label="in", text=each.candidate.origin), *each.mismatch.details),
        hints=(hint,) if hint else (),
    )


def _rest(others: Sequence[_Outcome], subject: str) -> tuple[Finding, ...]:
    left = len(others) - _HELD
    if left <= 0:
        return ()
    return (_finding(checks.MORE, Outcome.NOTED, subject, f"{left} more candidates did not satisfy"),)


def _finding(check: Check, outcome: Outcome, subject: str, message: str) -> Finding:
    return Finding(check=check, outcome=outcome, subject=subject, message=message)
