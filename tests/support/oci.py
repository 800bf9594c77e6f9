"""Small artifacts for tests of stores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.oci.artifact import Artifact, build_artifact
from verify.oci.blob import Content

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.oci.descriptor import Descriptor

MODULE = "application/vnd.example.module"
SIGNATURE = "application/vnd.example.signature"


def module(content: bytes = b"x: 1\n") -> Artifact:
    return build_artifact(layers=(Content.of(content, "text/plain"),), artifact_type=MODULE)


def attachment(
    subject: Descriptor,
    content: bytes = b"signature",
    *,
    kind: str = SIGNATURE,
    annotations: Mapping[str, str] | None = None,
) -> Artifact:
    return build_artifact(
        layers=(Content.of(content, kind),), artifact_type=kind, subject=subject, annotations=annotations
    )
