"""Where credentials are found, in which order, and that they stay secret on the way."""

from __future__ import annotations

import base64
import json
import os
import stat
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from verify.errors import Unavailable
from verify.limits import Limits
from verify.transport.authfile import parse_auth_file
from verify.transport.clock import Clock
from verify.transport.credentials import Credential, Secret
from verify.transport.keepsake import forget_login, keep_login
from verify.transport.keychain import Keychain
from verify.transport.program import Program

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

HOST = "r.example"


def entry(user: str) -> dict[str, str]:
    return {"auth": base64.b64encode(f"{user}:pw".encode()).decode()}


def content(user: str, **more: Any) -> str:
    return json.dumps({"auths": {HOST: entry(user)}, **more})


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def places(home: Path) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Every place holds another user; the variables that name them, in the documented order."""
    write(home / "named.json", content("3-registry-auth-file"))
    write(home / "docker/config.json", content("4-docker-config"))
    write(home / "run/containers/auth.json", content("5-runtime"))
    write(home / "xdg/containers/auth.json", content("6-xdg"))
    write(home / ".docker/config.json", content("7-home"))
    login = {"registries": {HOST: {"access_token": "8-cue", "token_type": "Bearer"}}}
    write(home / "cue/logins.json", json.dumps(login))
    variables = [
        ("DOCKER_AUTH_CONFIG", content("2-inline")),
        ("REGISTRY_AUTH_FILE", str(home / "named.json")),
        ("DOCKER_CONFIG", str(home / "docker")),
        ("XDG_RUNTIME_DIR", str(home / "run")),
        ("XDG_CONFIG_HOME", str(home / "xdg")),
    ]
    return {**dict(variables), "CUE_CONFIG_DIR": str(home / "cue")}, variables


def user(keychain: Keychain, account: str = HOST) -> str | None:
    found = keychain.find(account)
    if found is None:
        return None
    return found.user or (found.registry_token.reveal() if found.registry_token else "")


def test_order_of_places(tmp_path: Path) -> None:
    environ, variables = places(tmp_path)
    flag = write(tmp_path / "flag.json", content("1-flag"))
    assert user(Keychain(environ, home=tmp_path, authfile=flag)) == "1-flag"
    found = []
    for name, _ in variables:
        found.append(user(Keychain(environ, home=tmp_path)))
        del environ[name]
    found.append(user(Keychain(environ, home=tmp_path)))
    (tmp_path / ".docker/config.json").unlink()
    found.append(user(Keychain(environ, home=tmp_path)))
    (tmp_path / "cue/logins.json").unlink()
    found.append(user(Keychain(environ, home=tmp_path)))
    assert found == [
        "2-inline", "3-registry-auth-file", "4-docker-config", "5-runtime", "6-xdg", "7-home", "8-cue", None,
    ]  # fmt: skip


def test_place_without_the_account_is_passed_over_and_a_named_file_is_not(tmp_path: Path) -> None:
    environ, _ = places(tmp_path)
    environ["DOCKER_AUTH_CONFIG"] = json.dumps({"auths": {"other.example": entry("x")}})
    assert user(Keychain(environ, home=tmp_path)) == "3-registry-auth-file"
    flag = write(tmp_path / "flag.json", json.dumps({"auths": {"other.example": entry("x")}}))
    assert user(Keychain(environ, home=tmp_path, authfile=flag)) is None


@pytest.mark.parametrize("named", ["flag", "REGISTRY_AUTH_FILE"])
def test_file_that_is_named_and_missing_is_an_error(tmp_path: Path, named: str) -> None:
    missing = tmp_path / "missing.json"
    environ = {} if named == "flag" else {named: str(missing)}
    keychain = Keychain(environ, home=tmp_path, authfile=missing if named == "flag" else None)
    with pytest.raises(Unavailable) as caught:
        keychain.find(HOST)
    assert caught.value.check == "credentials.malformed"


@pytest.mark.parametrize(
    ("key", "account", "found"),
    [
        ("ghcr.io", "ghcr.io/acme/net", True),
        ("https://ghcr.io", "ghcr.io/acme/net", True),
        ("https://ghcr.io/v2/", "ghcr.io/acme/net", True),
        ("GHCR.io", "ghcr.io/acme", True),
        ("ghcr.io/acme", "ghcr.io/acme/net", True),
        ("ghcr.io/acme/net", "ghcr.io/acme/net", True),
        ("ghcr.io/acm", "ghcr.io/acme/net", False),
        ("ghcr.io/acme/net/deeper", "ghcr.io/acme/net", False),
        ("hcr.io", "ghcr.io/acme", False),
        ("ghcr.io:443", "ghcr.io/acme", False),
        ("localhost:5000", "localhost:5001/acme", False),
        ("https://index.docker.io/v1/", "docker.io/library/nginx", True),
        ("docker.io", "docker.io/acme/net", True),
        ("registry-1.docker.io", "docker.io/acme/net", True),
        ("index.docker.io", "docker.io/acme", True),
        ("docker.io/acme", "docker.io/acme/net", True),
        ("docker.io/acme", "docker.io/other/net", False),
    ],
)
def test_key_and_account(key: str, account: str, found: bool) -> None:
    file = parse_auth_file(json.dumps({"auths": {key: entry("ada")}}).encode(), "a.json")
    assert (file.find(account) is not None) is found


def test_longest_key_counts_and_the_exact_spelling_before_others() -> None:
    auths = {
        "https://r.example": entry("url"),
        "r.example": entry("host"),
        "r.example/a": entry("a"),
        "r.example/a/b": entry("a/b"),
    }
    file = parse_auth_file(json.dumps({"auths": auths}).encode(), "a.json")
    found = {name: file.find(name) for name in ("r.example/a/b/c", "r.example/a/x", "r.example/x")}
    assert [each.user for each in found.values() if each] == ["a/b", "a", "host"]


def test_forms_of_an_entry() -> None:
    auths = {
        "a.example": {"username": "ada", "password": "pw"},
        "b.example": {**entry("ada"), "identitytoken": "refresh"},
        "c.example": {"registrytoken": "bearer"},
        "d.example": {},
        "e.example": {"auth": base64.b64encode(b"ada:p:w\0").decode()},
    }
    file = parse_auth_file(json.dumps({"auths": auths}).encode(), "a.json")
    assert file.find("a.example") == Credential(user="ada", password=Secret("pw"), source="a.json a.example")
    b = file.find("b.example")
    assert b is not None
    assert b.identity_token == Secret("refresh")
    c = file.find("c.example")
    assert c is not None
    assert c.registry_token == Secret("bearer")
    assert file.find("d.example") is None
    e = file.find("e.example")
    assert e is not None
    assert e.password == Secret("p:w")


@pytest.mark.parametrize(
    "text",
    ['{"auths":{"r.example":{"auth":"SECRET!"}}}', '{"auths":["SECRET"]}', '["SECRET"]', '{"SECRET', '"SECRET"',
     '{"auths":{"r.example":"SECRET"}}', '{"auths":{"r.example":{"auth":"U0VDUkVU"}}}',
     '{"credsStore":"../SECRET"}', '{"credHelpers":{"r.example":"a/SECRET"}}', '{"credHelpers":{"r.example":7}}'],
)  # fmt: skip
def test_malformed_files_are_errors_that_show_nothing(tmp_path: Path, text: str) -> None:
    keychain = Keychain({}, home=tmp_path, authfile=write(tmp_path / "a.json", text))
    with pytest.raises(Unavailable) as caught:
        keychain.find(HOST)
    assert caught.value.check == "credentials.malformed"
    assert "SECRET" not in str(caught.value)


def test_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", " " * 2000)
    with pytest.raises(Unavailable):
        Keychain({}, home=tmp_path, authfile=path, limits=Limits(credential_bytes=1000)).find(HOST)


@pytest.mark.parametrize(
    ("expiry", "found"),
    [("2026-01-01T00:00:00Z", True), ("1969-01-01T00:00:00Z", False), ("0001-01-01T00:00:00Z", True)],
)
def test_cue_login_that_expired_is_none(tmp_path: Path, expiry: str, found: bool) -> None:
    login = {"registries": {HOST: {"access_token": "t", "expiry": expiry}}}
    write(tmp_path / ".config/cue/logins.json", json.dumps(login))
    keychain = Keychain({}, home=tmp_path, clock=Clock(wall=lambda: 1000.0))
    assert (keychain.find(f"{HOST}/a") is not None) is found


# --- programs


@dataclass
class Ran:
    returncode: int = 0
    stdout: bytes = b""


@dataclass
class Programs:
    answers: dict[str, Ran | Exception] = field(default_factory=dict)
    asked: list[tuple[tuple[str, ...], bytes]] = field(default_factory=list)

    def __call__(self, command: Sequence[str], data: bytes, seconds: float) -> Ran:
        self.asked.append((tuple(command), data))
        made = self.answers[command[1]]
        if isinstance(made, Exception):
            raise made
        return made


FOUND = Ran(0, b'{"ServerURL":"r.example","Username":"ada","Secret":"pw"}')


def test_program_is_asked_in_place_of_the_file_and_once(tmp_path: Path) -> None:
    programs = Programs({"get": FOUND})
    path = write(tmp_path / "a.json", content("inline", credHelpers={HOST: "vault"}, credsStore="other"))
    keychain = Keychain({}, home=tmp_path, authfile=path, run=programs)
    assert [user(keychain, f"{HOST}/{name}") for name in ("a", "b")] == ["ada", "ada"]
    assert programs.asked == [(("docker-credential-vault", "get"), b"r.example")]


def test_docker_hub_has_its_own_name_for_programs(tmp_path: Path) -> None:
    programs = Programs({"get": FOUND})
    path = write(tmp_path / "a.json", json.dumps({"credsStore": "desktop"}))
    Keychain({}, home=tmp_path, authfile=path, run=programs).find("docker.io/library/nginx")
    assert programs.asked == [(("docker-credential-desktop", "get"), b"https://index.docker.io/v1/")]


def test_program_that_knows_nothing_lets_the_next_place_answer(tmp_path: Path) -> None:
    programs = Programs({"get": Ran(1, b"credentials not found in native keychain\n")})
    write(tmp_path / ".config/containers/auth.json", json.dumps({"credsStore": "empty"}))
    write(tmp_path / ".docker/config.json", content("home"))
    assert user(Keychain({}, home=tmp_path, run=programs)) == "home"


def test_user_that_is_a_token_means_an_identity_token() -> None:
    programs = Programs({"get": Ran(0, b'{"Username":"<token>","Secret":"refresh"}')})
    found = Program("x", run=programs).get(HOST)
    assert found is not None
    assert (found.identity_token, found.password) == (Secret("refresh"), None)


@pytest.mark.parametrize(
    ("made", "check"),
    [
        (Ran(1, b"SECRET"), "credentials.helper"),
        (Ran(0, b"SECRET"), "credentials.malformed"),
        (Ran(0, b'{"Username":"ada","Secret":["SECRET"]}'), "credentials.malformed"),
        (FileNotFoundError(2, "No such file"), "credentials.helper"),
        (subprocess.TimeoutExpired("SECRET", 1, output=b"SECRET"), "credentials.helper"),
    ],
)
def test_program_that_fails_is_an_error_that_shows_nothing(made: Ran | Exception, check: str) -> None:
    with pytest.raises(Unavailable) as caught:
        Program("x", run=Programs({"get": made})).get(HOST)
    assert caught.value.check == check
    assert "SECRET" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("name", ["", "../x", "a/b", "a b", "-x", "x\n", "$(x)", "x" * 65])
def test_name_that_is_a_path_or_an_option_is_no_program(name: str) -> None:
    with pytest.raises(Unavailable):
        Program(name)


@pytest.mark.skipif(os.name != "posix", reason="the program is a shell script")
def test_real_program_is_run_without_a_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = write(
        tmp_path / "docker-credential-real",
        '#!/bin/sh\nread url\nprintf \'{"Username":"%s","Secret":"pw"}\' "$1-$url"\n',
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    found = Program("real").get(HOST)
    assert found is not None
    assert found.user == f"get-{HOST}"
    slow = write(tmp_path / "docker-credential-slow", "#!/bin/sh\nexec sleep 5\n")
    slow.chmod(0o755)
    with pytest.raises(Unavailable, match="does not answer"):
        Program("slow", limits=Limits(helper_seconds=0.1)).get(HOST)


# --- keeping


def test_login_is_kept_for_us_alone_and_the_rest_stays(tmp_path: Path) -> None:
    path = tmp_path / "new/containers/auth.json"
    keep_login(path, "r.example/team", "ada", Secret("pw"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    before = json.loads(path.read_text())
    path.write_text(json.dumps({**before, "HttpHeaders": {"X": "y"}, "credHelpers": {"other.example": "x"}}))
    path.chmod(0o644)
    keep_login(path, "r.example", "bob", Secret("other"))
    keep_login(path, "docker.io", "hub", Secret("pw"))
    kept = json.loads(path.read_text())
    assert kept["HttpHeaders"] == {"X": "y"}
    assert set(kept["auths"]) == {"r.example", "r.example/team", "https://index.docker.io/v1/"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    keychain = Keychain({}, home=tmp_path, authfile=path)
    assert [user(keychain, name) for name in ("r.example/team/x", "r.example/x", "docker.io/a/b")] == [
        "ada",
        "bob",
        "hub",
    ]
    assert not [each for each in path.parent.iterdir() if each.suffix == ".modseal"]


def test_login_replaces_every_spelling_and_logout_removes_it(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.json",
        json.dumps({"auths": {"https://r.example/v2/": entry("old"), "x.example": entry("x")}}),
    )
    keep_login(path, "r.example", "ada", Secret("pw"))
    assert set(json.loads(path.read_text())["auths"]) == {"r.example", "x.example"}
    assert forget_login(path, "r.example")
    assert set(json.loads(path.read_text())["auths"]) == {"x.example"}
    assert not forget_login(path, "r.example")


def test_program_keeps_what_its_file_says_it_keeps(tmp_path: Path) -> None:
    programs = Programs({"store": Ran(), "get": FOUND, "erase": Ran()})
    text = json.dumps({"credsStore": "vault"})
    path = write(tmp_path / "a.json", text)
    assert keep_login(path, HOST, "ada", Secret("pw"), run=programs) == "docker-credential-vault"
    assert json.loads(programs.asked[0][1]) == {"ServerURL": HOST, "Username": "ada", "Secret": "pw"}
    assert path.read_text() == text
    assert forget_login(path, HOST, run=programs)
    assert [each[0][1] for each in programs.asked] == ["store", "get", "erase"]


def test_malformed_file_is_not_overwritten(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", "{ half")
    with pytest.raises(Unavailable):
        keep_login(path, HOST, "ada", Secret("pw"))
    assert path.read_text() == "{ half"


def test_file_that_is_a_link_stays_one(tmp_path: Path) -> None:
    real = write(tmp_path / "real.json", "{}")
    link = tmp_path / "link.json"
    link.symlink_to(real)
    keep_login(link, HOST, "ada", Secret("pw"))
    assert link.is_symlink()
    assert HOST in json.loads(real.read_text())["auths"]
