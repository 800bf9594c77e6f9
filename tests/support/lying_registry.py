"""A registry on loopback that tells one lie at a time, and a stranger beside it who notes what he is told.

A lie is a function of what is asked: it returns a Reply, or None where this question is answered honestly.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.support.registry import Ask, Registry, Reply, header_bytes

if TYPE_CHECKING:
    import socket
    import threading

Lie = Callable[[Ask], Reply | None]


@dataclass
class LyingRegistry(Registry):
    lie: Lie | None = None

    def answer(self, ask: Ask) -> Reply:
        told = None if self.lie is None else self.lie(ask)
        if told is None:
            return super().answer(ask)
        with self.lock:
            self.asked.append(ask)
        return told


@dataclass
class Stranger:
    """Another origin: answers everything in the same way and remembers it."""

    reply: Reply = field(default_factory=Reply)
    base: str = ""
    asked: list[Ask] = field(default_factory=list)

    def answer(self, ask: Ask) -> Reply:
        self.asked.append(ask)
        return self.reply

    @property
    def told(self) -> list[str]:
        """Every credential that came here."""
        return [
            value
            for ask in self.asked
            for name, value in ask.headers.items()
            if name in {"authorization", "cookie", "proxy-authorization"}
        ] + [ask.body.decode("latin-1") for ask in self.asked if ask.body]


def when(method: str, pattern: str, reply: Reply) -> Lie:
    """One lie for what matches; the rest is honest."""

    def lie(ask: Ask) -> Reply | None:
        return reply if ask.method == method and re.search(pattern, ask.path) else None

    return lie


def by_hand(*parts: bytes) -> Reply:
    """Bytes as they stand, then the connection ends."""

    def raw(connection: socket.socket) -> None:
        for part in parts:
            connection.sendall(part)

    return Reply(raw=raw)


def endless(head: bytes, block: bytes, done: threading.Event) -> Reply:
    """A head, and blocks until nobody listens or the test is over."""

    def raw(connection: socket.socket) -> None:
        connection.settimeout(5)
        connection.sendall(head)
        while not done.is_set():
            connection.sendall(block)

    return Reply(raw=raw)


def dripping(head: bytes, done: threading.Event, pause: float = 0.05) -> Reply:
    """A byte at a time, never silent for long."""

    def raw(connection: socket.socket) -> None:
        connection.settimeout(5)
        connection.sendall(head)
        until = time.monotonic() + 20
        while not done.wait(pause) and time.monotonic() < until:
            connection.sendall(b"x")

    return Reply(raw=raw)


def head(status: int = 200, **headers: str) -> bytes:
    """An answer's head with underscores for dashes."""
    return header_bytes(status, [(name.replace("_", "-"), value) for name, value in headers.items()])
