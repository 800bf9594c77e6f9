"""What is asked of a registry, and how often: the honest one in memory, with its switches."""

from __future__ import annotations

import io
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.oci import SIGNATURE, attachment, module
from tests.support.registry import Registry, Reply, as_json, error, running
from tests.support.registry_stores import OneKey
from verify.digest import Digest
from verify.errors import Absent, Exhausted, Refuted, Unavailable
from verify.limits import Limits
from verify.oci.descriptor import Descriptor
from verify.oci.endpoint import registry_address
from verify.oci.manifest import OCI_MANIFEST
from verify.oci.push import publish_artifact
from verify.oci.reference import Reference
from verify.oci.registry import RegistryStore
from verify.oci.store import How, Put
from verify.transport.client import HttpClient
from verify.transport.wire import UrllibWire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.registry import Ask

DATA = bytes(range(100))
BLOB = Descriptor.of(DATA, "application/octet-stream")


@contextmanager
def store_at(registry: Registry, **options: Any) -> Iterator[RegistryStore]:
    limits = options.get("limits", Limits(http_pause=0.01))
    with running(registry) as host:
        client = HttpClient(UrllibWire(limits=limits), keys=OneKey(), limits=limits)
        yield RegistryStore(Reference.parse(f"{host}/a/b"), client, **options)
        client.close()


def asked(registry: Registry) -> list[str]:
    found = [
        f"{ask.method} {ask.path.removeprefix('/v2/a/b/').partition('sha256:')[0]}" for ask in registry.asked
    ]
    registry.asked.clear()
    return found


def put(store: RegistryStore, **options: Any) -> Put:
    return store.put_blob(BLOB, lambda: io.BytesIO(DATA), **options)


def test_every_question_for_a_manifest_lists_the_types() -> None:
    registry = Registry()
    with store_at(registry) as store:
        publish_artifact(store, module(), tags=("v1",))
        store.get_manifest("v1")
    lists = [
        ask.headers["accept"] for ask in registry.asked if "/manifests/" in ask.path and ask.method == "GET"
    ]
    assert lists
    assert all(OCI_MANIFEST in each and "image.index" in each and "*/*" not in each for each in lists)


def test_round_trips_of_a_push_and_a_pull() -> None:
    registry = Registry()
    with store_at(registry) as store:
        put(store)
        assert asked(registry) == ["HEAD blobs/", "POST blobs/uploads/", "PUT blobs/uploads/u0-2"]
        put(store)
        assert asked(registry) == ["HEAD blobs/"]
        store.put_manifest(module().data, OCI_MANIFEST, tag="v1")
        assert asked(registry) == ["PUT manifests/v1"]
        store.get_manifest(module().descriptor.digest)
        with store.open_blob(BLOB.digest) as reader:
            assert reader.read() == DATA
        assert asked(registry) == ["GET manifests/", "GET blobs/"]


def test_big_body_is_not_sent_into_a_401() -> None:
    registry = Registry(auth="token")
    with store_at(registry) as store:
        put(store)
    assert [len(ask.body) for ask in registry.asked if ask.method == "PUT"] == [len(DATA)]


@pytest.mark.parametrize("auth", ["none", "token"])
def test_mounted_from_another_repository(auth: str) -> None:
    registry = Registry(auth=auth)
    registry.at("c/d").blobs[BLOB.digest.text] = DATA
    with store_at(registry) as store:
        assert put(store, mount_from="c/d") is Put.MOUNTED
        assert put(store, mount_from="c/d") is Put.PRESENT
    assert not [ask for ask in registry.asked if ask.method == "PUT"]


def test_registry_that_does_not_mount_is_sent_the_bytes() -> None:
    registry = Registry(mounts=False)
    with store_at(registry) as store:
        assert put(store, mount_from="c/d") is Put.STORED
    assert [ask.method for ask in registry.asked] == ["HEAD", "POST", "PUT"]


@pytest.mark.parametrize("chunk", [1, 33, 50, 99, 100, 1000])
def test_chunks(chunk: int) -> None:
    registry = Registry()
    with store_at(registry, chunk=chunk) as store:
        put(store)
    assert registry.at("a/b").blobs[BLOB.digest.text] == DATA
    ranges = [ask.headers["content-range"] for ask in registry.asked if ask.method == "PATCH"]
    starts = range(0, 100, chunk)
    assert ranges == ([f"{n}-{min(n + chunk, 100) - 1}" for n in starts] if chunk < 100 else [])


