"""Each kind of question on the wire: how a table is asked it, and how the events that answer it are read.

:data:`KINDS` finds both by the question's kind, :data:`EVENTS` an event by its name.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct

from tablier.course.binding import commitment
from tablier.course.declined import Declined
from tablier.course.entries import Body
from tablier.course.open_question import OpenQuestion
from tablier.games import abilities_of, has_own_script, lights_of
from tablier.games.core import RulesError, seat_name
from tablier.games.core.lights import CHOICE_COLOURS
from tablier.games.core.menus import PASS
from tablier.games.core.parts import PartError
from tablier.games.core.questions import (
    Answered,
    Choice,
    Closed,
    Done,
    Landed,
    LaterTurn,
    Menu,
    Moved,
    Opened,
    Picked,
    Played,
    Poll,
    Reply,
    Roll,
    Rolled,
    Tallied,
    Tally,
    Thrown,
    Turn,
    Window,
    bare,
    notation,
)
from tablier.texts import Text, any_of
from tablier_fw import rolls, wire

GUARD_S = 1.0
"""A window never closes within this time after a landing."""


Sent = tuple[wire.Message, tuple[Any, ...]]
"""A message, and its fields after the id of the question."""
Read = Callable[[Any, OpenQuestion, int, Body], Reply | None]
"""Returns what the script is sent for an event of a seat, if it is sent anything; raises :class:`Declined`."""


CALL = wire.CALLED.name
"""The event of a place that means to stop play."""


class Event(Struct, frozen=True):
    """An event that concerns an open question."""

    by: tuple[str, ...]
    """The kinds of entries that say it."""
    read: Read
    once: bool = True
    """A place, a landing or a window of the table has it once in a question."""
    voids: bool = False
    """A false one makes void what the question has gathered."""


class Kind(Struct, frozen=True):
    """A kind of question."""

    events: dict[str, Event]
    put: Callable[[Any, OpenQuestion], list[Sent]] | None = None
    """Returns what a table is sent; ``None`` where it is composed of other kinds at a place."""
    needs_places: bool = True
    """A table is asked nothing when nobody sits there who is asked."""


def put(asked: OpenQuestion, *, calls: bool) -> list[Sent]:
    """Return the messages that put a question to a table. Raise ``PartError`` for one that no table can be asked.

    ``calls``: the table's places can call.
    """
    question = asked.question
    assert question is not None
    kind = KINDS[question.kind]
    if kind.put is None or (kind.needs_places and not asked.here):
        may_call = not asked.choosing  # else the table knows of no opening that a call could wait for
        sent: list[Sent] = [(wire.IDLE, (0, True))]
    else:
        may_call, sent = True, kind.put(question, asked)
    if not (calls and may_call and asked.may_call):
        return sent
    (message, (flags, *fields)), *more = sent
    return [(message, (flags | wire.CALL, *fields)), *more]


def throws_cards(game: str) -> bool:
    """Return whether cards are thrown in a game where people sit at a table."""
    return bool(abilities_of(game) & wire.CAN_WINDOW)


def _mask(asked: OpenQuestion, seats: Iterable[int]) -> int:
    return sum(1 << (asked.seats[seat - 1].place - 1) for seat in seats)


def _places(asked: OpenQuestion) -> tuple[int, int]:
    """Return the places that are asked, and those of seats that answer elsewhere, as bits."""
    here = asked.here
    return _mask(asked, here), _mask(asked, [seat for seat in asked.asked if seat not in here])


def _place(asked: OpenQuestion) -> int:
    """Return the place of a question to one seat."""
    return asked.seats[asked.asked[0] - 1].place


def tell_outside(asked: OpenQuestion, seat: int, bound: str = "") -> Sent:
    """Return the word that a seat away from the table is bound to a choice, or has done."""
    return wire.OUTSIDE, (asked.seats[seat - 1].place, seat, bytes.fromhex(bound) if bound else bytes(32))


# -- a turn: composed of menus at a place ------------------------------------------------------------------------


def _read_played(turn: Turn, asked: OpenQuestion, seat: int, body: Body) -> Played:
    """Return the move of a reply, found to be open to its seat."""
    text = body["move"]
    if text is None:
        if not turn.may_pass:
            raise Declined("this question needs a move; passing is not allowed")
        return Played(seat, None)
    position = asked.position
    rules, state = position.rules, position.state
    if not isinstance(turn, LaterTurn):  # whose moves may be another seat's, or none that its game reads
        for move in turn.moves:
            if bare(move) == text:
                return Played(seat, move)
    try:
        move = rules.parse_typed(notation(seat, text))
    except RulesError as error:
        if any(map(rules.outcomes, turn.moves)):  # the form that it names says too much
            lines = any_of([*map(bare, turn.moves), *([PASS] if turn.may_pass else [])])
            raise Declined("{seen} cannot be played now; type {lines}", seen=repr(text), lines=lines) from None
        raise Declined(error.text) from None
    if turn.opens(move):
        return Played(seat, move)
    attempt = rules.attempt(move)
    if turn.opens(attempt):
        raise Declined("chance decides a part of {move}; type {attempt}", move=move.typed, attempt=bare(attempt))
    why = rules.refuse(state, move)
    raise Declined(why or Text("{move} cannot be played now", {"move": move.typed}))


# -- a choice ----------------------------------------------------------------------------------------------------


def _put_choice(choice: Choice, asked: OpenQuestion) -> list[Sent]:
    game = asked.position.rules.name
    if len(choice.options) > len(CHOICE_COLOURS):
        raise PartError(
            "{game}, {module}.py: players choose among {count} options at once; a table shows {most}",
            game=game,
            module="script" if has_own_script(game) else "rules",
            count=len(choice.options),
            most=len(CHOICE_COLOURS),
        )
    allowed, of_seats = bytearray(wire.PLACES), bytearray(wire.PLACES)
    for seat in asked.here:
        place = asked.seats[seat - 1].place
        allowed[place - 1] = sum(1 << option for option in choice.allowed[seat])
        of_seats[place - 1] = seat
    colours = CHOICE_COLOURS[: len(choice.options)]
    return [(wire.CHOICE, (0, *_places(asked), bytes(allowed), bytes(of_seats), colours))]


def _read_locked(choice: Choice, asked: OpenQuestion, seat: int, body: Body) -> None:
    if seat in asked.locked:
        raise Declined("this seat is bound to a choice already")
    asked.locked[seat] = body["commitment"]
    asked.answered.add(seat)


def _read_opened(choice: Choice, asked: OpenQuestion, seat: int, body: Body) -> Opened:
    """Return a choice, found to be what its seat is bound to and open to it."""
    option = body["choice"]
    if seat in asked.opened:
        raise Declined("this seat has no choice to open")
    if unbound := [other for other in choice.seats if other not in asked.locked]:
        raise Declined("a choice is opened, but {seat} is not bound yet", seat=seat_name(unbound[0]))
    if not asked.seats[seat - 1].at_table and seat not in asked.to_open:
        raise Declined("choices are opened when all are bound and the table has opened its own")
    nonce = bytes.fromhex(body["nonce"])
    if commitment(asked.bind(seat), asked.id, seat, nonce, option).hex() != asked.locked[seat]:
        raise Declined("a false opening")
    if option not in choice.allowed[seat]:
        raise Declined("a choice that is not open to this seat")
    asked.opened[seat] = option
    return Opened(seat, option)


# -- a poll ------------------------------------------------------------------------------------------------------


def _put_poll(poll: Poll, asked: OpenQuestion) -> list[Sent]:
    places, _ = _places(asked)
    return [(wire.POLL, (wire.FIRST if poll.first else 0, places))]


def _read_answered(poll: Poll, asked: OpenQuestion, seat: int, body: Body) -> Answered:
    asked.answered.add(seat)
    return Answered(seat, bool(body["yes"]))


# -- a menu ------------------------------------------------------------------------------------------------------


def _put_menu(menu: Menu, asked: OpenQuestion) -> list[Sent]:
    open_ = sum(1 << option for option in range(len(menu.labels)) if option not in menu.shut)
    flags = wire.SECRET * menu.secret
    return [(wire.MENU, (flags, _place(asked), menu.start, open_, bytes(menu.labels)))]


def _read_picked(menu: Menu, asked: OpenQuestion, seat: int, body: Body) -> Picked:
    if not 0 <= body["option"] < len(menu.options):
        raise Declined("that is not an option of the open menu")
    if body["option"] in menu.shut:
        raise Declined("that option is not open to this seat")
    return Picked(seat, body["option"])


# -- a window ----------------------------------------------------------------------------------------------------


def _put_window(window: Window, asked: OpenQuestion) -> list[Sent]:
    quiet, guard = round(window.quiet_s * 1000), round(GUARD_S * 1000)
    first = window.below % wire.GROUPS[wire.RING]
    opened = wire.WINDOW, (0, *_places(asked), quiet, guard, window.seen, first)
    done = asked.answered.difference(asked.here)  # in one that was open when the game was interrupted
    return [opened, *(tell_outside(asked, seat) for seat in sorted(done))]


def _read_thrown(window: Window, asked: OpenQuestion, seat: int, body: Body) -> Thrown:
    if body["rank"] not in window.cards.get(seat, ()):
        raise Declined("this seat has no such card to throw")
    return Thrown(seat, body["rank"])


def _read_done(window: Window, asked: OpenQuestion, seat: int, body: Body) -> Done:
    asked.answered.add(seat)
    return Done(seat, bool(body.get("missed")))


def _read_landed(window: Window, asked: OpenQuestion, seat: int, body: Body) -> Landed:
    _check_seen(window, body["index"])
    return Landed(0, body["index"], body["landing"], body.get("confidence", 100), body.get("doubts", 0))


def _read_moved(window: Window, asked: OpenQuestion, seat: int, body: Body) -> Moved:
    _check_seen(window, body["index"])
    return Moved(0, body["index"])


def _read_closed(window: Window, asked: OpenQuestion, seat: int, body: Body) -> Closed:
    _check_seen(window, body["landings"])
    if body.get("reason") == wire.CLOSE_DONE and asked.waiting:
        raise Declined("the window is closed, but {seat} has not done", seat=seat_name(asked.waiting[0]))
    return Closed()


def _check_seen(window: Window, count: int) -> None:
    if count < window.seen:
        raise Declined("the window was opened with {seen} landings, not {count}", seen=window.seen, count=count)


# -- a roll ------------------------------------------------------------------------------------------------------


def _put_roll(roll: Roll, asked: OpenQuestion) -> list[Sent]:
    audience = wire.NOBODY if roll.secret else wire.EVERYBODY
    if roll.secret and roll.viewer:
        audience = asked.seats[roll.viewer - 1].place
    started = wire.ROLL, (0, asked.starter, audience, _packed(roll))
    return [started, contribute(asked)] if asked.contribution else [started]


def _packed(roll: Roll) -> bytes:
    return struct.pack(f"<{len(roll.ranges)}H", *roll.ranges)


def contribute(asked: OpenQuestion) -> Sent:
    """Return the word of what the host adds to a roll: what is in the log, and nothing before."""
    return wire.CONTRIBUTION, (bytes.fromhex(asked.bound), bytes.fromhex(asked.contribution))


def _read_committed(roll: Roll, asked: OpenQuestion, seat: int, body: Body) -> None:
    if asked.bound:
        raise Declined("the table has committed to this roll already")
    asked.bound = body["commitment"]
    asked.answered.add(seat)


def _read_revealed(roll: Roll, asked: OpenQuestion, seat: int, body: Body) -> Rolled:
    """Return what was rolled, when the nonce is what the table has committed to."""
    if not asked.bound or not asked.contribution:
        raise Declined("a roll is revealed before the host has contributed to it")
    nonce, added = bytes.fromhex(body["nonce"]), bytes.fromhex(asked.contribution)
    started = asked.board, asked.boot, asked.id, asked.starter, _packed(roll)
    if rolls.commitment(*started, nonce).hex() != asked.bound:
        raise Declined("a false opening of a roll")
    return Rolled(seat, tuple(rolls.outcomes(*started, nonce, added)))


# -- a tally -----------------------------------------------------------------------------------------------------


def faces_of(game: str, count: int) -> bytes:
    """Return the colours for a number of faces of dice, or of what else the game draws."""
    drawn = lights_of(game).drawn
    return bytes(drawn[face % len(drawn)] for face in range(count))


def _put_tally(tally: Tally, asked: OpenQuestion) -> list[Sent]:
    flags = wire.MARK * tally.mark | wire.VEIL * tally.secret
    faces = faces_of(asked.position.rules.name, tally.faces)
    return [(wire.TALLY, (flags, _place(asked), tally.dice, faces, bytes(tally.given)))]


def _read_tallied(tally: Tally, asked: OpenQuestion, seat: int, body: Body) -> Tallied:
    faces = tuple(bytes.fromhex(body["faces"]))
    if len(faces) != tally.dice or max(faces) >= tally.faces or faces[: len(tally.given)] != tally.given:
        raise Declined("these are not the dice of the open tally")
    if body["kept"] >> tally.dice or (body["kept"] and not tally.mark):
        raise Declined("these dice cannot be kept")
    return Tallied(seat, faces, tuple(die for die in range(tally.dice) if body["kept"] >> die & 1))


# -- all kinds ---------------------------------------------------------------------------------------------------

_AT_TABLE, _ANYWHERE = ("table",), ("table", "reply")
KINDS: dict[str, Kind] = {
    Turn.kind: Kind({"played": Event(("reply",), _read_played, once=False)}),
    Choice.kind: Kind(
        {
            "locked": Event(("table", "commitment"), _read_locked),
            "opened": Event(("table", "opening"), _read_opened, voids=True),
        },
        _put_choice,
    ),
    Poll.kind: Kind({"answered": Event(_ANYWHERE, _read_answered)}, _put_poll),
    Menu.kind: Kind({"picked": Event(_ANYWHERE, _read_picked)}, _put_menu),
    Window.kind: Kind(
        {
            "thrown": Event(("reply",), _read_thrown, once=False),
            "done": Event(_ANYWHERE, _read_done),
            "landed": Event(_AT_TABLE, _read_landed),
            "moved": Event(_AT_TABLE, _read_moved, once=False),
            "closed": Event(_AT_TABLE, _read_closed),
        },
        _put_window,
        needs_places=False,
    ),
    Roll.kind: Kind(
        {
            "committed": Event(_AT_TABLE, _read_committed),
            "revealed": Event(_AT_TABLE, _read_revealed, voids=True),
        },
        _put_roll,
        needs_places=False,
    ),
    Tally.kind: Kind({"tallied": Event(_AT_TABLE, _read_tallied)}, _put_tally),
}
EVENTS = {name: event for kind in KINDS.values() for name, event in kind.events.items()}
"""All events by their names."""
