"""Clients that mean harm to a served folder, or to whoever reads from it: on the wire, on loopback."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.support.serving import (
    MANIFEST_HEADERS,
    ROOT,
    Got,
    artifact,
    call,
    push_artifact,
    push_blob,
    served,
)
from verify.digest import Digest
from verify.limits import DEFAULT
from verify.oci.layout import LayoutStore
from verify.oci.manifest import OCI_MANIFEST
from verify.workflows.serving import serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REPO = "/v2/example.com/net"
BLOB = b"some bytes"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "served"
    made.mkdir()
    return made


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    with serving(str(folder), writable=True) as found:
        yield found.address


@contextmanager
def wire(address: str) -> Iterator[socket.socket]:
    host, _, port = address.rpartition(":")
    with closing(socket.create_connection((host, int(port)), timeout=15)) as opened:
        yield opened


def said(opened: socket.socket) -> bytes:
    """Everything until the server ends it."""
    found = b""
    try:
        while block := opened.recv(65536):
            found += block
    except ConnectionError:
        pass
    return found


def raw(address: str, request: bytes) -> bytes:
    with wire(address) as opened:
        opened.sendall(request)
        return said(opened)


def head(address: str, *lines: str) -> bytes:
    return "\r\n".join([*lines, f"Host: {address}", "", ""]).encode()


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


# --- names

ESCAPES = [
    "..",
    "../secret",
    "example.com/../../secret",
    "%2e%2e/secret",
    "%2e%2e%2fsecret",
    "example.com%2f..%2f..%2fsecret",
    "/etc",
    "example.com//net",
    "example.com/net%00",
    "example.com\\net",
    "..%5csecret",
    "C:",
    "Example.com/net",
    ".git",
    "example.com/blobs/sha256",
    "example.com/net/index.json",
    "example.com/oci-layout",
    "a" * 300,
    "%ff%fe",
    "example.com/n%0d%0aet",
]


@pytest.mark.parametrize("name", ESCAPES)
def test_no_name_leads_out_of_the_folder(address: str, folder: Path, tmp_path: Path, name: str) -> None:
    secret = tmp_path / "secret"
    LayoutStore(str(secret)).put_manifest(artifact(BLOB), OCI_MANIFEST, tag="v1")
    before = files(secret)
    digest = Digest.of(BLOB)
    for method, path, body in (
        ("GET", "manifests/v1", None),
        ("GET", "tags/list", None),
        ("GET", f"blobs/{Digest.of(artifact(BLOB))}", None),
        ("POST", f"blobs/uploads/?digest={digest}", BLOB),
        ("PUT", "manifests/v1", artifact(BLOB)),
        ("DELETE", "manifests/v1", None),
    ):
        got = raw_call(address, method, f"/v2/{name}/{path}", body)
        assert got.status in {400, 404}, (method, path, got)
    assert files(secret) == before
    assert files(folder) == []


def raw_call(address: str, method: str, path: str, body: bytes | None) -> Got:
    """The path as it stands: an honest client would tidy it."""
    data = body or b""
    lines = [f"{method} {path} HTTP/1.1", f"Content-Length: {len(data)}", "Connection: close"]
    answer = raw(address, head(address, *lines) + data)
    start, _, rest = answer.partition(b"\r\n\r\n")
    return Got(int(start.split(b" ")[1]), {}, rest)


@pytest.mark.parametrize(
    "digest",
    [
        "sha256:../../../../secret",
        "sha256:..%2f..%2f..%2fsecret",
        "sha256:" + "A" * 64,
        "sha256:" + "0" * 63,
        "md5:" + "0" * 32,
        "sha256:",
        "../sha256:" + "0" * 64,
        "sha256:" + "0" * 64 + "%00",
        "sha256%3a%2e%2e",
    ],
)
def test_no_digest_leads_out_of_the_folder(address: str, folder: Path, tmp_path: Path, digest: str) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    push_blob(address, "example.com/net", BLOB)
    before = files(folder)
    for method, path, body in (
        ("GET", f"{REPO}/blobs/{digest}", None),
        ("GET", f"{REPO}/manifests/{digest}", None),
        ("GET", f"{REPO}/referrers/{digest}", None),
        ("DELETE", f"{REPO}/blobs/{digest}", None),
        ("POST", f"{REPO}/blobs/uploads/?digest={digest}", BLOB),
        ("PUT", f"{REPO}/manifests/{digest}", artifact(BLOB)),
    ):
        got = raw_call(address, method, path, body)
        assert got.status in {400, 404}, (method, path, got)
        assert got.body != b"secret"
    assert files(folder) == before
    assert (tmp_path / "secret").read_bytes() == b"secret"


def test_a_repository_behind_a_link_is_not_served(address: str, folder: Path, tmp_path: Path) -> None:
    LayoutStore(str(tmp_path / "secret")).put_manifest(artifact(BLOB), OCI_MANIFEST, tag="v1")
    (folder / "linked").symlink_to(tmp_path / "secret")
    assert call(address, "GET", "/v2/linked/manifests/v1").status == 500
    assert call(address, "PUT", "/v2/linked/manifests/v2", artifact(BLOB), MANIFEST_HEADERS).status == 500
    assert call(address, "GET", "/v2/_catalog").data() == {"repositories": []}


@pytest.mark.parametrize("what", ["link", "fifo", "folder"])
def test_a_blob_that_is_no_file_is_not_served(address: str, folder: Path, tmp_path: Path, what: str) -> None:
    push_blob(address, "example.com/net", BLOB)
    secret = b"secret"
    (tmp_path / "secret").write_bytes(secret)
    blob = folder / "example.com" / "net" / "blobs" / "sha256" / Digest.of(secret).hex
    if what == "link":
        blob.symlink_to(tmp_path / "secret")
    elif what == "fifo":
        os.mkfifo(blob)
    else:
        blob.mkdir()
    for kind in ("blobs", "manifests"):
        got = call(address, "GET", f"{REPO}/{kind}/{Digest.of(secret)}")
        assert got.status == 500
        assert secret not in got.body
        assert str(tmp_path).encode() not in got.body
    assert call(address, "HEAD", f"{REPO}/blobs/{Digest.of(secret)}").status == 500


@pytest.mark.parametrize("size", [1000, 3 << 20])
def test_a_damaged_blob_never_arrives_complete(address: str, folder: Path, size: int) -> None:
    data = os.urandom(size)
    digest = push_blob(address, "example.com/net", data)
    blob = folder / "example.com" / "net" / "blobs" / "sha256" / digest.hex
    blob.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    # a large one is known to be bad only when most of it was sent: then the connection ends, wanted or not
    ending = ("Connection: close",) if size < DEFAULT.chunk else ()
    answer = raw(address, head(address, f"GET {REPO}/blobs/{digest} HTTP/1.1", *ending))
    start, _, body = answer.partition(b"\r\n\r\n")
    if size < DEFAULT.chunk:
        assert start.startswith(b"HTTP/1.1 500")
    else:
        assert start.startswith(b"HTTP/1.1 200")
        assert f"Content-Length: {size}".encode() in start
        assert len(body) < size


# --- who asks


def test_only_our_own_names_are_answered(address: str) -> None:
    port = address.rpartition(":")[2]
    for host in (f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}", f"LOCALHOST:{port}"):
        assert call(address, "GET", "/v2/", headers={"Host": host}).status == 200, host
    for host in (
        f"rebound.example:{port}",
        "localhost",
        "localhost:1",
        "127.0.0.1",
        f"127.0.0.1.example:{port}",
        f"localhost.example:{port}",
        f"10.0.0.1:{port}",
        f"user@localhost:{port}",
        f"localhost:{port}x",
        f"localhost:0{port}0",
    ):
        got = call(address, "GET", "/v2/", headers={"Host": host})
        assert (got.status, got.code) == (403, "DENIED"), host
    assert raw(address, b"GET /v2/ HTTP/1.1\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 400")
    twice = f"GET /v2/ HTTP/1.1\r\nHost: {address}\r\nHost: rebound.example\r\nConnection: close\r\n\r\n"
    assert raw(address, twice.encode()).startswith(b"HTTP/1.1 400")


def test_another_name_is_answered_when_it_was_given(folder: Path) -> None:
    with serving(str(folder), hosts=("registry.internal", "proxy.internal:8443")) as found:
        port = found.address.rpartition(":")[2]
        for host in (f"registry.internal:{port}", "proxy.internal:8443"):
            assert call(found.address, "GET", "/v2/", headers={"Host": host}).status == 200
        for host in ("registry.internal:1", "proxy.internal:1", f"other.internal:{port}"):
            assert call(found.address, "GET", "/v2/", headers={"Host": host}).status == 403


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://page.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}],
    ids=str,
)
def test_a_page_in_a_browser_cannot_push(address: str, folder: Path, headers: dict[str, str]) -> None:
    got = call(address, "POST", f"{REPO}/blobs/uploads/?digest={Digest.of(BLOB)}", BLOB, headers)
    assert (got.status, got.code, files(folder)) == (403, "DENIED", [])


def test_beyond_loopback_addresses_are_answered_and_a_warning_is_given(folder: Path) -> None:
    class Heard:
        notes: list[str] = []  # noqa: RUF012 - one test's

        def begin(self, task: str, total: int | None = None, unit: str = "B") -> None: ...
        def advance(self, task: str, amount: int) -> None: ...
        def end(self, task: str) -> None: ...
        def note(self, level: object, text: str) -> None:
            self.notes.append(text)

    with serving(str(folder), listen="0.0.0.0:0", events=Heard()) as found:
        port = found.address.rpartition(":")[2]
        local = f"127.0.0.1:{port}"
        assert call(local, "GET", "/v2/", headers={"Host": f"192.0.2.7:{port}"}).status == 200
        assert call(local, "GET", "/v2/", headers={"Host": f"rebound.example:{port}"}).status == 403
    assert any("other machines" in note for note in Heard.notes)


# --- framing


@pytest.mark.parametrize(
    "lines",
    [
        ("Content-Length: 3", "Transfer-Encoding: chunked"),
        ("Content-Length: 3", "Content-Length: 4"),
        ("Content-Length: -1",),
        ("Content-Length: +3",),
        ("Content-Length: 3, 3",),
        ("Content-Length: 0x3",),
        ("Transfer-Encoding: gzip, chunked",),
        ("Transfer-Encoding: identity",),
        ("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
        ("X-Folded: a", " b"),
    ],
    ids=str,
)
def test_what_is_framed_in_two_ways_is_refused(address: str, folder: Path, lines: tuple[str, ...]) -> None:
    digest = Digest.of(b"abc")
    request = head(address, f"POST {REPO}/blobs/uploads/?digest={digest} HTTP/1.1", *lines)
    answer = raw(address, request + b"abc")
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"Connection: close" in answer
    assert files(folder) == []


@pytest.mark.parametrize(
    "body",
    [
        b"zz\r\nabc\r\n0\r\n\r\n",
        b"3\r\nabcd\r\n0\r\n\r\n",
        b"-3\r\nabc",
        b"ffffffffffffffffff\r\nabc",
        b"3" * 9000,
    ],
)
def test_chunks_that_are_none_store_nothing(address: str, folder: Path, body: bytes) -> None:
    target = f"POST {REPO}/blobs/uploads/?digest={Digest.of(b'abc')} HTTP/1.1"
    answer = raw(address, head(address, target, "Transfer-Encoding: chunked") + body)
    assert answer.startswith(b"HTTP/1.1 400")
    assert not any("sha256" in name for name in files(folder))


@pytest.mark.parametrize(
    "request_",
    [
        b"GET /v2/\r\n\r\n",
        b"GET /v2/ HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET http://other.example/v2/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"BREW /v2/ HTTP/1.1\r\n\r\n",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"GET /v2/ HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n",
        b"GET /v2/ HTTP/1.1\r\nX: " + b"y" * 70_000 + b"\r\n\r\n",
        b"GET /v2/?" + b"&".join([b"a=b"] * 100) + b" HTTP/1.1\r\nConnection: close\r\n\r\n",
    ],
    ids=["no-version", "version", "tls", "absolute", "method", "long-line", "many", "long-header", "query"],
)
def test_nonsense_is_answered_and_ended(address: str, request_: bytes) -> None:
    status = int(raw(address, request_).split(b" ")[1])
    assert 400 <= status < 600
    assert status != 500
    assert call(address, "GET", "/v2/").status == 200


def test_a_refusal_comes_before_the_body(folder: Path) -> None:
    with serving(str(folder)) as found, wire(found.address) as opened:
        lines = (f"PUT {REPO}/manifests/v1 HTTP/1.1", "Content-Length: 1000000", "Expect: 100-continue")
        opened.sendall(head(found.address, *lines))
        assert said(opened).startswith(b"HTTP/1.1 405")


def test_a_refusal_arrives_although_a_body_is_on_its_way(folder: Path) -> None:
    with serving(str(folder)) as found:
        got = call(found.address, "PUT", f"{REPO}/manifests/v1", bytes(6 << 20), MANIFEST_HEADERS)
    assert (got.status, got.code) == (405, "UNSUPPORTED")


# --- too much, too slow, too many


def test_a_manifest_that_says_it_is_huge_is_not_waited_for(address: str) -> None:
    target = f"PUT {REPO}/manifests/v1 HTTP/1.1"
    with wire(address) as opened:
        opened.sendall(head(address, target, f"Content-Length: {1 << 40}", "Expect: 100-continue"))
        assert said(opened).startswith(b"HTTP/1.1 413")


def test_uploads_have_an_end(folder: Path) -> None:
    with serving(str(folder), writable=True, limits=replace(DEFAULT, blob_bytes=1 << 20)) as found:
        at = call(found.address, "POST", f"{REPO}/blobs/uploads/", b"").headers["location"]
        got = call(found.address, "PATCH", at, bytes(2 << 20), chunked=True)
        assert (got.status, got.code) == (413, "SIZE_INVALID")
        assert call(found.address, "GET", at).status == 404


SLOW = replace(DEFAULT, serve_seconds=0.4)


@pytest.mark.parametrize(
    ("start", "drip"),
    [
        (b"", b""),
        (b"GET /v2/ HT", b"T"),
        (b"GET /v2/ HTTP/1.1\r\n", b"X-A: b\r\n"),
        (b"PATCH %(at)b HTTP/1.1\r\nHost: %(host)b\r\nContent-Length: 99999\r\n\r\n", b"x"),
        (b"PATCH %(at)b HTTP/1.1\r\nHost: %(host)b\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
        (b"PUT /v2/a/manifests/v1 HTTP/1.1\r\nHost: %(host)b\r\nContent-Length: 99999\r\n\r\n", b" "),
    ],
    ids=["silent", "request-line", "headers", "body", "chunks", "manifest"],
)
def test_whoever_drips_is_cut_off(folder: Path, start: bytes, drip: bytes) -> None:
    with serving(str(folder), writable=True, limits=SLOW) as found:
        at = call(found.address, "POST", f"{REPO}/blobs/uploads/", b"").headers["location"]
        begun = time.monotonic()
        with wire(found.address) as opened:
            opened.sendall(
                start % {b"at": at.encode(), b"host": found.address.encode()} if b"%" in start else start
            )
            opened.settimeout(0.05)
            while time.monotonic() - begun < 10:
                try:
                    if drip:
                        opened.sendall(drip)
                    if not opened.recv(4096):
                        break
                except TimeoutError:
                    continue
                except OSError:
                    break
        assert time.monotonic() - begun < 5
        assert call(found.address, "GET", "/v2/").status == 200


def test_whoever_does_not_read_is_cut_off(folder: Path) -> None:
    with serving(str(folder), writable=True, limits=SLOW) as found:
        digest = push_blob(found.address, "example.com/net", os.urandom(32 << 20))
        with wire(found.address) as opened:
            opened.sendall(head(found.address, f"GET {REPO}/blobs/{digest} HTTP/1.1"))
            threading.Event().wait(1.5)  # and reads nothing
            received = len(said(opened))
        assert received < 32 << 20


def test_more_connections_than_allowed_are_told_so(folder: Path) -> None:
    with serving(str(folder), limits=replace(DEFAULT, serve_connections=3)) as found:
        held = [
            socket.create_connection(("127.0.0.1", int(found.address.rpartition(":")[2]))) for _ in range(3)
        ]
        try:
            answer = b""
            for _ in range(20):  # until the three have been taken in
                answer = raw(found.address, head(found.address, "GET /v2/ HTTP/1.1", "Connection: close"))
                if answer.startswith(b"HTTP/1.1 503"):
                    break
            assert answer.startswith(b"HTTP/1.1 503")
        finally:
            for each in held:
                each.close()


def test_a_client_that_goes_away_leaves_nothing(address: str, folder: Path) -> None:
    target = f"POST {REPO}/blobs/uploads/?digest={Digest.of(BLOB)} HTTP/1.1"
    with wire(address) as opened:
        opened.sendall(head(address, target, "Content-Length: 10") + BLOB[:5])
        opened.shutdown(socket.SHUT_WR)
        assert said(opened).startswith(b"HTTP/1.1 400")
    assert not [name for name in files(folder) if "sha256" in name or name.endswith(".tmp")]


def test_a_killed_server_leaves_no_spool(folder: Path) -> None:
    command = [sys.executable, "-m", "verify", "serve", "--writable", str(folder)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        at = call(address, "POST", f"{REPO}/blobs/uploads/", b"").headers["location"]
        assert call(address, "PATCH", at, bytes(1 << 20)).status == 202
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
    assert [name for name in files(folder) if "index.json" not in name] == ["example.com/net/oci-layout"]


def test_stopping_does_not_wait_for_the_idle(folder: Path) -> None:
    with served(folder) as address, wire(address) as opened:
        opened.sendall(head(address, "GET /v2/ HTTP/1.1"))
        assert opened.recv(4096).startswith(b"HTTP/1.1 200")
        begun = time.monotonic()
    assert time.monotonic() - begun < 4


# --- many at once


def test_pushes_at_once_lose_nothing(address: str, folder: Path) -> None:
    subject, got = push_artifact(address, "example.com/net", b"subject", reference="v0")
    assert got.status == 201
    failed: list[object] = []

    def work(number: int) -> None:
        try:
            for step in range(3):
                content = f"{number}-{step}".encode()
                _, got = push_artifact(address, "example.com/net", content, reference=f"t{number}-{step}")
                assert got.status == 201
                _, got = push_artifact(address, "example.com/net", content + b"!", subject=subject)
                assert got.headers["oci-subject"] == subject.digest.text
        except BaseException as error:  # noqa: BLE001 - told by the test's thread
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert failed == []
    tags = call(address, "GET", f"{REPO}/tags/list").data()["tags"]
    assert tags == [f"t{i}-{j}" for i in range(6) for j in range(3)] + ["v0"]
    listed = call(address, "GET", f"{REPO}/referrers/{subject.digest}").data()["manifests"]
    assert len(listed) == 18
    index = json.loads((folder / "example.com" / "net" / "index.json").read_bytes())
    assert len({each["digest"] for each in index["manifests"]}) == 19 + 18 + 1
    assert not [name for name in files(folder) if name.endswith(".tmp")]


def test_one_blob_from_many_at_once_is_one_blob(address: str, folder: Path) -> None:
    data = os.urandom(2 << 20)
    digest = Digest.of(data)
    statuses: list[int] = []

    def work() -> None:
        statuses.append(call(address, "POST", f"{REPO}/blobs/uploads/?digest={digest}", data).status)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert statuses == [201] * 6
    assert call(address, "GET", f"{REPO}/blobs/{digest}").body == data
