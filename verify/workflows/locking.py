"""`modseal lock`: what the modules of the build list are now, compared with what was locked, and then written.

1. The build list is selected as cue does it, from module files as they are served now.
2. Every module of it is fetched whole and checked (`verify.ecosystems.cue.download`); its hashes are the new entry.
3. An entry that exists and differs is `lock.changed`: nothing is written, unless `--update` names that module. Only an
   entry that was taken from a cache may be completed by a registry that has the same bytes.
4. A module that something replaces keeps its entry where it cannot be fetched.
5. When nothing failed, the sum file is written whole or not at all, and `cue.mod/.gitattributes` beside it keeps its
   line ends in git repositories.

Where a dependency does not list what its own dependencies require, the full closure is reported beside the list.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from verify.ecosystems.cue import lockchecks as checks
from verify.ecosystems.cue.cache import ModuleCache, cache_folder
from verify.ecosystems.cue.download import download
from verify.ecosystems.cue.selection import Closure, full_closure
from verify.ecosystems.cue.sums import RULES, SUM_PATH
from verify.ecosystems.cue.workspace import Workspace, load_workspace
from verify.errors import Malformed, Misused, ModsealError, Refuted, Undecidable
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.report import Basis, Detail, Finding, Outcome, Place, Report, Subject, SubjectKind
from verify.sums.comparison import Change
from verify.sums.sumfile import SumFile, parse, render
from verify.workflows.cached_module import read_cached
from verify.workflows.faults import finding_of
from verify.workflows.network import Network, default_network
from verify.workflows.origins import Origins, open_origins
from verify.workflows.outputs import write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verify.ecosystems.cue.selection import BuildList
    from verify.module import Module
    from verify.report import Check
    from verify.sums.entry import SumEntry

ATTRIBUTES = "# Written by modseal: hashes are over these bytes.\n/sum.cue text eol=lf\n/vendor/** -text\n"
_REFUSED = (Malformed, Refuted, Undecidable)


@dataclass(frozen=True, slots=True, kw_only=True)
class LockOrder:
    """What to lock and from where."""

    root: str
    sources: tuple[str, ...] = ()
    update: tuple[str, ...] = ()
    trust_cache: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    network: Network = default_network


def lock(order: LockOrder, *, limits: Limits = DEFAULT, events: Events = SILENT) -> Report:
    """Lock and report. Raises what stands in the way of a build list; what concerns one module is a finding."""
    workspace = load_workspace(order.root, limits=limits)
    with ExitStack() as stack:
        return _lock(workspace, order, _Source(order, stack, limits, events), limits, events)


def _lock(workspace: Workspace, order: LockOrder, source: _Source, limits: Limits, events: Events) -> Report:
    old = locked_before(workspace, limits)
    closure = full_closure(workspace.main, source, limits=limits)
    build = closure.build
    updated = _updated(order.update, build)
    run = _Run(workspace=workspace, old=old.by_key(), updated=updated)
    events.begin("fetch", None)
    try:
        for module in build.modules:
            run.take(module, source)
    finally:
        events.end("fetch")
    run.findings += _removed(old, build)
    run.findings += list(untidy(closure))
    failed = any(each.outcome in {Outcome.FAILED, Outcome.UNKNOWN} for each in run.findings)
    if not failed:
        _write(workspace, SumFile.of(RULES.ecosystem, tuple(run.entries)))
    facts = () if failed else (Detail(label="sum file", text=f"{SUM_PATH}, {len(run.entries)} modules"),)
    return Report(
        command="lock",
        subjects=tuple(
            Subject(name=str(module), kind=SubjectKind.LOCKED, requires=(checks.ENTRY.id,))
            for module in build.modules
        ),
        findings=tuple(run.findings),
        basis=Basis(detail=f"what {source.name} served now; review the difference before you commit it"),
        noun="module",
        facts=facts,
        empty_lock=not build.modules,
        allow_empty=True,  # a module without dependencies is locked by a file that says so
    )


def locked_before(workspace: Workspace, limits: Limits) -> SumFile:
    """The sum file that lies there, or an empty one. Raises Malformed: what cannot be read is not overwritten."""
    if workspace.sum_data is None:
        return SumFile(ecosystem=RULES.ecosystem)
    try:
        return parse(workspace.sum_data, RULES, limits=limits)
    except Malformed as error:
        error.hint = error.hint or f"git checkout -- {SUM_PATH}"
        raise error.within(SUM_PATH) from None


def untidy(closure: Closure) -> Iterator[Finding]:
    """What the full closure has that cue does not select, and roots that are loaded at two versions."""
    for difference in closure.differences:
        yield Finding(check=checks.UNTIDY, outcome=Outcome.NOTED, message=str(difference))
    for module, error in closure.unread:
        yield Finding(
            check=checks.UNTIDY,
            outcome=Outcome.NOTED,
            message=f"{module}: its requirements are not known: {error}",
        )
    for each in closure.build.overlooked:
        yield Finding(
            check=checks.OVERLOOKED,
            outcome=Outcome.NOTED,
            subject=str(each.module),
            message="the graph selects a higher version; cue loads packages from this one",
            hints=("cue mod tidy",),
        )


class _Source:
    """Modules as they are now: from origins, or with `--trust-cache` from the cache."""

    def __init__(self, order: LockOrder, stack: ExitStack, limits: Limits, events: Events) -> None:
        self._origins: Origins | None = None
        self._cache: ModuleCache | None = None
        self._limits, self._events = limits, events
        if order.trust_cache:
            if order.sources:
                raise Misused("--trust-cache and --from: expected one of them")
            self._cache = ModuleCache(root=cache_folder(order.environment), limits=limits)
            self.name = "the module cache"
        else:
            origins = open_origins(
                order.sources, order.environment, order.network, limits=limits, events=events
            )
            self._origins = stack.enter_context(origins)
            self.name = self._origins.name

    def module_file(self, module: Module) -> bytes:
        """For the selection of versions."""
        if self._cache is not None:
            return self._cache.module_file(module)
        assert self._origins is not None  # noqa: S101 - one of the two is there
        return self._origins.module_file(module)

    def entry(self, module: Module) -> SumEntry:
        """Of what was really read. Raises as the places do, Malformed, Refuted."""
        if self._cache is not None:
            return read_cached(self._cache, module, self._limits)
        assert self._origins is not None  # noqa: S101
        store, tag = self._origins.find(module)
        with download(store, tag, module, limits=self._limits, events=self._events) as found:
            return found.entry


@dataclass(slots=True, kw_only=True)
class _Run:
    workspace: Workspace
    old: Mapping[str, SumEntry]
    updated: frozenset[str]
    entries: list[SumEntry] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def take(self, module: Module, source: _Source) -> None:
        """One module: fetched, compared, and its entry kept where all is well."""
        key = str(module)
        before = self.old.get(key)
        try:
            found = source.entry(module)
        except _REFUSED as error:
            self._unfetched(module, before, error)
            return
        if found.source is not None:
            note = Finding(check=checks.TRUSTED_CACHE, outcome=Outcome.NOTED, subject=key)
            self.findings.append(note)
        if before is None:
            self._keep(
                found,
                Finding(check=checks.ADDED, outcome=Outcome.NOTED, subject=key, message=str(found.tree)),
            )
        elif _same(before, found):
            # what a registry said is worth more than what a cache can say
            self._keep(before if found.source is not None else found)
        elif key in self.updated:
            self._keep(found, _change(checks.UPDATED, Change(before=before, after=found)))
        else:
            self.findings.append(_change(checks.CHANGED, Change(before=before, after=found)))

    def _unfetched(self, module: Module, before: SumEntry | None, error: ModsealError) -> None:
        replaced = {str(dep.module) for dep in self.workspace.main.replacements}
        if before is not None and str(module) in replaced and isinstance(error, Undecidable):
            self._keep(replace(before, line=0))
            return
        self.findings.append(finding_of(error, str(module)))

    def _keep(self, entry: SumEntry, *notes: Finding) -> None:
        self.entries.append(entry)
        passed = Finding(check=checks.ENTRY, outcome=Outcome.PASSED, subject=entry.key)
        self.findings += [*notes, passed]


def _same(before: SumEntry, found: SumEntry) -> bool:
    """The same bytes; where one of the two is a cache's word, the manifest's digest cannot be compared."""
    if before.source is not None or found.source is not None:
        return (before.tree, before.modfile, before.archive) == (found.tree, found.modfile, found.archive)
    return before == found


def _change(check: Check, change: Change) -> Finding:
    before, after = change.before.fields(), change.after.fields()
    details = [
        Detail(label=label, text=f"{name} {side.get(name, '-')}")
        for name in change.fields
        for label, side in (("locked", before), ("now", after))
    ]
    changed = check is checks.CHANGED
    return Finding(
        check=check,
        outcome=Outcome.FAILED if changed else Outcome.NOTED,
        subject=change.before.key,
        message="" if changed else "replaced by what is served now",
        place=Place(path=SUM_PATH, line=change.before.line) if change.before.line else None,
        details=tuple(details),
        hints=(f"modseal lock --update {change.before.key}",) if changed else (),
    )


def _updated(names: tuple[str, ...], build: BuildList) -> frozenset[str]:
    found: set[str] = set()
    for name in names:
        matching = {str(each) for each in build.modules if name in {str(each), each.path}}
        if not matching:
            raise Misused(f"--update {name}: the build list has no such module")
        found |= matching
    return frozenset(found)


def _removed(old: SumFile, build: BuildList) -> list[Finding]:
    needed = {str(module) for module in build.modules}
    return [
        Finding(check=checks.REMOVED, outcome=Outcome.NOTED, message=entry.key)
        for entry in old.entries
        if entry.key not in needed
    ]


def _write(workspace: Workspace, file: SumFile) -> None:
    data = render(file)
    if data != workspace.sum_data:
        write_atomically(Path(workspace.root, SUM_PATH), data)
    attributes = Path(workspace.root, "cue.mod", ".gitattributes")
    if _in_git(workspace.root) and not attributes.exists():
        write_atomically(attributes, ATTRIBUTES.encode())


def _in_git(root: str) -> bool:
    folder = Path(root).resolve()
    return any(Path(each, ".git").exists() for each in (folder, *folder.parents))