def test_chunk_that_was_half_taken_goes_on_where_the_registry_is() -> None:
    @dataclass
    class Half(Registry):
        cut: bool = True

        def answer(self, ask: Ask) -> Reply:
            if ask.method == "PATCH" and self.cut and ask.headers["content-range"].startswith("40-"):
                self.cut = False
                key = ask.path.rpartition("/")[2]
                self.at("a/b").uploads[key] += ask.body[:7]
                return error(416, "RANGE_INVALID")
            return super().answer(ask)

    registry = Half()
    with store_at(registry, chunk=20) as store:
        put(store)
    assert registry.at("a/b").blobs[BLOB.digest.text] == DATA
    assert "47-59" in [ask.headers.get("content-range") for ask in registry.asked]


def test_upload_that_fails_on_the_way_is_begun_again() -> None:
    @dataclass
    class Failing(Registry):
        left: int = 2

        def answer(self, ask: Ask) -> Reply:
            if ask.method == "PUT" and self.left:
                self.left -= 1
                return Reply(500) if self.left else Reply(raw=lambda _: None)
            return super().answer(ask)

    registry = Failing()
    with store_at(registry) as store:
        assert put(store) is Put.STORED
    assert [ask.method for ask in registry.asked].count("POST") == 3


def test_source_that_gives_other_bytes_is_refused_by_us() -> None:
    registry = Registry()
    with store_at(registry) as store, pytest.raises(Refuted) as caught:
        store.put_blob(BLOB, lambda: io.BytesIO(DATA[:-1] + b"x"))
    assert caught.value.check == "oci.digest-mismatch"
    assert registry.at("a/b").blobs == {}


@pytest.mark.parametrize("ranges", [True, False])
def test_download_that_is_cut_goes_on(ranges: bool) -> None:
    @dataclass
    class Cutting(Registry):
        left: int = 3

        def answer(self, ask: Ask) -> Reply:
            made = super().answer(ask)
            if "/blobs/sha256" not in ask.path or ask.method != "GET" or not self.left:
                return made
            if made.status == 416:
                return made
            self.left -= 1
            more = 100 - 10 * self.left
            start = 100 - len(made.body)
            keep = made.body[: max(0, more - start)]
            head = b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n" % (made.status, len(made.body))
            for name, value in made.headers:
                head += f"{name}: {value}\r\n".encode()
            return Reply(raw=lambda connection: connection.sendall(head + b"\r\n" + keep))

    registry = Cutting(ranges=ranges)
    registry.at("a/b").blobs[BLOB.digest.text] = DATA
    with store_at(registry) as store, store.open_blob(BLOB.digest, size=100) as reader:
        got = b"".join(iter(lambda: reader.read(9), b""))
        assert reader.verified
    assert got == DATA
    asked_for = [ask.headers.get("range") for ask in registry.asked]
    assert asked_for[:2] == [None, "bytes=80-"] if ranges else asked_for.count(None) > 1


def test_tags_over_pages() -> None:
    registry = Registry(page=7)
    registry.at("a/b").tags.update({f"v{n:03}": "x" for n in range(50)})
    with store_at(registry) as store:
        assert store.tags() == tuple(f"v{n:03}" for n in range(50))


@dataclass
class Cutter(Registry):
    """Cuts pages and does not say so; `last` is heard or not."""

    hears: bool = True
    names: list[str] = field(default_factory=list)

    def answer(self, ask: Ask) -> Reply:
        if not ask.path.endswith("/tags/list"):
            return super().answer(ask)
        self.asked.append(ask)
        last = ask.first("last") if self.hears else None
        rest = [name for name in self.names if last is None or name > last]
        return as_json({"tags": rest[:100] if self.hears else rest})


@pytest.mark.parametrize(("count", "questions"), [(100, 2), (101, 2), (99, 1), (240, 3)])
def test_round_page_without_a_link_is_asked_for_what_follows(count: int, questions: int) -> None:
    names = [f"v{n:03}" for n in range(count)]
    registry = Cutter(names=names)
    with store_at(registry) as store:
        assert store.tags() == tuple(names)
    assert len(registry.asked) == questions


def test_registry_that_ignores_last_ends_all_the_same() -> None:
    names = [f"v{n:03}" for n in range(200)]
    registry = Cutter(names=names, hears=False)
    with store_at(registry) as store:
        assert store.tags() == tuple(names)
    assert len(registry.asked) == 2


def test_tags_of_no_repository_are_absent_and_too_many_are_too_many() -> None:
    with store_at(Registry()) as store, pytest.raises(Absent):
        store.tags()
    registry = Registry(page=1)
    registry.at("a/b").tags.update({f"v{n}": "x" for n in range(9)})
    for limits in (Limits(tag_pages=3), Limits(tag_count=3)):
        with store_at(registry, limits=limits) as store, pytest.raises(Exhausted) as caught:
            store.tags()
        assert caught.value.check == "registry.limit"


