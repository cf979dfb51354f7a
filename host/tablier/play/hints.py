"""Hints: what the strongest built-in bot would do in a seat's place, worked out beside the game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from threading import Thread
from typing import TYPE_CHECKING, Any

from tablier.games.core import Move
from tablier.games.core.menus import PASS
from tablier.games.core.questions import Choice, Menu, Poll, Tally, Turn, Window, bare, notation
from tablier.play import bots
from tablier.play.declined import Declined
from tablier.play.session import Session
from tablier.texts import Json, Text, Who

if TYPE_CHECKING:
    from tablier.play.inbox import Sender

Answer = Callable[["Sender", Json], None]
"""Takes a message for a sender; from any thread."""


class Hints:
    """Gives hints to whoever asks, each in a thread of its own: a bot that searches takes a second.

    A hint is ``{"hint": {"n", "move"}}``, the move as it is typed or ``null`` for a pass; where there is none,
    ``{"hint": {"n", "why"}}``. ``n`` is the number that the sender has given its request.
    """

    def __init__(self, session: Session, answer: Answer) -> None:
        self._session = session
        self._answer = answer

    def give(self, sender: Sender, seat: int, n: int, *, own: bool) -> None:
        """Have a hint for a seat sent to whoever asks. ``own``: the seat is the asker's own."""
        session = self._session
        try:
            moves, may_pass = self._choices(seat, own)
        except Declined as error:
            self._answer(sender, {"hint": {"n": n, "why": error.text.to_json()}})
            return
        rules, state = session.position.rules, session.position.state
        # A screen beside a table knows no more than everybody.
        view = rules.view(state, seat if own else None)
        think = partial(bots.hint, rules, seat, view, moves, may_pass)
        Thread(target=self._think, args=(sender, n, think), name="hint", daemon=True).start()

    def _choices(self, seat: int, own: bool) -> tuple[Sequence[Move], bool]:
        """Return the moves between which a seat decides now, and whether it may pass. Raise :class:`Declined`."""
        session, question = self._session, self._session.question
        rules = session.position.rules
        if question is None or seat not in session.waiting:
            raise Declined("{who} is not asked anything just now", who=Who(seat))
        composing = isinstance(question, Menu | Poll | Tally)
        if not own and not (rules.OPEN_VIEWS and composing):
            raise Declined("it would tell what only {who} may know", who=Who(seat))
        if isinstance(question, Turn):
            return question.moves, question.may_pass
        if isinstance(question, Choice):
            return question.moves[seat], False
        if isinstance(question, Window):
            return [rules.parse(notation(seat, f"throw {rank} flat")) for rank in question.cards[seat]], True
        if not (isinstance(question, Menu | Poll | Tally) and question.leads):
            raise Declined("there is none for this question")
        may_pass = isinstance(question, Menu) and PASS in map(str, question.options)
        return list(chain.from_iterable(question.leads)), may_pass

    def _think(self, sender: Sender, n: int, think: Callable[[], Move | None]) -> None:
        hint: dict[str, Any] = {"n": n}
        try:
            move = think()
        except Exception as error:  # in a thread of its own nobody else would hear of it
            hint["why"] = Text("the bot failed ({error})", {"error": repr(error)}).to_json()
        else:
            hint["move"] = None if move is None else bare(move)
        self._answer(sender, {"hint": hint})
