"""The board as a picture on the full screen: what a terminal says it can do, what it is sent, and what stays away."""

from __future__ import annotations

import asyncio
import base64
import io
import queue
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from full_screen import Port, run, until
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from rich.cells import cell_len
from rich.text import Text as Styled
from shown import text
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.pilot import Pilot

from tablier.games import rules_of
from tablier.games.core import Position
from tablier.html.document import style as shared_style
from tablier.screens import console, pictures
from tablier.screens.abilities import Ability, Replies
from tablier.screens.drawn import dark_rules
from tablier.screens.painter import KITTY, SIXEL, Request, png
from tablier.screens.pictures import LAST, Painted, Painter, Scene, request_for, style
from tablier.screens.terminal import Driver

CELL = (10, 20)
_OK, _NOT = "\x1b_Gi=1;OK\x1b\\", "\x1b_Gi=1;ENOTSUPPORTED\x1b\\"
_SIXEL, _PLAIN = "\x1b[?62;4;22c", "\x1b[?62;14;22c"
_DARK, _LIGHT = "\x1b]11;rgb:1e1e/1e1e/2020\x1b\\", "\x1b]11;rgb:ff/fa/f0\x07"
_SIZE = "\x1b[6;18;9t"


def scene(moves: tuple[str, ...] = (), protocol: str = KITTY, *, dark: bool = True, viewer: object = 1) -> Scene:
    """Return a game of D.21 after some moves."""
    position: Position[Any] = Position(rules_of("d21", 2))
    for move in moves:
        position.push(position.rules.parse(move))
    last = position.rules.parse(moves[-1]) if moves else None
    view = position.rules.view(position.state, None)
    return Scene(viewer, position.rules, view, ["Anne", "Bernard"], last, 80, 25, Ability(protocol, CELL, dark))


def pixels(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


# -- what a terminal says -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "ability"),
    [
        (_OK + _DARK + _SIZE + _PLAIN, Ability(KITTY, (9, 18), True)),
        (_LIGHT + _SIZE + _SIXEL, Ability(SIXEL, (9, 18), False)),
        (_OK + _SIXEL, Ability(SIXEL, (10, 20), True)),
        (_NOT + _PLAIN, None),
        (_PLAIN, None),
    ],
)
@given(data=st.data())
def test_replies_are_taken_out_of_what_is_typed_wherever_they_are_cut(
    said: str, ability: Ability | None, data: st.DataObject
) -> None:
    found: list[Ability | None] = []
    replies = Replies(found.append)
    typed = data.draw(st.text("abc\n", max_size=3))
    stream = typed + said + typed
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    parts = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert "".join(map(replies.without, parts)) == typed * 2
    assert found == [ability] and replies.over


@pytest.mark.parametrize("keys", ["\x1b", "\x1b[A", "\x1b[1;5C", "\x1bOP", "\x1b[?2026;2$y", "\x1b[<0;3;4M", "\x1b[6~"])
def test_keys_that_begin_like_a_reply_are_keys(keys: str) -> None:
    replies = Replies(lambda ability: pytest.fail("no reply"))
    assert replies.without(keys) + replies.release() == keys
    assert replies.release() == ""


# -- what is painted ----------------------------------------------------------------------------------------------


def test_a_picture_fills_its_room_and_keeps_its_shape() -> None:
    request = request_for(scene())
    assert request.rows == 25 and 0 < request.columns < 80
    image = pixels(png(request))
    assert image.size == (request.columns * CELL[0], request.rows * CELL[1])
    drawn = re.search(r'viewBox="0 0 (\d+) (\d+)"', request.svg)
    assert drawn is not None
    assert request.width / request.height == pytest.approx(int(drawn[1]) / int(drawn[2]), abs=0.03)


def test_a_picture_is_as_dark_as_the_terminal_and_marks_the_last_move() -> None:
    images = [pixels(png(request_for(scene(dark=dark)))) for dark in (True, False)]
    dark, light = (image.getpixel((2, 2)) for image in images)
    assert isinstance(dark, tuple) and isinstance(light, tuple) and max(dark) < 60 and min(light) > 230
    assert 'class="last"' not in request_for(scene()).svg
    assert 'class="last"' in request_for(scene(("p1 c2-b2",))).svg


