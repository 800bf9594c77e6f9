"""`modseal serve` as a shell sees it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.command import modseal
from tests.support.oci import module
from tests.support.serving import ROOT, call, served
from verify.oci.layout import LayoutStore
from verify.oci.push import publish_artifact

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def layout(tmp_path: Path) -> Path:
    publish_artifact(LayoutStore(str(tmp_path / "net")), module(), tags=("v1",))
    return tmp_path / "net"


def test_the_address_is_one_line_and_can_be_asked(layout: Path) -> None:
    with served(layout) as address:
        assert call(address, "GET", "/v2/any/name/tags/list").data()["tags"] == ["v1"]


def test_one_layout_under_one_name(layout: Path) -> None:
    with served(layout, "--name", "example.com/net") as address:
        assert call(address, "GET", "/v2/example.com/net/manifests/v1").status == 200
        assert call(address, "GET", "/v2/example.com/other/manifests/v1").code == "NAME_UNKNOWN"
        assert call(address, "GET", "/v2/_catalog").data() == {"repositories": ["example.com/net"]}


def test_a_tree_of_layouts_under_their_paths(layout: Path) -> None:
    with served(layout.parent) as address:
        assert call(address, "GET", "/v2/net/manifests/v1").status == 200
        assert call(address, "GET", "/v2/other/manifests/v1").code == "NAME_UNKNOWN"


def test_one_layout_is_written_under_its_name(layout: Path) -> None:
    with served(layout, "--writable", "--name", "example.com/net") as address:
        assert call(address, "DELETE", "/v2/example.com/net/manifests/v1").status == 202
        assert call(address, "DELETE", "/v2/example.com/other/manifests/v1").status == 404
    assert LayoutStore(str(layout)).tags() == ()


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM], ids=["interrupt", "terminate"])
def test_json_is_one_line_and_a_signal_is_the_normal_end(layout: Path, kind: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "verify", "serve", "--json", "-v", str(layout)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    told = json.loads(process.stdout.readline())
    process.send_signal(kind)
    out, err = process.communicate(timeout=15)
    assert (process.returncode, out) == (0, "")
    assert "read-only" in err
    assert told["schemaVersion"] == "modseal.serve/1"
    assert told["url"] == f"http://{told['address']}/v2/"
    assert (told["shape"], told["writable"], told["name"]) == ("layout", False, None)


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--listen", "5000"), 2, "expected HOST:PORT"),
        (("--listen", ":5000"), 2, "expected HOST:PORT"),
        (("--listen", "127.0.0.1:99999"), 2, "expected HOST:PORT"),
        (("--listen", "192.0.2.1:0"), 3, "listen on 192.0.2.1:0"),
        (("--writable",), 2, "needs the one name"),
        (("--name", "Example.com/net"), 2, "lower-case"),
        (("--name", "../net"), 2, "lower-case"),
    ],
)
def test_what_cannot_be_served(layout: Path, options: tuple[str, ...], code: int, said: str) -> None:
    ran = modseal("serve", *options, str(layout))
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err


def test_what_is_no_folder_is_not_served(tmp_path: Path) -> None:
    ran = modseal("serve", "--writable", str(tmp_path / "none"))
    assert (ran.code, "expected a folder" in ran.err, "hint: mkdir" in ran.err) == (2, True, True)
    ran = modseal("serve", "--name", "example.com/net", str(tmp_path))
    assert (ran.code, "--name is for one layout" in ran.err) == (2, True)
