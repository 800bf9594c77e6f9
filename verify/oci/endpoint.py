"""One repository of one registry as addresses and requests; what every request to it shares.

1. `https`, unless plain HTTP was asked for by name; a host that is this machine is asked by plain HTTP where
   nothing else was said. Nothing falls back from one to the other.
2. Every question for a manifest carries the list of types we read, HEAD included: registries say *not found*
   for a type that is not on the list.
3. Credentials are those of `host/repository`, with `pull`, or `pull` and `push`, announced as scopes.
4. An HTML page is no answer to any of this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.errors import Absent, Unavailable
from verify.limits import DEFAULT, Limits
from verify.oci import registrychecks as checks
from verify.oci.manifest import ACCEPTED
from verify.transport.address import Address
from verify.transport.client import complaint_of
from verify.transport.message import Follow, Headers, Request

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.digest import Reader
    from verify.oci.reference import Reference
    from verify.transport.complaint import Complaint
    from verify.transport.message import Client, Response

_NONE: frozenset[int] = frozenset()


def registry_address(host: str, *, plain_http: bool | None = None) -> Address:
    """The root of a registry. `plain_http`: True, False, or None for *only on this machine*."""
    plain = Address.parse(f"http://{host}/")
    chosen = plain.origin.loopback if plain_http is None else plain_http
    return plain if chosen else Address.parse(f"https://{host}/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Asks one repository through a client."""

    client: Client
    root: Address
    repository: str
    account: str
    limits: Limits = DEFAULT

    @classmethod
    def of(
        cls,
        reference: Reference,
        client: Client,
        *,
        plain_http: bool | None = None,
        limits: Limits = DEFAULT,
    ) -> Endpoint:
        """The repository of a reference."""
        return cls(
            client=client,
            root=registry_address(reference.api_host, plain_http=plain_http),
            repository=reference.repository,
            account=reference.name,
            limits=limits,
        )

    @property
    def place(self) -> str:
        """For messages, and as a reference to paste."""
        return f"oci://{self.account}"

    def at(self, rest: str) -> Address:
        """An address below this repository."""
        return self.root.at(f"/v2/{self.repository}/{rest}")

    def scope(self, actions: str, repository: str | None = None) -> str:
        """What a token must allow."""
        return f"repository:{repository or self.repository}:{actions}"

    def get(
        self,
        address: Address,
        *,
        method: str = "GET",
        headers: tuple[tuple[str, str], ...] = (),
        give: frozenset[int] = _NONE,
        framed: bool = True,
        follow: Follow = Follow.ANYWHERE,
    ) -> Response:
        """Ask for something. Raises Unavailable."""
        request = Request(
            method=method,
            address=address,
            headers=Headers.of(headers),
            account=self.account,
            scopes=(self.scope("pull"),),
            give=give,
            framed=framed,
            follow=follow,
        )
        return self.client.send(request)

    def put(
        self,
        method: str,
        address: Address,
        *,
        headers: tuple[tuple[str, str], ...] = (),
        body: Callable[[], Reader] | None = None,
        length: int | None = None,
        scopes: tuple[str, ...] = (),
        give: frozenset[int] = _NONE,
        repeat: bool = True,
    ) -> Response:
        """Change something. Raises Unavailable."""
        request = Request(
            method=method,
            address=address,
            headers=Headers.of(headers),
            body=body,
            length=length,
            account=self.account,
            scopes=(self.scope("pull,push"), *scopes),
            give=give,
            repeat=repeat,
        )
        return self.client.send(request)

    def complaint(self, response: Response) -> Complaint:
        """What a refusal says; the response is over."""
        return complaint_of(response, self.limits)

    def unknown(self, response: Response, what: str, check: str) -> Absent:
        """A 404 as an error: the thing is absent, or its repository is."""
        said = self.complaint(response)
        if "NAME_UNKNOWN" in said.codes:
            return Absent(f"{self.place}: no such repository, so no {what}", check=check)
        return Absent(f"{self.place}: no {what}", check=check)

    def unexpected(self, response: Response, what: str) -> Unavailable:
        """Any other refusal as an error."""
        said = self.complaint(response).text
        return Unavailable(
            f"{self.place}: {what}: unexpected answer {response.status}" + (f": {said}" if said else ""),
            check=checks.UNEXPECTED.id,
        )

    def refuse_html(self, response: Response, what: str) -> None:
        """Raises Unavailable (`registry.html`)."""
        if response.headers.media_type in {"text/html", "application/xhtml+xml"}:
            response.close()
            raise Unavailable(
                f"{self.place}: {what}: {response.address.origin} answers with a web page",
                check=checks.HTML.id,
                hint=f"modseal login {self.account.partition('/')[0]}",
            )


ACCEPT = ("Accept", ", ".join(ACCEPTED))
