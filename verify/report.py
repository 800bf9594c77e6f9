"""What a check says, what a run says, and the account that must add up. Values only.

A `Check` is a rule with a stable id. A `Finding` is its outcome on one subject. A `Report` is all of them,
and from it, never stored, follow each subject's `Standing`, the `Account` and the `Verdict`.

1. Every subject ends in exactly one standing; verified + failed + unknown + excepted = subjects.
2. A subject is *verified* only when every check it requires has a passed finding and none has another
   outcome. A subject that requires nothing is unknown: nothing was proved.
3. A failed finding fails its subject unless an exception covers that finding; an unknown one makes it
   unknown. Findings without a subject (a lock that cannot be read) count against the whole run.
4. The run passes when no subject failed or is unknown, no finding without a subject failed or is unknown,
   nothing was found that no lock names, and at least one subject was verified.
5. Nothing to check is unknown, except where a lock was read completely, names nothing, and the caller
   allowed that.

>>> check = Check(id="tree.hash", title="tree hash", meaning="the files have the locked hash")
>>> subject = Subject(name="example.com/net@v1.4.0", kind=SubjectKind.LOCKED, requires=("tree.hash",))
>>> Report(command="verify tree", subjects=(subject,)).verdict.value
'unknown'
>>> ok = Finding(check=check, outcome=Outcome.PASSED, subject=subject.name)
>>> report = Report(command="verify tree", subjects=(subject,), findings=(ok,))
>>> report.verdict.value, str(report.account)
('passed', '1 subject = 1 verified + 0 failed + 0 unknown + 0 excepted; 0 not locked')
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

_ID = re.compile(r"[a-z][a-z0-9]*(?:[.-][a-z0-9]+)*")


class Outcome(StrEnum):
    """How a check came out on one subject. `noted` is worth telling and decides nothing."""

    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"
    NOTED = "noted"


class Standing(StrEnum):
    """Where a subject ends: in exactly one of these."""

    VERIFIED = "verified"
    FAILED = "failed"
    UNKNOWN = "unknown"
    EXCEPTED = "excepted"


class Verdict(StrEnum):
    """The whole run."""

    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"

    @property
    def exit_code(self) -> int:
        """0 passed, 1 refuted, 3 undecidable."""
        return {"passed": 0, "failed": 1, "unknown": 3}[self.value]


class SubjectKind(StrEnum):
    """What a subject is."""

    LOCKED = "locked"
    TARGET = "target"


class BasisKind(StrEnum):
    """What a verdict stands on."""

    SELF_CONSISTENT = "self-consistent"
    PINNED = "pinned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A rule with a stable id. `modseal explain` prints `meaning` and `remedy`."""

    id: str
    title: str
    meaning: str
    remedy: str = ""

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise ValueError(f"check id {self.id!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a person looks: a file, relative where possible, and a line from 1."""

    path: str
    line: int | None = None

    def __str__(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """One labelled line below a finding, such as `found` or `locked`. Text may be untrusted."""

    label: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The outcome of a check on one subject, or on the run where `subject` is None."""

    check: Check
    outcome: Outcome
    subject: str | None = None
    message: str = ""
    file: str | None = None  # the file inside the subject that it is about
    place: Place | None = None  # where in lock data the expectation stands
    details: tuple[Detail, ...] = ()
    hints: tuple[str, ...] = ()
    exception: str | None = None  # why a failure is accepted, named by whoever accepted it

    def __post_init__(self) -> None:
        if self.exception is not None and not self.exception.strip():
            raise ValueError("an exception without a reason: nobody accepted anything")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A locked module, or a target named on the command line, and the checks it must pass."""

    name: str
    kind: SubjectKind = SubjectKind.TARGET
    requires: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """`self-consistent`: agrees with lock data that came with it. `pinned`: with something from elsewhere."""

    kind: BasisKind = BasisKind.SELF_CONSISTENT
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind.value} ({self.detail})" if self.detail else self.kind.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The sum that is always printed."""

    verified: int
    failed: int
    unknown: int
    excepted: int
    not_locked: int
    noun: str = "subject"
    unknown_because: tuple[str, ...] = ()

    @property
    def subjects(self) -> int:
        """All of them."""
        return self.verified + self.failed + self.unknown + self.excepted

    def __str__(self) -> str:
        noun = self.noun if self.subjects == 1 else f"{self.noun}s"
        why = f" ({', '.join(self.unknown_because)})" if self.unknown_because else ""
        return (
            f"{self.subjects} {noun} = {self.verified} verified + {self.failed} failed + {self.unknown} unknown{why}"
            f" + {self.excepted} excepted; {self.not_locked} not locked"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All findings on all subjects of one run."""

    command: str
    subjects: tuple[Subject, ...] = ()
    findings: tuple[Finding, ...] = ()
    basis: Basis = field(default_factory=Basis)
    noun: str = "subject"  # what the account counts: module, archive, artifact
    not_locked: tuple[str, ...] = ()  # found, and no lock names them
    weakened: tuple[str, ...] = ()  # flags in use that ask for less
    facts: tuple[Detail, ...] = ()  # what else the run stood on: a narrowed scope, a trust root's age
    empty_lock: bool = False  # a lock was read completely and names nothing
    allow_empty: bool = False  # and the caller said that is fine

    def __post_init__(self) -> None:
        names = [subject.name for subject in self.subjects]
        if len(set(names)) != len(names):
            raise ValueError("two subjects of one name: the account would not add up")
        strays = {finding.subject for finding in self.findings} - {None, *names}
        if strays:
            raise ValueError(f"findings about subjects nobody named: {sorted(map(str, strays))}")

    def about(self, subject: str | None) -> tuple[Finding, ...]:
        """The findings on one subject, or on the run itself."""
        return tuple(finding for finding in self.findings if finding.subject == subject)

    @property
    def standings(self) -> tuple[tuple[Subject, Standing], ...]:
        """Every subject with where it ends, in the report's order."""
        by_subject: dict[str | None, list[Finding]] = {}
        for finding in self.findings:
            by_subject.setdefault(finding.subject, []).append(finding)
        return tuple((each, _standing(each, by_subject.get(each.name, ()))) for each in self.subjects)

    @property
    def missing(self) -> tuple[tuple[Subject, tuple[str, ...]], ...]:
        """Subjects with the required checks that nobody answered: neither passed, failed nor unknown."""
        answered = {
            (each.subject, each.check.id) for each in self.findings if each.outcome is not Outcome.NOTED
        }
        pairs = (
            (each, tuple(c for c in each.requires if (each.name, c) not in answered))
            for each in self.subjects
        )
        return tuple((each, checks) for each, checks in pairs if checks)

    @property
    def account(self) -> Account:
        """The sum."""
        standings = self.standings
        count = {standing: sum(1 for _, each in standings if each is standing) for standing in Standing}
        unknown = {each.name for each, standing in standings if standing is Standing.UNKNOWN}
        said = [each for each in self.findings if each.subject in unknown and each.outcome is Outcome.UNKNOWN]
        because = {each.check.id for each in said}
        # a subject that nothing calls unknown is so for what was not answered
        silent = unknown - {each.subject for each in said}
        because |= {check for each, checks in self.missing if each.name in silent for check in checks}
        return Account(
            verified=count[Standing.VERIFIED],
            failed=count[Standing.FAILED],
            unknown=count[Standing.UNKNOWN],
            excepted=count[Standing.EXCEPTED],
            not_locked=len(self.not_locked),
            noun=self.noun,
            unknown_because=tuple(sorted(because)),
        )

    @property
    def verdict(self) -> Verdict:
        """Computed each time: a report never carries a verdict that its findings do not support."""
        standings = [standing for _, standing in self.standings]
        loose = [_outcome(finding) for finding in self.findings if finding.subject is None]
        if Standing.FAILED in standings or Outcome.FAILED in loose:
            return Verdict.FAILED
        if Standing.UNKNOWN in standings or Outcome.UNKNOWN in loose or self.not_locked:
            return Verdict.UNKNOWN
        if Standing.VERIFIED in standings:
            return Verdict.PASSED
        nothing_locked = not self.subjects and self.empty_lock and self.allow_empty
        return Verdict.PASSED if nothing_locked else Verdict.UNKNOWN


def _outcome(finding: Finding) -> Outcome:
    """What a finding counts as once its exception is heard: only a failure can be excepted."""
    covered = finding.outcome is Outcome.FAILED and finding.exception is not None
    return Outcome.NOTED if covered else finding.outcome


def _standing(subject: Subject, findings: list[Finding] | tuple[Finding, ...]) -> Standing:
    outcomes = {_outcome(finding) for finding in findings}
    if Outcome.FAILED in outcomes:
        return Standing.FAILED
    if Outcome.UNKNOWN in outcomes:
        return Standing.UNKNOWN
    excepted = {each.check.id for each in findings if each.outcome is Outcome.FAILED}
    passed = {each.check.id for each in findings if each.outcome is Outcome.PASSED}
    if not subject.requires or not set(subject.requires) <= passed | excepted:
        return Standing.UNKNOWN
    return Standing.EXCEPTED if excepted else Standing.VERIFIED
