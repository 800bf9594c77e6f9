"""`modseal verify tree`: every module of a CUE workspace, wherever its bytes lie, against what is locked.

1. The sum file is read, and with `--sum` compared with what it is pinned to (`lock_data`).
2. The vendored tree, if there is one, is walked and read once, all of it.
3. The build list is selected from module files with the locked hash (`consulted`), and compared with the sum file
   both ways.
4. Each module is held to its entry in every place that has it: the vendored tree, the module cache that cue would use,
   and what `--from` names. A module that is in none of them is unknown, not passed.
5. What lies where cue looks and no lock names is told (`workspace_checks`).
6. What `--except` accepts stays in the report, with its reason.

Nothing here opens a socket or starts a process, except `--from` a registry and `--sum git:REV`.
"""

from __future__ import annotations

import gc
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from verify.ecosystems.cue import lockchecks as checks
from verify.ecosystems.cue.cache import ModuleCache, cache_folder
from verify.ecosystems.cue.vendored import load_vendored
from verify.ecosystems.cue.workspace import load_workspace
from verify.errors import Misused
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.report import Detail, Finding, Outcome, Report, Subject, SubjectKind
from verify.tree import checks as tree_checks
from verify.workflows.consulted import LockedFiles, consult
from verify.workflows.exceptions import Exemption, excepted
from verify.workflows.lock_data import LockData, check_entries, read_lock, subjects_of
from verify.workflows.module_checks import Expectation, check_vendored
from verify.workflows.network import Network, default_network
from verify.workflows.workspace_checks import check_own_packages, check_record, check_replacements, find_extra

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verify.ecosystems.cue.selection import ModuleSource
    from verify.ecosystems.cue.vendored import VendoredTree
    from verify.module import Module
    from verify.workflows.origins import Origins

