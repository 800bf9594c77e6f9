r"""Fields of a JSON document, read one by one: what is missing or of another type is named with its place.

JSON itself is read by `verify.oci.jsondoc`: UTF-8, no key twice, no NaN, bounded depth. Each format has its own
check ids: the `room` (`bundle`, `envelope`, `statement`, `predicate`, `signer`) stands before `.malformed`,
`.duplicate-key` and `.too-large`.

>>> parse(b'{"a": {"n": 1}}', room="bundle", most=99).child("a").text("n")
Traceback (most recent call last):
verify.errors.Malformed: bundle.a.n: expected a string, got a number
>>> decode("AAE", "x", "bundle")
Traceback (most recent call last):
verify.errors.Malformed: x: expected padded base64
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.errors import Exhausted, Malformed
from verify.limits import DEFAULT
from verify.oci.jsondoc import exact_keys, parse_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from verify.oci.jsondoc import Json

_KINDS = {str: "a string", bool: "true or false", list: "a list", dict: "an object", type(None): "null"}
_IDS = {
    "oci.json-duplicate-key": "duplicate-key",
    "oci.too-large": "too-large",
}


@dataclass(frozen=True, slots=True)
class Fields:
    """One object of a document, and where in it that stands."""

    members: Mapping[str, Json]
    place: str
    room: str

    def refuse(self, message: str, key: str = "") -> Malformed:
        """The error to raise about this object or one of its fields."""
        return Malformed(f"{self._at(key)}: {message}", check=f"{self.room}.malformed")

    def known(self, *keys: str) -> None:
        """Refuse every other key: two readers could differ on what it means."""
        if unknown := sorted(set(self.members) - set(keys)):
            raise self.refuse(f"unknown field {unknown[0]!r}")

    def exactly(self, keys: Iterable[str]) -> None:
        """Let other keys pass, but none that is one of these in another case."""
        try:
            exact_keys(self.members, keys, self.place)
        except Malformed as error:
            raise Malformed(error.message, check=f"{self.room}.duplicate-key") from None

    def get(self, key: str) -> Json:
        """The value, or None where it is absent or null: protocol buffers write neither differently."""
        return self.members.get(key)

    def text(self, key: str, default: str | None = None) -> str:
        """A string; without a default it must be there."""
        value = self.get(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise self._other(key, "a string")
        return value

    def some_text(self, key: str) -> str:
        """A string that is not empty."""
        value = self.text(key)
        if not value:
            raise self.refuse("is empty", key)
        return value

    def child(self, key: str) -> Fields:
        """An object."""
        return self._object(self.get(key), key)

    def texts(self, key: str) -> dict[str, str]:
        """An object of strings; absent is empty."""
        if self.get(key) is None:
            return {}
        child = self.child(key)
        return {name: child.text(name) for name in child.members}

    def values(self, key: str, most: int) -> tuple[Json, ...]:
        """A list; absent is empty."""
        value = self.get(key)
        if value is None:
            return ()
        if not isinstance(value, list):
            raise self._other(key, "a list")
        if len(value) > most:
            raise Exhausted(
                f"{self._at(key)}: {len(value)} entries, more than {most}", check=f"{self.room}.too-large"
            )
        return tuple(value)

    def children(self, key: str, most: int) -> tuple[Fields, ...]:
        """A list of objects; absent is empty."""
        return tuple(
            self._object(each, f"{key}[{index}]") for index, each in enumerate(self.values(key, most))
        )

    def blob(self, key: str) -> bytes:
        """Bytes in base64."""
        return decode(self.text(key), self._at(key), self.room)

    def number(self, key: str) -> int | None:
        """An integer of 64 bits, as protocol buffers write it (a string) or as a number; None where absent."""
        value = self.get(key)
        if value is None:
            return None
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if not isinstance(text, str) or not text.isascii() or not text.isdigit() or len(text) > 19:
            raise self.refuse("expected a whole number from 0", key)
        return int(text)

    def _object(self, value: Json, key: str) -> Fields:
        if not isinstance(value, dict):
            raise self._other(key, "an object", value)
        return Fields(value, self._at(key), self.room)

    def _other(self, key: str, expected: str, value: Json = None) -> Malformed:
        got = self.get(key) if value is None else value
        kind = "nothing" if got is None and key not in self.members else _KINDS.get(type(got), "a number")
        return self.refuse(f"expected {expected}, got {kind}", key)

    def _at(self, key: str) -> str:
        return f"{self.place}.{key}" if key else self.place


def parse(data: bytes, *, room: str, most: int) -> Fields:
    """One JSON object. Raises Malformed, and Exhausted beyond `most` bytes."""
    try:
        value = parse_json(data, most=most, depth=DEFAULT.document_depth, what=room)
    except (Malformed, Exhausted) as error:
        error.check = f"{room}.{_IDS.get(error.check or '', 'malformed')}"
        raise
    if not isinstance(value, dict):
        raise Malformed(f"{room}: expected an object", check=f"{room}.malformed")
    return Fields(value, room, room)


def decode(text: str, place: str, room: str) -> bytes:
    """Base64 of the standard alphabet, padded, in its one spelling."""
    try:
        raw = base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        raw = None
    if raw is None or base64.b64encode(raw).decode("ascii") != text:
        raise Malformed(f"{place}: expected padded base64", check=f"{room}.malformed")
    return raw


def encode(data: bytes) -> str:
    """The same, written."""
    return base64.b64encode(data).decode("ascii")
