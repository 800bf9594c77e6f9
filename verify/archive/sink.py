"""Where an archive is written: gathers small pieces, and hashes what it writes in a thread beside the writing.

hashlib lets go of the interpreter for long pieces, so on two cores a digest costs next to nothing.
"""

from __future__ import annotations

import hashlib
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, Self

from verify.limits import KIB, MIB
from verify.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.workers import Job, Result

LONG = 128 * KIB  # a piece that is worth handing over
_GATHER = 1 * MIB
_BEHIND = 8 * MIB  # bytes that may wait to be hashed: memory stays near this


class Output(Protocol):
    """What an archive is written to, front to back; any binary file is one."""

    def write(self, data: bytes, /) -> int:
        """All of `data`."""


class Beside:
    """A thread that hashes pieces in the order they come, and is never far behind. Use in a `with`."""

    def __init__(self) -> None:
        self._workers = Workers(1)
        self._waiting: deque[tuple[int, Job[Any]]] = deque()
        self._behind = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.__exit__()

    def begin(self, size: int, work: Callable[[], Result]) -> Job[Result]:
        """Work on `size` bytes, after what came before. Waits while too many bytes do."""
        job = self._workers.begin(work)
        self._waiting.append((size, job))
        self._behind += size
        while self._behind > _BEHIND:
            size, first = self._waiting.popleft()
            first.result()
            self._behind -= size
        return job


class Sink:
    """Counts, hashes and passes on; use as a context manager, so that its thread ends."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._state = hashlib.sha256()
        self._pending: list[bytes] = []
        self._pending_size = 0
        self._beside = Beside()
        self.offset = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._beside.__exit__()

    def write(self, data: bytes) -> None:
        """Append."""
        size = len(data)
        self.offset += size
        if size >= LONG:  # not gathered: that would be a copy
            self._drain()
            self._pass_on(data)
            return
        self._pending.append(data)
        self._pending_size += size
        if self._pending_size >= _GATHER:
            self._drain()

    def finish(self) -> bytes:
        """Everything is written; the SHA-256 of it all."""
        self._drain()
        return self._beside.begin(0, self._state.digest).result()

    def _drain(self) -> None:
        if self._pending:
            piece = b"".join(self._pending)
            self._pending, self._pending_size = [], 0
            self._pass_on(piece)

    def _pass_on(self, piece: bytes) -> None:
        self._beside.begin(len(piece), partial(self._state.update, piece))
        self._out.write(piece)