NO_CACHE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeOrder:
    """What to check and what to hold it to."""

    root: str
    pin: str | None = None
    sources: tuple[str, ...] = ()
    cache: str | None = None  # None is the one that cue would use; `none` is no cache
    modules: tuple[str, ...] = ()
    exemptions: tuple[Exemption, ...] = ()
    allow_empty: bool = False
    diff: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    network: Network = default_network


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where bytes may lie. Each may be missing."""

    vendored: VendoredTree | None
    cache: ModuleCache | None
    origins: Origins | None

    def sources(self) -> list[ModuleSource]:
        """For the build list, nearest first."""
        return [each for each in (self.vendored, self.cache, self.origins) if each is not None]


def check_workspace(order: TreeOrder, *, limits: Limits = DEFAULT, events: Events = SILENT) -> Report:
    """The report. Raises where no workspace lies there, or an argument cannot be."""
    with _no_collection(), ExitStack() as stack:
        return _check(order, stack, limits, events)


def check_vendor(
    root: str, *, environment: Mapping[str, str], limits: Limits = DEFAULT, events: Events = SILENT
) -> Report:
    """`modseal vendor --check`: the vendored tree alone. Without one, no module is where it should be."""
    order = TreeOrder(root=root, cache=NO_CACHE, allow_empty=True, environment=environment)
    return replace(check_workspace(order, limits=limits, events=events), command="vendor")


def _check(order: TreeOrder, stack: ExitStack, limits: Limits, events: Events) -> Report:
    workspace = load_workspace(order.root, limits=limits)
    locked = read_lock(workspace, order.pin, limits=limits)
    places = _places(order, stack, limits, events)
    consulted = consult(workspace.main, LockedFiles(locked.entries, places.sources()), limits=limits)
    everything = subjects_of(consulted, locked)
    modules = _narrowed(everything, order.modules)
    findings = [*locked.findings, *check_entries(consulted, locked)]
    for module in modules:
        findings += _check_module(module, locked, places, order, limits, events)
    not_locked: tuple[str, ...] = ()
    if places.vendored is not None:
        extra = find_extra(places.vendored, everything)
        not_locked = extra.not_locked
        findings += extra.findings
        if locked.file is not None:
            findings += check_record(places.vendored, everything, locked.entries, limits)
    replaced = dict(check_replacements(workspace, modules))
    findings += [*replaced.values(), *check_own_packages(workspace, everything, limits)]
    names = [str(module) for module in modules]
    names += [name for name in replaced if name not in names and not order.modules]
    findings = [each for each in findings if each.subject is None or each.subject in names]
    if order.diff:
        from verify.workflows.file_changes import with_changes  # noqa: PLC0415 - only for --diff

        findings = with_changes(findings, order.root, places, locked, limits, events)
    findings = _answered(excepted(findings, order.exemptions))
    # an extra module that somebody accepted by name is accounted for by that exception
    accepted = {each.message for each in findings if each.check is checks.EXTRA_MODULE and each.exception}
    return Report(
        command="verify tree",
        subjects=tuple(_subject(name, replaced, places) for name in names),
        findings=tuple(findings),
        basis=locked.basis,
        noun="module",
        not_locked=tuple(name for name in not_locked if name not in accepted),
        facts=_facts(order, places, len(everything)),
        empty_lock=not everything and not replaced,
        allow_empty=order.allow_empty,
    )


def _places(order: TreeOrder, stack: ExitStack, limits: Limits, events: Events) -> Places:
    cache: ModuleCache | None = None
    if order.cache != NO_CACHE:
        cache = ModuleCache(root=order.cache or cache_folder(order.environment), limits=limits)
        if not cache and order.cache is not None:
            raise Misused(f"--cache {order.cache}: no such folder", hint="modseal vendor --cache DIR")
    origins: Origins | None = None
    if order.sources:
        from verify.workflows.origins import open_origins  # noqa: PLC0415 - loads what stores need

        opened = open_origins(order.sources, order.environment, order.network, limits=limits, events=events)
        origins = stack.enter_context(opened)
    return Places(
        vendored=load_vendored(order.root, limits=limits, events=events),
        cache=cache or None,
        origins=origins,
    )


def _check_module(
    module: Module, locked: LockData, places: Places, order: TreeOrder, limits: Limits, events: Events
) -> list[Finding]:
    entry = locked.entries.get(str(module))
    if entry is None:
        return []
    wanted = Expectation(module=module, entry=entry, place=locked.place(entry.key))
    found: list[Finding] = []
    if places.vendored is not None:
        found += check_vendored(places.vendored, order.root, wanted, limits)
    if places.cache is not None or places.origins is not None:
        # zips and stores need a lot of code that a vendored tree does not
        from verify.workflows.other_places import check_cached, check_fetched  # noqa: PLC0415

        if places.cache is not None:
            found += check_cached(places.cache, wanted, limits, events)
        if places.origins is not None:
            found += check_fetched(places.origins, wanted, limits, events)
    if not any(
        each.check.id.startswith(("tree.", "archive.")) or each.outcome is Outcome.UNKNOWN for each in found
    ):
        found.append(_nowhere(wanted))
    return found


def _nowhere(wanted: Expectation) -> Finding:
    return Finding(
        check=checks.MISSING_MODULE,
        outcome=Outcome.UNKNOWN,
        subject=wanted.key,
        message="neither vendored, nor in the module cache, nor named with --from",
        place=wanted.place,
        hints=("modseal vendor", "modseal verify tree --from REF"),
    )


def _subject(name: str, replaced: Mapping[str, Finding], places: Places) -> Subject:
    if name in replaced:  # whatever is locked of it, cue loads something else
        return Subject(name=name, kind=SubjectKind.LOCKED, requires=(checks.REPLACED.id,))
    requires = [checks.ENTRY.id, checks.MODFILE.id, tree_checks.HASH.id]
    if places.vendored is not None:
        requires += [tree_checks.LIST_HASH.id, checks.RECORD.id]
    if places.origins is not None:
        requires.append(checks.ARCHIVE.id)
    return Subject(name=name, kind=SubjectKind.LOCKED, requires=tuple(requires))


def _narrowed(modules: Sequence[Module], names: Sequence[str]) -> tuple[Module, ...]:
    if not names:
        return tuple(modules)
    for name in names:
        if not any(name in {str(module), module.path} for module in modules):
            raise Misused(f"--module {name}: the build list has no such module")
    return tuple(module for module in modules if {str(module), module.path} & set(names))


def _answered(findings: list[Finding]) -> list[Finding]:
    """Differences of files that are all accepted are the answer to the hash they change."""
    accepted: dict[str, str] = {}
    hashed = {each.subject for each in findings if each.check is tree_checks.HASH}
    for each in findings:
        if (
            each.subject
            and each.exception
            and each.check in tree_checks.CHECKS
            and each.subject not in hashed
        ):
            accepted.setdefault(each.subject, each.exception)
    return findings + [
        Finding(
            check=tree_checks.HASH,
            outcome=Outcome.FAILED,
            subject=subject,
            message="differs in what was accepted",
            exception=reason,
        )
        for subject, reason in accepted.items()
    ]


def _facts(order: TreeOrder, places: Places, count: int) -> tuple[Detail, ...]:
    found = []
    if order.modules:
        found.append(Detail(label="narrowed", text=f"to {', '.join(order.modules)}, of {count} modules"))
    looked = ["cue.mod/vendor"] if places.vendored is not None else []
    if places.cache is not None:
        looked.append(f"module cache {places.cache.root}")
    if places.origins is not None:
        looked.append(places.origins.name)
    found.append(Detail(label="looked at", text=", ".join(looked) or "no place that has modules"))
    return tuple(found)


@contextmanager
def _no_collection() -> Iterator[None]:
    """A check makes values and no cycles: looking for garbage among them only takes time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
