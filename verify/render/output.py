"""What `--output FORMAT[=PATH]` asks for. Values only: nothing is opened here.

>>> parse_output("sarif=out.sarif")
Output(format='sarif', path='out.sarif')
>>> parse_outputs(["sarif=out.sarif"])
(Output(format='text', path=None), Output(format='sarif', path='out.sarif'))

Without a path, or with `-`, a report goes to stdout, and only one can. Where all of them go to files, the
text report is printed as well: the account is always told.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.errors import Misused
from verify.render import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Output:
    """A format, and where it goes: None is stdout."""

    format: str
    path: str | None = None


def parse_output(value: str) -> Output:
    """One value of the flag. Raises Misused."""
    name, equals, path = value.partition("=")
    if name not in FORMATS:
        raise Misused(
            f"output {value!r}: expected one of {', '.join(sorted(FORMATS))}, got {name!r}",
            check="output.unknown-format",
            hint="--output json=report.json",
        )
    if equals and not path:
        raise Misused(
            f"output {value!r}: expected a path after =",
            check="output.no-path",
            hint=f"--output {name}, or --output {name}=FILE",
        )
    if "\0" in path:
        raise Misused(f"output {value!r}: a path holds no NUL", check="output.no-path")
    return Output(name, path if path not in {"", "-"} else None)


def parse_outputs(values: Iterable[str]) -> tuple[Output, ...]:
    """All values of the flag, with the text report on stdout where nothing else goes there. Raises Misused."""
    outputs = [parse_output(value) for value in values]
    if all(each.path is not None for each in outputs):
        outputs.insert(0, Output("text"))
    taken: dict[str | None, Output] = {}
    for each in outputs:
        where = posixpath.normpath(each.path) if each.path is not None else None
        if where in taken:
            name = each.path if each.path is not None else "stdout"
            raise Misused(
                f"output {each.format}: {name!r} is taken by {taken[where].format}, expected one report in each place",
                check="output.taken",
                hint=f"--output {each.format}=FILE",
            )
        taken[where] = each
    return tuple(outputs)
