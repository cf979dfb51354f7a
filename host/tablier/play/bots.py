"""The bots that sit in a game."""

from __future__ import annotations

import random

from tablier.games import bots_of, rules_of
from tablier.games.core import Json
from tablier.games.core.bots import Bot


def bot_for(game: str, seats: int, options: Json, seat: int, source: str, dice: random.Random) -> Bot:
    """Return the built-in bot that a source names, for a seat of a game. Raise ``OptionError`` as the rules do."""
    return bots_of(game)[source](rules_of(game, seats, options), seat, dice)


def default_bot(game: str) -> str:
    """Return the source of the bot that plays when nobody names one: ``greedy`` where the game has it."""
    return "greedy" if "greedy" in bots_of(game) else "random"
