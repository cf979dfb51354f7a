"""States of channels, put together from the pieces that a stream of events brings, as a page does it."""

from __future__ import annotations

import json
from typing import Any


class Assembly:
    """What a page has of one channel."""

    def __init__(self) -> None:
        self._pieces: dict[int, str] = {}

    def take(self, event: Any) -> Any:
        """Return the state that an event says; ``None``: it is gone."""
        if event["anew"]:
            self._pieces.clear()
        self._pieces |= {int(number): piece for number, piece in event["pieces"].items()}
        made = event["made"]
        if made is None:
            return None
        runs = zip(made[::2], made[1::2], strict=True)
        return json.loads("".join(self._pieces[each] for first, count in runs for each in range(first, first + count)))
