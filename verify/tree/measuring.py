"""Reads what was listed: every file's size and SHA-256, in order, fast and in constant memory.

Small files are read in one piece by the thread that asks: handing them to other threads costs more than
hashing them. Large files are opened a few ahead of their turn and read in threads, one per processor, in
blocks of `Limits.chunk`. Folders stay open along the path to the current file, never more than the depth.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self, TypeAlias

from verify.digest import Measure, measure
from verify.errors import Exhausted, Refuted, Unavailable
from verify.limits import MIB
from verify.tree.folder import swapped
from verify.tree.port import Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from verify.events import Events
    from verify.limits import Limits
    from verify.tree.folder import Folder

LARGE = 1 * MIB  # from here on, a thread is worth its cost
_TASK = "hash"
_TELL_EVERY = 4 * MIB
_TELL_SECONDS = 0.1
_MOST_THREADS = 16


# A file as it was listed: name, size, executable, folder, name in the folder, device, inode. A plain tuple of
# plain values: the garbage collector does not follow it, and a tree may have a million.
Listed: TypeAlias = tuple[str, int, bool | None, str, str, int, int]


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
    folders: Mapping[str, os.stat_result],
    files: Sequence[Listed],
    limits: Limits,
    events: Events,
) -> Iterator[tuple[Entry, Measure]]:
    """In the order of `files`. Raises Refuted (`tree.swapped`), Unavailable (`tree.unreadable`)."""
    with ExitStack() as stack:
        near = stack.enter_context(Openings(root(), folders))
        large = [each for each in files if each[1] > LARGE]
        ahead = stack.enter_context(_Ahead(Openings(root(), folders), large, limits.chunk)) if large else None
        events.begin(_TASK, sum(each[1] for each in files))
        stack.callback(events.end, _TASK)
        untold = 0
        for each in files:
            name, size, executable = each[:3]
            if ahead is not None and size > LARGE:
                yield Entry(name, size, executable), ahead.next(events)
                continue
            yield Entry(name, size, executable), _small(near.descriptor(each), name, size)
            untold += size
            if untold > _TELL_EVERY:
                events.advance(_TASK, untold)
                untold = 0
        events.advance(_TASK, untold)


def _small(descriptor: int, name: str, size: int) -> Measure:
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
    return Measure(size, hashlib.sha256(data).digest())


class _Job:
    """One large file in a thread of its own, which alone writes `done`."""

    def __init__(self, descriptor: int, listed: Listed, chunk: int, stop: threading.Event) -> None:
        self.done = 0
        self.told = 0
        self._file = os.fdopen(descriptor, "rb", buffering=0)
        self._listed = listed
        self._chunk = chunk
        self._stop = stop

    def read(self, size: int = -1, /) -> bytes:
        if self._stop.is_set():
            return b""  # nobody waits for the answer any more
        data = self._file.read(size)
        self.done += len(data)
        return data

    def run(self) -> Measure:
        name, size = self._listed[:2]
        try:
            found = measure(self, most=size, chunk=self._chunk)
        except Exhausted as error:
            raise swapped(name, f"expected {size} bytes, read more") from error
        except OSError as error:
            raise Unavailable(f"{name}: {error.strerror}", check="tree.unreadable") from error
        finally:
            self.close()
        if found.size != size:
            raise swapped(name, f"expected {size} bytes, read {found.size}")
        return found

    def close(self) -> None:
        self._file.close()


class _Ahead:
    """Large files, opened a few ahead and read in threads; `next` gives their measures in order."""

    def __init__(self, openings: Openings, files: Sequence[Listed], chunk: int) -> None:
        self._openings = openings
        self._files = iter(files)
        self._chunk = chunk
        self._threads = min(_processors(), _MOST_THREADS, len(files))
        self._stop = threading.Event()
        self._pending: deque[tuple[_Job, Future[Measure]]] = deque()

    def __enter__(self) -> Self:
        self._openings.__enter__()
        self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="hash")
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._pool.shutdown(wait=True, cancel_futures=True)
        for job, _future in self._pending:
            job.close()  # one that never began; the others closed themselves
        self._openings.__exit__()

    def _fill(self) -> None:
        while len(self._pending) < 2 * self._threads:
            listed = next(self._files, None)
            if listed is None:
                return
            job = _Job(self._openings.descriptor(listed), listed, self._chunk, self._stop)
            self._pending.append((job, self._pool.submit(job.run)))

    def next(self, events: Events) -> Measure:
        """The measure of the next large file. Raises what reading it raised."""
        self._fill()
        job, future = self._pending[0]
        while not wait([future], timeout=_TELL_SECONDS).done:
            done = job.done
            events.advance(_TASK, done - job.told)
            job.told = done
        self._pending.popleft()
        events.advance(_TASK, job.done - job.told)
        return future.result()


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # Windows, macOS
        return os.cpu_count() or 1
