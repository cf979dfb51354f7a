"""The parts of a game: each is what its class demands, or is refused by name."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from tablier.games import GAMES, PARTS, BrokenGame, Game, default_part
from tablier.games.core.lights import DARK, HOOD, RING, Lights, dark, pixels_of, rings_of
from tablier.games.core.parts import PartError
from tablier.games.core.words import Words


@pytest.fixture
def nim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> tuple[Path, Game]:
    """The folder of a game without parts, and the game."""
    package = f"nim_{abs(hash(request.node.name))}"  # a name that no other test has imported
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path / package, Game("nim", [EntryPoint("nim", f"{package}.rules:Nim", "tablier.games")])


FACTS = "from tablier.games.core.facts import Facts\nfrom tablier.texts import Text\n"
FIT = "from tablier.games.core.words import Words\nWORDS = Words()\n"


@pytest.mark.parametrize(
    ("file", "code", "said"),
    [
        (
            "words",
            FIT.replace("()", "(by_hands=())"),
            "'by_hands'; it defines WORDS, tablier.games.core.words.Words(aim,",
        ),
        (
            "words",
            FIT.replace("()", "(help='roll')"),
            "words.py: TypeError: help must be tuple, not 'roll'; it defines",
        ),
        ("word", FIT, "word.py is no part; did you mean words.py? The parts: script, drawing, lights, "),
        ("lights", "from tablier.games.core.lights import Lights\nLIGHTS = Lights(hood=5)", "hood must be a function"),
        (
            "facts",
            FACTS + "FACTS = Facts(seats={'won': 'games won'})",
            "facts.py: TypeError: 'won' must have a text, not 'games won'; it defines FACTS, tablier.games.core.facts.",
        ),
        (
            "facts",
            FACTS + "FACTS = Facts(seats={'a' * 31: Text('games won')})",
            "is no key: at most 30 small letters and _",
        ),
        (
            "people",
            "MIND = 1 / 0",
            "people.py: ZeroDivisionError: division by zero; it defines MIND, a subclass of tab",
        ),
    ],
)
def test_a_part_that_is_misspelt_or_unfit_is_refused_by_name(
    nim: tuple[Path, Game], file: str, code: str, said: str
) -> None:
    folder, game = nim
    (folder / f"{file}.py").write_text(code)
    with pytest.raises(BrokenGame) as refused:
        game.check()
    line = str(refused.value)
    assert line.startswith("the game 'nim' of an unknown package cannot be loaded: ")
    assert said in line and "\n" not in line


def test_a_part_is_looked_up_once(nim: tuple[Path, Game]) -> None:
    folder, game = nim
    (folder / "words.py").write_text(FIT)
    words = game.part("words")
    assert words == Words()
    (folder / "words.py").unlink()
    assert game.part("words") is words


def test_a_game_without_parts_has_those_of_every_game(nim: tuple[Path, Game]) -> None:
    _, game = nim
    assert [game.part(module) for module in PARTS] == [default_part(module) for module in PARTS]


@pytest.mark.parametrize("name", GAMES)
def test_all_parts_of_our_games_are_fit(name: str) -> None:
    GAMES[name].check()


def fails(*_: Any) -> Any:
    raise KeyError("sea")


@pytest.mark.parametrize(
    ("name", "made", "said"),
    [
        ("ring", lambda *_: dark()[1:], "ring returned 31 pixels; it has 32"),
        ("ring", fails, "ring raised KeyError: 'sea' (test_parts.py, line "),
        ("public", lambda *_: [(0, 0)] * 6, "public returned the pixel (0, 0); a pixel is a colour from 0 to 14, a "),
        ("walk", lambda *_: [dark(), []], "walk returned 0 pixels; it has 32"),
        ("closed", fails, "closed raised KeyError: 'sea' (test_parts.py, line "),
    ],
)
def test_lights_that_no_table_shows_are_said_in_a_line(name: str, made: Any, said: str) -> None:
    of = rings_of if name in ("walk", "closed") else pixels_of
    with pytest.raises(PartError) as failed:
        of("nim", Lights(**{name: made}), name, None, None, None)
    assert str(failed.value).startswith(f"nim, lights.py: {said}")


def test_lights_that_a_table_shows_are_taken_as_they_are() -> None:
    lights = Lights(hood=lambda *_: [DARK] * HOOD, walk=lambda *_: [dark()])
    assert pixels_of("nim", lights, "hood") == [DARK] * HOOD
    assert rings_of("nim", lights, "walk") == [[DARK] * RING]
