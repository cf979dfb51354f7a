"""Light: how much of it reaches a receiver from its emitter, and how much of another tier's comes back from a card."""

from __future__ import annotations

from math import acos, cos, hypot, log, pi, radians, sqrt
from typing import Any

from hardware.spice.values import Values

Geometry = dict[str, Any]

EMITTER, RECEIVER = "TSAL6100", "BPV10NF"
WHITE = 0.9
"""Share of infrared light that white paper scatters back."""
DOUBT = 2.0
"""How much more may come back than is computed: the emitters' skirts and skewed holes are in no data sheet."""
GLOSS = 0.045
"""Share that a glossy surface mirrors, at a right angle."""
_REACH_MM, _CELLS = 30.0, 60
"""The lit part of the card that is summed up: half its side, and in how many steps a side."""


def air(geometry: Geometry) -> float:
    """Return the mm from an emitter's tip to its receiver's."""
    return float(2 * geometry["tower"]["inside"] + _emitter_behind(geometry) + geometry["baffle"]["length"])


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


def microamperes(values: Values, geometry: Geometry, emitter: str, receiver: str, amperes: float) -> float:
    """Return what a receiver draws in the light of its emitter, through which that current flows."""
    radiant = values.pick(EMITTER, "intensity_mw_sr", emitter) * amperes / 0.1
    at_receiver = radiant / (air(geometry) / 10) ** 2
    return at_receiver * values.pick(RECEIVER, "light_ua", receiver) * share(geometry)


def returned(values: Values, geometry: Geometry, distance: float) -> float:
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
            if hypot(y, z) * tray_wall / out > geometry["tiers"]["hole"] / 2:
                continue
            way_out, way_back = sqrt(out**2 + y**2 + z**2), sqrt(back**2 + y**2 + (z - apart) ** 2)
            lit = (out / way_out) ** (beam + 1) / way_out**2
            seen = (back / way_back) ** (eye + 2) / way_back**2
            through = share(geometry, hypot(y, z - apart) / back * geometry["baffle"]["length"])
            scattered += WHITE / pi * lit * seen * through * cell**2
    mirrored = GLOSS * share(geometry, apart / (out + back) * 2 * geometry["baffle"]["length"]) / (out + back) ** 2
    direct = share(geometry) / air(geometry) ** 2
    return float((DOUBT * scattered + mirrored) / direct)


def most_margin(values: Values, geometry: Geometry) -> float:
    """Return the margin, in percent, above which a rim receiver may take a card for clear: the strongest low emitter,
    the weakest rim emitter, the worst distance."""
    least, _, most = values.model(EMITTER)["intensity_mw_sr"]
    worst = max(returned(values, geometry, distance) for distance in range(40, 141, 10))
    return float(100 * (1 - worst * most / least))


def _exponent(values: Values, kind: str) -> float:
    return log(0.5) / log(cos(radians(values.model(kind)["half_angle"])))


def _emitter_behind(geometry: Geometry) -> float:
    """How far the tip of an emitter is behind the inner face of its tower."""
    tower, tiers = geometry["tower"], geometry["tiers"]
    return float(tower["forward"] * geometry["tray"]["sheet"] - (tiers["emitter"] - tiers["rim_of_body"]))


LENS = 5.0
"""mm across, of emitters and receivers."""
