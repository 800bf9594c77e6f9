"""Lock, vendor and verify what the real cue published, fetched and cached; and cue works from what we write."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.command import modseal
from verify.ecosystems.cue.sums import RULES
from verify.sums.sumfile import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DEEP, NET, APP = "example.com/deep", "example.com/net", "example.com/app"
HEAD = 'language: version: "v0.15.0"\nsource: kind: "self"\n'


class Cue:
    """The real command, with its own cache and settings."""

    def __init__(self, binary: str, folder: Path, registry: str) -> None:
        self.binary, self.folder = binary, folder
        self.environment = os.environ | {
            "CUE_REGISTRY": registry,
            "CUE_CACHE_DIR": str(folder / "cue-cache"),
            "CUE_CONFIG_DIR": str(folder / "config"),
        }

    def __call__(self, where: Path, *words: str, **more: str) -> str:
        ran = subprocess.run(
            [self.binary, *words], cwd=where, env=self.environment | more,
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert ran.returncode == 0, f"cue {' '.join(words)}: {ran.stderr}"
        return ran.stdout


def _write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def _modules(folder: Path) -> tuple[Path, Path, Path]:
    deep = _write(folder / "deep", {
        "cue.mod/module.cue": f'module: "{DEEP}@v0"\n{HEAD}',
        "deep.cue": "package deep\n\nport: 443\n",
    })  # fmt: skip
    net = _write(folder / "net", {
        "cue.mod/module.cue": f'module: "{NET}@v1"\n{HEAD}deps: "{DEEP}@v0": v: "v0.3.0"\n',
        "net.cue": f'package net\n\nimport "{DEEP}@v0"\n\nhttps: deep.port\n',
        "a~b/ünlaut.txt": "x",
    })  # fmt: skip
    app = _write(folder / "app", {
        "cue.mod/module.cue": f'module: "{APP}@v0"\n{HEAD}deps: {{\n\t"{NET}@v1": v: "v1.4.0"\n\t"{DEEP}@v0": v: "v0.3.0"\n}}\n',
        "app.cue": f'package app\n\nimport "{NET}@v1"\n\nlisten: net.https\n',
    })  # fmt: skip
    return deep, net, app


@pytest.fixture
def registry(peer: Callable[[str], str], tmp_path: Path) -> Iterator[Cue]:
    """`cue mod registry` with both modules published, and the cue that did it."""
    with subprocess.Popen([peer("cue"), "mod", "registry"], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = server.stdout.readline().split()[-1]
            cue = Cue(peer("cue"), tmp_path, address)
            deep, net, _ = _modules(tmp_path)
            cue(deep, "mod", "publish", "v0.3.0")
            cue(net, "mod", "publish", "v1.4.0")
            yield cue
        finally:
            server.terminate()
            server.stdout.close()
            server.wait(timeout=10)


@pytest.fixture(autouse=True)
def _ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUE_CACHE_DIR", str(tmp_path / "cue-cache"))
    monkeypatch.delenv("CUE_REGISTRY", raising=False)


@pytest.mark.peer("cue")
def test_modules_published_to_a_registry(
    registry: Cue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = tmp_path / "app"
    monkeypatch.setenv("CUE_REGISTRY", registry.environment["CUE_REGISTRY"])
    assert registry(app, "mod", "tidy", "--check") == ""
    locked = modseal("lock", str(app))
    assert locked.code == 0, locked.err + locked.out
    keys = [entry.key for entry in parse((app / "cue.mod/sum.cue").read_bytes(), RULES).entries]
    assert keys == [f"{DEEP}@v0.3.0", f"{NET}@v1.4.0"]

    # the cache that cue itself filled
    assert '"listen": 443' in registry(app, "export")
    cached = modseal("verify", "tree", str(app))
    assert cached.code == 0, cached.out + cached.err
    assert "module cache" in cached.out
    monkeypatch.delenv("CUE_REGISTRY")

    assert modseal("vendor", str(app)).code == 0  # out of that cache
    assert (
        modseal("verify", "tree", str(app), "--from", f"oci://{registry.environment['CUE_REGISTRY']}").code
        == 0
    )
    # what lies in cue.mod now disturbs cue in no way
    assert '"listen": 443' in registry(app, "export")
    assert registry(app, "mod", "tidy", "--check") == ""

    extracted = next((tmp_path / "cue-cache/mod/extract").rglob("net.cue"))
    extracted.chmod(0o644)
    extracted.write_bytes(extracted.read_bytes() + b"// more\n")
    tampered = modseal("verify", "tree", str(app))
    assert (tampered.code, "tree.changed-file" in tampered.out) == (1, True)


@pytest.mark.peer("cue")
def test_modules_published_to_layout_folders(
    peer: Callable[[str], str], registry: Cue, tmp_path: Path
) -> None:
    app = tmp_path / "app"
    registry(tmp_path / "deep", "mod", "publish", "v0.3.0", "--out", str(tmp_path / "out-deep"))
    registry(tmp_path / "net", "mod", "publish", "v1.4.0", "--out", str(tmp_path / "out-net"))
    sources = [f"--from={tmp_path}/out-deep", f"--from=ocidir://{tmp_path}/out-net"]
    for words in (["lock"], ["vendor"], ["verify", "tree"]):
        ran = modseal(*words, str(app), *sources)
        assert ran.code == 0, ran.err + ran.out
    # the same bytes as in the registry, by every hash
    before = (app / "cue.mod/sum.cue").read_bytes()
    ran = modseal("lock", str(app), "--from", f"oci://{registry.environment['CUE_REGISTRY']}")
    assert (ran.code, (app / "cue.mod/sum.cue").read_bytes()) == (0, before)
    # and against cue's own schema of nothing: it is data that cue reads
    schema = tmp_path / "schema.cue"
    shutil.copy(Path(__file__).parents[2] / "verify/sums/schema.cue", schema)
    registry(tmp_path, "vet", "-c", str(schema), str(app / "cue.mod/sum.cue"))


@pytest.mark.peer("cue")
def test_a_filled_cache_is_all_that_cue_needs(registry: Cue, tmp_path: Path) -> None:
    app, filled = tmp_path / "app", tmp_path / "air-gap"
    source = f"--from=oci://{registry.environment['CUE_REGISTRY']}"
    assert modseal("lock", str(app), source).code == 0
    ran = modseal("vendor", str(app), source, "--cache", str(filled))
    assert ran.code == 0, ran.err
    offline = {"CUE_REGISTRY": "none", "CUE_CACHE_DIR": str(filled)}
    assert '"listen": 443' in registry(app, "export", **offline)
    assert registry(app, "mod", "tidy", "--check", **offline) == ""
    # and what cue extracted there is what is locked
    checked = modseal("verify", "tree", str(app), "--cache", str(filled))
    assert checked.code == 0, checked.out
    assert next((filled / "mod/extract").rglob("net.cue")).is_file()


@pytest.mark.peer("cue")
def test_a_published_module_carries_its_sum_file_and_nothing_vendored(registry: Cue, tmp_path: Path) -> None:
    app = tmp_path / "app"
    source = f"--from=oci://{registry.environment['CUE_REGISTRY']}"
    assert modseal("lock", str(app), source).code == 0
    assert modseal("vendor", str(app), source).code == 0
    listed = registry(app, "mod", "publish", "v0.1.0", "--json")
    assert "cue.mod/sum.cue" in listed
    assert "cue.mod/vendor" not in listed
