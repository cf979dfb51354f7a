"""``--lang``, the environment, and what commands say in another language than English."""

from __future__ import annotations

import argparse
import os
import queue
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.catalogue import catalogue_of

import replies
from kept import kept, linked, opened
from marked import MARKED, english, with_languages
from tablier import texts
from tablier.cli.main import build_parser, main
from tablier.cli.parsing import commands_of
from tablier.games import GAMES


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("LANGUAGE", "qaa")
    monkeypatch.setenv("TABLIER_LOG", str(tmp_path / "log.db"))
    monkeypatch.chdir(tmp_path)
    with with_languages(monkeypatch, MARKED):
        yield


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    status = main(list(words))
    out, err = capsys.readouterr()
    return status, out + err


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    inner = commands_of(parser)
    for each in inner.choices.values() if inner else ():
        yield from parsers(each)


def test_all_help_is_in_the_catalogue(marked: None) -> None:
    texts.speak(MARKED)
    for parser in parsers(build_parser()):
        parser.format_help()  # puts it into words
        said = [parser.description, *(group.title for group in parser._action_groups)]
        said += [(action.help or "") % {"default": "", "prog": ""} for action in parser._actions if _is_shown(action)]
        for each in filter(None, said):
            known = set(re.findall(r"[a-z]+", " ".join(map(str, GAMES))))
            choices = (name for action in parser._actions for name in action.choices or ())
            assert not english(each, *known, *map(str, choices), *SOURCES), (parser.prog, each)


def test_options_of_games_are_in_the_catalogue(marked: None, capsys: pytest.CaptureFixture[str]) -> None:
    _, said = run(capsys, "help", "play")
    lines = said.rpartition("\n\n")[2].splitlines()
    assert len(lines) > 10 and [line for line in lines[1:] if english(line[26:], "red", "green")] == []


NAMES = ("Anne", "Bernard", "Christine")
SOURCES = ["red", "table", "screen", "people", "easy", "good", "strong", "greedy", "random", "bot"]


def _is_shown(action: argparse.Action) -> bool:
    return bool(action.help) and action.help != argparse.SUPPRESS


