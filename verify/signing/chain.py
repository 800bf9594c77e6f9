"""A certificate's path to an authority that the caller trusts, at one moment.

The path grows from the leaf by names and signatures, through the authority's own certificates and those that came
along, to the authority's last certificate, the anchor. It counts when at that moment

1. every certificate in it is within its own validity, the anchor too;
2. every issuer is a CA that may sign certificates, and no path is longer than one of them allows;
3. every certificate that limits its purposes allows the purpose asked for, and the leaf names it;
4. no certificate has a critical extension that is not understood here, nor name constraints.

Whether the root still trusts the authority at that moment is the caller's question (`Authority.period`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.x509.oid import ExtensionOID

from verify.errors import Refuted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from verify.signing.trust import Authority

_UNDERSTOOD = frozenset(
    {
        ExtensionOID.BASIC_CONSTRAINTS,
        ExtensionOID.KEY_USAGE,
        ExtensionOID.EXTENDED_KEY_USAGE,
        ExtensionOID.SUBJECT_ALTERNATIVE_NAME,
    }
)
_LONGEST = 8
_ATTEMPTS = 64  # issuers tried: several certificates of one name must not make work without end


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """A leaf, its issuer, and so on to the anchor."""

    certificates: tuple[x509.Certificate, ...]

    @property
    def issuer(self) -> x509.Certificate:
        """Who issued the leaf."""
        return self.certificates[1]


def find_path(
    leaf: x509.Certificate,
    authority: Authority,
    extra: Sequence[x509.Certificate],
    *,
    purpose: x509.ObjectIdentifier,
    at: datetime,
) -> Path:
    """The first path that holds. Raises Refuted (`certificate.untrusted`, `.outside-validity`, `.purpose`)."""
    reason: Refuted | None = None
    for certificates in _paths(leaf, authority, extra):
        try:
            _check(certificates, purpose, at)
        except Refuted as error:
            reason = reason or error
            continue
        return Path(certificates=certificates)
    raise reason or Refuted(
        f"certificate: no path to {authority.name}",
        check="certificate.untrusted",
        hint="modseal trust show FILE tells which authorities a root names",
    )


def _paths(
    leaf: x509.Certificate, authority: Authority, extra: Sequence[x509.Certificate]
) -> Iterator[tuple[x509.Certificate, ...]]:
    anchor = authority.chain[-1]
    between = [each for each in (*authority.chain[:-1], *extra) if each not in (leaf, anchor)]
    left = _ATTEMPTS
    growing: list[tuple[x509.Certificate, ...]] = [(leaf,)]
    while growing:
        path = growing.pop()
        for issuer in (anchor, *between):
            if issuer.subject != path[-1].issuer or issuer in path:
                continue
            left -= 1
            if left < 0:
                return
            if not _issued(path[-1], issuer):
                continue
            if issuer is anchor:
                yield (*path, anchor)
            elif len(path) < _LONGEST:
                growing.append((*path, issuer))


def _issued(certificate: x509.Certificate, issuer: x509.Certificate) -> bool:
    try:
        certificate.verify_directly_issued_by(issuer)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


def _check(path: tuple[x509.Certificate, ...], purpose: x509.ObjectIdentifier, at: datetime) -> None:
    for depth, certificate in enumerate(path):
        if not certificate.not_valid_before_utc <= at <= certificate.not_valid_after_utc:
            raise Refuted(
                f"certificate: signed at {at:%Y-%m-%d %H:%M:%S}, valid from"
                f" {certificate.not_valid_before_utc:%Y-%m-%d %H:%M:%S}"
                f" to {certificate.not_valid_after_utc:%Y-%m-%d %H:%M:%S}",
                check="certificate.outside-validity",
                hint="a certificate counts at the time of signing that a log or a timestamp proves",
            )
        try:
            _may(certificate, depth, purpose)
        except (ValueError, x509.DuplicateExtension, x509.UnsupportedGeneralNameType) as error:
            raise _refused("an extension cannot be read") from error


def _may(certificate: x509.Certificate, depth: int, purpose: x509.ObjectIdentifier) -> None:
    found: dict[type[x509.ExtensionType], x509.ExtensionType] = {}
    for extension in certificate.extensions:
        if extension.critical and extension.oid not in _UNDERSTOOD:
            raise _refused(f"critical extension {extension.oid.dotted_string} is not understood")
        if extension.oid == ExtensionOID.NAME_CONSTRAINTS:
            raise _refused("name constraints are not understood")
        found[type(extension.value)] = extension.value
    basic, usage = found.get(x509.BasicConstraints), found.get(x509.KeyUsage)
    purposes = found.get(x509.ExtendedKeyUsage)
    is_ca = isinstance(basic, x509.BasicConstraints) and basic.ca
    if isinstance(purposes, x509.ExtendedKeyUsage) and purpose not in purposes:
        raise _refused(f"expected the purpose {purpose.dotted_string}")
    if depth == 0:
        if is_ca:
            raise _refused("expected a signer's certificate, got an authority's")
        if purposes is None or not isinstance(usage, x509.KeyUsage) or not usage.digital_signature:
            raise _refused("it does not say that it is for signatures of this kind")
        return
    if not isinstance(basic, x509.BasicConstraints) or not is_ca:
        raise _refused("expected an authority's certificate as the issuer")
    if isinstance(usage, x509.KeyUsage) and not usage.key_cert_sign:
        raise _refused("the issuer may not sign certificates")
    if basic.path_length is not None and basic.path_length < depth - 1:
        raise _refused("the path is longer than an issuer allows")


def _refused(message: str) -> Refuted:
    return Refuted(f"certificate: {message}", check="certificate.purpose")
