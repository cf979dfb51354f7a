"""The application: all routes behind the doors, and the files of ``pages``."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from importlib import import_module
from typing import NamedTuple

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tablier.games import load as load_games
from tablier.html import boards
from tablier.html.document import STYLES, style
from tablier.html.elements import tag
from tablier.texts import Text, render
from tablier.web import icons, tabletop
from tablier.web.archive import ArchivePage
from tablier.web.display import DisplayPage
from tablier.web.doors import NOT_TAKEN, Doors, Refused
from tablier.web.events import EventPages
from tablier.web.history_pages import HistoryPages
from tablier.web.host import HostPage
from tablier.web.joining import JoiningPages
from tablier.web.layout import BOARDS, PAGES, Frame
from tablier.web.seat import SeatPages
from tablier.web.site import Site
from tablier.web.switching import SwitchPage
from tablier.web.table import TablePages

TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".json": "application/manifest+json",
}


_LOAD_S = 1.0
"""The seconds after which it is loaded what no first page needs."""


class File(NamedTuple):
    """A file that is served as it is."""

    data: bytes
    packed: bytes
    """By gzip. Nothing secret is in it, so its size tells nothing."""
    kind: str
    etag: str


@cache
def _files() -> dict[str, File]:
    """Return the files of ``pages``, shared styles and the boards' style by name."""
    found = [path for folder in (STYLES, PAGES) for path in folder.iterdir() if path.name.endswith(tuple(TYPES))]
    data = {path.name: path.read_bytes() for path in found}
    data[BOARDS] = boards.style().encode()
    return {name: _file(name, each) for name, each in data.items()}


@cache
def _icon(name: str) -> File:
    return _file(name, icons.FILES[name]())


def _file(name: str, data: bytes) -> File:
    """Return a file with its type and a tag that changes with it."""
    kind = TYPES[name[name.rindex(".") :]]
    return File(data, gzip.compress(data, mtime=0), kind, hashlib.sha256(data).hexdigest()[:16])


async def _load_for(site: Site) -> None:
    await site.watch.ready.wait()
    await asyncio.to_thread(boards.load)
    await asyncio.sleep(_LOAD_S)
    await asyncio.to_thread(_load, site.archive is not None)


def _load(archived: bool) -> None:
    """Read what pages are made of, and import what they need later: the files may be replaced while this runs."""
    for _ in load_games():
        pass
    _files()
    for name in ("page.css", "look.css"):
        style(name)
    tabletop.whole()
    if archived:
        for module in ("archive.listing", "archive.months", "archive.questions", "report.illustrations"):
            import_module(f"tablier.{module}")


async def static(request: Request) -> Response:
    """Serve a file of ``pages``, unless the browser has it."""
    name = request.path_params["name"]
    found = await asyncio.to_thread(_icon, name) if name in icons.FILES else _files().get(name)
    if found is None:
        raise HTTPException(404)
    packs = "gzip" in request.headers.get("accept-encoding", "") and len(found.packed) < len(found.data)
    etag = f'"{found.etag}-gzip"' if packs else f'"{found.etag}"'
    headers = {"cache-control": "no-cache", "etag": etag, "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=headers)
    if packs:
        headers["content-encoding"] = "gzip"
    return Response(found.packed if packs else found.data, media_type=found.kind, headers=headers)


class Refusals:
    """Answers requests that are not carried out."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    async def refuse(self, request: Request, error: Exception) -> Response:
        """Say why a request is refused: as JSON, as a page, or in a line."""
        assert isinstance(error, Refused)
        said = render(error.text)
        if request.method == "POST":
            return JSONResponse({"error": said}, error.status)
        if "text/html" in request.headers.get("accept", ""):  # somebody has followed a link, or typed an address
            title = Text("Not here")
            body = (tag("h1", render(title)), tag("p", said))
            return self._frame.page(request, title, *body, status=error.status)
        return PlainTextResponse(f"{said}\n", error.status)

    async def miss(self, request: Request, error: Exception) -> Response:
        """Answer for an address or a method that is not there."""
        assert isinstance(error, HTTPException)
        if error.status_code == 405:
            refused = Refused(405, NOT_TAKEN.of(what=request.method))
        else:
            refused = Refused(error.status_code, "There is no such page.")
        return await self.refuse(request, refused)


def build(site: Site) -> Starlette:
    """Return the application that serves a log."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        working = [asyncio.create_task(each) for each in (site.run(), _load_for(site))]
        yield
        for task in working:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await site.close()

    frame = Frame(
        shows_archive=site.archive is not None,
        operates=lambda request: bool(site.browsers.of(request).operator),
    )
    refusals = Refusals(frame)
    pages = (
        DisplayPage(frame),
        JoiningPages(frame, site.browsers, site.entrance),
        SeatPages(frame),
        HostPage(frame, site.browsers),
        TablePages(frame, site.browsers, site.tables),
        HistoryPages(frame, site.browsers, site.reading, site.verifying),
        ArchivePage(frame, site.turns, site.archive),
        SwitchPage(site.browsers),
        EventPages(site.hub, site.links, site.watch, site.browsers, site.tables),
    )
    return Starlette(
        routes=[Route("/pages/{name}", static, methods=["GET"]), *(route for each in pages for route in each.routes())],
        middleware=[Middleware(Doors, hosts=site.hosts, known=site.browsers.known)],
        exception_handlers={Refused: refusals.refuse, HTTPException: refusals.miss},
        lifespan=lifespan,
    )


__all__ = ["build"]
