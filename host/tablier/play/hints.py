"""Hints: what the strongest built-in bot would do in a seat's place, worked out beside the game."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from tablier.bots import bots
from tablier.bots.thinking import Call, Room
from tablier.course.declined import Declined
from tablier.course.session import Session
from tablier.games import rules_of
from tablier.games.core import Move
from tablier.games.core.menus import PASS
from tablier.games.core.questions import Choice, Menu, Poll, Tally, Turn, Window, bare
from tablier.texts import Failure, Json, Text, Who

if TYPE_CHECKING:
    from tablier.play.inbox import Sender

A = TypeVar("A", bound=Hashable)
A_contra = TypeVar("A_contra", bound=Hashable, contravariant=True)


class Tell(Protocol[A_contra]):
    """Takes what is to be told to an asker, with the number of its request."""

    def __call__(self, asker: A_contra, n: int, told: Json) -> None: ...


class Thoughts(Generic[A]):
    """Bots that think beside the asker, one at a time; of an asker's requests that come meanwhile the latest is
    next. What is told is what the bot returns, or ``why`` there is nothing."""

    def __init__(self, tell: Tell[A], room: Room) -> None:
        """``room``: where they think, one at a time of all that are asked there."""
        self._tell = tell
        self._room = room
        self._busy = False
        self._waiting: dict[A, tuple[int, Call]] = {}

    def ask(self, asker: A, n: int, think: Call) -> None:
        """Have a bot think as soon as none does: ``think`` returns what to tell."""
        if asker in self._waiting:
            self.refuse(asker, self._waiting.pop(asker)[0], Text("another one was asked for"))
        self._waiting[asker] = n, think
        self._start()

    def forget(self, asker: A) -> None:
        """Drop what an asker waits for: it has gone."""
        self._waiting.pop(asker, None)

    def refuse(self, asker: A, n: int, why: Text) -> None:
        self._tell(asker, n, {"why": why.to_json()})

    def _start(self) -> None:
        while self._waiting and not self._busy:
            asker = next(iter(self._waiting))
            n, think = self._waiting.pop(asker)
            self._busy = True
            self._room.ask(think, partial(self._hear, asker, n))

    def _hear(self, asker: A, n: int, said: Any) -> None:
        self._busy = False
        self._tell(asker, n, {"why": said.text.to_json()} if isinstance(said, Failure) else said)
        self._start()


class Hints:
    """Gives hints on the open question of a game to whoever asks, one at a time.

    A hint is ``{"hint": {"n", "move"}}``, the move as it is typed or ``null`` for a pass, with ``because`` where the
    bot or the game says why; where there is none,
    ``{"hint": {"n", "why"}}``. ``n`` is the number that the sender has given its request.
    """

    def __init__(self, session: Session, post: Callable[[str, Any], None], room: Room) -> None:
        """``post`` hands the conductor a sender and a message for it, as ``hint``; ``room``: where bots think."""
        self._session = session
        self._post = post
        self._thoughts: Thoughts[Sender] = Thoughts(self._tell, room)

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
        view = rules.view(state, seat if own else None)
        given = rules.name, rules.seats, rules.given
        self._thoughts.ask(sender, n, partial(_advise, given, seat, view, tuple(moves), may_pass))

    def forget(self, sender: Sender) -> None:
        """Drop what a sender waits for: it has gone."""
        self._thoughts.forget(sender)

    def _choices(self, seat: int, own: bool) -> tuple[Sequence[Move], bool]:
        """Return the moves between which a seat decides now, and whether it may pass. Raise :class:`Declined`."""
        session, question = self._session, self._session.question
        rules = session.position.rules
        if question is None or seat not in session.open.waiting:
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

    def _tell(self, asker: Sender, n: int, told: Json) -> None:
        self._post("hint", (asker, {"hint": {"n": n, **told}}))


def _advise(given: tuple[str, int, Json], seat: int, view: Json, moves: tuple[Move, ...], may_pass: bool) -> Json:
    """Return a hint as it is sent."""
    if not moves:
        return {"move": None}
    advice = bots.hint(bots.Decision(rules_of(*given), seat, view, moves, may_pass))
    because = {"because": advice.because.to_json()} if advice.because is not None else {}
    return {"move": None if advice.move is None else bare(advice.move), **because}
