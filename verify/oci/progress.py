"""Bytes that tell how many they are while they pass into a store. A blob that is there already tells nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.oci.blob import short

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.digest import Reader
    from verify.events import Events
    from verify.oci.descriptor import Descriptor


class Metered:
    """A reader that advances a task; closing it ends the task."""

    def __init__(self, source: Reader, task: str, size: int, events: Events) -> None:
        self._source = source
        self._task = task
        self._events = events
        events.begin(task, size)

    def read(self, size: int = -1, /) -> bytes:
        block = self._source.read(size)
        self._events.advance(self._task, len(block))
        return block

    def close(self) -> None:
        self._events.end(self._task)
        close = getattr(self._source, "close", None)
        if close is not None:
            close()


def metered(source: Callable[[], Reader], blob: Descriptor, events: Events) -> Callable[[], Metered]:
    """The same source, telling as it is read; a store closes what it opened."""
    return lambda: Metered(source(), short(blob.digest), blob.size, events)
