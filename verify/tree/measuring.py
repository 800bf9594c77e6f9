"""Reads what was listed: every file's size and SHA-256, in order, fast and in constant memory.

Small files are read in one piece by the thread that asks: handing them to other threads costs more than
hashing them. Large files are read in threads (`ahead.py`). Folders stay open along the path to the current
file, never more than the depth.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol, Self, TypeAlias

from verify.digest import Measure
from verify.errors import Refuted, Unavailable
from verify.limits import MIB
from verify.tree.folder import swapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from verify.events import Events
    from verify.limits import Limits
    from verify.tree.folder import Folder
    from verify.tree.port import Entry

LARGE = 1 * MIB  # from here on, a thread is worth its cost
TASK = "hash"
_TELL_EVERY = 4 * MIB


# A file as it was listed: name, size, executable, folder, name in the folder, device, inode. A plain tuple of
# plain values: the garbage collector does not follow it, and a tree may have a million.
Listed: TypeAlias = tuple[str, int, bool | None, str, str, int, int]


class Listing(Protocol):
    """What a walk found: the same files twice, in one order, and the folders they lie in."""

    entries: tuple[Entry, ...]
    files: list[Listed]
    folders: dict[str, os.stat_result]


class Openings:
    """Opens listed files through their folders, each the one that was listed. Use it in a `with`."""

    def __init__(self, root: Folder, folders: Mapping[str, os.stat_result]) -> None:
        self._root = root
        self._folders = folders
        self._path = ""
        self._stack: list[tuple[str, Folder]] = [("", root)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while self._stack:
            self._stack.pop()[1].close()

    def descriptor(self, listed: Listed) -> int:
        """Raises Refuted (`tree.swapped`), Unavailable (`tree.unreadable`)."""
        name, size, _, path, base, device, inode = listed
        try:
            folder = self._stack[-1][1] if path == self._path else self._at(path)
            return folder.file(base, device, inode, size)
        except OSError as error:
            raise Unavailable(f"{name}: {error.strerror}", check="tree.unreadable") from error
        except Refuted as error:
            if path:
                error.within(path)
            raise

    def _at(self, path: str) -> Folder:
        while self._stack[-1][0] and not f"{path}/".startswith(f"{self._stack[-1][0]}/"):
            self._stack.pop()[1].close()
        self._path, folder = self._stack[-1]
        for part in filter(None, path[len(self._path) :].split("/")):
            below = f"{self._path}/{part}" if self._path else part
            folder = folder.folder(part, self._folders[below])
            self._stack.append((below, folder))
            self._path = below
        return folder


def measure_all(
    root: Callable[[], Folder],
    listing: Listing,
    limits: Limits,
    events: Events,
) -> Iterator[tuple[Entry, Measure]]:
    """In the order of the files. Raises Refuted (`tree.swapped`), Unavailable (`tree.unreadable`)."""
    with ExitStack() as stack:
        near = stack.enter_context(Openings(root(), listing.folders))
        ahead = None
        large = [each for each in listing.files if each[1] > LARGE]
        if large:
            from verify.tree.ahead import Ahead  # noqa: PLC0415 - most trees have no such file

            ahead = stack.enter_context(Ahead(Openings(root(), listing.folders), large, limits.chunk))
        events.begin(TASK, sum(entry.size for entry in listing.entries))
        stack.callback(events.end, TASK)
        untold = 0
        for entry, listed in zip(listing.entries, listing.files, strict=True):
            size = listed[1]
            if ahead is not None and size > LARGE:
                yield entry, ahead.next(events)
                continue
            data = read_whole(near.descriptor(listed), listed[0], size)
            yield entry, Measure(size, hashlib.sha256(data).digest())
            untold += size
            if untold > _TELL_EVERY:
                events.advance(TASK, untold)
                untold = 0
        events.advance(TASK, untold)


def read_whole(descriptor: int, name: str, size: int) -> bytes:
    """All of a file, which is `size` long, and close it. Raises Refuted (`tree.swapped`), Unavailable."""
    try:
        data = os.read(descriptor, size + 1)
        while len(data) < size:  # an interrupted read, on some file systems
            more = os.read(descriptor, size + 1 - len(data))
            if not more:
                break
            data += more
    except OSError as error:
        raise Unavailable(f"{name}: {error.strerror}", check="tree.unreadable") from error
    finally:
        os.close(descriptor)
    if len(data) != size:
        raise swapped(name, f"expected {size} bytes, read {len(data)}")
    return data
