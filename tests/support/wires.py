"""A Wire that answers from a script and remembers what it was sent, and a clock that only moves when told."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from verify.transport.clock import Clock
from verify.transport.message import Headers, Request, Response

if TYPE_CHECKING:
    from verify.transport.address import Address
    from verify.transport.credentials import Credential

Script = Callable[["Sent"], Response | Exception]


@dataclass(frozen=True)
class Sent:
    method: str
    address: Address
    headers: Headers
    body: bytes

    @property
    def url(self) -> str:
        return f"{self.address.origin}{self.address.target}"

    @property
    def authorization(self) -> str | None:
        return self.headers.get("authorization")


@dataclass
class ScriptedWire:
    script: Script
    sent: list[Sent] = field(default_factory=list)

    def exchange(self, request: Request, address: Address, headers: Headers) -> Response:
        body = b"" if request.body is None else request.body().read(-1)
        self.sent.append(Sent(request.method, address, headers, body))
        made = self.script(self.sent[-1])
        if isinstance(made, Exception):
            raise made
        made.address = address
        return made

    def close(self) -> None:
        pass


def reply(status: int = 200, body: bytes = b"", *pairs: tuple[str, str]) -> Response:
    from verify.transport.address import Address

    return Response(
        status=status,
        headers=Headers.of(pairs),
        address=Address.parse("http://unset.invalid/"),
        body=io.BytesIO(body),
        length=len(body),
    )


def in_turn(*made: Response | Exception) -> Script:
    rest = iter(made)
    return lambda _: next(rest)


@dataclass
class FakeTime:
    now: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def clock(self, chance: float = 0.0) -> Clock:
        return Clock(
            monotonic=lambda: self.now, wall=lambda: self.now, sleep=self.sleep, chance=lambda: chance
        )


@dataclass
class FakeKeys:
    held: dict[str, Credential] = field(default_factory=dict)

    def find(self, account: str) -> Credential | None:
        return self.held.get(account.partition("/")[0])
