r"""Sigstore bundles: a signature with what it takes to check it. Parsed, it is untrusted.

What we write for a key is version 0.3, compact, keys in this order:

    {"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json",
     "verificationMaterial":{"publicKey":{"hint":H},"tlogEntries":[],
       "timestampVerificationData":{"rfc3161Timestamps":[{"signedTimestamp":…}]}},     (only where there is one)
     "dsseEnvelope":{"payload":…,"payloadType":"application/vnd.in-toto+json","signatures":[{"sig":…}]}}

H is the key's id (`verify.signing.keys`). It is a hint: unauthenticated, of any form. The signature has no `keyid`
(docs/decisions/0102).

What we read is 0.1 to 0.3 under any of their media types, message signatures too. A field that the format does
not know is refused, since readers differ in what they make of it (`dsse_envelope` is one spelling of two); so is
more than one signature, more than one kind of content or of material.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from verify.digest import Digest
from verify.errors import Malformed
from verify.limits import DEFAULT
from verify.oci.jsondoc import render_json
from verify.signing.document import Fields, encode, parse
from verify.signing.dsse import Envelope, envelope_from, envelope_members

if TYPE_CHECKING:
    from verify.limits import Limits
    from verify.oci.jsondoc import Json

MEDIA_TYPE = "application/vnd.dev.sigstore.bundle.v0.3+json"
_VERSIONS = re.compile(r"application/vnd\.dev\.sigstore\.bundle(?:\+json;version=(0\.[123])|\.v(0\.3)\+json)")
_MATERIALS = ("publicKey", "x509CertificateChain", "certificate")
_LOG_ENTRY = (
    "logIndex", "logId", "kindVersion", "integratedTime", "inclusionPromise", "inclusionProof", "canonicalizedBody",
)  # fmt: skip
_HASHES = {"SHA2_256": "sha256", "SHA2_512": "sha512"}


@dataclass(frozen=True, slots=True)
class KeyMaterial:
    """The bundle says that a key signed, and hints at which."""

    hint: str


@dataclass(frozen=True, slots=True)
class CertificateMaterial:
    """The bundle brings certificates, DER, the signer's first."""

    chain: tuple[bytes, ...]


Material: TypeAlias = "KeyMaterial | CertificateMaterial"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """What the bundle says a transparency log recorded; its proofs stay as they were read."""

    index: int | None
    log_id: str
    kind: str
    version: str
    integrated: int | None
    body: bytes
    has_promise: bool
    has_proof: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageSignature:
    """A signature over an artifact's bytes, and the digest the bundle says they have."""

    digest: Digest | None
    signature: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A signature with its material, untrusted."""

    version: str
    material: Material
    content: Envelope | MessageSignature
    log_entries: tuple[LogEntry, ...] = ()
    timestamps: tuple[bytes, ...] = ()  # DER TimeStampResp each

    @property
    def signature(self) -> bytes:
        """The one signature."""
        if isinstance(self.content, MessageSignature):
            return self.content.signature
        return self.content.signatures[0].sig


def key_bundle(envelope: Envelope, key_id: str, *, timestamps: tuple[bytes, ...] = ()) -> Bundle:
    """An envelope that a key signed."""
    if len(envelope.signatures) != 1:
        raise ValueError("a bundle holds one signature")
    return Bundle(version="0.3", material=KeyMaterial(key_id), content=envelope, timestamps=timestamps)


def render_bundle(bundle: Bundle) -> bytes:
    """The file of a key's bundle; what others wrote is passed on as bytes, never rendered again."""
    if not isinstance(bundle.material, KeyMaterial) or not isinstance(bundle.content, Envelope):
        raise TypeError("only a key's envelope is rendered")
    material: dict[str, Json] = {"publicKey": {"hint": bundle.material.hint}, "tlogEntries": []}
    if bundle.timestamps:
        stamps: list[Json] = [{"signedTimestamp": encode(each)} for each in bundle.timestamps]
        material["timestampVerificationData"] = {"rfc3161Timestamps": stamps}
    return render_json(
        {
            "mediaType": MEDIA_TYPE,
            "verificationMaterial": material,
            "dsseEnvelope": envelope_members(bundle.content),
        }
    )


