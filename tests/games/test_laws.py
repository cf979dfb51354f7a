"""The laws of :mod:`tablier.games.testing`: a sound game obeys them, and each catches a game that breaks it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tablier.games.core import JUDGE, TABLE, Event, Move
from tablier.games.testing import LAWS, LawError, check
from tablier.texts import Json, Text

sys.path.append(str(Path(__file__).parents[1] / "seventh"))
Hunch: Any = import_module("tablier_hunch.rules").Hunch


@pytest.mark.parametrize("seats", Hunch.seat_counts)
def test_a_sound_game_obeys_the_laws(seats: int) -> None:
    check(Hunch(seats), games=10)


def broken(**methods: Callable[..., Any] | int) -> Any:
    """Hunch with other methods or bounds."""
    return type("Broken", (Hunch,), methods)


def shared_list(rules: Any, state: Any, kept: dict[Any, list[Move]] = {}) -> list[Move]:  # noqa: B006
    return kept.setdefault(state, Hunch.legal(rules, state))


def other_each_time(rules: Any, state: Any, move: Move, number: count[int] = count()) -> Any:  # noqa: B008
    after = Hunch.apply(rules, state, move)
    return after._replace(points=(after.points[0] + next(number), *after.points[1:]))


def of_words(rules: Any, actor: int, verb: str, args: list[str]) -> Move:
    move: Move = Hunch.parse_args(rules, actor, verb, args)
    return move._replace(args=tuple(args))


def of_any_verb(rules: Any, actor: int, verb: str, args: list[str]) -> Move:
    move: Move = Hunch.parse_args(rules, actor, "guess" if actor else "die", args)
    return move._replace(verb=verb)


def loaded(rules: Any, state: Any) -> Sequence[tuple[Move, int]]:
    return [(move, move.args[0]) for move, _ in Hunch.chance(rules, state)]


def missing_a_face(rules: Any, state: Any) -> Sequence[tuple[Move, int]]:
    faces: Sequence[tuple[Move, int]] = Hunch.chance(rules, state)
    return faces[1:]


def beyond_the_die(rules: Any, state: Any) -> Any:
    return Hunch.draw(rules, state)._replace(move=lambda numbers: Move(TABLE, "die", (numbers[0],)))


def open_guesses(rules: Any, state: Any, seat: int | None) -> Json:
    return {**Hunch.view(rules, state, seat), "guesses": list(state.guesses)}


def last_if_the_first_says_low(rules: Any, state: Any) -> list[Move]:
    moves: list[Move] = Hunch.legal(rules, state)
    low, *others = state.guesses
    return [move for move in moves if low != "low" or move.actor != 2 or others[-1]]


def hidden_from_all(rules: Any, state: Any, seat: int | None) -> Json:
    view: Json = Hunch.view(rules, state, None)
    return view


def telling(rules: Any, before: Any, move: Move, after: Any) -> list[Event]:
    return [*Hunch.events(rules, before, move, after), Event("told", Text("{args}", {"args": str(move.args[0])}))]


def with_event(event: Event) -> Callable[..., list[Event]]:
    return lambda rules, before, move, after: [*Hunch.events(rules, before, move, after), event]


def kept_for_good(rules: Any, before: Any, move: Move, now: Any) -> bool:
    return Hunch.secret(rules, before, move, now) or (move.verb == "guess" and now.phase == "over")


def without_round(rules: Any, state: Any) -> Json:
    return {key: value for key, value in rules._whole(state).items() if key != "round"}


def with_four_guesses(rules: Any, state: Any) -> list[Move]:
    more = [Move(2, "guess", (guess,)) for guess in ("none", "both")] if state.phase == "guess" else []
    return [*Hunch.legal(rules, state), *more]


def shorter(rules: Any, *given: Any) -> None:
    Hunch.__init__(rules, *given)
    rules.longest = 7


def without_points(rules: Any, state: Any, seat: int | None) -> Json:
    return {key: value for key, value in Hunch.view(rules, state, seat).items() if key != "points"}


def points_as_words(rules: Any, state: Any, seat: int | None) -> Json:
    view = Hunch.view(rules, state, seat)
    return view if seat is None else {**view, "points": {}}


BROKEN = {
    "a_choice_fits_a_table": [
        ("players choose among 4 options at once; a table shows 3", broken(legal=with_four_guesses))
    ],
    "what_is_written_reads_back": [("reads back as Move(actor=0, verb='die', args=('", broken(parse_args=of_words))],
    "what_is_no_move_is_malformed": [("is no move, and not malformed", broken(parse_args=of_any_verb))],
    "legal_agrees_with_refuse": [
        ("' is legal and not allowed", broken(allows=lambda rules, state, move: False)),
        ("' is not in legal, and allowed", broken(allows=lambda rules, state, move: True)),
        ("is not in legal, and not refused", broken(refuse=lambda rules, state, move: None)),
        ("is legal and refused", broken(refuse=lambda rules, state, move: Text("no"))),
        ("listed twice", broken(legal=lambda rules, state: 2 * Hunch.legal(rules, state))),
        ("not one line", broken(refuse=lambda *it: Hunch.refuse(*it) and Text("no\nno"))),
    ],
    "to_move_names_the_actors": [("to_move is (1,); ", broken(to_move=lambda rules, state: (1,)))],
    "a_move_leaves_the_old_state_alone": [("not the caller's own", broken(legal=shared_list))],
    "taking_back_is_the_identity": [("not the same when played again", broken(apply=other_each_time))],
    "chance_adds_up": [
        ("is drawn 1 in 6 times, and weighs 1 of 21", broken(chance=loaded)),
        ("not the legal moves of the table", broken(chance=missing_a_face)),
        ("'table die 0' is drawn, and no outcome", broken(draw=beyond_the_die)),
    ],
    "events_are_for_seats_of_the_game": [
        (
            "' is judged by other events than are told",
            broken(events=with_event(Event(JUDGE, Text("Was that so?"))), judged=lambda rules, before, move, after: []),
        ),
        ("nobody is told of", broken(events=lambda *it: [])),
        ("is told to (5,)", broken(events=with_event(Event("fifth", Text("Psst."), (5,))))),
        ("is no kind of event", broken(events=with_event(Event("A kind", Text("Psst."))))),
        ("not one line", broken(events=with_event(Event("kind", Text("Psst.\n"))))),
    ],
    "texts_have_their_arguments": [
        (
            "event ride: the template has {wo}, its arguments are who\n",
            broken(events=with_event(Event("ride", Text("{wo} rides.", {"who": 1})))),
        ),
        (
            "event ride: the template has {wo}, its arguments are none\n",
            broken(events=with_event(Event("ride", Text("{all}", {"all": [Text("{wo} rides.")]})))),
        ),
    ],
    "views_are_json": [("is not JSON", broken(view=lambda rules, state, seat: {"points": state.points}))],
    "secrets_do_not_leak": [
        ("the view of a spectator tells", broken(view=open_guesses)),
        ("what a spectator is told tells", broken(events=telling)),
        ("who can move tells", broken(legal=last_if_the_first_says_low)),
        ("its owner cannot tell", broken(view=hidden_from_all)),
    ],
    "what_one_seat_alone_sees_is_secret": [
        ("seats see different things, and no move is secret", broken(secret=lambda *it: False)),
        ("is still secret", broken(secret=kept_for_good)),
    ],
    "a_described_state_is_restored": [
        ("'round' is missing", broken(_whole=Hunch.describe, describe=without_round)),
        ("is restored as", broken(read=lambda rules, description: rules.initial())),
        ("is not JSON", broken(describe=lambda rules, state: state._asdict())),
    ],
    "a_game_ends_once_and_for_good": [
        ("the game has not ended, with the ending None and the winners (1,)", broken(winners=lambda *it: (1,))),
        ("the ending is None", broken(ending=lambda *it: None)),
    ],
    "scores_are_numbers": [("the scores are ['0", broken(scores=lambda rules, state: list(map(str, state.points))))],
    "a_game_keeps_its_bounds": [
        ("the game has 8 moves; longest is 7", broken(__init__=shorter)),
        ("table has 6 legal moves; most_legal is 5", broken(most_legal=5)),
    ],
    "facts_are_told_of_an_ended_game": [
        (
            "hunch, facts.py: tell raised ValueError: 'threw' of seat 0 is no fact of this game (facts.py, line ",
            broken(thrower=lambda rules, state: TABLE),
        )
    ],
    "lights_show_every_position": [
        ("hunch, lights.py: ring raised KeyError: 'points' (lights.py, line ", broken(view=without_points))
    ],
    "bots_play_legal_moves": [
        ("hunch, bots.py: Greedy.decide raised IndexError: list index out of range (", broken(view=points_as_words))
    ],
}
CASES = [(law, said, rules) for law, cases in BROKEN.items() for said, rules in cases]


@pytest.mark.parametrize(("law", "said", "rules"), CASES, ids=[f"{law}: {said}" for law, said, _ in CASES])
def test_a_game_that_breaks_a_law_is_caught(law: str, said: str, rules: Any) -> None:
    with pytest.raises(LawError) as caught:
        check(rules(3, {"rounds": 2}), games=5)
    assert f": {law.replace('_', ' ')}: " in str(caught.value)
    assert said in str(caught.value)


def test_each_law_has_a_game_that_breaks_it() -> None:
    assert [law.__name__ for law in LAWS] == list(BROKEN)


def test_a_game_without_end_is_caught() -> None:
    endless = broken(apply=lambda rules, state, move: Hunch.apply(rules, state, move)._replace(round=1))
    with pytest.raises(LawError, match="the game does not end"):
        check(endless(2), games=1)


def test_an_exception_of_the_rules_names_the_law_and_the_game() -> None:
    with pytest.raises(LawError, match=r"Hunch, 2 seats, options {}, seed 7: scores are numbers: ZeroDivisionError"):
        check(broken(scores=lambda *it: 1 / 0, winners=lambda *it: ())(2), games=1, seed=7)


def test_an_error_shows_how_the_game_got_there_and_how_to_see_it_again() -> None:
    with pytest.raises(LawError) as caught:
        check(broken(view=open_guesses)(2, {"rounds": 1}), games=5, seed=3)
    first, moves, again = str(caught.value).split("\n")
    assert first.startswith(
        "Hunch, 2 seats, options {'rounds': 1}, seed 3: secrets do not leak: the view of a spectator"
    )
    assert "tells 'p1 guess high' from 'p1 guess low' after 0 more moves: it is {" in first
    assert "'guesses': ['high', '']" in first and "'guesses': ['low', '']" in first
    assert moves == "  the moves until then: p1 guess high"
    assert again == "  again: check(Broken(2, {'rounds': 1}), games=1, seed=3)"
