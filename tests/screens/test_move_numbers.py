"""The number by which a move is disputed or corrected stands before what is told of it, on screens and in the log."""

from __future__ import annotations

import io
import random
import re
from pathlib import Path

import pytest
from room import Room

from ports import connect
from tablier.cli.main import main
from tablier.play.connections import Message
from tablier.screens.full import Full
from tablier.screens.line import Line
from tablier.screens.story import Saying, Story
from tablier.screens.summary import LogName

NAMES = ("Anne", "Bernard", "Christine", "Daniel")


def test_every_screen_and_the_log_give_a_move_the_same_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    room = Room(tmp_path / "log.db", "roudalon", NAMES, [(1,)])
    out = io.StringIO()
    line, full = Line([1], LogName("the log"), io.StringIO(), out), Full([1], LogName("the log"))
    line._connection = connect(room.conductor, [1])
    room.conductor.watch((1,), lambda message: line._step("message", message))

    def take(message: Message) -> None:
        full.model.take(message)

    room.conductor.watch((1,), take)
    room.type("bet 2")
    room.close()
    drawn = " ".join(text for _, text in full.model.paragraphs)
    assert re.search(r"\b1\. Anne stakes 2 units", drawn)
    assert " 1. Anne stakes 2 units" in out.getvalue()
    assert main(["log", "show", "--log", str(tmp_path / "log.db")]) == 0
    shown = capsys.readouterr().out
    assert re.search(r" 1\.  p1 bet 2\s+Anne stakes 2 units", shown)
    for text in (drawn, out.getvalue()):  # of the others, as far as they have moved until it is Anne's turn again
        numbers = [int(number) for number in re.findall(r"\b(\d+)\. (?:Anne|Bernard|Christine|Daniel)", text)]
        assert numbers[0] == 1 and numbers == sorted(set(numbers)) and len(numbers) >= 2


def test_a_number_is_said_again_after_moves_were_taken_back() -> None:
    story = Story(untold=("board",))
    for kind, text, at in (("board", "?", 1), ("bet", "One.", 1), ("dice", "Two dice.", 1), ("takeback", "Back.", 0)):
        story.say(Saying(story.newest + 1, kind, text, None, at=at))
    story.say(Saying(story.newest + 1, "bet", "Another.", None, at=1))
    assert [saying.text for saying in story.sayings] == ["1. One.", "Two dice.", "Back.", "1. Another."]


def test_a_dispute_quotes_the_move_that_it_disputes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    room = Room(tmp_path / "log.db", "roudalon", NAMES, [(1,)])
    room.type("bet 2")
    room.type(":dispute 1 it was three")
    room.close()
    assert "Anne disputes move 1, bet 2: it was three" in [saying.text for saying in room.models[0].sayings]
    assert main(["log", "show", "--log", str(tmp_path / "log.db")]) == 0
    assert "Anne disputes move 1: it was three" in capsys.readouterr().out


def test_a_dispute_of_a_secret_move_does_not_quote_it(tmp_path: Path) -> None:
    room = Room(tmp_path / "log.db", "dicke-daemonen", NAMES[:2], [(1,)])
    room.type(":dispute 5 that was mine")  # the first creature of Bernard's
    room.close()
    assert "Anne disputes move 5: that was mine" in [saying.text for saying in room.models[0].sayings]


@pytest.mark.parametrize("game", ["d21", "struggle"])
def test_each_paragraph_tells_of_one_player(game: str, tmp_path: Path) -> None:
    """Nobody's last move of a turn stands beside what the next one does."""
    room = Room(tmp_path / "log.db", game, NAMES[: 2 if game == "d21" else 4], [(1,)])
    model, dice = room.models[0], random.Random(1)
    for _ in range(6):
        if model.asked is not None:
            room.type(dice.choice(list(model.lines())))
    room.close()
    told = [text for _, text in model.paragraphs if "secret objective" not in text]  # these are dealt at once
    movers = [set(re.findall(r"\b\d+\. (Anne|Bernard|Christine|Daniel)\b", text)) for text in told]
    assert sum(map(len, movers)) > 6 and max(map(len, movers)) == 1, told
    sentences = [text for saying in model.sayings for text in re.findall(r"\b\d+\. .*", saying.text)]
    assert len(sentences) == len(set(sentences)), "no move is told twice"
