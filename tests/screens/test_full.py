"""The full screen: keys are pressed, and its widgets are read."""

from __future__ import annotations

import asyncio
import random
import re
import signal
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from full_screen import Port, run, until
from msgspec import to_builtins
from rich.cells import cell_len
from room import Room
from shown import text
from textual.pilot import Pilot

from tablier.keeper.silence import silent_text
from tablier.messages import Hint
from tablier.play.connections import Hinted, Said
from tablier.screens.commands import GAME
from tablier.screens.editor import Editor
from tablier.screens.full import Full
from tablier.screens.model import Model, Option
from tablier.screens.phrases import THINKING
from tablier.screens.replay import read_game
from tablier.screens.summary import LogName
from tablier.texts import Json, Text


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have one kind of terminal: styles keep the codes of the first one that they were drawn for."""
    monkeypatch.setenv("TERM", "xterm-256color")


class Nobody(Port):
    """Says nothing."""

    def watch(self, viewers: Any, deliver: Any) -> Any:
        return lambda: None


def test_a_keeper_that_falls_silent_is_told() -> None:
    port = Port()

    async def play(pilot: Pilot[None]) -> None:
        port.deliver(Said(silent_text(4711, 5)))
        await pilot.pause()
        said = " ".join(text(pilot).split())
        assert "The keeper (process 4711) has not answered for 5 s" in said

    run(port, play)


def test_a_screen_that_is_left_before_it_is_shown_ends() -> None:
    """The game may have ended, for whatever reason, before the screen's loop begins."""
    screen = Full([1], LogName("the log"))
    screen.leave()
    screen.app.run = lambda: asyncio.run(screen.app.run_async(headless=True))  # type: ignore[method-assign, assignment, misc]
    assert screen.run(Nobody()) is None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_that_comes_before_the_screen_is_there_ends_it(number: signal.Signals) -> None:
    screen, before, port = Full([1], LogName("the log")), signal.getsignal(number), Port()

    def run() -> None:
        signal.raise_signal(number)
        asyncio.run(screen.app.run_async(headless=True))

    screen.app.run = run  # type: ignore[method-assign, assignment]
    assert screen.run(port) is None
    assert screen.ended_by == number and screen.model.stopped
    assert signal.getsignal(number) is before


def test_a_screen_that_both_the_person_and_the_game_leave_ends_once() -> None:
    async def both(pilot: Pilot[None]) -> None:  # the game leaves when this is done
        await pilot.press("ctrl+q", "y", "enter")

    port = Port()
    screen = run(port, both)
    assert port.commands == [] and screen.model.stopped


def test_a_line_is_typed_corrected_and_entered() -> None:
    port = Port()

    async def play(pilot: Pilot[None]) -> None:
        await pilot.press(*"c3-", "tab")
        assert "Anne> c3-c4" in text(pilot)
        await pilot.press("ctrl+w", *"c2x", "left", "delete", "end", *"-b2")
        assert "Anne> c2-b2" in text(pilot)
        await pilot.press("enter")
        assert "Anne> c2" not in text(pilot)

    run(port, play)
    assert [reply["move"] for reply in port.replies] == ["c2-b2"]


def test_to_draw_a_line_costs_no_more_than_what_is_seen_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[int] = []
    line = Editor()

    def measure(text: str) -> int:
        measured.append(len(text))
        return cell_len(text)

    line.put("x" * 100_000)
    monkeypatch.setattr("tablier.screens.editor.cell_len", measure)
    for cursor in (100_000, 50_000, 0):
        line.cursor = cursor
        drawn = line.line("none", "Zoe> ", 80, hidden=False)
        assert drawn.plain.startswith("Zoe> xxx") and len(drawn) <= 2 * 80
    assert sum(measured) < 1000


def test_keys_that_are_pressed_while_others_are_taken_keep_their_order() -> None:
    port = Port()

    async def play(pilot: Pilot[None]) -> None:
        for key in ("c", "3", "tab", "enter", "c", "2", "tab", "enter"):
            pilot.app.simulate_key(key) if len(key) > 1 else pilot.app.post_message(_key(key))
        await pilot.pause()

    run(port, play)
    assert [reply["move"] for reply in port.replies] == ["c3-c4", "c2-b2"]


def _key(character: str) -> Any:
    from textual.events import Key

    return Key(character, character)


