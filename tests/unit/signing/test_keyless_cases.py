"""Every case of bundle verification, by path and by digest, is right and for the stated reason."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.keyless_cases import write_cases
from tools.conformance import runner

if TYPE_CHECKING:
    from tools.conformance.runner import Answer

ADAPTER = Path(runner.__file__).with_name("adapter.py")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("cases")
    assert write_cases(made) > 90
    return made


@pytest.fixture(scope="module")
def answers(folder: Path) -> list[Answer]:
    return runner.run(folder)


def test_every_case_is_right_for_the_stated_reason(answers: list[Answer]) -> None:
    assert [each for each in answers if not each.right] == []


def test_every_case_is_asked_by_path_and_by_digest(folder: Path, answers: list[Answer]) -> None:
    names = {path.parent.name for path in folder.glob("*/bundle.sigstore.json")}
    assert {(each.name, each.by) for each in answers} == {(n, by) for n in names for by in ("path", "digest")}


def test_the_runner_tells_a_case_that_is_wrong(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.txt", "identity", "issuer", "trusted_root.json"):
        shutil.copy(folder / name, tmp_path)
    shutil.copytree(folder / "no-sct_fail", tmp_path / "no-sct")
    (tmp_path / "no-sct" / "reason").unlink()
    shutil.copytree(folder / "rekor2-happy-path", tmp_path / "rekor2-happy-path_fail")
    assert runner.main([str(tmp_path)]) == 1
    told = capsys.readouterr().out
    assert "no-sct by path: expected accepted, got sct.missing" in told
    assert "rekor2-happy-path_fail by digest: expected refused, got accepted" in told
    assert "4 answers to 2 cases, 4 wrong" in told


@pytest.mark.parametrize(
    ("case", "code", "said"),
    [
        ("happy-path-v0.3", 0, ""),
        ("log-entry-of-another-artifact_fail", 1, "log.other-entry"),
        ("unknown-log_fail", 3, "log.unknown"),
    ],
)
def test_the_adapter_speaks_the_suites_protocol(folder: Path, case: str, code: int, said: str) -> None:
    from tests.support.fake_sigstore import ISSUER, SIGNER

    done = subprocess.run(
        [sys.executable, str(ADAPTER), "verify-bundle", "--bundle", str(folder / case / "bundle.sigstore.json"),
         "--certificate-identity", SIGNER, "--certificate-oidc-issuer", ISSUER,
         "--trusted-root", str(folder / "trusted_root.json"), str(folder / "a.txt")],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
