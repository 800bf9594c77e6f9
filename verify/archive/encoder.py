"""What the writer asks of a deflate encoder, in the shape of zlib's own objects.

`deflate/1` fixes the bytes, not the program: whoever implements this port must give exactly what the reference
encoder gives. `verify.archive.deflate` has the ones that do.
"""

from __future__ import annotations

from typing import Protocol


class Compressor(Protocol):
    """One raw deflate stream in the making."""

    def compress(self, data: bytes, /) -> bytes:
        """Take more input; gives whatever output is ready."""

    def flush(self) -> bytes:
        """End the stream; gives the rest of the output."""


class Encoder(Protocol):
    """Makes a compressor for each file."""

    def compressobj(self) -> Compressor:
        """A fresh stream."""
