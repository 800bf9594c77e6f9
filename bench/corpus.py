"""Makes what the benches read: the same bytes on every machine, once, below build/bench.

    python bench/corpus.py           make all of it
    python bench/corpus.py small     20,000 small text files in 200 folders, 60 MB
    python bench/corpus.py large     20 files of 20 MB, every second one text, the others noise
    python bench/corpus.py sparse    one file of 5 GiB without content, which takes no room

Each is a CUE module, so that CUE's own packer takes it too. A folder is filled under another name and then
renamed: one that is there is whole.
"""

from __future__ import annotations

import random
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / "build" / "bench"
MODULE = 'module: "example.com/bench@v1"\nlanguage: version: "v0.15.0"\n'
MB = 1_000_000
GIB = 1 << 30
VOCABULARY = (
    "package import let if for in true false null string int bool bytes number close quota region replica "
    "service port name image command limits memory cpu labels match spec template metadata namespace policy "
    "net v1 v2 http grpc tls host path zone owner team stage canary weight retry timeout budget"
)
WORDS = VOCABULARY.split()


def text(source: random.Random, size: int) -> bytes:
    """Lines that look like configuration and compress like it."""
    lines = []
    left = size
    while left > 0:
        depth = "\t" * source.randrange(4)
        line = f'{depth}{source.choice(WORDS)}: {source.choice(WORDS)}: "{source.getrandbits(24):06x}"\n'
        lines.append(line)
        left -= len(line)
    return "".join(lines).encode()[:size]


def small(folder: Path) -> None:
    """Sizes as in a real module: most files are short, a few are not."""
    source = random.Random(20_000)
    for number in range(200):
        (folder / f"part{number:03}").mkdir()
    for number in range(20_000):
        size = min(40_000, int(source.lognormvariate(7.5, 0.9)))
        (folder / f"part{number % 200:03}" / f"file{number:05}.cue").write_bytes(text(source, size))


def large(folder: Path) -> None:
    """A block of text repeated would compress too well: each text file has 20 blocks of its own."""
    source = random.Random(20)
    for number in range(20):
        if number % 2:
            content = source.randbytes(20 * MB)
        else:
            content = b"".join(text(source, MB // 4) * 4 for _ in range(20))
        (folder / f"file{number:02}.bin").write_bytes(content)


def sparse(folder: Path) -> None:
    """Five GiB of zeros that the file system does not store."""
    with (folder / "sparse.bin").open("wb") as file:
        file.truncate(5 * GIB)


MAKERS = {"small": small, "large": large, "sparse": sparse}


def folder(name: str) -> Path:
    """The folder of that name, made if it is not there."""
    target = PLACE / name
    if not target.is_dir():
        print(f"making {target.relative_to(ROOT)}", flush=True)
        fresh = PLACE / f"{name}.new"
        shutil.rmtree(fresh, ignore_errors=True)
        (fresh / "cue.mod").mkdir(parents=True)
        (fresh / "cue.mod" / "module.cue").write_text(MODULE)
        MAKERS[name](fresh)
        fresh.rename(target)
    return target


if __name__ == "__main__":
    for wanted in sys.argv[1:] or MAKERS:
        folder(wanted)
