#!/usr/bin/env python3
"""Runs every case directory below a folder laid out as Sigstore's conformance suite lays out its own.

    runner.py FOLDER

A directory holds `bundle.sigstore.json` and, where it differs from the default, `artifact`, `identity`, `issuer`,
`key.pub`, `trusted_root.json`; its name ends in `_fail` where the bundle must be refused. A file `reason` (ours, not
the suite's) holds the check that must be the reason. The default artifact is `a.txt` beside or above the cases, the
default identity and issuer are those given below the folder as `identity` and `issuer`. Every case is asked twice,
by path and by digest; all that went wrong is listed, and the count of cases is printed.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tools.conformance.adapter import Case, answer
from verify.errors import ModsealError

# the suite's workflow that signs its production cases
_IDENTITY = (
    "https://github.com/sigstore-conformance/extremely-dangerous-public-oidc-beacon/"
    ".github/workflows/extremely-dangerous-oidc-beacon.yml@refs/heads/main"
)
_ISSUER = "https://token.actions.githubusercontent.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of one case, asked one way."""

    name: str
    by: str
    check: str  # empty: accepted
    wanted: str  # a check id, `refused`, or empty for accepted

    @property
    def right(self) -> bool:
        return bool(self.check) if self.wanted == "refused" else self.check == self.wanted


def run(folder: Path) -> list[Answer]:
    """All of them, in the order of their names."""
    answers = []
    for bundle in sorted(folder.glob("*/bundle.sigstore.json")):
        case = bundle.parent
        wanted = "refused" if case.name.endswith("_fail") else ""
        if (case / "reason").is_file():
            wanted = (case / "reason").read_text(encoding="utf-8").strip()
        artifact = next(
            each for each in (case / "artifact", folder / "a.txt", folder.parent / "a.txt") if each.is_file()
        )
        digest = f"sha256:{hashlib.sha256(artifact.read_bytes()).hexdigest()}"
        for by, subject in (("path", str(artifact)), ("digest", digest)):
            answers.append(Answer(name=case.name, by=by, check=_ask(case, folder, subject), wanted=wanted))
    return answers


def _ask(case: Path, folder: Path, subject: str) -> str:
    key = case / "key.pub"
    root = case / "trusted_root.json"
    root = root if root.is_file() else folder / "trusted_root.json"
    named = {
        name: next(
            (
                each.read_text(encoding="utf-8").strip()
                for each in (case / name, folder / name)
                if each.is_file()
            ),
            default,
        )
        for name, default in (("identity", _IDENTITY), ("issuer", _ISSUER))
    }
    try:
        answer(
            Case(
                bundle=(case / "bundle.sigstore.json").read_bytes(),
                subject=subject,
                key=key.read_bytes() if key.is_file() else None,
                trusted_root=root.read_bytes() if root.is_file() else None,
                **({} if key.is_file() else named),
            )
        )
    except ModsealError as error:
        return error.check or "refused"
    return ""


def main(argv: list[str]) -> int:
    """The command."""
    answers = run(Path(argv[0]))
    wrong = [each for each in answers if not each.right]
    for each in wrong:
        print(
            f"{each.name} by {each.by}: expected {each.wanted or 'accepted'}, got {each.check or 'accepted'}"
        )
    print(f"{len(answers)} answers to {len({each.name for each in answers})} cases, {len(wrong)} wrong")
    return 1 if wrong or not answers else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
