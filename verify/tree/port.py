"""The Tree port: names and a reader each. A tree knows nothing of hashes, archives or lock data.

A tree lists *everything* that lies in it. What is a regular file under a usable name is an `Entry`; whatever
is not (a link, a device, a name that no profile could carry) is an `Irregular` with its reason, never
silently left out: a hash sees only entries, so whoever judges a tree must look at both lists.

Order of `entries()` is the order of the names' UTF-8 bytes, over whole names. Names are relative, separated
by `/`, and never normalised. `open` gives the bytes of exactly the file that was listed, or raises Refuted
(`tree.swapped`) where a file changed its nature between listing and opening.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verify.digest import Measure


class Oddity(StrEnum):
    """Why something in a tree is not a plain entry. Each has a check of the same name, `tree.<value>`."""

    SYMLINK = "symlink"
    DEVICE = "device"
    SOCKET = "socket"
    FIFO = "fifo"
    GITLINK = "gitlink"
    HARDLINK = "hardlink"  # reported beside the entry: the bytes are still hashed
    SPECIAL_MODE = "special-mode"  # setuid, setgid, sticky: reported beside the entry
    NAME_ENCODING = "name-encoding"  # the name is not UTF-8
    NAME_NEWLINE = "name-newline"  # the name cannot stand in a tree list
    UNREADABLE = "unreadable"  # a file or folder that could not be opened
    EMPTY_FOLDER = "empty-folder"  # hashes and most archives are blind to it: noted, never a failure


# worth telling, and no reason to refuse a tree: a hash still says all that matters about it
HARMLESS = frozenset({Oddity.HARDLINK, Oddity.EMPTY_FOLDER})


# a NamedTuple, not a dataclass: one is made for every file, and is made in a third of the time
class Entry(NamedTuple):
    """A regular file. `executable` is None where the source keeps no modes."""

    name: str
    size: int
    executable: bool | None = None


@dataclass(frozen=True, slots=True)
class Irregular:
    """Something that lies in the tree and is no plain entry. `name` is escaped where it is not UTF-8."""

    name: str
    oddity: Oddity
    detail: str = ""  # a link's target, for instance; untrusted


class Tree(Protocol):
    """Names and a reader each."""

    def entries(self) -> Sequence[Entry]:
        """The regular files, sorted by the bytes of their names. Raises Unavailable, Exhausted, Malformed."""

    def irregulars(self) -> Sequence[Irregular]:
        """Everything else that lies there, sorted the same way. Raises as `entries` does."""

    def open(self, name: str) -> BinaryIO:
        """The bytes of one entry. Raises Absent, Unavailable, Refuted (`tree.swapped`)."""

    def measures(self) -> Iterator[tuple[Entry, Measure]]:
        """Size and SHA-256 of every entry, in order, the fastest way the source has. Raises as `open`."""
