"""What `modseal inspect` says of an artifact, or of the tags of a repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.render.escape import terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.workflows.artifact_inspection import Explained, Listed


def tags(found: Listed) -> Iterator[str]:
    """For people."""
    yield from (
        f"{digest}  {terminal(found.place.reference.name)}:{terminal(tag)}" for tag, digest in found.tags
    )


def lines(found: Explained) -> Iterator[str]:
    """For people."""
    yield f"manifest   {found.fetched.digest}, {len(found.fetched.data)} bytes"
    yield f"place      {terminal(found.place.reference.name)}"
    yield f"shape      {terminal(found.shape)}"
    yield f"type       {terminal(found.document.kind or found.fetched.media_type)}"
    for row in found.rows:
        each = row.descriptor
        yield f"  {row.role:<12} {each.digest}  {each.size:>12}  {terminal(each.media_type)}"
        yield from (
            f"    {terminal(key)} = {terminal(value)}" for key, value in sorted(each.annotations.items())
        )
    yield from (
        f"says       {terminal(key)} = {terminal(text)}"
        for key, text in sorted(found.document.annotations.items())
    )
    if found.document.subject is not None:
        yield f"refers to  {found.document.subject.digest}"
    yield f"attached   {terminal(found.why_unknown) if found.attached is None else found.attached}"
