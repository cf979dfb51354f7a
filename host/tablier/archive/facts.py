"""The facts of an ended game, one a row: its dice and draws, its table, and how it was played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tablier.archive.ended import EndedGame
from tablier.course.chance import kind_of
from tablier.games import facts_of
from tablier.games.core import Move, Position
from tablier.log.bodies import BY_PEOPLE

STAND_IN = "stand-in"
"""value: the bot that decided for somebody."""
DIE, BAG = "die", "bag"
"""``die roll 6``: source and faces; value: the face. ``bag host``; value: what was drawn, total: how often it was to
be expected."""
TABLE = "table"
"""value: an event of the table."""
BEAM = "beam"
"""value: the board of the table and a beam, counted from 0; total: its margin."""
FACT = "fact"
"""``fact duels``: a fact of :mod:`tablier.games.core.facts`; value: a word, or total: a number."""

WHAT_MAX, VALUE_MAX = 40, 80
"""Characters of what a fact is about, and of its value; of a value those beyond are cut off."""


class FactRow(NamedTuple):
    """A fact as an archive keeps it: that of a seat is added to those of the others. A game has one of a value."""

    what: str
    value: str = ""
    n: int = 1
    """How often."""
    total: float = 0.0
    """A sum."""


def facts_in(game: EndedGame, position: Position[Any] | None = None) -> list[FactRow]:
    """Return the facts of a game.

    :param position: where its moves have led, if they have just been played; without it they are replayed.

    Raise ``RecordError`` where its moves cannot be played by the rules as they are.
    """
    found: dict[tuple[str, str], FactRow] = {}
    for each in (*_about_table(game), *_about_play(game, position or game.replayed())):
        fact = each._replace(value=each.value[:VALUE_MAX])
        before = found.get(fact[:2])
        if before is not None:
            fact = fact._replace(n=before.n + fact.n, total=before.total + fact.total)
        found[fact[:2]] = fact
    return list(found.values())


def _about_table(game: EndedGame) -> Iterator[FactRow]:
    """Yield who stood in for somebody, and what the table went through."""
    for source in sorted({source for each in game.stand_ins for source in each.by if source not in BY_PEOPLE}):
        yield FactRow(STAND_IN, source)
    for what, times in game.table.items():
        yield FactRow(TABLE, what, times)
    for board, margins in game.margins.items():
        for beam, margin in enumerate(margins):
            if margin is not None:
                yield FactRow(BEAM, f"{board} {beam}", total=float(margin))


def _about_play(game: EndedGame, position: Position[Any]) -> Iterator[FactRow]:
    """Yield what was thrown and drawn, and what the game shows of how it was played."""
    rules = position.rules
    for before, move in position.history():
        if not move.actor and (outcomes := rules.chance(before)):
            draw = rules.draw(before)
            source = game.sources.of(draw)
            if draw.dice:
                for face in move.args:
                    yield FactRow(f"{DIE} {source} {draw.ranges[0]}", str(face))
            else:
                yield from _drawn(f"{BAG} {source}", outcomes, move)
    if position.is_over:
        for _, what, value in facts_of(game.kind).of(position):
            if isinstance(value, str):
                yield FactRow(f"{FACT} {what}", value)
            else:
                yield FactRow(f"{FACT} {what}", total=float(value))


def _drawn(what: str, outcomes: Sequence[tuple[Move, int]], move: Move) -> Iterator[FactRow]:
    """Yield what was drawn, and how often each kind was to be expected."""
    weights: dict[str, int] = {}
    for outcome, weight in outcomes:
        value = " ".join(map(str, kind_of(outcome)))
        weights[value] = weights.get(value, 0) + weight
    drawn, whole = " ".join(map(str, kind_of(move))), sum(weights.values())
    for value, weight in weights.items():
        yield FactRow(what, value, int(value == drawn), weight / whole)
