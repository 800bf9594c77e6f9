"""RFC 3161 timestamps: an authority's word that bytes existed at a moment.

A TimeStampResp holds a CMS SignedData over a TSTInfo. It is believed when

1. the answer was granted, and it is about the bytes at hand: their digest is the message imprint;
2. it has one signer, whose signed attributes name the content's type, its digest and the signer's certificate;
3. that certificate is the one the trust root names, or, where the root names only its issuers, one that came
   along and has a path to them; its only purpose, marked critical, is timestamping, at the moment stated;
4. the authority was trusted at the moment stated, both ends of its period included;
5. the signature over the signed attributes is by that certificate's key.

An authority that the root does not name is one more stranger: Undecidable (`timestamp.unknown-authority`).
Everything else that does not hold is Refuted (`timestamp.invalid`).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID

from verify.errors import Malformed, Refuted, Undecidable
from verify.signing import der
from verify.signing.chain import find_path

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from verify.signing.trust import Authority, TrustRoot

_SIGNED_DATA, _TST_INFO = "1.2.840.113549.1.7.2", "1.2.840.113549.1.9.16.1.4"
_CONTENT_TYPE, _MESSAGE_DIGEST = "1.2.840.113549.1.9.3", "1.2.840.113549.1.9.4"
_CERTIFICATE_V1, _CERTIFICATE_V2 = "1.2.840.113549.1.9.16.2.12", "1.2.840.113549.1.9.16.2.47"
_SHA2 = "2.16.840.1.101.3.4.2."
_DIGESTS: Mapping[str, str] = {f"{_SHA2}1": "sha256", f"{_SHA2}2": "sha384", f"{_SHA2}3": "sha512"}
_HASHES: Mapping[str, type[hashes.HashAlgorithm]] = {
    "sha256": hashes.SHA256, "sha384": hashes.SHA384, "sha512": hashes.SHA512,
}  # fmt: skip
# signature algorithm -> the digest it implies; empty: the signer's own digest algorithm
_SIGNATURES: Mapping[str, str] = {
    "1.2.840.10045.4.3.2": "sha256", "1.2.840.10045.4.3.3": "sha384", "1.2.840.10045.4.3.4": "sha512",
    "1.2.840.113549.1.1.11": "sha256", "1.2.840.113549.1.1.12": "sha384", "1.2.840.113549.1.1.13": "sha512",
    "1.2.840.113549.1.1.1": "", "1.2.840.10045.2.1": "", "1.3.101.112": "",
}  # fmt: skip
_TIME_STAMPING = ExtendedKeyUsageOID.TIME_STAMPING
_MOST = 16  # certificates in one timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Timestamp:
    """What a timestamp says, unproved."""

    moment: datetime
    algorithm: str
    imprint: bytes
    content: bytes  # the DER of the TSTInfo
    certificates: tuple[x509.Certificate, ...]
    signer: Signer


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """The one SignerInfo."""

    identifier: tuple[bytes, int] | bytes  # issuer and serial, or a key identifier
    algorithm: str
    scheme: str
    signed: bytes  # the DER of the signed attributes, as a SET
    attributes: Mapping[str, bytes]  # type -> its one value's element
    signature: bytes


def check_timestamp(data: bytes, over: bytes, root: TrustRoot) -> datetime:
    """The proved moment. Raises Malformed, Refuted, Undecidable."""
    stamp = parse_timestamp(data)
    if hashlib.new(stamp.algorithm, over).digest() != stamp.imprint:
        raise _refused("it is about other bytes than this signature")
    _check_attributes(stamp)
    refusal: Refuted | None = None
    for authority in root.timestamp_authorities:
        try:
            certificate = _certificate(stamp, authority)
            if certificate is None:
                continue
            _check_by(stamp, certificate, authority)
        except Refuted as error:
            refusal = refusal or error
            continue
        return stamp.moment
    raise refusal or Undecidable(
        "timestamp: by an authority that the trust root does not name",
        check="timestamp.unknown-authority",
        hint="get the trust root of the instance that signed",
    )


def parse_timestamp(data: bytes) -> Timestamp:
    """A TimeStampResp. Raises Malformed (`timestamp.malformed`), Refuted where it was not granted."""
    try:
        return _response(data)
    except (ValueError, x509.DuplicateExtension) as error:
        raise _malformed("cannot be read") from error


def _response(data: bytes) -> Timestamp:
    outer = der.Reader(data)
    response = outer.inner()
    outer.end()
    if response.inner().integer() not in {0, 1}:
        raise _refused("the authority did not grant it")
    token = response.inner()
    response.end()
    _expect(token.take(der.OID), _SIGNED_DATA)
    signed = token.inner(der.context(0)).inner()
    signed.integer()
    signed.take(der.SET)
    capsule = signed.inner()
    _expect(capsule.take(der.OID), _TST_INFO)
    content = capsule.inner(der.context(0)).take(der.OCTETS)
    certificates = signed.optional(der.context(0))
    signed.optional(der.context(1))
    infos = signed.inner(der.SET)
    signed.end()
    signer = _signer(infos.inner())
    infos.end()
    moment, algorithm, imprint = _info(content)
    return Timestamp(
        moment=moment,
        algorithm=algorithm,
        imprint=imprint,
        content=content,
        certificates=_certificates(certificates or b""),
        signer=signer,
    )


def _info(content: bytes) -> tuple[datetime, str, bytes]:
    outer = der.Reader(content)
    info = outer.inner()
    outer.end()
    if info.integer() != 1:
        raise _malformed("expected version 1")
    info.take(der.OID)
    imprint = info.inner()
    algorithm = _digest(imprint.inner())
    digest = imprint.take(der.OCTETS)
    info.integer()
    return der.generalized_time(info.take(der.GENERALIZED_TIME)), algorithm, digest


def _signer(info: der.Reader) -> Signer:
    info.integer()
    tag, body, _ = info.element()
    algorithm = _digest(info.inner())
    if info.next_tag() != der.context(0):
        raise _malformed("expected signed attributes")
    _, attributes, _ = info.element()
    scheme = der.oid(info.inner().take(der.OID))
    signature = info.take(der.OCTETS)
    return Signer(
        identifier=_issuer_and_serial(body) if tag == der.SEQUENCE else body,
        algorithm=algorithm,
        scheme=scheme,
        # RFC 5652 5.4: what is signed carries the tag of a SET, not the field's
        signed=bytes([der.SET]) + _length(len(attributes)) + attributes,
        attributes=_attributes(attributes),
        signature=signature,
    )


def _issuer_and_serial(body: bytes) -> tuple[bytes, int]:
    reader = der.Reader(body)
    _, _, issuer = reader.element()
    serial = reader.integer()
    reader.end()
    return issuer, serial


def _attributes(content: bytes) -> dict[str, bytes]:
    reader, found = der.Reader(content), dict[str, bytes]()
    while reader.next_tag() is not None:
        attribute = reader.inner()
        name = der.oid(attribute.take(der.OID))
        values = attribute.inner(der.SET)
        _, _, value = values.element()
        values.end()
        if name in found:
            raise _malformed("a signed attribute stands twice")
        found[name] = value
    return found


def _certificates(content: bytes) -> tuple[x509.Certificate, ...]:
    found: list[x509.Certificate] = []
    reader = der.Reader(content)
    while reader.next_tag() is not None:
        if len(found) == _MOST:
            raise _malformed(f"more than {_MOST} certificates")
        _, _, whole = reader.element()
        found.append(x509.load_der_x509_certificate(whole))
    return tuple(found)


def _check_attributes(stamp: Timestamp) -> None:
    """The signed attributes speak of this content."""
    signer = stamp.signer
    kind, digest = signer.attributes.get(_CONTENT_TYPE), signer.attributes.get(_MESSAGE_DIGEST)
    if kind is None or der.oid(der.Reader(kind).take(der.OID)) != _TST_INFO:
        raise _refused("its signed attributes name another type of content")
    if (
        digest is None
        or der.Reader(digest).take(der.OCTETS) != hashlib.new(signer.algorithm, stamp.content).digest()
    ):
        raise _refused("its signed attributes are about another content")


def _certificate(stamp: Timestamp, authority: Authority) -> x509.Certificate | None:
    """The signer's certificate: the root's own where it names one, else what came along."""
    named = [each for each in authority.chain if not _is_issuer(each)]
    candidates = named or [each for each in stamp.certificates if _may_be_of(each, authority)]
    found = [each for each in candidates if _identifies(stamp.signer.identifier, each)]
    return found[0] if found else None


def _may_be_of(certificate: x509.Certificate, authority: Authority) -> bool:
    return certificate.issuer in {each.subject for each in authority.chain}


def _check_by(stamp: Timestamp, certificate: x509.Certificate, authority: Authority) -> None:
    _check_named(stamp.signer, certificate)
    purposes = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage)
    if not purposes.critical or list(purposes.value) != [_TIME_STAMPING]:
        raise _refused("its certificate is not for timestamps alone")
    if not authority.period.holds(stamp.moment):
        raise Refuted(
            f"timestamp: made {stamp.moment:%Y-%m-%d %H:%M:%S}, and {authority.name} is trusted {authority.period}",
            check="timestamp.outside-validity",
        )
    try:
        find_path(certificate, authority, stamp.certificates, purpose=_TIME_STAMPING, at=stamp.moment)
    except Refuted as error:
        raise Refuted(f"timestamp: {error}", check="timestamp.certificate") from error
    _check_signature(stamp.signer, certificate)


def _check_named(signer: Signer, certificate: x509.Certificate) -> None:
    """RFC 3161 2.4.2: the signed attributes name the certificate, so that no other of the same key will do."""
    for name, default in ((_CERTIFICATE_V2, "sha256"), (_CERTIFICATE_V1, "sha1")):
        value = signer.attributes.get(name)
        if value is None:
            continue
        first = der.Reader(value).inner().inner().inner()
        algorithm = default
        if name == _CERTIFICATE_V2 and first.next_tag() == der.SEQUENCE:
            algorithm = _digest(first.inner())
        if first.take(der.OCTETS) != hashlib.new(algorithm, _der(certificate)).digest():
            raise _refused("its signed attributes name another certificate")
        return
    raise _refused("its signed attributes name no certificate")


def _check_signature(signer: Signer, certificate: x509.Certificate) -> None:
    implied = _SIGNATURES.get(signer.scheme)
    if implied is None:
        raise _refused(f"signature algorithm {signer.scheme} is not known")
    algorithm = _HASHES[implied or signer.algorithm]()
    key = certificate.public_key()
    try:
        if isinstance(key, ec.EllipticCurvePublicKey):
            key.verify(signer.signature, signer.signed, ec.ECDSA(algorithm))
        elif isinstance(key, rsa.RSAPublicKey):
            key.verify(signer.signature, signer.signed, padding.PKCS1v15(), algorithm)
        elif isinstance(key, ed25519.Ed25519PublicKey):
            key.verify(signer.signature, signer.signed)
        else:
            raise _refused("its certificate's kind of key is not known")
    except (InvalidSignature, UnsupportedAlgorithm) as error:
        raise _refused("its signature does not fit") from error


def _identifies(identifier: tuple[bytes, int] | bytes, certificate: x509.Certificate) -> bool:
    if isinstance(identifier, tuple):
        return identifier == (certificate.issuer.public_bytes(), certificate.serial_number)
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier)
    except x509.ExtensionNotFound:
        return False
    return found.value.digest == identifier


def _is_issuer(certificate: x509.Certificate) -> bool:
    try:
        return certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except x509.ExtensionNotFound:
        return False


def _digest(algorithm: der.Reader) -> str:
    name = der.oid(algorithm.take(der.OID))
    if name not in _DIGESTS:
        raise _malformed(f"digest algorithm {name} is not known")
    return _DIGESTS[name]


def _der(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.DER)


def _length(count: int) -> bytes:
    if count < 0x80:
        return bytes([count])
    digits = count.to_bytes((count.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(digits)]) + digits


def _expect(found: bytes, name: str) -> None:
    if der.oid(found) != name:
        raise _malformed(f"expected {name}, got {der.oid(found)}")


def _malformed(message: str) -> Malformed:
    return Malformed(f"timestamp: {message}", check="timestamp.malformed")


def _refused(message: str) -> Refuted:
    return Refuted(f"timestamp: {message}", check="timestamp.invalid")
