"""Light: how much of it reaches a receiver from its emitter, and how much of another tier's comes back from a card."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import acos, atan, cos, hypot, log, pi, radians, sin, sqrt
from typing import Any

from hardware.spice.values import Values

Geometry = dict[str, Any]

EMITTER, RECEIVER = "TSAL6100", "BPV10NF"
WHITE = 0.9
"""Share of infrared light that white paper scatters back."""
DOUBT = 2.0
"""The factor by which more may come back than is computed: emitters' skirts and skewed holes are in no data sheet."""
GLOSS = 0.045
"""Share that a glossy surface mirrors, at a right angle."""
_REACH_MM, _CELLS = 30.0, 60
"""The lit part of the card that is summed up: half its side, and in how many steps a side."""


def air(geometry: Geometry) -> float:
    """Return the mm from an emitter's tip to its receiver's."""
    return float(2 * geometry["tower"]["inside"] + _emitter_behind(geometry) + geometry["baffle"]["length"])


@dataclass(frozen=True)
class Play:
    """The offsets of parts from where they are drawn, in mm: across the beam, and up. Drawn is a beam with no play."""

    tray: tuple[float, float] = (0.0, 0.0)
    emitter: tuple[float, float] = (0.0, 0.0)
    receiver: tuple[float, float] = (0.0, 0.0)
    """Against its tower, like the emitter."""
    tower: float = 0.0
    """The receiver's, with the hole before it, across the beam; the emitter's stands as far the other way."""
    askew: bool = False
    """Emitter and receiver are tilted as far as their bores let them."""


def tray_plays(geometry: Geometry) -> list[tuple[float, float]]:
    """Return the ends of the play of the tray's slots around the beams: it floats in the frame, and sinks into its
    foam; halfway down they are centred."""
    tray = geometry["tray"]
    across = geometry["frame"]["opening"] / 2 - tray["inner"] / 2 - tray["sheet"]
    return [(0.0, 0.0), *((x, z) for x in (-across, across) for z in (tray["sinks"] / 2, -tray["sinks"] / 2))]


def fixed_plays(geometry: Geometry) -> list[Play]:
    """Return the ends of the play of what no longer moves once a table is built."""
    bore, slot = (geometry["tiers"]["body"] - LENS) / 2, geometry["sheet"]["play"] / 2
    ends = ((-bore, 0.0), (bore, 0.0), (0.0, -bore), (0.0, bore))
    plays = [
        Play(emitter=one, receiver=other, tower=tower, askew=True)
        for one in ends
        for other in ends
        for tower in (-slot, slot)
    ]
    return [Play(), *plays]


@cache
def _disc(points: int, radius: float) -> list[tuple[float, float]]:
    """Return points that are spread evenly over a disc."""
    golden = pi * (3 - sqrt(5))
    rings = [(radius * sqrt((it + 0.5) / points), it * golden) for it in range(points)]
    return [(r * cos(angle), r * sin(angle)) for r, angle in rings]


def passed(values: Values, geometry: Geometry, tier: str, play: Play = Play()) -> float:
    """Return how much of a tier's light reaches its receiver through all holes, of what it got without any.

    Every point of the emitter's lens shines at every point of the receiver's. A slot counts as if its ends were round.
    """
    tray, behind = geometry["tray"], _emitter_behind(geometry)
    near = geometry["tower"]["inside"] - tray["inner"] / 2 - tray["sheet"] + behind
    far, hole = near + tray["sheet"] + tray["inner"], geometry["baffle"]["hole"]
    before = 2 * geometry["tower"]["inside"] + behind
    ends = [
        (before + it, hole, hole, play.tower, 0.0) for it in (0.0, min(tray["sheet"], geometry["baffle"]["length"]))
    ]
    if tier == "low":
        ends += [(at + it, *tray["slot"], *play.tray) for at in (near, far) for it in (0.0, tray["sheet"])]
    share = _through(air(geometry), tuple(ends), play)
    if play.askew:
        length = geometry["tiers"]["emitter"] - geometry["tiers"]["rim_of_body"]
        tilt = atan((geometry["tiers"]["body"] - LENS) / length)
        share *= cos(tilt) ** (_exponent(values, EMITTER) + _exponent(values, RECEIVER))
    return share


@cache
def _through(length: float, holes: tuple[tuple[float, ...], ...], play: Play) -> float:
    lit = 0
    emitter, receiver = _disc(43, LENS / 2), _disc(47, LENS / 2)
    for x1, z1 in emitter:
        x1, z1 = x1 + play.emitter[0] - play.tower, z1 + play.emitter[1]
        for x2, z2 in receiver:
            x2, z2 = x2 + play.receiver[0] + play.tower, z2 + play.receiver[1]
            for at, width, height, x, z in holes:
                share = at / length
                aside = max(abs(x1 + (x2 - x1) * share - x) - (width - height) / 2, 0.0)
                if hypot(aside, z1 + (z2 - z1) * share - z) > height / 2:
                    break
            else:
                lit += 1
    return lit / (len(emitter) * len(receiver))


