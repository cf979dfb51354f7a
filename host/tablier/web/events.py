"""The stream of events, and the requests of pages: ``GET /events``, ``POST /do``, ``POST /enter``."""

from __future__ import annotations

import hmac
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tablier.bots.sources import COMMAND
from tablier.keeper.client import KeeperError, KeeperGone
from tablier.keeper.protocol import FORBIDDEN, REFUSED
from tablier.languages import find_language
from tablier.screens.phrases import KEEPER_GONE
from tablier.texts import NOT_ALLOWED, Json, read_as, render
from tablier.web.browsers import Browsers
from tablier.web.cookies import Browser
from tablier.web.doors import NEEDS_OPERATOR, Refused, fields, queries, read_json
from tablier.web.hub import Hub, Outlet
from tablier.web.links import KeeperLinks
from tablier.web.saying import SURFACES
from tablier.web.switching import NO_LANGUAGE, keep_of_person
from tablier.web.table_viewers import Tables
from tablier.web.watch import Watch
from tablier.web.words import JOINING

TOPICS = ("public", "mine", "table", "host", *SURFACES)
OF_OPERATORS = frozenset(("table", "host"))
"""The topics that only browsers of the operator may have."""

OF_SEATS = frozenset(
    (
        *("reply", "back", "mistake", "correct", "dispute", "pause", "call", "hint", "hurry", "wait", "pace"),
        *("source", "analyse", "leave"),
    )
)
"""What a browser with a person may ask the keeper for, which then looks at the seat."""
OF_ORGANISER = frozenset(
    (
        *("come", "go", "rename", "anew", "decide", "door", "close", "series", "next", "another"),
        *("resume", "stop", "settings"),
    )
)
"""What a browser may ask for whose person is an organiser, as the keeper judges."""
OF_OPERATOR = (OF_SEATS - {"reply", "leave"}) | OF_ORGANISER | frozenset(("evening", "organiser", "table"))
"""What the operator's browser may ask for: neither to end the keeper, nor what names a program or a port. Games are
begun in an evening."""
OPENING = frozenset(("next", "another", "resume"))
"""After these a game of a connection for which the keeper stays waits until that watches it."""
_ID, _KEY = re.compile("[0-9a-f]{16}"), re.compile("[0-9a-f]{32}")


def _check_named(params: Json) -> None:
    """Refuse what would start a program or open a device of this computer at a browser's word."""
    seats = [*_list(params.get("seats")), *_list(params.get("others")), params]
    if any(isinstance(seat, dict) and str(seat.get("source", "")).startswith(COMMAND) for seat in seats):
        raise Refused(403, "A program is named at a terminal: tablier play --seat NAME=bot:COMMAND.")
    table = params.get("table")
    if isinstance(table, dict) and table.get("port") not in (None, "simulated"):
        raise Refused(403, "The port of a table is named at a terminal: tablier play --port PORT.")


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _fits(seen: str, key: str) -> bool:
    return hmac.compare_digest(seen.encode(), key.encode())


def _is_like(value: object, shape: re.Pattern[str]) -> bool:
    return isinstance(value, str) and bool(shape.fullmatch(value))


