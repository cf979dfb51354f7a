"""The golden playthroughs: one for each game, and none has changed unnoticed."""

from __future__ import annotations

import ast
import difflib
import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from tablier.games import GAMES
from tablier.record import parse_record, replay
from wording import GOLDEN, TESTS, read

golden: dict[str, Any] = runpy.run_path(str(Path(__file__).parent / "golden" / "__main__.py"), run_name="golden")
CURE = "If the change is meant, write it again with: python -m tests.golden"


def test_there_is_one_playthrough_for_each_game_and_nothing_else() -> None:
    assert set(golden["PLAYS"]) == set(GAMES)
    assert {path.name for path in golden["FOLDER"].glob("*.txt")} == {f"{name}.txt" for name in GAMES}, CURE


@pytest.mark.parametrize("name", GAMES)
def test_a_game_still_goes_as_its_playthrough_tells(name: str) -> None:
    then = golden["path_of"](name).read_text(encoding="utf-8").splitlines()
    now = golden["playthrough"](name).splitlines()
    difference = list(difflib.unified_diff(then, now, "then", "now", lineterm=""))
    assert not difference, "\n".join([*difference[:60], CURE])


@pytest.mark.parametrize("name", GAMES)
def test_a_playthrough_ends_with_the_record_of_its_game(name: str) -> None:
    record = parse_record(json.loads(golden["path_of"](name).read_text(encoding="utf-8").splitlines()[-1]))
    position = replay(record)
    assert record.game == name
    assert position.is_over
    assert record.result is not None


@pytest.mark.parametrize("path", sorted(GOLDEN.rglob("*.txt")), ids=lambda path: path.stem)
def test_wording_that_is_kept_is_that_of_tests(path: Path) -> None:
    tests = ast.parse((TESTS / path.relative_to(GOLDEN)).with_suffix(".py").read_text(encoding="utf-8"))
    assert read(path).keys() <= {each.name for each in ast.walk(tests) if isinstance(each, ast.FunctionDef)}
