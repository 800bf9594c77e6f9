"""`modseal verify archive` of a zip that Go made, against Go's own hashing of it."""

from __future__ import annotations

import corpus
import ratio


def main() -> None:
    """20,000 small files, deflated, with data descriptors: the shape of every Go and CUE module."""
    made = corpus.PLACE / "go.zip"
    module = ("example.com/bench", "v1.0.0")
    ratio.peer("goarchive", "create", str(corpus.folder("small")), str(made), *module).run()
    theirs = ratio.peer("goarchive", "hashzip", str(made))
    ours = ratio.modseal("verify", "archive", "-q", str(made), "--hash", theirs.run().said.strip())
    ratio.compare("verify archive of 20,000 files / Go HashZip", ours, theirs, target="≤ 0.8")
    made.unlink()


if __name__ == "__main__":
    main()
