"""A whole Sigstore in memory: an authority with a certificate log, transparency logs of both kinds, a timestamper.

Every part can be told to do something else than the honest thing, so that a test spoils one part and signs the rest
properly: an attack that merely breaks a signature proves little. Nothing here is cached between instances but keys.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import struct
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

import rfc8785
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

if TYPE_CHECKING:
    from collections.abc import Callable

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
ISSUER = "https://issuer.loop.test"
SIGNER = "https://github.com/acme/net/.github/workflows/release.yml@refs/tags/v1.4.0"
V1_HOST, V2_HOST = "rekor.loop.test", "log2026.loop.test"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
_SCT = ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2")
_TST_INFO = "1.2.840.113549.1.9.16.1.4"


@cache
def ec_key(name: str, curve: str = "P-256") -> ec.EllipticCurvePrivateKey:
    """One key per name for the whole run."""
    return ec.generate_private_key(ec.SECP256R1() if curve == "P-256" else ec.SECP384R1())


@cache
def ed_key(name: str) -> ed25519.Ed25519PrivateKey:
    """The same, for logs that sign with Ed25519."""
    return ed25519.Ed25519PrivateKey.generate()


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def spki(key: Any) -> bytes:
    return key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def der(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(Encoding.DER)


def pae(payload_type: str, payload: bytes) -> bytes:
    return b"DSSEv1 %d %b %d %b" % (len(payload_type), payload_type.encode(), len(payload), payload)


def tlv(tag: int, *contents: bytes) -> bytes:
    """One DER element."""
    body = b"".join(contents)
    if len(body) < 0x80:
        return bytes([tag, len(body)]) + body
    digits = len(body).to_bytes((len(body).bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(digits)]) + digits + body


def oid_der(dotted: str) -> bytes:
    first, second, *rest = map(int, dotted.split("."))
    out = bytearray([first * 40 + second])
    for arc in rest:
        septets = [arc & 0x7F]
        while arc := arc >> 7:
            septets.append(0x80 | arc & 0x7F)
        out += bytes(reversed(septets))
    return tlv(0x06, bytes(out))


def integer_der(value: int) -> bytes:
    return tlv(0x02, value.to_bytes(value.bit_length() // 8 + 1, "big"))


_SHA256_ALGORITHM = tlv(0x30, oid_der("2.16.840.1.101.3.4.2.1"), b"\x05\x00")


@dataclass(slots=True)
class Authority:
    """A root and an intermediate of one name."""

    name: str
    purpose: ObjectIdentifier = ExtendedKeyUsageOID.CODE_SIGNING
    since: datetime = NOW - timedelta(days=100)
    until: datetime = NOW + timedelta(days=3650)

    def subject(self, part: str) -> x509.Name:
        return x509.Name(
            [
                x509.NameAttribute(NameOID.ORGANIZATION_NAME, "loop.test"),
                x509.NameAttribute(NameOID.COMMON_NAME, f"{self.name} {part}"),
            ]
        )

    def certificate(self, part: str) -> x509.Certificate:
        """`root` or `intermediate`."""
        key, root = ec_key(f"{self.name} {part}", "P-384"), ec_key(f"{self.name} root", "P-384")
        builder = (
            x509.CertificateBuilder(
                issuer_name=self.subject("root"),
                subject_name=self.subject(part),
                public_key=key.public_key(),
                serial_number=int.from_bytes(hashlib.sha256(f"{self.name}{part}".encode()).digest()[:8]) | 1,
                not_valid_before=self.since,
                not_valid_after=self.until,
            )
            .add_extension(
                x509.BasicConstraints(ca=True, path_length=1 if part == "root" else 0), critical=True
            )
            .add_extension(key_usage(key_cert_sign=True), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        )
        if part != "root":
            builder = builder.add_extension(
                x509.ExtendedKeyUsage([self.purpose]), critical=False
            ).add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(root.public_key()), critical=False
            )
        return builder.sign(root, SHA256())

    @property
    def chain(self) -> list[x509.Certificate]:
        return [self.certificate("intermediate"), self.certificate("root")]


def key_usage(**allowed: bool) -> x509.KeyUsage:
    names = ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
             "key_cert_sign", "crl_sign", "encipher_only", "decipher_only")  # fmt: skip
    return x509.KeyUsage(**{name: allowed.get(name, False) for name in names})


@dataclass(slots=True, kw_only=True)
class Signing:
    """What one signing does; every field can be spoilt."""

    identity: str = SIGNER
    issuer: str = ISSUER
    claims: dict[str, str] = field(default_factory=dict)  # number below …57264.1 -> text
    at: datetime = NOW
    certificate_from: datetime | None = None
    minutes: int = 10
    curve: str = "P-256"
    purpose: ObjectIdentifier = ExtendedKeyUsageOID.CODE_SIGNING
    ca: str = "fulcio"
    ct_key: str = "ct"
    sct: bool = True
    log: int = 1  # Rekor's version; 0 is none
    log_key: str = ""
    stamped: bool | None = None  # by default where the log gives no time
    stamp_at: datetime | None = None
    stamp_over: bytes | None = None
    tsa: str = "tsa"
    embed: bool = True
    body: Callable[[dict[str, Any]], None] | None = None
    integrated: int | None = None
    cosigned: bool = False
    chain: bool = False
    v1_dsse: bool = True  # a DSSE envelope is logged as dsse, else as hashedrekord


class FakeSigstore:
    """Signs, and gives the trust root that believes it."""

    def __init__(self) -> None:
        self.leaves: dict[int, list[bytes]] = {1: [b"first"], 2: [b"first", b"second"]}

    # --- signing

    def sign_message(self, data: bytes, how: Signing | None = None) -> dict[str, Any]:
        """A bundle over bytes."""
        how = how or Signing()
        key, leaf = self.certificate(how)
        signature = sign(key, data)
        digest = hashlib.sha256(data).digest()
        top = self._bundle(how, leaf, signature, data, None)
        top["messageSignature"] = {
            "messageDigest": {"algorithm": "SHA2_256", "digest": b64(digest)},
            "signature": b64(signature),
        }
        return top

    def sign_payload(
        self, payload: bytes, how: Signing | None = None, kind: str = PAYLOAD_TYPE
    ) -> dict[str, Any]:
        """A bundle with an envelope."""
        how = how or Signing()
        key, leaf = self.certificate(how)
        signature = sign(key, pae(kind, payload))
        top = self._bundle(how, leaf, signature, pae(kind, payload), payload)
        top["dsseEnvelope"] = {
            "payload": b64(payload),
            "payloadType": kind,
            "signatures": [{"sig": b64(signature)}],
        }
        return top

    def _bundle(
        self, how: Signing, leaf: x509.Certificate, signature: bytes, signed: bytes, payload: bytes | None
    ) -> dict[str, Any]:
        material: dict[str, Any] = {}
        if how.chain:
            certificates = [leaf, Authority(how.ca).certificate("intermediate")]
            material["x509CertificateChain"] = {
                "certificates": [{"rawBytes": b64(der(e))} for e in certificates]
            }
        else:
            material["certificate"] = {"rawBytes": b64(der(leaf))}
        material["tlogEntries"] = []
        if how.log:
            entry = self._v1_body if how.log == 1 else self._v2_body
            body = entry(how, leaf, signature, signed, payload)
            if how.body:
                how.body(body)
            material["tlogEntries"].append(self.log_entry(how, body))
        stamped = how.log != 1 if how.stamped is None else how.stamped
        if stamped:
            over = signature if how.stamp_over is None else how.stamp_over
            stamp = timestamp(over, how.stamp_at or how.at, name=how.tsa, embed=how.embed)
            material["timestampVerificationData"] = {"rfc3161Timestamps": [{"signedTimestamp": b64(stamp)}]}
        return {
            "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
            "verificationMaterial": material,
        }

    # --- certificates

    def certificate(self, how: Signing) -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
        """A leaf as Fulcio issues it."""
        key = ec_key("leaf", how.curve)
        start = how.certificate_from or how.at - timedelta(seconds=1)
        authority, issuing = Authority(how.ca), ec_key(f"{how.ca} intermediate", "P-384")
        name: x509.GeneralName = (
            x509.UniformResourceIdentifier(how.identity)
            if "://" in how.identity
            else x509.RFC822Name(how.identity)
        )
        builder = (
            x509.CertificateBuilder(
                issuer_name=authority.subject("intermediate"),
                subject_name=x509.Name([]),
                public_key=key.public_key(),
                serial_number=x509.random_serial_number(),
                not_valid_before=start,
                not_valid_after=start + timedelta(minutes=how.minutes),
            )
            .add_extension(key_usage(digital_signature=True), critical=True)
            .add_extension(x509.ExtendedKeyUsage([how.purpose]), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(issuing.public_key()), critical=False
            )
            .add_extension(x509.SubjectAlternativeName([name]), critical=True)
        )
        arc = "1.3.6.1.4.1.57264.1"
        for number, text in {"1": how.issuer, "8": how.issuer, **how.claims}.items():
            value = text.encode() if int(number) < 7 else tlv(0x0C, text.encode())
            builder = builder.add_extension(
                x509.UnrecognizedExtension(ObjectIdentifier(f"{arc}.{number}"), value), critical=False
            )
        if not how.sct:
            return key, builder.sign(issuing, SHA256())
        draft = builder.sign(issuing, SHA256())
        proof = embedded_sct(draft.tbs_certificate_bytes, spki(issuing), how)
        final = builder.add_extension(x509.UnrecognizedExtension(_SCT, proof), critical=False)
        return key, final.sign(issuing, SHA256())

    # --- logs

    def log_entry(self, how: Signing, body: dict[str, Any]) -> dict[str, Any]:
        """An entry as a bundle carries it, with its proofs."""
        data = rfc8785.dumps(body)
        leaves = self.leaves[how.log]
        leaves.append(data)
        index, first = len(leaves) - 1, how.log == 1
        log_id = log_ids()[how.log]
        integrated = int(how.at.timestamp()) if how.integrated is None else how.integrated
        entry: dict[str, Any] = {
            "logIndex": str(index),
            "logId": {"keyId": b64(log_id)},
            "kindVersion": {"kind": body["kind"], "version": body["apiVersion"]},
            "integratedTime": str(integrated) if first else "0",
            "inclusionProof": {
                "logIndex": str(index),
                "rootHash": b64(tree_root(leaves)),
                "treeSize": str(len(leaves)),
                "hashes": [b64(each) for each in path_of(index, leaves)],
                "checkpoint": {"envelope": self.checkpoint(how, leaves)},
            },
            "canonicalizedBody": b64(data),
        }
        if first:
            said = {"body": b64(data), "integratedTime": integrated, "logID": log_id.hex(), "logIndex": index}
            promise = sign(ec_key(how.log_key or "rekor"), rfc8785.dumps(said))
            entry["inclusionPromise"] = {"signedEntryTimestamp": b64(promise)}
        return entry

    def checkpoint(self, how: Signing, leaves: list[bytes]) -> str:
        host = V1_HOST if how.log == 1 else V2_HOST
        origin = f"{host} - 1193050959916656506" if how.log == 1 else host
        note = f"{origin}\n{len(leaves)}\n{b64(tree_root(leaves))}\n"
        if how.log == 1:
            signature = sign(ec_key(how.log_key or "rekor"), note.encode())
        else:
            signature = ed_key(how.log_key or "rekor2").sign(note.encode())
        line = f"\u2014 {host} {b64(log_ids()[how.log][:4] + signature)}\n"
        if how.cosigned:
            line = f"\u2014 witness.loop.test {b64(b'wxyz' + b'0' * 64)}\n" + line
        return f"{note}\n{line}"

    def _v1_body(
        self, how: Signing, leaf: x509.Certificate, signature: bytes, signed: bytes, payload: bytes | None
    ) -> dict[str, Any]:
        pem = b64(leaf.public_bytes(Encoding.PEM))
        if payload is not None and how.v1_dsse:
            digest = hashlib.sha256(payload).hexdigest()
            spec = {
                "envelopeHash": {"algorithm": "sha256", "value": digest},  # of a text that no bundle keeps
                "payloadHash": {"algorithm": "sha256", "value": digest},
                "signatures": [{"signature": b64(signature), "verifier": pem}],
            }
            return {"apiVersion": "0.0.1", "kind": "dsse", "spec": spec}
        spec = {
            "data": {"hash": {"algorithm": "sha256", "value": hashlib.sha256(signed).hexdigest()}},
            "signature": {"content": b64(signature), "publicKey": {"content": pem}},
        }
        return {"apiVersion": "0.0.1", "kind": "hashedrekord", "spec": spec}

    def _v2_body(
        self, how: Signing, leaf: x509.Certificate, signature: bytes, signed: bytes, payload: bytes | None
    ) -> dict[str, Any]:
        inner = {
            "data": {"algorithm": "SHA2_256", "digest": b64(hashlib.sha256(signed).digest())},
            "signature": {
                "content": b64(signature),
                "verifier": {
                    "keyDetails": "PKIX_ECDSA_P256_SHA_256",
                    "x509Certificate": {"rawBytes": b64(der(leaf))},
                },
            },
        }
        return {"apiVersion": "0.0.2", "kind": "hashedrekord", "spec": {"hashedRekordV002": inner}}

    # --- trust

    def trust(self) -> dict[str, Any]:
        """The root that believes all of it."""
        start = {"start": "2025-12-01T00:00:00Z"}

        def log(url: str, key: Any, details: str, key_id: bytes) -> dict[str, Any]:
            public = {"rawBytes": b64(spki(key)), "keyDetails": details, "validFor": dict(start)}
            return {
                "baseUrl": url,
                "hashAlgorithm": "SHA2_256",
                "publicKey": public,
                "logId": {"keyId": b64(key_id)},
            }

        def authority(uri: str, name: str, chain: list[x509.Certificate]) -> dict[str, Any]:
            return {
                "subject": {"organization": "loop.test", "commonName": name},
                "uri": uri,
                "certChain": {"certificates": [{"rawBytes": b64(der(each))} for each in chain]},
                "validFor": dict(start),
            }

        p256, ids = "PKIX_ECDSA_P256_SHA_256", log_ids()
        ct = ec_key("ct")
        return {
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [
                log(f"https://{V1_HOST}", ec_key("rekor"), p256, ids[1]),
                log(f"https://{V2_HOST}", ed_key("rekor2"), "PKIX_ED25519", ids[2]),
            ],
            "certificateAuthorities": [
                authority("https://fulcio.loop.test", "fulcio", Authority("fulcio").chain)
            ],
            "ctlogs": [log("https://ct.loop.test", ct, p256, hashlib.sha256(spki(ct)).digest())],
            "timestampAuthorities": [
                authority(
                    "https://tsa.loop.test",
                    "tsa",
                    [tsa_leaf("tsa"), tsa_authority("tsa").certificate("root")],
                )
            ],
        }


def render(value: dict[str, Any]) -> bytes:
    """As a file."""
    return json.dumps(value).encode()


def changed(value: dict[str, Any], *path: str | int, to: Any) -> dict[str, Any]:
    """A deep copy with one place changed."""
    made = copy.deepcopy(value)
    inner: Any = made
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = to
    return made


def sign(key: ec.EllipticCurvePrivateKey, data: bytes) -> bytes:
    return key.sign(data, ec.ECDSA(SHA256()))


def log_ids() -> dict[int, bytes]:
    raw = ed_key("rekor2").public_key().public_bytes_raw()
    return {
        1: hashlib.sha256(spki(ec_key("rekor"))).digest(),
        2: hashlib.sha256(V2_HOST.encode() + b"\n\x01" + raw).digest(),
    }


def embedded_sct(tbs: bytes, issuer: bytes, how: Signing) -> bytes:
    """The extension's value: a list of one, in an octet string."""
    trusted, used = ec_key("ct"), ec_key(how.ct_key)
    moment = int(how.at.timestamp() * 1000)
    said = (
        struct.pack(">BBQH", 0, 0, moment, 1)
        + hashlib.sha256(issuer).digest()
        + len(tbs).to_bytes(3, "big")
        + tbs
        + b"\0\0"
    )
    signature = sign(used, said)
    log_id = hashlib.sha256(spki(used if how.ct_key.startswith("unknown") else trusted)).digest()
    sct = (
        b"\0"
        + log_id
        + struct.pack(">QH", moment, 0)
        + b"\x04\x03"
        + struct.pack(">H", len(signature))
        + signature
    )
    listed = struct.pack(">H", len(sct)) + sct
    return tlv(0x04, struct.pack(">H", len(listed)) + listed)


