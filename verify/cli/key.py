"""`modseal key`: the group, with `public` and `show`; `generate` has a file of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from verify.cli.key_generate import command as generate
from verify.cli.options import emit, emit_json, talking
from verify.cli.unlocking import unlocking
from verify.render.escape import terminal

if TYPE_CHECKING:
    from verify.cli.talk import Talk
    from verify.workflows.passphrase import PassphraseSource


EPILOG = """\b
Examples:
  modseal key generate
  modseal key show acme.pub
  modseal key public acme.key > acme.pub
"""


@click.group("key", epilog=EPILOG)
def command() -> None:
    """Make, convert and show keys. Signing with them: modseal sign --key FILE."""


command.add_command(generate)


@command.command("public", epilog="\b\nExamples:\n  modseal key public acme.key > acme.pub\n")
@click.argument("key", metavar="KEY")
@unlocking
@talking
def public(*, key: str, passphrase: PassphraseSource, talk: Talk) -> int:
    """Print the public part of a key, as PEM: of ours, cosign's, OpenSSH's or another PEM key."""
    from verify.workflows.keys import public_part  # noqa: PLC0415

    _ = talk
    emit(public_part(Path(key), passphrase).pem.decode("ascii"))
    return 0


@command.command(
    "show", epilog="\b\nExamples:\n  modseal key show acme.pub\n  modseal key show --json acme.pub\n"
)
@click.argument("key", metavar="KEY")
@click.option("--json", "as_json", is_flag=True, help="Data for machines.")
@talking
def show(*, key: str, as_json: bool, talk: Talk) -> int:
    """Say what a key file is: kind, type and id, and whether it is encrypted. Nothing secret is shown."""
    from verify.workflows.keys import show_key  # noqa: PLC0415

    _ = talk
    facts = show_key(Path(key))
    found = facts.public_key
    rows: dict[str, str | bool | None] = {
        "path": facts.path,
        "kind": "private key" if facts.private else "public key",
        "encrypted": facts.encrypted,
        "type": found.algorithm.value if found else None,
        "id": found.key_id if found else None,
    }
    if as_json:
        emit_json({"schemaVersion": "modseal.key/1", **rows})
    else:
        words = {True: "yes", False: "no", None: "not known without the passphrase: modseal key public"}
        told = {label: value if isinstance(value, str) else words[value] for label, value in rows.items()}
        emit("".join(f"{label:<10} {terminal(text)}\n" for label, text in told.items()))
    return 0
