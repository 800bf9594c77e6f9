"""The fallback list: merged, read back, never trusted."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from tests.support.oci import SIGNATURE, attachment, module
from verify.digest import Digest
from verify.errors import ModsealError, Refuted, Unavailable
from verify.limits import Limits
from verify.oci.descriptor import Descriptor
from verify.oci.fallback import (
    add_to_fallback,
    fallback_tag,
    is_list_tag,
    merge_entries,
    read_fallback,
    render_fallback,
    repair_fallback,
)
from verify.oci.jsondoc import parse_json
from verify.oci.manifest import OCI_INDEX, OCI_MANIFEST, Index
from verify.oci.memory import MemoryStore
from verify.oci.push import publish_artifact
from verify.oci.referrers import find_referrers

if TYPE_CHECKING:
    from verify.oci.store import Placed

SUBJECT = module().descriptor


def silent(_seconds: float) -> None:
    return None


@pytest.fixture
def store() -> MemoryStore:
    made = MemoryStore(lists_referrers=False)
    publish_artifact(made, module(), tags=("v1",))
    return made


class Forgetful(MemoryStore):
    """Somebody else overwrites each fallback list, the first few times."""

    def __init__(self, times: int, theirs: Descriptor) -> None:
        super().__init__(lists_referrers=False)
        self.times = times
        self.theirs = theirs
        self.puts = 0

    def put_manifest(self, data: bytes, media_type: str, *, tag: str | None = None) -> Placed:
        placed = super().put_manifest(data, media_type, tag=tag)
        if tag is not None and is_list_tag(tag):
            self.puts += 1
            if self.puts <= self.times:
                super().put_manifest(render_fallback([self.theirs]), OCI_INDEX, tag=tag)
        return placed


def test_tag_is_cut_as_the_specification_says() -> None:
    digest = Digest.parse("sha512:" + "0123456789abcdef" * 8)
    assert fallback_tag(digest) == "sha512-" + "0123456789abcdef" * 4
    assert is_list_tag(fallback_tag(digest))
    assert is_list_tag(fallback_tag(SUBJECT.digest) + ".sig")
    assert not is_list_tag("sha256-short")
    assert not is_list_tag("v1.0.0")


def test_merging_is_a_union_in_any_order() -> None:
    entries = [Descriptor.of(b"%d" % number, OCI_MANIFEST) for number in range(5)]
    assert merge_entries(entries, reversed(entries)) == merge_entries((), entries)
    assert list(merge_entries(entries[:2], entries[2:])) == sorted(entries, key=lambda each: each.digest)


def test_lost_entry_is_written_again() -> None:
    theirs = attachment(SUBJECT, b"theirs").descriptor
    store = Forgetful(2, theirs)
    publish_artifact(store, attachment(SUBJECT), pause=silent)
    listed = {entry.digest for entry in store.referrers(SUBJECT.digest).entries}
    assert listed == {theirs.digest, attachment(SUBJECT).descriptor.digest}
    assert store.puts == 3


def test_entry_that_is_always_lost_is_an_error_after_a_bounded_time() -> None:
    store = Forgetful(1000, attachment(SUBJECT, b"theirs").descriptor)
    waits: list[float] = []
    with pytest.raises(Unavailable) as caught:
        publish_artifact(store, attachment(SUBJECT), pause=waits.append, limits=Limits(fallback_attempts=3))
    assert caught.value.check == "oci.fallback-lost"
    assert store.puts == len(waits) == 3
    assert waits[2] > waits[0]


def test_many_writers_in_one_process_lose_nothing(store: MemoryStore) -> None:
    artifacts = [attachment(SUBJECT, b"%d" % number) for number in range(16)]
    threads = [
        threading.Thread(target=publish_artifact, args=(store, each), kwargs={"pause": silent})
        for each in artifacts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    listed = {entry.digest for entry in store.referrers(SUBJECT.digest).entries}
    assert listed == {each.descriptor.digest for each in artifacts}


def test_a_list_that_is_its_subject_is_refused(store: MemoryStore) -> None:
    store.pointers[fallback_tag(SUBJECT.digest)] = SUBJECT.digest
    listed = store.referrers(SUBJECT.digest)
    assert (listed.entries, listed.complete) == ((), False)
    assert [fault.check.id for fault in listed.faults] == ["oci.fallback-is-subject"]
    for act in (
        lambda: add_to_fallback(store, SUBJECT.digest, SUBJECT, pause=silent),
        lambda: repair_fallback(store, SUBJECT.digest),
    ):
        with pytest.raises(Refuted) as caught:
            act()
        assert caught.value.check == "oci.fallback-is-subject"
    assert store.pointers[fallback_tag(SUBJECT.digest)] == SUBJECT.digest


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (module(b"another").data, OCI_MANIFEST),
        (Index(manifests=(), subject=SUBJECT).render(), OCI_INDEX),
    ],
    ids=["a manifest", "an index with a subject"],
)
def test_a_list_that_is_no_list_means_that_nobody_knows(
    store: MemoryStore, data: bytes, media_type: str
) -> None:
    store.put_manifest(data, media_type, tag=fallback_tag(SUBJECT.digest))
    listed = store.referrers(SUBJECT.digest)
    assert (listed.entries, listed.complete) == ((), False)
    assert [fault.check.id for fault in listed.faults] == ["oci.fallback-malformed"]
    with pytest.raises(Refuted):
        publish_artifact(store, attachment(SUBJECT), pause=silent)


def test_repair_rebuilds_from_what_is_known(store: MemoryStore) -> None:
    signature, stranger = attachment(SUBJECT), attachment(module(b"other").descriptor)
    publish_artifact(store, signature, pause=silent)
    publish_artifact(store, stranger, pause=silent)
    gone = Descriptor.of(b"gone", OCI_MANIFEST)
    bare = Descriptor.of(signature.data, OCI_MANIFEST)  # as tools wrote it that left out type and annotations
    tag = fallback_tag(SUBJECT.digest)
    store.put_manifest(render_fallback([bare, stranger.descriptor, gone], [{"a": 1}]), OCI_INDEX, tag=tag)
    late = attachment(SUBJECT, b"late")
    store.put_manifest(late.data, OCI_MANIFEST)
    repair = repair_fallback(store, SUBJECT.digest, [late.descriptor.digest])
    assert repair.kept == ()
    assert {each.digest for each in repair.added} == {bare.digest, late.descriptor.digest}
    assert sorted(fault.check.id for fault in repair.dropped) == [
        "oci.referrer-foreign",
        "oci.referrer-malformed",
        "oci.referrer-missing",
    ]
    listed = store.referrers(SUBJECT.digest)
    assert {entry.artifact_type for entry in listed.entries} == {SIGNATURE}
    assert listed.complete
    before = dict(store.manifests)
    assert repair_fallback(store, SUBJECT.digest).added == ()
    assert store.manifests == before


def test_what_another_tool_listed_and_we_cannot_read_stays(store: MemoryStore) -> None:
    tag = fallback_tag(SUBJECT.digest)
    strange = {"mediaType": OCI_MANIFEST, "digest": "blake3:" + "0" * 64, "size": 1}
    store.put_manifest(b'{"schemaVersion":2,"manifests":[]}', OCI_INDEX, tag=tag)
    digest = store.pointers[tag]
    data = render_fallback([], [strange])
    store.manifests[Digest.of(data)] = (data, OCI_INDEX)
    store.pointers[tag] = Digest.of(data)
    assert digest != Digest.of(data)
    assert not read_fallback(store, SUBJECT.digest).complete
    add_to_fallback(store, SUBJECT.digest, attachment(SUBJECT).descriptor, pause=silent)
    written = parse_json(store.get_manifest(tag).data, most=10_000)
    assert isinstance(written, dict)
    assert strange in written["manifests"]


def test_entry_without_type_or_of_a_config_type_is_judged_by_its_manifest(store: MemoryStore) -> None:
    signature = attachment(SUBJECT)
    publish_artifact(store, signature, pause=silent)
    tag = fallback_tag(SUBJECT.digest)
    for stated in (None, "application/vnd.oci.empty.v1+json", "application/vnd.some.config.v1+json"):
        entry = Descriptor(
            media_type=OCI_MANIFEST,
            digest=signature.descriptor.digest,
            size=signature.descriptor.size,
            artifact_type=stated,
        )
        store.put_manifest(render_fallback([entry]), OCI_INDEX, tag=tag)
        found = find_referrers(store, SUBJECT.digest, artifact_type=SIGNATURE)
        assert [each.kind for each in found.referrers] == [SIGNATURE]


def test_listed_type_is_a_hint_and_the_manifest_decides(store: MemoryStore) -> None:
    sbom = attachment(SUBJECT, kind="application/vnd.example.sbom")
    publish_artifact(store, sbom, pause=silent)
    lie = Descriptor(
        media_type=OCI_MANIFEST,
        digest=sbom.descriptor.digest,
        size=sbom.descriptor.size,
        artifact_type=SIGNATURE,
    )
    store.put_manifest(render_fallback([lie]), OCI_INDEX, tag=fallback_tag(SUBJECT.digest))
    assert find_referrers(store, SUBJECT.digest, artifact_type=SIGNATURE).referrers == ()


def test_strangers_in_the_list_are_faults_and_hide_nothing(store: MemoryStore) -> None:
    stranger = attachment(module(b"other").descriptor)
    store.put_manifest(stranger.data, OCI_MANIFEST)
    publish_artifact(store, attachment(SUBJECT), pause=silent)
    entries = [stranger.descriptor, module().descriptor, attachment(SUBJECT).descriptor]
    store.put_manifest(render_fallback(entries), OCI_INDEX, tag=fallback_tag(SUBJECT.digest))
    found = find_referrers(store, SUBJECT.digest)
    assert [each.fetched.digest for each in found.referrers] == [attachment(SUBJECT).descriptor.digest]
    assert [fault.check.id for fault in found.faults] == ["oci.referrer-foreign"]
    assert found.complete


def test_reading_the_list_never_hides_that_it_cannot_be_reached() -> None:
    class Down(MemoryStore):
        def get_manifest(self, which: Digest | str) -> None:  # type: ignore[override]
            raise Unavailable("503")

    store = Down(lists_referrers=False)
    with pytest.raises(Unavailable):
        store.referrers(SUBJECT.digest)
    with pytest.raises(ModsealError):
        find_referrers(store, SUBJECT.digest)
