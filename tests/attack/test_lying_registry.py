"""A registry that lies, one lie at a time: each has its check id, its exit code, and no credential goes astray."""

from __future__ import annotations

import gzip
import io
import json
import threading
import time
import tracemalloc
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from tests.support.lying_registry import (
    LyingRegistry,
    Stranger,
    by_hand,
    dripping,
    endless,
    head,
    when,
)
from tests.support.oci import attachment, module
from tests.support.registry import INDEX, Reply, running
from verify.digest import Digest
from verify.errors import ModsealError
from verify.limits import Limits
from verify.oci.blob import VerifyingReader
from verify.oci.descriptor import Descriptor
from verify.oci.fallback import fallback_tag
from verify.oci.manifest import OCI_MANIFEST
from verify.oci.push import publish_artifact
from verify.oci.reference import Reference
from verify.oci.referrers import find_referrers
from verify.oci.registry import RegistryStore
from verify.transport.client import HttpClient
from verify.transport.clock import Clock
from verify.transport.credentials import Credential, Secret
from verify.transport.wire import UrllibWire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.lying_registry import Lie
    from tests.support.registry import Ask

QUICK = Limits(
    http_connect=2, http_read=1.0, http_total=0.5, http_slowest=1 << 20, http_tries=2, http_pause=0.01,
    http_longest_pause=0.02, http_wait=1.0, blob_resumes=2,
)  # fmt: skip
SECONDS = 10.0
MODULE = module(b"what was published")
DIGEST = MODULE.descriptor.digest
LAYER = MODULE.manifest.layers[0]
JSON = ("Content-Type", OCI_MANIFEST)


class Keys:
    def find(self, account: str) -> Credential | None:
        return Credential(user="ada", password=Secret("correct horse"), source="tests")


@dataclass
class World:
    registry: LyingRegistry
    stranger: Stranger
    store: RegistryStore
    done: threading.Event = field(default_factory=threading.Event)

    def lie(self, lie: Lie) -> None:
        self.registry.lie = lie


def connect(host: str, limits: Limits) -> tuple[HttpClient, RegistryStore]:
    clock = Clock(chance=lambda: 0.0)
    client = HttpClient(UrllibWire(limits=limits), keys=Keys(), limits=limits, clock=clock)
    return client, RegistryStore(Reference.parse(f"{host}/acme/net"), client, limits=limits)


