"""A signer that is a program: what it may answer, and what happens to what it may not."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from verify.errors import Exhausted, Malformed, Misused, ModsealError, Refuted, Unavailable
from verify.limits import DEFAULT
from verify.signing.dsse import open_envelope, seal
from verify.signing.external import ExternalSigner

if TYPE_CHECKING:
    from pathlib import Path

HONEST = """
import base64, hashlib, json, sys
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
key = ec.derive_private_key(7, ec.SECP256R1())
asked = json.load(sys.stdin)
assert asked["protocol"] == "modseal.signer/1"
if asked["request"] == "public-key":
    pem = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    print(json.dumps({"publicKey": pem.decode()}))
else:
    data = base64.b64decode(asked["data"])
    assert asked["sha256"] == hashlib.sha256(data).hexdigest()
    assert asked["scheme"] == "ecdsa-p256-sha256-der"
    SPOIL
    print(json.dumps({"signature": base64.b64encode(key.sign(data, ec.ECDSA(SHA256()))).decode()}))
"""


def program(folder: Path, source: str) -> tuple[str, ...]:
    path = folder / "signer.py"
    path.write_text(source)
    return (sys.executable, str(path))


def test_an_honest_program_signs(tmp_path: Path) -> None:
    signer = ExternalSigner.start(program(tmp_path, HONEST.replace("SPOIL", "pass")))
    envelope = seal("application/vnd.in-toto+json", b"{}", signer)
    assert open_envelope(envelope, [signer.public_key]).payload == b"{}"


def test_a_signature_that_does_not_fit_its_key_is_not_used(tmp_path: Path) -> None:
    signer = ExternalSigner.start(program(tmp_path, HONEST.replace("SPOIL", "data += b'x'")))
    with pytest.raises(Refuted) as caught:
        signer.sign_bytes(b"data")
    assert caught.value.check == "signature.invalid"


@pytest.mark.parametrize(
    ("source", "kind", "check"),
    [
        ("raise SystemExit(3)", Unavailable, "signer.failed"),
        ("import json; print(json.dumps({'error': 'no card'}))", Unavailable, "signer.failed"),
        ("print('hello')", Malformed, "signer.malformed"),
        ("print('{\"publicKey\":1}')", Malformed, "signer.malformed"),
        ('print(\'{"publicKey":"","publicKey":""}\')', Malformed, "signer.duplicate-key"),
        ('print(\'{"publicKey":"x"}\')', Malformed, "key.malformed"),
        ("print('x' * 100_000)", Exhausted, "signer.too-large"),
        ("import time; time.sleep(30)", Unavailable, "signer.failed"),
    ],
)
def test_an_answer_that_is_none(source: str, kind: type[ModsealError], check: str, tmp_path: Path) -> None:
    limits = replace(DEFAULT, signer_seconds=0.5 if "sleep" in source else 30)
    with pytest.raises(kind) as caught:
        ExternalSigner.start(program(tmp_path, source), limits=limits)
    assert caught.value.check == check


@pytest.mark.parametrize("command", [(), ("no-such-program-anywhere",)])
def test_no_program(command: tuple[str, ...]) -> None:
    with pytest.raises(Misused):
        ExternalSigner.start(command)


def test_the_program_is_not_given_to_a_shell(tmp_path: Path) -> None:
    with pytest.raises(ModsealError):
        ExternalSigner.start(("echo x; touch", str(tmp_path / "made")))
    assert not (tmp_path / "made").exists()
