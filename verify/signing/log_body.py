"""What a transparency log recorded, and whether it is this signature.

| entry               | is about                         | names the signature  | names the signer         |
|---------------------|----------------------------------|----------------------|--------------------------|
| hashedrekord 0.0.1  | a digest of what was signed      | bytes                | PEM                      |
| hashedrekord 0.0.2  | the same                         | bytes                | DER                      |
| dsse 0.0.1          | a digest of the payload          | bytes, one           | PEM                      |
| dsse 0.0.2          | the same                         | bytes, one           | DER                      |
| intoto 0.0.2        | the same                         | its base64, one      | PEM                      |

All three are compared with the bundle: an entry about other bytes, with another signature or by another signer is
the entry of something else (`log.other-entry`). What was signed is the artifact, or an envelope's encoding; the
payload is the envelope's. A signer is a certificate, or its bare public key.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

from verify.errors import Malformed, Refuted, Undecidable
from verify.limits import DEFAULT
from verify.signing.document import decode, encode, parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.signing.bundle import LogEntry
    from verify.signing.document import Fields

_ALGORITHMS = {"sha256": "sha256", "sha384": "sha384", "sha512": "sha512",
               "SHA2_256": "sha256", "SHA2_384": "sha384", "SHA2_512": "sha512"}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """What an entry must be about."""

    hashed: Callable[
        [str], bytes
    ]  # the digest of what was signed, by algorithm; Undecidable where it cannot be had
    payload: bytes | None  # of an envelope
    signature: bytes
    leaf: x509.Certificate


def check_kind(entry: LogEntry) -> None:
    """What the log recorded is of the kind that the bundle says, and known.

    Raises Refuted (`log.other-entry`), Malformed (`log.malformed`), Undecidable (`log.unknown-kind`).
    """
    top = _top(entry)
    if (top.text("kind"), top.text("apiVersion")) != (entry.kind, entry.version):
        raise _other("it is of another kind than the bundle says")
    if (entry.kind, entry.version) not in _READERS:
        raise Undecidable(
            f"log entry: kind {entry.kind} {entry.version} is not known",
            check="log.unknown-kind",
            hint="known are hashedrekord and dsse 0.0.1 and 0.0.2, and intoto 0.0.2",
        )


def check_body(entry: LogEntry, signed: Signed) -> None:
    """Once the kind is checked. Raises Refuted (`log.other-entry`), Malformed, Undecidable."""
    _READERS[entry.kind, entry.version](_top(entry).child("spec"), signed)


def _top(entry: LogEntry) -> Fields:
    return parse(entry.body, room="log", most=DEFAULT.bundle_bytes)


def _hashedrekord_1(spec: Fields, signed: Signed) -> None:
    digest = spec.child("data").child("hash")
    _same_digest(digest.text("algorithm"), _hex(digest, "value"), signed.hashed)
    signature = spec.child("signature")
    _same_signature((signature.blob("content"),), signed)
    _same_signer_pem(signature.child("publicKey").blob("content"), signed)


def _hashedrekord_2(spec: Fields, signed: Signed) -> None:
    inner = spec.child("hashedRekordV002")
    digest = inner.child("data")
    _same_digest(digest.text("algorithm"), digest.blob("digest"), signed.hashed)
    signature = inner.child("signature")
    _same_signature((signature.blob("content"),), signed)
    _same_signer_raw(signature.child("verifier"), signed)


def _dsse_1(spec: Fields, signed: Signed) -> None:
    digest = spec.child("payloadHash")
    _same_digest(digest.text("algorithm"), _hex(digest, "value"), _payload(signed))
    signatures = spec.children("signatures", DEFAULT.bundle_entries)
    _same_signature(tuple(each.blob("signature") for each in signatures), signed)
    _same_signer_pem(signatures[0].blob("verifier"), signed)


def _dsse_2(spec: Fields, signed: Signed) -> None:
    inner = spec.child("dsseV002")
    digest = inner.child("payloadHash")
    _same_digest(digest.text("algorithm"), digest.blob("digest"), _payload(signed))
    signatures = inner.children("signatures", DEFAULT.bundle_entries)
    _same_signature(tuple(each.blob("content") for each in signatures), signed)
    _same_signer_raw(signatures[0].child("verifier"), signed)


def _intoto_2(spec: Fields, signed: Signed) -> None:
    content = spec.child("content")
    digest = content.child("payloadHash")
    _same_digest(digest.text("algorithm"), _hex(digest, "value"), _payload(signed))
    signatures = content.child("envelope").children("signatures", DEFAULT.bundle_entries)
    _same_signature(tuple(_once_or_twice(each, signed) for each in signatures), signed)
    _same_signer_pem(signatures[0].blob("publicKey"), signed)


_READERS: dict[tuple[str, str], Callable[[Fields, Signed], None]] = {
    ("hashedrekord", "0.0.1"): _hashedrekord_1,
    ("hashedrekord", "0.0.2"): _hashedrekord_2,
    ("dsse", "0.0.1"): _dsse_1,
    ("dsse", "0.0.2"): _dsse_2,
    ("intoto", "0.0.2"): _intoto_2,
}


def _payload(signed: Signed) -> Callable[[str], bytes]:
    payload = signed.payload
    if payload is None:
        raise _other("it is about an envelope, and the bundle holds none")
    return lambda algorithm: hashlib.new(algorithm, payload).digest()


def _same_digest(name: str, digest: bytes, wanted: Callable[[str], bytes]) -> None:
    algorithm = _ALGORITHMS.get(name)
    if algorithm is None:
        raise Undecidable(f"log entry: digest algorithm {name!r} is not known", check="log.unknown-kind")
    if wanted(algorithm) != digest:
        raise _other("it is about other bytes")


def _same_signature(found: tuple[bytes, ...], signed: Signed) -> None:
    if found != (signed.signature,):
        raise _other("it records another signature")


def _same_signer_pem(pem: bytes, signed: Signed) -> None:
    leaf = signed.leaf.public_bytes(Encoding.DER)
    try:
        if b"BEGIN PUBLIC KEY" in pem:
            key = load_pem_public_key(pem).public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
            same = key == _spki(signed.leaf)
        else:
            same = x509.load_pem_x509_certificate(pem).public_bytes(Encoding.DER) == leaf
    except ValueError as error:
        raise Malformed("log entry: its signer cannot be read", check="log.malformed") from error
    if not same:
        raise _other("it names another signer")


def _same_signer_raw(verifier: Fields, signed: Signed) -> None:
    certificate = verifier.get("x509Certificate") is not None
    found = verifier.child("x509Certificate" if certificate else "publicKey").blob("rawBytes")
    if found != (signed.leaf.public_bytes(Encoding.DER) if certificate else _spki(signed.leaf)):
        raise _other("it names another signer")


def _once_or_twice(fields: Fields, signed: Signed) -> bytes:
    """An envelope's signature is base64 already, and this kind of entry encodes it once more, mostly."""
    once = fields.blob("sig")
    if once == encode(signed.signature).encode("ascii"):
        return decode(once.decode("ascii"), fields.place, fields.room)
    return once


def _hex(fields: Fields, key: str) -> bytes:
    try:
        return bytes.fromhex(fields.text(key))
    except ValueError as error:
        raise fields.refuse("expected hexadecimal digits", key) from error


def _spki(certificate: x509.Certificate) -> bytes:
    return certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _other(message: str) -> Refuted:
    return Refuted(f"log entry: {message}", check="log.other-entry")
