"""Options that say who may have signed without a key, as a decorator: identity, issuer, claims, trust root."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from verify.cli.options import Command

_OPTIONS = (
    click.option(
        "--certificate-identity",
        "--identity",
        "identity",
        metavar="NAME",
        help="The signer you expect: a workflow's URI or an e-mail address; * and ** stand for parts of a path.",
    ),
    click.option(
        "--certificate-oidc-issuer",
        "--issuer",
        "issuer",
        metavar="URL",
        help="Who vouched for the signer, always with an identity.",
    ),
    click.option(
        "--claim",
        "claims",
        multiple=True,
        metavar="NAME=VALUE",
        help="A claim of the certificate, such as repository=… or runner=…; repeatable.",
    ),
    click.option("--trusted-root", metavar="FILE", help="The trust root that certificates are held against."),
    click.option(
        "--trusted-root-digest", metavar="DIGEST", help="Accept that file only with this digest (trust pin)."
    ),
    click.option("--without-log", is_flag=True, help="Accept a signature that no transparency log has."),
    click.option("--without-sct", is_flag=True, help="Accept a certificate that no certificate log has."),
)
_NAMES = (
    "identity",
    "issuer",
    "claims",
    "trusted_root",
    "trusted_root_digest",
    "without_log",
    "without_sct",
)


def naming_signers(function: Command) -> Command:
    """Adds the options; passes `keyless` (a Keyless)."""

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        from verify.workflows.keyless import Keyless  # noqa: PLC0415

        typed = {name: kwargs.pop(name) for name in _NAMES}
        return function(*args, keyless=Keyless(**typed), **kwargs)

    made: Command = wrapped
    for option in reversed(_OPTIONS):
        made = option(made)
    return made
