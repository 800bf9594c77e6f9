"""What a bundle says of itself: a certificate's claims in plain words, and nothing that looks like a verdict."""

from __future__ import annotations

import base64
import datetime as dt
import json

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding

from tests.support.signing import Spoiled, bundled, message_bundle
from verify.errors import Malformed, Misused
from verify.signing.certificate import read_certificate
from verify.signing.inspection import Explanation, explain_document

WORKFLOW = "https://github.com/acme/net/.github/workflows/release.yml@refs/tags/v1.0.0"
ISSUER = "https://token.actions.githubusercontent.com"
ARC = "1.3.6.1.4.1.57264.1"


def utf8(text: str) -> bytes:
    raw = text.encode()
    length = bytes((len(raw),)) if len(raw) < 128 else b"\x81" + bytes((len(raw),))
    return b"\x0c" + length + raw


def certificate(
    claims: dict[str, bytes],
    names: tuple[x509.GeneralName, ...] = (x509.UniformResourceIdentifier(WORKFLOW),),
) -> bytes:
    owner = ec.generate_private_key(ec.SECP256R1())
    now = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([]))
        .issuer_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a test's CA")]))
        .public_key(owner.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + dt.timedelta(minutes=10))
        .add_extension(x509.SubjectAlternativeName(list(names)), critical=True)
    )
    for oid, value in claims.items():
        builder = builder.add_extension(
            x509.UnrecognizedExtension(x509.ObjectIdentifier(oid), value), critical=False
        )
    return builder.sign(owner, SHA256()).public_bytes(Encoding.DER)


CLAIMS = {
    f"{ARC}.1": ISSUER.encode(),
    f"{ARC}.8": utf8(ISSUER),
    f"{ARC}.12": utf8("https://github.com/acme/net"),
    f"{ARC}.11": utf8("github-hosted"),
    f"{ARC}.21": utf8("https://github.com/acme/net/actions/runs/7/attempts/1" + "x" * 100),
}


def told(explained: Explanation) -> dict[str, str]:
    return {line.label: line.text for section in explained.sections for line in section.lines}


def test_a_certificate_in_plain_words() -> None:
    bundle = Spoiled.of(bundled())
    bundle.material.pop("publicKey")
    bundle.material["certificate"] = {"rawBytes": base64.b64encode(certificate(CLAIMS)).decode()}
    bundle.material["tlogEntries"] = [
        {
            "logIndex": "7",
            "logId": {"keyId": "AAAA"},
            "kindVersion": {"kind": "dsse", "version": "0.0.1"},
            "integratedTime": "1767225600",
            "inclusionProof": {},
            "canonicalizedBody": "e30=",
        }
    ]
    lines = told(explain_document(bundle.data()))
    assert lines["signed by"] == WORKFLOW
    assert lines["vouched for by"] == ISSUER
    assert lines["source repository"] == "https://github.com/acme/net"
    assert lines["kind of runner"] == "github-hosted"
    assert lines["time"] == "2026-01-01T00:00:00+00:00"
    assert lines["carries"] == "proof"
    assert lines["purl"] == "pkg:generic/example.com/net@v1.4.0?ecosystem=cue"


def test_issuers_that_disagree_are_none() -> None:
    facts = read_certificate(certificate({**CLAIMS, f"{ARC}.8": utf8("https://evil.example")}))
    assert facts.identity.issuer is None


@pytest.mark.parametrize(
    "der",
    [
        b"",
        b"\x30\x00",
        certificate(CLAIMS) + b"\0",
        certificate({f"{ARC}.8": b"raw"}),
        certificate({f"{ARC}.8": utf8("a") + b"b"}),
        certificate({f"{ARC}.1": b"\xff"}),
        certificate({}, (x509.RFC822Name("a@example.com"), x509.RFC822Name("b@example.com"))),
        certificate({}, (x509.DNSName("example.com"),)),
    ],
    ids=[
        "empty",
        "no-certificate",
        "trailing",
        "raw-claim",
        "two-strings",
        "not-utf8",
        "two-names",
        "host-name",
    ],
)
def test_a_certificate_with_two_readings_has_none(der: bytes) -> None:
    with pytest.raises(Malformed) as caught:
        read_certificate(der)
    assert caught.value.check == "bundle.malformed"


def test_fulcios_own_kind_of_name_is_read() -> None:
    name = x509.OtherName(x509.ObjectIdentifier(f"{ARC}.7"), utf8("acme!dev"))
    assert read_certificate(certificate({}, (name,))).identity.name == "acme!dev"


def test_every_kind_of_document() -> None:
    envelope = json.dumps(Spoiled.of(bundled()).envelope).encode()
    statement = base64.b64decode(json.loads(envelope)["payload"])
    kinds = [explain_document(each).kind for each in (bundled(), message_bundle(b"x"), envelope, statement)]
    assert kinds == ["Sigstore bundle", "Sigstore bundle", "DSSE envelope", "in-toto statement"]
    with pytest.raises(Misused):
        explain_document(b"{}")


def test_a_time_beyond_all_dates_is_not_stated() -> None:
    bundle = Spoiled.of(bundled())
    bundle.material["tlogEntries"] = [
        {
            "logId": {"keyId": ""},
            "kindVersion": {"kind": "k", "version": "v"},
            "integratedTime": "9" * 19,
            "canonicalizedBody": "",
        }
    ]
    assert told(explain_document(bundle.data()))["time"] == "not stated"
