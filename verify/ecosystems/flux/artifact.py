"""A Flux artifact: a config of Flux's type, and content in the first layer.

Flux unpacks the first layer unless a source selects another, so that one is the content. Content that is not
a tar is kept as a plain file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verify.ecosystems.shape import Packing, Part, Shape, refuse

if TYPE_CHECKING:
    from verify.oci.manifest import Manifest

CONFIG: Final = "application/vnd.cncf.flux.config.v1+json"
CONTENT: Final = "application/vnd.cncf.flux.content.v1"


def recognise_flux(manifest: Manifest) -> Shape | None:
    """What Flux reads, or None. Raises Malformed (`oci.shape`)."""
    if manifest.kind != CONFIG:
        return None
    if not manifest.layers:
        raise refuse("Flux artifact", "expected a layer")
    parts = []
    for position, layer in enumerate(manifest.layers):
        packing = Packing.TAR_GZIP if layer.media_type.endswith("tar+gzip") else Packing.PLAIN
        parts.append(Part(role="content" if position == 0 else "layer", layer=layer, packing=packing))
    return Shape(ecosystem="flux", kind="artifact", parts=tuple(parts))
