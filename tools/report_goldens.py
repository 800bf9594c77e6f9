"""Writes fixtures/reports/: every sample report in every format. With --check: says what differs, exits 1."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.support.sample_reports import SAMPLES  # noqa: E402 - after the path is set
from verify.render import FORMATS  # noqa: E402

FOLDER = ROOT / "fixtures" / "reports"
SUFFIX = {
    "text": "txt",
    "json": "json",
    "sarif": "sarif",
    "junit": "xml",
    "github": "github.txt",
    "markdown": "md",
    "html": "html",
}


def wanted() -> dict[str, bytes]:
    """File name to content."""
    return {
        f"{name}.{SUFFIX[fmt]}": render(report).encode()
        for name, report in SAMPLES.items()
        for fmt, render in FORMATS.items()
    }


def differences() -> list[str]:
    """Missing, changed and surplus files."""
    files = wanted()
    have = {path.name: path.read_bytes() for path in FOLDER.iterdir()} if FOLDER.is_dir() else {}
    return sorted(name for name in files.keys() | have.keys() if files.get(name) != have.get(name))


def main(argv: list[str]) -> int:
    """Write, or check."""
    stale = differences()
    if argv == ["--check"]:
        for name in stale:
            print(f"fixtures/reports/{name} differs: run tools/report_goldens.py")
        return 1 if stale else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    files = wanted()
    for name in stale:
        if name in files:
            (FOLDER / name).write_bytes(files[name])
        else:
            (FOLDER / name).unlink()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
