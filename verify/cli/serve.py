"""`modseal serve`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from verify.cli.options import emit, talking
from verify.events import Level
from verify.render.escape import terminal

if TYPE_CHECKING:
    from verify.cli.talk import Talk
    from verify.workflows.serving import Serving

EPILOG = """\b
Examples:
  modseal serve ./mirror                                  read-only, on a free port
  modseal serve --writable --listen 127.0.0.1:5000 ./oci  a registry for this machine
  modseal serve --name example.com/net ./net.layout       one layout under one name

\b
The first line on stdout is the address, for example for
CUE_REGISTRY=127.0.0.1:5000+insecure. Not a registry for production: no
passwords, no TLS. SIGINT or SIGTERM ends it, with exit code 0.
"""


@click.command("serve", epilog=EPILOG)
@click.argument("folder", metavar="DIR")
@click.option("--writable", is_flag=True, help="Accept pushes and deletions.")
@click.option("--name", metavar="REPO", help="The one repository that DIR, a single layout, is.")
@click.option(
    "--listen", default="127.0.0.1:0", metavar="HOST:PORT", show_default=True, help="Port 0: a free one."
)
@click.option(
    "--host", "hosts", multiple=True, metavar="NAME[:PORT]", help="A further name clients may use for it."
)
@click.option("--json", "as_json", is_flag=True, help="Tell the address as JSON, on one line.")
@talking
def command(
    *,
    folder: str,
    writable: bool,
    name: str | None,
    listen: str,
    hosts: tuple[str, ...],
    as_json: bool,
    talk: Talk,
) -> int:
    """A layout folder over HTTP.

    DIR is an OCI layout, or a folder of them: the repository example.com/net is DIR/example.com/net.
    """
    from verify.workflows.serving import serve_until_stopped  # noqa: PLC0415

    def announce(serving: Serving) -> None:
        kind = "every layout below" if serving.tree else "the layout"
        access = "read and written" if writable else "read-only"
        talk.note(Level.INFO, f"serving {kind} {folder}, {access}")
        emit(json.dumps(serving.as_data()) + "\n" if as_json else f"{terminal(serving.address)}\n")

    serve_until_stopped(
        folder, announce, listen=listen, writable=writable, name=name, hosts=hosts, events=talk
    )
    return 0
