"""``tablier evening``: several games in a row, with the people who are there."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablier.cli.common import (
    CommandError,
    add_log_option,
    is_terminal,
    kept_log,
    log_path,
    path_name,
    read_log,
    refusing,
    say,
    say_wrapped,
    tell,
)
from tablier.cli.game import game_name
from tablier.cli.lines import Lent, Typed
from tablier.cli.play import add_card_option, add_screen_options, add_web_option, prepared
from tablier.cli.signals import Ended, Signals
from tablier.names import same_name
from tablier.printable import is_printable
from tablier.screens.commands import EVENING, LINE_MAX, TOO_LONG, Command, find_command, read_bare, unknown
from tablier.texts import Text, text_from
from tablier.usual import log_option

if TYPE_CHECKING:
    from tablier.cli.common import Commands
    from tablier.keeper.client import Link
    from tablier.texts import Json

_SERIES = re.compile(r"first to ([1-9][0-9]?)|([1-9][0-9]?) games?")
_ASK_WHO = Text("Who is there? NAME or NAME@PLACE, separated by spaces or commas:")
_HELP_WHO = (
    Text("Type the names of those who play, separated by spaces or commas; NAME@2 sits at place 2 of the table."),
    Text("Enter alone: nobody yet, :come NAME adds people later. quit: leave."),
)
_HELP = Text("The name of a game plays it; Enter plays another one with the same people.")


def register(commands: Commands) -> None:
    evening = commands.add_parser(
        "evening",
        help="play several games in a row, with people who come and go",
        description="Begins an evening, or resumes the one that is open. Between the games, commands are typed:"
        " ':help' names them. Without a terminal, the games of --play are played one after the other; then it ends.",
        allow_abbrev=False,
    )
    evening.add_argument(
        "--with", dest="people", metavar="NAME[@PLACE]", action="append", default=[], help="somebody who is there"
    )
    evening.add_argument(
        "--play", metavar="GAME", type=game_name, action="append", default=[], help="a game to be played"
    )
    evening.add_argument(
        "--bot", metavar="NAME[@PLACE]=BOT", action="append", default=[], help="a seat that a bot has in every game"
    )
    evening.add_argument("--series", metavar="TEXT", help="count the games of --play together: 'first to 3', '5 games'")
    evening.add_argument("--rota", action="store_true", help="with --series: go round all games that can be played")
    evening.add_argument(
        "--port", metavar="PORT", type=path_name, help="the table's port, or 'simulated' (none: all at this screen)"
    )
    evening.add_argument("--virtual", action="store_true", help="let a simulated table's time pass as fast as it can")
    add_screen_options(evening)
    add_card_option(evening)
    evening.set_defaults(run=partial(prepared, _run))
    add_web_option(evening)
    add_log_option(evening)


def _run(args: argparse.Namespace) -> int:

    people = [_person(text) for text in args.people]
    others = [_other(text) for text in args.bot]
    series = _series(args)
    at_screen = args.port is None and bool(people)
    if at_screen and sys.stdin is None:
        raise CommandError("people are at the screen, but standard input is closed; add --port")
    typed, signals = Typed(), Signals()
    with kept_log(args) as link, signals.caught():
        _listen(link, typed)
        opened = link.call("list")["evenings"]
        if opened and not people:
            number = opened[-1]["evening"]
            say(Text("Evening {evening} goes on.", {"evening": number}))
        else:
            if not people and is_terminal():
                with signals.released():
                    asked = _ask_who(args)
                if asked is None:
                    return 0
                people = asked
            port = args.port if args.port in (None, "simulated") else str(Path(args.port).absolute())
            table = {"port": port, "virtual": args.virtual}
            number = link.call("evening", {"people": people, "table": table})["evening"]
        link.call("follow", {"evening": number, "games": False})
        evening = _Evening(args, link, typed, signals, number, others)
        try:
            evening.catch_up()
            if series is not None:
                link.call("series", {"evening": number, **series})
            evening.play_all(args.play, series is not None)
            if is_terminal() or ((args.plain or at_screen) and not args.play and series is None):
                evening.converse()
            else:
                evening.end()
        finally:
            evening.close()
    return 0


def _listen(link: Link, typed: Typed) -> None:
    """Have what a keeper says between games come between what is typed."""
    link.on_notice, link.on_silence = typed.tell, typed.tell_silence


class _Evening:
    """An evening at this screen."""

    def __init__(
        self,
        args: argparse.Namespace,
        link: Link,
        typed: Typed,
        signals: Signals,
        number: int,
        others: list[dict[str, Any]],
    ) -> None:
        self._args, self._link, self._typed, self._number, self._others = args, link, typed, number, others
        self._signals = signals
        self._told: Json = {}
        self._shown = 0
        self._explained: set[str] = set()
        """The games whose card was read here."""
        self._why: Json | None = None  # what was told last of a game that could not begin

    def _call(self, method: str, **params: Any) -> Json:
        return self._ask(method, {"evening": self._number, **params})

    def _ask(self, method: str, params: Json) -> Json:
        """Return an answer of the keeper; of a new one where it has died."""
        from tablier.keeper.client import KeeperGone
        from tablier.keeper.starting import join

        try:
            return self._link.call(method, params)
        except KeeperGone:
            self._adopt(join(log_path(self._args), tell))
            return self._link.call(method, params)

    def _adopt(self, link: Link) -> None:
        """Go on with another keeper."""
        self._link = link
        _listen(link, self._typed)
        link.call("follow", {"evening": self._number, "games": False})

    def close(self) -> None:
        """Let go of the keeper."""
        self._link.close()

    def look(self) -> Json:
        """Return how the evening stands."""
        for told in self._ask("list", {})["evenings"]:
            if told["evening"] == self._number:
                self._told = told
        return self._told

    def catch_up(self) -> None:
        """Resume the game that is open, or was when its keeper ended."""
        games = self.look()["games"]
        if games and not games[-1]["over"]:
            self._show(self._ask("resume", {"game": games[-1]["game"]}))

    def play_all(self, games: list[str], series: bool) -> None:
        """Play these games, or a series to its end."""
        if series:
            while not self.look()["series"][-1]["over"]:
                if not self._play(None):
                    return
            return
        for game in games:
            if not self._play(game):
                return

    def _play(self, game: str | None) -> bool:
        """Play a game; return whether it was played to its end."""
        people = self.look()["here"]
        practice = len(people) == 1 and not any(each.get("source") == "screen" for each in self._others)
        more = {} if game is None else {"game": game}
        return self._show(self._call("next", others=self._others, practice=practice, **more))

    def _show(self, opened: Json) -> bool:
        from tablier.cli.play import open_screen, say_end, shows_full

        self._shown = opened["game"]
        full = opened["keys"] and shows_full(self._args)
        lines = None if full else Lent(self._typed)
        name = self.look()["games"][-1]["rules"]
        explains = name not in self._explained and not self._args.no_card
        self._explained.add(name)
        game, screen = open_screen(self._args, self._link, opened, lines, repeats=bool(full), explains=explains)
        try:
            with self._signals.released():
                summary = screen.run(game)
        except (Ended, KeyboardInterrupt):  # before the screen could take it, which stops the game itself
            game.stop()
            raise
        finally:
            if lines is not None:
                lines.give_back(screen.untaken)
        if game.link is not self._link:  # its keeper has died, and another goes on
            self._adopt(game.link)
        _listen(self._link, self._typed)  # the game has listened
        say_end(self._args, game, screen, summary)
        if screen.ended_by:
            raise Ended(screen.ended_by)
        self.results()
        if full and screen.another:
            return self._show(self._call("another"))
        return summary is not None

    def results(self) -> None:
        """Print what was played, and how series stand."""
        from tablier.screens.overview import result_texts

        say_wrapped(*result_texts(self.look()))

    def end(self) -> None:
        """End the evening."""
        self._call("close")
        say(Text("Evening {evening} is over.", {"evening": self._number}))

    def converse(self) -> None:
        """Take what is typed between games, until the evening is ended or left."""
        from tablier.keeper.client import KeeperError

        self._prompt()
        while True:
            with self._signals.released():
                line, told = self._typed.next()
            if told is not None and "silence" in told:
                say(text_from(told["silence"]))
                self._prompt()
            elif told is not None:
                if told["game"] is not None and told["game"] > self._shown:  # somebody has pressed at the table
                    self._show(self._ask("resume", {"game": told["game"]}))
                    self._prompt()
                elif told["why"] not in (None, self._why):
                    say(text_from(told["why"]))
                    self._prompt()
                self._why = told["why"]
            elif line is None or _is_quit(line, _games()):
                about = {"log": log_option(log_path(self._args))}
                say(Text("The evening stays open; 'tablier evening{log}' resumes it.", about))
                return
            else:
                try:
                    if self._obey(line.strip()):
                        return
                except (CommandError, KeeperError) as error:
                    say_wrapped(error.text)
                self._prompt()

    def _prompt(self) -> None:
        told = self.look()
        here = [_placed(each) for each in told["here"]]
        if here:
            say_wrapped(Text("Evening {evening}. Here: {here}.", {"evening": self._number, "here": here}))
        else:
            _say_help()
        following = told["next"]
        again = Text("Which game? Enter plays {game}; :help names the commands.", {"game": following})
        say_wrapped(again if following else Text("Which game? :help names the commands."), flush=True)

    def _obey(self, line: str) -> bool:
        """Do what was typed; return whether the evening is over."""
        _check_typed(line)
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        command = _command(line, _games())
        if command is not None:
            return self._do(command.name, rest)
        if word.startswith(":"):
            raise CommandError(unknown(word, EVENING))
        if not line:
            self._show(self._call("another"))
        else:
            self._play(game_name(rest if rest and word.casefold() == "play" else line))
        return False

    def _do(self, command: str, rest: str) -> bool:
        """Do what a command says; return whether the evening is over."""
        if command == ":end":
            self.end()
            return True
        if command == ":come":
            self._call("come", **_person(rest))
        elif command == ":go":
            self._call("go", name=rest)
        elif command == ":series":
            self._begin_series(rest)
        elif command == ":results":
            self.results()
        elif command == ":help":
            _say_help()
        elif command == ":back":
            raise CommandError("Between games there is nothing to take back; quit leaves.")
        return False

    def _begin_series(self, form: str) -> None:
        from tablier.screens.overview import series_state

        found = _SERIES.match(form)
        if found is None:
            raise CommandError(":series {seen}: the forms are 'first to 3 GAME …' and '5 games GAME …'", seen=form)
        games = [game_name(each) for each in form[found.end() :].split()] or [self._told["next"] or "dilemma"]
        begun = self._call("series", games=games, wins=int(found[1] or 0), count=int(found[2] or 0))
        say_wrapped(*(series_state(each) for each in self.look()["series"] if each["series"] == begun["ended"]))
        say_wrapped(Text("Series {series} begins.", begun))


def _say_help() -> None:
    say_wrapped(_HELP, *(Text("{command}: {does}", {"command": each.name, "does": each.does}) for each in EVENING))


def _games() -> Collection[str]:
    from tablier.games import GAMES

    return GAMES


def _command(line: str, taken: Collection[str]) -> Command | None:
    """Return the command that a line begins with, unless the line is one of the names that are taken."""
    line = line.strip()
    word, _, rest = line.partition(" ")
    if word.startswith(":"):
        return find_command(word, EVENING)
    bare = "" if rest or same_name(line) in taken else read_bare(word, EVENING)
    return find_command(bare, EVENING)


def _is_quit(line: str, taken: Collection[str]) -> bool:
    command = _command(line, taken)
    return command is not None and command.name == ":quit"


def _check_typed(line: str) -> None:
    """Raise :class:`CommandError` for a line that is too long, and where keys were pressed that a line does not know,
    such as arrows."""
    if len(line) > LINE_MAX:
        raise CommandError(TOO_LONG)
    if not is_printable(line):
        raise CommandError("Keys such as arrows cannot be used here: type a line, and Enter.")


def _placed(each: Json) -> str:
    return f"{each['name']}@{each['place']}" if each["place"] else str(each["name"])


def _person(text: str) -> dict[str, Any]:
    name, at, place = text.partition("@")
    if not name.strip() or (at and place not in tuple("123456")):
        raise CommandError("{seen}: the form is NAME or NAME@PLACE; places are 1 to 6", seen=repr(text))
    return {"name": name.strip(), "place": int(place or 0)}


def _other(text: str) -> dict[str, Any]:
    """Return a seat that a bot or a simulated person has in every game."""
    head, equals, source = text.partition("=")
    if not equals or source.partition(":")[0] in ("", "table", "screen"):
        raise CommandError("--bot {seen}: the form is NAME=BOT or NAME@PLACE=BOT", seen=repr(text))
    kind, _, bot = source.partition(":")
    if kind == "people":
        return {**_person(head), "source": "table", "simulated": bot or "greedy"}
    return {**_person(head), "source": source}


def _series(args: argparse.Namespace) -> dict[str, Any] | None:
    from tablier.games import GAMES

    if args.series is None:
        if args.rota:
            raise CommandError("--rota needs --series")
        return None
    found = _SERIES.fullmatch(args.series)
    if found is None:
        raise CommandError("--series {seen}: the forms are 'first to 3' and '5 games'", seen=repr(args.series))
    games = list(GAMES) if args.rota else args.play
    if not games:
        raise CommandError("--series needs games: --play GAME, or --rota")
    return {"games": games, "wins": int(found[1] or 0), "count": int(found[2] or 0)}


def _ask_who(args: argparse.Namespace) -> list[dict[str, Any]] | None:
    """Ask who is there, until that can be read; offer those whom the log knows, with the places they like. Return
    ``None`` if somebody leaves instead."""
    known: list[dict[str, Any]] = []
    if log_path(args).exists():
        from tablier.log import LogError

        with refusing(LogError), read_log(args) as log:
            known = [{"name": each.name, "place": each.place} for each in log.people()]
    if known:
        say_wrapped(Text("Known: {names}.", {"names": list(map(_placed, known))}))
    taken = {same_name(each["name"]) for each in known}
    while True:
        say_wrapped(_ASK_WHO, flush=True)
        line = sys.stdin.readline()
        if _is_quit(line, taken):
            return None
        try:
            _check_typed(line.rstrip("\n"))
            if _command(line, taken) is None and not line.lstrip().startswith(":"):
                return [_person(text) for text in line.replace(",", " ").split()]
            say_wrapped(*_HELP_WHO)
        except CommandError as error:
            say_wrapped(error.text)
