"""SLSA verification summary: this was checked against that policy, with this result.

1. `resource` is what the consumer will ask for; it is what keeps one module's summary from another.
2. The inputs are all of them, each by digest, or none is listed: the specification forbids a part.
3. Levels of our own never begin with `SLSA_`; without any, a passed summary says that builds were not evaluated.
4. `dependencyLevels` is left out: an empty object would claim that there are no dependencies.

>>> made = summary(verifier="https://ci.example/gate", resource="pkg:generic/a@v1?ecosystem=cue",
...     policy=("https://ci.example/policy.cue", "ab" * 32), passed=True, at="2026-01-02T03:04:05Z", version="1.0.0")
>>> made["verifiedLevels"], "dependencyLevels" in made
(['SLSA_BUILD_LEVEL_UNEVALUATED'], False)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.errors import Misused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.oci.jsondoc import Json

_UNEVALUATED = "SLSA_BUILD_LEVEL_UNEVALUATED"


def summary(
    *,
    verifier: str,
    resource: str,
    policy: tuple[str, str],
    passed: bool,
    at: str,
    version: str,
    levels: Sequence[str] = (),
    inputs: Sequence[tuple[str, str]] = (),
) -> dict[str, Json]:
    """The predicate; policy and inputs as (uri, hex of the sha256). Raises Misused."""
    if wrong := [level for level in levels if level.startswith("SLSA_")]:
        raise Misused(f"level {wrong[0]}: names that begin with SLSA_ are the specification's")
    uri, digest = policy
    made: dict[str, Json] = {
        "verifier": {"id": verifier, "version": {"modseal": version}},
        "timeVerified": at,
        "resourceUri": resource,
        "policy": {"uri": uri, "digest": {"sha256": digest}},
    }
    if inputs:
        made["inputAttestations"] = [{"uri": name, "digest": {"sha256": each}} for name, each in inputs]
    return made | {
        "verificationResult": "PASSED" if passed else "FAILED",
        "verifiedLevels": [*levels] or [_UNEVALUATED],
        "slsaVersion": "1.2",
    }
