"""`modseal lock --check`: is the sum file complete, canonical and minimal? It asks nobody unless `--from` says so.

Module files for the build list are taken from the vendored tree and the module cache, and count only with the hash
that is locked. `merge_locks` is the git merge driver: `modseal lock --merge %O %A %B`.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from verify.ecosystems.cue import lockchecks as checks
from verify.ecosystems.cue.cache import ModuleCache, cache_folder
from verify.ecosystems.cue.names import MODULE_FILE
from verify.ecosystems.cue.sums import RULES
from verify.ecosystems.cue.vendor_list import vendored_folder
from verify.ecosystems.cue.workspace import load_workspace
from verify.errors import Malformed
from verify.limits import DEFAULT, Limits
from verify.report import Basis, Detail, Finding, Outcome, Report, Subject, SubjectKind
from verify.sums import checks as sum_checks
from verify.sums.comparison import merge
from verify.sums.sumfile import SumFile, parse, render
from verify.tree.below import read_below
from verify.workflows.consulted import LockedFiles, consult
from verify.workflows.lock_data import check_entries, read_lock, subjects_of
from verify.workflows.network import Network, default_network
from verify.workflows.origins import open_origins
from verify.workflows.outputs import write_atomically
from verify.workflows.sources import read_document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verify.ecosystems.cue.selection import ModuleSource
    from verify.module import Module


class VendoredFiles:
    """Module files in the vendored tree; a `ModuleSource`."""

    def __init__(self, root: str, limits: Limits) -> None:
        self._root, self._limits = root, limits

    def module_file(self, module: Module) -> bytes:
        """Raises Absent, Refuted (a link in the way), Unavailable."""
        return read_below(self._root, f"{vendored_folder(module)}/{MODULE_FILE}", self._limits.document_bytes)


def check_lock(
    root: str,
    *,
    sources: Sequence[str],
    environment: Mapping[str, str],
    network: Network = default_network,
    limits: Limits = DEFAULT,
) -> Report:
    """The report on the sum file. Raises what reading the workspace raises."""
    workspace = load_workspace(root, limits=limits)
    locked = read_lock(workspace, None, strict=True, limits=limits)
    places: list[ModuleSource] = [
        VendoredFiles(root, limits),
        ModuleCache(root=cache_folder(environment), limits=limits),
    ]
    with ExitStack() as stack:
        if sources:
            origins = open_origins(sources, environment, network, limits=limits)
            places.append(stack.enter_context(origins))
        consulted = consult(workspace.main, LockedFiles(locked.entries, places), limits=limits)
    modules = subjects_of(consulted, locked)
    return Report(
        command="lock",
        subjects=tuple(
            Subject(name=str(each), kind=SubjectKind.LOCKED, requires=(checks.ENTRY.id,)) for each in modules
        ),
        findings=(*locked.findings, *check_entries(consulted, locked)),
        basis=Basis(detail="the lock data against itself; no module's bytes were read"),
        noun="module",
        empty_lock=not modules,
        allow_empty=True,
    )


def merge_locks(base: str, ours: str, theirs: str, *, limits: Limits = DEFAULT) -> Report:
    """Merge into `ours`, or leave it as it is. Raises Malformed, Absent, Unavailable."""
    old, left, right = (_sums(path, limits) for path in (base, ours, theirs))
    merged = merge(old, left, right)
    conflicts = {change.before.key: change for change in merged.conflicts}
    findings = [
        Finding(
            check=sum_checks.CONFLICT,
            outcome=Outcome.FAILED,
            subject=key,
            message=f"both sides have other values of {', '.join(change.fields)}",
            hints=(f"modseal lock --update {key}",),
        )
        for key, change in conflicts.items()
    ]
    findings += [
        Finding(check=checks.ENTRY, outcome=Outcome.PASSED, subject=entry.key)
        for entry in merged.file.entries
    ]
    if not conflicts:
        write_atomically(Path(ours), render(merged.file))
    names = sorted({*conflicts, *(entry.key for entry in merged.file.entries)})
    return Report(
        command="lock",
        subjects=tuple(
            Subject(name=key, kind=SubjectKind.LOCKED, requires=(checks.ENTRY.id,)) for key in names
        ),
        findings=tuple(findings),
        basis=Basis(detail="two sides of a merge"),
        noun="module",
        facts=(Detail(label="merged", text=ours if not conflicts else "nothing was written"),),
        empty_lock=not names,
        allow_empty=True,
    )


def _sums(path: str, limits: Limits) -> SumFile:
    data = read_document(Path(path), limits.document_bytes)
    if not data:  # git gives an empty file where the base had none
        return SumFile(ecosystem=RULES.ecosystem)
    try:
        return parse(data, RULES, limits=limits)
    except Malformed as error:
        raise error.within(path) from None
