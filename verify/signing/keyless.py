"""Keyless signatures: a short-lived certificate, and proof that it was used while it was valid.

`KeylessVerifier.prove` believes nothing but the trust root it was given; it opens no file, socket or clock.

1. The signer's certificate is read; a self-signed one among its companions is refused.
2. The times: every RFC 3161 timestamp over the signature is proved, and every log entry's promise, whose
   integrated time then counts. At least one time is proved. A timestamp by a stranger is noted, no more.
3. At every one of these times an authority that the root trusted then issued the certificate, for code signing
   (`verify.signing.chain`), and the certificate was valid.
4. The certificate was shown to a certificate transparency log (`verify.signing.sct`), unless the caller asks less.
5. Every log entry was made by a log that the root trusted at its time, and is proved to be in that log: by an
   inclusion proof under a signed checkpoint, or in bundles of version 0.1 by the promise alone. At least one entry
   is needed, unless the caller asks less.
6. Every log entry is this signature's: same bytes, same signature, same certificate.
7. The signature itself holds under the certificate's key, over the envelope's encoding or the artifact.

What is proved is who signed and when. Whether it is the signer that was expected, about the right bytes and module,
is decided afterwards, by the same rules as for keys (`verify.signing.attestation`). Fulcio and Rekor are asked
nothing: what they said when it was signed stands in the bundle.
"""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from verify.errors import Malformed, Refuted, Undecidable
from verify.signing.attestation import SignedTime, TimeSource
from verify.signing.bundle import CertificateMaterial, MessageSignature
from verify.signing.certificate import read_certificate
from verify.signing.chain import find_path
from verify.signing.document import decode
from verify.signing.dsse import read_untrusted
from verify.signing.keys import Algorithm, PublicKey
from verify.signing.log_body import Signed, check_body, check_kind
from verify.signing.log_proof import check_inclusion, check_promise
from verify.signing.opening import Proof
from verify.signing.provable import ProvableEntry
from verify.signing.sct import check_logged
from verify.signing.timestamp import check_timestamp
from verify.signing.trust import logs_with

if TYPE_CHECKING:
    from verify.signing.bundle import Bundle
    from verify.signing.chain import Path
    from verify.signing.opening import Artifact
    from verify.signing.trust import Log, TrustRoot

_PROMISED = {("hashedrekord", "0.0.1"), ("dsse", "0.0.1"), ("intoto", "0.0.2")}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeylessVerifier:
    """Certificates under one trust root. Asking for less is the caller's decision, and stands in the report."""

    root: TrustRoot
    needs_log: bool = True
    needs_sct: bool = True

    def prove(self, bundle: Bundle, artifact: Artifact | None) -> Proof:
        """Raises Refuted, Malformed, Undecidable where trust material or bytes are missing."""
        with warnings.catch_warnings():
            # private authorities have names longer than X.520 allows; they are compared, not judged
            warnings.filterwarnings("ignore", message="Attribute's length", category=UserWarning)
            return self._prove(bundle, artifact)

    def _prove(self, bundle: Bundle, artifact: Artifact | None) -> Proof:
        leaf, companions = _certificates(bundle)  # 1
        facts = read_certificate(bundle.material.chain[0])  # type: ignore[union-attr]  # 1 saw to it
        entries = [(entry, self._log(entry)) for entry in _provable(bundle)]
        times, notes = self._times(bundle, entries)  # 2
        moments = [datetime.fromtimestamp(each.seconds, UTC) for each in times]
        paths = [self._path(leaf, companions, at) for at in moments]  # 3
        if self.needs_sct:
            check_logged(leaf, paths[0].issuer, self.root)  # 4
        self._check_entries(bundle, entries, moments)  # 5
        signed = _signed(bundle, leaf, artifact)
        for entry, _ in entries:
            check_body(entry, signed)  # 6
        _check_signature(bundle, leaf, artifact)  # 7
        return Proof(identity=facts.identity, times=times, notes=notes)

    def _log(self, entry: ProvableEntry) -> Log:
        check_kind(entry)
        found = logs_with(decode(entry.log_id, "log entry", "bundle"), self.root.logs)
        if not found:
            raise Undecidable(
                f"log entry: made by log {entry.log_id}, which the trust root does not name",
                check="log.unknown",
                hint="get the trust root of the instance that signed",
            )
        return found[0]

    def _times(
        self, bundle: Bundle, entries: list[tuple[ProvableEntry, Log]]
    ) -> tuple[tuple[SignedTime, ...], tuple[str, ...]]:
        times: list[SignedTime] = []
        stranger: Undecidable | None = None
        for each in bundle.timestamps:
            try:
                moment = check_timestamp(each, bundle.signature, self.root)
            except Undecidable as error:
                stranger = error
                continue
            times.append(SignedTime(seconds=int(moment.timestamp()), source=TimeSource.AUTHORITY))
        for entry, log in entries:
            if entry.promise is None:
                continue
            check_promise(entry, entry.promise, decode(entry.log_id, "log entry", "bundle"), log)
            if (entry.kind, entry.version) in _PROMISED and entry.integrated:
                times.append(SignedTime(seconds=entry.integrated, source=TimeSource.LOG))
        if not times:
            raise stranger or Refuted(
                "nothing proves when it was signed: expected a timestamp, or a log's promise",
                check="timestamp.missing",
                hint="a signature without a proved time cannot be told from one made with an expired certificate",
            )
        return tuple(times), ("a timestamp by an unknown authority",) if stranger else ()

    def _path(self, leaf: x509.Certificate, companions: tuple[x509.Certificate, ...], at: datetime) -> Path:
        if not self.root.authorities:
            raise Undecidable("the trust root names no certificate authority", check="trust.incomplete")
        reason: Refuted | None = None
        for authority in self.root.authorities:
            if not authority.period.holds(at):
                continue
            try:
                return find_path(leaf, authority, companions, purpose=ExtendedKeyUsageOID.CODE_SIGNING, at=at)
            except Refuted as error:
                if reason is None or reason.check == "certificate.untrusted":
                    reason = error
        raise reason or Refuted(
            f"certificate: the trust root trusts no authority at {at:%Y-%m-%d %H:%M:%S}",
            check="certificate.untrusted",
        )

    def _check_entries(
        self, bundle: Bundle, entries: list[tuple[ProvableEntry, Log]], moments: list[datetime]
    ) -> None:
        if not entries and self.needs_log:
            raise Refuted(
                "the bundle has no log entry",
                check="log.missing",
                hint="--without-log accepts it, for an instance that keeps no public log",
            )
        for entry, log in entries:
            made = [datetime.fromtimestamp(entry.integrated, UTC)] if entry.integrated else moments
            if not all(log.period.holds(each) for each in made):
                raise Refuted(
                    f"log entry: made {made[0]:%Y-%m-%d %H:%M:%S}, and the log's key is trusted {log.period}",
                    check="log.outside-validity",
                )
            _check_included(entry, log, bundle.version)


