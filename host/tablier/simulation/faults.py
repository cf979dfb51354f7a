"""Faults of a simulated or emulated table: the models behind a tester's verbs ``defect`` and ``faults``.

Light is counted in shares of what a beam has as it is built. A receiver's comparator is set to half of that
(``hardware/BUILD.md``, step 16), so a beam reads broken when less is left of it, whether because something is in it,
its emitter is dimmed or it has aged. Light from elsewhere is enough for it or is not there.

The floor's sensors tell a reflection of 65535; what lies on them reflects so much, and the bare floor so much less, as
it is computed for the floor that is drawn.
"""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import dataclass, field, fields

from tablier_fw import wire

BEAMS = 8
THRESHOLD = 0.5
"""Of the light of a beam as it is built."""
BARE_V, CARD_V = 0.15, 1.1
"""The volts by which a floor sensor gives less in its emitter's light, over the bare floor and under a card."""
ADC_V = 3.3


@dataclass
class Defects:
    """All defects. The defaults are those of an intact table."""

    light: list[float] = field(default_factory=lambda: [1.0] * BEAMS)
    """The remaining light of each beam, 0 to 1; above 1 its comparator is set too low."""
    contacts: dict[int, bool] = field(default_factory=dict)
    """Buttons (by bit) whose contact is always closed, or never."""
    wires: dict[int, int] = field(default_factory=dict)
    """Buttons (by bit) that are wired as others."""
    dark: set[int] = field(default_factory=set)
    """Pixels that stay dark, in the order of the chains."""
    hoods: dict[int, int] = field(default_factory=dict)
    """Places whose hoods are wired as those of others."""
    loose: bool = False
    """True while the cable of the button chain is out."""
    still: bool = False
    """True while nothing samples the button chain."""
    reflects: list[float] = field(default_factory=lambda: [1.0, 1.0])
    """The remaining reflection of a card on each floor sensor, 0 to 1."""
    numb: bool = False
    """True if no impact is felt."""
    unfed: bool = False
    """True while the supply gives no 5 V."""

    def mend(self) -> None:
        """Remove all defects."""
        whole = Defects()
        for each in fields(self):
            setattr(self, each.name, getattr(whole, each.name))

    def weak(self, beam: int, level: float = 1.0) -> bool:
        """Return whether an empty beam reads broken at a share of its emitter's light."""
        return self.unfed or self.light[beam] * level <= THRESHOLD

    def contact(self, bit: int) -> int:
        """Return the button that is pressed when the finger is on this one."""
        return self.wires.get(bit, bit)

    def buttons(self, pressed: int) -> int:
        """Return the contacts that the chain reports when fingers close these."""
        for bit, closed in self.contacts.items():
            pressed = pressed | 1 << bit if closed else pressed & ~(1 << bit)
        return 0 if self.loose else pressed

    def seen(self, pixels: bytes, missing: Collection[int] = ()) -> bytes:
        """Return what people see of a picture; ``missing``: pixels that are not there."""
        if self.unfed:
            return bytes(len(pixels))
        dark = self.dark.union(missing)
        if not dark and not self.hoods:
            return pixels
        parts = [pixels[3 * at : 3 * at + 3] for at in range(len(pixels) // 3)]
        shown = list(parts)
        for place, other in self.hoods.items():
            here, there = (sum(wire.GROUPS[: wire.HOOD + number - 1]) for number in (place, other))
            shown[here : here + wire.GROUPS[wire.HOOD]] = parts[there : there + wire.GROUPS[wire.HOOD]]
        return b"".join(bytes(3) if at in dark else part for at, part in enumerate(shown))

    def reflected(self, sensor: int, occupied: bool) -> float:
        """Return the reflection in volts."""
        if self.unfed:
            return 0.0
        return CARD_V * self.reflects[sensor] if occupied else BARE_V


class Line:
    """A bad line. It damages whole frames, with a probability for each frame."""

    FAULTS = ("drop", "flip", "cut", "double")

    def __init__(self, options: dict[str, float]) -> None:
        self.counts = dict.fromkeys(("frames", *self.FAULTS), 0)
        """The frames given to it, counted by what became of them."""
        self._options = options
        self._random = random.Random(int(options.get("seed", 0)))
        self._rest = b""

    def carry(self, data: bytes) -> bytes:
        *frames, self._rest = (self._rest + data).split(b"\n")
        # An empty line is none: the firmware fills its packets with newlines.
        return b"".join(self._frame(frame + b"\n") if frame else b"\n" for frame in frames)

    def _frame(self, frame: bytes) -> bytes:
        self.counts["frames"] += 1
        if self._befalls("drop"):
            return b""
        if self._befalls("flip"):
            bit = self._random.randrange(len(frame) * 8)
            frame = frame[: bit // 8] + bytes([frame[bit // 8] ^ 1 << bit % 8]) + frame[bit // 8 + 1 :]
        if self._befalls("cut"):
            frame = frame[: self._random.randrange(len(frame))]
        if self._befalls("double"):
            frame += frame
        return frame

    def _befalls(self, fault: str) -> bool:
        befalls = self._random.random() < self._options.get(fault, 0)
        self.counts[fault] += befalls
        return befalls
