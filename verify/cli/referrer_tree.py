"""What `modseal referrers` shows: the tree of what is attached, or what a repair changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.render.escape import terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.oci.referrers import Node
    from verify.workflows.attached import Repaired


def tree_lines(node: Node, indent: str) -> Iterator[str]:
    """For people."""
    last = len(node.children) - 1
    for position, child in enumerate(node.children):
        kind = child.referrer.kind if child.referrer is not None else ""
        yield f"{indent}{'└─' if position == last else '├─'} {terminal(kind or 'no type')}  {child.digest}"
        yield from tree_lines(child, f"{indent}{'   ' if position == last else '│  '}")
    yield from (f"{indent}!  {each.check.id}: {terminal(each.text)}" for each in node.faults)


def repair_lines(mended: Repaired) -> Iterator[str]:
    """For people."""
    if mended.repair is None:
        yield "nothing to repair: this registry lists referrers by itself"
        return
    yield from (f"kept     {each.digest}" for each in mended.repair.kept)
    yield from (f"added    {each.digest}" for each in mended.repair.added)
    yield from (f"dropped  {each.check.id}: {terminal(each.text)}" for each in mended.repair.dropped)
    if not (mended.repair.kept or mended.repair.added or mended.repair.dropped):
        yield "none attached"