def test_the_last_move_is_marked_as_on_pages() -> None:
    page = shared_style("page.css")
    colours = list(zip(*(re.findall(rf"--{name}: (#\w+)", page) for name in ("last", "last-edge")), strict=True))
    assert colours == [LAST[False], LAST[True]]
    assert set(dark_rules("d21")) <= set(style("d21", dark=True).splitlines())
    assert not set(dark_rules("d21")) & set(style("d21", dark=False).splitlines())


@pytest.fixture
def painted() -> Iterator[Callable[[Scene], Painted]]:
    """Return what a painter makes of a scene."""
    made: queue.Queue[Painted | None] = queue.Queue()
    painter = Painter(made.put)

    def paint(scene: Scene) -> Painted:
        painter.ask(scene)
        found = made.get(timeout=60)
        assert found is not None and found.scene is scene
        return found

    yield paint
    painter.close()


def test_a_terminal_is_sent_the_pixels_of_the_drawing(painted: Callable[[Scene], Painted]) -> None:
    made, request = painted(scene()), request_for(scene())
    assert (made.columns, made.rows) == (request.columns, request.rows)
    sent = "".join(re.findall(r"\x1b_G[^;\x1b]*;([^\x1b]*)\x1b", made.before))
    assert pixels(base64.b64decode(sent)).tobytes() == pixels(png(request)).tobytes()
    assert f"i={made.number}," in made.before and f"c={request.columns},r={request.rows},U=1" in made.before
    lines = made.lines.plain.splitlines()
    assert [cell_len(line) for line in lines] == [request.columns] * request.rows
    colours = {span.style.color for span in made.lines.spans if not isinstance(span.style, str)}
    triplets = [colour.get_truecolor() for colour in colours if colour is not None]
    assert made.number is not None
    assert [triplet.red << 16 | triplet.green << 8 | triplet.blue for triplet in triplets] == [made.number & 0xFFFFFF]
    made = painted(scene(protocol=SIXEL))
    assert made.sixels.startswith("\x1bP") and f'"1;1;{request.width};{request.height}' in made.sixels
    assert made.number is None and made.before == made.lines.plain == made.forget == ""


# -- what the screen shows ----------------------------------------------------------------------------------------


