"""The screen of an evening: its games one after the other, and what is typed between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from msgspec import convert, structs

from tablier import messages
from tablier.bots.sources import default_bot
from tablier.course.seats import AT_SCREEN, AT_TABLE
from tablier.games import GAMES, bots_of, game_called, game_of, title_of
from tablier.games.core import OptionError
from tablier.keeper.client import KeeperError, KeeperGone, Link
from tablier.log.fold import bot_called
from tablier.messages import Entry, Evening, GameOpen, Listing, NewSeries, Opened
from tablier.names import bare_name, free_names, same_name
from tablier.printable import is_printable
from tablier.screens.commands import (
    EVENING,
    LINE_MAX,
    TOO_LONG,
    WORDS,
    Command,
    Mistyped,
    find_command,
    find_spelled,
    in_keys,
    level_of,
    plain,
    read_bare,
    unknown,
)
from tablier.screens.lines import News, Typed
from tablier.screens.names import seats_meant
from tablier.screens.orders import number_of
from tablier.screens.people import People, Someone, numbered
from tablier.screens.phrases import ABANDONED, BY_MISTAKE, EVENING_OVER, GAME_LEFT, NOT_PLAYED, RUNS
from tablier.screens.room import Room
from tablier.screens.status_pages import about_open, result_texts, series_state
from tablier.texts import Failure, Json, Text, all_of, any_of, counted, source_text, suggest

Say = Callable[..., None]
"""Prints texts, each on lines of its own."""

_SERIES = re.compile(r"first to ([1-9][0-9]?)|([1-9][0-9]?) games?")
_WITH = r"(?P<game>.+?)\s+(?:with|{word})\s+(?P<names>\S.*)"
_NAMED = (":come", ":go", ":rename", ":organiser")
"""The commands that names follow."""
_NOBODY, _AGAIN, _SAME, _NEW = "nobody", "again", "same", "new"
_WHO = Text("Who plays at this screen or at a table? Phones come in by themselves.")
_HELP_WHO = (
    Text(
        "Type names, separated by commas, or the numbers of those who are known. NAME@2 sits at place 2 of the table."
    ),
    Text("Enter, nobody: :come NAME adds people later. quit: leave."),
)
_HELP = Text(
    "The name of a game plays it; GAME with NAME, NAME: only they play. Enter plays another one with the same people."
)


def read_series(text: str) -> tuple[Json, list[str]] | None:
    """Return how the games of a series are counted, and what is typed after that; ``None`` for any other text."""
    text = in_keys(text, ("first", "to", "game", "games"))
    found = _SERIES.match(text)
    if found is None:
        return None
    return {"wins": int(found[1] or 0), "count": int(found[2] or 0)}, text[found.end() :].split()


class _Asking:
    """A question that is asked until somebody answers it. After a slip it is not asked at once: what is wrong stands
    last, and Enter asks again. So Enter does nothing that nobody has read."""

    def __init__(self, ask: Callable[[], object], read: Callable[[], str | None], say: Say) -> None:
        self._ask, self._read, self._say = ask, read, say
        self._slipped = False

    def line(self) -> str | None:
        """Return a line that was typed; ``None`` at the end of input."""
        while True:
            if not self._slipped:
                self._ask()
            slipped, self._slipped = self._slipped, False
            line = self._read()
            if line is None or line.strip() or not slipped:
                return line

    def slip(self, why: Text) -> None:
        """Say what was wrong with the line."""
        self._say(why, flush=True)
        self._slipped = True


def ask_who(
    people: People, last: Sequence[Someone], read: Callable[[], str | None], say: Say
) -> Sequence[Someone] | None:
    """Ask who plays without a phone, until that can be read. ``people``: those whom the log knows; ``last``: those of
    the last time. Return ``None`` if somebody leaves instead."""
    taken = set(map(same_name, people.names))
    if people.names:
        say(Text("Known: {names}.", {"names": people.numbered}))
    asks = [_WHO, Text("Names, separated by commas, or numbers. Enter: nobody.")]
    if last:
        asks += [Text("same: as last time ({names}).", {"names": [each.placed for each in last]})]
    asking = _Asking(lambda: say(*asks, flush=True), read, say)
    while True:
        if (line := asking.line()) is None:
            return None
        if _leaves(line, taken):
            return None
        try:
            _check_typed(line)
            if not line.strip():
                return []
            if (word := plain(line)) in (_NOBODY, _SAME) and not people.is_known(line):
                return last if word == _SAME else []
            if _command(line, taken) is None and not line.lstrip().startswith(":"):
                return people.read_all(line)
            say(*_HELP_WHO)
        except Mistyped as error:
            asking.slip(error.text)


def ask_which(evenings: Sequence[Evening], read: Callable[[], str | None], say: Say) -> int | None:
    """Ask whether one of the evenings that were left is to be resumed; return its number, 0 for another evening, and
    ``None`` if somebody leaves instead."""
    for each in evenings:
        say(Text("Evening {evening} is open: {about}.", {"evening": each.evening, "about": about_open(each)}))
    last = evenings[-1].evening
    resumes = Text("Enter resumes evening {evening}; new begins another one.", {"evening": last})
    asking = _Asking(lambda: say(resumes, flush=True), read, say)
    while True:
        if (line := asking.line()) is None:
            return None
        typed = plain(line).casefold()
        if _leaves(line, ()):
            return None
        if typed in ("", "new"):
            return 0 if typed else last
        if typed in {str(each.evening) for each in evenings}:
            return int(typed)
        asking.slip(Text("Type the number of an evening, new, or quit."))


def ask_here(free: Sequence[Someone], read: Callable[[], str | None], say: Say) -> Sequence[Someone] | None:
    """Ask who is at this terminal, of those whom no device has come in as. Return ``None`` if somebody leaves
    instead."""
    people = People(free)
    taken = set(map(same_name, people.names))
    asks = [
        _WHO,
        Text("Enter: {names}. Or names or numbers; nobody.", {"names": people.numbered}),
    ]
    asking = _Asking(lambda: say(*asks, flush=True), read, say)
    while True:
        if (line := asking.line()) is None:
            return None
        if _leaves(line, taken):
            return None
        try:
            _check_typed(line)
            if not line.strip():
                return free
            return [] if plain(line) == _NOBODY else people.read_all(line)
        except Mistyped as error:
            asking.slip(error.text)


class _Players(NamedTuple):
    """A game that is to begin, once somebody has said who plays it."""

    game: str
    names: list[str]
    """Those who would."""
    bots: int
    """How many bots it would need besides; 0 where these are too many."""


Show = Callable[[Link, Opened, bool, bool], tuple[Link, bool, bool]]
"""Shows a game until its screen is left, by a connection; with a card first where nobody has read it here; the game
stops then, or does not. Returns the connection to the keeper that has the game then, whether it was played to its end,
and whether somebody wants another one."""


class Between:
    """An evening at this screen."""

    def __init__(
        self,
        room: Room,
        link: Link,
        again: Callable[[], Link],
        kept: Callable[[], bool],
        typed: Typed,
        show: Show,
        say: Say,
        *,
        people: People,
        left: Callable[[], Mapping[int, Text]],
        invite: Callable[[Room, bool], None],
        show_code: Callable[[str], object],
        host: Callable[[], None],
        option: str = "",
        others: Sequence[Json] = (),
    ) -> None:
        """``again`` returns a connection to another keeper, where this one has died; ``kept``: whether there is one, or
        would be but for its death. ``people``: those
        whom the log knows. ``left`` returns the unfinished games of the log, in words; ``invite`` shows how others come
        in, phones of this network too if that is wished; ``show_code`` shows an address as a QR code where there is
        room for it beside a question; ``host`` opens the organiser's page; ``option``: that by which commands find
        the log. ``others``: seats that bots have in every game."""
        self.number, self.link, self.is_open = room.evening, link, True
        self._room = room
        self._again, self._typed, self._show_game, self._say, self._others = again, typed, show, say, list(others)
        self._kept, self._lost = kept, False
        self._people, self._left, self._host = people, left, host
        self._invite, self._show_code, self._option = invite, show_code, option
        self._going: set[str] = set()  # whom :go has shown out from here
        self._called: dict[str, str] = {}  # the names of those who were here, by person
        self._level: str | None = None  # of bots that fill a game, unless somebody is asked
        self._players: _Players | None = None  # what somebody is asked about
        self._told: Evening | None = None
        self._shown = 0
        self._explained: set[str] = set()  # the games whose card was read here
        self._why: Text | None = None  # what was said last of a game that could not begin
        self._asked: set[int] = set()  # the wishes of which somebody here knows
        self._stands: list[Text] = []  # who is here and how others come in, as was said last since a game
        self._organised = False  # somebody here has read how others run the evening, or does so
        self._running: int | None = None  # the game that others play on, as was said last
        self._adopt(link)

    def _listen(self) -> None:
        """Have what the keeper says between games come between what is typed."""
        self._room.listen(self.link)
        self._room.hear, self.link.on_silence = self._hear, self._typed.say
        self.link.on_lost = self._lose

    def _hear(self, notice: messages.Notice) -> None:
        if isinstance(notice, messages.Told):
            self._typed.say(notice.text)
        elif isinstance(notice, messages.Taken) and notice.person:
            if notice.person not in self._going:  # who was shown out from here reads that somebody has gone
                self._typed.say(notice.why)
        else:
            self._typed.tell(notice)

    def _lose(self) -> None:
        self._lost = True
        self._typed.say(Text("The connection to the keeper has ended."))

    def _adopt(self, link: Link) -> None:
        """Follow the evening by a connection, the first one or that to another keeper."""
        self.link = link
        self._listen()
        self._room.attend(link)

    def _call(self, method: str, **params: Any) -> Json:
        """Return an answer of the keeper; of a new one where it has died."""
        if method not in ("list", "resume", "abandon"):
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

    def _play(self, game: str | None, names: Sequence[str] | None = None, bots: Sequence[Json] = ()) -> bool:
        """Play a game, with some of those who are there or with all; return whether it was played to its end."""
        here = self.look().here
        others = [*self._others, *bots]
        count = len(here) if names is None else len(names)
        practice = count == 1 and not any(each.get("source") == "screen" for each in others)
        more: Json = {} if game is None else {"game": game}
        if names is not None:
            more["only"] = list(names)
        return self._show(self._call("next", others=others, practice=practice, **more))

    def _resume(self, game: int) -> None:
        """Resume a game, or show it here, too. One of another evening that is played there is not to be stopped here:
        raise :class:`Mistyped`."""
        found = next((each for each in convert(self._call("list"), Listing).games if each.game == game), None)
        played = found is not None and not is_left(found)
        if found is not None and played and found.evening != self.number:
            raise Mistyped(RUNS.of(game=game))
        self._show(self._call("resume", game=game), stops=not played)

    def _resume_left(self, typed: str) -> None:
        """Resume a game that was left: the one that is named, or the only one."""
        open = convert(self._call("list"), Listing).games
        running = {each.game for each in open if not is_left(each) and each.evening != self.number}
        left = {game: about for game, about in self._left().items() if game not in running}
        if not typed and not left:
            raise Mistyped("No game was left unfinished.")
        number = number_of(typed) if typed else next(iter(left)) if len(left) == 1 else None
        if number is None or (number not in left and number not in running):
            self._say(*(GAME_LEFT.of(game=game, about=about) for game, about in left.items()))
            raise Mistyped("Which game? resume and its number.")
        self._resume(number)

    def _abandon(self, typed: str) -> None:
        """Have a game that is not over count nowhere: the one that is named, as this cannot be undone."""
        number, left = number_of(typed), self._left()
        if number is None or number not in left:
            self._say(*(GAME_LEFT.of(game=game, about=about) for game, about in left.items()))
            raise Mistyped("Which game? :abandon and its number." if left else "No game was left unfinished.")
        self._call("abandon", game=number)
        self._say(ABANDONED.of(game=number))

    # -- who plays ---------------------------------------------------------------------------------------------------

    def _begin(self, game: str, names: list[str] | None = None, level: str | None = None) -> None:
        """Play a game with some of those who are there, or with all; ask who plays where the number does not fit."""
        here = [each.name for each in self.look().here]
        names = here if names is None else names
        counts, count = game_of(game).rules.seat_counts, len(names) + len(self._others)
        level = level or self._level
        bots = 0 if count in counts else min((most - count for most in counts if most > count), default=0)
        if count in counts or (bots and level is not None):
            self._play(game, names, self._bots(game, bots, level))
        else:
            self._players = _Players(game, names, bots)

    def _bots(self, game: str, count: int, level: str | None) -> list[Json]:
        """Return the seats of some bots, of a level that the game has."""
        taken = [*self._people.names, *(each["name"] for each in self._others)]
        source = level if level in bots_of(game) else default_bot(game)
        return [{"name": name, "source": source} for name in islice(free_names(taken), count)]

    def _ask_players(self, asked: _Players) -> None:
        """Ask who plays a game that not all can play who are there."""
        here = [each.name for each in self.look().here]
        counts = any_of(list(map(str, game_of(asked.game).rules.seat_counts)))
        about = {"game": title_of(asked.game), "counts": counts, "here": numbered(here) or Text("nobody")}
        self._say(Text("{game} is for {counts} players. Here: {here}.", about))
        if asked.bots:
            others = [bot_called(each["name"]) for each in self._others]
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

    def _answer_players(self, asked: _Players, line: str) -> None:
        """Take what was typed where :meth:`_ask_players` has asked."""
        if not line:
            if asked.bots:
                self._begin(asked.game, asked.names, default_bot(asked.game))
        elif asked.bots and (level := level_of(line)) in bots_of(asked.game):
            self._begin(asked.game, asked.names, level)
        else:
            self._players = asked  # unless these are names
            names = self._names_here(line)
            self._players = None
            self._begin(asked.game, names)

    def _names_here(self, line: str) -> list[str]:
        """Return the names of people who are there, typed by name, by its beginning or by number. Raise
        :class:`Mistyped`."""
        here = [each.name for each in self.look().here]
        found: list[str] = []
        for typed in filter(None, map(str.strip, line.split(","))):
            words = typed.split() if typed.replace(" ", "").isdigit() else [typed]
            found += [self._name_here(word, here) for word in words]
        return list(dict.fromkeys(found))

    def _name_here(self, typed: str, here: Sequence[str]) -> str:
        number = number_of(typed)
        fits = seats_meant(typed, here, range(1, len(here) + 1)) or ([number] if number else [])
        if not fits and (bare := bare_name(typed)):  # without its accents
            fits = [at for at, name in enumerate(here, 1) if bare_name(name).startswith(bare)]
        if len(fits) != 1 or fits[0] > len(here):
            absent = Text(
                "{name} is not here; here: {here}", {"name": repr(typed), "here": list(here) or Text("nobody")}
            )
            raise Mistyped(suggest(absent, typed, here))
        return here[fits[0] - 1]

    def _set_bots(self, typed: str) -> None:
        """Have bots fill games without asking, or some bots play in every game, or neither."""
        words = typed.split()
        count = number_of(words[0]) if words else None
        level = level_of(" ".join(words[1:] if count is not None else words))
        known = {bot for game in GAMES for bot in bots_of(game)}
        if in_keys(typed, ("off",)) == "off" or count == 0:
            self._level, self._others = None, []
        elif level and level not in known:
            raise Mistyped(":bots {seen}: the forms are ':bots good', ':bots 2 good' and ':bots off'", seen=typed)
        elif count is None:
            self._level = level or ""
        else:
            taken, last = self._people.names, self.look().next or next(iter(GAMES))
            source = level or default_bot(last)
            self._others = [{"name": name, "source": source} for name in islice(free_names(taken), min(count, 5))]
        self._say(self._bots_text())

    def _bots_text(self) -> Text:
        if self._others:
            bots = [
                Text("{name} (bot, {level})", {"name": each["name"], "level": source_text(each["source"])})
                for each in self._others
            ]
            return Text("In every game: {names}.", {"names": bots})
        return Text("No bots.") if self._level is None else Text("Bots fill the games.")

    # -- what is shown -----------------------------------------------------------------------------------------------

    def _show(self, answer: Json, *, stops: bool = True) -> bool:
        opened = convert(answer, Opened)
        self._shown, self._stands = opened.game, []
        name = next((each.rules for each in self.look().games if each.game == opened.game), None)
        new = name is not None and name not in self._explained
        self._explained.add(name or "")
        link, ended, another = self._show_game(self.link, opened, new, stops)
        if link is not self.link:  # its keeper has died, and another has the game
            self._adopt(link)
        self._listen()  # the game has listened
        self.results()
        return self._show(self._call("another")) if another else ended

    def results(self) -> None:
        """Print what was played, and how series stand."""
        self._say(*result_texts(self.look()))

    def _results(self) -> None:
        """Print what was played, or that nothing was."""
        self._say(*(list(result_texts(self.look())) or [NOT_PLAYED]))

    def end(self) -> None:
        """End the evening, and say what was left in the middle."""
        told = self.look()
        own = {each.game for each in told.games}
        self._call("close")
        self.is_open = False
        self._say(*result_texts(structs.replace(told, games=[each for each in told.games if each.result])))
        self._say(EVENING_OVER.of(evening=self.number))
        for game, left in self._left().items():
            if game in own:
                about = {"game": GAME_LEFT.of(game=game, about=left), "number": game, "log": self._option}
                self._say(Text("{game}: not over. 'tablier resume {number}{log}' resumes it.", about))
                self._say(BY_MISTAKE.of(game=game, log=self._option))

    def converse(self, read: Callable[[], tuple[str | None, News | None]]) -> bool:
        """Take what is typed between games, until the evening is ended or left; return whether it was ended.

        ``read`` waits for a line, or for news of the evening.
        """
        prompts, slipped = True, False
        while not self._is_over():
            if prompts:
                self._prompt()
                slipped = False
            line, told = read()
            prompts = True
            if told is not None:
                prompts = self._take_news(told)
            elif line is None:
                return False
            elif line.strip() or not slipped:  # else Enter asks again: what it plays was not said since the slip
                try:
                    done = self._obey(line.strip())
                except Failure as error:
                    self._say(error.text, flush=True)
                    prompts, slipped = False, True
                else:
                    if done is not None:
                        return done
        self.is_open = False
        self._say(EVENING_OVER.of(evening=self.number))
        return True

    def _is_over(self) -> bool:
        """Return whether somebody has ended the evening elsewhere."""
        return self._room.latest is not None and self._room.latest.ended

    def _take_news(self, told: News) -> bool:
        """Take news; return whether something was printed."""
        if isinstance(told, Text):
            if told == self._room.way_in:
                self._say_way_in()
            else:
                self._say(told)
            if self._lost and self._kept():
                self._adopt(self._again())
                self._say(Text("It is there again."))
            self._lost = False
            return False
        self._say_way_in()
        wishes = [] if told.inside is None else told.inside.wishes
        new_wishes = [each for each in wishes if each.wish not in self._asked]
        self._asked = {each.wish for each in wishes}
        self._say(*map(_wish_text, new_wishes), *self._who_may_organise(told))
        known = [] if self._told is None else [each.game for each in self._told.games if each.result]
        now = running(told)
        now = None if now in known else now  # news from before its end
        ended = self._running is not None and self._running != now
        if ended:
            self._say(*_how_it_ended(told, self._running))
        self._running = now
        new = told.why if told.why != self._why else None
        self._why = told.why
        if told.game is not None and told.game > self._shown:  # somebody has begun it elsewhere
            self._show(self._call("resume", game=told.game))
            return True
        if new is not None:
            self._say(new)
        return new is not None or ended or bool(new_wishes)

    def _who_may_organise(self, told: Evening) -> list[Text]:
        """Return how the first one with a phone may run the evening, once and unless somebody does."""
        first = next((each.name for each in told.here if each.by == "phone"), None)
        if self._organised or first is None:
            return []
        self._organised = True
        if any(each.organiser for each in told.here):
            return []
        return [Text("':organiser {name}' lets {name} begin games and let people in, by phone.", {"name": first})]

    def _prompt(self) -> None:
        told = self.look()
        if self._players is not None:
            self._ask_players(self._players)
            return
        about: Json = {"evening": self.number, "here": list(map(_here_text, told.here))}
        who = Text("Evening {evening}. Here: {here}." if told.here else "Evening {evening}. Nobody is here yet.", about)
        if who not in self._stands:
            self._stands = [who, *(each for each in self._stands if each == self._room.way_in)]
            self._say(who)
        self._say_way_in()
        self._running = running(told)
        if self._running is not None:
            about = {"game": title_of(told.games[-1].rules), "number": self._running}
            self._say(Text("{game}, game {number}, is being played. Enter shows it here.", about), flush=True)
            return
        if (left := left_game(told)) is not None:
            about = {"game": title_of(told.games[-1].rules), "number": left, "games": any_of(list(GAMES))}
            resumes = Text("Which game? Enter resumes {game}, game {number}; or {games}; :help for more.", about)
            self._say(resumes, flush=True)
            return
        about = {"game": told.next, "games": any_of(list(GAMES))}
        again = Text("Which game? Enter plays {game}; or {games}; :help for more.", about)
        self._say(again if told.next else Text("Which game? {games}; :help for more.", about), flush=True)

    def _say_way_in(self) -> None:
        """Print how others come in, once: with a code that phones scan, where they can and there is room."""
        if (told := self._room.way_in) is None or told in self._stands:
            return
        self._stands.append(told)
        self._say(told)
        if self._room.scanned:
            self._show_code(self._room.scanned)

    def _help(self) -> None:
        commands = (Text("{command}: {does}", {"command": each.said, "does": each.told}) for each in EVENING)
        self._say(_HELP, *commands)

    def complete(self, line: str) -> list[str]:
        """Return the lines that one being typed may become, for Tab."""
        word, blank, rest = line.partition(" ")
        command = find_command(word, EVENING) if word.startswith(":") else None
        some = _with_some(line)
        if some or (command is not None and blank and command.name in _NAMED):
            head = line[: some.start("names")] if some and command is None else f"{word} "
            return [head + each for each in self._people.fitting(line[len(head) :] if command is None else rest)]
        if command is not None and blank and command.name == ":series":
            *before, begun = line.split(" ")
            return [" ".join([*before, game]) for game in GAMES if begun and game.startswith(begun)]
        if blank:
            return []
        if word.startswith(":"):
            return [each.said for each in EVENING if each.begins(word.casefold())]
        bare = [word for each in EVENING for word in each.words if len(word) > 1]
        words = [str(WORDS[word]) if word in WORDS else word for word in bare]
        return [each for each in (*GAMES, *words) if each.startswith(word.casefold())]

    # -- what is typed -----------------------------------------------------------------------------------------------

    def _obey(self, line: str) -> bool | None:
        """Do what was typed. Return whether that ended the evening, ``None`` while it continues here."""
        asked, self._players = self._players, None
        told = self.look()
        for each in told.here:
            former = self._called.get(each.person, each.name)
            if former != each.name:  # else a slip that was mended is known
                self._people.drop(former)
            self._called[each.person] = each.name
        self._people.add(Someone(each.name, each.place) for each in told.here)
        command = _command(line, [*GAMES, *(each.name for each in told.here)] if asked else GAMES)
        if command is not None and command.name == ":quit":
            if not (told.here or told.games or told.series):
                self.end()
            return False
        _check_typed(line)
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if command is None and rest and asked is None:  # come Anne, as :come Anne
            command = find_spelled(word, EVENING)
        if command is None and rest and asked is None and plain(word) == _NEW:  # as a slip of the finger is answered
            self._come(line)
            return None
        if command is not None:
            self._do(command.name, rest)
            return True if command.name == ":end" else None
        if word.startswith(":"):
            raise Mistyped(unknown(word, EVENING))
        if asked is not None:
            self._answer_players(asked, line)
        elif plain(line) in ("", _AGAIN):
            self._play_next(told)
        else:
            self._begin_typed(rest if rest and word.casefold() == "play" else line)
        return None

    def _play_next(self, told: Evening) -> None:
        """Play the game that Enter means: the next of the series, or the last one again."""
        if (game := running(told)) is not None:
            self._resume(game)
            return
        if (game := left_game(told)) is not None:
            self._resume(game)
            return
        if told.next is None:
            raise Mistyped("No game was played yet; type the name of one.")
        answer = None
        if told.games:
            with suppress(KeeperError):  # those of the last game cannot play this one: they are asked, or all play
                answer = self._call("another")
        if answer is None:
            self._begin(told.next)
        else:
            self._show(answer)

    def _begin_typed(self, line: str) -> None:
        """Play a game that is named, with those who are named."""
        try:
            game, names = game_called(line), None
        except OptionError:
            if (found := _with_some(line)) is None:
                raise
            game, names = game_called(found["game"]), self._names_here(found["names"])
        told = self.look()
        series = next((each for each in told.series if not each.over), None)
        if series is not None and game != told.next:
            about = {"game": title_of(game), "series": series.series, "due": title_of(str(told.next))}
            self._say(Text("{game} does not count in series {series}, where {due} is next (Enter).", about))
        self._begin(game, names)

    def _do(self, command: str, rest: str) -> None:
        alone: dict[str, Callable[[], None]] = {
            ":end": self.end,
            ":host": self._host,
            ":results": self._results,
            ":help": self._help,
        }
        more: dict[str, Callable[[str], None]] = {
            ":come": self._come,
            ":go": self._see_off,
            ":series": self._begin_series,
            ":door": self._set_door,
            ":yes": partial(self._decide, yes=True),
            ":no": partial(self._decide, yes=False),
            ":organiser": self._name_organiser,
            ":rename": self._rename,
            ":bots": self._set_bots,
            ":resume": self._resume_left,
            ":abandon": self._abandon,
        }
        if command == ":back":
            raise Mistyped("Between games there is nothing to take back; quit leaves.")
        if command in alone:
            alone[command]()
        else:
            more[command](rest)

    def _come(self, typed: str) -> None:
        """Have people come, or sit at other places."""
        try:
            people = self._people.read_all(typed)
        except Mistyped as error:
            if "," not in typed:
                raise
            self._say(error.text)
            raise Mistyped("Nobody of this line has come in.") from None
        if not people:
            self._stands = []  # the prompt says who is here
            raise Mistyped(":come takes names: :come Anne, Bernard@3")
        here = {same_name(each.name) for each in self.look().here}
        for each in people:
            if same_name(each.name) in here and not each.place:
                self._say(Text("{name} is here already.", {"name": each.name}))
            place = {"place": each.place} if each.place else {}
            self._room.enter(self.link, [convert(self._call("come", name=each.name, **place), Entry)])
        self._people.add(people)

    def _see_off(self, typed: str) -> None:
        """Have people go."""
        names = self._names_here(typed)
        if not names:
            raise Mistyped(":go takes names: :go Anne, Bernard")
        self._going.update(each.person for each in self.look().here if each.name in names)
        for name in names:
            self._call("go", name=name)

    def _set_door(self, typed: str) -> None:
        """Open or close the door, or show how others come in."""
        seen, typed = typed, in_keys(typed, ("open", "close", "lan"))
        if typed not in ("", "open", "close", "lan"):
            raise Mistyped(":door {seen}: the forms are ':door', ':door open', ':door close', ':door lan'", seen=seen)
        if typed in ("open", "close"):
            self._call("door", open=typed == "open")
        if typed == "close":
            self._say(Text("The door is closed: nobody comes in by the code."))
        elif typed != "open":
            self._invite(self._room, typed == "lan")
            self._stands += [each for each in [self._room.way_in] if each is not None]

    def _decide(self, typed: str, *, yes: bool) -> None:
        """Let somebody in who asks for that, or do not: the one who has waited longest, unless a number is typed."""
        inside = self._room.inside
        wishes = [] if inside is None else [each.wish for each in inside.wishes]
        number = number_of(typed) if typed else next(iter(wishes), None)
        if number is None:
            raise Mistyped("Nobody asks to be let in.")
        self._call("decide", wish=number, yes=yes)

    def _name_organiser(self, typed: str) -> None:
        """Have somebody be an organiser, or no longer."""
        if not typed:
            raise Mistyped(":organiser takes a name: :organiser Anne")
        name, _, last = typed.rpartition(" ")
        off = in_keys(last, ("off",)) == "off" and bool(name)
        here = [each.name for each in self.look().here]
        self._call("organiser", name=self._name_here(name if off else typed, here), on=not off)

    def _rename(self, typed: str) -> None:
        """Give somebody who is here another name: ``OLD, NEW``; without a comma both are single words."""
        old, _, new = typed.partition("," if "," in typed else " ")
        if not new.strip():
            raise Mistyped(":rename takes two names: :rename Ane, Anne")
        here = [each.name for each in self.look().here]
        self._call("rename", name=self._name_here(old.strip(), here), to=new.strip())

    def _begin_series(self, form: str) -> None:
        found = read_series(form)
        if found is None:
            if not form:
                raise Mistyped("the forms are ':series first to 3 GAME …' and ':series 5 games GAME …'")
            raise Mistyped(":series {seen}: the forms are 'first to 3 GAME …' and '5 games GAME …'", seen=form)
        counted, rest = found
        if not (rest or self.look().next):
            raise Mistyped(":series {seen}: which games? :series {seen} {games}", seen=form, games=" ".join(GAMES))
        games = list(map(game_called, rest)) or [str(self.look().next)]
        begun = convert(self._call("series", games=games, **counted), NewSeries)
        self._say(*(series_state(each) for each in self.look().series if each.series == begun.ended))
        about = {"series": begun.series, "games": list(map(title_of, dict.fromkeys(games)))}
        self._say(Text("Series {series} begins: {games}.", about))


def _here_text(one: messages.Person) -> Text:
    """Return who is at an evening: the place at its table, and whether it may be organised from there."""
    name = Someone(one.name, one.place).placed
    return Text("{name} (organiser)" if one.organiser else "{name}", {"name": name})


def _gone(told: Evening) -> list[str]:
    """Return those who have played the last game and are not here any more."""
    others = {each.name for each in told.here} | {each.name for each in told.standings if each.bot}
    return [name for name in told.games[-1].seats if name not in others]


def _with_some(line: str) -> re.Match[str] | None:
    """Return the game and the names of a line that names only some of those who are here."""
    return re.fullmatch(_WITH.format(word=re.escape(str(WORDS["with"]))), line, re.IGNORECASE)


def _command(line: str, taken: Collection[str]) -> Command | None:
    """Return the command that a line begins with, unless the line is one of the names that are taken."""
    line = line.strip()
    word, _, rest = line.partition(" ")
    if word.startswith(":"):
        return find_command(word, EVENING)
    bare = "" if rest or same_name(line) in taken else read_bare(plain(word), EVENING)
    return find_command(bare, EVENING)


def _leaves(line: str, taken: Collection[str]) -> bool:
    """Return whether somebody leaves by a line that is none of the names that are taken."""
    command = _command(line, taken)
    return command is not None and command.name == ":quit"


def _check_typed(line: str) -> None:
    """Raise :class:`Mistyped` for a line that is too long, and where keys were pressed that a line does not know, such
    as arrows."""
    if len(line) > LINE_MAX:
        raise Mistyped(TOO_LONG)
    if not is_printable(line):
        raise Mistyped("Keys such as arrows cannot be used here: type a line, and Enter.")


def _wish_text(wish: messages.Wish) -> Text:
    """Return who asks to be let in."""
    about = {"name": wish.name or Text("A screen"), "wish": wish.wish}
    if wish.kind == "screen":
        return Text(
            "{name} asks to show the code, as a screen for all (wish {wish}). yes lets it in; no does not.", about
        )
    return Text("{name} asks to come in by another device (wish {wish}). yes lets it in; no does not.", about)


def running(told: Evening) -> int | None:
    """Return the game of an evening that is being played."""
    return next((each.game for each in told.games if each.game == told.game and each.result is None), None)


def left_game(told: Evening) -> int | None:
    """Return the latest game of an evening, where it was left in the middle and its people are here."""
    last = told.games[-1] if told.games else None
    return None if last is None or last.result is not None or running(told) or _gone(told) else last.game


def _how_it_ended(told: Evening, game: int | None) -> Iterator[Text]:
    """Yield how a game has ended that others have played, or that it was stopped; then how series stand."""
    played = next((each for each in told.games if each.game == game), None)
    if played is None:
        return
    if played.result is None:
        about = {"game": title_of(played.rules), "number": game}
        yield Text("{game} was stopped. resume {number} plays it on.", about)
    else:
        yield from result_texts(structs.replace(told, games=[played]))


def is_left(game: GameOpen) -> bool:
    """Return whether a game is open, and nobody plays it: the screens of its people have gone. To resume another one
    would stop it elsewhere."""
    at_screen = any(seat.source == AT_SCREEN for seat in game.seats)
    return at_screen and not game.held and not any(seat.source == AT_TABLE for seat in game.seats)


__all__ = ["Between", "Say", "ask_here", "ask_which", "ask_who", "is_left", "read_series"]
