"""Games a second of a simulation, beside the engine alone with the same bots: rules, views, decisions and chance."""

from __future__ import annotations

import random
from statistics import median
from time import process_time
from typing import Any

from tablier.bots.bots import bot_for
from tablier.bots.campaigns import Campaign, played, seed_of
from tablier.course.chance import SEED_BYTES, HostSeed
from tablier.games import rules_of
from tablier.games.core import TABLE, Move, Position

from . import verdict

RUNS = 5
SEATS = {"dilemma": 4, "roudalon": 4, "dicke-daemonen": 3, "struggle": 3, "d21": 2}
GAMES = {"d21": 6}
"""Games a run; of the others more."""
LEAST = 0.3
"""Of the engine's moves a second."""


def engine(campaign: Campaign, number: int) -> Position[Any]:
    """Play a game without a script: where several seats can move, the first of them does."""
    seed, seats = seed_of(campaign, number), len(campaign.sources)
    dice, chance = random.Random(seed), HostSeed(seed.to_bytes(SEED_BYTES, "big"))
    rules = rules_of(campaign.game, seats, campaign.options)
    position = Position(rules)
    bots: dict[int, Any] = {
        seat: bot_for(campaign.game, seats, campaign.options, seat, source, dice)
        for seat, source in enumerate(campaign.sources, 1)
    }
    while due := position.to_move:
        if due == (TABLE,):
            move: Move = chance.draw(position)
        else:
            legal = [each for each in position.legal_moves if each.actor == due[0]]
            attempts = tuple(dict.fromkeys(map(rules.attempt, legal)))
            view = rules.view(position.state, due[0])
            decided = bots[due[0]].decide(view, attempts, TABLE in due)
            if decided is None:
                move = next(each for each in position.legal_moves if each.actor == TABLE)
            else:
                move = chance.complete(position, decided)
        position.push_unchecked(move)
    return position


def main() -> None:
    print(f"Simulated games a second of processor, and moves beside the engine with the same bots, medians of {RUNS}")
    for game, seats in SEATS.items():
        campaign = Campaign(game, {}, ("random",) * seats, tuple("ABCD"[:seats]), 1)
        count = GAMES.get(game, 40)
        ratios, speeds = [], []
        for _ in range(RUNS):
            begun = process_time()
            alone = sum(engine(campaign, number).ply for number in range(1, count + 1))
            between = process_time()
            moves = sum(played(campaign, number).ply for number in range(1, count + 1))
            ended = process_time()
            ratios.append(moves / (ended - between) / (alone / (between - begun)))
            speeds.append(count / (ended - between))
        ratio = median(ratios)
        print(f"  {game:15}{seats:2} {median(speeds):8.0f} {ratio:6.2f} (target {LEAST}: {verdict(ratio >= LEAST)})")
