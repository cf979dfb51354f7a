"""Every game at a screen in a real terminal: from beginning to end, and who may see what."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from cli.term import Term
from cli.typist import SHORT, Typist, position_of
from kept import kept
from sample import sample, thorough
from tablier.cli.main import main
from tablier.course.seats import Seat
from tablier.games import GAMES, game_class
from tablier.games.core.questions import bare
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.record import Record, replay
from tablier.screens.names import fit_names
from tablier.texts import number_text, render


@pytest.fixture
def unkept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the log is to be."""
    monkeypatch.setenv("TABLIER_LOG", str(tmp_path / "log.db"))
    return tmp_path / "log.db"


@pytest.fixture
def log(unkept: Path) -> Iterator[Path]:
    """Return the log of a keeper that runs: to start one takes most of the time of a short game."""
    with kept(unkept):
        yield unkept


def play(game: str, *seats: str, options: list[str] | None = None, **more: object) -> Term:
    words: list[str] = [game, "--pace", "0"]
    for seat in seats:
        words += ["--seat", seat]
    for option in SHORT[game] if options is None else options:
        words += ["--option", option]
    return Term("play", *words, **more)  # type: ignore[arg-type]


def leave(term: Term, game: int = 1) -> None:
    """Stop a game that goes on."""
    term.type(":quit")
    term.shows("Stop?")
    term.type("y")
    status, printed = term.ends()
    assert status == 0 and f"'tablier resume {game}' resumes it" in printed


