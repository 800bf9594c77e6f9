"""Bundles with the proofs of their log entries, which are read only where somebody checks certificates.

`verify.signing.bundle` tells that an entry brings a promise or an inclusion proof; here both are read from the same
bytes, by the same strict rules. A `ProvableEntry` is untrusted like the rest of a bundle.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.errors import ModsealError
from verify.limits import DEFAULT
from verify.signing.accounting import Candidate
from verify.signing.bundle import Bundle, LogEntry, parse_bundle
from verify.signing.document import parse
from verify.signing.log_proof import Inclusion, parse_inclusion
from verify.signing.opening import open_bundle

if TYPE_CHECKING:
    from verify.limits import Limits
    from verify.signing.document import Fields
    from verify.signing.opening import Artifact, Verifier


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvableEntry(LogEntry):
    """A log entry with what it takes to prove it."""

    promise: bytes | None
    proof: Inclusion | None


def parse_provable_bundle(data: bytes, *, limits: Limits = DEFAULT) -> Bundle:
    """As `parse_bundle`, with `ProvableEntry` for every log entry. Raises Malformed, Exhausted."""
    bundle = parse_bundle(data, limits=limits)
    if not bundle.log_entries:
        return bundle
    material = parse(data, room="bundle", most=limits.bundle_bytes).child("verificationMaterial")
    rows = material.children("tlogEntries", limits.bundle_entries)
    pairs = zip(bundle.log_entries, rows, strict=True)
    return dataclasses.replace(bundle, log_entries=tuple(_provable(entry, row) for entry, row in pairs))


def open_provable_candidate(
    data: bytes,
    verifier: Verifier,
    *,
    origin: str,
    artifact: Artifact | None = None,
    limits: Limits = DEFAULT,
) -> Candidate:
    """One of many bundles, by a key or with a certificate: an error is kept with the candidate."""
    try:
        bundle = parse_provable_bundle(data, limits=limits)
        attestation = open_bundle(bundle, verifier, artifact=artifact)
    except ModsealError as error:
        return Candidate(origin=origin, error=error)
    return Candidate(origin=origin, attestation=attestation)


def _provable(entry: LogEntry, row: Fields) -> ProvableEntry:
    told = {field.name: getattr(entry, field.name) for field in dataclasses.fields(LogEntry)}
    promise = None
    if entry.has_promise:
        child = row.child("inclusionPromise")
        child.known("signedEntryTimestamp")
        promise = child.blob("signedEntryTimestamp")
    proof = parse_inclusion(row.child("inclusionProof")) if entry.has_proof else None
    return ProvableEntry(**told, promise=promise, proof=proof)
