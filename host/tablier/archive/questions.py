"""The questions that an archive answers, each with one or several tables.

All but the evenings are answered from what blocks of games add up to (:mod:`tablier.archive.summary`) and from the
ratings.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import accumulate
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, Connection, and_, cast, func, select, true

from tablier.archive.database import Archive, ArchiveError
from tablier.archive.ended import Player, time_of
from tablier.archive.facts import BAG, BEAM, DIE, FACT, STAND_IN, TABLE
from tablier.archive.fairness import LEVEL, POWER, accused, first_level, test_faces, throws_needed
from tablier.archive.listing import is_person, no_club
from tablier.archive.months import moment_of, month_said, month_text
from tablier.archive.ratings import Rating
from tablier.archive.summary import AGAINST, BY_OTHERS, ENDING, GAMES, LENGTH, POINTS
from tablier.archive.tables import CLUB, GAME, PLAYER, RATING, SEAT, SUMMARY
from tablier.course import chance
from tablier.games import ALL_GAMES, facts_of, title_of, words_of
from tablier.games.core import OptionError
from tablier.log.fold import bot_called
from tablier.names import same_name
from tablier.printable import printable
from tablier.table.beams import MARGIN_LEAST, MARGIN_MOST, beam_name
from tablier.texts import Text, Typed, counted, day_text, number_text, render, source_text

Cell = str | int | float | None


class LabelledWord(str):
    """A cell with a word for programs, and a label for people."""

    label: Text

    def __new__(cls, word: str, label: Text) -> LabelledWord:
        labelled = super().__new__(cls, word)
        labelled.label = label
        return labelled


def labelled(word: str, labels: Mapping[str, Text]) -> str:
    """Return a word with its label; the word alone where none is known."""
    return LabelledWord(word, labels[word]) if word in labels else word


class Column(NamedTuple):
    """A column of a table."""

    key: str
    """Its name for programs."""
    head: Text
    form: str = ""
    """The format of its numbers for people, as ``.1f``."""
    hidden: bool = False
    """True for one that programs alone read."""

    def plain(self, cell: Cell) -> Cell:
        """Return one of its cells as programs read it: a month as it is typed, ``None`` for an empty word, anything
        else as it is."""
        if cell == "":
            return None
        return month_text(cell) if self.key == _MONTH.key and isinstance(cell, int) else cell

    def shown(self, cell: Cell) -> str:
        """Return one of its cells as people read it."""
        if isinstance(cell, LabelledWord):
            return printable(render(cell.label))
        if self.key == _MONTH.key and isinstance(cell, int):
            return str(month_said(cell))
        if self.key == _DAY.key and isinstance(cell, str):
            return str(day_text(date.fromisoformat(cell)))
        cell = self.plain(cell)
        if cell is None:
            return ""
        if isinstance(cell, str):
            return printable(title_of(cell) if self.key == _GAME.key else cell)
        return number_text(cell, self.form or ("," if isinstance(cell, int) else "g"))


class Answer(NamedTuple):
    """A table, as an answer or a part of one."""

    key: str
    title: Text
    columns: tuple[Column, ...]
    rows: list[tuple[Cell, ...]]
    notes: tuple[Text, ...] = ()
    """Remarks below it."""

    @property
    def plain(self) -> list[tuple[Cell, ...]]:
        """Return its rows as programs read them."""
        return [tuple(map(Column.plain, self.columns, row)) for row in self.rows]

    @property
    def for_people(self) -> Answer:
        """Return it without the columns that are hidden from people."""
        kept = [at for at, column in enumerate(self.columns) if not column.hidden]
        rows = [tuple(row[at] for at in kept) for row in self.rows]
        return self._replace(columns=tuple(self.columns[at] for at in kept), rows=rows)

    @property
    def by_key(self) -> list[dict[str, Any]]:
        """Return its rows, each by the keys of the columns."""
        keys = [column.key for column in self.columns]
        return [dict(zip(keys, row, strict=True)) for row in self.rows]


@dataclass(frozen=True)
class Scope:
    """The games that are asked about."""

    club: str | None = None
    """``None`` for all."""
    game: str | None = None
    since: int | None = None
    """The first month, such as 202609."""
    until: int | None = None
    """The last month."""

    @property
    def of_games(self) -> ColumnElement[bool]:
        """Return the condition for rows of the table ``game``."""
        club = select(CLUB.c.id).where(CLUB.c.name == self.club).scalar_subquery()
        return and_(
            GAME.c.club == club if self.club is not None else true(),
            GAME.c.kind == self.game if self.game is not None else true(),
            GAME.c.ended >= moment_of(self.since) if self.since is not None else true(),
            GAME.c.ended < moment_of(self.until, after=True) if self.until is not None else true(),
        )


class Query(NamedTuple):
    """A question in the making: a connection, and the rows of the summary that it is about."""

    connection: Connection
    scope: Scope
    where: ColumnElement[bool]
    clubs: dict[int, str]


def not_shown(count: int) -> Text:
    """Return how many rows a table leaves out."""
    return counted(count, "{count} more is not shown.", "{count} more are not shown.")


def ask(archive: Archive, question: str, scope: Scope) -> list[Answer]:
    """Return the answer to one of :data:`QUESTIONS`.

    Raise :class:`ArchiveError` for a club that there is not, and for months in the wrong order.
    """
    if scope.since is not None and scope.until is not None and scope.since > scope.until:
        about = {"since": month_text(scope.since), "until": month_text(scope.until)}
        raise ArchiveError("{since} comes after {until}: the first month has to come first", **about)
    with archive.reading() as connection:
        clubs = {row.id: row.name for row in connection.execute(select(CLUB))}
        if scope.club is not None and scope.club not in clubs.values():
            raise no_club(scope.club, clubs.values())
        chosen = {id: name for id, name in clubs.items() if scope.club in (None, name)}
        where = and_(
            SUMMARY.c.club.in_(sorted(chosen)) if scope.club is not None else true(),
            SUMMARY.c.kind == scope.game if scope.game is not None else true(),
            SUMMARY.c.month >= scope.since if scope.since is not None else true(),
            SUMMARY.c.month <= scope.until if scope.until is not None else true(),
        )
        return QUESTIONS[question].answer(Query(connection, scope, where, chosen))


_TIMES_IN_ALL = cast(func.sum(SUMMARY.c.n), BigInteger)
"""As a whole number: PostgreSQL's sum of these is a decimal one."""
_SUM = func.sum(SUMMARY.c.total)