@pytest.fixture(params=["none", "basic", "token"])
def auth(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def world(auth: str) -> Iterator[World]:
    registry = LyingRegistry(auth=auth)
    stranger = Stranger()
    with running(registry) as host, running(stranger):
        client, store = connect(host, QUICK)
        publish_artifact(store, MODULE, tags=("v1",))
        world = World(registry, stranger, store)
        try:
            yield world
        finally:
            world.done.set()
            client.close()
        assert world.stranger.told == []


def refusal(act: Callable[[], object]) -> ModsealError:
    began = time.monotonic()
    with pytest.raises(ModsealError) as caught:
        act()
    assert time.monotonic() - began < SECONDS
    assert "correct horse" not in str(caught.value)
    assert "token-" not in str(caught.value)
    return caught.value


def read_layer(store: RegistryStore) -> bytes:
    with store.open_blob(LAYER.digest, size=LAYER.size) as reader:
        return reader.read()


BLOB = "/blobs/sha256"
MANIFEST = "/manifests/"
OTHER = b"other bytes, as many"[: LAYER.size]
PAGE = Reply(200, (("Content-Type", "text/html; charset=utf-8"),), b"<html><form>log in</form></html>")
TWO_LENGTHS = (("Content-Type", OCI_MANIFEST), ("Content-Length", "2"), ("Content-Length", "3"))

# the lie, what is done, the check, the exit code
ANSWERS: dict[str, tuple[Lie, str, str, int]] = {
    "manifest: other bytes under the digest": (
        when("GET", MANIFEST, Reply(200, (JSON,), module(b"other").data)), "manifest", "oci.digest-mismatch", 1),
    "manifest: header names other bytes": (
        when("GET", MANIFEST, Reply(200, (JSON, ("Docker-Content-Digest", Digest.of(b"x").text)), MODULE.data)),
        "manifest", "registry.digest-header", 1),
    "manifest: header is a path": (
        when("GET", MANIFEST, Reply(200, (JSON, ("Docker-Content-Digest", "sha256:../../x")), MODULE.data)),
        "tag", "registry.digest-header", 1),
    "tag: header names other bytes": (
        when("GET", MANIFEST, Reply(200, (JSON, ("Docker-Content-Digest", Digest.of(b"x").text)), MODULE.data)),
        "tag", "registry.digest-header", 1),
    "tag: served as another type": (
        when("GET", MANIFEST, Reply(200, (("Content-Type", INDEX),), MODULE.data)), "document", "oci.media-type", 1),
    "tag: login page": (when("GET", MANIFEST, PAGE), "tag", "registry.html", 3),
    "manifest: login page": (when("GET", MANIFEST, PAGE), "manifest", "registry.html", 3),
    "blob: login page": (when("GET", BLOB, PAGE), "blob", "registry.html", 3),
    "tags: login page": (when("GET", "/tags/list", PAGE), "tags", "registry.html", 3),
    "blob: login page instead of yes or no": (
        when("HEAD", BLOB, PAGE),
        "has",
        "registry.html",
        3,
    ),
    "blob: other bytes under the digest": (when("GET", BLOB, Reply(200, (), OTHER)), "blob", "oci.digest-mismatch", 1),
    "blob: too few bytes": (when("GET", BLOB, Reply(200, (), b"short")), "blob", "oci.size-mismatch", 1),
    "blob: too many bytes": (when("GET", BLOB, Reply(200, (), b"x" * 999)), "blob", "oci.size-mismatch", 1),
    "blob: cut again and again": (
        when("GET", BLOB, by_hand(head(200, Content_Length=str(LAYER.size)), b"wha")), "blob", "fetch.cut", 3),
    "manifest: cut": (
        when("GET", MANIFEST, by_hand(head(200, Content_Length="999", Content_Type=OCI_MANIFEST), b"{")),
        "manifest", "fetch.cut", 3),
    "manifest: goes on after its length": (
        when("GET", MANIFEST, by_hand(head(200, Content_Length=str(len(MODULE.data)), Content_Type=OCI_MANIFEST)
             + MODULE.data + b"HTTP/1.1 200 OK\r\n")), "manifest", "transport.surplus", 3),
    "tag: no length": (
        when("GET", MANIFEST, by_hand(head(200, Content_Type=OCI_MANIFEST), MODULE.data)),
        "tag", "transport.framing", 3),
    "tag: two lengths": (
        when("GET", MANIFEST, Reply(200, TWO_LENGTHS, b"{}")), "tag", "transport.framing", 3),
    "tag: length that is no number": (
        when("GET", MANIFEST, by_hand(head(200, Content_Type=OCI_MANIFEST, Content_Length="-1"), b"{}")),
        "tag", "transport.framing", 3),
    "tag: length and chunks": (
        when("GET", MANIFEST, by_hand(head(200, Content_Type=OCI_MANIFEST, Content_Length="2",
             Transfer_Encoding="chunked"), b"2\r\n{}\r\n0\r\n\r\n")), "tag", "transport.framing", 3),
    "manifest: gzip": (
        when("GET", MANIFEST, Reply(200, (JSON, ("Content-Encoding", "gzip")), gzip.compress(MODULE.data))),
        "manifest", "transport.encoded", 3),
    "blob: gzip bomb": (
        when("GET", BLOB, Reply(200, (("Content-Encoding", "gzip"),), gzip.compress(bytes(1 << 20)))),
        "blob", "transport.encoded", 3),
    "manifest: huge by its length": (
        when("GET", MANIFEST, by_hand(head(200, Content_Type=OCI_MANIFEST, Content_Length=str(1 << 40)))),
        "manifest", "oci.too-large", 3),
    "manifest: huge": (
        when("GET", MANIFEST, Reply(200, (JSON,), b" " * ((4 << 20) + 1))), "manifest", "oci.too-large", 3),
    "tag: nested without end": (
        when("GET", MANIFEST, Reply(200, (JSON,), b"[" * 100_000)), "document", "oci.json-deep", 1),
    "redirects in a circle": (
        when("GET", BLOB, Reply(307, (("Location", "?again"),))), "blob", "transport.redirect-loop", 3),
    "redirect without a place": (when("GET", BLOB, Reply(307)), "blob", "transport.redirect", 3),
    "redirect to a file": (
        when("GET", BLOB, Reply(307, (("Location", "file:///etc/passwd"),))), "blob", "transport.address", 3),
    "redirect with a user in it": (
        when("GET", BLOB, Reply(307, (("Location", "http://a:b@127.0.0.1/"),))), "blob", "transport.address", 3),
    "manifest: 404 for the repository": (
        when("GET", MANIFEST, Reply(404, (), b"404 page not found")), "manifest", "oci.manifest-unknown", 3),
    "manifest: refused": (when("GET", MANIFEST, Reply(403)), "manifest", "fetch.forbidden", 3),
    "manifest: later": (
        when("GET", MANIFEST, Reply(429, (("Retry-After", "86400"),))), "manifest", "fetch.throttled", 3),
    "manifest: later, in no words": (
        when("GET", MANIFEST, Reply(429, (("Retry-After", "1.9ms"),))), "manifest", "fetch.throttled", 3),
    "manifest: broken": (when("GET", MANIFEST, Reply(503)), "manifest", "fetch.server-error", 3),
    "manifest: nothing in it": (when("GET", MANIFEST, Reply(204)), "manifest", "registry.unexpected", 3),
    "tags: no list": (when("GET", "/tags/", Reply(200, (), b'{"tags":"v1"}')), "tags", "registry.list-malformed", 1),
    "tags: 401 without a challenge": (when("GET", "/tags/", Reply(401)), "tags", "fetch.unauthorized", 3),
}  # fmt: skip


def act(store: RegistryStore, what: str) -> object:
    acts: dict[str, Callable[[], object]] = {
        "manifest": lambda: store.get_manifest(DIGEST),
        "tag": lambda: store.get_manifest("v1"),
        "document": lambda: store.get_manifest("v1").document(),
        "blob": lambda: read_layer(store),
        "tags": store.tags,
        "has": lambda: store.has_blob(LAYER.digest),
    }
    return acts[what]()


@pytest.mark.parametrize("name", ANSWERS)
def test_lie_is_named_and_bounded(world: World, name: str) -> None:
    lie, what, check, code = ANSWERS[name]
    world.lie(lie)
    error = refusal(lambda: act(world.store, what))
    assert (error.check, error.exit_code) == (check, code)


@pytest.mark.parametrize("auth", ["none"], indirect=True)
def test_endless_bodies_are_bounded_in_memory_and_time(world: World) -> None:
    block = b" " * (1 << 20)
    chunk = b"100000\r\n" + block + b"\r\n"
    endings = {
        "by chunks": (head(200, Content_Type=OCI_MANIFEST, Transfer_Encoding="chunked"), chunk),
        "by the connection": (head(200, Content_Type=OCI_MANIFEST), block),
    }
    tracemalloc.start()
    try:
        for start, part in endings.values():
            world.lie(when("GET", f"{MANIFEST}|{BLOB}", endless(start, part, world.done)))
            assert refusal(lambda: world.store.get_manifest(DIGEST)).check == "oci.too-large"
            assert refusal(lambda: read_layer(world.store)).check == "oci.size-mismatch"
        assert tracemalloc.get_traced_memory()[1] < 40 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("auth", ["none"], indirect=True)
@pytest.mark.parametrize(
    "start",
    [
        b"HTTP/1.1 200 OK\r\nX: ",
        head(200, Content_Length="99999"),
        head(200, Transfer_Encoding="chunked"),
        b"",
    ],
    ids=["head", "body", "chunk size", "status line"],
)
def test_slow_drip_is_slow_whatever_drips(world: World, start: bytes) -> None:
    world.lie(when("GET", MANIFEST, dripping(start, world.done)))
    began = time.monotonic()
    error = refusal(lambda: world.store.get_manifest(DIGEST))
    assert (error.check, error.exit_code) == ("fetch.slow", 3)
    assert time.monotonic() - began < 3


@pytest.mark.parametrize("auth", ["none"], indirect=True)
def test_silence_is_a_timeout(world: World) -> None:
    limits = Limits(http_read=0.2, http_total=5, http_tries=1)
    client, store = connect(world.registry.base.removeprefix("http://"), limits)
    reply = Reply(raw=lambda _: (world.done.wait(3), None)[1])
    world.lie(when("GET", MANIFEST, reply))
    assert refusal(lambda: store.get_manifest(DIGEST)).check == "fetch.timeout"
    client.close()


def test_redirect_to_another_origin_brings_bytes_and_no_credential(world: World) -> None:
    world.stranger.reply = Reply(200, (), b"what was published")
    world.lie(when("GET", BLOB, Reply(307, (("Location", f"{world.stranger.base}/signed?sig=1"),))))
    assert read_layer(world.store) == b"what was published"
    assert len(world.stranger.asked) == 1
    # and a challenge from there is answered with nothing
    world.stranger.reply = Reply(401, (("WWW-Authenticate", 'Basic realm="x"'),))
    assert refusal(lambda: read_layer(world.store)).check == "fetch.unauthorized"
    challenge = f'Bearer realm="{world.stranger.base}/token",service="s"'
    world.stranger.reply = Reply(401, (("WWW-Authenticate", challenge),))
    assert refusal(lambda: read_layer(world.store)).check == "fetch.unauthorized"
    assert {ask.path for ask in world.stranger.asked} == {"/signed"}


def put(store: RegistryStore, data: bytes = b"new bytes") -> object:
    return store.put_blob(Descriptor.of(data, "application/octet-stream"), lambda: io.BytesIO(data))


def test_upload_is_not_sent_to_another_origin(world: World) -> None:
    reply = Reply(202, (("Location", f"{world.stranger.base}/upload"),))
    world.lie(when("POST", "/uploads/", reply))
    error = refusal(lambda: put(world.store))
    assert (error.check, error.exit_code) == ("registry.location", 3)
    world.lie(when("PUT", "/uploads/", Reply(307, (("Location", f"{world.stranger.base}/upload"),))))
    assert refusal(lambda: put(world.store)).check == "transport.redirect"
    world.lie(when("POST", "/uploads/", Reply(202)))
    assert refusal(lambda: put(world.store)).check == "registry.unexpected"
    assert world.stranger.asked == []


def test_next_page_is_not_read_at_another_origin(world: World) -> None:
    body = b'{"tags":["v1"]}'
    for link in (
        f"{world.stranger.base}/v2/more",
        "//example.com/x",
        "http://[::1",
        "/v2/acme/net/tags/list",
    ):
        world.lie(when("GET", "/tags/list", Reply(200, (("Link", f'<{link}>; rel="next"'),), body)))
        error = refusal(world.store.tags)
        assert (error.check, error.exit_code) == ("registry.link", 3), link
    index = json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": []}).encode()
    link = f'<{world.stranger.base}/v2/more>; rel="next"'
    world.lie(when("GET", "/referrers/", Reply(200, (("Content-Type", INDEX), ("Link", link)), index)))
    listed = world.store.referrers(DIGEST)
    assert (listed.complete, [fault.check.id for fault in listed.faults]) == (False, ["registry.link"])
    assert world.stranger.asked == []


@pytest.mark.parametrize("auth", ["none"], indirect=True)
@pytest.mark.parametrize(
    "realm", ["http://127.0.0.2:1/token", "http://10.0.0.1/", "ftp://example.com/", "http://u@example.com/"]
)
def test_credential_is_not_sent_to_a_realm_inside_this_network(world: World, realm: str) -> None:
    world.lie(when("GET", MANIFEST, Reply(401, (("WWW-Authenticate", f'Bearer realm="{realm}"'),))))
    error = refusal(lambda: world.store.get_manifest(DIGEST))
    assert (error.check, error.exit_code) == ("transport.realm", 3)


@pytest.mark.parametrize("auth", ["none"], indirect=True)
@pytest.mark.parametrize(
    "body", [b"<html>", b"{}", b'{"token":7}', b'{"token":"a\\r\\nX: y"}', b"[" * 60_000, b" " * (1 << 17)]
)
def test_token_that_is_none_is_not_used(world: World, body: bytes) -> None:
    def lie(ask: object) -> Reply | None:
        if getattr(ask, "path", "") == "/token":
            return Reply(200, (), body)
        realm = f"{world.registry.base}/token"
        return Reply(401, (("WWW-Authenticate", f'Bearer realm="{realm}"'),))

    world.lie(lie)
    assert refusal(lambda: world.store.get_manifest(DIGEST)).check == "transport.token"


def listing(entries: list[object]) -> bytes:
    return json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries}).encode()


