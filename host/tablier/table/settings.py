"""How loud and how bright people have set a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from tablier.texts import Json, Text
from tablier_fw import wire

VOLUMES = (wire.SOFT, wire.LOUD)
"""The least and the greatest volume."""
LIGHTS = (25, 100)
"""The least and the greatest light, in percent: what is dim because it says something is seen at the least, too."""
SINCE = 4
"""The minor version of the wire that brought volume and light."""


@dataclass(frozen=True)
class Settings:
    """What people have set for a table."""

    volume: int = 2
    """Of tunes; kept while the table is mute."""
    mute: bool = False
    light: int = LIGHTS[1]
    """Of all pixels, in percent."""

    @staticmethod
    def read(kept: Mapping[str, int]) -> Settings:
        """Return settings as a log keeps them. What it does not keep, or what cannot be, is as without a setting."""
        volume, light = kept.get("volume", 0), kept.get("light", 0)
        default = Settings()
        return Settings(
            volume if VOLUMES[0] <= volume <= VOLUMES[1] else default.volume,
            bool(kept.get("mute", False)),
            light if LIGHTS[0] <= light <= LIGHTS[1] else default.light,
        )

    def to_json(self) -> Json:
        """Return the settings by name."""
        return asdict(self)

    @property
    def sounds(self) -> int:
        """Return the volume of tunes as the wire carries it; 0 where none is to be played."""
        return 0 if self.mute else self.volume

    @property
    def shines(self) -> int:
        """Return the light of all groups of pixels as the wire carries it."""
        return wire.BRIGHT * self.light // 100


def settings_text(settings: Settings) -> Text:
    """Return what is set, in a few words."""
    args = {"volume": settings.volume, "loudest": VOLUMES[1], "light": settings.light}
    if settings.mute:
        return Text("mute (else volume {volume} of {loudest}), light {light} %", args)
    return Text("volume {volume} of {loudest}, light {light} %", args)


def deaf(version: str, minor: int) -> Text | None:
    """Return why a table cannot be set, with the cure; ``None`` if it can. ``minor``: its version of the wire."""
    if minor >= SINCE:
        return None
    args = {"version": version, "major": wire.MAJOR, "minor": minor, "since": SINCE}
    return Text(
        "The table's firmware ({version}) speaks version {major}.{minor} of the wire, and volume and light are set from"
        " {major}.{since} on: it can only be muted; put newer firmware on the table.",
        args,
    )
