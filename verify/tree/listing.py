r"""The tree list: the lines a tree hash is made of, kept as a file. It proves itself against an `h1:`.

One line for each file: the SHA-256 of its content in lower-case hex, two spaces, its name in UTF-8, a newline.
Lines stand in the order of the names' bytes, each name once. The SHA-256 of the whole file *is* the tree hash,
so a list is worth as much as the `h1:` it is compared with, and it can name the file that changed.

There is one way to write a list, and a reader accepts no other: no blank line, no comment, no CR, no missing
newline at the end. A name may hold whatever a file name may, but for NUL, newline and carriage return: a tree
with such a name has a hash (a newline apart) and no list.

>>> tree_list = TreeList.parse(b"6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b  a\n")
>>> tree_list.tree_hash
TreeHash('h1:/FsngbxldGuVx/j58CZddqBwt3xwBuK0lkx+vd8ZPTY=')
>>> tree_list.names, tree_list.get("a").hex()[:8], tree_list.get("b")
(('a',), '6b86b273', None)
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from verify.digest import TreeHash
from verify.errors import Exhausted, Malformed
from verify.limits import DEFAULT, Limits
from verify.tree.hashing import with_slash

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from verify.tree.port import Tree

_LINE = re.compile(rb"([0-9a-f]{64})  ([^\n\r\0]+)\n")
_REFUSED = re.compile(r"[\n\r\0]")
_SIZE = 32


@dataclass(frozen=True, slots=True)
class TreeList:
    """Names in order, and the SHA-256 of each file's content, 32 bytes each, in the same order."""

    names: tuple[str, ...]
    digests: bytes

    @classmethod
    def parse(cls, data: bytes, limits: Limits = DEFAULT) -> Self:
        """Raises Malformed (`list.malformed`), Exhausted (`limit.list-bytes`)."""
        if len(data) > limits.list_bytes:
            raise Exhausted(f"tree list is longer than {limits.list_bytes} bytes", check="limit.list-bytes")
        names: list[str] = []
        digests = bytearray()
        last = b""
        at = 0
        while at < len(data):
            found = _LINE.match(data, at)
            if found is None:
                raise _malformed(len(names) + 1, _reason(data, at))
            name = found[2]
            if name <= last:
                raise _malformed(len(names) + 1, "expected names in the order of their bytes, each once")
            try:
                names.append(name.decode("utf-8"))
            except UnicodeDecodeError as error:
                raise _malformed(len(names) + 1, "expected a name in UTF-8") from error
            digests += bytes.fromhex(found[1].decode("ascii"))
            last, at = name, found.end()
        return cls(tuple(names), bytes(digests))

    @classmethod
    def of(cls, tree: Tree, prefix: str = "") -> Self:
        """The list of a tree. Raises what reading it raises, and Malformed for a name no list can hold."""
        before = with_slash(prefix)
        return cls.from_items((before + entry.name, found.sha256) for entry, found in tree.measures())

    @classmethod
    def from_items(cls, items: Iterable[tuple[str, bytes]]) -> Self:
        """From names in order with 32 bytes each."""
        names: list[str] = []
        digests = bytearray()
        for name, digest in items:
            if not name or _REFUSED.search(name):
                raise Malformed(f"{name!r}: expected a name that a line can hold", check="list.malformed")
            if names and name <= names[-1]:
                raise Malformed(f"{name!r}: expected names in order, each once", check="list.malformed")
            names.append(name)
            digests += digest
        if len(digests) != _SIZE * len(names):
            raise ValueError("a SHA-256 has 32 bytes")
        return cls(tuple(names), bytes(digests))

    def items(self) -> Iterator[tuple[str, bytes]]:
        """Names with the SHA-256 of the content, in order."""
        for index, name in enumerate(self.names):
            yield name, self.digests[index * _SIZE : (index + 1) * _SIZE]

    def get(self, name: str) -> bytes | None:
        """The SHA-256 of one file's content, or None where the list does not name it."""
        index = bisect_left(self.names, name)  # for valid text, code points and UTF-8 bytes sort alike
        if index == len(self.names) or self.names[index] != name:
            return None
        return self.digests[index * _SIZE : (index + 1) * _SIZE]

    def below(self, folder: str) -> Self:
        """The lines of the files in one folder, names unchanged: what verifying a part needs."""
        inside = with_slash(folder)
        return type(self).from_items(
            (name, digest) for name, digest in self.items() if name.startswith(inside)
        )

    def _lines(self) -> Iterator[bytes]:
        for name, digest in self.items():
            yield b"%b  %b\n" % (digest.hex().encode("ascii"), name.encode("utf-8"))

    def render(self) -> bytes:
        """The file. `parse` of it gives this list again."""
        return b"".join(self._lines())

    @property
    def tree_hash(self) -> TreeHash:
        """The hash this list proves."""
        outer = hashlib.sha256()
        for line in self._lines():
            outer.update(line)
        return TreeHash.from_bytes(outer.digest())

    def __len__(self) -> int:
        return len(self.names)


def _reason(data: bytes, at: int) -> str:
    end = data.find(b"\n", at)
    if end < 0:
        return "expected a newline at the end"
    if data[at:end].endswith(b"\r"):
        return "expected LF at the end of a line, got CR LF (a checkout may have converted it)"
    return "expected 64 lower-case hex digits, two spaces and a name"


def _malformed(line: int, reason: str) -> Malformed:
    return Malformed(f"tree list, line {line}: {reason}", check="list.malformed")
