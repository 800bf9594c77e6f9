r"""Extra fields: what may stand in one, what is ignored, and what would give the entry a second meaning.

>>> parse_extra(bytes.fromhex("0100 0200 aabb"))
{1: b'\xaa\xbb'}
"""

from __future__ import annotations

from verify.archive.format import FULL32, ZIP64_ID
from verify.errors import Malformed

# readers that know these would take another name, another type or other bytes than readers that do not
MEANINGFUL = {
    0x7075: ("archive.unicode-path", "an extra field gives the entry a second name"),
    0x6375: ("archive.unicode-path", "an extra field gives the entry a second comment"),
    0x756E: ("archive.symlink", "an extra field gives the entry a file type and a link target"),
    0x6C78: ("archive.unix-extra", "an extra field gives the entry other attributes"),
    0x0017: ("archive.encrypted", "an extra field says the entry is encrypted"),
    0x9901: ("archive.encrypted", "an extra field says the entry is encrypted"),
}
# times and owners, which differ between the two headers by their own definitions
_LOOSE = {0x5455, 0x7875, 0x7855, 0x5855, 0x000A}


def parse_extra(data: bytes) -> dict[int, bytes]:
    """Id and value of each field; Malformed (`archive.extra`, `archive.extra-duplicate`)."""
    fields: dict[int, bytes] = {}
    at = 0
    while at < len(data):
        if len(data) - at < 4:
            raise Malformed(f"extra field: {len(data) - at} stray bytes", check="archive.extra")
        kind = int.from_bytes(data[at : at + 2], "little")
        size = int.from_bytes(data[at + 2 : at + 4], "little")
        value = data[at + 4 : at + 4 + size]
        if len(value) != size:
            raise Malformed(
                f"extra field {kind:04x}: expected {size} bytes, got {len(value)}", check="archive.extra"
            )
        if kind in fields:
            raise Malformed(f"extra field {kind:04x} stands there twice", check="archive.extra-duplicate")
        fields[kind] = value
        at += 4 + size
    return fields


def differing(central: dict[int, bytes], local: dict[int, bytes]) -> list[int]:
    """Ids of fields that the two headers should share and do not."""
    ids = (central.keys() | local.keys()) - _LOOSE - {ZIP64_ID}
    return sorted(kind for kind in ids if central.get(kind) != local.get(kind))


def widen(fields: dict[int, bytes], narrow: tuple[int, ...]) -> tuple[int, ...]:
    """The values with each saturated one taken from the zip64 field, which holds exactly those, in order.

    Raises Malformed (`archive.zip64-extra`).
    """
    if not fields and FULL32 not in narrow:
        return narrow
    saturated = sum(value == FULL32 for value in narrow)
    field = fields.get(ZIP64_ID)
    if field is None and not saturated:
        return narrow
    if field is None or not saturated or len(field) != 8 * saturated:
        held = "none" if field is None else f"{len(field)} bytes"
        raise Malformed(
            f"zip64 extra field: expected {saturated} values, got {held}", check="archive.zip64-extra"
        )
    wide = iter([int.from_bytes(field[at : at + 8], "little") for at in range(0, len(field), 8)])
    return tuple(next(wide) if value == FULL32 else value for value in narrow)