def test_nothing_that_was_typed_is_found_by_the_next_person() -> None:
    async def look(pilot: Pilot[None]) -> None:
        await pilot.press(*"c3-c4", "enter", *"zebra", "ctrl+u")
        for key in ("up", "down", "ctrl+r", "ctrl+y", "ctrl+v", "ctrl+underscore", "ctrl+p"):
            await pilot.press(key)
            shown = text(pilot)
            assert "zebra" not in shown and "Anne> c3" not in shown, key

    run(Port(), look)


def test_a_secret_does_not_tell_its_length_at_a_shared_screen() -> None:
    async def choose(pilot: Pilot[None]) -> None:
        await pilot.press(*"anne", "enter")
        looks = set()
        for typed in ("c", "c3-c4"):
            await pilot.press(*typed)
            looks.add(text(pilot))
            await pilot.press("ctrl+u")
        (shown,) = looks
        assert "Anne> ••••••••" in shown and "Anne> c" not in shown
        await pilot.press(*"c3-c4", "enter")

    port = Port(secret=True)
    run(port, choose, here=(1, 2))
    assert [reply["move"] for reply in port.replies] == ["c3-c4"]


def test_help_and_rules_are_read_page_by_page() -> None:
    async def read(pilot: Pilot[None]) -> None:
        await pilot.press("f1")
        assert "Tab completes" in text(pilot) and "News" not in text(pilot)
        await pilot.press("escape")
        assert "News 39." in text(pilot)
        await pilot.press(*":rules", "enter")
        first = text(pilot)
        await pilot.press("pagedown")
        assert text(pilot) != first
        await pilot.press("pageup")
        assert text(pilot) == first
        await pilot.press("enter")
        assert "News 39." in text(pilot)

    run(Port(), read)


def test_older_news_are_scrolled_to_and_a_line_comes_back_to_the_newest() -> None:
    async def read(pilot: Pilot[None]) -> None:
        await pilot.press("pageup", "pageup")
        assert "News 39." not in text(pilot)
        await pilot.press("c", "enter")
        assert "News 39." in text(pilot)

    run(Port(), read)


@pytest.mark.parametrize("key", ["ctrl+q", "ctrl+c", "ctrl+d"])
def test_quitting_asks(key: str) -> None:
    async def quit(pilot: Pilot[None]) -> None:
        await pilot.press(key)
        assert "Leave? The game continues for Bernard." in text(pilot), "who plays at another screen"
        await pilot.press("escape")
        assert "Leave?" not in text(pilot)
        await pilot.press(key)
        await pilot.press(key)

    port = Port()
    screen = run(port, quit)
    assert port.commands == [] and screen.model.stopped


def test_a_move_is_chosen_with_arrows() -> None:
    async def choose(pilot: Pilot[None]) -> None:
        await pilot.press("down", "down")
        assert "Choose with" in text(pilot)
        await pilot.press("escape")
        assert "Choose with" not in text(pilot)
        await pilot.press("c", "up", "enter")

    port = Port()
    run(port, choose)
    assert [reply["move"] for reply in port.replies] == ["c2-b2"]


def test_many_moves_are_chosen_by_what_they_begin_with() -> None:
    moves = tuple(f"{column}2-{column}{row}" for column in "bc" for row in range(3, 10))

    async def choose(pilot: Pilot[None]) -> None:
        await pilot.press("down")
        assert "b2-  b3 b4 and 5 more" in text(pilot)
        await pilot.press("down", "enter")
        assert "Anne> c2-" in text(pilot)
        await pilot.press("down", "enter")

    port = Port(moves)
    run(port, choose)
    assert [reply["move"] for reply in port.replies] == ["c2-c4"]


@pytest.mark.parametrize(("size", "said"), [((80, 24), ""), ((80, 15), "… 5 more lines of"), ((120, 10), "… 8 more")])
def test_a_board_that_is_cut_says_so(size: tuple[int, int], said: str) -> None:
    async def look(pilot: Pilot[None]) -> None:
        assert said in text(pilot) and ("more line" in text(pilot)) == bool(said)

    run(Port(), look, size=size)


@pytest.mark.parametrize(
    ("columns", "title"),
    [
        (160, f" D.21 · game 1 · 0 moves{' ' * 98}F1 help  Ctrl-P commands  Ctrl-Q quit "),
        (80, " D.21 · game 1 · 0 moves                  F1 help  Ctrl-P commands  Ctrl-Q quit "),
        (79, " D.21 · game 1 · 0 moves                 F1 help  Ctrl-P commands  Ctrl-Q quit "),
        (50, " D.21 · game 1 · 0 moves      80 columns show all "),
        (40, " D.21 · game 1      80 columns show all "),
        (28, " D.21   80 columns show all "),
        (20, " D.21       F1 help "),
        (10, " D.21 · g…"),
    ],
)
def test_the_first_line_says_first_that_the_board_is_cut(columns: int, title: str) -> None:
    async def look(pilot: Pilot[None]) -> None:
        assert text(pilot).split("\n")[0] == title

    run(Port(), look, size=(columns, 24))


