"""What `modseal inspect` says of a zip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.cli.options import emit, emit_json
from verify.render.escape import terminal

if TYPE_CHECKING:
    from verify.cli.talk import Talk
    from verify.limits import Limits
    from verify.workflows.inspection import Explained


def tell(target: str, *, as_json: bool, limits: Limits, talk: Talk) -> int:
    """Entries, encoding, oddities."""
    from verify.workflows.inspection import inspect_archive  # noqa: PLC0415

    explained = inspect_archive(target, limits=limits, events=talk)
    if as_json:
        emit_json(explained.as_data())
    else:
        emit("\n".join(_lines(explained)) + "\n")
    return 0


def _lines(explained: Explained) -> list[str]:
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
