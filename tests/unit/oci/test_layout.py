"""Layout folders: what we write byte for byte, and what of other tools' writing we read."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.oci import SIGNATURE, attachment, module
from verify.digest import Digest
from verify.errors import Absent, Misused
from verify.oci.descriptor import Descriptor
from verify.oci.fallback import describe_referrer, render_fallback
from verify.oci.layout import LayoutStore
from verify.oci.layout_index import REF_NAME
from verify.oci.manifest import OCI_INDEX, OCI_MANIFEST
from verify.oci.push import publish_artifact
from verify.oci.store import Fetched

if TYPE_CHECKING:
    from pathlib import Path

SUBJECT = module().descriptor


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "layout"


def listed(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "index.json").read_bytes())["manifests"]
    return found


def plant(folder: Path, data: bytes) -> Digest:
    digest = Digest.of(data)
    (folder / "blobs" / "sha256" / digest.hex).write_bytes(data)
    return digest


def relist(folder: Path, *entries: dict[str, Any]) -> None:
    (folder / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": entries}))


def test_list_byte_for_byte(folder: Path) -> None:
    store = LayoutStore(str(folder))
    publish_artifact(store, module(), tags=("v1",))
    signature = attachment(SUBJECT, annotations={"who": "somebody"})
    publish_artifact(store, signature)
    entry = describe_referrer(
        Fetched(data=signature.data, media_type=OCI_MANIFEST, digest=signature.descriptor.digest),
        signature.manifest,
    )
    fallback = render_fallback([entry])
    expected = (
        '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":['
        f'{{"mediaType":"{OCI_INDEX}","digest":"{Digest.of(fallback)}","size":{len(fallback)},'
        f'"annotations":{{"org.opencontainers.image.ref.name":"sha256-{SUBJECT.digest.hex}"}}}},'
        f'{{"mediaType":"{OCI_MANIFEST}","digest":"{SUBJECT.digest}","size":{SUBJECT.size},'
        '"annotations":{"org.opencontainers.image.ref.name":"v1"},"artifactType":"application/vnd.example.module"},'
        f'{{"mediaType":"{OCI_MANIFEST}","digest":"{signature.descriptor.digest}","size":{len(signature.data)},'
        f'"annotations":{{"org.opencontainers.image.referrer.subject":"{SUBJECT.digest}","who":"somebody"}},'
        f'"artifactType":"{SIGNATURE}"}}]}}'
    )
    assert (folder / "index.json").read_bytes() == expected.encode()
    assert (folder / "oci-layout").read_bytes() == b'{"imageLayoutVersion":"1.0.0"}'
    assert store.get_manifest(f"sha256-{SUBJECT.digest.hex}").data == fallback


def test_order_of_writing_does_not_show(tmp_path: Path) -> None:
    artifacts = [module(b"%d" % number) for number in range(4)]
    for name, order in (("a", artifacts), ("b", artifacts[::-1])):
        store = LayoutStore(str(tmp_path / name))
        for artifact in order:
            publish_artifact(store, artifact, tags=(f"v{artifact.descriptor.digest.hex[:4]}",))
    assert (tmp_path / "a" / "index.json").read_bytes() == (tmp_path / "b" / "index.json").read_bytes()


def test_repeated_publishing_writes_nothing(folder: Path) -> None:
    store = LayoutStore(str(folder))
    publish_artifact(store, module(), tags=("v1",))
    publish_artifact(store, attachment(SUBJECT))
    before = {path: path.stat().st_ino for path in folder.rglob("*") if path.is_file()}
    publish_artifact(store, module(), tags=("v1",))
    publish_artifact(store, attachment(SUBJECT))
    assert {path: path.stat().st_ino for path in folder.rglob("*") if path.is_file()} == before


def test_names_as_other_tools_write_them(folder: Path) -> None:
    store = LayoutStore(str(folder))
    publish_artifact(store, module(), tags=("keep",))
    other = module(b"other")
    publish_artifact(store, other)
    relist(
        folder,
        {**SUBJECT.members(), "annotations": {REF_NAME: "ghcr.io/acme/net:v1"}},
        {**other.descriptor.members(), "annotations": {REF_NAME: "v2"}},
        {**SUBJECT.members(), "annotations": {REF_NAME: "localhost:5000/acme/net:v2"}},
        {**SUBJECT.members(), "annotations": {REF_NAME: "localhost:5000/acme/net"}},
    )
    assert store.resolve("v1") == SUBJECT
    assert store.resolve("v2") == other.descriptor  # a tag that stands there exactly wins
    assert store.tags() == ("v1", "v2")


def test_what_other_tools_wrote_stays(folder: Path) -> None:
    store = LayoutStore(str(folder))
    publish_artifact(store, module())
    strange = {"mediaType": "application/xml", "digest": "sha384:" + "0" * 96, "size": 3}
    known = {**module(b"x").descriptor.members(), "platform": {"os": "linux"}, "future": 1}
    members = {"schemaVersion": 2, "annotations": {"org.example.tool": "1"}, "manifests": [strange, known]}
    (folder / "index.json").write_text(json.dumps(members))
    publish_artifact(store, module(), tags=("v1",))
    assert strange in listed(folder)
    assert known in listed(folder)
    assert json.loads((folder / "index.json").read_bytes())["annotations"] == {"org.example.tool": "1"}


@pytest.mark.parametrize("how", ["listed without a tag", "not listed", "only in a fallback list"])
def test_attachments_are_found_however_they_are_kept(folder: Path, how: str) -> None:
    store = LayoutStore(str(folder))
    publish_artifact(store, module(), tags=("v1",))
    signature = attachment(SUBJECT)
    plant(folder, signature.data)
    tagged = {**SUBJECT.members(), "annotations": {REF_NAME: "v1"}}
    fallback = render_fallback([signature.descriptor])
    plant(folder, fallback)
    tag = {
        **Descriptor.of(fallback, OCI_INDEX).members(),
        "annotations": {REF_NAME: f"sha256-{SUBJECT.digest.hex}"},
    }
    extra = {
        "listed without a tag": [signature.descriptor.members()],
        "not listed": [],
        "only in a fallback list": [tag],
    }[how]
    relist(folder, tagged, *extra)
    found = store.referrers(SUBJECT.digest)
    assert [(entry.digest, entry.artifact_type) for entry in found.entries] == [
        (signature.descriptor.digest, SIGNATURE)
    ]
    assert found.complete
    assert store.get_manifest(signature.descriptor.digest).media_type == OCI_MANIFEST


def test_what_is_remembered_is_forgotten_when_something_comes(folder: Path) -> None:
    store = LayoutStore(str(folder))
    publish_artifact(store, module(), tags=("v1",))
    blobs = folder / "blobs" / "sha256"
    os.utime(blobs, (1_000_000_000, 1_000_000_000))  # long ago, so that it is relied on
    assert store.referrers(SUBJECT.digest).entries == ()
    assert store._scanned is not None
    plant(folder, attachment(SUBJECT).data)
    assert len(store.referrers(SUBJECT.digest).entries) == 1


def test_the_only_artifact_needs_no_name(folder: Path) -> None:
    store = LayoutStore(str(folder))
    with pytest.raises(Absent):
        store.sole()
    publish_artifact(store, module(), tags=("v1", "v1.0"))
    publish_artifact(store, attachment(SUBJECT))
    assert store.sole() == SUBJECT
    publish_artifact(store, module(b"second"))
    with pytest.raises(Misused) as caught:
        store.sole()
    assert caught.value.hint is not None
    assert caught.value.hint.endswith(":v1")


def test_what_loses_its_tag_stays_listed(folder: Path) -> None:
    store = LayoutStore(str(folder))
    publish_artifact(store, module(b"old"), tags=("latest",))
    publish_artifact(store, module(b"new"), tags=("latest",), force=True)
    assert {each["digest"] for each in listed(folder)} == {
        module(b"old").descriptor.digest.text,
        module(b"new").descriptor.digest.text,
    }


def test_folder_that_is_not_there(folder: Path) -> None:
    store = LayoutStore(str(folder))
    for act in (store.tags, lambda: store.resolve("v1"), lambda: store.referrers(SUBJECT.digest)):
        with pytest.raises(Absent):
            act()
    assert not folder.exists()
