"""The command line: right output, or one line and exit status 2; and no secret of a game that goes on."""

from __future__ import annotations

import gc
import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
from msgspec.structs import replace

from tablier.cli import main as entrance
from tablier.cli.entry_texts import APART, entry_text
from tablier.cli.loading import loading
from tablier.cli.main import build_parser, main
from tablier.cli.parsing import commands_of
from tablier.cli.preferred import fill
from tablier.cli.seats import given_seats
from tablier.course.seats import Seat
from tablier.log.bodies import EVENTS, HELLO, KINDS, OF_NO_GAME
from tablier.log.chain import Entry
from tablier.log.replies import REPLIES
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.printable import is_printable, printable
from tablier.screens.preferences import Preferences, read_preferences, write_preferences
from tablier.texts import number_text, render
from tablier_fw.version import __version__
from wording import Wording

NAMES = ("Anne", "Bob", "Christine")
SEATS = [{"name": name, "place": 2 * seat, "source": "table"} for seat, name in enumerate(NAMES, 1)]
TO_DUEL = ["p1 offer 8", "p2 throw 3 flat", "table close"]


def dilemma(*moves: str, **more: object) -> dict[str, object]:
    return {"tablier": 1, "game": "dilemma", "players": list(NAMES), "moves": list(moves), **more}


def finished() -> list[str]:
    """The moves of a game of Dilemma in which nobody ever answers."""
    from tablier.record import Record, replay

    moves: list[str] = []
    while not (position := replay(Record("dilemma", NAMES, tuple(moves)))).is_over:
        moves.append(str(position.legal_moves[0 if position.to_move != (*position.to_move[:-1], 0) else -1]))
    return moves


class Run:
    """The results of a command."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *argv: object) -> tuple[int, str, str]:
        status = main([str(word) for word in argv])
        out, err = self.capsys.readouterr()
        return status, out, err

    def good(self, *argv: object) -> str:
        """Its output; it must have succeeded without a word on standard error."""
        status, out, err = self(*argv)
        assert (status, err) == (0, "")
        return out

    def bad(self, *argv: object, out: str = "", status: int = 2) -> str:
        """Its one line on standard error."""
        found, printed, err = self(*argv)
        assert (found, printed) == (status, out)
        assert err.startswith("tablier: ") and err.count("\n") == 1 and err.endswith("\n")
        return err


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.delenv("TABLIER_LOG", raising=False)
    return Run(capsys)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def write(*records: object, name: str = "games.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records))
        return path

    return write


# -- starting --------------------------------------------------------------------------------------


def test_version(run: Run) -> None:
    assert run.good("--version") == f"tablier {__version__}\n"


def test_starting_imports_nothing_heavy() -> None:
    code = "import sys; from tablier.cli.main import main; main(['--version']); print(*sys.modules)"
    _, modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split(
        "\n", 1
    )
    heavy = {"sqlite3", "rich", "serial", "importlib.metadata", "wasmtime", "textual", "asyncio"}
    loaded = set(modules.split())
    assert not heavy & loaded
    ours = {name for name in loaded if name.startswith("tablier.") and not name.startswith("tablier.cli")}
    light = {"extras", "interrupts", "languages", "messages", "names", "printable", "texts", "usual"}
    assert ours == {f"tablier.{name}" for name in light}


def test_a_screen_is_loaded_without_what_its_keeper_needs() -> None:
    """Neither SQLite and the log's store, nor what bots think and run in."""
    parts = "screens.full", "screens.lines", "screens.room", "keeper.playable", "keeper.starting", "cli.seats"
    code = f"import sys; import {', '.join(f'tablier.{part}' for part in parts)}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {
        "sqlite3",
        "ctypes",
        "tablier.log.store",
        "tablier.bots.bots",
        "tablier.bots.thinking",
        "tablier.play.game",
    }
    assert "tablier.screens.console" in loaded and not heavy & set(loaded)


def test_garbage_is_looked_for_again_when_the_last_has_loaded() -> None:
    """A thread loads the full screen while the command loads what finds its keeper: either may be the first."""
    begun, ends, ended = threading.Event(), threading.Event(), threading.Event()

    def load() -> None:
        with loading():
            begun.set()
            ends.wait(10)
        ended.set()

    with loading():
        threading.Thread(target=load, daemon=True).start()
        assert begun.wait(10) and not gc.isenabled()
    assert not gc.isenabled()
    ends.set()
    assert ended.wait(10) and gc.isenabled()


def commands() -> list[str]:
    names = []

    def walk(parser: object, words: list[str]) -> None:
        names.append(" ".join(words))
        for action in parser._actions:  # type: ignore[attr-defined]
            if isinstance(action.choices, dict):
                for word, inner in action.choices.items():
                    walk(inner, [*words, word])

    walk(entrance.build_parser(), [])
    return names


def test_the_parser_of_one_command_is_that_of_its_group() -> None:
    whole = commands_of(entrance.build_parser())
    assert whole is not None and list(whole.choices) == [word for words in entrance.GROUPS.values() for word in words]
    for words in entrance.GROUPS.values():
        for word in words:
            alone = commands_of(entrance.build_parser(word))
            assert alone is not None and tuple(alone.choices) == words
            assert alone.choices[word].format_help() == whole.choices[word].format_help()


@pytest.mark.parametrize("command", commands())
def test_every_command_has_help(run: Run, command: str) -> None:
    assert run.good(*command.split(), "--help").startswith(f"usage: tablier {command}".rstrip())


