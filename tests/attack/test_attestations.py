"""Attestations that somebody made to be believed for what they are not: each refused by its own check."""

from __future__ import annotations

import base64
import datetime as dt
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding

from tests.support.signing import (
    MANIFEST,
    NET,
    ZIP,
    Spoiled,
    artifact,
    bundled,
    key,
    message_bundle,
    release,
)
from verify.digest import Digest
from verify.errors import Unavailable
from verify.module import Module
from verify.report import Outcome, Report, Subject
from verify.signing import checks
from verify.signing.accounting import Candidate, check_attestations
from verify.signing.attestation import COSIGN_SIGN, Asked
from verify.signing.expectation import AnyOf, IdentityExpectation, KeyExpectation
from verify.signing.opening import ByMaterial, KeyVerifier, open_candidate
from verify.signing.pattern import Pattern
from verify.signing.statement import Resource, Statement

if TYPE_CHECKING:
    from collections.abc import Callable

ACME, EVE = key("acme"), key("eve")
EXPECTED = AnyOf((KeyExpectation(key_ids=(ACME.public_key.key_id,)),))
ASKED = Asked(digest=Digest.of(ZIP), expectation=EXPECTED, module=NET)
OTHER = Module.parse("example.com/evil@v1.4.0")


def candidates(*bundles: bytes) -> list[Candidate]:
    verifier = KeyVerifier((ACME.public_key,))
    return [
        open_candidate(each, verifier, origin=f"bundle {index}", artifact=artifact())
        for index, each in enumerate(bundles)
    ]


def judge(*bundles: bytes, asked: Asked = ASKED, more: tuple[Candidate, ...] = ()) -> tuple[str, set[str]]:
    """The verdict, and the checks that decided it."""
    judged = check_attestations([*candidates(*bundles), *more], asked, subject="net.zip")
    subject = Subject(name="net.zip", requires=(checks.ACCEPTED.id,))
    report = Report(command="verify file", subjects=(subject,), findings=judged.findings)
    assert (judged.accepted is not None) == (report.verdict.value == "passed")
    decisive = {each.check.id for each in judged.findings if each.outcome is not Outcome.NOTED}
    return report.verdict.value, decisive - {checks.ACCEPTED.id}


def spoiled(change: Callable[[Spoiled], object]) -> bytes:
    bundle = Spoiled.of(bundled())
    change(bundle)
    return bundle.data()


def payload(**changes: Any) -> str:
    said = json.loads(base64.b64decode(Spoiled.of(bundled()).envelope["payload"]))
    return base64.b64encode(json.dumps({**said, **changes}).encode()).decode()


def certificate() -> dict[str, str]:
    owner = ec.generate_private_key(ec.SECP256R1())
    now = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([]))
        .issuer_name(x509.Name([]))
        .public_key(owner.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.RFC822Name("dev@example.com")]), critical=True)
        .sign(owner, SHA256())
    )
    return {"rawBytes": base64.b64encode(made.public_bytes(Encoding.DER)).decode()}


def test_the_honest_one_passes() -> None:
    assert judge(bundled()) == ("passed", set())
    assert judge(bundled(), asked=replace(ASKED, digest=Digest.of(MANIFEST))) == ("passed", set())


# --- the bundle is right, the claim is another

