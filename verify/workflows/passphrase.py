"""Where a passphrase comes from: a file, a file descriptor, the environment, a prompt. Never from argv.

In this order, and the first that the caller named or that is set wins: `--passphrase-file`, `--passphrase-fd`,
`MODSEAL_PASSPHRASE`, for reading also `COSIGN_PASSWORD`, then the prompt. One line feed at the end (with or
without a carriage return) is not part of it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from verify.errors import Misused, Unavailable
from verify.limits import DEFAULT
from verify.workflows.sources import read_document

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

OURS, THEIRS = "MODSEAL_PASSPHRASE", "COSIGN_PASSWORD"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassphraseSource:
    """What a command was told, and how to ask a person; `prompt` is None where nobody can be asked."""

    environment: Mapping[str, str]
    file: str | None = None
    descriptor: int | None = None
    prompt: Callable[[bool], str] | None = None

    def get(self, *, new: bool = False) -> bytes:
        """The passphrase; `new` asks twice, and never takes another tool's variable. Raises Misused."""
        if self.file is not None and self.descriptor is not None:
            raise Misused("two sources of a passphrase", hint="keep --passphrase-file or --passphrase-fd")
        if self.file is not None:
            return _line(read_document(Path(self.file), DEFAULT.key_bytes))
        if self.descriptor is not None:
            return _line(_drain(self.descriptor))
        for name in (OURS,) if new else (OURS, THEIRS):
            if name in self.environment:
                return self.environment[name].encode("utf-8", "surrogateescape")
        if self.prompt is None:
            raise Misused(
                "the key needs a passphrase and nobody can be asked",
                check="key.passphrase",
                hint=f"--passphrase-file FILE, --passphrase-fd N or {OURS}",
            )
        return self.prompt(new).encode("utf-8")


def _drain(descriptor: int) -> bytes:
    try:
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(DEFAULT.key_bytes + 1)
    except OSError as error:
        raise Unavailable(f"file descriptor {descriptor}: {error.strerror or error}") from error
    if len(data) > DEFAULT.key_bytes:
        raise Misused(f"file descriptor {descriptor}: longer than any passphrase")
    return data


def _line(data: bytes) -> bytes:
    if data.endswith(b"\n"):
        data = data[:-1].removesuffix(b"\r")
    if b"\n" in data:
        raise Misused("passphrase: expected one line")
    return data


def environment() -> Mapping[str, str]:
    """The process's own."""
    return os.environ
