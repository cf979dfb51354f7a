"""The scripts of the games, and the one that every game without a script of its own gets."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from tablier.games import game_of
from tablier.games.core import TABLE, Position, Rules, Text, Who
from tablier.play.questions import (
    Choice,
    Conditions,
    Opened,
    Played,
    Question,
    Reply,
    Restarted,
    Script,
    ScriptOf,
    Turn,
    bare,
    notation,
)
from tablier_fw import wire

GENERIC_VERSION = 2
"""Raised whenever :func:`generic` asks otherwise than before."""
_GENERIC_RELEASED: tuple[int, ...] = ()  # its earlier versions that releases wrote
_EVERY_GAME = wire.CAN_MENU | wire.CAN_POLL | wire.CAN_CHOOSE
"""What a table must be able to do for turns, for consent to taking back, and for choices at once."""


def script_of(game: str) -> tuple[ScriptOf, int]:
    """Return a game's script and its version. Raise ``OptionError``."""
    module = game_of(game).part("script")
    return (module.script, module.VERSION) if module else (generic, GENERIC_VERSION)


def released_scripts(game: str) -> tuple[int, ...]:
    """Return the versions of a game's script that logs may name: this one, and those in its ``RELEASED``."""
    module = game_of(game).part("script")
    return script_of(game)[1], *(getattr(module, "RELEASED", ()) if module else _GENERIC_RELEASED)


def abilities_of(game: str) -> int:
    """Return what a table must be able to do for a game, as bits: what every game needs, and its script's
    ``ABILITIES``."""
    module = game_of(game).part("script")
    return _EVERY_GAME | int(getattr(module, "ABILITIES", 0))


def generic(position: Position[Any], conditions: Conditions) -> Script:
    """Ask for the next moves by what the rules say of who can move.

    * One seat can move: it decides.
    * Several seats can move: they choose in secret, at once.
    * Seats and the table can move (a throwing window): the seats are asked clockwise, from the left of the one that
      moved last, for a move or to pass; when all have passed in a row, the table makes its move.
    """
    rules = position.rules
    seats = [seat for seat in position.to_move if seat != TABLE]
    if TABLE in position.to_move:
        return (yield from in_turn(position, lambda seat: Text("{who}, your turn; you may pass.", {"who": Who(seat)})))
    if len(seats) > 1:
        return (yield from _at_once(position, seats))
    (seat,) = seats
    moves = tuple(position.legal_moves)
    text = Text("{who}, your turn.", {"who": Who(seat)})
    turn = Turn("turn", (seat,), text, moves=moves, secret=not rules.OPEN_MOVES)
    reply = yield from ask(turn)
    assert reply.move is not None
    return [str(reply.move)]


def ask(turn: Turn) -> Generator[Question, Reply, Played]:
    """Return what a seat plays."""
    while True:
        reply = yield turn
        if isinstance(reply, Played):
            return reply


def in_turn(position: Position[Any], text: Callable[[int], Text]) -> Script:
    """Ask the seats of a throwing window in turn, each by its text, for a move or a pass."""
    seats = [seat for seat in position.to_move if seat != TABLE]
    count = position.rules.seats
    last = next((move.actor for move in reversed(position.moves) if move.actor), 0)
    order = [seat for steps in range(count) if (seat := (last + steps) % count + 1) in seats]
    for seat in order:
        moves = tuple(move for move in position.legal_moves if move.actor == seat)
        reply = yield from ask(Turn("window", (seat,), text(seat), moves=moves, may_pass=True))
        if reply.move is not None:
            return [str(reply.move)]
    (closing,) = [move for move in position.legal_moves if move.actor == TABLE]
    return [str(closing)]


def _at_once(position: Position[Any], seats: list[int]) -> Script:
    moves = {seat: [bare(move) for move in position.legal_moves if move.actor == seat] for seat in seats}
    options = tuple(dict.fromkeys(option for each in moves.values() for option in each))
    allowed = {seat: tuple(options.index(option) for option in each) for seat, each in moves.items()}
    return (yield from choose("choice", Text("Choose in secret."), options, allowed))


def choose(what: str, text: Text, options: tuple[str, ...], allowed: dict[int, tuple[int, ...]]) -> Script:
    """Have seats choose at once in secret; return their moves when all are opened. Asked again when it is void."""
    seats = tuple(allowed)
    while True:
        opened: dict[int, int] = {}
        choice = Choice(what, seats, text, options=options, allowed=allowed)
        while len(opened) < len(seats):
            reply = yield choice
            if isinstance(reply, Opened):
                opened[reply.seat] = reply.choice
            elif isinstance(reply, Restarted):
                break
        else:
            return [notation(seat, options[opened[seat]]) for seat in seats]


def plays_at_places(rules: Rules[Any]) -> bool:
    """Return whether seats of this game can be asked at places of a table without showing what they hold."""
    return rules.OPEN_MOVES or game_of(rules.name).part("script") is not None


__all__ = ["abilities_of", "ask", "choose", "generic", "in_turn", "plays_at_places", "script_of"]
