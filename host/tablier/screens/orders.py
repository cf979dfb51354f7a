"""Commands to the keeper as they are typed: what follows the word, as a request. Each raises :class:`Mistyped` for what
it cannot read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from tablier.bots.sources import default_bot, is_bot
from tablier.course.asides import PAUSED
from tablier.course.seats import AT_SCREEN, AT_TABLE
from tablier.screens.commands import FASTER, SLOWER, Mistyped, begun, level_of
from tablier.screens.names import seats_called, seats_meant
from tablier.screens.phrases import NOBODY_HERE
from tablier.screens.seen import Seen
from tablier.texts import Json, Text, any_of, number_text

_PACES = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""The seconds for a bot's move between which one changes by faster and slower."""
_PACE_MAX_S = 60


def number_of(text: str) -> int | None:
    """Return a number as people type one, ``None`` for any other text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def read_pace(text: str, now: float) -> Json:
    """Have bots move faster or slower, or take some seconds for a move. ``now``: the seconds that they take."""
    seconds, word = _seconds(text), begun(text, (FASTER, SLOWER))
    if word == FASTER:
        seconds = max((pace for pace in _PACES if pace < now), default=0.0)
    elif word == SLOWER:
        seconds = min((pace for pace in _PACES if pace > now), default=now)
    if seconds is None:
        about = {"seen": repr(text), "now": number_text(now), "most": _PACE_MAX_S}
        wrong = Text(":pace takes faster, slower, or 0 to {most} seconds, not {seen}; it is {now} s now", about)
        which = Text("Type :pace and faster, slower, or 0 to {most} seconds; it is {now} s now.", about)
        raise Mistyped(wrong if text else which)
    return {"command": "pace", "seconds": seconds}


def _seconds(text: str) -> float | None:
    digits = text.removesuffix("s").rstrip()
    if not digits.isascii() or not digits.replace(".", "", 1).isdigit() or float(digits) > _PACE_MAX_S:
        return None
    return float(digits)


def _pause(seen: Seen, _text: str) -> Json:
    """Pause the game, or resume one that is paused."""
    question = seen.asking
    paused = question is not None and question.what == PAUSED
    return {"command": "pause", "seat": seen.speaker, **({"on": False} if paused else {})}


def _call(seen: Seen, _text: str) -> Json:
    """Stop play for a seat here."""
    if not seen.here:
        at_table = Text("Nobody plays at this screen. A place stops play: hold minus there and press plus.")
        raise Mistyped(at_table if seen.beside_table else NOBODY_HERE)
    return {"command": "call", "seat": seen.speaker}


def _take_back(seen: Seen, text: str) -> Json:
    """Ask for a seat's last decisions to be taken back; at a console for one that is named."""
    seat, count = seen.speaker, text or "1"
    if not seen.here:
        here = list(filter(seen.sits, seen.seats))
        fits, last = _read_name(seen, count, here)
        count = last or "1"
        if len(fits) != 1:
            whose = Text("Type :back and a name: {names}", _any_name(seen, here))
            raise Mistyped(whose if here else NOBODY_HERE)
        (seat,) = fits
    number = number_of(count)
    if not number:
        raise Mistyped(":back takes a number of decisions, not {seen}", seen=repr(count))
    return {"command": "back", "seat": seat, "count": number}


def _leave(seen: Seen, text: str) -> Json:
    """Have a bot decide for a person who plays here or at the table, or another one for a bot's seat."""
    game = seen.latest.rules
    bots, here = seen.bots, set(seen.here or filter(seen.sits, seen.seats))
    fits, level = _read_name(seen, text, here | bots)
    named = seats_called(text, seen.whole_names) or (fits and not is_bot(game, level_of(text)))
    if not named and " " not in text and seen.speaker in here:  # no name at all, or none that is known
        fits, level = [seen.speaker], text
    if len(fits) != 1 or (fits[0] in bots and not level):
        raise Mistyped(Text("Type :leave, a name and which bot: {names}", _any_name(seen, here | bots)))
    return {"command": "source", "seat": fits[0], "source": level_of(level) or default_bot(game)}


def _come_back(seen: Seen, text: str) -> Json:
    """Have a person decide again whose seat a bot has: here, or at the table."""
    able = seen.bots & (set(seen.here) or {n for n, seat in enumerate(seen.latest.seats, 1) if seat.place})
    fits = seats_meant(text, seen.whole_names, able) if text else sorted(able & set(seen.here))
    if len(fits) != 1:
        form = Text("Type :return and a name: {names}", _any_name(seen, able))
        raise Mistyped(form if able else Text("No bot plays for anybody here."))
    return {"command": "source", "seat": fits[0], "source": AT_SCREEN if seen.here else AT_TABLE}


def _correct(seen: Seen, text: str) -> Json:
    """Correct a move; or have a seat say anew what it drew in secret."""
    drew = [seat for seat in seats_called(text, seen.whole_names) if seen.sits(seat)]
    if not seen.here and drew:
        return {"command": "mistake", "seat": drew[0]}
    if seats_called(text, seen.whole_names):
        raise Mistyped(":correct NAME enters a secret again that was drawn at the table; type it at a screen beside it")
    at, move = _doubted(text)
    if not move:
        raise Mistyped(":correct takes the number of a move and a move")
    return {"command": "correct", "seat": seen.speaker, "at": at, "move": move}


def _dispute(seen: Seen, text: str) -> Json:
    at, why = _doubted(text)
    if not why:
        raise Mistyped(":dispute takes the number of a move and what is wrong")
    return {"command": "dispute", "seat": seen.speaker, "at": at, "text": why}


def _doubted(text: str) -> tuple[int | None, str]:
    """Return the number of a move, where there is one, and what is said of it."""
    first, _, rest = text.partition(" ")
    at = number_of(first)
    return at, text if at is None else rest


def _any_name(seen: Seen, seats: Collection[int]) -> Json:
    return {"names": any_of([seen.name_of(seat) for seat in sorted(seats)])}


def _read_name(seen: Seen, text: str, seats: Collection[int]) -> tuple[list[int], str]:
    """Return which of some seats a text names, and the last word where that is none of the name.

    A whole name wins over the beginning of one.
    """
    head, _, last = text.rpartition(" ")
    readings = ((text, ""), (head, last))
    whole = [(name, rest) for name, rest in readings if seats_called(name, seen.whole_names)]
    for name, rest in whole or readings:
        if fits := seats_meant(name, seen.whole_names, seats):
            return fits, rest
    return [], ""


ORDERS: Mapping[str, Callable[[Seen, str], Json]] = {
    ":back": _take_back,
    ":call": _call,
    ":correct": _correct,
    ":dispute": _dispute,
    ":leave": _leave,
    ":pause": _pause,
    ":return": _come_back,
}
"""By command: the request for what follows it."""

__all__ = ["ORDERS", "number_of", "read_pace"]
