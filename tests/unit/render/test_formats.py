"""Every sample report in every format: the goldens, the schemas, and what each format owes its reader."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings

from tests.support import sarif_schema
from tests.support.report_strategies import hostile, reports
from tests.support.sample_reports import SAMPLES
from verify.render import FORMATS, github, markdown, text
from verify.render.checks import CHECKS
from verify.report import Basis, Check, Finding, Outcome, Report, Verdict

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = json.loads((ROOT / "docs/reference/report.schema.json").read_bytes())
samples = pytest.mark.parametrize("name", SAMPLES)


def goldens() -> Any:
    spec = importlib.util.spec_from_file_location("report_goldens", ROOT / "tools/report_goldens.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def strict(schema: Any) -> Any:
    """The same schema with unknown fields refused: for us, who write, though not for those who read."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: strict(each) for key, each in schema.items()}
    return {**closed, "additionalProperties": False} if "properties" in closed else closed


def shuffled(report: Report) -> Report:
    return replace(
        report,
        findings=report.findings[::-1],
        subjects=report.subjects[::-1],
        weakened=report.weakened[::-1],
        not_locked=report.not_locked[::-1],
    )


def test_goldens_are_what_the_script_writes() -> None:
    assert goldens().differences() == []


@pytest.mark.parametrize("fmt", FORMATS)
@samples
def test_order_of_findings_changes_no_byte(name: str, fmt: str) -> None:
    assert FORMATS[fmt](shuffled(SAMPLES[name])) == FORMATS[fmt](SAMPLES[name])


@pytest.mark.parametrize("fmt", FORMATS)
@samples
def test_account_is_in_every_format(name: str, fmt: str) -> None:
    assert str(SAMPLES[name].account) in FORMATS[fmt](SAMPLES[name])


@pytest.mark.parametrize("fmt", FORMATS)
def test_weakening_flags_are_in_every_format(fmt: str) -> None:
    assert "--allow-unbound" in FORMATS[fmt](SAMPLES["excepted"])


