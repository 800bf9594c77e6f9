"""`modseal key`, `verify file` and `inspect` of a bundle, as a shell sees them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.command import modseal
from tests.support.signing import NET, ZIP, Spoiled, bundled, key, message_bundle
from verify.errors import Misused
from verify.workflows import keys as workflow

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Ran


@pytest.fixture(autouse=True)
def _quiet_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MODSEAL_PASSPHRASE", raising=False)
    monkeypatch.delenv("COSIGN_PASSWORD", raising=False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.zip").write_bytes(ZIP)
    (tmp_path / "net.json").write_bytes(bundled())
    (tmp_path / "acme.pub").write_bytes(key().public_key.pem)
    (tmp_path / "eve.pub").write_bytes(key("eve").public_key.pem)
    (tmp_path / "secret").write_bytes(b"open sesame\r\n")
    return tmp_path


def checked(*argv: str) -> Ran:
    return modseal("verify", "file", "net.zip", *argv, "--output", "json")


def decisive(ran: Ran) -> set[str]:
    found = {each["check"] for each in ran.data()["findings"] if each["outcome"] in {"failed", "unknown"}}
    return found - {"attestation.accepted"}


BUNDLE = ("--bundle", "net.json")
NAMED = ("--module", str(NET))


def test_an_expected_signer_signed_these_bytes_as_this_module(folder: Path) -> None:
    ran = checked(*BUNDLE, "--key", "acme.pub", *NAMED)
    assert (ran.code, ran.err) == (0, "")
    assert ran.data()["verdict"] == "passed"


def test_one_of_several_keys_and_bundles_is_enough(folder: Path) -> None:
    (folder / "eve.json").write_bytes(bundled(by=key("eve")))
    ran = checked("--bundle", "eve.json", *BUNDLE, "--key", "acme.pub", *NAMED)
    assert ran.code == 0
    both = checked("--bundle", "eve.json", "--key", "acme.pub", "--key", "eve.pub", *NAMED)
    assert both.code == 0


@pytest.mark.parametrize(
    ("argv", "code", "check"),
    [
        (("--key", "eve.pub", *NAMED), 1, "signature.other-key"),
        (("--key", "acme.pub"), 3, "attestation.unbound"),
        (("--key", "acme.pub", "--module", "example.com/net@v1.5.0"), 1, "attestation.other-module"),
        (("--key", "acme.pub", "--type", "vsa", *NAMED), 1, "attestation.other-type"),
    ],
)
def test_what_does_not_satisfy(folder: Path, argv: tuple[str, ...], code: int, check: str) -> None:
    ran = checked(*BUNDLE, *argv)
    assert (ran.code, decisive(ran)) == (code, {check})


def test_other_bytes(folder: Path) -> None:
    (folder / "net.zip").write_bytes(ZIP + b"\n")
    ran = checked(*BUNDLE, "--key", "acme.pub", *NAMED)
    assert (ran.code, decisive(ran)) == (1, {"attestation.other-subject"})


def test_an_ed25519_signature_over_the_file_itself(folder: Path) -> None:
    from verify.signing.keys import Algorithm

    signer = key("acme", Algorithm.ED25519)
    (folder / "ed.pub").write_bytes(signer.public_key.pem)
    (folder / "ed.json").write_bytes(message_bundle(ZIP, by=signer))
    ran = checked("--bundle", "ed.json", "--key", "ed.pub", "--allow-unbound")
    assert (ran.code, ran.data()["weakened"]) == (0, ["--allow-unbound"])


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        ((*BUNDLE, *NAMED), 2),  # nobody is expected
        (("--key", "acme.pub", *NAMED), 2),  # no bundle
        ((*BUNDLE, "--key", "acme.pub", "--module", "net"), 2),
        ((*BUNDLE, "--key", "acme.pub", "--type", "no such"), 2),
        ((*BUNDLE, "--key", "none.pub", *NAMED), 3),
        (("--bundle", "none.json", "--key", "acme.pub", *NAMED), 3),
        ((*BUNDLE, "--key", "net.zip", *NAMED), 1),
    ],
)
def test_calls_that_cannot_be_answered(folder: Path, argv: tuple[str, ...], code: int) -> None:
    ran = checked(*argv)
    assert (ran.code, ran.out) == (code, "")


def test_a_spoiled_bundle_says_so(folder: Path) -> None:
    (folder / "net.json").write_bytes(bundled()[:-9])
    ran = checked(*BUNDLE, "--key", "acme.pub", *NAMED)
    assert (ran.code, decisive(ran)) == (1, {"bundle.malformed"})


# --- keys


def test_a_key_is_made_for_its_owner_alone(folder: Path) -> None:
    ran = modseal("key", "generate", "-o", "new.key", "--passphrase-file", "secret", "--json")
    assert ran.code == 0
    private, public = folder / "new.key", folder / "new.pub"
    assert private.stat().st_mode & 0o777 == 0o600
    assert private.read_bytes().startswith(b"-----BEGIN ENCRYPTED PRIVATE KEY-----\n")
    shown = modseal("key", "show", "--json", "new.pub").data()
    assert (shown["id"], shown["type"]) == (ran.data()["id"], "ecdsa-p256")
    again = modseal("key", "public", "new.key", "--passphrase-file", "secret")
    assert again.out.encode() == public.read_bytes()
    assert modseal("key", "show", "--json", "new.key").data()["encrypted"] is True


@pytest.mark.parametrize("there", ["new.key", "new.pub"])
@pytest.mark.parametrize("link", [False, True])
def test_nothing_is_overwritten(folder: Path, there: str, link: bool) -> None:
    if link:
        (folder / there).symlink_to("nowhere")
    else:
        (folder / there).write_text("precious")
    before = sorted(folder.iterdir())
    ran = modseal("key", "generate", "-o", "new.key", "--no-passphrase")
    assert (ran.code, "key.exists" in ran.err) == (2, True)
    assert sorted(folder.iterdir()) == before


def test_a_file_that_appears_at_the_last_moment_is_not_overwritten(folder: Path) -> None:
    (folder / "late.key").write_text("precious")
    with pytest.raises(Misused) as caught:
        workflow._create(folder / "late.key", b"new", 0o600)
    assert caught.value.check == "key.exists"
    assert (folder / "late.key").read_text() == "precious"


def test_a_public_part_that_cannot_be_written_leaves_no_private_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = workflow._create

    def failing(path: Path, data: bytes, mode: int) -> None:
        if path.suffix == ".pub":
            raise KeyboardInterrupt
        create(path, data, mode)

    monkeypatch.setattr(workflow, "_create", failing)
    assert modseal("key", "generate", "-o", "new.key", "--no-passphrase").code == 130
    assert not (folder / "new.key").exists()


def test_the_passphrase_comes_from_a_descriptor_or_the_environment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (folder / "secret").open("rb") as file:
        assert modseal("key", "generate", "-o", "a.key", "--passphrase-fd", str(file.fileno())).code == 0
    monkeypatch.setenv("MODSEAL_PASSPHRASE", "open sesame")
    assert modseal("key", "public", "a.key").code == 0
    monkeypatch.setenv("MODSEAL_PASSPHRASE", "shut")
    ran = modseal("key", "public", "a.key")
    assert (ran.code, "key.passphrase" in ran.err) == (2, True)


def test_nobody_to_ask_is_said_at_once(folder: Path) -> None:
    ran = modseal("key", "generate", "-o", "a.key", stdin=b"")
    assert (ran.code, "--passphrase-file" in ran.err) == (2, True)
    assert not (folder / "a.key").exists()


@pytest.mark.parametrize("content", [b"", b"two\nlines\n"])
def test_a_passphrase_that_is_none(folder: Path, content: bytes) -> None:
    (folder / "secret").write_bytes(content)
    assert modseal("key", "generate", "-o", "a.key", "--passphrase-file", "secret").code == 2


def test_no_option_takes_a_passphrase_itself() -> None:
    assert modseal("key", "generate", "--passphrase", "x").code == 2


def test_a_bare_key_is_shown_with_its_id(folder: Path) -> None:
    ran = modseal("key", "generate", "-o", "a.key", "--no-passphrase", "--type", "ed25519")
    assert "not encrypted" in ran.err
    assert modseal("key", "show", "--json", "a.key").data()["type"] == "ed25519"


# --- inspect, and what is imported


def test_inspect_says_that_nothing_is_verified(folder: Path) -> None:
    spoiled = Spoiled.of(bundled())
    spoiled.material["publicKey"]["hint"] = "\x1b[2J"
    (folder / "evil.json").write_bytes(spoiled.data())
    ran = modseal("inspect", "evil.json")
    assert ran.code == 0
    assert "untrusted" in ran.out.splitlines()[0]
    assert "\x1b" not in ran.out
    data = modseal("inspect", "--json", "evil.json").data()
    assert (data["verified"], data["kind"]) == (False, "Sigstore bundle")


HEAVY = {"sigstore", "pydantic", "requests", "urllib3", "tuf", "rich", "sigstore_models", "id"}


@pytest.mark.parametrize(
    "argv",
    [
        ("verify", "file", "net.zip", *BUNDLE, "--key", "acme.pub", *NAMED),
        ("key", "show", "acme.pub"),
        ("key", "generate", "-o", "b.key", "--no-passphrase"),
        ("inspect", "net.json"),
    ],
    ids=["verify-file", "key-show", "key-generate", "inspect"],
)
def test_paths_with_keys_load_no_sigstore(folder: Path, argv: tuple[str, ...]) -> None:
    program = (
        "import sys, json; from verify.cli.app import run; code = run(sys.argv[1:]);"
        "print(json.dumps([code, sorted({name.partition('.')[0] for name in sys.modules})]), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *argv],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    code, loaded = json.loads(done.stderr.splitlines()[-1])
    assert code == 0
    assert HEAVY & set(loaded) == set()


def test_checking_what_attestations_say_loads_no_cryptography() -> None:
    program = (
        "import sys; import verify.signing.accounting, verify.signing.expectation, verify.signing.statement;"
        "print({'cryptography', 'sigstore', 'socket', 'ssl', 'subprocess'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stdout.strip() == "set()"
