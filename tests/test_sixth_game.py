"""Games from elsewhere, installed beside Tablier: Pig with little but its rules, and Hunch with parts of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.wheels import need_open_spiel
from cli.term import Term
from sample import sample, thorough

FOLDERS = [Path(__file__).parent / name for name in ("sixth", "seventh")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the wheels of the games were unpacked, as an installer does it."""
    folder = tmp_path_factory.mktemp("sixth")
    build = f"from hatchling.build import build_wheel; build_wheel({str(folder)!r})"
    for here in FOLDERS:
        subprocess.run([sys.executable, "-c", build], cwd=here, check=True, capture_output=True)
    for wheel in folder.glob("*.whl"):
        zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


def entry_point(site: Path, package: str, game: str, value: str) -> None:
    """Have a package claim a game."""
    info = site / f"{package.replace('-', '_')}-2.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 2.0\n")
    (info / "entry_points.txt").write_text(f"[tablier.games]\n{game} = {value}\n")


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(site: Path, tmp_path: Path) -> Run:
    """Run Python where the game is installed."""

    def run(*words: object, beside: Path | None = None, input: str = "") -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join(map(str, filter(None, (site, beside))))
        environment = {**os.environ, "PYTHONPATH": path, "TABLIER_LOG": str(tmp_path / "log.db")}
        command = [sys.executable, *map(str, words)]
        return subprocess.run(command, env=environment, input=input, capture_output=True, text=True, timeout=100)

    return run


@pytest.fixture
def tablier(run: Run) -> Callable[..., str]:
    """Run a command that succeeds, and return what it printed."""

    def tablier(*words: object, **more: str) -> str:
        done = run("-m", "tablier.cli.main", *words, **more)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return tablier


Tablier = Callable[..., str]
RECORD = {
    "tablier": 1,
    "game": "pig",
    "players": ["Anne", "Bernard"],
    "options": {"goal": 10},
    "moves": ["p1 roll", "table die 6", "p1 hold", "p2 roll", "table die 5"],
}


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "pig.json"
    path.write_text(json.dumps(RECORD))
    return path


def test_records(tablier: Tablier, record: Path, tmp_path: Path) -> None:
    (line,) = tablier("replay", record).splitlines()
    assert json.loads(line)["to_move"] == ["p2"]
    assert tablier("legal", record).split("\n")[:2] == ["p2 roll", "p2 hold"]
    shown = tablier("show", record, "--svg", tmp_path / "pig.svg")
    assert re.search(r"^banked +\{\"p1\": 6, \"p2\": 0\}$", shown, re.MULTILINE)
    assert "p1 Anne  p2 Bernard" in shown
    assert "Bernard" in (tmp_path / "pig.svg").read_text()


def test_a_seat_with_a_bot_that_it_does_not_have_is_refused(run: Run) -> None:
    done = run("-m", "tablier.cli.main", "play", "pig", "--seat", "A=people:strong")
    assert done.returncode == 2
    assert done.stderr == (
        "tablier: --seat 'A=people:strong': the form is NAME=SOURCE or NAME@PLACE=SOURCE; sources: table, screen,"
        " people, people:BOT, bot:COMMAND; bots of this game: random\n"
    )


def test_a_campaign(tablier: Tablier, tmp_path: Path) -> None:
    told = tablier("simulate", "pig", "--games", 20, "--seed", 1, "--jobs", 1, "--out", tmp_path / "games.jsonl")
    assert re.search(r"over: 20", told)
    assert "random 4" in told  # four play, all of them bots that every game has
    assert len(tablier("replay", tmp_path / "games.jsonl").splitlines()) == 20


def test_it_is_named_where_games_are_listed(run: Run, tablier: Tablier) -> None:
    assert "pig" in tablier("play", "--help")
    assert "pig" in run("-m", "tablier.cli.main", "simulate", "chess").stderr


def test_a_bot_that_it_does_not_have_is_refused(run: Run) -> None:
    done = run("-m", "tablier.cli.main", "simulate", "pig", "--seats", "greedy", "random")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and ": random, or bot:COMMAND" in done.stderr


