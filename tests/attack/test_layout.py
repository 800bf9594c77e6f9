"""Layout folders that lie: each lie has its check, and none gets a byte past it."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.oci import MODULE, attachment, module
from verify.digest import Digest
from verify.errors import ModsealError, Refuted
from verify.limits import Limits
from verify.oci.artifact import build_artifact
from verify.oci.blob import Content
from verify.oci.fallback import fallback_tag, render_fallback
from verify.oci.layout import LayoutStore
from verify.oci.layout_index import REF_NAME
from verify.oci.manifest import OCI_INDEX, OCI_MANIFEST
from verify.oci.memory import MemoryStore
from verify.oci.push import publish_artifact
from verify.oci.referrers import find_referrers

if TYPE_CHECKING:
    from pathlib import Path

SUBJECT = module().descriptor
LAYER = module().manifest.layers[0].digest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "layout"
    publish_artifact(LayoutStore(str(path)), module(), tags=("v1",))
    return path


def blob(folder: Path, digest: Digest) -> Path:
    return folder / "blobs" / digest.algorithm / digest.hex


def rewrite(folder: Path, **changes: Any) -> None:
    members = json.loads((folder / "index.json").read_bytes())
    (folder / "index.json").write_text(json.dumps({**members, **changes}))


def entries(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "index.json").read_bytes())["manifests"]
    return found


def refused(act: Any) -> str | None:
    with pytest.raises(ModsealError) as caught:
        act()
    return caught.value.check


def read(folder: Path, digest: Digest) -> bytes:
    with LayoutStore(str(folder)).open_blob(digest) as reader:
        return reader.read()


def test_other_bytes_under_a_digest(folder: Path) -> None:
    blob(folder, LAYER).write_bytes(b"x: 2\n")
    assert refused(lambda: read(folder, LAYER)) == "oci.digest-mismatch"
    blob(folder, SUBJECT.digest).write_bytes(module(b"x: 3\n").data)
    store = LayoutStore(str(folder))
    assert refused(lambda: store.get_manifest("v1")) == "oci.digest-mismatch"
    assert refused(lambda: store.get_manifest(SUBJECT.digest)) == "oci.digest-mismatch"


def test_damage_is_repaired_by_publishing_again(folder: Path) -> None:
    blob(folder, LAYER).write_bytes(b"x: 2\n")
    publish_artifact(LayoutStore(str(folder)), module(), tags=("v1",))
    assert read(folder, LAYER) == b"x: 1\n"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
@pytest.mark.parametrize("what", ["blob", "algorithm", "blobs"])
def test_links_are_not_followed(folder: Path, tmp_path: Path, what: str) -> None:
    place = {
        "blob": blob(folder, LAYER),
        "algorithm": folder / "blobs" / "sha256",
        "blobs": folder / "blobs",
    }[what]
    place.rename(tmp_path / "moved")
    place.symlink_to(tmp_path / "moved")
    assert refused(lambda: read(folder, LAYER)) == "oci.layout-irregular"
    store = LayoutStore(str(folder))
    if what == "blob":
        assert not store.referrers(SUBJECT.digest).complete
    else:
        assert refused(lambda: publish_artifact(store, module(b"new"))) == "oci.layout-irregular"
        assert not any(each.name.endswith(".tmp") for each in (tmp_path / "moved").iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes of this kind there")
def test_a_pipe_holds_nobody_up(folder: Path) -> None:
    blob(folder, LAYER).unlink()
    os.mkfifo(blob(folder, LAYER))
    assert refused(lambda: read(folder, LAYER)) == "oci.layout-irregular"
    (folder / "index.json").unlink()
    os.mkfifo(folder / "index.json")
    assert refused(lambda: LayoutStore(str(folder)).tags()) == "oci.layout-irregular"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_linked_list_is_not_followed(folder: Path, tmp_path: Path) -> None:
    (folder / "index.json").rename(tmp_path / "index.json")
    (folder / "index.json").symlink_to(tmp_path / "index.json")
    assert refused(lambda: LayoutStore(str(folder)).resolve("v1")) == "oci.layout-irregular"


@pytest.mark.parametrize(
    ("data", "check"),
    [
        (b'{"schemaVersion":2,"manifests":[],"manifests":[]}', "oci.json-duplicate-key"),
        (b'{"schemaVersion":2,"manifests":[],"Manifests":[]}', "oci.json-duplicate-key"),
        (b'{"schemaVersion":2,"manifests":[],"layers":[]}', "oci.layout-malformed"),
        (b'{"schemaVersion":1,"manifests":[]}', "oci.layout-malformed"),
        (b'{"schemaVersion":2,"manifests":{}}', "oci.layout-malformed"),
        (b"[]", "oci.layout-malformed"),
        (b"", "oci.json-malformed"),
    ],
)
def test_list_that_is_no_list(folder: Path, data: bytes, check: str) -> None:
    (folder / "index.json").write_bytes(data)
    store = LayoutStore(str(folder))
    assert refused(lambda: store.resolve("v1")) == check
    assert refused(lambda: publish_artifact(store, module(b"new"))) == check
    assert (folder / "index.json").read_bytes() == data


@pytest.mark.parametrize("data", [b"", b"{}", b'{"imageLayoutVersion":"2.0.0"}', b"[]"])
def test_layout_of_another_version(folder: Path, data: bytes) -> None:
    (folder / "oci-layout").write_bytes(data)
    assert refused(lambda: LayoutStore(str(folder)).resolve("v1")) in {
        "oci.layout-malformed",
        "oci.json-malformed",
    }


def test_one_tag_on_two_manifests(folder: Path) -> None:
    other = module(b"other")
    publish_artifact(LayoutStore(str(folder)), other)
    twice = {**SUBJECT.members(), "annotations": {REF_NAME: "v1"}}
    also = {**other.descriptor.members(), "annotations": {REF_NAME: "v1"}}
    rewrite(folder, manifests=[twice, also])
    store = LayoutStore(str(folder))
    assert refused(lambda: store.resolve("v1")) == "oci.tag-ambiguous"
    assert refused(lambda: store.get_manifest("v1")) == "oci.tag-ambiguous"
    rewrite(folder, manifests=[twice, twice])
    assert store.resolve("v1") == SUBJECT


def test_digest_that_is_a_path(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    escape = {**SUBJECT.members(), "digest": "sha256:../../../secret", "annotations": {REF_NAME: "v2"}}
    rewrite(folder, manifests=[*entries(folder), escape])
    store = LayoutStore(str(folder))
    assert store.tags() == ("v1",)
    assert refused(lambda: store.resolve("v2")) == "oci.manifest-unknown"
    publish_artifact(store, module(b"new"), tags=("v3",))
    assert escape in entries(folder)


def test_entry_with_another_size_or_type(folder: Path) -> None:
    for change, check in (({"size": 1}, "oci.size-mismatch"), ({"mediaType": OCI_INDEX}, "oci.media-type")):
        rewrite(folder, manifests=[{**SUBJECT.members(), **change, "annotations": {REF_NAME: "v1"}}])
        store = LayoutStore(str(folder))
        assert refused(lambda store=store: store.get_manifest("v1").document()) == check


def test_huge_manifest(folder: Path) -> None:
    store = LayoutStore(str(folder), limits=Limits(manifest_bytes=100))
    assert refused(lambda: store.get_manifest("v1")) == "oci.too-large"
    sparse = "0" * 64
    with (folder / "blobs" / "sha256" / sparse).open("wb") as file:
        file.truncate(1 << 40)
    digest = Digest.parse(f"sha256:{sparse}")
    assert refused(lambda: LayoutStore(str(folder)).get_manifest(digest)) == "oci.too-large"
    assert LayoutStore(str(folder)).referrers(SUBJECT.digest).complete


def test_huge_list(folder: Path) -> None:
    with (folder / "index.json").open("wb") as file:
        file.truncate(1 << 40)
    assert refused(lambda: LayoutStore(str(folder)).tags()) == "oci.too-large"


def test_manifest_cannot_tag_itself(folder: Path) -> None:
    store = LayoutStore(str(folder))
    publish_artifact(store, attachment(SUBJECT, annotations={REF_NAME: "v1"}))
    publish_artifact(store, attachment(SUBJECT, b"other", annotations={REF_NAME: "v9"}))
    assert store.resolve("v1") == SUBJECT
    assert [tag for tag in store.tags() if not tag.startswith("sha256-")] == ["v1"]


def test_fallback_list_that_names_its_subject_and_strangers(folder: Path) -> None:
    store = LayoutStore(str(folder))
    stranger = attachment(module(b"else").descriptor)
    publish_artifact(store, stranger)
    data = render_fallback([SUBJECT, stranger.descriptor])
    store.put_manifest(data, OCI_INDEX, tag=fallback_tag(SUBJECT.digest))
    found = find_referrers(store, SUBJECT.digest)
    assert found.referrers == ()


def test_fallback_tag_on_the_subject_itself(folder: Path) -> None:
    store = LayoutStore(str(folder))
    store.put_manifest(module().data, OCI_MANIFEST, tag=fallback_tag(SUBJECT.digest))
    listed = store.referrers(SUBJECT.digest)
    assert not listed.complete
    assert [fault.check.id for fault in listed.faults] == ["oci.fallback-is-subject"]


def test_listed_attachment_whose_manifest_was_removed_is_missed(folder: Path) -> None:
    store = LayoutStore(str(folder))
    signature = attachment(SUBJECT)
    publish_artifact(store, signature)
    blob(folder, signature.descriptor.digest).unlink()
    found = find_referrers(LayoutStore(str(folder)), SUBJECT.digest)
    assert (found.referrers, found.complete) == ((), False)
    assert {fault.check.id for fault in found.faults} == {"oci.referrer-missing"}


def test_removing_lists_hides_no_attachment(folder: Path) -> None:
    store = LayoutStore(str(folder))
    publish_artifact(store, attachment(SUBJECT))
    rewrite(folder, manifests=[{**SUBJECT.members(), "annotations": {REF_NAME: "v1"}}])
    found = find_referrers(LayoutStore(str(folder)), SUBJECT.digest)
    assert (len(found.referrers), found.complete) == (1, True)


def test_attachment_with_other_bytes_is_a_fault_and_no_attachment(folder: Path) -> None:
    store = LayoutStore(str(folder))
    signature = attachment(SUBJECT)
    publish_artifact(store, signature)
    blob(folder, signature.descriptor.digest).write_bytes(attachment(SUBJECT, b"forged").data)
    assert LayoutStore(str(folder)).referrers(SUBJECT.digest).entries == ()
    found = find_referrers(LayoutStore(str(folder)), SUBJECT.digest)
    assert (found.referrers, found.complete) == ((), False)
    assert "oci.referrer-malformed" in {fault.check.id for fault in found.faults}


def test_subject_written_with_escapes_is_found(folder: Path) -> None:
    hidden = attachment(SUBJECT).data.replace(b'"subject"', b'"subj\\u0065ct"')
    path = blob(folder, Digest.of(hidden))
    path.write_bytes(hidden)
    listed = LayoutStore(str(folder)).referrers(SUBJECT.digest)
    assert [entry.digest for entry in listed.entries] == [Digest.of(hidden)]


def test_a_million_entries_are_bounded() -> None:
    store = MemoryStore(lists_referrers=False)
    tag = fallback_tag(SUBJECT.digest)
    data = b'{"schemaVersion":2,"manifests":[' + b'{"x":1},' * 400_000 + b"{}]}"
    assert len(data) < Limits().manifest_bytes
    store.manifests[Digest.of(data)] = (data, OCI_INDEX)
    store.pointers[tag] = Digest.of(data)
    listed = store.referrers(SUBJECT.digest)
    assert (listed.entries, listed.complete) == ((), False)
    assert len(listed.faults) <= Limits().referrer_entries + 1
    longer = data + b" " * Limits().manifest_bytes
    store.manifests[Digest.of(longer)] = (longer, OCI_INDEX)
    store.pointers[tag] = Digest.of(longer)
    assert not store.referrers(SUBJECT.digest).complete


def test_more_attachments_than_the_limit_are_said_to_be_more(folder: Path) -> None:
    store = LayoutStore(str(folder), limits=Limits(referrer_entries=3))
    for number in range(5):
        publish_artifact(store, attachment(SUBJECT, b"%d" % number))
    listed = store.referrers(SUBJECT.digest)
    assert (len(listed.entries), listed.complete) == (3, False)
    assert "oci.referrers-incomplete" in {fault.check.id for fault in listed.faults}


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert refused(lambda: publish_artifact(LayoutStore(str(tmp_path)), module())) == "oci.layout-malformed"
    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]


def test_interrupted_writing_leaves_nothing_readable(folder: Path) -> None:
    class Broken:
        def read(self, size: int = -1, /) -> bytes:
            raise KeyboardInterrupt

    content = Content.of(b"new bytes", "text/plain")
    broken = Content(descriptor=content.descriptor, open=Broken)
    before = sorted(each.name for each in folder.rglob("*") if "lock" not in each.name)
    with pytest.raises(KeyboardInterrupt):
        publish_artifact(LayoutStore(str(folder)), build_artifact(layers=(broken,), artifact_type=MODULE))
    after = sorted(each.name for each in folder.rglob("*") if "lock" not in each.name)
    assert after == before
    with pytest.raises(Refuted):
        LayoutStore(str(folder)).put_blob(content.descriptor, Content.of(b"other", "text/plain").open)
