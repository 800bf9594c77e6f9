"""Every check of the network and of credentials, with its meaning and what to do. None of them refutes anything."""

from __future__ import annotations

from verify.report import Check


def _check(name: str, title: str, meaning: str, remedy: str) -> Check:
    return Check(id=name, title=title, meaning=meaning, remedy=remedy)


_SERVER = "Ask whoever runs the server, or the proxy in front of it."

CHECKS = (
    _check(
        "fetch.offline",
        "not asked, because of --offline",
        "Something on a network was needed, and --offline forbids asking for it.",
        "Fetch it first (modseal vendor, modseal copy), or run without --offline.",
    ),
    _check(
        "fetch.unreachable",
        "server cannot be reached",
        "The name does not resolve, or nobody accepts connections there.",
        "Check the name, the network and the proxy, and try again.",
    ),
    _check(
        "fetch.timeout",
        "server does not answer in time",
        "The server was silent for longer than the limit.",
        "Try again; raise the limit for a server that is known to be slow.",
    ),
    _check(
        "fetch.slow",
        "answer comes too slowly",
        "The server sends, but so little at a time that the answer would never end.",
        "Try again; raise the limit for a server that is known to be slow.",
    ),
    _check(
        "fetch.cut",
        "connection was cut",
        "The connection ended before the answer did, and going on did not help.",
        "Try again.",
    ),
    _check(
        "fetch.tls",
        "host cannot prove who it is",
        "The certificate is not valid for the host or was issued by nobody we trust, or the server speaks no TLS.",
        "Name the authority with --ca-cert. Use --plain-http only on a network that is yours.",
    ),
    _check(
        "fetch.proxy",
        "proxy refuses or does not answer",
        "The proxy that the environment names cannot be used.",
        "Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.",
    ),
    _check(
        "fetch.unauthorized",
        "server wants to know who asks",
        "No credential was found for the server, or the one found was refused. This does not mean that nothing is there.",
        "Log in with modseal login.",
    ),
    _check(
        "fetch.forbidden",
        "server refuses this user",
        "The credential is known and does not allow this. This does not mean that nothing is there.",
        "Ask for the right, or log in as somebody who has it.",
    ),
    _check(
        "fetch.throttled",
        "server asks to come back later",
        "Too many requests were made, by us or by others at the same address.",
        "Wait as long as the hint says; log in, since known users often may ask more.",
    ),
    _check(
        "fetch.server-error",
        "server has a fault",
        "The server answered that it failed, also when asked again.",
        "Try again later.",
    ),
    _check(
        "transport.address",
        "address cannot be used",
        "A URL, often one that a server gave, is malformed, has a user name in it or is not http or https.",
        _SERVER,
    ),
    _check(
        "transport.redirect",
        "redirect is refused",
        "A server led from https to http, from a public host into this network, or an upload elsewhere.",
        _SERVER,
    ),
    _check(
        "transport.redirect-loop",
        "redirects do not end",
        "A server led from one place to the next more often than the limit.",
        _SERVER,
    ),
    _check(
        "transport.realm",
        "token server is refused",
        "A registry wanted our credential sent without TLS, or to a host inside this network. It was not sent.",
        _SERVER,
    ),
    _check(
        "transport.token",
        "token cannot be used",
        "A token server answered with something that is no token.",
        _SERVER,
    ),
    _check(
        "transport.encoded",
        "answer is encoded",
        "The answer has a content coding such as gzip that nobody asked for: its bytes are not those with the digest.",
        "Turn off compression in the server or proxy for these addresses.",
    ),
    _check(
        "transport.framing",
        "nobody knows where the answer ends",
        "The answer states its length twice, wrongly or not at all, so that a part could be missing unnoticed.",
        _SERVER,
    ),
    _check(
        "transport.surplus",
        "answer goes on after its end",
        "After the length it stated, the server sent more. The connection was not used again.",
        _SERVER,
    ),
    _check(
        "transport.too-large",
        "answer is larger than its limit",
        "An answer that should be small is not. It was not read to its end.",
        "Raise the limit only for a server you trust.",
    ),
    _check(
        "transport.proxy",
        "proxy is not usable",
        "The environment names a proxy of a kind that is not supported.",
        "Name an http:// or https:// proxy.",
    ),
    _check(
        "transport.certificate",
        "certificate file is not usable",
        "A file of authorities or a client certificate cannot be read.",
        "Check the path and that it is PEM.",
    ),
    _check(
        "credentials.malformed",
        "credential file is malformed",
        "A file of credentials or a helper's answer is not what Docker, Podman or cue write.",
        "Repair or remove it, or write it again with modseal login.",
    ),
    _check(
        "credentials.helper",
        "credential helper fails",
        "The program that keeps the credentials is missing, failed or did not answer in time.",
        "Run docker-credential-NAME list by hand; log in again.",
    ),
    _check(
        "credentials.user",
        "user or password is none",
        "A login needs a user without a colon, and a password that is not empty.",
        "Say --username, and give the password or token on stdin.",
    ),
)
