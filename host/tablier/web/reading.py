"""Reading a log for the pages that look back, by the same functions as ``tablier log``: in a thread of its own, and
nothing of it twice as long as the log has not grown.

What is read here is what everybody may see: of a game that runs, what a spectator has seen. One that has ended has no
secrets any more, and each seat's own view can be shown.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tablier.games.core import Move, Position, Rules
from tablier.games.core.parts import PartError
from tablier.log import Evening, GameInfo, Log, Names
from tablier.play import redaction
from tablier.printable import printable
from tablier.record import Record, RecordError
from tablier.screens.names import fit_names
from tablier.texts import Failure, Json, Text, text_of
from tablier.web.boards import draw, read

T = TypeVar("T")
_GAMES = 8
"""The most games that are kept, replayed."""
_BOARDS = 400
"""The most boards that are kept, drawn."""


class NotThere(Failure):
    """The log has nothing of that number."""


@dataclass(frozen=True)
class Overview:
    """All that was played."""

    evenings: list[Evening]
    games: dict[int, GameInfo]
    names: Names


@dataclass(frozen=True)
class Line:
    """One line of a game's story: what people were told of a move, or of something else."""

    at: int
    """The move's number, 0 for what is no move that stands."""
    move: str
    """As it is written; empty for what is no move, or is secret still."""
    sentences: tuple[str, ...]
    secret: bool
    undone: bool


@dataclass(frozen=True)
class Played:
    """A game, replayed."""

    info: GameInfo
    names: list[str]
    rules: Rules[Any] | None
    """``None`` where nothing can be drawn: the game is not installed, or has not begun."""
    states: list[Any]
    """The position after each number of moves."""
    moves: list[Move]
    """Those that lead from each position to the next."""
    lines: list[Line]
    scores: list[tuple[float, ...]]
    """The points after each number of moves; none where they do not lie open."""
    why: Text | None
    """Why nothing can be drawn."""

    @property
    def over(self) -> bool:
        return self.info.ended is not None

    @property
    def last(self) -> int:
        """Return the number of moves that can be shown."""
        return max(0, len(self.states) - 1)

    def board(self, at: int, seat: int | None) -> Json:
        """Return the board after some moves, as a spectator has seen it; of a game that is over also as a seat has."""
        assert self.rules is not None
        view = self.rules.view(self.states[at], seat)
        return {
            "at": at,
            "board": draw(self.rules, view, self.names, self._last(at)),
            "reading": read(self.rules, view, self.names),
        }

    def _last(self, at: int) -> Move | None:
        """Return the last move of a seat before a position; ``None`` where that may not be told to everybody yet."""
        assert self.rules is not None
        for state, move in zip(reversed(self.states[:at]), reversed(self.moves[:at]), strict=True):
            if move.actor:
                return None if self.rules.secret(state, move, self.states[at]) else move
        return None


