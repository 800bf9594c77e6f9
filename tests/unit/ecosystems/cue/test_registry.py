"""Settings of CUE_REGISTRY. Equality with `cue mod resolve` is held by tests/peers/test_cue_registry.py."""

from __future__ import annotations

import hashlib

import pytest

from tests.support.cue_registries import BAD, GOOD
from verify.ecosystems.cue.registry import no_files, parse_registry_config
from verify.errors import Absent, Malformed


@pytest.mark.parametrize("setting", GOOD)
def test_good_settings_are_read(setting: str) -> None:
    parse_registry_config(setting, no_files)


@pytest.mark.parametrize("setting", BAD)
def test_bad_settings_are_refused(setting: str) -> None:
    with pytest.raises(Malformed):
        parse_registry_config(setting, no_files)


@pytest.mark.parametrize(
    ("setting", "insecure"),
    [
        ("localhost:5000", True), ("127.0.0.1", True), ("[::1]:1", True), ("[0:0:0:0:0:0:0:1]", True),
        ("127.0.0.2", False), ("r.example", False), ("localhost:5000+secure", False), ("r.example+insecure", True),
    ],
)  # fmt: skip
def test_only_loopback_is_without_tls_unless_said(setting: str, insecure: bool) -> None:
    location = parse_registry_config(setting, no_files).resolve("a.example/x", "v1.0.0")
    assert location is not None
    assert location.insecure is insecure


def test_the_longest_prefix_of_whole_elements_wins() -> None:
    resolver = parse_registry_config("a.example=r.example,a.example/x=s.example/m,none", no_files)
    assert str(resolver.resolve("a.example/x/y", "v1.0.0")) == "s.example/m/a.example/x/y:v1.0.0"
    assert str(resolver.resolve("a.example/xy", "v1.0.0")) == "r.example/a.example/xy:v1.0.0"
    assert resolver.resolve("b.example", "v1.0.0") is None
    assert resolver.hosts == (("r.example", False), ("s.example", False))


def test_hashes_are_of_the_base_path() -> None:
    text = 'moduleRegistries: "a.example": {registry: "r.example/m", pathEncoding: "hashAsRepo", prefixForTags: "q-"}'
    found = parse_registry_config("file:where", {"where": text.encode()}.__getitem__).resolve(
        "a.example/x", "v1.0.0"
    )
    assert str(found) == f"r.example/m/{hashlib.sha256(b'a.example/x').hexdigest()}:q-v1.0.0"


def test_a_file_that_cannot_be_read_is_the_readers_error() -> None:
    with pytest.raises(Absent):
        parse_registry_config("file:where", no_files)


def test_a_hashed_repository_needs_a_place() -> None:
    with pytest.raises(Malformed, match="expected a repository"):
        parse_registry_config(
            'inline:defaultRegistry: {registry: "r.example", pathEncoding: "hashAsRepo"}', no_files
        )
