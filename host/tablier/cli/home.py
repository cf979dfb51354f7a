"""``tablier`` alone in a terminal: a screen to choose from what can be played, resumed and looked up here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from tablier.cli.common import say
from tablier.cli.loading import loading
from tablier.cli.preferred import read, speak_preferred
from tablier.texts import Text
from tablier.usual import settings_file

if TYPE_CHECKING:
    from pathlib import Path

    from tablier.log.fold import GameInfo
    from tablier.log.store import Log
    from tablier.screens.preferences import Preferences
    from tablier.screens.start import Offer, Playable, Port, Resumable

_BY_SIGNAL = 128
"""Exit statuses from here on say that a signal has ended a command."""
_RECENT = 6
"""The most games that are offered to be resumed."""
_LATEST = 60
"""The latest games, among which it is looked for who has played each."""
_PLAYED = 12
"""The most games that are offered to be looked back at."""
_SHOWN = ("play", "resume", "attach")
"""The commands whose end is read on their own screen."""


def visit(run: Callable[[list[str]], int]) -> int:
    """Show the start screen until somebody leaves it, and run what is chosen there; return the exit status."""
    while True:
        try:
            words = choose()
        except SystemExit as ended:  # by a signal
            return int(ended.code or 0)
        if words is None:
            return 0
        if not words:  # settings have changed
            continue
        status = run(words)
        if status >= _BY_SIGNAL:
            return status
        if status or words[0] not in _SHOWN:
            say(Text("Enter: back to the start screen."), flush=True)
            if not sys.stdin.readline():
                return status


def choose() -> list[str] | None:
    """Return the words of the command that somebody chooses; ``None`` if nobody does."""
    with loading():
        from tablier.screens.start import choose

        offer = _offer()
    return choose(offer)


def _offer() -> Offer:
    from argparse import Namespace

    from tablier.cli.common import log_path
    from tablier.languages import languages, name_of
    from tablier.names import NAMES
    from tablier.screens.preferences import Preferences
    from tablier.screens.start import Offer
    from tablier.texts import Failure
    from tablier.web.noted import served_at

    log = log_path(Namespace(log=None))
    played, resumable, evenings, known = _played(log)
    try:
        addresses = served_at(log)
    except (Failure, OSError):  # nowhere to note it: then they are not served either
        addresses = []
    preferred = read() or Preferences()
    return Offer(
        _games(played),
        resumable,
        _tables(),
        next(iter(addresses), ""),
        NAMES,
        evenings=evenings,
        known=known,
        played=_ended(played),
        preferences=preferred,
        languages={tag: name_of(each) for tag, each in languages().items()},
        file=str(settings_file()),
        keep=_keep,
    )


def _ended(played: list[GameInfo]) -> list[Resumable]:
    """Return those that can be looked back at, of games with the latest first."""
    from tablier.games import title_of
    from tablier.screens.evenings import outcome
    from tablier.screens.start import Resumable

    ended = [info for info in played if info.ended is not None][:_PLAYED]
    found = []
    for info in ended:
        about = {"game": title_of(info.game), "names": list(info.names), "outcome": outcome(info)}
        found.append(Resumable(info.id, str(Text("{game}: {names}; {outcome}", about))))
    return found


def _keep(preferences: Preferences) -> None:
    """Keep preferences, and follow those that concern this program."""
    from tablier.screens.preferences import write_preferences

    write_preferences(preferences)
    speak_preferred()


def _games(played: list[GameInfo]) -> list[Playable]:
    """Return the games, each with the players of its last game, if all of them were at a screen or bots."""
    from tablier.cli.seats import given_seats
    from tablier.course.seats import AT_SCREEN
    from tablier.games import GAMES, bots_of, game_of, title_of, words_of
    from tablier.games.core import OptionError
    from tablier.screens.start import Playable

    found = []
    for name in GAMES:
        try:
            rules, bots = game_of(name).rules, tuple(bots_of(name))
            seats = [(seat.name, seat.source) for seat in given_seats(name, [], terminal=True, table=False)]
            words = words_of(name)
        except OptionError:  # a package of somebody else's; 'tablier play' says what is wrong with it
            continue
        for info in played:
            last = [(str(seat["name"]), str(seat["source"])) for seat in info.seats]
            if info.game == name and all(source in (AT_SCREEN, *bots) for _, source in last):
                seats = last
                break
        found.append(Playable(name, title_of(rules.name), str(words.aim), rules.seat_counts, seats, bots))
    return found


def _played(path: Path) -> tuple[list[GameInfo], list[Resumable], list[Resumable], list[str]]:
    """Return the latest games of a log, the last one first, those and the evenings that can be resumed, and the people.
    Without a log there are none."""
    from tablier.cli.running import running_games
    from tablier.log.store import Log
    from tablier.screens.evenings import left_evenings
    from tablier.screens.start import Resumable
    from tablier.texts import Failure

    try:
        with Log.read(path) as log:
            latest = range(log.last_game, max(0, log.last_game - _LATEST), -1)
            played, games, evenings, known = (
                [log.game(number) for number in latest],
                _resumable(log),
                left_evenings(log),
                log.names().known,
            )
    except Failure:
        return [], [], [], []
    running = running_games(path)
    resumable = [Resumable(number, str(text), number in running) for number, text in games][:_RECENT]
    return played, resumable, [Resumable(*each) for each in evenings], list(known.values())


def _resumable(log: Log) -> list[tuple[int, Text]]:
    """Return the games that were left, in words, those without a move last."""
    from tablier.screens.evenings import left_games

    games = [(log.game(number), text) for number, text in left_games(log).items()]
    games.sort(key=lambda each: not each[0].moves)
    return [(info.id, text) for info, text in games if not info.doubled]


def _tables() -> list[Port]:
    """Return the ports at which tables may be."""
    from tablier.screens.start import Port
    from tablier.table.ports import KINDS, UnsafeDirectory, candidates

    try:
        return [Port(port, str(KINDS[kind])) for port, _, kind in candidates()]
    except UnsafeDirectory:  # 'tablier table list' says what is wrong with it
        return []


__all__ = ["choose", "visit"]
