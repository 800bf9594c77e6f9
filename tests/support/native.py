"""The machine's own zlib as an encoder: for tests that need deflated archives, not the reference bytes."""

from __future__ import annotations

from dataclasses import replace

from verify.archive.deflate import Encoder, native

NATIVE = Encoder("native", slow=False, make=native)
SLOW = replace(NATIVE, slow=True)
