"""The screen of an evening: its games one after the other, and what is typed between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from msgspec import convert, structs

from tablier.games import GAMES, game_called, title_of
from tablier.games.core import OptionError
from tablier.keeper.client import KeeperError, Link
from tablier.messages import Evening, Opened
from tablier.screens.attendance import Attendance, here_text
from tablier.screens.commands import (
    EVENING,
    WORDS,
    Mistyped,
    check_typed,
    evening_command,
    find_command,
    find_spelled,
    plain,
    unknown,
)
from tablier.screens.door import Door
from tablier.screens.evening_link import EveningLink, is_left, left_game, running
from tablier.screens.left_games import LeftGames
from tablier.screens.lines import News
from tablier.screens.lineup import Lineup, Players
from tablier.screens.people import People
from tablier.screens.phrases import EVENING_OVER, NOT_PLAYED, RUNS, Say
from tablier.screens.room import Room
from tablier.screens.series import SeriesCounter
from tablier.screens.status_pages import result_texts
from tablier.texts import Failure, Json, Text, any_of

_WITH = r"(?P<game>.+?)\s+(?:with|{word})\s+(?P<names>\S.*)"
_NAMED = (":come", ":go", ":rename", ":organiser")
"""The commands that names follow."""
_AGAIN, _NEW = "again", "new"
_HELP = Text(
    "The name of a game plays it; GAME with NAME, NAME: only they play. Enter plays another one with the same people."
)


Show = Callable[[Link, Opened, bool, bool], tuple[Link, bool, bool]]
"""Shows a game until its screen is left, by a connection; with a card first where nobody has read it here; the game
stops then, or does not. Returns the connection to the keeper that has the game then, whether it was played to its end,
and whether somebody wants another one."""


class Between:
    """An evening at this screen."""

    def __init__(
        self,
        evening: EveningLink,
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
        """``people``: those whom the log knows. ``left`` and ``option``: see :class:`LeftGames`; ``invite`` and
        ``show_code``: see :class:`Door`. ``host`` opens the organiser's page. ``others``: seats that bots have in
        every game."""
        self._evening, self._show_game, self._say = evening, show, say
        self.is_open = True
        self._attendance = Attendance(evening, people, say)
        self._lineup = Lineup(evening, self._attendance, say, others)
        self._series = SeriesCounter(evening, say)
        self._door = Door(evening, say, invite, show_code)
        self._left = LeftGames(evening, say, left, option)
        self._host = host
        self._shown = 0
        self._explained: set[str] = set()  # the games whose card was read here
        self._why: Text | None = None  # what was said last of a game that could not begin
        self._who: Text | None = None  # who is here, as was said last since a game
        self._running: int | None = None  # the game that others play on, as was said last

    def catch_up(self) -> None:
        """Resume the game that is open, or was when its keeper ended."""
        games = self._evening.look().games
        if games and not games[-1].result:
            self._resume(games[-1].game)

    def play_all(self, games: Sequence[str]) -> None:
        """Play these games."""
        for game in games:
            if not self._play(game):
                return

    def play_series(self, games: Sequence[str], counted: Json) -> None:
        """Play a series to its end."""
        self._series.begin(games, counted)
        while not self._series.is_over:
            if not self._play(None):
                return

    def _play(self, game: str | None, names: Sequence[str] | None = None, bots: Sequence[Json] = ()) -> bool:
        """Play a game, with some of those who are there or with all; return whether it was played to its end."""
        others = [*self._lineup.others, *bots]
        count = len(self._attendance.here if names is None else names)
        practice = count == 1 and not any(each.get("source") == "screen" for each in others)
        more: Json = {} if game is None else {"game": game}
        if names is not None:
            more["only"] = list(names)
        return self._show(self._evening.call("next", others=others, practice=practice, **more))

    def _begin(self, players: Players | None) -> None:
        """Play a game with those who were chosen, if they were."""
        if players is not None:
            self._play(players.game, players.names, players.bots)

    def _resume(self, game: int) -> None:
        """Resume a game, or show it here, too. One of another evening that is played there is not to be stopped here:
        raise :class:`Mistyped`."""
        found = next((each for each in self._evening.listing().games if each.game == game), None)
        played = found is not None and not is_left(found)
        if found is not None and played and found.evening != self._evening.number:
            raise Mistyped(RUNS.of(game=game))
        self._show(self._evening.call_of_game("resume", game), stops=not played)

    # -- what is shown -----------------------------------------------------------------------------------------------

    def _show(self, answer: Json, *, stops: bool = True) -> bool:
        opened = convert(answer, Opened)
        self._shown = opened.game
        self._say_all_again()
        name = next((each.rules for each in self._evening.look().games if each.game == opened.game), None)
        new = name is not None and name not in self._explained
        self._explained.add(name or "")
        link, ended, another = self._show_game(self._evening.link, opened, new, stops)
        if link is not self._evening.link:  # its keeper has died, and another has the game
            self._evening.adopt(link)
        self._evening.listen()  # the game has listened
        self.results()
        return self._show(self._evening.call("another")) if another else ended

    def _say_all_again(self) -> None:
        """Have the next prompt print who is here and how others come in, also where that was said before."""
        self._who = None
        self._door.say_way_in_again()

    def results(self) -> None:
        """Print what was played, and how series stand."""
        self._say(*result_texts(self._evening.look()))

    def _results(self) -> None:
        """Print what was played, or that nothing was."""
        self._say(*(list(result_texts(self._evening.look())) or [NOT_PLAYED]))

    def end(self) -> None:
        """End the evening, and say what was left in the middle."""
        told = self._evening.look()
        self._evening.call("close")
        self.is_open = False
        self._say(*result_texts(structs.replace(told, games=[each for each in told.games if each.result])))
        self._say(EVENING_OVER.of(evening=self._evening.number))
        self._left.say_of([each.game for each in told.games])

    def converse(self, read: Callable[[], tuple[str | None, News | None]]) -> bool:
        """Take what is typed between games, until the evening is ended or left; return whether it was ended.

        ``read`` waits for a line, or for news of the evening.
        """
        prompts, slipped = True, False
        while not self._evening.is_over:
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
        self._say(EVENING_OVER.of(evening=self._evening.number))
        return True

    def _take_news(self, told: News) -> bool:
        """Take news; return whether something was printed."""
        if isinstance(told, Text):
            self._door.say(told)
            if self._evening.regain():
                self._say(Text("It is there again."))
            return False
        self._door.say_way_in()
        wishes = self._door.new_wishes(told)
        self._say(*wishes, *self._attendance.who_may_organise(told))
        last = self._evening.last
        known = [] if last is None else [each.game for each in last.games if each.result]
        now = running(told)
        now = None if now in known else now  # news from before its end
        ended = self._running is not None and self._running != now
        if ended:
            self._say(*_how_it_ended(told, self._running))
        self._running = now
        new = told.why if told.why != self._why else None
        self._why = told.why
        if told.game is not None and told.game > self._shown:  # somebody has begun it elsewhere
            self._show(self._evening.call_of_game("resume", told.game))
            return True
        if new is not None:
            self._say(new)
        return new is not None or ended or bool(wishes)

    def _prompt(self) -> None:
        told = self._evening.look()
        if self._lineup.ask():
            return
        about: Json = {"evening": self._evening.number, "here": list(map(here_text, told.here))}
        who = Text("Evening {evening}. Here: {here}." if told.here else "Evening {evening}. Nobody is here yet.", about)
        if who != self._who:
            self._who = who
            self._say(who)
        self._door.say_way_in()
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
            return [head + each for each in self._attendance.fitting(line[len(head) :] if command is None else rest)]
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
        asked = self._lineup.take_asked()
        told = self._evening.look()
        self._attendance.learn(told)
        command = evening_command(line, [*GAMES, *(each.name for each in told.here)] if asked else GAMES)
        if command is not None and command.name == ":quit":
            if not (told.here or told.games or told.series):
                self.end()
            return False
        check_typed(line)
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
            self._begin(self._lineup.answer(asked, line))
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
                answer = self._evening.call("another")
        if answer is None:
            self._begin(self._lineup.choose(told.next))
        else:
            self._show(answer)

    def _begin_typed(self, line: str) -> None:
        """Play a game that is named, with those who are named."""
        try:
            game, names = game_called(line), None
        except OptionError:
            if (found := _with_some(line)) is None:
                raise
            game, names = game_called(found["game"]), self._attendance.find(found["names"])
        self._series.note_other(game)
        self._begin(self._lineup.choose(game, names))

    def _do(self, command: str, rest: str) -> None:
        alone: dict[str, Callable[[], None]] = {
            ":end": self.end,
            ":host": self._host,
            ":results": self._results,
            ":help": self._help,
        }
        more: dict[str, Callable[[str], None]] = {
            ":come": self._come,
            ":go": self._attendance.see_off,
            ":series": self._series.begin_typed,
            ":door": self._door.set,
            ":yes": partial(self._door.decide, yes=True),
            ":no": partial(self._door.decide, yes=False),
            ":organiser": self._attendance.name_organiser,
            ":rename": self._attendance.rename,
            ":bots": self._lineup.set_bots,
            ":resume": lambda typed: self._resume(self._left.find(typed)),
            ":abandon": self._left.abandon,
        }
        if command == ":back":
            raise Mistyped("Between games there is nothing to take back; quit leaves.")
        if command in alone:
            alone[command]()
        else:
            more[command](rest)

    def _come(self, typed: str) -> None:
        """Have people come, or sit at other places; the next prompt says who is here where nobody is named."""
        if not typed.strip(", "):
            self._say_all_again()
        self._attendance.come(typed)


def _with_some(line: str) -> re.Match[str] | None:
    """Return the game and the names of a line that names only some of those who are here."""
    return re.fullmatch(_WITH.format(word=re.escape(str(WORDS["with"]))), line, re.IGNORECASE)


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


__all__ = ["Between"]
