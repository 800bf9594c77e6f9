"""What every store does, whatever it keeps its content in."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from tests.support.oci import MODULE, SIGNATURE, attachment, module
from tests.support.registry_stores import OURS, REAL
from verify.digest import Digest
from verify.errors import Absent, Malformed, Misused, Refuted, Unavailable
from verify.events import Silent
from verify.limits import Limits
from verify.oci.artifact import EMPTY
from verify.oci.copy import copy_artifact, tags_of
from verify.oci.descriptor import Descriptor
from verify.oci.layout import LayoutStore
from verify.oci.manifest import OCI_INDEX, OCI_MANIFEST, Index
from verify.oci.memory import MemoryStore
from verify.oci.push import publish_artifact
from verify.oci.referrers import find_referrers, walk_referrers
from verify.oci.store import Put

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.registry_stores import RegistryStores
    from verify.oci.store import Store

    MakeStore = Callable[[str], Store]

# a new implementation is one more line here
STORES: dict[str, Callable[[Path, str], Store]] = {
    "memory": lambda _, name: MemoryStore(name=name),
    "memory-without-referrers-api": lambda _, name: MemoryStore(name=name, lists_referrers=False),
    "layout": lambda folder, name: LayoutStore(str(folder / name)),
}


PARAMS = [
    *STORES,
    *OURS,
    *(pytest.param(kind, marks=pytest.mark.peer(*peers)) for kind, (peers, _) in REAL.items()),
]


@pytest.fixture(params=PARAMS)
def make_store(request: pytest.FixtureRequest, tmp_path: Path, registries: RegistryStores) -> MakeStore:
    kind = request.param
    if kind in STORES:
        return lambda name: STORES[kind](tmp_path, name)
    registries.begin_test(kind)
    return lambda name: registries(kind, name)


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    made = make_store("store")
    publish_artifact(made, module(b"first"), tags=("v0.0.1",))
    return made


def put(store: Store, data: bytes) -> Descriptor:
    descriptor = Descriptor.of(data, "application/octet-stream")
    store.put_blob(descriptor, lambda: io.BytesIO(data))
    return descriptor


def test_blob_comes_back(store: Store) -> None:
    blob = put(store, b"some bytes")
    with store.open_blob(blob.digest, size=blob.size) as reader:
        assert reader.read(4) + reader.read() == b"some bytes"
        assert reader.verified
    assert store.has_blob(blob.digest)


def test_empty_blob_comes_back(store: Store) -> None:
    blob = put(store, b"")
    with store.open_blob(blob.digest, size=0) as reader:
        assert reader.read() == b""
        assert reader.verified


def test_blob_that_is_there_is_not_read_again(store: Store) -> None:
    blob = put(store, b"twice")

    def unread() -> io.BytesIO:
        raise AssertionError

    assert store.put_blob(blob, unread) is Put.PRESENT


@pytest.mark.parametrize(
    ("given", "check"),
    [
        (b"other bytes", "oci.digest-mismatch"),
        (b"short", "oci.size-mismatch"),
        (b"much longer bytes", "oci.size-mismatch"),
    ],
)
def test_blob_with_other_bytes_is_refused_and_not_there(store: Store, given: bytes, check: str) -> None:
    wanted = Descriptor.of(b"right bytes", "text/plain")
    with pytest.raises(Refuted) as caught:
        store.put_blob(wanted, lambda: io.BytesIO(given))
    assert caught.value.check == check
    assert not store.has_blob(wanted.digest)
    with pytest.raises(Absent) as missing:
        store.open_blob(wanted.digest)
    assert missing.value.check == "oci.blob-unknown"


def test_blob_asked_for_with_another_size_is_refused(store: Store) -> None:
    blob = put(store, b"12345")
    for size in (4, 6):
        with store.open_blob(blob.digest, size=size) as reader, pytest.raises(Refuted) as caught:
            reader.read()
        assert caught.value.check == "oci.size-mismatch"


def test_manifest_by_tag_and_by_digest_has_its_exact_bytes(store: Store) -> None:
    artifact = module()
    publish_artifact(store, artifact, tags=("v1.0.0",))
    for which in ("v1.0.0", artifact.descriptor.digest):
        fetched = store.get_manifest(which)
        assert fetched.data == artifact.data
        assert fetched.digest == artifact.descriptor.digest
        assert fetched.media_type == OCI_MANIFEST
    assert store.resolve("v1.0.0") == artifact.descriptor


def test_absent_is_absent(store: Store) -> None:
    for which in ("v9.9.9", Digest.of(b"nothing")):
        with pytest.raises(Absent) as caught:
            store.get_manifest(which)
        assert caught.value.check == "oci.manifest-unknown"
    with pytest.raises(Absent):
        store.resolve("v9.9.9")


def test_what_is_no_tag_is_misused(store: Store) -> None:
    for tag in ("", "../x", "a b", "v1.0.0+build", "x" * 129):
        with pytest.raises(Misused):
            store.get_manifest(tag)
        with pytest.raises(Misused):
            store.put_manifest(module().data, OCI_MANIFEST, tag=tag)


def test_manifest_under_another_type_is_refused(store: Store) -> None:
    with pytest.raises(Refuted) as caught:
        store.put_manifest(module().data, OCI_INDEX)
    assert caught.value.check == "oci.media-type"
    with pytest.raises(Malformed):
        store.put_manifest(b"<html>", OCI_MANIFEST)


def test_tags_are_all_there_and_sorted(store: Store) -> None:
    publish_artifact(store, module(b"a"), tags=("v0.2.0", "latest"))
    assert [tag for tag in store.tags() if "-" not in tag] == ["latest", "v0.0.1", "v0.2.0"]


def test_tag_moves_only_when_asked(store: Store) -> None:
    publish_artifact(store, module(b"a"), tags=("v1",))
    publish_artifact(store, module(b"a"), tags=("v1",))
    with pytest.raises(Refuted) as caught:
        publish_artifact(store, module(b"b"), tags=("v1",))
    assert caught.value.check == "oci.tag-moved"
    assert store.resolve("v1").digest == module(b"a").descriptor.digest
    publish_artifact(store, module(b"b"), tags=("v1",), force=True)
    assert store.resolve("v1").digest == module(b"b").descriptor.digest
    assert store.get_manifest(module(b"a").descriptor.digest).data == module(b"a").data


def test_two_tags_of_one_manifest(store: Store) -> None:
    publish_artifact(store, module(), tags=("v1", "v1.0"))
    assert tags_of(store, module().descriptor.digest) == ("v1", "v1.0")


def test_nothing_attached_is_complete_and_empty(store: Store) -> None:
    listed = store.referrers(store.resolve("v0.0.1").digest)
    assert (listed.entries, listed.complete, listed.faults) == ((), True, ())
    nowhere = store.referrers(Digest.of(b"never put"))
    assert (nowhere.entries, nowhere.complete) == ((), True)


def test_attached_is_found_with_its_type_and_annotations(store: Store) -> None:
    subject = store.resolve("v0.0.1")
    signature = attachment(subject, annotations={"who": "somebody"})
    sbom = attachment(subject, b"bill", kind="application/vnd.example.sbom")
    publish_artifact(store, signature)
    publish_artifact(store, sbom)
    publish_artifact(store, signature)  # again: it converges
    listed = {entry.digest: entry for entry in store.referrers(subject.digest).entries}
    assert listed.keys() == {signature.descriptor.digest, sbom.descriptor.digest}
    entry = listed[signature.descriptor.digest]
    assert (entry.artifact_type, entry.annotations["who"]) == (SIGNATURE, "somebody")
    found = find_referrers(store, subject.digest, artifact_type=SIGNATURE)
    assert [each.fetched.data for each in found.referrers] == [signature.data]
    assert (found.complete, found.faults) == (True, ())


def test_attached_to_something_that_is_not_there(make_store: MakeStore) -> None:
    store = make_store("dangling")
    subject = module(b"elsewhere").descriptor
    publish_artifact(store, attachment(subject))
    assert len(find_referrers(store, subject.digest).referrers) == 1


def test_what_is_attached_to_an_attachment_is_a_tree(store: Store) -> None:
    subject = store.resolve("v0.0.1")
    first = attachment(subject)
    second = attachment(first.descriptor, b"countersignature")
    publish_artifact(store, first)
    publish_artifact(store, second)
    root = walk_referrers(store, subject.digest)
    assert [node.digest for node in root.walk()] == [
        subject.digest,
        first.descriptor.digest,
        second.descriptor.digest,
    ]
    assert root.whole


def test_depth_and_number_are_bounded_and_said(store: Store) -> None:
    subject = store.resolve("v0.0.1")
    for number in range(4):
        publish_artifact(store, attachment(subject, b"%d" % number))
    found = find_referrers(store, subject.digest, limits=Limits(referrer_fetches=3))
    assert (len(found.referrers), found.complete) == (3, False)
    assert {fault.check.id for fault in found.faults} == {"oci.referrers-incomplete"}
    shallow = walk_referrers(store, subject.digest, limits=Limits(referrer_depth=0))
    assert not shallow.whole
    few = walk_referrers(store, subject.digest, limits=Limits(referrer_nodes=2))
    assert (len(few.children), few.whole) == (2, False)


def test_copy_takes_everything_and_converges(make_store: MakeStore) -> None:
    source, target = make_store("source"), make_store("target")
    child = module(b"child")
    publish_artifact(source, child)
    index = Index(manifests=(child.descriptor,), artifact_type=MODULE).render()
    source.put_manifest(index, OCI_INDEX, tag="v1")
    subject = source.resolve("v1")
    signature = attachment(subject)
    publish_artifact(source, signature)
    publish_artifact(source, attachment(signature.descriptor, b"timestamp"))
    publish_artifact(source, attachment(child.descriptor, b"of the child"))
    for _ in range(2):
        copied = copy_artifact(source, target, "v1", tags=("v1", "stable"))
        assert (copied.manifests, copied.referrers, copied.complete) == (5, 3, True)
        assert target.resolve("stable").digest == subject.digest
        assert target.get_manifest(child.descriptor.digest).data == child.data
        assert len(list(walk_referrers(target, subject.digest).walk())) == 3
        assert len(find_referrers(target, child.descriptor.digest).referrers) == 1
    with target.open_blob(child.manifest.layers[0].digest) as reader:
        assert reader.read() == b"child"


def test_copy_without_a_blob_fails_and_shows_no_tag(make_store: MakeStore) -> None:
    source, target = make_store("source"), make_store("target")
    try:
        source.put_manifest(module(b"never put").data, OCI_MANIFEST, tag="v1")
    except Unavailable as error:
        # a registry that takes no manifest without its blobs keeps the promise one step earlier
        if error.check != "registry.refused":
            raise
        return
    with pytest.raises(Absent) as caught:
        copy_artifact(source, target, "v1", tags=("v1",))
    assert caught.value.check == "oci.blob-unknown"
    with pytest.raises(Absent):
        target.resolve("v1")


def test_progress_is_told_once_and_ends(make_store: MakeStore) -> None:
    class Told(Silent):
        def __init__(self) -> None:
            self.calls: list[tuple[str, int | None]] = []

        def begin(self, task: str, total: int | None = None, unit: str = "B") -> None:
            self.calls.append(("begin", total))

        def advance(self, task: str, amount: int) -> None:
            self.calls.append(("advance", amount))

        def end(self, task: str) -> None:
            self.calls.append(("end", None))

    store, told = make_store("told"), Told()
    store.put_blob(EMPTY.descriptor, EMPTY.open)  # some registries share blobs between repositories
    for _ in range(2):  # the second time everything is there
        publish_artifact(store, module(b"told once"), events=told)
    assert sum(amount or 0 for call, amount in told.calls if call == "advance") == len(b"told once")
    assert [call for call, _ in told.calls if call != "advance"] == ["begin", "end"]
