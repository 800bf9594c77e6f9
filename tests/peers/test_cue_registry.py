"""Every setting of CUE_REGISTRY leads where `cue mod resolve` says."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.cue_registries import BAD, GOOD, MODULES
from verify.ecosystems.cue.registry import no_files, parse_registry_config

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def resolve(binary: str, setting: str, module: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "CUE_REGISTRY": setting,
        "CUE_CACHE_DIR": str(folder),
        "CUE_CONFIG_DIR": str(folder),
    }
    return subprocess.run(
        [binary, "mod", "resolve", module],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )


@pytest.mark.peer("cue")
def test_good_settings_resolve_alike(peer: Callable[[str], str], tmp_path: Path) -> None:
    compared = 0
    for setting in GOOD:
        resolver = parse_registry_config(setting, no_files)
        for module in MODULES:
            path, _, version = module.partition("@")
            mine = resolver.resolve(path, version)
            theirs = resolve(peer("cue"), setting, module, tmp_path)
            if mine is None:
                assert "no registry found" in theirs.stderr, (setting, module)
            else:
                expected = str(mine) if version else f"{mine.host}/{mine.repository}"
                assert theirs.stdout.strip() == expected, (setting, module, theirs.stderr)
            compared += 1
    assert compared == len(GOOD) * len(MODULES)


@pytest.mark.peer("cue")
def test_bad_settings_are_refused_by_cue_too(peer: Callable[[str], str], tmp_path: Path) -> None:
    for setting in BAD:
        theirs = resolve(peer("cue"), setting, "a.example/x@v1.2.3", tmp_path)
        assert theirs.returncode != 0, setting
        assert "no registry found" not in theirs.stderr, setting
