"""The script that every game without one of its own gets, and its parts, from which others are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tablier.games.core import TABLE, Move, Position, Rules
from tablier.games.core.parts import Part
from tablier.games.core.questions import (
    Choice,
    Conditions,
    LaterTurn,
    Opened,
    Played,
    Restarted,
    Script,
    ScriptOf,
    Turn,
    bare,
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
    """Raised whenever the script asks otherwise than before. Logs of other versions are refused."""
    abilities: int = 0
    """The abilities that a table needs for it, as bits of :mod:`tablier_fw.wire`, besides :data:`EVERY_GAME`."""


YOUR_TURN = Text("{who}, your turn.")
"""Asks for a move; the seat itself is told more (:meth:`tablier.texts.Text.to_you`)."""


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
        you = "Move, or pass."
        return in_turn(position, lambda seat, _: Text("{who}, your turn; you may pass.", {"who": Who(seat)}, you=you))
    if len(seats) > 1:
        return _at_once(position, seats)
    (seat,) = seats
    moves = tuple(position.legal_moves)
    text = YOUR_TURN.of(who=Who(seat)).to_you(Text("Your move."))
    return ask(Turn("turn", (seat,), text, moves=moves, secret=not rules.OPEN_MOVES))


def ask(turn: Turn) -> Script:
    """Return the move that a seat plays; none where it passes."""
    while True:
        reply = yield turn
        if isinstance(reply, Played):
            return [] if reply.move is None else [reply.move]


def later(what: str, position: Position[Any], seat: int, make: Callable[[], Turn]) -> Turn:
    """Return a turn in which all legal moves of a seat are open, as ``make`` returns it when more is asked for."""
    rules, state = position.rules, position.state
    return LaterTurn(what, seat, lambda move: move.actor == seat and rules.allows(state, move), make)


def in_turn(position: Position[Any], text: Callable[[int, Sequence[int]], Text]) -> Script:
    """Ask the seats of a throwing window in turn, each by its text, for a move or a pass: ``text(seat, after)``, with
    the seats that are asked after it. They decide of a move what there is to decide without an arena: what a seat
    attempts comes back as the move that it came to."""
    rules, state, count = position.rules, position.state, position.rules.seats
    seats = [seat for seat in position.to_move if seat != TABLE]
    last = next((move.actor for move in position.backwards() if move.actor), 0)
    order = [seat for steps in range(count) if (seat := (last + steps) % count + 1) in seats]
    for at, seat in enumerate(order, 1):
        played = yield from ask(_attempt(rules, state, seat, partial(text, seat, order[at:])))
        if played:
            return played
    (closing,) = [move for move in position.legal_moves if move.actor == TABLE]
    return [closing]


def _attempt(rules: Rules[Any], state: Any, seat: int, text: Callable[[], Text]) -> Turn:
    """Return the turn of a seat in a throwing window."""

    def opens(attempt: Move) -> bool:
        if attempt.actor != seat or rules.attempt(attempt) != attempt:  # how a card lands is not the seat's to say
            return False
        outcomes = rules.outcomes(attempt) or [(attempt, 1)]
        return any(rules.allows(state, move) for move, _ in outcomes)

    def make() -> Turn:
        moves = attempts_of(rules, (move for move in rules.legal(state) if move.actor == seat))
        return Turn("window", (seat,), text(), moves=moves, may_pass=True)

    return LaterTurn("window", seat, opens, make, may_pass=True)


def attempts_of(rules: Rules[Any], moves: Iterable[Move]) -> tuple[Move, ...]:
    """Return what seats decide of these moves where chance decides the rest (:meth:`Rules.attempt`), each once."""
    return tuple(dict.fromkeys(map(rules.attempt, moves)))


def options_at_once(rules: Rules[Any], state: Any) -> tuple[str, ...]:
    """Return the options that seats choose among at once; empty where not several can move, or the table can. A table
    shows at most as many as it has colours for them (:data:`tablier.games.core.lights.CHOICE_COLOURS`)."""
    due = rules.to_move(state)
    if TABLE in due or len(due) < 2:
        return ()
    return tuple(dict.fromkeys(bare(move) for move in sorted(rules.legal(state), key=lambda move: move.actor)))


def _at_once(position: Position[Any], seats: list[int]) -> Script:
    options = options_at_once(position.rules, position.state)
    return choose("choice", Text("Choose in secret."), options, moves_of(position, seats))


def moves_of(position: Position[Any], seats: Iterable[int]) -> dict[int, tuple[Move, ...]]:
    """Return the legal moves of seats."""
    legal = position.legal_moves
    return {seat: tuple(move for move in legal if move.actor == seat) for seat in seats}


def choose(what: str, text: Text, options: tuple[str, ...], moves: Mapping[int, tuple[Move, ...]]) -> Script:
    """Have seats choose among their moves at once in secret; return what each has chosen when all are opened. Asked
    again when it is void. ``options``: what all seats can choose among, as moves without their actor."""
    while True:
        opened: dict[int, Move] = {}
        choice = Choice(what, tuple(moves), text, options=options, moves=moves)
        while len(opened) < len(moves):
            reply = yield choice
            if isinstance(reply, Opened):
                opened[reply.seat] = moves[reply.seat][choice.allowed[reply.seat].index(reply.choice)]
            elif isinstance(reply, Restarted):
                break
        else:
            return [opened[seat] for seat in moves]


SCRIPT = GameScript(script=generic, version=2)

__all__ = [
    "EVERY_GAME",
    "SCRIPT",
    "GameScript",
    "ask",
    "attempts_of",
    "choose",
    "generic",
    "in_turn",
    "later",
    "moves_of",
    "options_at_once",
]
