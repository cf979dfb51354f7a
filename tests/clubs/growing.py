"""The log of a club: short games of real conductors, with what happens to a log between them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import replies
from at_screens import HandClock, Screens
from tablier.course.seats import AT_SCREEN, Seat
from tablier.log.chain import Entry, LogError
from tablier.log.store import Log
from tablier.play.beginning import begin

_NAMES = ("Anne", "Bernard", "Christine", "Daniel")
_GAMES_MAX = 20
"""So that a long campaign takes as long for each of its deeds as a short one."""


class Growing:
    """A log that grows, for the thread that made it."""

    def __init__(self, path: Path, dice: random.Random) -> None:
        self.path = path
        self._dice = dice
        self._log = Log.open(path)
        self._names = list(_NAMES)
        self._series: dict[str, Any] = {}
        self._reopened = 0
        """The game whose end was taken back."""
        evening = self._log.begin_evening("", [(self._log.person(name), 0) for name in _NAMES[:2]])
        self._series = {"evening": evening, "series": self._log.begin_series(evening, ["d21"], count=2)}
        self._play()

    def close(self) -> None:
        """End what was begun, and let the log go."""
        self._resume()
        self._log.close()

    @property
    def entries(self) -> int:
        """Return the number of entries."""
        return self._log.entry_with(self._log.head) or 0

    def grow(self) -> None:
        """Have something happen: mostly a game."""
        if self._reopened:
            self._resume()
            return
        happens = [self._rename, self._forget, self._merge, self._take_back]
        if self._log.last_game < _GAMES_MAX:
            happens += [self._play] * 6
        self._dice.choice(happens)()

    # -- games ---------------------------------------------------------------------------------------

    def _play(self) -> None:
        kind, options = self._dice.choice(
            [("d21", {"max_plies": 2}), ("d21", {"max_plies": 4}), ("dicke-daemonen", {})]
        )
        seats = [Seat(name, 0, AT_SCREEN) for name in self._names[:2]]
        if self._series and self._log.evenings()[0].ended is None:
            kind, options = "d21", {"max_plies": 2}
        else:
            self._series = {}
            seats = [Seat(name, 0, AT_SCREEN) for name in self._dice.sample(self._names, 2)]
            if self._dice.random() < 0.2:
                seats[1] = Seat("Robot", 0, "random")
        self._go_on(begin(self._log, kind, options, seats, **self._series))
        if self._series and self._log.last_game == 2:
            self._log.close_evening(self._series["evening"])

    def _go_on(self, game: int) -> None:
        people = [seat for seat, body in enumerate(self._log.game(game).seats, 1) if "person" in body]
        room = Screens(self._log, game, HandClock(), tuple(people))
        room.play_until(pick=self._pick)
        room.running.close()

    def _pick(self, moves: Sequence[Any], may_pass: bool) -> Any:
        return self._dice.choice(moves)

    def _take_back(self) -> None:
        """Take back the end of the last game, if two people have played it."""
        info = self._log.game()
        if info.game != "d21" or not all("person" in seat for seat in info.seats):
            return
        self._reopened = info.id
        room = Screens(self._log, info.id, HandClock(), (1, 2))
        room.command("back", seat=1)
        room.say(2, replies.answer(True))
        room.running.close()

    def _resume(self) -> None:
        if self._reopened:
            self._go_on(self._reopened)
            self._reopened = 0

    # -- people --------------------------------------------------------------------------------------

    def _rename(self) -> None:
        at, name = self._somebody()
        self._log.rename(self._person(name), self._newly(at, name))

    def _forget(self) -> None:
        at, name = self._somebody()
        person = self._person(name)
        self._newly(at, name)
        with suppress(LogError):  # while a client reads, the name stays in the -wal
            self._log.forget(person)

    def _merge(self) -> None:
        at, name = self._somebody()
        person = self._person(name)
        self._log.merge(person, self._log.person(self._newly(at, name)))

    def _somebody(self) -> tuple[int, str]:
        """Return somebody who is not at the first evening, which may still go on."""
        at = self._dice.randrange(2, len(self._names))
        return at, self._names[at]

    def _person(self, name: str) -> str:
        return self._log.person(name)

    def _newly(self, at: int, name: str) -> str:
        """Return another name for somebody, by which those who begin games call them from now on."""
        self._names[at] = f"{name.split()[0]} {self._dice.randrange(10**6)}"
        return self._names[at]


def ended_at(entries: Iterable[Entry], last: int) -> set[int]:
    """Return the games that had ended when an entry was the last."""
    ended: set[int] = set()
    for entry in entries:
        if entry.n <= last and entry.game is not None:
            if entry.kind == "end":
                ended.add(entry.game)
            elif entry.kind in ("takeback", "move"):
                ended.discard(entry.game)
    return ended
