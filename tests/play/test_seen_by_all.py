"""What can be lit at once stays apart for every common kind of eye: by a second sign (an effect, another place), or by
colour and lightness as somebody sees them who lacks one kind of cone.

Vision without long, middle or short cones is simulated by the matrices of Machado, Oliveira and Fernandes, "A
Physiologically-based Model for Simulation of Color Vision Deficiency" (2009), for a severity of 1. They take linear
light, which is what a pixel gives.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import pytest

from tablier.games.core import lights as core
from tablier.games.core.lights import Pixel
from tablier.games.d21 import lights as d21
from tablier.games.daemonen import lights as daemonen
from tablier.games.daemonen.colours import COLOURS
from tablier.games.dilemma import lights as dilemma
from tablier.games.roudalon import lights as roudalon
from tablier.games.struggle import lights as struggle
from tablier.games.struggle.rules import ACE, PAWNS, RED, YELLOW
from tablier_fw import colours, wire

Light = tuple[float, float, float]
APART = 20
"""The least distance in CIELAB (CIE 1976): a glance tells such colours apart, side by side or not."""
EYES: dict[str, tuple[Light, Light, Light]] = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no long cones": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "no middle cones": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "no short cones": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def lit(index: int, effect: int = wire.STEADY, level: int = colours.OPTION_LEVEL) -> Pixel:
    return index, level, effect


def own(look: tuple[int, int, int], effect: int) -> tuple[tuple[int, int, int], int]:
    """Return the looks of the firmware's own colours."""
    return look, effect


Shown = Pixel | tuple[tuple[int, int, int], int]
FACES = [lit(index) for index in colours.FACES[:6]]
_PAWNS = {f"the {pawn}": lit(colours.FACES[n], level=struggle.PAWN_LEVEL) for n, pawn in enumerate(PAWNS)}
_STATES: dict[str, Shown] = {
    "asked": own(colours.ASKED, wire.PULSE),
    "refused": own(colours.REFUSED, wire.BLINK),
    "pending": own(colours.PENDING, wire.BLINK),
    "locked": own(colours.LOCKED, wire.STEADY),
    "taken": own(colours.TAKEN, wire.STEADY),
}
AT_ONCE: dict[str, dict[str, Shown]] = {
    "the faces of dice": dict(zip((*PAWNS, ACE), FACES, strict=True)),
    "the options of a choice": {str(n): lit(index) for n, index in enumerate(core.CHOICE_COLOURS)},
    "the numbers under a hood": {str(n): own(colour, wire.STEADY) for n, colour in enumerate(colours.NUMBERS)},
    "public pixels": {
        **_STATES,
        "seated": core.SEATED,
        "whose turn it is": core.INITIATIVE,
        "a winner": core.WINNER,
    },
    "public pixels of Dilemma": {
        **{f"chosen: {n}": lit(index) for n, index in enumerate(core.CHOICE_COLOURS[:2])},
        "whose turn it is": core.INITIATIVE,
        "seated": core.SEATED,
    },
    "the ring of Dilemma in a window": {"the offer": dilemma.OFFER, "open": dilemma.OPEN, "ending": dilemma.ENDING},
    "cards that have landed": {
        "the offer": dilemma.OFFER,
        **{looks: dilemma.CARDS[looks] for looks in ("flat", "out", "doubt")},
        "asked about": dilemma.ASKED,
        "asked about, in doubt": dilemma.ASKED_IN_DOUBT,
    },
    "lives": {"a life": dilemma.LIFE, "a lost one": dilemma.LOST},
    "the track of Struggle": {**_PAWNS, "no stop": struggle.NO_STOP, "a flash": struggle.FLASH},
    "the spaces of Struggle": {"yellow": struggle.SPACES[YELLOW], "red": struggle.SPACES[RED]},
    "a die of D.21": {
        "from": (*d21.FROM, wire.STEADY),
        "which way": d21.WAY,
        "the last move": (*d21.LAST, wire.STEADY),
    },
    "where a die of D.21 goes": {"from": (*d21.FROM_DIM, wire.STEADY), "to": (*d21.TO, wire.PULSE)},
    "the numerals of Le Roudalon": {sign: (*light, wire.STEADY) for sign, light in roudalon.SIGNS.items()},
    "public pixels of Le Roudalon": {
        "no die": core.SEATED,
        "one die": (*roudalon.ONE_DIE, wire.STEADY),
        "two dice": (*roudalon.TWO_DICE, wire.STEADY),
        "to be asked": roudalon.TO_ASK,
        "a winner": core.WINNER,
    },
    "creatures": {
        **{colour: lit(index) for colour, index in zip(COLOURS, daemonen.DRAWN, strict=True)},
        "back": lit(daemonen.NOTHING),
    },
    "who has predicted what": {
        **{state: _STATES[state] for state in ("asked", "refused", "pending", "taken")},
        **{
            colour: lit(index, wire.CHASE, daemonen.PREDICTED)
            for colour, index in zip(COLOURS, daemonen.DRAWN, strict=True)
        },
        "seated": core.SEATED,
        "whose turn it is": core.INITIATIVE,
    },
    "a field that is counted": {
        **{colour: lit(index, level=daemonen.SPOT) for colour, index in zip(COLOURS, daemonen.DRAWN, strict=True)},
        "goes to nobody": daemonen.NOBODY,
    },
}
"""What can be lit at once where a place does not tell it, by its meaning."""


def light_of(shown: Shown) -> Light:
    """Return what a pixel gives, from 0 to 1."""
    red, green, blue = shown[0] if isinstance(shown[0], tuple) else colours.dim(shown[0], shown[1])
    return red / 255, green / 255, blue / 255


def seen(light: Light, eyes: str, white: float) -> Light:
    """Return how a light looks in CIELAB to somebody for whom ``white`` is the brightest that there is."""
    red, green, blue = (max(0.0, sum(a * b for a, b in zip(row, light, strict=True))) / white for row in EYES[eyes])
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.0888
    root_x, root_y, root_z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * root_y - 16, 500 * (root_x - root_y), 200 * (root_y - root_z)


def alike(group: dict[str, Shown], eyes: str) -> Iterator[str]:
    """Say which meanings look alike."""
    brightest = max(max(light_of(shown)) for shown in group.values())
    for (one, here), (other, there) in combinations(group.items(), 2):
        if here[-1] != there[-1]:
            continue  # another effect
        apart = math.dist(seen(light_of(here), eyes, brightest), seen(light_of(there), eyes, brightest))
        if apart < APART:
            yield f"{one} and {other}: {apart:.0f}"


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("group", AT_ONCE)
def test_no_two_meanings_look_alike(group: str, eyes: str) -> None:
    assert list(alike(AT_ONCE[group], eyes)) == []


def test_the_simulation_is_that_of_the_paper() -> None:
    """White stays white, and red and green that many people confuse come close."""
    for rows in EYES.values():
        assert [sum(row) for row in rows] == pytest.approx([1, 1, 1], abs=2e-6)
    green, yellow = (0.0, 0.6, 0.0), (0.6, 0.48, 0.0)
    for eyes, close in {
        "all cones": False,
        "no long cones": True,
        "no middle cones": True,
        "no short cones": False,
    }.items():
        assert (math.dist(seen(green, eyes, 0.6), seen(yellow, eyes, 0.6)) < APART) == close