@pytest.mark.parametrize(
    "argv",
    [
        ("nonsense",),
        ("non\nsense\x1b[2J",),
        ("--vers",),
        ("replay",),
        ("legal", "--jso", "x"),
        ("log",),
        ("log", "burn"),
        ("log", "show", "1", "2"),
    ],
)
def test_wrong_words(run: Run, argv: tuple[str, ...]) -> None:
    err = run.bad(*argv)
    assert "--help" in err and printable(err[:-1]) == err[:-1]


def test_printable() -> None:
    assert printable("Zoé – 8") == "Zoé – 8"
    assert printable("a\nb\x1b[2J\ud800\u202e") == "a\\nb\\x1b[2J\\ud800\\u202e"
    joined = ("👩\u200d👩\u200d👧", "👩🏽\u200d❤\ufe0f\u200d👩🏽", "می\u200cخواهم", "क्\u200dष", "क्\u200cष")
    for text in joined:
        assert is_printable(text) and printable(text) == text
    for text in (
        "An\u200dne",
        "An\u200cne",
        "\u200dAnne",
        "Anne\u200d",
        "👩\u200d",
        "👩\u200c👧",
        "م\u200c\u200cا",
        "\u200c",
    ):
        assert not is_printable(text) and "\\u200" in printable(text)


@pytest.mark.parametrize(
    ("number", "form", "said"),
    [(-0.001, ".2f", "0.00"), (-0.0, "g", "0"), (-0.5, ".2f", "−0.50"), (-3, "g", "−3"), (-0.001, ".0%", "0%")],
)
def test_a_number_that_rounds_to_zero_has_no_minus(number: float, form: str, said: str) -> None:
    assert number_text(number, form) == said


def start(*argv: object, **options: object) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "tablier.cli.main", *map(str, argv)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": environment, **options}
    return subprocess.Popen(words, **options)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("count", [1, 2000])
def test_a_reader_that_has_gone_away(write: Callable[..., Path], count: int) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with start("legal", "--json", write(*[dilemma()] * count), stdout=writer) as process:
        os.close(writer)
        assert process.stderr is not None and process.stderr.read() == ""
    assert process.returncode == 141