@pytest.mark.parametrize(
    "words",
    [
        ("plya",),
        ("play", "chess"),
        ("play", "--pace", "x"),
        ("play", "--pace"),
        ("play", "dilemma", "--seat", "Anne=bot:nothing", "--seat", "Anne=good"),
        ("log", "show", "7"),
        ("log", "verify"),
        ("log", "list"),
        ("people", "rename", "Anne"),
        ("people", "list"),
        ("replay", "none.json"),
        ("stats", "--club", "x", "--archive", "none.sqlite"),
        ("help", "play", "x"),
        ("table", "info", "--port", "none"),
        ("rules",),
    ],
)
def test_a_refusal_is_in_the_catalogue(
    marked: None, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    _, said = run(capsys, *words)
    quoted = re.sub(r"'[^']*'|\S*/\S*|\b\w+\.(json|sqlite|db)\b", " ", said.replace("tablier", ""))
    known = (*GAMES, "Anne", *words, *ALL)
    assert not english(quoted, *known, *re.split("-", " ".join(GAMES).replace(" ", "-"))), said


ALL = [name for each in parsers(build_parser()) if (inner := commands_of(each)) for name in inner.choices]
"""The names of all commands."""


def test_the_manual_page_is_in_the_catalogue(marked: None, capsys: pytest.CaptureFixture[str]) -> None:
    _, page = run(capsys, "man")
    told = re.sub(r"(?m)^\.SS .*|\\f[BI].*?\\fR|\\\(aq.*?\\\(aq|\$\w+|~?/\S+|\S*=\S+|\\-\\-[\w\\-]+", " ", page)
    known = ("tablier", "TABLIER", "aqs", *(part for game in GAMES for part in game.split("-")), *SOURCES, *ALL)
    lines = [line for line in told.splitlines() if not line.startswith(".") and english(line, *known)]
    assert lines == []
    assert page.count("⟦") > 300


def test_lang_stands_anywhere(
    marked: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "⟦" in run(capsys, "log", "list")[1]
    assert "⟦" not in run(capsys, "log", "list", "--lang", "en")[1]
    monkeypatch.setenv("LANGUAGE", "en")
    assert "⟦" in run(capsys, "log", "--lang=qaa", "list")[1]
    monkeypatch.setenv("LANGUAGE", "qaa")
    status, said = run(capsys, "--lang", "tlh", "log", "list")
    assert status == 2 and "'tlh'" in said and "en" in said and len(said.splitlines()) == 1
    assert run(capsys, "log", "list", "--lang")[0] == 2


def test_a_log_is_told_in_the_language_of_who_reads_it(
    marked: None, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.db"
    with kept(path), linked(path) as link:
        seats = [{"name": name, "source": "screen"} for name in NAMES]
        game = opened(link, "play", game="dilemma", seats=seats, options={"first": "p1"})
        updates: queue.SimpleQueue[Any] = queue.SimpleQueue()
        game.watch([1], updates.put)
        while (question := updates.get(timeout=20).updates[0].question) is None:
            pass
        game.reply(replies.play("offer 5", id=question.id, seat=1))
        game.stop()
    texts.speak(MARKED)
    kinds: dict[str, str] = {}
    for tag in ("qaa", "en"):
        status, said = run(capsys, "log", "show", "--log", str(path), "--lang", tag)
        assert status == 0
        kinds[tag] = said
    assert "Anne offers the 5." in kinds["en"] and "Anne øƒƒéŕš ţĥé 5." in kinds["qaa"]
    assert not english(kinds["qaa"], *NAMES, "Dilemma", "screen", "first"), kinds["qaa"]
    assert "p1 offer 5 " in kinds["en"]


def test_a_page_of_the_manual_is_found_by_its_name_in_any_language(
    marked: None, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = run(capsys, "manual", "--lang", "fr")[1].splitlines()
    listed = [line.split()[0] for line in lines if line]
    assert listed.index("soirée") < lines.index("En anglais\u00a0:") < listed.index("bots"), "which are in English"
    assert "soirée" in listed and "bots" in listed and "evening" not in listed and "LISEZMOI" not in listed
    pages = {run(capsys, "manual", name, "--lang", "fr") for name in ("evening", "soiree", "soirée")}
    assert len(pages) == 1 and "Une soirée" in pages.pop()[1]
    assert "An evening" in run(capsys, "manual", "soiree", "--lang", "en")[1]
    status, said = run(capsys, "manual", "soire", "--lang", "fr")
    assert status == 2 and "«\u00a0soire\u00a0»" in said and "vouliez-vous dire soirée\u202f?" in said


def test_another_package_brings_a_language(tmp_path: Path) -> None:
    """A tiny one: an entry point, and a catalogue."""
    (tmp_path / "klingon" / "locale" / "tlh" / "LC_MESSAGES").mkdir(parents=True)
    (tmp_path / "klingon" / "__init__.py").touch()
    said = 'msgctxt "language"\nmsgid "English"\nmsgstr "tlhIngan Hol"\n\n'
    said += 'msgid "No game was played yet."\nmsgstr "Qujbe’"\n'
    (tmp_path / "klingon" / "locale" / "tlh" / "LC_MESSAGES" / "all.po").write_text(said, encoding="utf-8")
    about = tmp_path / "klingon-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: klingon\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[tablier.languages]\ntlh = klingon\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "LC_ALL": "tlh_KL.UTF-8", "LANGUAGE": ""}
    code = (
        "import os; from tablier.languages import *; from tablier.texts import *;"
        "speak(of_environment(os.environ)); print(Text('No game was played yet.'), name_of(language()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8"
    )
    assert (done.stderr, done.stdout) == ("", "Qujbe’ tlhIngan Hol\n")


def test_messages_are_where_their_game_is() -> None:
    assert catalogue_of(["games/dilemma/rules.py", "games/dilemma/words.py"]) == "dilemma"
    assert catalogue_of(["games/dilemma/rules.py", "games/d21/words.py"]) == "tablier"
    assert catalogue_of(["games/core/rules.py"]) == catalogue_of(["games/__init__.py"]) == "tablier"
    assert catalogue_of(["games/core/words.py", "games/d21/words.py"]) == "tablier"
