"""Lock data against each other: the build list, the sum file, and what the sum file is pinned to.

1. Every module of the build list has its entry (`lock.entry`).
2. Every entry is needed (`sum.surplus`); where the build list is not fully known, nothing is called surplus.
3. The sum file can be read (`sum.…`), and is spelt as modseal writes it (`sum.not-canonical`).
4. With a pin, the workspace's own sum file is the pinned one (`lock.pinned`): whatever else it is compared with
   then, the pinned one is what counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from verify.digest import Digest
from verify.ecosystems.cue import lockchecks as checks
from verify.ecosystems.cue.names import parse_module
from verify.ecosystems.cue.sums import RULES, SUM_PATH
from verify.errors import Malformed, Misused
from verify.limits import DEFAULT, Limits
from verify.report import Basis, BasisKind, Detail, Finding, Outcome, Place
from verify.sums import checks as sum_checks
from verify.sums.sumfile import SumFile, defect, parse
from verify.workflows.faults import finding_of
from verify.workflows.sources import read_document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.ecosystems.cue.workspace import Workspace
    from verify.module import Module
    from verify.sums.entry import SumEntry
    from verify.workflows.consulted import Consulted


@dataclass(frozen=True, slots=True, kw_only=True)
class LockData:
    """The sum file that counts, or None where none can be read, and what was found on the way."""

    file: SumFile | None
    basis: Basis
    path: str = SUM_PATH
    findings: tuple[Finding, ...] = ()
    entries: dict[str, SumEntry] = field(default_factory=dict)

    def place(self, key: str) -> Place:
        """Where the entry of a key stands."""
        entry = self.entries.get(key)
        return Place(path=self.path, line=entry.line if entry is not None and entry.line else None)


def read_lock(
    workspace: Workspace, pin: str | None, *, strict: bool = False, limits: Limits = DEFAULT
) -> LockData:
    """What the workspace is held to. `strict` refuses other spellings. Raises Misused, Absent for a pin that is not there."""
    findings: list[Finding] = []
    own = _parsed(workspace.sum_data, SUM_PATH, findings, limits)
    if workspace.sum_data is not None and own is not None:
        findings += _spelling(workspace.sum_data, own, strict=strict)
    if pin is None:
        if workspace.sum_data is None:
            findings.append(_absent(workspace, strict=strict))
        basis = Basis(detail="pin it with --sum git:REV or --sum sha256:…")
        return _data(own, basis, SUM_PATH, findings)
    basis = Basis(kind=BasisKind.PINNED, detail=pin)
    if _is_its_own(workspace.root, pin):
        # whoever may edit the tree may edit what lies in it: that pins nothing
        basis = Basis(detail=f"{pin} lies in the tree that it is to pin; keep it elsewhere")
    if pin.startswith("sha256:"):
        findings += _against_digest(workspace.sum_data, _digest(pin))
        return _data(own, basis, SUM_PATH, findings)
    data = _pinned_bytes(workspace.root, pin, limits)
    pinned = _parsed(data, pin, findings, limits)
    if workspace.sum_data is None or own != pinned:
        message = "is not there" if workspace.sum_data is None else "differs from the pinned one"
        findings.append(_unpinned(f"{SUM_PATH} {message}", _changes(own, pinned)))
    return _data(pinned, basis, pin, findings)


def check_entries(consulted: Consulted, locked: LockData) -> Iterator[Finding]:
    """The build list against the sum file, both ways."""
    for module, error in consulted.unread:
        yield Finding(
            check=checks.BUILD_LIST,
            outcome=Outcome.UNKNOWN,
            message=str(error) if str(module) in str(error) else f"{module}: {error}",
            hints=("modseal vendor",),
        )
    if locked.file is None:
        return
    needed = {str(module) for module in consulted.build.modules}
    for key in sorted(needed):
        if key in locked.entries:
            yield Finding(check=checks.ENTRY, outcome=Outcome.PASSED, subject=key)
        else:
            yield Finding(
                check=checks.ENTRY,
                outcome=Outcome.FAILED,
                subject=key,
                message=f"in the build list, not in {locked.path}",
                hints=("modseal lock",),
            )
    if consulted.unread:
        return
    for entry in locked.file.entries:
        if entry.key not in needed:
            yield Finding(
                check=checks.SURPLUS,
                outcome=Outcome.FAILED,
                message=entry.key,
                place=locked.place(entry.key),
                hints=("modseal lock",),
            )


def subjects_of(consulted: Consulted, locked: LockData) -> tuple[Module, ...]:
    """Every module that must be accounted for: the build list, and all entries where it is not fully known."""
    found = {str(module): module for module in consulted.build.modules}
    if consulted.unread:
        found |= {key: parse_module(key) for key in locked.entries}
    return tuple(found[key] for key in sorted(found))


def _data(file: SumFile | None, basis: Basis, path: str, findings: list[Finding]) -> LockData:
    entries = {} if file is None else file.by_key()
    return LockData(file=file, basis=basis, path=path, findings=tuple(findings), entries=entries)


def _parsed(data: bytes | None, path: str, findings: list[Finding], limits: Limits) -> SumFile | None:
    if data is None:
        return None
    try:
        return parse(data, RULES, limits=limits)
    except Malformed as error:
        findings.append(finding_of(error.within(path), None))
        return None


def _spelling(data: bytes, file: SumFile, *, strict: bool) -> Iterator[Finding]:
    wrong = defect(data, file)
    if wrong:
        yield Finding(
            check=sum_checks.NOT_CANONICAL,
            outcome=Outcome.FAILED if strict else Outcome.NOTED,
            message=wrong,
            place=Place(path=SUM_PATH),
            hints=("modseal lock",),
        )


def _absent(workspace: Workspace, *, strict: bool) -> Finding:
    if not workspace.main.requirements:
        return Finding(check=checks.ABSENT, outcome=Outcome.NOTED, message="and nothing to lock")
    return Finding(
        check=checks.ABSENT,
        outcome=Outcome.FAILED if strict else Outcome.UNKNOWN,
        message=f"{workspace.root}: no {SUM_PATH}",
        hints=("modseal lock",),
    )


def _against_digest(data: bytes | None, wanted: Digest) -> Iterator[Finding]:
    if data is None:
        yield _unpinned(f"{SUM_PATH} is not there", ())
    elif Digest.of(data) != wanted:
        details = (
            Detail(label="expected", text=str(wanted)),
            Detail(label="got", text=str(Digest.of(data))),
        )
        yield _unpinned(f"{SUM_PATH} has another digest than the pinned one", details)


def _unpinned(message: str, details: tuple[Detail, ...]) -> Finding:
    return Finding(check=checks.PINNED, outcome=Outcome.FAILED, message=message, details=details)


def _changes(own: SumFile | None, pinned: SumFile | None) -> tuple[Detail, ...]:
    if own is None or pinned is None:
        return ()
    here, there = own.by_key(), pinned.by_key()
    words = [(key, "removed") for key in there.keys() - here.keys()]
    words += [(key, "added") for key in here.keys() - there.keys()]
    words += [(key, "changed") for key in here if key in there and here[key] != there[key]]
    return tuple(Detail(label=word, text=key) for key, word in sorted(words)[:20])


def _digest(pin: str) -> Digest:
    try:
        return Digest.parse(pin)
    except Malformed as error:
        raise Misused(f"--sum {pin}: {error.message}", hint=f"sha256sum {SUM_PATH}") from None


def _is_its_own(root: str, pin: str) -> bool:
    if pin.startswith(("sha256:", "git:")):
        return False
    return Path(pin.removeprefix("file:")).resolve().is_relative_to(Path(root).resolve())


def _pinned_bytes(root: str, pin: str, limits: Limits) -> bytes:
    if not pin.startswith("git:"):
        return read_document(Path(pin.removeprefix("file:")), limits.document_bytes)
    from verify.workflows.pinned_revision import read_revision  # noqa: PLC0415 - starts git

    return read_revision(root, pin, limits)
