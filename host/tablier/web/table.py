"""The table page: a simulated table as it stands before its players, or what a real one was last asked to show.

Only a browser that has shown the operator's key gets it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from importlib.resources import files
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tablier.bots.sources import default_bot
from tablier.games import GAMES, BrokenGame, abilities_of, game_class, title_of, words_of
from tablier.games.core.lights import CHOICE_COLOURS
from tablier.html.elements import Markup, tag
from tablier.keeper.client import KeeperError, KeeperGone
from tablier.keeper.protocol import FORBIDDEN, REFUSED
from tablier.languages import in_language
from tablier.screens.paper import rules_text
from tablier.screens.phrases import KEEPER_GONE
from tablier.texts import Json, Text, once_a_language, render
from tablier.web import tabletop
from tablier.web.browsers import Browsers
from tablier.web.doors import NEEDS_OPERATOR, Refused, fields, read_json
from tablier.web.host import SPARE
from tablier.web.layout import Frame
from tablier.web.table_viewers import Tables
from tablier.web.words import COMMON, TABLE
from tablier_fw import colours, wire

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


_LINE = re.compile(r"\* (?P<phrases>.*\*\*)(?P<keys>.*)")
_SOMEBODY = "Guest"
"""The name of who plays from the page without having said one."""
_COUNTS = {1: Text("one"), 2: Text("two"), 3: Text("three"), 4: Text("four"), 5: Text("five")}


def _settings() -> Markup:
    """Return what the page's script cannot know: measures, sheets, the colours of choices, the game to begin with."""
    measures = tabletop.measures()
    known = {key: measures[key] for key in ("tray", "frame", "deck", "cover", "card")}
    choices = ["".join(f"{channel:02x}" for channel in colours.PALETTE[index]) for index in CHOICE_COLOURS]
    told = {"sheets": _sheets(), "choices": choices, "arena": _with_arena(), "first": _first()}
    given = {f"data_{key}": json.dumps(value, ensure_ascii=False) for key, value in told.items()}
    return tag("div", id="settings", hidden=True, **{f"data_{k}": _mm(v) for k, v in known.items()}, **given)


def _with_arena() -> list[str]:
    """Return the games in which cards are thrown into the arena."""
    return [name for name in _known() if abilities_of(name) & wire.CAN_WINDOW]


def _known() -> Iterator[str]:
    """Return the games that can be played."""
    for name in GAMES:
        with suppress(BrokenGame):
            words_of(name)
            abilities_of(name)
            yield name


@once_a_language
def _sheets() -> Json:
    """Return of each game its aim, a turn, and by phrase of a question how it is answered at a place."""
    common = in_language(files("tablier.games"), "SHEET.md").read_text(encoding="utf-8")
    found: Json = {}
    for name in _known():
        words, lines = words_of(name), {}
        for line in (each for text in (common, rules_text(name) or "") for each in _sheet_of(text)):
            if match := _LINE.match(line):
                phrases = re.findall(r"\*\*(.+?)\*\*", match["phrases"])
                lines.update(dict.fromkeys(phrases, match["keys"].strip().replace("`", "")))
        found[name] = {"aim": render(words.aim), "turn": render(words.turn), "lines": lines}
    return found


def _sheet_of(text: str) -> list[str]:
    """Return the lines of the sheet in a document."""
    section = text.partition(f"## {Text('The sheet')}\n")[2].partition("\n## ")[0]
    return [line for line in section.splitlines() if line.startswith("* ")]


def _first() -> Json:
    """Return the game that is begun by one button: of those with an arena the first; one person and simulated people,
    of whom one begins, so that it is seen what an offer is."""
    name = next(iter(_with_arena()), "")
    if not name:
        return {}
    rules = game_class(name)
    count = 4 if 4 in rules.seat_counts else rules.seat_counts[-1]
    places = (2, 4, 5, 3, 6)[: count - 1]
    others = [
        {"name": other, "source": "table", "place": place, "simulated": default_bot(name)}
        for other, place in zip(SPARE, sorted(places), strict=False)
    ]
    options = {"first": "p2"} if "first" in rules.OPTIONS else {}
    return {
        "game": name,
        "title": title_of(rules.name),
        "me": _SOMEBODY,
        "others": others,
        "count": render(_COUNTS[count - 1]),
        "options": options,
    }


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
                "This page needs the operator's key. Open the address that 'tablier web' says in the terminal, with all"
                " that stands behind '#', in this browser once; 'tablier play' opens it where there is a display."
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
                tag("div", id="outcome", class_="card", role="status", hidden=True),
                id="top",
            ),
            tag("section", tabletop.whole(), id="arena", aria_label=render(TABLE["table"])),
            tag("section", id="hand", aria_label=render(TABLE["cards"])),
            tag(
                "section",
                tag("div", id="places", role="group", aria_label=render(TABLE["places"])),
                tag("div", id="doing", role="status"),
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
