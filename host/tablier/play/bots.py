"""Bots: programs that decide for a seat. All have one interface, in this process or in one of their own.

A bot gets its seat's view and its seat's moves, nothing else. A source names it: ``random``, ``greedy``, or
``bot:COMMAND``, a program that speaks JSON, one value a line. Its standard input gets first
``{"tablier": 1, "game", "seats", "options", "seat"}``, then for each decision ``{"view", "moves", "may_pass"}``; for
each of these it writes ``{"move": "offer 8"}``, one of the moves, or ``{"move": null}`` to pass.
"""

from __future__ import annotations

import json
import os
import random
import select
import shlex
import subprocess
import time
from collections.abc import Sequence
from typing import Any, Protocol

from tablier.games import bots_of, rules_of
from tablier.games.core import Json, Move
from tablier.play.binding import Binder
from tablier.play.questions import Choice, Menu, Poll, Turn, Window, bare, notation
from tablier.play.session import Session

COMMAND = "bot:"
"""What a source begins with that names a program."""
STAND_IN = "random"
"""The built-in bot that takes over from one that fails."""
LIMIT_S = 10.0
"""How long a bot may take for a decision, in real time."""
_LINE_MAX = 1 << 20


class BotError(Exception):
    """A bot died, hangs or cheats; the text says which."""


class Bot(Protocol):
    """Whatever decides for a seat; :class:`tablier.games.core.bots.Bot` does."""

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        """Return one of the moves; or ``None``, to pass, where that is allowed."""


class Chair:
    """A seat that a bot has: answers whatever question its seat is asked."""

    def __init__(self, seat: int, bot: Bot) -> None:
        self._seat = seat
        self._bot = bot
        self._binder = Binder()
        self._thrown_in = 0  # the question that was open when it threw a card last

    def reply(self, session: Session) -> Json:
        """Return the reply to the open question. Raise :class:`BotError`."""
        question, seat, rules = session.question, self._seat, session.position.rules
        head = {"id": session.id, "seat": seat}
        if isinstance(question, Turn):
            move = self._decide(session, question.moves, question.may_pass)
            return {**head, "event": "played", "move": None if move is None else bare(move)}
        if isinstance(question, Choice):
            moves = {option: rules.parse(notation(seat, question.options[option])) for option in question.allowed[seat]}
            chosen = self._decide(session, tuple(moves.values()), False)
            option = next(option for option, move in moves.items() if move == chosen)
            return self._binder.lock({"id": session.id, "mine": {"bind": session.bind(seat)}}, seat, option)
        if isinstance(question, Window):
            return {**head, **self._in_window(session, question)}
        if isinstance(question, Menu):
            return {**head, "event": "picked", "option": question.start}
        return {**head, "event": "answered", "yes": isinstance(question, Poll) and not question.first}

    def opening(self, session: Session) -> Json:
        """Return the reply that opens the choice to which this seat is bound."""
        opened = self._binder.open({"id": session.id}, self._seat)
        assert opened is not None
        return opened

    def _in_window(self, session: Session, window: Window) -> Json:
        """A bot throws at most one card in a window."""
        ranks = window.cards.get(self._seat, ())
        throws = [move for move in session.position.legal_moves if move.actor == self._seat and move.args[0] in ranks]
        move = self._decide(session, throws, True) if throws and self._thrown_in != session.id else None
        if move is None:
            return {"event": "done"}
        self._thrown_in = session.id
        return {"event": "thrown", "rank": move.args[0]}

    def _decide(self, session: Session, moves: Sequence[Move], may_pass: bool) -> Move | None:
        position = session.position
        return self._bot.decide(position.rules.view(position.state, self._seat), moves, may_pass)

    def close(self) -> None:
        if isinstance(self._bot, External):
            self._bot.close()


def built_in(game: str, seats: int, options: Json, seat: int, source: str, dice: random.Random) -> Bot:
    """Return the built-in bot that a source names, for a seat of a game. Raise ``OptionError`` as the rules do."""
    return bots_of(game)[source](rules_of(game, seats, options), seat, dice)


def default_bot(game: str) -> str:
    """Return the source of the bot that plays when nobody names one: ``greedy`` where the game has it."""
    return "greedy" if "greedy" in bots_of(game) else STAND_IN


class External:
    """A program of its own. Raises :class:`BotError` when it does not do what a bot must."""

    def __init__(self, command: str, hello: Json, limit_s: float = LIMIT_S) -> None:
        self._limit_s = limit_s
        self._rest = b""
        try:
            self._process = subprocess.Popen(
                shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except (OSError, ValueError, IndexError) as error:
            raise BotError(f"did not start ({getattr(error, 'strerror', None) or error})") from None
        self._say(hello)

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        by_text = {bare(move): move for move in moves}
        self._say({"view": view, "moves": list(by_text), "may_pass": may_pass})
        said = self._hear()
        if not isinstance(said, dict) or "move" not in said:
            raise BotError('did not answer with {"move": …}')
        move = said["move"]
        if move is None and may_pass:
            return None
        if not isinstance(move, str) or move not in by_text:
            raise BotError(f"played {json.dumps(move)[:80]}, which is not one of its moves")
        return by_text[move]

    def _say(self, value: Json) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(value).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise BotError("ended") from None

    def _hear(self) -> Any:
        assert self._process.stdout is not None
        deadline = time.monotonic() + self._limit_s
        while b"\n" not in self._rest:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._process.stdout], [], [], left)[0]:
                raise BotError(f"took more than {self._limit_s:g} seconds")
            data = os.read(self._process.stdout.fileno(), 65536)
            if not data:
                raise BotError("ended")
            self._rest += data
            if len(self._rest) > _LINE_MAX:
                raise BotError("wrote a line without end")
        line, _, self._rest = self._rest.partition(b"\n")
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            raise BotError("wrote a line that is not JSON") from None

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass  # what it had not read is lost with it


def is_bot(game: str, source: str) -> bool:
    """Return whether a source names a bot of a game. Raise ``OptionError``."""
    return source in bots_of(game) or source.startswith(COMMAND)


def bot_for(game: str, seats: int, options: Json, seat: int, source: str, dice: random.Random) -> Bot:
    """Return the bot that a source names. Raises :class:`BotError`, or ``OptionError`` as the rules do."""
    if source.startswith(COMMAND):
        hello = {"tablier": 1, "game": game, "seats": seats, "options": options, "seat": seat}
        return External(source.removeprefix(COMMAND), hello)
    return built_in(game, seats, options, seat, source, dice)


__all__ = ["STAND_IN", "Bot", "BotError", "Chair", "External", "bot_for", "built_in", "default_bot", "is_bot"]
