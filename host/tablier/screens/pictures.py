"""The board as a picture, in terminals that show some.

A board is drawn in a thread, and its pixels are made in a process of their own (:mod:`tablier.screens.painter`); until
a picture is there, the board stands in characters.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple
from xml.etree import ElementTree

from rich.control import Control
from rich.segment import ControlType, Segment
from rich.text import Text as Styled
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from tablier.games import drawing_of
from tablier.games.core import Move, Rules
from tablier.games.core.drawing import DARK, GROUND
from tablier.screens.abilities import Ability
from tablier.screens.drawn import MARK, dark_rules, draw
from tablier.screens.painter import END, SIXEL, Request
from tablier.texts import Json, Text

NOT_PAINTED = Text("The board could not be drawn as a picture.")
LAST = {False: ("#c2ccff", "#3546a8"), True: ("#4455b0", "#aebcff")}
"""In the light and in the dark: what the last move is marked with, and its edge; the same as on pages."""
_SIXELS = re.compile(r"\x1bP.*?\x1b\\", re.DOTALL)
_UNSEEN = ((ControlType.CURSOR_FORWARD, 0),)
"""Marks what fills no cell."""
_NUMBER = re.compile(r"\x1b_Gi=(\d+)")


class Scene(NamedTuple):
    """What a picture shows, and the room for it."""

    viewer: object
    """Who looks: an earlier picture stands until a new one is painted only for the same eyes."""
    rules: Rules[Any]
    view: Json
    names: Sequence[str]
    last: Move | None
    columns: int
    lines: int
    ability: Ability


class Painted(NamedTuple):
    """A picture as a terminal is sent it."""

    scene: Scene
    columns: int
    rows: int
    number: int | None
    """What the terminal knows it by; ``None``: it keeps none."""
    before: str
    """What is written before it is shown."""
    lines: Styled
    """The cells that it fills, by kitty's protocol."""
    sixels: str
    """The picture itself, as sixels."""

    @property
    def forget(self) -> str:
        """Return what has the terminal forget it."""
        return "" if self.number is None else f"\x1b_Ga=d,d=I,i={self.number},q=2\x1b\\"


def style(game: str, *, dark: bool) -> str:
    """Return the style sheet of a game's drawings, in the dark or in the light."""
    fill, edge = LAST[dark]
    mark = f"{MARK} {{ opacity: 0.6; fill: {fill}; stroke: {edge}; stroke-width: 2; stroke-dasharray: 5 3; }}"
    return "\n".join([*(dark_rules(game) if dark else ()), mark])


def request_for(scene: Scene) -> Request:
    """Draw a scene, as large as fits its room."""
    root = draw(scene.rules, scene.view, scene.names, scene.last)
    width, height = (float(root.get(name, "1")) for name in ("width", "height"))
    across, down = scene.ability.cell
    scale = min(scene.columns * across / width, scene.lines * down / height)
    columns = max(1, min(scene.columns, round(width * scale / across)))
    rows = max(1, min(scene.lines, round(height * scale / down)))
    root.set("width", str(columns * across))
    root.set("height", str(rows * down))
    dark = scene.ability.dark
    ground = DARK[GROUND] if dark and GROUND in drawing_of(scene.rules.name).dark else GROUND
    return Request(
        scene.ability.protocol,
        ElementTree.tostring(root, encoding="unicode"),
        style(scene.rules.name, dark=dark),
        ground,
        columns,
        rows,
        columns * across,
        rows * down,
    )


def read_painted(scene: Scene, request: Request, data: str) -> Painted:
    """Return the picture that a painter has made of a request. Raise ``ValueError`` if it is none."""
    if request.protocol == SIXEL:
        found = _SIXELS.search(data)
        if found is None:
            raise ValueError("no sixels")
        return Painted(scene, request.columns, request.rows, None, "", Styled(), found[0])
    number = _NUMBER.search(data)
    if number is None:
        raise ValueError("no picture")
    end = data.rindex("\x1b\\") + 2
    lines = Styled("\n").join(map(Styled.from_ansi, data[end:].splitlines()))
    return Painted(scene, request.columns, request.rows, int(number[1]), data[:end], lines, "")


class Painter:
    """Paints in a thread, the last scene that it was given; those that nobody waits for any more are left out."""

    def __init__(self, deliver: Callable[[Painted | None], object]) -> None:
        """``deliver`` is called in that thread, with ``None`` where a scene could not be painted."""
        self._deliver = deliver
        self._scenes: SimpleQueue[Scene | None] = SimpleQueue()
        self._process: subprocess.Popen[bytes] | None = None
        self._cell: tuple[int, int] | None = None
        self._closed = False
        Thread(target=self._work, daemon=True).start()

    def ask(self, scene: Scene) -> None:
        """Have a scene painted."""
        self._scenes.put(scene)

    def close(self) -> None:
        """End the thread and its process."""
        self._closed = True
        self._scenes.put(None)
        if self._process is not None:
            self._process.kill()

    def _work(self) -> None:
        while (scene := self._scenes.get()) is not None:
            while not self._scenes.empty() and scene is not None:
                scene = self._scenes.get()
            if scene is None:
                break
            try:
                painted = self._paint(scene)
            except Exception:  # a game's own drawing, or a process that has ended: the board in characters is there
                painted = None
            if not self._closed:
                self._deliver(painted)
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def _paint(self, scene: Scene) -> Painted:
        request = request_for(scene)
        process = self._at(scene.ability.cell)
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        data = b""
        while not data.endswith(END):
            line = process.stdout.readline()
            if not line:
                raise EOFError
            data += line
        return read_painted(scene, request, data.removesuffix(END).decode())

    def _at(self, cell: tuple[int, int]) -> subprocess.Popen[bytes]:
        """Return the process that paints for cells of a size."""
        if self._process is None or self._process.poll() is not None or cell != self._cell:
            if self._process is not None:
                self._process.kill()
                self._process.communicate()
            self._cell = cell
            sizes = dict(zip(("TEXTUAL_CELL_WIDTH", "TEXTUAL_CELL_HEIGHT"), map(str, cell), strict=True))
            self._process = _start({**os.environ, **sizes, "PYTHONIOENCODING": "utf-8"})
        return self._process