@pytest.mark.parametrize("auth", ["none"], indirect=True)
def test_million_referrers_are_incomplete_and_bounded(world: World) -> None:
    one = {"mediaType": OCI_MANIFEST, "size": 2}
    entries: list[object] = [{**one, "digest": f"sha256:{number:064x}"} for number in range(20_000)]
    data = listing(entries)
    pages = iter(range(1 << 30))

    def lie(ask: object) -> Reply | None:
        if "/referrers/" not in getattr(ask, "path", ""):
            return None
        link = f"</v2/acme/net/referrers/{DIGEST}?page={next(pages)}>; rel=next"
        return Reply(200, (("Content-Type", INDEX), ("Link", link)), data)

    world.lie(lie)
    began = time.monotonic()
    listed = world.store.referrers(DIGEST)
    assert time.monotonic() - began < SECONDS
    assert not listed.complete
    assert len(listed.entries) <= 1000
    assert next(pages) <= 51
    # pages without entries do not end either
    data = listing([])
    listed = world.store.referrers(DIGEST)
    assert (listed.entries, listed.complete) == ((), False)
    # nor is one page beyond its size read
    data = listing(entries * 3)
    assert not world.store.referrers(DIGEST).complete


@pytest.mark.parametrize("auth", ["none"], indirect=True)
def test_referrers_nobody_can_name_are_not_none(world: World) -> None:
    """A web page, a redirect elsewhere: the fallback is read, and its absence proves nothing."""
    elsewhere = Reply(303, (("Location", f"{world.stranger.base}/login"),))
    for reply in (PAGE, elsewhere, Reply(200, (("Content-Type", "application/json"),), b"{}")):
        world.lie(when("GET", "/referrers/", reply))
        listed = world.store.referrers(DIGEST)
        assert (listed.entries, listed.complete) == ((), False)
        assert [fault.check.id for fault in listed.faults] == ["registry.referrers-unclear"]
    for status, check in (
        (401, "fetch.unauthorized"),
        (403, "fetch.forbidden"),
        (429, "fetch.throttled"),
        (500, "fetch.server-error"),
    ):
        world.lie(when("GET", "/referrers/", Reply(status)))
        error = refusal(lambda: world.store.referrers(DIGEST))
        assert (error.check, error.exit_code) == (check, 3)
    assert world.stranger.asked == []


