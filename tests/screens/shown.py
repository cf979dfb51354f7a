"""What a screen shows that runs without a terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from textual.pilot import Pilot


def text(pilot: Pilot[Any]) -> str:
    """Return what the screen shows."""
    console = Console(width=pilot.app.size.width, force_terminal=False, no_color=True)
    with console.capture() as capture:
        console.print(pilot.app.screen._compositor.render_update(full=True))
    return capture.get()


__all__ = ["text"]
