"""Bots that think beside the keeper's loop about what somebody asks: hints, and analyses of finished games."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from tablier import messages
from tablier.bots.thinking import Call, Room
from tablier.course.declined import Declined
from tablier.keeper.access import AT_TABLE, WATCHING
from tablier.keeper.methods import Asker, method
from tablier.keeper.orders import Playing
from tablier.keeper.peer import Peer
from tablier.keeper.protocol import Count, OfGame, OfSeat
from tablier.log.fold import GameInfo
from tablier.log.replies import Words, check_printable
from tablier.log.store import Log
from tablier.play import analysing
from tablier.play.hints import hint
from tablier.texts import Failure, Text


class Analyse(OfGame, frozen=True, kw_only=True):
    """A move of a finished game. ``bot``: a built-in one; the best if none is named."""

    at: Count
    bot: Words | None = None

    def __post_init__(self) -> None:
        check_printable(self, "bot")


class Thought(NamedTuple):
    """What a bot is to think about."""

    asker: Asker
    think: Call
    hinted: tuple[int, int] | None
    """The game and the seat of a hint."""

    def fail(self, why: Text) -> None:
        """Answer that there is nothing to say."""
        if self.hinted is None:
            self.asker.refuse(why)
        else:
            self.asker.answer(messages.Hint(why=why))


class Analysis:
    """Has bots think, one at a time. Of what a connection asks for meanwhile the latest is next."""

    def __init__(self, log: Log, games: Playing, room: Room) -> None:
        """``room``: where bots think."""
        self._log = log
        self._games = games
        self._room = room
        self._waiting: dict[Peer, Thought] = {}
        self._open: Thought | None = None
        """What is thought about, and its asker waits for."""
        self._busy = False

    @method(
        "hint",
        OfSeat,
        AT_TABLE,
        takes="`game`, `seat`",
        gives="`Hint`, see below",
    )
    def _hint(self, asker: Asker, params: OfSeat) -> messages.Hint | None:
        own = asker.peer.rights.holds(params.game, params.seat)
        with self._games.playing(params.game) as game:
            if not own:
                game.check_at_table(params.seat)
            try:
                think = hint(game.session, params.seat, own=own)
            except Declined as error:
                return messages.Hint(why=error.text)
        self._ask(Thought(asker, think, (params.game, params.seat)))
        return None

    @method(
        "analyse",
        Analyse,
        WATCHING,  # of a game that is over nothing is secret
        takes="`game` (a finished one), `at` (the number of a move), `bot`? (a built-in one; the best)",
        gives="`AnalysedMove`: what the bot would have done, see below",
    )
    def _analyse(self, asker: Asker, params: Analyse) -> None:
        info = self._log.game(params.game)
        think = partial(_look, info, self._log.moves(info.id), params.at, params.bot)
        self._ask(Thought(asker, think, None))

    def forget(self, peer: Peer) -> None:
        """Drop what a connection waits for: it is closed."""
        self._waiting.pop(peer, None)
        if self._open is not None and self._open.asker.peer is peer:
            self._open = None

    def refuse_hints(self, why: Text, game: int, seat: int | None = None, peer: Peer | None = None) -> None:
        """Refuse the hints on a game that are still waited for, those of one seat or connection if these are named."""
        for thought in (*self._waiting.values(), *([] if self._open is None else [self._open])):
            if thought.hinted is None or game != thought.hinted[0]:
                continue
            if seat in (None, thought.hinted[1]) and peer in (None, thought.asker.peer):
                thought.asker.refuse(why)
                if thought is self._open:
                    self._open = None
                else:
                    del self._waiting[thought.asker.peer]

    def _ask(self, thought: Thought) -> None:
        """Have a bot think as soon as none does."""
        before = self._waiting.pop(thought.asker.peer, None)
        if before is not None:
            before.fail(Text("another one was asked for"))
        self._waiting[thought.asker.peer] = thought
        self._start()

    def _start(self) -> None:
        while self._waiting and not self._busy:
            thought = self._open = self._waiting.pop(next(iter(self._waiting)))
            self._busy = True
            self._room.ask(thought.think, self._hear)

    def _hear(self, said: Any) -> None:
        thought, self._open, self._busy = self._open, None, False
        if thought is not None and isinstance(said, Failure):
            thought.fail(said.text)
        elif thought is not None:
            thought.asker.answer(said)
        self._start()


def _look(info: GameInfo, moves: Sequence[str], at: int, bot: str | None) -> messages.AnalysedMove:
    return analysing.look(analysing.moment_of(info, moves, at), bot).message()
