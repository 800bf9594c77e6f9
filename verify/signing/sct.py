"""Proof that a certificate was shown to a certificate transparency log before it was used (RFC 6962).

One embedded signed certificate timestamp that holds is enough: by a log the root names, made while the root
trusted its key, over this certificate as its real issuer issued it. The issuer is the one in the path that was
proved, since a name can belong to two of them.
"""

from __future__ import annotations

import hashlib
import struct
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from verify.errors import Refuted, Undecidable
from verify.signing.trust import logs_with

if TYPE_CHECKING:
    from cryptography.x509.certificate_transparency import SignedCertificateTimestamp

    from verify.signing.trust import TrustRoot

_MOST = 16
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def check_logged(leaf: x509.Certificate, issuer: x509.Certificate, root: TrustRoot) -> None:
    """Raises Refuted (`sct.missing`, `sct.invalid`), Undecidable (`sct.unknown-log`)."""
    timestamps = _embedded(leaf)
    if not timestamps:
        raise Refuted(
            "certificate: carries no proof that it was logged",
            check="sct.missing",
            hint="--without-sct accepts it, for an authority that does not log its certificates",
        )
    known = 0
    for each in timestamps[:_MOST]:
        for log in logs_with(each.log_id, root.certificate_logs):
            known += 1
            made = each.timestamp.replace(tzinfo=UTC)
            if not log.period.holds(made):
                continue
            try:
                log.key.check_signature(each.signature, _signed(each, leaf, issuer))
            except Refuted:
                continue
            return
    if known:
        raise Refuted(
            "certificate: the proof that it was logged is not by the log it names", check="sct.invalid"
        )
    raise Undecidable(
        f"certificate: it was logged by {timestamps[0].log_id.hex()}, which the trust root does not name",
        check="sct.unknown-log",
        hint="get the trust root of the instance that signed",
    )


def _embedded(leaf: x509.Certificate) -> list[SignedCertificateTimestamp]:
    try:
        found = leaf.extensions.get_extension_for_class(x509.PrecertificateSignedCertificateTimestamps)
    except x509.ExtensionNotFound:
        return []
    except ValueError as error:
        raise Refuted(
            "certificate: the proof that it was logged cannot be read", check="sct.invalid"
        ) from error
    return list(found.value)


def _signed(sct: SignedCertificateTimestamp, leaf: x509.Certificate, issuer: x509.Certificate) -> bytes:
    """The digitally-signed structure of a precertificate entry."""
    spki = issuer.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    tbs = leaf.tbs_precertificate_bytes
    milliseconds = (sct.timestamp.replace(tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)
    return b"".join(
        (
            struct.pack(">BBQH", 0, 0, milliseconds, 1),
            hashlib.sha256(spki).digest(),
            len(tbs).to_bytes(3, "big"),
            tbs,
            struct.pack(">H", len(sct.extension_bytes)),
            sct.extension_bytes,
        )
    )
