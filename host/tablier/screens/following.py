"""The games of an evening on another screen, as they come."""

from __future__ import annotations

import io
import queue
import threading
from collections.abc import Callable, Sequence
from functools import partial

from tablier import messages
from tablier.keeper.client import Link
from tablier.play.connections import Deliver
from tablier.screens.line import Line
from tablier.screens.phrases import EVENING_OVER, Say
from tablier.screens.summary import LogName
from tablier.texts import Failure, Json, Text


class _Heard:
    """A game of an evening as a follower hears it: a connection by which nothing can be said."""

    def __init__(self) -> None:
        self.on_end: Callable[[], None] = lambda: None
        """Called once the keeper has closed the game."""
        self.ended = False
        self._lock = threading.Lock()
        self._kept: list[messages.Updates | None] = []
        self._deliver: Deliver | None = None

    def hear(self, notice: messages.Notice | None) -> None:
        """Take news of the game, in any thread; ``None`` when the keeper is gone."""
        message = notice if isinstance(notice, messages.Updates) else None
        with self._lock:
            if self._deliver is None:
                self._kept.append(message)
            else:
                self._hand_on(message)

    def watch(self, viewers: Sequence[int | None], deliver: Deliver) -> Callable[[], None]:
        with self._lock:
            self._deliver = deliver
            for message in self._kept:
                self._hand_on(message)
        return lambda: None

    def _hand_on(self, message: messages.Updates | None) -> None:
        assert self._deliver is not None
        if message is not None:
            self._deliver(message)
        else:
            self.ended = True
            self.on_end()

    def reply(self, body: Json) -> None: ...

    def command(self, body: Json) -> None: ...

    def stop(self) -> None: ...


class Lost(Failure):
    """The keeper is gone, and the evening with it until it is resumed."""


def follow(link: Link, evening: int, name: LogName, say: Say) -> int:
    """Show the games of an evening as they come, until it is over or somebody leaves. Return the signal that has ended
    it, or 0. Raise :class:`Lost`."""
    news: queue.SimpleQueue[_Heard | str] = queue.SimpleQueue()
    games: dict[int, _Heard] = {}

    def hear(notice: messages.Notice) -> None:
        if isinstance(notice, messages.Evening):
            if notice.ended:
                news.put("over")
        elif isinstance(notice, messages.Told):
            say(notice.text, flush=True)
        elif not isinstance(notice, messages.OfEvening | messages.Listing):
            if notice.game not in games:
                news.put(games.setdefault(notice.game, _Heard()))
            games[notice.game].hear(notice)

    def lose() -> None:
        for game in games.values():
            game.hear(None)
        news.put("lost")

    link.on_notice, link.on_lost, link.on_silence = hear, lose, partial(say, flush=True)
    link.call("follow", {"evening": evening})
    say(Text("Evening {evening}: its games are shown here as they come.", {"evening": evening}), flush=True)
    while True:
        game = news.get()
        if game == "lost":
            raise Lost("the keeper is gone; 'tablier evening{log}' resumes the evening", log=name.option)
        if isinstance(game, str):
            say(EVENING_OVER.of(evening=evening))
            return 0
        screen = Line([], name, io.StringIO())
        game.on_end = screen.leave
        summary = screen.run(game)
        if screen.ended_by or (summary is None and not game.ended):
            return int(screen.ended_by)


__all__ = ["Lost", "follow"]
