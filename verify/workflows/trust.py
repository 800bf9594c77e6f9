"""Trust roots in files: loaded by name, held to a pinned digest, shown to a person.

Nothing is fetched, and no folder of this or another program is searched. A pin is the digest of the file's bytes,
kept where the caller keeps what they trust: in a pipeline's own configuration, in a repository.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.digest import Digest
from verify.errors import Malformed, Misused, Refuted
from verify.limits import DEFAULT
from verify.signing.trust import TrustRoot, parse_trust_root
from verify.workflows.sources import read_document

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path

    from verify.limits import Limits
    from verify.signing.trust import Authority, Log, Period


@dataclass(frozen=True, slots=True)
class FileTrust:
    """A `TrustStore`: one file, and the digest it must have if one was pinned."""

    path: Path
    pinned: str | None = None
    limits: Limits = DEFAULT

    def load(self) -> TrustRoot:
        """Raises Absent, Unavailable, Malformed; Misused for a pin that is none; Refuted (`trust.not-pinned`)."""
        wanted = _pin(self.pinned)
        data = read_document(self.path, self.limits.bundle_bytes)
        found = Digest.of(data)
        if wanted is not None and found != wanted:
            raise Refuted(
                f"{self.path}: expected {wanted}, got {found}",
                check="trust.not-pinned",
                hint=f"modseal trust show {self.path}",
            )
        try:
            return parse_trust_root(data, limits=self.limits)
        except Malformed as error:
            raise error.within(str(self.path)) from error.__cause__


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One thing a root believes."""

    kind: str
    name: str
    trusted: str
    now: bool  # whether it is trusted at the moment asked about


def trust_rows(root: TrustRoot, now: datetime) -> tuple[Row, ...]:
    """Everything a root believes, in the file's order."""
    return (
        *_authorities("certificate authority", root.authorities, now),
        *_logs("certificate log", root.certificate_logs, now),
        *_logs("transparency log", root.logs, now),
        *_authorities("timestamp authority", root.timestamp_authorities, now),
    )


def _authorities(kind: str, found: Iterable[Authority], now: datetime) -> list[Row]:
    return [_row(kind, f"{each.name} {each.url}".strip(), each.period, now) for each in found]


def _logs(kind: str, found: Iterable[Log], now: datetime) -> list[Row]:
    return [_row(kind, each.url or each.key_ids[0].hex(), each.period, now) for each in found]


def _row(kind: str, name: str, period: Period, now: datetime) -> Row:
    return Row(kind=kind, name=name, trusted=str(period), now=period.holds(now))


def _pin(text: str | None) -> Digest | None:
    try:
        return Digest.parse(text) if text else None
    except Malformed as error:
        raise Misused(error.message, hint="modseal trust pin FILE prints it") from error
