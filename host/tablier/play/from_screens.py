"""What comes in from screens and bots: replies, and what people say of a game."""

from __future__ import annotations

from typing import Any

from tablier.bots.bots import COMMAND, is_bot
from tablier.course.declined import Declined
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.course.session import whose
from tablier.games import bots_of
from tablier.games.core import Event, Position, shown
from tablier.log.replies import DoneReply, LockedReply, SeatReply, ThrownReply
from tablier.play.change import Change
from tablier.play.committing import Committer
from tablier.play.logged import left_at
from tablier.texts import Text, Who, counted, suggest

_TOLD = 24
"""The most that a person who comes back is told of."""


class FromScreens:
    """What people at screens can do to a game. Each method raises :class:`Declined` where the game does not allow it
    now; nothing has changed then."""

    def __init__(self, game: Committer) -> None:
        self._game = game
        self._session = game.session

    def reply(self, reply: SeatReply) -> None:
        """Reply to the open question for a seat at a screen."""
        seat = self._seat_of(reply.seat)
        if seat.at_table:
            raise Declined("this seat replies at its place")
        if seat.is_bot:
            raise Declined("a bot replies for this seat")
        self.take_reply(reply)

    def check_speaker(self, seat: int, *, own: bool) -> None:
        """Check that a person can speak for a seat now. ``own``: who speaks has the seat; else it has to be at the
        table, where nobody can type."""
        if not own:
            self.check_at_table(seat)
        seats = self._session.seats
        if seat <= len(seats) and seats[seat - 1].is_bot:
            raise Declined("a bot plays for {who} now", who=Who(seat))  # who has left it says nothing for it

    def check_at_table(self, seat: int) -> None:
        """Check that a seat is at the table."""
        if not self._seat_of(seat).at_table:
            raise Declined("{who} must do that at a screen", who=Who(seat))

    def _seat_of(self, seat: int) -> Seat:
        seats = self._session.seats
        if seat > len(seats):
            raise Declined("there is no seat {seat}", seat=seat)
        return seats[seat - 1]

    def take_back(self, seat: int, count: int) -> None:
        """Ask that a seat's last ``count`` moves, and what followed, are taken back."""
        self._game.feed("request", {"to": self._session.past.before_last_of(seat, count), "seat": seat})

    def report_mistake(self, seat: int) -> None:
        """Say that a seat has entered in secret what it did not draw."""
        self._game.feed("mistake", {"seat": seat})

    def pause(self, seat: int) -> None:
        """Ask nothing but whether the game goes on, until somebody says so; 0: for whoever keeps the log."""
        self._game.feed("pause", {"seat": seat})

    def call(self, seat: int) -> None:
        """Stop play: ask a seat what was not right, until it says so or lets play go on."""
        self._game.feed("call", {"seat": seat})

    def correct(self, seat: int, at: int | None, move: str) -> None:
        """Say what was really played as move ``at``; ``None``: the last move of a seat."""
        at = self._doubted(at)
        if self._session.past.is_secret(at):
            raise Declined("this move is still secret; type :correct and the name of the player who entered it")
        self._game.feed("correction", {"at": at, "move": move.strip(), "seat": seat})

    def dispute(self, seat: int, at: int | None, said: str) -> None:
        """Note that move ``at`` was not right; ``None``: the last move of a seat."""
        at, said, session = self._doubted(at), said.strip(), self._session
        change = Change(session)
        change.feed("dispute", {"at": at, "text": said, "seat": seat})
        args: dict[str, Any] = {"who": whose(seat), "at": at, "text": said}
        if session.past.is_secret(at):
            text = Text("{who} disputes move {at}: {text}", args)
        else:
            text = Text(
                "{who} disputes move {at}, {move}: {text}", {**args, "move": session.position.moves[at - 1].typed}
            )
        change.note("dispute", text)
        self._game.commit(change)

    def _doubted(self, at: int | None) -> int:
        """Return the number of the move that is doubted; where none is named, that of the last one of a seat."""
        if at is not None:
            return at
        moves = self._session.position.moves
        return next((at for at in range(len(moves), 0, -1) if moves[at - 1].actor), len(moves))

    def give_seat(self, seat: int, source: str, by: int) -> None:
        """Have something else decide for a seat from now on; tell a person who comes back what was decided."""
        session, info = self._session, self._game.info
        if source not in (AT_TABLE, AT_SCREEN) and not is_bot(info.game, source):
            known = [AT_TABLE, AT_SCREEN, *bots_of(info.game)]
            about = {"seen": shown(source), "known": known, "command": COMMAND}
            text = Text("{seen} cannot decide for a seat; allowed: {known} or {command}…", about)
            raise Declined(suggest(text, source, known))
        change = Change(session)
        away = session.position.copy() if seat <= len(session.seats) and session.seats[seat - 1].is_bot else None
        change.feed("sits", {"seat": seat, "source": source, "by": by})
        if away is not None and not session.seats[seat - 1].is_bot:
            left = left_at(info, self._game.log.entries(info.id, "move", "takeback", "sits"), seat)
            if left is not None and not session.in_prelude:
                self._tell_meanwhile(change, seat, away, left)
        self._game.commit(change)
        self._game.table.light(self._game.deadline)

    def _tell_meanwhile(self, change: Change, seat: int, position: Position[Any], left: int) -> None:
        """Tell a person who comes back to a seat what was decided since it was left, after ``left`` moves."""
        moves = position.moves[left:]
        if self._session.seats[seat - 1].at_table:  # what all were told can be read there
            change.note("away", _back_at_table(seat, len(moves)))
            return
        one, more = "While you were away {count} move was made.", "While you were away {count} moves were made."
        change.note("away", counted(len(moves), one, more, "While you were away no move was made."), (seat,))
        if own := [move.typed for move in moves if move.actor == seat]:
            change.note("away", Text("The bot decided for you: {moves}.", {"moves": own[-_TOLD:]}), (seat,))
        told: list[Event] = []
        while position.ply > left and len(told) < _TOLD:
            told += [event for event in reversed(position.last_events()) if seat in (event.audience or (seat,))]
            position.pop()
        for event in reversed(told):
            change.note(event.kind, event.text, (seat,))

    def take_reply(self, reply: SeatReply) -> None:
        """Take what a screen or a bot replies for its seat."""
        session, seat, id = self._session, reply.seat, self._session.id
        change = Change(self._session)
        self._game.answer(change, reply.kind, reply.body())
        if isinstance(reply, ThrownReply):
            args = {"helper": Who(session.conditions.helper(seat)), "who": Who(seat), "rank": reply.rank}
            change.note("lay", Text("{who} throws the {rank}. {helper}, please lay it.", args))
        self._game.commit(change)
        if isinstance(reply, LockedReply | DoneReply) and id == session.id:
            self._game.table.tell_outside(id, seat, reply.commitment if isinstance(reply, LockedReply) else "")


def _back_at_table(seat: int, count: int) -> Text:
    one = "{who} is back; {count} move was made meanwhile."
    more = "{who} is back; {count} moves were made meanwhile."
    return counted(count, one, more, "{who} is back; no move was made meanwhile.", who=Who(seat))
