"""Failures that somebody accepts on the command line: `--except CHECK[:SUBJECT]=REASON`.

>>> Exemption.parse("tree.replaced:example.com/net@v1.4.0=patched until v1.4.1")
Exemption(check='tree.replaced', subject='example.com/net@v1.4.0', reason='patched until v1.4.1')
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from verify.ecosystems.cue.lockchecks import UNUSED_EXCEPTION
from verify.errors import Misused
from verify.report import Finding, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Exemption:
    """One check, on one subject or on whatever has it, and why. A subject may be a finding's file."""

    check: str
    subject: str
    reason: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises Misused: no such check, or no reason."""
        from verify.workflows.catalogue import checks  # noqa: PLC0415 - every room's checks, for this alone

        what, equals, reason = text.partition("=")
        check, _, subject = what.partition(":")
        if not equals or not reason.strip():
            raise Misused(
                f"--except {text}: expected CHECK[:SUBJECT]=REASON", hint=f'--except "{what}=REASON"'
            )
        if check not in checks():
            raise Misused(f"--except {text}: no check {check!r}", hint="modseal explain --all")
        return cls(check, subject, reason.strip())

    def covers(self, finding: Finding) -> bool:
        """Whether it speaks of this failure."""
        if finding.outcome is not Outcome.FAILED or finding.check.id != self.check:
            return False
        return self.subject in {"", finding.subject, finding.file, finding.message}


def excepted(findings: Iterable[Finding], exemptions: Iterable[Exemption]) -> list[Finding]:
    """The same findings, those that are accepted with their reason; and which exceptions cover nothing."""
    wanted = list(exemptions)
    used: set[Exemption] = set()
    result: list[Finding] = []
    for finding in findings:
        covering = next((each for each in wanted if each.covers(finding)), None)
        if covering is not None:
            used.add(covering)
            finding = replace(finding, exception=covering.reason)  # noqa: PLW2901
        result.append(finding)
    result += [
        Finding(check=UNUSED_EXCEPTION, outcome=Outcome.NOTED, message=f"{each.check}:{each.subject}")
        for each in wanted
        if each not in used
    ]
    return result
