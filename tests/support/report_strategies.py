"""Generated reports, and text chosen to hurt."""

from __future__ import annotations

from hypothesis import strategies as st

from verify.report import Basis, Check, Detail, Finding, Outcome, Place, Report, Subject, SubjectKind

CHECKS = tuple(Check(id=f"tree.c{i}", title=f"check {i}", meaning=f"meaning {i}") for i in range(4))
IDS = tuple(check.id for check in CHECKS)

# any code point, lone surrogates too
hostile = st.text(
    alphabet=st.one_of(
        st.sampled_from(
            "\x00\x1b\n\r\t\u202e\u2028\u0301\ufeff\ud800\udcff\ufffe|`*_[]()<>&\"'%:;,#!~\\ /=a"
        ),
        st.characters(exclude_categories=()),
    ),
    max_size=24,
)
# enough to tell subjects apart, and cheap to draw: most laws look at outcomes only
plain = st.sampled_from(("a", "b", "c.cue", "d/e", "f@v1"))


def findings(subjects: tuple[str, ...], text: st.SearchStrategy[str]) -> st.SearchStrategy[Finding]:
    core = {
        "check": st.sampled_from(CHECKS),
        "outcome": st.sampled_from(Outcome),
        "subject": st.sampled_from((None, *subjects)) if subjects else st.none(),
        "exception": st.none() | text.filter(lambda value: bool(value.strip())),
    }
    if text is plain:
        return st.builds(Finding, **core)
    return st.builds(
        Finding,
        **core,
        message=text,
        file=st.none() | text,
        place=st.none() | st.builds(Place, path=text, line=st.none() | st.integers(1, 9)),
        details=st.lists(
            st.builds(Detail, label=st.sampled_from(("found", "locked", "was")), text=text), max_size=2
        ).map(tuple),
        hints=st.lists(text, max_size=2).map(tuple),
    )


@st.composite
def reports(draw: st.DrawFn, text: st.SearchStrategy[str] = plain) -> Report:
    names = tuple(draw(st.lists(text, max_size=3, unique=True)))
    subjects = tuple(
        Subject(
            name=name,
            kind=draw(st.sampled_from(SubjectKind)),
            requires=tuple(draw(st.lists(st.sampled_from(IDS), max_size=3, unique=True))),
        )
        for name in names
    )
    found = draw(st.lists(findings(names, text), max_size=5))
    if draw(st.booleans()):
        # runs that pass are rare among random ones, and the laws are about those
        ok = [
            Finding(check=check, outcome=Outcome.PASSED, subject=each.name)
            for each in subjects
            for check in CHECKS
            if check.id in each.requires
        ]
        kept = [
            each for each in found if draw(st.booleans()) and each.outcome in {Outcome.PASSED, Outcome.NOTED}
        ]
        found = ok + kept
    return Report(
        command=draw(st.sampled_from(("verify tree", "gate"))),
        subjects=subjects,
        findings=tuple(found),
        basis=Basis(detail=draw(text)),
        not_locked=tuple(draw(st.lists(text, max_size=2))) if draw(st.booleans()) else (),
        weakened=tuple(draw(st.lists(text, max_size=2))),
        facts=tuple(draw(st.lists(st.builds(Detail, label=st.just("scope"), text=text), max_size=2))),
        empty_lock=draw(st.booleans()),
        allow_empty=draw(st.booleans()),
    )
