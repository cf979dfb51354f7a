"""Fold the entries into games, their moves, evenings, people. Pure functions."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tablier.log.bodies import END, SEATED, misfit, wrong_game
from tablier.log.chain import OF_ENTRY, Entry
from tablier.log.deciding import StandIn
from tablier.log.evenings import ABANDONED
from tablier.log.people import Names, Person
from tablier.messages import Result
from tablier.names import same_name
from tablier.texts import Text, TextError, counted

KINDS = ("evening", "game", "begins", "takeback", "end", "sits", ABANDONED)
"""The kinds from which games follow, besides moves, of which only the number counts here."""
PLAYED_AS = "played_as"
"""The key of a seat whose person has another name by now than in the game: that name; ``None`` where nothing says which
it was, though the person was not forgotten."""


class Moves(NamedTuple):
    """The entries of a game's moves, of which the number and the ends are known without reading them."""

    total: int
    first: int
    last: int
    numbers: Callable[[], Sequence[int]]
    """Return the numbers of all of them, in order."""

    def before(self, n: int) -> int:
        """Return how many of them come before an entry."""
        if n <= self.first:
            return 0
        return self.total if n > self.last else bisect_left(self.numbers(), n)


class GameInfo(NamedTuple):
    """One game of the log."""

    id: int
    """Games are numbered from 1 in the order in which they began."""
    game: str
    """The name of its rules."""
    options: dict[str, Any]
    """With those that its prelude has settled."""
    seats: list[dict[str, Any]]
    """The seats, first seat first: ``name``, ``place``, ``source``; a person's with ``person``, too, and with
    :data:`PLAYED_AS` where the game was played under another name."""
    started: str
    ended: str | None
    """``None`` while unfinished, or reopened by a take-back."""
    moves: int
    """The number of moves that stand."""
    result: dict[str, Any] | None
    """``{"scores", "winners"}`` of a game that has ended."""
    evening: int
    """Evenings are numbered from 1; a game that was begun outside every evening is one of its own."""
    stand_ins: tuple[StandIn, ...] = ()
    """What others than those who have the seats decided there: it is no result of theirs."""
    abandoned: bool = False
    """True for a game that was begun by mistake, say: it counts nowhere and cannot be resumed."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the players, first seat first."""
        return tuple([str(seat.get("name", "")) for seat in self.seats])

    @property
    def is_played(self) -> bool:
        """Return whether something was played that counts."""
        return not self.abandoned and (self.ended is not None or self.moves > 0)

    @property
    def outcome(self) -> Result | None:
        """Return how it has ended; ``None`` while unfinished."""
        return None if self.result is None else Result.read(self.result)

    @property
    def winners(self) -> tuple[str, ...]:
        """Return the names of those who have won."""
        names, outcome = self.names, self.outcome
        return () if outcome is None else tuple([names[seat - 1] for seat in outcome.winners])

    @property
    def doubled(self) -> set[str]:
        """Return the people who have several seats, since people were merged: the game cannot be resumed."""
        people = [seat["person"] for seat in self.seats if "person" in seat]
        return {each for each in people if people.count(each) > 1}

    def is_own(self, seat: int) -> bool:
        """Return whether who has a seat decided all of its moves that stand."""
        return all(each.seat != seat for each in self.stand_ins)

    @property
    def remarks(self) -> list[Text]:
        """Return clauses that every list says beside the result: who played under another name, and where others
        decided for who has a seat."""
        return [*map(_played_as, self.renamed), *(each.text(self.names) for each in self.stand_ins)]

    @property
    def renamed(self) -> list[tuple[str, str | None]]:
        """Return the present names of people who played under another one, each with that (:data:`PLAYED_AS`)."""
        return [(seat["name"], seat[PLAYED_AS]) for seat in self.seats if PLAYED_AS in seat]


def _played_as(renamed: tuple[str, str | None]) -> Text:
    name, former = renamed
    if former is None:
        return Text("nothing says under which name {name} played", {"name": name})
    return Text("{name} played as {former}", {"name": name, "former": former})


