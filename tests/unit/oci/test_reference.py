"""References: one spelling each, and nothing that two tools read differently."""

from __future__ import annotations

import pytest

from verify.digest import Digest
from verify.errors import Misused
from verify.oci.reference import LayoutReference, Reference, parse_reference

DIGEST = Digest.of(b"{}")


@pytest.mark.parametrize(
    ("text", "host", "repository", "tag", "digest"),
    [
        ("oci://ghcr.io/acme/net:v1.4.0", "ghcr.io", "acme/net", "v1.4.0", None),
        ("ghcr.io/acme/net", "ghcr.io", "acme/net", None, None),
        (f"ghcr.io/acme/net@{DIGEST}", "ghcr.io", "acme/net", None, DIGEST),
        (f"ghcr.io/acme/net:v1@{DIGEST}", "ghcr.io", "acme/net", "v1", DIGEST),
        ("localhost:5000/net:v1", "localhost:5000", "net", "v1", None),
        ("localhost/net", "localhost", "net", None, None),
        ("oci://registry/net", "registry", "net", None, None),
        ("[::1]:5000/net", "[::1]:5000", "net", None, None),
        ("GHCR.io/acme/net", "ghcr.io", "acme/net", None, None),
        ("127.0.0.1:5000/a/b_c/d--e:x", "127.0.0.1:5000", "a/b_c/d--e", "x", None),
        ("docker.io/alpine", "docker.io", "library/alpine", None, None),
        ("index.docker.io/acme/net", "docker.io", "acme/net", None, None),
    ],
)
def test_parse(text: str, host: str, repository: str, tag: str | None, digest: Digest | None) -> None:
    found = Reference.parse(text)
    assert (found.host, found.repository, found.tag, found.digest) == (host, repository, tag, digest)
    assert Reference.parse(str(found)) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "oci://",
        "acme/net",
        "net",
        "ghcr.io/",
        "ghcr.io//net",
        "ghcr.io/Acme/net",
        "ghcr.io/acme/../net",
        "ghcr.io/acme/net:",
        "ghcr.io/acme/net:a:b",
        "ghcr.io/acme/net:v1.0.0+build",
        "ghcr.io/acme/net@sha256:short",
        f"ghcr.io/acme/net@{DIGEST}@{DIGEST}",
        f"ghcr.io/acme/net@{DIGEST}:v1",
        "ghcr.io/acme/net@sha256:" + "A" * 64,
        "user@ghcr.io/acme/net",
        "user:secret@ghcr.io/acme/net",
        "ghcr.io:0/net",
        "ghcr.io:65536/net",
        "ghcr.io:99999999/net",
        "[::1/net",
        "[zz]/net",
        "-ghcr.io/net",
        "ghcr..io/net",
        "ghcr.io/" + "a" * 250,
        "ghcr.io/acme/net\n",
        "ghcr.io/acme/n\u0435t",
        "https://ghcr.io/acme/net",
    ],
)
def test_refused(text: str) -> None:
    with pytest.raises(Misused) as caught:
        Reference.parse(text)
    assert caught.value.check == "oci.reference"


@pytest.mark.parametrize(
    ("text", "path", "tag", "digest"),
    [
        ("ocidir://./mirror", "./mirror", None, None),
        ("ocidir:///srv/mirror:v1", "/srv/mirror", "v1", None),
        (f"ocidir://mirror:v1@{DIGEST}", "mirror", "v1", DIGEST),
        ("ocidir://C%3A/mirror:v1", "C:/mirror", "v1", None),
        ("ocidir://a%40b%25c", "a@b%c", None, None),
        ("ocidir://with space/é", "with space/é", None, None),
    ],
)
def test_layout(text: str, path: str, tag: str | None, digest: Digest | None) -> None:
    found = parse_reference(text)
    assert isinstance(found, LayoutReference)
    assert (found.path, found.tag, found.digest) == (path, tag, digest)
    assert parse_reference(str(found)) == found


@pytest.mark.parametrize(
    "text",
    [
        "ocidir://",
        "ocidir://:v1",
        "ocidir://a:b:c",
        "ocidir://a%",
        "ocidir://a%zz",
        "ocidir://%00",
        "ocidir://%ff",
    ],
)
def test_layout_refused(text: str) -> None:
    with pytest.raises(Misused) as caught:
        parse_reference(text)
    assert caught.value.check == "oci.reference"


def test_docker_hub_is_asked_elsewhere() -> None:
    assert Reference.parse("docker.io/alpine").api_host == "registry-1.docker.io"
    assert Reference.parse("ghcr.io/alpine").api_host == "ghcr.io"
