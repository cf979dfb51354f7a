"""The application: all routes behind the doors, and the files of ``pages``."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tablier.web import archive, boards, display, events, look, seat, table
from tablier.web.doors import Doors, Refused
from tablier.web.layout import BOARDS, PAGES
from tablier.web.site import Site

TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@cache
def _file(name: str) -> tuple[bytes, str] | None:
    """Return a file of ``pages``, or the boards' style, and a tag that changes with it; ``None`` if there is none."""
    path = PAGES / name
    if name == BOARDS:
        data = boards.style().encode()
    elif name.startswith(".") or not path.is_file():
        return None
    else:
        data = path.read_bytes()
    return data, f'"{hashlib.sha256(data).hexdigest()[:16]}"'


async def static(request: Request) -> Response:
    """Serve a file of ``pages``, unless the browser has it."""
    name = request.path_params["name"]
    found = _file(name)
    kind = TYPES.get(name[name.rfind(".") :])
    if found is None or kind is None:
        raise HTTPException(404)
    data, etag = found
    headers = {"cache-control": "no-cache", "etag": etag}
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=kind, headers=headers)


async def missing(request: Request, error: Exception) -> Response:
    """Answer for an address or a method that is not there."""
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        return await events.refused(
            request, Refused(405, "This address does not take {method}.", method=request.method)
        )
    return await events.refused(request, Refused(error.status_code, "There is no such page."))


def build(site: Site) -> Starlette:
    """Return the application that serves a log."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        following = asyncio.create_task(site.run())
        yield
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following
        await site.close()

    app = Starlette(
        routes=[
            Route("/pages/{name}", static, methods=["GET"]),
            *display.ROUTES,
            *seat.ROUTES,
            *table.ROUTES,
            *look.ROUTES,
            *archive.ROUTES,
            *events.ROUTES,
        ],
        middleware=[Middleware(Doors, names=site.names)],
        exception_handlers={Refused: events.refused, HTTPException: missing, Exception: events.failed},
        lifespan=lifespan,
    )
    app.state.site = site
    return app


__all__ = ["build"]
