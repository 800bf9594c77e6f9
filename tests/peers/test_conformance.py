"""The distribution specification's own suite against `modseal serve --writable`, all four groups of it."""

from __future__ import annotations

import os
import subprocess
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

from tests.support.serving import served

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GROUPS = ("Pull", "Push", "Content Discovery", "Content Management")
TITLE = "[It] OCI Distribution Conformance Tests "
MOUNT = "Push Cross-Repository Blob Mount"
# alternatives of which only one can run, by what is set or answered
ALTERNATIVES = {
    "Pull Setup Get tag name from environment",
    f"{MOUNT} Cross-mounting of nonexistent blob should yield session id",
    f"{MOUNT} Cross-mounting without from, and automatic content discovery enabled should return a 201",
    "Content Discovery Setup Populate registry with test tags (no push)",
}


@pytest.mark.peer("oci-conformance")
def test_all_four_groups_pass(peer: Callable[[str], str], tmp_path: Path) -> None:
    (tmp_path / "oci").mkdir()
    (tmp_path / "told").mkdir()
    with served(tmp_path / "oci", "--writable") as address:
        settings = {
            "OCI_ROOT_URL": f"http://{address}",
            "OCI_NAMESPACE": "example.com/net",
            "OCI_CROSSMOUNT_NAMESPACE": "example.com/other",
            "OCI_AUTOMATIC_CROSSMOUNT": "0",
            "OCI_TEST_PULL": "1",
            "OCI_TEST_PUSH": "1",
            "OCI_TEST_CONTENT_DISCOVERY": "1",
            "OCI_TEST_CONTENT_MANAGEMENT": "1",
            "OCI_REPORT_DIR": str(tmp_path / "told"),
        }
        ran = subprocess.run(
            [peer("oci-conformance")],
            env={**os.environ, **settings},
            cwd=tmp_path / "told",
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    cases = ET.parse(tmp_path / "told" / "junit.xml").getroot().iter("testcase")  # noqa: S314 - our peer's own
    outcomes = {(case.get("name", ""), index): case.get("status") for index, case in enumerate(cases)}
    tests = {
        (name.removeprefix(TITLE), index): status
        for (name, index), status in outcomes.items()
        if name.startswith(TITLE)
    }
    for group in GROUPS:
        passed = [
            name for (name, _), status in tests.items() if name.startswith(group) and status == "passed"
        ]
        print(f"{group}: {len(passed)} passed")
        assert len(passed) >= 8, group
    assert {name for (name, _), status in tests.items() if status == "skipped"} == ALTERNATIVES
    assert set(tests.values()) == {"passed", "skipped"}
    assert ran.returncode == 0, ran.stdout[-4000:]