def _start(env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a process that paints; it ends when its standard input is closed."""
    command = [sys.executable, "-m", "tablier.screens.painter"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=env, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)


class Picture(Widget):
    """The picture of the board, in the screen's upper left corner, below the title."""

    DEFAULT_CSS = "Picture { offset: 0 1; width: 0; height: 0; display: none; }"

    def __init__(self) -> None:
        super().__init__()
        self.painted: Painted | None = None

    def show(self, painted: Painted | None) -> None:
        """Show a picture, or none."""
        if painted is self.painted:
            return
        self.painted = painted
        self.display = painted is not None
        if painted is not None:
            self.styles.width, self.styles.height = painted.columns, painted.rows
        self.refresh()

    def render(self) -> Styled:
        return Styled("") if self.painted is None else self.painted.lines

    def render_lines(self, crop: Region) -> list[Strip]:
        if self.painted is None or not self.painted.sixels:
            return super().render_lines(crop)
        blank = Strip.blank(crop.width)
        if not self.screen.is_active:  # what stands before it would be painted over
            return [blank] * crop.height
        at = self.region
        back = Control.move_to(at.x + crop.right, at.y + crop.bottom - 1)
        texts = (Control.move_to(at.x, at.y).segment.text, self.painted.sixels, back.segment.text)
        segments = [Segment(text, None, _UNSEEN) for text in texts]
        return [blank] * (crop.height - 1) + [Strip([*blank, *segments], crop.width)]


class Showing:
    """Shows the board as a picture on a widget whose first lines are the title and the board."""

    def __init__(
        self,
        widget: Widget,
        redraw: Callable[[], None],
        send: Callable[[str, str], None],
        fail: Callable[[Text], None],
    ) -> None:
        """``redraw`` draws the widget again. ``send`` writes a text to the terminal, and takes another one to be
        written when the terminal is left; ``fail`` is told why nothing can be painted."""
        self._widget, self._redraw, self._send, self._fail = widget, redraw, send, fail
        self.ability: Ability | None = None
        """How the terminal shows pictures; ``None``: not at all."""
        self._picture = Picture()
        self._painter = Painter(lambda painted: widget.call_later(self._take, painted))
        self._wanted: Scene | None = None
        self._painted: Painted | None = None
        self._next: Painted | None = None
        widget.mount(self._picture)

    @property
    def cells(self) -> tuple[int, int]:
        """Return the columns and rows of the picture that is shown."""
        shown = self._picture.painted
        return (0, 0) if shown is None else (shown.columns, shown.rows)

    def begin(self) -> None:
        """Begin a drawing of the screen: one without a picture, unless :meth:`rows` is called."""
        self._next = None

    def rows(
        self,
        viewer: object,
        rules: Rules[Any],
        view: Json,
        names: Sequence[str],
        last: Move | None,
        room: Size,
        most: int,
    ) -> int:
        """Return how many rows the board takes as a picture, 0 while it has to be drawn in characters.

        ``room`` is what a picture may fill, in cells, ``most`` the rows that are free now.
        """
        if self.ability is None:
            return 0
        scene = Scene(viewer, rules, view, names, last, room.width, room.height, self.ability)
        if scene != self._wanted:
            self._wanted = scene
            self._painter.ask(scene)
        there = self._painted
        if there is None or there.scene.viewer != viewer or there.scene.rules is not rules:
            return 0
        if there.columns > room.width or there.rows > most:
            return 0
        self._next = there
        return there.rows

    def place(self) -> bool:
        """Show the picture for which there were rows in this drawing; return whether it is another one than before."""
        if self._next is self._picture.painted:
            return False
        self._picture.show(self._next)
        return True

    def forget(self) -> None:
        """Paint anew: the terminal has lost the picture."""
        self._wanted = self._painted = None

    def close(self) -> None:
        """End what paints."""
        self._painter.close()

    def _take(self, painted: Painted | None) -> None:
        if painted is None:
            self.close()
            self._picture.show(None)
            self._fail(NOT_PAINTED)
            return
        old, self._painted = self._painted, painted
        forget_old, forget = ("" if each is None else each.forget for each in (old, painted))
        self._send(painted.before, forget_old + forget)
        self._redraw()
        if forget_old:  # once the new one is there: nothing blinks
            self._widget.call_after_refresh(self._send, forget_old, forget)


__all__ = [
    "NOT_PAINTED",
    "Painted",
    "Painter",
    "Picture",
    "Scene",
    "Showing",
    "read_painted",
    "request_for",
    "style",
]