class Canvasser:
    """Paints at once: a picture that says what it would show."""

    scenes: list[Scene] = []
    fails = False

    def __init__(self, deliver: Callable[[Painted | None], object]) -> None:
        self._deliver = deliver

    def ask(self, scene: Scene) -> None:
        self.scenes.append(scene)
        request: Request = request_for(scene)
        number = len(self.scenes)
        lines = Styled("\n".join(["#" * request.columns] * request.rows))
        sixels = "\x1bPsixels\x1b\\" if request.protocol == SIXEL else ""
        made = Painted(scene, request.columns, request.rows, number, f"<{number}>", lines, sixels)
        self._deliver(None if self.fails else made)

    def close(self) -> None:
        """Close nothing."""


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what the terminal is sent besides text."""
    sent: list[str] = []
    monkeypatch.setattr(pictures, "Painter", Canvasser)
    monkeypatch.setattr(Canvasser, "scenes", [])
    monkeypatch.setattr(console.Console, "send", lambda self, text, at_end="": sent.append(text))
    return sent


async def use(pilot: Pilot[None], protocol: str = KITTY) -> None:
    """Have the terminal say that it shows pictures."""
    app = pilot.app
    assert isinstance(app, console.Console)
    app.use(Ability(protocol, CELL, True))
    await pilot.pause()
    await pilot.pause()


def test_the_picture_stands_for_the_board_and_follows_the_moves(sent: list[str]) -> None:
    port = Port()

    async def play(pilot: Pilot[None]) -> None:
        board = text(pilot)
        assert "Anne moves" in board
        await use(pilot)
        assert "Anne moves" not in text(pilot) and "#" * 20 in text(pilot) and "News 39." in text(pilot)
        await pilot.press(*"c3-")
        assert "Anne> c3-" in text(pilot) and len(Canvasser.scenes) == 1
        port.changed = True
        port.send()
        await until(pilot, "Anne>")
        await pilot.pause()
        await pilot.pause()
        assert sent[:3] == ["<1>", "<2>", "\x1b_Ga=d,d=I,i=1,q=2\x1b\\"]

    run(port, play, size=(120, 40))
    first, second = (pixels(png(request_for(scene))) for scene in Canvasser.scenes)
    assert first.size == second.size and first.tobytes() != second.tobytes()


def test_sixels_are_not_sent_with_every_key(sent: list[str]) -> None:
    async def play(pilot: Pilot[None]) -> None:
        drawn: list[str] = []
        app = pilot.app
        app._display = lambda screen, update: drawn.append(update.render_segments(app.console))  # type: ignore[method-assign, assignment, union-attr]
        await use(pilot, SIXEL)
        first = "".join(drawn)
        assert "\x1b[2;1H\x1bPsixels\x1b\\" in first
        drawn.clear()
        await pilot.press(*"c3-c4")
        await pilot.pause()
        assert "c3-c4" in "".join(drawn) and "sixels" not in "".join(drawn)

    run(Port(), play, size=(120, 40))


def test_another_seat_sees_no_picture_of_what_the_last_one_saw(
    sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[Callable[[], object]] = []

    async def play(pilot: Pilot[None]) -> None:
        await use(pilot)
        assert "#" * 20 in text(pilot)
        ask = Canvasser.ask
        monkeypatch.setattr(Canvasser, "ask", lambda self, scene: held.append(lambda: ask(self, scene)))
        await pilot.press(*"anne", "enter")
        await pilot.pause()
        assert "#" * 20 not in text(pilot) and "Anne moves" in text(pilot)
        held[-1]()
        await pilot.pause()
        await pilot.pause()
        assert "#" * 20 in text(pilot)

    run(Port(secret=True), play, here=(1, 2), size=(120, 40))
    assert [scene.viewer for scene in Canvasser.scenes] == [None, 1]


def test_a_command_turns_the_picture_off_for_the_whole_run(sent: list[str]) -> None:
    turned: list[bool] = []

    async def play(pilot: Pilot[None]) -> None:
        pilot.app._full.on_pictured = turned.append  # type: ignore[attr-defined]
        await pilot.press("ctrl+g")
        assert "This terminal shows no pictures." in text(pilot) and "Anne moves" in text(pilot)
        await use(pilot)
        await pilot.press(*":picture", "enter")
        assert "Anne moves" in text(pilot) and "#" * 20 not in text(pilot)
        await pilot.press("ctrl+g")
        assert "#" * 20 in text(pilot)

    run(Port(), play, size=(120, 40))
    assert turned == [False, True]


def test_a_picture_that_comes_late_is_not_written_over_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    for name in ("start_application_mode", "stop_application_mode"):
        monkeypatch.setattr(LinuxDriver, name, lambda self: None)
    monkeypatch.setattr(LinuxDriver, "write", lambda self, data: written.append(data))

    async def leave() -> None:
        driver = Driver(App())
        driver.start_application_mode()
        driver.send("picture", "gone")
        driver.stop_application_mode()
        driver.send("late picture", "late gone")
        driver.name_window("late title")

    asyncio.run(leave())
    assert written == ["picture", "gone"]


def test_without_the_extra_the_board_stays_and_a_line_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "_has_pictures", lambda: False)

    async def play(pilot: Pilot[None]) -> None:
        await pilot.press(*":picture", "enter")
        assert "Pictures are not installed: " in text(pilot) and "Anne moves" in text(pilot)
        assert "tablier[" not in text(pilot)

    run(Port(), play)


def test_where_painting_fails_the_board_in_characters_stays(sent: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Canvasser, "fails", True)

    async def play(pilot: Pilot[None]) -> None:
        await use(pilot)
        assert "Anne moves" in text(pilot)
        await pilot.press(*":picture", "enter")
        assert "could not be drawn" in text(pilot)

    run(Port(), play)
