"""The kinds of case that Sigstore's conformance suite has, made with a Sigstore in memory and written as it does.

Each is named by what is wrong with it, and says which check must be the reason. `_fail` in a name is the suite's.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from cryptography.x509.oid import ExtendedKeyUsageOID

from tests.support.fake_sigstore import (
    ISSUER,
    NOW,
    SIGNER,
    Authority,
    FakeSigstore,
    Signing,
    b64,
    changed,
    der,
    render,
    timestamp,
    tsa_authority,
    tsa_leaf,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ARTIFACT = b"the artifact's bytes\n"
OTHER = b"other bytes\n"
_ENTRY = ("verificationMaterial", "tlogEntries", 0)
_PROOF = (*_ENTRY, "inclusionProof")
_STAMP = ("verificationMaterial", "timestampVerificationData", "rfc3161Timestamps")


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A case: its bundle's bytes and what must come of it."""

    name: str
    bundle: bytes
    reason: str = ""
    root: dict[str, Any] | None = None

    def write(self, folder: Path) -> None:
        case = folder / self.name
        case.mkdir(parents=True)
        (case / "bundle.sigstore.json").write_bytes(self.bundle)
        if self.reason:
            (case / "reason").write_text(self.reason + "\n", encoding="utf-8")
        if self.root is not None:
            (case / "trusted_root.json").write_bytes(render(self.root))


def statement(data: bytes = ARTIFACT) -> bytes:
    """The least that can be said about bytes."""
    return json.dumps(
        {
            "_type": "https://in-toto.io/Statement/v1",
            "subject": [{"name": "a.txt", "digest": {"sha256": hashlib.sha256(data).hexdigest()}}],
            "predicateType": "https://example.com/said",
            "predicate": {},
        }
    ).encode()


def write_cases(folder: Path) -> int:
    """All of them, as the runner reads them."""
    there = list(cases())
    for each in there:
        each.write(folder)
    (folder / "a.txt").write_bytes(ARTIFACT)
    (folder / "identity").write_text(SIGNER, encoding="utf-8")
    (folder / "issuer").write_text(ISSUER, encoding="utf-8")
    (folder / "trusted_root.json").write_bytes(render(FakeSigstore().trust()))
    return len(there)


def cases() -> Iterator[Made]:
    """Made afresh."""
    yield from _accepted()
    yield from _documents()
    yield from _certificates()
    yield from _logs()
    yield from _bodies()
    yield from _timestamps()
    yield from _roots()


def message(**how: Any) -> dict[str, Any]:
    return FakeSigstore().sign_message(ARTIFACT, Signing(**how))


def enveloped(data: bytes = ARTIFACT, **how: Any) -> dict[str, Any]:
    return FakeSigstore().sign_payload(statement(data), Signing(**how))


def _ok(name: str, bundle: dict[str, Any], **more: Any) -> Made:
    return Made(name=name, bundle=render(bundle), **more)


def _no(name: str, reason: str, bundle: dict[str, Any] | bytes, **more: Any) -> Made:
    data = bundle if isinstance(bundle, bytes) else render(bundle)
    return Made(name=f"{name}_fail", bundle=data, reason=reason, **more)


def _accepted() -> Iterator[Made]:
    for version in ("0.1", "0.2", "0.3"):
        media = f"application/vnd.dev.sigstore.bundle+json;version={version}"
        yield _ok(f"happy-path-v{version}", message(chain=version < "0.3") | {"mediaType": media})
    yield _ok("happy-path-new-media-type", message())
    promised = changed(message(chain=True), *_PROOF, "checkpoint", to=None)
    old = {"mediaType": "application/vnd.dev.sigstore.bundle+json;version=0.1"}
    yield _ok("v0.1-promise-without-checkpoint", promised | old)
    yield _ok("v0.3-with-a-chain", message(chain=True))
    yield _ok("dsse-happy-path", enveloped())
    yield _ok("dsse-with-hashedrekord-happy-path", enveloped(v1_dsse=False))
    yield _ok("rekor2-happy-path", message(log=2))
    yield _ok("rekor2-dsse-happy-path", enveloped(log=2))
    yield _ok("rekor2-checkpoint-cosigned", message(log=2, cosigned=True))
    yield _ok("rekor2-timestamp-without-embedded-cert", message(log=2, embed=False))
    yield _ok("both-a-promise-and-a-timestamp", message(stamped=True))
    yield _ok("p384-leaf", enveloped(curve="P-384"))


