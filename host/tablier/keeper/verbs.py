"""A tester's verbs that clients of the keeper say: nobody waits for the simulated table to answer them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tablier.simulation.tester import Tester, TesterError
from tablier.texts import Text

OWN = ("join", "opened", "wait", "wake")
"""Verbs with which the conductor takes part in the table's time; from others they would stop it."""
GAME_ENDED = Text("the game has ended")
_MOST = 64

Take = Callable[[dict[str, Any] | TesterError], None]
"""Gets what the table has answered."""


class Verbs:
    """A connection to a simulated table's control socket on which verbs are answered one after the other.

    Call :meth:`work` when it is readable.
    """

    def __init__(self, control: Path) -> None:
        self._control = control
        self._tester: Tester | None = None
        self._asked: deque[tuple[str, list[Take]]] = deque()

    @property
    def files(self) -> list[int]:
        """Return the descriptor that is readable when an answer has come."""
        return [self._tester.fileno()] if self._tester is not None and self._asked else []

    def say(self, verb: str, take: Take, *, shared: bool = False) -> None:
        """Have a verb said, and its answer taken; raise :class:`TesterError` for one that cannot be said here.

        ``shared``: an answer to the same verb that is yet to be asked for will do.
        """
        if verb.split()[:1] and verb.split()[0] in OWN:
            raise TesterError(
                "verb is {verb}, which only the conductor of a game may use; not allowed: {own}",
                verb=verb,
                own=list(OWN),
            )
        waiting = list(self._asked)[1:]
        if shared and waiting and waiting[-1][0] == verb and len(waiting[-1][1]) < _MOST:
            waiting[-1][1].append(take)
            return
        if len(self._asked) >= _MOST:
            raise TesterError("{count} verbs wait for the simulated table; wait for its answers", count=_MOST)
        self._asked.append((verb, [take]))
        if len(self._asked) == 1:
            self._ask()

    def work(self) -> None:
        """Hand out the answers that have come."""
        while self._asked and self._tester is not None:
            try:
                answer: dict[str, Any] | TesterError | None = self._tester.answered()
            except TesterError as error:
                answer = error
            if answer is None:
                return
            self._hand_out(answer)

    def close(self) -> None:
        """Refuse what was not answered."""
        while self._asked:
            for take in self._asked.popleft()[1]:
                take(TesterError(GAME_ENDED))
        if self._tester is not None:
            self._tester.close()
            self._tester = None

    def _ask(self) -> None:
        while self._asked:
            try:
                if self._tester is None:
                    self._tester = Tester(self._control)
                self._tester.ask(self._asked[0][0])
            except TesterError as error:
                for take in self._asked.popleft()[1]:
                    take(error)
            else:
                return

    def _hand_out(self, answer: dict[str, Any] | TesterError) -> None:
        for take in self._asked.popleft()[1]:
            take(answer)
        self._ask()
