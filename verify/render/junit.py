"""A report as JUnit XML: a suite per subject, a case per finding, and a suite for the run itself.

Failed is `failure`, unknown is `error` (a skipped case would look green), excepted is `skipped` with its
reason, noted and passed are cases that passed. The last suite holds one case named `account`, which passes
exactly when the run does and carries the sum, so that a document is never empty.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from verify.render.escape import html, terminal
from verify.render.telling import Status, status, told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.report import Finding, Report

_ELEMENT = {Status.FAILED: "failure", Status.UNKNOWN: "error", Status.EXCEPTED: "skipped"}
_Case = tuple[str, list[str]]  # the element that says how it came out, and the lines


def render(report: Report) -> str:
    """One document."""
    by_subject = sorted(told(report), key=lambda each: (each.subject is None, each.subject or ""))
    suites = []
    for subject, group in groupby(by_subject, key=lambda each: each.subject):
        suites.append(_suite(subject or "the run", [_case(each) for each in group]))
    suites.append(_suite("account", [_account(report)]))
    total = _counts([case for _, cases in suites for case in cases])
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="modseal {html(report.command)}"{total}>',
    ]
    for name, cases in suites:
        lines.append(f'  <testsuite name="{html(name)}"{_counts(cases)}>')
        lines += [line for _, case in cases for line in case]
        lines.append("  </testsuite>")
    return "\n".join((*lines, "</testsuites>")) + "\n"


def _suite(name: str, cases: list[_Case]) -> tuple[str, list[_Case]]:
    return name, cases


def _counts(cases: Sequence[_Case]) -> str:
    def count(element: str) -> int:
        return sum(1 for each, _ in cases if each == element)

    return f' tests="{len(cases)}" failures="{count("failure")}" errors="{count("error")}" skipped="{count("skipped")}"'


def _case(finding: Finding) -> _Case:
    element = _ELEMENT.get(status(finding), "")
    name = finding.check.id if finding.file is None else f"{finding.check.id} {finding.file}"
    opened = f'    <testcase name="{html(name)}" classname="{html(finding.subject or "the run")}"'
    body = _body(finding)
    if element == "skipped":
        inner = f'      <skipped message="{html(finding.exception or "")}"/>'
    elif element:
        kind, message = html(finding.check.id), html(finding.message or finding.check.title)
        inner = f'      <{element} type="{kind}" message="{message}">{body}</{element}>'
    elif body:
        inner = f"      <system-out>{body}</system-out>"
    else:
        return "", [opened + "/>"]
    return element, [opened + ">", inner, "    </testcase>"]


def _body(finding: Finding) -> str:
    lines = [finding.message] if finding.message else []
    lines += [f"{each.label}: {each.text}" for each in finding.details]
    lines += [f"at: {finding.place}"] if finding.place else []
    lines += [f"hint: {hint}" for hint in finding.hints]
    return "\n".join(map(html, lines))


def _account(report: Report) -> _Case:
    element = {"passed": "", "failed": "failure", "unknown": "error"}[report.verdict.value]
    said = [str(report.account), f"basis: {report.basis}"]
    said += [f"weakened: {flag}" for flag in sorted(report.weakened)]
    said += [f"{each.label}: {each.text}" for each in report.facts]
    body = "\n".join(html(terminal(line)) for line in said)
    lines = ['    <testcase name="account" classname="modseal">']
    if element:
        lines.append(
            f'      <{element} type="{report.verdict.value}" message="{html(str(report.account))}"/>'
        )
    return element, [*lines, f"      <system-out>{body}</system-out>", "    </testcase>"]
