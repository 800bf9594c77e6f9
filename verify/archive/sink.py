"""Where an archive is written: gathers small pieces, hashes what it writes, beside the writing.

Threads hash while the caller reads and compresses; hashlib lets go of the interpreter for long pieces,
so on two cores the archive's own digest costs next to nothing.
"""

from __future__ import annotations

import hashlib
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

_GATHER = 1 << 20


class Output(Protocol):
    """What an archive is written to, front to back; any binary file is one."""

    def write(self, data: bytes, /) -> int:
        """All of `data`."""


class Sink:
    """Counts, hashes and passes on; use as a context manager, so that its threads end."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._state = hashlib.sha256()
        self._pending: list[bytes] = []
        self._pending_size = 0
        self._pool = ThreadPoolExecutor(max_workers=2)
        self._busy: Future[None] | None = None
        self.offset = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(wait=True)

    def write(self, data: bytes) -> None:
        """Append."""
        self.offset += len(data)
        self._pending.append(data)
        self._pending_size += len(data)
        if self._pending_size >= _GATHER:
            self._drain()

    def hash_beside(self, data: bytes) -> Callable[[], bytes]:
        """The SHA-256 of a file, told when it is asked for; a long one is hashed meanwhile."""
        if len(data) < _GATHER:
            return hashlib.sha256(data).digest
        future = self._pool.submit(lambda: hashlib.sha256(data).digest())
        return future.result

    def finish(self) -> bytes:
        """Everything is written; the SHA-256 of it all."""
        self._drain()
        self._settle()
        return self._state.digest()

    def _settle(self) -> None:
        # at most one piece is on its way: memory stays near two of them
        if self._busy is not None:
            self._busy.result()

    def _drain(self) -> None:
        piece = self._pending[0] if len(self._pending) == 1 else b"".join(self._pending)
        self._pending, self._pending_size = [], 0
        self._settle()
        self._busy = self._pool.submit(self._state.update, piece)
        self._out.write(piece)
