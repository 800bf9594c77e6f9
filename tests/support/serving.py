"""A served folder, in this process or as a command, and a client that does what it is told."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verify.digest import Digest
from verify.oci.artifact import EMPTY
from verify.oci.descriptor import Descriptor
from verify.oci.manifest import OCI_MANIFEST, Manifest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).parents[2]
MANIFEST_HEADERS = {"Content-Type": OCI_MANIFEST}


@dataclass(frozen=True, slots=True)
class Got:
    """An answer off the wire."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def code(self) -> str:
        """The first error's code."""
        return str(json.loads(self.body)["errors"][0]["code"])

    def data(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


def call(
    address: str,
    method: str,
    path: str,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    *,
    chunked: bool = False,
) -> Got:
    """One request on a connection of its own."""
    host, _, port = address.rpartition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=20)
    try:
        content: object = iter([body[:3], body[3:]]) if chunked and body is not None else body
        connection.request(method, path, body=content, headers=dict(headers or {}), encode_chunked=chunked)  # type: ignore[arg-type]
        answer = connection.getresponse()
        return Got(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
    finally:
        connection.close()


def push_blob(address: str, repository: str, data: bytes) -> Digest:
    """In one piece."""
    digest = Digest.of(data)
    begun = call(address, "POST", f"/v2/{repository}/blobs/uploads/", b"")
    assert begun.status == 202, begun
    location = begun.headers["location"]
    location = location.partition(address)[2] or location
    joined = "&" if "?" in location else "?"
    got = call(address, "PUT", f"{location}{joined}digest={digest}", data)
    assert got.status == 201, got
    return digest


def artifact(
    content: bytes, *, subject: Descriptor | None = None, artifact_type: str = "application/vnd.example.a"
) -> bytes:
    """A manifest over one layer."""
    return Manifest(
        config=EMPTY.descriptor,
        layers=(Descriptor.of(content, "application/octet-stream"),),
        artifact_type=artifact_type,
        subject=subject,
    ).render()


def push_artifact(
    address: str,
    repository: str,
    content: bytes,
    *,
    reference: str | None = None,
    subject: Descriptor | None = None,
    artifact_type: str = "application/vnd.example.a",
) -> tuple[Descriptor, Got]:
    """Config, layer, manifest; the manifest's descriptor, and the answer to it."""
    push_blob(address, repository, b"{}")
    push_blob(address, repository, content)
    data = artifact(content, subject=subject, artifact_type=artifact_type)
    named = reference if reference is not None else Digest.of(data).text
    got = call(address, "PUT", f"/v2/{repository}/manifests/{named}", data, MANIFEST_HEADERS)
    return Descriptor.of(data, OCI_MANIFEST), got


@contextmanager
def served(folder: Path, *options: str) -> Iterator[str]:
    """`modseal serve` as a process of its own; gives its address and checks how it ends."""
    argv = [sys.executable, "-m", "verify", "serve", *options, str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address, f"serve ended with {process.wait(timeout=10)}"
        yield address
    finally:
        process.terminate()
        code = process.wait(timeout=15)
        if process.stdout is not None:
            process.stdout.close()
    assert code == 0
