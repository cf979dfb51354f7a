"""Looking again at finished games for the keeper's clients, beside its loop."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tablier.bots.thinking import Room
from tablier.keeper.peer import Peer
from tablier.keeper.protocol import REFUSED, Again, Refusal, refusal, result
from tablier.log import GameInfo, Log
from tablier.play import again
from tablier.play.hints import Thoughts
from tablier.texts import Json, text_from


class Looking:
    """Has a bot look again at moves of finished games: one request at a time. Of what a connection asks
    for meanwhile the latest is next."""

    def __init__(self, log: Log, room: Room) -> None:
        """``room``: where bots think."""
        self._log = log
        self._thoughts: Thoughts[Peer] = Thoughts(_answer, room)

    def again(self, peer: Peer, id: int, params: Again) -> None:
        """Answer a request when the bot has decided. Raise ``LogError`` for a game that is not there."""
        info = self._log.game(params.game)
        self._thoughts.ask(peer, id, partial(_look, info, self._log.moves(info.id), params.at, params.bot))

    def forget(self, peer: Peer) -> None:
        """Let go of a connection that is closed."""
        self._thoughts.forget(peer)


def _look(info: GameInfo, moves: Sequence[str], at: int, bot: str | None) -> Json:
    return again.look(again.moment_of(info, moves, at), bot).to_json()


def _answer(asker: Peer, n: int, told: Json) -> None:
    if "why" in told:
        asker.answer(refusal(Refusal(REFUSED, text_from(told["why"]), id=n)))
    else:
        asker.answer(result(n, told))
