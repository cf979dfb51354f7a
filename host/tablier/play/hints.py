"""Hints: what the strongest built-in bot would do in a seat's place, worked out beside the game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any

from tablier.games.core import Move
from tablier.games.core.menus import PASS
from tablier.games.core.questions import Choice, Menu, Poll, Tally, Turn, Window, bare
from tablier.play import bots
from tablier.play.declined import Declined
from tablier.play.session import Session
from tablier.texts import Text, Who

if TYPE_CHECKING:
    from tablier.play.inbox import Sender

Post = Callable[[str, Any], None]
"""Hands a sender and a message for it to the conductor's thread, from any thread: as ``hint``, or as ``thought`` when a
bot has ended."""
_Thought = tuple[int, Callable[[], Move | None]]


class Hints:
    """Gives hints to whoever asks. A bot that searches takes a second, so it thinks in a thread beside the game: one
    for each connection; of requests that come meanwhile the latest is next.

    A hint is ``{"hint": {"n", "move"}}``, the move as it is typed or ``null`` for a pass; where there is none,
    ``{"hint": {"n", "why"}}``. ``n`` is the number that the sender has given its request.
    """

    def __init__(self, session: Session, post: Post) -> None:
        self._session = session
        self._post = post
        self._thinking: set[Sender] = set()
        self._waiting: dict[Sender, _Thought] = {}

    def give(self, sender: Sender, seat: int, n: int, *, own: bool) -> None:
        """Have a hint for a seat sent to whoever asks. ``own``: the seat is the asker's own."""
        session = self._session
        try:
            moves, may_pass = self._choices(seat, own)
        except Declined as error:
            self._refuse(sender, n, error.text)
            return
        rules, state = session.position.rules, session.position.state
        # A screen beside a table knows no more than everybody.
        view = rules.view(state, seat if own else None)
        think = partial(bots.hint, rules, seat, view, moves, may_pass) if moves else lambda: None
        if sender not in self._thinking:
            self._start(sender, (n, think))
            return
        if sender in self._waiting:
            self._refuse(sender, self._waiting[sender][0], Text("another one was asked for"))
        self._waiting[sender] = n, think

    def next(self, sender: Sender) -> None:
        """Take note that a bot has ended its thought for a sender; begin what waits for that."""
        self._thinking.discard(sender)
        if sender in self._waiting:
            self._start(sender, self._waiting.pop(sender))

    def _start(self, sender: Sender, thought: _Thought) -> None:
        thread = Thread(target=self._think, args=(sender, *thought), name="hint", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:  # too many threads: not the game's affair
            self._refuse(sender, thought[0], _failed(error))
        else:
            self._thinking.add(sender)

    def _choices(self, seat: int, own: bool) -> tuple[Sequence[Move], bool]:
        """Return the moves between which a seat decides now, and whether it may pass. Raise :class:`Declined`."""
        session, question = self._session, self._session.question
        rules = session.position.rules
        if question is None or seat not in session.waiting:
            raise Declined("{who} is not asked anything just now", who=Who(seat))
        if isinstance(question, Turn):
            moves, may_pass = question.moves, question.may_pass
        elif isinstance(question, Choice):
            moves, may_pass = question.moves[seat], False
        elif isinstance(question, Window) and seat in question.cards:
            moves, may_pass = question.throws(seat), True
        elif isinstance(question, Menu | Poll | Tally) and question.leads:
            moves = tuple(move for leads in question.leads for move in leads)
            may_pass = isinstance(question, Menu) and PASS in map(str, question.options)
        else:
            raise Declined("there is none for this question")
        if not own and not (rules.OPEN_VIEWS and isinstance(question, Menu | Poll | Tally)):
            raise Declined("it would tell what only {who} may know", who=Who(seat))
        return moves, may_pass

    def _think(self, sender: Sender, n: int, think: Callable[[], Move | None]) -> None:
        hint: dict[str, Any] = {"n": n}
        try:
            move = think()
        except Exception as error:  # in a thread of its own nobody else would hear of it
            hint["why"] = _failed(error).to_json()
        else:
            hint["move"] = None if move is None else bare(move)
        self._post("thought", (sender, {"hint": hint}))

    def _refuse(self, sender: Sender, n: int, why: Text) -> None:
        self._post("hint", (sender, {"hint": {"n": n, "why": why.to_json()}}))


def _failed(error: Exception) -> Text:
    return Text("the bot failed ({error})", {"error": repr(error)})
