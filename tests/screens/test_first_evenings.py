"""First evenings are what their golden files show: keys that are typed, and screens."""

import difflib
import runpy
from pathlib import Path

import pytest

from sample import sample

golden = runpy.run_path(str(Path(__file__).parents[1] / "golden" / "evenings" / "__main__.py"), run_name="evenings")
SOME = [("dilemma", (80, 24)), ("roudalon", None)]


@pytest.mark.long
@pytest.mark.parametrize(("game", "size"), sample(SOME, golden["EVENINGS"]))
def test_an_evening_still_goes_as_its_file_shows(game: str, size: tuple[int, int] | None) -> None:
    then = golden["path_of"](game, size).read_text(encoding="utf-8").splitlines()
    now = golden["evening"](game, size).splitlines()
    difference = list(difflib.unified_diff(then, now, "then", "now", lineterm=""))
    assert not difference, "\n".join([*difference[:60], "If it is meant: python -m tests.golden.evenings"])
