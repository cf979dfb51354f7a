"""The line screen: a game told and played line by line, without a terminal."""

from __future__ import annotations

import io
import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kept import kept, linked, opened
from tablier.cli.main import main
from tablier.course.seats import Seat
from tablier.keeper.client import GameLink
from tablier.keeper.silence import ANSWERS_AGAIN, silent_text
from tablier.log.store import Log
from tablier.messages import Taken, Updates
from tablier.play.beginning import begin
from tablier.play.connections import Deliver, Message, Said
from tablier.screens.following import _Heard
from tablier.screens.line import Line
from tablier.screens.paper import rules_page
from tablier.screens.replay import read_game
from tablier.screens.summary import LogName
from tablier.texts import Text

NAMES = ("Anne", "Bernard", "Christine", "Daniel")


def play(
    path: Path,
    game: str,
    typed: str,
    *sources: str,
    options: dict[str, object] | None = None,
    names: Sequence[str] = NAMES,
    spoken: bool = False,
) -> str:
    """Play at a line screen whose person types these lines; return all that it printed."""
    seats = [Seat(name, 0, source) for name, source in zip(names, sources, strict=False)]
    here = [number for number, seat in enumerate(seats, 1) if seat.at_screen]
    out = io.StringIO()
    screen = Line(here, LogName("the log"), io.StringIO(typed), out, spoken=spoken)
    with Log.open(path) as log:
        begin(log, game, options or {}, seats, seed="0a" * 32)
    with kept(path), linked(path) as link:
        running = opened(link, "resume", game=1, table={"pace_s": 0})
        running.on_end = screen.leave
        summary = screen.run(running)
        running.stop()
    return out.getvalue() + f"\n{summary}"


@contextmanager
def at_d21(tmp_path: Path) -> Iterator[GameLink]:
    """Anne's way to a game of D.21 against a bot, which is stopped in the end."""
    path = tmp_path / "log.db"
    seats = [{"name": "Anne", "source": "screen"}, {"name": "Bernard", "source": "greedy"}]
    with kept(path), linked(path) as link:
        game = opened(link, "play", game="d21", seats=seats, table={"pace_s": 0})
        yield game
        game.stop()


def said_in_order(text: str, parts: Sequence[str]) -> None:
    at = 0
    for part in parts:
        assert part in text[at:], f"{part!r} does not come (there) in\n{text}"
        at = text.index(part, at) + len(part)


def test_a_game_that_nobody_here_plays_is_told_to_its_end(tmp_path: Path) -> None:
    text = play(tmp_path / "log.db", "dilemma", "", "greedy", "greedy", "random")
    said_in_order(text, ["Dilemma, game 1: Anne, Bernard, Christine.", " offers the ", "Dilemma is over after"])
    assert "Logged as game 1 in the log." in text
    with Log.read(tmp_path / "log.db") as log:
        assert log.head not in text


def test_a_name_of_another_program_moves_no_cursor(tmp_path: Path) -> None:
    text = play(tmp_path / "log.db", "dilemma", "", "greedy", "greedy", "random", names=("An\x1b[2Jne", "Bo\rb", "Cy"))
    said_in_order(text, ["Dilemma, game 1: An", "Dilemma is over after"])
    assert not {"\x1b", "\r"} & set(text)


def test_lines_that_are_typed_are_moves_and_wait_until_something_is_asked(tmp_path: Path) -> None:
    text = play(tmp_path / "log.db", "struggle", "keep none\nk n\n:quit\ny\n", "screen", "greedy")
    said_in_order(text, ["Anne, your turn", "Anne> keep none", "throw 2 of 3", "Anne> k n", "throw 3 of 3", "Stop?"])
    with Log.read(tmp_path / "log.db") as log:
        assert log.moves(1).count("p1 keep none") == 2
        assert log.game(1).ended is None


def test_a_mistake_is_explained_and_asked_again(tmp_path: Path) -> None:
    text = play(tmp_path / "log.db", "d21", "z9-z8\n:nonsense\n:help\n", "screen", "greedy")
    said_in_order(text, ["Anne> z9-z8", "z9", "Anne> :nonsense", "unknown command", "Anne> :help", ":rules: the rules"])
    assert text.count("D.21  ") == 1, "the board is drawn once for one question"


def test_a_mistake_of_people_who_share_a_screen_is_explained(tmp_path: Path) -> None:
    text = play(tmp_path / "log.db", "d21", "z9-z8\n:correct 99 c2-c4\n:quit\ny\n", "screen", "screen")
    said_in_order(text, ["Anne> z9-z8", "z9", "Anne> :correct 99", "no move has been made yet", "Anne> :quit", "Stop?"])


