"""Every check id that the network's modules raise is listed with its meaning, and every one listed is raised."""

from __future__ import annotations

import re
from pathlib import Path

from verify.oci import registrychecks
from verify.transport import checks

PACKAGE = Path(__file__).parents[3] / "verify"
ID = re.compile(r'"((?:fetch|transport|credentials|registry)\.[a-z-]+)"')
OWN = [
    *sorted((PACKAGE / "transport").glob("*.py")),
    *(PACKAGE / "oci" / f"{name}.py" for name in ("download", "endpoint", "paging", "registry", "upload")),
    PACKAGE / "workflows" / "logging_in.py",
]


def test_ids_raised_and_ids_listed_are_the_same() -> None:
    raised: set[str] = set()
    for path in OWN:
        text = path.read_text(encoding="utf-8")
        if path.name != "checks.py":
            raised |= set(ID.findall(text))
        raised |= {
            getattr(registrychecks, name).id
            for name in re.findall(r"checks\.([A-Z_]+)(?:\.id|\b)", text)
            if hasattr(registrychecks, name)
        }
    listed = [each.id for each in (*checks.CHECKS, *registrychecks.CHECKS)]
    assert len(set(listed)) == len(listed)
    assert raised - {"registry.unexpected"} == set(listed) - {"registry.unexpected"}


def test_every_check_says_what_to_do() -> None:
    for each in (*checks.CHECKS, *registrychecks.CHECKS):
        assert each.meaning.endswith(".")
        assert each.remedy.endswith((".", "?"))
