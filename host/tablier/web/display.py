"""The display: what everybody may see, for a television beside the table."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tablier.html.elements import tag
from tablier.texts import Text, render
from tablier.web.layout import Frame
from tablier.web.words import COMMON, DISPLAY


class DisplayPage:
    """Answers with the display."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def routes(self) -> list[Route]:
        return [Route("/", self.show, methods=["GET"])]

    async def show(self, request: Request) -> Response:
        parts = [
            tag("section", id="board", class_="board", aria_label=render(COMMON["board"])),
            tag("section", id="side", class_="side"),
            tag("section", id="interlude", hidden=True),
        ]
        return self._frame.page(
            request,
            Text("Display"),
            *parts,
            script="display.js",
            styles=("display.css",),
            words=(COMMON, DISPLAY),
            kind="display",
        )


__all__ = ["DisplayPage"]
