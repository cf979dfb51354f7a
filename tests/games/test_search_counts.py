"""What the bots' boards keep as moves are made is what counting anew says; what makes a search quicker changes none of
its decisions."""

from __future__ import annotations

import random

import pytest

from tablier.games import bots_of, rules_of
from tablier.games.core import Move, Position
from tablier.games.core.bots import Searching
from tablier.games.d21.rules import OUTER_MAX, turned
from tablier.games.d21.search import Board, Step
from tablier.games.daemonen.colours import COLOURS
from tablier.games.daemonen.search import Plan, Table, numbers, plan_of, shuffle


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
            if dice.random() < 0.5:
                board.pop()
        for side in (0, 1):
            seen.add(board._ready(side))
            assert board._ready(side) == ready(board, side)
        position.push(dice.choice(position.legal_moves))
    assert len(seen) > 3


def test_a_step_is_allowed_where_it_is_among_the_moves() -> None:
    dice = random.Random(4)
    position = Position(rules_of("d21", 2, {}))
    known: dict[Step, None] = {}
    allowed = refused = 0
    for _ in range(60):
        board = Board(position.rules, position.rules.view(position.state, 1), position.state.turn)  # type: ignore[arg-type]
        moves = board.moves()
        known |= dict.fromkeys(moves)
        for step in known:
            assert board.allows(step) == (step in moves)
            allowed, refused = allowed + (step in moves), refused + (step not in moves)
        position.push(dice.choice(position.legal_moves))
    assert allowed > 3_000 and refused > 30_000


@pytest.mark.parametrize("seed", range(2))
def test_a_move_without_prospects_leads_to_nothing_better(seed: int) -> None:
    dice = random.Random(seed)
    slides = 0
    endings: set[str | None] = set()
    for _ in range(6):
        line = {f"{column}4": face for face, column in enumerate("cdefg", 1)}  # a 6 beside it makes a row
        spaces = [f"{column}{row}" for column in "bcdefgh" for row in range(2, 9)]
        spaces = dice.sample([space for space in spaces if space not in (*line, "h4")], 19)
        faces = dice.sample([1, 2, 3, 4, 5, 6, 6, 2], 7)  # with those of the line they may be two sets
        faces += [1, 1, 1, *dice.sample([2, 3, 4, 5, 6] * 2, 9)]
        placed = list(zip(spaces, faces, strict=True))
        setup = {"red": line | dict(placed[:7]), "green": dict(placed[7:])}
        position = Position(rules_of("d21", 2, {"adjacent_jumps": seed > 0, "setup": setup}))
        while position.to_move and position.ply < 8:
            board = Board(position.rules, position.rules.view(position.state, 1), position.state.turn)  # type: ignore[arg-type]
            may_exceed, names = board.outlook(), position.rules.grid.names  # type: ignore[attr-defined]
            rows = board._could_complete()
            for step in board.moves():
                board.push(step)
                won, worth = board.result() == -1, -board.value()
                board.pop()
                assert may_exceed(step, 1e6 - 1 if won else worth - 0.01)
                if won:
                    move = Move(position.state.turn, f"{names[step.origin]}-{names[step.target]}")
                    endings.add(position.rules.ending(position.rules.apply(position.state, move)))
                elif step.over < 0 and worth > -1200.0 and not rows[board.cells[step.origin] & 7] >> step.target & 1:
                    assert not may_exceed(step, worth), "of a slide it is known"
                    slides += 1
            position.push(dice.choice(position.legal_moves))
    assert slides > 500 and endings == {"row", "sets"}


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
            for field in range(len(plan.worths)):
                counts = table.counts[field * len(COLOURS) : (field + 1) * len(COLOURS)]
                most = max(counts)
                alone = counts.index(most) if most and counts.count(most) == 1 else -1
                assert (table.leaders[field], table.most[field]) == (alone, most)
            if leaders != table.leaders:
                assert gain == lead(table, favourite) - before


