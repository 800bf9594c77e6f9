"""Peak memory while a file of 5 GiB is hashed, packed and checked. It needs 5 GiB of disk for the archive."""

from __future__ import annotations

import sys

import corpus
import ratio

MOST = 80e6


def main() -> int:
    """One run of each is enough: memory does not depend on what else the machine does."""
    folder, out = corpus.folder("sparse"), corpus.PLACE / "sparse.zip"
    out.unlink(missing_ok=True)
    peaks = []
    for words in (
        ("hash", "-q", str(folder)),
        ("pack", "-q", str(folder), "-o", str(out)),
        ("verify", "archive", "-q", str(out), "--max-bytes", str(6 * corpus.GIB)),
    ):
        done = ratio.modseal(*words).run()
        peaks.append(done.rss)
        verdict = "within" if done.rss < MOST else "over"
        print(
            f"{' '.join(words[:2]):16} {done.wall:7.1f} s   peak {done.rss / 1e6:6.1f} MB, {verdict} {MOST / 1e6:.0f} MB"
        )
    out.unlink()
    return int(max(peaks) >= MOST)


if __name__ == "__main__":
    sys.exit(main())
