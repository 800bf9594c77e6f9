"""`modseal verify archive`: one reading, contents as declared, and the hash that was asked for.

1. The structure has one reading, the contents are what the headers say (`archive.structure`,
   `archive.contents`).
2. With `canonical`, the bytes are exactly what packing the contents again gives (`archive.canonical`).
3. With an expectation, the `h1:` over the contents or the digest of the file is the one named
   (`archive.hash`), and the basis is pinned. Without one the archive only agrees with itself, and the
   report says so.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from verify.archive import checks as archive_checks
from verify.archive.inspection import Inspection, Recheck, check_archive
from verify.archive.reader import Container
from verify.archive.source import Front, Source
from verify.digest import Digest, measure
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.report import Basis, BasisKind, Check, Detail, Finding, Outcome, Report, Subject
from verify.workers import Workers
from verify.workflows.expectation import Expected
from verify.workflows.sources import open_file

HASH = Check(
    id="archive.hash",
    title="archive is the one that was asked for",
    meaning="The digest of the file, or the h1: over its contents, is the one named on the command line or in lock data.",
    remedy="Fetch the archive again, or compare it with what you expected: modseal diff A.zip B.zip",
)
CHECKS = (HASH,)


def check_archive_file(
    path: str, *, expected: str | None, canonical: bool, limits: Limits = DEFAULT, events: Events = SILENT
) -> Report:
    """The report on one zip. Raises Absent, Unavailable, Misused."""
    wanted = Expected.parse(expected) if expected else None
    plain = path.removeprefix("zip:")
    with open_file(Path(plain)) as file:
        source = Source(file)
        front = Front(source)
        with Workers(1 if source.apart else 0) as beside:
            # the whole file is hashed while its entries are read
            measured = beside.begin(lambda: measure(front, most=max(limits.archive_bytes, 1 << 50)))
            with closing(front):  # before the thread is waited for, should the check raise
                inspection = check_archive(
                    file,
                    subject=path,
                    container=Container.CANONICAL if canonical else Container.FOREIGN,
                    recheck=Recheck() if canonical else None,
                    events=events,
                    limits=limits,
                )
                digest = measured.result().digest
    return _report(path, inspection, digest, wanted, canonical=canonical)


def _report(
    path: str, inspection: Inspection, digest: Digest, wanted: Expected | None, *, canonical: bool
) -> Report:
    requires = [archive_checks.STRUCTURE.id, archive_checks.CONTENTS.id]
    findings = list(inspection.findings)
    if canonical:
        requires.append(archive_checks.CANONICAL.id)
    if wanted is not None:
        requires.append(HASH.id)
        findings.append(_compared(path, inspection, digest, wanted))
    facts = [Detail(label="digest", text=str(digest))]
    if inspection.tree_hash is not None:
        facts.append(Detail(label="tree hash", text=str(inspection.tree_hash)))
    if inspection.archive is not None:
        facts.append(Detail(label="files", text=str(len(inspection.archive.entries()))))
    basis = (
        Basis(kind=BasisKind.PINNED, detail=str(wanted)) if wanted else Basis(detail="name it with --hash")
    )
    return Report(
        command="verify archive",
        subjects=(Subject(name=path, requires=tuple(requires)),),
        findings=tuple(findings),
        basis=basis,
        noun="archive",
        facts=tuple(facts),
    )


def _compared(path: str, inspection: Inspection, digest: Digest, wanted: Expected) -> Finding:
    got = inspection.tree_hash if wanted.tree_hash is not None else digest
    expected = wanted.tree_hash or wanted.digest
    details = (Detail(label="expected", text=str(expected)), Detail(label="got", text=str(got or "nothing")))
    if got is None:  # the archive is refused already; its hash was never established
        return Finding(
            check=HASH,
            outcome=Outcome.UNKNOWN,
            subject=path,
            message="h1: not computed, the archive has no single reading",
            details=details[:1],
        )
    outcome = Outcome.PASSED if got == expected else Outcome.FAILED
    message = "" if outcome is Outcome.PASSED else "another archive than the one asked for"
    return Finding(check=HASH, outcome=outcome, subject=path, message=message, details=details)
