"""The port through which bytes are signed: a key in memory, a program that holds one, later a keyless signer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from verify.signing.keys import PublicKey


class Signer(Protocol):
    """Something that signs with one key."""

    @property
    def public_key(self) -> PublicKey:
        """The key its signatures are checked with. Raises Unavailable when a program does not answer."""

    def sign_bytes(self, data: bytes) -> bytes:
        """A signature over these bytes, in the key's own scheme. Raises Unavailable, Refuted."""
