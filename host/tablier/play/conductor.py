"""The conductor: a game of a log with its sources and its table, from where it stands to its end."""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from typing import Any

from tablier.bots.thinking import Here, Thinking
from tablier.course.asides import APART_S
from tablier.games import script_of, versions_of
from tablier.games.core import Position
from tablier.games.core.questions import QUIET_S, ScriptOf
from tablier.log import Log
from tablier.play.audience import Watcher
from tablier.play.beginning import Needs, needs_of
from tablier.play.chairs import Chairs
from tablier.play.change import Change
from tablier.play.committing import Committer
from tablier.play.connections import Deliver
from tablier.play.from_screens import FromScreens
from tablier.play.from_table import FromTable
from tablier.play.inbox import Inbox
from tablier.play.resuming import Resumption
from tablier.play.table_side import TableSide
from tablier.table.client import Client
from tablier.table.clock import Clock
from tablier.table.incoming import Incoming
from tablier.table.settings import Settings
from tablier.texts import Text
from tablier.waiting import WakeUps

STAND_S = 5.0
"""The seconds the end stands on the table before people are asked whether they have seen it."""
IDLE_S, _SOON_S = 1.0, 0.001
"""The most and the least seconds for which a game waits."""


class Conductor:
    """Conducts one game, from where its log stands. People at screens act by its :attr:`screens`.

    Call :meth:`start`, then :meth:`take` with whatever the client's ``poll`` returns and :meth:`work` in between.
    ``pace`` is how long bots take for a decision, in seconds.
    """

    def __init__(
        self,
        log: Log,
        game: int,
        clock: Clock,
        client: Client | None = None,
        *,
        by_claim: Text | None = None,
        margins: Sequence[int | None] = (),
        advice: Sequence[Text] = (),
        quiet_s: float = QUIET_S,
        pace: float = 0.0,
        dice: random.Random | None = None,
        thinking: Thinking | None = None,
        port: str | None = None,
        settings: Settings | None = None,
        position: Position[Any] | None = None,
        script: ScriptOf | None = None,
    ) -> None:
        """``by_claim``: why landings are not to be trusted, so that people enter their cards where they throw any;
        ``None`` if they are. ``margins``: the percentage of its light that each beam of the table can do without.

        ``thinking``: where built-in bots think; ``None``: here, and everything waits for them.

        ``port``: where the table is, for whoever resumes the game; ``None`` where it ends with this program.

        ``position`` and ``script`` stand in for those of the game's name.
        """
        self.log = log
        self.game = game
        self.clock = clock
        self.client = client
        self._advice = advice
        self.info = log.game(game)
        name = self.info.game
        self._resumption = Resumption(log, self.info, None if script else versions_of(name))
        sources = self._resumption.sources
        needs = Needs(name, sources.abilities) if script else needs_of(name, sources)  # a test's own game declares none
        self._abilities = needs.abilities
        self._by_claim = by_claim if script or needs.arena else None
        self.session = self._resumption.session(script or script_of(name)[0], quiet_s, position)
        self.inbox = Inbox(clock)
        self._wake_ups = WakeUps()
        self._table = TableSide(
            *(client, self.session, log, game, clock, self._wake_ups),
            by_claim=self._by_claim,
            margins=margins,
            port=port,
            settings=settings or Settings(),
        )
        self._game = Committer(self.session, self.info, log, clock, self._wake_ups, self._table)
        self._recalling = self._resumption.recall(self._game)
        self._audience = self._game.audience
        self._from_table = FromTable(self._game)
        thinking = thinking or Here()
        self.screens = FromScreens(self._game)
        self.chairs = self._game.chairs = Chairs(
            self.session,
            self.info,
            log,
            clock,
            self.inbox,
            self._wake_ups,
            pace=pace,
            dice=dice or random.Random(),
            room=thinking.room(),
            note=self._audience.note,
            publish=self._audience.publish,
            complain=self._audience.complain,
            take=self.screens.take_reply,
        )

    @property
    def over(self) -> bool:
        """Return whether the game is over, and nobody is asked whether moves are taken back."""
        return self.session.finished

    @property
    def showing(self) -> bool:
        """Return whether the table still has something to show of what has moved."""
        return self._table.moving

    @property
    def counting(self) -> bool:
        """Return whether the table is about to say how many rolls it counts, after the end of the game."""
        return self.over and self._game.rolls.waits

    def recall(self) -> bool:
        """Tell again some of what was told before the game was resumed; return whether there is more. What is left
        :meth:`start` tells."""
        return next(self._recalling, self) is None

    def start(self) -> None:
        """Take the game up where its log stands, and ask. Raise ``TableError`` when the table lacks what it needs."""
        client, table = self.client, self._table
        if client is not None:
            client.require(self._abilities, self.info.game)
        while self.recall():
            pass
        self.inbox.home = threading.get_ident()
        change = Change(self.session)
        self._resumption.resume(self._game, change)
        missing = table.missing()
        if missing is None:
            self._from_table.catch_up()
        if client is not None and client.boot is not None:
            if table.known is None:
                table.known = table.hello(client.boot)
                change.items.insert(0, ("table", table.known))
            elif table.known["boot"] != client.boot:
                self._from_table.restart(change, client.boot, client.lost)
            elif table.by_claim_changed:
                self._from_table.greet(change, client.boot)
        self._game.rolls.compare_soon()
        for text in self._advice:
            change.note("advice", text)
        if self._by_claim:
            text = Text("Cards are entered by those who throw them, because {why}.", {"why": self._by_claim})
            change.note("by_claim", text)
        if missing is None:
            self._game.commit(change)
        else:
            self._from_table.lose(change, missing)

    def take(self, incoming: Incoming) -> None:
        """Take what has come from the table: log it, act on it, acknowledge it."""
        self._from_table.take(incoming)

    def watch(self, viewers: Sequence[int | None], deliver: Deliver) -> None:
        """Have the updates of some viewers delivered, in this thread."""
        self.await_start(Watcher(viewers, deliver))

    def await_start(self, watcher: Watcher) -> None:
        """Have a connection's viewers watch from the next message on."""
        self._audience.add(watcher)

    def welcome(self, watcher: Watcher) -> None:
        """Have a connection's viewers watch from now on; the first message is delivered at once."""
        self._audience.welcome(watcher)

    def leave(self, watcher: Watcher) -> None:
        """Deliver no more to a connection that watches, or has left already."""
        self._audience.remove(watcher)

    def act(self) -> bool:
        """Do one thing of those that are due at once: take what a bot has decided, or have a bot decide; return True if
        there was one."""
        act = self.inbox.take()
        if act is None:
            return self.chairs.decide()
        act()
        return True

    @property
    def hold_time(self) -> bool:
        """Return whether a bot thinks, and no time is to pass at the table meanwhile."""
        return self.chairs.hold_time

    def work(self) -> None:
        """Do all that is due."""
        while self.act():
            pass
        self._game.compare_rolls()
        self._from_table.call()
        self._wake_ups.run(self.clock.now())
        self._game.reminder.look(self._game.deadline)
        self.chairs.set_turn()

    @property
    def due(self) -> float:
        """Return when to call :meth:`work` again, by the game's clock."""
        now = self.clock.now()
        soon = now + _SOON_S
        return soon if self._game.rolls.reads else max(soon, min(self._wake_ups.next, now + IDLE_S))

    def set_table(self, settings: Settings) -> None:
        """Have the table be as loud and as bright as that from now on."""
        self._table.set(settings)

    @property
    def looked_at(self) -> bool:
        """Return whether somebody sits at the table."""
        return bool(self.session.conditions.arena)

    def ask_whether_seen(self, *, another: bool = False) -> None:
        """Ask those who sit at the table whether they have seen the end; with ``another``, whether the same people play
        another game."""
        self._game.feed("shown", {"another": True} if another else {})

    def rest(self) -> None:
        """Have the table ask nothing any more."""
        self._table.rest()

    def let_go(self) -> None:
        """Drop what built-in bots were asked for. Call :meth:`close` then, in any thread."""
        self.chairs.let_go()

    def close(self) -> None:
        """End the bots that are programs."""
        self.chairs.close()


