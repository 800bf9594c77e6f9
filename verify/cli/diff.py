"""`modseal diff`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from verify.cli.options import emit, emit_json, limiting, talking
from verify.render.escape import terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.cli.talk import Talk
    from verify.limits import Limits
    from verify.workflows.difference import Difference

EPILOG = """\b
Examples:
  modseal diff net.zip ./net            is the folder what was published?
  modseal diff git:v1.2.0 git:HEAD
  modseal diff -u ./before ./after      with the changed lines
  modseal diff list:net.list ./net

Exit codes: 0 equal, 1 different.
"""


@click.command("diff", epilog=EPILOG)
@click.argument("expected", metavar="A")
@click.argument("actual", metavar="B")
@click.option("-u", "--unified", is_flag=True, help="Show the changed lines of text files.")
@click.option("--json", "as_json", is_flag=True, help="Data for machines.")
@limiting
@talking
def command(*, expected: str, actual: str, unified: bool, as_json: bool, limits: Limits, talk: Talk) -> int:
    """Compare two folders, zips, git revisions or tree lists, both ways."""
    from verify.workflows.difference import diff_targets  # noqa: PLC0415

    found = diff_targets(expected, actual, unified=unified, limits=limits, events=talk)
    if as_json:
        emit_json(found.as_data())
    else:
        emit("".join(f"{line}\n" for line in _lines(found)))
    return found.exit_code


def _lines(found: Difference) -> Iterator[str]:
    files = found.files
    yield from (f"missing  {terminal(name)}" for name in files.missing)
    yield from (f"extra    {terminal(name)}" for name in files.extra)
    yield from (f"changed  {terminal(each.name)}" for each in files.changed)
    for each in files.case_changed:
        content = ", other content" if each.content is not None else ""
        yield f"case     {terminal(each.expected)} -> {terminal(each.actual)}{content}"
    for mode in files.mode_changed:
        yield f"mode     {terminal(mode.name)}  {'+x' if mode.actual else '-x'}"
    for odd in found.odd:
        yield f"odd      {terminal(odd.name)}  {terminal(odd.expected or 'none')} -> {terminal(odd.actual or 'none')}"
    for text in found.texts:
        if text.omitted:
            yield f"{terminal(text.name)}: {text.omitted}"
        yield from (terminal(part) for line in text.lines for part in line.split("\n"))
    yield f"{files.equal} equal, {found.count} different"
