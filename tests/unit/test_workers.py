"""Work beside: order, errors, ends."""

from __future__ import annotations

import threading

import pytest

from verify.workers import Workers


@pytest.mark.parametrize("count", [0, 1, 3])
def test_every_job_has_its_own_result(count: int) -> None:
    with Workers(count) as workers:
        jobs = [workers.begin(lambda number=number: number * number) for number in range(50)]
        assert [job.result() for job in jobs] == [number * number for number in range(50)]


@pytest.mark.parametrize("count", [0, 1])
def test_an_error_is_raised_where_the_result_is_asked_for(count: int) -> None:
    with Workers(count) as workers:
        failing, next_one = workers.begin(lambda: "".index("x")), workers.begin(lambda: "next")
        with pytest.raises(ValueError, match="not found"):
            failing.result()
        assert next_one.result() == "next"


def test_one_worker_keeps_the_order() -> None:
    done: list[int] = []
    with Workers(1) as workers:
        jobs = [workers.begin(lambda number=number: done.append(number)) for number in range(100)]
        jobs[-1].result()
    assert done == list(range(100))


def test_what_was_not_begun_at_the_end_is_abandoned_and_says_so() -> None:
    gate, begun = threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        gate.wait(10)

    workers = Workers(1)
    first, second = workers.begin(hold), workers.begin(lambda: "never")
    assert begun.wait(10)
    leaving = threading.Thread(target=workers.__exit__)
    leaving.start()
    while not workers._stopped:
        assert leaving.is_alive()
    gate.set()
    leaving.join()
    first.result()
    with pytest.raises(RuntimeError):
        second.result()


def test_no_thread_is_left() -> None:
    before = threading.active_count()
    with Workers(4) as workers:
        for job in [workers.begin(int) for _ in range(8)]:
            job.result()
    assert threading.active_count() == before


def test_a_wait_may_end_before_the_work() -> None:
    gate = threading.Event()
    with Workers(1) as workers:
        job = workers.begin(lambda: gate.wait(10))
        assert not job.ended(0.01)
        gate.set()
        assert job.result()
        assert job.ended(0)