@pytest.mark.parametrize(("lines", "apart"), [(24, True), (15, False)])
def test_each_move_of_a_turn_has_a_line_where_there_is_room(lines: int, apart: bool) -> None:
    class Turns(Port):
        def update(self, viewer: int | None = 1) -> Json:
            told = [(1, "went"), (2, "was over"), (2, "saw it"), (3, "slept")]
            news = [
                {"n": n, "kind": "said", "turn": "p1", "at": at, "text": {"text": f"Anne {what}.", "args": {}}}
                for n, (at, what) in enumerate(told, 1)
            ]
            return {**super().update(viewer), "news": news}

    async def look(pilot: Pilot[None]) -> None:
        glue = r" +\n  " if apart else " "
        assert re.search(f"· 1. Anne went.{glue}2. Anne was over. Anne saw it.{glue}3. Anne slept.", text(pilot))

    run(Turns(), look, size=(80, lines))


def test_a_move_is_chosen_with_the_mouse() -> None:
    async def choose(pilot: Pilot[None]) -> None:
        rows = text(pilot).splitlines()
        row = next(number for number, line in enumerate(rows) if "c2-b2" in line.partition("│")[2])
        at = (rows[row].index("c2-b2", rows[row].index("│")), row)
        await pilot.click(offset=at)
        assert not port.replies
        await pilot.click(offset=at)

    port = Port()
    run(port, choose, size=(120, 40))
    assert [reply["move"] for reply in port.replies] == ["c2-b2"]


def test_nothing_is_chosen_from_where_others_may_look_on() -> None:
    async def choose(pilot: Pilot[None]) -> None:
        await pilot.press(*"anne", "enter", "down")
        assert "Choose with" not in text(pilot)

    for size in (80, 24), (120, 40):
        run(Port(secret=True), choose, here=(1, 2), size=size)


def test_in_a_wide_terminal_news_and_help_stand_beside_the_board() -> None:
    async def look(pilot: Pilot[None]) -> None:
        first = text(pilot).splitlines()[3]
        assert first.startswith("10") and "News" in first.partition("│")[2]
        await pilot.press("f1")
        shown = text(pilot).splitlines()
        assert shown[3].startswith("10") and "News" not in text(pilot)
        assert any(":pause" in line.partition("│")[2] for line in shown)

    run(Port(), look, size=(120, 40))


def test_the_palette_lists_every_command_with_its_key() -> None:
    async def choose(pilot: Pilot[None]) -> None:
        await pilot.press("ctrl+p")
        await until(pilot, ":quit")
        assert all(command.name in text(pilot) for command in GAME)
        assert ":hint     F3" in text(pilot)
        await pilot.press(*"pause the", "enter")
        await pilot.pause()

    port = Port()
    run(port, choose, size=(120, 40))
    assert port.commands == [{"command": "pause", "seat": 1}]


def test_a_key_does_what_its_command_does_or_begins_its_line() -> None:
    async def press(pilot: Pilot[None]) -> None:
        await pilot.press("f5", "f9")
        assert "Anne> :dispute " in text(pilot)

    port = Port()
    run(port, press)
    assert port.commands == [{"command": "pause", "seat": 1}]
    assert all(command.key for command in GAME) and len({command.key for command in GAME}) == len(GAME)


def test_a_line_goes_with_its_question() -> None:
    async def play(pilot: Pilot[None]) -> None:
        await pilot.press(*"c3-")
        port.id = 2
        Thread(target=port.send).start()
        await until(pilot, "· 1 move")
        assert "Anne> c3" not in text(pilot)

    port = Port()
    run(port, play)


def test_a_screen_goes_on_while_a_hint_is_thought_out() -> None:
    async def ask(pilot: Pilot[None]) -> None:
        await pilot.press(*":hint", "enter")
        assert str(THINKING) in text(pilot)
        hint = Hinted(port.commands[-1]["n"], Hint(move="c3-c4"))
        Thread(target=lambda: port.deliver(hint)).start()
        await until(pilot, "Hint: c3-c4")

    port = Port()
    run(port, ask)