class Course:
    """A game on its way to its end, step by step: whoever has several takes them in turn.

    With ``linger_s`` the table shows the whole end, and then its last picture for so long, or until somebody there says
    that it was seen; with ``another``, until somebody wants another game, or nobody does.
    """

    def __init__(self, conductor: Conductor, linger_s: float = 0.0, *, another: bool = False) -> None:
        self._conductor = conductor
        self._linger_s = linger_s
        self._another = another
        self._shown_at: float | None = None
        self._ends_at: float | None = None
        self._asked = False
        self.due = 0.0
        """When to go on, by the game's clock."""
        self.ended = False

    def step(self, *, stay: bool = False) -> bool:
        """Do what is due, of what makes an entry one thing; return True if there is more before any time passes, else
        not before :attr:`due`. With ``stay`` there is no end."""
        conductor = self._conductor
        if conductor.act():
            return True
        conductor.work()
        self.due = conductor.due
        if not conductor.over or conductor.counting or (self._linger_s and conductor.showing):
            self._shown_at, self._ends_at, self._asked = None, None, False  # also where moves are taken back
        elif not stay:
            now, asks = conductor.clock.now(), conductor.session.question is not None
            self._shown_at = now if self._shown_at is None else self._shown_at
            if self._asked and not asks:
                self._ends_at = now + (APART_S if conductor.session.another else 0.0)
            if now >= (self._shown_at + self._linger_s if self._ends_at is None else self._ends_at):
                conductor.rest()
                self.ended = True
                return False
            if self._ends_at is not None:
                self.due = min(self.due, self._ends_at)
            elif conductor.looked_at and not (self._asked or asks) and now >= self._shown_at + STAND_S:
                conductor.ask_whether_seen(another=self._another)
                asks = True
            self._asked = asks
        return False
