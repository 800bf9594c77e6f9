"""How the network is reached, said before and needed only when a registry is asked.

A command hands down a function, so that one that asks nobody loads nothing of the network's code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.workflows.connection import Connection

Network: TypeAlias = "Callable[[], Connection]"


def default_network() -> Connection:
    """As without any flag."""
    from verify.workflows.connection import Connection  # noqa: PLC0415 - loads the network's code

    return Connection()
