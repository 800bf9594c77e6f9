"""A Timoni module, or another artifact of Timoni's: layers that an annotation tells apart.

A module has exactly two: `module/vendor` (what lies under cue.mod) and then `module` (the rest), unpacked
into one folder in this order. Anything else is an artifact whose layers keep the content type they name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verify.ecosystems.shape import Packing, Part, Shape, refuse

if TYPE_CHECKING:
    from verify.oci.manifest import Manifest

CONFIG: Final = "application/vnd.timoni.config.v1+json"
CONTENT: Final = "application/vnd.timoni.content.v1.tar+gzip"
CONTENT_TYPE: Final = "sh.timoni.content.type"
_MODULE = ("module/vendor", "module")


def recognise_timoni(manifest: Manifest) -> Shape | None:
    """What Timoni pulls, or None. Raises Malformed (`oci.shape`)."""
    if manifest.kind != CONFIG:
        return None
    parts = []
    for layer in manifest.layers:
        if layer.media_type != CONTENT:
            raise refuse("Timoni artifact", f"expected layers of {CONTENT}, got {layer.media_type}")
        role = layer.annotations.get(CONTENT_TYPE, "")
        parts.append(Part(role=role, layer=layer, packing=Packing.TAR_GZIP))
    roles = tuple(part.role for part in parts)
    if roles == _MODULE:
        return Shape(ecosystem="timoni", kind="module", parts=tuple(parts))
    if not parts or set(roles) & set(_MODULE):
        raise refuse("Timoni artifact", f"expected module/vendor and module, or other contents, got {roles}")
    return Shape(ecosystem="timoni", kind="artifact", parts=tuple(parts))
