"""Shapes: the manifests that others write are rebuilt byte for byte, and recognised."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from verify.digest import Digest
from verify.ecosystems.cue.artifact import MODULE, MODULE_FILE, CueSource, build_cue_artifact
from verify.ecosystems.flux.artifact import CONFIG as FLUX
from verify.ecosystems.generic.artifact import ARTIFACT_TYPE as GENERIC
from verify.ecosystems.generic.artifact import build_generic_artifact
from verify.ecosystems.helm.artifact import CHART, PROVENANCE
from verify.ecosystems.helm.artifact import CONFIG as HELM
from verify.ecosystems.opentofu.artifact import ARTIFACT_TYPE as OPENTOFU
from verify.ecosystems.opentofu.artifact import build_opentofu_artifact
from verify.ecosystems.recognition import recognise
from verify.ecosystems.timoni.artifact import CONFIG as TIMONI
from verify.ecosystems.timoni.artifact import CONTENT, CONTENT_TYPE
from verify.errors import Malformed, Misused
from verify.oci.artifact import EMPTY, build_artifact
from verify.oci.blob import Content
from verify.oci.descriptor import Descriptor
from verify.oci.manifest import OCI_MANIFEST, parse_manifest

EMPTY_DIGEST = EMPTY.descriptor.digest.text


def archive(digest: str, size: int) -> Content:
    descriptor = Descriptor(media_type="application/zip", digest=Digest.parse(f"sha256:{digest}"), size=size)
    return Content(descriptor=descriptor, open=lambda: io.BytesIO(b""))


@pytest.mark.parametrize(
    ("digest", "size", "manifest"),
    [
        # what cue writes for one and the same module, built with Go before 1.27 and from 1.27 on
        (
            "6a99876cf4d65e06d0d7ce3e5e7a8217d919f0b603c47d39b0ecf7db5299d85a",
            355,
            "c145b84adf1458ec694b142ba85cd4a39aec82c1b31936694e0ca0abfc99a4fc",
        ),
        (
            "3511ef8f3d2017fe5ba11fdea01b8e5d2446e5f56f295d471ec21409ed83d30c",
            357,
            "acd2edc15c85c43fb1b2792b06ee15d78c016474f3cbceec40ed20108251ce92",
        ),
    ],
)
def test_cue_manifest_is_the_one_cue_writes(digest: str, size: int, manifest: str) -> None:
    module_file = b'module: "baz.org@v0"\nlanguage: version: "v0.8.0"\n\n'
    artifact = build_cue_artifact(archive(digest, size), module_file)
    assert artifact.descriptor.digest.hex == manifest
    shape = recognise(parse_manifest(artifact.data))
    assert (shape.ecosystem, shape.kind) == ("cue", "module")
    assert shape.part("archive").layer.size == size


def test_cue_manifest_of_a_published_module() -> None:
    module_file = Descriptor(
        media_type=MODULE_FILE,
        digest=Digest.parse("sha256:8b1901adace9419868571fc05c12aa1aacb8bbfd2da3527cdf6404fc2a430e1a"),
        size=87,
    )
    artifact = build_artifact(
        config=Content.of(b"{}", MODULE),
        layers=(
            archive("0b16bc9d6619c5a2d64fb1cb2f88c2d06e059de44314296b33bef16aa72db84d", 213510),
            Content(descriptor=module_file, open=lambda: io.BytesIO(b"")),
        ),
    )
    assert len(artifact.data) == 511
    assert (
        artifact.descriptor.digest.hex == "4f5a17efc0c297ec5df723a2eaf2c2337ca90d99d32b27f8237013a6a367ab8d"
    )


def test_cue_source_is_all_or_nothing() -> None:
    source = CueSource(system="git", commit="a" * 40, commit_time="2026-01-02T03:04:05+01:00")
    data = build_cue_artifact(archive("0" * 64, 1), b"", source=source).data
    assert list(json.loads(data)["annotations"]) == [
        "org.cuelang.vcs-commit",
        "org.cuelang.vcs-commit-time",
        "org.cuelang.vcs-type",
    ]
    with pytest.raises(Misused):
        build_cue_artifact(
            archive("0" * 64, 1), b"", source=CueSource(system="git", commit="", commit_time="x")
        )


def test_opentofu_manifest() -> None:
    artifact = build_opentofu_artifact(Content.of(b"zip", "application/zip"), title="net.zip")
    members = json.loads(artifact.data)
    assert members["mediaType"] == OCI_MANIFEST
    assert members["artifactType"] == OPENTOFU
    assert [layer["mediaType"] for layer in members["layers"]] == ["archive/zip"]
    assert recognise(parse_manifest(artifact.data)).part("archive").layer.size == 3


def test_same_input_same_bytes() -> None:
    builds = [
        build_generic_artifact(Content.of(b"zip", "x/y"), title="a.zip", annotations=dict(pairs)).data
        for pairs in ([("a", "1"), ("b", "2")], [("b", "2"), ("a", "1")])
    ]
    assert builds[0] == builds[1]
    assert json.loads(builds[0])["artifactType"] == GENERIC


def test_nothing_says_what_it_is() -> None:
    with pytest.raises(Misused):
        build_artifact(layers=())


def layer(media_type: str, number: int = 0, **annotations: str) -> dict[str, Any]:
    return {
        "mediaType": media_type,
        "digest": Digest.of(b"%d" % number).text,
        "size": 1,
        "annotations": {key.replace("_", "."): value for key, value in annotations.items()},
    }


def manifest(config: str, *layers: dict[str, Any], **members: Any) -> bytes:
    described = {"mediaType": config, "digest": EMPTY_DIGEST, "size": 2}
    return json.dumps({"schemaVersion": 2, "config": described, "layers": layers, **members}).encode()


def contents(*kinds: str) -> list[dict[str, Any]]:
    return [
        {**layer(CONTENT, number), "annotations": {CONTENT_TYPE: kind}} for number, kind in enumerate(kinds)
    ]


FLUX_TAR = "application/vnd.cncf.flux.content.v1.tar+gzip"
EMPTY_TYPE = "application/vnd.oci.empty.v1+json"
RECOGNISED = {
    "flux": (manifest(FLUX, layer(FLUX_TAR)), "flux", "artifact", ["content"]),
    "flux with two layers": (
        manifest(FLUX, layer(FLUX_TAR), layer("x/y", 1)),
        "flux",
        "artifact",
        ["content", "layer"],
    ),
    "helm, chart second": (
        manifest(HELM, layer(PROVENANCE), layer(CHART, 1)),
        "helm",
        "chart",
        ["archive", "provenance"],
    ),
    "helm, old type": (manifest(HELM, layer("application/tar+gzip")), "helm", "chart", ["archive"]),
    "timoni module": (
        manifest(TIMONI, *contents("module/vendor", "module")),
        "timoni",
        "module",
        ["module/vendor", "module"],
    ),
    "timoni schemas": (manifest(TIMONI, *contents("cue.mod/gen")), "timoni", "artifact", ["cue.mod/gen"]),
    "opentofu with another layer": (
        manifest(EMPTY_TYPE, layer("text/plain"), layer("archive/zip", 1), artifactType=OPENTOFU),
        "opentofu",
        "module",
        ["archive"],
    ),
    "none of them": (
        manifest("application/vnd.oci.image.config.v1+json", layer("x/y")),
        "unknown",
        "application/vnd.oci.image.config.v1+json",
        ["layer"],
    ),
}
REFUSED = {
    "cue with one layer": manifest(MODULE, layer("application/zip")),
    "cue with three layers": manifest(
        MODULE, layer("application/zip"), layer(MODULE_FILE, 1), layer("x/y", 2)
    ),
    "cue with its layers swapped": manifest(MODULE, layer(MODULE_FILE), layer("application/zip", 1)),
    "opentofu without a zip": manifest(EMPTY_TYPE, layer("application/zip"), artifactType=OPENTOFU),
    "opentofu with two zips": manifest(
        EMPTY_TYPE, layer("archive/zip"), layer("archive/zip", 1), artifactType=OPENTOFU
    ),
    "generic with two layers": manifest(
        EMPTY_TYPE, layer("application/zip"), layer("application/zip", 1), artifactType=GENERIC
    ),
    "flux without layers": manifest(FLUX),
    "helm without a chart": manifest(HELM, layer(PROVENANCE)),
    "helm with two charts": manifest(HELM, layer(CHART), layer(CHART, 1)),
    "helm with two provenances": manifest(HELM, layer(CHART), layer(PROVENANCE, 1), layer(PROVENANCE, 2)),
    "timoni in the wrong order": manifest(TIMONI, *contents("module", "module/vendor")),
    "timoni with half a module": manifest(TIMONI, *contents("module")),
    "timoni with another layer": manifest(TIMONI, layer("x/y")),
    "timoni without layers": manifest(TIMONI),
}


@pytest.mark.parametrize("name", RECOGNISED)
def test_recognised(name: str) -> None:
    data, ecosystem, kind, roles = RECOGNISED[name]
    shape = recognise(parse_manifest(data))
    assert (shape.ecosystem, shape.kind, [part.role for part in shape.parts]) == (ecosystem, kind, roles)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    with pytest.raises(Malformed) as caught:
        recognise(parse_manifest(REFUSED[name]))
    assert caught.value.check == "oci.shape"


def test_a_part_that_is_not_there() -> None:
    shape = recognise(parse_manifest(manifest(FLUX, layer(FLUX_TAR))))
    with pytest.raises(Malformed):
        shape.part("archive")
