"""`index.json` of a layout folder: what it lists, under which tags. Bytes in, values out.

A tag is the annotation `org.opencontainers.image.ref.name` of an entry. Tools differ in what they write
there: a tag, or a whole image name that ends with one. A tag that stands there exactly wins; only where none
does, names that end with `:tag` are looked at. One tag on two digests is refused, never chosen from.

Entries that we cannot read, fields and annotations that we do not know stay where another tool put them.
Tagged entries come first, by name, then the others by digest.

>>> LayoutIndex.empty().render()
b'{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[]}'
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Self

from verify.errors import Malformed, Refuted
from verify.limits import DEFAULT, Limits
from verify.oci.descriptor import Descriptor
from verify.oci.fallback import is_list_tag
from verify.oci.jsondoc import exact_keys, parse_json, render_json
from verify.oci.manifest import OCI_INDEX

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.digest import Digest
    from verify.oci.jsondoc import Json

REF_NAME: Final = "org.opencontainers.image.ref.name"
_FULL_NAME = re.compile(r".*:([a-zA-Z0-9_][a-zA-Z0-9._-]{0,127})", re.DOTALL)
_TAG = re.compile(r"[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutIndex:
    """The list of a layout folder."""

    entries: tuple[Descriptor, ...]
    unread: tuple[Json, ...]
    faults: tuple[Malformed, ...]
    members: Mapping[str, Json]  # everything beside the entries

    @classmethod
    def empty(cls) -> Self:
        """Of a new folder."""
        members: dict[str, Json] = {"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": []}
        return cls(entries=(), unread=(), faults=(), members=members)

    @classmethod
    def parse(cls, data: bytes, *, limits: Limits = DEFAULT) -> Self:
        """Raises Malformed (`oci.layout-malformed`, `oci.json-…`), Exhausted (`oci.too-large`)."""
        members = parse_json(data, most=limits.layout_index, depth=limits.document_depth, what="index.json")
        if not isinstance(members, dict):
            raise _malformed("expected an object")
        exact_keys(members, ("schemaVersion", "mediaType", "manifests"), "index.json")
        version = members.get("schemaVersion")
        if type(version) is not int or version != 2:
            raise _malformed("schemaVersion: expected 2")
        if (
            members.get("mediaType") not in {None, "", OCI_INDEX}
            or "layers" in members
            or "config" in members
        ):
            raise _malformed("expected an image index")
        listed = members.get("manifests")
        if listed is not None and not isinstance(listed, list):
            raise _malformed("manifests: expected a list")
        entries: list[Descriptor] = []
        unread: list[Json] = []
        faults: list[Malformed] = []
        for position, each in enumerate(listed or []):
            try:
                entries.append(Descriptor.parse(each, f"index.json: manifests[{position}]"))
            except Malformed as error:
                unread.append(each)
                faults.append(error)
        return cls(entries=tuple(entries), unread=tuple(unread), faults=tuple(faults), members=members)

    def render(self) -> bytes:
        """Compact JSON; the same entries give the same bytes."""
        ordered = sorted(self.entries, key=_order)
        manifests: list[Json] = [*(each.members() for each in ordered), *self.unread]
        return render_json({**self.members, "manifests": manifests})

    def find(self, tag: str) -> Descriptor | None:
        """The entry of a tag. Raises Refuted (`oci.tag-ambiguous`)."""
        exact = [each for each in self.entries if each.annotations.get(REF_NAME) == tag]
        found = exact or [each for each in self.entries if tag_of(each) == tag]
        if len({(each.digest, each.media_type, each.size) for each in found}) > 1:
            raise Refuted(
                f"index.json: tag {tag!r} stands on {len(found)} entries that differ",
                check="oci.tag-ambiguous",
            )
        return found[0] if found else None

    def entry(self, digest: Digest) -> Descriptor | None:
        """The first entry of a digest, whatever its tag."""
        return next((each for each in self.entries if each.digest == digest), None)

    def tags(self) -> tuple[str, ...]:
        """Every tag, sorted."""
        return tuple(sorted({tag for each in self.entries if (tag := tag_of(each)) is not None}))

    def put(self, entry: Descriptor, tag: str | None) -> Self:
        """With a manifest listed, under a tag if one is given, which leaves whatever had it.

        What loses a tag stays listed without one, so that no tool's clean-up takes it; an old fallback list
        does not.
        """
        others: list[Descriptor] = []
        for each in self.entries:
            name = each.annotations.get(REF_NAME)
            if tag is not None and name == tag:
                if each.digest != entry.digest and not is_list_tag(tag):
                    others.append(_named(each, None))
            elif each.digest != entry.digest or name is not None:
                others.append(each)
        if tag is not None or not any(each.digest == entry.digest for each in others):
            others.append(_named(entry, tag))
        return replace(self, entries=_distinct(others))


def tag_of(entry: Descriptor) -> str | None:
    """The tag in an entry's name: all of it, or what follows the last colon of an image name."""
    name = entry.annotations.get(REF_NAME)
    if name is None or _TAG.fullmatch(name):
        return name
    match = _FULL_NAME.fullmatch(name)
    return None if match is None else match[1]


def _named(entry: Descriptor, tag: str | None) -> Descriptor:
    annotations = {key: value for key, value in entry.annotations.items() if key != REF_NAME}
    if tag is not None:
        annotations[REF_NAME] = tag
    return replace(entry, annotations=annotations)


def _distinct(entries: list[Descriptor]) -> tuple[Descriptor, ...]:
    named = {each.digest for each in entries if REF_NAME in each.annotations}
    found: dict[tuple[str, Digest], Descriptor] = {}
    for each in entries:
        name = each.annotations.get(REF_NAME)
        if name is None and each.digest in named:
            continue
        found.setdefault((name or "", each.digest), each)
    return tuple(found.values())


def _order(entry: Descriptor) -> tuple[bool, bytes, str]:
    name = entry.annotations.get(REF_NAME)
    return (name is None, (name or "").encode("utf-8"), entry.digest.text)


def _malformed(problem: str) -> Malformed:
    return Malformed(f"index.json: {problem}", check="oci.layout-malformed")
