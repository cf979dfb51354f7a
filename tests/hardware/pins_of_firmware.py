"""The pins that the firmware names."""

from __future__ import annotations

from typing import Any

NO_SIGNALS = ("OUT", "ANALOGUE", "PATTERN", "STARTER_BUTTONS")
"""Names in the firmware's module of pins that are not pins."""


def firmware_pins(module: Any) -> dict[str, int]:
    """Return the GPIOs of the firmware's module of pins, by signal."""
    return {name.lower(): it for name, it in vars(module).items() if name.isupper() and name not in NO_SIGNALS}
