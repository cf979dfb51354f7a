"""Looking again: what a bot would have done at a move of a finished game, knowing what its seat could know then."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from positions import then
from sample import sample
from tablier.bots.bots import adviser
from tablier.bots.campaigns import Campaign, play_one
from tablier.cli.main import main
from tablier.course.declined import Declined
from tablier.course.seats import Seat
from tablier.games import bots_of, rules_of
from tablier.games.core import Position
from tablier.games.core.search import Budget, race
from tablier.log.fold import GameInfo
from tablier.log.store import Log
from tablier.play import analysing
from tablier.play.beginning import begin
from tablier.record import Record, replay, result_of

NAMES = ("Anne", "Bernard", "Christine", "Daniel")
SEATS = {"dilemma": 3, "struggle": 2, "dicke-daemonen": 2, "roudalon": 4, "d21": 2}


def played(game: str, number: int = 1) -> list[str]:
    """The moves of a game of bots."""
    names = NAMES[: SEATS[game]]
    options = {"max_plies": 30} if game == "d21" else {}
    return list(play_one(Campaign(game, options, ("greedy",) * len(names), names, 7), number).record.moves)


def logged(path: Path, game: str, moves: Sequence[str], *, over: bool = True) -> int:
    """Log a game; return its number."""
    names = NAMES[: SEATS[game]]
    with Log.open(path) as log:
        number = begin(log, game, {}, [Seat(name, 0, "greedy") for name in names])
        log.append_all([(number, "move", {"text": move, "by": "greedy"}) for move in moves])
        if over:
            log.append(number, "end", result_of(replay(Record(game, names, tuple(moves)))))
    return number


def info_of(game: str, *, ended: str | None = "2026-01-31T20:15:00.000000Z") -> GameInfo:
    seats = [Seat(name, 0, "greedy").to_json() for name in NAMES[: SEATS[game]]]
    return GameInfo(1, game, {}, seats, "2026-01-31T20:00:00.000000Z", ended, 0, None, 1)


def decisions(game: str, moves: Sequence[str]) -> list[int]:
    """The numbers of the moves that seats decided."""
    return [at for at, move in enumerate(moves, 1) if not move.startswith("table")]


def fields(found: analysing.Analysis) -> Any:
    """What a bot said, without the numbers' last digits."""
    told = found.message()
    return told.bot, [(option.move, option.worth and round(option.worth, 9)) for option in told.options]


