"""Files on their way to be entries of a `deflate/1` archive: compressed in threads, handed on in order.

1. Files are read by the thread that asks, and compressed by one thread per processor: zlib lets others run.
   Short ones go in batches, for a thread of one's own is worth more than a kilobyte.
2. A file longer than `WHOLE` is read, too, by the thread that compresses it, into a temporary file; where the
   tree cannot have that (`Reader.apart`), it is done when it is next, by the thread that asks.
3. At most `_AHEAD` bytes are under way. What is not smaller deflated is stored.
4. The bytes do not depend on any of this: each file is one stream of the encoder.
"""

from __future__ import annotations

import hashlib
import zlib
from collections import deque
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

from verify.archive.format import DEFLATED, STORED, Facts
from verify.archive.part import InMemory, ReadTwice, Spooled, Wanted, blocks, streamed
from verify.limits import KIB, MIB
from verify.workers import Workers, processors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from verify.archive.deflate import Encoder
    from verify.archive.part import Part
    from verify.archive.sink import Beside
    from verify.tree.port import Entry
    from verify.tree.reading import Reader
    from verify.workers import Job

_BATCH = 256 * KIB
_AHEAD = 12 * MIB
_LONG = 4 * MIB  # what a file that goes through a temporary file counts as

Spooler: TypeAlias = "Callable[[], BinaryIO]"


class Deflating:
    """The parts of one archive."""

    def __init__(self, reader: Reader, encoder: Encoder, beside: Beside, spool: Spooler, chunk: int) -> None:
        self._reader = reader
        self._encoder = encoder
        self._beside = beside
        self._spool = spool
        self._chunk = chunk

    def parts(self, wanted: Iterable[Wanted]) -> Iterator[Part]:
        """In the order they are wanted. Raises as reading does."""
        # an encoder in Python lets nobody else run, and would only be harder to interrupt
        workers = Workers(0 if self._encoder.slow else processors())
        ahead: deque[tuple[_Batch | _Long, Job[None]]] = deque()
        under_way = 0
        try:
            for task in self._tasks(wanted):
                while ahead and under_way + task.cost > _AHEAD:
                    under_way -= ahead[0][0].cost
                    yield from self._finished(ahead)
                ahead.append((task, workers.begin(task.run)))
                under_way += task.cost
            while ahead:
                yield from self._finished(ahead)
        finally:
            for task, _job in ahead:
                task.stopped = True
            workers.__exit__()
            for task, _job in ahead:
                task.close()

    def _finished(self, ahead: deque[tuple[_Batch | _Long, Job[None]]]) -> Iterator[Part]:
        """The first task's parts; until they are written, it stays where it can be closed."""
        task, job = ahead[0]
        job.result()
        if task.parts:
            yield from task.parts
        else:
            yield ReadTwice(task.wanted[0], self._reader.open, self._beside, self._chunk)
        ahead.popleft()

    def _tasks(self, wanted: Iterable[Wanted]) -> Iterator[_Batch | _Long]:
        batch = _Batch(self._encoder)
        for each in wanted:
            size = each.entry.size
            if batch.wanted and batch.cost + size > _BATCH:
                yield batch
                batch = _Batch(self._encoder)
            if streamed(each.entry):
                yield _Long(each, self._open(each.entry), self._spool(), self._encoder, self._chunk)
            else:
                batch.add(each, self._reader.whole(each.entry))
        if batch.wanted:
            yield batch

    def _open(self, entry: Entry) -> BinaryIO:
        file = self._reader.open(entry.name)
        if self._reader.apart:
            return file
        copy = self._spool()
        try:
            for block in blocks(file, entry, self._chunk):
                copy.write(block)
            copy.seek(0)
        except BaseException:
            copy.close()
            raise
        return copy


class _Batch:
    """Some short files, already read."""

    def __init__(self, encoder: Encoder) -> None:
        self.wanted: list[Wanted] = []
        self.parts: list[Part] = []
        self.cost = 0
        self.stopped = False
        self._encoder = encoder
        self._contents: list[bytes] = []

    def add(self, wanted: Wanted, data: bytes) -> None:
        """One more."""
        self.wanted.append(wanted)
        self._contents.append(data)
        self.cost += len(data)

    def run(self) -> None:
        """For a thread."""
        for wanted, data in zip(self.wanted, self._contents, strict=True):
            if self.stopped:
                return
            stream = self._encoder.compressor()
            body, method = stream.compress(data) + stream.flush(), DEFLATED
            if len(body) >= len(data):
                body, method = data, STORED
            name, entry, executable = wanted
            facts = Facts(name, method, zlib.crc32(data), len(body), len(data), executable)
            self.parts.append(InMemory(entry, facts, body, hashlib.sha256(data).digest()))
        self._contents = []

    def close(self) -> None:
        """Nothing is held."""


class _Long:
    """A long file, read and compressed by a thread. No parts where the deflated form is not smaller."""

    cost = _LONG

    def __init__(self, wanted: Wanted, file: BinaryIO, spool: BinaryIO, encoder: Encoder, chunk: int) -> None:
        self.wanted = (wanted,)
        self.parts: list[Part] = []
        self.stopped = False
        self._file = file
        self._spool = spool
        self._encoder = encoder
        self._chunk = chunk

    def run(self) -> None:
        """For a thread."""
        (name, entry, executable), spool = self.wanted[0], self._spool
        stream, crc, sha256, csize = self._encoder.compressor(), 0, hashlib.sha256(), 0
        for block in blocks(self._file, entry, self._chunk):
            if self.stopped:
                return
            crc = zlib.crc32(block, crc)
            sha256.update(block)
            csize += spool.write(stream.compress(block))
        csize += spool.write(stream.flush())
        if csize < entry.size:
            facts = Facts(name, DEFLATED, crc, csize, entry.size, executable)
            self.parts.append(Spooled(entry, facts, spool, sha256.digest(), self._chunk))
        else:
            spool.close()

    def close(self) -> None:
        """Whatever became of it."""
        self._file.close()
        self._spool.close()