def _documents() -> Iterator[Made]:
    good = message()
    yield _no("bundle-malformed-json", "bundle.malformed", render(good)[:-40])
    yield _no("bundle-duplicate-key", "bundle.duplicate-key", render(good)[:-1] + b',"mediaType":"x"}')
    yield _no(
        "bundle-unknown-version",
        "bundle.version",
        good | {"mediaType": "application/vnd.dev.sigstore.bundle.v0.9+json"},
    )
    yield _no("bundle-negative-log-index", "bundle.malformed", changed(good, *_ENTRY, "logIndex", to="-1"))
    yield _no(
        "bundle-invalid-base64-signature",
        "bundle.malformed",
        changed(good, "messageSignature", "signature", to="!"),
    )
    empty = changed(
        message(chain=True), "verificationMaterial", "x509CertificateChain", "certificates", to=[]
    )
    yield _no("bundle-empty-certificate-chain", "bundle.malformed", empty)
    twice = message(log=2)
    stamps = twice["verificationMaterial"]["timestampVerificationData"]["rfc3161Timestamps"]
    yield _no("duplicated-timestamp", "bundle.malformed", changed(twice, *_STAMP, to=stamps * 2))


def _certificates() -> Iterator[Made]:
    rooted = message(chain=True)
    chain = rooted["verificationMaterial"]["x509CertificateChain"]["certificates"]
    chain.append({"rawBytes": b64(der(Authority("fulcio").certificate("root")))})
    yield _no("bundle-with-root-cert", "certificate.own-root", rooted)
    yield _no("bundle-from-wrong-instance", "certificate.untrusted", message(ca="stranger"))
    yield _no("stranger-brings-its-issuers", "certificate.untrusted", message(ca="stranger", chain=True))
    early = NOW - timedelta(hours=1)
    yield _no("expired-certificate", "certificate.outside-validity", enveloped(certificate_from=early))
    yield _no(
        "certificate-of-tomorrow",
        "certificate.outside-validity",
        message(certificate_from=NOW + timedelta(hours=1)),
    )
    yield _no(
        "certificate-for-servers", "certificate.purpose", message(purpose=ExtendedKeyUsageOID.SERVER_AUTH)
    )
    yield _no("invalid-ct-key", "sct.invalid", message(ct_key="eve"))
    yield _no("unknown-ct-log", "sct.unknown-log", message(ct_key="unknown"))
    yield _no("no-sct", "sct.missing", message(sct=False))
    yield _no(
        "other-identity", "attestation.other-signer", message(identity=SIGNER.replace("acme/", "acme-evil/"))
    )
    yield _no("other-issuer", "attestation.other-signer", message(issuer=ISSUER + ".evil.test"))


def _logs() -> Iterator[Made]:
    good = message()
    yield _no(
        "no-log-entry", "log.missing", changed(message(log=2), "verificationMaterial", "tlogEntries", to=[])
    )
    yield _no(
        "no-log-entry-and-no-time",
        "timestamp.missing",
        changed(good, "verificationMaterial", "tlogEntries", to=[]),
    )
    yield _no(
        "missing-inclusion-proof", "log.inclusion-missing", changed(good, *_ENTRY, "inclusionProof", to=None)
    )
    yield _no(
        "rekor2-no-inclusion-proof",
        "log.inclusion-missing",
        changed(message(log=2), *_ENTRY, "inclusionProof", to=None),
    )
    wrong = b64(b"x" * 32)
    hashes = good["verificationMaterial"]["tlogEntries"][0]["inclusionProof"]["hashes"]
    yield _no(
        "inclusion-proof-corrupted-hash",
        "log.inclusion",
        changed(good, *_PROOF, "hashes", to=[wrong, *hashes[1:]]),
    )
    yield _no(
        "inclusion-proof-too-long", "log.inclusion", changed(good, *_PROOF, "hashes", to=[*hashes, wrong])
    )
    yield _no("inclusion-proof-too-short", "log.inclusion", changed(good, *_PROOF, "hashes", to=[]))
    yield _no("invalid-inclusion-proof-index", "log.inclusion", changed(good, *_PROOF, "logIndex", to="7"))
    yield _no("proof-of-another-root", "log.inclusion", changed(good, *_PROOF, "rootHash", to=wrong))
    yield _no(
        "set-invalid-signature",
        "log.promise",
        changed(good, *_ENTRY, "inclusionPromise", "signedEntryTimestamp", to=b64(b"0" * 70)),
    )
    yield _no(
        "integrated-time-changed",
        "log.promise",
        changed(good, *_ENTRY, "integratedTime", to=str(int(NOW.timestamp()) + 9)),
    )
    yield _no(
        "integrated-time-outside-cert-validity",
        "certificate.outside-validity",
        message(integrated=int(NOW.timestamp()) + 3600),
    )
    yield _no("log-by-another-key", "log.promise", message(log_key="eve"))
    yield _no("rekor2-log-by-another-key", "log.checkpoint", message(log=2, log_key="eve"))
    yield _no("unknown-log", "log.unknown", changed(good, *_ENTRY, "logId", "keyId", to=wrong))
    yield from _checkpoints(message(log=2))


