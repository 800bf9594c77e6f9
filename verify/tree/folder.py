"""One open folder: what lies in it, and its files and folders opened so that no link is followed.

Where the system allows it, a folder is a descriptor, and everything in it is reached through that descriptor:
nobody can exchange a parent for a link in between. Everything is looked at with lstat, opened with
O_NOFOLLOW and looked at again through the descriptor; what is not the same by then raises Refuted
(`tree.swapped`). O_NONBLOCK keeps a named pipe that slips in from holding us up.

Where the system has no such calls (Windows), a folder is a path, and what was opened is compared with lstat
before *and* after. An exchange of a parent that is undone within that moment would go unseen: `DESCRIPTORS`
says which of the two it is.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from verify.errors import Absent, Misused, Refuted, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

DESCRIPTORS: Final = {os.open, os.stat} <= os.supports_dir_fd and os.scandir in os.supports_fd

_FILE = os.O_RDONLY
for _flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"):
    _FILE |= getattr(os, _flag, 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_BELOW = _FOLDER | getattr(os, "O_NOFOLLOW", 0)
_WINDOWS = os.name == "nt"
_REPARSE_POINT = 0x400  # Windows: links, junctions and other detours


class Folder(Protocol):
    """An open folder. Raises Refuted (`tree.swapped`) where something is no longer what it was."""

    def stats(self) -> Iterator[tuple[str, os.stat_result]]:
        """Every name with what lstat says of it, in no order."""

    def look(self, name: str) -> os.stat_result:
        """What lstat says of one name. Raises OSError."""

    def target(self, name: str) -> str:
        """Where a link points. Raises OSError."""

    def folder(self, name: str, seen: os.stat_result) -> Folder:
        """A folder in it, the one that was seen. Raises PermissionError where it cannot be opened."""

    def file(self, name: str, device: int, inode: int, size: int) -> int:
        """A descriptor of a regular file in it, the one that was seen. Raises PermissionError likewise."""

    def close(self) -> None:
        """No more is read from it."""


def swapped(name: str, detail: str) -> Refuted:
    """The error for whatever changed between two looks."""
    return Refuted(
        f"{name}: {detail}", check="tree.swapped", hint="check again while nothing writes to the tree"
    )


def is_link(seen: os.stat_result) -> bool:
    """A symbolic link, or what Windows has beside it."""
    if stat.S_ISLNK(seen.st_mode):
        return True
    return _WINDOWS and bool(getattr(seen, "st_file_attributes", 0) & _REPARSE_POINT)


def open_root(path: str) -> Folder:
    """The folder a person named. It is theirs to name, so here alone links are followed."""
    try:
        if not stat.S_ISDIR(Path(path).stat().st_mode):
            raise Misused(f"{path}: expected a folder")
        return DescriptorFolder(os.open(path, _FOLDER)) if DESCRIPTORS else PathFolder(path)
    except FileNotFoundError as error:
        raise Absent(f"{path}: no such folder", check="tree.absent") from error
    except OSError as error:
        raise Unavailable(f"{path}: {error.strerror}", check="tree.unreadable") from error


def _same(name: str, found: os.stat_result, device: int, inode: int, nature: int) -> None:
    if found.st_ino != inode or found.st_dev != device or stat.S_IFMT(found.st_mode) != nature:
        raise swapped(name, "became something else between listing and opening")


def _same_size(name: str, found: os.stat_result, size: int) -> None:
    if found.st_size != size:
        raise swapped(name, f"expected {size} bytes, got {found.st_size}")


class DescriptorFolder:
    """A folder by its descriptor."""

    __slots__ = ("_descriptor",)

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def stats(self) -> Iterator[tuple[str, os.stat_result]]:
        with os.scandir(self._descriptor) as found:
            for each in found:
                try:
                    seen = each.stat(follow_symlinks=False)
                except FileNotFoundError as error:
                    raise swapped(each.name, "went away while its folder was listed") from error
                yield each.name, seen

    def look(self, name: str) -> os.stat_result:
        return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)

    def target(self, name: str) -> str:
        return os.readlink(name, dir_fd=self._descriptor)

    def folder(self, name: str, seen: os.stat_result) -> Folder:
        try:
            descriptor = os.open(name, _BELOW, dir_fd=self._descriptor)
        except PermissionError:
            raise
        except OSError as error:
            raise swapped(name, "is no longer a folder") from error
        try:
            _same(name, os.fstat(descriptor), seen.st_dev, seen.st_ino, stat.S_IFDIR)
        except BaseException:
            os.close(descriptor)
            raise
        return DescriptorFolder(descriptor)

    def file(self, name: str, device: int, inode: int, size: int) -> int:
        try:
            descriptor = os.open(name, _FILE, dir_fd=self._descriptor)
        except PermissionError:
            raise
        except OSError as error:
            raise swapped(name, "is no longer a file") from error
        try:
            found = os.fstat(descriptor)
            _same(name, found, device, inode, stat.S_IFREG)
            _same_size(name, found, size)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def close(self) -> None:
        os.close(self._descriptor)


class PathFolder:
    """A folder by its path, for systems without the calls; also tested where they exist."""

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def stats(self) -> Iterator[tuple[str, os.stat_result]]:
        for name in os.listdir(self._path):  # noqa: PTH208 - names, and as they are
            try:
                yield name, self.look(name)
            except FileNotFoundError as error:
                raise swapped(name, "went away while its folder was listed") from error

    def look(self, name: str) -> os.stat_result:
        # not DirEntry.stat: on Windows it has no inode
        return os.lstat(os.path.join(self._path, name))  # noqa: PTH118 - a Path would change some names

    def target(self, name: str) -> str:
        return os.readlink(os.path.join(self._path, name))  # noqa: PTH115, PTH118

    def folder(self, name: str, seen: os.stat_result) -> Folder:
        found = self._again(name)
        _same(name, found, seen.st_dev, seen.st_ino, stat.S_IFDIR)
        return PathFolder(os.path.join(self._path, name))  # noqa: PTH118

    def file(self, name: str, device: int, inode: int, size: int) -> int:
        _same(name, self._again(name), device, inode, stat.S_IFREG)
        try:
            descriptor = os.open(os.path.join(self._path, name), _FILE)  # noqa: PTH118
        except PermissionError:
            raise
        except OSError as error:
            raise swapped(name, "is no longer a file") from error
        try:
            found = os.fstat(descriptor)
            _same(name, found, device, inode, stat.S_IFREG)
            _same_size(name, found, size)
            _same(name, self._again(name), device, inode, stat.S_IFREG)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def _again(self, name: str) -> os.stat_result:
        try:
            found = self.look(name)
        except OSError as error:
            raise swapped(name, "went away between listing and opening") from error
        if is_link(found):
            raise swapped(name, "became a link between listing and opening")
        return found

    def close(self) -> None:
        """Nothing is held."""
