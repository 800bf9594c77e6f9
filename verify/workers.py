"""Work that goes on in threads beside whoever asked for it.

hashlib, zlib and reads let go of the interpreter while they are busy with a long piece, so on several
processors such work costs next to nothing in time. It is for pieces of a hundred kilobytes and more: to hand
over a small one costs more than doing it. What is asked for first is begun first; whoever asks keeps the jobs
in order, and bounds how many there are.

The standard library's executor does the same and loads `logging` for it, which takes as long as hashing a
thousand files.

>>> with Workers(2) as workers:
...     jobs = [workers.begin(lambda word=word: word.upper()) for word in ("a", "b", "c")]
...     [job.result() for job in jobs]
['A', 'B', 'C']
"""

from __future__ import annotations

import os
import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")
MOST = 16  # threads; beyond it the disk or memory is what everybody waits for


class Job(Generic[Result]):
    """Something that is being done, or will be."""

    __slots__ = ("_busy", "_error", "_result", "_work")

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work: Callable[[], Result] | None = work
        self._result: Result
        self._error: BaseException | None = None
        self._busy = threading.Lock()
        self._busy.acquire()

    def run(self) -> None:
        """For the thread that does it."""
        try:
            if self._work is not None:
                self._result = self._work()
        except BaseException as error:  # noqa: BLE001 - raised where the result is asked for
            self._error = error
        finally:
            self._work = None  # and what it holds
            self._busy.release()

    def abandon(self) -> None:
        """It will not be done: nobody waits for it, or is told so."""
        self._error = RuntimeError("asked for work of which the workers have gone")
        self._work = None
        self._busy.release()

    def ended(self, seconds: float) -> bool:
        """Whether it ends within that time."""
        if not self._busy.acquire(timeout=seconds):
            return False
        self._busy.release()
        return True

    def result(self) -> Result:
        """Wait for it. Raises what the work raised."""
        self.ended(-1)
        if self._error is not None:
            raise self._error
        return self._result


class Workers:
    """Threads, started as they are needed; use in a `with`, at the end of which none is left.

    With a count of 0 there are none, and work is done when it is asked for.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._threads: list[threading.Thread] = []
        self._asked: SimpleQueue[Job[Any] | None] = SimpleQueue()
        self._stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped = True  # what is not begun by now is not begun at all
        for _thread in self._threads:
            self._asked.put(None)
        for thread in self._threads:
            thread.join()

    def begin(self, work: Callable[[], Result]) -> Job[Result]:
        """Have it done."""
        job = Job(work)
        if not self._count:
            job.run()
            return job
        self._asked.put(job)
        if len(self._threads) < self._count:
            thread = threading.Thread(target=self._serve, name="modseal", daemon=True)
            self._threads.append(thread)
            thread.start()
        return job

    def _serve(self) -> None:
        while (job := self._asked.get()) is not None:
            if self._stopped:
                job.abandon()
            else:
                job.run()
            del job  # and its result, while there is nothing to do


def processors() -> int:
    """How many threads can be busy at once here."""
    try:
        return min(MOST, len(os.sched_getaffinity(0)))
    except AttributeError:  # Windows, macOS
        return min(MOST, os.cpu_count() or 1)
