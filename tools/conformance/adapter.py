#!/usr/bin/env python3
"""modseal as the client that Sigstore's conformance suite runs: bundle verification, offline.

    adapter.py verify-bundle [--staging] --bundle FILE [--trusted-root FILE]
        (--certificate-identity NAME --certificate-oidc-issuer URL | --key FILE) FILE_OR_DIGEST

The exit code is modseal's own: 0 passed, 1 refuted, 2 usage, 3 undecidable. Without --trusted-root the root is the
one that the installed sigstore package carries for its public instance; nothing is fetched. A digest
(`sha256:…`) stands for the file; an envelope needs one of its subjects to have that digest, whatever it says of it.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from verify.digest import Digest
from verify.errors import Misused, ModsealError, Refuted, Undecidable
from verify.signing.attestation import Asked, compare
from verify.signing.expectation import AnyOf, IdentityExpectation, KeyExpectation
from verify.signing.keyfile import parse_public_key
from verify.signing.keyless import KeylessVerifier
from verify.signing.opening import Artifact, ByMaterial, KeyVerifier, open_bundle
from verify.signing.pattern import Pattern
from verify.signing.provable import parse_provable_bundle
from verify.signing.trust import TrustRoot, parse_trust_root

_INSTANCES = {
    False: "https%3A%2F%2Ftuf-repo-cdn.sigstore.dev",
    True: "https%3A%2F%2Ftuf-repo-cdn.sigstage.dev",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question."""

    bundle: bytes
    subject: str  # a file's path, or a digest
    identity: str | None = None
    issuer: str | None = None
    key: bytes | None = None
    trusted_root: bytes | None = None
    staging: bool = False


def answer(case: Case) -> None:
    """Returns where the bundle holds. Raises ModsealError with the reason."""
    if (case.key is None) == (case.identity is None or case.issuer is None):
        raise Misused("expected a key, or an identity with its issuer")
    artifact = _artifact(case.subject)
    if case.key is not None:
        key = parse_public_key(case.key)
        verifier = ByMaterial(keys=KeyVerifier((key,)))
        expected = AnyOf((KeyExpectation(key_ids=(key.key_id,)),))
    else:
        verifier = ByMaterial(certificates=KeylessVerifier(root=_root(case)))
        expected = AnyOf(
            (
                IdentityExpectation(
                    name=Pattern.exact(case.identity or ""), issuer=Pattern.exact(case.issuer or "")
                ),
            )
        )
    found = open_bundle(parse_provable_bundle(case.bundle), verifier, artifact=artifact)
    asked = Asked(
        digest=artifact.digest, expectation=expected, types=(found.predicate_type,), allow_unbound=True
    )
    mismatch = compare(found, asked)
    if mismatch is not None:
        raise Refuted(mismatch.message, check=mismatch.check.id)


def _root(case: Case) -> TrustRoot:
    if case.trusted_root is not None:
        return parse_trust_root(case.trusted_root)
    spec = find_spec("sigstore")
    if spec is None or spec.origin is None:
        raise Undecidable("no trust root is named, and no sigstore package is there to carry one")
    store = Path(spec.origin).parent / "_store" / _INSTANCES[case.staging]
    return parse_trust_root((store / "trusted_root.json").read_bytes())


def _artifact(subject: str) -> Artifact:
    if subject.startswith("sha256:") and not Path(subject).exists():
        return Artifact(digest=Digest.parse(subject), read=_no_bytes)
    data = Path(subject).read_bytes()
    return Artifact(digest=Digest.of(data), read=lambda: data)


def _no_bytes() -> bytes:
    raise Undecidable("only the artifact's digest is at hand", check="signature.needs-bytes")


def main(argv: list[str]) -> int:
    """One command line of the suite's protocol."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verb = parser.add_subparsers(required=True).add_parser("verify-bundle")
    verb.add_argument("--staging", action="store_true")
    for name in ("--bundle", "--trusted-root", "--key"):
        verb.add_argument(name, type=Path, required=name == "--bundle")
    verb.add_argument("--certificate-identity")
    verb.add_argument("--certificate-oidc-issuer")
    verb.add_argument("subject")
    args = parser.parse_args(argv)
    try:
        answer(
            Case(
                bundle=args.bundle.read_bytes(),
                subject=args.subject,
                identity=args.certificate_identity,
                issuer=args.certificate_oidc_issuer,
                key=args.key.read_bytes() if args.key else None,
                trusted_root=args.trusted_root.read_bytes() if args.trusted_root else None,
                staging=args.staging,
            )
        )
    except ModsealError as error:
        print(f"{error.check}: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
