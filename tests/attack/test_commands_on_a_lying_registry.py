"""A registry that lies, seen from the command line: the right exit code and check, and nothing outside the target."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.command import modseal
from tests.support.lying_registry import LyingRegistry, by_hand, head, when
from tests.support.modules import cue_module
from tests.support.registry import INDEX, Reply, running
from verify.digest import Digest
from verify.oci.fallback import fallback_tag
from verify.oci.manifest import OCI_MANIFEST

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MANIFEST, BLOB = "/manifests/v1.4.0$", "/blobs/sha256:"
JSON = ("Content-Type", OCI_MANIFEST)
LIST = ("Content-Type", INDEX)
TYPE = "application/vnd.example.bill"


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[LyingRegistry, str]]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("SOURCE_DATE_EPOCH", "DOCKER_CONFIG", "DOCKER_AUTH_CONFIG", "REGISTRY_AUTH_FILE"):
        monkeypatch.delenv(name, raising=False)
    cue_module(tmp_path / "net")
    (tmp_path / "bill.json").write_text("{}\n")
    honest = LyingRegistry()
    with running(honest) as host:
        place = f"oci://{host}/acme/net:v1.4.0"
        assert modseal("publish", "net", "--to", place).code == 0
        yield honest, place


def content(root: Path) -> list[str]:
    return sorted(str(each) for each in root.rglob("*"))


PULLS = {
    "other bytes under the digest": (
        when("GET", BLOB, Reply(200, (), b"x" * 300)),
        "oci.size-mismatch",
        1,
    ),
    "a login page": (
        when("GET", MANIFEST, Reply(200, (("Content-Type", "text/html"),), b"<html>log in</html>")),
        "registry.html",
        3,
    ),
    "refused": (when("GET", MANIFEST, Reply(403)), "fetch.forbidden", 3),
    "a blob that is gone": (when("GET", BLOB, Reply(404)), "oci.blob-unknown", 3),
    "cut short": (
        when("GET", BLOB, by_hand(head(200, Content_Length="10"), b"PK")),
        "fetch.cut",
        3,
    ),
    "deep nesting": (when("GET", MANIFEST, Reply(200, (JSON,), b"[" * 100_000)), "oci.json-deep", 1),
    "an index for a module": (
        when(
            "GET", MANIFEST, Reply(200, (LIST,), json.dumps({"schemaVersion": 2, "manifests": []}).encode())
        ),
        "pull.index",
        1,
    ),
    "two documents in one": (
        when(
            "GET",
            MANIFEST,
            Reply(200, (JSON,), b'{"schemaVersion":2,"manifests":[],"layers":[],"config":{}}'),
        ),
        "oci.manifest-ambiguous",
        1,
    ),
}


@pytest.mark.parametrize("name", PULLS)
def test_pull_takes_nothing_and_says_why(
    registry: tuple[LyingRegistry, str], tmp_path: Path, name: str
) -> None:
    honest, place = registry
    honest.lie, check, code = PULLS[name]
    before = content(tmp_path)
    ran = modseal("pull", place, "-o", "back", "--keep-archive", "back.zip")
    assert (ran.code, ran.out) == (code, ""), ran.err
    assert f"[{check}]" in ran.err, ran.err
    assert content(tmp_path) == before


def test_a_copy_of_a_lie_fails_and_shows_no_tag(registry: tuple[LyingRegistry, str], tmp_path: Path) -> None:
    honest, place = registry
    honest.lie = when("GET", BLOB, Reply(200, (), b"PK"))
    ran = modseal("copy", place, "ocidir://./mirror")
    assert (ran.code, ran.out) == (1, ""), ran.err
    assert modseal("pull", "ocidir://./mirror:v1.4.0", "-o", "back").code == 3


@pytest.mark.parametrize("status", [401, 403])
def test_refusing_to_list_is_not_none_attached(registry: tuple[LyingRegistry, str], status: int) -> None:
    honest, place = registry
    assert modseal("referrers", place).out.endswith("none attached\n")
    honest.lie = when("GET", "/referrers/|/manifests/sha256-", Reply(status))
    ran = modseal("referrers", place)
    assert (ran.code, ran.out) == (3, "")
    assert "cannot list what is attached" in ran.err


def test_a_list_that_is_the_subject_is_incomplete(registry: tuple[LyingRegistry, str]) -> None:
    honest, place = registry
    explained = modseal("inspect", place, "--json").data()
    digest = explained["reference"].rpartition("@")[2]
    made = modseal("publish", "net", "--to", place, "--json").data()["document"].encode()
    honest.referrers = False
    honest.lie = when("GET", fallback_tag(Digest.parse(digest)), Reply(200, (JSON,), made))
    ran = modseal("referrers", place)
    assert ran.code == 3
    assert "oci.fallback-is-subject" in ran.out
    assert "none attached" not in ran.out


def test_a_list_without_end_is_incomplete(registry: tuple[LyingRegistry, str]) -> None:
    honest, place = registry
    entry = {"mediaType": OCI_MANIFEST, "digest": "", "size": 2}
    entries = [{**entry, "digest": f"sha256:{number:064x}"} for number in range(5000)]
    body = json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries}).encode()
    honest.lie = when("GET", "/referrers/", Reply(200, (LIST,), body))
    ran = modseal("referrers", place)
    assert ran.code == 3
    assert "[oci.referrers-incomplete]" in ran.err


def test_a_referrer_of_something_else_is_none_of_ours(registry: tuple[LyingRegistry, str]) -> None:
    honest, place = registry
    other = place.replace("v1.4.0", "v1.5.0")
    assert modseal("publish", "net", "--to", other, "--annotation", "a=b").code == 0
    made = modseal("attach", other, "bill.json", "--type", TYPE, "--json").data()["manifest"]
    entry = {"mediaType": OCI_MANIFEST, "digest": made, "size": 2, "artifactType": TYPE}
    body = json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": [entry]}).encode()
    honest.lie = when("GET", "/referrers/", Reply(200, (LIST,), body))
    ran = modseal("referrers", place, "--json")
    assert (ran.data()["attached"], ran.data()["faults"][0]["check"]) == ([], "oci.referrer-foreign")


def test_a_tag_that_moves_while_it_is_published(registry: tuple[LyingRegistry, str]) -> None:
    honest, place = registry
    new = place.replace("v1.4.0", "v1.4.1")
    other = b'{"schemaVersion":2,"mediaType":"%s","config":{},"layers":[]}' % OCI_MANIFEST.encode()
    put = []

    def lie(ask: object) -> Reply | None:
        method, path = ask.method, ask.path  # type: ignore[attr-defined]
        if method == "PUT" and path.endswith("/manifests/v1.4.1"):
            put.append(path)
        elif put and method == "GET" and path.endswith("/manifests/v1.4.1"):
            return Reply(200, (JSON,), other)
        return None

    honest.lie = lie
    ran = modseal("publish", "net", "--to", new)
    assert (ran.code, "[publish.read-back]" in ran.err) == (1, True)


def test_attached_and_forgotten(registry: tuple[LyingRegistry, str]) -> None:
    honest, place = registry
    empty = json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": []}).encode()
    honest.lie = when("GET", "/referrers/|/manifests/sha256-", Reply(200, (LIST,), empty))
    ran = modseal("attach", place, "bill.json", "--type", TYPE)
    assert (ran.code, ran.out) == (1, "")
    assert "[attach.not-listed]" in ran.err
