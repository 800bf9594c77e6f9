"""Real registries, beyond the contract: what they do differently and what they can be made to say."""

from __future__ import annotations

import http.client
import io
import json
import os
import subprocess
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from tests.support import real_registries as real
from tests.support.oci import attachment, module
from tests.support.registry_stores import REAL, OneKey
from tests.support.server import free_port, serving
from verify.cli import login
from verify.digest import Digest
from verify.errors import ModsealError, Refuted, Unavailable
from verify.limits import Limits
from verify.oci.descriptor import Descriptor
from verify.oci.manifest import OCI_MANIFEST
from verify.oci.push import publish_artifact
from verify.oci.reference import Reference
from verify.oci.registry import RegistryStore
from verify.oci.store import Put
from verify.transport.client import HttpClient
from verify.transport.credentials import NoKeys
from verify.transport.wire import UrllibWire

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from tests.support.peers import Peers

DATA = os.urandom(3 << 20)
BLOB = Descriptor.of(DATA, "application/octet-stream")
EACH = [pytest.param(kind, marks=pytest.mark.peer(*peers)) for kind, (peers, _) in REAL.items()]


class Opened:
    """Stores that are closed with the test."""

    def __init__(self, stack: ExitStack) -> None:
        self.stack = stack

    def __call__(self, host: str, name: str = "a/b", *, keys: Any = None, **options: Any) -> RegistryStore:
        limits = options.get("limits", Limits())
        client = HttpClient(UrllibWire(limits=limits), keys=keys or OneKey(), limits=limits)
        self.stack.callback(client.close)
        return RegistryStore(Reference.parse(f"{host}/{name}"), client, **options)


@pytest.fixture
def opened() -> Iterator[Opened]:
    with ExitStack() as stack:
        yield Opened(stack)


@pytest.mark.parametrize("kind", EACH)
def test_chunks_and_mounts_and_reading_back(kind: str, peer: Peers, tmp_path: Path, opened: Opened) -> None:
    with REAL[kind][1](peer, tmp_path / "server") as host:
        store = opened(host, chunk=1 << 20)
        assert store.put_blob(BLOB, lambda: io.BytesIO(DATA)) is Put.STORED
        other = opened(host, "c/d")
        # which of the three it is differs: some mount, some do not, some keep one pool for all repositories
        assert other.put_blob(BLOB, lambda: io.BytesIO(DATA), mount_from="a/b") in set(Put)
        for each in (store, other):
            with each.open_blob(BLOB.digest, size=BLOB.size) as reader:
                assert reader.read() == DATA


@pytest.mark.peer("docker-registry")
def test_mount_moves_no_bytes(peer: Peers, tmp_path: Path, opened: Opened) -> None:
    with real.distribution(peer, tmp_path / "server", "token") as host:
        opened(host).put_blob(BLOB, lambda: io.BytesIO(DATA))

        def unread() -> io.BytesIO:
            raise AssertionError

        assert opened(host, "c/d").put_blob(BLOB, unread, mount_from="a/b") is Put.MOUNTED


@pytest.mark.parametrize(
    "kind", [each for each in EACH if "with" in str(each.values[0]) and "without" not in str(each.values[0])]
)
def test_unknown_user_is_unauthorized_and_never_absent(
    kind: str, peer: Peers, tmp_path: Path, opened: Opened
) -> None:
    with REAL[kind][1](peer, tmp_path / "server") as host:
        stranger = opened(host, keys=NoKeys())
        asks = (
            lambda: stranger.get_manifest("v1"),
            lambda: stranger.open_blob(BLOB.digest),
            lambda: stranger.has_blob(BLOB.digest),
            stranger.tags,
            lambda: stranger.referrers(Digest.of(b"x")),
            lambda: publish_artifact(stranger, module()),
        )
        for ask in asks:
            with pytest.raises(Unavailable) as caught:
                ask()
            assert caught.value.check == "fetch.unauthorized"


@pytest.mark.peer("docker-registry", "htpasswd")
@pytest.mark.parametrize("auth", ["basic", "token"])
def test_login(auth: str, peer: Peers, tmp_path: Path) -> None:
    with real.distribution(peer, tmp_path / "server", auth) as host:
        for password, kept in ((f"not {real.PASSWORD}", False), (real.PASSWORD, True)):
            file = tmp_path / "auth.json"
            arguments = ["-u", real.USER, "--password-stdin", "--authfile", str(file), host]
            done = CliRunner().invoke(login.command, arguments, input=password, standalone_mode=False)
            assert (done.exception is None) is kept
            assert file.exists() is kept
            assert kept or isinstance(done.exception, ModsealError)


