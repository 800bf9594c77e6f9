"""Laws of signing: parse after render is the identity, and whatever is changed is refused."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.signing import NET, ZIP, artifact, bundled, key, message_bundle, release
from verify.digest import Digest
from verify.errors import Malformed, ModsealError
from verify.module import Module
from verify.signing.attestation import Asked, Attestation, compare
from verify.signing.bundle import parse_bundle
from verify.signing.dsse import pae
from verify.signing.expectation import AnyOf, KeyExpectation
from verify.signing.identity import KeyIdentity
from verify.signing.opening import KeyVerifier, open_bundle, open_candidate
from verify.signing.pattern import Pattern
from verify.signing.predicates.release import parse_purl, purl
from verify.signing.statement import Resource, Statement, parse_statement, render_statement

ACME = key("acme")
VERIFIER = KeyVerifier((ACME.public_key,))
ASKED = Asked(
    digest=Digest.of(ZIP), expectation=AnyOf((KeyExpectation(key_ids=(ACME.public_key.key_id,)),)), module=NET
)
BUNDLE, MESSAGE = bundled(), message_bundle(ZIP)
CHANGED = {
    "signature.invalid",
    "bundle.malformed",
    "bundle.duplicate-key",
    "bundle.version",
    "bundle.signature-count",
}
SEEN = parse_bundle(BUNDLE)
IDENTITY = KeyIdentity(key_id=ACME.public_key.key_id, algorithm="ecdsa-p256")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
resources = st.builds(
    Resource,
    name=st.none() | texts | st.sampled_from([str(NET), "example.com/evil@v1"]),
    uri=st.none() | texts,
    digests=st.sampled_from([ZIP, b"other"]).map(lambda data: (Digest.of(data),)),
    annotations=st.dictionaries(texts, values, max_size=2),
)
statements = st.builds(
    Statement,
    subjects=st.lists(resources, min_size=1, max_size=3).map(tuple),
    predicate_type=texts.filter(bool),
    predicate=st.dictionaries(texts, values, max_size=3),
)


@given(statements)
def test_a_statement_reads_back_as_it_was(statement: Statement) -> None:
    data = render_statement(statement)
    assert parse_statement(data) == statement
    assert render_statement(parse_statement(data)) == data


@settings(max_examples=300)
@given(st.integers(0, len(BUNDLE) - 1), st.integers(1, 255))
def test_no_changed_byte_of_a_bundle_is_believed(place: int, bits: int) -> None:
    changed = bytearray(BUNDLE)
    changed[place] ^= bits
    candidate = open_candidate(bytes(changed), VERIFIER, origin="b")
    if candidate.error is not None:
        assert candidate.error.check in CHANGED
        return
    # only what nobody signed may differ: the hint, and how the same values are spelled
    assert candidate.attestation is not None
    assert compare(candidate.attestation, ASKED) is None
    seen = parse_bundle(bytes(changed))
    assert replace(seen, material=SEEN.material) == SEEN


@settings(max_examples=300)
@given(st.data())
def test_no_changed_byte_of_payload_or_signature_is_believed(data: st.DataObject) -> None:
    import base64

    top = json.loads(BUNDLE)
    envelope = top["dsseEnvelope"]
    holder, name = data.draw(st.sampled_from([(envelope, "payload"), (envelope["signatures"][0], "sig")]))
    raw = bytearray(base64.b64decode(holder[name]))
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    holder[name] = base64.b64encode(raw).decode()
    candidate = open_candidate(json.dumps(top).encode(), VERIFIER, origin="b")
    assert candidate.error is not None
    assert candidate.error.check == "signature.invalid"


@given(st.binary(max_size=40))
def test_a_bare_signature_fits_no_other_bytes(data: bytes) -> None:
    candidate = open_candidate(MESSAGE, VERIFIER, origin="b", artifact=artifact(data))
    assert (candidate.error is None) == (data == ZIP)


@given(st.binary(max_size=300))
def test_whatever_comes_in_only_our_errors_come_out(data: bytes) -> None:
    for text in (data, BUNDLE[: len(data)] + data):
        try:
            open_bundle(parse_bundle(text), VERIFIER)
        except ModsealError as error:
            assert error.check is not None


@given(texts, st.binary(max_size=20), texts, st.binary(max_size=20))
def test_two_payloads_never_have_one_encoding(a: str, b: bytes, c: str, d: bytes) -> None:
    assert (pae(a, b) == pae(c, d)) == ((a, b) == (c, d))


module_text = st.text("abz.%+~!()-_@/0", min_size=1, max_size=12)


@given(module_text, module_text, st.text("abc/?&=", min_size=1, max_size=5))
def test_a_purl_reads_back_as_it_was(path: str, version: str, ecosystem: str) -> None:
    try:
        module = Module.of(path, version)
    except Malformed:
        return
    assert parse_purl(purl(module, ecosystem)) == (module, ecosystem)


@given(st.text("ab/@*.", min_size=1, max_size=8), st.text("ab/@.", max_size=10))
def test_a_pattern_matches_what_its_definition_says(pattern: str, name: str) -> None:
    import re

    try:
        rule = Pattern.parse(pattern)
    except ModsealError:
        return
    parts = {"*": "[ab.]+", "**": "[ab./]+"}
    spelled = "".join(parts.get(piece, re.escape(piece)) for piece in re.split(r"(\*+)", pattern))
    assert (rule.differs(name) == "") == (re.fullmatch(spelled, name) is not None)


@given(statements)
def test_removing_a_subject_never_helps(statement: Statement) -> None:
    said = replace(statement, predicate_type=release().predicate_type)
    whole = Attestation(identity=IDENTITY, statement=said, digests=(), payload=b"")
    before = compare(whole, ASKED)
    for index in range(len(said.subjects)):
        fewer = said.subjects[:index] + said.subjects[index + 1 :]
        if before is not None:
            assert compare(replace(whole, statement=replace(said, subjects=fewer)), ASKED) is not None
