r"""Bits into bytes: the first bit of a stream is the lowest bit of its first byte.

Bits are gathered as strings of `0` and `1` that read from the *last* bit to the first, as a number is
written. Python turns one long string of binary digits into bytes much faster than it shifts small numbers.

>>> sink = BitSink()
>>> sink.number(1, 1)
>>> sink.number(1, 2)
>>> sink.align()
>>> sink.take()
b'\x03'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class BitSink:
    """Takes bits in the order of the stream, gives whole bytes."""

    __slots__ = ("_held", "_out", "_waiting")

    def __init__(self) -> None:
        self._held: list[str] = []  # strings not yet packed, first of the stream first
        self._out = bytearray()
        self._waiting = 0  # bits in _held

    def number(self, value: int, width: int) -> None:
        """`width` bits of a number, lowest first."""
        if width:
            self.strings((f"{value:0{width}b}",))

    def strings(self, strings: Iterable[str]) -> None:
        """Bits already written out, each string from its last bit to its first."""
        before = len(self._held)
        self._held.extend(strings)
        self._waiting += sum(map(len, self._held[before:]))

    def align(self) -> None:
        """Zero bits up to the next whole byte."""
        self.number(0, -self._waiting % 8)
        self._pack()

    def raw(self, data: bytes) -> None:
        """Whole bytes; the sink must be aligned."""
        self._pack()
        self._out += data

    def take(self) -> bytes:
        """All whole bytes so far; they leave the sink."""
        self._pack()
        out = bytes(self._out)
        self._out.clear()
        return out

    def _pack(self) -> None:
        whole, left = divmod(self._waiting, 8)
        if not whole:
            return
        bits = "".join(reversed(self._held))
        self._held = [bits[:left]] if left else []
        self._waiting = left
        self._out += int(bits[left:], 2).to_bytes(whole, "little")