def parse_bundle(data: bytes, *, limits: Limits = DEFAULT) -> Bundle:
    """What a file or a blob says. Raises Malformed (`bundle.*`), Exhausted."""
    top = parse(data, room="bundle", most=limits.bundle_bytes)
    version = _version(top)
    top.known("mediaType", "verificationMaterial", "dsseEnvelope", "messageSignature")
    material = top.child("verificationMaterial")
    material.known(*_MATERIALS, "tlogEntries", "timestampVerificationData")
    return Bundle(
        version=version,
        material=_material(material, limits),
        content=_content(top, limits),
        log_entries=tuple(
            _log_entry(each) for each in material.children("tlogEntries", limits.bundle_entries)
        ),
        timestamps=_timestamps(material, limits),
    )


def _version(top: Fields) -> str:
    media_type = top.text("mediaType")
    match = _VERSIONS.fullmatch(media_type)
    if match is None:
        raise Malformed(
            f"bundle.mediaType: expected a Sigstore bundle of version 0.1 to 0.3, got {media_type!r}",
            check="bundle.version",
            hint="an envelope or a statement is not a bundle; modseal inspect FILE says what it is",
        )
    return match[1] or match[2]


def _material(fields: Fields, limits: Limits) -> Material:
    there = [key for key in _MATERIALS if fields.get(key) is not None]
    if len(there) != 1:
        raise fields.refuse(f"expected one of {', '.join(_MATERIALS)}, got {' and '.join(there) or 'none'}")
    child = fields.child(there[0])
    if there[0] == "publicKey":
        child.known("hint")
        return KeyMaterial(child.text("hint", ""))
    if there[0] == "certificate":
        child.known("rawBytes")
        return CertificateMaterial((child.blob("rawBytes"),))
    child.known("certificates")
    chain = []
    for each in child.children("certificates", limits.bundle_entries):
        each.known("rawBytes")
        chain.append(each.blob("rawBytes"))
    if not chain:
        raise child.refuse("is empty", "certificates")
    return CertificateMaterial(tuple(chain))


def _content(top: Fields, limits: Limits) -> Envelope | MessageSignature:
    there = [key for key in ("dsseEnvelope", "messageSignature") if top.get(key) is not None]
    if len(there) != 1:
        raise top.refuse(f"expected dsseEnvelope or messageSignature, got {' and '.join(there) or 'none'}")
    child = top.child(there[0])
    if there[0] == "messageSignature":
        return _message(child)
    child.known("payload", "payloadType", "signatures")
    envelope = envelope_from(child, limits=limits)
    for each in child.children("signatures", limits.bundle_entries):
        each.known("sig", "keyid")
    if len(envelope.signatures) != 1:
        raise Malformed(
            f"bundle.dsseEnvelope.signatures: expected exactly one, got {len(envelope.signatures)}",
            check="bundle.signature-count",
        )
    return envelope


def _message(fields: Fields) -> MessageSignature:
    fields.known("messageDigest", "signature")
    digest = None
    if fields.get("messageDigest") is not None:
        stated = fields.child("messageDigest")
        stated.known("algorithm", "digest")
        name = _HASHES.get(stated.text("algorithm", ""))
        if name is not None:
            digest = _digest(stated, name)
    signature = fields.blob("signature")
    if not signature:
        raise fields.refuse("is empty", "signature")
    return MessageSignature(digest=digest, signature=signature)


def _digest(stated: Fields, algorithm: str) -> Digest:
    try:
        return Digest.parse(f"{algorithm}:{stated.blob('digest').hex()}")
    except Malformed as error:
        raise stated.refuse("is not as long as its algorithm says", "digest") from error


def _log_entry(fields: Fields) -> LogEntry:
    fields.known(*_LOG_ENTRY)
    kind = fields.child("kindVersion")
    return LogEntry(
        index=fields.number("logIndex"),
        log_id=fields.child("logId").text("keyId"),
        kind=kind.text("kind"),
        version=kind.text("version"),
        integrated=fields.number("integratedTime"),
        body=fields.blob("canonicalizedBody"),
        has_promise=fields.get("inclusionPromise") is not None,
        has_proof=fields.get("inclusionProof") is not None,
    )


def _timestamps(material: Fields, limits: Limits) -> tuple[bytes, ...]:
    if material.get("timestampVerificationData") is None:
        return ()
    child = material.child("timestampVerificationData")
    child.known("rfc3161Timestamps")
    stamps = []
    for each in child.children("rfc3161Timestamps", limits.bundle_entries):
        each.known("signedTimestamp")
        stamps.append(each.blob("signedTimestamp"))
    if len(set(stamps)) != len(stamps):
        raise child.refuse("one timestamp stands twice", "rfc3161Timestamps")
    return tuple(stamps)
