"""Sum files for tests: hashes made from numbers, and rules of two ecosystems."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from verify.digest import Digest, TreeHash
from verify.ecosystems.cue.sums import RULES
from verify.errors import Malformed
from verify.sums.entry import SumEntry, SumRules
from verify.sums.sumfile import SumFile

if TYPE_CHECKING:
    from collections.abc import Iterable


def tree_hash(seed: object) -> TreeHash:
    return TreeHash.from_bytes(hashlib.sha256(str(seed).encode()).digest())


def digest(seed: object) -> Digest:
    return Digest.of(str(seed).encode())


def entry(key: str, seed: object = 0) -> SumEntry:
    return SumEntry(key, tree_hash(f"t{seed}"), tree_hash(f"m{seed}"), digest(f"a{seed}"), digest(f"f{seed}"))


def cue_file(keys: Iterable[str] | dict[str, object]) -> SumFile:
    seeds = keys if isinstance(keys, dict) else dict.fromkeys(keys, 0)
    return SumFile.of("cue", tuple(entry(key, seed) for key, seed in seeds.items()))


def any_key(key: str) -> None:
    if key.startswith("bad"):
        raise Malformed(f"key {key!r}: expected another", check="sum.key")


OTHER_RULES = SumRules(
    ecosystem="other",
    required=("tree",),
    optional=("modfile", "archive", "manifest", "exec", "source"),
    check_key=any_key,
)
__all__ = ["OTHER_RULES", "RULES", "any_key", "cue_file", "digest", "entry", "tree_hash"]
