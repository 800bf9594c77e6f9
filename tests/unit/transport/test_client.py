"""The client over a wire that follows a script: no socket is opened here."""

from __future__ import annotations

import io
import threading

import pytest

from tests.support.wires import FakeKeys, FakeTime, Script, ScriptedWire, Sent, in_turn, reply
from verify.errors import Unavailable
from verify.limits import Limits
from verify.transport.address import Address
from verify.transport.client import HttpClient
from verify.transport.credentials import Credential, Secret
from verify.transport.message import Follow, Headers, Request, Response

ADA = Credential(user="ada", password=Secret("pw"), source="tests")
BASIC = "Basic YWRhOnB3"
CHALLENGE = ("WWW-Authenticate", 'Basic realm="x"')
HERE = Address.parse("https://r.example/v2/a")


def client(script: Script, **changes: object) -> tuple[HttpClient, ScriptedWire, FakeTime]:
    wire, time = ScriptedWire(script), FakeTime()
    made = HttpClient(wire, keys=FakeKeys({"r.example": ADA, "10.0.0.1": ADA}), clock=time.clock(), **changes)  # type: ignore[arg-type]
    return made, wire, time


def ask(method: str = "GET", address: Address = HERE, **changes: object) -> Request:
    return Request(method=method, address=address, account=address.origin.netloc, **changes)  # type: ignore[arg-type]


def moved(location: str, status: int = 307) -> Response:
    return reply(status, b"", ("Location", location))


def test_offline_asks_nobody() -> None:
    made, wire, _ = client(in_turn(reply()), offline=True)
    with pytest.raises(Unavailable) as caught:
        made.send(ask())
    assert caught.value.check == "fetch.offline"
    assert wire.sent == []


def test_no_encoding_is_asked_for_and_nothing_is_pre_empted() -> None:
    made, wire, _ = client(in_turn(reply()))
    made.send(ask())
    assert wire.sent[0].headers.all("accept-encoding") == ("identity",)
    assert wire.sent[0].authorization is None


def test_basic_is_answered_once_and_then_known() -> None:
    made, wire, _ = client(in_turn(reply(401, b"", CHALLENGE), reply(), reply()))
    assert made.send(ask()).status == 200
    made.send(ask())
    assert [each.authorization for each in wire.sent] == [None, BASIC, BASIC]


def test_wrong_password_is_refused_and_not_repeated() -> None:
    made, wire, _ = client(lambda _: reply(401, b"", CHALLENGE))
    with pytest.raises(Unavailable) as caught:
        made.send(ask())
    assert caught.value.check == "fetch.unauthorized"
    assert caught.value.hint == "modseal login r.example"
    assert len(wire.sent) == 2


def test_credentials_stay_at_the_origin() -> None:
    def script(sent: Sent) -> Response:
        if sent.address.origin != HERE.origin:
            return reply(200, b"bytes")
        return moved("https://cdn.example/x?sig=1") if sent.authorization else reply(401, b"", CHALLENGE)

    made, wire, _ = client(script)
    headers = Headers.of([("Authorization", "mine"), ("Cookie", "mine"), ("Accept", "x")])
    assert made.send(ask(headers=headers)).status == 200
    assert (wire.sent[-1].url, wire.sent[-1].authorization) == ("https://cdn.example/x?sig=1", None)
    assert wire.sent[-1].headers.get("cookie") is None
    assert wire.sent[-1].headers.get("accept") == "x"


@pytest.mark.parametrize(
    "elsewhere", ["https://r.example:444/", "https://www.r.example/", "https://other.example/"]
)
def test_challenge_from_another_origin_is_not_answered(elsewhere: str) -> None:
    made, wire, _ = client(
        lambda sent: moved(elsewhere) if sent.address == HERE else reply(401, b"", CHALLENGE)
    )
    with pytest.raises(Unavailable) as caught:
        made.send(ask())
    assert caught.value.check == "fetch.unauthorized"
    assert {each.authorization for each in wire.sent} == {None}


@pytest.mark.parametrize(
    ("start", "location"),
    [
        ("https://r.example/", "http://r.example/"),
        ("https://r.example/", "https://127.0.0.1/"),
        ("https://r.example/", "https://169.254.169.254/latest"),
        ("https://r.example/", "https://localhost/"),
        ("https://r.example/", "https://[::ffff:10.0.0.1]/"),
    ],
)
def test_redirect_that_is_refused(start: str, location: str) -> None:
    made, wire, _ = client(in_turn(moved(location)))
    with pytest.raises(Unavailable) as caught:
        made.send(ask(address=Address.parse(start)))
    assert caught.value.check == "transport.redirect"
    assert len(wire.sent) == 1


