"""A zip with more harmless oddities than are kept, and a defect behind them."""

from __future__ import annotations

import io
import zipfile

import pytest

from verify.archive.fault import MOST
from verify.archive.inspection import check_archive
from verify.archive.reader import read_archive
from verify.errors import Malformed
from verify.report import Outcome


@pytest.fixture
def flooded() -> io.BytesIO:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for number in range(MOST + 10):
            file.writestr(f"folder{number:05}/", b"")
        file.writestr("../escaped", b"x")
    return out


def test_the_defect_is_found(flooded: io.BytesIO) -> None:
    found = check_archive(flooded, subject="zip").findings
    assert {each.check.id for each in found if each.outcome is Outcome.FAILED} == {"name.traversal"}


def test_reading_refuses(flooded: io.BytesIO) -> None:
    with pytest.raises(Malformed) as caught:
        read_archive(flooded)
    assert caught.value.check == "name.traversal"
