"""What a manifest or index says of other bytes: their media type, digest and size.

    {"mediaType":"application/zip","digest":"sha256:…","size":213510}

Sizes are integers from 0 to 2^53-1. `urls` are kept and never followed. `data` is the content itself in
base64; it must have the digest and size beside it. Fields that we do not know are kept, so that a list of
ours does not lose what another tool wrote into it. Rendering has the order of Go's struct.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from verify.digest import Digest
from verify.errors import Malformed
from verify.oci.jsondoc import exact_keys

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.oci.jsondoc import Json

_KNOWN = ("mediaType", "digest", "size", "urls", "annotations", "data", "platform", "artifactType")
# RFC 6838, with the freedom that real config types take
_MEDIA_TYPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}")
_MOST_SIZE = (1 << 53) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptor:
    """Type, digest and size of some bytes; where it stands in a list, a hint about them and no evidence."""

    media_type: str
    digest: Digest
    size: int
    annotations: Mapping[str, str] = field(default_factory=dict, hash=False)
    data: bytes | None = None
    artifact_type: str | None = None
    extra: Mapping[str, Json] = field(default_factory=dict, hash=False)  # fields that we only carry

    @classmethod
    def of(cls, data: bytes, media_type: str, *, annotations: Mapping[str, str] | None = None) -> Self:
        """Of bytes in memory."""
        return cls(
            media_type=media_type, digest=Digest.of(data), size=len(data), annotations=dict(annotations or {})
        )

    @classmethod
    def parse(cls, value: Json, what: str = "descriptor") -> Self:
        """From parsed JSON. Raises Malformed."""
        if not isinstance(value, dict):
            raise _malformed(what, "expected an object")
        exact_keys(value, _KNOWN, what)
        digest = value.get("digest")
        if not isinstance(digest, str):
            raise _malformed(what, "digest: expected a string")
        try:
            parsed = Digest.parse(digest)
        except Malformed as error:
            raise _malformed(what, error.message) from error
        size = parse_size(value.get("size"), what)
        artifact_type = value.get("artifactType")
        return cls(
            media_type=parse_media_type(value.get("mediaType"), what),
            digest=parsed,
            size=size,
            annotations=parse_annotations(value.get("annotations"), what),
            data=_data(value.get("data"), parsed, size, what),
            artifact_type=None if artifact_type in {None, ""} else parse_media_type(artifact_type, what),
            extra={
                key: each for key, each in value.items() if key not in _KNOWN or key in {"urls", "platform"}
            },
        )

    def members(self) -> dict[str, Json]:
        """As JSON, in the order of Go's struct; what we do not know last, sorted."""
        found: dict[str, Json] = {"mediaType": self.media_type, "digest": self.digest.text, "size": self.size}
        if "urls" in self.extra:
            found["urls"] = self.extra["urls"]
        if self.annotations:
            found["annotations"] = sorted_annotations(self.annotations)
        if self.data is not None:
            found["data"] = base64.b64encode(self.data).decode("ascii")
        if "platform" in self.extra:
            found["platform"] = self.extra["platform"]
        if self.artifact_type is not None:
            found["artifactType"] = self.artifact_type
        found.update((key, self.extra[key]) for key in sorted(self.extra) if key not in found)
        return found


def parse_media_type(value: Json, what: str) -> str:
    """A media type without parameters."""
    if not isinstance(value, str) or not _MEDIA_TYPE.fullmatch(value):
        raise _malformed(what, f"expected a media type, got {_shown(value)}")
    return value


def parse_size(value: Json, what: str) -> int:
    """A size that no reader takes for another: true is not 1, and 1.0 is not 1."""
    if type(value) is not int or not 0 <= value <= _MOST_SIZE:
        raise _malformed(what, f"size: expected an integer from 0, got {_shown(value)}")
    return value


def parse_annotations(value: Json, what: str) -> dict[str, str]:
    """A map of strings; absent and null are empty."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _malformed(what, f"annotations: expected an object, got {_shown(value)}")
    found: dict[str, str] = {}
    for key, each in value.items():
        if not isinstance(each, str):
            raise _malformed(what, f"annotation {key!r}: expected a string, got {_shown(each)}")
        found[key] = each
    return found


def sorted_annotations(annotations: Mapping[str, str]) -> dict[str, str]:
    """In the order of the keys' bytes, as Go writes a map."""
    return dict(sorted(annotations.items(), key=lambda pair: pair[0].encode("utf-8")))


def _data(value: Json, digest: Digest, size: int, what: str) -> bytes | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise _malformed(what, "data: expected base64")
    try:
        data = base64.b64decode(value.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        raise _malformed(what, "data: expected base64") from None
    if base64.b64encode(data).decode("ascii") != value:
        raise _malformed(what, "data: expected base64 in its one spelling")
    if len(data) != size or not digest.matches(data):
        raise _malformed(what, "data: other bytes than digest and size say")
    return data


def _malformed(what: str, problem: str) -> Malformed:
    return Malformed(f"{what}: {problem}", check="oci.descriptor-malformed")


def _shown(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