def test_at_the_keyboard(site: Path, tablier: Tablier, tmp_path: Path) -> None:
    seats = ("--seat", "Zoe=screen", "--seat", "Bob=random")
    environment: dict[str, Any] = {"PYTHONPATH": str(site), "TABLIER_LOG": str(tmp_path / "log.db")}
    with Term("play", "pig", "--option", "goal=10", "--pace", "0", *seats, **environment) as term:
        over = "The game is over. Again?"
        term.until(lambda: term.lines[-3] == "Zoe>", "Zoe's turn")
        while over not in term.text:
            before = term.text
            term.type("hold" if "hold" in term.lines[-2] else "roll")

            def answered(before: str = before) -> bool:
                return term.text != before and (over in term.text or term.lines[-3] == "Zoe>")

            term.until(answered)
        term.type("quit")
        status, printed = term.ends()
    assert status == 0
    assert re.search(r"(Zoe|Bob) +\d+ +winner", printed)
    assert "  Pig  Zoe " in tablier("log", "list")
    assert tablier("log", "verify")


def test_simulated_people_with_a_mind_of_its_own(tablier: Tablier, tmp_path: Path) -> None:
    seats = ("--seat", "Zoe=people:random", "--seat", "Bob=people:random")
    tablier("play", "pig", "--option", "goal=10", "--virtual", "--plain", *seats)
    record = json.loads(tablier("log", "export"))
    assert any(move.endswith("hold") for move in record["moves"])  # by chance it may always be the same one
    for before, after in zip(record["moves"], record["moves"][1:], strict=False):
        if before.startswith("table die") and before != "table die 1":
            assert after.endswith("hold")


def test_a_game_with_a_hidden_choice_dice_lights_and_people(tablier: Tablier, tmp_path: Path) -> None:
    """Zoe's mind guesses low, always; Bob is a bot."""
    seats = ("--seat", "Zoe=people:random", "--seat", "Bob=greedy", "--seat", "Ann=people:greedy")
    printed = tablier("play", "hunch", "--dice", "tally", "--virtual", "--plain", *seats)
    assert re.search(r"The guesses: Zoe low, Bob (low|high), Ann low\.", printed)
    assert tablier("log", "verify")
    record = tmp_path / "hunch.json"
    record.write_text(tablier("log", "export"))
    moves = json.loads(record.read_text())["moves"]
    assert len(moves) == 3 * 4
    assert all(move == "p1 guess low" for move in moves if move.startswith("p1"))
    assert json.loads(tablier("replay", record))["terminal"]


SEARCH = """
import numpy as np, pyspiel
from open_spiel.python.algorithms import mcts
from open_spiel.python.tests.games_sim_test import GamesSimTest
from tablier.adapters.openspiel import load
game = load("pig", seats=2, options={"goal": 10})
pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False, mask_test=True)
GamesSimTest("test_pig").sim_game(game)
rng = np.random.RandomState(1)
state = game.new_initial_state()
bot = mcts.MCTSBot(game, 1.5, 20, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
while not state.is_terminal():
    if state.is_chance_node():
        state.apply_action(rng.choice([n for n, _ in state.chance_outcomes()]))
    else:
        state.apply_action(bot.step(state))
assert max(state.returns()) >= 10
"""
LEARN = """
from pettingzoo.test import api_test, seed_test
from tablier.adapters.pettingzoo import env
api_test(env("pig"), num_cycles=200)
api_test(env("hunch"), num_cycles=50)
seed_test(lambda: env("pig"), num_cycles=50)
game = env("pig", render_mode="ansi")
game.reset(seed=1)
print(game.render())
"""


@thorough
def test_openspiel(run: Run) -> None:
    need_open_spiel()
    done = run("-c", SEARCH)
    assert done.returncode == 0, done.stderr


def test_pettingzoo(run: Run) -> None:
    done = run("-c", LEARN)
    assert done.returncode == 0, done.stderr
    assert "banked" in done.stdout


# -- packages that are broken ------------------------------------------------------------------------------------------


