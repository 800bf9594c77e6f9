"""Whom a caller expects to have signed. Without an expectation nothing is ever satisfied.

A `KeyExpectation` names keys by id. An `IdentityExpectation` names a signer *and* who vouches for it, since the
same name means different people to different issuers; claims such as `repository` or `runner` narrow it.

`differences` gives one line per mismatch, found against expected; an empty tuple means that all of it fits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from verify.errors import Misused
from verify.report import Detail
from verify.signing.identity import CLAIMS, CertificateIdentity, KeyIdentity

if TYPE_CHECKING:
    from verify.signing.identity import Identity
    from verify.signing.pattern import Pattern

_NAMES = frozenset(name for name, _ in CLAIMS.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyExpectation:
    """One of these keys."""

    key_ids: tuple[str, ...]

    def __post_init__(self) -> None:
        if not all(self.key_ids) or not self.key_ids:
            raise Misused("no key is named: anybody could have signed", hint="--key FILE")

    def differences(self, identity: Identity) -> tuple[Detail, ...]:
        """What does not fit."""
        if isinstance(identity, KeyIdentity) and identity.key_id in self.key_ids:
            return ()
        return (
            Detail(label="expected", text=f"key {' or '.join(self.key_ids)}"),
            Detail(label="found", text=str(identity)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityExpectation:
    """A name and its issuer, and claims by name."""

    name: Pattern
    issuer: Pattern
    claims: tuple[tuple[str, Pattern], ...] = ()

    def __post_init__(self) -> None:
        if unknown := sorted({name for name, _ in self.claims} - _NAMES):
            raise Misused(f"claim {unknown[0]!r}: expected one of {', '.join(sorted(_NAMES))}")

    def differences(self, identity: Identity) -> tuple[Detail, ...]:
        """What does not fit."""
        if not isinstance(identity, CertificateIdentity):
            return (
                Detail(label="expected", text=f"{self.name} (vouched for by {self.issuer})"),
                Detail(label="found", text=str(identity)),
            )
        wanted = [
            ("signer", self.name, identity.name),
            ("issuer", self.issuer, identity.issuer),
            *((name, pattern, identity.claim(name)) for name, pattern in self.claims),
        ]
        details: list[Detail] = []
        for label, pattern, found in wanted:
            why = "is absent" if found is None else pattern.differs(found)
            if why:
                details += (
                    Detail(label=f"expected {label}", text=str(pattern)),
                    Detail(label=f"found {label}", text=found or "none"),
                )
        return tuple(details)


Expectation: TypeAlias = "KeyExpectation | IdentityExpectation"


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Several: one that fits is enough. Differences are those of the closest one."""

    each: tuple[Expectation, ...]

    def __post_init__(self) -> None:
        if not self.each:
            raise Misused(
                "nobody is expected to have signed: name a signer",
                hint="--key FILE, or --identity NAME --issuer URL",
            )

    def differences(self, identity: Identity) -> tuple[Detail, ...]:
        """What does not fit."""
        return min((one.differences(identity) for one in self.each), key=len)
