"""`modseal verify archive`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from verify.cli.options import limiting, reporting

if TYPE_CHECKING:
    from verify.cli.talk import Talk
    from verify.limits import Limits
    from verify.report import Report

EPILOG = """\b
Examples:
  modseal verify archive net.zip --hash h1:…        is it the one I expect?
  modseal verify archive net.zip                    may every tool read it the same way?
  modseal verify archive --canonical net.zip        is it byte for byte what pack makes?
  modseal verify archive net.zip --output sarif=net.sarif
"""


@click.command("archive", epilog=EPILOG)
@click.argument("archive", metavar="ZIP")
@click.option("--hash", "expected", metavar="H1|SHA256", help="What the archive must be.")
@click.option("--canonical", is_flag=True, help="Also pack it again and compare every byte.")
@limiting
@reporting
def command(*, archive: str, expected: str | None, canonical: bool, limits: Limits, talk: Talk) -> Report:
    """Check a zip: one reading, contents as declared, and the hash you name."""
    from verify.workflows.check_archive import check_archive_file  # noqa: PLC0415

    return check_archive_file(archive, expected=expected, canonical=canonical, limits=limits, events=talk)