def _checkpoints(good: dict[str, Any]) -> Iterator[Made]:
    note = good["verificationMaterial"]["tlogEntries"][0]["inclusionProof"]["checkpoint"]["envelope"]
    origin, size, root, _, line, _ = note.split("\n")
    hinted = base64.b64decode(line.split(" ")[2])
    spoilt = {
        "missing-origin": f"{size}\n{root}\n\n{line}\n",
        "missing-size": f"{origin}\n{root}\n\n{line}\n",
        "missing-root-hash": f"{origin}\n{size}\n\n{line}\n",
        "missing-log-signature": f"{origin}\n{size}\n{root}\n\n",
        "wrong-roothash": f"{origin}\n{size}\n{b64(b'x' * 32)}\n\n{line}\n",
        "bad-keyhint": f"{origin}\n{size}\n{root}\n\n{line.rsplit(' ', 1)[0]} {b64(b'abcd' + hinted[4:])}\n",
        "no-matching-signature": f"{origin}\n{size}\n{root}\n\n{line.replace(origin, 'other.test')}\n",
        "invalid-signature": f"{origin}\n{size}\n{root}\n\n{line.rsplit(' ', 1)[0]} {b64(hinted[:4] + b'0' * 64)}\n",
        "of-another-tree": f"{origin}\n{int(size) + 1}\n{root}\n\n{line}\n",
    }
    for name, text in spoilt.items():
        yield _no(
            f"rekor2-checkpoint-{name}",
            "log.checkpoint",
            changed(good, *_PROOF, "checkpoint", "envelope", to=text),
        )


def _bodies() -> Iterator[Made]:
    sigstore = FakeSigstore()
    mine, other = sigstore.sign_message(ARTIFACT), sigstore.sign_message(OTHER)
    swapped = changed(
        mine, "verificationMaterial", "tlogEntries", to=other["verificationMaterial"]["tlogEntries"]
    )
    yield _no("log-entry-of-another-artifact", "log.other-entry", swapped)
    yield _no("message-digest-mismatch", "log.other-entry", other)
    stated = changed(
        mine, "messageSignature", "messageDigest", "digest", to=b64(hashlib.sha256(OTHER).digest())
    )
    yield _no("stated-digest-mismatch", "signature.other-bytes", stated)
    yield _no(
        "signature-mismatch",
        "log.other-entry",
        changed(mine, "messageSignature", "signature", to=other["messageSignature"]["signature"]),
    )

    def cert_of_another(body: dict[str, Any]) -> None:
        _, leaf = sigstore.certificate(Signing())
        body["spec"]["hashedRekordV002"]["signature"]["verifier"]["x509Certificate"]["rawBytes"] = b64(
            der(leaf)
        )

    yield _no("wrong-hashedrekord-cert", "log.other-entry", message(log=2, body=cert_of_another))

    def two_signatures(body: dict[str, Any]) -> None:
        body["spec"]["signatures"] *= 2

    yield _no("log-entry-with-two-signatures", "log.other-entry", enveloped(body=two_signatures))

    def other_kind(body: dict[str, Any]) -> None:
        body["apiVersion"] = "0.0.9"

    yield _no("unknown-entry-version", "log.unknown-kind", message(body=other_kind))
    yield _no(
        "kind-mismatch", "log.other-entry", changed(mine, *_ENTRY, "kindVersion", "version", to="0.0.2")
    )
    said, payload = enveloped(), b64(statement(OTHER))
    yield _no(
        "dsse-mismatch-envelope", "log.other-entry", changed(said, "dsseEnvelope", "payload", to=payload)
    )
    yield _no(
        "rekor2-dsse-mismatch-envelope",
        "log.other-entry",
        changed(enveloped(log=2), "dsseEnvelope", "payload", to=payload),
    )
    yield _no(
        "dsse-other-payload-type",
        "signature.invalid",
        changed(said, "dsseEnvelope", "payloadType", to="application/x"),
    )
    yield _no("dsse-other-subject", "attestation.other-subject", enveloped(OTHER))
    yield _no(
        "dsse-not-a-statement",
        "envelope.payload-type",
        sigstore.sign_payload(b"{}", Signing(), "application/json"),
    )