@pytest.mark.parametrize("auth", ["none"], indirect=True)
def test_fallback_that_points_elsewhere_yields_no_referrer(world: World) -> None:
    world.registry.referrers = False
    foreign = attachment(module(b"another").descriptor)
    publish_artifact(world.store, foreign)
    entry = {"mediaType": OCI_MANIFEST, "digest": str(foreign.descriptor.digest), "size": len(foreign.data)}
    gone = {"mediaType": OCI_MANIFEST, "digest": str(Digest.of(b"gone")), "size": 4}
    tag = fallback_tag(DIGEST)
    index = Reply(200, (("Content-Type", INDEX),), listing([entry, gone]))
    world.lie(when("GET", f"/manifests/{tag}", index))
    found = find_referrers(world.store, DIGEST)
    assert found.referrers == ()
    assert {fault.check.id for fault in found.faults} == {"oci.referrer-foreign", "oci.referrer-missing"}
    assert not found.complete
    world.lie(when("GET", f"/manifests/{tag}", Reply(200, (JSON,), MODULE.data)))
    itself = world.store.referrers(DIGEST)
    assert [fault.check.id for fault in itself.faults] == ["oci.fallback-is-subject"]
    assert not itself.complete


@pytest.mark.parametrize("auth", ["none"], indirect=True)
def test_resumed_download_that_goes_on_elsewhere_is_refused(world: World) -> None:
    """The first answer is cut; the second starts at another byte, or brings other bytes."""
    cut = by_hand(head(200, Content_Length=str(LAYER.size)), b"what")

    def after(reply: Reply) -> Lie:
        def lie(ask: object) -> Reply | None:
            if BLOB not in getattr(ask, "path", ""):
                return None
            return reply if "range" in getattr(ask, "headers", {}) else cut

        return lie

    size = LAYER.size
    world.lie(after(Reply(206, (("Content-Range", f"bytes 2-{size - 1}/{size}"),), b"x" * (size - 2))))
    assert refusal(lambda: read_layer(world.store)).check == "registry.unexpected"
    world.lie(after(Reply(206, (("Content-Range", f"bytes 4-{size - 1}/{size}"),), b"x" * (size - 4))))
    error = refusal(lambda: read_layer(world.store))
    assert (error.check, error.exit_code) == ("oci.digest-mismatch", 1)
    world.lie(after(Reply(206, (("Content-Range", f"bytes 4-{size - 1}/{size}"),), b" was published")))
    assert read_layer(world.store) == b"what was published"
    world.lie(after(Reply(416)))
    assert refusal(lambda: read_layer(world.store)).check == "fetch.cut"


