"""Games announce the outcomes of moves truly: playing them brings about the text shown before."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tablier.games import rules_of, words_of
from tablier.games.core import TABLE, Move, Rules
from tablier.games.core.words import OUTCOME_MAX


def decisions(game: str, seed: int) -> Iterator[tuple[Rules[Any], Any, Move, str]]:
    """Yield rules, state, a move that a seat can make, and what it leads to, along a random game."""
    options: dict[str, dict[str, Any]] = {"d21": {"max_plies": 60}, "roudalon": {"first": "p1"}}
    draw, rules = random.Random(seed), rules_of(game, 2 if game == "d21" else 4, options.get(game, {}))
    outcome, state = words_of(game).outcome, rules.initial()
    assert outcome is not None
    while moves := [move for move, _ in rules.chance(state)] or list(rules.legal(state)):
        move = draw.choice(moves)
        if move.actor != TABLE:
            for each in {move, *draw.sample(moves, min(len(moves), 4))}:
                text = str(outcome(rules, rules.view(state, each.actor), each))
                assert len(text) < OUTCOME_MAX, f"{each}: {text}"
                yield rules, state, each, text
        state = rules.apply(state, move)


@pytest.mark.parametrize("seed", range(2))
def test_struggle_says_where_pawns_will_stand(seed: int) -> None:
    for rules, state, move, text in decisions("struggle", seed):
        after = rules.view(rules.apply(state, move), move.actor)
        if move.verb == "keep":
            assert text.startswith(str(5 - len(after["hand"])))
            continue
        said = dict(re.findall(r"(\w+) (?:goes to|arrives on) ([A-E0-9]+|the start)", text))
        track = {pawn: str(at) if at else "the start" for pawn, at in after["pawns"].items()}
        stands = {**track, **dict(zip(after["places"], "ABCDE", strict=False))}
        before = rules.view(state, move.actor)
        moved = {pawn for pawn in stands if before["pawns"].get(pawn) != after["pawns"].get(pawn)}
        assert said == {pawn: stands[pawn] for pawn in moved}
        named = {word.partition("+")[0] for word in move.args} - {"none"}
        assert {part.split()[0] for part in text.split(", ") if "stays" in part} == named - moved


@pytest.mark.parametrize("seed", range(3))
def test_le_roudalon_says_the_pot_and_how_many_throws_take_it(seed: int) -> None:
    for rules, state, move, text in decisions("roudalon", seed):
        after = rules.apply(state, move)
        if move.verb == "bet":
            assert text.startswith(f"{after.pot} in the pot") and ("over" in text) == (after.phase == "over")
            assert ("gain" in text) == (sum(after.dice) > sum(state.dice) and after.phase != "over")
        elif move.verb == "roll":
            chances = rules.chance(after)
            takes = sum(weight for dice, weight in chances if rules.apply(after, dice).phase == "over")
            throws = sum(weight for _, weight in chances)
            assert "others" not in text, "a throw loses dice, not the other players"
            if takes or "fall short" in text:
                assert text.startswith(f"{takes} of {throws} throws")
                assert "fall short" in text or f"the other {throws - takes} lose" in text
            else:
                assert text.startswith(("one die cannot take the pot: ", "two dice cannot take the pot: "))
                assert ("but no stake" in text) == (len(state.thrown) == 0 and state.allies == 1)


@pytest.mark.parametrize("seed", range(2))
def test_dicke_daemonen_says_who_has_the_field(seed: int) -> None:
    for rules, state, move, text in decisions("dicke-daemonen", seed):
        before, after = (rules.view(each, None) for each in (state, rules.apply(state, move)))
        if move.verb == "predict":
            assert int(text.split()[0]) == after["bag"] - before["bag"] if "back" in text else "empty" in text
        elif move.verb == "place" and move.args[0] == "white":
            points = after["points"]["white"]
            assert f"white has {points} point" in text
        elif move.verb == "place":
            was, now = before["majorities"], after["majorities"]
            changed = [field for field in now if now[field] != was[field]]
            assert ("stays" in text) == (not changed)
            for field in changed:
                called = "the outer field" if field == "outer" else field
                loses, takes = f"{was[field]} loses {called}", f"{now[field]} takes {called}"
                assert (loses if now[field] is None else takes) in text


@pytest.mark.parametrize("game", ["d21", "dicke-daemonen", "dilemma", "roudalon", "struggle"])
def test_each_move_is_a_command_that_stands_for_it_alone(game: str) -> None:
    """What is confirmed says what is done: moves of one question that are different things have different commands."""
    deed = words_of(game).deed
    assert deed is not None
    for rules, state, _, _ in decisions(game, 0):
        view_of = {seat: rules.view(state, seat) for seat in range(1, rules.seats + 1)}
        said: dict[tuple[int, str], Move] = {}
        for move in (each for each in rules.legal(state) if each.actor != TABLE):
            text = str(deed(rules, view_of[move.actor], move))
            assert text[0].isupper() and not text.endswith("."), text
            other = said.setdefault((move.actor, text), move)
            alike = {"throw": 1, "place": 1}.get(move.verb)  # how a card lands, and where in a field, is not said
            assert other == move or (alike and other.args[:1] == move.args[:1]), (other, move, text)
