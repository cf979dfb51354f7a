"""The bots of a game: who of them is to decide, and who takes over from one that fails."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from math import inf

from tablier.bots.bots import STAND_IN, BotError, BotSeat, External, bot_for
from tablier.bots.thinking import Room
from tablier.course.session import Session
from tablier.log import GameInfo, Log
from tablier.log.replies import SeatReply
from tablier.play.inbox import Inbox
from tablier.play.requests import reply_of
from tablier.printable import number_text
from tablier.table.clock import Clock
from tablier.texts import Json, Text, Who, all_of
from tablier.waiting import WakeUps


class Chairs:
    """The seats of bots, each with its bot.

    ``pace`` is how long bots take for a decision, in seconds; ``room`` is where the built-in ones think. ``note`` tells
    people something, ``publish`` shows it to them, ``complain`` tells the operator what a program wrote last, and
    ``take`` takes a reply: all of them the conductor's.
    """

    def __init__(
        self,
        session: Session,
        info: GameInfo,
        log: Log,
        clock: Clock,
        inbox: Inbox,
        wake_ups: WakeUps,
        *,
        pace: float,
        dice: random.Random,
        room: Room,
        note: Callable[[str, Text], None],
        publish: Callable[[], None],
        complain: Callable[[int, BotError], None],
        take: Callable[[SeatReply], None],
    ) -> None:
        self._session = session
        self._info = info
        self._log = log
        self._clock = clock
        self._inbox = inbox
        self._pace = pace
        self._dice = dice
        self._room = room
        self._note = note
        self._publish = publish
        self._complain = complain
        self._take = take
        self._turn = wake_ups.add()
        """A bot is to decide: :meth:`decide` has it do so."""
        self._asked_at = 0.0
        self._hurried = False
        self._waits = False
        self.taken: dict[int, BotSeat] = {}
        self.thinking: set[int] = set()
        """The seats whose bots were asked and have not decided yet."""

    def fill(self) -> None:
        """Have bots leave seats that somebody else has now, and take theirs when the game has begun: a prelude settles
        options that they are told."""
        session = self._session
        for number, seat in enumerate(session.seats, 1):
            chair = self.taken.get(number)
            if chair is not None and chair.source != seat.source:
                del self.taken[number]
                self.thinking.discard(number)
                chair.leave()
            if seat.is_bot and number not in self.taken and not session.in_prelude:
                self.taken[number] = self._bot(number, session.source_of(number))

    def ask(self) -> None:
        """Take note that another question is open."""
        self._asked_at = self._clock.now()
        session = self._session
        if any(seat.at_screen for seat in session.seats) and any(
            seat not in self.taken for seat in session.open.waiting
        ):
            self._hurried = False

    def hurry(self) -> None:
        """Have bots decide at once, until a person at a screen is asked."""
        self._hurried, self._waits = True, False

    def set_waiting(self, waits: bool) -> None:
        """Have bots wait, or go on at their pace."""
        self._waits, self._asked_at = waits, self._clock.now()

    def set_pace(self, seconds: float) -> None:
        """Have bots take so long for a decision from now on, also for the one that is open; tell everybody."""
        self._pace, self._hurried = seconds, False
        text = Text("Bots take {seconds} s for a move.", {"seconds": number_text(seconds)})
        self._note("pace", text if seconds else Text("Bots move at once.", {"seconds": "0"}))
        self._publish()

    @property
    def _at(self) -> float:
        """Return when a bot is to decide."""
        if self._waits:
            return inf
        return self._asked_at + (0 if self._hurried else self._pace)

    def set_turn(self) -> None:
        """Have the conductor woken when a bot is to decide."""
        self._turn.set(self._at if self._waiting() else None)

    @property
    def hold_time(self) -> bool:
        """Return whether a bot thinks, and no time is to pass meanwhile."""
        return bool(self.thinking) and self._clock.stands

    def decide(self) -> bool:
        """Have one bot decide that is asked; return whether one was found. What it decides comes in by the inbox."""
        waiting = self._waiting()
        if not waiting or self._clock.now() < self._at or self.hold_time:
            return False
        seat, session = waiting[0], self._session
        chair = self.taken[seat]
        if seat in session.open.to_open:
            self._take(reply_of(chair.opening(session)))
        else:
            self.thinking.add(seat)
            chair.ask(session, self._hear)
        return True

    def _hear(self, chair: BotSeat, said: Json | BotError) -> None:
        """Take a bot's reply from any thread."""
        self._inbox.post(partial(self.decided, chair, said))

    def decided(self, chair: BotSeat, said: Json | BotError) -> None:
        """Take a bot's reply, unless another question is open by now; replace the bot when it has failed."""
        seat = chair.seat
        if self.taken.get(seat) is not chair:
            return  # of a bot that was replaced
        self.thinking.discard(seat)
        if isinstance(said, BotError):
            chair.leave()
            self.taken[seat] = self._stand_in(seat, said)
            self._publish()
        elif said["id"] == self._session.id and seat in self._session.open.waiting:
            self._take(reply_of(said))

    def let_go(self) -> None:
        """Drop what built-in bots were asked for."""
        self._room.close()

    def close(self) -> None:
        """End the bots that are programs; from any thread."""
        with ExitStack() as bots:  # all of them, also when one fails to end
            for chair in self.taken.values():
                bots.callback(chair.close)

    def _bot(self, number: int, source: str) -> BotSeat:
        info, options = self._info, self._session.position.rules.given
        try:
            bot = bot_for(info.game, len(info.seats), options, number, source, self._dice, self._log.path, self._room)
        except BotError as error:
            return self._stand_in(number, error)
        if isinstance(bot, External) and bot.gaps:
            args = {"who": Who(number), "what": all_of(bot.gaps)}
            text = Text("This computer cannot keep {who}'s program from {what}.", args)
            self._note("warning", text)
            self._log.append(info.id, "warning", {"what": "unconfined", "why": text.to_json()})
        return BotSeat(number, bot, source)

    def _stand_in(self, number: int, error: BotError) -> BotSeat:
        """Have a built-in bot take over from one that failed; raise the error if it was that one."""
        if self._session.source_of(number) == STAND_IN:
            raise BotError("the bot of {name} {why}", name=self._info.names[number - 1], why=error.text)
        body = {"seat": number, "source": STAND_IN, "by": 0, "why": error.text.to_json()}
        effects = self._session.feed("sits", body)
        self._log.append(self._info.id, "sits", body)
        for note in effects.notes:
            self._note(note.kind, note.text)
        if error.last_lines:
            self._complain(number, error)
        return self._bot(number, STAND_IN)

    def _waiting(self) -> list[int]:
        """Return the bots that are to decide, but for those that think already."""
        waiting = (*self._session.open.waiting, *self._session.open.to_open)
        return [seat for seat in waiting if seat in self.taken and seat not in self.thinking]
