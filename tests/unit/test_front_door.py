"""The public surface: what it is, that it is documented, and that looking at it loads nothing."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import verify

PAGE = Path(verify.__file__).parents[1] / "docs" / "reference" / "library.md"


def test_every_name_is_there_and_documented_once() -> None:
    documented = re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(documented) == sorted(verify.__all__)
    for name in verify.__all__:
        assert getattr(verify, name).__name__ == name
    assert dir(verify) == verify.__all__


def test_the_example_holds() -> None:
    assert doctest.testmod(verify).failed == 0


def test_importing_it_loads_none_of_it() -> None:
    probe = "import sys, verify; print(sorted(name for name in sys.modules if name.startswith('verify.')))"
    ran = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=30
    )
    assert ran.stdout.strip() == "[]"
