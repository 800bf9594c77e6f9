"""Laws of the account and the verdict, over generated reports."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.report_strategies import CHECKS, hostile, reports
from verify.render import FORMATS
from verify.render.telling import Status, gaps, status, told
from verify.report import Finding, Outcome, Report, Standing, Subject, Verdict

# a busy machine must not fail a law; the suite must stay quick
LAW = settings(max_examples=30, deadline=None)
BETTER = {Verdict.FAILED: 0, Verdict.UNKNOWN: 1, Verdict.PASSED: 2}


def without(report: Report, index: int) -> Report:
    return replace(report, findings=report.findings[:index] + report.findings[index + 1 :])


@LAW
@given(reports())
def test_the_account_adds_up(report: Report) -> None:
    account = report.account
    standings = [standing for _, standing in report.standings]
    assert account.verified + account.failed + account.unknown + account.excepted == len(report.subjects)
    assert account.subjects == len(standings)
    assert account.verified == standings.count(Standing.VERIFIED)
    assert account.not_locked == len(report.not_locked)


@LAW
@given(reports())
def test_passing_needs_every_subject_and_at_least_one(report: Report) -> None:
    if report.verdict is not Verdict.PASSED:
        return
    account = report.account
    assert account.failed == account.unknown == account.not_locked == 0
    assert account.verified or (not report.subjects and report.empty_lock and report.allow_empty)
    for subject, standing in report.standings:
        if standing is Standing.VERIFIED:
            passed = {each.check.id for each in report.about(subject.name) if each.outcome is Outcome.PASSED}
            assert subject.requires
            assert set(subject.requires) <= passed


@LAW
@given(reports(), st.data())
def test_removing_evidence_never_improves(report: Report, data: st.DataObject) -> None:
    """Passed and noted findings are the evidence."""
    for index, finding in enumerate(report.findings):
        if finding.outcome in {Outcome.PASSED, Outcome.NOTED}:
            assert BETTER[without(report, index).verdict] <= BETTER[report.verdict]


@LAW
@given(reports())
def test_removing_an_answer_to_a_requirement_never_passes(report: Report) -> None:
    """The last answer to a required check, whatever it is: failed, unknown or excepted. Silence is no pass."""
    requires = {each.name: each.requires for each in report.subjects}
    for finding in report.findings:
        if finding.subject is None or finding.check.id not in requires[finding.subject]:
            continue
        kept = [f for f in report.findings if (f.subject, f.check.id) != (finding.subject, finding.check.id)]
        assert replace(report, findings=tuple(kept)).verdict is not Verdict.PASSED


@LAW
@given(reports())
def test_silence_about_everything_never_passes(report: Report) -> None:
    silent = replace(report, findings=(), allow_empty=False)
    assert silent.verdict is Verdict.UNKNOWN


@LAW
@given(reports(), st.data())
def test_noted_findings_decide_nothing(report: Report, data: st.DataObject) -> None:
    subject = data.draw(st.sampled_from([None, *(each.name for each in report.subjects)]))
    note = Finding(check=data.draw(st.sampled_from(CHECKS)), outcome=Outcome.NOTED, subject=subject)
    more = replace(report, findings=(*report.findings, note))
    assert (more.verdict, more.account, more.standings) == (report.verdict, report.account, report.standings)


@LAW
@given(reports(), st.data())
def test_an_exception_covers_its_own_finding_only(report: Report, data: st.DataObject) -> None:
    failed = [i for i, each in enumerate(report.findings) if status(each) is Status.FAILED]
    if not failed:
        return
    index = data.draw(st.sampled_from(failed))
    finding = report.findings[index]
    findings = list(report.findings)
    findings[index] = replace(finding, exception="accepted")
    after = replace(report, findings=tuple(findings))
    before = dict(zip((s.name for s, _ in report.standings), (s for _, s in report.standings), strict=True))
    for subject, standing in after.standings:
        others = [
            each for i, each in enumerate(report.findings) if i != index and each.subject == subject.name
        ]
        if subject.name != finding.subject:
            assert standing is before[subject.name]
        elif any(status(each) is Status.FAILED for each in others):
            assert standing is Standing.FAILED
        else:
            assert standing is not Standing.VERIFIED


def test_an_exception_turns_nothing_but_a_failure() -> None:
    check = CHECKS[0]
    subject = Subject(name="a", requires=(check.id,))
    vague = Finding(check=check, outcome=Outcome.UNKNOWN, subject="a", exception="accepted")
    passed = Finding(check=check, outcome=Outcome.PASSED, subject="a")
    for loose in (None, "a"):
        found = (passed, replace(vague, subject=loose))
        assert Report(command="gate", subjects=(subject,), findings=found).verdict is Verdict.UNKNOWN
    noted = (replace(vague, outcome=Outcome.NOTED),)
    assert Report(command="gate", subjects=(subject,), findings=noted).verdict is Verdict.UNKNOWN


@LAW
@given(reports())
def test_exceptions_alone_never_pass(report: Report) -> None:
    accepted = tuple(
        Finding(check=check, outcome=Outcome.FAILED, subject=each.name, exception="accepted")
        for each in report.subjects
        for check in CHECKS
    )
    assert not report.subjects or replace(report, findings=accepted).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("reason", ["", "  "])
def test_an_exception_without_a_reason_is_refused(reason: str) -> None:
    with pytest.raises(ValueError, match="without a reason"):
        Finding(check=CHECKS[0], outcome=Outcome.FAILED, exception=reason)


@LAW
@given(reports())
def test_adding_a_failure_fails_and_adding_an_unknown_never_helps(report: Report) -> None:
    for subject in (None, *(each.name for each in report.subjects)):
        bad = Finding(check=CHECKS[0], outcome=Outcome.FAILED, subject=subject)
        assert replace(report, findings=(*report.findings, bad)).verdict is Verdict.FAILED
        vague = replace(bad, outcome=Outcome.UNKNOWN)
        assert replace(report, findings=(*report.findings, vague)).verdict is not Verdict.PASSED


@LAW
@given(reports())
def test_something_not_locked_never_passes(report: Report) -> None:
    assert replace(report, not_locked=("stray",)).verdict is not Verdict.PASSED


@LAW
@given(reports())
def test_exit_code_follows_the_verdict_and_one_wins_over_three(report: Report) -> None:
    code = report.verdict.exit_code
    standings = {standing for _, standing in report.standings}
    loose = {status(each) for each in report.about(None)}
    refuted = Standing.FAILED in standings or Status.FAILED in loose
    assert (code == 1) == refuted
    assert code in {0, 1, 3}
    assert (code == 0) == (report.verdict is Verdict.PASSED)


def test_failed_and_unknown_together_exit_with_one() -> None:
    found = [Finding(check=CHECKS[0], outcome=each) for each in (Outcome.UNKNOWN, Outcome.FAILED)]
    assert Report(command="gate", findings=tuple(found)).verdict.exit_code == 1


@LAW
@given(reports())
def test_what_did_not_pass_is_always_told(report: Report) -> None:
    bad = {Status.FAILED, Status.UNKNOWN} & {status(each) for each in told(report)}
    assert bool(bad) == (report.verdict is not Verdict.PASSED)


@LAW
@given(reports())
def test_every_unknown_subject_says_why(report: Report) -> None:
    said = {each.subject for each in told(report) if status(each) is Status.UNKNOWN}
    assert {each.name for each, standing in report.standings if standing is Standing.UNKNOWN} <= said


@LAW
@given(reports())
def test_gaps_accuse_nobody_of_failing(report: Report) -> None:
    assert all(each.outcome is not Outcome.FAILED for each in gaps(report))


@LAW
@given(reports(hostile), st.randoms())
def test_order_changes_no_byte(report: Report, random: object) -> None:
    findings = list(report.findings)
    random.shuffle(findings)  # type: ignore[attr-defined]
    other = replace(report, findings=tuple(findings), subjects=report.subjects[::-1])
    for render in FORMATS.values():
        assert render(other) == render(report)


@LAW
@given(reports(hostile))
def test_json_tells_the_verdict_that_the_report_has(report: Report) -> None:
    document = json.loads(FORMATS["json"](report))
    assert document["verdict"] == report.verdict.value
    assert len(document["findings"]) == len(report.findings)
