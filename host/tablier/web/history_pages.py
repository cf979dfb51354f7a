"""Looking back: evenings, games move by move, and an evening to share or print."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import to_builtins
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tablier.games import drawing_of, title_of, words_of
from tablier.games.core import moves_text
from tablier.games.core.drawing import DRAWING, Surface
from tablier.html.boards import with_reading
from tablier.html.elements import Markup, tag
from tablier.log.evenings import Evening
from tablier.log.fold import GameInfo
from tablier.messages import Result
from tablier.printable import printable
from tablier.screens.evenings import (
    heading,
    local,
    moment,
    moved_text,
    outcome,
    scoreboard_of,
    series_text,
)
from tablier.screens.phrases import AT_OF, LOOK_BACK, NOT_PLAYED, PLAYERS, WITH
from tablier.screens.scores import how_it_ended
from tablier.screens.turning import turn_text, turning_points
from tablier.texts import Failure, Text, all_of, render, text_of, time_text
from tablier.web.browsers import Browsers
from tablier.web.curve import NEAR, PAPERS, PHONE, WALL, curve
from tablier.web.doors import Refused, queries
from tablier.web.layout import ARCHIVE, Frame, sheet
from tablier.web.reading import Line, NotThere, Page, Played, Reading
from tablier.web.states import CourseState
from tablier.web.verifying import Verifying
from tablier.web.words import LOOK

_EVENINGS = 100
"""The most evenings on one page."""


class _Count(Convertor[int]):
    """The number of an evening or of a game in an address; what has more digits is not there."""

    regex = "[0-9]{1,9}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor("count", _Count())


def _say(text: Text | str) -> str:
    return printable(text if isinstance(text, str) else render(text))


def _seats(played: Played) -> Sequence[int]:
    """Return whose colours of the page a game's curve has, by seat."""
    return (DRAWING if played.rules is None else drawing_of(played.info.game)).seats


def _how(played: Played) -> str:
    """Return how a game has ended; empty where that is unknown."""
    if played.rules is None or not played.scores:
        return ""
    rules, last = played.rules, played.states[-1]
    result = Result(scores=list(rules.scores(last)), winners=list(rules.winners(last)))
    text = how_it_ended(played.names, result, words_of(rules.name).endings.get(rules.ending(last) or ""))
    return "" if text is None else _say(text)


def _evening(evening: Evening, found: Page) -> Markup:
    """Return an evening with its games, in a list."""
    link = tag("a", _say(heading(evening)), href=f"/log/evening/{evening.number}")
    return tag("section", tag("h2", link), *_people(evening, found), _games(evening, found), class_="card")


def _people(evening: Evening, found: Page) -> list[Markup]:
    parts = []
    if evening.people and not evening.by_itself:
        names = all_of([found.names.of(one) for one in evening.people])
        parts.append(tag("p", _say(WITH.of(names=names))))
    return [
        *parts,
        *(tag("p", _say(series_text(each, found.names, found.games)), class_="soft") for each in evening.series),
    ]


def _games(evening: Evening, found: Page) -> Markup:
    head = [Text("Game"), Text("Begun"), PLAYERS, Text("Moves"), Text("Outcome")]
    rows = [_row(found.games[number]) for number in evening.games if found.games[number].is_played]
    return tag(
        "div",
        tag(
            "table", tag("thead", tag("tr", *(tag("th", _say(each), scope="col") for each in head))), tag("tbody", rows)
        ),
        class_="wide",
        tabindex="0",
        role="region",
        aria_label=_say(Text("Games of evening {evening}", {"evening": evening.number})),
    )


def _row(info: GameInfo) -> Markup:
    name = _say(Text("{id} · {title}", {"id": info.id, "title": title_of(info.game)}))
    cells = [
        tag("a", name, href=f"/log/game/{info.id}"),
        str(time_text(local(info.started))),
        _players(info),
        [tag("span", str(info.moves), class_="in-column"), tag("span", _say(moves_text(info.moves)), class_="alone")],
        _say(outcome(info)),
    ]
    return tag("tr", *(tag("td", cell) for cell in cells))


def _players(info: GameInfo) -> Markup:
    """Return who has played, with the points of each; a winner has a star."""
    parts = []
    for name, points, won in scoreboard_of(info):
        said = f"{'★ ' if won else ''}{printable(name)} {points}".strip()
        parts.append(tag("span", said, class_="player won" if won else "player"))
    return tag("span", parts, class_="players")


