"""What `modseal inspect` prints of a bundle, an envelope or a statement."""

from __future__ import annotations

from verify.cli.options import emit, emit_json
from verify.render.escape import terminal


def tell(target: str, *, as_json: bool) -> int:
    """To stdout, with every line as untrusted as the file."""
    from verify.workflows.inspect_signed import as_data, inspect_signed  # noqa: PLC0415

    explained = inspect_signed(target)
    if as_json:
        emit_json(as_data(target, explained))
        return 0
    lines = [f"{explained.kind}: untrusted, nothing below is verified"]
    for section in explained.sections:
        lines.append(section.title)
        lines += [f"  {terminal(each.label):<28} {terminal(each.text)}" for each in section.lines]
    emit("\n".join(lines) + "\n")
    return 0
