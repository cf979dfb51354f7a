"""Bots: programs that decide for a seat. All have one interface, in this process or beside it.

A bot gets its seat's view and its seat's moves, nothing else. A source names it: ``random``, ``greedy``, ``easy``,
``good``, ``strong``, or ``bot:COMMAND``, a program that speaks JSON, one value a line, in a sandbox
(:mod:`tablier.bots.sandbox`, :mod:`tablier.bots.usage`). ``host/manual/bots.md`` says what it reads and writes, and
what happens when it fails.

Of the environment a program has ``PATH`` and ``LANG``. What it writes to standard error is passed on, escaped, to that
of the process that conducts the game, unless that is a terminal; its last lines are kept for the operator. Other
players see none of them, since they may tell what its seat keeps secret.
"""

from __future__ import annotations

import json
import os
import random
import threading
from collections.abc import Callable, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tablier import waiting
from tablier.bots import sandbox
from tablier.bots.programs import BotError, Running, program_of
from tablier.bots.sources import ADVISERS, COMMAND
from tablier.bots.thinking import Crashed, Here, Remote, Room, built_in, crashed
from tablier.course.binding import Binder
from tablier.games import bots_of, leads_to, rules_of
from tablier.games.core import Move, Position, Rules
from tablier.games.core.bots import Bot, decide
from tablier.games.core.menus import PASS
from tablier.games.core.parts import PartError
from tablier.games.core.questions import (
    Answered,
    Choice,
    Done,
    Menu,
    Opened,
    Picked,
    Played,
    Poll,
    Question,
    Reply,
    Thrown,
    Turn,
    Window,
    bare,
)
from tablier.messages import Bind
from tablier.texts import Failure, Json, Text, Typed, number_text
from tablier.waiting import Beside

if TYPE_CHECKING:  # a screen asks for bots before a game begins, and needs no session
    from tablier.course.session import Session

LIMIT_S = 10.0
"""The seconds of real time that a bot may take for a decision."""
_LINE_MAX = 1 << 20


class OpenDecision(NamedTuple):
    """A decision that is left to a bot, and the reply that it becomes; it holds nothing of the game."""

    game: str
    view: Json
    moves: tuple[Move, ...]
    may_pass: bool
    reply: Callable[[Move | None], Reply]


