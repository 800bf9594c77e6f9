"""Manifests, indexes and descriptors: what is refused, each by its check; what is kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from verify.digest import Digest
from verify.errors import Malformed, ModsealError
from verify.limits import Limits
from verify.oci.artifact import EMPTY, build_artifact
from verify.oci.blob import Content
from verify.oci.descriptor import Descriptor
from verify.oci.jsondoc import parse_json, render_json
from verify.oci.manifest import (
    DOCKER_MANIFEST,
    OCI_INDEX,
    OCI_MANIFEST,
    Index,
    Manifest,
    parse_document,
    parse_listing,
    parse_manifest,
)

EMPTY_ENTRY = {
    "mediaType": "application/vnd.oci.empty.v1+json",
    "digest": EMPTY.descriptor.digest.text,
    "size": 2,
}


def manifest(**changes: Any) -> bytes:
    members: dict[str, Any] = {
        "schemaVersion": 2,
        "mediaType": OCI_MANIFEST,
        "artifactType": "application/vnd.example",
        "config": EMPTY_ENTRY,
        "layers": [EMPTY_ENTRY],
    }
    members.update(changes)
    return json.dumps({key: value for key, value in members.items() if value is not ...}).encode()


def index(**changes: Any) -> bytes:
    members = {"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": [], **changes}
    return json.dumps({key: value for key, value in members.items() if value is not ...}).encode()


def entry(**changes: Any) -> dict[str, Any]:
    return {key: value for key, value in {**EMPTY_ENTRY, **changes}.items() if value is not ...}


LONG_S = {"layer\u017f": []}  # Go folds the long s to an s

REFUSED = {
    "not json": (b"<html>", OCI_MANIFEST, "oci.json-malformed"),
    "empty": (b"", OCI_MANIFEST, "oci.json-malformed"),
    "two values": (manifest() + b"{}", OCI_MANIFEST, "oci.json-malformed"),
    "byte order mark": (b"\xef\xbb\xbf" + manifest(), OCI_MANIFEST, "oci.json-malformed"),
    "utf-16": (manifest().decode().encode("utf-16"), OCI_MANIFEST, "oci.json-malformed"),
    "not utf-8": (
        manifest(annotations={"a": "X"}).replace(b"X", b"\xff"),
        OCI_MANIFEST,
        "oci.json-malformed",
    ),
    "lone surrogate": (
        manifest(annotations={"a": "X"}).replace(b'"X"', b'"\\ud800"'),
        OCI_MANIFEST,
        "oci.json-malformed",
    ),
    "NaN": (manifest(x=1).replace(b'"x": 1', b'"x": NaN'), OCI_MANIFEST, "oci.json-malformed"),
    "huge number": (
        manifest(x=1).replace(b'"x": 1', b'"x": ' + b"9" * 5000),
        OCI_MANIFEST,
        "oci.json-malformed",
    ),
    "duplicate key": (b'{"schemaVersion":2,' + manifest()[1:], OCI_MANIFEST, "oci.json-duplicate-key"),
    "duplicate key below": (
        manifest().replace(b'"size": 2', b'"size": 3, "size": 2'),
        OCI_MANIFEST,
        "oci.json-duplicate-key",
    ),
    "known key in another case": (manifest(Layers=[]), OCI_MANIFEST, "oci.json-duplicate-key"),
    "known key with a long s": (manifest(**LONG_S), OCI_MANIFEST, "oci.json-duplicate-key"),
    "digest in another case": (manifest(config=entry(Digest="x")), OCI_MANIFEST, "oci.json-duplicate-key"),
    "deep": (manifest(x=1).replace(b'"x": 1', b'"x": ' + b"[" * 90000), OCI_MANIFEST, "oci.json-deep"),
    "too large": (manifest(x="x" * 5_000_000), OCI_MANIFEST, "oci.too-large"),
    "a list": (b"[]", OCI_MANIFEST, "oci.manifest-malformed"),
    "schema version 1": (manifest(schemaVersion=1), OCI_MANIFEST, "oci.manifest-malformed"),
    "schema version as text": (manifest(schemaVersion="2"), OCI_MANIFEST, "oci.manifest-malformed"),
    "schema version as a fraction": (manifest(schemaVersion=2.0), OCI_MANIFEST, "oci.manifest-malformed"),
    "no schema version": (manifest(schemaVersion=...), OCI_MANIFEST, "oci.manifest-malformed"),
    "manifests and layers": (manifest(manifests=[]), OCI_MANIFEST, "oci.manifest-ambiguous"),
    "manifests and config": (index(config=EMPTY_ENTRY), OCI_INDEX, "oci.manifest-ambiguous"),
    "manifests null and layers": (manifest(manifests=None), OCI_MANIFEST, "oci.manifest-ambiguous"),
    "manifest served as index": (manifest(), OCI_INDEX, "oci.media-type"),
    "index served as manifest": (index(), OCI_MANIFEST, "oci.media-type"),
    "untyped manifest served as index": (manifest(mediaType=...), OCI_INDEX, "oci.media-type"),
    "untyped index served as manifest": (index(mediaType=...), OCI_MANIFEST, "oci.media-type"),
    "docker type inside": (manifest(mediaType=DOCKER_MANIFEST), OCI_MANIFEST, "oci.media-type"),
    "dropped artifact manifest type": (
        manifest(mediaType="application/vnd.oci.artifact.manifest.v1+json"),
        "application/vnd.oci.artifact.manifest.v1+json",
        "oci.media-type",
    ),
    "media type a number": (manifest(mediaType=2), OCI_MANIFEST, "oci.manifest-malformed"),
    "layers an object": (manifest(layers={}), OCI_MANIFEST, "oci.manifest-malformed"),
    "no config": (manifest(config=...), OCI_MANIFEST, "oci.descriptor-malformed"),
    "subject a string": (manifest(subject="x"), OCI_MANIFEST, "oci.descriptor-malformed"),
    "annotation a number": (manifest(annotations={"a": 1}), OCI_MANIFEST, "oci.descriptor-malformed"),
    "size negative": (manifest(layers=[entry(size=-1)]), OCI_MANIFEST, "oci.descriptor-malformed"),
    "size true": (manifest(layers=[entry(size=True)]), OCI_MANIFEST, "oci.descriptor-malformed"),
    "size a fraction": (manifest(layers=[entry(size=2.0)]), OCI_MANIFEST, "oci.descriptor-malformed"),
    "size as text": (manifest(layers=[entry(size="2")]), OCI_MANIFEST, "oci.descriptor-malformed"),
    "size beyond 2^53": (manifest(layers=[entry(size=1 << 62)]), OCI_MANIFEST, "oci.descriptor-malformed"),
    "size missing": (manifest(layers=[entry(size=...)]), OCI_MANIFEST, "oci.descriptor-malformed"),
    "digest a path": (
        manifest(layers=[entry(digest="sha256:../../../etc/x")]),
        OCI_MANIFEST,
        "oci.descriptor-malformed",
    ),
    "digest in upper case": (
        manifest(layers=[entry(digest=EMPTY.descriptor.digest.text.upper())]),
        OCI_MANIFEST,
        "oci.descriptor-malformed",
    ),
    "digest of another algorithm": (
        manifest(layers=[entry(digest="md5:" + "0" * 32)]),
        OCI_MANIFEST,
        "oci.descriptor-malformed",
    ),
    "digest with a newline": (
        manifest(layers=[entry(digest=EMPTY.descriptor.digest.text + "\n")]),
        OCI_MANIFEST,
        "oci.descriptor-malformed",
    ),
    "media type with a space": (
        manifest(layers=[entry(mediaType="a/b c")]),
        OCI_MANIFEST,
        "oci.descriptor-malformed",
    ),
    "data of other bytes": (manifest(config=entry(data="e10=")), OCI_MANIFEST, "oci.descriptor-malformed"),
    "data with spare bits": (manifest(config=entry(data="e31=")), OCI_MANIFEST, "oci.descriptor-malformed"),
    "data not base64": (manifest(config=entry(data="e30")), OCI_MANIFEST, "oci.descriptor-malformed"),
    "entry a string": (index(manifests=["x"]), OCI_INDEX, "oci.descriptor-malformed"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    data, served_as, check = REFUSED[name]
    with pytest.raises(ModsealError) as caught:
        parse_document(data, served_as=served_as)
    assert caught.value.check == check
    assert caught.value.exit_code in {1, 3}


def test_the_model_is_accepted() -> None:
    found = parse_manifest(manifest())
    assert (found.kind, found.layers[0].size) == ("application/vnd.example", 2)


def test_served_with_parameters() -> None:
    assert parse_manifest(manifest(), served_as=f"{OCI_MANIFEST}; charset=utf-8").kind


def test_without_a_media_type_it_is_what_it_was_served_as() -> None:
    assert parse_manifest(manifest(mediaType=...)).media_type == OCI_MANIFEST
    assert isinstance(parse_document(index(mediaType=""), served_as=None), Index)


def test_lists_may_be_null() -> None:
    assert parse_manifest(manifest(layers=None)).layers == ()
    assert parse_document(index(manifests=None), served_as=OCI_INDEX).children() == ()


def test_unknown_fields_do_not_matter_and_those_of_entries_are_kept() -> None:
    assert parse_manifest(manifest(somethingNew={"a": [1.5, None]}))
    given = entry(platform={"os": "linux"}, urls=["https://example.com/x"], future=1)
    (found,) = parse_listing(index(manifests=[given])).entries
    assert found.members() == given


def test_an_unread_entry_does_not_take_the_others_with_it() -> None:
    strange = {**EMPTY_ENTRY, "digest": "blake3:" + "0" * 64}
    listing = parse_listing(index(manifests=[EMPTY_ENTRY, strange, 7]))
    assert [each.digest for each in listing.entries] == [EMPTY.descriptor.digest]
    assert listing.unread == (strange, 7)
    assert [fault.check for fault in listing.faults] == ["oci.descriptor-malformed"] * 2


def test_type_of_an_artifact_is_its_own_or_its_configs() -> None:
    assert parse_manifest(manifest(artifactType="")).kind == "application/vnd.oci.empty.v1+json"


def test_rendering_is_that_of_go() -> None:
    assert render_json({"a": '<&>\u2028\u2029\x7f\x08\x0c\x01é"\\/', "b": [1, True, None]}) == (
        b'{"a":"\\u003c\\u0026\\u003e\\u2028\\u2029\x7f\\b\\f\\u0001\xc3\xa9\\"\\\\/","b":[1,true,null]}'
    )


def test_fields_stand_in_the_order_of_gos_struct() -> None:
    subject = Descriptor.of(b"subject", OCI_MANIFEST)
    data = build_artifact(
        layers=(Content.of(b"x", "text/plain", annotations={"b": "2", "a": "1"}),),
        artifact_type="example/type",
        annotations={"z": "1", "A": "2"},
        subject=subject,
        inline=True,
    ).data
    members = json.loads(data)
    assert list(members) == [
        "schemaVersion",
        "mediaType",
        "artifactType",
        "config",
        "layers",
        "subject",
        "annotations",
    ]
    assert members["config"]["data"] == "e30="
    assert list(members["annotations"]) == ["A", "z"]
    assert list(members["layers"][0]["annotations"]) == ["a", "b"]


def test_depth_just_allowed() -> None:
    assert parse_json(b"[" * 32 + b"]" * 32, most=100)
    with pytest.raises(Malformed):
        parse_json(b"[" * 33 + b"]" * 33, most=100)
    assert parse_json(b'"' + b"[" * 50 + b'\\"{{{{' + b'"', most=100)


def test_limit_is_exact() -> None:
    data = manifest()
    assert parse_manifest(data, limits=Limits(manifest_bytes=len(data)))
    with pytest.raises(ModsealError) as caught:
        parse_manifest(data, limits=Limits(manifest_bytes=len(data) - 1))
    assert caught.value.check == "oci.too-large"


def test_sha512_is_read() -> None:
    digest = Digest.parse("sha512:" + "0" * 128)
    found = parse_manifest(manifest(layers=[entry(digest=digest.text)]))
    assert found.layers[0].digest == digest
    assert isinstance(found, Manifest)
