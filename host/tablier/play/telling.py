"""Telling people of moves: the news of them, who carries them out on the table, and their way over its lights."""

from __future__ import annotations

from tablier.games import words_of
from tablier.games.core.prelude import Prelude
from tablier.log import GameInfo
from tablier.play.audience import Audience
from tablier.play.chance import told_of
from tablier.play.session import Effects, Made, Session
from tablier.play.table_side import TableSide
from tablier.texts import Text, Who, counted

_RECALLED = 24  # moves of a game that is resumed


class Teller:
    """Tells an audience and a table of the moves of a game."""

    def __init__(self, session: Session, info: GameInfo, audience: Audience, table: TableSide) -> None:
        self._session = session
        self._info = info
        self._audience = audience
        self._table = table

    def announce_all(self, effects: Effects) -> None:
        """Tell of moves that are in the log already."""
        for made in effects.made:
            self.announce(made)

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
        """Note what people are told of a move; without one, that moves were taken back."""
        move, events, position = made
        if move is None:
            one, more = "Moves were taken back; {count} move remains.", "Moves were taken back; {count} moves remain."
            self._audience.note("takeback", counted(position.ply, one, more, "All moves were taken back."))
            self._table.still()
            return
        self._table.show_move(move, position)
        turn = position.rules.view(position.state, None).get("turn")
        at = 0 if isinstance(position.rules, Prelude) else position.ply
        for event in events:
            self._audience.news.say(event.kind, event.text, event.audience, turn, at)

    def recall(self) -> None:
        """Tell what happened last, in a game that is resumed."""
        twin = self._session.position.copy()
        told: list[Made] = []
        while twin.ply and len(told) < _RECALLED:
            events, after, move = twin.last_events(), twin.copy(), twin.pop()
            events = told_of(events, completed=self._session.is_completed(move))
            told.append(Made(move, events, after))
        for made in reversed(told):
            self._tell(made)
        self._table.still()
        if told:
            one, more = "The game resumes after {count} move.", "The game resumes after {count} moves."
            self._audience.note("resumed", counted(self._session.position.ply, one, more))
