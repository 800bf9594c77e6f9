"""Where credentials are looked for, in this order; the first place that has one for the account counts.

1. `--authfile FILE`, and then nowhere else
2. `DOCKER_AUTH_CONFIG`, the JSON itself
3. `REGISTRY_AUTH_FILE`
4. `DOCKER_CONFIG`/config.json
5. `XDG_RUNTIME_DIR`/containers/auth.json, where `podman login` writes
6. `XDG_CONFIG_HOME`/containers/auth.json, or ~/.config/containers/auth.json, where `modseal login` writes
7. ~/.docker/config.json
8. cue's logins.json: `CUE_CONFIG_DIR`, or `XDG_CONFIG_HOME`/cue, or ~/.config/cue

In each, a program that the file names for the host is asked instead of the file. A file that is named
(1 and 3) must exist; the others may be missing. One that is there and cannot be read is an error: silently
being nobody would look like a missing module.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from verify.errors import Unavailable
from verify.limits import DEFAULT, Limits
from verify.transport.authfile import AuthFile, parse_auth_file
from verify.transport.clock import REAL, Clock
from verify.transport.credentials import host_of
from verify.transport.cuelogins import find_cue_login
from verify.transport.program import Program

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verify.transport.credentials import Credential
    from verify.transport.program import Run


class Keychain:
    """The Keys port over files, programs and the environment that was given in. Each is read once."""

    def __init__(
        self,
        environ: Mapping[str, str],
        *,
        home: Path,
        authfile: Path | None = None,
        limits: Limits = DEFAULT,
        clock: Clock = REAL,
        run: Run | None = None,
    ) -> None:
        self._environ = environ
        self._home = home
        self._authfile = authfile
        self._limits = limits
        self._clock = clock
        self._run = run
        self._lock = threading.Lock()
        self._files: list[AuthFile] | None = None
        self._asked: dict[tuple[str, str], Credential | None] = {}

    def find(self, account: str) -> Credential | None:
        """As the port says. Raises Unavailable (`credentials.*`)."""
        with self._lock:
            if self._files is None:
                self._files = list(self._read())
            for file in self._files:
                name = file.helper(account)
                found = file.find(account) if name is None else self._ask(name, account)
                if found is not None:
                    return found
            return None if self._authfile is not None else self._cue(account)

    def target(self) -> Path:
        """The file that a login is written to: the first that is named, or the one of rule 6."""
        if self._authfile is not None:
            return self._authfile
        if named := self._environ.get("REGISTRY_AUTH_FILE"):
            return Path(named)
        if folder := self._environ.get("DOCKER_CONFIG"):
            return Path(folder) / "config.json"
        return self._config() / "containers" / "auth.json"

    def _ask(self, name: str, account: str) -> Credential | None:
        key = (name, host_of(account))
        if key not in self._asked:
            self._asked[key] = Program(name, limits=self._limits, run=self._run).get(key[1])
        return self._asked[key]

    def _read(self) -> Iterator[AuthFile]:
        if self._authfile is not None:
            yield self._parsed(self._authfile, needed=True)
            return
        if inline := self._environ.get("DOCKER_AUTH_CONFIG"):
            yield parse_auth_file(inline.encode("utf-8", "surrogateescape"), "DOCKER_AUTH_CONFIG")
        if named := self._environ.get("REGISTRY_AUTH_FILE"):
            yield self._parsed(Path(named), needed=True)
        for path in self._usual():
            yield self._parsed(path, needed=False)

    def _usual(self) -> Iterator[Path]:
        if folder := self._environ.get("DOCKER_CONFIG"):
            yield Path(folder) / "config.json"
        if folder := self._environ.get("XDG_RUNTIME_DIR"):
            yield Path(folder) / "containers" / "auth.json"
        yield self._config() / "containers" / "auth.json"
        yield self._home / ".docker" / "config.json"

    def _config(self) -> Path:
        named = self._environ.get("XDG_CONFIG_HOME")
        return Path(named) if named else self._home / ".config"

    def _parsed(self, path: Path, *, needed: bool) -> AuthFile:
        data = read_credentials(path, self._limits)
        if data is None and needed:
            raise Unavailable(f"credentials in {path}: no such file", check="credentials.malformed")
        return parse_auth_file(data or b"", str(path))

    def _cue(self, account: str) -> Credential | None:
        folder = self._environ.get("CUE_CONFIG_DIR")
        path = (Path(folder) if folder else self._config() / "cue") / "logins.json"
        data = read_credentials(path, self._limits)
        return None if data is None else find_cue_login(data, str(path), account, self._clock.wall())


def read_credentials(path: Path, limits: Limits = DEFAULT) -> bytes | None:
    """The file's bytes; None where there is none. Raises Unavailable (`credentials.malformed`)."""
    try:
        with path.open("rb") as file:
            data = file.read(limits.credential_bytes + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Unavailable(
            f"credentials in {path}: {error.strerror}", check="credentials.malformed"
        ) from error
    if len(data) > limits.credential_bytes:
        raise Unavailable(f"credentials in {path}: too large", check="credentials.malformed")
    return data