class BotSeat:
    """A seat that a bot has: answers whatever question its seat is asked."""

    def __init__(self, seat: int, bot: Bot | Remote | External, source: str = "") -> None:
        """``source``: the name of the bot."""
        self.seat = seat
        self.source = source
        self._bot = bot
        self._binder = Binder()
        self._thrown_in = 0  # the question that was open when it threw a card last
        self._thread: Beside | None = None

    def reply(self, question: Question, number: int, position: Position[Any]) -> Reply:
        """Return the reply of a bot of this process to a question, which has a number of its own. Raise ``PartError``
        or :class:`BotError`."""
        asked = self._asked(question, number, position)
        return asked.reply(self._decide(asked)) if isinstance(asked, OpenDecision) else asked

    def ask(self, session: Session, done: Callable[[BotSeat, Json | BotError], None]) -> None:
        """Have the bot reply to the open question: ``done`` gets this chair and the reply, or why there is none.

        It is called at once, later from a thread of the bot's own, or where its process is listened to.
        """
        assert session.question is not None
        number, bind, bot = session.id, session.open.bind(self.seat), self._bot
        asked = self._asked(session.question, number, session.position)

        def decided(said: Any) -> None:
            if isinstance(said, Failure):
                done(self, failed(said))
            else:
                reply = asked.reply(said) if isinstance(asked, OpenDecision) else asked
                done(self, self._entry(reply, number, bind))

        if not isinstance(asked, OpenDecision):
            decided(None)
        elif isinstance(bot, Remote):
            bot.decide(asked.view, asked.moves, asked.may_pass, decided)
        elif isinstance(bot, External):
            name = f"bot of p{self.seat}"
            self._thread = waiting.beside(lambda: decided(self._attempt(asked)), name)
        else:
            decided(self._attempt(asked))

    def _asked(self, question: Question, number: int, position: Position[Any]) -> OpenDecision | Reply:
        """Return what the bot decides on; the reply itself where nothing is left to it."""
        seat, rules = self.seat, position.rules

        def asked(moves: Sequence[Move], may_pass: bool, reply: Callable[[Move | None], Reply]) -> OpenDecision:
            return OpenDecision(rules.name, rules.view(position.state, seat), tuple(moves), may_pass, reply)

        if isinstance(question, Turn):
            return asked(question.moves, question.may_pass, lambda move: Played(seat, move))
        if isinstance(question, Choice):
            options = dict(zip(question.moves[seat], question.allowed[seat], strict=True))
            return asked(tuple(options), False, lambda move: Opened(seat, options[_some(move)]))
        if isinstance(question, Window):
            throws = question.throws(seat)
            if not throws or self._thrown_in == number:  # it throws at most one card in a window
                return Done(seat)
            return asked(throws, True, lambda move: self._throw(number, move))
        if isinstance(question, Menu):
            return Picked(seat, question.start)
        return Answered(seat, isinstance(question, Poll) and not question.first)

    def _throw(self, number: int, move: Move | None) -> Reply:
        if move is None:
            return Done(self.seat)
        self._thrown_in = number
        return Thrown(self.seat, move.args[0])

    def _entry(self, reply: Reply, number: int, bind: Bind) -> Json:
        """Return a reply as a session is fed it. What it chooses in secret it is only bound to."""
        head = {"id": number, "seat": self.seat}
        if isinstance(reply, Played):
            return {**head, "event": "played", "move": None if reply.move is None else bare(reply.move)}
        if isinstance(reply, Opened):
            return self._binder.lock(bind, number, self.seat, reply.choice)
        if isinstance(reply, Thrown):
            return {**head, "event": "thrown", "rank": reply.rank}
        if isinstance(reply, Done):
            return {**head, "event": "done"}
        if isinstance(reply, Picked):
            return {**head, "event": "picked", "option": reply.option}
        assert isinstance(reply, Answered)
        return {**head, "event": "answered", "yes": reply.yes}

    def _attempt(self, asked: OpenDecision) -> Move | Failure | None:
        """Return what a bot decides that is not in a process of this package, or why it does not."""
        try:
            return self._decide(asked)
        except Failure as error:
            return error
        except Exception as error:  # else nobody hears of it, and the game waits for ever
            return crashed(repr(error))

    def _decide(self, asked: OpenDecision) -> Move | None:
        bot = self._bot
        assert not isinstance(bot, Remote)
        if isinstance(bot, External):
            return bot.decide(asked.view, asked.moves, asked.may_pass)
        return decide(asked.game, bot, asked.view, asked.moves, asked.may_pass)

    def opening(self, session: Session) -> Json:
        """Return the reply that opens the choice to which this seat is bound."""
        opened = self._binder.open(session.id, self.seat)
        assert opened is not None
        return opened

    def leave(self) -> None:
        """Make room for somebody else. Nobody waits for a program to end, or for what a built-in bot was thinking
        about; it goes unheard."""
        if isinstance(self._bot, Remote):
            self._bot.leave()
        if isinstance(self._bot, External):
            threading.Thread(target=self.close, name=f"end of the bot of p{self.seat}").start()

    def close(self) -> None:
        """End the bot, and what it was thinking about."""
        if isinstance(self._bot, External):
            self._bot.end()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        if isinstance(self._bot, External):
            self._bot.close()


def failed(error: Failure) -> BotError:
    """Return why a bot is replaced."""
    if isinstance(error, BotError):
        return error
    if isinstance(error, Crashed):
        return BotError("failed ({why})", why=error.text.args["error"])
    return BotError("failed: {why}", why=error.text)


def _some(move: Move | None) -> Move:
    assert move is not None
    return move


class Decision(NamedTuple):
    """What a seat decides on: what it may see, and what is open to it."""

    rules: Rules[Any]
    seat: int
    view: Json
    moves: tuple[Move, ...]
    may_pass: bool

    def ask(self, kind: type[Bot], dice: random.Random) -> tuple[Move | None, Bot]:
        """Return what a built-in bot decides, and the bot. Raise ``PartError``."""
        rules = self.rules
        bot = kind(rules_of(rules.name, rules.seats, rules.given), self.seat, dice)  # which have met no position
        return decide(rules.name, bot, self.view, self.moves, self.may_pass), bot


