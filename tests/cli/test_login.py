"""`modseal login` and `logout`, against the honest registry."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from tests.support.registry import Registry, running
from verify.cli import login, logout
from verify.errors import ModsealError, Unavailable
from verify.oci.reference import Reference
from verify.oci.registry import RegistryStore
from verify.workflows.connection import Connection, connected

if TYPE_CHECKING:
    from pathlib import Path

    import click
    from click.testing import Result

PASSWORD = "correct horse"


def run(command: click.Command, home: Path, *args: str, stdin: str | None = None) -> Result:
    environ = {
        "HOME": str(home),
        "DOCKER_CONFIG": "",
        "XDG_CONFIG_HOME": "",
        "REGISTRY_AUTH_FILE": "",
        "XDG_RUNTIME_DIR": "",
    }
    return CliRunner().invoke(command, list(args), input=stdin, env=environ, standalone_mode=False)


def log_in(home: Path, host: str, *more: str, password: str = PASSWORD) -> Result:
    return run(login.command, home, "-u", "ada", "--password-stdin", *more, host, stdin=f"{password}\n")


@pytest.mark.parametrize("auth", ["basic", "token"])
def test_login_then_use_then_logout(tmp_path: Path, auth: str) -> None:
    registry = Registry(auth=auth)
    with running(registry) as host:
        registry.at("a/b").tags["v1"] = "x"
        done = log_in(tmp_path, host)
        assert (done.exception, done.return_value) == (None, 0)
        path = tmp_path / ".config/containers/auth.json"
        assert done.stdout == f"{host}  {path}\n"
        assert list(json.loads(path.read_text())["auths"]) == [host]
        with connected(Connection(), environ={"HOME": str(tmp_path)}) as client:
            assert RegistryStore(Reference.parse(f"{host}/a/b"), client).tags() == ("v1",)
        assert run(logout.command, tmp_path, host).stdout == f"{host}\n"
        assert json.loads(path.read_text())["auths"] == {}
        with connected(Connection(), environ={"HOME": str(tmp_path)}) as client, pytest.raises(Unavailable):
            RegistryStore(Reference.parse(f"{host}/a/b"), client).tags()


@pytest.mark.parametrize("auth", ["basic", "token"])
def test_wrong_password_is_refused_not_kept_and_not_shown(tmp_path: Path, auth: str) -> None:
    with running(Registry(auth=auth)) as host:
        done = log_in(tmp_path, host, password="hunter2")
    assert isinstance(done.exception, ModsealError)
    assert (done.exception.check, done.exception.exit_code) == ("fetch.unauthorized", 3)
    assert "hunter2" not in f"{done.output}{done.exception}"
    assert not (tmp_path / ".config").exists()


def test_registry_that_does_not_ask_is_told_of(tmp_path: Path) -> None:
    with running(Registry()) as host:
        done = log_in(tmp_path, host)
    assert "did not ask who we are" in done.stderr


def test_offline_and_malformed_names_keep_nothing(tmp_path: Path) -> None:
    for arguments, check in (
        (("--offline", "r.example"), "fetch.offline"),
        (("r.example/Upper",), "oci.reference"),
        (("r.example/a:v1",), "oci.reference"),
        (("ada@r.example",), "oci.reference"),
    ):
        done = log_in(tmp_path, arguments[-1], *arguments[:-1])
        assert isinstance(done.exception, ModsealError)
        assert done.exception.check == check
    assert not (tmp_path / ".config").exists()


def test_password_is_no_argument_and_without_a_terminal_nobody_is_asked(tmp_path: Path) -> None:
    for arguments in (["-p", "x", "r.example"], ["r.example"], ["--password-stdin", "r.example"]):
        done = run(login.command, tmp_path, *arguments, stdin="x")
        assert done.exception is not None
        assert getattr(done.exception, "exit_code", None) == 2


def test_logout_of_nothing_says_so(tmp_path: Path) -> None:
    done = run(logout.command, tmp_path, "r.example")
    assert (done.return_value, done.stdout) == (0, "")
    assert "no credential was kept" in done.stderr
