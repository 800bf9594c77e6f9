"""Keys in memory: which ones we know, how each signs, and what a key is called.

| algorithm  | we sign             | we read also    | not read                        |
|------------|---------------------|-----------------|---------------------------------|
| ecdsa-p256 | ECDSA, SHA-256, DER |                 |                                 |
| ed25519    | Ed25519             |                 | Ed25519ph, its prehashed form   |
| ecdsa-p384 | ECDSA, SHA-256, DER | SHA-384         |                                 |
| rsa        | never               | PKCS#1 v1.5, PSS with SHA-256       |             |

With P-384 the hash is SHA-256 because that is what clients check for a bare key of any curve; SHA-384 is read, since
who can make such a signature has the key. RSA keys have 2048 to 8192 bits.

A key's id is the padded base64 of the SHA-256 of its DER SubjectPublicKeyInfo, as Sigstore clients hint at keys.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Self, TypeAlias

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from cryptography.hazmat.primitives.hashes import SHA256, SHA384, HashAlgorithm
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_der_public_key,
)

from verify.errors import Malformed, Misused, Refuted, Undecidable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PublicRaw: TypeAlias = "ec.EllipticCurvePublicKey | ed25519.Ed25519PublicKey | rsa.RSAPublicKey"
PrivateRaw: TypeAlias = "ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey"


class Algorithm(StrEnum):
    """A kind of key; each signs in one way."""

    P256 = "ecdsa-p256"
    P384 = "ecdsa-p384"
    ED25519 = "ed25519"
    RSA = "rsa"


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key that checks signatures. Two are equal when their DER is."""

    spki: bytes
    algorithm: Algorithm
    _raw: PublicRaw = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: object) -> Self:
        """From cryptography's own type. Raises Malformed (`key.unsupported`)."""
        if not isinstance(raw, ec.EllipticCurvePublicKey | ed25519.Ed25519PublicKey | rsa.RSAPublicKey):
            raise _unsupported(type(raw).__name__)
        spki = raw.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return cls(spki, _algorithm(raw), raw)

    @classmethod
    def from_spki(cls, der: bytes) -> Self:
        """From DER SubjectPublicKeyInfo. Raises Malformed."""
        try:
            raw = load_der_public_key(der)
        except Exception as error:  # the library raises several kinds, and more with every release
            raise Malformed("public key: not a SubjectPublicKeyInfo", check="key.malformed") from error
        return cls.of(raw)

    @property
    def key_id(self) -> str:
        """What bundles hint at it with."""
        return base64.b64encode(hashlib.sha256(self.spki).digest()).decode("ascii")

    @property
    def pem(self) -> bytes:
        """As a file."""
        return self._raw.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    def check_signature(self, signature: bytes, data: bytes) -> None:
        """Raises Refuted (`signature.invalid`)."""
        if isinstance(self._raw, ed25519.Ed25519PublicKey):
            self._check(signature, data, ())
            return
        hashes: Sequence[HashAlgorithm] = (
            (SHA256(), SHA384()) if self.algorithm is Algorithm.P384 else (SHA256(),)
        )
        self._check(signature, data, hashes)

    def check_hashed(self, signature: bytes, sha256: bytes) -> None:
        """The same where only the SHA-256 of the bytes is at hand. Raises Refuted, and Undecidable for Ed25519."""
        if isinstance(self._raw, ed25519.Ed25519PublicKey):
            raise Undecidable(f"an {self.algorithm} signature needs the bytes", check="signature.needs-bytes")
        self._check(signature, sha256, (Prehashed(SHA256()),))

    def _check(self, signature: bytes, data: bytes, hashes: Sequence[HashAlgorithm | Prehashed]) -> None:
        for attempt in self._attempts(signature, data, hashes):
            try:
                return attempt()
            except InvalidSignature:
                continue
        raise Refuted(f"signature: not by key {self.key_id} over these bytes", check="signature.invalid")

    def _attempts(
        self, signature: bytes, data: bytes, hashes: Sequence[HashAlgorithm | Prehashed]
    ) -> list[Callable[[], None]]:
        raw = self._raw
        if isinstance(raw, ed25519.Ed25519PublicKey):
            return [partial(raw.verify, signature, data)]
        if isinstance(raw, ec.EllipticCurvePublicKey):
            return [partial(raw.verify, signature, data, ec.ECDSA(each)) for each in hashes]
        schemes = (padding.PKCS1v15(), padding.PSS(padding.MGF1(SHA256()), padding.PSS.AUTO))
        return [partial(raw.verify, signature, data, scheme, hashes[0]) for scheme in schemes]


@dataclass(frozen=True, slots=True)
class PrivateKey:
    """A key that signs. It never shows itself."""

    public_key: PublicKey
    _raw: PrivateRaw = field(repr=False, compare=False)

    @classmethod
    def generate(cls, algorithm: Algorithm) -> Self:
        """A new one. Raises Misused for RSA, which is only read."""
        if algorithm is Algorithm.ED25519:
            return cls.of(ed25519.Ed25519PrivateKey.generate())
        if algorithm is Algorithm.RSA:
            raise Misused("rsa keys are read, not made", hint="modseal key generate --type ecdsa-p256")
        curve = ec.SECP256R1() if algorithm is Algorithm.P256 else ec.SECP384R1()
        return cls.of(ec.generate_private_key(curve))

    @classmethod
    def of(cls, raw: object) -> Self:
        """From cryptography's own type. Raises Malformed (`key.unsupported`)."""
        if isinstance(raw, rsa.RSAPrivateKey):
            raise Misused(
                "rsa keys are read, not signed with", check="key.unsupported", hint="modseal key generate"
            )
        if not isinstance(raw, ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey):
            raise _unsupported(type(raw).__name__)
        return cls(PublicKey.of(raw.public_key()), raw)

    @property
    def pkcs8(self) -> bytes:
        """The DER of the bare key: for encryption, and for files that their owner wants unencrypted."""
        return self._raw.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())

    def sign_bytes(self, data: bytes) -> bytes:
        """In the key's own scheme."""
        if isinstance(self._raw, ed25519.Ed25519PrivateKey):
            return self._raw.sign(data)
        return self._raw.sign(data, ec.ECDSA(SHA256()))


def _algorithm(raw: PublicRaw) -> Algorithm:
    if isinstance(raw, ed25519.Ed25519PublicKey):
        return Algorithm.ED25519
    if isinstance(raw, rsa.RSAPublicKey):
        if not 2048 <= raw.key_size <= 8192:
            raise _unsupported(f"rsa with {raw.key_size} bits")
        return Algorithm.RSA
    curves = {"secp256r1": Algorithm.P256, "secp384r1": Algorithm.P384}
    if raw.curve.name not in curves:
        raise _unsupported(raw.curve.name)
    return curves[raw.curve.name]


def _unsupported(what: str) -> Malformed:
    return Malformed(
        f"key: expected ecdsa-p256, ecdsa-p384, ed25519 or rsa with 2048 to 8192 bits, got {what}",
        check="key.unsupported",
    )
