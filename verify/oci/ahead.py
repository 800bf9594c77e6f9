"""A source that is read in a thread of its own, a few blocks ahead of whoever wants them.

1. The blocks come in order and unchanged. What the source raised is raised after the blocks that came before it.
2. At most `DEPTH` blocks wait, so that memory stays bounded.
3. The thread alone touches the source, and closes it. Closing this end asks the thread to stop, and waits for it,
   but not for a source that does not answer.

>>> import io
>>> ahead = ReadAhead(io.BytesIO(b"a blob"), block=4)
>>> ahead.read(3), ahead.read(3), ahead.read(3), ahead.read(3)
(b'a b', b'l', b'ob', b'')
>>> ahead.close()
"""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING

from verify.limits import DEFAULT

if TYPE_CHECKING:
    from verify.digest import Reader

DEPTH = 4
_PATIENCE = 1.0  # seconds for a source that is being read when nobody wants it any more
_NOTHING = memoryview(b"")


class ReadAhead:
    """A Reader; close it."""

    def __init__(self, source: Reader, *, block: int = DEFAULT.chunk) -> None:
        self._source = source
        self._block = block
        self._waiting: queue.Queue[bytes | BaseException] = queue.Queue(DEPTH)
        self._stop = threading.Event()
        self._whole = b""  # the block that `_rest` shows, while nobody has read of it
        self._rest = _NOTHING
        self._over: BaseException | None = None
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="read", daemon=True)
        self._thread.start()

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes of one block; everything if negative. Raises what the source raised."""
        if size < 0:
            return b"".join(iter(lambda: self.read(self._block), b""))
        if not self._rest and not self._ended:
            self._next()
        if self._over is not None:
            raise self._over
        if len(self._rest) <= size and self._whole:
            block, self._rest = self._whole, _NOTHING  # most reads want just this: no copy is made
            return block
        part, self._rest = self._rest[:size], self._rest[size:]
        self._whole = b""
        return part.tobytes()

    def _next(self) -> None:
        found = self._waiting.get()
        if isinstance(found, BaseException):
            self._over = found
            self._ended = True
        else:
            self._ended = not found
            self._whole, self._rest = found, memoryview(found)

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                block = self._source.read(self._block)
                self._waiting.put(block)
                if not block:
                    return
        except BaseException as error:  # noqa: BLE001 - it is raised where the bytes are wanted
            self._waiting.put(error)
        finally:
            close = getattr(self._source, "close", None)
            if close is not None:
                close()

    def close(self) -> None:
        """Nothing more is read."""
        self._stop.set()
        while self._thread.is_alive():
            try:  # whoever waits to put a block sees that nobody wants it
                self._waiting.get_nowait()
            except queue.Empty:
                break
        self._thread.join(_PATIENCE)
