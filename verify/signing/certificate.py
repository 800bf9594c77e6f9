"""What a certificate says: its one name, its validity, and Fulcio's claims. Reading proves nothing.

Claims up to `…57264.1.6` are raw UTF-8, later ones a DER UTF8String; both spellings of the issuer must agree, or
there is none. Exactly one subject alternative name counts: an e-mail address, a URI, or Fulcio's own kind of name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cryptography import x509

from verify.errors import Malformed
from verify.signing.identity import CLAIMS, CertificateIdentity

if TYPE_CHECKING:
    from datetime import datetime

_RAW = frozenset(f"1.3.6.1.4.1.57264.1.{number}" for number in range(1, 7))
_OTHER_NAME = "1.3.6.1.4.1.57264.1.7"
_UTF8 = 0x0C


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateFacts:
    """Read, not proved."""

    identity: CertificateIdentity
    issued_by: str
    not_before: datetime
    not_after: datetime


def read_certificate(der: bytes) -> CertificateFacts:
    """Raises Malformed (`bundle.malformed`)."""
    try:
        certificate = x509.load_der_x509_certificate(der)
        claims = _claims(certificate)
        name = _name(certificate)
        issued_by = certificate.issuer.rfc4514_string()
    except (ValueError, x509.DuplicateExtension, x509.UnsupportedGeneralNameType) as error:
        raise Malformed("certificate: cannot be read", check="bundle.malformed") from error
    found = [value for each, value in claims if each in {"issuer", "issuer-v1"}]
    issuer = found[0] if len(set(found)) == 1 else None
    return CertificateFacts(
        identity=CertificateIdentity(name=name, issuer=issuer, claims=claims),
        issued_by=issued_by,
        not_before=certificate.not_valid_before_utc,
        not_after=certificate.not_valid_after_utc,
    )


def _claims(certificate: x509.Certificate) -> tuple[tuple[str, str], ...]:
    claims = []
    for extension in certificate.extensions:
        oid = extension.oid.dotted_string
        value = extension.value
        if oid not in CLAIMS or oid == _OTHER_NAME or not isinstance(value, x509.UnrecognizedExtension):
            continue
        raw = value.value if oid in _RAW else _utf8(value.value)
        claims.append((CLAIMS[oid][0], raw.decode("utf-8")))
    return tuple(sorted(claims))


def _name(certificate: x509.Certificate) -> str:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        names = x509.SubjectAlternativeName([])
    found = []
    for each in names:
        if isinstance(each, x509.RFC822Name | x509.UniformResourceIdentifier):
            found.append(each.value)
        elif isinstance(each, x509.OtherName) and each.type_id.dotted_string == _OTHER_NAME:
            found.append(_utf8(each.value).decode("utf-8"))
    if len(found) != 1 or len(list(names)) != 1:
        raise ValueError(f"expected one name, got {len(list(names))}")
    return found[0]


def _utf8(der: bytes) -> bytes:
    """The content of a DER UTF8String, and nothing behind it."""
    if len(der) < 2 or der[0] != _UTF8:
        raise ValueError("expected a UTF8String")
    length, start = der[1], 2
    if length >= 0x80:
        width = length & 0x7F
        start += width
        length = int.from_bytes(der[2:start], "big")
    if len(der) != start + length:
        raise ValueError("expected one UTF8String")
    return der[start:]