def _provable(bundle: Bundle) -> tuple[ProvableEntry, ...]:
    found = tuple(each for each in bundle.log_entries if isinstance(each, ProvableEntry))
    if len(found) != len(bundle.log_entries):
        raise TypeError("a bundle that is proved is read by parse_provable_bundle")
    return found


def _check_included(entry: ProvableEntry, log: Log, version: str) -> None:
    """Version 0.1 was made when logs gave no checkpoints: there a promise is enough, as its format says."""
    proof = entry.proof
    if proof is not None and proof.checkpoint:
        return check_inclusion(entry.body, proof, log)
    if version == "0.1" and entry.promise is not None:
        return None
    raise Refuted("log entry: without an inclusion proof and its checkpoint", check="log.inclusion-missing")


def _certificates(bundle: Bundle) -> tuple[x509.Certificate, tuple[x509.Certificate, ...]]:
    if not isinstance(bundle.material, CertificateMaterial):
        raise Refuted(
            "expected a signature with a certificate, got one by a key",
            check="signature.not-by-certificate",
            hint="name the key: --key FILE",
        )
    try:
        leaf, *others = [x509.load_der_x509_certificate(each) for each in bundle.material.chain]
    except ValueError as error:
        raise Malformed("certificate: cannot be read", check="bundle.malformed") from error
    if any(each.subject == each.issuer and each.subject.public_bytes() != b"0\0" for each in others):
        raise Refuted(
            "the bundle brings a root of its own: only the trust root says what is trusted",
            check="certificate.own-root",
        )
    return leaf, tuple(others)


def _signed(bundle: Bundle, leaf: x509.Certificate, artifact: Artifact | None) -> Signed:
    content = bundle.content
    if isinstance(content, MessageSignature):
        return Signed(
            hashed=lambda algorithm: _digest_of(artifact, algorithm),
            payload=None,
            signature=content.signature,
            leaf=leaf,
        )
    data = content.signed
    return Signed(
        hashed=lambda algorithm: hashlib.new(algorithm, data).digest(),
        payload=read_untrusted(content),
        signature=bundle.signature,
        leaf=leaf,
    )


def _digest_of(artifact: Artifact | None, algorithm: str) -> bytes:
    at_hand = _at_hand(artifact)
    if at_hand.digest.algorithm == algorithm:
        return bytes.fromhex(at_hand.digest.hex)
    return hashlib.new(algorithm, at_hand.read()).digest()


def _at_hand(artifact: Artifact | None) -> Artifact:
    if artifact is None:
        raise Undecidable("a message signature needs the artifact", check="signature.needs-bytes")
    return artifact


def _check_signature(bundle: Bundle, leaf: x509.Certificate, artifact: Artifact | None) -> None:
    key = PublicKey.of(leaf.public_key())
    try:
        if not isinstance(bundle.content, MessageSignature):
            return key.check_signature(bundle.signature, bundle.content.signed)
        if key.algorithm is not Algorithm.ED25519 and _at_hand(artifact).digest.algorithm == "sha256":
            try:
                return key.check_hashed(bundle.signature, _digest_of(artifact, "sha256"))
            except Refuted:
                if key.algorithm is not Algorithm.P384:  # its signers hash with SHA-256, or SHA-384
                    raise
        return key.check_signature(bundle.signature, _at_hand(artifact).read())
    except Refuted as error:
        raise Refuted(
            "the signature does not hold under its certificate's key: what was signed is other bytes",
            check="signature.invalid",
        ) from error
