"""The players of a game of an evening: all who are there or some of them, and the bots that fill it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from tablier.bots.sources import default_bot
from tablier.games import GAMES, bots_of, game_of, title_of
from tablier.log.fold import bot_called
from tablier.names import free_names
from tablier.screens.attendance import Attendance
from tablier.screens.commands import Mistyped, in_keys, level_of
from tablier.screens.evening_link import EveningLink
from tablier.screens.orders import number_of
from tablier.screens.people import numbered
from tablier.screens.phrases import Say
from tablier.texts import Json, Text, all_of, any_of, counted, source_text


class Players(NamedTuple):
    """The players of a game."""

    game: str
    names: list[str]
    bots: list[Json]
    """The seats of bots that fill it."""


class Asked(NamedTuple):
    """A game that is to begin, once somebody has said who plays it."""

    game: str
    names: list[str]
    """Those who would."""
    bots: int
    """How many bots it would need besides; 0 where these are too many."""


class Lineup:
    """Chooses who plays, and asks where the number of those who are there does not fit."""

    def __init__(self, evening: EveningLink, attendance: Attendance, say: Say, others: Sequence[Json]) -> None:
        """``others``: seats that bots have in every game."""
        self._evening, self._attendance, self._say = evening, attendance, say
        self.others = list(others)
        """The seats that bots have in every game."""
        self._asked: Asked | None = None  # what somebody is asked about
        self._level: str | None = None  # of bots that fill a game, unless somebody is asked

    def choose(self, game: str, names: list[str] | None = None, level: str | None = None) -> Players | None:
        """Return who plays a game, of some of those who are there or of all; ``None`` where that is asked first."""
        names = self._attendance.here if names is None else names
        counts, count = game_of(game).rules.seat_counts, len(names) + len(self.others)
        level = level or self._level
        bots = 0 if count in counts else min((most - count for most in counts if most > count), default=0)
        if count in counts or (bots and level is not None):
            return Players(game, names, self._bots(game, bots, level))
        self._asked = Asked(game, names, bots)
        return None

    def ask(self) -> bool:
        """Ask who plays a game that not all can play who are there; return False where nothing is to be asked."""
        if (asked := self._asked) is None:
            return False
        here = self._attendance.here
        counts = any_of(list(map(str, game_of(asked.game).rules.seat_counts)))
        about = {"game": title_of(asked.game), "counts": counts, "here": numbered(here) or Text("nobody")}
        self._say(Text("{game} is for {counts} players. Here: {here}.", about))
        if asked.bots:
            others = [bot_called(each["name"]) for each in self.others]
            names, levels = all_of([*asked.names, *others]), any_of(list(map(source_text, bots_of(asked.game))))
            one, many = "Enter: {names} and {count} bot play", "Enter: {names} and {count} bots play"
            if others:
                one, many = "Enter: {names} and {count} more bot play", "Enter: {names} and {count} more bots play"
            enter = counted(asked.bots, one, many, names=names)
            if not (asked.names or others):
                enter = counted(asked.bots, "Enter: {count} bot plays", "Enter: {count} bots play")
            about = {"enter": enter, "levels": levels}
            self._say(Text("{enter}. {levels}: bots of that level. Names or numbers: only these people play.", about))
        else:
            self._say(Text("Who plays? Names or numbers, separated by commas; Enter: none of it."))
        return True

    def take_asked(self) -> Asked | None:
        """Return what somebody is asked about, which is not asked again."""
        asked, self._asked = self._asked, None
        return asked

    def answer(self, asked: Asked, line: str) -> Players | None:
        """Return who plays by what was typed where :meth:`ask` has asked; ``None``: nobody, or that is asked again.
        Raise :class:`Mistyped`, after which it is asked again too."""
        if not line:
            return self.choose(asked.game, asked.names, default_bot(asked.game)) if asked.bots else None
        if asked.bots and (level := level_of(line)) in bots_of(asked.game):
            return self.choose(asked.game, asked.names, level)
        self._asked = asked  # unless these are names
        names = self._attendance.find(line)
        self._asked = None
        return self.choose(asked.game, names)

    def set_bots(self, typed: str) -> None:
        """Have bots fill games without asking, or some bots play in every game, or neither."""
        words = typed.split()
        count = number_of(words[0]) if words else None
        level = level_of(" ".join(words[1:] if count is not None else words))
        known = {bot for game in GAMES for bot in bots_of(game)}
        if in_keys(typed, ("off",)) == "off" or count == 0:
            self._level, self.others = None, []
        elif level and level not in known:
            raise Mistyped(":bots {seen}: the forms are ':bots good', ':bots 2 good' and ':bots off'", seen=typed)
        elif count is None:
            self._level = level or ""
        else:
            taken, last = self._attendance.known, self._evening.look().next or next(iter(GAMES))
            source = level or default_bot(last)
            self.others = [{"name": name, "source": source} for name in islice(free_names(taken), min(count, 5))]
        self._say(self._bots_text())

    def _bots_text(self) -> Text:
        if self.others:
            bots = [
                Text("{name} (bot, {level})", {"name": each["name"], "level": source_text(each["source"])})
                for each in self.others
            ]
            return Text("In every game: {names}.", {"names": bots})
        return Text("No bots.") if self._level is None else Text("Bots fill the games.")

    def _bots(self, game: str, count: int, level: str | None) -> list[Json]:
        """Return the seats of some bots, of a level that the game has."""
        taken = [*self._attendance.known, *(each["name"] for each in self.others)]
        source = level if level in bots_of(game) else default_bot(game)
        return [{"name": name, "source": source} for name in islice(free_names(taken), count)]


__all__ = ["Asked", "Lineup", "Players"]