@pytest.mark.peer("docker-registry")
def test_without_the_list_of_types_a_manifest_looks_absent(
    peer: Peers, tmp_path: Path, opened: Opened
) -> None:
    """Why every question carries the list: this registry says 404 without it."""
    with real.distribution(peer, tmp_path / "server") as host:
        store = opened(host)
        publish_artifact(store, module(), tags=("v1",))
        connection = http.client.HTTPConnection(host, timeout=10)
        connection.request("GET", "/v2/a/b/manifests/v1", headers={"Accept": "*/*"})
        assert connection.getresponse().status == 404
        connection.close()
        assert store.get_manifest("v1").data == module().data


@pytest.mark.peer("crane")
def test_registry_that_stores_what_it_is_told_is_found_out(
    peer: Peers, tmp_path: Path, opened: Opened
) -> None:
    with real.crane(peer, tmp_path / "server") as host:
        wrong = Digest.of(b"another manifest")
        connection = http.client.HTTPConnection(host, timeout=10)
        publish_artifact(opened(host), module())
        connection.request(
            "PUT", f"/v2/a/b/manifests/{wrong}", body=module().data, headers={"Content-Type": OCI_MANIFEST}
        )
        assert connection.getresponse().status == 201
        connection.close()
        with pytest.raises(Refuted) as caught:
            opened(host).get_manifest(wrong)
        assert caught.value.check == "oci.digest-mismatch"


@pytest.mark.peer("olareg")
def test_registry_that_asks_to_wait_is_waited_for(peer: Peers, tmp_path: Path, opened: Opened) -> None:
    with real.olareg(peer, tmp_path / "server", "--rate-limit", "5") as host:
        store = opened(host)
        publish_artifact(store, module(), tags=("v1",))
        for _ in range(8):
            assert store.get_manifest("v1").data == module().data
        hurried = opened(host, limits=Limits(http_wait=0.5))

        def hurry() -> None:
            for _ in range(50):
                hurried.get_manifest("v1")

        with pytest.raises(Unavailable) as caught:
            hurry()
        assert caught.value.check == "fetch.throttled"


@pytest.mark.peer("cue")
def test_registry_with_immutable_tags(peer: Peers, tmp_path: Path, opened: Opened) -> None:
    port = free_port()
    with serving([peer("cue"), "mod", "registry", f"127.0.0.1:{port}"], port, tmp_path / "log"):
        store = opened(f"127.0.0.1:{port}")
        publish_artifact(store, module(b"a"), tags=("v1",))
        publish_artifact(store, attachment(module(b"a").descriptor))
        assert len(store.referrers(module(b"a").descriptor.digest).entries) == 1
        publish_artifact(store, module(b"b"))
        with pytest.raises(Unavailable) as caught:
            store.put_manifest(module(b"b").data, OCI_MANIFEST, tag="v1")
        assert caught.value.check == "fetch.forbidden"
        assert caught.value.hint is not None
        assert store.tags() == ("v1",)


@pytest.mark.peer("oras", "olareg")
def test_oras_reads_what_we_push_and_we_read_what_it_pushes(
    peer: Peers, tmp_path: Path, opened: Opened
) -> None:
    with real.olareg(peer, tmp_path / "server") as host:
        store = opened(host)
        publish_artifact(store, module(), tags=("ours",))
        publish_artifact(store, attachment(module().descriptor))

        def oras(*arguments: str) -> bytes:
            command = [peer("oras"), *arguments, "--plain-http"]
            return subprocess.run(command, check=True, capture_output=True, timeout=60, cwd=tmp_path).stdout

        assert oras("manifest", "fetch", f"{host}/a/b:ours") == module().data
        found = json.loads(oras("discover", "--format", "json", f"{host}/a/b:ours"))
        assert str(attachment(module().descriptor).descriptor.digest) in json.dumps(found)
        (tmp_path / "file.txt").write_bytes(b"from oras")
        oras("push", f"{host}/a/b:theirs", "file.txt:text/plain")
        oras(
            "attach",
            f"{host}/a/b:theirs",
            "--artifact-type",
            "application/vnd.example",
            "file.txt:text/plain",
        )
        fetched = store.get_manifest("theirs")
        layer = fetched.document().children()[-1]
        with store.open_blob(layer.digest, size=layer.size) as reader:
            assert reader.read() == b"from oras"
        (entry,) = store.referrers(fetched.digest, artifact_type="application/vnd.example").entries
        assert entry.artifact_type == "application/vnd.example"
