"""The script that every game without one of its own gets, and its parts, from which others are made."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from tablier.games.core import TABLE, Position, Rules
from tablier.games.core.parts import Part
from tablier.games.core.questions import (
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
from tablier.texts import Text, Who
from tablier_fw import wire

EVERY_GAME = wire.CAN_MENU | wire.CAN_POLL | wire.CAN_CHOOSE
"""The abilities that a table needs for turns, for consent to taking back, and for choices at once."""


@dataclass(frozen=True, kw_only=True)
class GameScript(Part):
    """A game's ``SCRIPT``, in its ``script.py``: what is asked, in which steps, at a place or in the arena."""

    script: ScriptOf
    """Return the script that a position needs next."""
    version: int = 1
    """Raised whenever the script asks otherwise than before."""
    released: tuple[int, ...] = ()
    """Its earlier versions that releases wrote. Logs of others are refused."""
    abilities: int = 0
    """The abilities that a table needs for it, as bits of :mod:`tablier_fw.wire`, besides :data:`EVERY_GAME`."""


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


def options_at_once(rules: Rules[Any], state: Any) -> tuple[str, ...]:
    """Return the options that seats choose among at once; empty where not several can move, or the table can. A table
    shows at most as many as it has colours for them (:data:`tablier.games.core.lights.CHOICE_COLOURS`)."""
    due = rules.to_move(state)
    if TABLE in due or len(due) < 2:
        return ()
    return tuple(dict.fromkeys(bare(move) for move in sorted(rules.legal(state), key=lambda move: move.actor)))


def _at_once(position: Position[Any], seats: list[int]) -> Script:
    moves = {seat: [bare(move) for move in position.legal_moves if move.actor == seat] for seat in seats}
    options = options_at_once(position.rules, position.state)
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


SCRIPT = GameScript(script=generic, version=2)

__all__ = ["EVERY_GAME", "SCRIPT", "GameScript", "ask", "choose", "generic", "in_turn", "options_at_once"]