# -- people and bots -------------------------------------------------------------------------------------

HEAD_TO_HEAD, BY_MONTH = Text("Head to head"), Text("Games by month")
_GAMES_AND_WINS, _DICE_AND_BAGS = Text("Games and wins"), Text("Dice and bags")
_CLUB = Column("club", Text("club", context="column"))
_NAME = Column("name", Text("name", context="column"))
_PLAYER = Column("player", Text("player", context="column"), hidden=True)
"""What tells players of one name apart: a person's id, ``bot greedy``, ``simulated Anne``."""
_NOBODY_KNOWN = LabelledWord("", Text("somebody"))
"""The name of a person whose name was forgotten."""
_GAME = Column("game", Text("game", context="column"))
_DAY = Column("day", Text("day", context="column"))
_MONTH = Column("month", Text("month", context="column"))
_PLAYERS = Column("players", Text("players", context="column"))
_GAMES = Column("games", Text("games", context="column"))
_SHARE = Column("share", Text("share", context="column"), ".1%")


def _players(asked: Query) -> dict[int, tuple[str, str, str]]:
    """Return club, name and key of each player by id. People of one club and one name, as from two logs, are numbered
    for people."""
    found = select(PLAYER, is_person().label("person")).where(PLAYER.c.club.in_(sorted(asked.clubs)))
    rows = asked.connection.execute(found.order_by(PLAYER.c.id)).all()
    ids: dict[tuple[int, str], list[int]] = defaultdict(list)
    for row in rows:
        if row.person and row.name is not None:
            ids[row.club, same_name(row.name)].append(row.id)

    def named(row: Any) -> str:
        if row.name is None:
            return _NOBODY_KNOWN
        if not row.person:  # it may sit there under any name
            return LabelledWord(row.name, _program(row.key, row.name))
        same = ids.get((row.club, same_name(row.name)), [])
        if len(same) < 2:
            return str(row.name)
        about = {"name": row.name, "number": same.index(row.id) + 1}
        return _Namesake(row.name, Text("{name} ({number})", about))

    return {row.id: (asked.clubs[row.club], named(row), row.key) for row in rows}


NUMBERED = Text(
    "Anne (1) and Anne (2) are people of two logs of one club, who are counted apart; 'tablier archive add' of either"
    " log names the command that makes them one."
)


def _program(key: str, name: str) -> Text:
    """Return what a player is called who is no person."""
    if key.startswith("bot "):
        return bot_called(source_text(name))
    return Text("{name} (simulated)", {"name": name})


class _Namesake(LabelledWord):
    """The name of one of several people of a club who are called the same."""


