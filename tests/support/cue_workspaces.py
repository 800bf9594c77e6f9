"""CUE workspaces for tests: modules published into a tree of layout folders, and a main module that asks for them."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from verify.archive.writer import Encoding, write_archive
from verify.ecosystems.cue.artifact import build_cue_artifact
from verify.ecosystems.cue.workspace import modfile_hash
from verify.module import Module
from verify.oci.blob import Content
from verify.oci.layout import LayoutStore
from verify.oci.push import publish_artifact
from verify.sums.entry import SumEntry
from verify.tree.hashing import hash_tree
from verify.tree.memory import MemoryTree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from verify.digest import Digest

NET, LOG, DEEP = "example.com/net@v1.4.0", "example.com/log@v1.1.0", "example.com/deep@v0.3.0"


def module_text(path: str, deps: Iterable[str] = ()) -> bytes:
    lines = [f'module: "{path}"', 'language: version: "v0.15.0"', 'source: kind: "self"']
    wanted = [Module.parse(each) for each in deps]
    if wanted:
        inner = "".join(f'\t"{each.path}@{_major(each)}": v: "{each.version}"\n' for each in wanted)
        lines.append(f"deps: {{\n{inner}}}")
    return ("\n".join(lines) + "\n").encode()


def _major(module: Module) -> str:
    return module.version.partition(".")[0]


def zipped(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    write_archive(MemoryTree(dict(files)), out, encoding=Encoding.DEFLATE)
    return out.getvalue()


def module_files(
    name: str, deps: Iterable[str] = (), more: Mapping[str, bytes] | None = None
) -> dict[str, bytes]:
    module = Module.parse(name)
    package = module.path.rpartition("/")[2]
    return {
        "cue.mod/module.cue": module_text(f"{module.path}@{_major(module)}", deps),
        f"{package}.cue": f'package {package}\n\nversion: "{module.version}"\n'.encode(),
        "templates/ingress.cue": b"package templates\n\nrules: []\n",
        **(more or {}),
    }


def publish(
    layouts: Path, name: str, files: Mapping[str, bytes], *, beside: bytes | None = None, force: bool = False
) -> Digest:
    """Into the layout of its path; `beside` is another module file than the one in the zip."""
    module = Module.parse(name)
    archive = zipped(files)
    artifact = build_cue_artifact(
        Content.of(archive, "application/zip"), files["cue.mod/module.cue"] if beside is None else beside
    )
    store = LayoutStore(str(layouts / module.path))
    return publish_artifact(store, artifact, tags=(module.version,), force=force).descriptor.digest


@dataclass
class Stage:
    """A folder with a mirror of modules and a workspace that asks for some of them."""

    folder: Path
    deps: list[str] = field(default_factory=lambda: [NET, LOG])

    @property
    def mirror(self) -> Path:
        return self.folder / "deps"

    @property
    def work(self) -> Path:
        return self.folder / "work"

    def build(self) -> Stage:
        """`net` needs `deep`, which the main module lists too, as a tidy one does."""
        publish(self.mirror, DEEP, module_files(DEEP))
        publish(self.mirror, NET, module_files(NET, [DEEP], {"README.md": b"net\n"}))
        publish(self.mirror, LOG, module_files(LOG))
        self.ask(self.deps)
        return self

    def ask(self, deps: Iterable[str]) -> None:
        (self.work / "cue.mod").mkdir(parents=True, exist_ok=True)
        (self.work / "cue.mod/module.cue").write_bytes(module_text("example.com/app@v0", deps))

    @property
    def sums(self) -> Path:
        return self.work / "cue.mod/sum.cue"

    def vendored(self, name: str) -> Path:
        return self.work / "cue.mod/vendor" / name


def entry_line(data: bytes, name: str) -> bytes:
    """The line of a sum file or vendored list that is about one module."""
    return next(line for line in data.splitlines(keepends=True) if f'"{name}"'.encode() in line)


def forged_entry(name: str, files: Mapping[str, bytes]) -> bytes:
    """A line that is right for these files: what an attacker writes who edits tree and sum together."""
    module = Module.parse(name)
    declared = files["cue.mod/module.cue"]
    archive = zipped(files)
    artifact = build_cue_artifact(Content.of(archive, "application/zip"), declared)
    entry = SumEntry(
        key=str(module),
        tree=hash_tree(MemoryTree(dict(files))),
        modfile=modfile_hash(declared),
        archive=Content.of(archive, "").descriptor.digest,
        manifest=artifact.descriptor.digest,
    )
    return entry.render().encode()
