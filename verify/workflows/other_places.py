"""One locked CUE module outside the vendored tree: in cue's module cache, or in a store.

In the cache, the served module file, the zip and the extracted files are three things, and each that lies there is
held to the entry: cue uses whichever it finds. From a store, the module is asked for by the manifest that is locked,
and what its tag names now is told beside it.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO

from verify.archive.inspection import check_archive
from verify.archive.reader import read_archive
from verify.digest import measure
from verify.ecosystems.cue import lockchecks as checks
from verify.ecosystems.cue.cache import archive_path, extracted_path, module_file_path
from verify.ecosystems.cue.download import download
from verify.errors import Malformed, Refuted, Undecidable
from verify.oci import checks as oci_checks
from verify.report import Detail, Finding, Outcome
from verify.tree import checks as tree_checks
from verify.tree.hashing import hash_tree
from verify.tree.listing import TreeList
from verify.workflows.module_checks import Expectation, against, modfile, modfile_in, tried

if TYPE_CHECKING:
    from verify.digest import Digest
    from verify.ecosystems.cue.cache import ModuleCache
    from verify.events import Events
    from verify.limits import Limits
    from verify.sums.entry import SumEntry
    from verify.workflows.origins import Origins

_REFUSED = (Malformed, Refuted, Undecidable)


def check_cached(cache: ModuleCache, wanted: Expectation, limits: Limits, events: Events) -> list[Finding]:
    """The served module file, the zip and the extracted files, each where it lies."""

    def served() -> list[Finding]:
        data = cache.module_file(wanted.module)
        where = f"module cache: {module_file_path(wanted.module)}"
        return modfile(wanted, hashlib.sha256(data).digest(), where)

    def archive() -> list[Finding]:
        with cache.open_archive(wanted.module) as file:
            return _archive(file, wanted, f"module cache: {archive_path(wanted.module)}", limits)

    def extracted() -> list[Finding]:
        tree = cache.extracted(wanted.module, events)
        if tree is None:
            return []
        path = extracted_path(wanted.module)
        hints = (f"remove {path} from the cache and let cue fetch it again",)
        found = against(
            tree, wanted, lambda: _zip_list(cache, wanted, limits), f"module cache: {path}", hints
        )
        return found + modfile_in(tree, wanted, f"module cache: {path}", limits)

    return [
        finding
        for part in (served, archive, extracted)
        for finding in tried(part, wanted, absent_is_fine=True)
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

    return tried(lambda: _tag(origins, wanted), wanted) + tried(fetched, wanted)


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
        findings += modfile_in(inspection.archive, wanted, where, limits)
    return findings


def _zip_list(cache: ModuleCache, wanted: Expectation, limits: Limits) -> TreeList | None:
    """The files of the cached zip, where it is the locked one."""
    try:
        with cache.open_archive(wanted.module) as file:
            archive = read_archive(file, limits=limits)
            return TreeList.of(archive) if hash_tree(archive) == wanted.entry.tree else None
    except _REFUSED:
        return None
