"""What comes in from screens and bots: replies and commands, each one change or a refusal to its sender."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablier.bots.bots import COMMAND, is_bot
from tablier.bots.thinking import Room
from tablier.course.declined import Declined
from tablier.course.entries import Body
from tablier.course.seats import AT_SCREEN, AT_TABLE
from tablier.course.session import whose
from tablier.games import bots_of
from tablier.games.core import Event, Position, shown
from tablier.play.change import Change
from tablier.play.committing import Committer
from tablier.play.hints import Hints
from tablier.play.inbox import Inbox
from tablier.play.logged import left_at
from tablier.play.requests import (
    Back,
    Call,
    Command,
    Correct,
    Dispute,
    DoneReply,
    Hint,
    Hurry,
    LockedReply,
    Mistake,
    Pace,
    Pause,
    SeatReply,
    Source,
    Stop,
    ThrownReply,
    Wait,
)
from tablier.texts import Text, Who, counted, suggest

if TYPE_CHECKING:
    from tablier.play.inbox import Sender


_TOLD = 24
"""The most that a person who comes back is told of."""


class Stopped(Exception):
    """Somebody has asked to stop; the game can be resumed."""


class FromScreens:
    """Takes what has come to a game's inbox."""

    def __init__(self, game: Committer, inbox: Inbox, advice: Room) -> None:
        """``advice``: where bots think about hints."""
        self._game = game
        self._session = game.session
        self._hints = Hints(game.session, inbox.post, advice)

    def take(self, what: str, value: Any) -> None:
        if what == "watch":
            self._game.audience.welcome(value)
        elif what == "leave":
            self._game.audience.remove(value)
        elif what == "decided":
            self._game.chairs.decided(*value)
        elif what == "refused":
            self._game.audience.refuse(*value)
        elif what == "hint":
            self._game.audience.answer(*value)
        else:
            sender, request = value
            try:
                self.obey(sender, request)
            except Declined as error:
                self._game.audience.refuse(sender, request.by or None, error.text)

    def forget(self, sender: Sender) -> None:
        """Drop the hint that a connection waits for: it has gone."""
        self._hints.forget(sender)

    def obey(self, sender: Sender, request: SeatReply | Command) -> None:
        """Do what a connection has a right to ask for. Raise :class:`Declined` where the game does not allow it."""
        if isinstance(request, SeatReply):
            self._check_screen(request.seat)
            self.take_reply(request)
            return
        if isinstance(request, Back | Hint | Mistake | Call) and not sender.holds(request.seat):
            self._check_place(request.seat)
        if isinstance(request, Back | Mistake | Pause | Call | Correct | Dispute) and request.by:
            self._check_no_bot(request.by)
        if isinstance(request, Hint):
            self._hints.give(sender, request.seat, request.n, own=sender.holds(request.seat))
        elif isinstance(request, Source):
            self._seat(request.seat, request.source, request.seat if sender.holds(request.seat) else 0)
        else:
            self._take_command(request)

    def _check_no_bot(self, seat: int) -> None:
        """Raise :class:`Declined` where a bot has a seat: whoever has left it says nothing for it."""
        seats = self._session.seats
        if seat <= len(seats) and seats[seat - 1].is_bot:
            raise Declined("a bot plays for {who} now", who=Who(seat))

    def _check_place(self, seat: int) -> None:
        """Raise :class:`Declined` unless a seat is at the table, where nobody can type."""
        seats = self._session.seats
        if seat > len(seats):
            raise Declined("there is no seat {seat}", seat=seat)
        if not seats[seat - 1].at_table:
            raise Declined("{who} must do that at a screen", who=Who(seat))

    def _check_screen(self, seat: int) -> None:
        """Raise :class:`Declined` unless a seat replies at a screen."""
        seats = self._session.seats
        if seat > len(seats):
            raise Declined("there is no seat {seat}", seat=seat)
        if seats[seat - 1].at_table:
            raise Declined("this seat replies at its place")
        if seats[seat - 1].is_bot:
            raise Declined("a bot replies for this seat")

    def _take_command(self, command: Command) -> None:
        if isinstance(command, Stop):
            raise Stopped
        if isinstance(command, Hurry):
            self._game.chairs.hurry()
        elif isinstance(command, Wait):
            self._game.chairs.set_waiting(command.on)
        elif isinstance(command, Pace):
            self._game.chairs.set_pace(command.seconds)
        elif isinstance(command, Back):
            to = self._session.past.before_last_of(command.seat, command.count)
            self._game.feed("request", {"to": to, "seat": command.seat})
        elif isinstance(command, Mistake):
            self._game.feed("mistake", {"seat": command.seat})
        elif isinstance(command, Pause):
            self._game.feed("pause", {"seat": command.seat})
        elif isinstance(command, Call):
            self._game.feed("call", {"seat": command.seat})
        elif isinstance(command, Correct):
            self._correct({"at": self._doubted(command), "move": command.move.strip(), "seat": command.seat})
        elif isinstance(command, Dispute):
            self._dispute({"at": self._doubted(command), "text": command.text.strip(), "seat": command.seat})

    def _seat(self, seat: int, source: str, by: int) -> None:
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

    def _dispute(self, body: Body) -> None:
        change = Change(self._session)
        change.feed("dispute", body)
        args: dict[str, Any] = {"who": whose(body["seat"]), "at": body["at"], "text": body["text"]}
        if self._session.past.is_secret(body["at"]):
            said = Text("{who} disputes move {at}: {text}", args)
        else:
            args["move"] = self._session.position.moves[body["at"] - 1].typed
            said = Text("{who} disputes move {at}, {move}: {text}", args)
        change.note("dispute", said)
        self._game.commit(change)

    def _doubted(self, command: Correct | Dispute) -> int:
        """Return the number of the move that a seat doubts; where it names none, that of the last one of a seat."""
        if command.at is not None:
            return command.at
        moves = self._session.position.moves
        return next((at for at in range(len(moves), 0, -1) if moves[at - 1].actor), len(moves))

    def _correct(self, body: Body) -> None:
        if self._session.past.is_secret(body["at"]):
            raise Declined("this move is still secret; type :correct and the name of the player who entered it")
        self._game.feed("correction", body)

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
