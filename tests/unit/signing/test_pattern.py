"""Expected names: what a wildcard stands for, and what no pattern may be."""

from __future__ import annotations

import time

import pytest

from verify.errors import Misused
from verify.signing.expectation import AnyOf, IdentityExpectation, KeyExpectation
from verify.signing.identity import CertificateIdentity, KeyIdentity
from verify.signing.pattern import Pattern

ISSUER = "https://token.actions.githubusercontent.com"
WORKFLOW = "https://github.com/acme/net/.github/workflows/release.yml@refs/tags/v1.0.0"


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        (WORKFLOW, WORKFLOW),
        ("https://github.com/acme/*/.github/workflows/release.yml@refs/tags/v*", WORKFLOW),
        ("https://github.com/acme/**@refs/tags/v*", WORKFLOW),
        ("*@example.com", "dev@example.com"),
        (
            "https://github.com/acme/net/**@refs/tags/net@v*",
            "https://github.com/acme/net/x.yml@refs/tags/net@v1",
        ),
    ],
)
def test_matches(pattern: str, name: str) -> None:
    assert Pattern.parse(pattern).differs(name) == ""


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("https://github.com/acme", "https://github.com/acme-evil"),
        ("https://github.com/acme/*", "https://github.com/acme-evil/net"),
        ("https://github.com/acme/*", "https://github.com/acme/net/x.yml"),
        ("https://github.com/acme/*", "https://github.com/acme/"),
        ("https://github.com/acme/**", "https://github.com/acme"),
        ("https://github.com/acme/net", "https://github.com/acme/net\n"),
        ("https://github.com/acme/**", "https://github.com/acme/net\nx"),
        ("https://github.com/acme/**", "https://github.com/acme/n\u0435t"),
        ("https://github.com/acme/net", "https://github.com/acme/n\u0435t"),
        ("https://github.com/acme/net", "HTTPS://github.com/acme/net"),
        ("https://github.com/acme/net", "xhttps://github.com/acme/net"),
        ("https://github.com/acme/n.t", "https://github.com/acme/net"),
        # a branch may be called x@refs/heads/main
        (
            "https://github.com/acme/net/**@refs/heads/main",
            "https://github.com/acme/net/release.yml@refs/heads/x@refs/heads/main",
        ),
        ("*@example.com", "dev@evil.com@example.com"),
        ("*@example.com", "dev@example.com.evil.com"),
        ("dev@example.com", "dev@example.com "),
    ],
)
def test_does_not_match(pattern: str, name: str) -> None:
    assert Pattern.parse(pattern).differs(name) == "does not match"


@pytest.mark.parametrize(
    "text",
    ["", "*", "**", "**/**", "*@*", "https://*/acme/net", "https://*.example.com/x", "https://example.com*",
     "*://github.com/x", " x", "x\n", "a***b", "x" * 3000, "x\u202ey"],
)  # fmt: skip
def test_patterns_that_nobody_means(text: str) -> None:
    with pytest.raises(Misused):
        Pattern.parse(text)


def test_an_exact_name_may_hold_a_star() -> None:
    assert Pattern.exact("a*").differs("a*") == ""
    assert Pattern.exact("a*").differs("ab") == "does not match"


def test_matching_is_quick_whatever_repeats() -> None:
    started = time.monotonic()
    assert Pattern.parse("a" + "**a" * 600).differs("a" * 2000 + "b") == "does not match"
    assert time.monotonic() - started < 5


def certificate(**changes: object) -> CertificateIdentity:
    rows = {"name": WORKFLOW, "issuer": ISSUER, "claims": (("repository", "https://github.com/acme/net"),)}
    return CertificateIdentity(**{**rows, **changes})  # type: ignore[arg-type]


EXPECTED = IdentityExpectation(
    name=Pattern.parse(WORKFLOW),
    issuer=Pattern.parse(ISSUER),
    claims=(("repository", Pattern.parse("https://github.com/acme/net")),),
)


def test_the_expected_identity_fits() -> None:
    assert EXPECTED.differences(certificate()) == ()


@pytest.mark.parametrize(
    ("identity", "labels"),
    [
        (certificate(name="https://github.com/acme/net"), ["expected signer", "found signer"]),
        (certificate(issuer="https://issuer.example"), ["expected issuer", "found issuer"]),
        (certificate(issuer=None), ["expected issuer", "found issuer"]),
        (certificate(claims=()), ["expected repository", "found repository"]),
        (certificate(claims=certificate().claims * 2), ["expected repository", "found repository"]),
        (KeyIdentity(key_id="k", algorithm="ecdsa-p256"), ["expected", "found"]),
    ],
    ids=["name", "issuer", "no-issuer", "no-claim", "claim-twice", "a-key"],
)  # fmt: skip
def test_each_mismatch_is_told(identity: CertificateIdentity, labels: list[str]) -> None:
    assert [each.label for each in EXPECTED.differences(identity)] == labels


def test_a_certificate_never_fits_an_expected_key() -> None:
    assert KeyExpectation(key_ids=("k",)).differences(certificate())
    assert KeyExpectation(key_ids=("k",)).differences(certificate(name="key k"))


@pytest.mark.parametrize(
    "empty", [lambda: AnyOf(()), lambda: KeyExpectation(key_ids=()), lambda: KeyExpectation(key_ids=("",))]
)
def test_nobody_expected_is_a_mistake(empty: object) -> None:
    assert callable(empty)
    with pytest.raises(Misused):
        empty()


def test_an_unknown_claim_is_a_mistake() -> None:
    with pytest.raises(Misused):
        IdentityExpectation(name=EXPECTED.name, issuer=EXPECTED.issuer, claims=(("no-such", EXPECTED.name),))
