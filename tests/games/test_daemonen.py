"""Dicke Dämonen: the rulings, the worked examples, laws that always hold, and a naive second opinion."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from itertools import pairwise, permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from of_kind import of_kind
from positions import layout_data
from sample import sample
from tablier.games import rules_of
from tablier.games.core import MalformedMove, OptionError, Position, RulesError
from tablier.games.daemonen.layout import layout_names, named_layout
from tablier.games.daemonen.rules import Daemonen
from tablier.games.daemonen.state import PLACE
from tablier.games.daemonen.words import seem

COLOURS = ("white", "red", "blue", "green", "yellow")
LAYOUTS = layout_names()


def game(seats: int = 2, moves: str = "", **options: Any) -> Position[Any]:
    """A position after moves that are separated by semicolons."""
    position = Position(rules_of("dicke-daemonen", seats, options))
    play(position, moves)
    return position


def play(position: Position[Any], moves: str) -> None:
    for move in filter(None, (part.strip() for part in moves.split(";"))):
        position.parse_push(move)


def deal(*fists: str) -> str:
    """The first draws, each fist as colours: ``"white red red blue"``."""
    return ";".join(f"table draw p{seat} {colour}" for seat, fist in enumerate(fists, 1) for colour in fist.split())


def texts(position: Position[Any]) -> list[str]:
    return [str(move) for move in position.legal_moves]


def set_up(seats: int, options: dict[str, Any] | None = None, **changes: Any) -> Position[Any]:
    """A position as a description says it, what it leaves out being in the bag."""
    rules = rules_of("dicke-daemonen", seats, options)
    names = [f"p{seat}" for seat in range(1, seats + 1)]
    description = {
        "phase": "place",
        "turn": "p1",
        "fists": {name: [] for name in names},
        "predictions": {name: [] for name in names},
        "gone": [],
        "ghosts": [],
        "demons": {},
        **changes,
    }
    out = Counter(description["gone"]) + Counter({"white": len(description["ghosts"])})
    out += Counter(description["demons"].values())
    for name in names:
        out += Counter(description["fists"][name]) + Counter(description["predictions"][name])
    description.setdefault("bag", {colour: 10 - out[colour] for colour in COLOURS})
    return Position(rules, rules.restore(description))


# -- a naive second opinion -------------------------------------------------------------------------------


class Oracle:
    """The rulings read aloud, with lists and texts, as slow as can be."""

    def __init__(self, layout: dict[str, Any], seats: int, first: int = 1) -> None:
        self.layout, self.seats, self.first = layout, seats, first
        self.bag = [colour for colour in COLOURS for _ in range(10)]
        self.fists: dict[int, list[str]] = {seat: [] for seat in range(1, seats + 1)}
        self.mine: dict[int, list[str]] = {seat: [] for seat in range(1, seats + 1)}
        self.demons: dict[tuple[str, str], str] = {}
        self.ghosts: list[str] = []
        self.turn = first
        self.due = "deal"

    def drawer(self) -> int | None:
        """Return the seat that draws the next creature."""
        if self.due == "deal":
            return next(seat for seat in self.fists if len(self.fists[seat]) < 4)
        return self.turn if self.due == "draw" else None

    def places(self, seat: int) -> list[str]:
        found = []
        for colour in set(self.fists[seat]):
            for name, field in self.layout["fields"].items():
                if name in self.ghosts:
                    continue
                if colour == "white":
                    if name != self.layout["outer"]:
                        found.append(f"p{seat} place white {name}")
                    continue
                found += [
                    f"p{seat} place {colour} {name}:{crossing}"
                    for crossing in field["corners"]
                    if (name, crossing) not in self.demons and colour in self.layout["crossings"][crossing]
                ]
        return found

    def sayings(self, seat: int) -> list[str]:
        if self.mine[seat]:
            return []
        if self.seats == 1:
            names = {tuple(p) for n in (1, 2, 3) for p in permutations(self.fists[1], n) if len(set(p)) == n}
        else:
            claimed = [colour for colours in self.mine.values() for colour in colours]
            names = {(colour,) for colour in self.fists[seat] if colour not in claimed}
        found = [f"p{seat} predict {' '.join(name)}" for name in names]
        return [*found, f"p{seat} pass"] if found else []

    def legal(self) -> list[str]:
        drawer = self.drawer()
        if drawer:
            return [f"table draw p{drawer} {colour}" for colour in set(self.bag)]
        if self.due == "place":
            return self.places(self.turn)
        return self.sayings(self.turn)

    def to_move(self) -> list[str]:
        if self.drawer():
            return ["table"]
        return [f"p{self.turn}"] if self.legal() else []

    def push(self, text: str) -> None:
        assert text in self.legal()
        _, verb, *args = text.split()
        if verb == "draw":
            self.bag.remove(args[1])
            self.fists[int(args[0][1:])].append(args[1])
            if self.due == "draw":
                self.next_turn()
            elif all(len(fist) == 4 for fist in self.fists.values()):
                self.due = "place"
            return
        fist = self.fists[self.turn]
        if verb == "place":
            fist.remove(args[0])
            if args[0] == "white":
                self.ghosts.append(args[1])
            else:
                name, crossing = args[1].split(":")
                self.demons[name, crossing] = args[0]
            if self.sayings(self.turn):
                self.due = "say"
                return
        if verb == "predict":
            for colour in args:
                fist.remove(colour)
                self.mine[self.turn].append(colour)
            if self.seats > 1:
                self.bag += fist
            fist.clear()
        self.due = "draw"
        if not self.bag:
            self.next_turn()

    def next_turn(self) -> None:
        self.turn = self.turn % self.seats + 1
        self.due = "place"

    def over(self) -> bool:
        return self.due == "place" and not self.places(self.turn)

    def points(self) -> dict[str, int]:
        points = dict.fromkeys(COLOURS, 0)
        points["white"] = len(self.ghosts)
        for name, field in self.layout["fields"].items():
            there = Counter(colour for (at, _), colour in self.demons.items() if at == name)
            for colour, count in there.items():
                if all(count > other for who, other in there.items() if who != colour):
                    points[colour] += len(field["corners"]) + len(field["knots"])
        return points

    def result(self) -> tuple[list[float], list[int]]:
        scores: list[float] = [0] * self.seats
        if not self.over():
            return scores, []
        points = self.points()
        if self.seats == 1:
            named = self.mine[1]
            if not named:
                return scores, []
            pairs_fall = all(points[a] >= points[b] for a, b in pairwise(named))
            if not pairs_fall or any(points[c] > points[named[-1]] for c in COLOURS if c not in named):
                return scores, []
            return [sum(n * points[c] for n, c in zip((3, 2, 1), named, strict=False))], [1]
        best = [colour for colour in COLOURS if points[colour] == max(points.values())]
        winners = [seat for seat, named in self.mine.items() if named and named[0] in best]
        return [1 if seat in winners else 0 for seat in self.mine], winners


def universe(rules: Any) -> list[str]:
    """Every text that is a move of this game, legal anywhere or not."""
    seats = [f"p{seat}" for seat in range(1, rules.seats + 1)]
    most = 3 if rules.seats == 1 else 1
    moves = [f"table draw {seat} {colour}" for seat in seats for colour in COLOURS]
    for seat in seats:
        moves += [f"{seat} place white {name}" for name, _, _ in rules.layout.fields]
        moves += [
            f"{seat} place {c} {name}:{at}" for c in COLOURS[1:] for name, ats, _ in rules.layout.fields for at in ats
        ]
        moves += [f"{seat} predict {' '.join(p)}" for n in range(1, most + 1) for p in permutations(COLOURS, n)]
        moves.append(f"{seat} pass")
    return moves


def choose(rng: random.Random, moves: list[str], few_ghosts: bool) -> str:
    """A random move; with few ghosts games are longer, and the bag runs empty."""
    if few_ghosts:
        moves = [move for move in moves if " place white" not in move] or moves
        if rng.random() < 0.9:
            moves = [move for move in moves if " predict" not in move] or moves
    return rng.choice(sorted(moves))


@pytest.mark.parametrize(
    ("name", "seats"),
    [(name, seats) for n, name in enumerate(LAYOUTS) for seats in sample([1 + n % 4], [1, 2, 3, 4])],
)
def test_the_oracle_agrees(name: str, seats: int) -> None:
    """Moves, actors, scores and winners of random games, step by step; refusals of every move there is."""
    data = layout_data(name)
    for seed in range(sample(1, 3)):
        rng = random.Random(f"{name} {seats} {seed}")
        first = rng.randint(1, seats)
        position = game(seats, layout=name if seed % 2 else data, first=f"p{first}")
        oracle = Oracle(data, seats, first)
        everything = universe(position.rules)
        ahead = rng.randint(1, 30)
        while True:
            expected = oracle.legal()
            assert sorted(texts(position)) == sorted(expected)
            assert [f"p{n}" if n else "table" for n in position.to_move] == oracle.to_move()
            assert (list(position.rules.scores(position.state)), list(position.rules.winners(position.state))) == (
                oracle.result()
            )
            assert position.is_over == oracle.over()
            assert of_kind(Daemonen, position.rules).points(position.state) == oracle.points()
            ahead -= 1
            if ahead == 0 or not expected:
                ahead = 40
                allowed = {
                    t for t in everything if position.rules.refuse(position.state, position.rules.parse(t)) is None
                }
                assert allowed == set(expected)
            if not expected:
                break
            move = choose(rng, expected, few_ghosts=seed == 1)
            oracle.push(move)
            position.parse_push(move)


def test_the_oracle_sees_every_kind_of_end() -> None:
    """The games above are of use only if they end in all ways, run the bag empty, and refill an empty bag."""
    seen: Counter[str] = Counter()
    for seed in range(40):
        rng = random.Random(seed)
        position = game(4, layout="tangle")
        while moves := texts(position):
            empty = not position.state.bag
            position.parse_push(choose(rng, moves, few_ghosts=True))
            seen["refilled"] += empty and bool(position.state.bag)
        seen[position.rules.ending(position.state) or ""] += 1
        if seen["empty"] and seen["stuck"] and seen["refilled"]:
            break
    assert seen["empty"] and seen["stuck"] and seen["refilled"]


# -- the worked examples of the source --------------------------------------------------------------------

# Every field of the example of scoring that has a majority: its colour, corners and knots.
EXAMPLE_FIELDS = {
    "outer": ("red", 6, ["red", "blue"]),
    "y1": ("yellow", 2, []),
    "y2": ("yellow", 4, ["red"]),
    "g1": ("green", 3, []),
    "g2": ("green", 2, ["blue"]),
    "g3": ("green", 5, []),
    "b1": ("blue", 2, ["green"]),
    "b2": ("blue", 4, []),
    "b3": ("blue", 3, ["yellow"]),
    "tie": ("", 5, ["green", "yellow"]),
}
PAIRS = [["red", "blue"], ["green", "yellow"], ["red", "green"], ["blue", "yellow"], ["red", "yellow"]]
PAIRS += [["blue", "green"], ["red", "blue"], ["red", "green"], ["blue", "yellow"]]


def example_layout() -> dict[str, Any]:
    """A layout with the fields of the example; the crossings are dealt out to them, four fields each."""
    crossings = dict(zip("abcdefghi", PAIRS, strict=True))
    room = dict.fromkeys(crossings, 4)
    fields = {}
    for name, (_, corners, knots) in sorted(EXAMPLE_FIELDS.items(), key=lambda item: -item[1][1]):
        chosen = sorted(room, key=lambda crossing: (-room[crossing], crossing))[:corners]
        for crossing in chosen:
            room[crossing] -= 1
        fields[name] = {"corners": sorted(chosen), "knots": knots}
    return {"crossings": crossings, "fields": fields, "outer": "outer"}


def full(layout: dict[str, Any], field: str, counts: dict[str, int]) -> dict[str, str]:
    """Demons in so many corners of a field, by colour, each where its line is."""
    corners = layout["fields"][field]["corners"]
    wanted = [colour for colour, count in counts.items() for _ in range(count)]
    for order in permutations(corners, len(wanted)):
        if all(c in layout["crossings"][at] for c, at in zip(wanted, order, strict=True)):
            return {f"{field}:{at}": colour for colour, at in zip(wanted, order, strict=True)}
    raise AssertionError(f"{field} cannot hold {counts}")


def test_worked_example_green_and_blue_win_and_so_does_the_player_who_predicted_blue() -> None:
    layout = example_layout()
    demons: dict[str, str] = {}
    for name, (colour, _, _) in EXAMPLE_FIELDS.items():
        counts = {"outer": {"red": 3, "blue": 1, "green": 1, "yellow": 1}, "tie": {"red": 2, "blue": 2, "green": 1}}
        demons |= full(layout, name, counts.get(name, {colour: 1}))
    ghosts = [name for name in layout["fields"] if name not in ("outer", "tie")]
    # Whatever is not frozen is full: the player to move holds a demon and is stuck.
    position = set_up(
        4,
        {"layout": layout},
        phase="over",
        turn=f"p{(len(demons) + len(ghosts)) % 4 + 1}",
        predictions={"p1": ["red"], "p2": ["blue"], "p3": ["yellow"], "p4": ["white"]},
        fists={f"p{seat}": ["yellow"] for seat in range(1, 5)},
        ghosts=ghosts,
        demons=demons,
    )
    rules, state = of_kind(Daemonen, position.rules), position.state
    assert rules.points(state) == {"white": 8, "red": 8, "blue": 11, "green": 11, "yellow": 7}
    assert rules.leading(state) == ["blue", "green"]
    assert rules.winners(state) == (2,)
    assert rules.scores(state) == (0, 1, 0, 0)
    assert rules.ending(state) == "stuck"
    assert rules.view(state, None)["leading"] == ["blue", "green"]


# On the ring: green has f1, f3 and f4 (9), red f5 and f6 (8), and nothing is open to a blue demon.
SOLITAIRE = {
    "f1:a": "green",
    "f3:a": "green",
    "f4:c": "green",
    "f5:g": "red",
    "f6:e": "red",
    "f8:g": "blue",
    "outer:d": "green",
    "outer:h": "red",
}


def solitaire(*named: str, phase: str = "over", **demons: str) -> Position[Any]:
    """The end of a game of one seat, with demons added at ``field_crossing``."""
    return set_up(
        1,
        phase=phase,
        fists={"p1": ["blue"] if named else ["blue"] * 4},
        predictions={"p1": list(named)},
        gone=["yellow", "white", "blue"][len(named) :] if named else [],
        ghosts=["f1", "f2", "f4", "f5", "f6", "f7", "f8", "f9"],
        demons=SOLITAIRE | {spot.replace("_", ":"): colour for spot, colour in demons.items()},
    )


def result(position: Position[Any]) -> tuple[Any, ...]:
    return position.rules.scores(position.state), position.rules.winners(position.state)


def test_worked_example_solitaire_green_first_red_second() -> None:
    position = solitaire("green", "red")
    assert of_kind(Daemonen, position.rules).points(position.state) == {
        "white": 8,
        "red": 8,
        "blue": 5,
        "green": 9,
        "yellow": 0,
    }
    assert result(position) == ((43,), (1,))


# -- the turn -----------------------------------------------------------------------------------------------


def test_a_ghost_freezes_its_field_and_a_demon_takes_its_corner(refused: Callable[..., None]) -> None:
    position = game(2, deal("white white red blue", "white red green yellow"))
    assert "p1 place white f5" in texts(position)
    assert "p1 place white outer" not in texts(position)
    assert "p1 place red outer:e" in texts(position)
    play(position, "p1 place white f5; p1 pass; table draw p1 green")
    assert not [text for text in texts(position) if " f5" in text]
    refused(position, "p2 place red f5:g", "p2 place white f5")
    rules, state = position.rules, position.state
    for typed, why in {
        "p2 place red f5": "field f5 is frozen by a ghost",
        "p2 place red f9": "a demon goes into a corner of field f9: name its crossing, too",
        "p2 place blue f9": "p2 holds no blue creature",
        "p1 place red f9": "it is p2's turn",
        "p2 place white f5": "field f5 is frozen by a ghost",
    }.items():
        assert str(rules.refuse(state, rules.parse_typed(typed))) == why
    for typed in ("p2 place red f99", "p2 place pink f5", "p2 place red f5:z", "p9 place red f5", "p2 place red"):
        with pytest.raises(MalformedMove):
            rules.parse_typed(typed)
    play(position, "p2 place red f9:g; p2 pass; table draw p2 green")
    refused(position, "p1 place blue f9:g")
    assert "p1 place blue f9:h" in texts(position)
    play(position, "p1 place white f9; p1 pass; table draw p1 green")  # a field with demons may take a ghost
    assert not [text for text in texts(position) if " f9" in text]


def test_refusals_say_why(refused: Callable[..., None]) -> None:
    position = game(2, first="p2")
    refused(position, "p1 place white f5", "table draw p2 red")
    play(position, deal("white red red red", "white white green yellow"))
    refused(
        position,
        "p1 place white f5",
        "p2 pass",
        "table draw p2 red",
        "p2 place blue f5:g",
        "p2 place white outer",
        "p2 place green f5:g",
    )
    play(position, "p2 place white f5")
    refused(position, "p2 place white f4", "table draw p2 red", "p1 pass", "p2 predict red")
    play(position, "p2 predict white; table draw p2 blue; p1 place red f9:g")
    refused(position, "p1 predict white")
    play(position, "p1 pass; table draw p1 white; p2 place blue f9:h")
    refused(position, "p2 predict blue")
    refused(solitaire("green"), "p1 place blue f3:a")
    position = set_up(2, **WITHOUT_RED)
    refused(position, "table draw p1 red")


# Ten red demons are out: p1 has placed the last of them and is to draw.
RED = {f"{field}:{at}": "red" for field in ("f5", "f7", "f8", "f9") for at in "gh" if f"{field}:{at}" != "f5:h"}
WITHOUT_RED: dict[str, Any] = {
    "phase": "draw",
    "demons": RED | {"f9:e": "red", "f9:f": "red", "f2:e": "red"},
    "ghosts": ["f5"],
    "fists": {"p1": ["white", "blue", "green"], "p2": ["white", "blue", "green", "yellow"]},
    "turn": "p1",
}


def test_the_whole_fist_but_the_prediction_goes_back_before_the_draw() -> None:
    position = game(2, deal("white red red blue", "white red green yellow") + ";p1 place white f5")
    before = dict(position.rules.chance(position.state))
    play(position, "p1 predict red")
    chance = {str(move): share for move, share in position.rules.chance(position.state)}
    assert before == {}
    # 42 lay in the bag; a red and the blue went back.
    assert chance == {
        "table draw p1 white": 8,
        "table draw p1 red": 8,
        "table draw p1 blue": 10,
        "table draw p1 green": 9,
        "table draw p1 yellow": 9,
    }


@pytest.mark.parametrize("seats", [0, 5, 6])
def test_one_to_four_play(seats: int) -> None:
    with pytest.raises(OptionError, match="1, 2, 3 or 4"):
        game(seats)


# -- an empty bag ---------------------------------------------------------------------------------------------


def last_of_the_bag(bag: dict[str, int], **changes: Any) -> Position[Any]:
    """The tangle with little in the bag: p1 is to move with three reds and a white, p2 has two blues."""
    data = layout_data("tangle")
    demons: dict[str, str] = {}
    fists = {"p1": ["white", "red", "red", "red"], "p2": ["blue", "blue"], **changes.pop("fists", {})}
    left = Counter(dict.fromkeys(COLOURS, 10)) - Counter(bag) - Counter(fists["p1"]) - Counter(fists["p2"])
    for named in changes.get("predictions", {}).values():
        left -= Counter(named)
    ghosts = [f"f{n}" for n in range(14 - left.pop("white"), 14)]
    # A yellow is put on its line wherever there is room, then a green, and so on; f1 stays empty.
    corners = [(f, at) for f, field in data["fields"].items() if f != "f1" for at in field["corners"]]
    for colour in sorted(left, key=lambda c: -left[c]):
        for spot in [c for c in corners if colour in data["crossings"][c[1]]][: left[colour]]:
            demons[":".join(spot)] = colour
            corners.remove(spot)
    placed = len(demons) + len(ghosts)
    assert sum(left.values()) == len(demons)
    return set_up(
        2,
        {"layout": "tangle", "first": f"p{placed % 2 + 1}"},
        bag=bag,
        fists=fists,
        demons=demons,
        ghosts=ghosts,
        **changes,
    )


NOTHING = dict.fromkeys(COLOURS, 0)


def test_an_empty_fist_ends_the_game_when_its_turn_begins() -> None:
    position = last_of_the_bag(
        NOTHING, fists={"p1": ["red"], "p2": ["blue"]}, predictions={"p1": ["white"], "p2": ["yellow"]}
    )
    play(position, "p1 place red f1:c")
    assert position.to_move == (2,)  # p1 holds nothing more, but it is the turn of p2
    play(position, "p2 place blue f1:b")
    assert position.is_over
    assert position.rules.ending(position.state) == "empty"
    kinds = [event.kind for event in position.last_events()]
    assert kinds == ["place", "over", "points", "outcome"]


# -- the rulings ------------------------------------------------------------------------------------------------


def test_r_g1_first_moves_first_and_the_deal_starts_with_p1() -> None:
    position = game(3, first="p3")
    drawers = []
    while position.to_move == (0,):
        drawers.append(texts(position)[0].split()[2])
        position.push(position.legal_moves[0])
    assert drawers == ["p1"] * 4 + ["p2"] * 4 + ["p3"] * 4
    assert position.to_move == (3,)
    play(position, "p3 place red f5:g; p3 pass; table draw p3 red")
    assert position.to_move == (1,)
    assert game(1, deal("red red red red")).to_move == (1,)


@pytest.mark.parametrize("first", ["p3", "p0", "table", "", 1, None, True, ["p1"]])
def test_r_g1_first_is_a_seat_of_the_game(first: Any) -> None:
    with pytest.raises(OptionError, match=r"option first .* p1 to p2"):
        game(2, first=first)


@pytest.mark.parametrize(
    ("demons", "colour"),
    [
        ([], None),
        (["green"], "green"),
        (["green", "yellow"], None),
        (["green", "green", "yellow"], "green"),
        (["green", "green", "yellow", "yellow"], None),
        (["green", "green", "yellow", "blue"], "green"),  # half of them are enough
    ],
)
@pytest.mark.parametrize("frozen", [False, True])
def test_r_g2_a_majority_is_more_than_every_other_colour(demons: list[str], colour: str | None, frozen: bool) -> None:
    layout = layout_data("ring")  # f1: corners a, b (green, yellow), c, d (blue, green), and a knot
    placed = full(layout, "f1", dict(Counter(demons)))
    ghosts = ["f1"] if frozen else []
    turn = f"p{(len(placed) + len(ghosts)) % 2 + 1}"
    fists = {"p1": ["red"] * 4, "p2": ["blue"] * 4}
    position = set_up(2, turn=turn, fists=fists, demons=placed, ghosts=ghosts)
    points = of_kind(Daemonen, position.rules).points(position.state)
    assert points == {c: 5 if c == colour else 0 for c in COLOURS} | {"white": int(frozen)}
    assert position.rules.view(position.state, None)["majorities"]["f1"] == colour


def test_r_g3_predict_or_pass_is_said_only_by_those_who_can_predict(refused: Callable[..., None]) -> None:
    position = game(2, deal("red red red red", "blue red red red"))
    play(position, "p1 place red outer:e")
    assert texts(position) == ["p1 predict red", "p1 pass"]
    play(position, "p1 predict red; table draw p1 green; p2 place blue f5:g")
    # p2 holds reds only, and red is taken: the draw follows at once.
    assert {text.split()[:3][2] for text in texts(position)} == {"p2"}
    assert position.to_move == (0,)
    play(position, "table draw p2 white; p1 place green outer:a")
    assert position.to_move == (0,)  # p1 has predicted
    play(position, "table draw p1 green; p2 place red outer:h")
    assert texts(position) == ["p2 predict white", "p2 pass"]
    refused(position, "p2 predict red")
    play(position, "p2 pass; table draw p2 white; p1 place green outer:d; table draw p1 green; p2 place white f5")
    assert texts(position) == ["p2 predict white", "p2 pass"]  # who passed may predict later


def test_r_g4_the_end_is_decided_when_a_turn_begins(refused: Callable[..., None]) -> None:
    # Everything is frozen but f3 and the outer field, where red has no place: only p2 holds something else.
    fists = {"p1": ["green", "red", "red", "red"], "p2": ["green"] * 4}
    ghosts = [f"f{n}" for n in (1, 2, 4, 5, 6, 7, 8, 9)]
    demons = {"outer:e": "red", "outer:h": "red"}
    position = set_up(2, fists=fists, ghosts=ghosts, demons=demons)
    play(position, "p1 place green f3:a; p1 pass")
    assert not position.is_over  # p1 could place nothing now, but draws first
    stuck = position.copy()
    play(position, "table draw p1 yellow; p2 place green outer:a; p2 pass; table draw p2 red")
    assert position.to_move == (1,)
    play(stuck, "table draw p1 red")
    assert stuck.to_move == (2,)  # p1 is stuck, but it is the turn of p2
    play(stuck, "p2 place green outer:a; p2 pass")
    assert stuck.to_move == (0,)
    play(stuck, "table draw p2 blue")
    assert stuck.is_over
    assert stuck.rules.ending(stuck.state) == "stuck"
    refused(stuck, "p2 place blue outer:d")


def test_r_g6_solitaire_names_up_to_three_colours_in_order(refused: Callable[..., None]) -> None:
    position = game(1, deal("white red red blue"))
    play(position, "p1 place white f5")
    assert sorted(texts(position)) == [
        "p1 pass",
        "p1 predict blue",
        "p1 predict blue red",
        "p1 predict red",
        "p1 predict red blue",
    ]
    play(position, "p1 pass; table draw p1 yellow; p1 place red outer:e")
    assert len(texts(position)) == 3 + 6 + 6 + 1
    refused(position, "p1 predict red white")
    bag = position.rules.describe(position.state)["bag"]
    play(position, "p1 predict yellow red")
    after = position.rules.describe(position.state)
    assert after["predictions"] == {"p1": ["yellow", "red"]}
    assert after["gone"] == ["blue"]
    assert after["bag"] == bag  # nothing goes back
    assert after["fists"] == {"p1": []}
    play(position, "table draw p1 red; p1 place red f9:h")
    assert position.to_move == (0,)  # the prediction is made once


@pytest.mark.parametrize(
    ("named", "score"),
    [
        (["green"], 27),
        (["green", "white"], 43),
        (["green", "white", "red"], 51),
        (["red"], 0),
        (["green", "red", "blue"], 0),
    ],
)
def test_r_g7_solitaire_is_won_if_no_other_colour_stands_higher(named: list[str], score: int) -> None:
    # Points: green 9, red 8, white 8, blue 5, yellow 0.
    assert result(solitaire(*named)) == ((score,), (1,) if score else ())


def test_r_g8_scores_are_0_while_the_game_runs_and_the_points_are_shown() -> None:
    fists = {"p1": ["blue"], "p2": ["red"]}
    running = set_up(
        2, fists=fists, predictions={"p1": ["green"], "p2": ["red"]}, demons={"f1:a": "green", "f3:a": "green"}
    )
    assert result(running) == ((0, 0), ())
    assert running.rules.view(running.state, None)["points"] == {
        "white": 0,
        "red": 0,
        "blue": 0,
        "green": 7,
        "yellow": 0,
    }
    assert solitaire("green").rules.scores(solitaire("green").state) == (27,)
    running = set_up(
        1, fists={"p1": ["blue"]}, predictions={"p1": ["green"]}, gone=["red", "red"], demons={"f1:a": "green"}
    )
    assert of_kind(Daemonen, running.rules).points(running.state)["green"] == 5
    assert result(running) == ((0,), ())


def test_r_g8_every_winner_scores_1_and_without_one_everybody_loses() -> None:
    # The ring of the solitaire example with p1 and p2: green leads.
    def end(p1: str, p2: str) -> tuple[Any, ...]:
        ghosts = ["f1", "f2", "f4", "f5", "f6", "f7", "f8", "f9"]
        predictions = {"p1": [p1] if p1 else [], "p2": [p2] if p2 else []}
        fists = {seat: ["blue"] * (1 if named else 4) for seat, named in predictions.items()}
        return result(set_up(2, phase="over", fists=fists, predictions=predictions, ghosts=ghosts, demons=SOLITAIRE))

    assert end("green", "red") == ((1, 0), (1,))
    assert end("white", "green") == ((0, 1), (2,))
    assert end("white", "red") == ((0, 0), ())
    assert end("", "") == ((0, 0), ())


# -- who may see what ---------------------------------------------------------------------------------------------


def everything_told(position: Position[Any], seat: int | None) -> tuple[Any, ...]:
    """The view and the events of the last move that reach a seat."""
    told = [event for event in position.last_events() if event.audience is None or seat in event.audience]
    return position.rules.view(position.state, seat), told


def test_what_p1_holds_is_shown_to_p1_alone() -> None:
    common = ";p1 place white f5; p1 pass; table draw p1 red; p2 place red outer:e; p2 pass; table draw p2 "
    one = game(3, deal("white red red blue", "red red green green", "blue blue blue blue") + common + "white")
    two = game(3, deal("white green yellow yellow", "red red green green", "blue blue blue blue") + common + "white")
    other = game(3, deal("white red red blue", "red red green green", "blue blue blue blue") + common + "red")
    assert everything_told(one, 2) == everything_told(two, 2)
    assert everything_told(one, 3) == everything_told(two, 3) == everything_told(other, 3)
    assert everything_told(one, None) == everything_told(two, None) == everything_told(other, None)
    assert everything_told(one, 1) == everything_told(other, 1) != everything_told(two, 1)
    assert everything_told(one, 2) != everything_told(other, 2)
    assert one.rules.view(one.state, 1)["fists"] == {"p1": ["red", "red", "red", "blue"], "p2": 4, "p3": 4}
    assert one.rules.view(one.state, None)["fists"] == {"p1": 4, "p2": 4, "p3": 4}
    assert one.rules.view(one.state, None)["bag"] == 36


def test_a_view_counts_the_creatures_that_its_seat_does_not_see() -> None:
    position = game(2, deal("white red red blue", "red red green green") + ";p1 place white f5; p1 predict red")
    unseen = {seat: position.rules.view(position.state, seat)["unseen"] for seat in (1, 2, None)}
    assert unseen[None] == {"white": 9, "red": 9, "blue": 10, "green": 10, "yellow": 10}
    assert unseen[1] == unseen[None]  # its fist is empty
    assert unseen[2] == {"white": 9, "red": 7, "blue": 10, "green": 8, "yellow": 10}


def test_what_left_the_game_is_not_shown_to_spectators() -> None:
    position = game(1, deal("white red red blue") + ";p1 place white f5; p1 predict red")
    assert position.rules.view(position.state, 1)["gone"] == ["red", "blue"]
    view = position.rules.view(position.state, None)
    assert view["gone"] == 2
    assert view["unseen"] == {"white": 9, "red": 9, "blue": 10, "green": 10, "yellow": 10}


def test_a_prediction_tells_how_many_go_back_and_not_which() -> None:
    position = game(2, deal("white red red blue", "red red green green") + ";p1 place white f5; p1 predict red")
    assert [str(event.text) for event in position.last_events()] == [
        "p1 predicts red.",
        "The rest of the fist goes back into the bag: 2 creatures.",
    ]


# -- notation -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "table draw p1",
        "table draw table red",
        "table roll red",
        "p1 place red f5",
        "p1 place red outer:e:e",
        "p1 place white",
        "p1 predict pink",
        "p3 pass",
        "P1 pass",
    ],
)
def test_texts_that_are_no_move(text: str) -> None:
    with pytest.raises(MalformedMove):
        game(2).rules.parse(text)


# -- laws that always hold ------------------------------------------------------------------------------------------


@st.composite
def games(draw: st.DrawFn) -> tuple[Position[Any], random.Random]:
    """A game of any kind, and the luck to play it with."""
    seats = draw(st.integers(1, 4))
    layout = draw(st.sampled_from(LAYOUTS))
    position = game(seats, layout=layout, first=f"p{draw(st.integers(1, seats))}")
    return position, random.Random(draw(st.integers(0, 2**32)))


@settings(max_examples=sample(12, 30), deadline=None)
@given(games(), st.data())
def test_another_secret_gives_the_same_view(start: tuple[Position[Any], random.Random], data: st.DataObject) -> None:
    """A creature in a fist is exchanged for one in the bag: nobody but its seat sees a difference."""
    position, rng = start
    rules = position.rules
    for _ in range(data.draw(st.integers(1, 60))):
        moves = texts(position)
        if not moves:
            break
        position.parse_push(choose(rng, moves, few_ghosts=False))
    described = rules.describe(position.state)
    holders = [seat for seat, fist in described["fists"].items() if fist]
    if position.is_over or not holders:
        return
    seat = data.draw(st.sampled_from(holders))
    mine = data.draw(st.sampled_from(described["fists"][seat]))
    theirs = data.draw(st.sampled_from([colour for colour, count in described["bag"].items() if count]))
    described["fists"][seat].remove(mine)
    described["fists"][seat].append(theirs)
    described["bag"][mine] += 1
    described["bag"][theirs] -= 1
    other = rules.restore(described)
    for viewer in (None, *range(1, rules.seats + 1)):
        same = rules.view(other, viewer) == rules.view(position.state, viewer)
        assert same == (f"p{viewer}" != seat or mine == theirs)


# -- positions that are set up ---------------------------------------------------------------------------------------


def description(**changes: Any) -> dict[str, Any]:
    """A sound position of two seats, with changes."""
    position = game(2, deal("white red red blue", "red red green green") + ";p1 place white f5; p1 predict red")
    return {**position.rules.describe(position.state), **changes}


BAG = {"white": 9, "red": 7, "blue": 10, "green": 8, "yellow": 10}


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"ghosts": ["f5", "f5"]}, "two ghosts in field f5"),
        ({"demons": {"outer:a": "red"}}, "no 'red' creature can stand at 'outer:a'"),
        ({"demons": {"outer:a": ["red"]}}, "not a position"),
        ({"bag": {"pink": 3}}, "'pink'"),
        ({"bag": {"red": 10**12}}, "from 0 to 10"),
        ({"fists": {"p1": []}}, "'p2' is missing"),
        ({"turn": None}, "None"),
    ],
)
def test_what_describes_no_position_is_refused(changes: dict[str, Any], fault: str) -> None:
    rules = game(2).rules
    assert rules.restore(description())
    with pytest.raises(RulesError) as caught:
        rules.restore(description(**changes))
    assert fault in str(caught.value)


# -- the option layout -----------------------------------------------------------------------------------------------


def changed(**changes: Any) -> dict[str, Any]:
    return {**layout_data("ring"), **changes}


def ring_with(part: str, name: str, value: Any) -> dict[str, Any]:
    data = layout_data("ring")
    data[part][name] = value
    return data


def ring_without(part: str, name: str) -> dict[str, Any]:
    data = layout_data("ring")
    del data[part][name]
    return data


def ring_field(name: str, **changes: Any) -> dict[str, Any]:
    data = layout_data("ring")
    data["fields"][name].update(changes)
    return data


def renamed(old: str, new: str) -> dict[str, Any]:
    """The ring with a crossing under another name."""
    text = json.dumps(layout_data("ring")).replace(json.dumps(old), json.dumps(new))
    data: dict[str, Any] = json.loads(text)
    data["outer"] = data.pop("outer", None) or data.pop(new)
    return data


TWO_APART = {  # red meets blue alone, and green yellow alone
    **{name: ["red", "blue"] for name in "abcd"},
    **{name: ["green", "yellow"] for name in "efgh"},
}


@pytest.mark.parametrize(
    ("layout", "fault"),
    [
        ("nowhere", "allowed: one of .*, ring, .* or a layout object"),
        (None, "is None; allowed: one of"),
        ({}, "crossings is missing; fields is missing; outer is missing"),
        (changed(crossings=[]), "crossings is \\[\\]; it is an object"),
        (changed(fields={}), "outer is 'outer', which is not the name of a field"),
        (changed(outer="f10"), "outer is 'f10', which is not the name of a field"),
        (changed(lines=["red", "blue", "green"]), "list of the four colours"),
        (ring_with("crossings", "a", ["green", "green"]), "crossing a joins \\['green', 'green'\\]"),
        (ring_with("crossings", "a", ["green", 3]), "crossing a joins"),
        (ring_with("crossings", "i", ["red", "green"]), "crossing i is a corner of none"),
        (ring_without("crossings", "a"), "field outer: 'a' in its corners is none of the crossings"),
        (ring_without("fields", "f3"), "crossing a is a corner of 3 \\(outer, f1, f2\\); it must be one of four"),
        (ring_with("fields", "f10", {"corners": ["a"], "knots": []}), "crossing a is a corner of 5"),
        (ring_field("f3", corners=["a", "a", "b"]), "field f3 lists a more than once in its corners"),
        (ring_field("f5", knots=["blue", "yellow", "blue"]), "field f5 lists blue more than once in its knots"),
        (ring_field("f3", knots=["green"]), "the green knot lies on 3"),
        (ring_field("f1", knots=[]), "the green knot lies on 1"),
        (ring_field("f3", knots=None), "field f3: knots is None"),
        (ring_field("f3", corners="ab"), "field f3: corners is 'ab'"),
        (ring_with("fields", "f3", {"corners": ["a", "b"]}), "field f3: knots is missing"),
        (ring_with("fields", "f3", ["a", "b"]), "field f3 is \\['a', 'b'\\]; it is an object"),
        (ring_with("fields", "", {"corners": [], "knots": []}), "field '': a name has one or more"),
        (ring_with("fields", "f:10", {"corners": [], "knots": []}), "field 'f:10': a name"),
        (renamed("a", "a:b"), "crossing 'a:b': a name"),
        (changed(crossings=TWO_APART), "the red line crosses 1 \\(blue\\); it must cross at least two others"),
    ],
)
def test_layouts_that_are_refused(layout: Any, fault: str) -> None:
    with pytest.raises(OptionError, match=f"option layout.*{fault}") as caught:
        game(2, layout=layout)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "layout",
    [
        {key: value for key, value in layout_data("ring").items() if key in ("crossings", "fields", "outer")},
        changed(name=7, geometry="none", colour="any", lines=["yellow", "green", "blue", "red"]),
        ring_with("fields", "f10", {"corners": [], "knots": []}),
        renamed("a", "Crossing_1-a"),
    ],
)
def test_layouts_that_are_accepted(layout: dict[str, Any]) -> None:
    position = game(2, deal("white white green green", "red red red red"), layout=layout)
    inner = [name for name in layout["fields"] if name != layout["outer"]]
    assert [text for text in texts(position) if "white" in text] == [f"p1 place white {name}" for name in inner]
    crossing = next(iter(layout["crossings"]))
    assert f"p1 place green {layout['outer']}:{crossing}" in texts(position)


def test_the_layouts_of_the_rulings_are_there_and_ring_is_the_default() -> None:
    assert {"ring", "chain", "tangle"} <= set(LAYOUTS)
    assert len(LAYOUTS) >= 8
    assert game(2) == game(2, layout="ring") == game(2, layout=layout_data("ring"))
    assert game(2) != game(2, layout="chain")
    for name in LAYOUTS:
        assert layout_data(name)["name"] == named_layout(name).name == name


def test_what_a_page_marks_is_what_a_table_offers_whatever_the_fist_holds() -> None:
    """As many places as the menus of the script are made of."""
    position: Position[Any] = Position(Daemonen(3))
    rng, seen = random.Random(5), 0
    while not position.is_over and seen < 12:
        state = position.state
        view = position.rules.view(state, None)
        if state.phase == PLACE:
            seen += 1
            slots = {move.args for move in seem(position.rules, view, state.turn)}
            assert slots == {*Daemonen(3).board.slots_in(state.open)}
            assert slots >= {move.args for move in position.legal_moves}
        else:
            assert not seem(position.rules, view, state.turn)
        position.push(rng.choice(list(position.legal_moves)))
    assert seen == 12
