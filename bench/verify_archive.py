"""`modseal verify archive` of a zip that Go made, against Go's own hashing of it."""

from __future__ import annotations

import sys

import corpus
import ratio

# the check alone, as a program has it that is running already
LIBRARY = """
import gc, sys, time
gc.set_threshold(100_000, 20, 100)
from verify.workflows.check_archive import check_archive_file
started = time.perf_counter()
report = check_archive_file(sys.argv[1], expected=sys.argv[2], canonical=False)
print(report.verdict.value, time.perf_counter() - started)
sys.exit(report.verdict.exit_code)
"""


def main() -> None:
    """20,000 small files, deflated, with data descriptors: the shape of every Go and CUE module."""
    made = corpus.PLACE / "go.zip"
    module = ("example.com/bench", "v1.0.0")
    ratio.peer("goarchive", "create", str(corpus.folder("small")), str(made), *module).run()
    theirs = ratio.peer("goarchive", "hashzip", str(made))
    pin = theirs.run().said.strip()
    ours = ratio.modseal("verify", "archive", "-q", str(made), "--hash", pin)
    ratio.compare("verify archive of 20,000 files / Go HashZip", ours, theirs, target="≤ 0.8")
    library = ratio.told("check_archive_file, started", sys.executable, "-c", LIBRARY, str(made), pin)
    ratio.compare("the same without the command's start / Go HashZip", library, theirs, target="≤ 0.8")
    made.unlink()


if __name__ == "__main__":
    main()
