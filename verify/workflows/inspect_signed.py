"""`modseal inspect` of a bundle, an envelope or a statement: what it says of itself, untrusted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from verify.limits import DEFAULT, Limits
from verify.signing.inspection import Explanation, explain_document
from verify.workflows.sources import open_file, read_document

if TYPE_CHECKING:
    from verify.oci.jsondoc import Json


def is_document(path: str) -> bool:
    """Whether a file begins as JSON does; a zip does not."""
    if path.startswith("zip:"):
        return False
    with open_file(_plain(path)) as file:
        return file.read(64).lstrip()[:1] == b"{"


def inspect_signed(path: str, *, limits: Limits = DEFAULT) -> Explanation:
    """Raises Absent, Unavailable, Malformed, Misused."""
    return explain_document(read_document(_plain(path), limits.bundle_bytes), limits=limits)


def as_data(path: str, explained: Explanation) -> dict[str, Json]:
    """For machines."""
    return {
        "schemaVersion": "modseal.inspect-signed/1",
        "path": path,
        "kind": explained.kind,
        "verified": False,
        "sections": [
            {
                "title": section.title,
                "lines": [{"label": line.label, "text": line.text} for line in section.lines],
            }
            for section in explained.sections
        ],
    }


def _plain(path: str) -> Path:
    return Path(path.removeprefix("file:"))
