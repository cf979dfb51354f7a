"""Screens that come, go, and lose their keeper: the game stays."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from cli.term import Term
from cli.typist import Typist, position_of
from kept import linked
from tablier.cli.main import main
from tablier.games.core.questions import bare
from tablier.keeper.starting import find
from tablier.simulation.simulated import SimulatedTable

PLAY = ("play", "d21", "--pace", "0", "--seat", "Zoe=screen", "--seat", "Ann=greedy")


@pytest.fixture(autouse=True)
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TABLIER_LOG", str(tmp_path / "log.db"))
    return tmp_path / "log.db"


def kill_keeper(log: Path) -> None:
    link = find(log)
    assert link is not None
    pid = int(link.keeper["pid"])
    link.close()
    os.kill(pid, signal.SIGKILL)


def leave(term: Term) -> None:
    term.type(":quit")
    term.shows("yes or no>")  # to stop the game, or to leave it where it is played on
    term.type("y")
    assert term.ends()[0] == 0


def test_a_screen_whose_keeper_is_killed_starts_another_and_plays_on(log: Path) -> None:
    with Term(*PLAY) as term:
        typist = Typist(term, log, {1: "Zoe"}, seed=1)
        typist.move()
        typist.wait()
        stood = position_of(log).ply
        kill_keeper(log)
        term.shows(f"The game resumes after {stood} moves.")
        assert position_of(log).ply == stood
        typist.move()
        typist.wait()
        assert position_of(log).ply == stood + 2
        leave(term)
    assert main(["log", "verify"]) == 0


def test_somebody_looks_on_from_another_terminal_while_the_keeper_is_killed(log: Path) -> None:
    with Term(*PLAY) as term:
        typist = Typist(term, log, {1: "Zoe"}, seed=1)
        typist.wait()
        with Term("attach") as other:
            other.shows("D.21, game 1: Zoe, Ann.")
            typist.move()
            typist.wait()
            other.shows("2. Ann ")
            kill_keeper(log)
            term.shows("The game resumes after 2 moves.")
            typist.move()
            typist.wait()
            other.shows("4. Ann ")
            leave(term)
            assert other.ends()[0] == 0


def test_two_terminals_in_one_game_each_read_their_own_language(log: Path) -> None:
    with Term(*PLAY, "--plain", "--lang", "fr") as term:
        term.shows("Zoe, à vous de jouer.")
        with Term("attach", "--plain", "--lang", "en") as other:
            other.shows("D.21, game 1: Zoe, Ann.")
            term.type("c3-c4")
            term.shows("Zoe fait glisser le 1 de la case c3 à c4.")
            other.shows("Zoe slides the 1 from c3 to c4.")
            term.type(":quitter")
            term.shows("oui ou non>")
            term.type("oui")
            assert term.ends()[0] == 0 and other.ends()[0] == 0
            assert "glisser" not in other.text and "slides" not in term.text
    assert main(["log", "verify"]) == 0


def test_a_seat_is_taken_by_another_screen_and_the_first_one_says_so(log: Path) -> None:
    with Term(*PLAY) as term:
        Typist(term, log, {1: "Zoe"}, seed=1).move()
        with Term("attach", "--seat", "Zoe") as other:
            typist = Typist(other, log, {1: "Zoe"}, seed=2)
            typist.wait()
            status, printed = term.ends()
            assert (status, printed.count("another device is Zoe now")) == (2, 1)
            typist.move()
            typist.wait()
            assert position_of(log).ply == 4
            leave(other)


def test_a_shared_screen_keeps_the_seats_that_were_not_taken_to_another_one(log: Path) -> None:
    seats = ("--seat", "Zoe=screen", "--seat", "Ann=screen")
    with Term("play", "d21", "--no-card", *seats) as term:
        Typist(term, log, {1: "Zoe", 2: "Ann"}, seed=1).wait()
        with Term("attach", "--seat", "Zoe") as other:
            term.shows("Zoe has gone to another screen; this one plays on for Ann.")

            def play(screen: Term, name: str) -> None:
                ply = position_of(log).ply
                stands = f"game 1 · {ply} move"
                screen.until(lambda: stands in screen.lines[0] and screen.lines[-3] == f"{name}>", f"{name}'s turn")
                screen.type(bare(position_of(log).legal_moves[0]))
                screen.until(lambda: position_of(log).ply == ply + 1, "that the move is logged")

            play(other, "Zoe")
            play(term, "Ann")
            kill_keeper(log)
            other.shows("The game resumes after 2 moves.")
            play(other, "Zoe")
            play(term, "Ann")
            leave(term)


def test_a_game_that_runs_at_a_port_is_joined_by_resuming_it_there(log: Path) -> None:
    seats = ("--seat", "Zoe@1=table", "--seat", "Ann@3=table")
    with SimulatedTable() as table, Term("play", "d21", "--plain", *seats, "--port", table.first_port) as term:
        term.shows("? Zoe: which die?")
        with Term("resume", "--plain", "--port", table.first_port) as other:
            other.shows("? Zoe: which die?")
            leave(other)
        with Term("resume", "1", "--plain", "--port", table.first_port) as other:
            other.shows("? Zoe: which die?")  # who joined and left has stopped nothing
            leave(other)
        leave(term)


def test_a_game_whose_screen_was_killed_waits_for_whoever_resumes_it(log: Path) -> None:
    with Term(*PLAY) as term:
        Typist(term, log, {1: "Zoe"}, seed=1).wait()
    with Term("resume") as term:
        typist = Typist(term, log, {1: "Zoe"}, seed=1)
        typist.move()
        typist.wait()
        assert position_of(log).ply == 2
        leave(term)


def test_what_there_is_to_attach_to_is_said(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def refused(*words: str) -> str:
        capsys.readouterr()
        assert main(["attach", *words]) == 2
        return capsys.readouterr().err

    assert refused() == f"tablier: {log}: no keeper runs; 'tablier play' or 'tablier resume' starts one\n"
    with Term(*PLAY) as term:
        Typist(term, log, {1: "Zoe"}, seed=1).wait()
        assert refused("2") == "tablier: game 2 does not run; games that do: 1\n"
        assert refused("--seat", "Bob") == "tablier: --seat 'Bob': who plays here: Zoe, Ann\n"
        assert refused("--seat", "Ann") == "tablier: --seat 'Ann': nobody has this seat; --as says who plays there\n"
        assert refused("--seat", "Ann", "--as", "Léa") == (
            "tablier: this game is practice, in which one person plays; nobody else can join it\n"
        )
        with linked(log) as link:
            (evening,) = link.call("list")["evenings"]
            assert [one["name"] for one in evening["here"]] == ["Zoe"], "who was refused does not stay behind"
        assert main(["keeper", "--end"]) == 0
        status, printed = term.ends()
        assert status == 2 and "the keeper has ended" in printed
    assert find(log) is None


def test_what_attach_says_of_another_log_can_be_typed_as_it_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "an other.db"
    assert main(["attach", "--log", str(other)]) == 2
    start = f"'tablier play --log '{other}'' or 'tablier resume --log '{other}'' starts one"
    assert capsys.readouterr().err == f"tablier: {other}: no keeper runs; {start}\n"
    with Term(*PLAY, "--log", other) as term:
        Typist(term, other, {1: "Zoe"}, seed=1).wait()
        assert main(["people", "forget", "Zoe", "--yes", "--log", str(other)]) == 2
        assert f"('tablier keeper --end --log '{other}'')" in capsys.readouterr().err
        term.type(":quit")
        term.shows("Stop?")
        term.type("y")
        assert f"'tablier resume 1 --log '{other}'' resumes it" in term.ends()[1].replace("\n", " ")
