"""Reads the files of an archive to their ends: size and SHA-256 of each, or what is wrong with it, in order.

1. Files go in batches to one thread per processor: inflating and hashing let others run. Where the archive
   cannot be read in threads (`Source.apart`), it is done by the thread that asks.
2. Each batch reads through a window of its own; a file longer than `_WHOLE` is streamed. Memory is bounded.
3. The same faults are told in the same order, however many threads there are.
"""

from __future__ import annotations

import hashlib
from collections import deque
from typing import TYPE_CHECKING, TypeAlias

from verify.archive.content import blocks, whole
from verify.archive.source import Window
from verify.digest import Measure
from verify.errors import Malformed
from verify.limits import KIB, MIB
from verify.workers import Workers, processors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verify.archive.content import Data
    from verify.archive.source import Source
    from verify.workers import Job

_WHOLE = 1 * MIB  # longer entries are streamed
_BATCH = 1 * MIB  # of contents
_LEAST = 256  # what each file counts as, at least: opening a stream costs too
_AHEAD = 4  # batches for each thread
_CHUNK = 256 * KIB

Proof: TypeAlias = "Measure | Malformed"


def prove(files: Sequence[Data], source: Source) -> Iterator[Proof]:
    """One for each file. Raises what reading the source raises."""
    batches = _batches(files, source)
    threads = processors() if source.apart else 0
    ahead: deque[tuple[_Batch, Job[list[Proof]]]] = deque()
    with Workers(threads) as workers:
        try:
            for batch in batches:
                ahead.append((batch, workers.begin(batch.run)))
                if len(ahead) > _AHEAD * threads:
                    yield from ahead.popleft()[1].result()
            while ahead:
                yield from ahead.popleft()[1].result()
        finally:
            for batch, _job in ahead:
                batch.stopped = True


def _batches(files: Sequence[Data], source: Source) -> Iterator[_Batch]:
    start = cost = 0
    for at, data in enumerate(files):
        more = max(_LEAST, data.size, data.csize)
        if cost and cost + more > _BATCH:
            yield _Batch(files[start:at], source)
            start, cost = at, 0
        cost += more
    if start < len(files):
        yield _Batch(files[start:], source)


class _Batch:
    """Some files, for one thread."""

    def __init__(self, files: Sequence[Data], source: Source) -> None:
        self.stopped = False
        self._files = files
        self._source = source

    def run(self) -> list[Proof]:
        """What is wrong with one file says nothing of the next."""
        window = Window(self._source)
        found: list[Proof] = []
        for data in self._files:
            if self.stopped:
                break
            try:
                found.append(self._measure(data, window))
            except Malformed as error:
                found.append(error.with_traceback(None))  # which would hold what was read
        return found

    def _measure(self, data: Data, window: Window) -> Measure:
        if data.csize <= _WHOLE and data.size <= _WHOLE:
            return Measure(data.size, hashlib.sha256(whole(data, window)).digest())
        state = hashlib.sha256()
        for piece in blocks(data, self._source, _CHUNK):
            if self.stopped:
                break  # nobody waits for the answer any more
            state.update(piece)
        return Measure(data.size, state.digest())
