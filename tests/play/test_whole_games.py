"""Games with scripts made for the table, to their ends: by simulated people in a process of their own, who are given
pixels and a spectator's updates, and who do what a reference game has; and any arrangement of people, screens and bots
at six places, whose dice are rolled, entered or the host's."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import arrangements
import pytest
from arrangements import arranged
from playing import bodies, exported
from whole_games import GAMES, OPTIONS, SHORT, play, reference

from at_screens import Screen
from ports import open_desk, play_at
from sample import sample, thorough
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.games import game_class
from tablier.judge.audit import audit
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.record import Record

ARRANGED = ["dilemma", "roudalon", "d21", "dicke-daemonen"]
MEANT = ["roudalon", *sample([], ["d21", "dicke-daemonen", "struggle"])]
if GAMES:
    ARRANGED = ["d21", "dicke-daemonen", "dilemma", "roudalon", "struggle"]
    MEANT = [game for game in ARRANGED if game != "dilemma"]
SHORTEST = {"d21": 1, "dicke-daemonen": 13, "dilemma": 3, "roudalon": 3, "struggle": 3}
"""Of the arrangements, one that is mixed and whose game is short."""


def seated(meant: Record, seed: int) -> list[Seat]:
    """Its players at any places, clockwise."""
    places = sorted(random.Random(seed).sample(range(1, 7), len(meant.players)))
    return [Seat(name, place, AT_TABLE, "random") for name, place in zip(meant.players, places, strict=True)]


@pytest.mark.parametrize("number", range(GAMES or 1))
@pytest.mark.parametrize("game", MEANT)
def test_to_its_end_as_it_was_meant(game: str, number: int, tmp_path: Path) -> None:
    short, seed = SHORT[game]
    options = short if not number else {**OPTIONS.get(game, {}), **(short if number % 2 else {})}
    seed = number or seed
    counts = game_class(game).seat_counts
    meant = reference(game, options, counts[number % len(counts)], seed)
    play(tmp_path, game, seated(meant, number), 10**6, meant, seed, meant.options)
    with Log.read(tmp_path / "log.db") as log:
        assert exported(log, 1) == meant
        assert audit(log.entries()).games == 1


# -- any arrangement ----------------------------------------------------------------------------------------------


def play_arranged(folder: Path, game: str, number: int) -> list[Any]:
    """Play a game to its end; return what the people have decided."""
    seats, sources = arranged(game, number)
    options = SHORT[game][0] if game in SHORT else {}
    if game == "d21":  # from the usual start: from the short one, a bot may win before anybody at the table has moved
        options = OPTIONS[game] if GAMES else {"max_plies": 8}
    noted = folder / "noted"
    screens: list[Any] = []

    def look(running: Conductor) -> float:
        if not screens:
            screens.extend(Screen(n, running, number + n) for n, seat in enumerate(seats, 1) if seat.at_screen)
        return 0.1 if screens else 1.0

    with Log.open(folder / "log.db") as log:
        begun = begin(log, game, options, seats, seed=f"{number + 1:064x}", sources=sources)
        with open_desk(seats, virtual=True, noted=noted, seed=number) as keeper:
            play_at(keeper, log, begun, hook=look)
    return [json.loads(line) for line in noted.read_text().splitlines()]


@thorough
@pytest.mark.parametrize("number", range(GAMES or 1))
@pytest.mark.parametrize("game", ARRANGED)
def test_any_arrangement_to_its_end(game: str, number: int, tmp_path: Path) -> None:
    """The log has what the people meant, the chance of each seat is from its source, and the audit runs it again."""
    number = number if GAMES else SHORTEST[game]
    seats, sources = arranged(game, number)
    meant = dict(play_arranged(tmp_path, game, number))
    with Log.read(tmp_path / "log.db") as log:
        moves, entries = log.moves(1), list(log.entries())
        assert exported(log, 1).result is not None
    report = audit(entries)
    by = [
        body["by"] for body in bodies(entries, "move") if body["text"].startswith("table ") and body["by"] != AT_TABLE
    ]
    assert report.games == 1 and report.rolls == by.count("roll") and report.aborted == 0
    assert set(by) <= {*sources.dice, sources.bag}
    people = {f"p{n}" for n, seat in enumerate(seats, 1) if seat.at_table}
    decided = [(ply, move) for ply, move in enumerate(moves) if move.split()[0] in people]
    assert decided
    if game != "dilemma":  # whose people throw, and choose, without a word
        assert [move for _, move in decided] == [meant[ply] for ply, _ in decided]


@pytest.mark.parametrize("game", ["d21", "dicke-daemonen", "dilemma", "roudalon", "struggle"])
def test_of_twenty_arrangements_each_kind_comes_up(game: str) -> None:
    drawn = [arranged(game, number) for number in range(arrangements.GAMES)]
    rules = game_class(game)
    assert {len(it.seats) for it in drawn} == set(rules.seat_counts)
    away = {tuple(sorted({"bot" if seat.is_bot else seat.source for seat in it.seats})) for it in drawn}
    assert away >= {(AT_TABLE,), ("bot", AT_TABLE), (AT_SCREEN, AT_TABLE)}
    assert (len(rules.seat_counts) == 1) or ("bot", AT_SCREEN, AT_TABLE) in away
    occupied = [{seat.place for seat in it.seats} for it in drawn]
    assert set().union(*occupied) == set(range(1, 7)), "each place is taken in some game"
    gaps = [places for places in occupied if max(places) - min(places) >= len(places)]
    assert gaps or rules.seat_counts == (6,), "there are empty places between those that are taken"
    for it in drawn:
        assert [seat.place for seat in it.seats] == sorted(seat.place for seat in it.seats), "clockwise"
        it.sources.check(rules(len(it.seats), {}), [seat.at_table for seat in it.seats])
    sources = {source for it in drawn for source in (it.sources.bag, *it.sources.dice)}
    assert sources == ({"host", "roll", "tally"} if arrangements.draws(game, rules.seat_counts[-1]) else {"host"})
    if sources != {"host"} and game != "dicke-daemonen":
        assert any(len(set(it.sources.dice)) > 1 for it in drawn), "dice of one game from several sources"