def kept(entry: Entry, moves: int) -> int:
    """Return how many of a game's moves a takeback leaves. Raise ``ValueError`` when it says no such number."""
    to = entry.body.get("to")
    if type(to) is not int or not 0 <= to <= moves:
        raise TextError("takes back to move {to} of {moves}", to=repr(to), moves=moves)
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
                raise _wrong(entry, error) from None
    return moves


def _wrong(entry: Entry, error: ValueError) -> TextError:
    return TextError(OF_ENTRY.of(n=entry.n, why=error))


def _text(entry: Entry) -> str:
    text = entry.body.get("text")
    if not isinstance(text, str):
        raise TextError("entry {n} is a move without a text", n=entry.n)
    return text


def games_of(
    entries: Iterable[Entry],
    moves: Mapping[int | None, Moves],
    evening: int | None = None,
    *,
    decided: Callable[[int, Sequence[Mapping[str, Any]]], tuple[StandIn, ...]],
    but: Container[int | None] = (),
) -> list[GameInfo]:
    """Return the games that these entries begin, in order, with seats as the entries have them (:func:`named` gives
    people their names). Raise ``ValueError`` for entries that cannot be.

    :param entries: those of :data:`KINDS`, in order.
    :param moves: by game, those that it has. Moves are most of a log, and are not read.
    :param evening: the evening of all of them; without it evenings are counted, and the entries are those of all games.
    :param decided: returns who decided in a game with these seats (:mod:`tablier.log.deciding`); asked only of games
        in which somebody else took a seat.
    :param but: games to leave out, whatever their entries hold.
    """
    games: dict[int | None, GameInfo] = {}
    made: dict[int | None, int] = {}
    taken: set[int] = set()

    def count_moves(game: int | None, until: int) -> None:
        """Count the moves of a game before an entry; they reopen one that has ended."""
        at = moves[game].before(until) if game in moves else 0
        if more := at - made.get(game, 0):
            made[game] = at
            games[game] = games[game]._replace(moves=games[game].moves + more, ended=None, result=None)

    evenings = 0
    known: set[str] = set()
    for entry in entries:
        if entry.kind == "evening" and entry.game is None:
            evenings += 1
            continue
        if entry.kind == "game":
            within = entry.body.get("evening")
            evenings += "evening" not in entry.body
        if entry.game in but:
            continue
        if entry.kind == "game":
            games[entry.game] = _begun(entry, evening or (evenings if within is None else within), known)
            continue
        if entry.game not in games:
            text = "entry {n} is a {kind} of game {game}, which never began"
            raise TextError(text, n=entry.n, kind=entry.kind, game=str(entry.game))
        if entry.kind == "evening":
            raise _wrong(entry, wrong_game(entry))
        count_moves(entry.game, entry.n)
        info = games[entry.game]
        if entry.kind == "sits":
            taken.add(info.id)
            continue
        if entry.kind == ABANDONED:
            games[entry.game] = info._replace(abandoned=True)
            continue
        if entry.kind == "end":
            if wrong := misfit(entry.body, END):
                raise TextError("entry {n} is not the result of a game: {wrong}", n=entry.n, wrong=wrong)
            games[entry.game] = info._replace(ended=entry.at, result=entry.body)
            continue
        if entry.kind == "begins":
            if not isinstance(settled := entry.body.get("options"), dict):
                raise TextError("entry {n} begins a game without saying how", n=entry.n)
            games[entry.game] = info._replace(options={**info.options, **settled})
            continue
        try:
            left = kept(entry, info.moves)
        except ValueError as error:
            raise _wrong(entry, error) from None
        games[entry.game] = info._replace(moves=left, ended=None, result=None)
    for game, made_in in moves.items():
        if game in but:
            continue
        if game not in games:
            text = "entry {n} is a move of game {game}, which never began"
            raise TextError(text, n=made_in.first, game=str(game))
        count_moves(game, made_in.last + 1)
    for id in sorted(taken):
        games[id] = games[id]._replace(stand_ins=decided(id, games[id].seats))
    return list(games.values())


def _unnamed_game(entry: Entry) -> TextError:
    return TextError("entry {n} begins a game without saying which", n=entry.n)