def attach(store: RegistryStore) -> Descriptor:
    publish_artifact(store, module(), tags=("v1",))
    publish_artifact(store, attachment(module().descriptor))
    return module().descriptor


def test_referrers_api_is_asked_with_the_filter_and_its_fallback_is_not_written() -> None:
    registry = Registry()
    with store_at(registry) as store:
        subject = attach(store)
        asked(registry)
        listed = store.referrers(subject.digest, artifact_type=f"{SIGNATURE}+x")
        assert (listed.how, listed.entries, listed.complete) == (How.API, (), True)
        assert registry.asked[0].first("artifactType") == f"{SIGNATURE}+x"
        assert len(store.referrers(subject.digest, artifact_type=SIGNATURE).entries) == 1
    assert list(registry.at("a/b").tags) == ["v1"]


def test_absent_api_is_remembered() -> None:
    registry = Registry(referrers=False)
    with store_at(registry) as store:
        subject = attach(store)
        asked(registry)
        for _ in range(3):
            listed = store.referrers(subject.digest)
            assert (listed.how, len(listed.entries)) == (How.FALLBACK, 1)
    assert len([each for each in asked(registry) if "referrers" in each]) <= 1


@pytest.mark.parametrize("status", [400, 404, 405, 406, 501])
def test_statuses_that_mean_no_api(status: int) -> None:
    @dataclass
    class Without(Registry):
        def answer(self, ask: Ask) -> Reply:
            return Reply(status) if "/referrers/" in ask.path else super().answer(ask)

    with store_at(Without(referrers=False)) as store:
        subject = attach(store)
        listed = store.referrers(subject.digest)
        assert (listed.how, len(listed.entries), listed.complete) == (How.FALLBACK, 1, True)


def test_registry_that_says_it_attached_without_an_api_gets_the_fallback() -> None:
    @dataclass
    class Boasting(Registry):
        def answer(self, ask: Ask) -> Reply:
            made = super().answer(ask)
            return Reply(404) if "/referrers/" in ask.path else made

    registry = Boasting()
    with store_at(registry) as store:
        subject = attach(store)
        assert len(store.referrers(subject.digest).entries) == 1
    assert len(registry.at("a/b").tags) == 2


def test_repository_that_is_not_there_yet_does_not_decide_about_the_api() -> None:
    @dataclass
    class Late(Registry):
        def answer(self, ask: Ask) -> Reply:
            if "/referrers/" in ask.path and "a/b" not in self.repositories:
                return error(404, "NAME_UNKNOWN")
            return super().answer(ask)

    with store_at(Late()) as store:
        assert store.referrers(Digest.of(b"x")).entries == ()
        subject = attach(store)
        assert store.referrers(subject.digest).how is How.API


def test_immutable_tag_is_refused_with_a_hint() -> None:
    with store_at(Registry(immutable=True)) as store:
        publish_artifact(store, module(b"a"), tags=("v1",))
        with pytest.raises(Unavailable, match="cannot overwrite tag") as caught:
            store.put_manifest(module(b"b").data, OCI_MANIFEST, tag="v1")
    assert caught.value.hint is not None


def test_progress_is_told_and_ends() -> None:
    @dataclass
    class Told:
        log: list[tuple[str, object]] = field(default_factory=list)

        def begin(self, task: str, total: int | None = None, unit: str = "B") -> None:
            self.log.append(("begin", total))

        def advance(self, task: str, amount: int) -> None:
            self.log.append(("advance", amount))

        def end(self, task: str) -> None:
            self.log.append(("end", None))

        def note(self, level: object, text: str) -> None:
            pass

    told = Told()
    with store_at(Registry(), events=told) as store:
        put(store)
        with store.open_blob(BLOB.digest, size=100) as reader:
            reader.read()
    assert [each for each in told.log if each[0] != "advance"] == [("begin", 100), ("end", None)] * 2
    assert sum(int(str(amount)) for kind, amount in told.log if kind == "advance") == 200


@pytest.mark.parametrize(
    ("host", "plain", "scheme"),
    [("localhost:5000", None, "http"), ("127.0.0.1", None, "http"), ("[::1]:5000", None, "http"),
     ("localhost:5000", False, "https"), ("10.0.0.1", None, "https"), ("r.example", None, "https"),
     ("r.example", True, "http")],
)  # fmt: skip
def test_scheme(host: str, plain: bool | None, scheme: str) -> None:
    assert registry_address(host, plain_http=plain).origin.scheme == scheme
