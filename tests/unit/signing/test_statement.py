"""Statements and predicates: what is written, what is read, what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.signing import MANIFEST, NET, ZIP, release
from verify.digest import Digest, TreeHash
from verify.errors import Exhausted, Malformed, Misused
from verify.signing.predicates.kinds import KINDS, check_predicate, find_kind
from verify.signing.predicates.provenance import (
    LOCAL,
    Dependency,
    Source,
    provenance,
    run_from_environment,
)
from verify.signing.predicates.release import parse_purl
from verify.signing.predicates.summary import summary
from verify.signing.statement import (
    Resource,
    Statement,
    parse_statement,
    release_statement,
    render_statement,
)

HEX = "ab" * 32


def document(**changes: Any) -> bytes:
    top = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "a@v1", "digest": {"sha256": HEX}}],
        "predicateType": "https://example.com/p",
    }
    return json.dumps({**top, **changes}).encode()


def test_a_release_is_these_very_bytes() -> None:
    tree = TreeHash.from_bytes(b"\x01" * 32)
    said = release_statement(NET, "cue", Digest.of(MANIFEST), Digest.of(ZIP), tree)
    assert render_statement(said).decode() == (
        '{"_type":"https://in-toto.io/Statement/v1","subject":['
        f'{{"name":"example.com/net@v1.4.0","digest":{{"sha256":"{Digest.of(MANIFEST).hex}"}},'
        f'"annotations":{{"dirHash":"{"01" * 32}"}}}},'
        f'{{"name":"example.com/net@v1.4.0","digest":{{"sha256":"{Digest.of(ZIP).hex}"}}}}],'
        '"predicateType":"https://in-toto.io/attestation/release/v0.1",'
        '"predicate":{"purl":"pkg:generic/example.com/net@v1.4.0?ecosystem=cue"}}'
    )


def test_what_the_framework_allows_is_read() -> None:
    subject = {"digest": {"gitCommit": "zz", "sha256": HEX, "blake9": ""}, "mediaType": "x/y"}
    said = parse_statement(document(subject=[subject], more={"x": 1}, predicate=None))
    assert said.subjects == (Resource(digests=(Digest(f"sha256:{HEX}"),)),)


def test_the_older_statement_is_read() -> None:
    assert parse_statement(document(_type="https://in-toto.io/Statement/v0.1")).version.endswith("v0.1")


@pytest.mark.parametrize(
    ("data", "check"),
    [
        (b"", "statement.malformed"),
        (b"[]", "statement.malformed"),
        (b"\xff{}", "statement.malformed"),
        (document()[:-1], "statement.malformed"),
        (document() + b"{}", "statement.malformed"),
        (document(_type="https://in-toto.io/Statement/v2"), "statement.malformed"),
        (document(subject=[]), "statement.malformed"),
        (document(subject={}), "statement.malformed"),
        (document(subject=[{"name": 1, "digest": {}}]), "statement.malformed"),
        (document(subject=[{"digest": {"sha256": HEX.upper()}}]), "statement.malformed"),
        (document(subject=[{"digest": {"sha256": HEX[:-1]}}]), "statement.malformed"),
        (document(subject=[{"digest": {"sha256": f"{HEX}\n"}}]), "statement.malformed"),
        (document(predicateType=""), "statement.malformed"),
        (document()[:-1] + b',"_type":"https://in-toto.io/Statement/v1"}', "statement.duplicate-key"),
        (document(PredicateType="https://example.com/q"), "statement.duplicate-key"),
        (document(subject=[{"digest": {"sha256": HEX}, "Name": "b@v1"}]), "statement.duplicate-key"),
    ],
)
def test_what_two_readers_could_read_differently_is_refused(data: bytes, check: str) -> None:
    with pytest.raises(Malformed) as caught:
        parse_statement(data)
    assert caught.value.check == check


def test_too_many_subjects() -> None:
    with pytest.raises(Exhausted) as caught:
        parse_statement(document(subject=[{"digest": {}}] * 1025))
    assert caught.value.check == "statement.too-large"


@pytest.mark.parametrize(
    "statement",
    [
        Statement(subjects=(), predicate_type="a:b"),
        Statement(subjects=(Resource(name="a@v1"),), predicate_type="a:b"),
        Statement(subjects=release().subjects, predicate_type=""),
        Statement(subjects=release().subjects, predicate_type="a:b", predicate={"x": float("inf")}),
    ],
)
def test_what_nobody_could_check_is_not_signed(statement: Statement) -> None:
    with pytest.raises(Misused):
        render_statement(statement)


# --- predicates

FULL: dict[str, dict[str, Any]] = {
    "release": {"purl": "pkg:generic/example.com/net@v1?ecosystem=cue"},
    "slsaprovenance1": provenance(
        Source(repository="https://git.example/net", commit="a" * 40, tree="b" * 40),
        LOCAL,
        encoding="store/1",
        rules="cue/1",
        version="1",
        dependencies=[Dependency(uri="pkg:generic/x@v1?ecosystem=cue", digests={"sha256": HEX})],
    ),
    "vsa": summary(
        verifier="https://ci.example/gate",
        resource="pkg:generic/x@v1?ecosystem=cue",
        policy=("https://ci.example/policy", HEX),
        passed=True,
        at="2026-01-02T03:04:05Z",
        version="1",
        inputs=[("sha256:…", HEX)],
    ),
    "spdx": {
        "spdxVersion": "SPDX-2.3",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": "n",
        "documentNamespace": "a:b",
        "creationInfo": {},
    },
    "cyclonedx": {"bomFormat": "CycloneDX", "specVersion": "1.6"},
    "openvex": {
        "@context": "https://openvex.dev/ns/v0.2.0",
        "@id": "a:b",
        "author": "n",
        "timestamp": "t",
        "statements": [{"status": "fixed"}],
    },
    "svr": {"verifier": {"id": "a:b", "policies": []}, "timeCreated": "t", "properties": []},
}
# what may be left out of the examples above
FREE = {
    "slsaprovenance1": {"buildDefinition.resolvedDependencies", "runDetails.metadata"},
    "vsa": {"timeVerified", "slsaVersion", "inputAttestations"},
}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_full_predicate_passes_and_one_field_less_does_not(kind: Any) -> None:
    check_predicate(kind.type, FULL[kind.name])
    for field in FULL[kind.name].keys() - FREE.get(kind.name, set()):
        less = {key: value for key, value in FULL[kind.name].items() if key != field}
        with pytest.raises(Malformed) as caught:
            check_predicate(kind.type, less)
        assert caught.value.check == "predicate.malformed", field


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("release", {"purl": "example.com/net@v1"}),
        ("vsa", {"verificationResult": "ok"}),
        ("vsa", {"verifiedLevels": ["not a level"]}),
        ("vsa", {"inputAttestations": [{"uri": "x"}]}),
        ("slsaprovenance1", {"runDetails": {"builder": {"id": "nobody"}}}),
        ("openvex", {"statements": [{"status": "maybe"}]}),
    ],
)
def test_a_predicate_with_a_wrong_value_is_refused(name: str, changes: dict[str, Any]) -> None:
    kind = find_kind(name)
    with pytest.raises(Malformed):
        check_predicate(kind.type, {**FULL[name], **changes})


def test_a_type_of_ones_own_is_a_uri_with_an_object() -> None:
    check_predicate("https://example.com/custom", {})
    with pytest.raises(Misused):
        find_kind("no such type")
    with pytest.raises(Malformed):
        check_predicate("https://example.com/custom", [])


@pytest.mark.parametrize(
    "text",
    [
        "pkg:generic/example.com/net@v1",
        "pkg:generic/example.com/net?ecosystem=cue",
        "pkg:generic/example.com//net@v1?ecosystem=cue",
        "pkg:generic/example%2Ecom/net@v1?ecosystem=cue",
        "pkg:generic/example.com%2Fnet@v1?ecosystem=cue",
        "pkg:generic/example.com/net@v1?ecosystem=cue&x=y",
        "pkg:generic/%ff@v1?ecosystem=cue",
        "pkg:npm/net@v1?ecosystem=cue",
    ],
)
def test_a_purl_has_one_spelling(text: str) -> None:
    with pytest.raises(Malformed):
        parse_purl(text)


def test_levels_of_the_specification_are_not_claimed() -> None:
    with pytest.raises(Misused):
        summary(
            verifier="a:b",
            resource="a:b",
            policy=("a:b", HEX),
            passed=True,
            at="t",
            version="1",
            levels=["SLSA_X"],
        )


@pytest.mark.parametrize(
    ("environment", "builder", "invocation"),
    [
        ({}, "modseal:builder/local", None),
        (
            {
                "GITHUB_ACTIONS": "true",
                "GITHUB_SERVER_URL": "https://github.com",
                "GITHUB_REPOSITORY": "acme/net",
                "GITHUB_WORKFLOW_REF": "acme/net/.github/workflows/r.yml@refs/tags/v1",
                "GITHUB_RUN_ID": "7",
                "GITHUB_RUN_ATTEMPT": "2",
            },
            "https://github.com/acme/net/.github/workflows/r.yml@refs/tags/v1",
            "https://github.com/acme/net/actions/runs/7/attempts/2",
        ),
        (
            {
                "GITLAB_CI": "true",
                "CI_PROJECT_URL": "https://gitlab.com/acme/net",
                "CI_COMMIT_REF_NAME": "main",
                "CI_JOB_URL": "https://gitlab.com/acme/net/-/jobs/9",
            },
            "https://gitlab.com/acme/net//.gitlab-ci.yml@refs/heads/main",
            "https://gitlab.com/acme/net/-/jobs/9",
        ),
    ],
    ids=["elsewhere", "github", "gitlab"],
)
def test_who_built_is_read_from_the_environment(
    environment: dict[str, str], builder: str, invocation: str | None
) -> None:
    run = run_from_environment(environment)
    assert (run.builder, run.invocation) == (builder, invocation)
