"""What is verified, and whether it is what was asked for. Values and rules; no I/O, no cryptography.

An `Attestation` is made only by `verify.signing.opening`, from a bundle whose signature was proved. It can still
be the wrong one. It satisfies a caller when all of this holds:

1. Its signer fits the expectation (`attestation.other-signer`).
2. Its predicate type is accepted (`attestation.other-type`).
3. One of its subjects has the digest that was asked for (`attestation.other-subject`).
4. That same subject names the module that was asked for, and a release's purl does not name another
   (`attestation.other-module`). If it names no module at all it proves bytes and nothing more
   (`attestation.unbound`): unknown, unless the caller accepts that.

A name is a module's when it has the form `path@version` (whatever the letters: what looks alike is another), or
is the purl of one; `registry/repository@sha256:…`, a file's name and no name at all are not. Where the caller
names no module, nothing can be bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from verify.errors import Malformed
from verify.report import Detail
from verify.signing import checks
from verify.signing.predicates.release import RELEASES, parse_purl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.digest import Digest
    from verify.module import Module
    from verify.report import Check
    from verify.signing.expectation import AnyOf
    from verify.signing.identity import Identity
    from verify.signing.statement import Resource, Statement

COSIGN_SIGN = "https://sigstore.dev/cosign/sign/v1"
DEFAULT_TYPES = (*RELEASES, COSIGN_SIGN)
MESSAGE = "message signature"  # what stands where a statement would have a predicate type


class TimeSource(StrEnum):
    """Who says when something was signed."""

    LOG = "transparency log"
    AUTHORITY = "timestamp authority"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedTime:
    """A proved moment, in seconds since 1970."""

    seconds: int
    source: TimeSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Attestation:
    """Verified: this signer signed this."""

    identity: Identity
    statement: Statement | None  # None where bytes were signed as they are
    digests: tuple[Digest, ...]  # of those bytes
    payload: bytes  # exactly what was signed; empty where bytes were signed as they are
    times: tuple[SignedTime, ...] = ()  # none is proved for a bare key
    notes: tuple[str, ...] = ()  # what the bundle carries and nobody checked

    @property
    def predicate_type(self) -> str:
        """The authenticated type."""
        return self.statement.predicate_type if self.statement else MESSAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a caller wants said, by whom."""

    digest: Digest
    expectation: AnyOf
    module: Module | None = None
    types: tuple[str, ...] = DEFAULT_TYPES
    allow_unbound: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """Why an attestation does not satisfy. The later the rule, the closer it came."""

    check: Check
    message: str
    details: tuple[Detail, ...] = ()
    rank: int


def compare(attestation: Attestation, asked: Asked) -> Mismatch | None:
    """The first rule that does not hold, or None: it is what was asked for."""
    differences = asked.expectation.differences(attestation.identity)
    if differences:
        return Mismatch(
            check=checks.OTHER_SIGNER, message="signed by somebody else", details=differences, rank=1
        )
    if not _accepted(attestation.predicate_type, asked):
        return Mismatch(
            check=checks.OTHER_TYPE,
            message="says something else than was asked for",
            details=_pair(" or ".join(asked.types), attestation.predicate_type),
            rank=2,
        )
    if attestation.statement is None:
        there = asked.digest in attestation.digests
        return _unbound(asked, None) if there else _other_subject(attestation.digests, asked)
    subjects = attestation.statement.about(asked.digest)
    if not subjects:
        digests = [each for subject in attestation.statement.subjects for each in subject.digests]
        return _other_subject(digests, asked)
    return _binding(attestation.statement, subjects, asked)


def _accepted(found: str, asked: Asked) -> bool:
    # a bare signature says no more than cosign's empty statement does
    return found in asked.types or (found == MESSAGE and COSIGN_SIGN in asked.types)


def _binding(statement: Statement, subjects: Sequence[Resource], asked: Asked) -> Mismatch | None:
    said = _purl_module(statement)
    names = [name for each in subjects if (name := _named(each.name or ""))]
    every = {*names, said} - {""}
    if not every or asked.module is None:
        return _unbound(asked, min(every, default=None))
    wanted = str(asked.module)
    if wanted not in every or said not in {"", wanted}:
        return Mismatch(
            check=checks.OTHER_MODULE,
            message="was made for another module with the same bytes",
            details=_pair(wanted, ", ".join(sorted(every - {wanted}))),
            rank=4,
        )
    return None


def _unbound(asked: Asked, named: str | None) -> Mismatch | None:
    if asked.allow_unbound and (named is None or asked.module is None):
        return None
    message = (
        f"speaks of {named}; nobody said which module is expected"
        if named
        else "names no module: it proves the bytes alone"
    )
    return Mismatch(check=checks.UNBOUND, message=message, rank=5)


def _other_subject(digests: Sequence[Digest], asked: Asked) -> Mismatch:
    found = ", ".join(str(each) for each in digests[:4]) + (", …" if len(digests) > 4 else "")
    return Mismatch(
        check=checks.OTHER_SUBJECT,
        message="speaks of other bytes",
        details=_pair(str(asked.digest), found or "no digest that can be compared"),
        rank=3,
    )


def _purl_module(statement: Statement) -> str:
    """What a release's purl names, where it is one of ours."""
    predicate = statement.predicate
    if statement.predicate_type not in RELEASES or not isinstance(predicate, dict):
        return ""
    text = predicate.get("purl")
    return _named(text) if isinstance(text, str) else ""


def _named(name: str) -> str:
    """The `path@version` that a name is, or empty."""
    try:
        return str(parse_purl(name)[0])
    except Malformed:
        path, at, version = name.rpartition("@")
        is_module = at and path and version and not version.startswith(("sha256:", "sha512:"))
        return name if is_module else ""


def _pair(expected: str, found: str) -> tuple[Detail, ...]:
    return (Detail(label="expected", text=expected), Detail(label="found", text=found))
