"""The turning points of a game: the moves after which somebody else led, or that moved the points most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tablier.texts import Text, number_text

MOST = 3
"""The most turning points that are told of a game."""


class Turn(NamedTuple):
    """A move after which somebody else led, or by which somebody gained or lost more than by others."""

    at: int
    """The number of the move."""
    seat: int
    """The new leader, or the seat that gained or lost most."""
    rival: int
    """The best of the others after the move, 0 where nobody else plays."""
    leads: bool
    """True if ``seat`` leads alone since then, and was not the last one who did before."""
    led: int
    """The last seat that led alone before the move, 0 if none did."""
    gained: float
    """The points that ``seat`` gained, negative if it lost some."""
    points: tuple[float, ...]
    """The points of each seat after the move."""


def turning_points(course: Sequence[Sequence[float]], most: int = MOST) -> list[Turn]:
    """Return the turning points of a game, the first one first.

    ``course`` has the points of each seat after each number of moves. A new leader comes before any other change, and
    a larger change of somebody's lead before a smaller one. The first points of the game are no turning point, unless
    they are the only ones, nor is what a seat loses first: a stake. Return nothing where points came with the last move
    alone.
    """
    if not course or all(list(points) == list(course[0]) for points in course[:-1]):
        return []
    found: list[tuple[Turn, bool, float]] = []
    first: list[tuple[Turn, bool, float]] = []
    leader, begun = _leader(course[0]), set[int]()
    for at in range(1, len(course)):
        before, after = course[at - 1], course[at]
        changed = _changed(before, after)
        if changed:
            turn = _turn(at, before, after, leader)
            taken = turn.leads and leader != 0
            stakes = begun.isdisjoint(changed) and all(after[seat - 1] < before[seat - 1] for seat in changed)
            if not stakes:
                (found if begun or taken else first).append((turn, taken, _moved(before, after)))
            begun.update(changed)
        leader = _leader(after) or leader
    found = found or first
    found.sort(key=lambda each: (not each[1], -each[2], each[0].at))
    return sorted(turn for turn, _, _ in found[:most])


def heading(counts: object | None) -> Text:
    """Return the heading of turning points. ``counts``: what is counted, where that is not the points."""
    return Text("Turning points:") if counts is None else Text("Turning points ({what}):", {"what": counts})


def turn_text(turn: Turn, names: Sequence[str]) -> Text:
    """Return a turning point as people are told it."""
    name = names[turn.seat - 1]
    about = {"at": turn.at, "name": name, "points": _points(turn, turn.seat), "by": number_text(abs(turn.gained))}
    if not turn.rival:
        text = Text("Move {at}: {name} gains {by}, now {points}.", about)
        return text if turn.gained > 0 else Text("Move {at}: {name} loses {by}, now {points}.", about)
    about = {**about, "rival": names[turn.rival - 1], "theirs": _points(turn, turn.rival)}
    if turn.leads and turn.led == turn.rival:
        return Text("Move {at}: {name} takes the lead from {rival}, {points} to {theirs}.", about)
    if turn.leads and turn.led:
        about["led"] = names[turn.led - 1]
        return Text("Move {at}: {name} takes the lead from {led}, {points} to {rival}'s {theirs}.", about)
    if turn.leads:
        return Text("Move {at}: {name} takes the lead, {points} to {rival}'s {theirs}.", about)
    if turn.gained > 0 and turn.points[turn.seat - 1] == turn.points[turn.rival - 1]:
        return Text("Move {at}: {name} draws level with {rival} at {points}.", about)
    if turn.gained > 0:
        return Text("Move {at}: {name} gains {by}, now {points} to {rival}'s {theirs}.", about)
    return Text("Move {at}: {name} loses {by}, now {points} to {rival}'s {theirs}.", about)


def _turn(at: int, before: Sequence[float], after: Sequence[float], led: int) -> Turn:
    """Return what a move changed; ``led``: the last seat that led alone before it."""
    seats, ahead = range(1, len(after) + 1), _leader(after)
    leads = ahead not in (0, led)
    seat = ahead if leads else max(_changed(before, after), key=lambda seat: abs(after[seat - 1] - before[seat - 1]))
    rival = max((other for other in seats if other != seat), key=lambda other: after[other - 1], default=0)
    return Turn(at, seat, rival, leads, led, after[seat - 1] - before[seat - 1], tuple(after))


def _changed(before: Sequence[float], after: Sequence[float]) -> list[int]:
    """Return the seats whose points a move changed."""
    return [seat for seat, (was, now) in enumerate(zip(before, after, strict=True), 1) if was != now]


def _moved(before: Sequence[float], after: Sequence[float]) -> float:
    """Return the largest change of somebody's distance to the best other."""
    return max(abs(_lead(after, seat) - _lead(before, seat)) for seat in range(1, len(after) + 1))


def _lead(points: Sequence[float], seat: int) -> float:
    """Return how far a seat is before the best of the others, or behind it."""
    others = [each for other, each in enumerate(points, 1) if other != seat]
    return points[seat - 1] - max(others, default=0.0)


def _leader(points: Sequence[float]) -> int:
    """Return the seat that leads alone, 0 if none does."""
    best = max(points)
    return list(points).index(best) + 1 if list(points).count(best) == 1 else 0


def _points(turn: Turn, seat: int) -> str:
    return number_text(turn.points[seat - 1])


__all__ = ["MOST", "Turn", "turn_text", "turning_points"]
