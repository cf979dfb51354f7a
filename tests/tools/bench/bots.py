"""Measure the bots' decisions a second, and the longest one, on one core."""

from __future__ import annotations

from collections.abc import Sequence
from time import thread_time
from unittest.mock import patch

from tablier.bots.bots import built_in
from tablier.bots.campaigns import Campaign, play_one
from tablier.games.core import Move
from tablier.games.core.bots import Bot
from tablier.texts import Json

SEATS = {"d21": 2, "dicke-daemonen": 3, "dilemma": 4, "roudalon": 4, "struggle": 3}
OPTIONS: dict[str, Json] = {"d21": {"max_plies": 60}}
"""The decisions that are enough; bots that look one move ahead may make hundreds."""
KINDS = ("random", "easy", "greedy", "good", "strong")
LIMIT_S = 1.0
"""For a decision of any of them."""


class Timed:
    """A bot whose decisions are timed, but for those in which there is nothing to decide."""

    def __init__(self, bot: Bot, taken: list[float]) -> None:
        self._bot = bot
        self._taken = taken

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        begun = thread_time()
        move = self._bot.decide(view, moves, may_pass)
        if len(moves) > 1 or may_pass:
            self._taken.append(thread_time() - begun)
        return move


def times(game: str, kind: str, seed: int = 1) -> list[float]:
    """Return the seconds of each decision in a game of one kind of bot among themselves."""
    taken: list[float] = []
    seats = SEATS[game]
    with patch("tablier.bots.thinking.built_in", lambda *given: Timed(built_in(*given), taken)):
        play_one(Campaign(game, OPTIONS.get(game, {}), (kind,) * seats, tuple("ABCDEF"[:seats]), seed), 1)
    return taken


def main() -> None:
    print("Bots: decisions a second, and the longest one in milliseconds, in a game among themselves")
    print(f"  {'':16}" + "".join(f"{kind:>20}" for kind in KINDS))
    late = []
    for game, seats in SEATS.items():
        cells = []
        for kind in KINDS:
            taken = times(game, kind)
            cells.append(f"{len(taken) / sum(taken):10,.0f} {1000 * max(taken):6.0f} ms")
            late += [f"{game} {kind}"] * (max(taken) > LIMIT_S)
        print(f"  {game:14}{seats:2}" + "".join(f"{cell:>20}" for cell in cells))
    print(f"  target: none takes more than {LIMIT_S:g} s: {'MISSED: ' + ', '.join(late) if late else 'met'}")
