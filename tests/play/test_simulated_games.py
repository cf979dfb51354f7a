"""A game of a campaign is the game that a session conducts from the same seed."""

from __future__ import annotations

import random
from hashlib import sha256
from typing import Any

import pytest

import replies
from tablier.bots.bots import BotError, BotSeat, bot_for
from tablier.bots.campaigns import Campaign, played, seed_of
from tablier.course.seats import Seat
from tablier.course.session import Session
from tablier.games import GAMES, rules_of, script_of
from tablier.games.core import Position
from tablier.texts import Json

SEATS = {"dilemma": 4, "dicke-daemonen": 3, "roudalon": 4, "struggle": 3, "d21": 2}


DIGESTS = {
    "d21": "fd3033cf71781d1e",
    "dicke-daemonen": "26db3c6e4eba4e8f",
    "dilemma": "dabb90d804217631",
    "roudalon": "5ab86f58bd8fb226",
    "struggle": "9d6d1a90f6cf6cd2",
}
"""Of the moves of two games of each campaign, greedy against random bots, as they were when games were simulated by way
of sessions."""


class Ids:
    last = 0

    def question_id(self) -> int:
        self.last += 1
        return self.last

    def salt(self) -> str:
        return "00" * 16


def conducted(campaign: Campaign, number: int) -> Position[Any]:
    """Play a game of a campaign by way of a session: each decision is an entry."""
    seed = seed_of(campaign, number)
    dice = random.Random(seed)
    game, seats = campaign.game, len(campaign.sources)
    sitting = [Seat(name, 0, source) for name, source in zip(campaign.names, campaign.sources, strict=True)]
    session = Session(Position(rules_of(game, seats, campaign.options)), sitting, script_of(game)[0], Ids())
    session.feed("seed", {"seed": f"{seed:064x}"})
    chairs = {
        n: BotSeat(n, bot_for(game, seats, campaign.options, n, source, dice))
        for n, source in enumerate(campaign.sources, 1)
    }

    def take(chair: BotSeat, said: Json | BotError) -> None:
        assert not isinstance(said, BotError)
        session.feed("commitment" if said["event"] == replies.LOCKED else "reply", said)

    session.begin()
    while not session.over:
        if session.open.to_open:
            session.feed("opening", chairs[session.open.to_open[0]].opening(session))
        else:
            chairs[session.open.waiting[0]].ask(session, take)
    return session.position


@pytest.mark.parametrize("game", GAMES)
def test_it_is_what_a_session_conducts(game: str) -> None:
    sources = ("greedy", "random", "random", "random")[: SEATS[game]]
    campaign = Campaign(game, {}, sources, ("A", "B", "C", "D")[: SEATS[game]], 5)
    for number in range(1, 2 if game == "d21" else 4):
        assert played(campaign, number).moves == conducted(campaign, number).moves


@pytest.mark.parametrize("game", GAMES)
def test_the_same_seed_gives_the_same_games_as_ever(game: str) -> None:
    sources = ("greedy", "random", "random", "random")[: SEATS[game]]
    campaign = Campaign(game, {}, sources, ("A", "B", "C", "D")[: SEATS[game]], 52)
    digest = sha256()
    for number in (1, 2):
        digest.update(" ".join(map(str, played(campaign, number).moves)).encode())
    assert digest.hexdigest()[:16] == DIGESTS[game], "rules, bots or chance have changed: say so, and renew the digest"
