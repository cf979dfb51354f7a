"""Fold the entries into games, their moves, evenings, people. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tablier.log.bodies import END, SEATED, misfit
from tablier.log.chain import Entry

KINDS = ("evening", "game", "begins", "move", "takeback", "end")
"""The kinds from which games follow."""


class GameInfo(NamedTuple):
    """One game of the log."""

    id: int
    """Games are numbered from 1 in the order in which they began."""
    game: str
    """The name of its rules."""
    options: dict[str, Any]
    """With those that its prelude has settled."""
    seats: list[dict[str, Any]]
    """The seats, first seat first: ``name``, ``place``, ``source``."""
    started: str
    ended: str | None
    """``None`` while it goes on, which it does again when its end is taken back."""
    moves: int
    """The number of moves that stand."""
    result: dict[str, Any] | None
    """``{"scores", "winners"}`` of a game that has ended."""
    evening: int
    """Evenings are numbered from 1; a game that was begun outside every evening is one of its own."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the players, first seat first."""
        return tuple(str(seat.get("name", "")) for seat in self.seats)

    @property
    def winners(self) -> tuple[str, ...]:
        """Return the names of those who have won."""
        won = (self.result or {}).get("winners", ())
        return tuple(name for number, name in enumerate(self.names, 1) if f"p{number}" in won)


class Person(NamedTuple):
    """Somebody who plays, known by name."""

    id: str
    """The id by which entries name the person; empty for somebody who has been at no evening."""
    name: str
    games: int
    """Games begun."""
    won: int
    place: int
    """The place where the person sat last, 0 for none."""


def kept(entry: Entry, moves: int) -> int:
    """Return how many of a game's moves a takeback leaves. Raise ``ValueError`` when it says no such number."""
    to = entry.body.get("to")
    if type(to) is not int or not 0 <= to <= moves:
        raise ValueError(f"takes back to move {to!r} of {moves}")
    return to


def standing(entries: Iterable[Entry]) -> list[str]:
    """Return the moves of one game that were not taken back. Raise ``ValueError`` for entries that cannot be."""
    moves: list[str] = []
    for entry in entries:
        if entry.kind == "move":
            moves.append(_text(entry))
        elif entry.kind == "takeback":
            try:
                del moves[kept(entry, len(moves)) :]
            except ValueError as error:
                raise ValueError(f"entry {entry.n} {error}") from None
    return moves


def _text(entry: Entry) -> str:
    text = entry.body.get("text")
    if not isinstance(text, str):
        raise ValueError(f"entry {entry.n} is a move without a text")
    return text


def games_of(entries: Iterable[Entry]) -> list[GameInfo]:
    """Return every game, in order. Raise ``ValueError`` for entries that cannot be.

    :param entries: those of :data:`KINDS`, in order.
    """
    games: dict[int | None, GameInfo] = {}
    evenings = 0
    for entry in entries:
        if entry.kind == "evening":
            evenings += 1
            continue
        if entry.kind == "game":
            within = entry.body.get("evening")
            evenings += within is None
            games[entry.game] = _begun(entry, evenings if within is None else within)
            continue
        info = games.get(entry.game)
        if info is None:
            raise ValueError(f"entry {entry.n} is a {entry.kind} of game {entry.game}, which never began")
        if entry.kind == "end":
            if wrong := misfit(entry.body, END):
                raise ValueError(f"entry {entry.n} is no result: {wrong}")
            games[entry.game] = info._replace(ended=entry.at, result=entry.body)
            continue
        if entry.kind == "begins":
            if not isinstance(settled := entry.body.get("options"), dict):
                raise ValueError(f"entry {entry.n} begins a game without saying how")
            games[entry.game] = info._replace(options={**info.options, **settled})
            continue
        try:
            moves = info.moves + 1 if entry.kind == "move" else kept(entry, info.moves)
        except ValueError as error:
            raise ValueError(f"entry {entry.n} {error}") from None
        games[entry.game] = info._replace(moves=moves, ended=None, result=None)
    return list(games.values())


def _begun(entry: Entry, evening: int) -> GameInfo:
    body = entry.body
    if not (
        entry.game is not None
        and isinstance(body.get("game"), str)
        and isinstance(body.get("options"), dict)
        and isinstance(body.get("seats"), list)
        and not any(misfit(seat, SEATED) for seat in body["seats"])
    ):
        raise ValueError(f"entry {entry.n} begins a game without saying which")
    return GameInfo(entry.game, body["game"], body["options"], body["seats"], entry.at, None, 0, None, evening)


def people_of(games: Iterable[GameInfo], ids: Mapping[str, str], came: Iterable[Entry]) -> list[Person]:
    """Return everybody who ever played or was at an evening, in the order of their first appearance.

    :param ids: the ids of people, by name.
    :param came: the entries of kind ``came``, in order.
    """
    people: dict[str, Person] = {}
    for info in games:
        for at, name in enumerate(info.names):
            person = people.get(name, Person(ids.get(name, ""), name, 0, 0, 0))
            people[name] = person._replace(place=info.seats[at]["place"] or person.place)
        for name in dict.fromkeys(info.names):
            person = people[name]
            people[name] = person._replace(games=person.games + 1, won=person.won + (name in info.winners))
    names = {id: name for name, id in ids.items()}
    for entry in came:
        name = names[entry.body["person"]]
        person = people.get(name, Person(ids[name], name, 0, 0, 0))
        people[name] = person._replace(place=entry.body["place"] or person.place)
    return list(people.values())
