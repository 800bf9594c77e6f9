"""modseal's library: are these bytes the ones that were published, and who says so?

The names in `__all__` are the whole public surface. They load lazily, so that `import verify` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verify.digest import Digest, TreeHash
    from verify.errors import ModsealError
    from verify.module import Module
    from verify.report import Finding, Report, Verdict

_HOMES = {
    "Digest": "verify.digest",
    "Finding": "verify.report",
    "Module": "verify.module",
    "ModsealError": "verify.errors",
    "Report": "verify.report",
    "TreeHash": "verify.digest",
    "Verdict": "verify.report",
}

__all__ = ["Digest", "Finding", "ModsealError", "Module", "Report", "TreeHash", "Verdict"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'verify' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
