"""Simulated people at a desk's table, in this process for speed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from following import following
from ports import console, each
from tablier.keeper.desk import Desk
from tablier.messages import Update
from tablier.simulation.people import People


def crowd_at(
    desk: Desk,
    minds: Mapping[int, str],
    followed: Sequence[str] | None = None,
    *,
    seed: int = 7,
    watch: Callable[[Update], object] = lambda update: None,
) -> Callable[[], float]:
    """Seat people who see pixels, cards and a spectator's updates. Return what has them act, which returns after how
    many seconds they want to act again.

    ``minds``: the bot that each decides like, by seat. ``followed``: moves that they play as long as the game has come
    to them. ``watch`` gets the updates.
    """
    people = People(desk.hands, dict(minds), following(followed), seed=seed)
    latest: Update | None = None

    def deliver(update: Update) -> None:
        nonlocal latest
        latest = update
        watch(update)

    console(desk).watch((None,), each(deliver))
    return lambda: people.act(desk.clock.now(), lambda: latest)
