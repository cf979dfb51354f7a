"""What decides for a seat, as people read and type it: the table, a screen, or a bot of a level."""

from __future__ import annotations

from tablier.texts import Text

LEVELS = {
    each.template: each
    for each in (
        Text("random", context="bot"),
        Text("greedy", context="bot"),
        Text("easy", context="bot"),
        Text("good", context="bot"),
        Text("strong", context="bot"),
    )
}
"""The bots that come with the games, by source."""
_SEATS = {each.template: each for each in (Text("table", context="source"), Text("screen", context="source"))}


def source_text(source: str) -> Text | str:
    """Return a source in its reader's language; of a program, its command."""
    return LEVELS.get(source, _SEATS.get(source, source))


__all__ = ["LEVELS", "source_text"]
