#!/usr/bin/env python3
"""Writes what the docs take from the product itself, or with --check says whether it is what stands there.

- docs/reference/checks.md: every check, from the values that `modseal explain` prints
- docs/reference/commands.md: every command's --help
- README.md: the screen between its two markers, from `modseal demo`
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

os.environ["COLUMNS"] = "100"  # the width of the pages, whatever the terminal's
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from verify.cli.app import COMMANDS, VERIFY, run  # noqa: E402
from verify.render.explain import reference  # noqa: E402
from verify.workflows.catalogue import checks  # noqa: E402

START, END = "<!-- screen -->\n", "<!-- /screen -->\n"


def _said(*argv: str) -> str:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="utf-8", newline="", write_through=True)
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        code = run(list(argv))
    if code != 0:
        raise SystemExit(f"modseal {' '.join(argv)}: exit {code}")
    return raw.getvalue().decode("utf-8")


def _commands() -> str:
    lines = ["# Commands\n", "Generated from `--help` by `tools/docs.py`.\n"]
    paths = [(name,) for name in sorted(COMMANDS)] + [("verify", name) for name in sorted(VERIFY)]
    paths += [("key", name) for name in ("generate", "public", "show")]
    lines += [
        f"## modseal {' '.join(path)}\n\n```text\n{_said(*path, '--help').rstrip()}\n```\n"
        for path in sorted(paths)
    ]
    return "\n".join(lines)


def _readme() -> str:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    head, start, rest = text.partition(START)
    _, end, tail = rest.partition(END)
    if not start or not end:
        raise SystemExit("README.md: the markers of the screen are gone")
    scenes = _said("demo").rstrip().split("\n\n")
    screen = "\n\n".join(scenes[-2:])
    return f"{head}{START}```console\n{screen}\n```\n{END}{tail}"


def main() -> int:
    made = {
        "docs/reference/checks.md": reference(checks().values()),
        "docs/reference/commands.md": _commands(),
        "README.md": _readme(),
    }
    stale = []
    for name, text in made.items():
        path = ROOT / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
    if "--check" in sys.argv[1:] and stale:
        print(f"stale: {', '.join(stale)}; run tools/docs.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
