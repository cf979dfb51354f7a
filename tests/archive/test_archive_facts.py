"""Facts of games and what they add up to: each in its month and by its sources, and nothing once a game has gone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from contents import contents

from tablier.archive.campaigns import keep_one
from tablier.archive.database import Archive
from tablier.archive.ended import EndedGame, Player
from tablier.archive.facts import BAG, BEAM, DIE, FACT, TABLE, FactRow, facts_in
from tablier.archive.keeping import ClubWriter, source_of
from tablier.archive.months import moment_of
from tablier.archive.questions import Scope, _tested, ask
from tablier.bots.campaigns import Campaign
from tablier.course.chance import Sources
from tablier.games import facts_of
from tablier.games.core import TABLE as CHANCE

GAMES: dict[str, tuple[int, dict[str, Any]]] = {
    "d21": (2, {"max_plies": 12}),
    "dicke-daemonen": (3, {}),
    "dilemma": (4, {}),
    "roudalon": (4, {}),
    "struggle": (3, {}),
}
NEW_YEAR = moment_of(202701)
MARGINS = {"e661410403113c2a": (48, 50, None, 0)}


@cache
def played(kind: str, number: int) -> EndedGame:
    """A game of random bots, each with a name of its own, whose table was reset twice."""
    seats, options = GAMES[kind]
    game = keep_one(Campaign(kind, options, ("random",) * seats, tuple("ABCD"[:seats]), 1), NEW_YEAR, number).game
    people = zip(game.seats, "ABCD", strict=False)
    named = tuple(seat._replace(player=Player(f"{ord(name):016x}", name)) for seat, name in people)
    return replace(game, seats=named, table={"reset": 2, "hello": 3}, margins=MARGINS)


def put(archive: Archive, club: str, games: Iterable[EndedGame], gone: Collection[int] = ()) -> None:
    with archive.writing(club) as (connection, number):
        keeping = ClubWriter(connection, number)
        source = source_of(connection, number, club.encode().ljust(32)).id
        keeping.remove(source, gone)
        keeping.add(source, [(game, facts_in(game)) for game in games])
        keeping.finish()


def rows(archive: Archive, question: str, **scope: Any) -> list[dict[str, Any]]:
    """The rows of the table of an answer that has its name."""
    (answer,) = (each for each in ask(archive, question, Scope(**scope)) if each.key == question)
    return answer.by_key


@pytest.mark.parametrize("kind", GAMES)
def test_a_game_that_goes_takes_with_it_what_it_counted_for(kind: str, where: str, tmp_path: Path) -> None:
    games = [replace(played(kind, number), number=number) for number in (1, 2, 3)]
    with Archive.open(tmp_path / "without.db", create=True) as archive:
        put(archive, "here", games[1:])
        without = contents(archive)
    with Archive.open(where, create=True) as archive:
        put(archive, "there", games)
        put(archive, "here", games)
        assert contents(archive)["summary"].keys() > without["summary"].keys()
        put(archive, "here", [], gone=[1])
        found = contents(archive)
        here = {key: counts for key, counts in found["summary"].items() if key[0] == "here"}
        assert here == without["summary"]
        assert {key for key in found["players"] if key[0] == "there"} == {
            ("there", seat.player.key, seat.player.name) for seat in games[0].seats
        }
        put(archive, "here", [], gone=[2, 3])
        found = contents(archive)
        assert {key[0] for key in found["summary"]} == {club for club, _, _ in found["players"]} == {"there"}


def test_a_game_counts_in_the_month_of_its_end_by_the_clock_of_greenwich(where: str) -> None:
    last, first = (
        replace(played("d21", 1), number=number, began=ended, ended=ended, evening=number)
        for number, ended in ((1, NEW_YEAR - 1), (2, NEW_YEAR))
    )
    with Archive.open(where, create=True) as archive:
        put(archive, "here", [last, first])
        months = ask(archive, "evenings", Scope())[0].rows
        assert [(row[1], row[3]) for row in months] == [(202612, 1), (202701, 1)]
        for scope in ({"until": 202612}, {"since": 202701}, {"since": 202612, "until": 202612}):
            assert sum(row["games"] for row in rows(archive, "evenings", **scope)) == 1
            assert sum(row["games"] for row in rows(archive, "evenings", club="here", **scope)) == 1
            assert {row["games"] for row in rows(archive, "results", **scope)} == {1}
        for scope in ({"since": 202701, "until": 202701}, {"since": 202612, "until": 202701}):
            assert sum(row["games"] for row in rows(archive, "evenings", **scope)) == 1 + (scope["since"] == 202612)
        assert rows(archive, "results", since=202702) == rows(archive, "results", until=202611) == []


@pytest.mark.parametrize("kind", GAMES)
def test_facts_are_added_up_and_words_are_tallied(kind: str, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablier.archive.questions._MOST_WORDS", 2)
    games = [replace(played(kind, number), number=number) for number in (1, 2, 3)]
    sums, words = Counter[str](), defaultdict[str, Counter[str]](Counter)
    for game in games:
        for _, what, value in facts_of(kind).of(game.replayed()):
            if isinstance(value, str):
                words[what][value] += 1
            else:
                sums[what] += value
    names, values = facts_of(kind).names, facts_of(kind).values
    with Archive.open(where, create=True) as archive:
        put(archive, "here", games)
        found = {answer.key: answer for answer in ask(archive, "play", Scope())}
    answer = found.pop(f"{kind}.facts")
    assert {row[0]: row[1:] for row in answer.rows} == {what: (n, n / 3) for what, n in sums.items()}
    assert [answer.columns[0].shown(row[0]) for row in answer.rows] == [str(names[str(row[0])]) for row in answer.rows]
    for what, counted in words.items():
        answer = found.pop(f"{kind}.{what}")
        most = sorted(counted.items(), key=lambda each: (-each[1], each[0]))[:2]
        assert answer.rows == [(word, n, n / sum(counted.values())) for word, n in most]
        assert [answer.columns[0].shown(row[0]) for row in answer.rows] == [
            str(values.get(word, word)) for word, _ in most
        ]
        assert len(answer.notes) == (len(counted) > 2)
    assert not found


def test_clubs_are_rated_apart_and_practice_is_not_rated(where: str) -> None:
    game = played("roudalon", 1)
    practice = replace(game, number=2, practice=True)
    with Archive.open(where, create=True) as archive:
        put(archive, "one", [game])
        alone = rows(archive, "ratings")
        put(archive, "one", [practice])
        put(archive, "other", [game])
        put(archive, "other", [practice])
        assert rows(archive, "ratings", club="one") == alone
        assert [{**row, "club": "one"} for row in rows(archive, "ratings", club="other")] == alone
        assert {row["games"] for row in rows(archive, "results", club="one")} == {2}


def test_a_bag_is_held_against_what_was_in_it() -> None:
    drawn = {"red": (30, 30.0), "blue": (10, 10.0)}
    (sort, what, n, face, *_), p = _tested(f"{BAG} host", drawn)
    assert (sort, what, n, face) == ("host", "bag", 40, None)
    assert p == pytest.approx(1)


# -- one game ------------------------------------------------------------------------------------------------


def throws(game: EndedGame) -> Counter[tuple[int, str]]:
    """Count the faces that a game's dice showed, by the seat that threw them."""
    position, found = game.replayed(), Counter[tuple[int, str]]()
    for before, move in position.history():
        if move.actor == CHANCE and position.rules.chance(before) and (draw := position.rules.draw(before)).dice:
            found.update((draw.seat, str(face)) for face in move.args)
    return found


