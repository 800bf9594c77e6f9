"""`verify file` by identity, and `trust`: what is typed, what is answered, with which exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.command import modseal
from tests.support.fake_sigstore import ISSUER, SIGNER, FakeSigstore, Signing, changed, render
from tests.support.signing import NET, ZIP, bundled, key, release
from verify.digest import Digest
from verify.signing.statement import render_statement

if TYPE_CHECKING:
    from pathlib import Path

BY = ("--certificate-identity", SIGNER, "--certificate-oidc-issuer", ISSUER)
ROOT = ("--trusted-root", "root.json")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sigstore = FakeSigstore()
    (tmp_path / "net.zip").write_bytes(ZIP)
    (tmp_path / "root.json").write_bytes(render(sigstore.trust()))
    (tmp_path / "b.json").write_bytes(render(sigstore.sign_payload(render_statement(release()))))


def asked(*more: str, bundle: str = "b.json") -> tuple[str, ...]:
    return ("verify", "file", "net.zip", "--bundle", bundle, "--module", str(NET), *more)


def test_an_expected_signer_under_a_named_root_is_accepted(tmp_path: Path) -> None:
    ran = modseal(*asked(*BY, *ROOT))
    assert ran.code == 0, ran.out + ran.err
    digest = str(Digest.of((tmp_path / "root.json").read_bytes()))
    assert f"trust root {digest}, newest entry 2025-12-01" in ran.out
    assert "1 file = 1 verified" in ran.out


def test_a_glob_is_accepted_and_a_prefix_is_not() -> None:
    host = "https://github.com"
    glob = f"{host}/acme/*/.github/workflows/*@refs/tags/v*"
    issuer = ("--issuer", ISSUER)
    assert modseal(*asked("--identity", glob, *issuer, *ROOT)).code == 0
    ran = modseal(*asked("--identity", f"{host}/acme", *issuer, *ROOT))
    assert ran.code == 1
    assert "attestation.other-signer" in ran.out
    assert SIGNER in ran.out  # found, beside what was expected


@pytest.mark.parametrize(
    "given",
    [(*BY,), BY[:2] + ROOT, BY[2:] + ROOT, ROOT, ("--claim", "runner=x"), (*BY, *ROOT, "--claim", "no-such=x"),
     ("--without-log",)],
)  # fmt: skip
def test_half_an_expectation_is_a_mistake(given: tuple[str, ...]) -> None:
    assert modseal(*asked(*given)).code == 2


def test_a_key_and_an_identity_may_both_be_expected(tmp_path: Path) -> None:
    (tmp_path / "acme.pub").write_bytes(key().public_key.pem)
    (tmp_path / "k.json").write_bytes(bundled())
    both = ("--key", "acme.pub", *BY, *ROOT)
    assert modseal(*asked(*both)).code == 0
    assert modseal(*asked(*both, bundle="k.json")).code == 0
    assert "signature.not-by-certificate" in modseal(*asked(*BY, *ROOT, bundle="k.json")).out
    assert "signature.not-by-key" in modseal(*asked("--key", "acme.pub")).out


@pytest.mark.parametrize(
    ("how", "code", "check"),
    [
        (Signing(ca="stranger"), 1, "certificate.untrusted"),
        (Signing(sct=False), 1, "sct.missing"),
        (Signing(log=2, tsa="eve"), 3, "timestamp.unknown-authority"),
        (Signing(minutes=0), 1, "certificate.outside-validity"),
    ],
    ids=["stranger", "not logged", "unknown timestamper", "expired"],
)
def test_what_is_wrong_is_told_by_its_check(tmp_path: Path, how: Signing, code: int, check: str) -> None:
    bundle = FakeSigstore().sign_payload(render_statement(release()), how)
    (tmp_path / "b.json").write_bytes(render(bundle))
    ran = modseal(*asked(*BY, *ROOT))
    assert (ran.code, check in ran.out) == (code, True), ran.out


def test_flags_that_ask_for_less_are_named(tmp_path: Path) -> None:
    bundle = FakeSigstore().sign_payload(render_statement(release()), Signing(log=2, sct=False))
    (tmp_path / "b.json").write_bytes(render(changed(bundle, "verificationMaterial", "tlogEntries", to=[])))
    assert modseal(*asked(*BY, *ROOT)).code == 1
    ran = modseal(*asked(*BY, *ROOT, "--without-log", "--without-sct"))
    assert ran.code == 0, ran.out
    assert "--without-log" in ran.out
    assert "--without-sct" in ran.out


def test_a_pinned_root_is_held_to_its_digest(tmp_path: Path) -> None:
    pin = modseal("trust", "pin", "root.json").out.strip()
    assert modseal(*asked(*BY, *ROOT, "--trusted-root-digest", pin)).code == 0
    (tmp_path / "root.json").write_bytes((tmp_path / "root.json").read_bytes() + b" ")
    ran = modseal(*asked(*BY, *ROOT, "--trusted-root-digest", pin))
    assert ran.code == 1
    assert "trust.not-pinned" in ran.out + ran.err
    assert modseal(*asked(*BY, *ROOT, "--trusted-root-digest", "sha256:no")).code == 2


def test_show_tells_what_a_root_believes() -> None:
    ran = modseal("trust", "show", "root.json")
    assert ran.code == 0
    assert "days ago" in ran.out
    assert "timestamp authority    tsa https://tsa.loop.test  2025-12-01 to now" in ran.out
    told = modseal("trust", "show", "--json", "root.json").data()
    assert [each["kind"] for each in told["entries"]] == [
        "certificate authority",
        "certificate log",
        "transparency log",
        "transparency log",
        "timestamp authority",
    ]


@pytest.mark.parametrize(
    ("data", "check"),
    [(b"{}", "trust.malformed"), (b'{"mediaType":"a","mediaType":"b"}', "trust.duplicate-key")],
)
def test_a_file_that_is_no_trust_root_is_refused(tmp_path: Path, data: bytes, check: str) -> None:
    (tmp_path / "root.json").write_bytes(data)
    ran = modseal("trust", "show", "root.json")
    assert (ran.code, check in ran.err) == (1, True), ran.err