def least_left(values: Values, geometry: Geometry, tier: str) -> tuple[Play, float, float]:
    """Return at which play of the fixed parts a floating tray takes most of the light, the most that then passes, and
    how much of that is left at the worst end of the tray's play."""
    found = []
    for play in fixed_plays(geometry):
        shares = [passed(values, geometry, tier, replace(play, tray=tray)) for tray in tray_plays(geometry)]
        found.append((play, max(shares), round(min(shares) / max(shares), 6)))
    return min(found, key=lambda it: (it[2], it[1]))


def share(geometry: Geometry, offset: float = 0.0) -> float:
    """Return how much of a receiver's lens is seen through its hole, from a point so many mm off its axis there."""
    lens, hole = LENS / 2, geometry["baffle"]["hole"] / 2
    if offset >= lens + hole:
        return 0.0
    if offset <= abs(lens - hole):
        return float(min(lens, hole) ** 2 / lens**2)
    wedge = acos((offset**2 + lens**2 - hole**2) / (2 * offset * lens)) * lens**2
    wedge += acos((offset**2 + hole**2 - lens**2) / (2 * offset * hole)) * hole**2
    kite = sqrt((lens + hole - offset) * (offset + lens - hole) * (offset - lens + hole) * (offset + lens + hole)) / 2
    return float((wedge - kite) / (pi * lens**2))


def microamperes(
    values: Values, geometry: Geometry, tier: str, emitter: str, receiver: str, amperes: float, play: Play = Play()
) -> float:
    """Return what a receiver draws in the light of its emitter, through which that current flows."""
    radiant = values.pick(EMITTER, "intensity_mw_sr", emitter) * amperes / 0.1
    at_receiver = radiant / (air(geometry) / 10) ** 2
    light = at_receiver * values.pick(RECEIVER, "light_ua", receiver)
    return light * passed(values, geometry, tier, play)


def returned(values: Values, geometry: Geometry, distance: float) -> float:
    """Return the light of :func:`_returned` at the worst end of the tray's play."""
    return max(_returned(values, geometry, distance, tray) for tray in tray_plays(geometry) if tray[0] >= 0)


def _returned(values: Values, geometry: Geometry, distance: float, tray: tuple[float, float]) -> float:
    """Return the light that a white card, upright across the beams and so many mm before a side, sends back from its
    low emitter into its rim receiver, in shares of what that receiver gets from an emitter as strong as the low one.

    Scattered light, from all of the card that is lit through the hole in the tray's wall, and what a glossy card
    mirrors when it is tilted as is worst.
    """
    apart = geometry["tiers"]["rim"] - geometry["tiers"]["low"]
    tray_wall = geometry["tower"]["inside"] - geometry["tray"]["inner"] / 2 + _emitter_behind(geometry)
    out, back = distance + _emitter_behind(geometry), distance + geometry["baffle"]["length"]
    beam, eye = _exponent(values, EMITTER), _exponent(values, RECEIVER)
    cell = 2 * _REACH_MM / _CELLS
    scattered = 0.0
    for row in range(_CELLS):
        for column in range(_CELLS):
            y, z = (-_REACH_MM + (it + 0.5) * cell for it in (row, column))
            if not _in_slot(geometry, y * tray_wall / out, z * tray_wall / out, tray):
                continue
            way_out, way_back = sqrt(out**2 + y**2 + z**2), sqrt(back**2 + y**2 + (z - apart) ** 2)
            lit = (out / way_out) ** (beam + 1) / way_out**2
            seen = (back / way_back) ** (eye + 2) / way_back**2
            through = share(geometry, hypot(y, z - apart) / back * geometry["baffle"]["length"])
            scattered += WHITE / pi * lit * seen * through * cell**2
    mirrored = GLOSS * share(geometry, apart / (out + back) * 2 * geometry["baffle"]["length"]) / (out + back) ** 2
    direct = passed(values, geometry, "rim") / air(geometry) ** 2
    return float((DOUBT * scattered + mirrored) / direct)


def most_margin(values: Values, geometry: Geometry) -> float:
    """Return the margin, in percent, above which a rim receiver may take a card for clear: the strongest low emitter,
    the weakest rim emitter, the worst distance."""
    least, _, most = values.model(EMITTER)["intensity_mw_sr"]
    worst = max(returned(values, geometry, distance) for distance in range(40, 141, 10))
    return float(100 * (1 - worst * most / least))


def _in_slot(geometry: Geometry, across: float, up: float, tray: tuple[float, float]) -> bool:
    """Return whether light passes through the slot in the tray's wall, with the tray moved to the side and up."""
    width, height = map(float, geometry["tray"]["slot"])
    return hypot(max(abs(across - tray[0]) - (width - height) / 2, 0.0), up - tray[1]) <= height / 2


def _exponent(values: Values, kind: str) -> float:
    return log(0.5) / log(cos(radians(values.model(kind)["half_angle"])))


def _emitter_behind(geometry: Geometry) -> float:
    """Return the distance of an emitter's tip behind the inner face of its tower, in mm."""
    tower, tiers = geometry["tower"], geometry["tiers"]
    return float(tower["forward"] * geometry["tray"]["sheet"] - (tiers["emitter"] - tiers["rim_of_body"]))


LENS = 5.0
"""mm across, of emitters and receivers."""
