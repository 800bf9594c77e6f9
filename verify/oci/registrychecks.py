"""Every check of what a registry answers, with its meaning and what to do."""

from __future__ import annotations

from verify.report import Check

HTML = Check(
    id="registry.html",
    title="a web page where content belongs",
    meaning="The registry, or something in front of it, answered with an HTML page: a login form or a captive portal.",
    remedy="Check the host's name and the proxy; log in with modseal login.",
)
DIGEST_HEADER = Check(
    id="registry.digest-header",
    title="registry names another digest than the bytes have",
    meaning="The Docker-Content-Digest header differs from the digest of the bytes beside it.",
    remedy="Do not use the answer. Tell whoever runs the registry; a proxy that alters answers does this too.",
)
LOCATION = Check(
    id="registry.location",
    title="upload is sent to another place",
    meaning="The registry named another host, port or scheme to upload to. Nothing was sent there.",
    remedy="Ask whoever runs the registry; behind a proxy its public address must be configured.",
)
LINK = Check(
    id="registry.link",
    title="next page is at another place",
    meaning="The registry named another host, port or scheme, the same page again or no readable address for the next page of a list.",
    remedy="The list is incomplete. Ask whoever runs the registry.",
)
LIMIT = Check(
    id="registry.limit",
    title="list has more pages or entries than the limit",
    meaning="A list of tags went on beyond its limit.",
    remedy="Raise the limit for a registry you trust.",
)
LIST_MALFORMED = Check(
    id="registry.list-malformed",
    title="list cannot be read",
    meaning="A list of tags is not what the distribution specification says.",
    remedy="Ask whoever runs the registry.",
)
REFERRERS_UNCLEAR = Check(
    id="registry.referrers-unclear",
    title="nobody can say what is attached",
    meaning="The registry answered the question for referrers with a redirect to another host or with something that is no list, and has no complete fallback list either.",
    remedy="Use a registry with the referrers API, or ask whoever runs this one.",
)
REFUSED = Check(
    id="registry.refused",
    title="registry refuses what was sent",
    meaning="The registry answered a blob or manifest that was sent to it with a refusal.",
    remedy="Read what it says. A tag may be immutable, a quota used up, or a type not allowed.",
)
UNEXPECTED = Check(
    id="registry.unexpected",
    title="answer makes no sense",
    meaning="The registry answered with a status or without a header that the distribution specification requires.",
    remedy="Check that the host is an OCI registry (modseal doctor).",
)
NAME_UNKNOWN = Check(
    id="registry.name-unknown",
    title="no such repository",
    meaning="The registry does not know the repository. Some registries say this of repositories you may not see.",
    remedy="Check the name; log in with modseal login.",
)

CHECKS = (
    HTML,
    DIGEST_HEADER,
    LOCATION,
    LINK,
    LIMIT,
    LIST_MALFORMED,
    REFERRERS_UNCLEAR,
    REFUSED,
    UNEXPECTED,
    NAME_UNKNOWN,
)
