"""Questions and replies: the words between a game's script and the source that decides for a seat.

A *script* is a generator from a position to its next moves: it yields a :class:`Question`, is sent a :class:`Reply`, as
often as it needs, and returns the moves. It knows seats, never places or screens, and it depends on nothing
but its position, its :class:`Conditions` and its replies, so that the log can be run through it again. A script that
yields the same object again keeps waiting; another object is another question. After :class:`Restarted` what the open
question had gathered is void, and the script asks for it anew.

What is sent of a question, to everybody and to each of its seats, :mod:`tablier.play.views` says.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, ClassVar

from msgspec import Struct

from tablier.games.core import Move, Position, seat_name
from tablier.texts import Json, Text
from tablier_fw import wire

QUIET_S = 5.0
"""The seconds after the last card until a window closes, unless another time is named."""


@lru_cache(1 << 12)
def bare(move: Move) -> str:
    """Return a move's notation without its actor, as people type it."""
    return str(move).split(" ", 1)[1]


@dataclass(frozen=True, eq=False)
class Question:
    """A question to seats. Compared by identity."""

    kind: ClassVar[str]

    what: str
    """The subject, as the script names it."""
    seats: tuple[int, ...]
    """The seats that are asked."""
    text: Text
    """Its argument ``who`` is the one seat that is asked, where the text names it; other seats have other arguments."""

    def hint_at(self, option: int | None) -> Json:
        """Return its subject, for the game's lights; ``option``: where its seat stands in a menu."""
        return {}


@dataclass(frozen=True, eq=False)
class Turn(Question):
    """One seat decides on a move, or passes where that is allowed. Replied to by :class:`Played`.

    At a place it is composed by menus (:mod:`tablier.games.core.menus`).
    """

    kind = "turn"

    moves: tuple[Move, ...] = ()
    """The moves that are open to the seat; of one of which chance decides a part, the attempt (``Rules.attempt``)."""
    may_pass: bool = False
    secret: bool = False
    """Nobody else may look on."""
    menus: Menus | None = None
    """The menus that compose it at a place; ``None``: by the words of its notation."""

    @property
    def whole(self) -> Turn:
        """Return the turn with all that is made of it later."""
        return self

    def opens(self, move: Move) -> bool:
        """Return whether a move is open to the seat."""
        return move in self.moves


class LaterTurn(Turn):
    """A turn whose words and moves are made when they are first asked for: a log that is run again, and a bot's reply,
    ask for none of them.

    ``make`` returns the same turn with all it has, whatever has become of the position meanwhile.
    """

    def __init__(
        self, what: str, seat: int, opens: Callable[[Move], bool], make: Callable[[], Turn], *, may_pass: bool = False
    ) -> None:
        """``opens``: return whether a move is open to the seat, as it is if the turn that is made lists it."""
        fields = self.__dict__  # each move of each log comes through here, and a frozen field takes twice as long
        fields["what"], fields["seats"], fields["may_pass"] = what, (seat,), may_pass
        fields["opens"], fields["_make"] = opens, make

    @cached_property
    def whole(self) -> Turn:
        made: Turn = self.__dict__["_make"]()
        return made

    @property
    def text(self) -> Text:
        return self.whole.text

    @property
    def moves(self) -> tuple[Move, ...]:
        return self.whole.moves

    @property
    def secret(self) -> bool:
        return self.whole.secret

    @property
    def menus(self) -> Menus | None:
        return self.whole.menus


@dataclass(frozen=True, eq=False)
class Choice(Question):
    """Seats choose in secret, bound by commitments; all are opened together. Replied to by :class:`Opened`."""

    kind = "choice"

    options: tuple[str, ...] = ()
    """Each option as a move without its actor."""
    moves: Mapping[int, tuple[Move, ...]] = field(default_factory=dict)
    """The moves open to each seat."""

    @cached_property
    def allowed(self) -> Mapping[int, tuple[int, ...]]:
        """Return the options open to each seat, in the order of its moves."""
        return {seat: tuple(self.options.index(bare(move)) for move in moves) for seat, moves in self.moves.items()}


