"""cue's module cache: what an unmodified cue loads modules from.

    mod/download/<path>/@v/<version>.mod     the module file as served
    mod/download/<path>/@v/<version>.zip     the archive as served
    mod/extract/<path>@<version>/…           its files

Upper-case letters of versions are escaped. The cache keeps no hash and no word of where its bytes came from:
whatever lies there is used as it is, so it is read as untrusted, without following links.

>>> from verify.module import Module
>>> archive_path(Module.parse("example.com/net@v1.4.0"))
'mod/download/example.com/net/@v/v1.4.0.zip'
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from verify.ecosystems.cue.names import escaped, escaped_folder
from verify.errors import Absent
from verify.limits import DEFAULT, Limits
from verify.tree.below import lies_below, open_below, read_below
from verify.tree.directory import DirectoryTree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.events import Events
    from verify.module import Module


def cache_folder(environment: Mapping[str, str]) -> str:
    """The cache that cue would use."""
    named = environment.get("CUE_CACHE_DIR", "")
    if named:
        return named
    if sys.platform == "win32":
        base = environment.get("LocalAppData", "")
    elif sys.platform == "darwin":
        base = str(Path(environment.get("HOME", ""), "Library", "Caches"))
    else:
        base = environment.get("XDG_CACHE_HOME", "") or str(Path(environment.get("HOME", ""), ".cache"))
    return str(Path(base, "cue"))


def module_file_path(module: Module) -> str:
    """Of the module file as served."""
    return f"mod/download/{escaped(module.path)}/@v/{escaped(module.version)}.mod"


def archive_path(module: Module) -> str:
    """Of the archive as served."""
    return f"mod/download/{escaped(module.path)}/@v/{escaped(module.version)}.zip"


def extracted_path(module: Module) -> str:
    """Of the folder with its files."""
    return f"mod/extract/{escaped_folder(module)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleCache:
    """One cache folder, which need not exist."""

    root: str
    limits: Limits = DEFAULT

    def module_file(self, module: Module) -> bytes:
        """As served. Raises Absent, Refuted (a link in the way), Unavailable."""
        return read_below(self.root, module_file_path(module), self.limits.document_bytes)

    def open_archive(self, module: Module) -> BinaryIO:
        """As served. Raises as `module_file`."""
        return open_below(self.root, archive_path(module))

    def extracted(self, module: Module, events: Events) -> DirectoryTree | None:
        """The files that cue loads, where there are any. Raises Refuted (a link in the way), Unavailable."""
        path = extracted_path(module)
        if not self._lies(path):
            return None
        return DirectoryTree(self.root, self.limits, events, below=path)

    def holds(self, module: Module) -> bool:
        """Whether cue would take the module's files from here."""
        return self._lies(archive_path(module)) or self._lies(extracted_path(module))

    def _lies(self, path: str) -> bool:
        try:
            return lies_below(self.root, path)
        except Absent:
            return False

    def __bool__(self) -> bool:
        return os.path.isdir(self.root)  # noqa: PTH112 - a question, not a path to work with