def _timestamps() -> Iterator[Made]:
    good, late = message(log=2), NOW + timedelta(hours=1)
    yield _no("rekor2-no-timestamp", "timestamp.missing", message(log=2, stamped=False))
    yield _no("rekor2-timestamp-payload-mismatch", "timestamp.invalid", message(log=2, stamp_over=b"other"))
    yield _no(
        "rekor2-timestamp-outside-cert-validity",
        "certificate.outside-validity",
        message(log=2, stamp_at=late),
    )
    yield _no(
        "tsa-timestamp-outside-cert-validity",
        "certificate.outside-validity",
        enveloped(stamped=True, stamp_at=late),
    )
    for embed, how in ((True, "with"), (False, "without")):
        yield _no(
            f"rekor2-timestamp-untrusted-tsa-{how}-embedded-cert",
            "timestamp.unknown-authority",
            message(log=2, tsa="eve", embed=embed),
        )
    signature = base64.b64decode(good["messageSignature"]["signature"])
    for name, reason, stamp in (
        ("not-granted", "timestamp.invalid", timestamp(signature, NOW, status=2)),
        ("truncated", "timestamp.malformed", timestamp(signature, NOW)[:-9]),
        ("followed-by-more", "timestamp.malformed", timestamp(signature, NOW) + b"\0"),
        ("of-another-certificate", "timestamp.invalid", timestamp(signature, NOW, days=3651)),
    ):
        listed = [{"signedTimestamp": b64(stamp)}]
        yield _no(f"rekor2-timestamp-{name}", reason, changed(good, *_STAMP, to=listed))
    one_late = [{"signedTimestamp": b64(timestamp(signature, at))} for at in (NOW, late)]
    yield _no(
        "rekor2-multiple-timestamps-one-outside-cert-validity",
        "certificate.outside-validity",
        changed(good, *_STAMP, to=one_late),
    )


def _roots() -> Iterator[Made]:
    root = FakeSigstore().trust()
    now, before = (
        NOW.strftime("%Y-%m-%dT%H:%M:%SZ"),
        (NOW - timedelta(seconds=1)).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )

    def ending(kind: str, end: str, *inner: str) -> dict[str, Any]:
        return changed(root, kind, 0, *inner, "validFor", to={"start": "2025-12-01T00:00:00Z", "end": end})

    yield _ok("trust-root-tlog-validity-end-inclusive", message(), root=ending("tlogs", now, "publicKey"))
    yield _no(
        "trust-root-tlog-validity-ended",
        "log.outside-validity",
        message(),
        root=ending("tlogs", before, "publicKey"),
    )
    stamped = message(log=2)
    yield _ok("trust-root-tsa-validity-end-inclusive", stamped, root=ending("timestampAuthorities", now))
    yield _no(
        "timestamp-outside-trust-root-tsa-validity",
        "timestamp.outside-validity",
        stamped,
        root=ending("timestampAuthorities", before),
    )
    yield _ok("trust-root-ca-validity-end-inclusive", message(), root=ending("certificateAuthorities", now))
    yield _no(
        "trust-root-ca-validity-ended",
        "certificate.untrusted",
        message(),
        root=ending("certificateAuthorities", before),
    )
    yield _no(
        "trust-root-ctlog-validity-ended",
        "sct.invalid",
        message(),
        root=ending("ctlogs", before, "publicKey"),
    )
    missing = changed(root, "tlogs", 0, "publicKey", "validFor", to={})
    yield _no("trust-root-tlog-missing-validity-start", "trust.malformed", message(), root=missing)
    yield _no(
        "trust-root-without-authorities",
        "trust.incomplete",
        message(),
        root=changed(root, "certificateAuthorities", to=[]),
    )
    borrowed = ending("timestampAuthorities", before)
    eve = [tsa_leaf("eve"), tsa_authority("eve").certificate("root")]
    borrowed["timestampAuthorities"].append(
        {
            "subject": {"commonName": "eve"},
            "certChain": {"certificates": [{"rawBytes": b64(der(e))} for e in eve]},
        }
    )
    yield _no(
        "rekor2-timestamp-wrong-tsa-validity-borrow", "timestamp.outside-validity", stamped, root=borrowed
    )
    issuer_only = changed(
        root,
        "timestampAuthorities",
        0,
        "certChain",
        "certificates",
        to=[{"rawBytes": b64(der(tsa_authority("tsa").certificate("root")))}],
    )
    yield _ok("rekor2-timestamp-with-embedded-cert", stamped, root=issuer_only)
