"""modseal's library: are these bytes the ones that were published, and who says so?

The names in `__all__` are the whole public surface. They load lazily, so that `import verify` costs nothing.

>>> import verify
>>> tree = verify.MemoryTree({"a.cue": b"x: 1"})
>>> verify.hash_tree(tree)
TreeHash('h1:Picw6ToVztgjIDz/UeEyO67SEEBqeCz2oY65o9I3riw=')
>>> [found.check.id for found in verify.check_tree(tree, verify.hash_tree(tree), "net")]
['tree.hash']
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verify.archive.inspection import check_archive
    from verify.archive.reader import read_archive
    from verify.archive.writer import write_archive
    from verify.digest import Digest, TreeHash
    from verify.errors import ModsealError
    from verify.module import Module
    from verify.report import Check, Finding, Report, Verdict
    from verify.tree.checking import check_tree
    from verify.tree.commit import GitTree
    from verify.tree.directory import DirectoryTree
    from verify.tree.hashing import hash_tree
    from verify.tree.listing import TreeList
    from verify.tree.memory import MemoryTree

_HOMES = {
    "Check": "verify.report",
    "Digest": "verify.digest",
    "DirectoryTree": "verify.tree.directory",
    "Finding": "verify.report",
    "GitTree": "verify.tree.commit",
    "MemoryTree": "verify.tree.memory",
    "Module": "verify.module",
    "ModsealError": "verify.errors",
    "Report": "verify.report",
    "TreeHash": "verify.digest",
    "TreeList": "verify.tree.listing",
    "Verdict": "verify.report",
    "check_archive": "verify.archive.inspection",
    "check_tree": "verify.tree.checking",
    "hash_tree": "verify.tree.hashing",
    "read_archive": "verify.archive.reader",
    "write_archive": "verify.archive.writer",
}

__all__ = [
    "Check",
    "Digest",
    "DirectoryTree",
    "Finding",
    "GitTree",
    "MemoryTree",
    "ModsealError",
    "Module",
    "Report",
    "TreeHash",
    "TreeList",
    "Verdict",
    "check_archive",
    "check_tree",
    "hash_tree",
    "read_archive",
    "write_archive",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'verify' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
