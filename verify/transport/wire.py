"""Requests over sockets, by urllib3 and nothing above it. No socket is opened before the first exchange.

urllib3's pools and TLS are used; its redirects, repeats and decoding are off. There is no cookie jar and no
`.netrc` at this level, so neither can add a credential. Proxies come from the environment that was given in,
never for the local machine.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any

from verify.errors import Misused, Unavailable
from verify.limits import DEFAULT, Limits
from verify.transport.framing import FramedBody, body_length
from verify.transport.message import Headers, Response
from verify.transport.tls import Tls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from urllib3 import HTTPResponse, PoolManager

    from verify.digest import Reader
    from verify.transport.address import Address, Origin
    from verify.transport.message import Request

_SEND_BLOCK = 256 << 10


class UrllibWire:
    """The Wire port over real connections. Threads may share it."""

    def __init__(
        self, *, tls: Tls | None = None, environ: Mapping[str, str] | None = None, limits: Limits = DEFAULT
    ) -> None:
        self._tls = tls if tls is not None else Tls()
        self._environ = dict(environ or {})
        self._limits = limits
        self._lock = threading.Lock()
        self._pools: dict[tuple[str, str | None, str | None], PoolManager] = {}

    def exchange(self, request: Request, address: Address, headers: Headers) -> Response:
        """One request, one answer's head. Raises Unavailable."""
        from verify.transport.clock import REAL  # noqa: PLC0415
        from verify.transport.paced import CURRENT, Pace  # noqa: PLC0415 - http.client is not free

        limits = self._limits
        pool = self._pool(address.origin)
        body = None if request.body is None else UploadBody(request.body())
        CURRENT.pace = Pace(
            total=limits.http_total, read=limits.http_read, slowest=limits.http_slowest, now=REAL.monotonic
        )
        try:
            with _mapped(address, body):
                answer = self._urlopen(pool, request, address, headers, body)
        finally:
            CURRENT.pace = None
            if body is not None:
                body.close()
        return self._response(request, address, answer)

    def _urlopen(
        self, pool: PoolManager, request: Request, address: Address, headers: Headers, body: UploadBody | None
    ) -> HTTPResponse:
        from urllib3 import HTTPHeaderDict, Timeout  # noqa: PLC0415

        sent = HTTPHeaderDict(headers.pairs)
        if request.length is not None:
            sent["Content-Length"] = str(request.length)
        elif request.method in {"POST", "PUT", "PATCH"} and body is None:
            sent["Content-Length"] = "0"
        answer: Any = pool.urlopen(
            request.method,
            f"{address.origin}{address.target}",  # a port that goes without saying is not said
            body=body,
            headers=sent,
            redirect=False,
            retries=False,
            preload_content=False,
            decode_content=False,
            timeout=Timeout(connect=self._limits.http_connect, read=self._limits.http_read),
        )
        found: HTTPResponse = answer
        return found

    def _response(self, request: Request, address: Address, answer: HTTPResponse) -> Response:
        headers = Headers.of(_header_pairs(answer))
        source = _Answer(answer, address)
        try:
            length = body_length(request.method, answer.status, headers, framed=request.framed)
        except Unavailable as error:
            answer.close()
            raise error.within(str(address)) from None
        if length == 0:
            source.finish()
        return Response(
            status=answer.status,
            headers=headers,
            address=address,
            body=FramedBody(source, length, str(address)),
            length=length,
            on_close=source.close,
        )

    def _pool(self, origin: Origin) -> PoolManager:
        proxy = None if origin.loopback else _proxy(origin, self._environ)
        key = (origin.scheme, proxy, origin.netloc if self._tls.per_host(origin) else None)
        with self._lock:
            if key not in self._pools:
                self._pools[key] = _new_pool(proxy, self._tls, origin, self._limits)
            return self._pools[key]

    def close(self) -> None:
        """Let go of the connections that are kept."""
        with self._lock:
            for pool in self._pools.values():
                pool.clear()
            self._pools.clear()


class UploadBody:
    """A body on its way out; remembers an error of its own source, which is no error of the connection."""

    def __init__(self, source: Reader) -> None:
        self._source = source
        self.failed: BaseException | None = None

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes."""
        try:
            return self._source.read(size)
        except BaseException as error:
            self.failed = error
            raise

    def close(self) -> None:
        """Of its source too, where that can be closed: each try opens it anew."""
        close = getattr(self._source, "close", None)
        if close is not None:
            close()


class _Answer:
    """urllib3's response as a Reader with our errors."""

    def __init__(self, answer: HTTPResponse, address: Address) -> None:
        self._answer = answer
        self._address = address

    def read(self, size: int = -1, /) -> bytes:
        with _mapped(self._address, None):
            block = self._answer.read(size, decode_content=False)
        original: Any = self._answer._original_response  # noqa: SLF001 - its only way to http.client's own
        if getattr(original, "surplus", False):
            self._answer.close()
            raise Unavailable(f"{self._address}: goes on after its end", check="transport.surplus")
        return block

    def finish(self) -> None:
        """An empty body is over at once, and its connection may be used again."""
        self.read(1)
        self._answer.release_conn()

    def close(self) -> None:
        # a connection with an unread rest is dropped, not drained: the rest may be endless
        original: Any = self._answer._original_response  # noqa: SLF001
        if original is not None and original.isclosed():
            self._answer.release_conn()
        else:
            self._answer.close()


