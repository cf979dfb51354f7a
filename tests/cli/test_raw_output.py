"""What a log, a bot, a table, a record or a command line says reaches no terminal raw, in whatever string it stands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from cli.term import Term
from sample import sample
from tablier.cli.main import main
from tablier.course.seats import Seat
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.printable import printable, printable_json
from tablier.screens.paper import wrapped
from tablier.simulation.simulated import SimulatedTable

EVIL = "a\x1b[31m\x1b]0;t\x07\r\n2 entries, whole\x00\x7f\x85\x9b2J\u202e\u2066\u200f\u2028\u2029\ufeff\udc9bz"
"""C0 with a second line, C1, marks of direction, separators of lines, half a pair."""


def clean(printed: str) -> None:
    """Nothing but what can be seen, and the ends of lines that the command makes."""
    for line in printed.split("\n"):
        assert line.isprintable(), [unicodedata.category(c) + ascii(c) for c in line if not c.isprintable()]


WORDS = [["list"], ["show"], ["show", "--all"], ["show", "--reveal", "--all"], ["verify"], ["verify", "--head", EVIL]]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log with such text in names and notes."""
    path, evil = tmp_path / "log.db", EVIL.replace("\udc9b", "")  # the log takes no half pair
    with Log.open(path) as writer:
        seats = [{"name": f"{evil}{n}", "place": 0, "source": "greedy"} for n in (1, 2)]
        game = writer.begin_game("d21", {"max_plies": 3}, seats, versions={"rules": 1, "script": 1})
        writer.append(game, "note", {"kind": evil, "text": evil})
    return path


