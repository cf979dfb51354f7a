"""A game's pixels, beyond those that the firmware lights for an open question.

A game's ``lights.py`` says what (:mod:`tablier.games.core.lights`). Ring and public pixels show what everybody may see;
a hood what its seat may see, and only when it peeks. What moves is a row of rings, one every :data:`STEP_S`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from tablier.games import lights_of
from tablier.games.core import Move, Position
from tablier.games.core import lights as core
from tablier.games.core.lights import Look, Pixel, packed, pixels_of, rings_of
from tablier.games.core.questions import Question, Window
from tablier_fw import colours, wire

STEP_S = 0.15
"""The time for which each ring of a walk is shown."""
AGAIN_STEPS = 6
"""For how many rings it is shown how things stood after a move that is shown again."""
CLOSING_STEPS = 22
"""In how many steps the time of a window is shown to run out."""

AWAITED: Pixel = (colours.WHITE, 40, wire.PULSE)
"""In front of a place that is awaited, where the game shows nothing."""

Scene = Callable[[int, bytes], None]
"""Has the table show a group of pixels, as the wire carries them."""


def look_of(
    position: Position[Any],
    places: Sequence[int],
    question: Question | None = None,
    option: int | None = None,
    left: float = 1.0,
) -> Look:
    """Return what there is to show; ``option`` is where the open menu stands, ``left`` what is left of a window."""
    rules, state = position.rules, position.state
    return Look(
        rules=rules,
        view=rules.view(state, None),
        places=places,
        what=question.what if question is not None else "",
        hint=question.hint_at(option) if question is not None else {},
        subject=getattr(question, "subject", None),
        left=left,
        moves=[str(move) for move in position.moves[-2:]],
        over=position.is_over,
        winners=rules.winners(state),
    )


class Lamps:
    """The lights of a table during a game.

    ``places`` are those of the seats in turn.
    """

    def __init__(self, scene: Scene, places: Sequence[int]) -> None:
        self._scene = scene
        self._places = places
        self._walk: deque[list[Pixel]] = deque()
        self._next_at = 0.0
        self._closing: Callable[[float], Look] | None = None
        self._closes_at = self._quiet_s = 0.0
        self.awaited: Collection[int] = ()
        """The places that the ring says are awaited."""

    def moved(self, move: Move, position: Position[Any]) -> None:
        """Have a move shown that has been made, when the lights are shown next."""
        game = position.rules.name
        lights = lights_of(game)
        if lights.walk is not None:
            twin = position.copy()
            twin.pop()
            look, before = look_of(position, self._places), twin.rules.view(twin.state, None)
            self._walk += rings_of(game, lights, "walk", look, move, before)

    def again(self, move: Move, position: Position[Any]) -> None:
        """Have a move shown again that has been made, and how things stood after it."""
        self.moved(move, position)
        self._walk += [self._ring_after(position)] * AGAIN_STEPS

    def _ring_after(self, position: Position[Any]) -> list[Pixel]:
        """Return the ring that shows how things stood after a move."""
        game = position.rules.name
        look = replace(look_of(position, self._places), what=core.CALLED)
        return pixels_of(game, lights_of(game), "ring", look)

    def closed(self, position: Position[Any]) -> None:
        """Have it shown that a window has closed, when the lights are shown next."""
        game = position.rules.name
        lights = lights_of(game)
        if lights.closed is not None:
            self._walk += rings_of(game, lights, "closed", look_of(position, self._places))

    def hold(self, until: float) -> None:
        """Let what moves wait: the table shows something of its own on the ring."""
        self._next_at = max(self._next_at, until)

    @property
    def moving(self) -> bool:
        """Return whether something is still to be shown of what has moved."""
        return bool(self._walk)

    def cancel_animations(self) -> None:
        """Drop the steps of moves that have not been shown yet."""
        self._walk.clear()

    def show(
        self,
        position: Position[Any],
        question: Question | None,
        option: int | None,
        now: float,
        closes_at: float | None = None,
        away: Collection[int] = (),
        earlier: Position[Any] | None = None,
    ) -> None:
        """Show how things stand, after what has moved; ``closes_at``: when the open window closes by itself.

        ``earlier``: what the ring shows when an earlier move is looked at again.

        ``away``: places of seats that are not at the table: their hoods are dark, as those of empty places are, because
        anybody may press a button there.

        Raise :class:`PartError` for lights that the game has made wrongly.
        """
        game = position.rules.name
        lights, left = lights_of(game), 1.0
        self._closing = None
        if isinstance(question, Window) and closes_at is not None:
            self._closing = lambda left: look_of(position, self._places, question, None, left)
            self._closes_at, self._quiet_s = closes_at, question.quiet_s
            left = self._left(now)
        look = look_of(position, self._places, question, option, left)
        ring = pixels_of(game, lights, "ring", look) if earlier is None else self._ring_after(earlier)
        for place in self.awaited:
            _swell(ring, core.before(place))
        if self._walk:
            self._walk.append(ring)
            self.work(now)
        else:
            self._scene(wire.RING, packed(ring))
            if self._closing:
                self._next_at = now + self._quiet_s / CLOSING_STEPS
        self._scene(wire.PUBLIC, packed(pixels_of(game, lights, "public", look)))
        for place in range(1, wire.PLACES + 1):
            pixels = [core.DARK] * core.HOOD
            if lights.hood is not None and place in self._places and place not in away:
                seat = self._places.index(place) + 1
                pixels = pixels_of(game, lights, "hood", look, seat, position.rules.view(position.state, seat))
            self._scene(wire.HOOD + place - 1, packed(pixels))

    @property
    def due(self) -> float | None:
        """Return when the next ring is to be shown; ``None`` if there is none."""
        return self._next_at if self._walk or self._closing else None

    def work(self, now: float) -> None:
        """Show the next ring if it is due."""
        if now >= self._next_at:
            if self._walk:
                self._scene(wire.RING, packed(self._walk.popleft()))
                self._next_at = now + STEP_S
            elif self._closing:
                look = self._closing(self._left(now))
                game = look.rules.name
                self._scene(wire.RING, packed(pixels_of(game, lights_of(game), "ring", look)))
                self._next_at = now + self._quiet_s / CLOSING_STEPS
                if now >= self._closes_at:
                    self._closing = None

    def _left(self, now: float) -> float:
        return min(1.0, max(0.0, (self._closes_at - now) / self._quiet_s))


def _swell(ring: list[Pixel], side: Sequence[int]) -> None:
    """Have a side of the ring swell, where it is dark; nothing that the game shows there changes its colour."""
    dark = [pixel for pixel in side if ring[pixel][0] == colours.DARK or not ring[pixel][1]]
    for pixel in dark or side:
        ring[pixel] = AWAITED if dark else (*ring[pixel][:2], wire.PULSE)


__all__ = ["Lamps"]
