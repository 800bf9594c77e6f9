"""What a manifest is of, as its ecosystem would read it: the shape of an artifact. Values only.

A shape names the layers that matter by their role. A manifest that says it is of an ecosystem and does not
have that ecosystem's layers is Malformed (`oci.shape`): the tool would refuse it, or pick a layer by chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from verify.errors import Malformed
from verify.report import Check

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verify.oci.descriptor import Descriptor

SHAPE = Check(
    id="oci.shape",
    title="artifact lacks its ecosystem's layers",
    meaning="A manifest says that it is of an ecosystem, and does not have the layers which that ecosystem's tool reads.",
    remedy="Publish it again with the ecosystem's own tool or with modseal publish.",
)
CHECKS = (SHAPE,)


class Packing(StrEnum):
    """How the files are packed in a layer."""

    ZIP = "zip"
    TAR_GZIP = "tar+gzip"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A layer and what it is for."""

    role: str
    layer: Descriptor
    packing: Packing


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Which ecosystem, which kind of thing in it, and the parts it has."""

    ecosystem: str
    kind: str
    parts: tuple[Part, ...]

    def part(self, role: str) -> Part:
        """The only part of a role. Raises Malformed (`oci.shape`)."""
        return the_only(
            [each for each in self.parts if each.role == role], f"{self.ecosystem} {self.kind}: {role}"
        )


def the_only(found: Iterable[Part], what: str) -> Part:
    """Exactly one. Raises Malformed (`oci.shape`)."""
    parts = tuple(found)
    if len(parts) != 1:
        raise Malformed(f"{what}: expected one layer, got {len(parts)}", check=SHAPE.id)
    return parts[0]


def refuse(what: str, problem: str) -> Malformed:
    """The error for a manifest of a known kind with the wrong layers."""
    return Malformed(f"{what}: {problem}", check=SHAPE.id)
