"""Hints: what the strongest built-in bot would do in a seat's place, worked out beside the game."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from tablier.games.core import Move
from tablier.games.core.menus import PASS
from tablier.games.core.questions import Choice, Menu, Poll, Tally, Turn, Window, bare
from tablier.play import bots
from tablier.play.declined import Declined
from tablier.play.session import Session
from tablier.texts import Failure, Json, Text, Who

if TYPE_CHECKING:
    from tablier.play.inbox import Sender

_turn = Lock()
"""Held by the bot that thinks: each needs megabytes for that, and two would only slow each other."""
Think = Callable[[], Json]
"""Thinks, in a thread of its own, and returns what to tell. May raise anything; of a ``Failure`` its text is told."""
A = TypeVar("A", bound=Hashable)
A_contra = TypeVar("A_contra", bound=Hashable, contravariant=True)


class Tell(Protocol[A_contra]):
    """Takes what is to be told to an asker, with the number of its request. ``thought``: it comes from the thread of a
    bot that has ended; then call :meth:`Thoughts.next` where requests come in."""

    def __call__(self, asker: A_contra, n: int, told: Json, *, thought: bool) -> None: ...


class Thoughts(Generic[A]):
    """Bots that think beside whoever asks, in a thread of their own, one at a time; of an asker's requests that come
    meanwhile the latest is next. What is told is what the bot returns, or ``why`` there is nothing.

    Of all bots that think so in this process, wherever they are asked, one does at a time.
    """

    def __init__(self, tell: Tell[A]) -> None:
        self._tell = tell
        self._busy = False
        self._waiting: dict[A, tuple[int, Think]] = {}

    def ask(self, asker: A, n: int, think: Think) -> None:
        """Have a bot think as soon as none does."""
        if asker in self._waiting:
            self.refuse(asker, self._waiting.pop(asker)[0], Text("another one was asked for"))
        self._waiting[asker] = n, think
        self._start()

    def next(self) -> None:
        """Take note that a bot has ended its thought; begin what waits for that."""
        self._busy = False
        self._start()

    def forget(self, asker: A) -> None:
        """Drop what an asker waits for: it has gone."""
        self._waiting.pop(asker, None)

    def refuse(self, asker: A, n: int, why: Text) -> None:
        self._tell(asker, n, {"why": why.to_json()}, thought=False)

    def _start(self) -> None:
        while self._waiting and not self._busy:
            asker = next(iter(self._waiting))
            n, think = self._waiting.pop(asker)
            try:
                Thread(target=self._think, args=(asker, n, think), name="hint", daemon=True).start()
            except RuntimeError as error:  # too many threads: not the game's affair
                self.refuse(asker, n, _failed(error))
            else:
                self._busy = True

    def _think(self, asker: A, n: int, think: Think) -> None:
        try:
            with _turn:
                told = think()
        except Failure as error:
            told = {"why": error.text.to_json()}
        except Exception as error:  # in a thread of its own nobody else would hear of it
            told = {"why": _failed(error).to_json()}
        self._tell(asker, n, told, thought=True)


class Hints:
    """Gives hints on the open question of a game to whoever asks, one at a time.

    A hint is ``{"hint": {"n", "move"}}``, the move as it is typed or ``null`` for a pass, with ``because`` where the
    bot or the game says why; where there is none,
    ``{"hint": {"n", "why"}}``. ``n`` is the number that the sender has given its request.
    """

    def __init__(self, session: Session, post: Callable[[str, Any], None]) -> None:
        """``post`` hands a sender and a message for it to the conductor's thread, from any thread: as ``hint``, or as
        ``thought`` when a bot has ended."""
        self._session = session
        self._post = post
        self._thoughts: Thoughts[Sender] = Thoughts(self._tell)

    def give(self, sender: Sender, seat: int, n: int, *, own: bool) -> None:
        """Have a hint for a seat sent to whoever asks. ``own``: the seat is the asker's own."""
        session = self._session
        try:
            moves, may_pass = self._choices(seat, own)
        except Declined as error:
            self._thoughts.refuse(sender, n, error.text)
            return
        rules, state = session.position.rules, session.position.state
        # A screen beside a table knows no more than everybody.
        decision = bots.Decision(rules, seat, rules.view(state, seat if own else None), tuple(moves), may_pass)
        self._thoughts.ask(sender, n, lambda: _told(bots.hint(decision)) if moves else {"move": None})

    def next(self) -> None:
        """Take note that a bot has ended its thought; begin what waits for that."""
        self._thoughts.next()

    def forget(self, sender: Sender) -> None:
        """Drop what a sender waits for: it has gone."""
        self._thoughts.forget(sender)

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

    def _tell(self, asker: Sender, n: int, told: Json, *, thought: bool) -> None:
        self._post("thought" if thought else "hint", (asker, {"hint": {"n": n, **told}}))


def _told(advice: bots.Advice) -> Json:
    """Return a hint as it is sent."""
    because = {"because": advice.because.to_json()} if advice.because is not None else {}
    return {"move": None if advice.move is None else bare(advice.move), **because}


def _failed(error: Exception) -> Text:
    return Text("the bot failed ({error})", {"error": repr(error)})
