"""One locked CUE module in the vendored tree, and what every other place is checked with (`other_places`).

Each place is held to the entry by itself, and each finding says which place it is about. A place that does not have
the module says nothing, except the vendored tree, which holds every module or is not complete.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from verify.digest import TreeHash, measure
from verify.ecosystems.cue import lockchecks as checks
from verify.ecosystems.cue.names import MODULE_FILE
from verify.ecosystems.cue.vendor_list import VENDOR_FOLDER, vendored_folder, vendored_tree_list
from verify.ecosystems.cue.workspace import modfile_hash_of
from verify.errors import Absent, Malformed, Refuted, Undecidable
from verify.report import Detail, Finding, Outcome
from verify.tree import checks as tree_checks
from verify.tree.checking import check_tree
from verify.tree.directory import DirectoryTree
from verify.tree.listing import TreeList
from verify.workflows.faults import finding_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.ecosystems.cue.vendored import VendoredTree
    from verify.limits import Limits
    from verify.module import Module
    from verify.report import Check, Place
    from verify.sums.entry import SumEntry
    from verify.tree.port import Tree

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

    findings = against(tree, wanted, original, where, (restore,))
    if list_right:
        findings.append(wanted.passed(tree_checks.LIST_HASH))
    elif vendored.error is None:
        what = "is not there" if listed is None else "is not the locked tree list"
        findings.append(wanted.failed(tree_checks.LIST_HASH, f"{name} {what}", hints=(restore,)))
    if share is None:
        return findings + modfile_in(tree, wanted, where, limits)
    return [*findings, *modfile(wanted, share.module_file, where)]


def tried(
    part: Callable[[], list[Finding]], wanted: Expectation, *, absent_is_fine: bool = False
) -> list[Finding]:
    try:
        return part()
    except Absent as error:
        return [] if absent_is_fine else [finding_of(error, wanted.key)]
    except _REFUSED as error:
        return [finding_of(error, wanted.key)]


def against(
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


def modfile(wanted: Expectation, sha256: bytes | None, where: str) -> list[Finding]:
    if sha256 is None:
        return [wanted.failed(checks.MODFILE, f"{where}: no {MODULE_FILE}")]
    return [wanted.compared(checks.MODFILE, wanted.entry.modfile, modfile_hash_of(sha256), where)]


def modfile_in(tree: Tree, wanted: Expectation, where: str, limits: Limits) -> list[Finding]:
    def read() -> list[Finding]:
        with tree.open(MODULE_FILE) as file:
            return modfile(wanted, measure(file, most=limits.document_bytes).sha256, where)

    return tried(read, wanted)
