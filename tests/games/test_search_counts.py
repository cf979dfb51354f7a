"""What the bots' boards keep as moves are made is what counting anew says."""

from __future__ import annotations

import random

from tablier.games import rules_of
from tablier.games.core import Position
from tablier.games.d21.rules import OUTER_MAX, turned
from tablier.games.d21.search import Board
from tablier.games.daemonen.colours import COLOURS
from tablier.games.daemonen.search import Table, plan_of


def ready(board: Board, side: int) -> int:
    """Count the dice of a side that could jump into its sets."""
    full, found = board.outside[side] >= OUTER_MAX, 0
    for space in board.dice[side]:
        face = board.cells[space] & 7
        jumps = [step for number, line in board._rows[space] for step in line[board.lines[number]][1]]
        dice = [board.cells[step.over] for step in jumps if not (full and step.outward == 1)]
        landed = [turned(face, die & 7) for die in dice if die >> 3 == 1 - side]
        found += board.faces[side][face] > 2 and any(board.faces[side][each] < 2 for each in landed)
    return min(found, 5)


def test_dice_that_could_jump_into_sets_are_counted_after_moves_and_their_undoing() -> None:
    dice = random.Random(2)
    position = Position(rules_of("d21", 2, {}))
    seen = set()
    for _ in range(120):
        if position.is_over:
            break
        board = Board(position.rules, position.rules.view(position.state, 1), position.state.turn)  # type: ignore[arg-type]
        for _ in range(2):
            step = dice.choice(board.moves())
            board.push(step)
            dice.random() < 0.5 and board.pop()
        for side in (0, 1):
            seen.add(board._ready(side))
            assert board._ready(side) == ready(board, side)
        position.push(dice.choice(position.legal_moves))
    assert len(seen) > 3


def test_points_and_gains_of_a_table_are_those_of_its_fields() -> None:
    dice = random.Random(3)
    rules = rules_of("dicke-daemonen", 3, {})
    position = Position(rules)
    while not position.to_move[0]:
        position.push(rules.legal(position.state)[0])
    view = rules.view(position.state, 1)
    plan = plan_of(rules.layout)  # type: ignore[attr-defined]
    for _ in range(20):
        table = Table.of(plan, view, 1)
        while table.open:
            slot = dice.choice([n for n in range(len(plan.colours)) if table.open >> n & 1])
            favourite = dice.randrange(len(COLOURS))
            before, gain = lead(table, favourite), table.gain(slot, favourite)
            leaders = table.leaders.copy()
            table.fill(slot)
            for field, counts in enumerate(table.counts):
                most = max(counts)
                alone = counts.index(most) if most and counts.count(most) == 1 else -1
                assert (table.leaders[field], table.most[field]) == (alone, most)
            if leaders != table.leaders:
                assert gain == lead(table, favourite) - before


def lead(table: Table, colour: int) -> float:
    others = [points for number, points in enumerate(table.points) if number != colour]
    return 2.0 * table.points[colour] - max(others)