REPLAYED = {
    "other-bytes": (release(archive=b"other bytes"), "attestation.other-subject"),
    "other-module-same-bytes": (release(OTHER), "attestation.other-module"),
    "other-version-same-bytes": (release(Module.parse("example.com/net@v1.3.0")), "attestation.other-module"),
    "prefix-of-the-name": (release(Module.parse("example.com/net@v1.4.0-evil")), "attestation.other-module"),
    "purl-of-another": (replace(release(), predicate=release(OTHER).predicate), "attestation.other-module"),
    "name-on-another-subject": (
        Statement(
            subjects=(
                Resource(name=str(OTHER), digests=(Digest.of(ZIP),)),
                Resource(name=str(NET), digests=(Digest.of(b"other"),)),
            ),
            predicate_type=release().predicate_type,
            predicate={"purl": "pkg:npm/x@1"},
        ),
        "attestation.other-module",
    ),
    "name-with-a-newline": (
        Statement(
            subjects=(Resource(name=f"{NET}\n", digests=(Digest.of(ZIP),)),),
            predicate_type=COSIGN_SIGN,
        ),
        "attestation.other-module",
    ),
    "name-that-looks-alike": (
        Statement(
            subjects=(Resource(name="ex\u0430mple.com/net@v1.4.0", digests=(Digest.of(ZIP),)),),
            predicate_type=COSIGN_SIGN,
        ),
        "attestation.other-module",
    ),
    "another-type": (
        replace(release(), predicate_type="https://slsa.dev/provenance/v1"),
        "attestation.other-type",
    ),
    "type-with-a-suffix": (
        replace(release(), predicate_type=release().predicate_type + "0"),
        "attestation.other-type",
    ),
    "tree-hash-is-no-digest": (
        Statement(
            subjects=(Resource(name=str(NET), digests=(Digest.of(b"x"),), annotations={"sha256": Digest.of(ZIP).hex}),),
            predicate_type=COSIGN_SIGN,
        ),
        "attestation.other-subject",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REPLAYED)
@pytest.mark.parametrize("allow", [False, True])
def test_a_good_signature_under_another_claim(name: str, allow: bool) -> None:
    statement, check = REPLAYED[name]
    assert judge(bundled(statement), asked=replace(ASKED, allow_unbound=allow)) == ("failed", {check})


UNBOUND = [
    Statement(subjects=(Resource(digests=(Digest.of(ZIP),)),), predicate_type=COSIGN_SIGN, predicate={}),
    Statement(
        subjects=(Resource(name="registry.example/net", digests=(Digest.of(ZIP),)),),
        predicate_type=COSIGN_SIGN,
    ),
    Statement(
        subjects=(Resource(name=f"registry.example/net@{Digest.of(ZIP)}", digests=(Digest.of(ZIP),)),),
        predicate_type=COSIGN_SIGN,
    ),
]


@pytest.mark.parametrize("statement", UNBOUND, ids=["no-name", "repository", "repository-and-digest"])
def test_a_claim_that_names_no_module_is_unknown_until_accepted(statement: Statement) -> None:
    assert judge(bundled(statement)) == ("unknown", {"attestation.unbound"})
    assert judge(bundled(statement), asked=replace(ASKED, allow_unbound=True)) == ("passed", set())


def test_a_bare_signature_is_unbound() -> None:
    assert judge(message_bundle(ZIP)) == ("unknown", {"attestation.unbound"})
    assert judge(message_bundle(ZIP), asked=replace(ASKED, allow_unbound=True)) == ("passed", set())
    narrow = replace(ASKED, allow_unbound=True, types=(release().predicate_type,))
    assert judge(message_bundle(ZIP), asked=narrow) == ("failed", {"attestation.other-type"})


def test_nobody_named_a_module_so_nothing_is_bound() -> None:
    assert judge(bundled(), asked=replace(ASKED, module=None)) == ("unknown", {"attestation.unbound"})


# --- the bundle is wrong

WRONG: dict[str, tuple[Callable[[Spoiled], object], str]] = {
    "swapped-payload": (lambda b: b.envelope.update(payload=payload(predicateType="x:y")), "signature.invalid"),
    "reformatted-payload": (lambda b: b.envelope.update(payload=payload()), "signature.invalid"),
    "swapped-type": (
        lambda b: b.envelope.update(payloadType="application/vnd.in-toto.x+json"),
        "signature.invalid",
    ),
    "signature-of-another": (
        lambda b: b.envelope.update(signatures=Spoiled.of(bundled(release(OTHER))).envelope["signatures"]),
        "signature.invalid",
    ),
    "hint-to-another-key-and-its-signature": (
        lambda b: (
            b.material.update(Spoiled.of(bundled(by=EVE)).material),
            b.envelope.update(Spoiled.of(bundled(by=EVE)).envelope),
        ),
        "signature.other-key",
    ),
    "their-signature-our-hint": (
        lambda b: b.envelope.update(Spoiled.of(bundled(by=EVE)).envelope),
        "signature.invalid",
    ),
    "two-signatures": (
        lambda b: b.envelope["signatures"].append(Spoiled.of(bundled(by=EVE)).envelope["signatures"][0]),
        "bundle.signature-count",
    ),
    "the-same-signature-twice": (
        lambda b: b.envelope["signatures"].append(b.envelope["signatures"][0]),
        "bundle.signature-count",
    ),
    "no-signature": (lambda b: b.envelope.update(signatures=[]), "bundle.malformed"),
    "empty-signature": (lambda b: b.envelope["signatures"][0].update(sig=""), "bundle.malformed"),
    "certificate-for-a-key": (
        lambda b: (b.material.pop("publicKey"), b.material.update(certificate=certificate())),
        "signature.not-by-key",
    ),
    "certificate-beside-the-key": (lambda b: b.material.update(certificate=certificate()), "bundle.malformed"),
    "no-material": (lambda b: b.material.pop("publicKey"), "bundle.malformed"),
    "both-contents": (
        lambda b: b.top.update(messageSignature=json.loads(message_bundle(ZIP))["messageSignature"]),
        "bundle.malformed",
    ),
    "second-spelling-of-a-field": (
        lambda b: b.top.update(dsse_envelope=b.envelope),
        "bundle.malformed",
    ),
    "url-safe-base64": (
        lambda b: b.envelope["signatures"][0].update(
            sig=base64.urlsafe_b64encode(b"\xfb\xff\xfe").decode()
        ),
        "bundle.malformed",
    ),
    "base64-with-a-second-spelling": (
        lambda b: b.envelope["signatures"][0].update(sig="AAF="),
        "bundle.malformed",
    ),
    "base64-with-a-line-feed": (
        lambda b: b.envelope.update(payload=b.envelope["payload"] + "\n"),
        "bundle.malformed",
    ),
    "version-of-the-future": (
        lambda b: b.top.update(mediaType="application/vnd.dev.sigstore.bundle.v0.4+json"),
        "bundle.version",
    ),
    "one-timestamp-twice": (
        lambda b: b.material.update(
            timestampVerificationData={"rfc3161Timestamps": [{"signedTimestamp": "AAAA"}] * 2}
        ),
        "bundle.malformed",
    ),
    "many-timestamps": (
        lambda b: b.material.update(timestampVerificationData={"rfc3161Timestamps": [{}] * 33}),
        "bundle.too-large",
    ),
    "negative-log-index": (
        lambda b: b.material.update(tlogEntries=[{"logIndex": "-1", "kindVersion": {}, "logId": {}}]),
        "bundle.malformed",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_bundle_that_was_tampered_with(name: str) -> None:
    change, check = WRONG[name]
    outcome = "unknown" if check == "bundle.too-large" else "failed"
    assert judge(spoiled(change)) == (outcome, {check})


def test_a_hint_that_names_another_key_neither_helps_nor_hurts() -> None:
    hint = EVE.public_key.key_id
    assert judge(spoiled(lambda b: b.material.update(publicKey={"hint": hint}))) == ("passed", set())
    assert judge(spoiled(lambda b: b.material.update(publicKey={}))) == ("passed", set())
    assert judge(spoiled(lambda b: b.envelope["signatures"][0].update(keyid=hint))) == ("passed", set())


def test_another_payload_type_was_signed_to_mean_something_else() -> None:
    made = bundled(payload_type="application/vnd.oci.image.manifest.v1+json")
    assert judge(made) == ("failed", {"envelope.payload-type"})


def test_a_signed_payload_that_is_no_statement() -> None:
    assert judge(bundled(b'{"_type":1}')) == ("failed", {"statement.malformed"})
    twice = b'{"_type":"https://in-toto.io/Statement/v1","_type":"https://in-toto.io/Statement/v1"}'
    assert judge(bundled(twice)) == ("failed", {"statement.duplicate-key"})


def test_keys_that_stand_twice_in_a_bundle() -> None:
    made = bundled()
    twice = made.replace(b'"payloadType"', b'"payload":"","payloadType"', 1)
    assert judge(twice) == ("failed", {"bundle.duplicate-key"})


def test_a_truncated_bundle_is_malformed_wherever_it_ends() -> None:
    made = bundled()
    for end in range(0, len(made), 37):
        assert judge(made[:end]) == ("failed", {"bundle.malformed"})


def test_a_key_where_a_certificate_was_expected() -> None:
    opened = open_candidate(bundled(), ByMaterial(certificates=KeyVerifier(())), origin="b")
    assert opened.error is not None
    assert opened.error.check == "signature.not-by-certificate"


def test_a_certificate_where_only_keys_were_named() -> None:
    made = spoiled(lambda b: (b.material.pop("publicKey"), b.material.update(certificate=certificate())))
    opened = open_candidate(made, ByMaterial(keys=KeyVerifier((ACME.public_key,))), origin="b")
    assert opened.error is not None
    assert opened.error.check == "signature.not-by-key"


def test_a_key_is_never_an_identity() -> None:
    expected = IdentityExpectation(
        name=Pattern.parse(ACME.public_key.key_id), issuer=Pattern.parse("https://issuer.example")
    )
    asked = replace(ASKED, expectation=AnyOf((expected,)))
    assert judge(bundled(), asked=asked) == ("failed", {"attestation.other-signer"})


def test_a_message_signature_over_other_bytes() -> None:
    allow = replace(ASKED, allow_unbound=True)
    assert judge(message_bundle(b"other"), asked=allow) == ("failed", {"signature.invalid"})
    stated = {"algorithm": "SHA2_256", "digest": base64.b64encode(b"\0" * 32).decode()}
    assert judge(message_bundle(ZIP, messageDigest=stated), asked=allow) == (
        "failed",
        {"signature.other-bytes"},
    )


# --- among others


def test_one_that_satisfies_is_enough_and_the_rest_is_told() -> None:
    bad = spoiled(WRONG["swapped-payload"][0])
    judged = check_attestations(candidates(bad, bundled(), bundled(release(OTHER))), ASKED, subject="s")
    assert [(each.check.id, each.outcome.value) for each in judged.findings] == [
        ("attestation.accepted", "passed"),
        ("signature.invalid", "noted"),
        ("attestation.other-module", "noted"),
    ]


def test_none_at_all_is_not_an_incomplete_list() -> None:
    assert judge() == ("failed", {"attestation.none"})
    judged = check_attestations([], ASKED, subject="s", incomplete="the registry refused page 2")
    assert {(each.check.id, each.outcome.value) for each in judged.findings} == {
        ("attestation.none", "unknown"),
        ("attestation.list-incomplete", "unknown"),
    }


def test_an_incomplete_list_does_not_sink_what_is_satisfied() -> None:
    judged = check_attestations(candidates(bundled()), ASKED, subject="s", incomplete="page 2")
    assert [each.outcome.value for each in judged.findings] == ["passed"]


def test_what_was_unreachable_may_have_been_the_one() -> None:
    away = Candidate(origin="sha256:…", error=Unavailable("timed out", check="attestation.unreachable"))
    assert judge(bundled(release(OTHER)), more=(away,)) == ("unknown", {"attestation.unreachable"})
    assert judge(bundled(), more=(away,)) == ("passed", set())


def test_the_closest_one_carries_the_failure() -> None:
    bad = spoiled(WRONG["swapped-payload"][0])
    assert judge(bad, bundled(release(OTHER)), bundled(by=EVE)) == ("failed", {"attestation.other-module"})


def test_ten_thousand_candidates_are_judged_and_counted() -> None:
    flood = candidates(b"{}") * 10_000
    judged = check_attestations([*flood, *candidates(bundled())], ASKED, subject="s")
    assert judged.accepted is not None
    assert len(judged.findings) == 52
    assert judged.findings[-1].check is checks.MORE
