"""`modseal verify file`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from verify.cli.options import reporting
from verify.cli.signers import naming_signers

if TYPE_CHECKING:
    from verify.cli.talk import Talk
    from verify.report import Report
    from verify.workflows.keyless import Keyless

EPILOG = """\b
Examples:
  modseal verify file net.zip --bundle net.zip.sigstore.json --key acme.pub --module example.com/net@v1.4.0
  modseal verify file net.zip --bundle plain.json --key acme.pub --allow-unbound     the bytes alone
  modseal verify file net.zip --bundle build.json --key acme.pub --allow-unbound --type slsaprovenance1
  modseal verify file net.zip --bundle keyless.json --identity dev@example.com --issuer https://issuer.example.com --trusted-root trusted_root.json --allow-unbound
"""


@click.command("file", epilog=EPILOG)
@click.argument("file", metavar="FILE")
@click.option(
    "--bundle", "bundles", multiple=True, required=True, metavar="FILE", help="A Sigstore bundle; repeatable."
)
@click.option("--key", "keys", multiple=True, metavar="FILE", help="A public key you expect; repeatable.")
@click.option("--module", metavar="PATH@VERSION", help="The module the file must have been signed as.")
@click.option("--type", "types", multiple=True, metavar="TYPE", help="Accepted predicate type; repeatable.")
@click.option("--allow-unbound", is_flag=True, help="Accept a signature that names no module.")
@naming_signers
@reporting
def command(
    *,
    file: str,
    bundles: tuple[str, ...],
    keys: tuple[str, ...],
    module: str | None,
    types: tuple[str, ...],
    allow_unbound: bool,
    keyless: Keyless,
    talk: Talk,
) -> Report:
    """Check a file against detached bundles: an expected signer, these bytes, this module."""
    from verify.workflows.check_file import Demand, check_file  # noqa: PLC0415

    _ = talk
    demand = Demand(keys=keys, module=module, types=types, allow_unbound=allow_unbound, keyless=keyless)
    return check_file(file, bundles, demand)
