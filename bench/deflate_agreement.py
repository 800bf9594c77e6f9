"""Does our own `deflate/1` encoder give the bytes of the reference one? A long run over real and made-up input.

    PYTHONPATH=. python bench/deflate_agreement.py --megabytes 200 --seed 1 --tree DIR

Files of the given trees (this Python's standard library if none) and seeded synthetic input take turns until so
many megabytes are compared. Exits 1 and names the input at the first difference, 2 where this Python's zlib is not the reference.
`--answers` prints the constants of the known-answer test.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import sysconfig
import time
import zlib
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tests.support.deflate_inputs import KINDS, mixture
from verify.archive.deflate import NATIVE, PURE, Encoder, reference_encoder
from verify.archive.deflate1.specimen import specimen

if TYPE_CHECKING:
    from collections.abc import Iterator

MEGABYTE = 1_000_000


def packed(encoder: Encoder, data: bytes) -> bytes:
    stream = encoder.compressor()
    return stream.compress(data) + stream.flush()


def real(trees: list[Path], random: Random) -> Iterator[tuple[str, bytes]]:
    files = sorted(
        path for tree in trees for path in tree.rglob("*") if path.is_file() and not path.is_symlink()
    )
    random.shuffle(files)
    for path in files:
        if path.stat().st_size <= 8 * MEGABYTE:
            yield path.name, path.read_bytes()


def synthetic(random: Random) -> Iterator[tuple[str, bytes]]:
    while True:
        seed = random.getrandbits(32)
        its = Random(seed)
        kind = its.choice((*KINDS, mixture, mixture))
        size = its.choice(
            (0, 1, 2, 3, 4, 100, 5000, 32_768, 65_274, 65_536, 65_537, 98_304, 131_072, 300_000)
        )
        yield f"{kind.__name__}, seed {seed}, size {size}", kind(its, size)


def compare(megabytes: float, seed: int, trees: list[Path]) -> int:
    random = Random(seed)
    sources = {"real": real(trees, random), "synthetic": synthetic(random)}
    done, inputs, spent = dict.fromkeys(sources, 0), dict.fromkeys(sources, 0), 0.0
    goal = megabytes * MEGABYTE
    while sum(done.values()) < goal:
        source = "real" if "real" in sources and done["real"] <= done["synthetic"] else "synthetic"
        try:
            name, data = next(sources[source])
        except StopIteration:  # all files are done: the rest is synthetic
            del sources[source]
            continue
        started = time.process_time()
        ours = packed(PURE, data)
        spent += time.process_time() - started
        if ours != packed(NATIVE, data):
            print(f"differs: {source} {name}, {len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}")
            return 1
        done[source] += len(data)
        inputs[source] += 1
    for source, size in done.items():
        print(f"{source}: {inputs[source]} inputs, {size} bytes, no difference")
    rate = sum(done.values()) / spent / MEGABYTE
    print(
        f"seed {seed}, zlib {zlib.ZLIB_RUNTIME_VERSION}, Python {sys.version.split()[0]}, {rate:.2f} MB/s in Python"
    )
    return 0


def answers() -> int:
    data = specimen()
    print("specimen", len(data), hashlib.sha256(data).hexdigest())
    for encoder in (PURE, NATIVE):
        print(encoder.name, hashlib.sha256(packed(encoder, data)).hexdigest())
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tree", type=Path, action="append", default=[])
    parser.add_argument("--answers", action="store_true")
    given = parser.parse_args()
    if given.answers:
        return answers()
    if reference_encoder() is not NATIVE:
        print("this Python's zlib is not the reference encoder: nothing to compare with")
        return 2
    return compare(given.megabytes, given.seed, given.tree or [Path(sysconfig.get_paths()["stdlib"])])


if __name__ == "__main__":
    sys.exit(main())
