"""`modseal pack` against hash, copy and fsync of the same bytes; `pack --deflate` against CUE's own packer."""

from __future__ import annotations

import sys

import corpus
import ratio


def main() -> None:
    """Each run writes a file of its own that is removed before the next."""
    out = corpus.PLACE / "packed.zip"

    def clean() -> None:
        out.unlink(missing_ok=True)

    for name, title in [("small", "20,000 small files"), ("large", "20 files of 20 MB")]:
        folder = str(corpus.folder(name))
        ours = ratio.modseal("pack", "-q", folder, "-o", str(out), before=clean)
        copying = (sys.executable, "bench/baseline.py", "copy", folder, str(out))
        plain = ratio.command("hash, copy, fsync", *copying, before=clean)
        ratio.compare(f"{title}: modseal pack / hash, copy, fsync", ours, plain, target="≤ 1.2")
        deflated = ratio.modseal("pack", "-q", "--deflate", folder, "-o", str(out), before=clean)
        asked = ("create", folder, str(out), "example.com/bench@v1", "v1.0.0")
        theirs = ratio.peer("cuemodzip", *asked, before=clean)
        ratio.compare(
            f"{title}: modseal pack --deflate / CUE modzip", deflated, theirs, target="≤ 1.0", pairs=3
        )
    clean()


if __name__ == "__main__":
    main()
