"""Programs that keep credentials: `docker-credential-NAME get|store|erase`, asked over stdin.

1. The name is letters, digits, dots, dashes and underscores: no path. The program is looked for in PATH only.
2. `get` reads the host and prints `{"ServerURL", "Username", "Secret"}`. A user called `<token>` means that the
   secret is an identity token.
3. A refusal that says, on stdout, that nothing is kept for the host means None; any other refusal, a program that is
   missing, late or prints something else is an error. What it prints is never shown: it may be the secret.
"""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Protocol

from verify.errors import Unavailable
from verify.limits import DEFAULT, Limits
from verify.transport.authfile import HELPER_NAME
from verify.transport.credentials import Credential, Secret, helper_key

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Run = Callable[[Sequence[str], bytes, float], "Ran"]

_NOTHING = (
    "credentials not found in native keychain",
    "no credentials server url",
    "no credentials username",
)


class Ran(Protocol):
    """What came of a program."""

    returncode: int
    stdout: bytes


class Program:
    """One program. `run` is given in by tests."""

    def __init__(self, name: str, *, limits: Limits = DEFAULT, run: Run | None = None) -> None:
        if not HELPER_NAME.fullmatch(name):
            raise Unavailable("credential helper: its name is none", check="credentials.malformed")
        self._program = f"docker-credential-{name}"
        self._limits = limits
        self._run = run if run is not None else _run

    def get(self, host: str) -> Credential | None:
        """Raises Unavailable (`credentials.helper`, `credentials.malformed`)."""
        ran = self._ask("get", helper_key(host).encode("utf-8"))
        if ran.returncode != 0:
            said = ran.stdout[:1000].decode("utf-8", "replace").strip().lower()
            if said.startswith(_NOTHING):
                return None
            raise self._failed(f"fails with exit code {ran.returncode}")
        try:
            value = json.loads(ran.stdout) if len(ran.stdout) <= self._limits.credential_bytes else None
        except (ValueError, RecursionError):
            value = None
        user = value.get("Username") if isinstance(value, dict) else None
        secret = value.get("Secret") if isinstance(value, dict) else None
        if not isinstance(user, str) or not isinstance(secret, str):
            raise Unavailable(f"{self._program}: expected a user and a secret", check="credentials.malformed")
        if not secret:
            return None
        source = f"{self._program} {host}"
        if user == "<token>":
            return Credential(identity_token=Secret(secret), source=source)
        return Credential(user=user, password=Secret(secret), source=source)

    def store(self, host: str, user: str, password: Secret) -> None:
        """Keep it. Raises Unavailable (`credentials.helper`)."""
        value = {"ServerURL": helper_key(host), "Username": user, "Secret": password.reveal()}
        if self._ask("store", json.dumps(value).encode("utf-8")).returncode != 0:
            raise self._failed("does not keep it")

    def erase(self, host: str) -> None:
        """Forget it. Raises Unavailable (`credentials.helper`)."""
        if self._ask("erase", helper_key(host).encode("utf-8")).returncode != 0:
            raise self._failed("does not forget it")

    def _ask(self, action: str, data: bytes) -> Ran:
        try:
            return self._run((self._program, action), data, self._limits.helper_seconds)
        except subprocess.TimeoutExpired:
            # not chained: that exception carries what the program printed
            raise self._failed(f"does not answer in {self._limits.helper_seconds:.0f} seconds") from None
        except OSError as error:
            raise self._failed(f"cannot be run: {error.strerror}") from None

    def _failed(self, problem: str) -> Unavailable:
        return Unavailable(
            f"{self._program}: {problem}", check="credentials.helper", hint=f"{self._program} list"
        )


def _run(command: Sequence[str], data: bytes, seconds: float) -> Ran:
    return subprocess.run(  # noqa: S603 - the name was checked, and there is no shell
        command, input=data, capture_output=True, timeout=seconds, check=False
    )
