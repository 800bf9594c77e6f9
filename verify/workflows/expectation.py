"""What a caller says the bytes must be: an `h1:` of the tree or a digest of the file.

>>> Expected.parse("sha256:" + "0" * 64).digest is not None
True
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from verify.digest import Digest, TreeHash
from verify.errors import Malformed, Misused


@dataclass(frozen=True, slots=True)
class Expected:
    """One of the two."""

    tree_hash: TreeHash | None = None
    digest: Digest | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """A value typed by a person, so what is wrong with it is Misused."""
        try:
            if text.startswith("h1:"):
                return cls(tree_hash=TreeHash.parse(text))
            return cls(digest=Digest.parse(text))
        except Malformed as error:
            raise Misused(error.message, hint="modseal hash prints both forms: h1:… and sha256:…") from error

    def __str__(self) -> str:
        return str(self.tree_hash or self.digest)
