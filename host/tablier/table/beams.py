"""The beams of an arena: their names, and how much of its light each must be able to do without."""

from __future__ import annotations

from tablier.texts import Text, word_list

MARGIN_LEAST = 25
"""Percent of its light that a beam must be able to do without. Set up by the guide it is 50; emitters lose up to a
fifth over their life and by warmth, and dust takes the rest."""
MARGIN_MOST = 65
"""A beam of the rim tier that is content with less than a third of its light may stay clear behind a card: a white
one sends back a twentieth from the low emitter below, four times that where the emitters differ as their data sheets
allow (``hardware/SIMULATION.md``)."""

_SIDES = word_list("north", "east", "south", "west", context="side")
"""The position of each beam's receiver: beams 1 to 4 of each tier."""


def beam_name(beam: int) -> Text:
    """Return the name of a beam, counted from 0, as the drawings count it."""
    args = {"number": beam % 4 + 1, "side": _SIDES[beam % 4]}
    return Text("beam low {number} ({side})", args) if beam < 4 else Text("beam rim {number} ({side})", args)


__all__ = ["MARGIN_LEAST", "MARGIN_MOST", "beam_name"]
