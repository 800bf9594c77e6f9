"""HTTP/1.1 on a socket, around a `Registry`: threads, deadlines, and nothing of the protocol itself.

1. A connection may keep us waiting for `serve_seconds` per request head and per chunk of a body or an answer.
   Dripping bytes does not help: whoever is past the deadline is cut off.
2. At most `serve_connections` at once; more are told to come again. Nobody is queued behind a slow client.
3. A body that was refused is dropped up to a bound, so that the answer arrives, and then the connection ends.
4. An answer that turns out wrong while it is sent is cut short, and the connection with it.
5. Stopping: no new connections; idle ones end at once, answers under way have a few seconds.
"""

from __future__ import annotations

import math
import socket
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final

from verify.errors import Malformed, ModsealError, Unavailable
from verify.events import SILENT, Events, Level
from verify.limits import DEFAULT, Limits
from verify.oci.serve.answers import Answer, refuse
from verify.oci.serve.body import FramedBody, frame_body
from verify.oci.serve.guard import Guard
from verify.oci.serve.request import Request

if TYPE_CHECKING:
    from collections.abc import Sequence
    from email.message import Message

    from verify.oci.serve.registry import Registry

_POLL = 0.25
_DRAIN = 8 << 20
_GRACE = 5.0
_BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
)
_ONCE = ("host", "content-length", "transfer-encoding", "content-range", "content-type", "origin", "range")


class Driver(ThreadingHTTPServer):
    """A listening socket. `serve_forever` in a thread of its own, `stop` from another."""

    daemon_threads = True
    block_on_close = False  # `stop` waits, with an end to it
    request_queue_size = 64

    def __init__(
        self,
        registry: Registry,
        host: str,
        port: int,
        *,
        hosts: Sequence[str] = (),
        limits: Limits = DEFAULT,
        events: Events = SILENT,
    ) -> None:
        self.registry = registry
        self.limits = limits
        self.events = events
        self._connections: set[Connection] = set()
        self._slots = threading.BoundedSemaphore(limits.serve_connections)
        self._changed = threading.Condition()
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            self.address_family = found[0]
            super().__init__((str(found[4][0]), port), Connection)
        except OSError as error:
            raise Unavailable(f"listen on {host}:{port}: {error.strerror or error}") from error
        self.loopback: Final = ip_address(self.server_name.partition("%")[0]).is_loopback
        self.guard: Final = Guard(port=self.server_port, hosts=tuple(hosts), open=not self.loopback)

    def server_bind(self) -> None:
        """As the parent's parent: the parent's looks up this machine's name, which may ask the network."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    @property
    def address(self) -> str:
        """HOST:PORT, as a client writes it."""
        host, port = self.server_name, self.server_port
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def process_request(self, request: Any, client_address: Any) -> None:
        """A thread per connection, while there are slots."""
        if not self._slots.acquire(blocking=False):
            with suppress(OSError):
                request.settimeout(0.1)
                request.sendall(_BUSY)
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """And its end."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()

    def service_actions(self) -> None:
        """Called several times a second: cut off whoever is past the deadline."""
        now = time.monotonic()
        for each in self.connections():
            if each.deadline < now:
                each.cut()

    def handle_error(self, request: object, client_address: object) -> None:
        """A fault in a thread is told, and ends that connection only."""
        del request, client_address
        self.events.note(Level.WARNING, "a connection ended with an internal error")

    def connections(self) -> tuple[Connection, ...]:
        """Those that are open."""
        with self._changed:
            return tuple(self._connections)

    def opened(self, connection: Connection) -> None:
        """A connection begins."""
        with self._changed:
            self._connections.add(connection)

    def closed(self, connection: Connection) -> None:
        """A connection ended."""
        with self._changed:
            self._connections.discard(connection)
            self._changed.notify_all()

    def stop(self) -> None:
        """End serving. Call it while another thread is in `serve_forever`."""
        self.shutdown()
        for each in self.connections():
            each.cut(socket.SHUT_RD)
        with self._changed:
            self._changed.wait_for(lambda: not self._connections, timeout=_GRACE)
        for each in self.connections():
            each.cut()
        self.server_close()


