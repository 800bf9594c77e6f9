"""Runs several readers over the attack corpus and writes what each of them does, as a table in the docs.

    python tools/zip_differential.py            write docs/reference/zip-differential.md
    python tools/zip_differential.py --check    is it what a run gives now?

Needs the peers goarchive, cuemodzip, unzip and bsdtar (tools/peers). A reader *accepts* a zip when it lists and
reads all of it without complaint.
"""

from __future__ import annotations

import argparse
import io
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tools import peers as table  # noqa: E402
from tools.zip_corpus import Case, Corpus, corpus  # noqa: E402
from verify.archive.inspection import check_archive  # noqa: E402
from verify.report import Outcome  # noqa: E402

PAGE = ROOT / "docs" / "reference" / "zip-differential.md"
SECONDS = 60
ZIPFILE = """
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    sys.exit(archive.testzip() is not None)
"""
CUE = "CUE modzip"
CUE_FILE = b'module: "example.com/m@v1"\nlanguage: version: "v0.9.0"\n'
Reader = Callable[[Path], bool]


def accepts(*command: str) -> bool:
    """Exit code 0, within the time."""
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def readers() -> dict[str, Reader]:
    """Column heads and how each reader is asked."""
    wanted, cache = table.load(), table.cache_folder()
    found = {name: table.find(wanted[name], cache) for name in ("goarchive", "cuemodzip", "unzip", "bsdtar")}
    absent = [name for name, path in found.items() if path is None]
    if absent:
        sys.exit(f"needs {', '.join(absent)}: run tools/peers {' '.join(absent)}")
    go, cue, unzip, bsdtar = (str(path) for path in found.values())
    return {
        "Go module zip": lambda path: accepts(go, "checkzip", "example.com/m", "v1.0.0", str(path)),
        "Go dirhash": lambda path: accepts(go, "hashzip", str(path)),
        CUE: lambda path: accepts(cue, "checkzip", str(path), "example.com/m@v1", "v1.0.0"),
        "Python zipfile": lambda path: accepts(sys.executable, "-W", "ignore", "-c", ZIPFILE, str(path)),
        "Info-ZIP": lambda path: accepts(unzip, "-tqq", str(path)),
        "bsdtar": lambda path: accepts(bsdtar, "-xOf", str(path)),
    }


def ours(case: Case) -> str:
    """The checks that refuse it, or those it notes."""
    found = check_archive(io.BytesIO(case.data), subject="zip").findings
    refused = {each.check.id for each in found if each.outcome in {Outcome.FAILED, Outcome.UNKNOWN}}
    noted = {each.check.id for each in found if each.outcome is Outcome.NOTED}
    if refused:
        return ", ".join(f"`{check}`" for check in sorted(refused))
    return "accepts" + "".join(f", notes `{check}`" for check in sorted(noted))


def page() -> str:
    """The whole document."""
    asked = readers()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.zip"
        for case, cue in zip(corpus(), Corpus("", "cue.mod/module.cue", CUE_FILE).cases, strict=True):
            verdicts = []
            for reader, read in asked.items():
                path.write_bytes(cue.data if reader == CUE else case.data)
                verdicts.append("accepts" if read(path) else "refuses")
            rows.append(" | ".join((case.id, case.defect, ours(case), *verdicts)))
    heads = " | ".join(("case", "defect", "modseal", *asked))
    rule = " | ".join(["---"] * (3 + len(asked)))
    return (
        INTRODUCTION.format(python=platform.python_version())
        + "\n".join(f"| {row} |" for row in (heads, rule, *rows))
        + "\n"
    )


INTRODUCTION = """\
# What readers do with ambiguous zips

Written by `tools/zip_differential.py`, which runs each reader over the corpus that `tools/zip_corpus.py` makes
(Python {python}; the other versions are those of `tools/peers.toml` and of the system). *accepts* means: lists
and reads all of it without complaint. It is measured behaviour, not a verdict on a reader: each is right for
what it is used for. Where two readers accept one file and would read it differently, whoever checks with one
and installs with the other is misled. That is why modseal refuses such files, and names the reason.

CUE's module zips have no prefix and a module file: it was asked about the same defects in that shape. It and Go's
module zip look at names and totals alone, on purpose: contents are read when they unpack.

"""


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    chosen = parser.parse_args()
    text = page()
    if not chosen.check:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") != text:
        print(f"{PAGE.name} is not what a run gives now", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
