"""Hints: what the strongest built-in bot would do in a seat's place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tablier import messages
from tablier.bots import bots
from tablier.bots.thinking import Call
from tablier.course.declined import Declined
from tablier.course.session import Session
from tablier.games import rules_of
from tablier.games.core import Move
from tablier.games.core.menus import is_pass
from tablier.games.core.questions import Choice, Menu, Poll, Tally, Turn, Window, bare
from tablier.texts import Json, Who


def hint(session: Session, seat: int, *, own: bool) -> Call:
    """Return what works out a :class:`messages.Hint` on the open question, in any process. Raise :class:`Declined`
    where there is none.

    ``own``: the seat is the asker's own; a screen beside a table knows what everybody knows.
    """
    moves, may_pass = _choices(session, seat, own=own)
    rules, state = session.position.rules, session.position.state
    view = rules.view(state, seat if own else None)
    return partial(_advise, (rules.name, rules.seats, rules.given), seat, view, tuple(moves), may_pass)


def _choices(session: Session, seat: int, *, own: bool) -> tuple[Sequence[Move], bool]:
    """Return the moves between which a seat decides now, and whether it may pass. Raise :class:`Declined`."""
    question = session.question
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
        may_pass = isinstance(question, Menu) and any(map(is_pass, question.options))
    else:
        raise Declined("there is none for this question")
    if not own and not (rules.OPEN_VIEWS and isinstance(question, Menu | Poll | Tally)):
        raise Declined("it would tell what only {who} may know", who=Who(seat))
    return moves, may_pass


def _advise(
    given: tuple[str, int, Json], seat: int, view: Json, moves: tuple[Move, ...], may_pass: bool
) -> messages.Hint:
    if not moves:
        return messages.Hint()
    advice = bots.hint(bots.Decision(rules_of(*given), seat, view, moves, may_pass))
    return messages.Hint(move=None if advice.move is None else bare(advice.move), because=advice.because)
