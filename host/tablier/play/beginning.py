"""Beginning a game in the log: its first entry, and the seed of its chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tablier.course.chance import VERSION, HostSeed, Sources
from tablier.course.entries import SCHEMA, Body, Item
from tablier.course.seats import Seat
from tablier.games import abilities_of, game_class, versions_of
from tablier.log.chain import digest_of
from tablier.log.store import Log
from tablier.names import same_name
from tablier.texts import TextError
from tablier_fw import wire


def begin(
    log: Log,
    game: str,
    options: Mapping[str, Any],
    seats: Sequence[Seat],
    *,
    practice: bool = False,
    seed: str = "",
    sources: Sources | None = None,
    evening: int | None = None,
    series: int | None = None,
) -> int:
    """Log that a game begins, with the seed and the sources of its chance, and return its id.

    ``evening`` and ``series``: those that it belongs to. Raise ``OptionError`` for sources that these seats cannot
    have, ``ValueError`` for a person who cannot have one of them.
    """
    head = heading(game, options, seats, practice=practice, sources=sources)
    for seat, body in zip(seats, head["seats"], strict=True):
        if seat.is_person:
            person = log.person(body.pop("name"))
            body |= {"person": person, "named": log.bind(person)}
    head |= {key: value for key, value in (("evening", evening), ("series", series)) if value is not None}
    return log.begin_game(items=[(None, *seed_of(head, seed or HostSeed.new()))], **head)


def seed_of(head: Body, seed: str) -> Item:
    """Return the entry of a game's seed. It names the heading that it was drawn for, so that neither changes alone."""
    return "seed", {"seed": seed, "heading": digest_of(head, seed)}


def heading(
    game: str,
    options: Mapping[str, Any],
    seats: Sequence[Seat],
    *,
    practice: bool = False,
    sources: Sources | None = None,
) -> Body:
    """Return the body of the entry with which a game begins, people still named by name. Without ``sources`` all chance
    is the host's."""
    _check_apart([seat.name for seat in seats if seat.is_person])
    chance: Body = {}
    rules = game_class(game)(len(seats), options)
    if sources is not None:
        sources.check(rules, [seat.at_table for seat in seats])
        chance = {"chance": {**sources.to_json(), "version": VERSION}}
    return {
        "game": game,
        "options": dict(options),
        "seats": [seat.to_json() | ({"simulated": seat.simulated} if seat.simulated else {}) for seat in seats],
        "schema": SCHEMA,
        "versions": versions_of(game),
        "practice": practice,
        **({"prelude": True} if rules.prelude() is not None else {}),
        **chance,
    }


def _check_apart(names: Sequence[str]) -> None:
    """Raise ``TextError`` for names of one person."""
    first: dict[str, str] = {}
    for name in names:
        if (one := same_name(name)) in first:
            raise TextError("{other} and {name} are one person, who cannot have two seats", other=first[one], name=name)
        first[one] = name


class Needs(NamedTuple):
    """What a game needs of a table."""

    game: str
    abilities: int
    """As bits."""

    @property
    def arena(self) -> bool:
        """Return whether cards are thrown into the arena."""
        return bool(self.abilities & wire.CAN_WINDOW)


def needs_of(game: str, sources: Sources | None = None) -> Needs:
    """Return what a game needs of a table; its chance comes from these sources, or from the host."""
    return Needs(game, abilities_of(game) | (sources or Sources()).abilities)