def play_on(table: Table, dice: random.Random) -> None:
    """Play a game to its end as :meth:`Table.play_on` does, step by step."""
    plan, slots = table.plan, len(table.plan.colours)
    while True:
        fist = table.fists[table.turn]
        choices = [n for n in range(slots) if table.open >> n & 1 and plan.colours[n] in fist]
        if not choices:
            return
        favourite, start = table.favourite(table.turn), int(dice.random() * slots)
        looked_at = sorted(choices, key=lambda n: (n - start) % slots)[:3]
        best = max(looked_at, key=lambda n: table.gain(n, favourite))
        fist.remove(plan.colours[best])
        table.fill(best)
        table.consider(dice)
        table.finish_turn()


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_games_are_played_on_as_step_by_step(seats: int) -> None:
    dice = random.Random(seats)
    rules = rules_of("dicke-daemonen", seats)
    board = plan_of(rules.layout).board  # type: ignore[attr-defined]
    predicted = 0
    for _ in range(8):
        position = Position(rules)
        plies = dice.randrange(4 * seats, 60)
        while position.to_move and (position.ply < plies or not position.to_move[0]):
            position.push(dice.choice(position.legal_moves))
        if not position.to_move:
            continue
        seat = position.to_move[0]
        view = rules.view(position.state, seat)
        plan = Plan(board, dice.sample(range(len(board.slots)), len(board.slots)))
        unseen = numbers(colour for colour, count in view["unseen"].items() for _ in range(count))
        sizes = [fist if isinstance(fist, int) else len(fist) for fist in view["fists"].values()]
        ends = []
        for played in (Table.play_on, play_on):
            table, luck = Table.of(plan, view, seat), random.Random(plies)
            table.deal(unseen, sizes, luck)
            table.push(position.legal_moves[0], luck)
            played(table, luck)
            ends.append((table, luck.getstate()))
        assert ends[0] == ends[1]
        predicted += any(ends[0][0].predictions)
    assert predicted > 3


def test_creatures_are_shuffled_as_dice_shuffle() -> None:
    for count in range(50):
        creatures, dice, same = list(range(count)), random.Random(count), random.Random(count)
        shuffled = creatures.copy()
        shuffle(creatures, dice)
        same.shuffle(shuffled)
        assert creatures == shuffled and dice.getstate() == same.getstate()


@pytest.mark.parametrize("seed", range(2))
def test_a_plan_in_another_order_says_the_same(seed: int) -> None:
    plan = plan_of(rules_of("dicke-daemonen", 3).layout)  # type: ignore[attr-defined]
    board = plan.board
    for each in (plan, Plan(board, random.Random(seed).sample(range(len(board.slots)), len(board.slots)))):
        assert sorted(each.slots.values()) == list(range(len(board.slots)))
        for slot, number in each.slots.items():
            kept = {other for other, n in each.slots.items() if each.keeps[number] >> n & 1}
            assert kept == set(board.slots_in(board.effects[slot].keeps))
            assert COLOURS[each.colours[number]] == slot[0]
            assert board.field_names[each.fields[number]] == board.field_of(slot[1])
            assert each.of_colour[each.colours[number]] >> number & 1
        assert sum(each.of_colour) == board.all


def lead(table: Table, colour: int) -> float:
    others = [points for number, points in enumerate(table.points) if number != colour]
    return 2.0 * table.points[colour] - max(others)


DECIDED = {
    ("d21", 2, "good"): ["p1 b7-h7", "p2 g10-j10", "p1 a2-a4"],
    ("d21", 2, "strong"): ["p1 b7-h7", "p2 g10-j10", "p1 a2-a4"],
    ("dicke-daemonen", 3, "good"): ["p1 place green outer:d", "p3 place yellow f2:b", "p3 place yellow f2:a"],
    ("dicke-daemonen", 3, "strong"): ["p1 place green f2:b", "p3 place yellow outer:a", "p3 place yellow f2:b"],
}
"""What bots decided before their searches were made quicker, by game, seats and kind."""


@pytest.mark.parametrize(("game", "seats", "kind"), DECIDED)
def test_bots_decide_as_before(game: str, seats: int, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Searching, "SECONDS", float("inf"))
    decided = []
    for plies in (4, 31, 54):
        dice, position = random.Random(7 + plies), Position(rules_of(game, seats))
        while position.ply < plies or not position.to_move[0]:
            position.push(dice.choice(position.legal_moves))
        seat, rules = position.to_move[0], rules_of(game, seats)
        bot = bots_of(game)[kind](rules, seat, random.Random(plies))
        decided.append(str(bot.decide(rules.view(position.state, seat), position.legal_moves, False)))
    assert decided == DECIDED[game, seats, kind]