# -- what it is told -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", sample(["struggle", "dilemma"], list(SEATS)))
def test_a_bot_names_what_was_open_to_the_seat_and_says_the_same_again(game: str) -> None:
    moves, info = played(game), info_of(game)
    numbers = decisions(game, moves)
    for at in sample([numbers[len(numbers) // 2]], numbers[:: -(-len(numbers) // 5)]):
        moment = analysing.moment_of(info, moves, at)
        position = Position(rules_of(game, SEATS[game], {}))
        then(position, *moves[: at - 1])
        assert moment.decision.view == position.rules.view(position.state, moment.decision.seat)
        best = adviser(game)
        for bot in (None, *(bot for bot in bots_of(game) if bot != best)):
            found = analysing.look(moment, bot)
            named = [option.move for option in found.options]
            assert 1 <= len(set(named)) == len(named) <= analysing.MOST
            assert set(named) <= {*moment.decision.moves, *([None] if moment.decision.may_pass else [])}
            assert fields(found) == fields(analysing.look(moment, bot or best))
            worths = [option.worth for option in found.options if option.worth is not None]
            assert bool(worths) == (found.estimates is not None)


def test_it_knows_nothing_that_the_seat_could_not_know() -> None:
    """Two games of Struggle that differ in the other seat's objective alone."""
    moves = played("struggle")
    other = next(at for at, move in enumerate(moves) if move.startswith("table deal p2"))
    dealt = next(move for move in moves if move.startswith("table deal p1"))
    position = Position(rules_of("struggle", 2, {}))
    then(position, *moves[:other])
    instead = next(
        str(move)
        for move in position.legal_moves
        if move.args[1] not in (moves[other].split(" ")[-1], dealt.split(" ")[-1])
    )
    changed = [*moves[:other], instead, *moves[other + 1 :]]
    at = next(at for at in decisions("struggle", moves) if moves[at - 1].startswith("p1"))
    one, two = (analysing.moment_of(info_of("struggle"), each[: at + 1], at) for each in (moves, changed))
    assert one.decision.view == two.decision.view
    assert fields(analysing.look(one)) == fields(analysing.look(two))


def test_of_a_throw_it_is_asked_for_the_card_alone() -> None:
    moves = played("dilemma")
    at = next(at for at in decisions("dilemma", moves) if " throw " in moves[at - 1])
    told = analysing.look(analysing.moment_of(info_of("dilemma"), moves, at)).message()
    assert re.fullmatch(r"throw \d+", told.played)
    assert all(option.move is None or re.fullmatch(r"throw \d+", option.move) for option in told.options)


def test_what_a_race_leaves_behind_is_worth_less_than_its_winner() -> None:
    means = [0.1, 0.9, 0.4, 0.6, 0.2]
    worths = race(range(5), lambda n, number: means[n] + number % 7, Budget(200))
    assert list(worths) == sorted(worths, key=lambda n: -means[n])
    best = worths[1]
    assert {n: round(worth - best, 9) for n, worth in worths.items()} == {
        n: round(mean - means[1], 9) for n, mean in enumerate(means)
    }


# -- what cannot be looked at ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "why"),
    [
        (0, "there is no move 0; 4 were made"),
        (5, "there is no move 5; 4 were made"),
        (3, "move 3, table close, is the"),
    ],
)
def test_a_move_that_nobody_decided_is_refused(at: int, why: str) -> None:
    moves = ["p1 offer 8", "p2 throw 3 flat", "table close", "p1 duel peace"]
    with pytest.raises(Declined, match=why):
        analysing.moment_of(info_of("dilemma"), moves, at)


def test_a_running_game_is_refused_and_a_bot_that_is_not_there() -> None:
    with pytest.raises(Declined, match="game 1 is still running; it can be analysed when it is over"):
        analysing.moment_of(info_of("dilemma", ended=None), ["p1 offer 8"], 1)
    with pytest.raises(Declined, match="dilemma has no bot 'best'; there are: random, easy, greedy, good, strong"):
        analysing.look(analysing.moment_of(info_of("dilemma"), ["p1 offer 8"], 1), "best")


# -- the command -----------------------------------------------------------------------------------------------------


def command(path: Path, capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    status = main(["log", "analyse", "--log", str(path), *map(str, words)])
    return status, *capsys.readouterr()


def test_the_command_tells_the_position_the_move_and_what_a_bot_would_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "log.db"
    moves = played("dilemma")
    logged(path, "dilemma", moves)
    logged(path, "dilemma", moves[:1], over=False)
    at = next(at for at in decisions("dilemma", moves) if " throw " in moves[at - 1])
    seat, _, rank, _ = moves[at - 1].split(" ")
    name = NAMES[int(seat[1]) - 1]
    status, out, err = command(path, capsys, 1, at)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"Game 1, Dilemma, before move {at} of {len(moves)}, as {name} saw it"
    assert f"{name} played: throw {rank}" in lines
    best = next(line.removeprefix("strong would play: ") for line in lines if line.startswith("strong would play: "))
    assert any(re.fullmatch(rf"  {best} +-?\d\.\d\d\d", line) for line in lines)
    assert lines[-1].startswith("The numbers: its share of the win")
    status, out, _ = command(path, capsys, 1, at, "--bot", "greedy")
    assert status == 0 and "greedy would play: " in out and "The numbers" not in out
    for words, why in (
        ((2, 1), "game 2 is still running"),
        ((3, 1), "there is no game 3"),
        ((1, 999), "there is no move 999"),
        ((1, 1, "--bot", "x"), "dilemma has no bot 'x'; there are: "),
    ):
        status, out, err = command(path, capsys, *words)
        assert (status, out) == (2, "") and why in err and err.count("\n") == 1, err
