"""Several processes write one layout folder, and nothing is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.support.oci import attachment, module
from verify.oci.layout import LayoutStore
from verify.oci.referrers import find_referrers

ROOT = Path(__file__).resolve().parents[2]
PROCESSES = 4
EACH = 6
WRITER = """
import sys
from tests.support.oci import attachment, module
from verify.oci.layout import LayoutStore
from verify.oci.push import publish_artifact

folder, writer, each = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
sys.stdin.readline()  # all begin together
store = LayoutStore(folder)
publish_artifact(store, module(), tags=("v1",))
for number in range(each):
    publish_artifact(store, attachment(module().descriptor, b"%d of %d" % (number, writer)))
    publish_artifact(store, module(b"%d of %d" % (number, writer)), tags=(f"v{writer}.{number}",))
"""


def test_nothing_is_lost(tmp_path: Path) -> None:
    folder = tmp_path / "layout"
    command = [sys.executable, "-c", WRITER, str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    writers = [
        subprocess.Popen([*command, str(number), str(EACH)], stdin=subprocess.PIPE, env=environment, cwd=ROOT)
        for number in range(PROCESSES)
    ]
    try:
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write(b"\n")
            writer.stdin.close()
        assert [writer.wait(timeout=60) for writer in writers] == [0] * PROCESSES
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()
    store = LayoutStore(str(folder))
    expected = {f"v{writer}.{number}" for writer in range(PROCESSES) for number in range(EACH)}
    assert expected <= set(store.tags())
    subject = module().descriptor.digest
    listed = {entry.digest for entry in store.referrers(subject).entries}
    assert listed == {
        attachment(module().descriptor, b"%d of %d" % (number, writer)).descriptor.digest
        for writer in range(PROCESSES)
        for number in range(EACH)
    }
    assert find_referrers(store, subject).complete
    tag = f"sha256-{subject.hex}"
    assert {each["digest"] for each in json.loads(store.get_manifest(tag).data)["manifests"]} == {
        digest.text for digest in listed
    }
    assert not [each.name for each in folder.iterdir() if each.name.endswith(".tmp")]
