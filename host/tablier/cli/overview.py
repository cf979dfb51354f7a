"""The pages of a screen about its table and its evening, of which the keeper is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tablier.screens.commands import TABLE
from tablier.screens.overview import evening_texts, table_texts
from tablier.table.health import health_texts
from tablier.texts import Failure, Text, text_of

if TYPE_CHECKING:
    from tablier.keeper.client import GameLink


def look_up(game: GameLink, page: str) -> Sequence[Text]:
    """Return the lines of a page of :data:`tablier.screens.commands.LOOKED_UP`, or why there are none."""
    try:
        if page != TABLE:
            return evening_texts(game.link.call("list")["evenings"], game.game)
        told = game.link.call("table", {"game": game.game})
        return table_texts(told, health_texts(told["status"]) if told["status"] else ())
    except (Failure, OSError) as error:
        return [text_of(error)]


__all__ = ["look_up"]
