"""The table page: a simulated table as it stands before its players, or what a real one was last asked to show.

Only a browser that has shown the operator's key gets it.
"""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tablier.html.elements import Markup, tag
from tablier.keeper.client import KeeperError, KeeperGone
from tablier.keeper.protocol import FORBIDDEN, REFUSED
from tablier.screens.phrases import KEEPER_GONE
from tablier.texts import Json, Text, render
from tablier.web import tabletop
from tablier.web.browsers import Browsers
from tablier.web.doors import NEEDS_OPERATOR, Refused, fields, read_json
from tablier.web.layout import Frame
from tablier.web.looking import Tables
from tablier.web.words import COMMON, TABLE
from tablier_fw import wire

VERBS = frozenset(
    (
        *("press", "hold", "release", "land", "throw", "slide", "take", "clear", "bump", "hand", "wave", "shine"),
        *("unplug", "plug", "reset", "service", "power", "faults", "defect", "mend", "pace"),
    )
)
"""The tester's verbs that a page may say: none that tells of pixels, which would show every hood."""
_VERB = re.compile(r"[a-z]+(?: [A-Za-z0-9:@.=_-]{1,24}){0,6}")


def _check(body: Json) -> None:
    """Raise :class:`Refused` for what no page may ask of a table."""
    verb = body.get("verb", "")
    if "verb" in body and not (isinstance(verb, str) and _VERB.fullmatch(verb) and verb.split()[0] in VERBS):
        raise Refused(403, "verb is {seen}; pages may say: {verbs}", seen=repr(verb)[:40], verbs=sorted(VERBS))
    for field, kind in (("game", int), ("lean", int), ("line", bool)):
        if field in body and type(body[field]) is not kind:
            raise Refused(400, "{field} is of the wrong type.", field=field)


def _settings() -> Markup:
    """Return what the page's script needs to know and cannot: measures."""
    measures = tabletop.measures()
    known = {key: measures[key] for key in ("tray", "frame", "deck", "cover", "card")}
    return tag("div", id="settings", hidden=True, **{f"data_{k}": _mm(v) for k, v in known.items()})


def _mm(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


class TablePages:
    """Answers for the operator's browsers at a table."""

    def __init__(self, frame: Frame, browsers: Browsers, tables: Tables) -> None:
        self._frame = frame
        self._browsers = browsers
        self._tables = tables

    def routes(self) -> list[Route]:
        return [Route("/table", self.table, methods=["GET"]), Route("/table", self.at_table, methods=["POST"])]

    async def table(self, request: Request) -> Response:
        """Return the page."""
        if not self._browsers.of(request).operator:
            text = Text(
                "This page needs the operator's key. Open the address that 'tablier play' or 'tablier web' says in the"
                " terminal, with all that stands behind '#', in this browser once."
            )
            closed = tag("p", render(text), id="closed", class_="card")
            head = tag("h1", render(TABLE["table"]))
            return self._frame.page(
                request, Text("Table"), head, closed, script="table.js", words=(COMMON, TABLE), kind="closed"
            )
        own = [
            tag("div", tabletop.place(number), class_="at", data_at=number, hidden=number > 1)
            for number in range(1, wire.PLACES + 1)
        ]
        body = [
            tag(
                "section",
                tag("div", id="ask", class_="card"),
                id="top",
            ),
            tag("section", tabletop.whole(), id="arena", aria_label=render(TABLE["table"])),
            tag("section", id="hand", aria_label=render(TABLE["cards"])),
            tag(
                "section",
                tag("div", id="places", role="group", aria_label=render(TABLE["places"])),
                *own,
                id="own",
                aria_label=render(TABLE["own"]),
            ),
            tag("section", id="more"),
            tag("section", id="board", class_="board", aria_label=render(COMMON["board"])),
        ]
        return self._frame.page(
            request,
            Text("Table"),
            *body,
            _settings(),
            script="table.js",
            styles=("table.css",),
            words=(COMMON, TABLE),
            kind="at-table",
        )

    async def at_table(self, request: Request) -> Response:
        """Do something at a table: say a ``verb``, ``lean`` over a hood, watch the ``line``."""
        browser, body = self._browsers.of(request), await read_json(request)
        if not browser.operator:
            raise Refused(403, NEEDS_OPERATOR)
        fields(body, ("game",), ("verb", "lean", "line"))
        if len(body) != 2:
            raise Refused(400, "A request at a table has a game, and one of verb, lean and line.")
        _check(body)
        looker = await self._tables.look(browser.id)
        try:
            return JSONResponse({"result": await looker.do(body["game"], body)})
        except KeeperGone:
            raise Refused(503, KEEPER_GONE) from None
        except KeeperError as error:
            raise Refused({FORBIDDEN: 403, REFUSED: 409}.get(error.code, 400), error.text) from None


__all__ = ["VERBS", "TablePages"]
