"""Rules that say no more than rules must: the rest is as the core has it."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from positions import then
from tablier.course.session import Made
from tablier.games.core import IllegalMove, Move, Position, Rules, RulesError, left_of, seat_name
from tablier.play.telling import pieces_of
from tablier.texts import Json, render


class Heap(NamedTuple):
    turn: int
    left: int
    taken: tuple[int, ...]


class Nim(Rules[Heap]):
    """In turn each takes one or two of five; who has most wins."""

    name = "nim"
    title = "Nim"
    seat_counts = (2, 3)
    OPTIONS = {}

    def initial(self) -> Heap:
        return Heap(1, 5, (0,) * self.seats)

    def legal(self, state: Heap) -> list[Move]:
        return [Move(state.turn, "take", (count,)) for count in (1, 2) if count <= state.left]

    def apply(self, state: Heap, move: Move) -> Heap:
        (count,) = move.args
        taken = tuple(has + count * (seat == state.turn) for seat, has in enumerate(state.taken, 1))
        return Heap(left_of(state.turn, self.seats), state.left - count, taken)

    def scores(self, state: Heap) -> tuple[float, ...]:
        return state.taken

    def view(self, state: Heap, seat: int | None) -> Json:
        return {"turn": seat_name(state.turn), "left": state.left}

    def parse_args(self, actor: int, verb: str, args: list[str]) -> Move:
        return Move(actor, verb, (int(args[0]),))


def played(*texts: str) -> Position[Any]:
    return then(Position(Nim(2)), *texts)


def test_who_can_move_and_how_it_ends() -> None:
    position = played("p1 take 2", "p2 take 2")
    assert (position.to_move, position.rules.ending(position.state), position.rules.winners(position.state)) == (
        (1,),
        None,
        (),
    )
    position.parse_push("p1 take 1")
    assert position.is_over
    assert (position.rules.ending(position.state), position.rules.winners(position.state)) == ("over", (1,))


@pytest.mark.parametrize(
    ("before", "move", "said"),
    [
        ((), "p2 take 1", "it is Anne's turn"),
        ((), "table take 1", "it is Anne's turn"),
        (("p1 take 2", "p2 take 2"), "p1 take 2", "'take 2' is not possible now"),
        (("p1 take 2", "p2 take 2", "p1 take 1"), "p2 take 1", "the game is over"),
    ],
)
def test_why_a_move_is_not_legal(before: tuple[str, ...], move: str, said: str) -> None:
    with pytest.raises(IllegalMove) as refused:
        played(*before).parse_push(move)
    assert render(refused.value.text.to_json(), ["Anne", "Bernard"]) == said


def test_what_people_are_told() -> None:
    (event,) = played("p1 take 2").last_events()
    assert (event.kind, event.audience) == ("take", None)
    assert render(event.text.to_json(), ["Anne", "Bernard"]) == "Anne: take 2."


def test_a_state_is_described_and_restored() -> None:
    state = played("p1 take 2").state
    description = {"turn": 2, "left": 3, "taken": [2, 0]}
    assert Nim(2).describe(state) == description
    assert Nim(2).restore(description) == state
    with pytest.raises(RulesError, match="not a position of Nim: 'left' is missing"):
        Nim(2).restore({"turn": 2, "taken": [2, 0]})


def test_news_of_a_game_that_counts_its_turns_belong_to_them() -> None:
    class Counted(Nim):
        def view(self, state: Heap, seat: int | None) -> Json:
            return {**super().view(state, seat), "turn": 6 - state.left}

    position: Position[Any] = Position(Counted(2))
    turns = []
    for text in ("p1 take 2", "p2 take 2"):
        move = position.parse_push(text)
        turns += [piece.turn for piece in pieces_of(Made(move, position))]
    assert turns == ["1", "3"]
