"""Paths of certificates: what each link may do, and that a path through it is refused where it may not."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

from tests.support.fake_sigstore import (
    NOW,
    FakeSigstore,
    Signing,
    changed,
    ec_key,
    key_usage,
    render,
)
from tests.support.keyless_cases import ARTIFACT
from verify.digest import Digest
from verify.errors import Refuted
from verify.signing.chain import find_path
from verify.signing.keyless import KeylessVerifier
from verify.signing.opening import Artifact
from verify.signing.provable import parse_provable_bundle
from verify.signing.trust import Authority, Period, parse_trust_root

CODE = ExtendedKeyUsageOID.CODE_SIGNING
CA = x509.BasicConstraints(ca=True, path_length=None)
LEAF = (x509.ExtendedKeyUsage([CODE]), key_usage(digital_signature=True))


def made(name: str, by: str, *extensions: Any, critical: bool = False) -> x509.Certificate:
    """A certificate of one name by another, with just these extensions."""
    builder = x509.CertificateBuilder(
        issuer_name=_name(by),
        subject_name=_name(name),
        public_key=ec_key(f"chain {name}").public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=NOW - timedelta(days=1),
        not_valid_after=NOW + timedelta(days=1),
    )
    for each in extensions:
        builder = builder.add_extension(each, critical=critical)
    return builder.sign(ec_key(f"chain {by}"), SHA256())


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def refused(
    leaf: x509.Certificate, *chain: x509.Certificate, extra: tuple[x509.Certificate, ...] = ()
) -> str:
    """The check that refuses, or empty."""
    authority = Authority(name="test", url="", chain=chain, period=Period())
    try:
        find_path(leaf, authority, extra, purpose=CODE, at=NOW)
    except Refuted as error:
        return error.check or "none"
    return ""


ROOT, MIDDLE = made("root", "root", CA), made("middle", "root", CA)


def test_a_path_with_and_without_intermediates() -> None:
    assert refused(made("leaf", "root", *LEAF), ROOT) == ""
    assert refused(made("leaf", "middle", *LEAF), MIDDLE, ROOT) == ""
    assert refused(made("leaf", "middle", *LEAF), ROOT, extra=(MIDDLE,)) == ""
    assert refused(made("leaf", "middle", *LEAF), ROOT) == "certificate.untrusted"


def test_a_signer_cannot_issue_certificates() -> None:
    signer = made("middle", "root", *LEAF)
    assert refused(made("leaf", "middle", *LEAF), ROOT, extra=(signer,)) == "certificate.purpose"
    no_ca = made("middle", "root", x509.BasicConstraints(ca=False, path_length=None))
    assert refused(made("leaf", "middle", *LEAF), ROOT, extra=(no_ca,)) == "certificate.purpose"


def test_an_authority_that_may_not_sign_certificates_issues_none() -> None:
    weak = made("middle", "root", CA, key_usage(digital_signature=True))
    assert refused(made("leaf", "middle", *LEAF), ROOT, extra=(weak,)) == "certificate.purpose"


def test_an_authority_cannot_be_the_signer() -> None:
    assert refused(made("leaf", "root", CA, *LEAF), ROOT) == "certificate.purpose"


def test_a_path_is_no_longer_than_an_issuer_allows() -> None:
    short = made("root", "root", x509.BasicConstraints(ca=True, path_length=0))
    assert refused(made("leaf", "root", *LEAF), short) == ""
    assert refused(made("leaf", "middle", *LEAF), MIDDLE, short) == "certificate.purpose"


@pytest.mark.parametrize("where", ["leaf", "middle"])
def test_a_critical_extension_that_is_not_understood_is_refused(where: str) -> None:
    odd = x509.UnrecognizedExtension(ObjectIdentifier("1.2.3.4"), b"\x05\x00")
    leaf = made("leaf", "middle", *LEAF, *([odd] if where == "leaf" else []), critical=True)
    middle = made("middle", "root", CA, *([odd] if where == "middle" else []), critical=True)
    assert refused(leaf, middle, ROOT) == "certificate.purpose"
    assert refused(made("leaf", "middle", *LEAF, odd), MIDDLE, ROOT) == ""


def test_name_constraints_are_refused() -> None:
    limits = x509.NameConstraints(permitted_subtrees=[x509.DNSName("loop.test")], excluded_subtrees=None)
    assert (
        refused(made("leaf", "middle", *LEAF), made("middle", "root", CA, limits), ROOT)
        == "certificate.purpose"
    )


@pytest.mark.parametrize("missing", [0, 1])
def test_a_signer_says_what_it_is_for(missing: int) -> None:
    assert refused(made("leaf", "root", LEAF[1 - missing]), ROOT) == "certificate.purpose"


def test_a_name_alone_is_no_issuer() -> None:
    forged = (
        x509.CertificateBuilder(
            issuer_name=_name("root"),
            subject_name=_name("leaf"),
            public_key=ec_key("chain leaf").public_key(),
            serial_number=1,
            not_valid_before=NOW,
            not_valid_after=NOW,
        )
        .add_extension(LEAF[0], critical=False)
        .add_extension(LEAF[1], critical=False)
        .sign(ec_key("chain eve"), SHA256())
    )
    assert refused(forged, ROOT) == "certificate.untrusted"


def test_many_issuers_of_one_name_end() -> None:
    strangers = tuple(made("middle", "middle", CA) for _ in range(70))
    assert refused(made("leaf", "middle", *LEAF), ROOT, extra=strangers) == "certificate.untrusted"


def test_a_checkpoint_of_the_same_log_about_another_tree_is_refused() -> None:
    sigstore = FakeSigstore()
    early = sigstore.sign_message(ARTIFACT, Signing(log=2))
    place = ("verificationMaterial", "tlogEntries", 0, "inclusionProof", "checkpoint", "envelope")
    later: Any = sigstore.sign_message(ARTIFACT, Signing(log=2))
    for step in place:
        later = later[step]
    verifier = KeylessVerifier(root=parse_trust_root(render(sigstore.trust())))
    artifact = Artifact(digest=Digest.of(ARTIFACT), read=lambda: ARTIFACT)
    assert verifier.prove(parse_provable_bundle(render(early)), artifact).times
    with pytest.raises(Refuted) as caught:
        verifier.prove(parse_provable_bundle(render(changed(early, *place, to=later))), artifact)
    assert caught.value.check == "log.checkpoint"
