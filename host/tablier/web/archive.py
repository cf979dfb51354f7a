"""The archive: what the games of many logs add up to, as ``tablier stats`` tells it. Shown where one was named."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tablier.games import GAMES, title_of
from tablier.html.elements import Markup, join, tag
from tablier.printable import printable
from tablier.texts import Failure, Text, TextError, render
from tablier.web.doors import Refused, queries
from tablier.web.layout import ARCHIVE, Frame
from tablier.web.shares import Turns

if TYPE_CHECKING:  # the extra may not be there
    from tablier.archive.listing import Club
    from tablier.archive.questions import Answer, Column, Scope


_TITLE = Text("The archive")


def _say(text: Text) -> str:
    return printable(render(text))


def _names() -> dict[str, Text]:
    """Return what can be asked, by key."""
    from tablier.archive.questions import QUESTIONS
    from tablier.report.games import BEST, BEST_GAMES

    return {**{key: question.name for key, question in QUESTIONS.items()}, BEST: BEST_GAMES}


def _illustrated(question: str, parts: Sequence[Markup]) -> Markup:
    """Return what is shown with the tables of an answer, or without any."""
    from tablier.report.games import BEST

    if question == BEST:
        return tag("div", parts)
    return tag("section", tag("div", parts, class_="plots"), class_="card")


def _asked(asked: Mapping[str, str]) -> tuple[str, Scope]:
    """Return what is asked, and about which games. Raise :class:`Refused`."""
    from tablier.archive.questions import Scope

    known = list(_names())
    question = asked.get("ask", known[0])
    if question not in known:
        raise Refused(400, "{seen} cannot be asked; {known} can.", seen=repr(question[:20]), known=known)
    if (game := asked.get("game") or None) not in (None, *GAMES):
        raise Refused(400, "There is no game {seen}.", seen=repr(game[:20] if game else game))
    return question, Scope(
        asked.get("club") or None, game, _month(asked.get("since", "")), _month(asked.get("until", ""))
    )


class _Found(NamedTuple):
    clubs: list[Club]
    answers: list[Answer]
    none: Text | None
    """A sentence in the place of answers that are empty."""
    shown: Sequence[Markup]
    """Plots, boards and sentences."""


def _find(where: str, question: str, scope: Scope) -> _Found:
    from tablier.archive.database import Archive
    from tablier.archive.listing import clubs
    from tablier.archive.questions import NO_GAMES, ask, nothing
    from tablier.report.games import BEST
    from tablier.report.illustrations import illustrate

    with Archive.open(where) as found:
        parts = illustrate(found, question, scope)
        if question == BEST:
            return _Found(clubs(found), [], None if parts else NO_GAMES, parts)
        answers = ask(found, question, scope)
        none = None if any(answer.rows for answer in answers) else nothing(found, question, scope)
        return _Found(clubs(found), answers, none, parts)


def _otherwise(where: str) -> tuple[str, Scope, list[Club], dict[str, str]]:
    """Return what can be asked instead of what was refused."""
    from tablier.archive.database import Archive
    from tablier.archive.listing import clubs
    from tablier.archive.questions import Scope

    try:
        with Archive.open(where) as found:
            known = clubs(found)
    except Failure:  # there is nothing to be asked of it
        known = []
    return next(iter(_names())), Scope(), known, {}


def _month(text: str) -> int | None:
    """Return a month such as 2026-09 as 202609; ``None`` for no text."""
    from tablier.archive.months import read_month

    try:
        return read_month(text) if text else None
    except TextError as error:
        raise Refused(400, error.text) from None


def _link(key: str, name: Text, shown: str, kept: Mapping[str, str]) -> Markup:
    """Return a link to a question about the same games."""
    from urllib.parse import urlencode

    current = "page" if key == shown else None
    return tag("a", _say(name), href=f"{ARCHIVE}?{urlencode({'ask': key, **kept})}", aria_current=current)


def _form(question: str, scope: Scope, clubs: Sequence[Club]) -> Markup:
    """Return the choice of club, game and months."""
    names = [("", _say(Text("all clubs"))), *((club.name, printable(club.name)) for club in clubs)]
    games = [("", _say(Text("all games"))), *((name, printable(title_of(name))) for name in GAMES)]
    return tag(
        "form",
        tag("input", type="hidden", name="ask", value=question),
        _choice("club", Text("Club"), names, scope.club),
        _choice("game", Text("Game"), games, scope.game),
        _when("since", Text("From"), scope.since),
        _when("until", Text("To"), scope.until),
        tag("button", _say(Text("Show"))),
        method="get",
        action=ARCHIVE,
        class_="controls",
    )


def _choice(name: str, label: Text, options: list[tuple[str, str]], chosen: str | None) -> Markup:
    items = [tag("option", text, value=value, selected=value == (chosen or "")) for value, text in options]
    return tag("label", _say(label), " ", tag("select", items, name=name))


def _when(name: str, label: Text, month: int | None) -> Markup:
    from tablier.archive.months import month_text

    value = month_text(month) if month else None
    return tag("label", _say(label), " ", tag("input", type="month", name=name, value=value, placeholder="2026-09"))


def _table(answer: Answer) -> Markup:
    answer = answer.for_people
    keys = [column.key for column in answer.columns]
    stays = keys.index("name") if "name" in keys else 0
    heads = [
        tag("th", _say(column.head), scope="col", class_="stays" if at == stays else None)
        for at, column in enumerate(answer.columns)
    ]
    rows = [
        tag(
            "tr",
            [
                _cell(column, cell, stays=at == stays)
                for at, (column, cell) in enumerate(zip(answer.columns, row, strict=True))
            ],
        )
        for row in answer.rows
    ]
    table = tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows))
    notes = [tag("p", _say(note), class_="soft") for note in answer.notes]
    wide = tag("div", table, class_="figures", tabindex="0", role="region", aria_label=_say(answer.title))
    return tag("section", tag("h2", _say(answer.title)), wide, notes, class_="card")


def _cell(column: Column, cell: str | int | float | None, *, stays: bool) -> Markup:
    """Return a cell; one that stays is seen also where the page is too narrow for its row."""
    classes = [name for name, on in (("number", not isinstance(cell, str)), ("stays", stays)) if on]
    return tag("td", column.shown(cell), class_=" ".join(classes) or None)


class ArchivePage:
    """Answers questions about an archive."""

    def __init__(self, frame: Frame, turns: Turns, where: str | None) -> None:
        """``where``: the archive, a file or an address; ``None`` where none is shown."""
        self._frame = frame
        self._turns = turns
        self._where = where

    def routes(self) -> list[Route]:
        return [Route(ARCHIVE, self.show, methods=["GET"])]

    async def show(self, request: Request) -> Response:
        """Show the answer to one question, and what else can be asked."""
        where = self._where
        if where is None:
            raise Refused(404, "No archive is shown here; 'tablier web --archive WHERE' shows one.")
        asked = queries(request, "ask", "club", "game", "since", "until")
        try:
            question, scope = _asked(asked)
            async with self._turns.take():
                found = await asyncio.to_thread(_find, where, question, scope)
        except Failure as error:
            refused = tag("p", printable(render(error.text)), role="alert", class_="hot")
            return self._page(request, *(await asyncio.to_thread(_otherwise, where)), refused, status=400)
        kept = {key: value for key, value in asked.items() if key != "ask" and value}
        shown = _illustrated(question, found.shown) if found.shown else None
        tables = [_table(answer) for answer in found.answers if answer.rows]
        none = tag("p", _say(found.none)) if found.none else None
        return self._page(request, question, scope, found.clubs, kept, shown, tables, none)

    def _page(
        self,
        request: Request,
        question: str,
        scope: Scope,
        clubs: Sequence[Club],
        kept: Mapping[str, str],
        *body: Any,
        status: int = 200,
    ) -> Response:
        """Return the page with what can be asked, and an answer."""
        links = [_link(key, name, question, kept) for key, name in _names().items()]
        return self._frame.page(
            request,
            _TITLE,
            tag("h1", _say(_TITLE)),
            tag("nav", links, class_="links", aria_label=_say(Text("Questions"))),
            _form(question, scope, clubs),
            *map(join, body),
            styles=("look.css", "plots.css", "best.css"),
            kind="look",
            status=status,
        )


__all__ = ["ArchivePage"]