@pytest.mark.parametrize(("lines", "ends"), [(16, "long. …"), (24, "the very end."), (40, "the very end.")])
def test_a_long_hint_takes_lines_of_the_news_or_says_that_it_is_cut(lines: int, ends: str) -> None:
    because = Text(f"{'The reason is long. ' * 9}This is the very end.")

    async def ask(pilot: Pilot[None]) -> None:
        await pilot.press("f3")
        hint = Hinted(port.commands[-1]["n"], Hint(move="c3-c4", because=because))
        Thread(target=lambda: port.deliver(hint)).start()
        await until(pilot, "Hint: c3-c4")
        shown = " ".join(text(pilot).split())
        assert shown.endswith(ends) and ("more lines of" in shown) == (lines < 20)

    port = Port()
    run(port, ask, size=(80, lines))


def test_what_options_lead_to_is_wrapped_where_it_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    leads = "you gain the 1, Christine the 2; against conflict, Christine both"
    monkeypatch.setattr(
        Model, "options", lambda model, typed: [Option(line, leads, True) for line in ("duel peace", "c3-c4")]
    )

    async def choose(pilot: Pilot[None]) -> None:
        side = [line.partition("│ ")[2].rstrip() for line in text(pilot).splitlines()]
        at = side.index(" Choose with ↑ ↓ and Enter:") + 1
        second = next(number for number, line in enumerate(side) if line.startswith(" c3-c4"))
        assert " ".join(" ".join(side[at:second]).split()) == f"duel peace {leads}"
        await pilot.click(offset=(85, second + 1))
        await pilot.click(offset=(85, second))

    port = Port()
    run(port, choose, size=(120, 40))
    assert [reply["move"] for reply in port.replies] == ["c3-c4"], "a click at any of its lines is one at the option"


class Over(Port):
    """Shows the end of a game of Struggle, which it has played."""

    def __init__(self, log: Path) -> None:
        super().__init__()
        room, dice = Room(log, "struggle", ["Anne", "Bernard"], [[1]], practice=True), random.Random(1)
        model = room.models[0]
        while model.over is None:
            room.type(dice.choice(list(model.lines())))
        self.last = {
            **to_builtins(model.latest),
            "news": [{"n": 1, "kind": "said", "turn": "p1", "text": {"text": "Over.", "args": {}}}],
        }
        room.close()

    def update(self, viewer: int | None = 1) -> Json:
        return self.last


@pytest.mark.parametrize("size", [(80, 24), (80, 14), (120, 40)])
def test_a_game_that_is_over_is_looked_back_at(size: tuple[int, int], tmp_path: Path) -> None:
    port = Over(tmp_path / "log.db")
    last = port.last["ply"]

    async def look(pilot: Pilot[None]) -> None:
        await until(pilot, "look back")
        end = text(pilot)
        scores = port.last["over"]["scores"]
        for name in ("Anne", "Bernard"):
            assert re.search(rf"{name} +[JQK910]+(-[JQK910]+){{4}} ", end), "the board, with objectives"
        await pilot.press("pagedown")
        rest = text(pilot)
        assert "Turning points:" in rest and re.search(r"Move \d+: (Anne|Bernard) ", rest)
        if size == (80, 14):
            assert "PgDn:" in end and "PgDn:" not in rest
            await pilot.press("pageup", "pageup")
            assert re.search(r"· Over\.(.|\n)*\nStruggle  ", text(pilot)), "the story, above the board"
        for seat, name in enumerate(("Anne", "Bernard")):
            assert re.search(rf"{name} +{scores[seat]:g} .*[▁▂▃▄▅▆▇█]", end), "the standings, with a curve, at once"
        await pilot.press("left")
        assert f"after move {last - 1} of {last}" in text(pilot) and "Over." not in text(pilot)
        await pilot.press("home")
        assert f"after move 0 of {last}" in text(pilot)
        await pilot.press("shift+right", "right")
        assert f"after move 11 of {last}" in text(pilot) and re.search(r"· 1[01]\. ", text(pilot))
        await pilot.press("escape")
        assert text(pilot) == end
        await pilot.press("home", "end")
        assert text(pilot) == end

    run(port, look, size=size, read=partial(read_game, tmp_path / "log.db"))


def test_what_follows_a_game_is_typed_or_chosen(tmp_path: Path) -> None:
    port = Over(tmp_path / "log.db")

    async def look(pilot: Pilot[None]) -> None:
        await until(pilot, "again, look or quit")
        await pilot.press(*"look", "enter")
        assert "after move 0 of" in text(pilot)
        await pilot.press("enter", "enter", *"back", "enter")
        assert "after move 1 of" in text(pilot)
        await pilot.press("escape", "enter")
        assert "again  another game" in text(pilot), "Enter alone, which may be meant for a bot, begins none"
        await pilot.press("enter")

    screen = run(port, look, read=partial(read_game, tmp_path / "log.db"), repeats=True)
    assert screen.another and "Turning points:" in (screen.model.summary or "")


