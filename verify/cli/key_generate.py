"""`modseal key generate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from verify.cli.options import emit, emit_json, talking
from verify.cli.unlocking import unlocking
from verify.render.escape import terminal

if TYPE_CHECKING:
    from verify.cli.talk import Talk
    from verify.workflows.passphrase import PassphraseSource

EPILOG = """\b
The private key is encrypted. Its passphrase comes from --passphrase-file, --passphrase-fd,
MODSEAL_PASSPHRASE or a prompt; never from the command line.

\b
Examples:
  modseal key generate -o acme.key                  acme.key and acme.pub
  modseal key generate -o acme.key --type ed25519
  modseal key generate -o acme.key --passphrase-fd 3 3<secret
"""


@click.command("generate", epilog=EPILOG)
@click.option(
    "-o", "--output", default="modseal.key", show_default=True, metavar="FILE", help="Never overwritten."
)
@click.option(
    "--type",
    "algorithm",
    type=click.Choice(["ecdsa-p256", "ed25519", "ecdsa-p384"]),
    default="ecdsa-p256",
    show_default=True,
    help="ecdsa-p256 is read by every Sigstore client.",
)
@click.option("--no-passphrase", is_flag=True, help="Leave the private key unencrypted.")
@click.option("--json", "as_json", is_flag=True, help="Data for machines.")
@unlocking
@talking
def command(
    *,
    output: str,
    algorithm: str,
    no_passphrase: bool,
    as_json: bool,
    passphrase: PassphraseSource,
    talk: Talk,
) -> int:
    """Make a key pair: FILE with mode 0600, and its public part beside it."""
    from verify.workflows.keys import generate_key  # noqa: PLC0415

    made = generate_key(Path(output), algorithm, None if no_passphrase else passphrase)
    if no_passphrase and talk.verbosity >= 0:
        click.echo("warning: the private key is not encrypted", err=True)
    rows = {
        "private": str(made.private),
        "public": str(made.public),
        "type": made.public_key.algorithm.value,
        "id": made.public_key.key_id,
    }
    if as_json:
        emit_json({"schemaVersion": "modseal.key/1", "encrypted": not no_passphrase, **rows})
    else:
        emit("".join(f"{label:<8} {terminal(text)}\n" for label, text in rows.items()))
    return 0
