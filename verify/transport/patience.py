"""How long we wait for a host that says *later*: one account per origin, shared by all requests to it.

1. Retry-After counts when it is seconds or an HTTP date; anything else is as if it were missing.
2. Without it the pause doubles with each try, up to the longest, and chance takes up to half of it away, so
   that many clients do not come back together.
3. While one request to an origin waits, the others to it wait too.
4. All pauses of one origin together stay within `http_wait`; a host that asks for more is unavailable, and
   the message says when to come back.

>>> parse_retry_after("120", 0.0), parse_retry_after("1.889377ms", 0.0)
(120.0, None)
>>> parse_retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 10.0)
50.0
"""

from __future__ import annotations

import re
import threading
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from verify.errors import Unavailable

if TYPE_CHECKING:
    from verify.limits import Limits
    from verify.transport.address import Origin
    from verify.transport.clock import Clock

_SECONDS = re.compile(r"[0-9]{1,9}")


def parse_retry_after(text: str | None, now: float) -> float | None:
    """Seconds from now, never negative; None where the header says nothing that can be understood."""
    if text is None:
        return None
    text = text.strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        then = parsedate_to_datetime(text)
        if then.tzinfo is None:
            return None
        return max(0.0, then.timestamp() - now)
    except (ValueError, OverflowError, TypeError):
        return None


class Patience:
    """Waits before requests, and decides how long."""

    def __init__(self, clock: Clock, limits: Limits) -> None:
        self._clock = clock
        self._limits = limits
        self._lock = threading.Lock()
        self._not_before: dict[Origin, float] = {}
        self._spent: dict[Origin, float] = {}

    def await_turn(self, origin: Origin) -> None:
        """Return when requests to this origin may go out."""
        with self._lock:
            pause = self._not_before.get(origin, 0.0) - self._clock.monotonic()
        if pause > 0:
            self._clock.sleep(pause)

    def hold(self, origin: Origin, attempt: int, retry_after: float | None) -> None:
        """Nobody asks this origin for a while. `attempt` counts from 0. Raises Unavailable (`fetch.throttled`)."""
        limits = self._limits
        pause = retry_after
        if pause is None:
            pause = min(limits.http_longest_pause, limits.http_pause * 2.0**attempt)
            pause *= 1.0 - self._clock.chance() / 2
        with self._lock:
            now = self._clock.monotonic()
            begins = max(now, self._not_before.get(origin, now))
            more = max(0.0, now + pause - begins)  # what another request has waited for is not paid twice
            spent = self._spent.get(origin, 0.0) + more
            if spent > limits.http_wait:
                raise Unavailable(
                    f"{origin}: asks to wait {pause:.0f} s, more than is left of {limits.http_wait:.0f} s",
                    check="fetch.throttled",
                    hint=f"try again in {pause:.0f} seconds",
                )
            self._spent[origin] = spent
            self._not_before[origin] = max(begins, now + pause)
