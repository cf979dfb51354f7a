"""The frame that all pages share."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import HTMLResponse

from tablier.html.document import alone, document, style
from tablier.html.elements import Markup, tag
from tablier.screens.phrases import LOOK_BACK
from tablier.texts import Text, render
from tablier.web import icons, waking
from tablier.web.switching import switch
from tablier.web.words import COME_IN

PAGES = files(__package__) / "pages"
"""Scripts, and the styles of single pages."""
BOARDS = "boards.css"
"""The colours of seats, and of boards in the dark; a style that is made."""
DISPLAY, IN, SEAT, HOST, TABLE, LOG, ARCHIVE = "/", "/in", "/seat", "/host", "/table", "/log", "/archive"
NAMES: Mapping[str, Text] = {
    DISPLAY: Text("Display"),
    IN: COME_IN,
    SEAT: Text("Seat"),
    HOST: Text("Host"),
    TABLE: Text("Table"),
    LOG: LOOK_BACK,
    ARCHIVE: Text("Archive"),
}
"""The pages, by their addresses, in the order in which each names them; the last one where an archive is shown."""
OF_OPERATOR = (HOST, TABLE)
"""Those that only the operator's browsers name. An organiser's seat names the first, too."""


class Frame:
    """Lays out the pages of a server."""

    def __init__(self, *, shows_archive: bool, operates: Callable[[Request], bool]) -> None:
        """``shows_archive``: the pages have a link to the one of an archive; ``operates`` returns whether a request is
        of the operator's browser."""
        self.shows_archive = shows_archive
        self._operates = operates

    def page(
        self,
        request: Request,
        title: Text | str,
        *body: Markup,
        script: str | None = None,
        styles: Sequence[str] = (),
        words: Sequence[Mapping[str, Text]] = (),
        kind: str = "",
        links_last: bool = False,
        status: int = 200,
    ) -> HTMLResponse:
        """Return a page. ``script`` and ``styles``: files of ``pages`` of its own; ``words``: catalogues for its
        script; ``kind``: its class, for its style; ``links_last``: the other pages are named below, so that what is
        played with has all the room, and the page itself has an element ``told``, for who comes and who goes."""
        catalogue = {key: render(text) for each in words for key, text in each.items()}
        head = [
            tag("meta", name="words", content=json.dumps(catalogue, ensure_ascii=False)) if catalogue else None,
            tag("link", rel="icon", href=f"/pages/{icons.SVG}", type="image/svg+xml"),
            tag("link", rel="apple-touch-icon", href=f"/pages/{icons.TOUCH}"),
            tag("link", rel="manifest", href=f"/pages/{icons.MANIFEST}"),
            tag("meta", name="theme-color", content=icons.LIGHT_GROUND, media="(prefers-color-scheme: light)"),
            tag("meta", name="theme-color", content=icons.DARK_GROUND, media="(prefers-color-scheme: dark)"),
            waking.script() if script else None,  # first: it listens for what the others miss
            *(tag("link", rel="stylesheet", href=f"/pages/{style}") for style in ("page.css", BOARDS, *styles)),
            tag("script", type="module", src=f"/pages/{script}") if script else None,
        ]
        here = request.url.path
        links = [
            tag("a", render(name), href=address, aria_current=_current(here, address))
            for address, name in NAMES.items()
            if _current(here, address) or self._leads_on(request, address)
        ]
        skip = tag("a", render(Text("To the content")), href="#main", class_="skip")
        top = tag("header", tag("nav", *links, aria_label=render(Text("Pages"))), switch(request), class_="top")
        notice = [waking.notice() if script else None, tag("p", id="notice", role="status", hidden=True)]
        told = tag("p", id="told", role="status", hidden=True)
        main = tag("main", *body, id="main")
        content = [skip, notice, main, top] if links_last else [skip, top, notice, told, main]
        return HTMLResponse(document(f"{title} · Tablier", head, content, kind), status)

    def _leads_on(self, request: Request, address: str) -> bool:
        """Return whether there is anything for this browser at the address of a page."""
        return self.shows_archive if address == ARCHIVE else address not in OF_OPERATOR or self._operates(request)


def _current(here: str, address: str) -> str | None:
    """Return how the page at one address is to the one that is shown."""
    if here == address:
        return "page"
    return "true" if address != DISPLAY and here.startswith(f"{address}/") else None


def sheet(title: Text | str, *body: Markup) -> HTMLResponse:
    """Return a page that is one file, and needs nothing else."""
    return HTMLResponse(alone(f"{title} · Tablier", tag("main", *body), style("look.css"), kind="look sheet"))


__all__ = ["ARCHIVE", "BOARDS", "DISPLAY", "HOST", "IN", "LOG", "PAGES", "SEAT", "TABLE", "Frame", "sheet"]
