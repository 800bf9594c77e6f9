"""Which ecosystem a manifest is of: by its artifact type, else by its config's media type, never by tags.

>>> from verify.ecosystems.generic.artifact import build_generic_artifact
>>> from verify.oci.blob import Content
>>> artifact = build_generic_artifact(Content.of(b"zip", "application/zip"), title="net.zip")
>>> recognise(artifact.manifest).ecosystem
'generic'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.ecosystems.cue.artifact import recognise_cue
from verify.ecosystems.flux.artifact import recognise_flux
from verify.ecosystems.generic.artifact import recognise_generic
from verify.ecosystems.helm.artifact import recognise_helm
from verify.ecosystems.opentofu.artifact import recognise_opentofu
from verify.ecosystems.shape import Packing, Part, Shape
from verify.ecosystems.timoni.artifact import recognise_timoni

if TYPE_CHECKING:
    from verify.oci.manifest import Manifest

_RECOGNISERS = (
    recognise_cue,
    recognise_opentofu,
    recognise_generic,
    recognise_flux,
    recognise_helm,
    recognise_timoni,
)


def recognise(manifest: Manifest) -> Shape:
    """Its shape; `unknown` with its layers as they are where no ecosystem claims it.

    Raises Malformed (`oci.shape`) where one does and the layers are not its own.
    """
    for each in _RECOGNISERS:
        shape = each(manifest)
        if shape is not None:
            return shape
    parts = tuple(Part(role="layer", layer=layer, packing=Packing.PLAIN) for layer in manifest.layers)
    return Shape(ecosystem="unknown", kind=manifest.kind, parts=parts)
