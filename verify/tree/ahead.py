"""Large files of a tree, read in threads a few ahead of their turn: one thread per processor, in constant memory."""

from __future__ import annotations

import os
import threading
from collections import deque
from typing import TYPE_CHECKING, Self

from verify.digest import Measure, measure
from verify.errors import Exhausted, Unavailable
from verify.tree.folder import swapped
from verify.tree.measuring import TASK
from verify.workers import Job, Workers, processors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.events import Events
    from verify.tree.measuring import Listed, Openings

_TELL_SECONDS = 0.1


class _Read:
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

    def readinto(self, buffer: memoryview, /) -> int:
        if self._stop.is_set():
            return 0
        count = self._file.readinto(buffer) or 0
        self.done += count
        return count

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


class Ahead:
    """Large files, opened a few ahead and read in threads; `next` gives their measures in order."""

    def __init__(self, openings: Openings, files: Sequence[Listed], chunk: int) -> None:
        self._openings = openings
        self._files = iter(files)
        self._chunk = chunk
        self._threads = min(processors(), len(files))
        self._stop = threading.Event()
        self._pending: deque[tuple[_Read, Job[Measure]]] = deque()

    def __enter__(self) -> Self:
        self._openings.__enter__()
        self._workers = Workers(self._threads)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._workers.__exit__()
        for read, _job in self._pending:
            read.close()  # one that never began; the others closed themselves
        self._openings.__exit__()

    def _fill(self) -> None:
        while len(self._pending) < 2 * self._threads:
            listed = next(self._files, None)
            if listed is None:
                return
            read = _Read(self._openings.descriptor(listed), listed, self._chunk, self._stop)
            self._pending.append((read, self._workers.begin(read.run)))

    def next(self, events: Events) -> Measure:
        """The measure of the next large file. Raises what reading it raised."""
        self._fill()
        read, job = self._pending[0]
        while not job.ended(_TELL_SECONDS):
            done = read.done
            events.advance(TASK, done - read.told)
            read.told = done
        self._pending.popleft()
        events.advance(TASK, read.done - read.told)
        return job.result()