def refused(run: Run, beside: Path, game: str) -> str:
    """The one line with which a game is refused."""
    done = run("-m", "tablier.cli.main", "simulate", game, "--games", 1, "--jobs", 1, beside=beside)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("tablier_nim.rules:Nim", "cannot be loaded: ModuleNotFoundError: No module named 'tablier_nim'"),
        ("tablier_pig.rules:Nim", "'tablier_pig.rules:Nim' does not name a subclass"),
        ("tablier.games.core:Rules", "'tablier.games.core:Rules' does not name a subclass"),
        ("bare:Nim", "cannot be loaded: nim: OPTIONS, scores, seat_counts are missing in 'bare:Nim'"),
        ("tablier_pig.rules:Pig", "its rules call themselves 'pig'"),
        ("broken:Nim", "cannot be loaded: ZeroDivisionError: division by zero"),
        ("leaves:Nim", "cannot be loaded: SystemExit: good bye"),
    ][:: sample(3, 1)],
)
def test_a_broken_entry_point_is_one_line(run: Run, tmp_path: Path, value: str, said: str) -> None:
    (tmp_path / "beside").mkdir()
    (tmp_path / "beside" / "broken.py").write_text("1 / 0\n")
    (tmp_path / "beside" / "bare.py").write_text(
        "from tablier.games.core import Rules\n"
        "class Nim(Rules):\n"
        "    name = title = 'nim'\n"
        "    initial = legal = apply = view = parse_args = lambda *it: None\n"
    )
    (tmp_path / "beside" / "leaves.py").write_text("import sys; sys.exit('good bye')\n")
    entry_point(tmp_path / "beside", "tablier-nim", "nim", value)
    line = refused(run, tmp_path / "beside", "nim")
    assert line.startswith("tablier: the game 'nim' of tablier-nim 2.0 cannot be loaded: ")
    assert said in line


@pytest.mark.parametrize(("game", "first"), [("pig", "tablier-pig 1.0"), ("d21", "tablier ")])
def test_a_name_that_two_packages_claim_is_one_line(run: Run, tmp_path: Path, game: str, first: str) -> None:
    entry_point(tmp_path / "beside", "tablier-sow", game, "tablier_pig.rules:Pig")
    line = refused(run, tmp_path / "beside", game)
    assert line.startswith(f"tablier: several packages claim the game '{game}': {first}")
    assert line.endswith("tablier-sow 2.0; uninstall all but one")


def test_a_game_that_leaves_while_it_is_played_is_named(run: Run, tmp_path: Path) -> None:
    """Not with the game's status, or with nothing: one line, and status 2."""
    entry_point(tmp_path / "beside", "tablier-nim", "nim", "nim_that_leaves:Nim")
    (tmp_path / "beside" / "nim_that_leaves.py").write_text(
        "import sys\n"
        "from tablier_pig.rules import Pig\n"
        "class Nim(Pig):\n"
        "    name = 'nim'\n"
        "    def legal(self, state):\n"
        "        sys.exit('good bye')\n"
    )
    words = ["play", "nim", "--seat", "Anne=random", "--seat", "Bob=random", "--log", str(tmp_path / "log.db")]
    done = run("-m", "tablier.cli.main", *words, beside=tmp_path / "beside")
    assert done.returncode == 2
    assert done.stderr == "tablier: nim_that_leaves has called sys.exit('good bye'): a game must not\n"


def test_a_broken_game_does_not_keep_others_from_being_played(run: Run, tmp_path: Path) -> None:
    entry_point(tmp_path / "beside", "tablier-nim", "nim", "tablier_nim.rules:Nim")
    good = run("-m", "tablier.cli.main", "simulate", "pig", "--games", 1, "--jobs", 1, beside=tmp_path / "beside")
    assert (good.returncode, good.stderr) == (0, "")


def test_a_misspelt_part_is_one_line_before_the_game_begins(run: Run, site: Path, tmp_path: Path) -> None:
    nim = tmp_path / "beside" / "tablier_nim"
    entry_point(tmp_path / "beside", "tablier-nim", "nim", "tablier_nim.rules:Nim")
    nim.mkdir()
    (nim / "__init__.py").write_text("")
    rules = (site / "tablier_pig" / "rules.py").read_text().replace('name = "pig"', 'name = "nim"')
    (nim / "rules.py").write_text(rules.replace("class Pig", "class Nim"))
    (nim / "words.py").write_text("from tablier.games.core.words import Words\nWORDS = Words(by_hands=())\n")
    words = ["play", "nim", "--seat", "Anne=random", "--seat", "Bob=random", "--log", tmp_path / "log.db"]
    done = run("-m", "tablier.cli.main", *words, beside=tmp_path / "beside")
    assert done.returncode == 2
    assert done.stderr == (
        "tablier: the game 'nim' of tablier-nim 2.0 cannot be loaded: words.py: TypeError: Words.__init__() got an"
        " unexpected keyword argument 'by_hands'; it defines WORDS, tablier.games.core.words.Words(aim, turn, help,"
        " help_at_table, overtaken, untold, by_hand, endings, notation, outcome, warns, deed, course, counts, weighty,"
        " parts, steps, seem)\n"
    )
    assert not (tmp_path / "log.db").exists()


