"""Those who watch a game, each by a connection: one message a commit for all viewers of a connection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tablier import messages
from tablier.play.views import Heard, News, Snapshot
from tablier.texts import Text

if TYPE_CHECKING:
    from tablier.bots.programs import BotError


Delivered = messages.Updates | messages.Program
"""What a watching connection gets."""


@dataclass(eq=False)
class Watcher:
    """A connection that watches for some viewers."""

    viewers: Sequence[int | None]
    deliver: Callable[[Delivered], None]
    """Gets each message. One that raises is left out from then on."""
    operator: bool = False
    """True for the operator's connection, which is told what a program that failed wrote last."""
    since: Sequence[int] | None = None
    """The number of the last news that each of the viewers knows, in their order; ``None`` for one that begins to
    watch, which is told all."""
    heard: dict[int | None, Heard] = field(default_factory=dict)

    def leave_out(self, viewer: int | None) -> None:
        """Watch no longer for a viewer."""
        self.viewers = tuple(each for each in self.viewers if each != viewer)
        self.heard.pop(viewer, None)


class Audience:
    """All who watch, and the news for them. ``snapshot`` takes one of the game."""

    def __init__(self, snapshot: Callable[[], Snapshot]) -> None:
        self.news = News()
        self._snapshot = snapshot
        self._watchers: list[Watcher] = []

    def note(self, kind: str, text: Text, audience: tuple[int | None, ...] | None = None) -> None:
        """Tell everybody who watches now something of the moment, or only an ``audience``, with the next update."""
        self.news.say(kind, text, audience)

    def add(self, watcher: Watcher) -> None:
        """Let somebody watch from the next update on."""
        known = zip(watcher.viewers, watcher.since or [0] * len(watcher.viewers), strict=True)
        watcher.heard = {viewer: Heard(number, len(self.news.all)) for viewer, number in known}
        self._watchers.append(watcher)

    def welcome(self, watcher: Watcher) -> None:
        """Let somebody watch, and show how things stand at once."""
        self.add(watcher)
        self._publish_to([watcher])

    def remove(self, watcher: Watcher) -> None:
        """Let somebody go who watches, or has gone already."""
        if watcher in self._watchers:
            self._watchers.remove(watcher)

    def publish(self) -> None:
        """Show every viewer what it may see now. A screen that fails is reported to the others and dropped."""
        self._publish_to(tuple(self._watchers))

    def complain(self, seat: int, error: BotError) -> None:
        """Tell the operator, and nobody else, what a program wrote last."""
        game = self._snapshot()
        name = game.session.seats[seat - 1].name
        message = messages.Program(
            game=game.info.id, seat=seat, name=name, why=error.text, lines=list(error.last_lines)
        )
        operators = [each for each in self._watchers if each.operator]
        self._drop([each for each in operators if self._fails(each, message)])

    def _publish_to(self, watchers: Sequence[Watcher]) -> None:
        game = self._snapshot()
        self._drop([watcher for watcher in watchers if self._fails(watcher, self._message(watcher, game))])

    def _message(self, watcher: Watcher, game: Snapshot) -> messages.Updates:
        news = {viewer: self.news.since(viewer, heard) for viewer, heard in watcher.heard.items()}
        updates = [game.update(viewer, news[viewer]) for viewer in watcher.viewers]
        return messages.Updates(game=game.info.id, updates=updates)

    def _fails(self, watcher: Watcher, message: Delivered) -> bool:
        """Return whether a screen failed at a message; if so, tell the others."""
        try:
            watcher.deliver(message)
        except Exception as error:
            text = Text("A screen failed ({why}) and was disconnected from the game.", {"why": repr(error)})
            self.note("screen", text)
            return True
        return False

    def _drop(self, failed: Sequence[Watcher]) -> None:
        for watcher in failed:
            self.remove(watcher)
        if failed:
            self.publish()