class Connection(BaseHTTPRequestHandler):
    """One of them, request by request."""

    server: Driver
    protocol_version = "HTTP/1.1"
    server_version = "modseal"
    sys_version = ""
    disable_nagle_algorithm = True
    deadline = math.inf

    def setup(self) -> None:
        self._unpaid = 0
        self.request.settimeout(self.server.limits.serve_seconds)
        super().setup()
        self.server.opened(self)

    def finish(self) -> None:
        self.server.closed(self)
        with suppress(OSError):
            super().finish()

    def cut(self, how: int = socket.SHUT_RDWR) -> None:
        """From another thread: whoever reads or writes here sees the end."""
        with suppress(OSError):
            self.connection.shutdown(how)

    def handle_one_request(self) -> None:
        self._arm()
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True  # the client went away, or was cut off

    def handle_expect_100(self) -> bool:
        """Not before somebody wants the body: a refusal is cheaper without it."""
        return True

    def serve(self) -> None:
        """One request, whatever its method."""
        self.deadline = math.inf
        self._unpaid = 0
        if self.request_version not in {"HTTP/1.0", "HTTP/1.1"}:
            self.send_error(505, "expected HTTP/1.1")
            return
        body: FramedBody | None = None
        try:
            headers = _headers(self.headers, self.server.limits.serve_header_bytes)
            begin = self._begin if headers.get("expect", "").lower() == "100-continue" else None
            body = frame_body(headers, self.rfile, begin=begin, progress=self._progress)
            answer = self.server.guard.refusal(headers) or self.server.registry.answer(
                Request.parse(self.command, self.path, headers, body)
            )
        except Malformed as error:
            answer = refuse(400, "UNSUPPORTED", error.message)
        except Exception as error:  # noqa: BLE001 - the edge: a client gets an answer, the person a line
            self.server.events.note(
                Level.WARNING, f"{self.command} {self.path}: {type(error).__name__}: {error}"
            )
            answer = refuse(500, "UNKNOWN", "internal error")
        if body is None or body.waiting or not body.ended:
            self.close_connection = True
        self.server.events.note(Level.DEBUG, f"{self.command} {self.path} {answer.status}")
        if answer.note:
            self.server.events.note(Level.WARNING, f"{self.command} {self.path}: {answer.note}")
        self._send(answer)
        if body is not None and not body.ended and not body.waiting:
            self._drain(body)

    # the parent looks for a method by the request's
    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = serve  # noqa: N815

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Where the parent could not make sense of a request."""
        del explain
        self.close_connection = True
        self.request_version = self.protocol_version
        with suppress(OSError):
            self._send(refuse(code, "UNSUPPORTED", (message or "bad request")[:200]))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
        """`serve` tells."""

    def _send(self, answer: Answer) -> None:
        # what comes from a file system is not trusted with the framing
        pairs = [(name, value.replace("\r", "").replace("\n", "")) for name, value in answer.headers]
        self.send_response_only(answer.status)
        for name, value in pairs:
            self.send_header(name, value)
        if answer.status != 204:
            self.send_header("Content-Length", str(answer.length))
        if self.close_connection:
            self.send_header("Connection", "close")
        head = b"".join([*self._headers_buffer, b"\r\n"])
        self._headers_buffer: list[bytes] = []
        bodiless = self.command == "HEAD" or answer.status == 204
        try:
            self._write(head if bodiless else head + answer.body)
            if answer.stream is not None and not bodiless:
                self._pour(answer)
        finally:
            self.deadline = math.inf
            if answer.stream is not None:
                answer.stream.close()

    def _pour(self, answer: Answer) -> None:
        assert answer.stream is not None  # noqa: S101 - for the type checker
        left = answer.stream.size
        try:
            for block in answer.stream.blocks:
                self._write(block[:left])
                left -= len(block)
        except ModsealError as error:
            self.server.events.note(Level.WARNING, f"{self.path}: {error}")
        if left:
            self.close_connection = True  # a length was promised: only the connection's end can take it back

    def _write(self, data: bytes) -> None:
        self._arm()
        self.wfile.write(data)

    def _begin(self) -> None:
        self._write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _progress(self, amount: int, *, ended: bool) -> None:
        self._unpaid += amount
        if ended:
            self.deadline = math.inf
        elif self._unpaid >= self.server.limits.chunk or self.deadline == math.inf:
            self._unpaid = 0
            self._arm()

    def _arm(self) -> None:
        self.deadline = time.monotonic() + self.server.limits.serve_seconds

    def _drain(self, body: FramedBody) -> None:
        self._arm()
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
        with suppress(ModsealError):
            body.drain(_DRAIN)


def _headers(message: Message, most: int) -> dict[str, str]:
    found: dict[str, str] = {}
    space = most
    for name, value in message.items():
        key = name.lower()
        space -= len(name) + len(value)
        if space < 0 or "\r" in value or "\n" in value:
            raise Malformed("headers: too long, or on several lines")
        if key in found and key in _ONCE:
            raise Malformed(f"headers: {key} stands twice")
        found[key] = f"{found[key]}, {value}" if key in found else value
    return found
