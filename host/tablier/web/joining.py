"""Coming in: the page that asks for the code and the name, and what it asks for."""

from __future__ import annotations

import re
import time
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tablier.html.elements import tag
from tablier.messages import Entry
from tablier.printable import printable
from tablier.texts import Json, render
from tablier.web.browsers import Browsers
from tablier.web.cookies import Browser
from tablier.web.doors import Refused, fields, read_json
from tablier.web.entrance import Entrance
from tablier.web.layout import Frame
from tablier.web.switching import keep_of_person
from tablier.web.words import COMMON, JOINING

_AGAIN_S = 60.0
"""How long a page may ask again whose answer was lost on its way."""
_ONCE = re.compile("[0-9a-f]{32}")


class JoiningPages:
    """Answers for those who come in."""

    def __init__(self, frame: Frame, browsers: Browsers, entrance: Entrance) -> None:
        self._frame = frame
        self._browsers = browsers
        self._entrance = entrance
        self._came: dict[str, tuple[float, Entry]] = {}
        """By the number that a page has given its request: when somebody came in, and with which key."""

    def routes(self) -> list[Route]:
        return [
            Route("/in", self.page, methods=["GET"]),
            Route("/known", self.known, methods=["POST"]),
            Route("/join", self.join, methods=["POST"]),
        ]

    async def page(self, request: Request) -> Response:
        return self._frame.page(
            request,
            JOINING["come_in"],
            tag("h1", render(JOINING["come_in"]), id="title", tabindex="-1"),
            tag("section", id="join", class_="card"),
            script="joining.js",
            styles=("joining.css",),
            words=(COMMON, JOINING),
            kind="joining-page",
        )

    async def known(self, request: Request) -> Response:
        """Say whom the log knows, to somebody who has the code."""
        body = await read_json(request)
        fields(body, ("code",))
        known = await self._entrance.known(request.state.client, _text(body, "code"))
        return JSONResponse({"people": [{"name": printable(each.name), "here": each.here} for each in known.people]})

    async def join(self, request: Request) -> Response:
        """Let somebody come in by a ``code`` and a ``name``, have a ``screen`` ask to be let in, or wait for what comes
        of a ``wish``. The person who comes in is this browser's only one in the evening, but with ``also``; a request
        that has the number ``once`` of an earlier one is answered like that."""
        browser, body = self._browsers.of(request), await read_json(request)
        if "wish" in body:
            fields(body, ("wish",), ("also",))
            return await self._wait(request, browser, _text(body, "wish"), also=_flag(body))
        if "screen" in body:
            fields(body, ("screen",))
            return JSONResponse({"wish": await self._entrance.ask_screen(request.state.client, _text(body, "screen"))})
        fields(body, ("code", "name"), ("also", "once"))
        once = _once(body)
        code, name = _text(body, "code").upper(), _text(body, "name")
        visit = await self._browsers.visit(browser)
        if visit is not None and (found := visit.find(code, name)) is not None:  # it is simply there
            return JSONResponse({"evening": found[0], "person": found[1]})
        now = time.monotonic()
        self._came = {each: came for each, came in self._came.items() if now - came[0] < _AGAIN_S}
        if once in self._came:
            entry: Entry | str = self._came[once][1]
        else:
            entry = await self._entrance.join(request.state.client, code, name)
        if isinstance(entry, str):
            return JSONResponse({"wish": entry})
        if once:
            self._came[once] = now, entry
        return await self._enter(request, browser, entry, also=_flag(body))

    async def _wait(self, request: Request, browser: Browser, wish: str, *, also: bool) -> Response:
        let = await self._entrance.decision(wish)
        if let is None:
            return JSONResponse({"wish": wish})
        if not let.screen:
            of = Entry(evening=let.evening, person=let.person, key=let.key, language=let.language)
            return await self._enter(request, browser, of, also=also)
        now = replace(browser, screens={**browser.screens, let.evening: let.screen})
        return await self._keep(request, now, browser, {"evening": let.evening})

    async def _enter(self, request: Request, browser: Browser, entry: Entry, *, also: bool) -> Response:
        assert entry.key is not None
        others = {each: key for each, key in browser.people.items() if also or each[0] != entry.evening}
        now = replace(browser, people={**others, (entry.evening, entry.person): entry.key})
        what = {"evening": entry.evening, "person": entry.person}
        return await self._keep(request, now, browser, what, entry.language)

    async def _keep(self, request: Request, now: Browser, before: Browser, what: Json, language: str = "") -> Response:
        response = JSONResponse(what)
        keep_of_person(request, response, language)
        await self._browsers.keep(response, now, before)
        return response


def _text(body: Json, field: str) -> str:
    """Return a text of a request, as it was typed but for spaces around. Raise :class:`Refused`."""
    value = body[field]
    if not isinstance(value, str):
        raise Refused(400, "{field} is a text.", field=field)
    return value.strip()[:100]


def _once(body: Json) -> str:
    """Return the number that a page has given a request; empty where it has none. Raise :class:`Refused`."""
    once = body.get("once", "")
    if once and not (isinstance(once, str) and _ONCE.fullmatch(once)):
        raise Refused(400, "once has 16 bytes in lower-case hexadecimal.")
    return once if isinstance(once, str) else ""


def _flag(body: Json) -> bool:
    also = body.get("also", False)
    if not isinstance(also, bool):
        raise Refused(400, "also is true or false.")
    return also


__all__ = ["JoiningPages"]
