"""Every case of the attack corpus is refused by exactly the checks its table names, and every accepted one reads."""

from __future__ import annotations

import io

import pytest

from tools.zip_corpus import TABLE, Case, corpus, table
from verify.archive.checks import CHECKS
from verify.archive.inspection import check_archive
from verify.archive.reader import read_archive
from verify.errors import ModsealError
from verify.report import Outcome
from verify.tree.checks import CHECKS as TREE_CHECKS

CASES = corpus()


def ids(case: Case) -> str:
    return f"{case.id} {case.defect}"


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_each_case_is_refused_by_its_checks(case: Case) -> None:
    found = check_archive(io.BytesIO(case.data), subject="zip").findings
    refused = {each.check.id for each in found if each.outcome in {Outcome.FAILED, Outcome.UNKNOWN}}
    noted = {each.check.id for each in found if each.outcome is Outcome.NOTED}
    assert (refused, noted) == (set(case.refused), set(case.noted))


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_reading_raises_one_of_its_checks(case: Case) -> None:
    raised: str | None = None
    try:
        list(read_archive(io.BytesIO(case.data)).measures())
    except ModsealError as error:
        raised = error.check
    assert raised in (case.refused or (None,))


@pytest.mark.parametrize("case", [case for case in CASES if len(case.data) < 2000], ids=ids)
def test_streaming_and_measuring_agree(case: Case) -> None:
    """`open` reads in another way than `measures`: both must refuse the same contents."""
    try:
        archive = read_archive(io.BytesIO(case.data))
    except ModsealError:
        return
    outcomes: list[str | None] = []
    for entry in archive.entries():
        try:
            with archive.open(entry.name) as stream:
                assert len(stream.read()) == entry.size
        except ModsealError as error:
            outcomes.append(error.check)
    assert set(outcomes) == set(case.refused)


def test_the_table_is_what_the_tool_writes() -> None:
    assert TABLE.read_text(encoding="utf-8") == table()


def test_no_expected_check_is_unknown() -> None:
    known = {check.id for check in (*CHECKS, *TREE_CHECKS)}
    assert {check for case in CASES for check in (*case.refused, *case.noted)} <= known