Leads = tuple[tuple[Move, ...], ...]
"""The moves that each option of a question leads to."""


@dataclass(frozen=True, eq=False)
class Poll(Question):
    """Seats say yes or no, in the open. Replied to by :class:`Answered`."""

    kind = "poll"

    first: bool = False
    """The first yes ends it."""
    leads: Leads = ()
    """In a turn that is answered: the moves that no and yes stand for."""
    hint: Json = field(default_factory=dict)
    """The subject, for the game's lights."""
    subject: int | None = None
    """The landing of the window that is asked about, from 0."""
    listed: tuple[tuple[int, int, str], ...] = ()
    """The cards as they are claimed, from the bottom, as (seat or 0, rank, how it lies)."""

    def hint_at(self, option: int | None) -> Json:
        return self.hint


@dataclass(frozen=True, eq=False)
class Menu(Question):
    """One seat picks one of at most twelve options. Replied to by :class:`Picked`.

    A secret one lists each possible answer once, the same whatever the seat holds; where it stands is told to nobody.
    """

    kind = "menu"

    options: tuple[Text, ...] = ()
    labels: tuple[int, ...] = ()
    """The number that a hood shows for each option; in a secret menu the colour of the palette."""
    start: int = 0
    """The option that is proposed."""
    leads: Leads = ()
    """In a turn that is composed: the moves that each option leads to."""
    hints: tuple[Json, ...] = ()
    """The subject of each option, for the game's lights."""
    subject: int | None = None
    listed: tuple[tuple[int, int, str], ...] = ()
    secret: bool = False
    shut: frozenset[int] = frozenset()
    """The options of a secret menu that are not open to the seat, which nobody else may know."""

    def hint_at(self, option: int | None) -> Json:
        return self.hints[option] if self.hints and option is not None else {}


@dataclass(frozen=True, eq=False)
class Window(Question):
    """Seats throw cards into the arena until all say that they have finished, or nothing has landed for a while.

    Replied to by :class:`Landed`, :class:`Moved`, :class:`Thrown`, :class:`Done` and :class:`Closed`.
    """

    kind = "window"

    quiet_s: float = QUIET_S
    seen: int = 0
    """Landings logged before a restart of the table."""
    below: int = 0
    """Cards that lie there from an earlier window and keep their lights: those of this one come after."""
    cards: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """The cards that each seat away from the arena can still throw. Grows shorter while the window is open."""
    to_lay: Sequence[tuple[int, int]] = ()
    """Cards of such seats that somebody at the table is to lay, as (seat, rank). Changes while the window is open."""
    thrown: Sequence[tuple[int, int]] = ()
    """Cards that such seats have thrown, as (seat, rank). Grows while the window is open."""

    def throws(self, seat: int) -> tuple[Move, ...]:
        """Return what a seat away from the arena can do: it throws a card, and how that lands is not for it to say."""
        return tuple(Move(seat, "throw", (rank,)) for rank in self.cards.get(seat, ()))


@dataclass(frozen=True, eq=False)
class Roll(Question):
    """The table and the host roll together; a seat at the table starts it, or nobody. Replied to by :class:`Rolled`."""

    kind = "roll"

    ranges: tuple[int, ...] = ()
    """One number is rolled for each: from 0, and below it."""
    secret: bool = False
    viewer: int = 0
    """Of a secret roll: the only seat that may see it; 0 is nobody."""


@dataclass(frozen=True, eq=False)
class Tally(Question):
    """One seat at the table enters what physical dice show, or marks dice. Replied to by :class:`Tallied`."""

    kind = "tally"

    dice: int = 1
    """The number of dice, with those that are given."""
    faces: int = 6
    given: tuple[int, ...] = ()
    """The faces of the first dice, which are not entered."""
    mark: bool = False
    """Dice may be marked to keep."""
    secret: bool = False
    leads: Leads = ()
    """In a turn that begins with marking: the moves that are open."""