@contextmanager
def _mapped(address: Address, body: UploadBody | None) -> Iterator[None]:
    """Foreign exceptions become ours; those of the body's own source pass."""
    import http.client  # noqa: PLC0415
    import ssl  # noqa: PLC0415

    from urllib3 import exceptions as theirs  # noqa: PLC0415

    try:
        yield
    except (theirs.HTTPError, http.client.HTTPException, ssl.SSLError, OSError) as error:
        if body is not None and body.failed is not None:
            raise body.failed from None
        raise _ours(address, error) from error


def _ours(address: Address, error: Exception) -> Unavailable:
    from urllib3 import exceptions as theirs  # noqa: PLC0415

    from verify.transport.paced import TooSlowError  # noqa: PLC0415

    causes = _causes(error)
    if any(isinstance(each, TooSlowError) for each in causes):
        return Unavailable(f"{address}: its answer comes too slowly", check="fetch.slow")
    if isinstance(error, theirs.SSLError) or any("SSL" in type(each).__name__ for each in causes):
        reasons = (getattr(each, "reason", None) for each in causes)
        text = next((each for each in reasons if isinstance(each, str)), "the connection cannot be trusted")
        return Unavailable(f"{address}: TLS: {text.lower().replace('_', ' ')}", check="fetch.tls", hint=_HINT)
    if isinstance(error, theirs.InvalidHeader):
        return Unavailable(
            f"{address}: answers with headers that contradict each other", check="transport.framing"
        )
    if isinstance(error, theirs.ProxyError):
        return Unavailable(f"{address}: the proxy does not answer", check="fetch.proxy")
    if isinstance(error, theirs.NewConnectionError | theirs.ConnectTimeoutError | theirs.LocationParseError):
        return Unavailable(f"{address}: cannot be reached", check="fetch.unreachable")
    if any(isinstance(each, TimeoutError | theirs.TimeoutError) for each in causes):
        return Unavailable(f"{address}: does not answer in time", check="fetch.timeout")
    if any(isinstance(each, ConnectionRefusedError) for each in causes):
        return Unavailable(f"{address}: cannot be reached", check="fetch.unreachable")
    return Unavailable(f"{address}: the connection was cut ({type(error).__name__})", check="fetch.cut")


_HINT = "name the authority with --ca-cert, or say --plain-http where the registry has no TLS"


def _causes(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    todo: list[object] = [error]
    while todo and len(found) < 20:
        each = todo.pop()
        if isinstance(each, BaseException) and each not in found:
            found.append(each)
            todo += [*each.args, each.__cause__, each.__context__, getattr(each, "reason", None)]
    return found


def _header_pairs(answer: HTTPResponse) -> Iterator[tuple[str, str]]:
    original: Any = answer._original_response  # noqa: SLF001 - its own dictionary joins what stands twice
    return iter(original.msg.items() if original is not None else answer.headers.items())


def _new_pool(proxy: str | None, tls: Tls, origin: Origin, limits: Limits) -> PoolManager:
    import urllib3  # noqa: PLC0415
    from urllib3.connection import HTTPConnection, HTTPSConnection  # noqa: PLC0415
    from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool  # noqa: PLC0415

    from verify.transport.paced import PacedResponse  # noqa: PLC0415

    plain = type("Connection", (HTTPConnection,), {"response_class": PacedResponse})
    secure = type("SecureConnection", (HTTPSConnection,), {"response_class": PacedResponse})
    options: dict[str, Any] = {
        "maxsize": limits.http_per_host,
        "blocksize": _SEND_BLOCK,
    }
    if origin.scheme == "https" or (proxy or "").startswith("https:"):
        options["ssl_context"] = tls.context(origin)
    if proxy is None:
        pool = urllib3.PoolManager(**options)
    else:
        parsed = urllib3.util.parse_url(proxy)
        if parsed.scheme not in {"http", "https"}:
            raise Misused("proxy: expected http:// or https://", check="transport.proxy")
        user = urllib3.util.make_headers(proxy_basic_auth=parsed.auth) if parsed.auth else {}
        pool = urllib3.ProxyManager(parsed._replace(auth=None).url, proxy_headers=user, **options)
    pool.pool_classes_by_scheme = {
        "http": type("Pool", (HTTPConnectionPool,), {"ConnectionCls": plain}),
        "https": type("SecurePool", (HTTPSConnectionPool,), {"ConnectionCls": secure}),
    }
    return pool


def _proxy(origin: Origin, environ: Mapping[str, str]) -> str | None:
    """As all clients read the environment: the lower-case name first; HTTP_PROXY not inside CGI."""
    names = {
        f"{origin.scheme}_proxy": f"{origin.scheme}_proxy".upper(),
        "all_proxy": "ALL_PROXY",
        "no_proxy": "NO_PROXY",
    }
    found = {lower: environ.get(lower) or environ.get(upper) or "" for lower, upper in names.items()}
    if "REQUEST_METHOD" in environ and origin.scheme == "http":
        found["http_proxy"] = environ.get("http_proxy", "")
    proxy = found[f"{origin.scheme}_proxy"] or found["all_proxy"]
    if not proxy or _bypassed(origin, found["no_proxy"]):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _bypassed(origin: Origin, no_proxy: str) -> bool:
    """Names match themselves and what is below them; addresses match networks; a port must match."""
    for each in no_proxy.lower().replace(",", " ").split():
        name = each.lstrip("*").lstrip(".")
        if each == "*" or name in {origin.host, origin.netloc} or origin.host.endswith(f".{name}"):
            return True
        with suppress(ValueError):
            if "/" in each and ip_address(origin.host) in ip_network(each, strict=False):
                return True
    return False
