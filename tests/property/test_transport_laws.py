"""Laws of what servers send us: nothing they can write makes a parser raise, and what we render it reads back."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from verify.errors import Unavailable
from verify.oci.paging import next_link
from verify.transport.address import Address
from verify.transport.authfile import parse_auth_file
from verify.transport.challenge import parse_challenges
from verify.transport.complaint import read_complaint
from verify.transport.credentials import Secret, account_keys, normal_key
from verify.transport.patience import parse_retry_after

TOKENS = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,8}", fullmatch=True)
QUOTABLE = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=20)
CHALLENGES = st.lists(
    st.tuples(TOKENS, st.dictionaries(TOKENS.map(str.lower), QUOTABLE, min_size=1, max_size=3)), max_size=4
)
HOSTS = st.from_regex(r"[a-z][a-z0-9]{0,8}(\.[a-z][a-z0-9]{0,8}){0,2}(:[1-9][0-9]{0,3})?", fullmatch=True)


def rendered(scheme: str, parameters: dict[str, str]) -> str:
    quoted = (
        '{}="{}"'.format(key, value.replace("\\", r"\\").replace('"', r"\""))
        for key, value in parameters.items()
    )
    return f"{scheme} {', '.join(quoted)}"


@given(CHALLENGES)
def test_challenges_written_are_challenges_read(written: list[tuple[str, dict[str, str]]]) -> None:
    expected = [(scheme.lower(), parameters) for scheme, parameters in written]
    text = [rendered(*each) for each in written]
    for values in (text, [", ".join(text)]):
        assert [(each.scheme, dict(each.parameters)) for each in parse_challenges(values)] == expected


@given(st.text(), st.binary())
def test_nothing_a_server_writes_is_too_much(text: str, data: bytes) -> None:
    parse_challenges([text, f"Bearer {text}", f'Bearer realm="{text}"'])
    parse_retry_after(text, 0.0)
    next_link([text, f"<{text}>; rel=next"])
    read_complaint(data)
    with suppress(Unavailable):
        Address.parse(f"https://example.com/{text}")
    with suppress(Unavailable):
        Address.parse("https://example.com/a/b?c").join(text)
    with suppress(Unavailable):
        parse_auth_file(data, "x")


@given(st.text())
def test_reference_to_the_same_place_never_leaves_it_unnoticed(text: str) -> None:
    here = Address.parse("https://example.com/a")
    with suppress(Unavailable):
        there = here.join(text)
        # what we take for the origin is what stands between // and the next delimiter
        host = there.text.removeprefix(f"{there.origin.scheme}://").partition("/")[0]
        assert host == f"{there.origin.host}:{there.origin.port}" or there.origin.host.count(":")


@given(HOSTS, st.lists(TOKENS.map(str.lower), max_size=3), TOKENS, QUOTABLE.filter(bool))
def test_login_written_is_found_for_all_below_and_logout_undoes_it(
    host: str, path: list[str], user: str, password: str
) -> None:
    account = normal_key("/".join([host, *path]))
    before = parse_auth_file(b'{"auths": {"kept.invalid": {"auth": "eDp5"}}}', "x")
    file = parse_auth_file(before.with_entry(account, user, Secret(password)), "x")
    found = file.find(f"{account}/below")
    assert found is not None
    assert (found.user, found.password) == (user, Secret(password))
    assert account in account_keys(f"{account}/below")
    gone = file.without_entry(account)
    assert gone is not None
    after = parse_auth_file(gone, "x")
    assert after.find(account) is None
    assert after.members == before.members
