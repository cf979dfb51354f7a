"""Looking back at a game that is over, move by move."""

from __future__ import annotations

from tablier.games import title_of
from tablier.games.core.drawing import Canvas
from tablier.screens.replay import Played, story
from tablier.texts import Json, Text


class Lookback:
    """Where somebody looks at a game that is over."""

    def __init__(self, played: Played) -> None:
        self.played = played
        self.at: int | None = None
        """The number of moves after which the game is shown; ``None`` while its end is."""

    @property
    def possible(self) -> bool:
        """Return whether there is a board to look back at."""
        return self.played.rules is not None and self.played.last > 0

    def begin(self) -> None:
        """Look at the beginning."""
        self.at = 0

    def step(self, moves: int) -> None:
        """Look some moves further on or back; after the last one the end is shown."""
        self.go((self.played.last if self.at is None else self.at) + moves)

    def go(self, at: int) -> None:
        """Look at the game after a number of moves."""
        self.at = max(0, at) if at < self.played.last else None

    def end(self) -> None:
        """Look at the end again."""
        self.at = None

    @property
    def title(self) -> Text:
        """Return which move is looked at."""
        assert self.played.rules is not None
        about = {"title": title_of(self.played.rules.name), "at": self.at, "last": self.played.last}
        return Text("{title} · after move {at} of {last}", about)

    def story(self) -> list[str]:
        """Return what was told until then."""
        return story(self.played.lines, self.at or 0)

    def view(self) -> Json:
        """Return what a spectator saw then."""
        assert self.played.rules is not None and self.at is not None
        return dict(self.played.rules.view(self.played.states[self.at], None))

    def canvas(self, columns: int, lines: int) -> Canvas:
        """Return what the board is drawn on."""
        assert self.at is not None
        return Canvas.of_terminal(columns, lines, last=self.played.lasts[self.at])


__all__ = ["Lookback"]
