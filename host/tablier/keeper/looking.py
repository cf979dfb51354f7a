"""Looking again at finished games, for whoever asks the keeper, beside its loop."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tablier.keeper.peer import Peer
from tablier.keeper.protocol import REFUSED, Again, Refusal, refusal, result
from tablier.log import Log
from tablier.play import again
from tablier.play.hints import Thoughts
from tablier.texts import Json, text_from


class Looking:
    """Has a bot look again at moves of finished games: one request at a time, whoever asks, in a thread that reads the
    log itself. Of what a connection asks for meanwhile the latest is next."""

    def __init__(self, log: Path, later: Callable[[Callable[[], None]], None]) -> None:
        """``later`` has something done in the keeper's loop, from any thread."""
        self._log = log
        self._later = later
        self._thoughts: Thoughts[Peer] = Thoughts(self._tell, most=1)

    def again(self, peer: Peer, id: int, params: Again) -> None:
        """Answer a request when the bot has decided."""
        self._thoughts.ask(peer, id, partial(_look, self._log, params))

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
        self._thoughts.next(asker)


def _look(path: Path, params: Again) -> Json:
    with Log.read(path) as log:
        info = log.game(params.game)
        moment = again.moment_of(info, log.moves(info.id), params.at)
    return again.look(moment, params.bot).to_json()


def _answer(peer: Peer, id: int, told: Json) -> None:
    if "why" in told:
        peer.answer(refusal(Refusal(REFUSED, text_from(told["why"]), id=id)))
    else:
        peer.answer(result(id, told))
