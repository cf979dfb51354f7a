"""What people at a table see and are told: the end, a restart within a duel, take-backs and corrections."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from driving import Driver, entries_of, session_of
from playing import a_table, meant_game, play, seats

from following import following
from tablier.cli.common import CommandError
from tablier.cli.play import _port_of
from tablier.games import rules_of
from tablier.games.core import Json
from tablier.games.core.lights import WINNER
from tablier.games.core.questions import Poll
from tablier.keeper import Keeper
from tablier.log import Log
from tablier.play import conductor
from tablier.play.audit import audit
from tablier.play.beginning import begin, heading
from tablier.play.chance import Sources
from tablier.play.conductor import Conductor
from tablier.play.logged import last_table
from tablier.play.session import AT_TABLE, Seat
from tablier.screens.model import Model
from tablier.screens.summary import LogName
from tablier.table.clock import LifeClock
from tablier.texts import render
from tablier_fw import colours

NAMES = ("Anne", "Bernard", "Christine")
DUEL = ("p1 offer 8", "p2 throw 5 flat", "table close", "p1 duel peace", "p2 duel conflict")


def seated(count: int) -> list[Seat]:
    return [Seat(NAMES[n], n + 1, AT_TABLE) for n in range(count)]


# -- the end ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("linger_s", "seen"), [(0.0, False), (5.0, True)])
def test_the_end_stands_on_the_table(linger_s: float, seen: bool, tmp_path: Path) -> None:
    """In Dilemma the ring swells in yellow in front of who has won, after what was chosen last was shown."""
    meant = meant_game(3, 2)
    rings: list[list[str]] = []
    with a_table(seed=3) as table, Log.open(tmp_path / "log.db") as log:
        number = begin(log, "dilemma", meant.settled, seats(3))
        with Keeper(seats(3), table.port, virtual=True, seed=7) as keeper:
            from tablier.simulation.people import People

            crowd = People(keeper.hands, dict.fromkeys((1, 2, 3), "greedy"), following(meant.moves), seed=7)
            updates: list[Json] = []
            keeper.port.connect().subscribe(None, updates.append)

            def work(running: Conductor) -> float:
                if running.over:
                    rings.append(keeper.hands.pixels()["ring"])
                    return 0.2
                return crowd.act(keeper.clock.now(), lambda: updates[-1] if updates else None)

            keeper.play(log, number, linger_s=linger_s, hook=work)
    yellow = colours.PALETTE[WINNER[0]]
    last = [bytes.fromhex(pixel) for ring in rings[-3:] for pixel in ring]
    assert any(pixel[0] > pixel[1] > 0 and not pixel[2] for pixel in last) is seen, yellow


# -- a restart within a duel -------------------------------------------------------------------------------------------


def test_what_a_restart_has_forgotten_is_said(tmp_path: Path) -> None:
    told: list[str] = []
    meant = meant_game(3, 5)

    class Reset:
        done = False

        def work(self, running: Conductor) -> float:
            session = running.session
            if not self.done and session.question is not None and session.question.what == "duel" and session.locked:
                self.done = True
                table.say("reset")
            return 1.0

    with a_table(seed=3) as table, Log.open(tmp_path / "log.db") as log:
        number = begin(log, "dilemma", meant.settled, seats(3))

        def watch(update: Json) -> None:
            told.extend(render(news["text"], NAMES) for news in update["news"] if news["kind"] == "restarted")

        play(log, number, table, meant.moves, watch=watch, hook=Reset())
        assert audit(log.entries()).games == 1
    assert len(told) == 1 and "it has forgotten what " in told[0] and told[0].endswith(" choose again.")


# -- at the console ----------------------------------------------------------------------------------------------------


@contextmanager
def console(path: Path, game: str, moves: int) -> Iterator[tuple[Conductor, Model]]:
    """A game at a table that nobody has plugged in, and the console beside it."""
    count = 4 if game == "roudalon" else 3
    with Log.open(path / "log.db") as log:
        names = (*NAMES, "Daniel")
        seats = [Seat(names[n], n + 1, AT_TABLE) for n in range(count)]
        options = {"first": "p1"} if game == "roudalon" else {}
        running = Conductor(log, begin(log, game, options, seats), LifeClock())
        model = Model((), LogName(""))
        connection = running.inbox.connect(operator=True)
        connection.subscribe(None, model.take)
        running.start()
        running.work()
        yield running, model
        running.close()


def test_a_take_back_is_asked_for_in_a_name(tmp_path: Path) -> None:
    with console(tmp_path, "roudalon", 1) as (running, model):
        assert model.accept(":back") == [] and "whose?" in model.error and "Anne" in model.error
        assert model.accept(":back Zoe") == [] and "whose?" in model.error
        ((what, body),) = model.accept(":back ber 2")
        assert (what, body) == ("command", {"command": "back", "seat": 2, "count": 2})
        assert model.accept(":back Anne")[0].body == {"command": "back", "seat": 1, "count": 1}
        session = running.session
        picked = {"event": "picked", "id": session.id, "place": 1, "option": 2}
        running._commit(running._fed("table", picked), cursor=("c0" * 8, 1))
        assert session.ply == 1
        running.inbox.connect(operator=True).command({"command": "back", "seat": 1, "count": 1})
        running.work()
        assert isinstance(session.question, Poll) and session.question.seats == (2, 3, 4)


# -- corrections behind a secret -------------------------------------------------------------------------------------


def driven(moves: tuple[str, ...], options: Json | None = None) -> Driver:
    driver = Driver(session_of(rules_of("dilemma", 3, options), seated(3)), [*moves, "p2 offer 1"])
    driver.begin()
    driver.play(len(moves))
    return driver


def correct(driver: Driver, at: int, move: str) -> None:
    body = {"seat": 2, "at": at, "move": move}
    driver._keep([("correction", body), *driver.session.feed("correction", body)], None)
    while driver.session.question is not None and driver.session.question.what == "back":
        driver.step()


def test_a_wrong_card_is_corrected_behind_the_duel_where_everybody_agrees() -> None:
    driver = driven(DUEL)
    correct(driver, 2, "throw 6 flat")
    moves = [str(move) for move in driver.session.position.moves]
    assert moves == ["p1 offer 8", "p2 throw 6 flat", *DUEL[2:]]
    assert driver.session.position.state.gained[1] == (8, 6) or set(driver.session.position.state.gained[1]) == {8, 6}
    entries = entries_of(heading("dilemma", {}, driver.session.seats), driver.items)
    assert audit(entries).games == 1


def test_what_would_not_let_all_that_followed_stand_is_noted_only() -> None:
    driver = driven(DUEL)
    _, noted = driver.session.corrected(2, 2, "throw 8 flat")  # would not be valid: no duel
    assert noted
    before = list(driver.session.position.moves)
    correct(driver, 2, "throw 8 flat")
    assert driver.session.position.moves == before


@pytest.mark.parametrize(("source", "taken"), [("tally", True), ("roll", False)])
def test_dice_of_their_own_are_corrected_and_the_table_s_are_not(source: str, taken: bool) -> None:
    seats = [Seat(name, n, AT_TABLE) for n, name in enumerate((*NAMES, "Daniel"), 1)]
    sources = Sources((source,) * 4)
    driver = Driver(session_of(rules_of("roudalon", 4, {"first": "p1"}), seats, sources), seed=2)
    driver.begin()
    while not any(move.verb == "dice" for move in driver.session.position.moves) and not driver.session.over:
        driver.step()
    at = driver.session.ply
    old = driver.session.position.moves[at - 1]
    if driver.session.over:
        pytest.skip("the dice ended it")
    pot, rest = driver.session.position.state.pot, [int(face) for face in old.args[1:]]
    other = next(face for face in range(1, 7) if face != int(old.args[0]) and face + sum(rest) != pot)
    text = "table dice " + " ".join(map(str, sorted([other, *rest])))
    _, noted = driver.session.corrected(2, at, text)
    assert noted is not taken


# -- the table that a game was played at -----------------------------------------------------------------------------


def test_a_game_is_resumed_at_its_own_table_or_not_at_all(tmp_path: Path) -> None:
    meant = meant_game(3, 2)
    with Log.open(tmp_path / "log.db") as log:
        with a_table(seed=3) as table:
            number = begin(log, "dilemma", meant.settled, seats(3))

            class Stop:
                def work(self, running: Conductor) -> float:
                    if running.session.ply:
                        raise conductor.Stopped
                    return 1.0

            with pytest.raises(conductor.Stopped):
                play(log, number, table, meant.moves, hook=Stop())
            assert last_table(log, number) == (table.board, table.port)
            assert _port_of(log, number) == table.port
        with pytest.raises(CommandError, match="which is not there; plug it in, or name another"):
            _port_of(log, number)


def test_a_simulated_table_that_ended_with_its_program_is_not_sought(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        number = begin(log, "dilemma", {}, seats(3))
        with Keeper(seats(3), virtual=True) as keeper:

            def stop(running: Conductor) -> float:
                raise conductor.Stopped

            with pytest.raises(conductor.Stopped):
                keeper.play(log, number, hook=stop)
        assert last_table(log, number) is None and _port_of(log, number) is None
