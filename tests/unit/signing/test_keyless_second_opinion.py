"""The same cases put to Sigstore's own client: what we accept it accepts too, but for the differences we know."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.fake_sigstore import ISSUER, SIGNER, FakeSigstore, render
from tests.support.keyless_cases import ARTIFACT, Made, cases, statement

if TYPE_CHECKING:
    from pathlib import Path

# what the client does not read and we do: docs/decisions/0170
ONLY_OURS = {
    "v0.1-promise-without-checkpoint",
    "v0.3-with-a-chain",
    "dsse-with-hashedrekord-happy-path",
    "trust-root-tsa-validity-end-inclusive",
    "rekor2-timestamp-with-embedded-cert",
}


@pytest.fixture(scope="module")
def opinions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The client's word on every case: empty is yes."""
    folder = tmp_path_factory.mktemp("second")
    default = FakeSigstore().trust()
    return {each.name: ask(each, folder, default) for each in cases()}


def ask(case: Made, folder: Path, default: dict[str, object]) -> str:
    from sigstore.errors import Error
    from sigstore.models import Bundle, InvalidBundle, TrustedRoot
    from sigstore.verify import Verifier, policy

    path = folder / "trusted_root.json"
    path.write_bytes(render(case.root or default))
    identity = policy.AllOf([policy.Identity(identity=SIGNER, issuer=ISSUER), policy.OIDCIssuerV2(ISSUER)])
    try:
        verifier = Verifier(trusted_root=TrustedRoot.from_file(str(path)))
        bundle = Bundle.from_json(case.bundle)
        if "messageSignature" in json.loads(case.bundle):
            verifier.verify_artifact(ARTIFACT, bundle, identity)
        else:
            kind, payload = verifier.verify_dsse(bundle, identity)
            if kind != "application/vnd.in-toto+json" or payload != statement():
                return "the client leaves types and subjects to its caller"
    except (Error, InvalidBundle, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def test_what_we_accept_the_client_accepts_but_for_the_known_differences(opinions: dict[str, str]) -> None:
    accepted = {each.name for each in cases() if not each.reason}
    assert {name for name in accepted if opinions[name]} == ONLY_OURS
    assert len(accepted - ONLY_OURS) >= 12


def test_the_client_can_say_no(opinions: dict[str, str]) -> None:
    refused = (
        "no-sct_fail",
        "rekor2-log-by-another-key_fail",
        "expired-certificate_fail",
        "other-identity_fail",
    )
    assert all(opinions[name] for name in refused)