def _about_names(names: Iterable[str]) -> tuple[Text, ...]:
    """Return a remark where people of one name are numbered."""
    numbered = any(isinstance(each, _Namesake) for each in names)
    return (NUMBERED,) if numbered else ()


def _present(asked: Query) -> Answer:
    """Return how many people and how many programs have played: also those for whom somebody else decided, and bots
    that did so."""
    played = select(SUMMARY.c.player).where(asked.where, SUMMARY.c.what.in_((GAMES, BY_OTHERS)))
    rows = asked.connection.execute(select(PLAYER.c.club, PLAYER.c.key, is_person()).where(PLAYER.c.id.in_(played)))
    people: dict[str, set[str]] = defaultdict(set)
    programs: dict[str, set[str]] = defaultdict(set)
    for club, key, person in rows:
        (people if person else programs)[asked.clubs[club]].add(key)
    stood_in = select(SUMMARY.c.club, SUMMARY.c.value).where(asked.where, SUMMARY.c.what == STAND_IN).distinct()
    for club, source in asked.connection.execute(stood_in):
        programs[asked.clubs[club]].add(Player.program("bot", source).key)
    columns = (
        *(_CLUB, Column("people", Text("people", context="column"))),
        Column("programs", Text("bots and simulated people", context="column")),
    )
    counts: list[tuple[Cell, ...]] = [
        (club, len(people[club]), len(programs[club])) for club in sorted({*people, *programs})
    ]
    return Answer("players", Text("Players"), columns, counts)


_SEVERAL_SEATS = Text(
    "A bot that has several seats has played a game once, and has won it if one of them has; its points are those of a"
    " seat."
)


_BY_OTHERS = Text(
    "By others: games in which a bot decided for the person, or somebody else for the bot; they count for nothing else,"
    " neither for ratings nor head to head."
)


_WON = "won"


def _results(asked: Query) -> list[Answer]:
    """Return the games, wins and points of each player, people first; points of different games are not added."""
    what = (GAMES, POINTS, BY_OTHERS)
    rows = asked.connection.execute(
        select(SUMMARY.c.player, SUMMARY.c.kind, SUMMARY.c.what, _TIMES_IN_ALL, _SUM)
        .where(asked.where, SUMMARY.c.what.in_(what))
        .group_by(SUMMARY.c.player, SUMMARY.c.kind, SUMMARY.c.what)
    )
    found: dict[tuple[str, int], dict[str, float]] = defaultdict(lambda: dict.fromkeys((*what, _WON), 0))
    seats: dict[tuple[str, int], int] = {}
    for player, kind, which, n, total in rows:
        found[kind, player][which] = total / n if which == POINTS else n
        if which == GAMES:
            found[kind, player][_WON] = total
        if which == POINTS:
            seats[kind, player] = n
    several = any(seats.get(key, 0) > of[GAMES] for key, of in found.items())
    players = _players(asked)
    columns = (
        *(_GAME, _CLUB, _NAME, _PLAYER, _GAMES, Column("won", Text("won", context="column")), _SHARE),
        Column("points", Text("points a game", context="column"), ".2f"),
        Column("by_others", Text("by others", context="column")),
    )
    order = sorted(found.items(), key=lambda each: (each[0][0], *_place(players[each[0][1]], each[1])))
    rows_: list[tuple[Cell, ...]] = []
    for (kind, player), of in order:
        own = (_share_won(of), of[POINTS]) if of[GAMES] else (None, None)
        rows_.append((kind, *players[player], int(of[GAMES]), int(of[_WON]), *own, int(of[BY_OTHERS])))
    by_others = any(of[BY_OTHERS] for of in found.values())
    namesakes = _about_names(players[player][1] for _, player in found)
    notes = (*([_SEVERAL_SEATS] if several else []), *([_BY_OTHERS] if by_others else []), *namesakes)
    together = _together(found, players, columns) if len({kind for kind, _ in found}) > 1 else []
    return [Answer("results", _GAMES_AND_WINS, columns, rows_, notes), *together, _present(asked)]


def _together(
    found: Mapping[tuple[str, int], Mapping[str, float]],
    players: Mapping[int, tuple[str, str, str]],
    columns: tuple[Column, ...],
) -> list[Answer]:
    """Return the games and wins of each player in all games together."""
    sums: dict[int, dict[str, float]] = defaultdict(lambda: dict.fromkeys((GAMES, _WON, BY_OTHERS), 0))
    for (_, player), of in found.items():
        for what in sums[player]:
            sums[player][what] += of[what]
    table: list[tuple[Cell, ...]] = []
    for player, of in sorted(sums.items(), key=lambda each: _place(players[each[0]], each[1])):
        share = _share_won(of) if of[GAMES] else None
        table.append((*players[player], int(of[GAMES]), int(of[_WON]), share, int(of[BY_OTHERS])))
    kept = tuple(column for column in columns if column.key not in (_GAME.key, "points"))
    return [Answer("overall", ALL_GAMES, kept, table)]


