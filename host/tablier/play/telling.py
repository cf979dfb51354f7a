"""Telling people of moves: the news of them, who carries them out on the table, and their way over its lights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tablier.course.asides import MISTAKE
from tablier.course.chance import HOST, told_of
from tablier.course.entries import CORRECTED, INPUTS
from tablier.course.session import Made, Session, taken_back
from tablier.games import words_of
from tablier.games.core import Position
from tablier.games.core.prelude import Prelude
from tablier.log import Entry, GameInfo
from tablier.play.audience import Audience
from tablier.play.table_side import TableSide
from tablier.texts import Text, Who, counted

AT_ONCE = 20
"""The news that are told again in one go: others wait meanwhile."""


class Teller:
    """Tells an audience and a table of the moves of a game."""

    def __init__(self, session: Session, info: GameInfo, audience: Audience, table: TableSide) -> None:
        self._session = session
        self._info = info
        self._audience = audience
        self._table = table

    def announce(self, made: Made) -> None:
        """Note what people are told of a move, and who carries it out on the table for a seat that is not there."""
        self._tell(made)
        move = made.move
        if move is None or not move.actor or self._session.seats[move.actor - 1].at_table:
            return
        helper = self._session.conditions.helper(move.actor)
        if helper and any(event.kind in words_of(self._info.game).by_hand for event in made.events):
            args = {"helper": Who(helper), "who": Who(move.actor)}
            self._audience.note("lay", Text("{helper}, please do that on the table for {who}.", args))

    def _tell(self, made: Made) -> None:
        """Note what people are told of a move; without one, which moves were taken back."""
        move, events, position, undone = made
        if move is None:
            assert undone is not None
            self._audience.news.say("takeback", undone, logged=True)
            self._table.still()
            return
        self._table.show_move(move, position)
        turn = _turn_of(position)
        at = 0 if isinstance(position.rules, Prelude) else position.ply
        for event in events:
            self._audience.news.say(event.kind, event.text, event.audience, turn, at, logged=True)

    def recall(self, entries: Iterable[Entry], position: Position[Any]) -> Iterator[None]:
        """Tell again what the entries of a resumed game tell, from its first ``position`` on, some moves at a time: the
        news are those that were told when it was played, in the same order."""
        asked, input, quiet = "", "", False
        if isinstance(position.rules, Prelude):
            self._audience.news.say("prelude", position.rules.TEXT, logged=True)
        told = 0
        for entry in entries:
            if len(self._audience.news.all) >= told + AT_ONCE:
                told = len(self._audience.news.all)
                yield
            kind, body = entry.kind, entry.body
            quiet = quiet and kind == "move" and body["by"] == CORRECTED
            if kind in INPUTS:
                input = kind
            if kind == "ask":
                asked = body["what"]
            elif kind == "begins":
                before = position.rules
                assert isinstance(before, Prelude)
                position = Position(before.begun(position.state)).conducted()
            elif kind in ("move", "prelude"):
                move = position.parse_push(body["text"])
                if not quiet:
                    events = told_of(position.last_events(), completed=body.get("chance") == HOST)
                    self._tell(Made(move, events, position.copy()))
            elif kind == "takeback":
                undone = taken_back(body["by"], body["to"], position.ply)
                while position.ply > body["to"]:
                    position.pop()
                quiet = asked == MISTAKE and input in ("reply", "table")
                if not quiet:
                    self._tell(Made(None, (), position.copy(), undone))
        self._audience.news.recalled = len(self._audience.news.all)
        self._table.still()

    def resumes(self) -> None:
        """Tell those who watch now that a game is resumed."""
        one, more = "The game resumes after {count} move.", "The game resumes after {count} moves."
        if ply := self._session.position.ply:
            self._audience.note("resumed", counted(ply, one, more))


def _turn_of(position: Position[Any]) -> Any:
    """Return whose turn the last move belongs to, as the game's view says it: the one that it may end."""
    earlier = position.copy()
    earlier.pop()
    return earlier.rules.view(earlier.state, None).get("turn")
