"""Key bundles, both ways, against the real cosign: it checks ours, we check its, and read its key files."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.support.command import modseal
from tests.support.signing import NET, ZIP, bundled, key, message_bundle, release
from verify.signing.keys import Algorithm

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.peers import Peers

pytestmark = pytest.mark.peer("cosign")

PASSPHRASE = "open sesame"
TYPE = release().predicate_type
CUSTOM = "https://cosign.sigstore.dev/attestation/v1"


@dataclass(frozen=True, slots=True)
class Cosign:
    """The tool in a folder of its own, with no network to reach and no cache to read."""

    path: str
    folder: Path

    def __call__(self, *argv: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.path, *argv],
            cwd=self.folder,
            env={
                "HOME": str(self.folder),
                "PATH": os.environ["PATH"],
                "COSIGN_PASSWORD": PASSPHRASE,
                "HTTPS_PROXY": "http://127.0.0.1:9",
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def made(self, *argv: str) -> str:
        done = self(*argv)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def cosign(peer: Peers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cosign:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COSIGN_PASSWORD", PASSPHRASE)
    monkeypatch.delenv("MODSEAL_PASSPHRASE", raising=False)
    (tmp_path / "net.zip").write_bytes(ZIP)
    return Cosign(peer("cosign"), tmp_path)


def accepts(cosign: Cosign, algorithm: Algorithm, bundle: bytes, *, kind: str = TYPE) -> bool:
    (cosign.folder / "acme.pub").write_bytes(key("acme", algorithm).public_key.pem)
    (cosign.folder / "net.json").write_bytes(bundle)
    named = ("--key", "acme.pub", "--bundle", "net.json", "--insecure-ignore-tlog=true", "net.zip")
    return cosign("verify-blob-attestation", "--type", kind, *named).returncode == 0


@pytest.mark.parametrize("algorithm", [Algorithm.P256, Algorithm.P384, Algorithm.ED25519])
def test_cosign_accepts_what_we_sign(cosign: Cosign, algorithm: Algorithm) -> None:
    ours = bundled(by=key("acme", algorithm))
    assert accepts(cosign, algorithm, ours)
    # and says no for reasons of its own, so that a yes means something
    assert not accepts(cosign, algorithm, ours, kind="https://example.com/other")
    assert not accepts(cosign, algorithm, bundled(by=key("eve", algorithm)))
    assert not accepts(cosign, algorithm, bundled(release(archive=b"other"), by=key("acme", algorithm)))


def test_cosign_checks_a_signature_over_bytes_as_we_do(cosign: Cosign) -> None:
    (cosign.folder / "acme.pub").write_bytes(key().public_key.pem)
    (cosign.folder / "net.json").write_bytes(message_bundle(ZIP))
    cosign.made(
        "verify-blob", "--key", "acme.pub", "--bundle", "net.json", "--insecure-ignore-tlog=true", "net.zip"
    )


@pytest.fixture
def signed(cosign: Cosign) -> Cosign:
    """A key of cosign's, and a bundle of each kind made with it, without any service."""
    cosign.made("generate-key-pair")
    (cosign.folder / "services.json").write_text(cosign.made("signing-config", "create"))
    (cosign.folder / "predicate.json").write_text('{"a":1}')
    named = ("--yes", "--key", "cosign.key", "--signing-config", "services.json")
    cosign.made(
        "attest-blob",
        *named,
        "--type",
        "custom",
        "--predicate",
        "predicate.json",
        "--bundle",
        "att.json",
        "net.zip",
    )
    cosign.made("sign-blob", *named, "--bundle", "sig.json", "net.zip")
    return cosign


def test_we_read_cosigns_encrypted_key(signed: Cosign) -> None:
    ran = modseal("key", "public", "cosign.key")
    assert ran.out == (signed.folder / "cosign.pub").read_text()


@pytest.mark.parametrize(("bundle", "types"), [("att.json", ("--type", CUSTOM)), ("sig.json", ())])
def test_we_check_what_cosign_signed(signed: Cosign, bundle: str, types: tuple[str, ...]) -> None:
    asked = ("verify", "file", "net.zip", "--bundle", bundle, "--key", "cosign.pub", *types)
    assert modseal(*asked, "--allow-unbound").code == 0
    assert modseal(*asked, "--module", str(NET)).code == 3  # it names no module
    (signed.folder / "net.zip").write_bytes(ZIP + b"x")
    assert modseal(*asked, "--allow-unbound").code == 1


def test_cosign_signs_with_a_p384_key_as_we_do(cosign: Cosign) -> None:
    made = key("acme", Algorithm.P384)
    from verify.signing.pkcs8 import armour

    (cosign.folder / "plain.pem").write_bytes(armour("PRIVATE KEY", made.pkcs8))
    cosign.made("import-key-pair", "--key", "plain.pem", "--output-key-prefix", "imported")
    (cosign.folder / "services.json").write_text(cosign.made("signing-config", "create"))
    named = ("--yes", "--key", "imported.key", "--signing-config", "services.json")
    cosign.made("sign-blob", *named, "--bundle", "sig.json", "net.zip")
    asked = ("verify", "file", "net.zip", "--bundle", "sig.json", "--key", "imported.pub", "--allow-unbound")
    assert modseal(*asked).code == 0
    assert modseal("key", "public", "imported.key").out.encode() == made.public_key.pem
