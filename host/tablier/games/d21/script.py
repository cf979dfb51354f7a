"""The script of D.21: from, direction, distance.

At a place a move is three menus, each with what is legal and nothing else: which die, which way, how far. The lights
name the space that each option is about (``lights.py`` beside this file). The last menu is asked even where it has one
option, so that nobody moves before they have seen where to.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from tablier.games.core import Move, Position
from tablier.games.core.menus import Step, by_steps
from tablier.games.core.questions import Conditions, Menus, Script, Turn
from tablier.games.core.scripts import YOUR_TURN, GameScript, ask, later
from tablier.games.d21.grid import Grid
from tablier.games.d21.rules import D21, PASS, State, turned
from tablier.games.d21.words import parts
from tablier.texts import Json, Text, Who, word_list

WAYS = word_list(
    "up", "up and right", "right", "down and right", "down", "down and left", "left", "up and left", context="direction"
)
"""As red sees them, clockwise. Red sits below row 1."""
_STEPS = {
    (0, 1): 0,
    (1, 1): 1,
    (1, 0): 2,
    (1, -1): 3,
    (0, -1): 4,
    (-1, -1): 5,
    (-1, 0): 6,
    (-1, 1): 7,
}


def script(position: Position[Any], conditions: Conditions) -> Script:
    """Return the script that this position needs next."""
    state: State = position.state
    rules = position.rules
    assert isinstance(rules, D21)
    return ask(later("turn", position, state.turn, lambda: _turn(rules, state)))


def _turn(rules: D21, state: State) -> Turn:
    text = YOUR_TURN.of(who=Who(state.turn)).to_you(Text("Move a die."))
    return Turn("turn", (state.turn,), text, moves=tuple(rules.legal(state)), menus=_menus(rules, state))


def _menus(rules: D21, state: State) -> Menus:
    grid, who = rules.grid, Who(state.turn)

    def face_text(move: Move) -> Text:
        origin, _ = _ends(grid, move)
        return Text("{space}, showing {face}", {"space": grid.names[origin], "face": state.board[origin] & 7})

    def target_text(move: Move) -> Text:
        path = grid.paths[move.verb]
        die, jumped = state.board[path.origin], state.board[path.over]
        target = {"space": grid.names[path.target]}
        if path.over == path.origin or not jumped:
            return Text("{space}", target)
        if jumped >> 3 == die >> 3:
            return Text("{space}, by a jump", target)
        return Text("{space}, by a jump: {face}", {**target, "face": turned(die & 7, jumped & 7)})

    def at(move: Move) -> Json:
        return {"from": parts(rules, move)[0][0]}

    return by_steps(
        Step(
            part=lambda move: next(iter(parts(rules, move)), None),
            ask=lambda move: Text("{who}: which die?", {"who": who}),
            text=face_text,
            hint=at,
        ),
        Step(
            part=lambda move: None if move.verb == PASS else way_of(grid, move),
            ask=lambda move: Text("{who}, from {space}: which way?", {"who": who, "space": at(move)["from"]}),
            text=lambda move: WAYS[way_of(grid, move)],
            hint=lambda move: {**at(move), "way": way_of(grid, move)},
            label=lambda move: way_of(grid, move) + 1,
        ),
        Step(
            part=lambda move: None if move.verb == PASS else move.verb,
            ask=lambda move: Text("{who}, from {space}: how far?", {"who": who, "space": at(move)["from"]}),
            text=target_text,
            hint=lambda move: {**at(move), "to": parts(rules, move)[1][0]},
            label=lambda move: _distance(grid, move),
            sure=True,
        ),
    )


def _ends(grid: Grid, move: Move) -> tuple[int, int]:
    path = grid.paths[move.verb]
    return path.origin, path.target


def _steps(size: int, origin: int, target: int) -> tuple[int, int]:
    return target % size - origin % size, target // size - origin // size


def _distance(grid: Grid, move: Move) -> int:
    return max(map(abs, _steps(grid.size, *_ends(grid, move))))


def way_of(grid: Grid, move: Move) -> int:
    """Return the direction of a move, as :data:`WAYS` counts."""
    return _way(grid.size, *_ends(grid, move))


@lru_cache(1 << 14)
def _way(size: int, origin: int, target: int) -> int:
    right, up = _steps(size, origin, target)
    far = max(abs(right), abs(up))
    return _STEPS[right // far, up // far]


# Version 1 was the generic one.
SCRIPT = GameScript(script=script, version=3)