@pytest.mark.parametrize("words", WORDS)
def test_a_log_commands_no_terminal(words: list[str], log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if words[0] == "list":  # of games that have ended, or have moves
        with Log.open(log) as writer:
            writer.append(1, "end", {"scores": {}, "winners": []})
    main(["log", *words, "--log", str(log)])
    out, err = capsys.readouterr()
    assert out or err
    clean(out)
    clean(err)
    if words[0] in ("list", "show"):
        assert "\\u202e" in out and "\\x9b" in out, "it is shown, escaped"


@pytest.mark.parametrize(
    "kind", ["table", "run", "dispute", "gap", "void", "aborted", "reveal", "end", "schema", "move", "strange"]
)
def test_a_log_of_anybody_commands_no_terminal(kind: str, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever its entries hold; nor is there any verdict in it but the command's own."""
    evil = EVIL.replace("\udc9b", "")
    with Log.open(log) as writer:
        body = {"kind": evil, "text": evil, "version": evil, "from": evil, "to": evil, evil: [evil, {evil: evil}]}
        versions = {"versions": {"rules": evil, "script": evil}, "schema": evil, "game": evil}
        writer.append(1, kind, {**body, **versions})
        writer.append(None, kind, {**body, **versions})
    for words in sample(WORDS[::2], [*WORDS, ["export"]]):
        main(["log", *words, "--log", str(log)])
        out, err = capsys.readouterr()
        assert out or err
        clean(out)
        clean(err)
        assert "\n2 entries" not in f"\n{out}\n{err}".replace("\n2 entries, in order; head", "")


def test_an_exported_record_is_json_that_commands_no_terminal(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["log", "export", "--log", str(log)]) == 0
    out, _ = capsys.readouterr()
    clean(out)
    names = json.loads(out)["players"]
    assert names == [f"{EVIL}{n}".replace("\udc9b", "") for n in (1, 2)], "and says the same"
    assert main(["log", "export", "--log", str(log), "--out", str(tmp_path / "g.json")]) == 0
    assert (tmp_path / "g.json").read_text(encoding="utf-8") == out


def test_a_record_commands_no_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "g.json"
    record: dict[str, Any] = {"format": 1, "game": "d21", "players": [f"{EVIL}{n}" for n in (1, 2)]}
    (good,) = [record | {"options": {"max_plies": 3}, "moves": ["p1 c3-c4"]}]
    for key, value in (
        ("moves", good["moves"]),
        ("moves", [EVIL]),
        ("game", EVIL),
        ("options", {EVIL: EVIL}),
        ("options", {"max_plies": EVIL}),
        (EVIL, EVIL),
        ("result", {"scores": {EVIL: 1}, "winners": [EVIL]}),
        ("format", EVIL),
    ):
        path.write_text(json.dumps({**good, key: value}), encoding="utf-8")
        for command in (["replay"], ["legal"], ["show"], ["show", "--seat", "p1"], ["show", "--seat", EVIL]):
            main([command[0], str(path), *command[1:]])
            for printed in capsys.readouterr():
                clean(printed)


@pytest.mark.parametrize(
    "words",
    [
        [EVIL],
        ["play", EVIL],
        ["play", "d21", "--seat", EVIL],
        ["play", "d21", "--seat", f"{EVIL}=greedy", "--seat", f"Bob=bot:{EVIL}"],
        ["play", "d21", "--seat", "Anne=greedy", "--seat", f"Bob=bot:./{EVIL}"],
        ["play", "d21", "--option", f"{EVIL}={EVIL}"],
        [
            "play",
            "--log",
            EVIL,
            "d21",
            "--no-table",
            "--seat",
            "A=greedy",
            "--seat",
            "B=greedy",
            "--option",
            "max_plies=1",
        ],
        ["resume", "--log", f"/nowhere/{EVIL}"],
        ["resume", EVIL],
        ["log", "list", "--log", EVIL],
        ["log", "backup", EVIL],
        ["log", "export", "--out", f"/nowhere/{EVIL}"],
        ["table", "info", "--port", EVIL],
        ["table", "monitor", "--port", EVIL, "--only", EVIL],
        ["table", "sim", "--board", EVIL],
        ["replay", EVIL],
        ["simulate", "d21", "--games", "1", "--seats", EVIL],
        ["layout", EVIL],
    ],
)
def test_a_command_line_commands_no_terminal(
    words: list[str], log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    if "--log" not in words:
        monkeypatch.setenv("TABLIER_LOG", str(log))
    with Path("/dev/null").open() as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        main([word.replace("\x00", "") for word in words])
    out, err = capsys.readouterr()
    assert out or err
    clean(out)
    clean(err)


BOT = """
import json, sys
evil = json.loads(sys.argv[1])
sys.stdin.readline()
sys.stdin.readline()
if sys.argv[2] == "moves":
    print(json.dumps({"move": evil}), flush=True)
elif sys.argv[2] == "raw":
    sys.stdout.buffer.write(evil.encode("utf-8", "replace") + b"\\x9b\\n")
sys.stderr.buffer.write(evil.encode("utf-8", "replace") + b"\\x9b\\x1b[2J")
"""


@pytest.mark.parametrize("how", ["moves", "raw", "ends"])
def test_a_bot_commands_no_terminal(how: str, tmp_path: Path) -> None:
    """Its moves, its babble and its standard error; the command of a seat and the names of a log, too."""
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "bot.py").write_text(BOT)
    name = EVIL.replace("\x00", "").replace("\udc9b", "").replace("\n", " ")
    bot = f"bot:{sys.executable} {tmp_path / 'program' / 'bot.py'} '{json.dumps(EVIL)}' {how}"
    with Log.open(tmp_path / "log.db") as log:
        begin(log, "d21", {"max_plies": 3}, [Seat(name, 0, "greedy"), Seat("B\u202e", 0, bot)])
    words = [sys.executable, "-m", "tablier.cli.main", "resume"]
    done = subprocess.run(
        words,
        env={**os.environ, "TABLIER_LOG": str(tmp_path / "log.db")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=100,
    )
    assert done.returncode == 0 and "takes over" in done.stdout.replace("\n ", "")
    clean(done.stdout)
    clean(done.stderr)


LIAR = """
import sys
from tablier.simulation import simulator
from tablier.simulation.process import serve

simulator.FIRMWARE = r'''
import tablier_fw.system
tablier_fw.system.name = lambda: "\\x1b[31m\\r\\n9 rolls\\x00\\x85\\x9b2J\\u202e\\u2028"
import tablier_fw.main_sim'''
raise SystemExit(serve(simulator.table_of(sys.argv[1:])))
"""


class Liar(SimulatedTable):
    program = "lying_table"


def test_a_table_commands_no_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its version is the one text that a table says of itself: shown, logged, and shown out of the log."""
    (tmp_path / "lying_table.py").write_text(LIAR)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("TABLIER_LOG", str(tmp_path / "log.db"))
    command = [sys.executable, "-m", "tablier.cli.main", "table"]
    with Liar(virtual=True) as table:
        for words in (["info"], ["list"], ["console"], ["monitor"]):
            words += [] if words == ["list"] else ["--port", table.first_port]
            with subprocess.Popen(
                [*command, *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
            ) as running:
                assert running.stdin is not None and running.stdout is not None
                if words[0] == "console":
                    running.stdin.write("messages\nhelp\nstatus\n\x9b\x1b[2J\nping x=\u202e\nquit\n")
                running.stdin.close()
                if words[0] == "monitor":
                    printed = "".join(running.stdout.readline() for _ in range(5))
                    running.terminate()
                else:
                    printed = running.stdout.read()
            clean(printed)
            if words[0] == "info":
                assert "\\x1b[31m\\r\\n9 rolls" in printed
        people = ["--seat", "Anne=people", "--seat", "Bob=people", "--option", "max_plies=1"]
        assert main(["play", "d21", *people, "--port", table.first_port, "--virtual"]) == 0
    for words in (["show", "--all"], ["verify"], ["list"]):
        assert main(["log", *words]) == 0
    out, err = capsys.readouterr()
    clean(out)
    clean(err)
    assert "9 rolls" in out and "\n9 rolls" not in out


def test_a_terminal_gets_no_other_commands_than_those_of_the_screen(tmp_path: Path) -> None:
    """The full screen draws with its own; a name or a bot adds none."""
    name, program = "Z\x1b]0;owned\x07\u202e\x9b2J", tmp_path / "program" / "bot.py"
    program.parent.mkdir()
    program.write_text(BOT)
    bot = f"bot:{sys.executable} {program} '{json.dumps(name)}' ends"
    with Log.open(tmp_path / "log.db") as log:
        begin(log, "d21", {}, [Seat(name, 0, "screen"), Seat(f"B{name}", 0, bot)])
    with Term("resume", TABLIER_LOG=str(tmp_path / "log.db")) as term:
        term.shows("your turn")
        term.type("c3-c4")
        term.shows("takes over")
        assert b"\x1b]0;owned" not in term.output and b"\\x1b]0;owned" in term.output
        assert "\u202e".encode() not in term.output and "\x9b".encode() not in term.output


@pytest.mark.parametrize("name", ["Z\x1b[31m", "Z\u202e", "Z" * 201])
def test_a_name_that_cannot_be_shown_is_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "d21", "--seat", f"{name}=greedy", "--seat", "Bob=greedy"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("tablier: --seat ") and "at most 200 characters, all of them printable" in err
    clean(err)


def test_what_is_escaped_says_what_it_was() -> None:
    assert printable(EVIL).isprintable() and "\\x1b[31m" in printable(EVIL)
    assert json.loads(printable_json(json.dumps(EVIL, ensure_ascii=False))) == EVIL
    assert printable_json(json.dumps(EVIL, ensure_ascii=False)).isprintable()
    assert all(line.isprintable() for line in wrapped(EVIL, 10))
    assert printable("Éric 漢字 – «»") == "Éric 漢字 – «»"
