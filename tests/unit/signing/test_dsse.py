"""Envelopes: the only way to the payload, and what is never sealed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.signing import bundled, key
from verify.errors import Malformed, Misused, Refuted
from verify.signing.bundle import key_bundle, parse_bundle, render_bundle
from verify.signing.dsse import Envelope, open_envelope, parse_envelope, render_envelope, seal

if TYPE_CHECKING:
    from verify.signing.keys import PublicKey

ACME, EVE = key("acme"), key("eve")
TYPE = "application/vnd.in-toto+json"


class Liar:
    """Signs with another key than the one it names."""

    @property
    def public_key(self) -> PublicKey:
        return ACME.public_key

    def sign_bytes(self, data: bytes) -> bytes:
        return EVE.sign_bytes(data)


def test_a_signature_that_does_not_fit_is_never_sealed() -> None:
    with pytest.raises(Misused):
        seal(TYPE, b"{}", Liar())


def test_an_envelope_shows_no_payload() -> None:
    envelope = seal(TYPE, b'{"secret":1}', ACME)
    assert "secret" not in repr(envelope)
    assert not [name for name in dir(Envelope) if "payload" in name and name != "payload_type"]


def two() -> Envelope:
    mine, theirs = seal(TYPE, b"{}", ACME), seal(TYPE, b"{}", EVE)
    top = json.loads(render_envelope(mine))
    top["signatures"].append(json.loads(render_envelope(theirs))["signatures"][0])
    return parse_envelope(json.dumps(top).encode())


@pytest.mark.parametrize("signer", [ACME, EVE])
def test_one_signature_of_several_is_enough_in_an_envelope(signer: object) -> None:
    opened = open_envelope(two(), [signer.public_key])  # type: ignore[attr-defined]
    assert (opened.payload, opened.key) == (b"{}", signer.public_key)  # type: ignore[attr-defined]


def test_and_never_in_a_bundle() -> None:
    with pytest.raises(ValueError, match="one signature"):
        key_bundle(two(), ACME.public_key.key_id)


def test_without_keys_nothing_opens() -> None:
    with pytest.raises(Misused):
        open_envelope(two(), [])
    with pytest.raises(Refuted) as caught:
        open_envelope(two(), [key("mallory").public_key])
    assert caught.value.check == "signature.invalid"


def test_fields_that_are_not_known_pass_in_an_envelope_but_not_in_another_case() -> None:
    top = json.loads(render_envelope(seal(TYPE, b"{}", ACME)))
    assert parse_envelope(json.dumps({**top, "more": 1}).encode()).payload_type == TYPE
    with pytest.raises(Malformed) as caught:
        parse_envelope(json.dumps({**top, "Payload": ""}).encode())
    assert caught.value.check == "envelope.duplicate-key"


def test_what_we_write_is_the_shape_that_others_read() -> None:
    data = bundled()
    top = json.loads(data)
    assert list(top) == ["mediaType", "verificationMaterial", "dsseEnvelope"]
    assert top["verificationMaterial"] == {"publicKey": {"hint": ACME.public_key.key_id}, "tlogEntries": []}
    assert list(top["dsseEnvelope"]) == ["payload", "payloadType", "signatures"]
    assert [list(each) for each in top["dsseEnvelope"]["signatures"]] == [["sig"]]
    assert render_bundle(parse_bundle(data)) == data


def test_a_timestamp_stands_beside_the_key() -> None:
    envelope = seal(TYPE, b"{}", ACME)
    data = render_bundle(key_bundle(envelope, "hint", timestamps=(b"stamp",)))
    assert parse_bundle(data).timestamps == (b"stamp",)


@pytest.mark.parametrize(
    "media_type",
    [
        "application/vnd.dev.sigstore.bundle+json;version=0.1",
        "application/vnd.dev.sigstore.bundle+json;version=0.2",
        "application/vnd.dev.sigstore.bundle+json;version=0.3",
        "application/vnd.dev.sigstore.bundle.v0.3+json",
    ],
)
def test_the_versions_that_are_read(media_type: str) -> None:
    top = {**json.loads(bundled()), "mediaType": media_type}
    top["verificationMaterial"].pop("tlogEntries")
    assert parse_bundle(json.dumps(top).encode()).version == media_type[-3:].replace("son", "0.3")
