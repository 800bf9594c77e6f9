"""The least that a task costs, done plainly: what the benches compare with where no other tool does the same.

    python bench/baseline.py memory DIR THREADS    seconds for SHA-256 of all files, read into memory before
    python bench/baseline.py copy DIR FILE         hash every file, append it to FILE, fsync

`memory` prints the seconds that hashing alone took.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def files(folder: str) -> list[Path]:
    """All of them, in one order."""
    return sorted(path for path in Path(folder).rglob("*") if path.is_file())


def memory(folder: str, threads: str) -> None:
    """hashlib lets other threads run while it hashes, so these do run at once."""
    contents = [path.read_bytes() for path in files(folder)]
    with ThreadPoolExecutor(int(threads)) as pool:
        list(pool.map(len, contents))  # threads have started
        started = time.perf_counter()
        list(pool.map(lambda content: hashlib.sha256(content).digest(), contents))
        print(time.perf_counter() - started)


def copy(folder: str, target: str) -> None:
    """One pass over the bytes, and a file that is really on the disk."""
    with Path(target).open("wb", buffering=1 << 20) as out:
        for path in files(folder):
            content = path.read_bytes()
            hashlib.sha256(content).digest()
            out.write(content)
        out.flush()
        os.fsync(out.fileno())


if __name__ == "__main__":
    {"memory": memory, "copy": copy}[sys.argv[1]](*sys.argv[2:])
