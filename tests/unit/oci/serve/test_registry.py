"""The protocol, request by request, without a socket."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.support.asking import Asker, content, encoded, tree
from tests.support.serving import artifact
from verify.digest import Digest
from verify.limits import DEFAULT
from verify.oci.descriptor import Descriptor
from verify.oci.manifest import OCI_INDEX, OCI_MANIFEST

if TYPE_CHECKING:
    from pathlib import Path

    from verify.oci.serve.answers import Answer

REPO = "/v2/example.com/net"
BLOB = b"some bytes, more than a few"
KIND = "application/vnd.example.a"


def code(answer: Answer) -> str:
    return str(json.loads(answer.body)["errors"][0]["code"])


def push(ask: Asker, data: bytes, repo: str = REPO) -> Digest:
    digest = Digest.of(data)
    answer = ask("POST", f"{repo}/blobs/uploads/?digest={digest}", data)
    assert answer.status == 201
    return digest


def put(ask: Asker, data: bytes, name: str | None = None, *, kind: str = OCI_MANIFEST) -> Answer:
    named = name if name is not None else Digest.of(data).text
    return ask("PUT", f"{REPO}/manifests/{named}", data, content_type=kind)


def stored(ask: Asker, name: str | None = None, *, layer: bytes = BLOB, **parts: object) -> Descriptor:
    push(ask, b"{}")
    push(ask, layer)
    data = artifact(layer, **parts)  # type: ignore[arg-type]
    assert put(ask, data, name).status == 201
    return Descriptor.of(data, OCI_MANIFEST)


@pytest.fixture
def ask(tmp_path: Path) -> Asker:
    return tree(tmp_path)


def test_the_base_says_which_protocol_this_is(ask: Asker) -> None:
    answer = ask("GET", "/v2/")
    assert (answer.status, answer.body) == (200, b"{}")
    assert answer.header("docker-distribution-api-version") == "registry/2.0"


# --- blobs


def test_a_blob_comes_back_whole_and_in_part(ask: Asker) -> None:
    path = f"{REPO}/blobs/{push(ask, BLOB)}"
    whole = ask("GET", path)
    assert (whole.status, whole.length, content(whole)) == (200, len(BLOB), BLOB)
    head = ask("HEAD", path)
    assert (head.status, head.length, content(head)) == (200, len(BLOB), b"")


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [("0-3", 0, 3), ("5-", 5, 26), ("-4", 23, 26), ("0-999", 0, 26), ("-999", 0, 26), ("26-26", 26, 26)],
)
def test_a_range_is_what_it_says(ask: Asker, asked: str, first: int, last: int) -> None:
    answer = ask("GET", f"{REPO}/blobs/{push(ask, BLOB)}", range=f"bytes={asked}")
    assert (answer.status, content(answer)) == (206, BLOB[first : last + 1])
    assert answer.header("Content-Range") == f"bytes {first}-{last}/{len(BLOB)}"
    assert answer.length == last - first + 1


@pytest.mark.parametrize("asked", ["27-", "30-40", "5-4", "-0"])
def test_a_range_of_nothing_is_refused(ask: Asker, asked: str) -> None:
    answer = ask("GET", f"{REPO}/blobs/{push(ask, BLOB)}", range=f"bytes={asked}")
    assert (answer.status, answer.header("Content-Range")) == (416, f"bytes */{len(BLOB)}")


@pytest.mark.parametrize("asked", ["bytes=0-1,3-4", "lines=0-1", "bytes=-", "bytes=x-1"])
def test_a_range_that_is_none_of_ours_gives_everything(ask: Asker, asked: str) -> None:
    answer = ask("GET", f"{REPO}/blobs/{push(ask, BLOB)}", range=asked)
    assert (answer.status, content(answer)) == (200, BLOB)


def test_absent_things_are_told_apart(ask: Asker) -> None:
    nothing = Digest.of(b"never pushed")
    assert code(ask("GET", f"{REPO}/blobs/{nothing}")) == "NAME_UNKNOWN"
    push(ask, BLOB)
    assert code(ask("GET", f"{REPO}/blobs/{nothing}")) == "BLOB_UNKNOWN"
    assert code(ask("GET", f"{REPO}/manifests/v9")) == "MANIFEST_UNKNOWN"
    assert code(ask("GET", f"{REPO}/manifests/{nothing}")) == "MANIFEST_UNKNOWN"
    assert code(ask("GET", f"{REPO}/manifests/{Digest.of(BLOB)}")) == "MANIFEST_UNKNOWN"
    assert code(ask("PATCH", f"{REPO}/blobs/uploads/none", b"x")) == "BLOB_UPLOAD_UNKNOWN"
    assert ask("GET", f"{REPO}/manifests/.not-a-tag").status == 404


# --- uploads


def begin(ask: Asker) -> str:
    answer = ask("POST", f"{REPO}/blobs/uploads/")
    assert answer.status == 202
    location = answer.header("Location")
    assert location is not None
    return location


@pytest.mark.parametrize("framed", [True, False])
def test_an_upload_in_one_piece(ask: Asker, framed: bool) -> None:
    answer = ask("PUT", f"{begin(ask)}?digest={encoded(str(Digest.of(BLOB)))}", BLOB, framed=framed)
    assert (answer.status, answer.header("Location")) == (201, f"{REPO}/blobs/{Digest.of(BLOB)}")
    assert content(ask("GET", f"{REPO}/blobs/{Digest.of(BLOB)}")) == BLOB


def test_an_upload_in_chunks_is_resumed_where_it_stands(ask: Asker) -> None:
    at = begin(ask)
    assert ask("PATCH", at, BLOB[10:], content_range="10-26").status == 416
    assert ask("PATCH", at, BLOB[:10], content_range="0-9").header("Range") == "0-9"
    again = ask("PATCH", at, BLOB[:10], content_range="0-9")
    assert (again.status, again.header("Range")) == (416, "0-9")
    status = ask("GET", at)
    assert (status.status, status.header("Range"), status.header("Location")) == (204, "0-9", at)
    assert ask("PUT", f"{at}?digest={Digest.of(BLOB)}", BLOB[9:], content_range="9-26").status == 416
    assert ask("PUT", f"{at}?digest={Digest.of(BLOB)}", BLOB[10:], content_range="10-26").status == 201
    assert content(ask("GET", f"{REPO}/blobs/{Digest.of(BLOB)}")) == BLOB
    assert code(ask("GET", at)) == "BLOB_UPLOAD_UNKNOWN"


def test_a_stream_of_unknown_length_and_no_range(ask: Asker) -> None:
    at = begin(ask)
    assert ask("PATCH", at, BLOB, framed=False).status == 202
    assert ask("PUT", f"{at}?digest={Digest.of(BLOB)}").status == 201


def test_an_empty_blob(ask: Asker) -> None:
    assert ask("PUT", f"{begin(ask)}?digest={Digest.of(b'')}").status == 201
    answer = ask("GET", f"{REPO}/blobs/{Digest.of(b'')}")
    assert (answer.status, answer.length, content(answer)) == (200, 0, b"")


def test_sha512_blobs(ask: Asker) -> None:
    import hashlib

    digest = f"sha512:{hashlib.sha512(BLOB).hexdigest()}"
    assert ask("PUT", f"{begin(ask)}?digest={digest}", BLOB).status == 201
    assert content(ask("GET", f"{REPO}/blobs/{digest}")) == BLOB


@pytest.mark.parametrize("stated", ["bytes 0-9", "0-", "x", "9-0", "0-5"])
def test_a_content_range_that_does_not_fit_is_refused(ask: Asker, stated: str) -> None:
    answer = ask("PATCH", begin(ask), BLOB[:10], content_range=stated)
    assert answer.status in {400, 416}


def test_a_cancelled_upload_is_gone(ask: Asker) -> None:
    at = begin(ask)
    assert ask("DELETE", at).status == 204
    assert ask("PATCH", at, BLOB).status == 404


def test_an_upload_belongs_to_its_repository(ask: Asker) -> None:
    at = begin(ask).replace("example.com/net", "example.com/other")
    assert code(ask("PATCH", at, BLOB)) == "BLOB_UPLOAD_UNKNOWN"


@pytest.mark.parametrize("there", [True, False])
def test_wrong_bytes_are_refused_whatever_is_stored(ask: Asker, there: bool, tmp_path: Path) -> None:
    if there:
        push(ask, BLOB)
    at = f"{begin(ask)}?digest={Digest.of(BLOB)}"
    answer = ask("PUT", at, BLOB[:-1] + b"?")
    assert (answer.status, code(answer)) == (400, "DIGEST_INVALID")
    found = [path.name for path in (tmp_path / "example.com" / "net" / "blobs" / "sha256").iterdir()]
    assert found == ([Digest.of(BLOB).hex] if there else [])


def test_a_mount_takes_the_blob_from_a_neighbour(ask: Asker) -> None:
    digest = push(ask, BLOB)
    other = "/v2/example.com/other/blobs"
    answer = ask("POST", f"{other}/uploads/?mount={digest}&from=example.com%2Fnet")
    assert (answer.status, answer.header("Location")) == (201, f"{other}/{digest}")
    assert content(ask("GET", f"{other}/{digest}")) == BLOB


@pytest.mark.parametrize(
    "source", ["", "&from=example.com/none", "&from=../../etc", "&from=example.com/other"]
)
def test_a_mount_that_cannot_be_is_an_upload(ask: Asker, source: str) -> None:
    digest = push(ask, BLOB)
    answer = ask("POST", f"/v2/example.com/other/blobs/uploads/?mount={digest}{source}")
    assert answer.status == 202


def test_too_many_uploads_and_too_large_ones(tmp_path: Path) -> None:
    ask = tree(tmp_path, limits=replace(DEFAULT, serve_uploads=2, blob_bytes=10))
    assert code(ask("PUT", f"{begin(ask)}?digest={Digest.of(BLOB)}", BLOB)) == "SIZE_INVALID"
    assert ask("PATCH", begin(ask), BLOB).status == 413
    begin(ask)
    begin(ask)
    answer = ask("POST", f"{REPO}/blobs/uploads/")
    assert (answer.status, code(answer)) == (429, "TOOMANYREQUESTS")


def test_an_upload_nobody_goes_on_with_ends(tmp_path: Path) -> None:
    now = [0.0]
    ask = tree(tmp_path, limits=replace(DEFAULT, serve_upload_seconds=60), clock=lambda: now[0])
    old = begin(ask)
    now[0] = 50.0
    young = begin(ask)
    now[0] = 100.0
    begin(ask)
    assert (ask("GET", old).status, ask("GET", young).status) == (404, 204)


# --- manifests


def test_a_manifest_by_tag_and_by_digest(ask: Asker) -> None:
    manifest = stored(ask, "v1.0.0")
    for name in ("v1.0.0", manifest.digest.text):
        for method in ("GET", "HEAD"):
            answer = ask(method, f"{REPO}/manifests/{name}")
            assert (answer.status, answer.length) == (200, manifest.size)
            assert answer.header("Content-Type") == OCI_MANIFEST
            assert answer.header("Docker-Content-Digest") == manifest.digest.text
    assert Digest.of(content(ask("GET", f"{REPO}/manifests/v1.0.0"))) == manifest.digest


def test_a_manifest_waits_for_what_it_names(ask: Asker) -> None:
    push(ask, b"{}")
    answer = put(ask, artifact(BLOB), "v1")
    assert (answer.status, code(answer)) == (400, "MANIFEST_BLOB_UNKNOWN")
    assert ask("GET", f"{REPO}/manifests/v1").status == 404


def test_an_index_waits_for_its_manifests_unless_it_lists_referrers(ask: Asker) -> None:
    absent = Descriptor.of(b"{}absent", OCI_MANIFEST)
    listed = json.dumps({"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": [absent.members()]})
    data = listed.encode()
    assert code(put(ask, data, "v1", kind=OCI_INDEX)) == "MANIFEST_BLOB_UNKNOWN"
    assert put(ask, data, f"sha256-{'0' * 64}", kind=OCI_INDEX).status == 201


def test_layers_that_must_not_be_distributed_are_excused(ask: Asker) -> None:
    push(ask, b"{}")
    members = json.loads(artifact(BLOB))
    members["layers"][0]["mediaType"] = "application/vnd.oci.image.layer.nondistributable.v1.tar"
    assert put(ask, json.dumps(members).encode(), "v1").status == 201


@pytest.mark.parametrize(
    ("data", "kind", "said"),
    [
        (b"not json", OCI_MANIFEST, "MANIFEST_INVALID"),
        (b"{}", OCI_MANIFEST, "MANIFEST_INVALID"),
        (artifact(BLOB), OCI_INDEX, "MANIFEST_INVALID"),
        (artifact(BLOB), "text/html", "MANIFEST_INVALID"),
        (artifact(BLOB).replace(b'{"schema', b'{"layers":[],"schema', 1), OCI_MANIFEST, "MANIFEST_INVALID"),
        (artifact(BLOB)[:-1] + b',"manifests":[]}', OCI_MANIFEST, "MANIFEST_INVALID"),
    ],
    ids=["no-json", "no-manifest", "another-type", "no-such-type", "key-twice", "two-documents"],
)
def test_what_two_readers_could_read_differently_is_not_stored(
    ask: Asker, data: bytes, kind: str, said: str
) -> None:
    push(ask, b"{}")
    push(ask, BLOB)
    answer = put(ask, data, "v1", kind=kind)
    assert (answer.status, code(answer)) == (400, said)
    assert ask("GET", f"{REPO}/manifests/v1").status == 404


def test_a_content_type_may_have_parameters(ask: Asker) -> None:
    stored(ask)
    assert put(ask, artifact(BLOB), "v1", kind=f"{OCI_MANIFEST}; charset=utf-8").status == 201


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (Digest.of(b"other").text, "DIGEST_INVALID"),
        (f"sha512:{'0' * 128}", "DIGEST_INVALID"),
        ("sha256:ABC", "DIGEST_INVALID"),
        (".tag", "MANIFEST_INVALID"),
        ("a" * 129, "MANIFEST_INVALID"),
    ],
)
def test_a_manifest_under_a_name_it_does_not_have(ask: Asker, name: str, said: str) -> None:
    stored(ask)
    answer = put(ask, artifact(BLOB), name)
    assert (answer.status, code(answer)) == (400, said)


@pytest.mark.parametrize("framed", [True, False])
def test_a_manifest_that_is_too_large(tmp_path: Path, framed: bool) -> None:
    ask = tree(tmp_path, limits=replace(DEFAULT, manifest_bytes=100))
    answer = ask("PUT", f"{REPO}/manifests/v1", artifact(BLOB), framed=framed, content_type=OCI_MANIFEST)
    assert (answer.status, code(answer)) == (413, "MANIFEST_INVALID")


def test_deleting_a_tag_leaves_the_manifest(ask: Asker) -> None:
    manifest = stored(ask, "v1")
    assert ask("DELETE", f"{REPO}/manifests/v1").status == 202
    assert ask("GET", f"{REPO}/manifests/v1").status == 404
    assert ask("GET", f"{REPO}/manifests/{manifest.digest}").status == 200
    assert ask("DELETE", f"{REPO}/manifests/v1").status == 404


def test_deleting_a_manifest_takes_its_tags(ask: Asker) -> None:
    manifest = stored(ask, "v1")
    put(ask, artifact(BLOB), "v2")
    assert ask("DELETE", f"{REPO}/manifests/{manifest.digest}").status == 202
    for name in ("v1", "v2", manifest.digest.text):
        assert ask("GET", f"{REPO}/manifests/{name}").status == 404
    assert json.loads(ask("GET", f"{REPO}/tags/list").body)["tags"] == []


def test_deleting_blobs(ask: Asker) -> None:
    manifest = stored(ask, "v1")
    assert ask("DELETE", f"{REPO}/blobs/{Digest.of(BLOB)}").status == 202
    assert code(ask("DELETE", f"{REPO}/blobs/{Digest.of(BLOB)}")) == "BLOB_UNKNOWN"
    refused = ask("DELETE", f"{REPO}/blobs/{manifest.digest}")
    assert (refused.status, code(refused)) == (400, "UNSUPPORTED")


# --- tags, catalogue


def test_tags_are_sorted_and_paged(ask: Asker) -> None:
    for tag in ("v10", "v1", "V2", "latest"):
        stored(ask, tag)
    listed = json.loads(ask("GET", f"{REPO}/tags/list").body)
    assert listed == {"name": "example.com/net", "tags": ["V2", "latest", "v1", "v10"]}
    first = ask("GET", f"{REPO}/tags/list?n=3")
    assert json.loads(first.body)["tags"] == ["V2", "latest", "v1"]
    assert first.header("Link") == f'<{REPO}/tags/list?n=3&last=v1>; rel="next"'
    second = ask("GET", f"{REPO}/tags/list?n=3&last=v1")
    assert (json.loads(second.body)["tags"], second.header("Link")) == (["v10"], None)
    none = ask("GET", f"{REPO}/tags/list?n=0")
    assert (json.loads(none.body)["tags"], none.header("Link")) == ([], None)


@pytest.mark.parametrize("n", ["-1", "x", "1e3", "99999999999"])
def test_a_page_of_no_number_is_refused(ask: Asker, n: str) -> None:
    stored(ask, "v1")
    assert ask("GET", f"{REPO}/tags/list?n={n}").status == 400


def test_our_own_lists_of_referrers_are_no_tags(ask: Asker) -> None:
    subject = stored(ask, "v1")
    stored(ask, layer=b"note", subject=subject)
    assert json.loads(ask("GET", f"{REPO}/tags/list").body)["tags"] == ["v1"]
    assert ask("GET", f"{REPO}/manifests/sha256-{subject.digest.hex}").status == 200


def test_a_repository_with_blobs_alone_has_no_tags(ask: Asker) -> None:
    push(ask, BLOB)
    assert json.loads(ask("GET", f"{REPO}/tags/list").body)["tags"] == []
    assert code(ask("GET", "/v2/example.com/none/tags/list")) == "NAME_UNKNOWN"


def test_the_catalogue_lists_layouts_within_layouts(ask: Asker) -> None:
    for name in ("b/c", "a", "b"):
        push(ask, BLOB, f"/v2/{name}")
    assert json.loads(ask("GET", "/v2/_catalog").body) == {"repositories": ["a", "b", "b/c"]}
    page = ask("GET", "/v2/_catalog?n=2")
    assert page.header("Link") == '</v2/_catalog?n=2&last=b>; rel="next"'


# --- referrers


def referrers(ask: Asker, subject: Descriptor, query: str = "") -> Answer:
    answer = ask("GET", f"{REPO}/referrers/{subject.digest}{query}")
    assert (answer.status, answer.header("Content-Type")) == (200, OCI_INDEX)
    return answer


def digests(answer: Answer) -> list[str]:
    return [each["digest"] for each in json.loads(answer.body)["manifests"]]


def test_a_referrer_is_confirmed_and_listed(ask: Asker) -> None:
    subject = stored(ask, "v1")
    assert digests(referrers(ask, subject)) == []
    push(ask, b"note")
    data = artifact(b"note", subject=subject)
    assert put(ask, data).header("OCI-Subject") == subject.digest.text
    (entry,) = json.loads(referrers(ask, subject).body)["manifests"]
    assert (entry["digest"], entry["artifactType"]) == (Digest.of(data).text, KIND)
    assert put(ask, artifact(BLOB)).header("OCI-Subject") is None


def test_referrers_may_come_before_their_subject(ask: Asker) -> None:
    subject = Descriptor.of(artifact(b"later"), OCI_MANIFEST)
    referrer = stored(ask, subject=subject)
    assert digests(referrers(ask, subject)) == [referrer.digest.text]


def test_referrers_are_filtered_and_it_is_said(ask: Asker) -> None:
    subject = stored(ask, "v1")
    wanted = stored(ask, layer=b"1", subject=subject, artifact_type="application/vnd.example.b+json")
    stored(ask, layer=b"2", subject=subject)
    answer = referrers(ask, subject, f"?artifactType={encoded('application/vnd.example.b+json')}")
    assert digests(answer) == [wanted.digest.text]
    assert answer.header("OCI-Filters-Applied") == "artifactType"
    assert len(digests(referrers(ask, subject))) == 2


def test_the_filter_holds_for_entries_that_only_a_list_names(ask: Asker) -> None:
    subject = stored(ask, "v1")
    absent = replace(Descriptor.of(b"{}absent", OCI_MANIFEST), artifact_type="application/vnd.example.c")
    listed = {"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": [absent.members()]}
    answer = put(ask, json.dumps(listed).encode(), f"sha256-{subject.digest.hex}", kind=OCI_INDEX)
    assert answer.status == 201
    assert digests(referrers(ask, subject)) == [absent.digest.text]
    assert digests(referrers(ask, subject, f"?artifactType={encoded(KIND)}")) == []


def test_referrers_come_in_pages_that_keep_the_filter(tmp_path: Path) -> None:
    ask = tree(tmp_path, limits=replace(DEFAULT, serve_page=2))
    subject = stored(ask, "v1")
    made = {stored(ask, layer=bytes([i]), subject=subject).digest.text for i in range(5)}
    seen: list[str] = []
    target: str | None = f"{REPO}/referrers/{subject.digest}?artifactType={encoded(KIND)}"
    while target is not None:
        answer = ask("GET", target)
        assert answer.header("OCI-Filters-Applied") == "artifactType"
        assert len(digests(answer)) <= 2
        seen += digests(answer)
        link = answer.header("Link")
        target = None if link is None else link[1 : link.index(">")]
    assert len(seen) == 5
    assert set(seen) == made


def test_a_page_of_referrers_stays_below_what_clients_read(tmp_path: Path) -> None:
    ask = tree(tmp_path, limits=replace(DEFAULT, manifest_bytes=3000))
    subject = stored(ask, "v1")
    for i in range(12):
        stored(ask, layer=bytes([i]), subject=subject)
    answer = referrers(ask, subject)
    assert 0 < len(digests(answer)) < 12
    assert len(answer.body) < 3000
    assert answer.header("Link") is not None


def test_a_deleted_referrer_is_listed_no_more(ask: Asker) -> None:
    subject = stored(ask, "v1")
    gone = stored(ask, layer=b"1", subject=subject)
    kept = stored(ask, layer=b"2", subject=subject)
    assert ask("DELETE", f"{REPO}/manifests/{gone.digest}").status == 202
    assert digests(referrers(ask, subject)) == [kept.digest.text]
    assert ask("DELETE", f"{REPO}/manifests/{kept.digest}").status == 202
    assert digests(referrers(ask, subject)) == []
    assert ask("GET", f"{REPO}/manifests/sha256-{subject.digest.hex}").status == 404


def test_a_list_that_may_lack_something_is_an_error(ask: Asker, tmp_path: Path) -> None:
    subject = stored(ask, "v1")
    stored(ask, layer=b"1", subject=subject)
    (tmp_path / "example.com" / "net" / "blobs" / "sha256" / ("0" * 64)).symlink_to(tmp_path)
    answer = ask("GET", f"{REPO}/referrers/{subject.digest}")
    assert (answer.status, code(answer)) == (500, "UNKNOWN")
    assert str(tmp_path).encode() not in answer.body
    assert "incomplete" in answer.note


# --- addresses and methods


@pytest.mark.parametrize(
    "target", ["/", "/v1/", "/v2/x", "/v2/a/b", "/v2/a/blobs/", "/v2/a/tags", "/favicon.ico"]
)
def test_no_such_address(ask: Asker, target: str) -> None:
    assert ask("GET", target).status == 404


def test_a_method_that_an_address_does_not_have(ask: Asker) -> None:
    answer = ask("DELETE", f"{REPO}/tags/list")
    assert (answer.status, code(answer), answer.header("Allow")) == (405, "UNSUPPORTED", "GET, HEAD")
    assert ask("GET", f"{REPO}/blobs/uploads/").status == 405


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize(
    "target",
    [
        f"{REPO}/blobs/uploads/",
        f"{REPO}/blobs/uploads/x",
        f"{REPO}/manifests/v1",
        f"{REPO}/blobs/{Digest.of(BLOB)}",
        f"{REPO}/tags/list",
        "/v2/",
        "/nowhere",
    ],
)
def test_a_registry_for_reading_refuses_every_write(tmp_path: Path, method: str, target: str) -> None:
    stored(tree(tmp_path), "v1")
    before = sorted(path for path in tmp_path.rglob("*"))
    ask = tree(tmp_path, writable=False)
    answer = ask(method, target, BLOB)
    assert (answer.status, code(answer), answer.header("Allow")) == (405, "UNSUPPORTED", "GET, HEAD")
    assert sorted(path for path in tmp_path.rglob("*")) == before
    assert ask("GET", f"{REPO}/manifests/v1").status == 200
