"""Repositories for tests, made by the real git, in an environment of their own."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

WHEN = "2024-05-06T07:08:09Z"
_SET = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Author",
    "GIT_AUTHOR_EMAIL": "author@example.com",
    "GIT_COMMITTER_NAME": "Committer",
    "GIT_COMMITTER_EMAIL": "committer@example.com",
    "GIT_AUTHOR_DATE": WHEN,
    "GIT_COMMITTER_DATE": WHEN,
    "LC_ALL": "C",
}


class MadeRepository:
    """A folder that git works in."""

    def __init__(self, folder: Path, *init: str) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self("init", "-q", "-b", "main", *init)

    def __call__(self, *arguments: str, stdin: bytes = b"", check: bool = True) -> str:
        """What git says."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env=kept | _SET,
            input=stdin,
            capture_output=True,
            check=False,
        )
        assert not check or done.returncode == 0, done.stderr.decode()
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, files: dict[str, bytes]) -> None:
        """Into the working tree."""
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def commit(self, files: dict[str, bytes], message: str = "files") -> str:
        """Write, add and commit; the commit's id."""
        self.write(files)
        self("add", "-A")
        self("commit", "-q", "--allow-empty", "-m", message)
        return self("rev-parse", "HEAD")

    def mktree(self, *lines: bytes) -> str:
        """A tree object of raw lines `mode SP name NUL id`, unchecked."""
        content = b"".join(lines)
        return self("hash-object", "-t", "tree", "-w", "--stdin", "--literally", stdin=content)

    def commit_tree(self, tree: str) -> str:
        """A commit of a tree object."""
        return self("commit-tree", "-m", "made", tree)
