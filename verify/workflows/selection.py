"""Which files of a source belong to the module: the rule sets, applied to what was opened.

`generic/1` looks at the tree alone. `cue/1` does what cue does for the `source.kind` that the module file
declares: a folder with kind git needs its repository around it, and a git revision is packed from objects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.errors import Misused
from verify.tree.port import HARMLESS
from verify.tree.rules import SelectedTree, Selection, select_generic

if TYPE_CHECKING:
    from verify.limits import Limits
    from verify.tree.port import Tree
    from verify.workflows.sources import Source

Omitted = tuple[tuple[str, str], ...]


def select(source: Source, rules: str, *, leave_out: str | None, limits: Limits) -> tuple[Tree, Omitted]:
    """The files to pack, and each left-out name with its reason. Raises Malformed, Refuted, Misused."""
    tree = source.hashed()
    if rules == "generic/1":
        selected = select_generic(tree, limits)
    elif rules == "cue/1":
        from verify.workflows.cue_source import select_cue  # noqa: PLC0415 - only CUE modules need it

        selected = select_cue(source, limits)
    else:
        raise Misused(f"rules {rules!r}: expected generic/1 or cue/1")
    if leave_out is not None:
        selected = _without(selected, leave_out)
    return _Plain(selected), selected.selection.omitted


def _without(selected: SelectedTree, name: str) -> SelectedTree:
    """The archive being written is no part of what it holds."""
    chosen = selected.selection
    if name not in chosen.kept:
        return selected
    kept = tuple(each for each in chosen.kept if each != name)
    return SelectedTree(selected, Selection(kept, (*chosen.omitted, (name, "the output itself"))))


class _Plain:
    """A selection without what is worth a note but no reason to refuse packing."""

    def __init__(self, tree: SelectedTree) -> None:
        self.entries, self.open, self.measures, self.reading = (
            tree.entries,
            tree.open,
            tree.measures,
            tree.reading,
        )
        self.irregulars = lambda: tuple(each for each in tree.irregulars() if each.oddity not in HARMLESS)
