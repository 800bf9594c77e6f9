"""What `modseal inspect` says of a zip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.render.escape import terminal

if TYPE_CHECKING:
    from verify.workflows.inspection import Explained


def lines(explained: Explained) -> list[str]:
    """For people."""
    head = [
        f"zip        {terminal(explained.path)}",
        f"sha256     {explained.digest.hex}",
        f"h1         {explained.tree_hash or 'not computed: the zip is refused'}",
        f"container  {explained.canonical or 'foreign: not one that modseal wrote'}",
        f"entries    {len(explained.members)}, {explained.size} bytes in the file",
    ]
    rows = [
        f"  {each.mode:>6}  {each.made_on:<5} {each.method:<9} {each.size:>12} {each.packed:>12} "
        f"{each.crc}  {terminal(each.name)}"
        for each in explained.members
    ]
    odd = [
        f"{'refused' if each.refused else 'unusual'}: {each.check}  {terminal(each.text)}"
        + (f"  {terminal(each.entry)}" if each.entry else "")
        for each in explained.oddnesses
    ]
    return head + rows + (odd or ["nothing unusual"])
