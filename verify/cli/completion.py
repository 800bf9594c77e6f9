"""`modseal completion`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from verify.cli.options import emit

EPILOG = """\b
Examples:
  modseal completion bash > ~/.local/share/bash-completion/completions/modseal
  modseal completion zsh > ~/.zfunc/_modseal
  modseal completion fish > ~/.config/fish/completions/modseal.fish
"""


@click.command("completion", epilog=EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(*, shell: str) -> int:
    """Print the completion script for a shell."""
    from verify.cli.app import root  # noqa: PLC0415

    kind = get_completion_class(shell)
    if kind is None:  # pragma: no cover - click knows all three
        raise click.UsageError(f"no completion for {shell}")
    emit(kind(root, {}, "modseal", "_MODSEAL_COMPLETE").source() + "\n")
    return 0
