"""One locked CUE module, wherever its bytes lie: the vendored tree, cue's module cache, a store.

Each place is held to the entry by itself, and each finding says which place it is about. A place that does not have
the module says nothing, except the vendored tree, which holds every module or is not complete.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, BinaryIO

from verify.archive.inspection import check_archive
from verify.archive.reader import read_archive
from verify.digest import TreeHash, measure
from verify.ecosystems.cue import lockchecks as checks
from verify.ecosystems.cue.cache import archive_path, extracted_path, module_file_path
from verify.ecosystems.cue.download import download
from verify.ecosystems.cue.packing import MODULE_FILE
from verify.ecosystems.cue.vendor_list import VENDOR_FOLDER, vendored_folder, vendored_tree_list
from verify.ecosystems.cue.workspace import modfile_hash_of
from verify.errors import Absent, Malformed, Refuted, Undecidable
from verify.oci import checks as oci_checks
from verify.report import Detail, Finding, Outcome
from verify.tree import checks as tree_checks
from verify.tree.checking import check_tree
from verify.tree.directory import DirectoryTree
from verify.tree.hashing import hash_tree
from verify.tree.listing import TreeList
from verify.workflows.faults import finding_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.digest import Digest
    from verify.ecosystems.cue.cache import ModuleCache
    from verify.ecosystems.cue.vendored import VendoredTree
    from verify.events import Events
    from verify.limits import Limits
    from verify.module import Module
    from verify.report import Check, Place
    from verify.sums.entry import SumEntry
    from verify.tree.port import Tree
    from verify.workflows.origins import Origins

_REFUSED = (Malformed, Refuted, Undecidable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """A module, its entry, and where that stands."""

    module: Module
    entry: SumEntry
    place: Place

    @property
    def key(self) -> str:
        """The subject's name."""
        return self.entry.key

    def passed(self, check: Check) -> Finding:
        """It is as locked."""
        return Finding(check=check, outcome=Outcome.PASSED, subject=self.key)

    def failed(self, check: Check, message: str, *details: Detail, hints: tuple[str, ...] = ()) -> Finding:
        """It is not."""
        return Finding(
            check=check,
            outcome=Outcome.FAILED,
            subject=self.key,
            message=message,
            place=self.place,
            details=details,
            hints=hints,
        )

    def compared(self, check: Check, locked: object, found: object, where: str) -> Finding:
        """One hash against another."""
        if locked == found:
            return self.passed(check)
        details = (Detail(label="locked", text=str(locked)), Detail(label="got", text=str(found)))
        return self.failed(check, where, *details)


def check_vendored(vendored: VendoredTree, root: str, wanted: Expectation, limits: Limits) -> list[Finding]:
    """The module's folder and its tree list."""
    where, name = vendored_folder(wanted.module), vendored_tree_list(wanted.module)
    restore = f"modseal vendor --restore {wanted.key}"
    # where the one walk over all modules broke off, each module is read by itself
    share = vendored.share(wanted.module) if vendored.error is None else None
    if share is None and vendored.error is None:
        return [wanted.failed(checks.MISSING_MODULE, f"not in {where}", hints=(restore,))]
    tree: Tree = DirectoryTree(root, limits, below=where) if share is None else share
    listed = vendored.tree_list(wanted.module)
    list_right = listed is not None and TreeHash.from_bytes(listed) == wanted.entry.tree

    def original() -> TreeList | None:
        base = name.removeprefix(f"{VENDOR_FOLDER}/")
        return TreeList.parse(vendored.read(base, limits.list_bytes)) if list_right else None

    findings = _against(tree, wanted, original, where, (restore,))
    if list_right:
        findings.append(wanted.passed(tree_checks.LIST_HASH))
    elif vendored.error is None:
        what = "is not there" if listed is None else "is not the locked tree list"
        findings.append(wanted.failed(tree_checks.LIST_HASH, f"{name} {what}", hints=(restore,)))
    if share is None:
        return findings + _modfile_in(tree, wanted, where, limits)
    return [*findings, *_modfile(wanted, share.module_file, where)]


def check_cached(cache: ModuleCache, wanted: Expectation, limits: Limits, events: Events) -> list[Finding]:
    """The served module file, the zip and the extracted files, each where it lies."""

    def served() -> list[Finding]:
        data = cache.module_file(wanted.module)
        where = f"module cache: {module_file_path(wanted.module)}"
        return _modfile(wanted, hashlib.sha256(data).digest(), where)

    def archive() -> list[Finding]:
        with cache.open_archive(wanted.module) as file:
            return _archive(file, wanted, f"module cache: {archive_path(wanted.module)}", limits)

    def extracted() -> list[Finding]:
        tree = cache.extracted(wanted.module, events)
        if tree is None:
            return []
        path = extracted_path(wanted.module)
        hints = (f"remove {path} from the cache and let cue fetch it again",)
        found = _against(
            tree, wanted, lambda: _zip_list(cache, wanted, limits), f"module cache: {path}", hints
        )
        return found + _modfile_in(tree, wanted, f"module cache: {path}", limits)

    return [
        finding
        for part in (served, archive, extracted)
        for finding in _tried(part, wanted, absent_is_fine=True)
    ]


