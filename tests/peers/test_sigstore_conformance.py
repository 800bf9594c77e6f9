"""Keyless bundles against the real thing: Sigstore's Go client answers the same cases, and real bundles are read.

The cases are of the kinds that Sigstore's conformance suite has, which is not published as a package: ours, in its
layout, read by the runner in tools/conformance that also reads the suite's own folders.
"""

from __future__ import annotations

import base64
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.keyless_cases import cases, write_cases
from tools.conformance import runner
from verify.errors import ModsealError
from verify.signing.keyless import KeylessVerifier
from verify.signing.provable import parse_provable_bundle
from verify.signing.trust import parse_trust_root

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.peers import Peers

pytestmark = pytest.mark.peer("sigstorego")

# what this client does not read and we do: docs/decisions/0170
ONLY_OURS = {"v0.1-promise-without-checkpoint", "v0.3-with-a-chain", "dsse-with-hashedrekord-happy-path"}
# refused by us whole, because two readers could differ; said of no signature
STRICTER = ("duplicated", "two-signatures", "kind-mismatch", "multiple-timestamps")

JS = "https://github.com/sigstore/sigstore-js/.github/workflows/release.yml@refs/heads/main"


def test_the_go_client_agrees(peer: Peers, tmp_path: Path) -> None:
    count = write_cases(tmp_path)
    done = subprocess.run(
        [peer("sigstorego"), str(tmp_path)], capture_output=True, text=True, check=True, timeout=120
    )
    theirs = dict(line.split("\t", 1) for line in done.stdout.splitlines())
    ours = {each.name: each.check for each in runner.run(tmp_path) if each.by == "path"}
    assert set(theirs) == set(ours)
    accepted = {name for name in ours if not ours[name]}
    assert {name for name in accepted if theirs[name] != "ok"} == ONLY_OURS
    beyond = {name for name in ours if ours[name] and theirs[name] == "ok"}
    assert all(any(word in name for word in STRICTER) for name in beyond)
    agreed = count - len(ONLY_OURS) - len(beyond)
    print(f"{count} cases: {agreed} agreed, {len(ONLY_OURS)} only we read, {len(beyond)} we are stricter in")
    assert agreed > 80
    assert {each.reason for each in cases() if each.reason} > {"log.other-entry", "sct.invalid"}


@pytest.fixture
def source(peer: Peers) -> Path:
    return peer.module("sigstorego", "github.com/sigstore/sigstore-go")


def asked(bundle: bytes, root: bytes) -> str:
    """The signer, or the check that refuses."""
    try:
        found = KeylessVerifier(root=parse_trust_root(root)).prove(parse_provable_bundle(bundle), None)
    except ModsealError as error:
        return error.check or "none"
    return str(found.identity)


@pytest.mark.parametrize(
    ("bundle", "root", "answer"),
    [
        (
            "pkg/testing/data/bundles/sigstore.js@2.0.0-provenance.sigstore.json",
            "public-good",
            f"{JS} (vouched for by https://token.actions.githubusercontent.com)",
        ),
        ("pkg/testing/data/bundles/sigstore.js@2.0.0-provenance.sigstore.json", "scaffolding", "log.unknown"),
        # the artifact is not there, and everything before it holds
        ("pkg/testing/data/bundles/othername.sigstore.json", "scaffolding", "signature.needs-bytes"),
        ("pkg/testing/data/bundles/dsse-2sigs.sigstore.json", "public-good", "bundle.signature-count"),
        ("examples/bundle-provenance.json", "public-good", "certificate.own-root"),
        ("examples/bundle-publish.json", "public-good", "signature.not-by-certificate"),
    ],
)
def test_real_bundles(source: Path, bundle: str, root: str, answer: str) -> None:
    trusted = (source / "pkg/testing/data/trusted-roots" / f"{root}.json").read_bytes()
    assert asked((source / bundle).read_bytes(), trusted) == answer


def test_a_real_bundle_with_another_payload_is_refused(source: Path) -> None:
    trusted = (source / "pkg/testing/data/trusted-roots/public-good.json").read_bytes()
    good = (source / "pkg/testing/data/bundles/sigstore.js@2.0.0-provenance.sigstore.json").read_bytes()
    payload = good.split(b'"payload":', 1)[1].split(b'"', 2)[1]
    other = base64.b64encode(base64.b64decode(payload).replace(b"sigstore", b"sigstorf"))
    assert asked(good.replace(payload, other), trusted) == "log.other-entry"
