"""The words of the pages themselves. What games and the keeper say comes as texts of theirs.

A page gets the words that its script needs in one catalogue, by their keys here; ``say`` of ``pages/words.js`` fills in
the arguments.
"""

from __future__ import annotations

from collections.abc import Mapping

from tablier.texts import Text

COMMON: Mapping[str, Text] = {
    "gone": Text("The keeper is gone. This page waits for it."),
    "lost": Text("The connection is lost. This page tries again."),
    "wins": Text("wins"),
    "board": Text("The board"),
    "waiting": Text("Waiting for {names} …"),
    "thinks": Text("thinks"),
    "is_asked": Text("is asked"),
    "answered": Text("has answered"),
    "to_move": Text("can move"),
    "seconds": Text("{count} s"),
    "and": Text("{some} and {last}"),
    "comma": Text("{some}, {next}"),
}
"""Words that several pages need."""

DISPLAY: Mapping[str, Text] = {
    "nobody": Text("No game is open."),
    "begin": Text("'tablier play' begins one."),
    "game": Text("{title} · game {game} · {ply} moves"),
    "story": Text("What happened"),
    "players": Text("Players"),
    "evening": Text("Evening {evening}"),
    "results": Text("Results"),
    "here": Text("There: {names}"),
    "next": Text("Next: {title}"),
    "read_aloud": Text("Read aloud"),
    "silent": Text("Stop reading"),
    "no_voice": Text("This browser has no voice of its own."),
    "over": Text("The game is over."),
    "series": Text("Series: {standing}"),
    "join": Text("Join with a phone"),
    "other_games": Text("Games"),
}
"""Words of the display."""
