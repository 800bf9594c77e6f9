"""`modseal hash --check`: a tree, or one folder of it, against a tree list, and the list against its hash.

A list proves itself: its SHA-256 is the tree hash. So the list may lie beside the tree, as long as its hash
comes from elsewhere (`--hash`); without that the report says that it is only self-consistent.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from verify.errors import Misused
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits
from verify.report import Basis, BasisKind, Detail, Finding, Outcome, Report, Subject
from verify.tree import checks
from verify.tree.checking import check_tree
from verify.tree.listing import TreeList
from verify.workflows.expectation import Expected
from verify.workflows.sources import open_source, read_document

if TYPE_CHECKING:
    from verify.digest import TreeHash


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
