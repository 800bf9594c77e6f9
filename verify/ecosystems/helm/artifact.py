"""A Helm chart: a config of Helm's type, one chart layer, and perhaps its provenance.

Helm sorts layers by digest, so the chart is found by its type, never by its place. The manifest has neither
a media type of its own nor an artifact type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verify.ecosystems.shape import Packing, Part, Shape, refuse, the_only

if TYPE_CHECKING:
    from verify.oci.manifest import Manifest

CONFIG: Final = "application/vnd.cncf.helm.config.v1+json"
CHART: Final = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
LEGACY_CHART: Final = "application/tar+gzip"
PROVENANCE: Final = "application/vnd.cncf.helm.chart.provenance.v1.prov"


def recognise_helm(manifest: Manifest) -> Shape | None:
    """What Helm pulls, or None. Raises Malformed (`oci.shape`)."""
    if manifest.kind != CONFIG:
        return None
    charts = [
        Part(role="archive", layer=layer, packing=Packing.TAR_GZIP)
        for layer in manifest.layers
        if layer.media_type in {CHART, LEGACY_CHART}
    ]
    provenance = [
        Part(role="provenance", layer=layer, packing=Packing.PLAIN)
        for layer in manifest.layers
        if layer.media_type == PROVENANCE
    ]
    if len(provenance) > 1:
        raise refuse("Helm chart", f"provenance: expected at most one layer, got {len(provenance)}")
    return Shape(ecosystem="helm", kind="chart", parts=(the_only(charts, "Helm chart: chart"), *provenance))
