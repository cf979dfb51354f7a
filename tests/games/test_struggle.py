"""Struggle: the source's worked examples, every ruling R-S1 to R-S10, and an oracle written from the rulings alone."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from of_kind import of_kind
from positions import played, then
from sample import sample
from tablier.games import rules_of
from tablier.games.core import MalformedMove, OptionError, Position, RulesError
from tablier.games.struggle import rules as struggle
from tablier.languages import find_language
from tablier.texts import Json, reading

FACES = ["K", "Q", "J", "10", "9", "A"]
CARDS = ["K-Q-J-10-9", "9-10-J-Q-K", "K-10-Q-9-J", "J-9-Q-10-K"]
DEALS = ["table deal p1 K-Q-J-10-9", "table deal p2 9-10-J-Q-K"]
DEFAULT = "YYRYBYRYYBRYYRYBYYRYBYRYYRYBYRYY"


play = partial(played, "struggle", seats=2)


def set_up(
    hand: str = "",
    pawns: dict[str, int] | None = None,
    places: Sequence[str] = (),
    throws: int = 1,
    seats: int = 2,
    turn: str = "p1",
    cards: Sequence[str] = CARDS,
    phase: str = "choose",
    **options: Any,
) -> Position[Any]:
    """A position in which the hand is thrown; pawns that are not named stand on the start."""
    rules = rules_of("struggle", seats, options)
    track = {pawn: 0 for pawn in FACES[:5] if pawn not in places} | (pawns or {})
    description = {
        "phase": phase,
        "turn": turn,
        "objectives": {f"p{seat}": card for seat, card in zip(range(1, seats + 1), cards, strict=False)},
        "pawns": track,
        "places": list(places),
        "throws": throws,
        "hand": hand.split(),
    }
    return Position(rules, rules.restore(description))


def legal(position: Position[Any], prefix: str = "") -> set[str]:
    return {text for text in map(str, position.legal_moves) if text.startswith(prefix)}


def where(position: Position[Any]) -> dict[str, Any]:
    """Return the position of each pawn: the number of a space, 0 for the start, or the letter of a place."""
    described: dict[str, Any] = position.rules.describe(position.state)
    return {**described["pawns"], **dict(zip(described["places"], "ABCDE", strict=False))}


# -- the worked examples of the source -----------------------------------------------------------------


def test_example_three_jacks_and_two_tens_from_the_start() -> None:
    position = play(*DEALS, "table roll J J J 10 10", "p1 play J+3 10+2")
    assert where(position) == {"K": 0, "Q": 0, "J": 3, "10": 2, "9": 0}
    assert position.to_move == (0,)
    assert position.state.turn == 2


def test_example_three_jacks_a_ten_and_a_queen_from_the_start() -> None:
    """Only one of ten and queen can go to space 1: whichever is played later stays."""
    position = play(*DEALS, "table roll Q J J J 10")
    ten_first = then(position.copy(), "p1 play J+3 10+1 Q+1")
    queen_first = then(position.copy(), "p1 play J+3 Q+1 10+1")
    assert (where(ten_first)["10"], where(ten_first)["Q"]) == (1, 0)
    assert (where(queen_first)["10"], where(queen_first)["Q"]) == (0, 1)


def test_example_the_hand_has_to_be_played() -> None:
    position = play(*DEALS, "table roll J J 10 10 10", "p1 keep J 10 10 10", "table roll J")
    position = then(position, "p1 keep none", "table roll J J 10 10 10")
    assert legal(position) == {"p1 play J+2 10+3", "p1 play 10+3 J+2"}
    assert where(then(position, "p1 play 10+3 J+2")) == {"K": 0, "Q": 0, "J": 2, "10": 3, "9": 0}


def test_example_an_ace_is_one_of_the_figures_of_the_hand() -> None:
    position = play(*DEALS, "table roll J J 10 9 A")
    expected = set()
    for steps in ({"J": 3, "10": 1, "9": 1}, {"J": 2, "10": 2, "9": 1}, {"J": 2, "10": 1, "9": 2}):
        for order in itertools.permutations(steps):
            expected.add("p1 play " + " ".join(f"{figure}+{steps[figure]}" for figure in order))
    assert legal(position, "p1 play") == expected
    assert len(expected) == 18


@pytest.mark.parametrize("space", [3, 14, 26])
def test_example_the_sketch_of_jack_and_queen(space: int) -> None:
    """Jack on a red space two before a black one, queen three behind it; hand J Q A A A."""
    assert (DEFAULT[space - 1], DEFAULT[space + 1]) == ("R", "B")
    position = set_up("Q J A A A", {"J": space, "Q": space - 3})
    then(position, "p1 play J+2 Q+3")
    assert (where(position)["Q"], where(position)["J"]) == (space, space - 3)


def test_example_a_jack_takes_a_red_space_from_the_queen() -> None:
    position = set_up("J J A A A", {"J": 5, "Q": 7}, board="YYYYYYRYYYYYY", throws=3)
    assert legal(position) == {"p1 play J+5"}
    position = set_up("J J 9 9 9", {"J": 5, "Q": 7}, board="YYYYYYRYYYYYY")
    assert where(then(position, "p1 play J+2 9+3")) == {"K": 0, "Q": 5, "J": 7, "10": 0, "9": 3}


# -- the rulings ---------------------------------------------------------------------------------------


def test_r_s1_the_letters_of_a_board_may_be_the_readers() -> None:
    french = find_language("fr")
    assert french is not None
    with reading(french):
        assert struggle.Struggle(2, {"board": "JJRJNRJJRJ"}).board == "YYRYBRYYRY"
        with pytest.raises(OptionError, match="J jaune, R rouge ou N noire, jamais 5 N"):
            rules_of("struggle", 2, {"board": "JJRJ"})
        assert struggle.Struggle(2, {"board": "YYRYBRYYRY"}).board == "YYRYBRYYRY", "as a record has it"


def test_r_s1_the_default_board_has_32_spaces() -> None:
    rules = struggle.Struggle(2)
    assert rules.board == DEFAULT
    assert rules.length == len(DEFAULT) == 32


@pytest.mark.parametrize("board", ["Y" * 10, "R" * 200, "BBBBYBBBBY", "YRBYRBYRBB", "Y" * 9 + "BBBB"])
def test_r_s1_boards_that_are_allowed(board: str) -> None:
    assert struggle.Struggle(4, {"board": board}).length == len(board)


@pytest.mark.parametrize(
    "board",
    ["", "Y" * 9, "YYYYYBBBBBYYYYY", "BBBBBBYYYYYY", "YYYYYYYYYY ", "yyyyyyyyyy", "YYYYYYYYYG", 32, None, ["Y"] * 10],
)
def test_r_s1_boards_that_are_not_allowed(board: object) -> None:
    with pytest.raises(OptionError, match=r"option board is .*at least 10 letters"):
        rules_of("struggle", 2, {"board": board})


def test_r_s1_the_last_space_is_a_space_and_past_it_is_a_place() -> None:
    position = set_up("K K Q Q Q", {"K": 30, "Q": 30 - 1})
    then(position, "p1 play K+2 Q+3")
    assert where(position)["K"] == 32
    assert where(position)["Q"] == 29, "space 32 is yellow and occupied"
    position = set_up("K K K Q 9", {"K": 30, "Q": 32})
    then(position, "p1 play Q+1 K+3 9+1")
    assert (where(position)["Q"], where(position)["K"]) == ("A", "B")


def test_r_s2_the_fifth_pawn_is_placed_on_e() -> None:
    position = set_up("J 10 10 10 10", {"J": 32, "10": 4}, places=["9", "K", "Q"])
    then(position, "p1 play J+1 10+4")
    assert where(position) == {"9": "A", "K": "B", "Q": "C", "J": "D", "10": "E"}
    assert position.is_over
    assert position.rules.ending(position.state) == "arrived"
    assert position.legal_moves == ()


def test_r_s3_the_pawn_goes_to_where_the_mover_came_from_in_this_very_move() -> None:
    """An earlier move of the same turn may have changed it."""
    board = "YYYYYYRYYYYYY"
    position = set_up("Q Q Q J J", {"J": 5, "Q": 7}, board=board)
    then(position, "p1 play J+2 Q+3")
    assert (where(position)["J"], where(position)["Q"]) == (7, 8), "the queen was sent to 5 and went on from there"
    position = set_up("Q Q J J A", {"J": 5, "Q": 7}, board=board)
    then(position, "p1 play J+2 Q+3")
    assert (where(position)["J"], where(position)["Q"]) == (7, 8)
    position = set_up("Q Q J J 9", {"J": 5, "Q": 7, "9": 6}, board=board)
    then(position, "p1 play J+2 Q+2 9+1")
    # jack takes 7, the queen goes to 5 and takes 7 back (the jack goes to 5), the nine takes 7 (the queen goes to 6)
    assert (where(position)["J"], where(position)["Q"], where(position)["9"]) == (5, 6, 7)


def test_r_s4_every_playable_figure_and_every_ace_is_played(refused: Callable[..., None]) -> None:
    position = set_up("K K Q A A", {}, throws=3)
    assert legal(position) == {
        *("p1 play K+4 Q+1", "p1 play K+3 Q+2", "p1 play K+2 Q+3"),
        *("p1 play Q+1 K+4", "p1 play Q+2 K+3", "p1 play Q+3 K+2"),
    }
    refused(position, "p1 play K+4", "p1 play K+2 Q+1")


@pytest.mark.parametrize(
    ("hand", "places"),
    [("A A A A A", []), ("K K A A A", ["K"]), ("K Q J J A", ["K", "J", "Q"]), ("K K K Q Q", ["Q", "K"])],
)
def test_r_s4_with_no_playable_figure_nothing_is_played(hand: str, places: list[str]) -> None:
    position = set_up(hand, places=places, throws=3)
    before = where(position)
    assert legal(position) == {"p1 play none"}
    then(position, "p1 play none")
    assert where(position) == before
    assert position.state.turn == 2


def test_r_s6_the_rest_of_the_play_is_not_carried_out_after_the_fourth_arrival() -> None:
    """Whichever of jack and ten moves first is the fourth; the other is placed on E though it could arrive itself."""
    hand, pawns, places = "J J J 10 10", {"J": 30, "10": 31}, ["K", "Q", "9"]
    first = set_up(hand, pawns, places)
    then(first, "p1 play J+3 10+2")
    assert where(first) == {"K": "A", "Q": "B", "9": "C", "J": "D", "10": "E"}
    second = set_up(hand, pawns, places)
    then(second, "p1 play 10+2 J+3")
    assert where(second) == {"K": "A", "Q": "B", "9": "C", "10": "D", "J": "E"}
    kinds = [event.kind for event in first.last_events()]
    assert kinds == ["play", "arrive", "last", "over", "score", "score"]


def test_r_s7_a_hand_may_be_played_after_any_throw() -> None:
    for throws in (1, 2):
        position = set_up("K K K K K", throws=throws)
        assert "p1 play K+5" in legal(position)
        assert len(legal(position, "p1 keep")) == 5
    assert legal(set_up("K K K K K", throws=3)) == {"p1 play K+5"}


def test_r_s8_running_scores_count_the_pawns_that_have_arrived() -> None:
    position = set_up("K Q J 10 9", {}, places=["K", "10"], cards=["K-Q-J-10-9", "K-10-Q-9-J"])
    assert position.rules.scores(position.state) == (10, 20)
    assert position.rules.winners(position.state) == ()
    assert play(DEALS[0]).rules.scores(play(DEALS[0]).state) == (0, 0)


def test_r_s9_the_twenty_objectives() -> None:
    expected = set()
    for card in CARDS:
        order = card.split("-")
        expected |= {f"table deal p1 {'-'.join(order[n:] + order[:n])}" for n in range(5)}
    assert len(expected) == 20
    assert legal(play()) == expected
    with pytest.raises(MalformedMove, match="no objective"):
        play("table deal p1 J-10-9-Q-K")


# -- the course of a turn --------------------------------------------------------------------------------


def test_objectives_are_dealt_in_the_order_of_the_seats_and_each_once(refused: Callable[..., None]) -> None:
    position = play(seats=3, first="p3")
    assert position.to_move == (0,)
    refused(position, "table deal p2 K-Q-J-10-9")
    then(position, "table deal p1 K-Q-J-10-9")
    assert len(position.legal_moves) == 19
    refused(position, "table deal p2 K-Q-J-10-9", "table roll K K K K K")
    then(position, "table deal p2 9-K-Q-J-10", "table deal p3 10-9-K-Q-J")
    refused(position, "table deal p1 J-10-9-K-Q")
    assert then(position, "table roll K K K K K").to_move == (3,)
    assert then(position, "p3 play K+5").state.turn == 1


def test_what_is_kept_is_of_the_hand_and_fewer_than_five(refused: Callable[..., None]) -> None:
    position = play(*DEALS, "table roll K K J 10 A")
    assert len(legal(position, "p1 keep")) == 3 * 2 * 2 * 2 - 1
    refused(position, "p1 keep K K K", "p1 keep 9")
    with pytest.raises(MalformedMove):
        position.parse_push("p1 keep K K J 10 A")


def test_a_play_that_the_hand_does_not_give_is_refused_with_a_reason(refused: Callable[..., None]) -> None:
    position = set_up("K K Q A A", {"J": 4})
    refused(position, "p1 play J+1 K+2 Q+3", "p1 play K+2 K+2 Q+1", "p1 play K+1 Q+4", "p1 play K+3 Q+3")
    refused(set_up("A A A A A"), "p1 play K+5")
    refused(set_up("", phase="over", places=FACES[:5], throws=0), "p1 play none")


def test_a_yellow_space_is_not_taken_and_a_red_one_must_be() -> None:
    for colour, expected in (("Y", (0, 2)), ("R", (2, 0))):
        position = set_up("K K 9 9 9", {"Q": 2}, board=f"Y{colour}YYYYYYYY")
        assert (where(then(position, "p1 play K+2 9+3"))["K"], where(position)["Q"]) == expected


def test_what_happens_to_each_pawn_is_told() -> None:
    position = set_up("K K Q 9 9", {"K": 1, "J": 3, "9": 3 + 5}, board="YYRYYYYYYBYYY")
    then(position, "p1 play K+2 Q+1 9+2")
    assert [str(event.text) for event in position.last_events()] == [
        "p1 plays the king, the queen and the nine.",
        "The king takes space 3 from the jack, which goes to space 1.",
        "The queen stays: space 1 is yellow and occupied.",
        "The nine stays: space 10 is black.",
    ]


def test_all_who_are_tied_win() -> None:
    position = set_up(
        "10 10 10 10 10", {"10": 30, "9": 3}, ["Q", "J", "K"], cards=["K-Q-J-10-9", "Q-J-10-9-K", "10-J-Q-K-9"], seats=3
    )
    then(position, "p1 play 10+5")
    assert where(position) == {"Q": "A", "J": "B", "K": "C", "10": "D", "9": "E"}
    assert position.rules.scores(position.state) == (20, 20, 20)
    assert position.rules.winners(position.state) == (1, 2, 3)


# -- notation --------------------------------------------------------------------------------------------


def test_the_players_page_states_every_ruling_option_and_objective() -> None:
    page = (Path(struggle.__file__).parent / "README.md").read_text(encoding="utf-8")
    assert [f"**R-S{number}, " in page for number in range(1, 11)] == [True] * 10
    assert all(f"- `{option}`" in page for option in struggle.Struggle.OPTIONS)
    assert DEFAULT in page
    assert all(card in page for card in CARDS)


@pytest.mark.parametrize("text", ["", "keep none", "p1  keep none", "p1 keep none ", "p3 keep none", "p1 done"])
def test_malformed_texts(text: str) -> None:
    with pytest.raises(MalformedMove):
        rules_of("struggle", 2).parse(text)


# -- chance ----------------------------------------------------------------------------------------------


def test_the_chances_of_a_throw_are_those_of_its_dice() -> None:
    position = play(*DEALS, "table roll K K J 10 A", "p1 keep K K J")
    chances = {str(move): chance for move, chance in position.rules.chance(position.state)}
    ways = Counter(" ".join(sorted(pair, key=FACES.index)) for pair in itertools.product(FACES, repeat=2))
    assert chances == {f"table roll {pair}": count for pair, count in ways.items()}


# -- secrets ---------------------------------------------------------------------------------------------


def test_an_objective_is_shown_to_its_seat_alone_until_the_end() -> None:
    deals = ["table deal p1 K-Q-J-10-9", "table deal p2 {}", "table deal p3 {}"]
    roll = "table roll K K J 10 A"
    one = play(
        *[deal.format("9-10-J-Q-K", "Q-K-9-10-J") for deal in deals[:2]], deals[2].format("J-9-Q-10-K"), roll, seats=3
    )
    other = play(*[deal.format("J-9-Q-10-K") for deal in deals[:2]], deals[2].format("9-10-J-Q-K"), roll, seats=3)
    assert one.rules.view(one.state, 1) == other.rules.view(other.state, 1)
    assert one.rules.view(one.state, None) == other.rules.view(other.state, None)
    assert one.rules.view(one.state, 2) != other.rules.view(other.state, 2)
    assert one.rules.view(one.state, 2)["objectives"] == {"p1": "hidden", "p2": "9-10-J-Q-K", "p3": "hidden"}
    for seat in (None, 1, 2, 3):
        shown = json.dumps(one.rules.view(one.state, seat)["objectives"])
        assert sum(card in shown for card in one.state.objectives) == (0 if seat is None else 1)


def test_a_deal_is_told_in_full_to_its_seat_alone() -> None:
    position = play(DEALS[0])
    public, private = position.last_events()
    assert public.audience is None
    assert "K-Q-J-10-9" not in str(public.text)
    assert private.audience == (1,)
    assert "K-Q-J-10-9" in str(private.text)


# -- positions that are set up ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"turn": "p3"}, "no actor"),
        ({"objectives": {"p1": "K-Q-J-10-9"}}, "'p2' is missing"),
        ({"pawns": {"K": 1, "Q": 2, "J": 3, "10": 4, "9": 33}}, "last space is 32"),
        ({"pawns": [1, 2, 3, 4, 5]}, "not a position of Struggle"),
        ({"hand": None}, "not a position of Struggle"),
    ],
)
def test_what_describes_no_position_is_refused(change: Json, fault: str) -> None:
    rules = rules_of("struggle", 2)
    sound = rules.describe(play(*DEALS, "table roll K Q J 10 A").state)
    assert rules.restore(sound)
    with pytest.raises(RulesError) as caught:
        rules.restore(sound | change)
    assert fault in str(caught.value)


# -- an oracle, written naively from the rulings ---------------------------------------------------------


class Naive:
    """A game of Struggle as a list of texts: slow, and sharing nothing with the real rules."""

    def __init__(self, seats: int, board: str = DEFAULT, first: int = 1) -> None:
        self.seats, self.board, self.turn = seats, board, first
        self.cards: list[str] = []
        self.at = dict.fromkeys(FACES[:5], 0)
        self.home: list[str] = []
        self.hand: list[str] = []
        self.kept: list[str] = []
        self.thrown = 0

    def over(self) -> bool:
        return len(self.home) == 5

    def to_move(self) -> list[str]:
        if self.over():
            return []
        return [f"p{self.turn}"] if self.hand else ["table"]

    def legal(self) -> set[str]:
        if self.over():
            return set()
        if len(self.cards) < self.seats:
            orders = [card.split("-") for card in CARDS]
            cards = {"-".join(order[n:] + order[:n]) for order in orders for n in range(5)}
            return {f"table deal p{len(self.cards) + 1} {card}" for card in cards - set(self.cards)}
        if not self.hand:
            throws = itertools.combinations_with_replacement(FACES, 5 - len(self.kept))
            return {"table roll " + " ".join(throw) for throw in throws}
        moves = self.plays()
        if self.thrown < 3:
            for size in range(5):
                for dice in itertools.combinations(self.hand, size):
                    moves.add(f"p{self.turn} keep " + (" ".join(sorted(dice, key=FACES.index)) or "none"))
        return moves

    def plays(self) -> set[str]:
        figures = {face for face in self.hand if face != "A" and face not in self.home}
        if not figures:
            return {f"p{self.turn} play none"}
        plays = set()
        for jokers in itertools.product(figures, repeat=self.hand.count("A")):
            dice = Counter([face for face in self.hand if face in figures] + list(jokers))
            for order in itertools.permutations(dice):
                plays.add(f"p{self.turn} play " + " ".join(f"{figure}+{dice[figure]}" for figure in order))
        return plays

    def push(self, text: str) -> None:
        words = text.split()
        if words[1] == "deal":
            self.cards.append(words[3])
        elif words[1] == "roll":
            self.hand, self.kept = self.kept + words[2:], []
            self.thrown += 1
        elif words[1] == "keep":
            self.hand, self.kept = [], [word for word in words[2:] if word != "none"]
        else:
            for word in words[2:]:
                if word != "none" and not self.over():
                    self.advance(*word.split("+"))
            self.hand, self.kept, self.thrown = [], [], 0
            if not self.over():
                self.turn = 1 if self.turn == self.seats else self.turn + 1

    def advance(self, pawn: str, steps: str) -> None:
        there = self.at[pawn] + int(steps)
        if there > len(self.board):
            del self.at[pawn]
            self.home.append(pawn)
            if len(self.home) == 4:
                self.home += self.at
                self.at = {}
            return
        occupant = [other for other in self.at if self.at[other] == there]
        colour = self.board[there - 1]
        if colour == "B" or (colour == "Y" and occupant):
            return
        for other in occupant:
            self.at[other] = self.at[pawn]
        self.at[pawn] = there

    def scores(self) -> tuple[int, ...]:
        scores = [
            sum(10 for pawn, wanted in zip(self.home, card.split("-"), strict=False) if pawn == wanted)
            for card in self.cards
        ]
        return tuple(scores + [0] * (self.seats - len(scores)))


@pytest.mark.parametrize(
    ("seed", "seats", "options"),
    [
        (1, 2, {}),
        (2, 3, {"first": "p3"}),
        (3, 4, {"board": "RRRRRRRRRR", "first": "p2"}),
        (4, 4, {"board": "YBBBBYBBBBRB"}),
        (5, 3, {"board": "RYRYRYBYRYRYRYB"}),
        (6, 2, {"board": "RRBRYRRBRYRRBRYRRRR"}),
    ],
)
def test_the_oracle_agrees_at_every_step(seed: int, seats: int, options: dict[str, Any]) -> None:
    rng = random.Random(seed)
    position = play(seats=seats, **options)
    naive = Naive(seats, options.get("board", DEFAULT), int(options.get("first", "p1")[1:]))
    while not position.is_over:
        texts = list(map(str, position.legal_moves))
        assert len(set(texts)) == len(texts)
        assert set(texts) == naive.legal()
        assert [f"p{actor}" if actor else "table" for actor in position.to_move] == naive.to_move()
        assert position.rules.scores(position.state) == naive.scores()
        plays = [text for text in texts if " play " in text]
        text = rng.choice(plays if plays and rng.random() < 0.5 else texts)
        position.parse_push(text)
        naive.push(text)
        assert where(position) == naive.at | dict(zip(naive.home, "ABCDE", strict=False))
    assert naive.legal() == set()
    assert position.rules.scores(position.state) == naive.scores()
    best = max(naive.scores())
    assert position.rules.winners(position.state) == tuple(n + 1 for n in range(seats) if naive.scores()[n] == best)


def test_the_oracle_agrees_on_the_moves_of_every_hand() -> None:
    """Every hand, with every number of pawns arrived: what can be played and kept."""
    for hand in itertools.combinations_with_replacement(FACES, 5):
        for places in ([], ["Q"], ["K", "9", "J"]):
            position = set_up(" ".join(hand), places=places)
            naive = Naive(2)
            naive.cards, naive.home, naive.hand, naive.thrown = CARDS[:2], places, list(hand), 1
            texts = list(map(str, position.legal_moves))
            assert len(texts) == len(set(texts))
            assert set(texts) == naive.legal()


# -- laws ------------------------------------------------------------------------------------------------


@st.composite
def games(draw: st.DrawFn) -> Position[Any]:
    """A game of random moves from a random board, stopped anywhere."""
    board = draw(st.text("YRB", min_size=10, max_size=20).filter(lambda text: "BBBBB" not in text))
    seats = draw(st.sampled_from([2, 3, 4]))
    rng = random.Random(draw(st.integers(0, 10**6)))
    position = play(seats=seats, board=board, first=f"p{draw(st.integers(1, seats))}")
    for _ in range(draw(st.integers(0, 120))):
        if position.is_over:
            break
        position.push_unchecked(rng.choice(position.legal_moves))
    return position


@settings(max_examples=sample(20, 60), deadline=None)
@given(games())
def test_the_laws_of_the_track_hold_in_every_position(position: Position[Any]) -> None:
    rules, state = of_kind(struggle.Struggle, position.rules), position.state
    spaces = where(position)
    assert sorted(spaces) == sorted(FACES[:5])
    standing = [space for space in spaces.values() if space]
    assert len(standing) == len(set(standing))
    assert all(rules.board[space - 1] != "B" for space in standing if isinstance(space, int))
    assert all(0 <= score <= 50 and score % 10 == 0 and score != 40 for score in rules.scores(state))
    assert len(state.hand) <= 5
    assert rules.restore(json.loads(json.dumps(rules.describe(state)))) == state


@settings(max_examples=sample(12, 40), deadline=None)
@given(games(), st.integers(0, 10**6))
def test_a_move_is_refused_exactly_when_it_is_not_legal(position: Position[Any], seed: int) -> None:
    rules, state = position.rules, position.state
    rng = random.Random(seed)
    allowed = set(position.legal_moves)
    others = [
        *(rules.parse(f"table roll {' '.join(rng.choices(FACES, k=k))}") for k in range(1, 6)),
        *(rules.parse(f"p{seat} keep {' '.join(rng.choices(FACES, k=rng.randint(1, 4)))}") for seat in (1, 2)),
        *(rules.parse(f"p{seat} {verb} none") for seat in (1, 2) for verb in ("keep", "play")),
        *(
            rules.parse(
                f"p{state.turn} play " + " ".join(f"{f}+{rng.randint(1, 3)}" for f in rng.choices(FACES[:5], k=k))
            )
            for k in range(1, 4)
        ),
        *(rules.parse(f"table deal p{seat} {card}") for seat in (1, 2) for card in CARDS),
    ]
    for move in [*allowed, *others]:
        reason = rules.refuse(state, move)
        assert (reason is None) == (move in allowed), (str(move), reason)
