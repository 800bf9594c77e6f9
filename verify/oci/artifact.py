r"""An artifact: a manifest and the blobs it names, built deterministically and held as exact bytes.

The same contents and annotations give the same bytes everywhere. Nothing is added: no creation time, no tool
name. A config that holds nothing is the empty JSON object, which must be pushed like any blob.

>>> artifact = build_artifact(layers=(Content.of(b"x: 1\n", "text/plain"),), artifact_type="example/type")
>>> artifact.descriptor.digest
Digest('sha256:4b79035f0ba017332e2fccdb56e26c93b0c7208386b34f652f2539d1155454e9')
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from verify.errors import Misused
from verify.oci.blob import Content
from verify.oci.descriptor import Descriptor
from verify.oci.manifest import OCI_MANIFEST, Manifest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

EMPTY_TYPE: Final = "application/vnd.oci.empty.v1+json"
EMPTY: Final = Content.of(b"{}", EMPTY_TYPE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A manifest's bytes and what it names."""

    manifest: Manifest
    data: bytes
    blobs: tuple[Content, ...]

    @property
    def descriptor(self) -> Descriptor:
        """Of the manifest."""
        return Descriptor.of(self.data, OCI_MANIFEST)


def build_artifact(
    *,
    layers: Sequence[Content],
    config: Content = EMPTY,
    artifact_type: str | None = None,
    annotations: Mapping[str, str] | None = None,
    subject: Descriptor | None = None,
    inline: bool = False,
) -> Artifact:
    """Put it together. `inline` writes an empty config's two bytes into its descriptor too, as ORAS does.

    Raises Misused where nothing would say what the artifact is.
    """
    if artifact_type is None and config.descriptor.media_type == EMPTY_TYPE:
        raise Misused("artifact: expected an artifact type, or a config with a type of its own")
    config_descriptor = config.descriptor
    if inline and config_descriptor == EMPTY.descriptor:
        config_descriptor = replace(config_descriptor, data=b"{}")
    manifest = Manifest(
        config=config_descriptor,
        layers=tuple(layer.descriptor for layer in layers),
        artifact_type=artifact_type,
        subject=None if subject is None else _bare(subject),
        annotations=dict(annotations or {}),
    )
    return Artifact(manifest=manifest, data=manifest.render(), blobs=(config, *layers))


def _bare(subject: Descriptor) -> Descriptor:
    # what a list said about the subject is no part of it: the same subject gives the same bytes
    return Descriptor(media_type=subject.media_type, digest=subject.digest, size=subject.size)
