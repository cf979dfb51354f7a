"""A game told line by line, for whoever reads along: no terminal needed, nothing asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tablier.console.common import printable
from tablier.games import game_class
from tablier.games.core import Event, Position, seat_name
from tablier.log import Log
from tablier.log.telling import sentence
from tablier.play.course import Seat
from tablier.play.game import Setting
from tablier.play.screen import Screen
from tablier.play.tableless import Tableless


def final_text(names: Sequence[str], position: Position[Any], head: str, log: str) -> str:
    """What is said of a game at its end, to be kept."""
    rules, state = position.rules, position.state
    scores = rules.scores(state)
    width = max(map(len, names))
    winners = rules.winners(state)
    lines = [
        f"  {printable(name):{width}}  {score:>4}{'  wins' if seat in winners else ''}"
        for seat, (name, score) in enumerate(zip(names, scores, strict=True), 1)
    ]
    return "\n".join(
        [
            f"{rules.title} is over after {position.ply} moves. Final scores:",
            *lines,
            f"Logged in {log}; its head is {head}",
            "See it with 'tablier log show', write its record with 'tablier log export'.",
        ]
    )


def scores_text(names: Sequence[str], position: Position[Any]) -> str:
    """The scores of a game that is over, in one line."""
    scores, winners = position.rules.scores(position.state), position.rules.winners(position.state)
    parts = [
        f"{printable(name)} {score:g}{' (wins)' if seat in winners else ''}"
        for seat, (name, score) in enumerate(zip(names, scores, strict=True), 1)
    ]
    return ", ".join(parts)


class Lines(Screen):
    """Prints what happens. Plays in the thread of its caller."""

    def __init__(self, seats: Sequence[Seat]) -> None:
        self.names = [seat.name for seat in seats]
        self._end: tuple[Position[Any], str] | None = None

    def run(self, setting: Setting, open_log: Callable[[], Log], game_of: Callable[[Log], int]) -> None:
        with open_log() as log:
            game = game_of(log)
            self._begin(log, game)
            setting.play(log, game, self, None)

    def tell(self, game: Tableless) -> None:
        """Plays a game without a table to its end."""
        self._begin(game.log, game.game)
        game.start()
        while game.advance() is not None:
            pass

    def _begin(self, log: Log, game: int) -> None:
        players = ", ".join(f"{name} ({seat_name(seat)})" for seat, name in enumerate(self.names, 1))
        print(f"{game_class(log.game(game).game).title}, game {game}: {printable(players)}.")

    def told(self, events: Sequence[Event], position: Position[Any]) -> None:
        for event in events:
            if event.audience is None:
                print("  " + printable(sentence(event, self.names)), flush=True)

    def noted(self, text: str) -> None:
        print(f"* {text}", flush=True)

    def over(self, position: Position[Any], head: str) -> None:
        self._end = position, head

    def summary(self, log: str) -> str:
        assert self._end is not None
        return final_text(self.names, *self._end, log)
