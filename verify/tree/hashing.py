"""The hash of a tree: `h1:` over the names and contents of its entries.

`prefix` stands before every name, as Go puts `module@version/` there; the slash is added where it is missing.
A hash sees entries only. Whoever takes it for proof looks at `irregulars()` too: `check_tree` does both.

>>> from verify.tree.memory import MemoryTree
>>> hash_tree(MemoryTree({"a/b": b"1", "a-b": b"2", "a.b": b"3", "a0": b"4"}))
TreeHash('h1:Auv5ykbTdbW2eUYKJH2XNaQ6lvVGbk6t5TYS37SznrI=')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.digest import TreeHash

if TYPE_CHECKING:
    from verify.tree.port import Tree


def hash_tree(tree: Tree, prefix: str = "") -> TreeHash:
    """Raises what reading the tree raises."""
    before = with_slash(prefix).encode()
    return TreeHash.from_lines(
        (before + entry.name.encode(), found.sha256) for entry, found in tree.measures()
    )


def with_slash(prefix: str) -> str:
    """A prefix as it stands before names."""
    return prefix if not prefix or prefix.endswith("/") else f"{prefix}/"