def _place(player: tuple[str, str, str], of: Mapping[str, float]) -> tuple[Any, ...]:
    """Return the place of a player in a table: people before programs, those who have won the most first."""
    return not Player(player[2], None).is_person, -_share_won(of), -of[GAMES], player


def _share_won(of: Mapping[str, float]) -> float:
    return of[_WON] / of[GAMES] if of[GAMES] else 0.0


def _head_to_head(asked: Query) -> list[Answer]:
    """Return for each pair how often the one was ahead of the other; an equal rank counts half for each."""
    rows = asked.connection.execute(
        select(SUMMARY.c.kind, SUMMARY.c.player, SUMMARY.c.value, _TIMES_IN_ALL, _SUM)
        .where(asked.where, SUMMARY.c.what == AGAINST)
        .group_by(SUMMARY.c.kind, SUMMARY.c.player, SUMMARY.c.value)
    )
    players = _players(asked)
    columns = (
        *(_GAME, _CLUB, _NAME, _PLAYER, Column("other", Text("against", context="column"))),
        _PLAYER._replace(key="other_player"),
        _GAMES,
        Column("share", Text("ahead", context="column"), ".0%"),
    )
    found = []
    for kind, player, other, n, ahead in rows:
        (club, name, key), (_, rival, rival_key) = players[player], players[int(other)]
        share = round(ahead / n, 9)  # sums of thirds differ in their last digits
        # Of the two rows of a pair, keep that of the player who was ahead more often.
        if (share, rival, int(other)) > (0.5, name, player):
            found.append((kind, club, name, key, rival, rival_key, n, share))
    found.sort(key=lambda row: (*row[:2], -row[6], *row[2:6]))
    note = Text("Ahead: in which share of these games the one came before the other; an equal rank counts half.")
    return [Answer("against", HEAD_TO_HEAD, columns, list(found), (note,) if found else ())]


def _ratings(asked: Query) -> list[Answer]:
    """Return each player's strength as OpenSkill estimates it, game by game."""
    of_game = RATING.c.kind == asked.scope.game if asked.scope.game is not None else true()
    rows = asked.connection.execute(select(RATING).where(RATING.c.club.in_(sorted(asked.clubs)), of_game))
    players = _players(asked)
    known = [(row, Rating(row.mu, row.sigma)) for row in rows]
    found = [(row.kind, *players[row.player], it.mu, it.uncertainty, it.ordinal, row.games) for row, it in known]
    found.sort(key=lambda row: (row[0], -row[4], row[1:4]))
    columns = (
        *(_GAME, _CLUB, _NAME, _PLAYER, Column("rating", Text("rating", context="column"), ".1f")),
        Column("uncertainty", Text("±", context="column"), ".1f"),
        Column("at_least", Text("at least", context="column"), ".1f"),
        _GAMES,
    )
    notes = (
        Text(
            "Ratings are OpenSkill's (Plackett and Luce), over all games of a club; two players of different clubs"
            " cannot be compared. Of 20 strengths 19 lie within ± of the rating, and nearly all above 'at least'."
        ),
    )
    return [Answer("ratings", Text("Ratings"), columns, list(found), notes)]


# -- games -----------------------------------------------------------------------------------------------


def _lengths(asked: Query) -> list[Answer]:
    """Return the numbers of moves of games."""
    rows = asked.connection.execute(
        select(SUMMARY.c.kind, SUMMARY.c.players, SUMMARY.c.value, _TIMES_IN_ALL)
        .where(asked.where, SUMMARY.c.what == LENGTH)
        .group_by(SUMMARY.c.kind, SUMMARY.c.players, SUMMARY.c.value)
    )
    found: dict[tuple[str, int], dict[int, int]] = defaultdict(dict)
    for kind, players, value, n in rows:
        found[kind, players][int(value)] = n
    columns = (
        *(_GAME, _PLAYERS, _GAMES),
        Column("least", Text("fewest moves", context="column")),
        Column("median", Text("median", context="column"), "g"),
        Column("mean", Text("mean", context="column"), ".1f"),
        Column("most", Text("most", context="column")),
    )
    table: list[tuple[Cell, ...]] = []
    for (kind, players), lengths in sorted(found.items()):
        n = sum(lengths.values())
        mean = sum(length * times for length, times in lengths.items()) / n
        table.append((kind, players, n, min(lengths), _median(lengths), mean, max(lengths)))
    return [Answer("lengths", Text("Lengths"), columns, table), _spread(found)]


