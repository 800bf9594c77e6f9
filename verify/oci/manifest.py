"""Image manifests and indexes, read so that no second reader can take them for something else.

1. Schema version 2, as an integer; one object; no key twice, none known in another case.
2. Never both `manifests` and `layers` or `config`.
3. `mediaType` inside, where it stands, equals the type the document was served as; a document without it is
   what it was served as (Helm's charts are like that).
4. Docker's manifest and list are read as what they are equal to; other types are refused.

A manifest keeps nothing of its bytes' form: whoever needs the digest keeps the bytes. `render` writes what
Go writes from the same values.

>>> from verify.oci.artifact import EMPTY
>>> Manifest(config=EMPTY.descriptor, layers=()).render()[:60]
b'{"schemaVersion":2,"mediaType":"application/vnd.oci.image.ma'
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from verify.errors import Exhausted, Malformed, Refuted
from verify.limits import DEFAULT, Limits
from verify.oci.descriptor import Descriptor, parse_annotations, parse_media_type, sorted_annotations
from verify.oci.jsondoc import exact_keys, parse_json, render_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.oci.jsondoc import Json

OCI_MANIFEST: Final = "application/vnd.oci.image.manifest.v1+json"
OCI_INDEX: Final = "application/vnd.oci.image.index.v1+json"
DOCKER_MANIFEST: Final = "application/vnd.docker.distribution.manifest.v2+json"
DOCKER_LIST: Final = "application/vnd.docker.distribution.manifest.list.v2+json"
MANIFEST_TYPES: Final = (OCI_MANIFEST, DOCKER_MANIFEST)
INDEX_TYPES: Final = (OCI_INDEX, DOCKER_LIST)
ACCEPTED: Final = (OCI_MANIFEST, OCI_INDEX, DOCKER_MANIFEST, DOCKER_LIST)

_KNOWN = (
    "schemaVersion",
    "mediaType",
    "artifactType",
    "config",
    "layers",
    "manifests",
    "subject",
    "annotations",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A config and layers."""

    config: Descriptor
    layers: tuple[Descriptor, ...]
    artifact_type: str | None = None
    subject: Descriptor | None = None
    annotations: Mapping[str, str] = field(default_factory=dict, hash=False)
    media_type: str = OCI_MANIFEST

    @property
    def kind(self) -> str:
        """What it is of: its artifact type, else its config's media type."""
        return self.artifact_type or self.config.media_type

    def children(self) -> tuple[Descriptor, ...]:
        """Every blob it needs."""
        return (self.config, *self.layers)

    def render(self) -> bytes:
        """Compact JSON in the order of Go's struct."""
        found: dict[str, Json] = {"schemaVersion": 2, "mediaType": self.media_type}
        if self.artifact_type is not None:
            found["artifactType"] = self.artifact_type
        found["config"] = self.config.members()
        found["layers"] = [layer.members() for layer in self.layers]
        return _rendered(found, self.subject, self.annotations)


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """A list of manifests."""

    manifests: tuple[Descriptor, ...]
    artifact_type: str | None = None
    subject: Descriptor | None = None
    annotations: Mapping[str, str] = field(default_factory=dict, hash=False)
    media_type: str = OCI_INDEX

    @property
    def kind(self) -> str | None:
        """Its artifact type, where it has one."""
        return self.artifact_type

    def children(self) -> tuple[Descriptor, ...]:
        """Every manifest it lists."""
        return self.manifests

    def render(self) -> bytes:
        """Compact JSON in the order of Go's struct."""
        found: dict[str, Json] = {"schemaVersion": 2, "mediaType": self.media_type}
        if self.artifact_type is not None:
            found["artifactType"] = self.artifact_type
        found["manifests"] = [each.members() for each in self.manifests]
        return _rendered(found, self.subject, self.annotations)


