"""The machine's own zlib as an encoder: for tests that need deflated archives, not the reference bytes."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verify.archive.encoder import Compressor


class Native:
    """Raw deflate at level 6."""

    def compressobj(self) -> Compressor:
        return zlib.compressobj(6, zlib.DEFLATED, -15, 8)


NATIVE = Native()
