"""Games that were left unfinished, as a screen resumes or abandons them between games."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from tablier.screens.commands import Mistyped
from tablier.screens.evening_link import EveningLink, is_left
from tablier.screens.orders import number_of
from tablier.screens.phrases import BY_MISTAKE, GAME_LEFT, NOW_ABANDONED, Say
from tablier.texts import Text

_NONE_LEFT = Text("No game was left unfinished.")


class LeftGames:
    """The unfinished games of a log."""

    def __init__(self, evening: EveningLink, say: Say, left: Callable[[], Mapping[int, Text]], option: str) -> None:
        """``left`` returns these games, in words; ``option``: that by which commands find the log."""
        self._evening, self._say = evening, say
        self._left, self._option = left, option

    def find(self, typed: str) -> int:
        """Return the game that is to be resumed: the one that is named, or the only one. Raise :class:`Mistyped`."""
        games = self._evening.listing().games
        elsewhere = {each.game for each in games if not is_left(each) and each.evening != self._evening.number}
        left = {game: about for game, about in self._left().items() if game not in elsewhere}
        if not typed and not left:
            raise Mistyped(_NONE_LEFT)
        number = number_of(typed) if typed else next(iter(left)) if len(left) == 1 else None
        if number is None or (number not in left and number not in elsewhere):
            self._list(left)
            raise Mistyped("Which game? resume and its number.")
        return number

    def abandon(self, typed: str) -> None:
        """Have a game count nowhere: the one that is named, as this cannot be undone. Raise :class:`Mistyped`."""
        number, left = number_of(typed), self._left()
        if number is None or number not in left:
            self._list(left)
            raise Mistyped(Text("Which game? :abandon and its number.") if left else _NONE_LEFT)
        self._evening.call_of_game("abandon", number)
        self._say(NOW_ABANDONED.of(game=number))

    def say_of(self, games: Collection[int]) -> None:
        """Print which of some games are unfinished, and how each is resumed or abandoned."""
        for game, left in self._left().items():
            if game in games:
                about = {"game": GAME_LEFT.of(game=game, about=left), "number": game, "log": self._option}
                self._say(Text("{game}: not over. 'tablier resume {number}{log}' resumes it.", about))
                self._say(BY_MISTAKE.of(game=game, log=self._option))

    def _list(self, left: Mapping[int, Text]) -> None:
        self._say(*(GAME_LEFT.of(game=game, about=about) for game, about in left.items()))


__all__ = ["LeftGames"]
