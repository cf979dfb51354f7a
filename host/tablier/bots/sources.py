"""The names of bots as sources of seats. A screen begins with these alone; what plays is loaded later."""

from __future__ import annotations

from tablier.games import bots_of

COMMAND = "bot:"
"""The prefix of a source that names a program."""
ADVISERS = ("strong", "good", "greedy", "random")
"""The built-in bots that give hints, the best first."""
STAND_IN = "random"
"""The built-in bot that takes over from one that fails."""


def is_bot(game: str, source: str) -> bool:
    """Return whether a source names a bot of a game. Raise ``OptionError``."""
    return source in bots_of(game) or source.startswith(COMMAND)


def default_bot(game: str) -> str:
    """Return the source of the bot that plays when nobody names one: ``greedy`` where the game has it."""
    return "greedy" if "greedy" in bots_of(game) else STAND_IN
