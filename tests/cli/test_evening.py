"""``tablier evening``: games in a row from the command line."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from cli.term import Term
from kept import entries, kept, linked
from tablier.cli.main import main
from tablier.judge.audit import audit
from tablier.keeper.starting import find
from tablier.log.store import Log

EVENING = [sys.executable, "-m", "tablier.cli.main", "evening"]
BOTS = ["--bot", "Zoe=greedy", "--bot", "Yves=greedy"]


def evening(log: Path, *options: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    command = [*EVENING, *options, "--log", str(log)]
    return subprocess.run(command, input=typed, capture_output=True, text=True, timeout=120, check=False)


def test_without_a_terminal_its_games_are_played_and_it_ends(log: Path) -> None:
    done = evening(log, *BOTS, "--play", "d21", "--play", "struggle", "--series", "2 games")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("Evening 1 is over.\n") and re.search(
        r"^Game 2, Struggle: Zoe \d+, Yves \d+; won by ", done.stdout, re.MULTILINE
    )
    with Log.read(log) as read:
        (one,) = read.evenings()
        assert one.ended and one.games == (1, 2) and one.series[0].over
        assert audit(read.entries()).games == 2


def test_what_is_typed_between_games_changes_who_is_there_and_a_later_command_goes_on(log: Path) -> None:
    begun = evening(
        log,
        "--plain",
        "--with",
        "Anne@2",
        *BOTS,
        typed=":go Annie\n:come Bernard@5\n:go Anne\ndii\n:hepl\nD.21\nexit\n",
    )
    assert "'Annie' is not here; here: Anne; did you mean Anne?" in begun.stdout
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
    assert done.stdout.count("The name of a game plays it;") == 3, "when it is asked for"
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


def test_who_is_there_is_asked_until_that_can_be_read(log: Path) -> None:
    with kept(log), Term("evening", "--plain", "--log", log) as term:
        term.shows("Who plays at this screen")
        for typed, shown in (
            ("Help", "quit: leave.\nWho plays at this screen"),
            ("Anne@9", "places are 1 to 6\n>"),
            ("Anne, anne", "anne is named twice\n>"),
            ("", "anne is named twice\n>\nWho plays at this screen"),
            ("", "Nobody is here yet."),
        ):
            term.type(typed)
            term.shows(shown)
        term.type("quit")
        assert "Evening 1 is over." in term.ends()[1], "nobody was there, and nothing was played"
    for leaves in ("Q\r", "\x04"):
        with kept(log), Term("evening", "--plain", "--log", log) as term:
            term.until(lambda: term.text.rstrip().endswith("\n>"))
            term.press(leaves.encode())
            assert term.ends()[0] == 0
    with Log.read(log) as read:
        assert len(read.evenings()) == 1 and not read.people()


def test_people_are_typed_by_name_number_and_tab(log: Path) -> None:
    with kept(log), Term("evening", "--plain", "--log", log) as term:
        term.shows("separated by commas")
        term.type("Anne-Marie Dupont, Bea@2,Carl")
        term.shows("Here: Anne-Marie Dupont, Bea@2, Carl.")
        term.type(":go An")  # the beginning of one name
        term.shows("Here: Bea@2, Carl.")
        term.type(":end")
        assert term.ends()[0] == 0
    with kept(log), Term("evening", "--plain", "--log", log) as term:
        term.shows("Known: 1 Anne-Marie Dupont, 2 Bea@2, 3 Carl.")
        term.shows("same: as last time (")
        term.type("An\t, 2")
        term.shows("Here: Anne-Marie Dupont, Bea@2.")
        term.type(":come be\t@5")
        term.shows("Here: Anne-Marie Dupont, Bea@5.")
        term.type(":end")
        term.shows("over")
    with kept(log), Term("evening", "--plain", "--log", log) as term:
        term.shows("(Anne-Marie Dupont, Bea@5)")
        term.type("same")
        term.shows("Here: Anne-Marie Dupont, Bea@5.")
        term.type(":end")
        assert term.ends()[0] == 0
    with Log.read(log) as read:
        assert [person.name for person in read.people()] == ["Anne-Marie Dupont", "Bea", "Carl"]


def test_a_slip_of_the_finger_makes_nobody(log: Path) -> None:
    with kept(log), linked(log) as link:
        people = [{"name": name, "place": 0} for name in ("Anne", "Zoé", "Léon")]
        link.call("close", {"evening": link.call("evening", {"people": people})["evening"]})
        refused = evening(log, "--plain", "--with", "Ane", *BOTS)
        said = "tablier: Ane: did you mean Anne? For somebody new of that name: new Ane\n"
        assert (refused.returncode, refused.stderr) == (2, said)
        typed = ":come Zoe\n:come Leno, Anne\n:come Anne Léon\n:come new Zoe, 1\n:end\n"
        done = evening(log, "--plain", "--with", "Bernard", typed=typed)
        for said in ("did you mean Zoé?", "did you mean Léon?", "Anne Léon: several people? Anne, Léon."):
            assert said in done.stdout
        assert "Here: Bernard, Zoe, Anne." in done.stdout
    with Log.read(log) as read:
        assert [person.name for person in read.people()] == ["Anne", "Zoé", "Léon", "Bernard", "Zoe"]


def test_a_line_is_edited_and_news_lets_it_stand(log: Path) -> None:
    with kept(log), linked(log) as link, Term("evening", "--plain", "--with=Anne", "--log", log) as term:
        term.shows("Which game?")
        term.type(":come Bea")
        term.shows("Here: Anne, Bea.")
        term.until(lambda: term.text.rstrip().endswith("\n>"))
        term.press(b"\x1b[A\x1b[D\x1b[D\x1b[DDoro-\x7f\r")  # the line before, with another name
        term.shows("Here: Anne, Bea, DoroBea.")
        term.type(":come Car", enter=False)
        term.shows("> :come Car")
        others = [{"name": name, "source": "greedy"} for name in ("Zoe", "Yves")]
        people = ["Anne", "Bea", "DoroBea"]
        short = {"game": "d21", "options": {"max_plies": 4}, "without": people}
        link.call("next", {"evening": 1, **short, "others": others})
        term.shows("Game 1, D.21: Zoe 0.5, Yves 0.5; nobody has won")
        term.until(lambda: term.text.rstrip().endswith("> :come Car"))
        term.type("l")
        term.shows("Here: Anne, Bea, DoroBea, Carl.")
        term.type(":end")
        assert term.ends()[0] == 0


def test_two_of_four_play_and_one_is_offered_a_bot(tmp_path: Path) -> None:
    people = [f"--with={name}" for name in ("Anne", "Bernard", "Zoé", "Léon")]
    quits = "quit\nyes\n"
    typed = (
        f"d21\n3, Léo\n{quits}d21 with bern, an\n{quits}d21\n\n:go Léon\n:go Anne\n:go Bernard\nd21\n\n{quits}quit\n"
    )
    done = evening(tmp_path / "log.db", *people, typed=typed)
    assert "D.21 is for 2 players. Here: 1 Anne, 2 Bernard, 3 Zoé, 4 Léon." in done.stdout
    assert "Game 1, D.21: Zoé, Léon; not over" in done.stdout
    assert "Game 2, D.21: Anne, Bernard; not over" in done.stdout
    assert "D.21 is for 2 players. Here: 1 Zoé.\nEnter: Zoé and 1 bot play." in done.stdout
    assert re.search("Game 3, D.21: Zoé, Christine; not over", done.stdout), done.stdout
    assert "Game 4" not in done.stdout


def test_bots_fill_games_and_a_series_begins_with_enter(tmp_path: Path) -> None:
    typed = ":bots greedy\n:series first to 2 d21\n\nquit\nyes\nquit\n"
    done = evening(tmp_path / "log.db", "--with", "Zoé", typed=typed)
    assert "Bots fill the games." in done.stdout and "Series 1 begins: D.21." in done.stdout
    assert "Enter plays d21" in done.stdout and "Game 1, D.21: Zoé, Anne; not over" in done.stdout


def test_a_game_that_was_left_is_resumed_and_no_game_that_is_played_elsewhere(log: Path) -> None:
    seats = [{"name": "Anne", "source": "screen"}, {"name": "Yves", "source": "greedy"}]
    with kept(log), linked(log) as link:
        for _ in range(3):
            opened = link.call("play", {"game": "d21", "seats": seats})
        link.call("stop", {"game": 1})
        link.call("stop", {"game": 2})
        link.call("enter", entries(opened)[1])
        leaves = "quit\nyes\n"
        done = evening(log, "--with", "Bea", typed=f"resume\nresume 3\nresume 1\n{leaves}quit\n")
        assert "Game 2, D.21: Anne, Yves, 0 moves\nGame 1, D.21: Anne, Yves, 0 moves\nWhich game?" in done.stdout
        assert "Game 3 is played at another screen." in done.stdout and "Type a move" in done.stdout
        command = [*EVENING[:-1], "resume", "--log", str(log)]
        for number in ((), ("3",)):
            done = subprocess.run([*command, *number], input=leaves, capture_output=True, text=True, check=False)
            played = "game 3 is played already; 'tablier attach 3" in done.stderr
            assert (done.returncode, played) == ((2, True) if number else (0, False)), done
        assert [each["game"] for each in link.call("list")["games"]] == [3], "it is still played"


def test_a_game_that_is_played_at_the_table_of_an_evening_is_looked_at_and_not_stopped(log: Path) -> None:
    with kept(log), linked(log) as link:
        people = [{"name": name, "place": place} for place, name in enumerate(("Anne", "Bea"), 1)]
        link.call("evening", {"people": people, "table": {"port": "simulated"}})
        game = link.call("next", {"evening": 1, "game": "d21"})["game"]
        link.call("watch", {"game": game, "viewers": [None]})
        with Term("evening", "--plain", "--resume", "1", "--log", log) as term:
            term.shows("D.21, game 1: Anne, Bea.")
            term.type(":quit")
            term.shows("Leave? The game continues.")
            term.type("yes")
            term.shows("Enter shows it here.")
        assert [each["game"] for each in link.call("list")["games"]] == [game]
        link.call("stop", {"game": game})


def test_a_game_in_the_middle_of_an_evening_that_was_ended_is_resumed(tmp_path: Path) -> None:
    log, left = tmp_path / "log.db", "quit\nyes\n"
    people = ("--with", "Anne", "--with", "Bea")
    done = evening(log, *people, typed=f"d21\n{left}d21\n{left}:end\n")
    said = "Game {0}, D.21: Anne, Bea, 0 moves: not over. 'tablier resume {0} --log " + str(log) + "' resumes it."
    assert [said.format(2), said.format(1)] == done.stdout.splitlines()[-4::2]
    assert f"Begun by mistake? 'tablier log abandon 1 --log {log}' has it count nowhere." in done.stdout
    command = [*EVENING[:-1], "resume", "--log", str(log), "1"]
    done = subprocess.run(command, input=left, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "") and "resume 1 " in done.stdout
    done = evening(log, *people, typed=f"resume 2\n{left}:end\n")
    assert (done.returncode, done.stderr) == (0, "") and "'tablier resume 2 " in done.stdout
    assert done.stdout.endswith("Evening 2 is over.\n") and find(log) is None


def test_a_name_that_was_mended_and_a_short_one_are_asked_and_who_came_plays(tmp_path: Path) -> None:
    log, left = tmp_path / "log.db", "quit\nyes\n"
    people = [f"--with={name}" for name in ("Bernrad", "Élodie Martin", "Zoë", "René")]
    typed = f"roudalon\n{left}:go René, Zoë\n:come Eva, Kim\n\n{left}:rename Bernrad, Bernard\n:come Bernrad\n"
    done = evening(log, "--plain", *people, typed=f"{typed}:come Elodie, Liv\n:come eva\nquit\n")
    assert "Game 2, Le Roudalon: Bernrad, Élodie Martin, Eva, Kim; not over" in done.stdout, "Enter, after an exchange"
    assert "you were shown out" not in done.stdout and done.stdout.count(" has gone.") == 2
    assert "Bernrad: did you mean Bernard?" in done.stdout and "Elodie: did you mean Élodie Martin?" in done.stdout
    assert "Nobody of this line has come in." in done.stdout and "Eva is here already." in done.stdout


def test_without_a_terminal_nothing_is_played_that_another_screen_has(log: Path) -> None:
    nothing = evening(log, "--new", "--with", "Anne")
    assert nothing.returncode == 2 and "nothing is to be played" in nothing.stderr and not log.exists()
    with kept(log), linked(log) as link:
        begun = link.call("evening", {"people": [{"name": "Anne"}]})
        (entry,) = begun["people"]
        link.call("enter", {**entry, "by": "terminal"})
        done = evening(log, *BOTS, "--play", "d21")
        assert (done.returncode, done.stdout) == (2, "") and "evening 1 is open at another screen" in done.stderr


def test_an_evening_that_was_left_is_offered(log: Path) -> None:
    with kept(log), linked(log) as link:
        link.call("evening", {"people": [{"name": "Bea", "place": 2}]})
        with Term("evening", "--plain", "--log", log) as term:
            term.shows("Evening 1 is open: Bea (place 2); no game yet.")
            term.shows("Enter resumes evening 1")
            term.type("new")
            term.shows("Who plays at this screen")
            term.type("Anne")
            term.shows("Evening 2. Here: Anne.")
            term.type("quit")
            assert term.ends()[0] == 0
        with Term("evening", "--plain", "--resume=1", "--log", log) as term:
            term.shows("Enter: 1 Bea@2.")
            term.type("")
            term.shows("Evening 1. Here: Bea@2.")
            assert [(one["name"], one["by"]) for one in link.call("list")["evenings"][0]["here"]] == [
                ("Bea", "terminal")
            ]
            term.type(":end")
            assert term.ends()[0] == 0
        with Term("evening", "--plain", "--log", log) as term:
            term.shows("Evening 2 is open: Anne")
            term.type("")
            term.shows("Enter: 1 Anne.")
            term.type("")
            term.shows("Evening 2. Here: Anne.")
            term.type("quit")
            assert term.ends()[0] == 0


def test_where_nothing_can_be_played_no_evening_is_begun_or_ended(log: Path) -> None:
    with kept(log), linked(log) as link:
        for options in ((), ("--plain",), ("--bot", "Zoe=greedy")):
            done = evening(log, *options)
            said = "tablier: nothing is to be played: add --play GAME, or type at a terminal\n"
            assert (done.returncode, done.stdout, done.stderr) == (2, "", said)
        assert link.call("list")["evenings"] == []
        link.call("evening", {})
        evening(log)
        assert len(link.call("list")["evenings"]) == 1


def test_games_that_cannot_be_played_leave_no_evening_open(tmp_path: Path) -> None:
    """Found in a nightly job: three refusals, and the keeper had no room for another evening."""
    log, anne = tmp_path / "log.db", ["--with", "Anne"]
    refused = (
        ([*anne, "--play", "dilemma"], "Dilemma is played by 3, 4 or 5 players, not 1"),
        ([*anne, "--bot", "Zoe=good", "--play", "d21", "--play", "dilemma"], "Dilemma is played by 3, 4 or 5 players"),
        ([*anne, "--series", "3 games", "--play", "dilemma"], "Dilemma is played by 3, 4 or 5 players, not 1"),
        ([*anne, "--bot", "Zoe=goood", "--play", "d21"], "Zoe's source is 'goood'"),
        ([*BOTS[:2], "--bot", "Zoe=good", "--play", "d21"], "two seats are called Zoe"),
        (["--with", "Anne@1", "--with", "Bea@2", "--port", str(tmp_path / "none"), "--play", "d21"], "none"),
    )
    with kept(log), linked(log) as link:
        for options, why in refused:
            done = evening(log, *options)
            assert done.returncode == 2 and why in done.stderr.splitlines()[-1], done
            assert link.call("list")["evenings"] == []
        link.call("evening", {"people": [{"name": "Anne"}]})
        assert evening(log, "--play", "dilemma").returncode == 2
        assert len(link.call("list")["evenings"]) == 1, "that was open before"


def test_a_game_that_is_refused_at_a_terminal_is_followed_by_the_prompt(log: Path) -> None:
    with kept(log), Term("evening", "--plain", "--with", "Anne", "--play", "dilemma", "--log", log) as term:
        term.shows("Dilemma is played by 3, 4 or 5 players, not 1")
        term.shows("Which game?")
        term.type(":end")
        assert term.ends()[0] == 0


def test_a_second_series_says_what_becomes_of_the_first(tmp_path: Path) -> None:
    typed = ":series first to 3 d21\n:series 5 games struggle\nresults\nquit\n"
    done = evening(tmp_path / "log.db", "--plain", "--with", "Anne", typed=typed)
    lines = done.stdout.splitlines()
    begun = lines.index("Series 1 begins: D.21.")
    assert lines.index("Series 1, ended early: nobody won", begun) + 1 == lines.index("Series 2 begins: Struggle.")
    assert "Series 2: nobody has won yet" in lines


def test_somebody_may_be_called_like_a_command(log: Path) -> None:
    with kept(log), linked(log) as link:
        link.call("evening", {"people": [{"name": "Back", "place": 0}]})
        link.call("close", {"evening": 1})
    with kept(log), Term("evening", "--plain", "--log", log) as term:
        term.shows("Known: 1 Back.")
        term.type("back")
        term.shows("Here: Back.")
        term.type(":end")
        assert term.ends()[0] == 0


def test_it_goes_on_when_its_keeper_is_killed_between_games(log: Path) -> None:
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


def test_another_terminal_follows_an_evening_from_game_to_game(log: Path) -> None:
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


def test_enter_seats_nobody_and_who_played_a_game_alone_is_not_there_again(log: Path) -> None:
    with kept(log), linked(log) as link:
        link.call("evening", {"people": [{"name": "Anne", "place": 2}]})
        link.call("go", {"evening": 1, "name": "Anne"})
        link.call("come", {"evening": 1, "name": "Bea", "place": 2})
        link.call("close", {"evening": 1})
        seats = [{"name": "Root", "source": "screen"}, {"name": "Zoe", "source": "good"}]
        link.call("stop", {"game": link.call("play", {"game": "d21", "seats": seats})["game"]})
        with Term("evening", "--plain", "--new", "--log", log) as term:
            term.shows("Phones come in by themselves.")
            term.shows("same: as last time (Anne@2, Bea).")
            term.type("")
            term.shows("Which game? d21,")
            assert not link.call("list")["evenings"][-1]["here"]
            term.type("quit")
            assert term.ends()[0] == 0
        with Term("evening", "--plain", "--new", "--log", log) as term:
            term.type("same")
            term.shows("Here: Anne@2, Bea.")
            term.type(":end")
            assert term.ends()[0] == 0


def test_a_game_begun_by_mistake_is_abandoned_in_it_between_games_and_afterwards(tmp_path: Path) -> None:
    log, left = tmp_path / "log.db", "quit\nyes\n"
    people = ("--with", "Anne", "--with", "Bea")
    typed = f"d21\n:abandon\nabandon\nd21\n{left}d21\n{left}:abandon\n:abandon 2\nresume 1\nresume 2\n"
    done = evening(log, *people, typed=f"{typed}\n\n{left}:results\n:end\n")  # Enter asks again after a slip
    assert "abandon: stop, and never count or resume it" in done.stdout
    for game in (1, 2):
        assert done.stdout.count(f"Game {game} is abandoned: it counts nowhere, and cannot be resumed.") == 1
    assert "Which game? :abandon and its number." in done.stdout and "Which game? resume and its number." in done.stdout
    assert done.stdout.count("D.21, game 3: Anne, Bea.") == 2, "Enter resumes the one that was left"
    assert "Game 1, D.21" not in done.stdout and "Game 3, D.21: Anne, Bea; not over" in done.stdout
    abandon = [*EVENING[:-1], "log", "abandon", "--log", str(log)]

    def tried(*words: str) -> tuple[int, str]:
        told = subprocess.run([*abandon, *words], capture_output=True, text=True, timeout=60, check=False)
        return told.returncode, told.stdout or told.stderr

    assert tried("3") == (
        2,
        "tablier: there is no terminal to ask at, so nothing was changed; --yes does it without asking\n",
    )
    assert tried("3", "--yes") == (0, "Game 3 is abandoned: it counts nowhere, and cannot be resumed.\n")
    assert tried("3", "--yes")[0] == 2
    assert main(["log", "verify", "--log", str(log)]) == 0
    for words, said in (
        ("resume 3", "game 3 was abandoned, and is not resumed; 'tablier log show 3"),
        ("log list", "Abandoned, and not listed: 1, 2, 3."),
        ("log show 2", "abandoned"),
        ("people merge Anne Bea --yes", "Anne is Bea now (no game was played so far)."),
    ):
        told = subprocess.run(
            [*EVENING[:-1], *words.split(), "--log", log], capture_output=True, text=True, check=False
        )
        assert said in (told.stdout + told.stderr), words


def test_enter_in_a_series_counts_the_bots_of_every_game(tmp_path: Path) -> None:
    people, stopped = ("--with", "Anne", "--with", "Bea", "--with", "Chloe"), "quit\nabandon\n"
    typed = f"d21 with Anne, Bea\n{stopped}:bots 1 good\n:series 3 games\n:series 3 games roudalon\nstruggle\n{stopped}"
    done = evening(tmp_path / "log.db", *people, typed=f"{typed}\nquit\nyes\n:results\nquit\n")
    assert ":series 3 games: which games? :series 3 games d21 dicke-daemonen" in done.stdout
    assert "In every game: Bernard (bot, good)." in done.stdout
    assert "Struggle does not count in series 1, where Le Roudalon is next (Enter)." in done.stdout
    assert "Game 3, Le Roudalon: Anne, Bea, Chloe, Bernard; not over" in done.stdout


def test_what_was_not_meant_as_a_name_is_none(tmp_path: Path) -> None:
    done = evening(
        tmp_path / "log.db", "--plain", "--with", "Anne", typed=":come Zoe=people\n:bots 1 good\n:results\nquit\n"
    )
    assert "'Zoe=people': a name has no =; bots come with ':bots'" in done.stdout
    assert "No game was played yet." in done.stdout


def test_who_was_merged_into_another_of_the_game_does_not_resume_it(log: Path) -> None:
    evening(log, "--with", "Anne", "--with", "Bea", typed="d21\nquit\nyes\n:end\n")

    def tried(*words: str) -> tuple[int, str]:
        command = [*EVENING[:-1], *words, "--log", str(log)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout + done.stderr

    assert tried("people", "merge", "Bea", "Anne", "--yes")[0] == 0
    status, said = tried("resume", "1")
    assert status == 2 and said == (
        "tablier: game 1 cannot be resumed: two of its seats are Anne's since people were merged; 'tablier log abandon"
        f" 1 --log {log}' has it count nowhere\n"
    )
    assert find(log) is None, "no keeper stays behind"
    assert tried("log", "abandon", "1", "--yes")[0] == 0


def test_the_end_of_an_evening_shows_the_results_and_a_slip_is_answered_with_what_works(tmp_path: Path) -> None:
    typed = ":come Anna\nnew Anna\nnew Zoé, Bea\n:end\n"
    done = evening(tmp_path / "log.db", "--plain", "--with", "Anne", *BOTS, typed=typed)
    assert "For somebody new of that name: new Anna" in done.stdout and "Here: Anne, Anna." in done.stdout
    assert "Here: Anne, Anna, Zoé, Bea." in done.stdout


def test_an_evening_that_was_ended_stays_so_when_one_of_its_games_is_resumed(log: Path) -> None:
    evening(log, "--with", "Anne", "--with", "Bea", typed="d21\nquit\nyes\n:end\n")
    evening(log, "--with", "Chloé", typed="resume 1\nquit\nabandon\n:end\n")
    with Log.read(log) as opened:
        assert [(each.number, each.ended is not None) for each in opened.evenings()] == [(1, True), (2, True)]
