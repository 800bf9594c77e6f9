"""Writing a login where it is found again, so that nobody else can read it and nobody ever sees half of it.

1. A file that names a program for the host: the program keeps it, and the file stays as it is.
2. Otherwise the entry goes into the file: into a new one beside it, mode 0600 from its first byte, flushed,
   then renamed over the old one. What else the file holds stays. Folders that are made have mode 0700.
3. Two logins at once take turns by a lock beside the file, where the system has locks.
4. A file that is a link is followed once, as those who keep their settings in a repository expect.
"""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from verify.errors import Unavailable
from verify.transport.authfile import parse_auth_file
from verify.transport.credentials import HUB_KEY, host_of, normal_key
from verify.transport.keychain import read_credentials
from verify.transport.program import Program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from verify.transport.credentials import Secret
    from verify.transport.program import Run

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)


def keep_login(path: Path, account: str, user: str, password: Secret, *, run: Run | None = None) -> str:
    """Where it is kept now. Raises Unavailable (`credentials.*`)."""
    with _changing(path):
        file = parse_auth_file(read_credentials(path) or b"", str(path))
        name = file.helper(account)
        if name is not None:
            Program(name, run=run).store(host_of(account), user, password)
            return f"docker-credential-{name}"
        _write(path, file.with_entry(_key(account), user, password))
    return str(path)


def forget_login(path: Path, account: str, *, run: Run | None = None) -> bool:
    """Whether there was one. Raises Unavailable (`credentials.*`)."""
    with _changing(path):
        data = read_credentials(path)
        file = parse_auth_file(data or b"", str(path))
        name = file.helper(account)
        if name is not None:
            helper = Program(name, run=run)
            known = helper.get(host_of(account)) is not None
            if known:
                helper.erase(host_of(account))
            return known
        rest = file.without_entry(_key(account))
        if rest is None:
            return False
        _write(path, rest)
    return True


def _key(account: str) -> str:
    key = normal_key(account)
    return HUB_KEY if key == "docker.io" else key


def _write(path: Path, data: bytes) -> None:
    target = path.resolve() if path.is_symlink() else path
    aside = target.with_name(f".{secrets.token_hex(8)}.modseal")
    try:
        with open(os.open(aside, _NEW, 0o600), "wb") as file:  # noqa: PTH123 - from a descriptor
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(target)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        with suppress(OSError):
            aside.unlink()


@contextmanager
def _changing(path: Path) -> Iterator[None]:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        import fcntl  # noqa: PLC0415 - not on every system
    except ImportError:
        yield
        return
    lock = path.with_name(f".{path.name}.modseal-lock")
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _unwritable(path: Path, error: OSError) -> Unavailable:
    return Unavailable(f"credentials in {path}: {error.strerror or error}", check="credentials.malformed")
