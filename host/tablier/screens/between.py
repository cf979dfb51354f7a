"""The screen of an evening: its games one after the other, and what is typed between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

from msgspec import convert

from tablier.games import GAMES, game_called
from tablier.keeper.client import KeeperGone, Link
from tablier.messages import Evening, Listing, NewSeries, Opened
from tablier.names import same_name
from tablier.printable import is_printable
from tablier.screens.commands import EVENING, LINE_MAX, TOO_LONG, Command, Mistyped, find_command, read_bare, unknown
from tablier.screens.lines import News, Typed
from tablier.screens.overview import result_texts, series_state
from tablier.screens.phrases import EVENING_OVER
from tablier.texts import Failure, Json, Text

Say = Callable[..., None]
"""Prints texts, each on lines of its own."""

_SERIES = re.compile(r"first to ([1-9][0-9]?)|([1-9][0-9]?) games?")
_ASK_WHO = Text("Who is there? NAME or NAME@PLACE, separated by spaces or commas:")
_HELP_WHO = (
    Text("Type the names of those who play, separated by spaces or commas; NAME@2 sits at place 2 of the table."),
    Text("Enter alone: nobody yet, :come NAME adds people later. quit: leave."),
)
_HELP = Text("The name of a game plays it; Enter plays another one with the same people.")


def read_person(text: str) -> Json:
    """Return somebody of an evening, typed as ``NAME`` or ``NAME@PLACE``. Raise :class:`Mistyped`."""
    name, at, place = text.partition("@")
    if not name.strip() or (at and place not in tuple("123456")):
        raise Mistyped("{seen}: the form is NAME or NAME@PLACE; places are 1 to 6", seen=repr(text))
    return {"name": name.strip(), "place": int(place or 0)}


def read_series(text: str) -> tuple[Json, list[str]] | None:
    """Return how the games of a series are counted, and what is typed after that; ``None`` for any other text."""
    found = _SERIES.match(text)
    if found is None:
        return None
    return {"wins": int(found[1] or 0), "count": int(found[2] or 0)}, text[found.end() :].split()


def ask_who(known: Sequence[Json], read: Callable[[], str], say: Say) -> list[Json] | None:
    """Ask who is there, until that can be read; offer those whom the log knows, with the places they like. Return
    ``None`` if somebody leaves instead."""
    if known:
        say(Text("Known: {names}.", {"names": [_placed(each["name"], each["place"]) for each in known]}))
    taken = {same_name(each["name"]) for each in known}
    while True:
        say(_ASK_WHO, flush=True)
        line = read()
        command = _command(line, taken)
        if command is not None and command.name == ":quit":
            return None
        try:
            _check_typed(line.rstrip("\n"))
            if command is None and not line.lstrip().startswith(":"):
                return [read_person(text) for text in line.replace(",", " ").split()]
            say(*_HELP_WHO)
        except Mistyped as error:
            say(error.text)


class Between:
    """An evening at this screen."""

    def __init__(
        self,
        number: int,
        link: Link,
        again: Callable[[], Link],
        typed: Typed,
        show: Callable[[Link, Opened, bool], tuple[Link, bool, bool]],
        say: Say,
        *,
        others: Sequence[Json] = (),
    ) -> None:
        """``again`` returns a connection to another keeper, where this one has died. ``show`` shows a game until its
        screen is left, with a card first where nobody has read it here; it returns the connection to the keeper that
        has the game then, whether it was played to its end, and whether somebody wants another one. ``others``: seats
        that bots have in every game."""
        self.number, self.link = number, link
        self._again, self._typed, self._show_game, self._say, self._others = again, typed, show, say, list(others)
        self._told: Evening | None = None
        self._shown = 0
        self._explained: set[str] = set()  # the games whose card was read here
        self._why: Text | None = None  # what was said last of a game that could not begin
        self._adopt(link)

    def _listen(self) -> None:
        """Have what the keeper says between games come between what is typed."""
        self.link.on_notice, self.link.on_silence = self._typed.tell, self._typed.tell_silence

    def _adopt(self, link: Link) -> None:
        """Follow the evening by a connection, the first one or that to another keeper."""
        self.link = link
        self._listen()
        link.call("follow", {"evening": self.number, "games": False})

    def _call(self, method: str, **params: Any) -> Json:
        """Return an answer of the keeper; of a new one where it has died."""
        if method not in ("list", "resume"):
            params = {"evening": self.number, **params}
        try:
            return self.link.call(method, params)
        except KeeperGone:
            self._adopt(self._again())
            return self.link.call(method, params)

    def look(self) -> Evening:
        """Return how the evening stands."""
        for told in convert(self._call("list"), Listing).evenings:
            if told.evening == self.number:
                self._told = told
        assert self._told is not None
        return self._told

    def catch_up(self) -> None:
        """Resume the game that is open, or was when its keeper ended."""
        games = self.look().games
        if games and not games[-1].result:
            self._resume(games[-1].game)

    def play_all(self, games: Sequence[str]) -> None:
        """Play these games."""
        for game in games:
            if not self._play(game):
                return

    def play_series(self, games: Sequence[str], counted: Json) -> None:
        """Play a series to its end."""
        self._call("series", games=list(games), **counted)
        while not self.look().series[-1].over:
            if not self._play(None):
                return

    def _play(self, game: str | None) -> bool:
        """Play a game; return whether it was played to its end."""
        people = self.look().here
        practice = len(people) == 1 and not any(each.get("source") == "screen" for each in self._others)
        more = {} if game is None else {"game": game}
        return self._show(self._call("next", others=self._others, practice=practice, **more))

    def _resume(self, game: int) -> None:
        self._show(self._call("resume", game=game))

    def _show(self, answer: Json) -> bool:
        opened = convert(answer, Opened)
        self._shown = opened.game
        name = self.look().games[-1].rules
        new = name not in self._explained
        self._explained.add(name)
        link, ended, another = self._show_game(self.link, opened, new)
        if link is not self.link:  # its keeper has died, and another has the game
            self._adopt(link)
        self._listen()  # the game has listened
        self.results()
        return self._show(self._call("another")) if another else ended

    def results(self) -> None:
        """Print what was played, and how series stand."""
        self._say(*result_texts(self.look()))

    def end(self) -> None:
        """End the evening."""
        self._call("close")
        self._say(EVENING_OVER.of(evening=self.number))

    def converse(self, read: Callable[[], tuple[str | None, News | None]]) -> bool:
        """Take what is typed between games, until the evening is ended or left; return whether it was ended.

        ``read`` waits for a line, or for news of the evening.
        """
        self._prompt()
        while True:
            line, told = read()
            if told is not None:
                if not self._take_news(told):
                    continue
            elif line is None:
                return False
            else:
                try:
                    done = self._obey(line.strip())
                except Failure as error:
                    self._say(error.text)
                else:
                    if done is not None:
                        return done
            self._prompt()

    def _take_news(self, told: News) -> bool:
        """Take news; return whether something was printed."""
        if isinstance(told, Text):
            self._say(told)
            return True
        new = told.why if told.why != self._why else None
        self._why = told.why
        if told.game is not None and told.game > self._shown:  # somebody has pressed at the table
            self._resume(told.game)
            return True
        if new is not None:
            self._say(new)
        return new is not None

    def _prompt(self) -> None:
        told = self.look()
        if here := [_placed(each.name, each.place) for each in told.here]:
            self._say(Text("Evening {evening}. Here: {here}.", {"evening": self.number, "here": here}))
        else:
            self._help()
        again = Text("Which game? Enter plays {game}; :help names the commands.", {"game": told.next})
        self._say(again if told.next else Text("Which game? :help names the commands."), flush=True)

    def _help(self) -> None:
        commands = (Text("{command}: {does}", {"command": each.name, "does": each.does}) for each in EVENING)
        self._say(_HELP, *commands)

    def _obey(self, line: str) -> bool | None:
        """Do what was typed. Return whether that ended the evening, ``None`` while it continues here."""
        command = _command(line, GAMES)
        if command is not None and command.name == ":quit":
            return False
        _check_typed(line)
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if command is not None:
            self._do(command.name, rest)
            return True if command.name == ":end" else None
        if word.startswith(":"):
            raise Mistyped(unknown(word, EVENING))
        if not line:
            self._show(self._call("another"))
        else:
            self._play(game_called(rest if rest and word.casefold() == "play" else line))
        return None

    def _do(self, command: str, rest: str) -> None:
        if command == ":end":
            self.end()
        elif command == ":come":
            self._call("come", **read_person(rest))
        elif command == ":go":
            self._call("go", name=rest)
        elif command == ":series":
            self._begin_series(rest)
        elif command == ":results":
            self.results()
        elif command == ":help":
            self._help()
        elif command == ":back":
            raise Mistyped("Between games there is nothing to take back; quit leaves.")

    def _begin_series(self, form: str) -> None:
        found = read_series(form)
        if found is None:
            raise Mistyped(":series {seen}: the forms are 'first to 3 GAME …' and '5 games GAME …'", seen=form)
        counted, rest = found
        games = list(map(game_called, rest)) or [self.look().next or "dilemma"]
        begun = convert(self._call("series", games=games, **counted), NewSeries)
        self._say(*(series_state(each) for each in self.look().series if each.series == begun.ended))
        self._say(Text("Series {series} begins.", {"series": begun.series}))


def _command(line: str, taken: Collection[str]) -> Command | None:
    """Return the command that a line begins with, unless the line is one of the names that are taken."""
    line = line.strip()
    word, _, rest = line.partition(" ")
    if word.startswith(":"):
        return find_command(word, EVENING)
    bare = "" if rest or same_name(line) in taken else read_bare(word, EVENING)
    return find_command(bare, EVENING)


def _check_typed(line: str) -> None:
    """Raise :class:`Mistyped` for a line that is too long, and where keys were pressed that a line does not know, such
    as arrows."""
    if len(line) > LINE_MAX:
        raise Mistyped(TOO_LONG)
    if not is_printable(line):
        raise Mistyped("Keys such as arrows cannot be used here: type a line, and Enter.")


def _placed(name: str, place: int) -> str:
    return f"{name}@{place}" if place else name


__all__ = ["Between", "Say", "ask_who", "read_person", "read_series"]
