"""`modseal hash`: identities of folders, zips, files and git revisions, and a check against a tree list.

A hash sees names and contents of regular files only. A tree in which something else lies (a link, a device, a
name no list can carry) is refused rather than hashed around it; what is harmless but worth knowing (hard
links, empty folders) becomes a note.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from verify.digest import Digest, TreeHash, measure
from verify.errors import Misused, Refuted
from verify.events import SILENT, Events, Level
from verify.limits import DEFAULT, Limits
from verify.report import Basis, BasisKind, Detail, Finding, Outcome, Report, Subject
from verify.tree import checks
from verify.tree.checking import check_tree
from verify.tree.listing import TreeList
from verify.tree.port import HARMLESS
from verify.workflows.expectation import Expected
from verify.workflows.sources import Source, open_source, read_document

if TYPE_CHECKING:
    from verify.tree.port import Tree

_WHOLE = 1 << 62
_NOTES = 20  # more are counted, not told


@dataclass(frozen=True, slots=True, kw_only=True)
class Hashed:
    """What one target is."""

    target: str
    kind: str
    tree_hash: TreeHash | None = None
    digest: Digest | None = None
    files: int | None = None
    size: int | None = None
    commit: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def values(self) -> tuple[str, ...]:
        """Its identities, the tree hash first."""
        return tuple(str(each) for each in (self.tree_hash, self.digest) if each is not None)


def hash_target(
    target: str, *, prefix: str = "", limits: Limits = DEFAULT, events: Events = SILENT
) -> Hashed:
    """Raises what opening and reading raises, and Refuted where a hash would not see everything."""
    with open_source(target, limits=limits, events=events) as source:
        notes = list(source.notes)
        digest = size = None
        if source.file is not None:
            source.file.seek(0)
            measured = measure(source.file, most=_WHOLE)
            digest, size = measured.digest, measured.size
        if source.tree is None:
            tree_hash = source.listing.tree_hash if source.listing is not None else None
            files = len(source.listing.names) if source.listing is not None else None
            kind = source.kind.value if source.kind is not None else "file"
            return Hashed(
                target=target, kind=kind, tree_hash=tree_hash, digest=digest, files=files, size=size
            )
        notes += _judged(source.tree, target)
        listing = _listed(source, prefix, events)
        if source.archive is None:
            size = sum(entry.size for entry in source.tree.entries())
    for note in notes:
        events.note(Level.WARNING, f"{target}: {note}")
    return Hashed(
        target=target,
        kind=source.kind.value if source.kind is not None else "git",
        tree_hash=listing.tree_hash,
        digest=digest,
        files=len(listing.names),
        size=size,
        commit=source.commit,
        notes=tuple(notes),
    )


def list_target(target: str, *, prefix: str = "", limits: Limits = DEFAULT, events: Events = SILENT) -> str:
    """The tree list of one target."""
    with open_source(target, limits=limits, events=events) as source:
        _judged(source.hashed(), target)
        return _listed(source, prefix, events).render().decode("utf-8")


def check_against_list(
    target: str, path: str, *, pin: str | None = None, part: str | None = None, prefix: str = "",
    limits: Limits = DEFAULT, events: Events = SILENT,
) -> Report:  # fmt: skip
    """One target against a tree list; with `pin`, the list itself against an `h1:` first (`list.hash`)."""
    wanted = Expected.parse(pin).tree_hash if pin else None
    if pin and wanted is None:
        raise Misused(f"--hash {pin}: expected the h1: of the list", hint=f"modseal hash list:{path}")
    listing = TreeList.parse(_list_bytes(path, limits), limits)
    requires = [checks.HASH.id if part is None else checks.PART.id]
    findings: list[Finding] = []
    if wanted is not None:
        requires.append(checks.LIST_HASH.id)
        findings.append(_pinned(target, path, wanted, listing.tree_hash))
    with open_source(target, limits=limits, events=events) as source:
        findings += check_tree(source.hashed(), listing, target, part, prefix=prefix)
    facts = [Detail(label="list", text=f"{path} {listing.tree_hash}")]
    if part is not None:
        facts.append(Detail(label="narrowed", text=f"only what lies below {part}"))
    basis = Basis(detail="pin the list with --hash h1:…")
    if wanted is not None:
        basis = Basis(kind=BasisKind.PINNED, detail=str(wanted))
    return Report(
        command="hash",
        subjects=(Subject(name=target, requires=tuple(requires)),),
        findings=tuple(findings),
        basis=basis,
        noun="tree",
        facts=tuple(facts),
    )


def _list_bytes(path: str, limits: Limits) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read(limits.list_bytes + 1)
    return read_document(Path(path.removeprefix("list:")), limits.list_bytes)


def _pinned(target: str, path: str, wanted: TreeHash, found: TreeHash) -> Finding:
    same = wanted == found
    return Finding(
        check=checks.LIST_HASH,
        outcome=Outcome.PASSED if same else Outcome.FAILED,
        subject=target,
        message="" if same else f"{path} is another list than the one named",
        details=()
        if same
        else (Detail(label="expected", text=str(wanted)), Detail(label="got", text=str(found))),
    )


def _judged(tree: Tree, target: str) -> list[str]:
    """Notes on what is harmless; Refuted for what a hash would not see."""
    odd = tree.irregulars()
    for each in odd:
        if each.oddity not in HARMLESS:
            check = checks.BY_ODDITY[each.oddity]
            where = f" ({each.detail})" if each.detail else ""
            raise Refuted(
                f"{target}: {each.name}{where}: {check.title}, expected regular files only",
                check=check.id,
                hint=f"modseal explain {check.id}",
            )
    notes = [f"{checks.BY_ODDITY[each.oddity].title}: {each.name}" for each in odd[:_NOTES]]
    return [*notes, f"{len(odd) - _NOTES} more notes"] if len(odd) > _NOTES else notes


def _listed(source: Source, prefix: str, events: Events) -> TreeList:
    tree = source.hashed()
    if not tree.entries():
        events.note(Level.WARNING, f"{source.target.text}: holds no files; a hash of nothing proves nothing")
    return TreeList.of(tree, prefix)
