"""Manifests that cue and oras write, rebuilt from the same parts byte for byte."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from verify.ecosystems.cue.artifact import CueSource, build_cue_artifact
from verify.ecosystems.opentofu.artifact import ARTIFACT_TYPE, build_opentofu_artifact
from verify.ecosystems.recognition import recognise
from verify.oci.blob import Content
from verify.oci.layout import LayoutStore
from verify.oci.manifest import parse_manifest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.digest import Digest

    Peer = Callable[[str], str]

GIT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.com",
}


def run(folder: Path, *command: str, **environment: str) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**GIT, "HOME": str(folder), **environment},
    )
    assert done.returncode == 0, done.stderr


def content(store: LayoutStore, digest: Digest) -> bytes:
    with store.open_blob(digest) as reader:
        return reader.read()


@pytest.mark.peer("cue")
@pytest.mark.parametrize("kind", ["self", "git"])
def test_cue_module(tmp_path: Path, peer: Peer, kind: str) -> None:
    module = tmp_path / "module"
    (module / "cue.mod").mkdir(parents=True)
    declaration = f'module: "example.com/net@v0"\nlanguage: version: "v0.9.0"\nsource: kind: "{kind}"\n'
    (module / "cue.mod" / "module.cue").write_text(declaration)
    (module / "net.cue").write_text("package net\n\nx: 1\n")
    if kind == "git":
        run(module, "git", "init", "-q")
        run(module, "git", "add", "-A")
        run(module, "git", "commit", "-q", "-m", "first")
    out = str(tmp_path / "layout")
    run(
        module,
        peer("cue"),
        "mod",
        "publish",
        "v0.1.0",
        "--out",
        out,
        CUE_REGISTRY="localhost:1",
        TZ="Asia/Tokyo",
        CUE_CACHE_DIR=str(tmp_path),
    )
    store = LayoutStore(out)
    fetched = store.get_manifest("v0.1.0")
    manifest = parse_manifest(fetched.data, served_as=fetched.media_type)
    shape = recognise(manifest)
    archive = content(store, shape.part("archive").layer.digest)
    module_file = content(store, shape.part("module-file").layer.digest)
    noted = manifest.annotations
    source = None
    if kind == "git":
        source = CueSource(
            system=noted["org.cuelang.vcs-type"],
            commit=noted["org.cuelang.vcs-commit"],
            commit_time=noted["org.cuelang.vcs-commit-time"],
        )
    assert (
        build_cue_artifact(Content.of(archive, "application/zip"), module_file, source=source).data
        == fetched.data
    )
    assert store.sole().digest == fetched.digest


@pytest.mark.peer("oras")
def test_opentofu_module_as_oras_pushes_it(tmp_path: Path, peer: Peer) -> None:
    (tmp_path / "net.zip").write_bytes(b"a zip")
    created = "2020-01-01T00:00:00Z"
    run(
        tmp_path,
        peer("oras"),
        "push",
        "--oci-layout",
        "layout:v1",
        "--artifact-type",
        ARTIFACT_TYPE,
        "--annotation",
        f"org.opencontainers.image.created={created}",
        "net.zip:archive/zip",
    )
    fetched = LayoutStore(str(tmp_path / "layout")).get_manifest("v1")
    ours = build_opentofu_artifact(
        Content.of(b"a zip", "archive/zip"),
        title="net.zip",
        annotations={"org.opencontainers.image.created": created},
    )
    assert ours.data == fetched.data
