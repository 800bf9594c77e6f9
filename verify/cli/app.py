"""The command tree, loaded lazily, and the one place where an exception becomes an exit code.

click runs with `standalone_mode=False`: its own exit code 1 for an abort and 2 for everything it dislikes
would otherwise mix with ours. What leaves here is 0, 1, 2, 3 or 130, and never a traceback.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING

import click

from verify.errors import ModsealError
from verify.render.escape import terminal
from verify.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# command -> (module of verify.cli, one line of help); the line stands here so that --help loads no command
COMMANDS: Mapping[str, tuple[str, str]] = {
    "attach": ("attach", "any file to an artifact, where others find it"),
    "completion": ("completion", "completion script for a shell"),
    "copy": ("copy", "artifacts with all that is attached, between registries and folders"),
    "demo": ("demo", "the whole story in a few seconds"),
    "diff": ("diff", "what differs between two trees, zips or revisions"),
    "doctor": ("doctor", "what a registry can do, and what it silently does not"),
    "explain": ("explain", "what a check means and what to do"),
    "hash": ("hash", "h1: and sha256 of folders, zips, files and revisions"),
    "inspect": ("inspect", "explain a zip or an artifact, and what is unusual about it"),
    "key": ("key", "make, convert and show keys"),
    "lock": ("lock", "write or check cue.mod/sum.cue: what bytes every module must have"),
    "login": ("login", "try a credential at a registry and keep it"),
    "logout": ("logout", "forget the credential that login kept"),
    "pack": ("pack", "a module tree into its one canonical zip"),
    "publish": ("publish", "a module into a registry or layout folder"),
    "pull": ("pull", "an artifact out of one, every byte checked"),
    "referrers": ("referrers", "what is attached to an artifact"),
    "serve": ("serve", "a layout folder over HTTP, on this machine"),
    "trust": ("trust", "what a trust root believes, and how to pin it"),
    "unpack": ("unpack", "a checked zip into a new folder, or nothing"),
    "vendor": ("vendor", "the vendored tree from the lock, or a filled module cache"),
}
VERIFY: Mapping[str, tuple[str, str]] = {
    "archive": ("verify_archive", "a zip: one reading, contents as declared, the hash you name"),
    "file": ("verify_file", "a file against detached bundles: signer, bytes, module"),
    "tree": ("verify_tree", "a workspace against its lock data: every module, wherever it lies"),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def __init__(self, *args: object, lazy: Mapping[str, tuple[str, str]], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The lazy ones and those added outright."""
        return sorted({*self.lazy, *super().list_commands(ctx)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import it now."""
        if cmd_name not in self.lazy:
            return super().get_command(ctx, cmd_name)
        module, _ = self.lazy[cmd_name]
        found: click.Command = importlib.import_module(f"verify.cli.{module}").command
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """From the table: asking each command for its help would import it."""
        rows = [(name, self.lazy[name][1]) for name in self.list_commands(ctx) if name in self.lazy]
        rows += [(name, each.get_short_help_str()) for name, each in sorted(self.commands.items())]
        with formatter.section("Commands"):
            formatter.write_dl(sorted(rows))


@click.group(
    cls=LazyGroup,
    lazy=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Exit codes: 0 passed, 1 refuted, 2 usage, 3 undecidable. Start with: modseal demo",
)
@click.version_option(__version__, "-V", "--version", message="modseal %(version)s")
def root() -> None:
    """Are these bytes the ones that were published, and who says so?

    Packs, hashes, locks, signs and verifies configuration modules, offline.
    """


@root.group(
    "verify", cls=LazyGroup, lazy=VERIFY, short_help="check a tree, an archive, an artifact or a file"
)
def verify_group() -> None:
    """Check something, account for all of it, and say so with the exit code."""


def run(argv: Sequence[str]) -> int:
    """Run one command line; give its exit code."""
    try:
        code = root.main(list(argv), prog_name="modseal", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as leave:
        return leave.exit_code if leave.exit_code in (0, 1, 2, 3) else 3
    except click.ClickException as problem:
        problem.show(sys.stderr)
        return 2
    except (click.Abort, KeyboardInterrupt):
        _talk("interrupted")
        return 130
    except BrokenPipeError:
        # the reader went away; what was checked was not all told
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 3
    except ModsealError as error:
        return _tell(error)
    except Exception as error:  # noqa: BLE001 - the edge: nothing else may escape
        return _confess(error, argv)
    return code if isinstance(code, int) else 0


def _talk(text: str) -> None:
    sys.stderr.write(text + "\n")


def _tell(error: ModsealError) -> int:
    _talk(f"error: {terminal(str(error))}" + (f" [{error.check}]" if error.check else ""))
    if error.hint:
        _talk(f"hint: {terminal(error.hint)}")
    return error.exit_code


def _confess(error: Exception, argv: Sequence[str]) -> int:
    """A fault of ours: say where to report it, and show the trace only to those who ask."""
    _talk(f"error: internal error: {type(error).__name__}: {terminal(str(error))} [internal]")
    if os.environ.get("MODSEAL_DEBUG") == "1" or "-vv" in argv:
        import traceback  # noqa: PLC0415 - slow to load, and hardly ever needed

        traceback.print_exception(error)
    else:
        _talk("hint: run again with MODSEAL_DEBUG=1 and report what it prints, see SECURITY.md")
    return 3
