"""Opening a NaCl secretbox, in which cosign keeps private keys. `cryptography` has Poly1305 but no XSalsa20.

A box is a Poly1305 tag of 16 bytes, then the ciphertext.

1. The subkey is HSalsa20 of the key and the nonce's first 16 bytes: the 20 rounds without the final addition,
   of which words 0, 5, 10, 15, 6, 7, 8 and 9 are kept.
2. The stream is Salsa20 of the subkey, the nonce's last 8 bytes and a counter of 64 bits from 0.
3. Its first 32 bytes are the key of the tag, which is checked before anything is decrypted; the plaintext is the
   ciphertext xor the stream from byte 32 on.

It runs over a few hundred bytes of a key file, on its owner's machine, where timing tells nobody anything.
"""

from __future__ import annotations

import struct

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.poly1305 import Poly1305

from verify.errors import Refuted

_TAG = 16
_WORD = 0xFFFFFFFF
_CONSTANT = struct.unpack("<4I", b"expand 32-byte k")
_QUARTERS = (
    (0, 4, 8, 12),
    (5, 9, 13, 1),
    (10, 14, 2, 6),
    (15, 3, 7, 11),
    (0, 1, 2, 3),
    (5, 6, 7, 4),
    (10, 11, 8, 9),
    (15, 12, 13, 14),
)


def open_secretbox(key: bytes, nonce: bytes, box: bytes) -> bytes:
    """The plaintext. Raises Refuted when the key, the nonce or the box is another."""
    if len(key) != 32 or len(nonce) != 24 or len(box) < _TAG:
        raise Refuted("secretbox: wrong lengths")
    subkey = _hsalsa20(key, nonce[:16])
    tag, ciphertext = box[:_TAG], box[_TAG:]
    stream = _stream(subkey, nonce[16:], 32 + len(ciphertext))
    try:
        Poly1305.verify_tag(stream[:32], ciphertext, tag)
    except InvalidSignature as error:
        raise Refuted("secretbox: the tag does not fit") from error
    return bytes(a ^ b for a, b in zip(ciphertext, stream[32:], strict=True))


def _hsalsa20(key: bytes, head: bytes) -> bytes:
    words = _rounds(_state(key, head))
    return struct.pack("<8I", *(words[place] for place in (0, 5, 10, 15, 6, 7, 8, 9)))


def _stream(key: bytes, nonce: bytes, length: int) -> bytes:
    blocks = []
    for counter in range(-(-length // 64)):
        state = _state(key, nonce + struct.pack("<Q", counter))
        mixed = _rounds(state)
        blocks.append(struct.pack("<16I", *((a + b) & _WORD for a, b in zip(mixed, state, strict=True))))
    return b"".join(blocks)[:length]


def _state(key: bytes, middle: bytes) -> list[int]:
    k, n = struct.unpack("<8I", key), struct.unpack("<4I", middle)
    c = _CONSTANT
    return [c[0], *k[:4], c[1], *n, c[2], *k[4:], c[3]]


def _rounds(state: list[int]) -> list[int]:
    x = list(state)
    for _ in range(10):
        for a, b, c, d in _QUARTERS:
            x[b] ^= _turn(x[a] + x[d], 7)
            x[c] ^= _turn(x[b] + x[a], 9)
            x[d] ^= _turn(x[c] + x[b], 13)
            x[a] ^= _turn(x[d] + x[c], 18)
    return x


def _turn(word: int, by: int) -> int:
    word &= _WORD
    return ((word << by) | (word >> (32 - by))) & _WORD