_CLASSES_MOST = 12
"""The most classes of lengths of one game."""


def _spread(found: dict[tuple[str, int], dict[int, int]]) -> Answer:
    """Return how many games of each kind have about the same length, in classes of equal width from the first one that
    has a game to the last."""
    by_kind: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for (kind, _), lengths in found.items():
        for length, n in lengths.items():
            by_kind[kind][length] += n
    table: list[tuple[Cell, ...]] = []
    for kind, lengths in sorted(by_kind.items()):
        width = _class_width(min(lengths), max(lengths))
        for at in range(min(lengths) // width, max(lengths) // width + 1):
            first, last = at * width, (at + 1) * width - 1
            n = sum(times for length, times in lengths.items() if first <= length <= last)
            table.append((kind, first, last, n, n / sum(lengths.values())))
    columns = (
        *(_GAME, Column("from", Text("from", context="number of moves"))),
        *(Column("to", Text("to", context="number of moves")), _GAMES, _SHARE),
    )
    return Answer("spread", Text("Games by length"), columns, table)


def _class_width(least: int, most: int) -> int:
    """Return 1, 2 or 5, or ten times as much and so on: the least with at most :data:`_CLASSES_MOST` classes."""
    power = 1
    while True:
        for width in (power, 2 * power, 5 * power):
            if most // width - least // width < _CLASSES_MOST:
                return width
        power *= 10


def _median(counts: dict[int, int]) -> float:
    """Return the median of values that are given with how often each is there."""
    values = sorted(counts)
    upto = list(accumulate(counts[value] for value in values))
    n = upto[-1]
    return (values[bisect_right(upto, (n - 1) // 2)] + values[bisect_right(upto, n // 2)]) / 2


def _endings(asked: Query) -> list[Answer]:
    """Return how often games ended in which way."""
    rows = asked.connection.execute(
        select(SUMMARY.c.kind, SUMMARY.c.value, _TIMES_IN_ALL)
        .where(asked.where, SUMMARY.c.what == ENDING)
        .group_by(SUMMARY.c.kind, SUMMARY.c.value)
    )
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for kind, value, n in rows:
        found[kind][value] = n
    columns = (_GAME, Column("ending", Text("ended by", context="column")), _GAMES, _SHARE)
    table: list[tuple[Cell, ...]] = [
        (kind, _ending(kind, ending), n, n / sum(ends.values()))
        for kind, ends in sorted(found.items())
        for ending, n in sorted(ends.items(), key=lambda each: (-each[1], each[0]))
    ]
    return [Answer("endings", Text("Endings"), columns, table)]


def _ending(kind: str, ending: str) -> str:
    """Return how a game has ended, with the game's own label where it has one and is installed here."""
    try:
        return labelled(ending, words_of(kind).endings)
    except OptionError:
        return ending


_MOST_WORDS = 12
"""Rows of a table for one fact that is told by words."""


def _play(asked: Query) -> list[Answer]:
    """Return the facts of how games were played, game by game."""
    rows = asked.connection.execute(
        select(SUMMARY.c.kind, SUMMARY.c.what, SUMMARY.c.value, _TIMES_IN_ALL, _SUM)
        .where(asked.where, SUMMARY.c.what.like(f"{FACT} %"))
        .group_by(SUMMARY.c.kind, SUMMARY.c.what, SUMMARY.c.value)
    )
    found: dict[str, dict[str, dict[str, tuple[int, float]]]] = defaultdict(lambda: defaultdict(dict))
    for kind, what, value, n, total in rows:
        found[kind][what.removeprefix(f"{FACT} ")][value] = n, total
    games = _games(asked)
    return [answer for kind, facts in sorted(found.items()) for answer in _shown(kind, facts, games[kind])]


def _games(asked: Query) -> dict[str, int]:
    """Return how many games there are of each kind."""
    rows = asked.connection.execute(
        select(SUMMARY.c.kind, _TIMES_IN_ALL).where(asked.where, SUMMARY.c.what == LENGTH).group_by(SUMMARY.c.kind)
    )
    return {row[0]: row[1] for row in rows}


def _shown(kind: str, facts: dict[str, dict[str, tuple[int, float]]], games: int) -> list[Answer]:
    """Return a table of the facts of a game that are numbers, and one for each that is told by words.

    Of a game that is not installed here or cannot be loaded, nothing says what its facts are called.
    """
    try:
        known = facts_of(kind)
    except OptionError:
        return []
    title = Text("{game}", {"game": title_of(kind)})
    columns = (
        Column("fact", Text("fact", context="column")),
        Column("sum", Text("together", context="column"), "g"),
        Column("per_game", Text("a game", context="column"), ".2f"),
    )
    sums: list[tuple[Cell, ...]] = [
        (LabelledWord(key, name), facts[key][""][1], facts[key][""][1] / games)
        for key, name in known.names.items()
        if "" in facts[key]
    ]
    answers = (
        [Answer(f"{kind}.facts", Text("{game}: how it was played", {"game": title}), columns, sums)] if sums else []
    )
    for key, name in known.names.items():
        words = {value: n for value, (n, _) in facts[key].items() if value}
        if not words:
            continue
        most = sorted(words.items(), key=lambda each: (-each[1], each[0]))
        together = sum(words.values())
        labels = {value: known.values.get(value, Text("{move}", {"move": Typed("", value)})) for value in words}
        table: list[tuple[Cell, ...]] = [(labelled(value, labels), n, n / together) for value, n in most[:_MOST_WORDS]]
        left = len(most) - len(table)
        notes = (not_shown(left),) if left else ()
        heads = (Column("value", Text("value", context="column")), Column("times", _TIMES.head), _SHARE)
        answers.append(
            Answer(f"{kind}.{key}", Text("{game}: {fact}", {"game": title, "fact": name}), heads, table, notes)
        )
    return answers


# -- dice and tables -------------------------------------------------------------------------------------

_TIMES = Column("times", Text("times", context="column"))
SOURCES = {
    chance.HOST: Text("host", context="source of chance"),
    chance.ROLL: Text("table", context="source of chance"),
    chance.TALLY: Text("by hand", context="source of chance"),
}
"""The label of a source, by its name in the log."""
NOT_FAIR, NO_FINDING = "not_fair", "no_finding"
_VERDICTS = {NOT_FAIR: Text("not fair"), NO_FINDING: Text("–")}
_SORTS = {"bag": Text("bag")}
LOADED = 0.2
"""The share of the throws with which a die of six shows the face that it favours, for which the throws needed are told:
once in five instead of once in six."""


def throws_enough(tested: int) -> int:
    """Return how many throws find a die that shows one face with a share of :data:`LOADED`, with a chance of
    :data:`~tablier.archive.fairness.POWER`, where that many dice and bags are tested together.

    Nobody else may be accused before it: its p then has to pass the strictest of Holm's levels.
    """
    return throws_needed(6, LOADED, first_level(tested))


def _dice(asked: Query) -> list[Answer]:
    """Return tests of dice and bags, by their source."""
    rows = asked.connection.execute(
        select(SUMMARY.c.club, SUMMARY.c.kind, SUMMARY.c.what, SUMMARY.c.value, _TIMES_IN_ALL, _SUM)
        .where(asked.where, SUMMARY.c.what.like(f"{DIE} %") | SUMMARY.c.what.like(f"{BAG} %"))
        .group_by(SUMMARY.c.club, SUMMARY.c.kind, SUMMARY.c.what, SUMMARY.c.value)
    )
    found: dict[tuple[str, str, str], dict[str, tuple[int, float]]] = defaultdict(dict)
    for club, kind, what, value, n, total in rows:
        found[kind, asked.clubs[club], what][value] = n, total
    tested = {key: _tested(key[2], values) for key, values in sorted(found.items())}
    guilty = set(accused({"\n".join(key): row.p for key, row in tested.items()}))
    table: list[tuple[Cell, ...]] = []
    for key, row in tested.items():
        kind, club, what = key
        verdict = NOT_FAIR if "\n".join(key) in guilty else NO_FINDING
        table.append((kind, club, *row.told, row.p, labelled(verdict, _VERDICTS)))
    columns = (
        *(
            _GAME,
            _CLUB,
            Column("source", Text("source", context="column")),
            Column("die", Text("die", context="column")),
        ),
        Column("n", Text("throws", context="column")),
        Column("face", Text("unlike", context="column")),
        Column("seen", Text("seen", context="column"), ".1%"),
        Column("expected", Text("fair", context="column"), ".1%"),
        Column("p", Text("p", context="column"), ".3f"),
        Column("verdict", Text("verdict", context="column")),
    )
    needed = throws_enough(len(table))
    notes = (
        Text(
            "Unlike: the face that is farthest from its fair share. p: the chance of counts as unlike what was to be"
            " expected, or more, if all is fair."
            " Of all dice and bags here together, a fair one is accused with a chance of {level} (Holm).",
            {"level": number_text(LEVEL, ".0%")},
        ),
        Text(
            "A die of six that shows one face once in five instead of once in six is seen, beside all these, with a"
            " chance of {power} after {needed} throws; with fewer, '–' says little.",
            {"power": number_text(POWER, ".0%"), "needed": number_text(needed, ",d")},
        ),
    )
    return [Answer("dice", _DICE_AND_BAGS, columns, table, notes)]


class _Tested(NamedTuple):
    told: tuple[Cell, ...]
    p: float


def _tested(what: str, values: dict[str, tuple[int, float]]) -> _Tested:
    """Return what a test says of a die or a bag: of what, throws, the face that is most unlike, its share, p."""
    sort, source, *more = what.split(" ")
    faces = sorted(values)
    counts = [values[face][0] for face in faces]
    n = sum(counts)
    if sort == DIE:
        sides = int(more[0])
        counts += [0] * (sides - len(counts))  # those that were never thrown
        faces += ["?"] * (sides - len(faces))
        weights = [1.0] * sides
    else:
        weights = [values[face][1] for face in faces]
    fair = test_faces(counts, [1] * len(counts) if sort == DIE else weights)
    about = (labelled(source, SOURCES), labelled(f"d{len(faces)}" if sort == DIE else sort, _SORTS), n)
    if fair.face is None:
        return _Tested((*about, None, None, None), fair.p)
    share = weights[fair.face] / sum(weights)
    face = LabelledWord(faces[fair.face], Text("{face}", {"face": Typed("", faces[fair.face])}))
    return _Tested((*about, face, counts[fair.face] / n, share), fair.p)


TABLE_EVENTS = {
    "reset": Text("the table was reset in a game"),
    "gap": Text("events of the table were lost"),
    "aborted": Text("a roll was broken off"),
    "void": Text("a choice was void"),
    "fault": Text("something could not be taken"),
    "warning": Text("the table warned"),
    "dispute": Text("somebody disputed a move"),
    "doubtful": Text("a landing was doubtful"),
    "landed": Text("a card landed, doubtful or not"),
    "hello": Text("the table was found"),
}
"""Troubles first, then what they are to be compared with."""


def event_order(event: str) -> int:
    """Return the place of an event of a table in lists of them."""
    known = list(TABLE_EVENTS)
    return known.index(event) if event in known else len(known)


def _tables(asked: Query) -> list[Answer]:
    """Return what tables went through, by month."""
    rows = asked.connection.execute(
        select(SUMMARY.c.club, SUMMARY.c.month, SUMMARY.c.value, _TIMES_IN_ALL)
        .where(asked.where, SUMMARY.c.what == TABLE)
        .group_by(SUMMARY.c.club, SUMMARY.c.month, SUMMARY.c.value)
    )
    found = [(asked.clubs[club], month, labelled(value, TABLE_EVENTS), n) for club, month, value, n in rows]
    columns = (_CLUB, _MONTH, Column("what", Text("what happened", context="column")), _TIMES)
    found.sort(key=lambda row: (*row[:2], event_order(row[2]), row[2]))
    went = Answer("tables", Text("Tables"), columns, list(found))
    beams = _beams(asked)
    return [went, beams] if beams.rows else [went]


def _beams(asked: Query) -> Answer:
    """Return how much of its light each beam of a table could do without, by month; the mean of the games there."""
    rows = asked.connection.execute(
        select(SUMMARY.c.club, SUMMARY.c.month, SUMMARY.c.value, _SUM / _TIMES_IN_ALL)
        .where(asked.where, SUMMARY.c.what == BEAM)
        .group_by(SUMMARY.c.club, SUMMARY.c.month, SUMMARY.c.value)
    )
    found: list[tuple[Cell, ...]] = []
    for club, month, value, margin in sorted(rows, key=lambda row: (asked.clubs[row.club], row.month, row.value)):
        board, _, beam = value.partition(" ")
        found.append((asked.clubs[club], month, board, LabelledWord(beam, beam_name(int(beam))), margin / 100))
    columns = (
        *(_CLUB, _MONTH, Column("table", Text("table", context="column"))),
        *(Column("beam", Text("beam", context="column")), Column("margin", Text("to spare", context="column"), ".0%")),
    )
    about = {"least": MARGIN_LEAST, "most": MARGIN_MOST}
    note = Text(
        "How much of its light each beam of the arena could do without, by the last self-test before each game;"
        " allowed: {least}% to {most}%.",
        about,
    )
    return Answer("beams", Text("Beams"), columns, found, (note,))


def _evenings(asked: Query) -> list[Answer]:
    """Return the numbers of games, evenings and series; of one club evening by evening."""
    rows = asked.connection.execute(
        select(SUMMARY.c.club, SUMMARY.c.month, SUMMARY.c.kind, _TIMES_IN_ALL)
        .where(asked.where, SUMMARY.c.what == LENGTH)
        .group_by(SUMMARY.c.club, SUMMARY.c.month, SUMMARY.c.kind)
    )
    found = [(asked.clubs[club], month, kind, n) for club, month, kind, n in rows]
    months = Answer("months", BY_MONTH, (_CLUB, _MONTH, _GAME, _GAMES), sorted(found))
    one = _one_by_one(asked) if asked.scope.club is not None else _by_club(asked)
    return [months, one] if one.rows else [months]


def _within(asked: Query) -> ColumnElement[bool]:
    """Return the condition for games of evenings that are asked about."""
    return and_(GAME.c.evening > 0, asked.scope.of_games)


_EVENING = (GAME.c.club, GAME.c.source, GAME.c.evening)
_SERIES = Column("series", Text("series", context="column"))


def _by_club(asked: Query) -> Answer:
    games, series = func.count().label("games"), func.count(GAME.c.series.distinct()).label("series")
    each = select(GAME.c.club, games, series).where(_within(asked)).group_by(*_EVENING).subquery()
    rows = asked.connection.execute(
        select(
            each.c.club,
            func.count(),
            cast(func.sum(each.c.series), BigInteger),
            cast(func.sum(each.c.games), BigInteger),
        ).group_by(each.c.club)
    )
    found = [(asked.clubs[club], evenings, series, games) for club, evenings, series, games in rows]
    columns = (_CLUB, Column("evenings", Text("evenings", context="column")), _SERIES, _GAMES)
    return Answer("evenings", Text("Evenings"), columns, sorted(found))


def _one_by_one(asked: Query) -> Answer:
    rows = asked.connection.execute(
        select(*_EVENING, func.min(GAME.c.began), func.count(), func.count(GAME.c.series.distinct()))
        .where(_within(asked))
        .group_by(*_EVENING)
    ).all()
    people = asked.connection.execute(
        select(*_EVENING, func.count(SEAT.c.player.distinct()))
        .join(SEAT, and_(SEAT.c.source == GAME.c.source, SEAT.c.number == GAME.c.number))
        .join(PLAYER, PLAYER.c.id == SEAT.c.player)
        .where(_within(asked), is_person())
        .group_by(*_EVENING)
    )
    there = {tuple(key): n for *key, n in people}
    found = sorted((began, there.get(tuple(key), 0), series, games) for *key, began, games, series in rows)
    columns = (
        *(_DAY, Column("people", Text("people", context="column"))),
        *(_SERIES, _GAMES),
    )
    table: list[tuple[Cell, ...]] = [
        (str(_day_of(began)), people, series, games) for began, people, series, games in found
    ]
    return Answer("evenings", Text("Evenings"), columns, table)


def _day_of(moment: int) -> date:
    """Return the day of a time in microseconds since 1970, as calendars here have it."""
    at = time_of(moment)
    try:
        return at.astimezone().date()
    except (OverflowError, ValueError):  # a clock that was set to the first or the last year there is
        return at.date()


# -- all of them -----------------------------------------------------------------------------------------


NO_GAMES = Text("There are no such games in the archive.")


class Question(NamedTuple):
    """A question, and what answers it."""

    name: Text
    """Of a part of a page, or a link to it."""
    answer: Callable[[Query], list[Answer]]
    none: Text = NO_GAMES
    """A sentence for games that give no answer."""


QUESTIONS: dict[str, Question] = {
    "results": Question(_GAMES_AND_WINS, _results),
    "against": Question(HEAD_TO_HEAD, _head_to_head, Text("No two players have met in these games.")),
    "ratings": Question(Text("Ratings"), _ratings, Text("None of these games is rated.")),
    "evenings": Question(Text("Evenings"), _evenings),
    "lengths": Question(Text("Lengths"), _lengths),
    "endings": Question(Text("Endings"), _endings),
    "play": Question(Text("How it was played"), _play, Text("These games do not show how they were played.")),
    "dice": Question(_DICE_AND_BAGS, _dice, Text("No dice were thrown and nothing was drawn in these games.")),
    "tables": Question(Text("Tables"), _tables, Text("Nothing was logged of a table in these games.")),
}


def nothing(archive: Archive, question: str, scope: Scope) -> Text:
    """Return the sentence for a question to which the answer is empty."""
    there = any(answer.rows for answer in ask(archive, "lengths", scope))
    return QUESTIONS[question].none if there else NO_GAMES