def test_five_redirects_are_followed_and_not_six() -> None:
    made, wire, _ = client(in_turn(*(moved(f"/{n}") for n in range(5)), reply()))
    assert made.send(ask()).address.target == "/4"
    made, wire, _ = client(lambda _: moved("/again"))
    with pytest.raises(Unavailable) as caught:
        made.send(ask())
    assert caught.value.check == "transport.redirect-loop"
    assert len(wire.sent) == 6


@pytest.mark.parametrize(
    ("status", "location", "followed"),
    [(307, "/other", True), (308, "/other", True), (303, "/other", False), (302, "/other", False),
     (307, "https://cdn.example/", False)],
)  # fmt: skip
def test_body_goes_nowhere_else(status: int, location: str, followed: bool) -> None:
    made, wire, _ = client(in_turn(moved(location, status), reply(201)))
    request = ask("PUT", body=lambda: io.BytesIO(b"body"), length=4)
    if followed:
        assert made.send(request).status == 201
        assert [each.body for each in wire.sent] == [b"body", b"body"]
        return
    with pytest.raises(Unavailable) as caught:
        made.send(request)
    assert caught.value.check == "transport.redirect"
    assert len(wire.sent) == 1


def test_follow_says_how_far() -> None:
    made, wire, _ = client(lambda _: moved("https://cdn.example/"))
    assert made.send(ask(follow=Follow.ORIGIN)).status == 307
    assert made.send(ask(follow=Follow.NEVER)).status == 307
    assert len(wire.sent) == 2


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_tried_again(status: int) -> None:
    made, wire, time = client(in_turn(reply(status), reply(status, b"", ("Retry-After", "7")), reply()))
    assert made.send(ask()).status == 200
    assert time.slept == [0.5, 7.0]
    assert len(wire.sent) == 3


@pytest.mark.parametrize(("status", "tries"), [(400, 1), (404, 1), (501, 1), (503, 5), (429, 5)])
def test_tries_end(status: int, tries: int) -> None:
    made, wire, _ = client(lambda _: reply(status))
    if status < 429:
        assert made.send(ask()).status == status
    else:
        with pytest.raises(Unavailable):
            made.send(ask())
    assert len(wire.sent) == tries


def test_connection_that_fails_is_tried_again_and_a_wrong_certificate_is_not() -> None:
    for check, tries in (("fetch.cut", 5), ("fetch.unreachable", 5), ("fetch.tls", 1), ("fetch.slow", 1)):
        made, wire, _ = client(lambda _, check=check: Unavailable("x", check=check))  # type: ignore[misc]
        with pytest.raises(Unavailable) as caught:
            made.send(ask())
        assert caught.value.check == check
        assert len(wire.sent) == tries


def test_what_may_not_be_repeated_is_only_repeated_when_it_was_not_taken() -> None:
    made, wire, _ = client(in_turn(reply(429), reply(503)))
    with pytest.raises(Unavailable) as caught:
        made.send(ask("PUT", repeat=False))
    assert (caught.value.check, len(wire.sent)) == ("fetch.server-error", 2)


@pytest.mark.parametrize(
    ("status", "check"),
    [(401, "fetch.unauthorized"), (403, "fetch.forbidden"), (407, "fetch.proxy"), (429, "fetch.throttled"),
     (500, "fetch.server-error"), (599, "fetch.server-error")],
)  # fmt: skip
def test_refusals_are_raised_unless_wanted(status: int, check: str) -> None:
    body = b'{"errors":[{"code":"DENIED","message":"not you"}]}'
    made, _, _ = client(lambda _: reply(status, body))
    with pytest.raises(Unavailable, match="DENIED: not you") as caught:
        made.send(ask())
    assert caught.value.check == check
    assert made.send(ask(give=frozenset({status}))).status == status


def test_at_most_so_many_are_under_way_at_once() -> None:
    under_way, most = 0, 0
    lock, gate = threading.Lock(), threading.Event()

    def script(_: Sent) -> Response:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
            if under_way == 2:
                gate.set()
        gate.wait(2)
        with lock:
            under_way -= 1
        return reply()

    made, wire, _ = client(script, limits=Limits(http_per_host=2))
    threads = [threading.Thread(target=made.send, args=(ask(),)) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert (most, len(wire.sent)) == (2, 6)


def test_account_of_another_host_is_a_mistake_that_sends_nothing() -> None:
    made, wire, _ = client(lambda _: reply(401, b"", CHALLENGE))
    with pytest.raises(ValueError, match=r"other\.example"):
        made.send(Request(method="GET", address=HERE, account="other.example/a"))
    assert {each.authorization for each in wire.sent} == {None}
