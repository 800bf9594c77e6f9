"""Laws of documents, references and lists of referrers."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.oci import attachment, module
from verify.digest import Digest
from verify.errors import Misused, ModsealError, Refuted
from verify.oci.artifact import build_artifact
from verify.oci.blob import Content, VerifyingReader
from verify.oci.descriptor import Descriptor
from verify.oci.fallback import fallback_tag, merge_entries, render_fallback
from verify.oci.jsondoc import parse_json, render_json
from verify.oci.layout_index import LayoutIndex
from verify.oci.manifest import OCI_INDEX, OCI_MANIFEST, parse_document, parse_listing, parse_manifest
from verify.oci.memory import MemoryStore
from verify.oci.push import publish_artifact
from verify.oci.reference import LayoutReference, parse_reference
from verify.oci.referrers import find_referrers

MOST = 1 << 20
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 60), 1 << 60) | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)
annotations = st.dictionaries(text, text, max_size=4)
entries = st.lists(st.binary(max_size=4).map(lambda data: Descriptor.of(data, OCI_MANIFEST)), max_size=8)


@given(json_values)
def test_parse_of_render_is_the_same(value: object) -> None:
    assert parse_json(render_json(value), most=MOST) == value  # type: ignore[arg-type]


@given(st.binary(max_size=60))
def test_json_is_read_or_refused_and_never_otherwise(data: bytes) -> None:
    try:
        value = parse_json(data, most=50)
    except ModsealError as error:
        check = error.check or ""
    else:
        assert json.loads(data) == value
        return
    assert check.startswith("oci.")


@given(st.lists(st.binary(max_size=9), max_size=3), annotations, st.booleans())
def test_parse_of_a_built_manifest_renders_the_same(
    layers: list[bytes], notes: dict[str, str], attached: bool
) -> None:
    artifact = build_artifact(
        layers=[Content.of(layer, "text/plain", annotations=notes) for layer in layers],
        artifact_type="example/type",
        annotations=notes,
        subject=module().descriptor if attached else None,
    )
    assert parse_manifest(artifact.data).render() == artifact.data


@given(st.data())
def test_any_changed_byte_of_a_manifest_is_another_manifest_or_refused(data: st.DataObject) -> None:
    original = attachment(module().descriptor).data
    position = data.draw(st.integers(0, len(original) - 1))
    changed = bytearray(original)
    changed[position] ^= data.draw(st.integers(1, 255))
    store = MemoryStore()
    store.manifests[Digest.of(original)] = (bytes(changed), OCI_MANIFEST)
    with pytest.raises(Refuted) as caught:
        store.get_manifest(Digest.of(original))
    assert caught.value.check == "oci.digest-mismatch"


@given(st.binary(max_size=80), st.booleans())
def test_no_document_is_both(data: bytes, wrap: bool) -> None:
    # whatever is accepted under one type is refused under the other
    given_bytes = b'{"schemaVersion":2,"manifests":[' + data + b"]}" if wrap else data
    accepted = []
    for media_type in (OCI_MANIFEST, OCI_INDEX):
        try:
            parse_document(given_bytes, served_as=media_type)
        except ModsealError:
            continue
        accepted.append(media_type)
    assert len(accepted) <= 1


@given(st.binary(max_size=300), st.lists(st.integers(1, 60), min_size=1, max_size=9), st.booleans())
def test_reader_gives_exactly_the_bytes_however_it_is_read(
    data: bytes, steps: list[int], sized: bool
) -> None:
    reader = VerifyingReader(io.BytesIO(data), Digest.of(data), size=len(data) if sized else None)
    found = b""
    position = 0
    while block := reader.read(steps[position % len(steps)]):
        found += block
        position += 1
    assert found == data
    assert reader.verified


@given(entries, entries, entries)
def test_merging_is_associative_idempotent_and_commutative(
    first: list[Descriptor], second: list[Descriptor], third: list[Descriptor]
) -> None:
    both = merge_entries(first, second)
    assert merge_entries(both, third) == merge_entries(first, merge_entries(second, third))
    assert both == merge_entries(second, first) == merge_entries(both, both)
    assert parse_listing(render_fallback(both)).entries == both


@given(entries, st.lists(st.tuples(entries, st.sampled_from([None, "a", "b", "v1.0.0"])), max_size=3))
def test_layout_list_is_canonical(
    listed: list[Descriptor], puts: list[tuple[list[Descriptor], str | None]]
) -> None:
    index = LayoutIndex.empty()
    for each in listed:
        index = index.put(each, None)
    for chosen, tag in puts:
        for each in chosen:
            index = index.put(each, tag)
            assert tag is None or index.find(tag) is not None
            assert index.put(each, tag).render() == index.render()
    assert LayoutIndex.parse(index.render()).render() == index.render()
    # nothing that was put is ever dropped from the list
    known = {each.digest for each in listed} | {each.digest for chosen, _ in puts for each in chosen}
    assert {each.digest for each in index.entries} == known


@given(st.text(max_size=30), st.sampled_from([None, "v1"]), st.sampled_from([None, Digest.of(b"")]))
def test_layout_reference_survives_any_path(path: str, tag: str | None, digest: Digest | None) -> None:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return
    if not path or "\0" in path:
        return
    reference = LayoutReference(path=path, tag=tag, digest=digest)
    assert parse_reference(str(reference)) == reference


@given(st.text(max_size=60))
def test_reference_is_refused_or_has_one_spelling(given_text: str) -> None:
    try:
        reference = parse_reference(given_text)
    except Misused as error:
        check = error.check
    else:
        assert parse_reference(str(reference)) == reference
        return
    assert check == "oci.reference"


@given(st.sets(st.integers(0, 5)), st.integers(0, 5))
def test_removing_an_attachment_never_makes_a_list_more_complete(present: set[int], removed: int) -> None:
    subject = module().descriptor
    store = MemoryStore(lists_referrers=False)
    for number in present:
        publish_artifact(store, attachment(subject, b"%d" % number))
    before = find_referrers(store, subject.digest)
    store.manifests.pop(attachment(subject, b"%d" % removed).descriptor.digest, None)
    after = find_referrers(store, subject.digest)
    assert {each.fetched.digest for each in after.referrers} <= {
        each.fetched.digest for each in before.referrers
    }
    assert after.complete == (removed not in present)
    assert store.pointers.get(fallback_tag(subject.digest)) is not None or not present
