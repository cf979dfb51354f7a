"""The seats of a game on the command line: ``--seat NAME[@PLACE]=SOURCE``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tablier.cli.common import CommandError
from tablier.cli.game import default_seats
from tablier.names import NAMES, same_name
from tablier.printable import is_printable
from tablier.texts import Text, suggest

if TYPE_CHECKING:
    from tablier.course.seats import Seat

_NAME_MAX = 200
"""As in the keeper's requests, by a test."""
_PLACES = (1, 2, 4, 5, 6)
_PEOPLE = "people"
SOURCES = ("table", "screen", "people", "easy", "good", "strong", "greedy", "random")
_SHOWN_AT_TABLE = "dilemma"
"""The game that is played at a simulated table if nothing else is said."""


class _Given(NamedTuple):
    """One ``--seat``."""

    text: str
    name: str
    place: str | None
    source: str


def _given(text: str, game: str) -> _Given:
    from tablier.bots.sources import COMMAND
    from tablier.games import bots_of

    head, equals, source = text.partition("=")
    name, at, place = head.partition("@")
    kind, _, bot = source.partition(":")
    bots = bots_of(game)
    known = source in ("table", "screen", _PEOPLE, *bots) or (kind == _PEOPLE and bot in bots)
    if not equals or not same_name(name) or not (known or (source.startswith(COMMAND) and len(source) > len(COMMAND))):
        form = Text(
            "--seat {given}: the form is NAME=SOURCE or NAME@PLACE=SOURCE; sources: table, screen, people, people:BOT,"
            " bot:COMMAND; bots of this game: {bots}",
            {"given": repr(text), "bots": list(bots)},
        )
        raise CommandError(suggest(form, bot if kind == _PEOPLE else source, ("table", "screen", _PEOPLE, *bots)))
    name = name.strip()
    if not is_printable(name) or len(name) > _NAME_MAX:
        raise CommandError(
            "--seat {given}: a name has at most {most} characters, all of them printable",
            given=repr(text),
            most=_NAME_MAX,
        )
    return _Given(text, name, place if at else None, source)


def given_seats(game: str, given: Sequence[str], *, terminal: bool, table: bool = True) -> list[Seat]:
    """Return the seats of ``--seat``; without any, a person against bots in a terminal, else a demonstration.

    ``table``: simulated people may show the game. Raise :class:`CommandError`.
    """
    from tablier.bots.sources import default_bot

    bot = default_bot(game)
    if given:
        wanted = [_given(text, game) for text in given]
    else:
        count = default_seats(game)
        first = _user() if terminal else NAMES[0]
        names = [first, *(name for name in NAMES[1:] if name != first)][:count]
        others = _PEOPLE if game == _SHOWN_AT_TABLE and table else bot
        places: list[str | None] = [str(place) for place in _PLACES] if others == _PEOPLE else [None] * count
        sources = ["screen" if terminal else others] + [others] * (count - 1)
        wanted = [
            _Given(name, name, place, source) for name, place, source in zip(names, places, sources, strict=False)
        ]
    names = [same_name(each.name) for each in wanted]
    for each in wanted:
        if names.count(same_name(each.name)) > 1:
            from tablier.keeper.playable import TWO_CALLED

            raise CommandError("--seat {given}: {why}", given=repr(each.text), why=TWO_CALLED.of(name=each.name))
    if any(each.source == "table" or each.source.startswith(_PEOPLE) for each in wanted):
        return _placed(wanted, bot)
    return [_seat(each, 0, bot) for each in wanted]


def _placed(given: Sequence[_Given], bot: str) -> list[Seat]:
    """Return the seats of a game at a table with places, clockwise; a seat that names none gets the next."""
    seats: list[Seat] = []
    for each in given:
        text = each.place
        before = seats[-1].place if seats else 0
        place = int(text) if text and text.isascii() and text.isdigit() else 0 if text is not None else before + 1
        if not before < place <= 6:
            raise CommandError(
                "--seat {given}: places are 1 to 6, and seats are named clockwise by rising places",
                given=repr(each.text),
            )
        seats.append(_seat(each, place, bot))
    return seats


def _seat(given: _Given, place: int, bot: str) -> Seat:
    from tablier.course.seats import Seat

    if given.place is not None and not place:
        raise CommandError(
            "--seat {given}: nobody sits at a table here, so no seat has a place", given=repr(given.text)
        )
    if given.source.startswith(_PEOPLE):
        return Seat(given.name, place, "table", given.source.partition(":")[2] or bot)
    return Seat(given.name, place, given.source)


def _user() -> str:
    """Return the user's name. Not "You", because sentences are in the third person."""
    from getpass import getuser

    from tablier.cli.preferred import read

    preferred = read()
    if preferred is not None and (name := preferred.name.strip()):
        return name

    try:
        return getuser().capitalize()
    except (KeyError, OSError):  # nobody by that number
        return "Guest"