def test_what_was_good_is_written_before_what_is_bad(write: Callable[..., Path]) -> None:
    with start("replay", write(dilemma(), "{"), stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        good, bad = process.stdout.read().splitlines()
    assert json.loads(good)["ply"] == 0 and bad.startswith("tablier: ")


def test_an_interrupt(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    # Opening a pipe returns when the command reads from it.
    with start("replay", tmp_path / "fifo") as process, (tmp_path / "fifo").open("w"):
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None and process.stderr.read() == ""
    assert process.returncode == 130


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_output_that_cannot_be_written(wording: Wording, write: Callable[..., Path]) -> None:
    for count in (1, 2000):
        with Path("/dev/full").open("w") as full, start("replay", write(*[dilemma()] * count), stdout=full) as process:
            assert process.stderr is not None
            wording(process.stderr.read())
        assert process.returncode == 2


def test_utf_8_whatever_the_terminal_says(write: Callable[..., Path]) -> None:
    path = write("{", name="Zoé.json")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C.UTF-8"}
    with start("replay", path, env=environment, encoding="utf-8") as process:
        assert process.stderr is not None and "Zoé.json" in process.stderr.read()


# -- records ---------------------------------------------------------------------------------------


def test_replay(run: Run, write: Callable[..., Path]) -> None:
    over = finished()
    lines = run.good("replay", write(dilemma(*TO_DUEL, "p2 duel peace"), dilemma(*over))).splitlines()
    assert json.loads(lines[0]) == {
        "game": "dilemma",
        "ply": 4,
        "terminal": False,
        "to_move": ["p1"],
        "scores": {"p1": 0, "p2": 0, "p3": 0},
        "winners": [],
    }
    last = json.loads(lines[1])
    assert (last["ply"], last["terminal"], last["to_move"], len(lines)) == (len(over), True, [], 2)
    assert last["winners"]


def test_what_was_good_is_printed_before_what_is_bad(wording: Wording, run: Run, write: Callable[..., Path]) -> None:
    good = dilemma(*TO_DUEL)
    printed = run.good("replay", write(good))
    path = write(good, dilemma("p1 offer 8", "p1 throw 3 flat"), good)
    err = run.bad("replay", path, out=printed)
    wording(err)
    legal = run.good("legal", "--json", write(good))
    wording(run.bad("legal", "--json", write(good, "{"), out=legal))


def test_legal(run: Run, write: Callable[..., Path]) -> None:
    moves = ["p1 duel peace", "p1 duel conflict", "p2 duel peace", "p2 duel conflict"]
    path = write(dilemma(*TO_DUEL))
    assert run.good("legal", path).splitlines() == moves
    assert json.loads(run.good("legal", "--json", path)) == moves
    over = write(dilemma(*finished()))
    assert run.good("legal", over) == ""
    assert run.good("legal", "--json", over) == "[]\n"


def test_legal_takes_one_record_or_says_json(run: Run, write: Callable[..., Path]) -> None:
    path = write(dilemma(), dilemma(*finished()))
    assert "2 records" in run.bad("legal", path)
    lines = run.good("legal", "--json", path).splitlines()
    assert [len(json.loads(line)) for line in lines] == [10, 0]


@pytest.mark.parametrize("command", ["replay", "legal"])
@pytest.mark.parametrize(
    "content", ["", "\n\r\n", "[]", "{}", "nonsense", "\xff", json.dumps(dilemma(options={"x": 1}))]
)
def test_bad_records(run: Run, tmp_path: Path, command: str, content: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(content.encode("latin-1"))
    assert run.bad(command, path).startswith(f"tablier: {path}: ")


def test_files_that_cannot_be_read(wording: Wording, run: Run, tmp_path: Path) -> None:
    wording(run.bad("replay", tmp_path / "none"))
    assert run.bad("legal", tmp_path) == f"tablier: {tmp_path}: Is a directory\n"


def test_standard_input(wording: Wording, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def give(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    give(json.dumps(dilemma(*TO_DUEL)))
    assert json.loads(run.good("replay", "-"))["ply"] == 3
    give(json.dumps(dilemma(*TO_DUEL)))
    assert run.good("legal", "-").splitlines()[0] == "p1 duel peace"
    give("nonsense")
    wording(run.bad("legal", "-"))
    give(f"{json.dumps(dilemma())}\n{json.dumps(dilemma())}")
    wording(run.bad("legal", "-"))
    monkeypatch.setattr(sys, "stdin", None)
    assert "closed" in run.bad("replay", "-")


# -- the log ---------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    monkeypatch.setenv("TABLIER_LOG", str(tmp_path / "log.db"))
    return tmp_path / "log.db"


def clock() -> Callable[[], str]:
    """A time that is the same in every log that it is given to."""
    seconds = iter(range(60 * 60))

    def tick() -> str:
        second = next(seconds)
        return f"2026-03-01T18:{second // 60:02}:{second % 60:02}.000000Z"

    return tick


def play(path: Path, game: str, moves: list[str], seats: object = SEATS, end: dict[str, object] | None = None) -> None:
    with Log.open(path, clock=clock()) as log:
        number = log.begin_game(game, {}, seats)  # type: ignore[arg-type]
        log.append_all([(number, "move", {"text": text, "by": "table"}) for text in moves])
        if end is not None:
            log.append(number, "end", end)


def finish(path: Path) -> dict[str, object]:
    """A game of Dilemma from beginning to end; returns its result."""
    from tablier.record import Record, replay, result_of

    moves = finished()
    result = result_of(replay(Record("dilemma", NAMES, tuple(moves))))
    play(path, "dilemma", moves, end=result)
    return result


def test_list(wording: Wording, run: Run, path: Path) -> None:
    Log.open(path).close()
    wording(run.good("log", "list"))
    result = finish(path)
    play(path, "dilemma", TO_DUEL[:1])
    listed = run.good("log", "list")
    assert max(map(len, listed.splitlines())) <= 80
    first, one, second, two = listed.replace("\n      ", " ").splitlines()
    winners = " and ".join(NAMES[int(seat[1]) - 1] for seat in result["winners"])  # type: ignore[attr-defined]
    assert first.startswith("Evening 1, 2026-03-0") and second.startswith("Evening 2, 2026-03-0")
    assert one.split("Dilemma")[0].split()[0] == "1"
    players = ", ".join(f"{name} {result['scores'][f'p{at}']}" for at, name in enumerate(NAMES, 1))  # type: ignore[index]
    assert one.endswith(f"{players}: {len(finished())} moves, won by {winners}")
    assert two.endswith("Anne, Bob, Christine: 1 move, not over")


def test_lists_for_programs(wording: Wording, run: Run, path: Path) -> None:
    Log.open(path).close()
    assert (run.good("log", "list", "--json"), run.good("log", "standings", "--json")) == (
        "[]\n",
        '[{"rules": null, "games": 0, "people": []}]\n',
    )
    result = finish(path)
    play(path, "dilemma", TO_DUEL[:1])
    first, second = json.loads(run.good("log", "list", "--json"))
    (game,) = first["games"]
    assert (game["game"], game["rules"], game["moves"]) == (1, "dilemma", len(finished()))
    assert ([seat["name"] for seat in game["seats"]], game["result"]) == (list(NAMES), result)
    assert (second["games"][0]["ended"], second["games"][0]["result"]) == (None, None)
    assert json.loads(run.good("log", "list", "--json", "--last", 1)) == [second]
    assert json.loads(run.good("log", "list", "--json", "--since", "2026-01-31")) == [first, second]
    assert json.loads(run.good("log", "list", "--json", "--since", "2999-01-31")) == []
    wording(run.good("log", "list", "--since", "2999-01-31"))
    assert run.good("log", "list", "--last", 1).startswith("Evening 2, ")


def test_export_of_a_finished_game(run: Run, path: Path, tmp_path: Path) -> None:
    result = finish(path)
    line = run.good("log", "export")
    assert json.loads(line) == dilemma(*finished(), options={}, result=result)
    assert run.good("log", "export", 1, "--out", tmp_path / "out.json") == ""
    assert (tmp_path / "out.json").read_text() == line
    assert json.loads(run.good("replay", tmp_path / "out.json"))["terminal"] is True


def test_export_leaves_out_what_was_taken_back(run: Run, path: Path) -> None:
    play(path, "dilemma", TO_DUEL)
    with Log.open(path) as log:
        log.append(1, "takeback", {"to": 1})
        log.append(1, "move", {"text": "p3 throw 9 rim", "by": "table"})
    assert json.loads(run.good("log", "export"))["moves"] == ["p1 offer 8", "p3 throw 9 rim"]


def test_show(wording: Wording, run: Run, path: Path) -> None:
    play(path, "dilemma", TO_DUEL[:2])
    with Log.open(path) as log:
        log.append(1, "takeback", {"to": 1})
        log.append(1, "gap", {"boot": "ab", "after": 3})
        log.append(1, "note", {"menu": "objective 7"})
        log.append(1, "table", {"faces": [1, 2, 3]})
    lines = re.sub(r"\n {24,}", " ", run.good("log", "show", 1)).splitlines()
    assert lines[0].startswith("Game 1: Dilemma, begun 2026-03-01 ") and lines[0].endswith(", not over")
    assert lines[1:4] == ["  p1 Anne (place 2, table)", "  p2 Bob (place 4, table)", "  p3 Christine (place 6, table)"]
    assert "p1 offer 8" in lines[5] and lines[5].endswith("Anne offers the 8.")
    assert "p2 throw 3 flat (taken back)" in lines[6] and "Bob throws the 3" in lines[6]
    assert lines[7].endswith('takeback {"to": 1}')
    assert lines[8].endswith('gap {"after": 3, "boot": "ab"}')
    assert lines[9].endswith("note")  # who knows what is in there
    assert lines[10:] == ["1 of these is still secret in part; --reveal shows it in full."]
    *_, table, last = run.good("log", "show", "--all").splitlines()
    assert table.endswith("table")
    wording(last)
    out = run.good("log", "show", "--reveal")
    assert "objective 7" in out and "faces" not in out
    assert "faces" in run.good("log", "show", "--all", "--reveal")


VALUES: list[object] = [1, 0, True, "p1", [1], ["p1"], [], {"p1": 3}, {"text": "it is odd", "args": {}}]
VALUES += ["00" * count for count in range(80)]
VALUES += ["host", "judge", "locked", "opened", "2026-01-31T20:15:00.000+00:00", {"rules": 1, "script": 1}]
VALUES += [[48, 50, None, 47, 0, 100, 52, 49]]
VALUES += [{"dice": ["host"], "bag": "host", "version": 1}]
"""One of these is allowed for every type of a field."""
REPLIED = {"id": 1, "seat": 1, "move": "pass", "yes": True, "option": 1, "rank": 1, "choice": 1}
REPLIED |= {"commitment": "00" * 32, "nonce": "00" * 16}


def bodies() -> Iterator[tuple[str, dict[str, object]]]:
    """A body of every kind of entry that belongs to a game, with every field that it may have."""
    kinds: list[tuple[str, Mapping[str, Any]]] = [
        (kind, fields) for kind, fields in KINDS.items() if kind not in OF_NO_GAME
    ]
    kinds += [("table", {**fields, "event": name}) for name, fields in {"hello": HELLO, **EVENTS}.items()]
    for name, reply in REPLIES.items():
        yield reply.kind, {"event": name, **{field: REPLIED[field] for field in reply.__struct_fields__}}
    for kind, fields in kinds:
        values = {
            name.rstrip("?"): type_ if isinstance(type_, str) else next(each for each in VALUES if type_.allows(each))
            for name, type_ in fields.items()
        }
        yield kind, values
        if kind == "table":
            event = {"what": values["event"], "why": {"text": "it is odd", "args": {}}, "event": values}
            yield "fault", event


def test_every_kind_of_entry_is_told_in_words(run: Run, path: Path) -> None:
    """Without quotes and brackets, whatever is in it."""
    told = set()
    for kind, body in bodies():
        boot = "00" * 8 if kind == "fault" or (kind == "table" and body["event"] != "hello") else None
        entry = Entry(7, 1, "2026-01-31T20:15:00.000000Z", kind, body, "", boot, 1 if boot else None)
        if kind == "since":
            entry = replace(entry, boot="00" * 8, number=1)
        words = None if kind in APART else entry_text(entry)
        assert kind in APART or words is not None, (kind, body)
        said = "" if words is None else render(words, NAMES)
        assert not set('{}[]"') & set(said) and "None" not in said, said
        told.add(kind)
    assert told == {*KINDS, "table", "reply", "commitment", "opening", "fault"} - set(OF_NO_GAME)
    play(path, "dilemma", TO_DUEL[:2])
    with Log.open(path) as log:
        log.append_all([(1, "pause", {"seat": 2}), (1, "takeback", {"to": 1, "by": 1, "agreed": [2, 3]})])
        log.append(1, "gap", {"boot": "ab" * 8, "after": 3, "lost": None})
    pause, takeback, gap = re.sub(r"\n {24,}", " ", run.good("log", "show")).splitlines()[-3:]
    assert pause.endswith("Bob pauses the game.")
    assert takeback.endswith("Anne takes moves back; 1 move stands. It was agreed by Bob and Christine.")
    assert gap.endswith("The table has restarted; it is unknown whether events are lost.")


# -- secrets of a game that goes on ----------------------------------------------------------------

DEAL = ("table deal p1 K-Q-J-10-9", "table deal p2 9-10-J-Q-K", "table roll K K K J 9")
DRAWS = [f"table draw p{seat} {colour}" for seat in (1, 2) for colour in ("white", "red", "red", "blue")]
PAIRS = {
    "choice": ("dilemma", [*TO_DUEL, "p1 duel peace"], [*TO_DUEL, "p1 duel conflict"], 3),
    "other choice": ("dilemma", [*TO_DUEL, "p2 duel peace"], [*TO_DUEL, "p2 duel conflict"], 3),
    "deal": ("struggle", [*DEAL], [DEAL[0].replace("K-Q-J-10-9", "Q-J-10-9-K"), *DEAL[1:]], 0),
    "second deal": ("struggle", [*DEAL], [DEAL[0], "table deal p2 J-9-Q-10-K", DEAL[2]], 0),
    "draw": ("dicke-daemonen", DRAWS, [*DRAWS[:-1], "table draw p2 green"], 0),
}
"""A game, two courses of it that differ in a secret only, and how many moves an export may tell."""


@pytest.mark.parametrize("name", PAIRS)
def test_a_secret_makes_no_difference_to_what_is_shown(run: Run, tmp_path: Path, name: str) -> None:
    game, one, other, told = PAIRS[name]
    seen = []
    for number, moves in enumerate((one, other)):
        path = tmp_path / f"{number}.db"
        play(path, game, moves, SEATS[: 3 if game == "dilemma" else 2])
        before = path.read_bytes()
        status, out, err = run("log", "export", "--log", path)
        assert (status, json.loads(out)["moves"]) == (0, moves[:told])
        assert f"before move {told + 1}, which is still secret" in err and err.count("\n") == 1
        seen.append((out, err, run.good("log", "show", "--all", "--log", path), run.good("log", "list", "--log", path)))
        assert path.read_bytes() == before  # looking leaves no trace
        target = tmp_path / "out.json"
        status, nothing, err = run("log", "export", "--log", path, "--force", "--out", target)
        assert (status, nothing, target.read_text()) == (0, "", out)
        assert json.loads(run.good("legal", "--json", target)) is not None  # what is left is a record
        revealed = run.good("log", "export", "--reveal", "--log", path)
        assert json.loads(revealed)["moves"] == moves
        assert all(move in run.good("log", "show", "1", "--reveal", "--log", path) for move in moves)
        with Log.read(path) as log:
            reveals = [(e.game, e.body) for e in log.entries() if e.kind == "reveal"]
            assert reveals == [(1, {"by": "tablier log export"})] + [(1, {"by": "tablier log show"})] * len(moves)
            log.verify()
    assert seen[0] == seen[1]


def test_a_choice_is_told_once_both_are_made(run: Run, path: Path) -> None:
    moves = [*TO_DUEL, "p1 duel peace", "p2 duel conflict", "p2 offer 1", "p1 throw 2 flat", "table close"]
    play(path, "dilemma", moves)
    assert json.loads(run.good("log", "export"))["moves"] == moves
    assert "p1 duel peace" in run.good("log", "show")
    with Log.open(path) as log:  # the next duel does not close the first again
        log.append(1, "move", {"text": "p1 duel peace", "by": "table"})
    _, out, err = run("log", "export")
    assert (json.loads(out)["moves"], err.count("before move 9")) == (moves, 1)


def test_a_choice_that_was_taken_back_unopened_is_never_told(run: Run, path: Path) -> None:
    play(path, "dilemma", [*TO_DUEL, "p1 duel conflict"])
    with Log.open(path) as log:
        log.append(1, "takeback", {"to": 3})
        log.append_all([(1, "move", {"text": f"p{seat} duel peace", "by": "table"}) for seat in (1, 2)])
    out = run.good("log", "show")
    assert "conflict" not in out and "(secret) (taken back)" in out and "p1 duel peace" in out
    assert json.loads(run.good("log", "export"))["moves"] == [*TO_DUEL, "p1 duel peace", "p2 duel peace"]
    assert "p1 duel conflict (taken back)" in run.good("log", "show", "--reveal")


def test_all_is_told_when_the_game_is_over(run: Run, path: Path) -> None:
    finish(path)
    with Log.open(path) as log:
        log.append(1, "note", {"menu": "objective 7"})
    assert "objective 7" in run.good("log", "show")


@pytest.mark.parametrize("action", ["show", "export"])
def test_nothing_is_revealed_that_is_not_logged(run: Run, path: Path, action: str) -> None:
    play(path, "dilemma", [*TO_DUEL, "p1 duel conflict"])
    with Log.open(path):
        assert "is writing to it" in run.bad("log", action, "--reveal")
    assert "no game 2" in run.bad("log", action, "2", "--reveal")
    with Log.read(path) as log:
        assert log.verify() == 5


# -- verifying, and what fails ---------------------------------------------------------------------


def test_verify(wording: Wording, run: Run, path: Path) -> None:
    with Log.open(path) as log:
        begin(log, "dilemma", {}, [Seat(name, 0, "screen") for name in NAMES])
        log.append(1, "reveal", {"by": "tablier log show"})
        log.append(1, "reveal", {"by": "tablier log export"})
        heads = [entry.hash for entry in log.checked(0, log.last_entry)]
    line = f"4 entries, whole and in order; head {heads[-1]}\n"
    assert run.good("log", "verify") == line
    assert run.good("log", "verify", "--head", heads[-1]) == line
    assert run.good("log", "verify", "--head", heads[1]) == f"{line}The head given is that of entry 2.\n"
    wording(run.bad("log", "verify", "--head", "ab" * 32, status=1))
    assert "64 hexadecimal digits" in run.bad("log", "verify", "--head", "ab")
    db = sqlite3.connect(path)
    db.execute("UPDATE entry SET body = replace(body, 'show', 'list') WHERE n = 3")
    db.commit()
    db.close()
    wording(run.bad("log", "verify", status=1))


@pytest.mark.parametrize("action", ["list", "show", "export", "verify"])
def test_no_log(wording: Wording, run: Run, tmp_path: Path, action: str) -> None:
    wording(run.bad("log", action))
    (tmp_path / "diary").write_text("Dear diary")
    assert "not a log" in run.bad("log", action, "--log", tmp_path / "diary")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["diary"]


def test_where_the_log_is(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from argparse import Namespace

    from tablier.cli.common import log_path, open_log

    default = tmp_path / "home" / ".local" / "state" / "tablier" / "tablier.db"
    open_log(Namespace(log=None)).close()
    assert default.exists() and default.parent.stat().st_mode & 0o777 == 0o700
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert log_path(Namespace(log=None)) == default
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert log_path(Namespace(log=None)) == tmp_path / "state" / "tablier" / "tablier.db"
    monkeypatch.setenv("TABLIER_LOG", "here.db")
    assert log_path(Namespace(log=None)) == Path("here.db")
    assert log_path(Namespace(log="there.db")) == Path("there.db")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("show", 2), "there is no game 2; the games are 1 to 1"),
        (("export", 0), "there is no game 0"),
        (("export", -1), "NUMBER"),
        (("export", "--out", "log.db"), "that is the log itself"),
        (("export", "--out", "log.db-wal"), "that is the log itself"),
        (("export", "--out", "nowhere/x"), "nowhere/x: No such folder"),
        (("export", "--out", "taken"), "taken is there already; --force overwrites it"),
        (("export", "--out", "."), ".: Is a directory"),
    ],
)
def test_bad_wishes(
    run: Run, path: Path, monkeypatch: pytest.MonkeyPatch, argv: tuple[object, ...], message: str
) -> None:
    play(path, "dilemma", TO_DUEL)
    monkeypatch.chdir(path.parent)
    (path.parent / "taken").write_text("mine")
    before = path.read_bytes()
    assert message in run.bad("log", *argv)
    assert (path.parent / "taken").read_text() == "mine"
    assert path.read_bytes() == before
    with Log.read(path) as log:
        assert log.verify() == 4


def test_moves_that_are_no_game(wording: Wording, run: Run, path: Path) -> None:
    play(path, "dilemma", ["p1 offer 8", "p1 offer 9"])
    play(path, "chess", ["e4"])
    for action in ("show", "export"):
        wording(run.bad("log", action, 1))
        wording(run.bad("log", action, 2))
    assert "chess" in run.good("log", "list")


@pytest.mark.parametrize("options", [(), ("--all",)])
def test_a_story_fits_80_columns(run: Run, path: Path, options: tuple[str, ...]) -> None:
    names = ("Anne", "Maximilienne-Alexandrine de la Tour")
    seats = [{"name": name, "place": seat, "source": "table"} for seat, name in enumerate(names, 1)]
    moves = ["table deal p1 K-Q-J-10-9", "table deal p2 9-10-J-Q-K", "table roll K K K J 9"]
    play(path, "struggle", [*moves, "p1 play 9+1 J+1 K+3"], seats)
    with Log.open(path) as log:
        log.append(1, "dispute", {"seat": 1, "at": 2, "text": "tty" * 40})
    shown = run.good("log", "show", *options)
    assert max(map(len, shown.splitlines())) <= 80
    words = shown.split()
    assert " ".join(words).count("Maximilienne-Alexandrine de la Tour gets a secret objective.") == 1
    assert "p1 play 9+1 J+1 K+3" in shown and "tty" * 40 in "".join(words)


def test_a_name_cannot_command_the_terminal(run: Run, path: Path) -> None:
    seats = [{"name": name, "place": 1, "source": "table"} for name in ("\x1b[2J", "a\nb", "{p1} \ud800")]
    play(path, "dilemma", TO_DUEL[:1], seats)
    for action in ("list", "show"):
        out = run.good("log", action)
        assert "\x1b" not in out and "a\\nb" in out and "\\ud800" in out
    assert "{p1} \\ud800 offers" not in out
    assert json.loads(run.good("log", "export"))["players"] == ["\x1b[2J", "a\nb", "{p1} \ud800"]


# -- exit statuses -----------------------------------------------------------------------------------------------------


def test_a_job_tells_a_log_that_does_not_follow_from_a_wrong_argument(run: Run, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.db", tmp_path / "bad.db"
    with Log.open(good) as log:
        log.person("Anne")
        log.begin_evening("", [])
        head = log.head
    run.good("log", "backup", bad, "--log", good)
    with sqlite3.connect(bad) as db:
        db.execute("UPDATE entry SET body = replace(body, '1', '2')")
    for status, words in (
        (0, ["verify", "--log", good, "--head", head]),
        (1, ["verify", "--log", good, "--head", "0" * 63 + "1"]),
        (1, ["verify", "--log", bad]),
        (1, ["backup", tmp_path / "copy.db", "--log", bad]),
        (1, ["list", "--log", bad]),
        (2, ["verify", "--log", good, "--head", "soon"]),
        (2, ["verify", "--log", tmp_path / "none.db"]),
        (2, ["verify", "--log", good, "--quick"]),
        (2, ["show", "1", "--log", good]),
    ):
        found, _, complaint = run("log", *words)
        assert (found, complaint.count("\n")) == (status, min(status, 1)), (words, complaint)
    assert run("log", "verify", "--quiet", "--log", good) == (0, "", "")
    assert run("log", "verify", "--quiet", "--log", bad)[1] == ""


# -- preferences -------------------------------------------------------------------------------------------------------


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "config" / "tablier" / "config.toml"
    path.parent.mkdir(parents=True)
    return path


def test_preferences_hold_where_options_say_nothing(config: Path) -> None:
    config.write_text('name = "Léa"\npace = 0.5\nplain = true\n', encoding="utf-8")
    args = build_parser("play").parse_args(["play", "d21", "--no-plain"])
    fill(args)
    assert (args.pace, args.plain, args.bell) == (0.5, False, False)
    assert given_seats("d21", [], terminal=True)[0].name == "Léa"
    wanted = Preferences("Zoé", 2.0, bell=True, spoken=True, language="fr")
    write_preferences(wanted)
    assert read_preferences() == wanted
    write_preferences(Preferences())
    assert config.read_text() == ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("pace = 61", "pace: seconds, from 0 to 60"),
        ("nmae = 'Zoe'", "did you mean name?"),
        ("bell = 1", "bell: true or false"),
        ("name = 'A=B'", "name: a name"),
        ("language = 'xx'", "unknown language 'xx'"),
        ("pace", "Expected"),
        ("\x00", "config.toml: "),
    ],
)
def test_a_wrong_setting_is_named(run: Run, config: Path, text: str, why: str) -> None:
    config.write_text(text)
    assert why in run.bad("table", "list") and str(config) in run.bad("table", "list")


def test_the_language_is_the_one_that_is_set(
    wording: Wording, run: Run, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGUAGE", "en")
    config.write_text('language = "fr"')
    assert "n’existe pas" in run("log", "list")[2]
    wording(run.bad("log", "list", "--lang", "en"))


# -- a backup that is put back -----------------------------------------------------------------------------------------


def test_a_backup_is_put_back_and_the_log_kept(run: Run, path: Path, tmp_path: Path) -> None:
    with Log.open(path) as log:
        begin(log, "dilemma", {}, [Seat(name, 0, "screen") for name in NAMES])
    copy = tmp_path / "friday.db"
    run.good("log", "backup", copy)
    with Log.open(path) as log:
        begin(log, "dilemma", {}, [Seat(name, 0, "screen") for name in NAMES])
        entries, names = log.last_entry, log.names()
        anne, bob, christine = map(names.find, NAMES[:3])
        assert anne and bob and christine
        log.rename(anne, "Annette")
        log.forget(bob)
        log.person("Zoe")
    assert run.good("keeper", "--end") == f"{path}: no keeper runs\n"
    said = run.good("log", "restore", copy, "--yes")
    assert "Game 2 would be gone.\nAnnette would be called Anne again.\n" in said
    assert "A name that was forgotten would be there again.\nNot known any more: Zoe.\n" in said
    kept = Path(re.search(r"The log as it was: (.*)", said)[1])  # type: ignore[index]
    assert "whole and in order" in said and "entries that the backup does not have" in said
    with Log.read(path) as log, Log.read(kept) as old:
        assert log.last_game == 1 and old.last_entry == entries and old.verify() == entries
    with Log.open(path) as log:
        begin(log, "dilemma", {}, [Seat(name, 0, "screen") for name in NAMES])
    assert run.good("log", "verify").startswith(f"{entries} entries, whole")


def test_a_backup_that_does_not_follow_changes_nothing(wording: Wording, run: Run, path: Path, tmp_path: Path) -> None:
    with Log.open(path) as log:
        begin(log, "dilemma", {}, [Seat(name, 0, "screen") for name in NAMES])
    copy, other = tmp_path / "friday.db", tmp_path / "other.db"
    run.good("log", "backup", copy)
    with sqlite3.connect(copy) as db:
        db.execute("UPDATE entry SET body = replace(body, 'dilemma', 'dilemna')")
    with Log.open(other) as log:
        log.begin_evening("", [])
    before = path.read_bytes()
    wording(run.bad("log", "restore", copy, "--yes", status=1))
    wording(run.bad("log", "restore", tmp_path / "none.db", "--yes"))
    status, _, complaint = run("log", "restore", other, "--yes")
    assert status == 2
    wording(complaint)
    wording(run.bad("log", "restore", path, "--yes"))
    assert path.read_bytes() == before and not list(tmp_path.glob("log.db.2*"))


def test_a_backup_becomes_the_log_of_a_new_computer(
    run: Run, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Log.open(path) as log:
        begin(log, "dilemma", {}, [Seat(name, 0, "screen") for name in NAMES])
    monkeypatch.delenv("TABLIER_LOG")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "new"))
    run.good("log", "restore", path, "--yes")
    assert "Dilemma" in run.good("log", "show")


def test_what_another_copy_lacks_is_said_before_it_is_put_back(
    wording: Wording, run: Run, path: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    with Log.open(path) as log:
        begin(log, "dilemma", {}, [Seat(name, 0, "screen") for name in NAMES])
    run.good("log", "backup", copy)
    with Log.open(copy) as log:
        begin(log, "dilemma", {}, [Seat(name, 0, "screen") for name in NAMES])
    assert "The log has nothing that the backup does not have." in run("log", "restore", copy)[1]
    with Log.open(path) as log:
        begin(log, "dilemma", {}, [Seat(name, 0, "screen") for name in NAMES])
    wording(run.bad("log", "restore", copy, "--yes", out=ANY, status=2))
    with Log.read(path) as log:
        assert log.last_game == 2
    said = run.good("log", "restore", copy, "--other", "--yes")
    assert "games were played in both" in said
    assert "Game 2 would be gone." in said
    kept = Path(re.search(r"The log as it was: (.*)", said)[1])  # type: ignore[index]
    assert f"'tablier archive add {path} {kept} --copy --club CLUB'" in said


def test_of_copies_with_the_same_entries_the_later_names_are_told(run: Run, path: Path, tmp_path: Path) -> None:
    """Names stand beside the entries: an older copy would turn a renaming back."""
    copy = tmp_path / "friday.db"
    with Log.open(path) as log:
        begin(log, "dilemma", {}, [Seat(name, 0, "screen") for name in NAMES])
    run.good("log", "backup", copy)
    assert "The log has nothing that the backup does not have.\n" in run("log", "restore", copy)[1]
    with Log.open(path) as log:
        log.rename(log.person(NAMES[0]), "Annette")
        log.keep_settings("00", {"bright": 1})
    said = run("log", "restore", copy)[1]
    assert "The log has 2 changes of people or tables that the backup does not have.\n" in said
    assert f"Annette would be called {NAMES[0]} again.\n" in said
    said = run("log", "restore", path, "--log", copy)[1]
    assert "The backup has 2 changes of people or tables that the log does not have.\n" in said
    assert "again" not in said


def test_a_list_of_a_damaged_log_is_printed_and_ends_with_status_1(run: Run, path: Path) -> None:
    bots = ("--bot", "Zoe=greedy", "--bot", "Yves=greedy")
    run.good("evening", *bots, "--play", "d21", "--log", path)
    lists = [words.split() for words in ("log list", "log list --json", "log standings", "people")]
    whole = [run.good(*words) for words in lists]
    with sqlite3.connect(path) as db:  # of which a list reads nothing
        db.execute("UPDATE entry SET body = '[1]' WHERE n = (SELECT max(n) - 9 FROM entry WHERE kind = 'move')")
    for words, printed in zip(lists, whole, strict=True):
        status, out, err = run(*words)
        assert (status, out) == (1, printed), words
        assert re.fullmatch(r"tablier: \S*log\.db: entry \d+ is not what was written.*; the log is damaged; .*\n", err)


def test_of_a_long_log_a_list_checks_the_last_entries(
    run: Run, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tablier.log.store.RECENT", 80)
    bots = ("--bot", "Zoe=greedy", "--bot", "Yves=greedy")
    run.good("evening", *bots, "--play", "struggle", "--log", path)
    with Log.read(path) as log:
        moves = [entry.n for entry in log.entries() if entry.kind == "move"]
    assert moves[-1] - moves[0] > 200  # far enough behind, whichever entries have their whole hash stored
    for n, status in ((moves[-1], 1), (moves[0], 0)):
        damaged = tmp_path / f"damaged{n}.db"
        damaged.write_bytes(path.read_bytes())
        with sqlite3.connect(damaged) as db:
            db.execute("UPDATE entry SET body = '[1]' WHERE n = ?", (n,))
        assert run("log", "list", "--log", damaged)[0] == status, n


def test_who_forgets_a_name_hears_which_files_still_hold_it(run: Run, path: Path, tmp_path: Path) -> None:
    copies = [tmp_path / name for name in ("friday.db", "log.db.20261129")]
    with Log.open(path) as log:
        begin(log, "dilemma", {}, [Seat(name, 0, "screen") for name in NAMES])
    for each in copies:
        run.good("log", "backup", each)
    (tmp_path / "letter.txt").write_text(NAMES[0])
    assert "still hold it, or a word like it: friday.db, log.db.20261129." in " ".join(
        run.good("people", "forget", NAMES[0], "--yes").split()
    )


def test_a_game_of_the_log_is_shown_by_its_number(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "'tablier log show 8' shows game 8" in run.bad("show", "8")


def test_a_backup_of_another_log_is_put_back_when_that_is_wanted(run: Run, path: Path, tmp_path: Path) -> None:
    """A secretary had played an evening on a new log before the old one turned up."""
    friday = tmp_path / "friday.db"
    for each in (path, friday):
        with Log.open(each) as log:
            begin(log, "dilemma", {}, [Seat(name, 0, "screen") for name in NAMES])
    refused = run("log", "restore", friday, "--yes")[2]
    advice = re.findall("'tablier ([^']*)'", refused)
    assert advice == [
        f"log restore {friday} --other",
        f"people take {friday}",
        f"archive add {path} {friday} --club CLUB",
    ]
    said = run.good(*advice[0].split(), "--yes")
    assert f"What {path} has, 1 game, is not in it." in said
    took = re.search("'tablier (people take [^']*)'", said)
    assert took
    assert "is the same person" in run.good(*took[1].split(), "--yes")
    with Log.read(path) as log, Log.read(friday) as old:
        assert log.head == old.head and log.names().known != old.names().known


def test_nothing_is_put_back_while_somebody_writes(run: Run, path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "friday.db"
    with Log.open(path) as log:
        log.begin_evening("", [])
        run.good("log", "backup", copy)
        status, _, complaint = run("log", "restore", copy, "--yes")
        assert status == 2 and str(os.getpid()) in complaint
        log.begin_evening("", [])
    with Log.read(path) as log:
        assert len(log.evenings()) == 2
