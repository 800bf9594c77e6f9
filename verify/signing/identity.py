"""Who signed: a key, or a person or workflow that a certificate names. Values only, proved elsewhere.

What a Fulcio certificate claims has plain names here, which policies and reports use; the object identifiers
behind them stand in `CLAIMS`. `issuer` is who vouched for the identity when the certificate was issued.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

_ARC = "1.3.6.1.4.1.57264.1"
ISSUER_V1, ISSUER_V2 = f"{_ARC}.1", f"{_ARC}.8"

# object identifier -> (name in policies and JSON, plain words)
CLAIMS: Mapping[str, tuple[str, str]] = {
    ISSUER_V1: ("issuer-v1", "identity vouched for by"),
    f"{_ARC}.2": ("workflow-trigger", "workflow was started by"),
    f"{_ARC}.3": ("workflow-sha", "workflow ran at commit"),
    f"{_ARC}.4": ("workflow-name", "workflow is called"),
    f"{_ARC}.5": ("workflow-repository", "workflow ran in repository"),
    f"{_ARC}.6": ("workflow-ref", "workflow ran for ref"),
    f"{_ARC}.7": ("other-name", "other name"),
    ISSUER_V2: ("issuer", "identity vouched for by"),
    f"{_ARC}.9": ("build-signer", "build instructions that signed"),
    f"{_ARC}.10": ("build-signer-digest", "build instructions at commit"),
    f"{_ARC}.11": ("runner", "kind of runner"),
    f"{_ARC}.12": ("repository", "source repository"),
    f"{_ARC}.13": ("commit", "source commit"),
    f"{_ARC}.14": ("ref", "source ref"),
    f"{_ARC}.15": ("repository-id", "source repository's number"),
    f"{_ARC}.16": ("owner", "owner of the source repository"),
    f"{_ARC}.17": ("owner-id", "owner's number"),
    f"{_ARC}.18": ("build-config", "top-level build instructions"),
    f"{_ARC}.19": ("build-config-digest", "top-level build instructions at commit"),
    f"{_ARC}.20": ("trigger", "event that started the build"),
    f"{_ARC}.21": ("run", "run"),
    f"{_ARC}.22": ("visibility", "repository's visibility when signed"),
    f"{_ARC}.23": ("environment", "deployment environment"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyIdentity:
    """Whoever has the private key."""

    key_id: str
    algorithm: str

    def __str__(self) -> str:
        return f"key {self.key_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateIdentity:
    """Whom a certificate names, and what its issuer claims about the run."""

    name: str
    issuer: str | None = None
    claims: tuple[tuple[str, str], ...] = ()  # (name from CLAIMS, value), sorted

    def claim(self, name: str) -> str | None:
        """One claim's value, if the certificate makes it exactly once."""
        found = [value for each, value in self.claims if each == name]
        return found[0] if len(found) == 1 else None

    def __str__(self) -> str:
        return f"{self.name} (vouched for by {self.issuer or 'nobody named'})"


Identity: TypeAlias = "KeyIdentity | CertificateIdentity"
