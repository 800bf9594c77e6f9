"""Unpacks an accepted archive into a folder that did not exist or is empty: all of it, or nothing.

1. The target is looked at without following links: absent or an empty folder, else Misused.
2. Files are written into a sibling folder of a random name, open to its owner only. Every folder is opened
   from its parent's descriptor without following links, every file created exclusively from its folder's.
3. Modes are 0644, or 0755 where `keep_executable` asks for the bit; folders 0755. Nothing else is taken over.
4. All is flushed to disk, then the sibling takes the target's name in one step.
5. Whatever goes wrong before that, an interrupt included, the sibling is removed.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.digest import TreeHash
from verify.errors import Exhausted, Misused, Unavailable
from verify.events import SILENT, Events
from verify.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.archive.reader import Archive
    from verify.tree.port import Entry

TASK = "unpack"
_BY_DESCRIPTOR = os.open in os.supports_dir_fd and os.mkdir in os.supports_dir_fd
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NOFOLLOW
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | getattr(os, "O_BINARY", 0)
_FEW = 64  # so many files are flushed one by one; more, all at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpacked:
    """What was written."""

    entries: int
    size: int
    tree_hash: TreeHash


def unpack_archive(
    archive: Archive,
    into: Path,
    *,
    keep_executable: bool = False,
    events: Events = SILENT,
    limits: Limits = DEFAULT,
) -> Unpacked:
    """Raises Misused, Malformed (a file is not what its header says), Exhausted, Unavailable."""
    entries = archive.entries()
    check_target(into)
    deepest = max((entry.name.count("/") for entry in entries), default=0)
    if deepest > limits.tree_depth:
        raise Exhausted(
            f"folders: expected at most {limits.tree_depth} deep, got {deepest}", check="limit.depth"
        )
    beside = into.absolute().parent / f".{into.name}.{secrets.token_hex(8)}.partial"
    events.begin(TASK, sum(entry.size for entry in entries))
    try:
        try:
            beside.mkdir(mode=0o700)
            unpacked = _write_all(archive, beside, keep_executable, events)
            beside.chmod(0o755)
            _settle(beside)
            _take_name(beside, into)
        except OSError as error:
            raise Unavailable(f"cannot unpack into {str(into)!r}: {error.strerror}") from error
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise
    finally:
        events.end(TASK)
    return unpacked


def check_target(into: Path) -> None:
    """Absent or an empty folder. Raises Misused, Unavailable."""
    try:
        found = into.lstat()
        if stat.S_ISDIR(found.st_mode):
            if next(into.iterdir(), None) is not None:
                raise Misused(f"folder {str(into)!r} is not empty: expected a new or empty one")
            return
    except FileNotFoundError:
        return
    except OSError as error:
        raise Unavailable(f"cannot look at {str(into)!r}: {error.strerror}") from error
    kind = "a symbolic link" if stat.S_ISLNK(found.st_mode) else "not a folder"
    raise Misused(f"target {str(into)!r} is {kind}: expected a new or empty folder")


class _Place:
    """The folder that the next file goes into, reached from the root by descriptors."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._names: list[str] = []
        self._descriptors = [os.open(root, _FOLDER)] if _BY_DESCRIPTOR else []

    def create(self, name: str, mode: int) -> int:
        """A descriptor of a new file; its folders are made as needed."""
        *folders, base = name.split("/")
        shared = 0
        while shared < min(len(folders), len(self._names)) and folders[shared] == self._names[shared]:
            shared += 1
        self._leave(shared)
        for folder in folders[shared:]:
            self._enter(folder)
        if not _BY_DESCRIPTOR:
            return os.open(self._root.joinpath(*self._names, base), _CREATE, mode)
        return os.open(base, _CREATE, mode, dir_fd=self._descriptors[-1])

    def _enter(self, folder: str) -> None:
        self._names.append(folder)
        if not _BY_DESCRIPTOR:
            self._root.joinpath(*self._names).mkdir()
            return
        above = self._descriptors[-1]
        # whole names are sorted, so what lies in a folder comes together, and no folder comes twice
        os.mkdir(folder, 0o755, dir_fd=above)
        self._descriptors.append(os.open(folder, _FOLDER, dir_fd=above))
        os.fchmod(self._descriptors[-1], 0o755)  # whatever the umask

    def _leave(self, depth: int) -> None:
        del self._names[depth:]
        while len(self._descriptors) > depth + 1:
            os.close(self._descriptors.pop())

    def close(self) -> None:
        """Give all descriptors back."""
        while self._descriptors:
            os.close(self._descriptors.pop())


def _write_all(archive: Archive, root: Path, keep_executable: bool, events: Events) -> Unpacked:
    lines: list[tuple[bytes, bytes]] = []
    entries = archive.entries()
    flush = len(entries) <= _FEW
    place = _Place(root)
    try:
        for entry in entries:
            mode = 0o755 if keep_executable and entry.executable else 0o644
            with open(place.create(entry.name, mode), "wb", buffering=0) as out:  # noqa: PTH123
                lines.append((entry.name.encode(), _copy(archive, entry, out.write)))
                if hasattr(os, "fchmod"):
                    os.fchmod(out.fileno(), mode)
                if flush:
                    os.fsync(out.fileno())
            events.advance(TASK, entry.size)
    finally:
        place.close()
    if not flush and hasattr(os, "sync"):
        os.sync()
    return Unpacked(
        entries=len(lines),
        size=sum(entry.size for entry in entries),
        tree_hash=TreeHash.from_lines(lines),
    )


def _copy(archive: Archive, entry: Entry, write: Callable[[bytes | memoryview], int | None]) -> bytes:
    state = hashlib.sha256()
    for piece in archive.blocks(entry.name):
        state.update(piece)
        rest = memoryview(piece)
        while rest:
            rest = rest[write(rest) or 0 :]
    return state.digest()


def _settle(folder: Path) -> None:
    if _BY_DESCRIPTOR:
        descriptor = os.open(folder, _FOLDER)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _take_name(beside: Path, into: Path) -> None:
    if os.name == "nt" and into.exists():
        into.rmdir()  # there a rename does not replace an empty folder
    beside.rename(into)
    _settle(into.absolute().parent)