def _controls(number: int, played: Played, at: int, seat: int | None) -> Markup:
    """Return the ways through a game; they are links, so they work without a script, too."""
    of = "" if seat is None else f"&seat={seat}"
    steps = [
        ("first", "«", LOOK["first"], 0),
        ("back", "◀", LOOK["back"], max(0, at - 1)),
        ("on", "▶", LOOK["on"], min(played.last, at + 1)),
        ("last", "»", LOOK["last"], played.last),
    ]
    first, back, on, last = (
        tag("a", sign, href=f"?move={to}{of}", id=name, class_="button", aria_label=_say(text))
        for name, sign, text, to in steps
    )
    slider = tag("input", type="range", id="slider", min=0, max=played.last, value=at, aria_label=_say(LOOK["slider"]))
    where = tag("output", _say(AT_OF.of(at=at, last=played.last)), id="where", for_="slider")
    row = tag("div", first, back, slider, on, last, where, class_="controls")
    if not played.over:
        return row
    options = [tag("option", _say(LOOK["everybody"]), value="", selected=seat is None)] + [
        tag("option", _say(Text("{name}", {"name": name})), value=n, selected=seat == n)
        for n, name in enumerate(played.names, 1)
    ]
    chosen = tag("label", _say(LOOK["as_seen"]), " ", tag("select", options, id="seat"))
    return tag("div", row, tag("p", chosen))


def _story(played: Played) -> Markup:
    return tag("ol", list(map(_line, played.lines)), id="story", tabindex="0", aria_label=_say(LOOK["story"]))


def _line(line: Line) -> Markup:
    said = " ".join(line.sentences) or line.move
    if line.secret:
        said = _say(LOOK["secret"])
    number = tag("span", f"{line.at}.", class_="number") if line.at else None
    if line.at:
        said_: Any = tag("a", said, href=f"?move={line.at}", data_move=line.at)
    else:
        said_ = tag("s", said) if line.undone else tag("span", said, class_="soft")
    return tag("li", number, " ", said_, data_at=line.at or None)


# -- what all share ----------------------------------------------------------------------------------------------------


async def _read(work: Callable[[], Any]) -> Any:
    """Return what is read; what is not there, or cannot be read, is a page that says so."""
    try:
        return await work()
    except NotThere as error:
        raise Refused(404, error.text) from None
    except Failure as error:
        raise Refused(500, text_of(error)) from None


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 8):
        raise Refused(400, "{seen} is not a number.", seen=repr(text[:20]))
    return int(text)


def _seat(asked: Mapping[str, str]) -> int | None:
    text = asked.get("seat", "")
    return _number(text) if text else None


