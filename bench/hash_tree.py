"""`modseal hash` of a folder, against Go's dirhash and against raw SHA-256 of the same bytes in memory."""

from __future__ import annotations

import os
import sys

import corpus
import ratio

CORES = len(os.sched_getaffinity(0))
# the hash alone, as a program has it that is running already: listing included, start-up not
LIBRARY = """
import sys, time
from verify.tree.directory import DirectoryTree
from verify.tree.hashing import hash_tree
started = time.perf_counter()
found = hash_tree(DirectoryTree(sys.argv[1]))
print(found, time.perf_counter() - started)
"""


def main() -> None:
    """Both corpora; the small one is about opening files, the large one about hashing."""
    for name, title, target in [
        ("small", "h1 of 20,000 small files", "0.8"),
        ("large", "h1 of 20 files of 20 MB", "0.6 on two cores"),
    ]:
        folder = str(corpus.folder(name))
        ours = ratio.modseal("hash", "-q", folder)
        theirs = ratio.peer("goarchive", "hashdir", folder, "")
        same = ours.run().said.split(), theirs.run().said.strip()
        if same[1] not in same[0]:
            sys.exit(f"different hashes: {same}")
        ratio.compare(f"{title}: modseal hash / Go dirhash", ours, theirs, target=f"≤ {target}")
        library = ratio.told("hash_tree, started", sys.executable, "-c", LIBRARY, folder)
        ratio.compare(f"{title}: hash_tree / Go dirhash", library, theirs, target=f"≤ {target}")
    baseline = (sys.executable, "bench/baseline.py", "memory", folder, str(CORES))
    raw = ratio.told(f"SHA-256 in memory, {CORES} threads", *baseline)
    used = ratio.compare("the same large files: modseal hash / raw SHA-256", ours, raw, target="≤ 1.11")
    print(f"  that is {100 / used:.0f} % of the raw speed, start-up of the command included")
    used = ratio.compare("the same large files: hash_tree / raw SHA-256", library, raw, target="≤ 1.11")
    print(f"  that is {100 / used:.0f} % of the raw speed, without start-up")


if __name__ == "__main__":
    main()
