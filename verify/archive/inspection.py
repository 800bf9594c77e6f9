"""What is to be said about a zip: findings on one subject, each defect under its own check.

Three checks stand for the whole and can be required: `archive.structure` (one reading only), `archive.contents`
(every file is what its header says) and, where asked for, `archive.canonical`. Each has exactly one finding
unless a defect of its kind has one of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from verify.archive import checks
from verify.archive.canonical import SLOW_MOST, check_canonical
from verify.archive.fault import Docket, Fault
from verify.archive.reader import Archive, Container, prove_contents, read_structure
from verify.digest import TreeHash
from verify.errors import Exhausted
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.report import Check, Finding, Outcome
from verify.tree.checks import CHECKS as TREE_CHECKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.archive.deflate import Encoder
    from verify.tree.names import Profile

_BY_ID = {check.id: check for check in (*TREE_CHECKS, *checks.CHECKS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """Findings, and what could be told besides."""

    findings: tuple[Finding, ...]
    archive: Archive | None = None  # where the structure was accepted
    tree_hash: TreeHash | None = None  # where every file was proved


@dataclass(frozen=True, slots=True, kw_only=True)
class Recheck:
    """How to write the archive again for `archive.canonical`."""

    encoder: Encoder | None = None  # the reference one where None
    most: int | None = SLOW_MOST  # contents, where the encoder is slow


def check_archive(
    file: BinaryIO,
    *,
    subject: str,
    container: Container = Container.FOREIGN,
    names: Profile | None = None,
    recheck: Recheck | None = None,
    events: Events = SILENT,
    limits: Limits = DEFAULT,
) -> Inspection:
    """Structure, then contents, then (with `recheck`) all bytes. Raises only what reading the file raises."""
    structure = read_structure(file, container=container, names=names, limits=limits)
    found = findings_of(structure.faults, subject)
    if any(fault.outcome is not Outcome.NOTED for fault in structure.faults):
        return Inspection(findings=found)
    archive = Archive(structure, limits)
    found += (_passed(checks.STRUCTURE, subject),)
    docket = Docket()
    proved = prove_contents(archive, docket, events)
    if not docket.sound:
        return Inspection(findings=found + findings_of(docket.faults, subject), archive=archive)
    found += (_passed(checks.CONTENTS, subject),)
    tree_hash = TreeHash.from_lines((entry.name.encode(), measure.sha256) for entry, measure in proved)
    if recheck is not None:
        found += _canonical(archive, recheck, subject, events, limits)
    return Inspection(findings=found, archive=archive, tree_hash=tree_hash)


def _canonical(
    archive: Archive, recheck: Recheck, subject: str, events: Events, limits: Limits
) -> tuple[Finding, ...]:
    docket = Docket()
    try:
        check_canonical(
            archive,
            docket,
            encoder=recheck.encoder,
            most=recheck.most,
            events=events,
            limits=limits,
        )
    except Exhausted as error:
        docket.undecided(error.check or checks.SLOW_ENCODER.id, error.message)
    return findings_of(docket.faults, subject) or (_passed(checks.CANONICAL, subject),)


def _passed(check: Check, subject: str) -> Finding:
    return Finding(check=check, outcome=Outcome.PASSED, subject=subject)


def findings_of(faults: Sequence[Fault], subject: str) -> tuple[Finding, ...]:
    """Each fault under its check."""
    return tuple(
        Finding(
            check=_BY_ID[fault.check],
            outcome=fault.outcome,
            subject=subject,
            message=fault.text,
            file=fault.entry,
        )
        for fault in faults
    )
