"""What people really use against `modseal serve`: oras, crane, regctl and cue."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.oci import attachment, module
from tests.support.serving import served
from verify.digest import Digest
from verify.oci.layout import LayoutStore
from verify.oci.push import publish_artifact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "oci"
    made.mkdir()
    return made


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    with served(folder, "--writable") as found:
        yield found


def run(*command: str, cwd: Path, **settings: str) -> str:
    home = cwd / "home"
    home.mkdir(exist_ok=True)
    environment = {**os.environ, "HOME": str(home), "DOCKER_CONFIG": str(home), **settings}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.peer("oras")
def test_oras_pushes_attaches_discovers_and_pulls(
    peer: Callable[[str], str], address: str, folder: Path, tmp_path: Path
) -> None:
    oras, name = peer("oras"), f"{address}/example.com/net"
    (tmp_path / "net.zip").write_bytes(os.urandom(3_000_000))
    (tmp_path / "note.txt").write_text("seen\n")
    run(oras, "push", "--plain-http", f"{name}:v1.0.0", "net.zip:application/zip", cwd=tmp_path)
    kind = "application/vnd.example.note+text"
    attach = [oras, "attach", "--plain-http", "--artifact-type", kind, f"{name}:v1.0.0", "note.txt"]
    run(*attach, cwd=tmp_path)
    found = json.loads(
        run(oras, "discover", "--plain-http", "--format", "json", f"{name}:v1.0.0", cwd=tmp_path)
    )
    assert [each["artifactType"] for each in found["referrers"]] == [kind]
    none = [
        oras,
        "discover",
        "--plain-http",
        "--format",
        "json",
        "--artifact-type",
        "a/b",
        f"{name}:v1.0.0",
    ]
    assert json.loads(run(*none, cwd=tmp_path)).get("referrers") in (None, [])
    run(oras, "pull", "--plain-http", "-o", "back", f"{name}:v1.0.0", cwd=tmp_path)
    assert (tmp_path / "back" / "net.zip").read_bytes() == (tmp_path / "net.zip").read_bytes()
    assert run(oras, "repo", "tags", "--plain-http", name, cwd=tmp_path).split() == ["v1.0.0"]
    assert run(oras, "repo", "ls", "--plain-http", address, cwd=tmp_path).split() == ["example.com/net"]
    # and what lies in the folder is an artifact with a referrer, for us too
    store = LayoutStore(str(folder / "example.com" / "net"))
    assert [each.artifact_type for each in store.referrers(store.resolve("v1.0.0").digest).entries] == [kind]


@pytest.mark.peer("oras")
def test_oras_deletes_a_manifest_with_its_tag(
    peer: Callable[[str], str], address: str, tmp_path: Path
) -> None:
    oras, name = peer("oras"), f"{address}/example.com/net"
    (tmp_path / "a").write_bytes(b"a")
    run(oras, "push", "--plain-http", f"{name}:v1,latest", "a", cwd=tmp_path)
    run(oras, "manifest", "delete", "--plain-http", "--force", f"{name}:v1", cwd=tmp_path)
    assert run(oras, "repo", "tags", "--plain-http", name, cwd=tmp_path).split() == []


@pytest.mark.peer("crane")
def test_crane_pushes_a_layout_and_pulls_it_back(
    peer: Callable[[str], str], address: str, tmp_path: Path
) -> None:
    crane, name = peer("crane"), f"{address}/example.com/image"
    published = publish_artifact(LayoutStore(str(tmp_path / "layout")), module(b"x: 1\n" * 100_000))
    digest = published.descriptor.digest.text
    run(crane, "push", "--insecure", str(tmp_path / "layout"), f"{name}:v1", cwd=tmp_path)
    assert run(crane, "digest", "--insecure", f"{name}:v1", cwd=tmp_path).strip() == digest
    run(crane, "tag", "--insecure", f"{name}:v1", "v2", cwd=tmp_path)
    assert run(crane, "ls", "--insecure", name, cwd=tmp_path).split() == ["v1", "v2"]
    run(crane, "pull", "--insecure", "--format=oci", f"{name}:v2", str(tmp_path / "back"), cwd=tmp_path)
    index = json.loads((tmp_path / "back" / "index.json").read_bytes())
    assert [each["digest"] for each in index["manifests"]] == [digest]
    # from one repository to another: the blobs are mounted
    other = f"{address}/example.com/copy:v1"
    run(crane, "copy", "--insecure", f"{name}:v1", other, cwd=tmp_path)
    assert run(crane, "digest", "--insecure", other, cwd=tmp_path).strip() == digest
    listed = run(crane, "catalog", "--insecure", address, cwd=tmp_path).split()
    assert listed == ["example.com/copy", "example.com/image"]


@pytest.mark.peer("regctl")
def test_regctl_puts_gets_and_lists_artifacts(
    peer: Callable[[str], str], address: str, tmp_path: Path
) -> None:
    regctl, name = peer("regctl"), f"{address}/example.com/net"
    settings = {"REGCTL_CONFIG": str(tmp_path / "regctl.json")}
    run(regctl, "registry", "set", "--tls", "disabled", address, cwd=tmp_path, **settings)
    (tmp_path / "a.txt").write_text("content\n")
    (tmp_path / "b.txt").write_text("attached\n")
    kind = "application/vnd.example.thing"
    put = [regctl, "artifact", "put", "--artifact-type", kind, "--file", "a.txt", f"{name}:v1"]
    run(*put, cwd=tmp_path, **settings)
    attach = [regctl, "artifact", "put", "--artifact-type", f"{kind}.note", "--file", "b.txt"]
    run(*attach, "--subject", f"{name}:v1", cwd=tmp_path, **settings)
    assert run(regctl, "artifact", "get", f"{name}:v1", cwd=tmp_path, **settings) == "content\n"
    assert run(regctl, "tag", "ls", name, cwd=tmp_path, **settings).split() == ["v1"]
    listed = run(regctl, "artifact", "list", f"{name}:v1", "--format", "raw-body", cwd=tmp_path, **settings)
    assert [each["artifactType"] for each in json.loads(listed)["manifests"]] == [f"{kind}.note"]
    # a tag alone can go, which not every registry offers
    run(regctl, "tag", "rm", f"{name}:v1", cwd=tmp_path, **settings)
    assert run(regctl, "tag", "ls", name, cwd=tmp_path, **settings).split() == []


def cue_module(folder: Path, name: str, files: dict[str, str], deps: str = "") -> Path:
    (folder / "cue.mod").mkdir(parents=True)
    declared = f'module: "{name}@v1"\nlanguage: version: "v0.15.0"\nsource: kind: "self"\n{deps}'
    (folder / "cue.mod" / "module.cue").write_text(declared)
    for each, text in files.items():
        (folder / each).write_text(text)
    return folder


@pytest.mark.peer("cue")
def test_cue_publishes_and_another_module_imports_it(
    peer: Callable[[str], str], address: str, folder: Path, tmp_path: Path
) -> None:
    cue = peer("cue")
    settings = {"CUE_REGISTRY": f"{address}+insecure", "CUE_CACHE_DIR": str(tmp_path / "cache")}
    for name, text in (("net", "package net\nport: 443\n"), ("log", 'package log\nlevel: "info"\n')):
        made = cue_module(tmp_path / name, f"example.com/{name}", {"a.cue": text})
        run(cue, "mod", "publish", "v1.2.0", cwd=made, **settings)
    deps = "".join(f'deps: "example.com/{name}@v1": v: "v1.2.0"\n' for name in ("net", "log"))
    source = 'package app\nimport (\n\t"example.com/net@v1"\n\t"example.com/log@v1"\n)\nout: [net.port, log.level]\n'
    app = cue_module(tmp_path / "app", "example.com/app", {"app.cue": source}, deps)
    assert json.loads(run(cue, "export", "-e", "out", cwd=app, **settings)) == [443, "info"]
    assert LayoutStore(str(folder / "example.com" / "net")).tags() == ("v1.2.0",)


@pytest.mark.peer("cue")
def test_cue_reads_from_a_registry_that_refuses_writes(peer: Callable[[str], str], tmp_path: Path) -> None:
    cue, folder = peer("cue"), tmp_path / "oci"
    folder.mkdir()
    made = cue_module(tmp_path / "net", "example.com/net", {"a.cue": "package net\nport: 443\n"})
    with served(folder, "--writable") as address:
        settings = {"CUE_REGISTRY": f"{address}+insecure", "CUE_CACHE_DIR": str(tmp_path / "first")}
        run(cue, "mod", "publish", "v1.2.0", cwd=made, **settings)
    source = 'package app\nimport "example.com/net@v1"\nout: net.port\n'
    deps = 'deps: "example.com/net@v1": v: "v1.2.0"\n'
    app = cue_module(tmp_path / "app", "example.com/app", {"app.cue": source}, deps)
    with served(folder) as address:
        settings = {"CUE_REGISTRY": f"{address}+insecure", "CUE_CACHE_DIR": str(tmp_path / "second")}
        assert run(cue, "eval", "-e", "out", cwd=app, **settings) == "443\n"
        refused = subprocess.run(
            [cue, "mod", "publish", "v1.3.0"],
            cwd=made,
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    assert refused.returncode != 0
    assert "405" in refused.stderr


@pytest.mark.peer("oras")
def test_oras_finds_what_we_attached_in_a_layout(peer: Callable[[str], str], tmp_path: Path) -> None:
    store = LayoutStore(str(tmp_path / "net"))
    subject = publish_artifact(store, module(), tags=("v1",)).descriptor
    attached = publish_artifact(store, attachment(subject)).descriptor
    with served(tmp_path / "net", "--name", "example.com/net") as address:
        asked = [
            peer("oras"),
            "discover",
            "--plain-http",
            "--format",
            "json",
            f"{address}/example.com/net:v1",
        ]
        found = json.loads(run(*asked, cwd=tmp_path))
    assert [Digest.parse(each["digest"]) for each in found["referrers"]] == [attached.digest]