class HistoryPages:
    """Answers with what the log says."""

    def __init__(self, frame: Frame, browsers: Browsers, reading: Reading, verifying: Verifying) -> None:
        self._frame = frame
        self._browsers = browsers
        self._reading = reading
        self._verifying = verifying

    def routes(self) -> list[Route]:
        found = {
            "/log": self.overview,
            "/log/verify": self.verify,
            "/log/evening/{number:count}": self.evening,
            "/log/evening/{number:count}/page": self.evening_file,
            "/log/game/{number:count}": self.game,
            "/log/game/{number:count}/board": self.board,
            "/log/game/{number:count}/course": self.course,
            "/log/game/{number:count}/record": self.record,
        }
        return [Route(path, answer, methods=["GET"]) for path, answer in found.items()]

    async def overview(self, request: Request) -> Response:
        """List the evenings, the latest first."""
        asked = queries(request, "before")
        before = _number(asked["before"]) if "before" in asked else None
        found = await _read(lambda: self._reading.evenings(before, _EVENINGS))
        links = [("/log/verify", LOOK["verify"])]
        if self._frame.shows_archive:
            links.append((ARCHIVE, LOOK["archive"]))
        body = [
            tag("h1", _say(LOOK_BACK)),
            tag("p", [tag("a", _say(text), href=href) for href, text in links], class_="links"),
            *(_evening(each, found) for each in found.evenings),
        ]
        if not found.evenings and before is None:
            body.append(tag("p", _say(NOT_PLAYED)))
        if found.more:
            earlier = f"/log?before={found.evenings[-1].number}"
            body.append(tag("p", tag("a", _say(Text("Earlier evenings")), href=earlier, class_="button")))
        return self._frame.page(request, LOOK_BACK, *body, styles=("look.css",), kind="look")

    async def evening(self, request: Request) -> Response:
        """Show an evening, to share or to print."""
        number, found, chosen = await self._evening_of(request)
        share = tag(
            "p",
            tag("a", _say(LOOK["save"]), href=f"/log/evening/{number}/page", download=f"tablier-evening-{number}.html"),
            class_="share",
        )
        body = [share, *await self._evening_body(chosen, found)]
        return self._frame.page(request, heading(chosen), *body, styles=("look.css",), kind="look sheet")

    async def evening_file(self, request: Request) -> Response:
        """Return an evening as one file that needs nothing else."""
        number, found, chosen = await self._evening_of(request)
        response = sheet(heading(chosen), *await self._evening_body(chosen, found, linked=False))
        response.headers["content-disposition"] = f'attachment; filename="tablier-evening-{number}.html"'
        return response

    async def game(self, request: Request) -> Response:
        """Show a game, move by move."""
        number, asked = request.path_params["number"], queries(request, "move", "seat")
        played = await _read(lambda: self._reading.game(number))
        info = played.info
        at, seat = _number(asked.get("move", str(played.last))), _seat(asked)
        about = {"id": info.id, "title": title_of(info.game)}
        title = Text("{title}, game {id}", about)
        began = {"date": moment(local(info.started)), "moves": moves_text(info.moves), "outcome": outcome(info)}
        body = [
            tag("h1", _say(title)),
            tag("p", _players(info)),
            tag("p", _say(Text("Begun {date}, {moves}, {outcome}.", began)), class_="soft"),
        ]
        if not played.over:
            body.append(tag("p", _say(LOOK["running"]), class_="soft"))
        if played.rules is None:
            body += [tag("p", _say(played.why or ""), class_="hot"), _story(played)]
            return self._frame.page(request, title, *body, styles=("look.css",), kind="look")
        drawn = await _read(lambda: self._reading.board(number, at, seat))
        left = [
            tag("div", with_reading(drawn["board"], drawn["reading"]), id="shown", aria_live="off"),
            tag("div", id="notes", hidden=True),
            _controls(number, played, at, seat),
            *(
                tag("div", Markup(line), class_=f"board curve {where}")
                for where, paper in (("desk", NEAR), ("palm", PAPERS[PHONE]))
                if (line := curve(played.scores, played.names, paper, _seats(played)))
            ),
        ]
        links = [
            tag("a", _say(LOOK["record"]), href=f"/log/game/{number}/record", download=f"tablier-game-{number}.json"),
            tag("a", _say(LOOK["verify"]), href="/log/verify"),
            tag("a", _say(LOOK["evening"]), href=f"/log/evening/{info.evening}"),
        ]
        parts = [
            tag("div", left, class_="left"),
            tag("div", _story(played), tag("p", *links, class_="links"), class_="right"),
        ]
        data = {"data_game": number, "data_last": played.last, "data_at": at, "data_seat": seat or ""}
        body.append(tag("div", parts, id="game", class_="game", **data))
        return self._frame.page(
            request, title, *body, script="look.js", styles=("look.css",), words=(LOOK,), kind="look"
        )

    async def board(self, request: Request) -> Response:
        """Return the board after a number of moves, drawn for a desk or for a hand."""
        number, asked = request.path_params["number"], queries(request, "move", "seat", "for")
        at, seat = _number(asked.get("move", "0")), _seat(asked)
        surface = Surface.PHONE if asked.get("for") == PHONE else Surface.PAPER
        return JSONResponse(await _read(lambda: self._reading.board(number, at, seat, surface)))

    async def course(self, request: Request) -> Response:
        """Return how a game that is over went: its last board, the points as a curve, its turning points."""
        paper = PAPERS.get(queries(request, "for").get("for", WALL))
        if paper is None:
            raise Refused(400, "for is one of {allowed}", allowed=list(PAPERS))
        number = request.path_params["number"]
        played = await _read(lambda: self._reading.game(number))
        if not played.over:
            raise Refused(409, "Game {number} is not over.", number=number)
        last = None
        if played.rules is not None:
            last = await _read(lambda: self._reading.board(number, played.last, None))
        course = CourseState(
            game=number,
            title=printable(title_of(played.info.game)),
            how=_how(played),
            board=last["board"] if last else "",
            reading=last["reading"] if last else "",
            curve=curve(played.course, played.names, paper, _seats(played)),
            counts="" if played.counts is None else _say(played.counts),
            turns=[_say(turn_text(turn, played.names)) for turn in turning_points(played.course)],
        )
        return JSONResponse(to_builtins(course))

    async def record(self, request: Request) -> Response:
        """Return the record of a game as a file; of one that runs, what is public."""
        queries(request)
        number = request.path_params["number"]
        line = await _read(lambda: self._reading.record(number))
        name = f'attachment; filename="tablier-game-{number}.json"'
        return Response(line, media_type="application/json", headers={"content-disposition": name})

    async def verify(self, request: Request) -> Response:
        """Verify the log, and say what was found; what is wrong with a game that runs is for the operator to read."""
        queries(request)
        found = await self._verifying.find(await _read(self._reading.head))
        title = Text("The log")
        operates = bool(self._browsers.of(request).operator)
        body = [tag("h1", _say(title))]
        if not found["wrong"]:
            about = {"found": found["found"]}
            text = Text("{found}; every game was run again.", about)
            if found["unchecked"]:
                text = Text("{found}; not everything could be checked.", about)
            body.append(tag("p", _say(text)))
        elif found["games"]:
            links = [tag("a", f"{each} ", href=f"/log/game/{each}") for each in found["games"]]
            body.append(tag("p", _say(Text("Games that do not follow:")), " ", links, class_="hot"))
        else:
            body.append(tag("p", _say(Text("The log was changed or damaged.")), class_="hot"))
        if found["wrong"]:
            said = [tag("li", printable(render(each))) for each in found["wrong"]]
            body.append(tag("ul", said) if operates else tag("p", _say(Text("'tablier log verify' says why."))))
        body += [tag("p", printable(f"{render(each)}.")) for each in found["played_as"]]
        if found["unchecked"]:
            body.append(tag("p", _say(Text("Not checked:"))))
            body.append(tag("ul", [tag("li", printable(render(each))) for each in found["unchecked"]]))
        if found["head"]:
            body.append(tag("p", _say(Text("Head {head}", {"head": found["head"]})), class_="soft head"))
        return self._frame.page(request, title, *body, styles=("look.css",), kind="look")

    async def _evening_of(self, request: Request) -> tuple[int, Page, Evening]:
        queries(request)
        number = request.path_params["number"]
        found = await _read(lambda: self._reading.evening(number))
        return number, found, found.evenings[0]

    async def _evening_body(self, chosen: Evening, found: Page, *, linked: bool = True) -> list[Markup]:
        reading = self._reading
        body = [tag("h1", _say(heading(chosen))), *_people(chosen, found)]
        if not chosen.by_itself:
            came = [
                tag("li", f"{time_text(local(at))} ", _say(moved_text(kind, entry, found.names)))
                for at, kind, entry in await _read(lambda: reading.moved(chosen.number))
            ]
            body += [tag("ul", came, class_="came")] if came else []
        for number in chosen.games:
            if not found.games[number].is_played:
                continue
            game = await _read(lambda number=number: reading.game(number))  # type: ignore[misc]
            info = game.info
            about = {"id": info.id, "title": title_of(info.game)}
            title: Any = _say(Text("{id} · {title}", about))
            title = tag("a", title, href=f"/log/game/{number}") if linked else title
            at, moves = str(time_text(local(info.started))), moves_text(info.moves)
            about = {"at": at, "moves": moves, "outcome": outcome(info)}
            parts = [
                tag("h2", title),
                tag("p", _players(info)),
                tag("p", _say(Text("Begun at {at}, {moves}, {outcome}.", about)), class_="soft"),
            ]
            if game.rules is not None:
                last = await _read(lambda number=number, at=game.last: reading.board(number, at, None))  # type: ignore[misc]
                parts.append(with_reading(last["board"], last["reading"]))
            body.append(tag("section", parts, class_="card game"))
        return body


__all__ = ["HistoryPages"]
