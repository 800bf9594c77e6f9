"""A module of no ecosystem in particular: one zip under an artifact type of ours.

artifactType  application/vnd.modseal.module.v1
config        the empty object
layers[0]     application/zip, titled by its file name
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verify.ecosystems.shape import Packing, Part, Shape, refuse
from verify.oci.artifact import Artifact, build_artifact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.oci.blob import Content
    from verify.oci.manifest import Manifest

ARTIFACT_TYPE: Final = "application/vnd.modseal.module.v1"
ZIP: Final = "application/zip"


def build_generic_artifact(
    archive: Content, *, title: str | None = None, annotations: Mapping[str, str] | None = None
) -> Artifact:
    """From a zip; only its digest, size and bytes are taken."""
    return build_artifact(
        layers=(archive.typed(ZIP, title=title),),
        artifact_type=ARTIFACT_TYPE,
        annotations=annotations,
        inline=True,
    )


def recognise_generic(manifest: Manifest) -> Shape | None:
    """Ours, or None."""
    if manifest.artifact_type != ARTIFACT_TYPE:
        return None
    if len(manifest.layers) != 1 or manifest.layers[0].media_type != ZIP:
        raise refuse("module", "expected one application/zip layer")
    part = Part(role="archive", layer=manifest.layers[0], packing=Packing.ZIP)
    return Shape(ecosystem="generic", kind="module", parts=(part,))