def check_fetched(origins: Origins, wanted: Expectation, limits: Limits, events: Events) -> list[Finding]:
    """The module by the digest that is locked, and what its tag names now."""

    def fetched() -> list[Finding]:
        entry = _fetch(origins, wanted, limits, events)
        return [
            wanted.compared(checks.ARCHIVE, wanted.entry.archive, entry.archive, origins.name),
            wanted.compared(tree_checks.HASH, wanted.entry.tree, entry.tree, origins.name),
            wanted.compared(checks.MODFILE, wanted.entry.modfile, entry.modfile, origins.name),
        ]

    return _tried(lambda: _tag(origins, wanted), wanted) + _tried(fetched, wanted)


def _fetch(origins: Origins, wanted: Expectation, limits: Limits, events: Events) -> SumEntry:
    which: Digest | str | None = wanted.entry.manifest
    if wanted.entry.source is not None or which is None:
        # locked from a cache: its manifest is a computed one, and the archive's digest is what counts
        store, which = origins.find(wanted.module)
    else:
        store, _ = origins.find_locked(wanted.module, wanted.entry.manifest)  # type: ignore[arg-type]
    with download(store, which, wanted.module, limits=limits, events=events) as found:
        return found.entry


def _tag(origins: Origins, wanted: Expectation) -> list[Finding]:
    if wanted.entry.source is not None:
        return []
    store, tag = origins.find(wanted.module)
    found = store.resolve(tag).digest
    if found == wanted.entry.manifest:
        return []
    details = (
        Detail(label="locked", text=str(wanted.entry.manifest)),
        Detail(label="got", text=str(found)),
    )
    return [
        wanted.failed(oci_checks.TAG_MOVED, f"{store.place}: tag {tag} names another manifest now", *details)
    ]


def _tried(
    part: Callable[[], list[Finding]], wanted: Expectation, *, absent_is_fine: bool = False
) -> list[Finding]:
    try:
        return part()
    except Absent as error:
        return [] if absent_is_fine else [finding_of(error, wanted.key)]
    except _REFUSED as error:
        return [finding_of(error, wanted.key)]


def _against(
    tree: Tree,
    wanted: Expectation,
    original: Callable[[], TreeList | None],
    where: str,
    hints: tuple[str, ...],
) -> list[Finding]:
    """By the hash; where that fails, by the list, if the right one is at hand: it names the files."""
    entry = wanted.entry
    assert entry.tree is not None  # noqa: S101 - the ecosystem's rules require it
    found = check_tree(tree, entry.tree, wanted.key)
    failed = any(each.check is tree_checks.HASH and each.outcome is Outcome.FAILED for each in found)
    listed = original() if failed else None
    if listed is not None:
        found = check_tree(tree, listed, wanted.key)
    return [_told(each, wanted, where, hints) for each in found]


def _told(finding: Finding, wanted: Expectation, where: str, hints: tuple[str, ...]) -> Finding:
    """With the place of the lock, and what can be typed."""
    if finding.outcome is not Outcome.FAILED:
        return finding
    words = {
        tree_checks.EXTRA_FILE.id: "not in the locked tree",
        tree_checks.MISSING_FILE.id: "locked, and not here",
    }
    word = words.get(finding.check.id)
    details = (Detail(label="found", text=word),) if word else finding.details
    if finding.check is tree_checks.CHANGED_FILE:
        hints = (f"modseal verify tree --diff --module {wanted.key}", *hints)
    locked = (Detail(label="locked", text=str(wanted.entry.tree)), Detail(label="in", text=where))
    return replace(
        finding,
        message="" if word else finding.message,
        place=wanted.place,
        details=(*details, *locked),
        hints=(*finding.hints, *hints),
    )


def _modfile(wanted: Expectation, sha256: bytes | None, where: str) -> list[Finding]:
    if sha256 is None:
        return [wanted.failed(checks.MODFILE, f"{where}: no {MODULE_FILE}")]
    return [wanted.compared(checks.MODFILE, wanted.entry.modfile, modfile_hash_of(sha256), where)]


def _modfile_in(tree: Tree, wanted: Expectation, where: str, limits: Limits) -> list[Finding]:
    def read() -> list[Finding]:
        with tree.open(MODULE_FILE) as file:
            return _modfile(wanted, measure(file, most=limits.document_bytes).sha256, where)

    return _tried(read, wanted)


def _archive(file: BinaryIO, wanted: Expectation, where: str, limits: Limits) -> list[Finding]:
    found = measure(file, most=limits.archive_bytes).digest
    inspection = check_archive(file, subject=wanted.key, limits=limits)
    findings = [wanted.compared(checks.ARCHIVE, wanted.entry.archive, found, where)]
    findings += [
        replace(each, place=wanted.place, details=(*each.details, Detail(label="in", text=where)))
        for each in inspection.findings
        if each.outcome in {Outcome.FAILED, Outcome.UNKNOWN}
    ]
    if inspection.tree_hash is not None:
        findings.append(wanted.compared(tree_checks.HASH, wanted.entry.tree, inspection.tree_hash, where))
        assert inspection.archive is not None  # noqa: S101 - a tree hash comes from an accepted archive
        findings += _modfile_in(inspection.archive, wanted, where, limits)
    return findings


def _zip_list(cache: ModuleCache, wanted: Expectation, limits: Limits) -> TreeList | None:
    """The files of the cached zip, where it is the locked one."""
    try:
        with cache.open_archive(wanted.module) as file:
            archive = read_archive(file, limits=limits)
            return TreeList.of(archive) if hash_tree(archive) == wanted.entry.tree else None
    except _REFUSED:
        return None
