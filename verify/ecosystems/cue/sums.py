"""What a CUE module's `cue.mod/sum.cue` must say of every module of the build list."""

from __future__ import annotations

from typing import Final

from verify.ecosystems.cue.names import parse_module
from verify.sums.entry import SumRules

SUM_PATH: Final = "cue.mod/sum.cue"
RULES: Final = SumRules(
    ecosystem="cue",
    required=("tree", "modfile", "archive", "manifest"),
    optional=("source",),  # only ever `cache`: locked with --trust-cache, and nobody asked a registry
    check_key=parse_module,
)
