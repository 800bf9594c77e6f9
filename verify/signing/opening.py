"""The one place where untrusted bytes become an `Attestation`.

1. The bundle is parsed (`verify.signing.bundle`).
2. A `Verifier` proves who signed exactly the bytes that are then used. A key's verifier refuses a certificate,
   one for certificates refuses a key: whoever names a key has not asked for an identity, and the reverse.
3. An envelope must have an in-toto payload type; its payload is parsed once, from the bytes that were proved.
4. A message signature must be over the artifact at hand; the digest that the bundle states decides nothing, but
   one that differs is refused.

Whether the attestation is the one asked for is decided by `verify.signing.attestation`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from verify.errors import Malformed, ModsealError, Refuted, Undecidable
from verify.limits import DEFAULT
from verify.signing.accounting import Candidate
from verify.signing.attestation import Attestation
from verify.signing.bundle import CertificateMaterial, KeyMaterial, MessageSignature, parse_bundle
from verify.signing.dsse import open_envelope, read_untrusted, refused_by_all
from verify.signing.identity import KeyIdentity
from verify.signing.statement import parse_statement

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.digest import Digest
    from verify.limits import Limits
    from verify.signing.attestation import SignedTime
    from verify.signing.bundle import Bundle
    from verify.signing.identity import Identity
    from verify.signing.keys import PublicKey

_PAYLOAD = re.compile(r"application/vnd\.in-toto(?:\.[a-z0-9.-]+)?\+json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """The bytes a message signature may be over: their digest, and how to get them where a scheme needs them."""

    digest: Digest
    read: Callable[[], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Who signed, and when as far as that is proved."""

    identity: Identity
    times: tuple[SignedTime, ...] = ()
    notes: tuple[str, ...] = ()


class Verifier(Protocol):
    """Proves who signed a bundle's content."""

    def prove(self, bundle: Bundle, artifact: Artifact | None) -> Proof:
        """Over the envelope's encoding, or over the artifact for a message signature.

        Raises Refuted (`signature.*`), Malformed, Undecidable where trust material is missing.
        """


@dataclass(frozen=True, slots=True)
class KeyVerifier:
    """Keys that the caller named."""

    keys: tuple[PublicKey, ...]

    def prove(self, bundle: Bundle, artifact: Artifact | None) -> Proof:
        """Raises Refuted."""
        if isinstance(bundle.material, CertificateMaterial):
            raise Refuted(
                "expected a signature by a key, got one with a certificate",
                check="signature.not-by-key",
                hint="name the signer: --identity NAME --issuer URL",
            )
        if isinstance(bundle.content, MessageSignature):
            key = self._over_artifact(bundle.content, bundle.material, artifact)
        else:
            key = open_envelope(bundle.content, self.keys, hint=bundle.material.hint).key
        carried = (("log entry", len(bundle.log_entries)), ("timestamp", len(bundle.timestamps)))
        return Proof(
            identity=KeyIdentity(key_id=key.key_id, algorithm=key.algorithm.value),
            notes=tuple(f"{count} {what}{'s' if count > 1 else ''}" for what, count in carried if count),
        )

    def _over_artifact(
        self, content: MessageSignature, material: KeyMaterial, artifact: Artifact | None
    ) -> PublicKey:
        if artifact is None:
            raise Undecidable("a message signature needs the artifact", check="signature.needs-bytes")
        sha256 = bytes.fromhex(artifact.digest.hex) if artifact.digest.algorithm == "sha256" else None
        for key in sorted(self.keys, key=lambda each: each.key_id != material.hint):
            try:
                _check(key, content.signature, sha256, artifact)
            except Refuted:
                continue
            return key
        raise refused_by_all(self.keys, [material.hint])


@dataclass(frozen=True, slots=True, kw_only=True)
class ByMaterial:
    """Keys for bundles by keys, another verifier for those with certificates; either may be missing."""

    keys: Verifier | None = None
    certificates: Verifier | None = None

    def prove(self, bundle: Bundle, artifact: Artifact | None) -> Proof:
        """Raises Refuted where the caller expects the other kind."""
        if isinstance(bundle.material, KeyMaterial):
            if self.keys is None:
                raise Refuted(
                    "expected a signature with a certificate, got one by a key",
                    check="signature.not-by-certificate",
                    hint="name the key: --key FILE",
                )
            return self.keys.prove(bundle, artifact)
        verifier = self.certificates or KeyVerifier(())
        return verifier.prove(bundle, artifact)


def open_bundle(bundle: Bundle, verifier: Verifier, *, artifact: Artifact | None = None) -> Attestation:
    """What the bundle proves. Raises Refuted, Malformed, Undecidable."""
    proof = verifier.prove(bundle, artifact)
    if isinstance(bundle.content, MessageSignature):
        return _over_bytes(bundle.content, proof, artifact)
    if not _PAYLOAD.fullmatch(bundle.content.payload_type):
        raise Malformed(
            f"payload type: expected an in-toto statement, got {bundle.content.payload_type!r}",
            check="envelope.payload-type",
        )
    payload = read_untrusted(bundle.content)  # proved above, over these very bytes
    return Attestation(
        identity=proof.identity,
        statement=parse_statement(payload),
        digests=(),
        payload=payload,
        times=proof.times,
        notes=proof.notes,
    )


def open_candidate(
    data: bytes,
    verifier: Verifier,
    *,
    origin: str,
    artifact: Artifact | None = None,
    limits: Limits = DEFAULT,
) -> Candidate:
    """The same for one of many: an error is kept with the candidate."""
    try:
        attestation = open_bundle(parse_bundle(data, limits=limits), verifier, artifact=artifact)
    except ModsealError as error:
        return Candidate(origin=origin, error=error)
    return Candidate(origin=origin, attestation=attestation)


def _over_bytes(content: MessageSignature, proof: Proof, artifact: Artifact | None) -> Attestation:
    if artifact is None:
        raise Undecidable("a message signature needs the artifact", check="signature.needs-bytes")
    stated = content.digest
    if stated is not None and stated.algorithm == artifact.digest.algorithm and stated != artifact.digest:
        raise Refuted(
            f"the bundle is about {stated}, the artifact is {artifact.digest}", check="signature.other-bytes"
        )
    return Attestation(
        identity=proof.identity,
        statement=None,
        digests=(artifact.digest,),
        payload=b"",
        times=proof.times,
        notes=proof.notes,
    )


def _check(key: PublicKey, signature: bytes, sha256: bytes | None, artifact: Artifact) -> None:
    if sha256 is not None:
        try:
            return key.check_hashed(signature, sha256)
        except Undecidable:
            pass  # a scheme that hashes in its own way
        except Refuted:
            if key.algorithm != "ecdsa-p384":  # its signers hash with SHA-384, or SHA-256
                raise
    return key.check_signature(signature, artifact.read())
