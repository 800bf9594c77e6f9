"""`modseal pack`, `verify archive`, `unpack` and `inspect`, as a shell sees them."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from tests.support.command import modseal

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def module(tmp_path: Path) -> Path:
    root = tmp_path / "net"
    (root / "templates").mkdir(parents=True)
    (root / "net.cue").write_text("package net\n" * 50)
    (root / "templates" / "é.cue").write_text("x: 1\n")
    return root


def _failed(ran: object) -> set[str]:
    return {each["check"] for each in ran.data()["findings"] if each["outcome"] == "failed"}  # type: ignore[attr-defined]


@pytest.mark.parametrize("encoding", ["--store", "--deflate"])
def test_the_same_bytes_whatever_surrounds_them(module: Path, tmp_path: Path, encoding: str) -> None:
    first, second = tmp_path / "1.zip", tmp_path / "2.zip"
    assert modseal("pack", str(module), encoding, "-o", str(first)).code == 0
    other = tmp_path / "other" / "net"
    (other / "templates").mkdir(parents=True)
    for name in ("templates/é.cue", "net.cue"):
        (other / name).write_bytes((module / name).read_bytes())
        os.utime(other / name, (1, 1))
        (other / name).chmod(0o600)
    surroundings = {**os.environ, "TZ": "Asia/Kathmandu", "LC_ALL": "C", "SOURCE_DATE_EPOCH": "1700000000"}
    argv = [sys.executable, "-m", "verify", "pack", str(other), encoding, "-o", str(second)]
    subprocess.run(argv, env=surroundings, check=True, capture_output=True, timeout=60, umask=0o077)
    assert first.read_bytes() == second.read_bytes()
    assert modseal("verify", "archive", "--canonical", str(first)).code == 0


def test_packing_again_over_the_output_inside_the_source_changes_nothing(
    module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(module)
    assert modseal("pack").code == 0
    before = (module / "net.zip").read_bytes()
    ran = modseal("pack", "--json")
    assert (module / "net.zip").read_bytes() == before
    assert ran.data()["omitted"] == [{"name": "net.zip", "reason": "the output itself"}]


def test_pack_to_stdout_is_the_same_archive(module: Path, tmp_path: Path) -> None:
    modseal("pack", str(module), "-o", str(tmp_path / "net.zip"))
    argv = [sys.executable, "-m", "verify", "pack", str(module), "-o", "-"]
    ran = subprocess.run(argv, check=True, capture_output=True, timeout=60)
    assert ran.stdout == (tmp_path / "net.zip").read_bytes()


def test_pack_says_what_it_made(module: Path, tmp_path: Path) -> None:
    out = tmp_path / "net.zip"
    data = modseal("pack", "--json", str(module), "-o", str(out)).data()
    [hashed] = modseal("hash", "--json", str(module)).data()["targets"]
    assert (data["h1"], data["files"], data["encoding"], data["rules"]) == (
        hashed["h1"],
        2,
        "store/1",
        "generic/1",
    )
    assert data["bytes"] == out.stat().st_size


@pytest.mark.parametrize(
    ("spoil", "check"),
    [
        (lambda root: (root / "link").symlink_to("net.cue"), "tree.symlink"),
        (lambda root: (root / "aux.cue").write_text(""), "name.reserved"),
        (lambda root: (root / "NET.cue").write_text(""), "name.case-collision"),
        (lambda root: (root / "e\u0301.cue").write_text(""), "name.not-nfc"),
    ],
    ids=["link", "reserved-name", "case-collision", "not-nfc"],
)
def test_pack_refuses_and_leaves_nothing(module: Path, tmp_path: Path, spoil: object, check: str) -> None:
    assert callable(spoil)
    spoil(module)
    out = tmp_path / "out"
    out.mkdir()
    ran = modseal("pack", str(module), "-o", str(out / "net.zip"))
    assert ran.code == 1
    assert f"[{check}]" in ran.err
    assert list(out.iterdir()) == []


def test_an_output_below_a_file_is_a_plain_error(module: Path, tmp_path: Path) -> None:
    ran = modseal("pack", str(module), "-o", str(module / "net.cue" / "net.zip"))
    assert (ran.code, "[output.unwritable]" in ran.err) == (3, True)
    assert "internal" not in ran.err


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ran = modseal("pack", str(tmp_path / "empty"), "-o", str(tmp_path / "x.zip"))
    assert (ran.code, "[archive.empty]" in ran.err) == (1, True)


def test_the_executable_bit_is_kept_on_request_only(module: Path, tmp_path: Path) -> None:
    (module / "net.cue").chmod(0o755)
    modseal("pack", str(module), "-o", str(tmp_path / "plain.zip"))
    modseal("pack", "--keep-exec", str(module), "-o", str(tmp_path / "kept.zip"))
    modes = []
    for name in ("plain.zip", "kept.zip"):
        with zipfile.ZipFile(tmp_path / name) as file:
            modes.append(file.getinfo("net.cue").external_attr >> 16)
    assert modes == [0o100644, 0o100755]


def test_unpack_keeps_the_executable_bit_on_request_only(module: Path, tmp_path: Path) -> None:
    (module / "net.cue").chmod(0o755)
    modseal("pack", "--keep-exec", str(module), "-o", str(tmp_path / "net.zip"))
    for words, mode in (((), 0o644), (("--keep-exec",), 0o755)):
        into = tmp_path / f"out{mode}"
        assert modseal("unpack", *words, str(tmp_path / "net.zip"), str(into)).code == 0
        assert (into / "net.cue").stat().st_mode & 0o777 == mode


def test_verify_archive_by_hash(module: Path, tmp_path: Path) -> None:
    out = tmp_path / "net.zip"
    made = modseal("pack", "--json", str(module), "-o", str(out)).data()
    for pin in (made["h1"], f"sha256:{made['sha256']}"):
        ran = modseal("verify", "archive", str(out), "--hash", pin)
        assert ran.code == 0
        assert f"basis: pinned ({pin})" in ran.out
    wrong = modseal("verify", "archive", str(out), "--hash", "sha256:" + "0" * 64, "--output", "json")
    assert (wrong.code, _failed(wrong)) == (1, {"archive.hash"})


def test_verify_archive_without_a_pin_says_what_it_stands_on(module: Path, tmp_path: Path) -> None:
    modseal("pack", str(module), "-o", str(tmp_path / "net.zip"))
    ran = modseal("verify", "archive", str(tmp_path / "net.zip"))
    assert ran.code == 0
    assert "basis: self-consistent" in ran.out
    assert (
        ran.out.splitlines()[-1] == "1 archive = 1 verified + 0 failed + 0 unknown + 0 excepted; 0 not locked"
    )


def test_every_byte_of_a_canonical_archive_counts(module: Path, tmp_path: Path) -> None:
    out = tmp_path / "net.zip"
    modseal("pack", str(module), "--deflate", "-o", str(out))
    whole = out.read_bytes()
    for at in range(0, len(whole), 7):
        out.write_bytes(whole[:at] + bytes([whole[at] ^ 0x20]) + whole[at + 1 :])
        ran = modseal("verify", "archive", "--canonical", str(out), "--output", "json")
        assert ran.code in (1, 3), at
        assert ran.data()["verdict"] != "passed", at


def test_a_foreign_zip_is_accepted_but_not_canonical(module: Path, tmp_path: Path) -> None:
    out = tmp_path / "net.zip"
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.write(module / "net.cue", "net.cue")
    assert modseal("verify", "archive", str(out)).code == 0
    ran = modseal("verify", "archive", "--canonical", str(out), "--output", "json")
    assert (ran.code, _failed(ran)) == (1, {"archive.not-canonical"})


def test_not_a_zip(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"<html>login</html>")
    ran = modseal("verify", "archive", str(tmp_path / "x.zip"), "--output", "json")
    assert (ran.code, _failed(ran)) == (1, {"archive.no-end"})


def test_unpack_gives_back_the_tree(module: Path, tmp_path: Path) -> None:
    made = modseal("pack", "--json", str(module), "-o", str(tmp_path / "net.zip")).data()
    into = tmp_path / "into"
    ran = modseal("unpack", "--hash", made["h1"], str(tmp_path / "net.zip"), str(into))
    assert ran.code == 0
    assert modseal("diff", str(module), str(into)).code == 0


def test_unpack_writes_nothing_when_the_hash_is_another(module: Path, tmp_path: Path) -> None:
    modseal("pack", str(module), "-o", str(tmp_path / "net.zip"))
    into = tmp_path / "into"
    empty = "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    for pin in (empty, "sha256:" + "0" * 64):
        ran = modseal("unpack", "--hash", pin, str(tmp_path / "net.zip"), str(into))
        assert (ran.code, "[archive.hash]" in ran.err) == (1, True)
        assert not into.exists()


def test_unpack_refuses_a_folder_with_something_in_it(module: Path, tmp_path: Path) -> None:
    modseal("pack", str(module), "-o", str(tmp_path / "net.zip"))
    ran = modseal("unpack", str(tmp_path / "net.zip"), str(module))
    assert ran.code == 2
    assert sorted(each.name for each in module.iterdir()) == ["net.cue", "templates"]


def test_inspect_explains_a_refused_zip_without_judging(tmp_path: Path) -> None:
    out = tmp_path / "x.zip"
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("a\x1b[2J.txt", b"x")
    ran = modseal("inspect", str(out))
    assert ran.code == 0
    assert "refused: name.control" in ran.out
    assert "\x1b" not in ran.out
    data = modseal("inspect", "--json", str(out)).data()
    assert (data["accepted"], data["h1"], data["canonical"]) == (False, None, None)


def test_inspect_recognises_our_own(module: Path, tmp_path: Path) -> None:
    for encoding in ("store/1", "deflate/1"):
        out = tmp_path / f"{encoding[:5]}.zip"
        modseal("pack", f"--{encoding.partition('/')[0]}", str(module), "-o", str(out))
        assert modseal("inspect", "--json", str(out)).data()["canonical"] == encoding


def _cue_module(root: Path, kind: str) -> Path:
    for name, text in {
        "cue.mod/module.cue": f'module: "example.com/net@v1"\nlanguage: version: "v0.9.0"\nsource: kind: "{kind}"\n',
        "net.cue": "package net\n",
        "sub/cue.mod/module.cue": 'module: "example.com/other@v1"\n',
        "cue.mod/vendor/example.com/x@v1.0.0/x.cue": "package x\n",
        "untracked.cue": "package net\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_a_cue_module_is_packed_by_cues_rules(tmp_path: Path) -> None:
    root = _cue_module(tmp_path / "net", "self")
    ran = modseal("pack", "--rules", "cue/1", "--json", str(root), "-o", str(tmp_path / "net.zip"))
    assert ran.code == 0, ran.err
    with zipfile.ZipFile(tmp_path / "net.zip") as file:
        assert file.namelist() == ["cue.mod/module.cue", "net.cue", "untracked.cue"]


def test_a_cue_module_from_git_is_the_same_from_its_clean_folder_and_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = tmp_path / "repository"
    root = _cue_module(repository / "net", "git")
    (root / "untracked.cue").unlink()
    (repository / "LICENSE").write_text("terms\n")
    git = ["git", "-C", str(repository), "-c", "user.name=x", "-c", "user.email=x@example.com"]
    for argv in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
        subprocess.run([*git, *argv], check=True, capture_output=True, timeout=30)
    monkeypatch.chdir(repository)
    for source, out in (("./net", "1.zip"), ("git:HEAD:net", "2.zip")):
        ran = modseal("pack", "--rules", "cue/1", source, "-o", str(tmp_path / out))
        assert ran.code == 0, ran.err
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "1.zip") as file:
        assert file.namelist() == ["LICENSE", "cue.mod/module.cue", "net.cue"]
    (root / "net.cue").write_text("package net // changed\n")
    ran = modseal("pack", "--rules", "cue/1", "./net", "-o", str(tmp_path / "3.zip"))
    assert (ran.code, "[git.unclean]" in ran.err) == (1, True)
    assert modseal("hash", "git:HEAD:net").code == 0


def test_a_folder_without_a_module_file_is_no_cue_module(module: Path, tmp_path: Path) -> None:
    ran = modseal("pack", "--rules", "cue/1", str(module), "-o", str(tmp_path / "net.zip"))
    assert (ran.code, "[cue.no-module-file]" in ran.err) == (1, True)
