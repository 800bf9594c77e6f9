"""`--diff`: what changed inside a changed file, where the original can be had from the cache or `--from`.

Text is shown line by line, as many as a reader takes in; of anything else, only the sizes.
"""

from __future__ import annotations

import difflib
from dataclasses import replace
from typing import TYPE_CHECKING

from verify.archive.reader import read_archive
from verify.ecosystems.cue.download import download
from verify.ecosystems.cue.names import parse_module
from verify.ecosystems.cue.vendor_list import vendored_folder
from verify.errors import ModsealError
from verify.report import Detail, Finding
from verify.tree import checks as tree_checks
from verify.tree.below import read_below
from verify.tree.hashing import hash_tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verify.events import Events
    from verify.limits import Limits
    from verify.sums.entry import SumEntry
    from verify.workflows.check_workspace import Places
    from verify.workflows.lock_data import LockData

_LINES = 40
_MOST = 1 << 20


def with_changes(
    findings: Sequence[Finding], root: str, places: Places, locked: LockData, limits: Limits, events: Events
) -> list[Finding]:
    """The same findings; those on changed vendored files say what changed."""
    result = []
    for finding in findings:
        if finding.check is not tree_checks.CHANGED_FILE or not finding.subject or not finding.file:
            result.append(finding)
            continue
        entry = locked.entries[finding.subject]
        before = _original(places, entry, finding.file, limits, events)
        try:
            path = f"{vendored_folder(parse_module(entry.key))}/{finding.file}"
            after = read_below(root, path, _MOST)
        except ModsealError:
            result.append(finding)
            continue
        result.append(replace(finding, details=(*finding.details, *_lines(before, after))))
    return result


def _original(places: Places, entry: SumEntry, name: str, limits: Limits, events: Events) -> bytes | None:
    module = parse_module(entry.key)
    try:
        if places.cache is not None and places.cache.holds(module):
            with places.cache.open_archive(module) as file:
                archive = read_archive(file, limits=limits)
                if hash_tree(archive) == entry.tree:
                    return archive.open(name).read(_MOST)
        if places.origins is not None and entry.manifest is not None:
            store, _ = places.origins.find_locked(module, entry.manifest)
            with download(store, entry.manifest, module, limits=limits, events=events) as found:
                if found.entry.tree == entry.tree:
                    return found.archive.open(name).read(_MOST)
    except ModsealError:
        return None
    return None


def _lines(before: bytes | None, after: bytes) -> Iterator[Detail]:
    if before is None:
        yield Detail(label="diff", text="the original is neither in the module cache nor behind --from")
        return
    try:
        old, new = before.decode().splitlines(), after.decode().splitlines()
    except UnicodeDecodeError:
        yield Detail(label="diff", text=f"not text: {len(before)} bytes before, {len(after)} now")
        return
    lines = list(difflib.unified_diff(old, new, lineterm="", n=1))[2:]
    for line in lines[:_LINES]:
        yield Detail(label="diff", text=line)
    if len(lines) > _LINES:
        yield Detail(label="diff", text=f"… and {len(lines) - _LINES} more lines")
    if not lines:
        yield Detail(label="diff", text="only the ends of lines differ")