def test_formats_load_when_asked() -> None:
    code = (
        "import sys, verify.render.output; print(*[m for m in sys.modules if m.startswith('verify.render.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["verify.render.output"]


def test_unknown_format_is_a_key_error() -> None:
    assert "vsb" not in FORMATS
    with pytest.raises(KeyError):
        FORMATS["vsb"]


@pytest.mark.parametrize(
    ("name", "check", "said"),
    [
        ("nothing-to-check", "report.nothing-checked", "no subject was found"),
        ("empty-lock-allowed", "report.empty-lock", "the lock names no module"),
        ("not-locked", "report.not-locked", "example.com/stray@v0.1.0"),
        ("only-exceptions", "report.nothing-verified", "no subject was verified"),
        ("required-check-silent", "report.not-run", "attestation.signed"),
    ],
)
def test_a_gap_is_told_in_every_format(name: str, check: str, said: str) -> None:
    for render in FORMATS.values():
        out = render(SAMPLES[name])
        assert check in out
        assert said in out


def test_an_empty_lock_names_the_flag_that_allows_it() -> None:
    report = Report(command="verify tree", empty_lock=True)
    assert "  hint: modseal verify tree --allow-empty" in text.render(report).splitlines()
    assert report.verdict is Verdict.UNKNOWN


def test_account_says_which_check_gave_no_answer() -> None:
    assert "1 unknown (attestation.signed) + 0" in str(SAMPLES["required-check-silent"].account)


@pytest.mark.parametrize("fmt", FORMATS)
def test_findings_that_differ_in_their_last_field_keep_one_order(fmt: str) -> None:
    report = SAMPLES["lock-unreadable"]
    (one,) = report.findings
    pair = (replace(one, hints=("b",)), replace(one, hints=("a",)))
    render = FORMATS[fmt]
    assert render(replace(report, findings=pair)) == render(replace(report, findings=pair[::-1]))


# text


def test_text_reads_as_designed() -> None:
    lines = text.render(SAMPLES["extra-file"]).splitlines()
    assert lines[:3] == [
        "FAIL tree.extra-file  example.com/net@v1.4.0",
        "  found    templates/hook.cue   not in the locked tree",
        "  locked   cue.mod/sum.cue:7    h1:Khu2lTXbBpbKuRTu9nMEr3YUx3gcVmZfX9CYxHY3xdI=",
    ]
    assert lines[-2:] == [
        "basis: self-consistent (pin it with --sum git:v1.2.0)",
        "3 modules = 1 verified + 1 failed + 1 unknown (fetch.offline) + 0 excepted; 0 not locked",
    ]


@samples
def test_text_ends_with_the_account(name: str) -> None:
    report = SAMPLES[name]
    assert text.render(report).splitlines()[-1] == str(report.account)
    assert text.render(report, verbose=True).splitlines()[-1] == str(report.account)


def test_text_lists_what_passed_only_when_asked() -> None:
    report = SAMPLES["passed"]
    assert "PASS" not in text.render(report)
    assert "PASS example.com/net@v1.4.0  tree.hash" in text.render(report, verbose=True).splitlines()


def test_text_has_colour_only_when_asked() -> None:
    report = SAMPLES["extra-file"]
    assert "\x1b" not in text.render(report)
    coloured = text.render(report, style=text.Style.COLOUR)
    assert "\x1b[1;31mFAIL\x1b[0m tree.extra-file" in coloured
    assert coloured.count("\x1b[0m") == coloured.count("\x1b[") // 2


def test_text_caps_one_check_on_one_subject() -> None:
    lines = text.render(SAMPLES["many-of-one-kind"]).splitlines()
    assert sum(line.startswith("  file ") for line in lines) == text.CAP
    assert "  … and 5 more (see --output json)" in lines


# json


@samples
def test_json_obeys_its_schema(name: str) -> None:
    document = json.loads(FORMATS["json"](SAMPLES[name]))
    jsonschema.Draft202012Validator(strict(SCHEMA)).validate(document)
    account = document["account"]
    parts = [account[key] for key in ("verified", "failed", "unknown", "excepted")]
    assert sum(parts) == account["subjects"] == len(document["subjects"])


def test_json_schema_refuses_a_foreign_verdict() -> None:
    document = json.loads(FORMATS["json"](SAMPLES["passed"]))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate({**document, "verdict": "green"})
    jsonschema.Draft202012Validator(SCHEMA).validate({**document, "addedLater": 1})


# sarif


@pytest.fixture(scope="module")
def sarif() -> Any:
    return jsonschema.Draft7Validator(sarif_schema.load())


@samples
def test_sarif_obeys_the_published_schema(name: str, sarif: Any) -> None:
    sarif.validate(json.loads(FORMATS["sarif"](SAMPLES[name])))


@given(report=reports(hostile))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_sarif_obeys_the_published_schema_whatever_the_text(report: Report, sarif: Any) -> None:
    sarif.validate(json.loads(FORMATS["sarif"](report)))


@given(report=reports(hostile))
@settings(max_examples=15, deadline=None)
def test_json_obeys_its_schema_whatever_the_text(report: Report) -> None:
    jsonschema.Draft202012Validator(strict(SCHEMA)).validate(json.loads(FORMATS["json"](report)))


@samples
def test_sarif_is_never_an_empty_success(name: str) -> None:
    report = SAMPLES[name]
    (run,) = json.loads(FORMATS["sarif"](report))["runs"]
    (invocation,) = run["invocations"]
    assert invocation["exitCode"] == report.verdict.exit_code
    if report.verdict is not Verdict.PASSED:
        assert {each["level"] for each in run["results"]} & {"error", "warning"}
    if report.verdict is Verdict.UNKNOWN:
        assert invocation["executionSuccessful"] is False
        assert any(each["level"] == "error" for each in invocation["toolExecutionNotifications"])


@samples
def test_sarif_rules_and_fingerprints_hold_together(name: str) -> None:
    (run,) = json.loads(FORMATS["sarif"](SAMPLES[name]))["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["locations"]
    prints = [result["partialFingerprints"]["modseal/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints)
    assert all(rule["help"]["text"] for rule in rules)


def test_sarif_fingerprint_survives_a_moved_line() -> None:
    report = SAMPLES["extra-file"]

    def prints(each: Report) -> list[Any]:
        return [r["partialFingerprints"] for r in json.loads(FORMATS["sarif"](each))["runs"][0]["results"]]

    moved = [replace(f, place=replace(f.place, line=99)) if f.place else f for f in report.findings]
    assert prints(replace(report, findings=tuple(moved))) == prints(report)


def test_sarif_excepted_is_suppressed_with_its_reason() -> None:
    results = json.loads(FORMATS["sarif"](SAMPLES["excepted"]))["runs"][0]["results"]
    (excepted,) = [each for each in results if "suppressions" in each]
    assert excepted["ruleId"] == "tree.extra-file"
    assert excepted["suppressions"][0]["justification"] == "patched for issue 12 until 2027-01-31"


# junit


def cases(name: str) -> dict[str, set[str]]:
    root = ET.fromstring(FORMATS["junit"](SAMPLES[name]))  # noqa: S314 - our own bytes
    return {case.get("name", ""): {each.tag for each in case} for case in root.iter("testcase")}


@samples
def test_junit_counts_add_up_and_the_run_is_a_case(name: str) -> None:
    root = ET.fromstring(FORMATS["junit"](SAMPLES[name]))  # noqa: S314 - our own bytes
    for attribute, tag in (
        ("tests", "testcase"),
        ("failures", "failure"),
        ("errors", "error"),
        ("skipped", "skipped"),
    ):
        assert int(root.get(attribute, "")) == len(list(root.iter(tag)))
        assert sum(int(suite.get(attribute, "")) for suite in root) == int(root.get(attribute, ""))
    green = root.get("failures") == root.get("errors") == "0"
    assert green == (SAMPLES[name].verdict is Verdict.PASSED)


def test_junit_tells_failure_error_and_skipped_apart() -> None:
    mixed = cases("extra-file")
    assert mixed["tree.extra-file templates/hook.cue"] == {"failure"}
    assert mixed["fetch.offline"] == {"error"}
    assert mixed["tree.hash"] == set()
    assert cases("excepted")["tree.extra-file patch.cue"] == {"skipped"}
    assert cases("required-check-silent")["report.not-run"] == {"error"}


# github


def test_github_keeps_ten_of_a_kind_and_says_how_many_more() -> None:
    lines = github.render(SAMPLES["many-of-one-kind"]).splitlines()
    errors = [line for line in lines if line.startswith("::error ")]
    assert len(errors) == github.MOST
    assert errors[-1] == "::error title=modseal::16 more (see --output json)"


def test_github_notices_leave_room_for_the_account() -> None:
    report = SAMPLES["passed"]
    note = Finding(check=CHECKS[0], outcome=Outcome.NOTED, message="x")
    for count in (8, 9, 10, 30):
        noted = replace(report, findings=report.findings + (note,) * count)
        lines = github.render(noted).splitlines()
        assert len(lines) == min(count + 1, github.MOST)
        assert str(report.account) in lines[-1]
        assert (f"::{count - 8} more" in lines[-2]) == (count > 9)


def test_github_worst_first() -> None:
    kinds = [line.split(" ")[0] for line in github.render(SAMPLES["extra-file"]).splitlines()]
    assert kinds == ["::error", "::warning", "::notice"]


# markdown


def test_markdown_stays_below_a_mebibyte_and_keeps_the_account() -> None:
    report = SAMPLES["many-of-one-kind"]
    long = [replace(each, message=str(i) + "é" * 3000) for i, each in enumerate(report.findings * 20)]
    # a basis in which every character takes ten
    report = replace(report, findings=tuple(long), basis=Basis(detail="\U000e0001" * 5000))
    out = markdown.render(report)
    assert 900_000 < len(out.encode()) < markdown.MOST
    assert "more left out to stay below the size limit" in out
    assert out.splitlines()[-1] == f"`{report.account}`"


def test_markdown_one_huge_account_cannot_break_the_limit() -> None:
    report = replace(SAMPLES["passed"], command="x" * 2_000_000, weakened=("y" * 2_000_000,) * 3)
    assert len(markdown.render(report).encode()) < markdown.MOST


def test_sarif_two_findings_alike_stay_two_alerts_and_a_terse_check_has_help() -> None:
    one = Finding(check=Check(id="a.b", title="", meaning=""), outcome=Outcome.FAILED)
    (run,) = json.loads(FORMATS["sarif"](Report(command="gate", findings=(one, one))))["runs"]
    assert len({each["partialFingerprints"]["modseal/v1"] for each in run["results"]}) == 2
    assert [rule["help"]["text"] for rule in run["tool"]["driver"]["rules"]] == ["a.b"]
