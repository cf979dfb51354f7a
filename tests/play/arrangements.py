"""Draw arrangements by a seed: places, sources of decisions, sources of dice.

Of ``GAMES`` games in a row each number of seats, each kind of seat and each source comes up, which a test checks.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from tablier.course.chance import Sources
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.games import game_class, rules_of
from tablier.games.core import Position

GAMES = 20
NAMES = ("Anne", "Bernard", "Christine", "Daniel", "Éric", "Françoise")
BOTS = ("greedy", "random")
AWAY: tuple[tuple[str, ...], ...] = ((), ("bot",), (AT_SCREEN,), ("bot", AT_SCREEN))
"""Who is not at the table. At least one person is."""
DICE = ("tally", "roll", "host", "mixed")
BAG = "dicke-daemonen"
"""The game that has a bag and no dice."""


class Arrangement(NamedTuple):
    seats: list[Seat]
    sources: Sources


def arranged(game: str, number: int) -> Arrangement:
    """Return arrangement ``number`` of a game."""
    dice = random.Random(f"{game} {number}")
    counts = game_class(game).seat_counts
    count = counts[number % len(counts)]
    away = AWAY[number // len(counts) % len(AWAY)][: count - 1]
    here = [AT_TABLE] * (count - len(away)) + [dice.choice(BOTS) if it == "bot" else it for it in away]
    dice.shuffle(here)
    places = sorted(dice.sample(range(1, 7), count))
    mind = "greedy" if game == "dilemma" else "random"
    seats = [
        Seat(name, place, source, mind if source == AT_TABLE else "")
        for name, place, source in zip(NAMES, places, here, strict=False)
    ]
    return Arrangement(seats, _sources(game, seats, DICE[(number + number // len(DICE)) % len(DICE)], dice))


def _sources(game: str, seats: list[Seat], kind: str, dice: random.Random) -> Sources:
    """Return sources of a kind, as far as these seats can have them: who is not at the table rolls."""
    if not draws(game, len(seats)):
        return Sources()
    own = []
    for seat in seats:
        source = dice.choice(DICE[:-1]) if kind == "mixed" else kind
        own.append("roll" if source == "tally" and not seat.at_table else source)
    bag = dice.choice(DICE[:-1]) if kind == "mixed" else kind
    by_hand = game == BAG and all(seat.at_table for seat in seats)
    return Sources(() if game == BAG else tuple(own), "roll" if bag == "tally" and not by_hand else bag)


def draws(game: str, seats: int, options: dict[str, Any] | None = None) -> bool:
    """Return whether a game has chance in it."""
    position, dice = Position(rules_of(game, seats, options or {})), random.Random(1)
    while not position.is_over and position.ply < 60:
        if position.rules.chance(position.state):
            return True
        position.push(dice.choice(position.legal_moves))
    return False
