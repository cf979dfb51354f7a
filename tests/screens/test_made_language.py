"""Nothing at a terminal goes past the catalogue: whole games and an evening, walked in a language made of ⟦…⟧."""

from __future__ import annotations

import os
import re
import runpy
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from full_screen import Port, run, until
from room import Room
from shown import text
from textual.pilot import Pilot

from kept import kept
from marked import MARKED, english, with_languages
from sample import sample
from tablier import texts
from tablier.cli.main import main
from tablier.games import GAMES
from tablier.screens.commands import EVENING, GAME, WORDS

golden = runpy.run_path(str(Path(__file__).parents[1] / "golden" / "evenings" / "__main__.py"), run_name="evenings")
SOME = [("roudalon", (80, 24)), *((game, None) for game in ("dilemma", "struggle", "d21"))]
NAMES = ("Zoe", "Bernard", "Christine", "Daniel", "Anne", "Béa", "Tablier")


@pytest.fixture(autouse=True)
def marked(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with with_languages(monkeypatch, MARKED):
        texts.speak(MARKED)
        yield


def past(lines: str, *typed: str) -> list[str]:
    """Return the lines that have an English word."""
    lines = lines.replace("evening.db", "")
    keys = [part for game in GAMES for part in (game, *game.split("-"))]
    return [line for line in lines.splitlines() if english(line, *NAMES, *keys, *typed)]


@pytest.mark.parametrize(("game", "size"), sample(SOME, golden["EVENINGS"]))
def test_a_game_at_a_terminal_from_the_start_screen_to_its_end(game: str, size: tuple[int, int] | None) -> None:
    said = golden["evening"](game, size)
    shown = [line for line in said.splitlines() if not re.match(r"--- |(Zoe)?> ", line)]
    assert not past("\n".join(shown), "xyzzy", *FIELDS)
    assert said.count("⟦") > 100


FIELDS = ("aefb", "gfeh", "dcgh", "abcd")
"""The fields of Dicke Dämonen, by their crossings."""


@pytest.mark.parametrize("words", ["", "x", "3", "Anne", "Anne strong", "9 pass", "x 1"])
def test_every_command_of_a_game_answers(tmp_path: Path, words: str) -> None:
    room = Room(tmp_path / "log.db", "roudalon", ["Anne", "Bernard", "Christine", "Daniel"], [(1, 2)])
    said: list[str] = []
    try:
        model = room.models[0]
        for command in GAME:
            for line in (command.said, command.name):
                room.type(f"{line} {words}".strip())
                said += [
                    model.error,
                    model.question,
                    model.prompt[1],
                    model.advice,
                    *(each.text for each in model.sayings),
                ]
                said += [text for _, text in model.hint(f"{line} {words}".strip(), 80)]
                said += [f"{each.line} {each.leads}" for each in model.options(line)]
                if model.quitting or model.page:
                    room.type(str(WORDS["no"]) if model.quitting else "")
        said += [text for section in model.help() for text in section]
        said += [text for head, section in model.card(keys=True) for text in (head, *section)]
    finally:
        room.close()
    assert not past("\n".join(said), "bot", *words.split())


def test_the_palette_of_a_full_screen() -> None:
    shown: list[str] = []

    async def look(pilot: Pilot[None]) -> None:
        for keys, comes in ((["ctrl+p"], "⟦Šéåŕçĥ"), ([*"zzz"], "⟦Ţĥéŕé îš ñø šûçĥ")):
            await pilot.press(*keys)
            await until(pilot, comes)
            shown.append(text(pilot))

    run(Port(), look)
    assert not past("\n".join(shown).replace("Go.", "").replace("News", ""), "zzz", "Ctrl")


def test_every_command_of_an_evening_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", MARKED.tag)
    bare = [command.said for command in EVENING if command.name not in (":quit", ":end", ":host")]
    typed = [
        *bare,
        *(f"{line} xyz" for line in bare),
        ":xyz",
        "xyz",
        "",
        ":come Béa@3",
        ":rename Béa, Bea",
        ":bots 2 good",
    ]
    typed += [":series first to 2 d21", "d21", "dilemma with Anne", "", ":results", ":door close", ":go Bea", ":end"]
    reads, writes = os.pipe()
    os.write(writes, "".join(f"{line}\n" for line in typed).encode())
    os.close(writes)
    out = StringIO()
    with kept(tmp_path / "log.db"), os.fdopen(reads) as stdin, redirect_stdout(out), redirect_stderr(out):
        monkeypatch.setattr(sys, "stdin", stdin)
        main(["evening", "--plain", "--with", "Anne", "--no-web", "--log", str(tmp_path / "log.db")])
    said = out.getvalue().replace(str(tmp_path), "")
    assert not past(said, *" ".join(typed).split(), "log")
    assert said.count("⟦") > 100