def test_a_line_that_is_too_long_is_refused_and_the_next_one_taken(tmp_path: Path) -> None:
    lines = f"{'x' * 1_000_000}\nc3-b4\n"
    text = play(tmp_path / "log.db", "d21", lines, "screen", "greedy")
    said_in_order(text, ["A line has at most 500 characters.", "1. Anne slides the 1 from c3 to b4."])
    assert len(text) < 10_000


def test_a_hint_is_told_and_what_is_typed_next_waits_for_it(tmp_path: Path) -> None:
    text = play(tmp_path / "log.db", "roudalon", ":hint\nbet 1\n:quit\ny\n", "screen", "random", "random", "random")
    said_in_order(text, ["Anne> :hint", "Hint: bet ", "Anne> bet 1", "Anne stakes 1 unit"])


def test_enter_after_a_mistake_asks_again_and_plays_no_hint(tmp_path: Path) -> None:
    """The mistake stands below the hint: it may have been meant to be read away."""
    typed = ":hint\nnonsense\n\n\n:quit\nmaybe\n\ny\n"
    text = play(tmp_path / "log.db", "roudalon", typed, "screen", "random", "random", "random")
    asked = text[text.index("Anne, your") :].splitlines()[0]
    said_in_order(text, ["Anne> :hint", "Hint: bet ", "Anne> nonsense", "Anne> \n", asked, "Anne> \nAnne> :quit"])
    said_in_order(text, ["Stop?", "no> maybe", "Type yes", "no> \nStop?", "> y"])
    with Log.read(tmp_path / "log.db") as log:
        assert not log.moves(1)


def test_help_names_no_keys_that_a_line_screen_lacks(tmp_path: Path) -> None:
    text = play(tmp_path / "log.db", "d21", ":help\n", "screen", "greedy")
    assert "the verb left out" in text
    assert "Tab" not in text and "PgUp" not in text


def test_the_board_is_not_drawn_again_when_the_game_is_not_left(tmp_path: Path) -> None:
    text = play(tmp_path / "log.db", "d21", ":quit\nno\n", "screen", "greedy")
    said_in_order(text, ["Anne> :quit", "Stop?", "yes or no> no", "Anne, your turn", "Anne> "])
    assert text.count("D.21  ") == 1


class Terminal(io.StringIO):
    """Lines of a terminal: the first waits until a signal has been seen."""

    def __init__(self, lines: Iterator[str]) -> None:
        super().__init__()
        self._typed = lines

    def isatty(self) -> bool:
        return True

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        return next(self._typed, "")


def test_an_interrupt_at_a_terminal_asks_first(tmp_path: Path) -> None:
    asked = threading.Event()
    out = io.StringIO()

    def typed() -> Iterator[str]:
        assert asked.wait(30)
        yield "yes\n"

    def write(text: str) -> int:
        if text == "Anne> " and not asked.is_set():
            signal.raise_signal(signal.SIGINT)
        if text == "yes or no> ":
            asked.set()
        return io.StringIO.write(out, text)

    out.write = write  # type: ignore[method-assign]
    with at_d21(tmp_path) as game:
        screen = Line([1], LogName("the log"), Terminal(typed()), out)
        game.on_end = screen.leave
        assert screen.run(game) is None
    said_in_order(out.getvalue(), ["Anne, your turn", "Stop?", "yes or no> "])


