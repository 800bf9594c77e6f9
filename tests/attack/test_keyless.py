"""Attacks on keyless signatures: each spoils one part, signs the rest properly, and is refused by its check."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.fake_sigstore import ISSUER, SIGNER, FakeSigstore, Signing, changed, render
from tests.support.keyless_cases import ARTIFACT, statement
from verify.digest import Digest
from verify.errors import Malformed, Misused, ModsealError
from verify.signing.attestation import Asked, compare
from verify.signing.expectation import AnyOf, IdentityExpectation
from verify.signing.keyless import KeylessVerifier
from verify.signing.opening import Artifact, ByMaterial, open_bundle
from verify.signing.pattern import Pattern
from verify.signing.provable import open_provable_candidate, parse_provable_bundle
from verify.signing.trust import parse_trust_root

if TYPE_CHECKING:
    from verify.signing.attestation import Attestation

ROOT = parse_trust_root(render(FakeSigstore().trust()))
PATTERN = "https://github.com/acme/*/.github/workflows/release.yml@refs/tags/v*"


def opened(bundle: dict[str, Any], data: bytes = ARTIFACT, **less: bool) -> Attestation:
    artifact = Artifact(digest=Digest.of(data), read=lambda: data)
    verifier = ByMaterial(certificates=KeylessVerifier(root=ROOT, **less))
    return open_bundle(parse_provable_bundle(render(bundle)), verifier, artifact=artifact)


def judged(wanted: tuple[tuple[str, str], ...] = (), **how: Any) -> str:
    """The check that refuses, or empty."""
    expected = IdentityExpectation(
        name=Pattern.parse(PATTERN),
        issuer=Pattern.parse(ISSUER),
        claims=tuple((name, Pattern.parse(value)) for name, value in wanted),
    )
    try:
        found = opened(FakeSigstore().sign_payload(statement(), Signing(**how)))
    except ModsealError as error:
        return error.check or "none"
    asked = Asked(
        digest=Digest.of(ARTIFACT),
        expectation=AnyOf((expected,)),
        types=(found.predicate_type,),
        allow_unbound=True,
    )
    mismatch = compare(found, asked)
    return mismatch.check.id if mismatch else ""


def test_the_expected_signer_is_accepted() -> None:
    assert judged() == ""
    # a claim that the certificate does not make fits nothing
    assert judged(wanted=(("repository", "https://github.com/acme/net"),)) == "attestation.other-signer"


STRANGERS = {
    "owner with our owner's name in front": SIGNER.replace("acme/", "acme-evil/"),
    "owner with our owner's name behind": SIGNER.replace("acme/", "evil-acme/"),
    "host with our host's name in front": SIGNER.replace("github.com", "github.com.evil.test"),
    "host that looks like ours": SIGNER.replace("github.com", "g\u0456thub.com".encode("idna").decode()),
    "our name behind a user part": SIGNER.replace("https://", "https://evil.test/?https://"),
    "a branch called like our tags": SIGNER.replace("@refs/tags/v1.4.0", "@refs/heads/x@refs/tags/v1.4.0"),
    "another workflow of ours": SIGNER.replace("release.yml", "test.yml"),
    "our name in another case": SIGNER.replace("acme", "Acme"),
    "something behind a newline": SIGNER + "\nx",
    "something before a newline": "https://evil.test/\n" + SIGNER,
    "a NUL behind our name": SIGNER.replace("v1.4.0", "v\0"),
    "an e-mail address instead": "dev@loop.test",
}


@pytest.mark.parametrize("name", STRANGERS.values(), ids=list(STRANGERS))
def test_an_identity_that_nearly_fits_is_another_signer(name: str) -> None:
    assert judged(identity=name) == "attestation.other-signer"


@pytest.mark.parametrize("issuer", [ISSUER + "/", ISSUER + ".evil.test", ISSUER.upper(), "", ISSUER + "\n"])
def test_an_issuer_that_nearly_fits_is_another(issuer: str) -> None:
    assert judged(issuer=issuer) == "attestation.other-signer"


def test_two_issuers_in_one_certificate_are_none() -> None:
    bundle = FakeSigstore().sign_payload(statement(), Signing(claims={"1": "https://evil.test"}))
    expected = IdentityExpectation(name=Pattern.parse(PATTERN), issuer=Pattern.parse(ISSUER))
    assert expected.differences(opened(bundle).identity)


@pytest.mark.parametrize("text", ["acme\n", "\u202eacme", "**", "https://*/acme", ""])
def test_an_expectation_nobody_means_is_a_mistake(text: str) -> None:
    with pytest.raises(Misused):
        Pattern.parse(text)


def test_a_claim_narrows_the_signer() -> None:
    made = {"12": "https://github.com/acme/net"}
    bundle = FakeSigstore().sign_payload(statement(), Signing(claims=made))
    identity = opened(bundle).identity
    for value, fits in (("https://github.com/acme/net", True), ("https://github.com/acme/net2", False)):
        expected = IdentityExpectation(
            name=Pattern.parse(PATTERN),
            issuer=Pattern.parse(ISSUER),
            claims=(("repository", Pattern.parse(value)),),
        )
        assert (expected.differences(identity) == ()) is fits


def test_a_certificate_is_never_taken_for_a_key() -> None:
    from tests.support.signing import key
    from verify.signing.opening import KeyVerifier

    data = render(FakeSigstore().sign_message(ARTIFACT))
    verifier = ByMaterial(keys=KeyVerifier((key().public_key,)))
    found = open_provable_candidate(data, verifier, origin="b.json")
    assert found.error is not None
    assert found.error.check == "signature.not-by-key"


def test_a_key_is_never_taken_for_a_certificate() -> None:
    from tests.support.signing import message_bundle

    verifier = ByMaterial(certificates=KeylessVerifier(root=ROOT))
    found = open_provable_candidate(message_bundle(ARTIFACT), verifier, origin="b.json")
    assert found.error is not None
    assert found.error.check == "signature.not-by-certificate"


@pytest.mark.parametrize("kind", [1, 2])
def test_every_one_byte_change_of_a_proof_is_refused(kind: int) -> None:
    good = FakeSigstore().sign_message(ARTIFACT, Signing(log=kind))
    opened(good)
    entry = good["verificationMaterial"]["tlogEntries"][0]
    places = [("canonicalizedBody",), ("inclusionProof", "rootHash"), ("inclusionProof", "hashes", 0)]
    places += [("inclusionPromise", "signedEntryTimestamp")] if kind == 1 else []
    for place in places:
        value: Any = entry
        for step in place:
            value = value[step]
        raw = base64.b64decode(value)
        for at in range(0, len(raw), max(1, len(raw) // 7)):
            spoilt = raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]
            bundle = changed(
                good, "verificationMaterial", "tlogEntries", 0, *place, to=base64.b64encode(spoilt).decode()
            )
            with pytest.raises(ModsealError):
                opened(bundle)


def test_every_truncation_is_malformed() -> None:
    data = render(FakeSigstore().sign_message(ARTIFACT))
    for length in range(0, len(data), 97):
        with pytest.raises(Malformed):
            parse_provable_bundle(data[:length])


def test_less_is_asked_only_by_the_caller() -> None:
    bare = changed(
        FakeSigstore().sign_message(ARTIFACT, Signing(log=2)), "verificationMaterial", "tlogEntries", to=[]
    )
    assert opened(bare, needs_log=False).times
    assert opened(FakeSigstore().sign_message(ARTIFACT, Signing(sct=False)), needs_sct=False)


def test_several_log_entries_must_all_be_this_signatures() -> None:
    sigstore = FakeSigstore()
    good, other = sigstore.sign_message(ARTIFACT), sigstore.sign_message(b"other")
    both = [*good["verificationMaterial"]["tlogEntries"], *other["verificationMaterial"]["tlogEntries"]]
    with pytest.raises(ModsealError) as caught:
        opened(changed(good, "verificationMaterial", "tlogEntries", to=both))
    assert caught.value.check == "log.other-entry"


def test_a_stranger_beside_a_proved_time_sinks_nothing() -> None:
    from tests.support.fake_sigstore import NOW, b64, timestamp

    good = FakeSigstore().sign_message(ARTIFACT)
    stamp = {"signedTimestamp": b64(timestamp(b"any", NOW, name="eve"))}
    wrong = changed(
        good, "verificationMaterial", "timestampVerificationData", to={"rfc3161Timestamps": [stamp]}
    )
    with pytest.raises(ModsealError) as caught:  # it is not even about this signature
        opened(wrong)
    assert caught.value.check == "timestamp.invalid"
    stranger = FakeSigstore().sign_message(ARTIFACT, Signing(stamped=True, tsa="eve"))
    assert opened(stranger).notes == ("a timestamp by an unknown authority",)


def test_key_only_paths_do_not_load_what_reads_certificates() -> None:
    program = (
        "import sys, verify.workflows.check_file\n"
        "loaded = {'verify.signing.keyless', 'verify.signing.timestamp', 'sigstore'} & set(sys.modules)\n"
        "sys.exit(str(loaded) if loaded else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ),
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