class Option(NamedTuple):
    """Something that a bot could do."""

    move: Move | None
    """``None``: it passes."""
    worth: float | None
    """The bot's estimate, if it makes any."""


def adviser(game: str) -> str:
    """Return the best built-in bot of a game, by its name."""
    return next(name for name in ADVISERS if name in bots_of(game))


_NEARLY = 0.02
"""By how much the worth of two moves may differ, as a share of the worth, that one is nearly as good as the other."""


class Advice(NamedTuple):
    """What the best built-in bot would do, and why, as far as it or the game can say so."""

    move: Move | None
    """``None``: it would pass."""
    because: Text | None = None


def hint(decision: Decision) -> Advice:
    """Return what the best built-in bot would do."""
    name = decision.rules.name
    move, bot = decision.ask(bots_of(name)[adviser(name)], random.Random())
    return Advice(move, _because(decision, move, bot))


def _because(decision: Decision, move: Move | None, bot: Bot) -> Text | None:
    """Return why a bot decides so: what the move leads to, why it seems best and what the next best one is."""
    if len(decision.moves) + decision.may_pass == 1:
        return Text("There is no other move.")
    why = bot.because or _worth(move, bot)
    leads = None if move is None else leads_to(decision.rules, decision.view, move)
    if leads is None:
        return why
    about = {"outcome": leads, "why": why}
    return Text("Then: {outcome}. {why}" if why else "Then: {outcome}.", about)


def _worth(move: Move | None, bot: Bot) -> Text | None:
    """Return why a bot's estimates favour a move, and the next best one."""
    worth = _number(bot.worths.get(move))
    if worth is None or bot.WORTH is None:
        return None
    about: Json = {"why": bot.WHY, "worth": number_text(worth, ".0%")}
    others = {each: value for each, value in bot.worths.items() if each != move and _number(value) is not None}
    if not others:
        return Text("{why}: {worth}." if bot.CHANCES else "{why}.", about)
    best = max(others, key=others.__getitem__)
    about |= {"less": number_text(others[best], ".0%"), "next": Typed("", PASS if best is None else bare(best))}
    if bot.CHANCES:
        return Text("{why}: {worth}, with {next} {less}.", about)
    nearly = worth - others[best] < _NEARLY * max(1, abs(worth))
    return Text("{why}; nearly as good: {next}." if nearly else "{why}; next best: {next}.", about)


def weigh(decision: Decision, kind: type[Bot], most: int) -> list[Option]:
    """Return what a built-in bot would do, and its best alternatives, at most ``most`` in all, always the same ones.

    They are ranked by the bot's estimates; one that makes none decides again without what it has named already.
    """
    first, bot = decision.ask(kind, random.Random(0))
    if bot.worths:
        rest = sorted((move for move in bot.worths if move != first), key=bot.worths.__getitem__, reverse=True)
        return [Option(move, _number(bot.worths.get(move))) for move in (first, *rest[: most - 1])]
    found = [first]
    while len(found) < most:
        moves = tuple(move for move in decision.moves if move not in found)
        may_pass = decision.may_pass and None not in found
        if not moves:
            break
        try:
            found.append(decision._replace(moves=moves, may_pass=may_pass).ask(kind, random.Random(0))[0])
        except PartError:  # a bot may see for itself what is open to it
            break
    return [Option(move, None) for move in found]


def _number(worth: float | None) -> float | None:
    return worth if worth is not None and isfinite(worth) else None


_GAPS = {
    sandbox.FILES: Text("your files"),
    sandbox.SOCKETS: Text("the network and other programs' sockets"),
    sandbox.OTHERS: Text("limits and priorities of other programs"),
    sandbox.SIGNALS: Text("signals to other programs"),
    sandbox.USE: Text("all of its memory and processes"),
}
"""By protection that a computer may lack: what it keeps a program from."""