def finish(term: Term, log: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> dict[str, Any]:
    """Leave a game that is over; what the screen, the log and its record say of it is the same. Returns the record."""
    term.until(lambda: "The game is over. Again?" in term.text)
    final = " ".join(line.strip() for line in term.lines)
    term.type("quit")
    status, printed = term.ends()
    assert status == 0
    with Log.read(log) as kept:
        head = kept.head
    assert f"Logged as game 1 in {log}." in " ".join(printed.split()) and head not in printed
    assert head[:8] not in final
    assert main(["log", "verify", "--head", head]) == 0
    capsys.readouterr()
    assert main(["log", "export", "--out", str(tmp_path / "record.json")]) == 0
    assert main(["replay", str(tmp_path / "record.json")]) == 0
    summary = json.loads(capsys.readouterr().out)
    record: dict[str, Any] = json.loads((tmp_path / "record.json").read_text(encoding="utf-8"))
    told = [event for event in position_of(log).last_events() if event.audience is None]
    last = [render(event.text.to_json(), record["players"]) for event in told]
    assert last[-1].replace(" ", "") in "".join(printed.split())  # why it is over
    with Log.read(log) as reader:
        assert reader.game().result == record["result"]
    assert summary["terminal"] and summary["scores"] == record["result"]["scores"]
    for seat, name in enumerate(record["players"], 1):
        score = number_text(summary["scores"][f"p{seat}"])
        wins = f"p{seat}" in summary["winners"]
        assert re.search(rf" {name} +{score}{' winner' if wins else ' +'}", final)
        assert re.search(rf"^  {name} +{score}{'  winner' if wins else ''}$", printed, re.MULTILINE)
    return record


@thorough
@pytest.mark.parametrize("game", GAMES)
def test_a_game_against_bots(game: str, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    count = 2 if game == "d21" else 4 if game == "roudalon" else 3
    programs = ["Ann=random", "Bob=greedy", "Cleo=random"][: count - 1]
    with play(game, "Zoe=screen", *programs) as term:
        typist = Typist(term, log, {1: "Zoe"}, seed=7)
        while not typist.over:
            typist.move()
        assert "Pass the screen" not in term.text
        record = finish(term, log, capsys, tmp_path)
    assert record["game"] == game
    with Log.read(log) as reader:
        entries = list(reader.entries(1))
    said = {"ask", "reply", "commitment", "opening"} | ({"prelude", "begins"} if game == "roudalon" else set())
    assert {entry.kind for entry in entries} <= {"game", "seed", "run", *said, "move", "note", "end"}
    sources = {entry.body["text"].split()[0]: entry.body["by"] for entry in entries if entry.kind == "move"}
    assert sources.pop("table", "host") in ("host", "table")  # chance, or what follows by rule: a window closes
    who = dict(enumerate(["screen", "random", "greedy", "random"][:count], 1))
    assert sources.items() <= {f"p{seat}": source for seat, source in who.items()}.items()
    assert len(sources) > 1


# -- secrets ---------------------------------------------------------------------------------------------------


class Watcher:
    """Looks at every screen for what the seat that looks may not see. ``typist`` knows who looks."""

    def __init__(self, log: Path, names: dict[int, str]) -> None:
        self.log = log
        self.names = names
        self.typist: Typist | None = None
        self.secrets_seen: set[int] = set()
        """The seats whose secrets were on the screen, each before its own eyes."""
        self.looked = 0

    def screen(self, lines: list[str]) -> None:
        looking = self.typist.looking if self.typist else None
        if any("The game is over." in line for line in lines):
            return  # all is open then
        self.looked += 1
        for seat in self.shown(lines):
            assert seat == looking, f"p{looking} looks and sees the secret of p{seat}:\n" + "\n".join(lines)
            self.secrets_seen.add(seat)

    def shown(self, lines: list[str]) -> set[int]:
        """The seats whose secrets these lines hold."""
        raise NotImplementedError


class Objectives(Watcher):
    """Struggle."""

    def __init__(self, log: Path, names: dict[int, str]) -> None:
        super().__init__(log, names)
        self.cards: dict[int, str] = {}

    def shown(self, lines: list[str]) -> set[int]:
        text = "\n".join(lines)
        if len(self.cards) < 3 and self.log.exists():
            with Log.read(self.log) as reader:
                deals = [move.split() for move in reader.moves(1) if move.startswith("table deal")]
            self.cards = {int(seat[1:]): card for _, _, seat, card in deals}
        return {seat for seat, card in self.cards.items() if card in text}


class Fists(Watcher):
    """Dicke Dämonen."""

    def shown(self, lines: list[str]) -> set[int]:
        seen = set()
        for seat, name in {**self.names, 3: "Bob"}.items():
            if any(re.search(rf"[▶★ ] {name} +[WRBGY]\b", line) for line in lines):  # another's is ? ? ?
                seen.add(seat)
            if any(f"{name}, your creature is" in line for line in lines):
                seen.add(seat)
        return seen


@pytest.mark.parametrize(
    ("game", "watcher"), sample([("struggle", Objectives)], [("struggle", Objectives), ("dicke-daemonen", Fists)])
)
def test_what_is_secret_is_shown_to_its_seat_alone(game: str, watcher: type[Watcher], log: Path) -> None:
    names = {1: "Zoe", 2: "Yan"}
    watch = watcher(log, names)
    with play(game, "Zoe=screen", "Yan=screen", "Bob=greedy", seen=watch.screen) as term:
        typist = watch.typist = Typist(term, log, names, seed=3)
        term.shows("Pass the screen to Zoe.")
        assert not watch.shown(term.lines)
        for _ in range(12):
            typist.move()
            if "Pass the screen" in term.text:
                assert not watch.shown(term.lines)  # between two seats, nothing
        assert watch.secrets_seen == {1, 2}
        assert watch.looked > 10


def test_a_choice_in_a_duel_is_seen_by_nobody_before_both_are_made(log: Path) -> None:
    seen: list[str] = []
    with play("dilemma", *(f"{name}=screen" for name in ("Zoe", "Yan", "Xia"))) as term:
        term.until(lambda: term.lines[-3] == "Zoe>")
        term.type("offer 8")
        prompt, rank = "Yan>", 0
        while True:  # a card may land badly

            def asked(prompt: str = prompt) -> bool:
                return "Pass the screen to Zoe." in term.text or term.lines[-3] == prompt

            term.until(asked)
            if term.lines[-3] != prompt:
                break
            rank += (throws := prompt == "Yan>" and "duel card" not in term.text)
            term.type(f"throw {rank}" if throws else "pass")
            prompt = "Xia>" if prompt == "Yan>" else "Yan>"
        term.type("z")
        term.until(lambda: "Pass the screen" not in term.text)
        for typed in ("p", "conflict"):
            term.type(typed, enter=False)
            term.until(lambda: term.lines[-3] == "Zoe> ••••••••")
            looks = term.lines[-4:]
            term.press(b"\x15")
            term.until(lambda: term.lines[-3] == "Zoe>")
        term.type("confl", enter=False)
        term.until(lambda: term.lines[-4:] == looks, "one choice looks like another")
        term._seen = lambda lines: seen.append("\n".join(lines))
        term.type("")
        term.shows("Enter again takes it.")
        term.type("")
        term.shows("Pass the screen to Yan.")
        with Log.read(log) as reader:
            assert not any(move.startswith("p1 duel") for move in reader.moves(1))
        assert not re.search("conflict|peace", re.sub("must choose: peace or conflict", "", term.text))
        # Enter once too often does not open the screen of the next one.
        for text in ("", "zoe", "conflict"):
            term.type(text)
            if text:
                term.shows("This is for Yan, who types that name.")
        assert "Pass the screen to Yan." in term.text
        term.type("yan")
        term.until(lambda: "Pass the screen" not in term.text)
        # Neither going back in the line nor pasting shows what was typed.
        for keys in (b"\x1b[A", b"\x1f", b"\x19"):
            term.press(keys)
        term.type("p", enter=False)
        term.until(lambda: term.lines[-3] == "Yan> ••••••••")
        assert "Zoe: conflict" not in "".join(seen)
        term.type("")
        term.shows("Enter again takes it.")
        term.type("")
        term.shows("Zoe: conflict. Yan: peace.")


def test_without_a_command_a_screen_lets_one_choose(log: Path) -> None:
    with play("d21", "Zoe=screen", "Mia=random") as term:
        term.shows("Zoe, your turn")
        leave(term)
    with Term() as term:
        term.shows("Game 1")
        assert "D.21: Zoe, Mia, 0 moves" in term.text and "Le Roudalon" in term.text
        term.type("")
        term.shows("Mia")
        term.type("")
        term.shows("The aim")
        term.type("")
        term.shows("Zoe, your turn")
        term.type(":quit")
        term.shows("Stop?")
        term.type("y")
        term.shows("Game 2")  # it comes back
        for _ in range(4):
            term.press(b"\x1b[A")
        term.type("")
        term.shows("Enter: back to the start screen.")
        assert "Zoe: no game" in term.text or "Zoe: games" in term.text or "nobody by name" in term.text
        term.type("")
        term.shows("Look back")
        term.press(b"\x11")
        assert term.ends()[0] == 0
    with Term(TERM="dumb") as term:
        status, printed = term.ends()
        assert status == 0 and printed.startswith("usage: tablier")


# -- stopping, resuming, taking back ------------------------------------------------------------------------------


def test_a_game_is_resumed_where_it_stood(unkept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seats = ("Zoe=screen", "Ann=greedy", "Bob=random")
    with play("struggle", *seats) as term:
        typist = Typist(term, unkept, {1: "Zoe"}, seed=1)
        for _ in range(4):
            typist.move()
        typist.wait()
        leave(term)
    stood = position_of(unkept)
    for how in ("quit", "kill"):
        with Term("resume", "--pace", "0") as term:
            typist = Typist(term, unkept, {1: "Zoe"}, seed=2)
            typist.wait()
            assert position_of(unkept) == stood
            assert f"The game resumes after {stood.ply} moves." in term.text
            typist.move()
            typist.wait()
            stood = position_of(unkept)
            if how == "quit":
                leave(term)
    with Term("resume", "1", "--pace", "0") as term:
        typist = Typist(term, unkept, {1: "Zoe"}, seed=2)
        typist.wait()
        assert position_of(unkept) == stood
        while not typist.over:
            typist.move()
        finish(term, unkept, capsys, tmp_path)
    assert main(["resume"]) == 2
    assert "every game in this log is over" in capsys.readouterr().err


@thorough
def test_the_last_decision_is_taken_back_with_all_that_came_after_it(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with play("d21", "Zoe=screen", "Ann=random") as term:
        typist = Typist(term, log, {1: "Zoe"}, seed=1)
        typist.wait()
        term.type(":back")
        term.shows("you have made no move that could be taken back")
        term.type(":dispute odd")
        term.shows("no move has been made yet")
        for typed in ("c2c4", ""):
            before = position_of(log).ply
            term.type(typed or bare(position_of(log).legal_moves[0]))

            def replied(before: int = before) -> object:
                return f"· {before + 2} moves" in term.lines[0] and typist._turn()

            term.until(replied)
        assert position_of(log).ply == 4
        term.type(":back 2")
        term.shows("takes back all moves.")
        term.shows("· 0 moves")
        assert position_of(log).ply == 0
        while not typist.over:
            typist.move()
        assert position_of(log).is_over
        term.type(":back")
        term.until(lambda: not typist.over and typist._turn(), "the game goes on")
        assert not position_of(log).is_over
        while not typist.over:
            typist.move()
        finish(term, log, capsys, tmp_path)


@thorough
def test_a_disk_that_is_full_ends_the_game_with_one_line(unkept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with play("struggle", "Zoe=screen", "Ann=greedy", options=[], disk=110_000) as term:
        typist = Typist(term, unkept, {1: "Zoe"}, seed=1)
        with pytest.raises(AssertionError, match="the program has ended"):
            for _ in range(500):
                typist.move()
        status, printed = term.ends()
        assert status == 2
        error, *typed = printed.splitlines()  # what was typed too late
        assert re.fullmatch(rf"tablier: {unkept}: .*disk.*", error) and len(typed) <= 1
    assert main(["log", "verify"]) == 0
    capsys.readouterr()
    with Term("resume", "--pace", "0") as term:
        Typist(term, unkept, {1: "Zoe"}, seed=1).move()  # and with room on the disk it goes on


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_screen_and_leaves_the_terminal_as_it_was(number: signal.Signals, log: Path) -> None:
    with play("d21", "Zoe=screen", "Ann=random") as term:
        before = term.modes()
        term.shows("Zoe, your turn")
        assert term.modes() != before
        term.process.send_signal(number)
        status, printed = term.ends()
        assert status == 128 + number and printed.startswith("The game is kept in ") and printed.count("\n") == 1
        assert term.modes() == before
        for mode in (b"1049", b"1000", b"1003", b"1006", b"2004", b"1004"):
            assert term.output.rindex(b"\x1b[?%sl" % mode) > term.output.rindex(b"\x1b[?%sh" % mode)


def test_pages_tell_how_the_table_and_the_evening_stand(log: Path) -> None:
    with Term("play", "dilemma") as term:
        term.shows("The table answers.")
        for key, told in (b"\x14", "events    0, of which 0 are durable"), (b"\x0f", "part of no evening"):
            term.press(key)
            term.shows(told)
        leave(term, 1)


def test_a_bell_and_the_title_say_whose_turn_it_is_where_one_wishes(log: Path) -> None:
    title = b"\x1b]0;Zoe: your turn\x07"
    for bell in ([], ["--bell"]):
        with Term("play", "d21", "--pace", "0", *bell, "--seat", "Zoe=screen", "--seat", "Ann=random") as term:
            term.shows("Zoe, your turn")
            if bell:
                term.press(b"\x1a")  # where nobody could continue it, it goes on at once
                term.until(lambda: term.output.count(title) == 2)
            leave(term, 2 if bell else 1)
        assert (title in term.output) == (b"\x1b[23;0t" in term.output) == bool(bell)
        assert (b"\x07" in re.sub(rb"\x1b\][^\x07]*\x07", b"", term.output)) == bool(bell)


def test_a_screen_without_colours_is_read_in_the_terminals_own(log: Path) -> None:
    for argv in ("play", "struggle", "--pace", "0"), ():
        with Term(*argv, NO_COLOR="1") as term:
            term.shows("Zoe, your turn" if argv else "Le Roudalon")
            term.press(b"\x11\x11")
            assert term.ends()[0] == 0
        codes = {code for codes in re.findall(rb"\x1b\[([0-9;]*)m", term.output) for code in codes.split(b";")}
        assert b"7" in codes and codes <= {b"", b"0", b"1", b"2", b"7", b"39", b"49"}


@thorough
def test_a_terminal_of_another_locale_is_sent_ascii_alone(log: Path) -> None:
    with play("dicke-daemonen", "Éric=screen", "Ann=random", LC_ALL="C") as term:
        term.shows("Eric>")
        assert "Dicke Daemonen" in term.lines[0]
        leave(term)
    assert term.output.isascii()


def test_a_window_that_is_closed_ends_the_screen(log: Path) -> None:
    """Here no signal says so: the terminal controls no session."""
    with play("d21", "Zoe=screen", "Ann=random") as term:
        term.shows("Zoe, your turn")
        term.hang_up()
        assert term.process.wait(20) is not None
    with Term("resume") as term:
        term.shows("Zoe, your turn")
        leave(term)


@pytest.mark.parametrize("terminal", sample(["dumb"], ["dumb", "unknown", ""]))
def test_a_terminal_that_can_only_print_gets_lines(terminal: str, log: Path) -> None:
    with play("d21", "Zoe=screen", "Ann=random", TERM=terminal) as term:
        term.until(lambda: "Zoe>" in term.lines)
        term.type("c2-c4")
        term.shows("1. Zoe ")
        term.type(":quit")
        term.type("yes")
        assert term.ends()[0] == 0
    assert b"\x1b" not in term.output


def test_a_screen_is_suspended_and_goes_on_where_it_stood(log: Path) -> None:
    """Where a shell could continue it; here nobody could, and it goes on at once."""
    with play("d21", "Zoe=screen", "Ann=random") as term:
        term.shows("Zoe, your turn")
        term.type("c2", enter=False)
        term.shows("Zoe> c2")
        term.press(b"\x1a")
        term.until(lambda: b"\x1b[?1049l" in term.output)
        term.shows("Zoe> c2")
        term.press(b"\x15")
        leave(term)


# -- at a table ------------------------------------------------------------------------------------------------------


def test_a_seat_at_a_screen_beside_a_table(log: Path) -> None:
    """Its cards are laid by people at the table; the window's time is seen running out."""
    with Term("play", "--seat", "Zoe@1=screen", "--seat", "Ann@2=people", "--seat", "Bob@3=people:random") as term:
        term.shows("Zoe provokes: which card is on offer?")
        term.type("11")
        term.shows("'11' is not possible now; type a move such as offer 1")
        term.type("8")
        term.shows("Zoe offers the 8.")
        leave(term)
    with Term("resume") as term:
        term.shows("may throw")
        term.press(b"\x03")
        term.shows("Stop?")
        term.press(b"\x03")
        assert term.ends()[0] == 0


def test_where_all_sit_at_the_table_the_screen_reads_out_what_they_are_asked(log: Path) -> None:
    """Lights have no words; and the terminal need not be the one that controls the session."""
    seats = ["--seat", "Ann=people", "--seat", "Bob=people"]
    with Term("play", "d21", *seats, "--virtual", "--option", "max_plies=1") as term:
        status, printed = term.ends()
    assert status == 0
    asked = [line for line in printed.splitlines() if line.startswith("? ")]
    assert asked[0] == "? Ann: which die?"
    assert re.fullmatch(r"\? Ann, from [b-i][1-9]: how far\?", asked[-1])
    assert len(asked) == len(set(asked)), "each is read out once"


# -- what can be typed ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("marks", sample([(b"\x1b[200~", b"\x1b[201~")], [(b"\x1b[200~", b"\x1b[201~"), (b"", b"")]))
def test_what_is_pasted_is_cut_to_a_line_and_holds_nobody_up(marks: tuple[bytes, bytes], log: Path) -> None:
    """A terminal says where a paste begins and ends, or it sends keys alone."""
    begins, ends = marks
    with play("d21", "Zoe=screen", "Ann=greedy") as term:
        term.until(lambda: term.lines[-3] == "Zoe>")
        for _ in range(8):
            term.press((begins + b"x" * 1900 + ends) * 2)  # 4095 are kept for a program that does not read
            term.until(lambda: term.lines[-3].startswith("Zoe> x"))
            term.shows("A line has at most 500 characters.")
            term.press(b"\x15")
            term.until(lambda: term.lines[-3] == "Zoe>")  # all that was pasted is read
        term.type(bare(position_of(log).legal_moves[0]))
        term.until(lambda: position_of(log).ply == 2)
        term.press(begins + b"x" * 3900 + ends)
        term.process.send_signal(signal.SIGTERM)
        assert term.ends()[0] == 128 + signal.SIGTERM


def test_on_a_large_board_p2_is_a_space(log: Path) -> None:
    dice = {"red": {f"{column}{row}": 1 for column in "ghijkl" for row in (2, 3)}}
    dice["green"] = {f"{column}{row}": 1 for column in "ghijkl" for row in (7, 8)}
    options = ["size=17", f"setup={json.dumps(dice)}"]
    with play("d21", "Zoe=screen", "Bob=greedy", options=options) as term:
        term.shows("Zoe, your turn")
        term.type("p2-c2")
        term.shows("there is no die on p2")
        leave(term)


def test_the_screen_fits_whatever_the_players_are_called(unkept: Path) -> None:
    names = ["x" * 60, "漢字" * 20, "a\tb\x1b[31m"]
    seats = [Seat(name, 0, source) for name, source in zip(names, ("screen", "greedy", "greedy"), strict=True)]
    with Log.open(unkept) as writer:
        begin(writer, "dicke-daemonen", {}, seats)
    with Term("resume", "--pace", "0") as term:
        term.shows("place a creature.")
        typist = Typist(term, unkept, {1: fit_names(names)[0]}, seed=1)
        typist.move(lambda moves: moves[0])
        while position_of(unkept).rules.view(position_of(unkept).state, None)["phase"] == "predict":
            typist.move(lambda moves: moves[-1])
        typist.wait()
        assert "a\\tb\\x1b[31m places a" in term.text
        leave(term)


def test_names_may_hold_joiners_where_they_join(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    family, persian = "👩\u200d👩\u200d👧" * 9, "می\u200cخواهم"
    with Term("play", "d21", "--seat", f"{persian}=screen", "--seat", f"{family}=greedy") as term:
        term.until(lambda: term.lines[-3].startswith("می"))
        leave(term)
    assert fit_names([family, persian]) == ["👩\u200d👩\u200d👧" * 9, persian]
    assert fit_names([family * 2])[0] == "👩\u200d👩\u200d👧" * 9 + "…"
    with Log.read(log) as read:
        assert read.game(1).names == (persian, family)
    for name in ("An\u200dne", "An\u202ene", "\u200c"):
        assert main(["play", "d21", "--seat", f"{name}=greedy", "--seat", "Bob=greedy"]) == 2
        assert "--seat" in capsys.readouterr().err


# -- what cannot start, and what is interrupted ------------------------------------------------------------------------


def test_a_game_that_cannot_start_says_so_and_ends(tmp_path: Path) -> None:
    """Not a screen that waits for it."""
    with Term("play", "--log", tmp_path / "nowhere" / "x.db") as term:
        status, printed = term.ends()
    assert status == 2 and "there is no folder" in printed and "Traceback" not in printed
    (tmp_path / "log.db").write_bytes(b"no log" * 100)
    with Term("play", "--log", tmp_path / "log.db") as term:
        status, printed = term.ends()
    assert status == 2 and "not a log" in printed and "Traceback" not in printed


def test_the_message_at_the_end_names_the_game_that_was_left(log: Path) -> None:
    command = [sys.executable, "-m", "tablier.cli.main"]
    for words, number in (
        (["play", "d21", "--seat", "Zoe=screen", "--seat", "Bob=greedy"], 1),
        (
            ["play", "struggle", "--seat", "Zoe=screen", "--seat", "Bob=greedy"],
            2,
        ),
        (["resume", "1"], 1),
    ):
        done = subprocess.run([*command, *words, "--plain"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert done.returncode == 0
        assert f"'tablier resume {number}' resumes it" in done.stdout


def test_an_interrupt_while_the_program_is_loading_says_nothing(tmp_path: Path) -> None:
    """Made to happen in the middle of an import."""
    code = """
import builtins, os, signal, sys
load, itself = builtins.__import__, os.getpid()
def slow(name, *more):
    if name == "argparse":
        os.kill(itself, signal.SIGINT)
    return load(name, *more)
builtins.__import__ = slow
from tablier.cli.start import main
sys.argv[1:] = ["--version"]
sys.exit(main())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == -signal.SIGINT and done.stderr == ""
    (entry,) = entry_points(group="console_scripts", name="tablier")
    assert entry.value == "tablier.cli.start:main"


# -- without a terminal, and bad wishes -------------------------------------------------------------------------------


@pytest.mark.parametrize("game", sample(["struggle"], GAMES))
def test_a_demonstration_is_told_line_by_line(game: str, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = [word for option in SHORT[game] for word in ("--option", option)]
    names = ("Anne", "Bernard", "Christine", "Daniel")[: 2 if game == "d21" else 4]
    seats = [word for name in names for word in ("--seat", f"{name}=greedy")]
    assert main(["play", game, *seats, *options]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    title = game_class(game).title
    assert out.startswith(f"{title}, game 1: Anne, Bernard")
    assert f"\n{title} is over after " in out
    assert "secret" in out or game != "struggle"
    with Log.read(log) as reader:
        info = reader.game()
        record = Record(info.game, info.names, tuple(map(str, position_of(log).recorded)), info.options)
        assert replay(record).is_over
        assert [seat["source"] for seat in info.seats] == ["greedy"] * len(info.seats)
        assert not any(seat["place"] for seat in info.seats)


def test_a_demonstration_has_a_log_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody may be playing with the usual one."""
    monkeypatch.delenv("TABLIER_LOG", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "tablier").mkdir()
    with Log.open(tmp_path / "tablier" / "tablier.db") as usual:
        assert main(["play", "d21", "--option", "max_plies=2"]) == 0
        assert list(usual.games()) == []
    out = capsys.readouterr().out.replace("\n", "")  # a path that is longer than a line is broken
    shown = re.search(r"log show 1 ?--log ?(\S+)'", out)
    assert shown and main(["log", "show", "--log", shown[1]]) == 0
    assert "Anne" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (
            ["struggle", "--seat", "Anne=greedy", "--seat", "Bob=greedy", "--port", "/dev/null"],
            "--port needs a seat at a table",
        ),
        (
            ["struggle", "--seat", "Anne=greedy", "--seat", "Bob=greedy", "--virtual"],
            "--virtual needs a seat at a table",
        ),
        (
            ["struggle", "--seat", "Anne=greedy", "--seat", "Bob=greedy", "--quiet", "3"],
            "--quiet needs a seat at a table",
        ),
        (["struggle", "--option", "board=YY"], "option board is 'YY'"),
        (["struggle", "--option", "board=10"], "option board is 10"),
        (["d21", "--option", "size=9"], "option size is 9"),
        (["d21", "--option", "adjacent_jumps=perhaps"], "option adjacent_jumps is 'perhaps'; allowed: true or false"),
        (["dicke-daemonen", "--option", "layout=square"], "option layout is 'square'"),
        (["dicke-daemonen", "--option", "layout=@nowhere.json"], "nowhere.json: No such file"),
        (["dicke-daemonen", "--option", "layout=@."], "Is a directory"),
        (["dicke-daemonen", "--option", 'layout={"a": 1, "a": 2}'], "--option layout: the key 'a' stands twice"),
        (["dicke-daemonen", "--option", "layout={nonsense"], "--option layout: not JSON"),
        (["dicke-daemonen", "--option", "layout=@\0"], "null"),
        (
            ["struggle", "--seat", "Anne=table", "--seat", "Bernard=table", "--bag", "tally"],
            "--bag tally: Struggle has 20 different draws, and a hood 12 colours; use roll or host",
        ),
    ],
)
def test_bad_wishes_change_nothing(
    argv: list[str], message: str, unkept: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(unkept.parent)
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["play", *argv]) == 2
    out, err = capsys.readouterr()
    assert out == "" and message in err and err.count("\n") == 1
    assert not list(unkept.parent.iterdir())


def test_options_are_json_where_a_game_wants_it(log: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["layout", "--random", "4", "--out", str(tmp_path / "mine.json")]) == 0
    games = [
        ["d21", "--option", "adjacent_jumps=false", "--option", "max_plies=3"],
        ["dicke-daemonen", "--option", f"layout=@{tmp_path / 'mine.json'}", "--option", "first=p2"],
    ]
    for words in games:
        assert main(["play", *words]) == 0
    with Log.read(log) as reader:
        given = [info.options for info in reader.games()]
    assert given[0] == {"adjacent_jumps": False, "max_plies": 3}
    assert given[1] == {"layout": json.loads((tmp_path / "mine.json").read_text()), "first": "p2"}


@pytest.mark.parametrize(
    ("seats", "message"),
    [
        ([("Anne", 0, "screen"), ("Bob", 0, "greedy")], "standard input is closed"),
    ],
)
def test_a_game_that_cannot_be_resumed_here(
    seats: list[tuple[str, int, str]],
    message: str,
    unkept: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with Log.open(unkept) as writer:
        writer.begin_game("struggle", {}, [{"name": n, "place": p, "source": s} for n, p, s in seats])
    assert main(["resume"]) == 2
    assert message in capsys.readouterr().err
    assert main(["resume", "--port", "/dev/null"]) == 2
    with Log.read(unkept) as reader:
        assert reader.verify() == 1


def test_a_log_that_holds_no_game_of_ours_is_refused(unkept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Log.open(unkept) as writer:
        seats = [{"name": name, "place": 0, "source": "greedy"} for name in ("Anne", "Bob")]
        writer.append(writer.begin_game("struggle", {}, seats), "move", {"text": "p1 play none", "by": "greedy"})
    assert main(["resume"]) == 2
    assert "move 1" in capsys.readouterr().err


@pytest.fixture(autouse=True)
def nobody_types_here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever the tests are run in, it is no terminal to the commands that they call."""
    with Path("/dev/null").open() as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        yield


def test_a_secret_is_wiped_from_a_shared_terminal(tmp_path: Path) -> None:
    """After a seat has decided, what it alone may know is neither on the screen nor above it."""
    with Term(
        *("play", "struggle", "--plain", "--log", tmp_path / "log.db", "--option", "first=p1"),
        *("--seat", "Anne=screen", "--seat", "Bernard=screen"),
    ) as term:
        term.shows("type your name")
        term.type("anne")
        term.shows("your order of arrival is")
        term.type("keep none")
        term.shows("throw 2 of 3")
        term.until(lambda: b"\033[3J" in term.output)
        wiped = term.output.rindex(b"\033[3J")
        assert b"your order of arrival is" in term.output[:wiped]
        assert b"your order of arrival is" not in term.output[wiped:]