def test_openspiel_leaves_a_broken_game_out(run: Run, tmp_path: Path) -> None:
    need_open_spiel()
    entry_point(tmp_path / "beside", "tablier-nim", "nim", "tablier_nim.rules:Nim")
    code = "from tablier.adapters.openspiel import load; print(load('pig'))"
    done = run("-c", code, beside=tmp_path / "beside")
    assert done.returncode == 0, done.stderr
    assert "the game 'nim' of tablier-nim 2.0 cannot be loaded" in done.stderr


# -- parts that fail in a game --------------------------------------------------------------------------------------


Play = Callable[..., str]


@pytest.fixture
def play_nim(run: Run, site: Path, tmp_path: Path) -> Play:
    """Play Hunch, changed and under another name; return the one line with which that is refused."""

    def play(file: str, old: str, new: str, *seats: str) -> str:
        beside = tmp_path / "beside"
        entry_point(beside, "tablier-nim", "nim", "tablier_nim.rules:Hunch")
        shutil.copytree(site / "tablier_hunch", beside / "tablier_nim")
        for name, before, after in (("rules.py", '"hunch"', '"nim"'), (file, old, new)):
            path = beside / "tablier_nim" / name
            text = path.read_text().replace("tablier_hunch", "tablier_nim")
            assert before in text
            path.write_text(text.replace(before, after))
        words = [word for seat in seats for word in ("--seat", seat)]
        words += ["--virtual"] if seats == PEOPLE else []
        done = run("-m", "tablier.cli.main", "play", "nim", "--plain", *words, beside=beside)
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        return line.removeprefix("tablier: ").replace(str(tmp_path), "")

    return play


PEOPLE = ("Zoe=people:random", "Bob=people:random")
KEPT = ". The game is kept in /log.db; 'tablier resume 1' resumes it."


def test_a_choice_of_more_options_than_a_table_shows_is_refused_before_the_game(play_nim: Play, tmp_path: Path) -> None:
    guesses = 'GUESSES = ("low", "high", "none", "both")'
    said = play_nim("rules.py", 'GUESSES = ("low", "high")', guesses, *PEOPLE)
    assert said == "Hunch lets players choose among 4 options at once; a table shows 3"
    assert not (tmp_path / "log.db").exists()


def test_a_choice_of_more_options_than_a_table_shows_ends_a_game_in_a_line(play_nim: Play) -> None:
    later = "for guess in (*GUESSES, *(('none', 'both') if state.round == 2 else ()))]"
    said = play_nim("rules.py", "for guess in GUESSES]\n        return [", f"{later}\n        return [", *PEOPLE)
    assert said == "nim, rules.py: players choose among 4 options at once; a table shows 3" + KEPT


def test_lights_that_no_table_shows_are_one_line(play_nim: Play) -> None:
    said = play_nim("lights.py", "return pixels", "return pixels[1:]", *PEOPLE)
    assert said == "nim, lights.py: ring returned 31 pixels; it has 32" + KEPT


def test_a_mind_that_fails_is_one_line(play_nim: Play) -> None:
    said = play_nim("people.py", '"guess low"', '"guess lowest"', *PEOPLE)
    allowed = "returned 'guess lowest'; allowed: 'guess low'; 'guess high'"
    assert said == f"nim, people.py: Stubborn.choose {allowed}{KEPT}"


def test_a_bot_that_fails_is_replaced_but_for_the_one_that_replaces(play_nim: Play, run: Run, tmp_path: Path) -> None:
    old = "return moves[points[self.seat - 1] == max(points)]\n\n\nBOTS = {"
    said = play_nim("bots.py", old, 'return None\n\n\nBOTS = {"random": Greedy, ', "Zoe=greedy", "Bob=random")
    why = "nim, bots.py: Greedy.decide returned None; allowed: guess low; guess high"
    assert said in [f"the bot of {name} failed: {why}{KEPT}" for name in ("Bob", "Zoe")]  # both do, at the same time
    beside = tmp_path / "beside"
    done = run("-m", "tablier.cli.main", "simulate", "nim", "--games", 1, "--jobs", 1, beside=beside)
    assert (done.returncode, done.stderr) == (2, f"tablier: {why}\n")
    bots = beside / "tablier_nim" / "bots.py"
    bots.write_text(bots.read_text().replace('"random": Greedy, ', ""))
    done = run(
        "-m", "tablier.cli.main", "play", "nim", "--plain", "--seat", "A=greedy", "--seat", "B=greedy", beside=beside
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"A's bot is out: it failed: {why}. A built-in bot takes over." in " ".join(done.stdout.split())
