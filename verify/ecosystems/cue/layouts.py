"""CUE modules in OCI layout folders: one folder for one module, or a tree of them as registries name them.

    DIR/oci-layout                   one module's versions, as `cue mod publish --out` writes
    DIR/example.com/net/oci-layout   a layout for each module path, as `modseal serve` has it

A lone layout keeps tags and no module paths: whose version it holds, only the module file says. A version of
another module under the tag that was asked for is therefore not a lie, it is just not what was asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from verify.ecosystems.cue.download import fetch_module_file
from verify.ecosystems.cue.modfile import parse_published
from verify.ecosystems.cue.names import path_of
from verify.errors import Absent
from verify.limits import DEFAULT, Limits
from verify.oci.layout import LayoutStore
from verify.tree.below import lies_below

if TYPE_CHECKING:
    from verify.module import Module
    from verify.oci.store import ReadStore


@dataclass(frozen=True, slots=True)
class Layouts:
    """One folder that a person named."""

    root: str
    limits: Limits = DEFAULT

    def store(self, module: Module, *, by_tag: bool = True) -> tuple[ReadStore, str]:
        """The store of a module's path, and the tag of its version there. Raises Absent, Refuted (a link in the way).

        `by_tag` says that the tag will be believed: then a lone layout must have that very module under it.
        """
        if lies_below(self.root, f"{module.path}/oci-layout"):
            return LayoutStore(str(Path(self.root, module.path)), limits=self.limits), module.version
        if lies_below(self.root, "oci-layout"):
            store = LayoutStore(self.root, limits=self.limits)
            if by_tag:
                self._same(store, module)
            return store, module.version
        raise Absent(f"{self.root}: no layout of {module.path}", check="oci.manifest-unknown")

    def _same(self, store: LayoutStore, module: Module) -> None:
        _, data = fetch_module_file(store, module.version, module, limits=self.limits)
        declared = parse_published(data, limits=self.limits).path
        if declared != path_of(module):
            raise Absent(
                f"{self.root}: holds {declared} under {module.version}, not {path_of(module)}",
                check="oci.manifest-unknown",
            )
