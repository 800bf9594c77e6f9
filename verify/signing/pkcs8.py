"""Encrypted PKCS#8 as we write it: PBES2 with PBKDF2-HMAC-SHA-256 and AES-256-CBC.

`cryptography` can write this form too, but with a count of 2048, which nobody can change. Ours is 600,000, so a
stolen file costs a guesser 300 times as much. Any tool that reads PBES2 reads it; reading is left to the library.

    EncryptedPrivateKeyInfo ::= SEQUENCE { SEQUENCE { pbes2, SEQUENCE { SEQUENCE { pbkdf2, SEQUENCE { salt,
      count, SEQUENCE { hmacWithSHA256, NULL } } }, SEQUENCE { aes256-CBC, iv } } }, OCTET STRING }
"""

from __future__ import annotations

import base64
import hashlib
import textwrap
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES256
from cryptography.hazmat.primitives.ciphers.modes import CBC
from cryptography.hazmat.primitives.padding import PKCS7

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 600_000
_PBES2 = bytes.fromhex("06092a864886f70d01050d")
_PBKDF2 = bytes.fromhex("06092a864886f70d01050c")
_HMAC_SHA256 = bytes.fromhex("06082a864886f70d0209")
_AES256_CBC = bytes.fromhex("060960864801650304012a")
_NULL = b"\x05\x00"


def encrypt_pkcs8(
    der: bytes, passphrase: bytes, *, randomness: Callable[[int], bytes], rounds: int = ROUNDS
) -> bytes:
    """The PEM file of an encrypted key."""
    salt, iv = randomness(16), randomness(16)
    key = hashlib.pbkdf2_hmac("sha256", passphrase, salt, rounds, 32)
    pad, cipher = PKCS7(128).padder(), Cipher(AES256(key), CBC(iv)).encryptor()
    secret = cipher.update(pad.update(der) + pad.finalize()) + cipher.finalize()
    count = rounds.to_bytes(rounds.bit_length() // 8 + 1, "big")
    prf = _sequence(_HMAC_SHA256, _NULL)
    derivation = _sequence(_PBKDF2, _sequence(_tlv(0x04, salt), _tlv(0x02, count), prf))
    scheme = _sequence(_PBES2, _sequence(derivation, _sequence(_AES256_CBC, _tlv(0x04, iv))))
    return armour("ENCRYPTED PRIVATE KEY", _sequence(scheme, _tlv(0x04, secret)))


def armour(label: str, der: bytes) -> bytes:
    """PEM."""
    body = "\n".join(textwrap.wrap(base64.b64encode(der).decode("ascii"), 64))
    return f"-----BEGIN {label}-----\n{body}\n-----END {label}-----\n".encode("ascii")


def _sequence(*parts: bytes) -> bytes:
    return _tlv(0x30, b"".join(parts))


def _tlv(tag: int, value: bytes) -> bytes:
    size = len(value)
    if size < 0x80:
        return bytes((tag, size)) + value
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(length))) + length + value
