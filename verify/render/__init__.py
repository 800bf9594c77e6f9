"""A Report as text, json, sarif, junit, github annotations, markdown and html.

`FORMATS` maps a format's name to its renderer, which is imported when it is asked for. Every renderer is a
pure function of the report: the same report gives the same bytes, whatever the clock, the locale or the
order in which the findings arrived.

>>> sorted(FORMATS)
['github', 'html', 'json', 'junit', 'markdown', 'sarif', 'text']
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verify.report import Report

_NAMES = ("text", "json", "sarif", "junit", "github", "markdown", "html")


class _Formats(Mapping[str, "Callable[[Report], str]"]):
    """The registry: a name costs nothing until its renderer is used."""

    def __getitem__(self, name: str) -> Callable[[Report], str]:
        if name not in _NAMES:
            raise KeyError(name)
        render: Callable[[Report], str] = importlib.import_module(f"verify.render.{name}").render
        return render

    def __contains__(self, name: object) -> bool:
        return name in _NAMES

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


FORMATS: Mapping[str, Callable[[Report], str]] = _Formats()
