"""CUE's own tables of module paths and versions, read from its source at test time."""

from __future__ import annotations

import json
import re
import sys
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from verify.ecosystems.cue.names import canonical, check_base, parse_version
from verify.ecosystems.cue.registry import no_files, parse_registry_config
from verify.errors import Malformed

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.peers import Peers

GO_STRING = r'(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`)'


def upstream(peer: Peers, path: str) -> str:
    return (peer.module("cuemodfile", "cuelang.org/go") / path).read_text(encoding="utf-8")


def unquoted(match: tuple[str, str]) -> str:
    quoted, raw = match
    text: str = raw or json.loads('"' + re.sub(r"\\x([0-9a-f]{2})", r"\\u00\1", quoted) + '"')
    return text


def is_refused(read: Callable[[], object]) -> bool:
    try:
        read()
    except Malformed:
        return True
    return False


@pytest.mark.peer("cuemodfile")
def test_module_paths(peer: Peers, capsys: pytest.CaptureFixture[str]) -> None:
    source = upstream(peer, "mod/module/module_test.go")
    table = source.partition("var checkPathTests = ")[2].partition("\n}}\n")[0]
    rows = re.findall(rf"path:\s+{GO_STRING},(?:\s+modErr:\s+{GO_STRING})?", table)
    counted = 0
    for row in rows:
        path, error = unquoted(row[:2]), any(row[2:])
        if path == "local" or any(0x80 <= ord(char) <= 0xFF for char in path):
            continue  # a word that no module file can hold, and rows that are no UTF-8
        assert is_refused(lambda path=path: check_base(path)) is error, path
        counted += 1
    with capsys.disabled():
        sys.stdout.write(f"\nupstream module paths: {counted} of {len(rows)}\n")
    assert counted > 80


@pytest.mark.peer("cuemodfile")
def test_versions(peer: Peers, capsys: pytest.CaptureFixture[str]) -> None:
    source = upstream(peer, "internal/mod/semver/semver_test.go")
    table = source.partition("var tests = ")[2].partition("\n}\n")[0]
    rows = [
        (unquoted((a, b)), unquoted((c, d)))
        for a, b, c, d in re.findall(rf"\{{{GO_STRING}, {GO_STRING}\}}", table)
    ]
    for text, expected in rows:
        if expected:
            assert canonical(text) == expected
        else:
            assert is_refused(lambda text=text: parse_version(text)), text
    # the table is in the order of versions
    valid = [parse_version(text) for text, expected in rows if expected]
    assert all(not later < earlier for earlier, later in pairwise(valid))
    with capsys.disabled():
        sys.stdout.write(f"\nupstream versions: {len(rows)}\n")
    assert len(rows) > 25


@pytest.mark.peer("cuemodfile")
def test_registry_settings(peer: Peers, capsys: pytest.CaptureFixture[str]) -> None:
    """Rows of simple settings: refused where the table names an error, and the locations it lists."""
    source = upstream(peer, "internal/mod/modresolve/resolve_test.go")
    table = source.partition("func TestParseCUERegistry(")[2].partition("\nfunc ")[0]
    settings = errors = locations = 0
    for row in re.split(r"\n\t\}, \{\n", table):
        found = re.search(rf"\bin:\s+{GO_STRING}", row)
        default = re.search(rf"catchAllDefault:\s+{GO_STRING}", row)
        text = unquoted((found[1] or "", found[2] or "")) if found else ""
        central = unquoted((default[1] or "", default[2] or "")) if default else ""
        settings += 1
        if re.search(r"\berr:\s", row):
            assert is_refused(
                lambda t=text, c=central: parse_registry_config("simple:" + t, no_files, default=c)
            ), text
            errors += 1
            continue
        resolver = parse_registry_config("simple:" + text, no_files, default=central)
        for key, body in re.findall(r'\n\t\t\t"([^"]+)":\s+(nil|\{.*?\n\t\t\t\}),', row, re.DOTALL):
            path, _, version = key.partition(" ")
            location = resolver.resolve(path, version)
            wanted = dict(re.findall(r'(\w+):\s+"([^"]*)"', body))
            if location is None:
                assert body == "nil", key
            else:
                assert (location.host, location.repository) == (wanted["Host"], wanted["Repository"]), key
                assert location.tag == wanted.get("Tag", ""), key
                assert location.insecure is (re.search(r"Insecure:\s+true", body) is not None), key
            locations += 1
    with capsys.disabled():
        sys.stdout.write(
            f"\nupstream registry settings: {settings}, of them errors {errors}, locations {locations}\n"
        )
    assert (settings, errors, locations) > (15, 10, 15)
