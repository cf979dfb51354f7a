"""How loud and how bright tables are."""

from __future__ import annotations

from dataclasses import dataclass

from tablier_fw import wire

BRIGHTNESS = {"day": wire.BRIGHT, "evening": 127, "night": wire.DIMMEST}
"""By name: the light of all groups of pixels."""
MUTE = 0
"""The volume at which no tune is played."""


@dataclass(frozen=True)
class Settings:
    """What people have set for their tables."""

    volume: int = 2
    """From 0, which is mute, to 3."""
    brightness: str = "day"
    """A key of :data:`BRIGHTNESS`."""

    @property
    def light(self) -> int:
        """Return the light of all groups of pixels, as the wire carries it."""
        return BRIGHTNESS[self.brightness]
