"""`modseal verify file FILE --bundle B`: did an expected signer sign these bytes, for this module?

1. The file's digest is taken from its bytes; nothing the bundle states replaces it.
2. Somebody must be expected: without a key or an identity the call is a mistake, exit 2.
3. A bundle by a key is opened with the keys named, one with a certificate under the trust root named; what it then
   proves is compared with what was asked.
4. The basis is pinned: the keys and the trust root came from elsewhere than the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from verify.digest import Digest, measure
from verify.errors import Malformed, Misused, Refuted
from verify.limits import DEFAULT, Limits
from verify.module import Module
from verify.report import Basis, BasisKind, Detail, Report, Subject
from verify.signing import checks
from verify.signing.accounting import check_attestations
from verify.signing.attestation import DEFAULT_TYPES, Asked
from verify.signing.expectation import AnyOf, KeyExpectation
from verify.signing.opening import Artifact, ByMaterial, KeyVerifier, open_candidate
from verify.signing.predicates.kinds import find_kind
from verify.signing.predicates.release import RELEASES
from verify.workflows.keyless import NO_SIGNER, Keyless, keyless_verifier
from verify.workflows.keys import load_public_key
from verify.workflows.sources import open_file, read_document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.signing.accounting import Candidate
    from verify.signing.expectation import Expectation


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What the command line asks for, as typed."""

    keys: tuple[str, ...] = ()
    module: str | None = None
    types: tuple[str, ...] = ()
    allow_unbound: bool = False
    keyless: Keyless = NO_SIGNER


def check_file(path: str, bundles: Sequence[str], demand: Demand, *, limits: Limits = DEFAULT) -> Report:
    """The report on one file. Raises Absent, Unavailable, Misused."""
    if not bundles:
        raise Misused("no bundle is named", hint="--bundle FILE")
    file = Path(path.removeprefix("file:"))
    keys = tuple(load_public_key(Path(each), limits=limits) for each in demand.keys)
    signers = demand.keyless.expectations()
    expectations: tuple[Expectation, ...] = (
        *((KeyExpectation(key_ids=tuple(each.key_id for each in keys)),) if keys else ()),
        *signers,
    )
    module = _module(demand.module)
    with open_file(file) as stream:
        digest = measure(stream, most=limits.blob_bytes).digest
    asked = Asked(
        digest=digest,
        expectation=AnyOf(expectations),
        module=module,
        types=accepted_types(demand.types),
        allow_unbound=demand.allow_unbound,
    )
    artifact = Artifact(digest=digest, read=lambda: _again(file, digest, limits))
    verifier, trusted = keyless_verifier(demand.keyless, limits=limits) if signers else (None, ())
    by_kind = ByMaterial(keys=KeyVerifier(keys) if keys else None, certificates=verifier)
    candidates = [_candidate(each, by_kind, artifact, limits) for each in bundles]
    judged = check_attestations(candidates, asked, subject=path)
    return Report(
        command="verify file",
        subjects=(Subject(name=path, requires=(checks.ACCEPTED.id,)),),
        findings=judged.findings,
        basis=Basis(
            kind=BasisKind.PINNED,
            detail=", ".join([*(f"key {each.key_id}" for each in keys), *(each.text for each in trusted)]),
        ),
        noun="file",
        weakened=(*(("--allow-unbound",) if demand.allow_unbound else ()), *demand.keyless.weakened),
        facts=(Detail(label="digest", text=str(digest)), *trusted),
    )


def _candidate(path: str, verifier: ByMaterial, artifact: Artifact, limits: Limits) -> Candidate:
    """A bundle by a key is opened without what reads certificates and logs: that costs time to load."""
    data = read_document(Path(path), limits.bundle_bytes)
    if verifier.certificates is None:
        return open_candidate(data, verifier, origin=path, artifact=artifact, limits=limits)
    from verify.signing.provable import open_provable_candidate  # noqa: PLC0415

    return open_provable_candidate(data, verifier, origin=path, artifact=artifact, limits=limits)


def accepted_types(names: Sequence[str]) -> tuple[str, ...]:
    """The predicate types that short names and URIs mean; by default a release, or a bare signature."""
    found: list[str] = []
    for name in names:
        kind = find_kind(name)
        found += RELEASES if kind.type in RELEASES else (kind.type,)
    return tuple(found) or DEFAULT_TYPES


def _module(text: str | None) -> Module | None:
    try:
        return Module.parse(text) if text else None
    except Malformed as error:
        raise Misused(error.message, hint="--module example.com/net@v1.4.0") from error


def _again(file: Path, digest: Digest, limits: Limits) -> bytes:
    """The bytes for a scheme that hashes in its own way; they must still be the ones that were measured."""
    data = read_document(file, limits.archive_ratio_floor)
    if Digest.of(data) != digest:
        raise Refuted(f"{file}: changed while it was read", check="signature.other-bytes")
    return data
