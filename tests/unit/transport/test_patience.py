"""How long we wait, told by a clock that only moves when told."""

from __future__ import annotations

import pytest

from tests.support.wires import FakeTime
from verify.errors import Unavailable
from verify.limits import Limits
from verify.transport.address import Address
from verify.transport.patience import Patience, parse_retry_after

HERE = Address.parse("https://a.example/").origin
THERE = Address.parse("https://b.example/").origin


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0.0),
        (" 7 ", 7.0),
        ("120", 120.0),
        ("Thu, 01 Jan 1970 00:20:00 GMT", 200.0),
        ("Thu, 01 Jan 1970 00:00:01 GMT", 0.0),
        ("Thursday, 01-Jan-70 00:20:00 GMT", 200.0),
        (None, None),
        ("", None),
        ("-5", None),
        ("1.5", None),
        ("1.889377ms", None),
        ("soon", None),
        ("٣", None),
        ("9" * 40, None),
        ("Thu, 01 Jan 99999 00:00:00 GMT", None),
        ("Thu, 41 Jan 1970 00:00:00 GMT", None),
    ],
)
def test_retry_after(text: str | None, seconds: float | None) -> None:
    assert parse_retry_after(text, 1000.0) == seconds


def test_pause_doubles_up_to_the_longest_and_chance_takes_up_to_half() -> None:
    limits = Limits(http_pause=1.0, http_longest_pause=5.0, http_wait=1000)
    for chance, expected in ((0.0, [1, 2, 4, 5]), (1.0, [0.5, 1, 2, 2.5])):
        time = FakeTime()
        patience = Patience(time.clock(chance), limits)
        for attempt in range(4):
            patience.hold(HERE, attempt, None)
            patience.await_turn(HERE)
        assert time.slept == expected


def test_others_to_the_same_origin_wait_too_and_only_they() -> None:
    time = FakeTime()
    patience = Patience(time.clock(), Limits())
    patience.hold(HERE, 0, 10.0)
    patience.await_turn(THERE)
    assert time.slept == []
    patience.await_turn(HERE)
    assert time.slept == [10.0]


def test_one_pause_that_many_requests_ask_for_is_paid_once() -> None:
    time = FakeTime()
    patience = Patience(time.clock(), Limits(http_wait=15.0))
    for _ in range(8):
        patience.hold(HERE, 0, 10.0)
    patience.await_turn(HERE)
    assert time.slept == [10.0]


def test_host_that_asks_for_more_than_the_budget_is_unavailable() -> None:
    time = FakeTime()
    patience = Patience(time.clock(), Limits(http_wait=15.0))
    patience.hold(HERE, 0, 10.0)
    patience.await_turn(HERE)
    with pytest.raises(Unavailable) as caught:
        patience.hold(HERE, 0, 10.0)
    assert caught.value.check == "fetch.throttled"
    assert caught.value.hint == "try again in 10 seconds"
    patience.hold(THERE, 0, 10.0)