def tree_root(leaves: list[bytes]) -> bytes:
    if len(leaves) == 1:
        return hashlib.sha256(b"\0" + leaves[0]).digest()
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + tree_root(leaves[:half]) + tree_root(leaves[half:])).digest()


def path_of(index: int, leaves: list[bytes]) -> list[bytes]:
    """The inclusion proof, lowest first."""
    if len(leaves) == 1:
        return []
    half = 1 << (len(leaves) - 1).bit_length() - 1
    if index < half:
        return [*path_of(index, leaves[:half]), tree_root(leaves[half:])]
    return [*path_of(index - half, leaves[half:]), tree_root(leaves[:half])]


def tsa_authority(name: str) -> Authority:
    return Authority(name, ExtendedKeyUsageOID.TIME_STAMPING)


def tsa_leaf(name: str, days: int = 3650, *, critical: bool = True) -> x509.Certificate:
    """The certificate that timestamps are signed with; its purpose should be critical."""
    return _tsa_leaf(name, days, critical)


@cache
def _tsa_leaf(name: str, days: int, critical: bool) -> x509.Certificate:
    key, root = ec_key(f"{name} leaf"), ec_key(f"{name} root", "P-384")
    start = NOW - timedelta(days=100)
    return (
        x509.CertificateBuilder(
            issuer_name=tsa_authority(name).subject("root"),
            subject_name=tsa_authority(name).subject("leaf"),
            public_key=key.public_key(),
            serial_number=77,
            not_valid_before=start,
            not_valid_after=start + timedelta(days=days),
        )
        .add_extension(key_usage(digital_signature=True), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING]), critical=critical)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(root.public_key()), critical=False)
        .sign(root, SHA256())
    )


