"""The bots of a game: who of them is to decide, and who takes over from one that fails."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import ExitStack
from math import inf
from pathlib import Path

from tablier.bots.bots import BotError, BotSeat, External, bot_for
from tablier.bots.sources import STAND_IN
from tablier.bots.thinking import Room
from tablier.course.session import Session
from tablier.games.core.questions import Window
from tablier.log.fold import GameInfo
from tablier.play.change import Change
from tablier.table.clock import Clock
from tablier.texts import Json, Text, Who, all_of
from tablier.waiting import WakeUps

_LAYING_S = 20.0
"""The least time for which a window is open where somebody lays the cards of bots in the arena."""

Hear = Callable[[BotSeat, Json | BotError], None]
"""Gets what a bot has decided, or why it has not, from any thread."""


class Chairs:
    """The seats of bots, each with its bot.

    ``log``: the file that no program may read; ``pace``: how long bots take for a decision, in seconds; ``room``: where
    the built-in ones think; ``hear`` gets what they have decided; ``opened`` gets at once what one was bound to.
    """

    def __init__(
        self,
        session: Session,
        info: GameInfo,
        log: Path,
        clock: Clock,
        wake_ups: WakeUps,
        *,
        pace: float,
        dice: random.Random,
        room: Room,
        hear: Hear,
        opened: Callable[[Json], None],
    ) -> None:
        self._session = session
        self._info = info
        self._log = log
        self._clock = clock
        self._pace = pace
        self._dice = dice
        self._room = room
        self._hear = hear
        self._opened = opened
        self._turn = wake_ups.add()
        """A bot is to decide: :meth:`decide` has it do so."""
        self._asked_at = 0.0
        self._hurried = False
        self._waits = False
        self.taken: dict[int, BotSeat] = {}
        self.thinking: set[int] = set()
        """The seats whose bots were asked and have not decided yet."""

    def fill(self, change: Change) -> None:
        """Have bots leave seats that somebody else has now, and take theirs when the game has begun: a prelude settles
        options that they are told. What is to be logged of it goes into the change."""
        session = self._session
        for number, seat in enumerate(session.seats, 1):
            chair = self.taken.get(number)
            if chair is not None and chair.source != seat.source:
                del self.taken[number]
                self.thinking.discard(number)
                chair.leave()
            if seat.is_bot and number not in self.taken and not session.in_prelude:
                self.taken[number] = self._bot(change, number, seat.source)

    def replace(self, change: Change, chair: BotSeat, error: BotError) -> None:
        """Have a built-in bot take over from one that has failed."""
        chair.leave()
        self.taken[chair.seat] = self._stand_in(change, chair.seat, error)

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
        """Have bots take so long for a decision from now on, also for the one that is open."""
        self._pace, self._hurried = seconds, False

    @property
    def _at(self) -> float:
        """Return when a bot is to decide."""
        if self._waits:
            return inf
        session = self._session
        if isinstance(session.question, Window) and session.question.to_lay and not session.conditions.by_claim:
            return self._asked_at + _LAYING_S  # a bot that throws no more might close the window on that card
        return self._asked_at + (0 if self._hurried else self._pace)

    def set_turn(self) -> None:
        """Have the conductor woken when a bot is to decide."""
        self._turn.set(self._at if self._waiting() else None)

    @property
    def hold_time(self) -> bool:
        """Return whether a bot thinks, and no time is to pass meanwhile."""
        return bool(self.thinking) and self._clock.stands

    def decide(self) -> bool:
        """Have one bot decide that is asked; return whether one was found."""
        waiting = self._waiting()
        if not waiting or self._clock.now() < self._at or self.hold_time:
            return False
        seat, session = waiting[0], self._session
        chair = self.taken[seat]
        if seat in session.open.to_open:
            self._opened(chair.opening(session))
        else:
            self.thinking.add(seat)
            chair.ask(session, self._hear)
        return True

    def has_decided(self, chair: BotSeat) -> bool:
        """Take note that a bot has decided; return whether it still has its seat."""
        if self.taken.get(chair.seat) is not chair:
            return False
        self.thinking.discard(chair.seat)
        return True

    def let_go(self) -> None:
        """Drop what built-in bots were asked for."""
        self._room.close()

    def close(self) -> None:
        """End the bots that are programs; from any thread."""
        with ExitStack() as bots:  # all of them, also when one fails to end
            for chair in self.taken.values():
                bots.callback(chair.close)

    def _bot(self, change: Change, number: int, source: str) -> BotSeat:
        info, rules = self._info, self._session.position.rules
        try:
            bot = bot_for(info.game, len(info.seats), rules.given, number, source, self._dice, self._log, self._room)
        except BotError as error:
            return self._stand_in(change, number, error)
        if isinstance(bot, External) and bot.gaps:
            args = {"who": Who(number), "what": all_of(bot.gaps)}
            text = Text("This computer cannot keep {who}'s program from {what}.", args)
            change.note("warning", text)
            change.log("warning", {"what": "unconfined", "why": text.to_json()})
        return BotSeat(number, bot, source)

    def _stand_in(self, change: Change, number: int, error: BotError) -> BotSeat:
        """Have a built-in bot take over from one that failed; raise the error if it was that one."""
        if self._session.source_of(number) == STAND_IN:
            raise BotError("the bot of {name} {why}", name=self._info.names[number - 1], why=error.text)
        change.feed("sits", {"seat": number, "source": STAND_IN, "by": 0, "why": error.text.to_json()})
        change.fail(number, error)
        return self._bot(change, number, STAND_IN)

    def _waiting(self) -> list[int]:
        """Return the bots that are to decide, but for those that think already."""
        open = self._session.open
        return [seat for seat in (*open.waiting, *open.to_open) if seat in self.taken and seat not in self.thinking]
