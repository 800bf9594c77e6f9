"""An OpenTofu module package: an image manifest of its artifact type with exactly one `archive/zip` layer.

The manifest must carry its own `mediaType`. Other layers are ignored by OpenTofu, and so they are here; the
config is never looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verify.ecosystems.shape import Packing, Part, Shape, the_only
from verify.oci.artifact import Artifact, build_artifact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.oci.blob import Content
    from verify.oci.manifest import Manifest

ARTIFACT_TYPE: Final = "application/vnd.opentofu.modulepkg"
ZIP: Final = "archive/zip"


def build_opentofu_artifact(
    archive: Content, *, title: str | None = None, annotations: Mapping[str, str] | None = None
) -> Artifact:
    """From a zip; only its digest, size and bytes are taken."""
    return build_artifact(
        layers=(archive.typed(ZIP, title=title),),
        artifact_type=ARTIFACT_TYPE,
        annotations=annotations,
        inline=True,
    )


def recognise_opentofu(manifest: Manifest) -> Shape | None:
    """What OpenTofu installs, or None. Raises Malformed (`oci.shape`)."""
    if manifest.artifact_type != ARTIFACT_TYPE:
        return None
    zips = [
        Part(role="archive", layer=layer, packing=Packing.ZIP)
        for layer in manifest.layers
        if layer.media_type == ZIP
    ]
    return Shape(ecosystem="opentofu", kind="module", parts=(the_only(zips, "OpenTofu module: archive/zip"),))