class Reading:
    """A log that pages look back at. Its methods are called from the loop, and read in a thread."""

    def __init__(self, log: Path) -> None:
        self._path = log
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="log")
        self._log: Log | None = None
        self._head = ""
        self._overview: Overview | None = None
        self._games: OrderedDict[int, Played] = OrderedDict()
        self._boards: OrderedDict[tuple[int, int, int | None], Json] = OrderedDict()

    async def overview(self) -> Overview:
        """Return all that was played. Raise :class:`tablier.texts.Failure` for a log that cannot be read."""
        return await self._in_thread(self._read)

    async def game(self, number: int) -> Played:
        """Return a game. Raise :class:`NotThere`, or another :class:`tablier.texts.Failure`."""
        return await self._in_thread(lambda: self._game(number))

    async def board(self, number: int, at: int, seat: int | None) -> Json:
        """Return a board of a game. Raise :class:`NotThere`."""
        return await self._in_thread(lambda: self._board(number, at, seat))

    async def record(self, number: int) -> str:
        """Return a game's record as a line of JSON. Raise :class:`NotThere`."""
        return await self._in_thread(lambda: self._record(number))

    async def moved(self, evening: int) -> list[tuple[str, str, Json]]:
        """Return who came and went: when, which, and the body of the entry."""
        return await self._in_thread(lambda: self._moved(evening))

    async def head(self) -> str:
        """Return the hash of the log's last entry."""
        return await self._in_thread(lambda: (self._read(), self._head)[1])

    async def close(self) -> None:
        def close() -> None:
            if self._log is not None:
                self._log.close()

        await self._in_thread(close)
        self._thread.shutdown()

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    # -- in the thread -----------------------------------------------------------------------------------------------

    def _opened(self) -> Log:
        if self._log is None:
            self._log = Log.read(self._path)
        return self._log

    def _read(self) -> Overview:
        log = self._opened()
        head = log.head
        if self._overview is None or head != self._head:
            games = {info.id: info for info in log.games()}
            self._overview, self._head = Overview(log.evenings(), games, log.names()), head
        return self._overview

    def _info(self, number: int) -> GameInfo:
        games = self._read().games
        if number not in games:
            raise NotThere("There is no game {number} in this log.", number=number)
        return games[number]

    def _game(self, number: int) -> Played:
        info = self._info(number)
        kept = self._games.get(number)
        if kept is None or kept.info != info:
            kept = self._games[number] = _replay(self._opened(), info)
            for key in [key for key in self._boards if key[0] == number]:
                del self._boards[key]
        self._games.move_to_end(number)
        while len(self._games) > _GAMES:
            self._games.popitem(last=False)
        return kept

    def _board(self, number: int, at: int, seat: int | None) -> Json:
        game = self._game(number)
        if game.rules is None or not 0 <= at <= game.last:
            raise NotThere("Game {number} has no move {at}.", number=number, at=at)
        if seat is not None and (not game.over or not 1 <= seat <= len(game.names)):
            raise NotThere("What seat {seat} saw can be looked at when the game is over.", seat=seat)
        key = (number, at, seat)
        if key not in self._boards:
            self._boards[key] = game.board(at, seat)
        self._boards.move_to_end(key)
        while len(self._boards) > _BOARDS:
            self._boards.popitem(last=False)
        return self._boards[key]

    def _record(self, number: int) -> str:
        return redaction.record(self._opened(), self._info(number))[0].dumps() + "\n"

    def _moved(self, evening: int) -> list[tuple[str, str, Json]]:
        entries = self._opened().entries()
        return [
            (entry.at, entry.kind, entry.body)
            for entry in entries
            if entry.kind in ("came", "went") and entry.body.get("evening") == evening
        ]


def _replay(log: Log, info: GameInfo) -> Played:
    names = fit_names(info.names)
    try:
        rules = Record(info.game, info.names, (), info.options).rules().conducted()
        lines = _lines(log, info)
        begun = next(log.entries(info.id)).body
        if begun.get("prelude") and rules.prelude() is not None:  # what that settles is not among the options yet
            return Played(info, names, None, [], [], lines, [], Text("The game has not begun yet."))
        position: Position[Any] = Position(rules)
        states = [position.state]
        for text in log.moves(info.id):
            position.parse_push(text)
            states.append(position.state)
    except (PartError, RecordError, ValueError) as error:
        return Played(info, names, None, [], [], [], [], text_of(error))
    open = info.ended is not None or rules.OPEN_VIEWS  # else the points would tell what a seat keeps secret
    scores = [tuple(rules.scores(state)) for state in states] if open else []
    return Played(info, names, rules, states, position.moves, lines, scores, None)


def _lines(log: Log, info: GameInfo) -> list[Line]:
    told, at = [], 0
    for each in redaction.story(log, info).told:
        is_move = each.entry.kind == "move"
        if each.entry.kind == "takeback":
            at = int(each.entry.body["to"])
        at += is_move
        if is_move or each.sentences:
            sentences = tuple(map(printable, each.sentences))
            move = printable(each.text or "") if is_move else ""
            told.append(Line(at if is_move and not each.undone else 0, move, sentences, each.withheld, each.undone))
    return told


__all__ = ["Line", "NotThere", "Overview", "Played", "Reading"]
