"""Writing behind writes everything or tells why not."""

from __future__ import annotations

import io

import pytest

from verify.workflows.behind import DEPTH, WriteBehind

BLOCKS = [bytes([number]) * 1000 for number in range(5 * DEPTH)]


class _Full(io.BytesIO):
    def write(self, data: object, /) -> int:
        raise OSError(28, "No space left on device")


def test_everything_is_written_in_order() -> None:
    file = io.BytesIO()
    with WriteBehind(file) as out:
        for block in BLOCKS:
            out.write(block)
    assert file.getvalue() == b"".join(BLOCKS)


def test_a_full_disk_is_told_once_the_block_ends() -> None:
    with pytest.raises(OSError, match="No space"), WriteBehind(_Full()) as out:
        out.write(b"one")


def test_a_full_disk_stops_whoever_writes_on() -> None:
    with pytest.raises(OSError, match="No space"), WriteBehind(_Full()) as out:
        _write_on(out)


def _write_on(out: WriteBehind) -> None:
    for block in BLOCKS * 100:
        out.write(block)
    pytest.fail("nobody was told that the disk is full")


def _interrupted(out: WriteBehind) -> None:
    with out:
        out.write(b"one")
        raise KeyError


def test_an_error_of_the_caller_is_the_one_that_is_told() -> None:
    with pytest.raises(KeyError):
        _interrupted(WriteBehind(_Full()))
