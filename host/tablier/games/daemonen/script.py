"""The script of Dicke Dämonen: where, then in secret what; then, in secret, which colour will win.

At a place "where" is a field, then one of its spots: every one at which any creature could still be placed, so that it
says nothing of the fist. "What" is a menu under the hood of all five colours and back. So is the prediction, with none
for back: who has not predicted is asked after each placing (:class:`tablier.games.daemonen.rules.Conducted`). Alone one
names up to three colours, and is asked for the next one until none is named.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from itertools import permutations
from typing import Any

from tablier.games.core import Move, Position
from tablier.games.core.menus import Secret, Step, by_steps, pick
from tablier.games.core.questions import Conditions, Menu, Menus, Played, Question, Reply, Restarted, Script, Turn
from tablier.games.core.scripts import GameScript, ask, later
from tablier.games.daemonen.colours import COLOURS, NAMES
from tablier.games.daemonen.layout import field_text
from tablier.games.daemonen.lights import DRAWN, NOTHING
from tablier.games.daemonen.rules import Daemonen
from tablier.games.daemonen.state import NAMED, PREDICT, State
from tablier.games.daemonen.words import parts
from tablier.texts import Json, Text, Who, all_of
from tablier_fw import wire

_LABELS = (*DRAWN, NOTHING)


def script(position: Position[Any], conditions: Conditions) -> Script:
    """Return the script that this position needs next."""
    state: State = position.state
    rules = position.rules
    assert isinstance(rules, Daemonen)
    seat = state.turn

    def predict() -> Turn:
        you = "Which colour will win? You predict once in the game, now or later."
        text = Text("{who}: which colour will win? You may pick none.", {"who": Who(seat)}, you=you)
        moves = tuple(rules.legal(state))
        return Turn("predict", (seat,), text, moves=moves, secret=True, menus=_predicting(rules))

    def place() -> Turn:
        text = Text("{who}, place a creature.", {"who": Who(seat)}, you="Place a creature.")
        moves = tuple(rules.legal(state))
        return Turn("place", (seat,), text, moves=moves, secret=True, menus=_placing(rules, state))

    if state.phase == PREDICT:
        return ask(later("predict", position, seat, predict))
    return ask(later("place", position, seat, place))


def _placing(rules: Daemonen, state: State) -> Menus:
    board, who = rules.board, Who(state.turn)
    numbers = _numbers(rules)

    def field(move: Move) -> str:
        return board.field_of(spot_of(move))

    def spot_of(move: Move) -> str:
        return parts(rules, move)[1][0]

    def spot_text(move: Move) -> Text:
        if spot_of(move) not in board.corners:
            return Text("in the middle")
        crossing = board.corners[spot_of(move)][1]
        lines = all_of([NAMES[colour] for colour in board.crossings[crossing]])
        return Text("at crossing {crossing}, of {lines}", {"crossing": crossing, "lines": lines})

    def spot(move: Move) -> Json:
        return {"spot": spot_of(move)}

    return by_steps(
        Step(
            part=lambda move: parts(rules, move)[0],
            ask=lambda move: Text("{who}: in which field?", {"who": who}),
            text=lambda move: field_text(field(move)),
            hint=lambda move: {"field": field(move)},
            label=lambda move: numbers[field(move)],
        ),
        Step(
            part=lambda move: parts(rules, move)[1],
            ask=lambda move: Text("{who}: where in {field}?", {"who": who, "field": field_text(field(move))}),
            text=spot_text,
            hint=spot,
            label=lambda move: board.number_of[spot_of(move)],
            sure=True,
        ),
        among=tuple(Move(state.turn, "place", slot) for slot in board.slots_in(state.open)),
        last=Secret(
            part=lambda move: parts(rules, move)[2][0],
            parts=COLOURS,
            colours=_LABELS,
            ask=lambda move: Text("{who}: which creature in {field}?", {"who": who, "field": field_text(field(move))}),
            text=lambda colour: NAMES[colour],
            hint=spot,
        ),
    )


def _numbers(rules: Daemonen) -> dict[str, int]:
    """Return the number of each field, the outer one last."""
    inner = [name for name in rules.board.field_names if name != rules.layout.outer]
    return {name: number for number, name in enumerate((*inner, rules.layout.outer), 1)}


def _predicting(rules: Daemonen) -> Menus:
    """Return how a colour is named; alone up to three, one after the other."""
    most = NAMED if rules.seats == 1 else 1
    all_named = [named for count in range(1, most + 1) for named in permutations(COLOURS, count)]

    def compose(turn: Turn) -> Generator[Question, Reply, Reply]:
        (seat,) = turn.seats
        named: tuple[str, ...] = ()
        while len(named) < most:
            done = Move(seat, "predict", named) if named else Move(seat, "pass")
            ends = tuple(Move(seat, "predict", each) for each in all_named if len(each) == len(named))
            menu = Menu(
                turn.what,
                turn.seats,
                Text("{who}: which colour next?", {"who": Who(seat)}) if named else turn.text,
                options=(*(NAMES[colour] for colour in COLOURS), Text("none")),
                labels=_LABELS,
                leads=(*(_leads(seat, all_named, len(named), colour) for colour in COLOURS), ends or (done,)),
                secret=True,
                shut=frozenset(number for number, colour in enumerate(COLOURS) if not _goes_on(turn, (*named, colour))),
            )
            picked = yield from pick(menu)
            if isinstance(picked, Restarted):
                continue
            if picked == len(COLOURS):
                return Played(seat, done)
            named = (*named, COLOURS[picked])
        return Played(seat, Move(seat, "predict", named))

    return compose


def _leads(seat: int, all_named: Sequence[tuple[str, ...]], number: int, colour: str) -> tuple[Move, ...]:
    """Return every prediction with this colour at this place, ``number`` from 0.

    Neither what the seat holds nor what it has named before makes a difference: others may not know of a prediction
    that is not complete.
    """
    return tuple(Move(seat, "predict", named) for named in all_named if named[number : number + 1] == (colour,))


def _goes_on(turn: Turn, first: tuple[str, ...]) -> bool:
    return any(move.verb == "predict" and move.args[: len(first)] == first for move in turn.moves)


# Version 1 was the generic one.
SCRIPT = GameScript(script=script, version=3, abilities=wire.CAN_HIDE | wire.CAN_PEEK)
