"""Key files: made so that nobody else can read them and nothing is overwritten; loaded; shown.

A private key file is created with O_EXCL and mode 0600, in one step; its public part stands beside it as
`NAME.pub`. If either is there already, neither is written. Where writing fails half-way, what we created goes
away again.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.errors import Malformed, Misused, Unavailable
from verify.limits import DEFAULT, Limits
from verify.signing.keyfile import (
    is_encrypted,
    parse_private_key,
    parse_public_key,
    render_private_key,
)
from verify.signing.keys import Algorithm, PrivateKey, PublicKey
from verify.workflows.sources import read_document

if TYPE_CHECKING:
    from pathlib import Path

    from verify.workflows.passphrase import PassphraseSource

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFacts:
    """What `key show` tells: nothing secret."""

    path: str
    private: bool
    encrypted: bool | None
    public_key: PublicKey | None  # None for an encrypted private key, which is not opened to be shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Generated:
    """The two files of a new key."""

    private: Path
    public: Path
    public_key: PublicKey


def generate_key(path: Path, algorithm: str, passphrase: PassphraseSource | None) -> Generated:
    """Make a key; without a source the file is not encrypted. Raises Misused (`key.exists`), Unavailable."""
    public = path.with_name(path.name.removesuffix(".key") + ".pub")
    for each in (path, public):
        if os.path.lexists(each):
            raise _exists(each)
    secret = passphrase.get(new=True) if passphrase else None
    key = PrivateKey.generate(Algorithm(algorithm))
    data = render_private_key(key, secret, randomness=secrets.token_bytes)
    _create(path, data, 0o600)
    try:
        _create(public, key.public_key.pem, 0o644)
    except BaseException:
        path.unlink()
        raise
    return Generated(private=path, public=public, public_key=key.public_key)


def load_private_key(path: Path, passphrase: PassphraseSource, *, limits: Limits = DEFAULT) -> PrivateKey:
    """Raises Absent, Malformed (`key.*`), Misused."""
    data = read_document(path, limits.key_bytes)
    try:
        return parse_private_key(data, passphrase.get, limits=limits)
    except (Malformed, Misused) as error:
        raise error.within(str(path)) from error.__cause__


def load_public_key(path: Path, *, limits: Limits = DEFAULT) -> PublicKey:
    """A key to check with. Raises Absent, Malformed (`key.*`)."""
    data = read_document(path, limits.key_bytes)
    try:
        return parse_public_key(data, limits=limits)
    except Malformed as error:
        raise error.within(str(path)) from error.__cause__


def public_part(path: Path, passphrase: PassphraseSource) -> PublicKey:
    """Of either kind of file."""
    try:
        return load_public_key(path)
    except Malformed as error:
        if error.check != "key.is-private":
            raise
    return load_private_key(path, passphrase).public_key


def show_key(path: Path) -> KeyFacts:
    """What a file is, without asking for a passphrase. Raises Absent, Malformed."""
    data = read_document(path, DEFAULT.key_bytes)
    try:
        return KeyFacts(path=str(path), private=False, encrypted=False, public_key=load_public_key(path))
    except Malformed as error:
        if error.check != "key.is-private":
            raise
    encrypted = is_encrypted(data)
    key = None if encrypted is not False else parse_private_key(data, bytes).public_key
    return KeyFacts(path=str(path), private=True, encrypted=encrypted, public_key=key)


def _create(path: Path, data: bytes, mode: int) -> None:
    try:
        descriptor = os.open(path, _NEW, mode)
    except FileExistsError:
        raise _exists(path) from None
    except OSError as error:
        raise Unavailable(f"{path}: {error.strerror or error}", check="output.unwritable") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException as error:
        with contextlib.suppress(OSError):
            path.unlink()
        if isinstance(error, OSError):
            raise Unavailable(f"{path}: {error.strerror or error}", check="output.unwritable") from error
        raise


def _exists(path: Path) -> Misused:
    return Misused(
        f"{path}: is there already; a key file is never overwritten",
        check="key.exists",
        hint="choose another name: -o FILE",
    )
