"""Layout folders that we write and real tools read, and the other way round."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.oci import MODULE, SIGNATURE, attachment, module
from verify.oci.layout import LayoutStore
from verify.oci.push import publish_artifact
from verify.oci.referrers import find_referrers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Peer = Callable[[str], str]

SUBJECT = module().descriptor


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={"HOME": str(folder)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    store = LayoutStore(str(tmp_path / "ours"))
    publish_artifact(store, module(), tags=("v1.0.0", "latest"))
    publish_artifact(store, attachment(SUBJECT, annotations={"who": "somebody"}))
    return tmp_path


@pytest.mark.peer("oras")
def test_oras_finds_what_we_attach(ours: Path, peer: Peer) -> None:
    manifest = run(ours, peer("oras"), "manifest", "fetch", "--oci-layout", "ours:v1.0.0")
    assert manifest.encode() == module().data
    tree: dict[str, Any] = json.loads(
        run(ours, peer("oras"), "discover", "--oci-layout", "--format", "json", "ours:v1.0.0")
    )
    (found,) = tree.get("referrers") or tree["manifests"]
    assert (found["digest"], found["artifactType"]) == (attachment_digest(), SIGNATURE)
    assert set(run(ours, peer("oras"), "repo", "tags", "--oci-layout", "ours").split()) >= {
        "v1.0.0",
        "latest",
    }


@pytest.mark.peer("regctl")
def test_regctl_finds_what_we_attach(ours: Path, peer: Peer) -> None:
    manifest = run(ours, peer("regctl"), "manifest", "get", "--format", "raw-body", "ocidir://ours:v1.0.0")
    assert manifest.encode().rstrip() == module().data
    listed = json.loads(
        run(ours, peer("regctl"), "artifact", "list", "--format", "{{json .}}", "ocidir://ours:v1.0.0")
    )
    assert attachment_digest() in {each["digest"] for each in listed["descriptors"]}


@pytest.mark.peer("oras")
def test_we_find_what_oras_attaches(ours: Path, peer: Peer) -> None:
    (ours / "bill.json").write_text("{}\n")
    (ours / "file.txt").write_text("hello\n")
    oras = peer("oras")
    run(ours, oras, "push", "--oci-layout", "theirs:v2", "--artifact-type", MODULE, "file.txt:text/plain")
    store = LayoutStore(str(ours / "theirs"))
    subject = store.resolve("v2")
    assert find_referrers(store, subject.digest).referrers == ()
    run(
        ours,
        oras,
        "attach",
        "--oci-layout",
        "theirs:v2",
        "--artifact-type",
        SIGNATURE,
        "bill.json:text/plain",
    )
    found = find_referrers(store, subject.digest)
    assert ([each.kind for each in found.referrers], found.complete) == ([SIGNATURE], True)
    # and into a folder of ours, which stays readable for both
    run(
        ours, oras, "attach", "--oci-layout", "ours:v1.0.0", "--artifact-type", MODULE, "bill.json:text/plain"
    )
    store = LayoutStore(str(ours / "ours"))
    publish_artifact(store, attachment(SUBJECT, b"after oras"))
    found = find_referrers(store, SUBJECT.digest)
    assert (sorted(each.kind for each in found.referrers), found.complete) == (
        [MODULE, SIGNATURE, SIGNATURE],
        True,
    )
    tree = json.loads(run(ours, oras, "discover", "--oci-layout", "--format", "json", "ours:v1.0.0"))
    assert len(tree.get("referrers") or tree["manifests"]) == 3


@pytest.mark.peer("regctl")
def test_we_find_what_regctl_attaches(ours: Path, peer: Peer) -> None:
    (ours / "bill.json").write_text("{}\n")
    regctl = peer("regctl")
    put = (
        "artifact",
        "put",
        "--artifact-type",
        MODULE,
        "--file",
        "bill.json",
        "--file-media-type",
        "text/plain",
    )
    run(ours, regctl, *put, "--subject", "ocidir://ours:v1.0.0")
    run(ours, regctl, *put, "ocidir://theirs:v2")
    run(ours, regctl, *put, "--annotation", "a=b", "--subject", "ocidir://theirs:v2")
    store = LayoutStore(str(ours / "ours"))
    found = find_referrers(store, SUBJECT.digest)
    assert (sorted(each.kind for each in found.referrers), found.complete) == ([MODULE, SIGNATURE], True)
    store = LayoutStore(str(ours / "theirs"))
    found = find_referrers(store, store.resolve("v2").digest)
    assert ([each.kind for each in found.referrers], found.complete) == ([MODULE], True)
    # regctl removes what its lists do not reach: ours must be reached
    publish_artifact(store, module(b"untagged and ours"))
    run(ours, regctl, *put, "ocidir://theirs:v3")
    assert store.get_manifest(module(b"untagged and ours").descriptor.digest).data


def attachment_digest() -> str:
    return attachment(SUBJECT, annotations={"who": "somebody"}).descriptor.digest.text
