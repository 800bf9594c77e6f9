"""A socket that must keep up: the answer's head and body arrive in bounded time, however they drip.

Timeouts of sockets begin again with every byte. A `Pace` does not: from the moment a request was sent, all
that arrived must have arrived within `total` seconds and what the bytes need at the slowest rate. It is
checked at every read of the socket, under http.client's own buffer, so that it holds for headers, chunk
sizes and bodies alike.

When a body is complete, a look at the connection, without waiting, shows whether the server went on sending.
"""

from __future__ import annotations

import http.client
import io
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How slow is too slow."""

    total: float
    read: float
    slowest: int
    now: Callable[[], float]


class TooSlowError(TimeoutError):
    """The pace was not kept; a plain TimeoutError is one silence that was too long."""


class _Current(threading.local):
    pace: Pace | None = None


CURRENT = _Current()  # http.client makes the response object, so its pace comes from the thread that asks


class PacedSocket(io.RawIOBase):
    """Reads from a socket in time."""

    def __init__(self, sock: socket.socket, raw: io.RawIOBase, pace: Pace) -> None:
        super().__init__()
        self._sock = sock
        self._raw = raw
        self._pace = pace
        self._begun = pace.now()
        self._count = 0
        self._probing = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        """What has come. Raises TooSlowError, TimeoutError."""
        if self._probing:
            self._sock.settimeout(0.0)
            return self._raw.readinto(buffer)
        pace = self._pace
        left = self._begun + pace.total + self._count / pace.slowest - pace.now()
        if left <= 0:
            raise TooSlowError
        self._sock.settimeout(min(pace.read, left))
        try:
            count = self._raw.readinto(buffer)
        except TimeoutError:
            if left < pace.read:
                raise TooSlowError from None
            raise
        self._count += count or 0
        return count

    def has_more(self, buffered: io.BufferedReader) -> bool:
        """Whether bytes have arrived that no answer has claimed."""
        self._probing = True
        try:
            return bool(buffered.peek(1))
        except (OSError, ValueError):
            return False
        finally:
            self._probing = False
            self._sock.settimeout(self._pace.read)

    def hang_up(self) -> None:
        """Nobody may use this connection again."""
        import socket  # noqa: PLC0415 - only where an answer was surplus

        self._sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._raw.close()
        super().close()


class PacedResponse(http.client.HTTPResponse):
    """http.client's own, over a PacedSocket."""

    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self.surplus = False
        self._paced: PacedSocket | None = None
        if CURRENT.pace is not None:
            raw: Any = self.fp.detach()  # a BufferedReader, typed as BinaryIO
            self._paced = PacedSocket(sock, raw, CURRENT.pace)
            self.fp = io.BufferedReader(self._paced)

    def _close_conn(self) -> None:
        # http.client calls this when the body is complete, and when it is given up
        buffered: Any = self.fp
        complete = self.length in {0, None} and not self.will_close
        if self._paced is not None and buffered is not None and complete and self._paced.has_more(buffered):
            self.surplus = True
            self._paced.hang_up()
        closing: Any = super()
        closing._close_conn()  # noqa: SLF001 - ours to extend, and missing from the type stubs
