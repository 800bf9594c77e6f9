"""What `modseal inspect` prints of a file: a zip, or a bundle, an envelope, a statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.cli.options import emit, emit_json
from verify.render.escape import terminal

if TYPE_CHECKING:
    from verify.events import Events
    from verify.limits import Limits


def tell(target: str, *, as_json: bool, limits: Limits, events: Events) -> int:
    """To stdout; what is signed is told as untrusted, line by line."""
    from verify.workflows.inspect_signed import is_document  # noqa: PLC0415

    return _signed(target, as_json) if is_document(target) else _zip(target, as_json, limits, events)


def _zip(target: str, as_json: bool, limits: Limits, events: Events) -> int:
    from verify.cli.inspect_zip import lines  # noqa: PLC0415
    from verify.workflows.inspection import inspect_archive  # noqa: PLC0415

    explained = inspect_archive(target, limits=limits, events=events)
    emit_json(explained.as_data()) if as_json else emit("\n".join(lines(explained)) + "\n")
    return 0


def _signed(target: str, as_json: bool) -> int:
    from verify.workflows.inspect_signed import as_data, inspect_signed  # noqa: PLC0415

    explained = inspect_signed(target)
    if as_json:
        emit_json(as_data(target, explained))
        return 0
    told = [f"{explained.kind}: untrusted, nothing below is verified"]
    for section in explained.sections:
        told.append(section.title)
        told += [f"  {terminal(each.label):<28} {terminal(each.text)}" for each in section.lines]
    emit("\n".join(told) + "\n")
    return 0