def _begun(entry: Entry, evening: int, known: set[str]) -> GameInfo:
    """Return a game as it begins. ``known``: the seats of games before, as their ``repr``: most come again."""
    body = entry.body
    if not (
        entry.game is not None
        and isinstance(body.get("game"), str)
        and isinstance(body.get("options"), dict)
        and isinstance(body.get("seats"), list)
    ):
        raise _unnamed_game(entry)
    for seat in body["seats"]:
        if (key := repr(seat)) not in known:
            if not SEATED.allows(seat):
                raise _unnamed_game(entry)
            known.add(key)
    return GameInfo(entry.game, body["game"], body["options"], body["seats"], entry.at, None, 0, None, evening)


def named(seats: Iterable[dict[str, Any]], names: Names) -> list[dict[str, Any]]:
    """Return the seats of a game with the names that stand beside the chain. Where somebody is called by now as a bot
    of the game was, the bot's name says that it is one."""
    told = [_named(seat, names) for seat in seats]
    bots = [seat for seat in told if "person" not in seat]
    if bots:
        people = {same_name(str(seat["name"])) for seat in told if "person" in seat}
        for seat in bots:
            if same_name(str(seat["name"])) in people:
                seat["name"] = str(bot_called(seat["name"]))
    return told


def bot_called(name: Text | str) -> Text:
    """Return what a bot is called whose name somebody else in its game has."""
    return Text("{name} (bot)", {"name": name})


def _named(seat: dict[str, Any], names: Names) -> dict[str, Any]:
    """Return a seat with the name that stands beside the chain."""
    if "person" not in seat:
        return dict(seat)
    one = names.one(seat["person"])
    told = {**seat, "name": names.of(one), "person": one}
    played = names.played(seat["person"], seat["named"])
    same = played is not None and (played == told["name"] or same_name(played) == same_name(told["name"]))
    return told if same or one not in names.known else told | {PLAYED_AS: played}


class Place(NamedTuple):
    """Where somebody sat at a table."""

    entry: int
    """The number of the entry that says so."""
    person: str
    place: int


def people_of(
    games: Sequence[GameInfo], names: Names, came: Iterable[Place], begun: Callable[[int], int]
) -> list[Person]:
    """Return everybody who has a name, in the order in which they were first named.

    :param games: all of the log, in the order in which they began.
    :param came: where each sat last when somebody came to an evening.
    :param begun: returns the number of the entry with which a game began.
    """
    played, won, by_others = Counter[str](), Counter[str](), Counter[str]()
    placed: dict[str, tuple[int, int]] = {}  # where each sat in the last game
    for info in games:
        seated = {}
        for number, seat in enumerate(info.seats, 1):
            if (person := seat.get("person")) is not None:
                seated[person] = number  # with two seats somebody has played one game
                if seat["place"]:
                    placed[person] = info.id, seat["place"]
        if info.ended is None:
            continue
        outcome = info.outcome
        winners = () if outcome is None else outcome.winners
        for person, number in seated.items():
            if not info.stand_ins or info.is_own(number):
                played[person] += 1
                won[person] += number in winners
            else:
                by_others[person] += 1
    sat = [Place(begun(game), person, place) for person, (game, place) in placed.items()]
    places = {names.one(person): place for _, person, place in sorted([*came, *sat])}
    return [Person(id, name, played[id], won[id], places.get(id, 0), by_others[id]) for id, name in names.known.items()]


def compare_names(games: Iterable[GameInfo]) -> tuple[list[Text], list[Text]]:
    """Return a sentence for each of the people who have played under another name than their present one, and one for
    each of whom nothing says under which.

    Another name is no fault: people are renamed and merged.
    """
    found: dict[tuple[str, str | None], list[int]] = {}
    for info in games:
        for renamed in info.renamed:
            found.setdefault(renamed, []).append(info.id)
    told: list[Text] = []
    missing: list[Text] = []
    for (name, former), numbers in sorted(found.items(), key=lambda each: each[1]):
        about = {"name": name, "former": former, "first": numbers[0], "last": numbers[-1]}
        if former is None:
            missing.append(Text("what says under which name {name} played game {first} is missing", about))
        else:
            one = "{name} played game {first} as {former}"
            many = "{name} played {count} games as {former}: {first} to {last}"
            told.append(counted(len(numbers), one, many, **about))
    return told, missing
