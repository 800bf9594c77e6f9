"""The Client over a Wire: what happens between a question and its answer.

1. Offline, nothing is sent: Unavailable (`fetch.offline`).
2. The origin's turn is awaited (`patience`), and one of its places: at most `http_per_host` requests are under
   way at once. A place is held until the answer's head is here, not while its body streams, so that a copy
   from a host to itself cannot wait for itself.
3. Credentials go to the origin of the request's own address and to nobody else. A 401 there is answered once
   (`tokens`); a 403 to a token is answered by another token, once.
4. 408, 429, 500, 502, 503, 504 and connections that fail are tried again, where the request may be repeated;
   429 always.
5. Redirects are followed here (`redirect`), at most `http_redirects`; every hop runs through 1 to 4.
6. What is no answer is raised.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from verify.errors import Exhausted, Unavailable
from verify.events import SILENT, Events, Level
from verify.limits import DEFAULT, Limits
from verify.transport.clock import REAL, Clock
from verify.transport.complaint import Complaint, read_complaint
from verify.transport.credentials import NoKeys
from verify.transport.message import Follow, Headers
from verify.transport.patience import Patience, parse_retry_after
from verify.transport.redirect import REDIRECTS, redirect_target
from verify.transport.tokens import Asked, Tokens
from verify.version import __version__

if TYPE_CHECKING:
    from verify.transport.address import Address, Origin
    from verify.transport.credentials import Keys, Secret
    from verify.transport.message import Request, Response, Wire

_AGAIN = frozenset({408, 429, 500, 502, 503, 504})
_NOT_TAKEN = frozenset({429})  # refused before anything was done with it
_CONNECTION = frozenset({"fetch.cut", "fetch.timeout", "fetch.unreachable"})
_RAISED = {401: "fetch.unauthorized", 403: "fetch.forbidden", 407: "fetch.proxy", 408: "fetch.timeout"}


class HttpClient:
    """The Client port. Threads may share it; share one per command, so that pauses and tokens are shared."""

    def __init__(
        self,
        wire: Wire,
        *,
        keys: Keys | None = None,
        offline: bool = False,
        limits: Limits = DEFAULT,
        clock: Clock = REAL,
        events: Events = SILENT,
    ) -> None:
        self._wire = wire
        self._offline = offline
        self._limits = limits
        self._clock = clock
        self._events = events
        self._tokens = Tokens(keys if keys is not None else NoKeys(), clock=clock, limits=limits)
        self._patience = Patience(clock, limits)
        self._lock = threading.Lock()
        self._places: dict[Origin, threading.Semaphore] = {}

    def send(self, request: Request) -> Response:
        """As the port says."""
        if self._offline:
            raise Unavailable(f"{request.address}: not asked, --offline", check="fetch.offline")
        address = request.address
        for _ in range(self._limits.http_redirects + 1):
            response = self._repeated(request, address)
            if response.status not in REDIRECTS or request.follow is Follow.NEVER:
                return self._judged(request, response)
            self._drain(response)
            target = redirect_target(request.method, response)
            if request.follow is Follow.ORIGIN and target.origin != request.address.origin:
                return response
            address = target
        raise Unavailable(
            f"{request.address}: more than {self._limits.http_redirects} redirects",
            check="transport.redirect-loop",
        )

    def close(self) -> None:
        """Let go of connections."""
        self._wire.close()

    def _repeated(self, request: Request, address: Address) -> Response:
        tries = self._limits.http_tries
        again = _AGAIN if request.repeat else _NOT_TAKEN
        for attempt in range(tries):
            last = attempt == tries - 1
            try:
                response = self._authorized(request, address)
            except Unavailable as error:
                if last or not request.repeat or error.check not in _CONNECTION:
                    raise
                self._hold(address, attempt, None, str(error))
                continue
            if response.status not in again or response.status in request.give or last:
                return response
            self._drain(response)
            later = parse_retry_after(response.headers.get("retry-after"), self._clock.wall())
            self._hold(address, attempt, later, f"{address.origin} answers {response.status}")
        raise AssertionError  # the last attempt returns or raises

    def _hold(self, address: Address, attempt: int, later: float | None, why: str) -> None:
        self._patience.hold(address.origin, attempt, later)
        self._events.note(Level.INFO, f"{why}; trying again")

    def _authorized(self, request: Request, address: Address) -> Response:
        if request.account is None or address.origin != request.address.origin:
            return self._once(request, address, None)
        asked = Asked(address=address, account=request.account, scopes=request.scopes)
        sent = self._tokens.ready(self, asked)
        response = self._once(request, address, sent)
        header: Secret | None = None
        try:
            if response.status == 401:
                header = self._tokens.answer(self, asked, response, sent)
            elif response.status == 403 and sent is not None:
                header = self._tokens.renew(self, asked, sent)
        except BaseException:
            response.close()
            raise
        if header is None:
            return response
        self._drain(response)
        return self._once(request, address, header)

    def _once(self, request: Request, address: Address, authorization: Secret | None) -> Response:
        headers = request.headers
        if address.origin != request.address.origin:
            headers = headers.without("authorization").without("cookie")
        fixed = [
            ("User-Agent", f"modseal/{__version__}"),
            ("Accept-Encoding", "identity"),
            ("Connection", "keep-alive"),
        ]
        pairs = [*headers.pairs, *fixed]
        if authorization is not None:
            pairs.append(("Authorization", authorization.reveal()))
        self._patience.await_turn(address.origin)
        with self._place(address.origin):
            return self._wire.exchange(request, address, Headers.of(pairs))

    def _drain(self, response: Response) -> None:
        """Read what is short, so that its connection can be used again; drop what is long."""
        most = self._limits.http_error_bytes
        with suppress(Unavailable, Exhausted):
            if response.length is not None and response.length <= most:
                response.read_all(most, "answer")
        response.close()

    def _place(self, origin: Origin) -> threading.Semaphore:
        with self._lock:
            return self._places.setdefault(origin, threading.Semaphore(self._limits.http_per_host))

    def _judged(self, request: Request, response: Response) -> Response:
        status = response.status
        if status in request.give or (status not in _RAISED and status != 429 and status < 500):
            return response
        check = _RAISED.get(status, "fetch.throttled" if status == 429 else "fetch.server-error")
        said = complaint_of(response, self._limits).text
        hint = None
        if status in {401, 403} and request.account is not None:
            hint = f"modseal login {request.account.partition('/')[0]}"
        raise Unavailable(
            f"{response.address}: answers {status}" + (f": {said}" if said else ""), check=check, hint=hint
        )


def complaint_of(response: Response, limits: Limits) -> Complaint:
    """What a refusal says; nothing where it cannot be read: the status is told all the same."""
    try:
        return read_complaint(response.read_all(limits.http_error_bytes, "refusal"))
    except (Exhausted, Unavailable):
        return Complaint()
