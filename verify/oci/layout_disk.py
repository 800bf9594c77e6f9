"""The files of a layout folder: read without following links, written aside and renamed, under one lock.

    oci-layout      {"imageLayoutVersion":"1.0.0"}
    index.json      the list
    index.json.lock held while the list changes; its content means nothing
    blobs/ALGORITHM/HEX

The folder itself is the caller's to name; below it no link is followed. A file is written beside the list
under a random name, flushed to the disk and renamed, so that a reader sees the old file or the new one. What
an interrupted writer leaves behind has the suffix `.tmp` and is never read.
"""

from __future__ import annotations

import os
import secrets
import stat
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from verify.digest import Digest
from verify.errors import Absent, Exhausted, Malformed, Misused, Refuted, Unavailable
from verify.tree.folder import open_root

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from verify.tree.folder import Folder

LAYOUT = b'{"imageLayoutVersion":"1.0.0"}'
_LOCK_SECONDS = 60.0
_LOCK_PAUSE = 0.02
_TRIES = 5
_READ = os.O_RDONLY
for _flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
    _READ |= getattr(os, _flag, 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class LayoutDisk:
    """One layout folder."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._root = Path(path)

    def create(self) -> None:
        """Make it a layout folder if it is not there or empty. Raises Misused over anything else."""
        try:
            self._root.mkdir(parents=True, exist_ok=True)
            if (self._root / "oci-layout").exists():
                return
            strays = [each for each in os.listdir(self._root) if not _ours(each)]  # noqa: PTH208 - names
            # another process may have made it one since
            if strays and not (self._root / "oci-layout").exists():
                raise Misused(f"{self.path}: not empty, and no layout folder", check="oci.layout-malformed")
            (self._root / "blobs" / "sha256").mkdir(parents=True, exist_ok=True)
            self.write("oci-layout", (LAYOUT,))
        except OSError as error:
            raise _unavailable(self.path, error) from error

    def read(self, name: str, *, most: int) -> bytes:
        """A file beside the list. Raises Absent, Refuted (`oci.layout-irregular`), Exhausted, Unavailable."""
        try:
            descriptor = os.open(self._root / name, _READ)
        except FileNotFoundError as error:
            raise Absent(f"{self.path}: no {name}", check="oci.layout-malformed") from error
        except OSError as error:
            if (self._root / name).is_symlink():
                raise _irregular(f"{self.path}/{name}") from error
            raise _unavailable(f"{self.path}/{name}", error) from error
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _irregular(f"{self.path}/{name}")
            data = file.read(most + 1)
        if len(data) > most:
            raise Exhausted(f"{self.path}/{name}: longer than {most} bytes", check="oci.too-large")
        return data

    def open_blob(self, digest: Digest) -> BinaryIO:
        """A blob's file. Raises Absent (`oci.blob-unknown`), Refuted, Unavailable."""
        for _ in range(_TRIES):
            try:
                return self._open_blob(digest)
            except Refuted as error:
                # another writer may just have renamed the same content into its place
                if error.check != "tree.swapped":
                    raise
        raise Unavailable(f"{self.path}: blob {digest} keeps changing", check="oci.layout-unreadable")

    def blobs(self) -> Iterator[tuple[Digest, os.stat_result]]:
        """Every file under blobs/ that is named by a digest, with what lstat says of it."""
        for algorithm in ("sha256", "sha512"):
            try:
                folder = self._folder(algorithm)
            except Absent:
                continue
            try:
                for name, seen in folder.stats():
                    with suppress(Malformed):
                        yield Digest.parse(f"{algorithm}:{name}"), seen
            finally:
                folder.close()

    def stamp(self) -> tuple[tuple[int, int], ...] | None:
        """What changes when a blob comes or goes; None when it changed too recently to rely on that."""
        stamps = []
        for algorithm in ("sha256", "sha512"):
            try:
                seen = os.lstat(self._root / "blobs" / algorithm)
            except OSError:
                continue
            # within one tick of a file system's clock two changes look like one
            if time.time_ns() - seen.st_mtime_ns < 2_500_000_000:
                return None
            stamps.append((seen.st_ino, seen.st_mtime_ns))
        return tuple(stamps)

    def write(self, name: str, chunks: Iterable[bytes]) -> None:
        """Write aside, flush, rename. Nothing is left behind where `chunks` raises."""
        target = self._root / name
        try:
            aside = self._root / f".{secrets.token_hex(8)}.tmp"
            descriptor = os.open(aside, _NEW, 0o666)
        except OSError as error:
            raise _unavailable(self.path, error) from error
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.writelines(chunks)
                file.flush()
                os.fsync(descriptor)
            aside.replace(target)
        except BaseException as error:
            with suppress(OSError):
                aside.unlink()
            if isinstance(error, OSError):
                raise _unavailable(str(target), error) from error
            raise
        _sync_folder(target.parent)

    def write_blob(self, digest: Digest, chunks: Iterable[bytes]) -> None:
        """Into its place under blobs/; whoever calls has checked, or checks while `chunks` passes."""
        folder = self._root / "blobs" / digest.algorithm
        for each in (folder.parent, folder):
            with suppress(FileExistsError):
                each.mkdir()
            if not stat.S_ISDIR(os.lstat(each).st_mode):
                raise _irregular(str(each))
        self.write(f"blobs/{digest.algorithm}/{digest.hex}", chunks)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the list's lock. Raises Unavailable when another holds it for too long."""
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        try:
            descriptor = os.open(self._root / "index.json.lock", flags, 0o666)
        except OSError as error:
            raise _unavailable(f"{self.path}/index.json.lock", error) from error
        try:
            _wait(lambda: _lock(descriptor), f"{self.path}/index.json.lock")
            yield
        finally:
            os.close(descriptor)

    def _open_blob(self, digest: Digest) -> BinaryIO:
        folder = self._folder(digest.algorithm)
        try:
            seen = folder.look(digest.hex)
            if not stat.S_ISREG(seen.st_mode):
                raise _irregular(f"{self.path}/blobs/{digest.algorithm}/{digest.hex}")
            return os.fdopen(folder.file(digest.hex, seen.st_dev, seen.st_ino, seen.st_size), "rb")
        except FileNotFoundError as error:
            raise Absent(f"{self.path}: no blob {digest}", check="oci.blob-unknown") from error
        except OSError as error:
            raise _unavailable(f"{self.path}: blob {digest}", error) from error
        finally:
            folder.close()

    def _folder(self, algorithm: str) -> Folder:
        folder = open_root(self.path)
        try:
            for name in ("blobs", algorithm):
                seen = folder.look(name)
                if not stat.S_ISDIR(seen.st_mode):
                    raise _irregular(f"{self.path}/blobs/{algorithm}")  # noqa: TRY301 - closes what is open
                below = folder.folder(name, seen)
                folder.close()
                folder = below
        except FileNotFoundError as error:
            folder.close()
            raise Absent(f"{self.path}: no blobs/{algorithm}", check="oci.blob-unknown") from error
        except BaseException:
            folder.close()
            raise
        return folder


def _ours(name: str) -> bool:
    return name in {"blobs", "index.json.lock"} or (name.startswith(".") and name.endswith(".tmp"))


def _wait(attempt: Callable[[], bool], name: str) -> None:
    until = time.monotonic() + _LOCK_SECONDS
    while not attempt():
        if time.monotonic() > until:
            raise Unavailable(f"{name}: another process holds it", check="oci.layout-locked")
        time.sleep(_LOCK_PAUSE)


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _sync_folder(_folder: Path) -> None:
        """A folder cannot be flushed here."""

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _sync_folder(folder: Path) -> None:
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _irregular(name: str) -> Refuted:
    return Refuted(f"{name}: expected a regular file or folder", check="oci.layout-irregular")


def _unavailable(name: str, error: OSError) -> Unavailable:
    return Unavailable(f"{name}: {error.strerror or error}", check="oci.layout-unreadable")
