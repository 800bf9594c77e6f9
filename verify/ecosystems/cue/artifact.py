"""A CUE module in a registry: byte for byte the manifest that `cue mod publish` writes for the same zip.

    config     application/vnd.cue.module.v1+json, the empty object
    layers[0]  application/zip
    layers[1]  application/vnd.cue.modulefile.v1, the bytes of cue.mod/module.cue as they stand in the zip
    annotations, only where the module was published from version control: commit, commit time and system

There is no artifact type, and neither path nor version: one manifest can stand under the tags of several
versions. What binds it to one is a lock, or a signed statement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verify.ecosystems.shape import Packing, Part, Shape, refuse
from verify.errors import Misused
from verify.oci.artifact import Artifact, build_artifact
from verify.oci.blob import Content

if TYPE_CHECKING:
    from verify.oci.manifest import Manifest

MODULE: Final = "application/vnd.cue.module.v1+json"
MODULE_FILE: Final = "application/vnd.cue.modulefile.v1"
ZIP: Final = "application/zip"


@dataclass(frozen=True, slots=True, kw_only=True)
class CueSource:
    """Where a module was published from. cue writes all three or none."""

    system: str
    commit: str
    commit_time: str  # RFC 3339, in whatever zone the publisher's cue wrote

    def annotations(self) -> dict[str, str]:
        """As the manifest has them. Raises Misused where one is empty."""
        if not (self.system and self.commit and self.commit_time):
            raise Misused("source of a CUE module: expected system, commit and commit time")
        return {
            "org.cuelang.vcs-commit": self.commit,
            "org.cuelang.vcs-commit-time": self.commit_time,
            "org.cuelang.vcs-type": self.system,
        }


def build_cue_artifact(archive: Content, module_file: bytes, *, source: CueSource | None = None) -> Artifact:
    """From the zip and its module file; whoever calls has seen that the one holds the other."""
    return build_artifact(
        config=Content.of(b"{}", MODULE),
        layers=(archive.typed(ZIP), Content.of(module_file, MODULE_FILE)),
        annotations=None if source is None else source.annotations(),
    )


def recognise_cue(manifest: Manifest) -> Shape | None:
    """What cue's own reader accepts, or None. Raises Malformed (`oci.shape`)."""
    if manifest.config.media_type != MODULE:
        return None
    if len(manifest.layers) != 2:
        raise refuse("CUE module", f"expected two layers, got {len(manifest.layers)}")
    archive, module_file = manifest.layers
    if MODULE_FILE not in {module_file.media_type, module_file.artifact_type}:
        raise refuse("CUE module", f"second layer: expected {MODULE_FILE}, got {module_file.media_type}")
    parts = (
        Part(role="archive", layer=archive, packing=Packing.ZIP),
        Part(role="module-file", layer=module_file, packing=Packing.PLAIN),
    )
    return Shape(ecosystem="cue", kind="module", parts=parts)
