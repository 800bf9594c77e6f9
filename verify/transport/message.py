"""What is asked and what is answered: values, and the `Client` port through which everything else asks.

A `Response` is read once and closed; `read_all` does both. Its bytes are those on the wire, never decoded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Protocol, Self

from verify.errors import Exhausted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType

    from verify.digest import Reader
    from verify.transport.address import Address


@dataclass(frozen=True, slots=True)
class Headers:
    """Names compare without case; one name may stand several times. Values stay out of its repr."""

    pairs: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> Self:
        """In the order given."""
        return cls(tuple(pairs))

    def all(self, name: str) -> tuple[str, ...]:
        """Every value of a name."""
        wanted = name.lower()
        return tuple(value for key, value in self.pairs if key.lower() == wanted)

    def get(self, name: str) -> str | None:
        """The first value of a name."""
        return next(iter(self.all(name)), None)

    def without(self, name: str) -> Self:
        """All but one name."""
        unwanted = name.lower()
        return type(self)(tuple(pair for pair in self.pairs if pair[0].lower() != unwanted))

    @property
    def media_type(self) -> str:
        """Content-Type without its parameters, lower case; empty where it is missing."""
        return (self.get("content-type") or "").partition(";")[0].strip().lower()


class Follow(Enum):
    """Where a redirect may lead."""

    ANYWHERE = "anywhere"  # without credentials once the origin changes
    ORIGIN = "origin"  # an answer that leads elsewhere is given back as it is
    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One thing to ask. It may be sent several times, so a body is a way to open it."""

    method: str
    address: Address
    headers: Headers = Headers()
    body: Callable[[], Reader] | None = None
    length: int | None = None  # of the body
    account: str | None = None  # whose credentials may be used: host[:port][/path]; None: nobody's
    scopes: tuple[str, ...] = ()  # what a token has to allow
    give: frozenset[int] = frozenset()  # refusals that the caller wants to judge itself
    framed: bool = True  # the answer must state where it ends; False where a digest tells
    follow: Follow = Follow.ANYWHERE
    repeat: bool = True  # may be sent again when nobody knows whether it arrived


@dataclass(slots=True, kw_only=True)
class Response:
    """An answer whose body has not been read yet."""

    status: int
    headers: Headers
    address: Address  # that answered, after redirects
    body: Reader = field(repr=False)
    length: int | None = None  # as stated
    on_close: Callable[[], None] = field(default=lambda: None, repr=False)

    def read_all(self, most: int, what: str) -> bytes:
        """The body, and close. Raises Exhausted (`transport.too-large`), Unavailable."""
        blocks: list[bytes] = []
        size = 0
        with self:
            if self.length is not None and self.length > most:
                raise _too_large(what, most)
            while block := self.body.read(min(1 << 20, most + 1 - size)):
                blocks.append(block)
                size += len(block)
                if size > most:
                    raise _too_large(what, most)
        return b"".join(blocks)

    def close(self) -> None:
        """Nothing more is read."""
        self.on_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Client(Protocol):
    """The port: asks, and brings the answer or says why there is none."""

    def send(self, request: Request) -> Response:
        """The answer, after credentials, redirects and repeated tries.

        2xx and the refusals in `give` are answers, and so is every 4xx that says something about what was
        asked for (404, 405, 416 …). Raises Unavailable for all that is none: unreachable, `fetch.unauthorized`,
        `fetch.forbidden`, `fetch.throttled`, `fetch.server-error`, `fetch.offline`, `transport.*`.
        """


class Wire(Protocol):
    """The port below: one request to one origin, no redirects, no repeats, no credentials of its own."""

    def exchange(self, request: Request, address: Address, headers: Headers) -> Response:
        """Send, and read the answer's head. Raises Unavailable (`fetch.*`)."""

    def close(self) -> None:
        """Connections that are kept are let go."""


def _too_large(what: str, most: int) -> Exhausted:
    return Exhausted(f"{what}: longer than {most} bytes", check="transport.too-large")
