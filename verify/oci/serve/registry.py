"""Requests in, answers out: the distribution protocol, version 1.1, without a socket.

| address   | GET, HEAD              | when writable                                             |
|-----------|------------------------|-----------------------------------------------------------|
| base      | 200                    |                                                           |
| catalog   | 200, pages             |                                                           |
| blob      | 200, 206, 416, 404     | DELETE 202                                                |
| uploads   |                        | POST 202, 201 (`digest`, `mount`), 400, 413, 429          |
| upload    | 204 (GET)              | PATCH 202, 416; PUT 201, 400, 413; DELETE 204             |
| manifest  | 200, 404               | PUT 201, 400, 413; DELETE 202 (a tag, or all of it)       |
| tags      | 200, pages             |                                                           |
| referrers | 200, pages, filtered   |                                                           |

A registry that may only be read answers 405 to everything else, whatever the address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.errors import Malformed, ModsealError
from verify.limits import DEFAULT, Limits
from verify.oci.serve.answers import Answer, refuse, told
from verify.oci.serve.body import BodyEnded
from verify.oci.serve.pulls import Pulls
from verify.oci.serve.pushes import Pushes
from verify.oci.serve.request import Endpoint, Request, Route, parse_route
from verify.oci.serve.uploads import UploadUnknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from verify.oci.serve.repositories import Repositories
    from verify.oci.serve.uploads import Uploads

_READING = {"GET", "HEAD"}


class Registry:
    """Repositories under the protocol. `uploads` makes it writable."""

    def __init__(
        self, repositories: Repositories, *, uploads: Uploads | None = None, limits: Limits = DEFAULT
    ) -> None:
        self._writable = uploads is not None
        self._handlers = _reading(Pulls(repositories, limits=limits))
        if uploads is not None:
            for endpoint, methods in _writing(Pushes(repositories, uploads, limits=limits)).items():
                self._handlers.setdefault(endpoint, {}).update(methods)

    def answer(self, request: Request) -> Answer:
        """Always an answer, whatever was asked; what is raised is a fault of ours."""
        if request.method not in _READING and not self._writable:
            answer = refuse(405, "UNSUPPORTED", "this registry can only be read")
            return answer.having(("Allow", "GET, HEAD"))
        route = parse_route(request.path)
        if route is None:
            return refuse(404, "UNSUPPORTED", "no such address")
        handlers = self._handlers.get(route.endpoint, {})
        handler = handlers.get(request.method)
        if handler is None:
            allowed = ", ".join(sorted(handlers)) or "GET, HEAD"
            return refuse(405, "UNSUPPORTED", "not here").having(("Allow", allowed))
        try:
            return handler(route, request)
        except BodyEnded as error:
            return refuse(400, "SIZE_INVALID", str(error))
        except Malformed as error:
            return told(error) if error.check else refuse(400, "UNSUPPORTED", error.message)
        except UploadUnknown as error:
            return refuse(404, "BLOB_UPLOAD_UNKNOWN", error.message)
        except ModsealError as error:
            return told(error)


def _reading(pulls: Pulls) -> dict[Endpoint, dict[str, Callable[[Route, Request], Answer]]]:
    handlers: Mapping[Endpoint, Callable[[Route, Request], Answer]] = {
        Endpoint.BASE: pulls.base,
        Endpoint.CATALOG: pulls.catalog,
        Endpoint.BLOB: pulls.blob,
        Endpoint.MANIFEST: pulls.manifest,
        Endpoint.TAGS: pulls.tags,
        Endpoint.REFERRERS: pulls.referrers,
    }
    return {endpoint: dict.fromkeys(("GET", "HEAD"), handler) for endpoint, handler in handlers.items()}


def _writing(pushes: Pushes) -> Mapping[Endpoint, Mapping[str, Callable[[Route, Request], Answer]]]:
    return {
        Endpoint.UPLOADS: {"POST": pushes.begin},
        Endpoint.UPLOAD: {
            "GET": pushes.status,
            "PATCH": pushes.append,
            "PUT": pushes.finish,
            "DELETE": pushes.cancel,
        },
        Endpoint.MANIFEST: {"PUT": pushes.put_manifest, "DELETE": pushes.delete_manifest},
        Endpoint.BLOB: {"DELETE": pushes.delete_blob},
    }