Document = Manifest | Index


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The entries of an index one by one: those that are descriptors, and why others are not."""

    entries: tuple[Descriptor, ...]
    faults: tuple[Malformed, ...]
    unread: tuple[
        Json, ...
    ]  # the entries with faults as they stand, so that a list of ours does not lose them
    subject: Descriptor | None


def parse_document(
    data: bytes, *, served_as: str | None, limits: Limits = DEFAULT, lenient: bool = False
) -> Document:
    """A manifest or an index. `served_as` is the content type, None where nobody states one.

    `lenient` leaves out entries of an index that we cannot read: for those who store it, not for those who
    follow it.
    Raises Malformed, Refuted (`oci.media-type`), Exhausted (`oci.too-large`).
    """
    members, media_type = _members(data, served_as, limits)
    artifact_type = members.get("artifactType")
    kind = None if artifact_type in {None, ""} else parse_media_type(artifact_type, "artifactType")
    subject = _subject(members)
    annotations = parse_annotations(members.get("annotations"), "manifest")
    if media_type in INDEX_TYPES:
        return Index(
            manifests=_entries(members, limits)[0] if lenient else _list(members, "manifests"),
            artifact_type=kind,
            subject=subject,
            annotations=annotations,
            media_type=media_type,
        )
    return Manifest(
        config=Descriptor.parse(members.get("config"), "config"),
        layers=_list(members, "layers"),
        artifact_type=kind,
        subject=subject,
        annotations=annotations,
        media_type=media_type,
    )


def parse_manifest(
    data: bytes, *, served_as: str | None = OCI_MANIFEST, limits: Limits = DEFAULT
) -> Manifest:
    """A manifest and nothing else. Raises as `parse_document`."""
    document = parse_document(data, served_as=served_as, limits=limits)
    if not isinstance(document, Manifest):
        raise Refuted("document: expected a manifest, got an index", check="oci.media-type")
    return document


def parse_listing(
    data: bytes, *, served_as: str | None = OCI_INDEX, limits: Limits = DEFAULT, most: int | None = None
) -> Listing:
    """An index whose bad entries do not take the good ones with them: what lists of referrers need.

    Raises as `parse_document` where the document itself is no index.
    """
    members, media_type = _members(data, served_as, limits, most)
    if media_type not in INDEX_TYPES:
        raise Refuted("list: expected an index, got a manifest", check="oci.media-type")
    entries, faults, unread = _entries(members, limits)
    return Listing(entries=entries, faults=faults, unread=unread, subject=_subject(members))


def plain_type(content_type: str) -> str:
    """A content type without its parameters."""
    return content_type.partition(";")[0].strip()


def _members(
    data: bytes, served_as: str | None, limits: Limits, most: int | None = None
) -> tuple[dict[str, Json], str]:
    members = parse_json(
        data, most=most or limits.manifest_bytes, depth=limits.document_depth, what="manifest"
    )
    if not isinstance(members, dict):
        raise _malformed("expected an object")
    exact_keys(members, _KNOWN, "manifest")
    version = members.get("schemaVersion")
    if type(version) is not int or version != 2:
        raise _malformed("schemaVersion: expected 2")
    if "manifests" in members and ("layers" in members or "config" in members):
        raise Malformed(
            "manifest: both a list of manifests and a config or layers", check="oci.manifest-ambiguous"
        )
    media_type = _media_type(members, served_as)
    if ("manifests" in members) != (media_type in INDEX_TYPES):
        raise Refuted(
            f"manifest: served as {media_type}, and its fields are of the other kind", check="oci.media-type"
        )
    return members, media_type


def _media_type(members: dict[str, Json], served_as: str | None) -> str:
    inside = members.get("mediaType")
    if inside == "":
        inside = None  # Go writes an empty one where its struct had none
    if inside is not None and not isinstance(inside, str):
        raise _malformed("mediaType: expected a string")
    served = plain_type(served_as) if served_as is not None else None
    if inside is not None and served is not None and inside != served:
        raise Refuted(f"manifest: served as {served!r}, says it is {inside!r}", check="oci.media-type")
    media_type = inside or served or (OCI_INDEX if "manifests" in members else OCI_MANIFEST)
    if media_type not in ACCEPTED:
        raise Refuted(
            f"manifest: expected an image manifest or index, got {media_type!r}", check="oci.media-type"
        )
    return media_type


def _raw_list(members: dict[str, Json], name: str) -> list[Json]:
    value = members.get(name)
    if value is None:
        return []  # Go writes null for an empty list
    if not isinstance(value, list):
        raise _malformed(f"{name}: expected a list")
    return value


def _list(members: dict[str, Json], name: str) -> tuple[Descriptor, ...]:
    raw = _raw_list(members, name)
    return tuple(Descriptor.parse(each, f"{name}[{position}]") for position, each in enumerate(raw))


def _entries(
    members: dict[str, Json], limits: Limits
) -> tuple[tuple[Descriptor, ...], tuple[Malformed, ...], tuple[Json, ...]]:
    entries: list[Descriptor] = []
    faults: list[Malformed] = []
    unread: list[Json] = []
    for position, each in enumerate(_raw_list(members, "manifests")):
        try:
            entries.append(Descriptor.parse(each, f"manifests[{position}]"))
        except Malformed as error:
            faults.append(error)
            unread.append(each)
            if len(faults) > limits.referrer_entries:
                text = f"manifests: more than {limits.referrer_entries} entries that cannot be read"
                raise Exhausted(text, check="oci.too-large") from error
    return tuple(entries), tuple(faults), tuple(unread)


def _subject(members: dict[str, Json]) -> Descriptor | None:
    value = members.get("subject")
    return None if value is None else Descriptor.parse(value, "subject")


def _rendered(found: dict[str, Json], subject: Descriptor | None, annotations: Mapping[str, str]) -> bytes:
    if subject is not None:
        found["subject"] = subject.members()
    if annotations:
        found["annotations"] = sorted_annotations(annotations)
    return render_json(found)


def _malformed(problem: str) -> Malformed:
    return Malformed(f"manifest: {problem}", check="oci.manifest-malformed")
