"""``tablier`` alone in a terminal: a screen to choose from what can be played and resumed here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablier.cli.start import loading

if TYPE_CHECKING:
    from pathlib import Path

    from tablier.log import GameInfo
    from tablier.screens.start import Offer, Playable, Resumable

_RECENT = 6
"""The most games that are offered to be resumed."""


def choose() -> list[str] | None:
    """Return the words of the command that somebody chooses; ``None`` if nobody does."""
    with loading():
        from tablier.screens.start import choose

        offer = _offer()
    return choose(offer)


def _offer() -> Offer:
    from argparse import Namespace

    from tablier.cli.common import log_path
    from tablier.names import NAMES
    from tablier.screens.start import Offer
    from tablier.texts import Failure
    from tablier.web.noted import served_at

    log = log_path(Namespace(log=None))
    played, resumable, evenings, known = _played(log)
    try:
        addresses = served_at(log)
    except (Failure, OSError):  # nowhere to note it: then they are not served either
        addresses = []
    address = next(iter(addresses), "")
    return Offer(_games(played), resumable, _tables(), address, NAMES, evenings=evenings, known=known)


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
        for info in reversed(played):
            last = [(str(seat["name"]), str(seat["source"])) for seat in info.seats]
            if info.game == name and all(source in (AT_SCREEN, *bots) for _, source in last):
                seats = last
                break
        found.append(Playable(name, title_of(rules.name), str(words.aim), rules.seat_counts, seats, bots))
    return found


def _played(path: Path) -> tuple[list[GameInfo], list[Resumable], list[Resumable], list[str]]:
    """Return the games of a log, those and the evenings that can be resumed, and the people. Without a log there are
    none."""
    from tablier.cli.running import running_games
    from tablier.log import Log
    from tablier.screens.evenings import left_evenings, left_games
    from tablier.screens.start import Resumable
    from tablier.texts import Failure

    try:
        with Log.read(path) as log:
            played, games, evenings, known = log.games(), left_games(log), left_evenings(log), log.names().known
    except Failure:
        return [], [], [], []
    running = running_games(path)
    resumable = [Resumable(number, str(text)) for number, text in games.items() if number not in running][:_RECENT]
    return played, resumable, [Resumable(*each) for each in evenings], list(known.values())


def _tables() -> list[str]:
    """Return the ports at which tables may be."""
    from tablier.table.ports import UnsafeDirectory, candidates

    try:
        return [f"{port}  {what}" for port, _, what in candidates()]
    except UnsafeDirectory:  # 'tablier table list' says what is wrong with it
        return []


__all__ = ["choose"]