def test_the_end_is_told_and_another_game_offered(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    seats = [{"name": "Anne", "source": "screen"}, {"name": "Bernard", "source": "random"}]
    out, prompts = io.StringIO(), threading.Semaphore(0)

    def write(text: str) -> int:
        if text in ("Anne> ", "> "):
            prompts.release()
        return io.StringIO.write(out, text)

    def typed() -> Iterator[str]:
        for line in ("c2-b2", "look", "", "1", "quit", "", "again"):
            assert prompts.acquire(timeout=30)
            yield f"{line}\n"

    out.write, out.isatty = write, lambda: True  # type: ignore[method-assign]
    lines = Terminal(typed())
    lines.fileno = out.fileno = lambda: -1  # type: ignore[method-assign]
    with kept(path), linked(path) as link:
        game = opened(link, "play", game="d21", options={"max_plies": 2}, seats=seats, table={"pace_s": 0})
        more: dict[str, Any] = {"explains": True, "repeats": True, "read": partial(read_game, path)}
        screen = Line([1], LogName("the log"), lines, out, **more)
        screen.run(game)
        game.stop()
    card = ["The aim", "Show 1 to 6 in a row", "How to answer", "c3-c6:", "Anne>"]
    back = ["D.21 · after move 0 of 2", "D.21 · after move 1 of 2", "1. Anne slides", "D.21 · after move 1 of 2"]
    said_in_order(out.getvalue(), [*card, "D.21 is over after 2 moves.", "Again?", *back, "Again?", "Again?"])
    assert screen.another and out.getvalue().count("Again?") == 3


def test_the_rules_are_printed(tmp_path: Path) -> None:
    assert "What you need" in play(tmp_path / "log.db", "roudalon", "?\n", "screen", "greedy", "greedy", "greedy")


def test_the_board_is_printed_again_when_it_is_asked_for(tmp_path: Path) -> None:
    text = play(tmp_path / "log.db", "d21", "board\n:board\nhelp\n", "screen", "greedy")
    said_in_order(text, ["D.21  ", "Anne> board", "D.21  ", "Anne> :board", "D.21  ", "Anne> help", ":board: print"])
    assert text.count("D.21  ") == 3


def test_a_map_in_dots_is_printed_where_it_is_asked_for(tmp_path: Path) -> None:
    """A line of braille reads dots as letters, and a voice too."""
    text = play(tmp_path / "log.db", "dicke-daemonen", "board\n:quit\nyes\n", "screen", "greedy")
    before, after = text.split("Anne> board", 1)
    dots = {chr(each) for each in range(0x2801, 0x2900)}
    assert "Dicke Dämonen  " in before and "f1 5: field f1, 5 points" in before
    assert not dots & set(before) and dots & set(after)


@pytest.mark.parametrize(("typed", "most"), [([""] * 20, None), (["q"], 22), (["", "back"], 44), (["hint"], 22)])
def test_rules_are_read_page_by_page_in_a_terminal(
    typed: list[str], most: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "get_terminal_size", lambda fd: os.terminal_size((80, 24)))
    out, prompts = io.StringIO(), threading.Semaphore(0)

    def write(text: str) -> int:
        if text in ("Anne> ", "Enter: more, q: back> ", "yes or no> "):
            prompts.release()
        return io.StringIO.write(out, text)

    def lines() -> Iterator[str]:
        wanted = iter(typed)
        for line in ("rules", None, ":quit", "yes"):
            assert prompts.acquire(timeout=30)
            while line is None and not out.getvalue().endswith("Anne> "):
                yield f"{next(wanted)}\n"
                assert prompts.acquire(timeout=30)
            yield f"{':quit' if line is None else line}\n"

    out.write, out.isatty = write, lambda: True  # type: ignore[method-assign]
    terminal = Terminal(lines())
    terminal.fileno = out.fileno = lambda: -1  # type: ignore[method-assign]
    with at_d21(tmp_path) as game:
        screen = Line([1], LogName("the log"), terminal, out)
        game.on_end = screen.leave
        screen.run(game)
    shown = out.getvalue().partition("Anne> ")[2].partition("Anne> ")[0]
    pages = shown.split("Enter: more, q: back> ")
    assert all(page.count("\n") <= 23 for page in pages) and len(pages) > 1
    whole = rules_page("d21", 80, colour=False)
    assert ("".join(pages) == whole) == (most is None)


def test_an_address_that_is_told_late_leaves_the_line_in_which_one_types(tmp_path: Path) -> None:
    out, told, done = io.StringIO(), threading.Event(), threading.Event()

    def typed() -> Iterator[str]:
        done.wait(30)
        yield from ()

    def write(text: str) -> int:
        if text == "Anne> ":
            if told.is_set():
                screen.leave()
                done.set()
            else:
                told.set()
                screen.tell_address("http://127.0.0.1/")
        return io.StringIO.write(out, text)

    out.write = write  # type: ignore[method-assign]
    with at_d21(tmp_path) as game:
        screen = Line([1], LogName("the log"), Terminal(typed()), out)
        screen.run(game)
    assert out.getvalue().endswith("Anne> \n* In a browser: http://127.0.0.1/\nAnne> ")


def test_a_keeper_that_falls_silent_is_told(tmp_path: Path) -> None:
    out, told = io.StringIO(), threading.Event()

    def typed() -> Iterator[str]:
        told.wait(30)
        yield from ()

    def write(text: str) -> int:
        if "answers again" in text:
            told.set()
        return io.StringIO.write(out, text)

    out.write = write  # type: ignore[method-assign]
    with at_d21(tmp_path) as game:
        screen = Line([1], LogName("the log"), Terminal(typed()), out)
        screen.tell_address("http://127.0.0.1/")
        watch = game.watch

        def watch_and_tell(viewers: Sequence[int | None], deliver: Deliver) -> Callable[[], None]:
            def deliver_and_tell(message: Message) -> None:
                deliver(message)
                deliver(Said(silent_text(4711, 5)))
                deliver(Said(ANSWERS_AGAIN))

            return watch(viewers, deliver_and_tell)

        game.watch = watch_and_tell  # type: ignore[method-assign]
        screen.run(game)
    said = " ".join(out.getvalue().split())
    said_in_order(
        said, ["In a browser", "The keeper (process 4711) has not answered for 5 s", "The keeper answers again."]
    )


def test_the_end_of_the_input_stops_and_keeps_the_game(tmp_path: Path) -> None:
    text = play(tmp_path / "log.db", "d21", "", "screen", "greedy")
    assert text.endswith("None")
    with Log.read(tmp_path / "log.db") as log:
        assert log.game(1).ended is None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_stops_and_keeps_the_game(tmp_path: Path, number: int) -> None:
    reader, writer = os.pipe()
    before = signal.getsignal(number)
    out = io.StringIO()
    with os.fdopen(reader) as lines, at_d21(tmp_path) as game:
        screen = Line([1], LogName("the log"), lines, out)
        game.on_end = screen.leave

        def write(text: str) -> int:
            signal.raise_signal(number)
            return len(text)

        out.write = write  # type: ignore[method-assign]
        assert screen.run(game) is None
        os.close(writer)
    assert signal.getsignal(number) is before
    with Log.read(tmp_path / "log.db") as log:
        assert log.game(1).ended is None


def test_a_game_in_the_background_of_a_terminal_is_not_stopped(tmp_path: Path) -> None:
    """It reads nothing there: the terminal's keys are somebody else's."""
    code = "from tablier.cli.main import main; raise SystemExit(main())"
    words = ["play", "struggle", "--plain", "--pace", "0", "--no-web", "--seat", "Anne=greedy", "--seat", "Bob=greedy"]
    pid, terminal = pty.fork()
    if pid == 0:
        job = subprocess.Popen([sys.executable, "-c", code, *words, "--log", str(tmp_path / "log.db")], process_group=0)
        os._exit(os.WIFSTOPPED(os.waitpid(job.pid, os.WUNTRACED)[1]))
    with suppress(OSError):  # it has hung up
        while os.read(terminal, 4096):
            pass
    os.close(terminal)
    assert os.waitpid(pid, 0)[1] == 0
    with Log.read(tmp_path / "log.db") as log:
        assert log.game().ended is not None


def test_a_game_that_is_over_at_once_is_shown_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bots without a pause need a few milliseconds; the screen may take longer to begin."""
    run = Line.run

    def late(self: Line, *arguments: Any) -> str | None:
        for thread in threading.enumerate():
            if thread.name == "game":
                thread.join()
        return run(self, *arguments)

    monkeypatch.setattr(Line, "run", late)
    seats = ("--seat", "Anne=random", "--seat", "Bernard=random")
    log = str(tmp_path / "log.db")
    assert main(["play", "d21", "--option", "max_plies=4", *seats, "--log", log]) == 0
    assert "D.21 is over after 4 moves" in capsys.readouterr().out


@pytest.mark.parametrize("game", ["d21", "dilemma"])
def test_who_listens_hears_the_board_in_sentences(tmp_path: Path, game: str) -> None:
    sources = ["screen", *["greedy"] * (1 if game == "d21" else 2)]
    typed = "help\nspoken\nboard\nspoken\nquit\nyes\n"
    heard = play(
        tmp_path / "log.db", game, typed, *sources, spoken=True, options={"first": "p1"} if game != "d21" else {}
    )
    first, drawn, again = heard.split("> spoken\n")
    sentence = "Anne has the red dice: 1 on c2" if game == "d21" else "Anne "
    assert sentence in first and sentence in again and not set(first + again) & set("│┌▀⣿⠿─")
    assert len([line for line in drawn.splitlines() if line.strip()]) > 8 and "has the red dice" not in drawn


def test_what_simulated_people_do_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They need no word that a press was taken, nor that a window is closed: a fifth of the lines said that."""
    seats = [word for name in ("Zoe", "Bob", "Ann") for word in ("--seat", f"{name}=people")]
    assert main(["play", "dilemma", "--virtual", "--plain", *seats, "--log", str(tmp_path / "log.db")]) == 0
    told = capsys.readouterr().out
    assert " offers the " in told and "Final scores" in told
    for chatter in ("has finished throwing.", "The window is closed", "A card lands"):
        assert chatter not in told


# -- a screen that several share ---------------------------------------------------------------------------------------


class Typist(io.StringIO):
    """A terminal at which somebody types each line when it is prompted for, and reads what was written; each step is a
    prompt, and a line or what is done in place of one."""

    def __init__(self, steps: Sequence[tuple[str, str | Callable[[], str]]]) -> None:
        super().__init__()
        self._steps = list(steps)

    def isatty(self) -> bool:
        return True

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        if not self._steps:
            return ""
        prompt, line = self._steps.pop(0)
        assert wait_until(lambda: self.getvalue().endswith(prompt)), (prompt, self.getvalue())
        typed = line if isinstance(line, str) else line()
        self.write(f"{typed}\n")  # as a terminal shows it
        return f"{typed}\n"

    @property
    def left(self) -> str:
        """Return what can be read since it was wiped."""
        return self.getvalue().rpartition("\033[3J")[2]


def wait_until(holds: Callable[[], object]) -> bool:
    return any(holds() or threading.Event().wait(0.02) for _ in range(1000))


TO_A_DUEL = (("Anne> ", "offer 8"), ("Bernard> ", "throw 3"), ("Christine> ", "pass"), ("Bernard> ", "pass"))


@contextmanager
def shared(tmp_path: Path, game: str, count: int, **options: object) -> Iterator[GameLink]:
    """A game whose people share one screen."""
    path = tmp_path / "log.db"
    with Log.open(path) as log:
        begin(log, game, options, [Seat(NAMES[n], 0, "screen") for n in range(count)], seed="0a" * 32)
    with kept(path), linked(path) as link:
        running = opened(link, "resume", game=1, table={"pace_s": 0})
        yield running
        running.stop()


def test_what_is_typed_in_secret_after_a_mistake_is_wiped_too(tmp_path: Path) -> None:
    left: list[str] = []

    def read() -> str:
        left.append(typist.left)
        return ":quit"

    secret = (("Anne> ", "anne"), ("Anne> ", "nonsense"), ("Anne> ", "duel conflict"))
    typist = Typist([*TO_A_DUEL, *secret, ("Bernard> ", read), ("yes or no> ", "yes")])
    with shared(tmp_path, "dilemma", 3) as running:
        Line([1, 2, 3], LogName("the log"), typist, typist).run(running)
    assert "duel conflict" in typist.getvalue() and "Pass the screen to Bernard" in left[0]
    assert "conflict" not in left[0] and "nonsense" not in left[0]


def test_what_a_pipe_types_in_secret_is_not_printed(tmp_path: Path) -> None:
    lines = [line for _, line in TO_A_DUEL]
    text = play(
        tmp_path / "log.db", "dilemma", "\n".join([*lines, "anne", "duel conflict", ":quit", "y", ""]), *["screen"] * 3
    )
    said_in_order(text, ["Anne> offer 8", "Pass the screen to Anne", "Anne> anne", "Pass the screen to Bernard"])
    assert "Anne> duel" not in text


def test_a_seat_that_is_taken_elsewhere_leaves_no_secret_behind(tmp_path: Path) -> None:
    deliver: list[Deliver] = []
    left: list[str] = []

    class Tapped:
        """A connection by which this test says something, too."""

        def __getattr__(self, name: str) -> Any:
            return getattr(running, name)

        def watch(self, viewers: Sequence[int | None], take: Deliver) -> Callable[[], None]:
            deliver.append(take)
            return running.watch(viewers, take)

    def go() -> str:
        assert "your order of arrival is" in typist.left
        deliver[0](Taken(game=1, seat=1, why=Text("")))
        assert wait_until(lambda: "Anne has gone to another screen" in typist.getvalue())
        left.append(typist.left)
        screen.leave()
        return ""

    typist = Typist([("Anne> ", "anne"), ("Anne> ", go)])
    with shared(tmp_path, "struggle", 2, first="p1") as running:
        screen = Line([1, 2], LogName("the log"), typist, typist)
        screen.run(Tapped())
    assert left and "your order of arrival is" not in left[0]


def test_a_follower_that_comes_late_hears_all_that_its_game_has_told_meanwhile() -> None:
    """While the end of the game before is read, the next one goes on."""
    told: list[Message] = []
    game = _Heard()
    for number in range(3):
        game.hear(Updates(game=number, updates=[]))
        if number == 1:
            game.watch((None,), told.append)
    assert [each.game for each in told if isinstance(each, Updates)] == [0, 1, 2]
