"""Tokens: from whom, for what, how long, and to whom they go."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import pytest

from tests.support.wires import FakeKeys, FakeTime, ScriptedWire, Sent, reply
from verify.errors import Unavailable
from verify.transport.address import Address
from verify.transport.client import HttpClient
from verify.transport.credentials import Credential, Secret
from verify.transport.message import Request, Response
from verify.transport.realm import check_realm

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Address.parse("https://r.example/v2/a/b/x")
PULL, PUSH = "repository:a/b:pull", "repository:a/b:pull,push"


class World:
    """A registry that wants a token for what is asked, and its token server."""

    def __init__(self, credential: Credential | None = None) -> None:
        self.credential = credential
        self.time = FakeTime()
        self.wire = ScriptedWire(self.answer)
        held = {} if credential is None else {"r.example": credential}
        self.client = HttpClient(self.wire, keys=FakeKeys(held), clock=self.time.clock())
        self.demand = ""
        self.issued: dict[str, set[str]] = {}
        self.accepts: Callable[[str], bool] = lambda token: token in self.issued
        self.post_status = 200

    def answer(self, sent: Sent) -> Response:
        if sent.address.origin.host == "auth.example":
            return self.issue(sent)
        token = (sent.authorization or "").removeprefix("Bearer ")
        if self.accepts(token):
            return reply()
        demand = f',scope="{self.demand}"' if self.demand else ""
        challenge = f'Bearer realm="https://auth.example/token?x=1",service="r"{demand}'
        return reply(401, b"", ("WWW-Authenticate", challenge))

    def issue(self, sent: Sent) -> Response:
        if sent.method == "POST" and self.post_status != 200:
            return reply(self.post_status)
        token = f"t{len(self.issued)}"
        self.issued[token] = set(parse_qs(sent.address.target).get("scope", ()))
        return reply(200, json.dumps({"access_token": token, "expires_in": 100}).encode())

    def ask(self, *scopes: str) -> Response:
        return self.client.send(Request(method="GET", address=HERE, account="r.example/a/b", scopes=scopes))

    @property
    def token_requests(self) -> list[Sent]:
        return [each for each in self.wire.sent if each.address.origin.host == "auth.example"]


def test_anonymous_token() -> None:
    world = World()
    world.ask(PULL)
    (request,) = world.token_requests
    assert request.url == f"https://auth.example/token?x=1&service=r&client_id=modseal&scope={PULL}"
    assert request.authorization is None


def test_password_goes_to_the_realm_as_basic_and_the_token_to_the_registry() -> None:
    world = World(Credential(user="ada", password=Secret("pw"), source="tests"))
    world.ask(PULL)
    (request,) = world.token_requests
    assert request.authorization == "Basic " + base64.b64encode(b"ada:pw").decode()
    registry = [each.authorization for each in world.wire.sent if each not in world.token_requests]
    assert registry == [None, "Bearer t0"]


def test_scopes_of_caller_and_challenge_are_merged_for_each_resource() -> None:
    world = World()
    world.demand = f"{PUSH} repository:c/d:pull"
    world.ask(PULL)
    query = parse_qs(world.token_requests[0].address.target.partition("?")[2])
    assert query["scope"] == [PUSH, "repository:c/d:pull"]


def test_token_is_kept_by_scope_and_renewed_before_it_ends() -> None:
    world = World()
    world.ask(PULL)
    world.ask(PULL)
    assert len(world.token_requests) == 1
    world.ask(PUSH)
    assert len(world.token_requests) == 2
    world.ask(PULL)
    world.time.now += 94
    world.ask(PULL)
    assert len(world.token_requests) == 2
    world.time.now += 2
    world.ask(PULL)
    assert len(world.token_requests) == 3
    # after the first challenge none of this needed another 401
    assert [each.authorization for each in world.wire.sent].count(None) == 1 + len(world.token_requests)


def test_token_that_is_refused_is_replaced_once() -> None:
    world = World()
    world.ask(PULL)
    world.accepts = lambda token: token == "t1"
    assert world.ask(PULL).status == 200
    world.accepts = lambda token: False
    with pytest.raises(Unavailable) as caught:
        world.ask(PULL)
    assert caught.value.check == "fetch.unauthorized"
    assert len(world.token_requests) == 3


def test_identity_token_is_posted_and_never_shown() -> None:
    world = World(Credential(identity_token=Secret("refresh-me"), source="tests"))
    world.ask(PULL)
    (request,) = world.token_requests
    assert (request.method, request.authorization) == ("POST", None)
    form = parse_qs(request.body.decode())
    assert form["refresh_token"] == ["refresh-me"]
    assert (form["grant_type"], form["scope"]) == (["refresh_token"], [PULL])
    world.post_status = 401
    with pytest.raises(Unavailable) as caught:
        world.ask(PUSH)
    assert caught.value.check == "fetch.unauthorized"
    assert "refresh-me" not in str(caught.value)


@pytest.mark.parametrize("status", [404, 405])
def test_server_without_post_is_asked_by_get(status: int) -> None:
    world = World(Credential(identity_token=Secret("x"), source="tests"))
    world.post_status = status
    world.ask(PULL)
    assert [each.method for each in world.token_requests] == ["POST", "GET"]


def test_registry_token_is_used_as_it_is() -> None:
    world = World(Credential(registry_token=Secret("mine"), source="tests"))
    world.accepts = lambda token: token == "mine"
    world.ask(PULL)
    assert world.token_requests == []


@pytest.mark.parametrize(
    ("registry", "realm", "fine"),
    [
        ("https://r.example/", "https://auth.example/t", True),
        ("https://r.example/", "/token", True),
        ("https://r.example/", "http://r.example/t", False),
        ("https://r.example/", "https://127.0.0.1/t", False),
        ("https://r.example/", "https://localhost/t", False),
        ("https://r.example/", "https://169.254.169.254/t", False),
        ("https://r.example/", "https://u:p@auth.example/t", False),
        ("https://r.example/", "gopher://auth.example/t", False),
        ("https://10.0.0.1/", "https://10.0.0.1:8443/t", True),
        ("https://10.0.0.1/", "https://10.0.0.2/t", False),
        ("http://127.0.0.1:5000/", "http://127.0.0.1:5001/t", True),
        ("http://127.0.0.1:5000/", "https://auth.example/t", True),
    ],
)
def test_realm(registry: str, realm: str, fine: bool) -> None:
    if fine:
        check_realm(Address.parse(registry), realm)
        return
    with pytest.raises(Unavailable) as caught:
        check_realm(Address.parse(registry), realm)
    assert caught.value.check == "transport.realm"


def test_secret_is_shown_by_nothing() -> None:
    import copy
    import pickle

    secret = Secret("hunter2")
    credential = Credential(user="ada", password=secret, identity_token=secret, registry_token=secret)
    for text in (repr(secret), str(secret), f"{secret}", repr(credential), str(credential)):
        assert "hunter2" not in text
    for leak in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError):
            leak(secret)
