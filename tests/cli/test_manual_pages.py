"""The manual: short sentences, an example on every page, and commands that exist."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from sample import thorough
from tablier.cli.main import build_parser, main
from tablier.cli.preferred import speak_chosen
from tablier.course.seats import Seat
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.texts import ENGLISH

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "host" / "manual").rglob("*.md"))
BOT = re.findall(r"^```python\n(.*?)^```", (ROOT / "host" / "manual" / "bots.md").read_text("utf-8"), re.M | re.S)[0]
WORDS = 14
"""The most words that the sentences of a page may have on average."""
COMMAND = re.compile(r"^ *tablier\b(?P<words>.*)$", re.M)


def sentences(page: str) -> list[str]:
    """Return the sentences of a page's paragraphs and lists, without its headings, tables and examples."""
    prose = re.sub(r"^```.*?^```|^[|#].*?$|^<img.*?$|^    .*?$", "", page, flags=re.S | re.M)
    blocks = re.split(r"\n\s*\n|\n(?=[-*] |\d+\. )", prose)
    return [
        one for block in blocks for one in re.split(r"(?<=[.!?:])\s+(?=[A-ZÀÉ«`*\[])", " ".join(block.split())) if one
    ]


def examples(page: str) -> list[str]:
    return re.findall(r"^```\w*\n(.*?)^```", page, re.M | re.S)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_is_read_easily(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    lengths = [len(re.findall(r"\S*\w\S*", one)) for one in sentences(page)]
    assert sum(lengths) / len(lengths) <= WORDS and examples(page)


@pytest.mark.parametrize("path", [ROOT / "README.md", *PAGES], ids=lambda path: path.stem)
def test_the_commands_of_a_page_exist(path: Path) -> None:
    for example in examples(path.read_text(encoding="utf-8")):
        for found in COMMAND.finditer(example):
            words = shlex.split(re.split(r"\s(?:[#;|<>])\s?", f"{found['words']} # ")[0])
            if words and "--help" not in words:  # else the start screen
                build_parser().parse_args(words)


# -- every command line is run -----------------------------------------------------------------------------------------

STAYS = ("keeper", "attach", "web", "invite", "report", "table", "resume")
"""Commands that stay, or need a table, a running game or a season of another club: their words are checked above."""
NEEDS = re.compile(
    r"log analyse|archive re(?:move --club|name)|--with|--port|--dask|postgresql:|FILE\b|HASH\b|PORT\b|--lan\b"
)
"""What a page leaves to its reader to fill in, such as a move or a club, and what only a real table or network has."""
MANY = re.compile(r"(?<=--games )\d+")
"""Games are few here: a campaign is as long as its reader likes."""


def lines_of(path: Path) -> list[str]:
    found = [each["words"] for example in examples(path.read_text("utf-8")) for each in COMMAND.finditer(example)]
    return [re.split(r"\s(?:[#;|<>])\s?", f"{words} # ")[0].strip() for words in found]


def runnable(words: str) -> bool:
    first = words.split()[0] if words else ""
    begins = first in ("play", "evening") and "--play" not in words  # somebody would have to type
    return bool(words) and first not in STAYS and not NEEDS.search(words) and not begins


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with a club's log, in which games were played, and what the pages name."""
    folder = tmp_path_factory.mktemp("club")
    with Log.open(folder / "log.db") as log:
        for name in ("Anne", "Bernrad", "Berni"):
            log.person(name)
    bots = ["--bot", "Zoe=greedy", "--bot", "Yves=greedy"]
    games = ["--play", "struggle", "--play", "d21", "--play", "struggle"]
    assert main(["evening", *bots, *games, "--log", str(folder / "log.db")]) == 0
    with Log.open(folder / "log.db") as log:
        for _ in range(4, 8):  # the last one is the game of the manual that was begun by mistake
            begin(log, "dilemma", {}, [Seat(name, 0, "screen") for name in ("Anne", "Bernrad", "Berni")])
    assert main(["log", "backup", str(folder / "whole.db"), "--log", str(folder / "log.db")]) == 0
    assert main(["log", "export", "1", "--out", str(folder / "g.json"), "--log", str(folder / "log.db")]) == 0
    assert (
        main(["archive", "add", str(folder / "whole.db"), "--club", "Beaune", "--to", str(folder / "archive.db")]) == 0
    )
    return folder


@thorough
def test_every_command_line_of_the_manual_runs(
    club: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a page whose example fails its reader believes nothing more."""
    monkeypatch.setenv("COLUMNS", "80")
    failed, seen = [], set[str]()
    for path in PAGES:
        new = [line for line in filter(runnable, lines_of(path)) if line not in seen]
        seen.update(new)
        if not new:
            continue
        folder = tmp_path / f"{path.parent.name}-{path.stem}"
        folder.mkdir()
        monkeypatch.chdir(folder)
        for name in ("log.db", "friday.db"):
            shutil.copy(club / "whole.db", folder / name)
        others = ["monday.db", "old.db", *([] if "Bernrad" in " ".join(new) else ["log.db"])]
        for name in others:
            with Log.open(folder / name) as log:
                log.person("Bernard")
        monkeypatch.setenv("TABLIER_LOG", str(folder / "log.db"))
        shutil.copy(club / "g.json", folder / "g.json")
        if "archive add friday.db --club Beaune" not in " ".join(new):
            shutil.copy(club / "archive.db", folder / "archive.db")
        (folder / "bot.py").write_text(BOT)
        (folder / "bot.py").chmod(0o755)
        for line in new:
            words = ["greedy" if word in ("strong", "good") else word for word in shlex.split(MANY.sub("2", line))]
            words += (
                ["--yes"]
                if words[0] in ("people", "log")
                and {"abandon", "forget", "merge", "rename", "restore", "take"} & set(words)
                else []
            )
            words += ["--force"] if {"--out", "backup"} & set(words) and "--force" not in words else []
            words += ["--jobs", "1"] if words[0] == "simulate" and "--jobs" not in words else []
            if main(words) not in (0, 3):
                failed.append((path.stem, line, capsys.readouterr().err))
            capsys.readouterr()
            speak_chosen(ENGLISH)  # after a line that chose another language
    assert seen and not failed
