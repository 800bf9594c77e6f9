"""Runs the command in this process, as a shell would see it: exit code, stdout, stderr."""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any

from verify.cli.app import run


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of one command line."""

    code: int
    out: str
    err: str

    def data(self) -> Any:
        """stdout as JSON."""
        return json.loads(self.out)


class _Stream(io.TextIOWrapper):
    def __init__(self) -> None:
        super().__init__(
            io.BytesIO(), encoding="utf-8", errors="backslashreplace", newline="", write_through=True
        )

    def text(self) -> str:
        self.flush()
        raw = self.buffer
        assert isinstance(raw, io.BytesIO)
        return raw.getvalue().decode("utf-8", "surrogateescape")


def modseal(*argv: str, stdin: bytes | None = None) -> Ran:
    """One command line, in this process."""
    out, err = _Stream(), _Stream()
    before = sys.stdin
    if stdin is not None:
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = run(list(argv))
    finally:
        sys.stdin = before
    return Ran(code, out.text(), err.text())