def timestamp(
    over: bytes,
    at: datetime,
    *,
    name: str = "tsa",
    embed: bool = True,
    status: int = 0,
    days: int = 3650,
    critical: bool = True,
) -> bytes:
    """A TimeStampResp over bytes."""
    leaf = tsa_leaf(name, days, critical=critical)
    imprint = tlv(0x30, _SHA256_ALGORITHM, tlv(0x04, hashlib.sha256(over).digest()))
    info = tlv(
        0x30,
        integer_der(1),
        oid_der("1.3.6.1.4.1.57264.2"),
        imprint,
        integer_der(5),
        tlv(0x18, at.strftime("%Y%m%d%H%M%SZ").encode()),
    )
    attributes = [
        tlv(0x30, oid_der("1.2.840.113549.1.9.3"), tlv(0x31, oid_der(_TST_INFO))),
        tlv(0x30, oid_der("1.2.840.113549.1.9.4"), tlv(0x31, tlv(0x04, hashlib.sha256(info).digest()))),
        tlv(
            0x30,
            oid_der("1.2.840.113549.1.9.16.2.47"),
            tlv(0x31, tlv(0x30, tlv(0x30, tlv(0x30, tlv(0x04, hashlib.sha256(der(leaf)).digest()))))),
        ),
    ]
    attributes.sort()
    signature = sign(ec_key(f"{name} leaf"), tlv(0x31, *attributes))
    signer = tlv(
        0x30,
        integer_der(1),
        tlv(0x30, leaf.issuer.public_bytes(), integer_der(leaf.serial_number)),
        _SHA256_ALGORITHM,
        tlv(0xA0, *attributes),
        tlv(0x30, oid_der("1.2.840.10045.4.3.2")),
        tlv(0x04, signature),
    )
    signed = tlv(
        0x30,
        integer_der(3),
        tlv(0x31, _SHA256_ALGORITHM),
        tlv(0x30, oid_der(_TST_INFO), tlv(0xA0, tlv(0x04, info))),
        tlv(0xA0, der(leaf)) if embed else b"",
        tlv(0x31, signer),
    )
    token = tlv(0x30, oid_der("1.2.840.113549.1.7.2"), tlv(0xA0, signed))
    return tlv(0x30, tlv(0x30, integer_der(status)), token)
