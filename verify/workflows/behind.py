"""Writing a file in a thread of its own, so that what comes next can be fetched and hashed meanwhile.

1. Blocks are written in the order they are given. At most `DEPTH` wait, so that memory stays bounded.
2. When the block of the `with` ends well, everything is written. What writing raised is raised there, or at the
   next `write`, whichever comes first.
3. When it ends badly, what waits is dropped, and nobody writes to the file any more.

>>> import io
>>> file = io.BytesIO()
>>> with WriteBehind(file) as out:
...     out.write(b"one ")
...     out.write(b"two")
>>> file.getvalue()
b'one two'
"""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, BinaryIO, Self

if TYPE_CHECKING:
    from types import TracebackType

DEPTH = 4


class WriteBehind:
    """Use it in a `with`; the file is the thread's until the end of it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._waiting: queue.Queue[bytes | None] = queue.Queue(DEPTH)
        self._failed: Exception | None = None
        self._dropping = False
        self._thread = threading.Thread(target=self._run, name="write", daemon=True)

    def write(self, block: bytes) -> None:
        """Raises what writing an earlier block raised."""
        if self._failed is not None:
            raise self._failed
        self._waiting.put(block)

    def _run(self) -> None:
        # it takes blocks until the end even when it has failed: whoever gives them must never be left waiting
        while (block := self._waiting.get()) is not None:
            if self._dropping or self._failed is not None:
                continue
            try:
                self._file.write(block)
            except Exception as error:  # noqa: BLE001 - it is raised where the block was given
                self._failed = error

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._dropping = kind is not None
        self._waiting.put(None)
        self._thread.join()
        if kind is None and self._failed is not None:
            raise self._failed
