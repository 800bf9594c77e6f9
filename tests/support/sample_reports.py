"""Reports by the situation they show: the source of the goldens and of the tests that need one of each."""

from __future__ import annotations

from verify.report import (
    Basis,
    BasisKind,
    Check,
    Detail,
    Finding,
    Outcome,
    Place,
    Report,
    Subject,
    SubjectKind,
)

EXTRA = Check(
    id="tree.extra-file",
    title="a file that the lock does not know",
    meaning="A file lies in the tree that was not there when the module was locked.",
    remedy="Restore the module, or lock it again after a review.",
)
HASH = Check(id="tree.hash", title="the tree hash", meaning="The files have the hash that the lock names.")
OFFLINE = Check(
    id="fetch.offline",
    title="not fetched",
    meaning="The bytes would have to come over the network, which --offline forbids.",
)
STRAY = Check(
    id="referrer.malformed", title="a malformed referrer", meaning="It is reported and counts nothing."
)
LOCK = Check(id="sum.malformed", title="a malformed sum file", meaning="The sum file cannot be read.")

NET = "example.com/net@v1.4.0"
WEB = "example.com/web@v0.3.1"


def _module(name: str) -> Subject:
    return Subject(name=name, kind=SubjectKind.LOCKED, requires=(HASH.id,))


def _ok(name: str) -> Finding:
    return Finding(check=HASH, outcome=Outcome.PASSED, subject=name)


_HOOK = Finding(
    check=EXTRA,
    outcome=Outcome.FAILED,
    subject=NET,
    file="templates/hook.cue",
    place=Place(path="cue.mod/sum.cue", line=7),
    details=(
        Detail(label="found", text="not in the locked tree"),
        Detail(label="locked", text="h1:Khu2lTXbBpbKuRTu9nMEr3YUx3gcVmZfX9CYxHY3xdI="),
    ),
    hints=(
        f"modseal diff ./cue.mod/vendor/{NET} {NET}",
        f"modseal vendor --restore {NET}",
    ),
)
_LATE = Finding(
    check=OFFLINE,
    outcome=Outcome.UNKNOWN,
    subject=WEB,
    message="not in the cache",
    hints=("modseal verify tree without --offline",),
)
_MANY = tuple(
    Finding(
        check=EXTRA,
        outcome=Outcome.FAILED,
        subject=NET,
        file=f"gen/{i:03}.cue",
        message="not in the locked tree",
    )
    for i in range(25)
)

SAMPLES: dict[str, Report] = {
    "passed": Report(
        command="verify tree",
        noun="module",
        subjects=(_module(NET), _module(WEB)),
        findings=(_ok(NET), _ok(WEB)),
        basis=Basis(kind=BasisKind.PINNED, detail="--sum git:v1.2.0"),
        facts=(Detail(label="scope", text="cue.mod"),),
    ),
    "extra-file": Report(
        command="verify tree",
        noun="module",
        subjects=(_module(NET), _module(WEB), _module("example.com/log@v1.0.0")),
        findings=(_HOOK, _LATE, _ok("example.com/log@v1.0.0")),
        basis=Basis(detail="pin it with --sum git:v1.2.0"),
    ),
    "nothing-to-check": Report(command="verify tree", noun="module"),
    "empty-lock-allowed": Report(
        command="verify tree", noun="module", empty_lock=True, allow_empty=True, weakened=("--allow-empty",)
    ),
    "not-locked": Report(
        command="verify tree",
        noun="module",
        subjects=(_module(NET),),
        findings=(_ok(NET),),
        not_locked=("example.com/stray@v0.1.0",),
    ),
    "required-check-silent": Report(
        command="verify artifact",
        noun="artifact",
        subjects=(
            Subject(name="oci://registry.example/net:v1.4.0", requires=("attestation.signed", HASH.id)),
        ),
        findings=(_ok("oci://registry.example/net:v1.4.0"),),
    ),
    "excepted": Report(
        command="gate",
        noun="module",
        subjects=(_module(NET), _module(WEB)),
        findings=(
            _ok(NET),
            _ok(WEB),
            Finding(
                check=EXTRA,
                outcome=Outcome.FAILED,
                subject=WEB,
                file="patch.cue",
                message="not in the locked tree",
                exception="patched for issue 12 until 2027-01-31",
            ),
            Finding(check=STRAY, outcome=Outcome.NOTED, subject=NET, message="not JSON"),
        ),
        weakened=("--allow-unbound",),
    ),
    "only-exceptions": Report(
        command="gate",
        noun="module",
        subjects=(_module(NET),),
        findings=(
            Finding(check=HASH, outcome=Outcome.FAILED, subject=NET, exception="accepted by the owner"),
        ),
    ),
    "lock-unreadable": Report(
        command="verify tree",
        noun="module",
        findings=(
            Finding(
                check=LOCK,
                outcome=Outcome.FAILED,
                message="expected a string, got a number",
                place=Place(path="cue.mod/sum.cue", line=3),
            ),
        ),
    ),
    "many-of-one-kind": Report(
        command="verify tree", noun="module", subjects=(_module(NET),), findings=_MANY
    ),
}