class External:
    """A program of its own. Raises :class:`BotError` when it does not do what a bot must."""

    gaps: Sequence[Text]
    """The protections that this computer lacks, in words."""

    def __init__(self, command: str, hello: Json, limit_s: float = LIMIT_S, *, log: Path | None = None) -> None:
        """``log``: a file that it must not read, whatever its command names."""
        self._limit_s = limit_s
        self._rest = b""
        program = program_of(command, log)
        self.gaps = [_GAPS[what] for what in sandbox.gaps()]
        try:
            self._running = Running(program)
        except OSError as error:
            raise BotError("did not start ({why})", why=error.strerror or str(error)) from None
        os.set_blocking(self._running.input, False)
        try:
            self._say(hello)
        except BotError as error:
            self.end()
            self.close()
            error.last_lines = tuple(self._running.last_lines)
            raise

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        """Return its move, ``None`` for a pass. Raise :class:`BotError`."""
        try:
            return self._decide(view, moves, may_pass)
        except BotError as error:
            error.last_lines = tuple(self._running.last_lines)
            raise

    def _decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        by_text = {bare(move): move for move in moves}
        self._say({"view": view, "moves": list(by_text), "may_pass": may_pass})
        said = self._hear()
        if not isinstance(said, dict) or "move" not in said:
            raise BotError("did not answer with {form}", form='{"move": …}')
        move = said["move"]
        if move is None and may_pass:
            return None
        if not isinstance(move, str) or move not in by_text:
            raise BotError("played {move}, which is not one of its moves", move=json.dumps(move)[:80])
        return by_text[move]

    def _say(self, value: Json) -> None:
        """Write a line, also to a program that does not read."""
        file, line = self._running.input, json.dumps(value).encode() + b"\n"
        deadline = waiting.now() + self._limit_s
        while line:
            self._await(deadline, writing=file)
            try:
                line = line[os.write(file, line) :]
            except BlockingIOError:
                pass
            except OSError:
                raise self._ended() from None

    def _await(self, deadline: float, *, reading: int | None = None, writing: int | None = None) -> None:
        """Wait until a file is ready; raise :class:`BotError` when that takes too long."""
        read, write = [[] if file is None else [file] for file in (reading, writing)]
        left = deadline - waiting.now()
        if left <= 0 or not waiting.wait(read, write, left):
            raise BotError("took more than {limit} seconds", limit=f"{self._limit_s:g}")

    def _hear(self) -> Any:
        deadline = waiting.now() + self._limit_s
        while b"\n" not in self._rest:
            self._await(deadline, reading=self._running.output)
            data = os.read(self._running.output, 65536)
            if not data:
                raise self._ended()
            self._rest += data
            if len(self._rest) > _LINE_MAX:
                raise BotError("wrote a line without end")
        line, _, self._rest = self._rest.partition(b"\n")
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            raise BotError("wrote a line that is not JSON") from None

    def _ended(self) -> BotError:
        """Return the error of a program that is gone, or will be."""
        status = self._running.await_end()
        self.end()
        lines = self._running.last_lines
        if lines and lines[-1].startswith(sandbox.VERDICTS):
            return BotError("ended ({words})", words=lines[-1])
        return BotError("ended") if status is None else BotError("ended with status {status}", status=status)

    def end(self) -> None:
        """End the program and all that it has started."""
        self._running.end()

    def close(self) -> None:
        """Close the ends of its pipes."""
        self._running.close()


def bot_for(
    game: str,
    seats: int,
    options: Json,
    seat: int,
    source: str,
    dice: random.Random,
    log: Path | None = None,
    room: Room | None = None,
) -> Bot | Remote | External:
    """Return the bot that a source names; ``log``: the file that no program may read; ``room``: where it thinks if it
    is built in. Raise :class:`BotError`, or ``OptionError`` as the rules do."""
    if source.startswith(COMMAND):
        hello = {"tablier": 1, "game": game, "seats": seats, "options": options, "seat": seat}
        return External(source.removeprefix(COMMAND), hello, log=log)
    return (room or Here()).bot(game, seats, options, seat, source, dice)


__all__ = [
    "Advice",
    "BotError",
    "BotSeat",
    "Decision",
    "External",
    "Option",
    "adviser",
    "bot_for",
    "built_in",
    "failed",
    "hint",
    "weigh",
]
