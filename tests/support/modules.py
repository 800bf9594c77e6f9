"""Small modules of each ecosystem, as folders and as zips, and the artifacts that hold them."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

from tests.support.tree_on_disk import write_tree

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def cue_files(
    path: str = "example.com/net@v1", *, kind: str = "self", extra: Mapping[str, bytes] | None = None
) -> dict[str, bytes]:
    declared = f'module: "{path}"\nlanguage: version: "v0.9.0"\nsource: kind: "{kind}"\n'
    files = {"cue.mod/module.cue": declared.encode(), "net.cue": b"package net\n\nport: 8080\n"}
    return files | dict(extra or {})


def cue_module(root: Path, path: str = "example.com/net@v1", *, kind: str = "self") -> Path:
    return write_tree(root, cue_files(path, kind=kind))


def tofu_module(root: Path) -> Path:
    return write_tree(root, {"main.tf": b"# nothing\n", "scripts/run.sh": b"#!/bin/sh\n"}, ["scripts/run.sh"])


def plain_module(root: Path) -> Path:
    return write_tree(root, {"a.txt": b"a\n", "b/c.txt": b"c\n"})


def zipped(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()
