"""`modseal --version` against a Python that does nothing."""

from __future__ import annotations

import statistics
import sys

import ratio


def main() -> None:
    """The ratio, and the difference that the target speaks of."""
    ours = ratio.modseal("--version")
    bare = ratio.command("python -c pass", sys.executable, "-c", "pass")
    ratio.compare("modseal --version / a bare Python", ours, bare, pairs=21)
    more = statistics.median(ours.run().wall - bare.run().wall for _ in range(21)) * 1000
    print(f"  {more:.1f} ms more (target ≤ 40 ms)")
    ratio.compare("modseal hash of two small files / a bare Python", tiny(), bare, pairs=21)


def tiny() -> ratio.Side:
    """What a command costs that has almost nothing to do."""
    return ratio.modseal("hash", "-q", str(ratio.ROOT / "bench" / "README.md"), str(ratio.ROOT / "README.md"))


if __name__ == "__main__":
    main()
