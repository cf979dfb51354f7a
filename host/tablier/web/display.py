"""The display: what everybody may see, for a television beside the table."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tablier.html.elements import tag
from tablier.texts import Text, render
from tablier.web.layout import page
from tablier.web.words import COMMON, DISPLAY


async def display(request: Request) -> Response:
    parts = [
        tag("section", id="board", class_="board", aria_label=render(COMMON["board"])),
        tag("section", id="side", class_="side"),
    ]
    return page(
        request,
        Text("Display"),
        *parts,
        script="display.js",
        styles=("display.css",),
        words=(COMMON, DISPLAY),
        kind="display",
    )


ROUTES = [Route("/", display, methods=["GET"])]

__all__ = ["ROUTES"]