class EventPages:
    """Answers with streams of events, and carries out what pages ask for."""

    def __init__(self, hub: Hub, links: KeeperLinks, watch: Watch, browsers: Browsers, tables: Tables) -> None:
        self._hub = hub
        self._links = links
        self._watch = watch
        self._browsers = browsers
        self._tables = tables

    def routes(self) -> list[Route]:
        return [
            Route("/events", self.events, methods=["GET"]),
            Route("/do", self.do, methods=["POST"]),
            Route("/enter", self.enter, methods=["POST"]),
            Route("/here", self.here, methods=["POST"]),
        ]

    async def events(self, request: Request) -> Response:
        """Stream what the browser may see of the topics that it names, in the language that it names."""
        asked = queries(request, "topics", "language")
        topics, tag = asked.get("topics", "public").split(","), asked.get("language")
        if tag is not None:
            if (chosen := find_language(tag)) is None:
                raise Refused(400, NO_LANGUAGE)
            read_as(chosen)
        if not set(topics) <= set(TOPICS):
            raise Refused(400, NOT_ALLOWED.of(field="topics", seen=repr(",".join(topics)), allowed=list(TOPICS)))
        browser = self._browsers.of(request)
        if "mine" in topics:
            await self._browsers.visit(browser)
        if not browser.operator:
            topics = [topic for topic in topics if topic not in OF_OPERATORS]
        elif "table" in topics:
            await self._tables.look(browser.id)
        outlet = Outlet(self._hub, browser.id, topics, request.state.client)
        response = StreamingResponse(self._stream(outlet), media_type="text/event-stream")
        response.headers["x-accel-buffering"] = "no"
        return response

    async def do(self, request: Request) -> Response:
        """Pass a request on to the keeper: of the browser's seats, or of the operator."""
        browser, body = self._browsers.of(request), await read_json(request)
        fields(body, ("method", "params"), ("as",))
        method, params = body["method"], body["params"]
        if not isinstance(params, dict) or not isinstance(method, str):
            raise Refused(400, "method is a word, params an object.")
        operates = body.get("as") == "operator"
        allowed = OF_OPERATOR if operates else OF_SEATS | OF_ORGANISER
        if method not in allowed:
            raise Refused(403, "Pages may not ask for {method}.", method=repr(method))
        if operates and not browser.operator:
            raise Refused(403, NEEDS_OPERATOR)
        _check_named(params)
        try:
            if operates:
                result = await self._links.operate(method, params)
                if method in OPENING:
                    await self._set_going(result["game"])
                return JSONResponse({"result": result})
            visit = await self._browsers.visit(browser)
            if visit is not None:
                result = await visit.call(method, params)
                names = self._watch.names_of(params.get("game"))
                for field, shown in (("why", "said"), ("because", "because")):
                    if result.get(field) is not None:
                        result[shown] = render(result[field], names)
                return JSONResponse({"result": result})
            raise Refused(403, JOINING["not_in"])
        except KeeperGone:
            raise Refused(503, KEEPER_GONE) from None
        except KeeperError as error:
            status = {FORBIDDEN: 403, REFUSED: 409}.get(error.code, 400)
            raise Refused(status, error.text) from None

    async def enter(self, request: Request) -> Response:
        """Exchange a key, which stood behind ``#`` of an address, for the cookie: the operator's, that of a person in
        an evening, or that of a screen."""
        browser, body = self._browsers.of(request), await read_json(request)
        if set(body) == {"operator"}:
            key = self._browsers.operator
            if not (key and isinstance(body["operator"], str) and _fits(body["operator"], key)):
                raise Refused(403, "This is not the operator's key of this log.")
            return await self._entered(request, replace(browser, operator=key), browser, {"operator": True})
        shapes = {"screen": _KEY} if "screen" in body else {"person": _ID, "key": _KEY}
        fields(body, ("evening", *shapes))
        number = body["evening"]
        if type(number) is not int or not all(_is_like(body[field], shape) for field, shape in shapes.items()):
            raise Refused(400, "A person has an evening, an id and a key; a screen has an evening and a key.")
        language = await self._check(body)
        if "screen" in body:
            now = replace(browser, screens={**browser.screens, number: body["screen"]})
            return await self._entered(request, now, browser, {"evening": number})
        now = replace(browser, people={**browser.people, (number, body["person"]): body["key"]})
        what = {"evening": number, "person": body["person"]}
        return await self._entered(request, now, browser, what, language)

    async def here(self, request: Request) -> Response:
        """Take note that the page of a stream is there."""
        body = await read_json(request)
        fields(body, ("stream",))
        return JSONResponse({"here": isinstance(body["stream"], str) and self._hub.hear(body["stream"])})

    async def _stream(self, outlet: Outlet) -> AsyncIterator[bytes]:
        self._hub.admit(outlet)
        try:
            async for event in outlet.events():
                yield event
        finally:
            self._hub.outlets.discard(outlet)

    async def _set_going(self, game: int) -> None:
        """Have a game begin that a page has asked for: nobody else may be there to watch it yet."""
        with suppress(KeeperError):  # it has ended already
            await self._links.operate("watch", {"game": game, "viewers": [None]})

    async def _check(self, key: Json) -> object:
        """Return the language of whom a key is. Raise :class:`Refused` for one that the keeper does not know."""
        try:
            async with self._links.probe() as link:
                return (await link.call("enter", key)).get("language", "")
        except KeeperGone:
            raise Refused(503, KEEPER_GONE) from None
        except KeeperError as error:
            raise Refused(403, error.text) from None

    async def _entered(
        self, request: Request, now: Browser, before: Browser, what: Json, language: object = ""
    ) -> Response:
        response = JSONResponse(what)
        keep_of_person(request, response, language)
        await self._browsers.keep(response, now, before)
        return response


__all__ = ["TOPICS", "EventPages"]
