"""The command. `--version` is answered from a constant, before click or anything else loads."""

from __future__ import annotations

import sys


def main() -> None:
    """Run one command and leave with its exit code: 0 passed, 1 refuted, 2 usage, 3 undecidable, 130."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from verify.version import __version__  # noqa: PLC0415 - start-up cost is a feature

        sys.stdout.write(f"modseal {__version__}\n")
        return
    import gc  # noqa: PLC0415

    # values in the thousands and no cycles among them: looking for cycles after every 700 costs a fifth of a run
    gc.set_threshold(100_000, 20, 100)
    from verify.cli.app import run  # noqa: PLC0415

    gc.freeze()  # what is loaded by now stays: no look for cycles need pass over it, nor the one at the end
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
