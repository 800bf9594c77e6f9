"""What a command line says about signers without keys: whom to expect, under which trust root.

An identity needs its issuer and a trust root; each of them alone is a mistake, exit 2, since a check of half of it
would look like a check. There is no default trust root.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from verify.errors import Misused
from verify.limits import DEFAULT
from verify.report import Detail
from verify.signing.expectation import IdentityExpectation
from verify.signing.pattern import Pattern

if TYPE_CHECKING:
    from verify.limits import Limits
    from verify.signing.expectation import Expectation
    from verify.signing.opening import Verifier


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyless:
    """As typed."""

    identity: str | None = None
    issuer: str | None = None
    claims: tuple[str, ...] = ()
    trusted_root: str | None = None
    trusted_root_digest: str | None = None
    without_log: bool = False
    without_sct: bool = False

    def expectations(self) -> tuple[Expectation, ...]:
        """Nobody, or one signer. Raises Misused where only a part of one is named."""
        if self == NO_SIGNER:
            return ()
        if self.identity is None or self.issuer is None:
            raise Misused(
                "expected an identity and its issuer together: one name means different people to two issuers",
                hint="--certificate-identity NAME --certificate-oidc-issuer URL",
            )
        claims = [_claim(each) for each in self.claims]
        return (
            IdentityExpectation(
                name=Pattern.parse(self.identity), issuer=Pattern.parse(self.issuer), claims=tuple(claims)
            ),
        )

    @property
    def weakened(self) -> tuple[str, ...]:
        """The flags that ask for less."""
        asked = (("--without-log", self.without_log), ("--without-sct", self.without_sct))
        return tuple(flag for flag, less in asked if less)


NO_SIGNER = Keyless()


def keyless_verifier(keyless: Keyless, *, limits: Limits = DEFAULT) -> tuple[Verifier, tuple[Detail, ...]]:
    """The verifier under the trust root named, and what a report says about that. Raises what loading it raises."""
    if keyless.trusted_root is None:
        raise Misused(
            "no trust root is named: nobody's certificates would be believed",
            hint="--trusted-root FILE; modseal trust show FILE tells what a root names",
        )
    # loaded here: whoever only uses keys does not pay for certificates
    from verify.signing.keyless import KeylessVerifier  # noqa: PLC0415
    from verify.workflows.trust import FileTrust  # noqa: PLC0415

    store = FileTrust(Path(keyless.trusted_root), pinned=keyless.trusted_root_digest, limits=limits)
    root = store.load()
    verifier = KeylessVerifier(
        root=root, needs_log=not keyless.without_log, needs_sct=not keyless.without_sct
    )
    return verifier, (Detail(label="trust root", text=f"trust root {root}"),)


def _claim(text: str) -> tuple[str, Pattern]:
    name, equals, value = text.partition("=")
    if not equals:
        raise Misused(
            f"claim {text!r}: expected NAME=VALUE", hint="--claim repository=https://github.com/acme/net"
        )
    return name, Pattern.parse(value)