# -- what comes back ---------------------------------------------------------------------------------------------


class Reply(Struct, frozen=True):
    """A reply to the open question. ``seat`` is 0 where it comes from the table itself."""

    seat: int = 0


class Played(Reply, frozen=True):
    """The move of a :class:`Turn`; ``None`` is a pass."""

    move: Move | None = None


class Opened(Reply, frozen=True):
    """A seat's choice, opened and verified."""

    choice: int = 0


class Answered(Reply, frozen=True):
    yes: bool = False


class Picked(Reply, frozen=True):
    option: int = 0


class Landed(Reply, frozen=True):
    index: int = 0
    landing: int = 0
    """The proposed class, as :data:`tablier_fw.wire.LANDINGS` counts."""
    confidence: int = 100
    """The sensors' confidence in it, in percent."""
    doubts: int = 0
    """The reasons against it, as bits of ``doubts`` of the wire's ``landed``."""


SURE = 70
"""The confidence, in percent, from which on a landing is announced without a caveat."""
_DOUBTS = {
    wire.EMPTY: Text("the floor is empty"),
    wire.UNSEEN: Text("no beam saw it come"),
    wire.UNFELT: Text("it was not felt"),
    wire.HALF: Text("it may have gone outside"),
    wire.HAND: Text("a hand was in the way"),
    wire.CROWDED: Text("another came at the same time"),
    wire.RESTLESS: Text("it was still moving"),
    wire.MASKED: Text("some beams were broken already"),
    wire.BOTH: Text("it may lean, or lie on the rim"),
}


def doubt(confidence: int, doubts: int) -> Text | None:
    """Return what speaks against a landing as it is proposed; ``None`` where it is likely enough."""
    if confidence >= SURE:
        return None
    words = [why for bit, why in _DOUBTS.items() if doubts & bit]
    return Text("unsure: {doubts}", {"doubts": words}) if words else Text("unsure")


class Moved(Reply, frozen=True):
    """A landing lies otherwise than it was told."""

    index: int = 0


class Thrown(Reply, frozen=True):
    """A seat that is not at the arena throws a card, which somebody at the table is to lay."""

    rank: int = 0


class Done(Reply, frozen=True):
    """A seat has finished throwing."""

    missed: bool = False


class Closed(Reply, frozen=True):
    """The window is closed."""


class Rolled(Reply, frozen=True):
    """The outcome of a roll of the table and the host."""

    numbers: tuple[int, ...] = ()


class Tallied(Reply, frozen=True):
    """The faces that a seat has entered, from 0, and the dice that it keeps."""

    faces: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()
    """The dice kept, from 0."""


class Restarted(Reply, frozen=True):
    """Everything that the open question had gathered is void."""


# -- scripts -----------------------------------------------------------------------------------------------------

Script = Generator[Question, Reply, list[Move]]
"""Yields questions, is sent replies, returns the next moves."""
Menus = Callable[[Turn], Generator[Question, Reply, Reply]]
"""Composes a turn at a place: yields menus, returns what :class:`Played` is."""


@dataclass(frozen=True)
class Conditions:
    """Under which conditions a script runs."""

    arena: frozenset[int] = frozenset()
    """The seats that can throw into the arena; empty in a game without a table."""
    by_claim: Text | None = None
    """The reason why landings are not trusted and people enter their cards; ``None`` if they are."""
    quiet_s: float = QUIET_S
    """The seconds after the last landing until a window closes."""

    def helper(self, seat: int) -> int:
        """Return who lays cards and moves pieces for a seat that is not at the table: the next one clockwise who is; 0
        without a table."""
        return min(self.arena, key=lambda other: (other < seat, other), default=0)


ScriptOf = Callable[[Position[Any], Conditions], Script]
"""Makes the script that a position needs next."""


def notation(seat: int, option: str) -> str:
    """Return a move in notation: its actor and what :func:`bare` leaves of it."""
    return f"{seat_name(seat)} {option}"
