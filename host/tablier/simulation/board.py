"""The physics of a simulated board: pixels, buzzer, sensors and defects."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tablier.simulation.arena import BEAMS, FLOOR, IMPACT, LIGHT, Edge, Happening, Senses
from tablier.simulation.faults import Defects
from tablier.simulation.timeline import Timeline
from tablier_fw import wire
from tablier_fw.equipment import Equipment


class Board:
    """The hardware between the firmware's pins and the people at the table."""

    def __init__(self, timeline: Timeline, equipment: Equipment) -> None:
        self._timeline = timeline
        self.equipment = equipment
        self._missing = set(range(sum(wire.GROUPS))) - set(equipment.pixels())
        self.defects = Defects()
        """The present defects; changed by :meth:`damage` and :meth:`mend`."""
        self.senses = Senses()
        self.pixels = bytes(3 * sum(wire.GROUPS))
        """Red, green, blue of all pixels as people see them."""
        self.pictures = 0
        """The number of changes of the visible picture."""
        self.tunes: list[tuple[int, int]] = []
        """Every change of the buzzer's tone: when, and its hertz; 0 is silence."""
        self.on_picture: Callable[[bytes], None] = lambda pixels: None
        """Called with each new picture."""
        self._chains = self.pixels  # what the chains of pixels were sent
        self.volume = 0
        """The volume of the latest tone, 1 to 3."""
        self._hertz = 0
        self._edges: list[Edge] = []
        self._hits = 0

    # -- seen and heard ------------------------------------------------------------------------------------

    def show(self, pixels: bytes) -> None:
        """Send red, green, blue of all pixels to their chains."""
        self._chains = pixels
        pixels = self.defects.seen(pixels, self._missing)
        if pixels != self.pixels:
            self.on_picture(pixels)
            self.pixels = pixels
            self.pictures += 1

    def sound(self, hertz: int, volume: int) -> None:
        if hertz:
            self.volume = volume
        if hertz != self._hertz:
            self._hertz = hertz
            self.tunes.append((self._timeline.now(), hertz))

    # -- felt ----------------------------------------------------------------------------------------------

    def happen(self, happenings: Iterable[Happening]) -> None:
        """Put happenings on the agenda, for the sensors to feel each at its time: without an arena nothing is felt."""
        if not self.equipment.arena:
            return
        for ms, line, change in happenings:
            us = round(ms * 1000)
            self._timeline.at(us, lambda us=us, line=line, change=change: self._happen(us, line, change))  # type: ignore[misc]

    def _happen(self, us: int, line: int, change: int) -> None:
        if line != IMPACT or not self.defects.numb:
            self.feel(us, line, change)

    def feel(self, us: int, line: int, change: int) -> None:
        """Feel something enter a line's sensor (1) or leave it (-1), or an impact."""
        for edge in self.senses.feel(us, line, change):
            _, felt, level = edge
            self._hits += felt == IMPACT and level
            self._edges.append(edge)

    @property
    def felt(self) -> bool:
        """True when edges wait for the firmware."""
        return bool(self._edges)

    def take_edges(self) -> list[Edge]:
        """Return the edges since the last call."""
        edges, self._edges = self._edges, []
        return edges

    def reset(self) -> None:
        """Restart: feel again what is there."""
        self._edges = self.senses.standing(self._timeline.now())

    # -- measured by the self-test -------------------------------------------------------------------------

    def broken(self, level: float) -> int:
        """Return the beams, by bit, that read broken at this share of their emitters' light."""
        blocked = [self._blocked(beam) or self.defects.weak(beam, level) for beam in range(BEAMS)]
        lit = [self.senses.there(LIGHT + beam) for beam in range(BEAMS)]
        return sum((blocked[beam] and not lit[beam]) << beam for beam in range(BEAMS))

    def _blocked(self, beam: int) -> bool:
        """Return True if a beam is blocked; a weak beam counts as one thing in it."""
        return self.senses.count_in(beam) > self.defects.weak(beam)

    def ambient(self) -> int:
        """Return the bits of the beams whose receivers see stray light."""
        return sum(self.senses.there(LIGHT + beam) << beam for beam in range(BEAMS))

    def floor(self) -> list[float]:
        """Return the reflection at each floor sensor, in volts."""
        return [self.defects.reflected(sensor, self.senses.there(FLOOR + sensor)) for sensor in (0, 1)]

    def take_hit(self) -> bool:
        """Return True when an impact was felt since the last call."""
        hits, self._hits = self._hits, 0
        return hits > 0

    # -- what is wrong -------------------------------------------------------------------------------------

    def damage(self, change: Callable[[Defects], None]) -> None:
        """Apply ``change`` to the defects, then the defects to the table. Raise what ``change`` raises."""
        before = [self.defects.weak(beam) for beam in range(BEAMS)]
        change(self.defects)
        self.suffer(before)

    def mend(self) -> None:
        """Remove all defects."""
        self.damage(Defects.mend)

    def suffer(self, before: list[bool]) -> None:
        """Apply the present defects. ``before``: which beams were weak until now."""
        self.show(self._chains)
        for beam, weak in enumerate(before):
            change = int(self.defects.weak(beam)) - int(weak)
            if change:
                self.happen([(self._timeline.now() / 1000, beam, change)])