@pytest.mark.parametrize("kind", ["roudalon", "struggle"])
def test_dice_are_counted_by_the_source_of_the_seat_that_threw_them(kind: str) -> None:
    game = played(kind, 2)
    sources = ("host", "tally", "roll", "tally")[: len(game.seats)]
    facts = facts_in(replace(game, sources=Sources(sources, "host")))
    expected = Counter[tuple[str, str]]()
    for (seat, face), times in throws(game).items():
        expected[f"{DIE} {sources[seat - 1]} 6", face] += times
    assert {(fact.what, fact.value): fact.n for fact in facts if fact.what.startswith(DIE)} == expected


def test_each_draw_from_a_bag_is_expected_to_be_one_of_what_is_left_in_it() -> None:
    game = replace(played("dicke-daemonen", 1), sources=Sources((), "tally"))
    drawn, expected = Counter[str](), defaultdict[str, float](float)
    position = game.replayed()
    for before, move in position.history():
        if outcomes := position.rules.chance(before):
            drawn[move.args[-1]] += 1
            for outcome, weight in outcomes:
                expected[outcome.args[-1]] += weight / sum(weight for _, weight in outcomes)
    facts = [fact for fact in facts_in(game) if fact.what == f"{BAG} tally"]
    assert {fact.value: fact.n for fact in facts if fact.n} == drawn
    assert {fact.value: fact.total for fact in facts} == pytest.approx(dict(expected))


@pytest.mark.parametrize("kind", GAMES)
def test_what_the_seats_of_a_game_show_is_added_up(kind: str) -> None:
    game = played(kind, 1)
    told: dict[tuple[str, str], tuple[int, float]] = {}
    for _, what, value in facts_of(kind).of(game.replayed()):
        key = f"{FACT} {what}", value if isinstance(value, str) else ""
        n, total = told.get(key, (0, 0.0))
        told[key] = n + 1, total + (0 if isinstance(value, str) else value)
    facts = facts_in(game)
    assert {fact[:2]: fact[2:] for fact in facts if fact.what.startswith(FACT)} == told
    assert {FactRow(TABLE, "reset", 2), FactRow(TABLE, "hello", 3)} < set(facts)
    beams = {fact.value: fact.total for fact in facts if fact.what == BEAM}
    assert beams == {f"e661410403113c2a {beam}": margin for beam, margin in ((0, 48), (1, 50), (3, 0))}
