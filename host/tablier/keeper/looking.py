"""Looking again at finished games, for whoever asks the keeper, beside its loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from tablier.keeper.peer import Peer
from tablier.keeper.protocol import REFUSED, Again, Refusal, refusal, result
from tablier.log import GameInfo, Log
from tablier.play import again
from tablier.play.hints import Thoughts
from tablier.texts import Json, text_from


class Looking:
    """Has a bot look again at moves of finished games: one request at a time, whoever asks, in a thread of its own. Of
    what a connection asks for meanwhile the latest is next."""

    def __init__(self, log: Log, later: Callable[[Callable[[], None]], None]) -> None:
        """``later`` has something done in the keeper's loop, from any thread."""
        self._log = log
        self._later = later
        self._thoughts: Thoughts[Peer] = Thoughts(self._tell)

    def again(self, peer: Peer, id: int, params: Again) -> None:
        """Answer a request when the bot has decided. Raise ``LogError`` for a game that is not there."""
        info = self._log.game(params.game)
        self._thoughts.ask(peer, id, partial(_look, info, self._log.moves(info.id), params))

    def forget(self, peer: Peer) -> None:
        """Let go of a connection that is closed."""
        self._thoughts.forget(peer)

    def _tell(self, asker: Peer, n: int, told: Json, *, thought: bool) -> None:
        if thought:
            self._later(partial(self._end, asker, n, told))
        else:
            _answer(asker, n, told)

    def _end(self, asker: Peer, n: int, told: Json) -> None:
        _answer(asker, n, told)
        self._thoughts.next()


def _look(info: GameInfo, moves: Sequence[str], params: Again) -> Json:
    return again.look(again.moment_of(info, moves, params.at), params.bot).to_json()


def _answer(peer: Peer, id: int, told: Json) -> None:
    if "why" in told:
        peer.answer(refusal(Refusal(REFUSED, text_from(told["why"]), id=id)))
    else:
        peer.answer(result(id, told))
