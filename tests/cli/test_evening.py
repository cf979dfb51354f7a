"""``tablier evening``: games in a row from the command line."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from term import Term

from kept import kept, linked
from tablier.judge.audit import audit
from tablier.keeper.starting import find
from tablier.log import Log

EVENING = [sys.executable, "-m", "tablier.cli.main", "evening"]
BOTS = ["--bot", "Zoe=greedy", "--bot", "Yves=greedy"]


def evening(log: Path, *options: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    command = [*EVENING, *options, "--log", str(log)]
    return subprocess.run(command, input=typed, capture_output=True, text=True, timeout=120, check=False)


def test_without_a_terminal_its_games_are_played_and_it_ends(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    done = evening(log, *BOTS, "--play", "d21", "--play", "struggle", "--series", "2 games")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("Evening 1 is over.\n") and re.search(
        r"^Game 2, Struggle: Zoe \d+, Yves \d+; won by ", done.stdout, re.MULTILINE
    )
    with Log.read(log) as read:
        (one,) = read.evenings()
        assert one.ended and one.games == (1, 2) and one.series[0].over
        assert audit(read.entries()).games == 2


def test_what_is_typed_between_games_changes_who_is_there_and_a_later_command_goes_on(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    begun = evening(
        log,
        "--plain",
        "--with",
        "Anne@2",
        *BOTS,
        typed=":go Annie\n:come Bernard@5\n:go Anne\ndii\n:hepl\nD.21\nexit\n",
    )
    assert "name is Annie, who is not there; there: Anne; did you mean Anne?" in begun.stdout
    assert "there is no game 'dii'" in begun.stdout and "did you mean :help?" in begun.stdout
    assert "Here: Anne@2 and Bernard@5." in begun.stdout or "Here: Anne@2, Bernard@5." in begun.stdout
    said = f"The evening stays open; 'tablier evening --log {log}' resumes it.\n"
    assert begun.stdout.endswith(said), begun.stderr
    later = evening(log, "--plain", *BOTS, typed=":go Bernard\nd21\n\n:end\n")
    assert (later.returncode, later.stderr) == (0, "")
    assert later.stdout.startswith("Evening 1 resumes.\n") and later.stdout.endswith("Evening 1 is over.\n")
    with Log.read(log) as read:
        (one,) = read.evenings()
        assert len(one.games) == 2 and one.ended and len(one.people) == 2
        assert [person.place for person in read.people() if person.id] == [2, 5]


def test_bare_words_and_play_are_understood_between_games(tmp_path: Path) -> None:
    typed = "help\n?\nh\nback\n\x1b[A\nPlay D.21\nq\n"
    done = evening(tmp_path / "log.db", "--plain", *BOTS, typed=typed)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("The name of a game plays it;") == 7 + 3, "nobody is here: at each prompt, and when asked"
    assert "nothing to take back" in done.stdout and "Keys such as arrows cannot be used here" in done.stdout
    assert "no game" not in done.stdout and "Game 1, D.21: Zoe " in done.stdout


def test_lines_that_follow_a_game_are_for_what_comes_next(tmp_path: Path) -> None:
    """Its screen reads on while it ends: the next game, and its first move, stand in the same pipe."""
    lines = "d21\nquit\nyes\nresults\nd21\nfirst\nsecond\nquit\nyes\nresults\nquit\n"
    done = evening(tmp_path / "log.db", "--with", "Anne", "--with", "Bea", typed=lines)
    assert done.returncode == 0
    assert "'first' is not possible now" in done.stdout and "'second' is not possible now" in done.stdout
    assert done.stdout.count("Game 1, D.21: Anne, Bea; not over") == 4  # after each game, and when it is asked for


def test_a_line_that_is_too_long_is_refused_and_the_next_one_taken(tmp_path: Path) -> None:
    done = evening(tmp_path / "log.db", "--plain", "--with", "Anne", typed=f"{'x' * 1_000_000}\n:come Bea\nquit\n")
    assert "A line has at most 500 characters." in done.stdout and "Here: Anne, Bea." in done.stdout
    assert len(done.stdout) < 1000


def test_who_is_there_is_asked_until_that_can_be_read(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    with kept(log), Term("evening", "--plain", "--log", log) as term:
        for typed, shown in (
            ("Help", "Type the names of those who play"),
            ("\x1b[A", "Keys such as arrows"),
            ("Anne@9", "places are 1 to 6"),
            ("", "the evening stays open"),
        ):
            term.shows("Who is there?")
            term.type(typed)
            term.shows(shown)
        term.type(":end")
        assert term.ends()[0] == 0
    with kept(log), Term("evening", "--plain", "--log", log) as term:
        term.shows("Who is there?")
        term.type("Q")
        assert term.ends()[0] == 0
    with Log.read(log) as read:
        assert len(read.evenings()) == 1 and not read.people()


def test_names_may_be_separated_by_commas(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    with kept(log), Term("evening", "--plain", "--log", log) as term:
        term.shows("separated by spaces or commas")
        term.type("Anne, Bea@2,Carl")
        term.shows("Here: Anne, Bea@2, Carl.")
        term.type(":end")
        assert term.ends()[0] == 0


def test_a_second_series_says_what_becomes_of_the_first(tmp_path: Path) -> None:
    typed = ":series first to 3 d21\n:series 5 games struggle\nresults\nquit\n"
    done = evening(tmp_path / "log.db", "--plain", "--with", "Anne", typed=typed)
    lines = done.stdout.splitlines()
    begun = lines.index("Series 1 begins.")
    assert lines.index("Series 1, ended early: nobody has won yet", begun) + 1 == lines.index("Series 2 begins.")
    assert "Series 2: nobody has won yet" in lines


def test_somebody_may_be_called_like_a_command(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    with kept(log), linked(log) as link:
        link.call("evening", {"people": [{"name": "Back", "place": 0}]})
        link.call("close", {"evening": 1})
    with kept(log), Term("evening", "--plain", "--log", log) as term:
        term.shows("Known: Back.")
        term.type("back")
        term.shows("Here: Back.")
        term.type(":end")
        assert term.ends()[0] == 0


def test_it_goes_on_when_its_keeper_is_killed_between_games(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    command = [*EVENING, "--plain", *BOTS, "--log", str(log)]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert program.stdin is not None and program.stdout is not None
    program.stdin.write("d21\n")
    program.stdin.flush()
    while not program.stdout.readline().startswith("Which game? Enter plays d21"):
        pass
    link = find(log)
    assert link is not None
    os.kill(link.keeper["pid"], signal.SIGKILL)
    link.close()
    out, _ = program.communicate("\n:end\n", timeout=60)
    assert program.returncode == 0 and out.endswith("Evening 1 is over.\n")
    with Log.read(log) as read:
        assert read.evenings()[0].games == (1, 2)
        assert audit(read.entries()).games == 2


def test_bad_input_gets_one_line(tmp_path: Path) -> None:
    for options, why in (
        (["--with", "Anne@9"], "'Anne@9': the form is NAME or NAME@PLACE; places are 1 to 6"),
        (["--series", "soon", *BOTS], "--series 'soon': the forms are 'first to 3' and '5 games'"),
        (["--rota"], "--rota needs --series"),
    ):
        done = evening(tmp_path / "log.db", *options)
        assert (done.returncode, done.stderr, done.stdout) == (2, f"tablier: {why}\n", "")


def test_people_at_the_screen_may_be_a_pipe_but_not_nothing(tmp_path: Path) -> None:
    piped = evening(tmp_path / "log.db", "--with", "Anne", typed="people\n:end\n")
    assert piped.returncode == 0 and "Here: Anne." in piped.stdout and piped.stdout.endswith("Evening 1 is over.\n")
    closed = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *EVENING, "--log", str(tmp_path / "log.db"), "--with", "Anne"],
        capture_output=True,
        text=True,
    )
    assert (closed.returncode, closed.stdout) == (2, "")
    assert closed.stderr == "tablier: people are at the screen, but standard input is closed; add --port\n"


def test_another_terminal_follows_an_evening_from_game_to_game(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    attach = [sys.executable, "-m", "tablier.cli.main", "attach", "--log", str(log)]
    short = {"game": "d21", "options": {"max_plies": 4}}
    with kept(log), linked(log) as link:
        number = link.call("evening", {})["evening"]
        with subprocess.Popen(attach, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout is not None
            assert program.stdout.readline() == "Evening 1: its games are shown here as they come.\n"
            said = ""
            for game in (1, 2):
                others = [{"name": name, "source": "greedy"} for name in ("Zoe", "Yves")]
                link.call("next", {"evening": number, **short, "others": others})
                while (
                    f"D.21, game {game}: Zoe, Yves" not in said
                    or "Final scores" not in said.partition(f"game {game}:")[2]
                ):
                    said += program.stdout.readline()
            other = link.call("evening", {})["evening"]
            several = subprocess.run(attach, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            assert (several.returncode, several.stderr) == (
                2,
                "tablier: several evenings are open: 1, 2; name one with --evening\n",
            )
            link.call("close", {"evening": other})
            link.call("close", {"evening": number})
            assert program.stdout.read().endswith("Evening 1 is over.\n") and program.wait(30) == 0
