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
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tablier.games.core.drawing import Surface
from tablier.html.boards import beside, draw, draw_hand, read
from tablier.judge import redaction
from tablier.log.evenings import Evening
from tablier.log.fold import GameInfo
from tablier.log.people import Names
from tablier.log.store import Log
from tablier.screens.replay import Line, Played, replay
from tablier.texts import Failure, Json, Language, language, render
from tablier.web.shares import Turns

T = TypeVar("T")
_GAMES = 8
"""The most games that are kept, replayed."""
_BOARDS = 400
"""The most boards that are kept, drawn."""


class NotThere(Failure):
    """The log has nothing of that number."""


@dataclass(frozen=True)
class Page:
    """Some of the evenings that were played."""

    evenings: list[Evening]
    """The latest first."""
    games: dict[int, GameInfo]
    """Their games, and maybe others."""
    names: Names
    more: bool = False
    """True where there are earlier ones."""


class Reading:
    """A log that pages look back at. Its methods are called from the loop, and read in a thread."""

    def __init__(self, log: Path, turns: Turns) -> None:
        """``turns``: those of the clients, shared with all else that takes long."""
        self._path = log
        self._turns = turns
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="log")
        self._log: Log | None = None
        self._last = 0
        """The number of the log's last entry when a game was looked at."""
        self._games: OrderedDict[tuple[int, Language], Played] = OrderedDict()
        self._boards: OrderedDict[tuple[int, Language, int, int | None, Surface], Json] = OrderedDict()

    async def evenings(self, before: int | None, most: int) -> Page:
        """Return evenings to be listed, the latest first: ``most`` at most, and before that of a number, if one is
        named. Raise :class:`tablier.texts.Failure` for a log that cannot be read."""
        return await self._in_thread(lambda: self._evenings(before, most))

    async def evening(self, number: int) -> Page:
        """Return one evening. Raise :class:`NotThere`."""
        return await self._in_thread(lambda: self._evening(number))

    async def game(self, number: int) -> Played:
        """Return a game. Raise :class:`NotThere`, or another :class:`tablier.texts.Failure`."""
        return await self._in_thread(lambda: self._game(number))

    async def board(self, number: int, at: int, seat: int | None, surface: Surface = Surface.PAPER) -> Json:
        """Return a board of a game. Raise :class:`NotThere`."""
        return await self._in_thread(lambda: self._board(number, at, seat, surface))

    async def record(self, number: int) -> str:
        """Return a game's record as a line of JSON. Raise :class:`NotThere`."""
        return await self._in_thread(lambda: self._record(number))

    async def moved(self, evening: int) -> list[tuple[str, str, Json]]:
        """Return who came and went: when, which, and the body of the entry."""
        return await self._in_thread(lambda: self._moved(evening))

    async def head(self) -> str:
        """Return the hash of the log's last entry."""
        return await self._in_thread(lambda: self._opened().head)

    async def close(self) -> None:
        def close() -> None:
            if self._log is not None:
                self._log.close()

        await self._in_thread(close)
        self._thread.shutdown()

    async def _in_thread(self, work: Callable[[], T]) -> T:
        async with self._turns.take():
            read = copy_context()  # with the language of who asks
            return await asyncio.get_running_loop().run_in_executor(self._thread, read.run, work)

    # -- in the thread -----------------------------------------------------------------------------------------------

    def _opened(self) -> Log:
        if self._log is None:
            self._log = Log.read(self._path)
        return self._log

    def _evenings(self, before: int | None, most: int) -> Page:
        log, found, games = self._opened(), list[Evening](), dict[int, GameInfo]()
        with log.snapshot():
            last = log.last_evening if before is None else min(log.last_evening, before - 1)
            while last > 0 and len(found) <= most:  # those in which nothing was played are not listed
                some = log.evenings(last - most, last)
                games |= log.some_games(game for each in some for game in each.games)
                played = {number for number, info in games.items() if info.is_played}
                found += [each for each in reversed(some) if each.is_listed(played.__contains__)]
                last -= most + 1
            return Page(found[:most], games, log.names(), more=len(found) > most)

    def _evening(self, number: int) -> Page:
        log = self._opened()
        with log.snapshot():
            evenings = log.evenings(number, number)
            if not evenings:
                raise NotThere("There is no evening {number} in this log.", number=number)
            return Page(evenings, log.some_games(evenings[0].games), log.names())

    def _forget(self, log: Log) -> None:
        """Forget how games went of which more was logged: moves may have been taken back, and as many made since."""
        if (last := log.last_entry) == self._last:
            return
        changed = set(log.games_after(self._last)) if self._games or self._boards else set()
        for played in [key for key in self._games if key[0] in changed]:
            del self._games[played]
        for board in [key for key in self._boards if key[0] in changed]:
            del self._boards[board]
        self._last = last

    def _info(self, number: int) -> GameInfo:
        log = self._opened()
        self._forget(log)
        if not 1 <= number <= log.last_game:
            raise NotThere("There is no game {number} in this log.", number=number)
        return log.game(number)

    def _game(self, number: int) -> Played:
        info, of = self._info(number), (number, language())
        kept = self._games.get(of)
        if kept is None or kept.info != info:
            kept = self._games[of] = replay(self._opened(), info)
            for key in [key for key in self._boards if key[:2] == of]:
                del self._boards[key]
        self._games.move_to_end(of)
        while len(self._games) > _GAMES:
            self._games.popitem(last=False)
        return kept

    def _board(self, number: int, at: int, seat: int | None, surface: Surface = Surface.PAPER) -> Json:
        game = self._game(number)
        if game.rules is None or not 0 <= at <= game.last:
            raise NotThere("Game {number} has no move {at}.", number=number, at=at)
        if seat is not None and not 1 <= seat <= len(game.names):
            raise NotThere("Game {number} has no seat {seat}.", number=number, seat=seat)
        if seat is not None and not game.over:
            raise NotThere("What seat {seat} saw can be looked at when the game is over.", seat=seat)
        key = (number, language(), at, seat, surface)
        if key not in self._boards:
            self._boards[key] = _board(game, at, seat, surface)
        self._boards.move_to_end(key)
        while len(self._boards) > _BOARDS:
            self._boards.popitem(last=False)
        return self._boards[key]

    def _record(self, number: int) -> str:
        game = self._game(number)
        if game.rules is None:
            raise NotThere("Game {number} has no record: {why}", number=number, why=game.why)
        return redaction.record(self._opened(), self._info(number))[0].dumps() + "\n"

    def _moved(self, evening: int) -> list[tuple[str, str, Json]]:
        return [(entry.at, entry.kind, entry.body) for entry in self._opened().moved(evening)]


def _board(game: Played, at: int, seat: int | None, surface: Surface) -> Json:
    """Return the board after some moves, as a spectator has seen it; of a game that is over also as a seat has. What a
    phone's board leaves out stands beside it: lines of text, and what the seat held."""
    assert game.rules is not None
    view = game.rules.view(game.states[at], seat)
    board = {
        "at": at,
        "board": draw(game.rules, view, game.names, game.lasts[at], surface),
        "reading": read(game.rules, view, game.names),
    }
    if surface == Surface.PHONE:
        lines = beside(game.rules, view, game.names)
        board["beside"] = [f"{line.sign} {render(line.text)}".strip() for line in lines]
        board["hand"] = draw_hand(game.rules, view, game.names, seat) if seat else None
    return board


__all__ = ["Line", "NotThere", "Page", "Played", "Reading"]