def test_a_card_explains_the_game_before_its_first_question() -> None:
    port = Port()

    async def look(pilot: Pilot[None]) -> None:
        assert port.commands == [{"command": "wait", "on": True}]
        shown = text(pilot)
        for each in (
            "The aim",
            "Show 1 to 6 in a row",
            "A turn",
            "Move one of your dice",
            "How to answer",
            "c3-c6",
            "F1 is",
        ):
            assert each in shown
        await pilot.press("enter")
        assert "How to answer" not in text(pilot) and "Anne>" in text(pilot)
        assert port.commands[1:] == [{"command": "wait", "on": False}]

    run(port, look, explains=True)


def test_a_key_leaves_the_card_and_what_asks_to_stop() -> None:
    port = Port()

    async def press(pilot: Pilot[None]) -> None:
        await pilot.press("f3")
        shown = text(pilot)
        assert "How to answer" not in shown and ":hint" not in shown and str(THINKING) in shown
        await pilot.press(*"c3-", "ctrl+c")
        assert "yes or no> \n" in re.sub(" +\n", " \n", text(pilot)), "what was typed is no answer"
        await pilot.press("f9")
        assert "Leave?" not in text(pilot) and "Anne> :dispute" in text(pilot)

    run(port, press, explains=True)
    assert [command["command"] for command in port.commands if command["command"] != "wait"] == ["hint"]


def test_an_error_goes_with_esc_and_with_a_page() -> None:
    async def press(pilot: Pilot[None]) -> None:
        for keys in (("f1", "f1"), ("f1", "escape"), ("f2", "enter"), ("escape",)):
            await pilot.press("ctrl+g")
            assert "no pictures" in text(pilot) or "Pictures are not" in text(pilot)
            for key in keys:
                await pilot.press(key)
                assert "ictures" not in text(pilot), keys

    run(Port(), press)


def test_esc_on_an_error_brings_no_earlier_hint_back() -> None:
    async def press(pilot: Pilot[None]) -> None:
        await pilot.press("f3")
        Thread(target=lambda: port.deliver(Hinted(1, Hint(move="c3-c4")))).start()
        await until(pilot, "Hint: c3-c4")
        await pilot.press(*"nonsense", "enter")
        assert "'nonsense'" in text(pilot)
        await pilot.press("escape", "enter")
        assert "nonsense" not in text(pilot) and "Hint:" not in text(pilot)

    port = Port()
    run(port, press)
    assert not port.replies


def test_what_is_wrong_at_the_end_does_not_hide_that_one_can_look_back(tmp_path: Path) -> None:
    async def press(pilot: Pilot[None]) -> None:
        await until(pilot, "look back")
        for key in ("left", "escape"):
            await pilot.press("f3")
            assert "There is no question now." in text(pilot)
            await pilot.press(key)
            assert "There is no question" not in text(pilot) and "← →" in text(pilot)
            await pilot.press("escape")

    run(Over(tmp_path / "log.db"), press, read=partial(read_game, tmp_path / "log.db"))


def test_bots_move_faster_and_slower_by_keys() -> None:
    port = Port()

    async def press(pilot: Pilot[None]) -> None:
        await pilot.press("-", "f12")
        assert ":pace: bots move faster or slower" in text(pilot)
        await pilot.press(*"9s", "enter", *"slower", "enter", *":pace often", "enter")
        assert ":pace takes faster, slower, or 0 to 60 seconds, not 'often'" in text(pilot)

    run(port, press)
    assert [command["seconds"] for command in port.commands] == [2.0, 9.0, 2.0], "told back by no news here"


def test_a_log_that_cannot_be_read_shows_the_end_all_the_same(tmp_path: Path) -> None:
    async def look(pilot: Pilot[None]) -> None:
        await until(pilot, "The game is over. Enter leaves.")
        await pilot.press("left")
        assert "after move" not in text(pilot)

    run(Over(tmp_path / "log.db"), look, read=partial(read_game, tmp_path / "nowhere.db"))


def test_a_drawing_that_fails_ends_the_screen_with_its_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object) -> None:
        raise ZeroDivisionError("the drawing")

    async def wait(pilot: Pilot[None]) -> None:
        await pilot.pause()

    monkeypatch.setattr("tablier.screens.sheet.board_lines", fail)
    with pytest.raises(ZeroDivisionError, match="the drawing"):
        run(Port(), wait)
