"""Trust roots: which authorities, logs and timestamp authorities a caller believes, and when each was believed.

A `TrustRoot` is a value, read strictly from Sigstore's `trusted_root.json` (media types of 0.1 and 0.2):

1. A field that the format does not know is refused, as are keys and certificates that cannot be read.
2. Every log key says from when it is valid; without a start it would vouch for any time. An authority may leave
   that to its certificates.
3. A period holds both of its ends.
4. Nothing is a default: a root without logs proves nothing about logs (`trust.incomplete` where one is needed).

The root knows the digest of the bytes it came from and the day of its newest entry, which is the nearest thing to
an age that the format has. Both stand in reports.

A `TrustStore` is where a root comes from: a file that the caller names or has pinned, never a cache that other
programs write.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from cryptography import x509

from verify.digest import Digest
from verify.errors import Malformed
from verify.limits import DEFAULT
from verify.signing.document import parse
from verify.signing.keys import PublicKey

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verify.limits import Limits
    from verify.signing.document import Fields

_MEDIA_TYPE = re.compile(
    r"application/vnd\.dev\.sigstore\.trustedroot(?:\+json;version=0\.[12]|\.v0\.[12]\+json)"
)
_TOP = ("mediaType", "tlogs", "ctlogs", "certificateAuthorities", "timestampAuthorities")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z", re.ASCII)
_MOST = 64  # entries of one kind


@dataclass(frozen=True, slots=True)
class Period:
    """From and until, both included; None is open."""

    start: datetime | None = None
    end: datetime | None = None

    def holds(self, moment: datetime) -> bool:
        """Whether a moment lies within."""
        return (self.start is None or self.start <= moment) and (self.end is None or moment <= self.end)

    def __str__(self) -> str:
        return f"{_day(self.start) or 'ever'} to {_day(self.end) or 'now'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """A transparency log, or one of certificates."""

    url: str
    key_ids: tuple[bytes, ...]  # every name its key goes by: the log's, and in checkpoints
    key: PublicKey
    period: Period


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """Issues certificates or timestamps. The chain's last certificate is the anchor."""

    name: str
    url: str
    chain: tuple[x509.Certificate, ...]
    period: Period


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustRoot:
    """What is believed, and the bytes that say so."""

    digest: Digest
    logs: tuple[Log, ...]
    certificate_logs: tuple[Log, ...]
    authorities: tuple[Authority, ...]
    timestamp_authorities: tuple[Authority, ...]

    @property
    def newest(self) -> datetime | None:
        """When its newest entry begins: an old root lacks what was added since."""
        starts = [each.period.start for each in (*self.logs, *self.certificate_logs)]
        starts += [each.period.start for each in (*self.authorities, *self.timestamp_authorities)]
        return max((each for each in starts if each), default=None)

    def __str__(self) -> str:
        return f"{self.digest}, newest entry {_day(self.newest) or 'undated'}"


class TrustStore(Protocol):
    """Where a trust root comes from."""

    def load(self) -> TrustRoot:
        """Raises Absent, Unavailable, Malformed; Refuted where the bytes are not the pinned ones."""


def logs_with(key_id: bytes, logs: Iterable[Log]) -> tuple[Log, ...]:
    """The logs that a key id names."""
    return tuple(each for each in logs if key_id in each.key_ids)


def parse_trust_root(data: bytes, *, limits: Limits = DEFAULT) -> TrustRoot:
    """What a file says. Raises Malformed (`trust.*`), Exhausted."""
    top = parse(data, room="trust", most=limits.bundle_bytes)
    media_type = top.text("mediaType")
    if not _MEDIA_TYPE.fullmatch(media_type):
        raise Malformed(
            f"trust.mediaType: expected a Sigstore trusted root of version 0.1 or 0.2, got {media_type!r}",
            check="trust.malformed",
            hint="give the file that is called trusted_root.json",
        )
    top.known(*_TOP)
    return TrustRoot(
        digest=Digest.of(data),
        logs=tuple(_log(each) for each in top.children("tlogs", _MOST)),
        certificate_logs=tuple(_log(each) for each in top.children("ctlogs", _MOST)),
        authorities=tuple(_authority(each) for each in top.children("certificateAuthorities", _MOST)),
        timestamp_authorities=tuple(_authority(each) for each in top.children("timestampAuthorities", _MOST)),
    )


def _log(fields: Fields) -> Log:
    fields.known("baseUrl", "hashAlgorithm", "publicKey", "logId", "checkpointKeyId", "operator")
    if (algorithm := fields.text("hashAlgorithm", "SHA2_256")) != "SHA2_256":
        raise fields.refuse(f"expected SHA2_256, got {algorithm!r}", "hashAlgorithm")
    key = fields.child("publicKey")
    key.known("rawBytes", "keyDetails", "validFor")
    period = _period(key)
    if period.start is None:
        raise key.refuse("expected a start: without one the key would vouch for any time", "validFor")
    ids = []
    for name in ("logId", "checkpointKeyId"):
        if fields.get(name) is not None:
            child = fields.child(name)
            child.known("keyId")
            ids.append(child.blob("keyId"))
    if not ids or not all(ids):
        raise fields.refuse("expected a key id", "logId")
    return Log(url=fields.text("baseUrl", ""), key_ids=tuple(ids), key=_key(key), period=period)


def _key(fields: Fields) -> PublicKey:
    try:
        return PublicKey.from_spki(fields.blob("rawBytes"))
    except Malformed as error:
        raise fields.refuse(error.message, "rawBytes") from error


def _authority(fields: Fields) -> Authority:
    fields.known("subject", "uri", "certChain", "validFor", "operator")
    subject = fields.texts("subject")
    chain = fields.child("certChain")
    chain.known("certificates")
    certificates = []
    for each in chain.children("certificates", _MOST):
        each.known("rawBytes")
        try:
            certificates.append(x509.load_der_x509_certificate(each.blob("rawBytes")))
        except ValueError as error:
            raise each.refuse("not a certificate", "rawBytes") from error
    if not certificates:
        raise chain.refuse("is empty", "certificates")
    return Authority(
        name=subject.get("commonName")
        or subject.get("organization")
        or certificates[-1].subject.rfc4514_string(),
        url=fields.text("uri", ""),
        chain=tuple(certificates),
        period=_period(fields),
    )


def _period(fields: Fields) -> Period:
    if fields.get("validFor") is None:
        return Period()
    child = fields.child("validFor")
    child.known("start", "end")
    found = Period(_moment(child, "start"), _moment(child, "end"))
    if found.start and found.end and found.end < found.start:
        raise child.refuse("ends before it starts", "end")
    return found


def _moment(fields: Fields, key: str) -> datetime | None:
    if fields.get(key) is None:
        return None
    text = fields.text(key)
    try:
        return datetime.fromisoformat(text) if _TIME.fullmatch(text) else _no_time()
    except ValueError as error:
        raise fields.refuse(f"expected a time like 2026-01-31T00:00:00Z, got {text!r}", key) from error


def _no_time() -> datetime:
    raise ValueError


def _day(moment: datetime | None) -> str:
    return moment.strftime("%Y-%m-%d") if moment else ""
