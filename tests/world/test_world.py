"""A duel between a place and a phone, each step chosen by the test; a keeper that is killed between any two of them."""

from __future__ import annotations

import ast
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from one_thread import GUESSES, PHONE, PLACE, TIME, Choose, World, world
from table_of_world import Board

import tablier_fw
from sample import each, sample
from tablier.judge.audit import audit
from tablier.log.store import Log

MOST = 6_000
"""The most steps of a story."""


def at_random(seed: int) -> Choose:
    """Return what chooses any step, time seldom."""
    dice = random.Random(seed)

    def choose(steps: Sequence[str]) -> str:
        return dice.choices(steps, [1 if step == TIME else 3 for step in steps])[0]

    return choose


def told(folder: Path, seed: int, kill: int | None = None, cut: int | None = None) -> list[str]:
    """Play a duel to its end, with a keeper that is killed or a table whose power is cut after that step; return the
    story. Its log has to follow, and what was guessed to stand in it."""
    folder.mkdir()
    with world(folder, at_random(seed)) as made:
        while not made.over:
            assert len(made.story) < MOST, made.story[-40:]
            made.step()
            if len(made.story) == kill:
                made.kill_keeper()
            if len(made.story) == cut:
                made.cut_power()
        check(made)
        return made.story


def check(made: World) -> None:
    """Check that both guessed what they meant to, and that the log follows."""
    moves = made.log.moves(1)
    assert moves[:2] == [f"p{seat} guess {GUESSES[seat]}" for seat in (PLACE, PHONE)] and len(moves) == 3
    with Log.read(made.log_path) as log:
        assert log.verify() > 0 and audit(log.entries()).games == 1


@pytest.mark.parametrize("seed", each(3, range(3)))
def test_the_same_choices_tell_the_same_story(tmp_path: Path, seed: int) -> None:
    assert told(tmp_path / "first", seed) == told(tmp_path / "second", seed)


@pytest.mark.parametrize("seed", range(sample(1, 3)))
def test_a_keeper_that_is_killed_after_any_step_loses_nothing(tmp_path: Path, seed: int) -> None:
    steps = len(told(tmp_path / "whole", seed))
    for at in range(1, steps, sample(19, 1)):
        assert "killed" in told(tmp_path / str(at), seed, kill=at), at


@pytest.mark.parametrize("seed", range(sample(1, 3)))
def test_a_table_whose_power_is_cut_after_any_step_asks_again(tmp_path: Path, seed: int) -> None:
    steps = len(told(tmp_path / "whole", seed))
    for at in range(1, steps, sample(19, 1)):
        assert "power cut" in told(tmp_path / str(at), seed, cut=at), at


def test_the_worlds_board_has_what_the_firmware_calls() -> None:
    declared = ast.parse((Path(tablier_fw.__file__).parent / "board.pyi").read_text(encoding="utf-8"))
    (board,) = [each for each in declared.body if isinstance(each, ast.ClassDef) and each.name == "Board"]
    named = {each.name for each in board.body if isinstance(each, ast.FunctionDef)}
    named |= {
        each.target.id for each in board.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    }
    lacks = named - set(dir(Board(lambda: 0.0, random.Random(1))))
    assert lacks == {"examiner", "enter_service"}, "nobody tests or serves this table"
