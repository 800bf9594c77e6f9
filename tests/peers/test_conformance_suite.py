"""The distribution suite itself: it passes a registry that does all, and fails the same one with something off."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.server import free_port, serving

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GROUPS = ("PULL", "PUSH", "CONTENT_DISCOVERY", "CONTENT_MANAGEMENT")
DELETES = ("--api-delete", "--api-blob-delete")


@pytest.mark.peer("oci-conformance", "olareg")
@pytest.mark.parametrize(("flags", "code"), [(DELETES, 0), ((), 1)], ids=["with-deletes", "without-deletes"])
def test_the_suite_tells_a_registry_from_half_of_one(
    flags: tuple[str, ...], code: int, peer: Callable[[str], str], tmp_path: Path
) -> None:
    port = free_port()
    served = [
        peer("olareg"),
        "serve",
        "--addr",
        "127.0.0.1",
        "--port",
        str(port),
        "--store-type",
        "mem",
        *flags,
    ]
    asked = {
        "OCI_ROOT_URL": f"http://127.0.0.1:{port}",
        "OCI_NAMESPACE": "modseal/one",
        "OCI_CROSSMOUNT_NAMESPACE": "modseal/two",
        "OCI_REPORT_DIR": "none",
        **{f"OCI_TEST_{group}": "1" for group in GROUPS},
    }
    with serving(served, port, tmp_path / "log"):
        suite = peer("oci-conformance")
        done = subprocess.run(
            [suite],
            cwd=tmp_path,
            env=os.environ | asked,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    assert done.returncode == code, done.stdout[-3000:]