@pytest.mark.parametrize("auth", ["none"], indirect=True)
def test_blob_that_comes_one_byte_for_each_question_ends(world: World) -> None:
    asked = 0

    def lie(ask: Ask) -> Reply | None:
        nonlocal asked
        if BLOB not in ask.path:
            return None
        asked += 1
        first = int(ask.headers.get("range", "bytes=0-")[6:-1])
        rest = b"what was published"[first:]
        span = f"bytes {first}-{LAYER.size - 1}/{LAYER.size}"
        status = 206 if first else 200
        return by_hand(head(status, Content_Length=str(len(rest)), Content_Range=span), rest[:1])

    world.lie(lie)
    with world.store.open_blob(LAYER.digest, size=LAYER.size) as reader:
        error = refusal(lambda: [reader.read(1) for _ in range(LAYER.size)])
    assert (error.check, error.exit_code) == ("fetch.cut", 3)
    assert asked == 1 + QUICK.blob_resumes


@pytest.mark.parametrize("auth", ["none"], indirect=True)
def test_bytes_after_an_answer_do_not_become_the_next_answer(world: World) -> None:
    evil = head(200, Content_Length="4") + b"evil"
    size = str(LAYER.size)
    once = iter([by_hand(head(200, Content_Length=size) + b"what was published" + evil)])
    world.lie(lambda ask: next(once, None) if BLOB in ask.path else None)
    assert refusal(lambda: read_layer(world.store)).check == "transport.surplus"
    assert read_layer(world.store) == b"what was published"


def test_reader_of_a_blob_is_one_that_checks(world: World) -> None:
    with world.store.open_blob(LAYER.digest) as reader:
        assert isinstance(reader, VerifyingReader)
