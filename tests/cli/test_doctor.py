"""`modseal doctor`: a registry with a fault is told from one without, by that fault and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.command import modseal
from tests.support.oci import module
from tests.support.registry import Registry, running
from tests.support.serving import call, push_artifact
from verify.oci.layout import LayoutStore
from verify.oci.push import publish_artifact
from verify.workflows.serving import serving

if TYPE_CHECKING:
    from pathlib import Path

EVERYTHING = {
    "protocol": "yes",
    "authentication": "no",
    "access": "yes",
    "tag-pages": "yes",
    "content-length": "yes",
    "digest-header": "yes",
    "any-type": "yes",
    "range": "yes",
    "same-host": "yes",
    "free-tag": "yes",
    "referrers-api": "yes",
    "referrers-filter": "yes",
}
WRITTEN = {
    **EVERYTHING,
    "push": "yes",
    "subject-header": "yes",
    "referrers-listed": "yes",
    "fallback-tag": "yes",
    "delete": "yes",
}


def abilities(*argv: str, code: int = 0) -> dict[str, str]:
    ran = modseal("doctor", "--json", *argv)
    assert ran.code == code, ran.err
    data: dict[str, Any] = ran.data()
    return {name: probe["ability"] for name, probe in data["probes"].items()}


def test_what_we_serve_can_do_everything(tmp_path: Path) -> None:
    store = LayoutStore(str(tmp_path / "example.com" / "net"))
    publish_artifact(store, module(), tags=("v1", "v2"))
    with serving(str(tmp_path)) as found:
        assert abilities(f"{found.address}/example.com/net:v1") == EVERYTHING
        assert abilities(f"{found.address}/example.com/net") == EVERYTHING


def test_writing_leaves_no_manifest_and_no_tag(tmp_path: Path) -> None:
    with serving(str(tmp_path), writable=True) as found:
        for tag in ("v1", "v2"):
            push_artifact(found.address, "example.com/net", b"a", reference=tag)
        before = (tmp_path / "example.com" / "net" / "index.json").read_bytes()
        assert abilities("--write", f"{found.address}/example.com/net") == WRITTEN
        assert (tmp_path / "example.com" / "net" / "index.json").read_bytes() == before


def test_reading_changes_nothing(tmp_path: Path) -> None:
    with running(Registry()) as host:
        push_artifact(host, "net", b"a", reference="v1")
        abilities(f"{host}/net")
        abilities(f"{host}/net:v1")
    with serving(str(tmp_path), writable=True) as found:
        abilities(f"{found.address}/example.com/net")
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("switches", "faults"),
    [
        ({"referrers": False}, {"referrers-api": "no", "referrers-filter": "unknown"}),
        ({"ranges": False}, {"range": "no"}),
        ({"page": 1}, {}),
    ],
    ids=["without-referrers-api", "without-ranges", "with-pages"],
)
def test_one_fault_is_one_no(switches: dict[str, Any], faults: dict[str, str]) -> None:
    with running(Registry()) as host:
        push_artifact(host, "net", b"a", reference="v1")
        push_artifact(host, "net", b"b", reference="v2")
        honest = abilities(f"{host}/net")
    with running(Registry(**switches)) as host:
        push_artifact(host, "net", b"a", reference="v1")
        push_artifact(host, "net", b"b", reference="v2")
        found = abilities(f"{host}/net")
    different = {name for name in found if found[name] != honest[name]}
    assert different - {"tag-pages"} == set(faults)
    assert {name: found[name] for name in faults} == faults


def test_a_registry_for_reading_takes_nothing(tmp_path: Path) -> None:
    publish_artifact(LayoutStore(str(tmp_path / "net")), module(), tags=("v1",))
    with serving(str(tmp_path)) as found:
        told = abilities("--write", f"{found.address}/net", code=3)
    assert told["push"] == "unknown"
    assert "delete" not in told


def test_whoever_asks_for_passwords_is_said_to() -> None:
    with running(Registry(auth="basic")) as host:
        told = abilities(f"{host}/net", code=3)
    assert (told["protocol"], told["authentication"], told["access"]) == ("yes", "yes", "no")
    assert set(told) == {"protocol", "authentication", "access", "tag-pages"}


def test_nobody_there(tmp_path: Path) -> None:
    with serving(str(tmp_path)) as found:
        address = found.address
    ran = modseal("doctor", f"{address}/net")
    assert (ran.code, ran.out) == (3, "")
    assert "fetch.unreachable" in ran.err
    assert modseal("doctor", "--offline", f"{address}/net").code == 3
    assert modseal("doctor", "ocidir://./net").code == 2


def test_text_says_what_follows_from_a_no() -> None:
    with running(Registry(referrers=False)) as host:
        push_artifact(host, "net", b"a", reference="v1")
        assert call(host, "GET", "/v2/").status == 200
        ran = modseal("doctor", f"{host}/net:v1")
    assert ran.code == 0
    assert "  no      lists what is attached  (404" in ran.out
    assert "attachments are listed under a tag sha256-…, which must be movable" in ran.out
