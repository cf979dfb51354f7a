"""The requests of screens, decoded once and exactly before anything else sees them.

A reply or a command is a JSON object. Every field has one type and one range (``1`` is no ``"1"`` and no ``true``). An
unknown field is refused like a missing one. :func:`reply_of` and :func:`command_of` return one dataclass a kind, or
raise :class:`RequestError`, whose text names the field, what it holds and what is allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, ClassVar, TypeVar

from tablier.games.core import shown
from tablier.log import bodies
from tablier.log.bodies import Type
from tablier.texts import Json, TextError

MOVE_MAX = 200
"""The most characters of a move, and of what is said of one."""


class RequestError(TextError):
    """A request that cannot be read, or that its sender has no right to. Nothing has changed."""


def _is_words(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MOVE_MAX and value.isprintable()


def _is_number(value: object) -> bool:
    return type(value) is int and 1 <= value <= 1 << 20


WORDS = Type(f"1 to {MOVE_MAX} printable characters", _is_words)
WORDS_OR_PASS = Type(f"{WORDS.says}, or null", lambda value: value is None or _is_words(value))
COUNT = Type("a number from 1", _is_number)
MOVE_NUMBER = Type("the number of a move, or null", lambda value: value is None or _is_number(value))


def _field(type: Type, **default: Any) -> Any:
    return field(metadata={"type": type}, **default)


# -- replies to the open question ------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class SeatReply:
    """The reply of a seat away from the table to question ``id``."""

    event: ClassVar[str]
    kind: ClassVar[str] = "reply"
    """The kind of the entry that it becomes."""

    id: int = _field(bodies.ID)
    seat: int = _field(bodies.SEAT)

    def body(self) -> Json:
        """Return the body of its entry."""
        return {"event": self.event, **{each.name: getattr(self, each.name) for each in fields(self)}}


@dataclass(frozen=True, kw_only=True)
class PlayedReply(SeatReply):
    event = "played"
    move: str | None = _field(WORDS_OR_PASS)
    """Without its actor; ``None`` is a pass."""


@dataclass(frozen=True, kw_only=True)
class AnsweredReply(SeatReply):
    event = "answered"
    yes: bool = _field(bodies.BOOL)


@dataclass(frozen=True, kw_only=True)
class PickedReply(SeatReply):
    event = "picked"
    option: int = _field(bodies.REPLIES["picked"]["option"])


@dataclass(frozen=True, kw_only=True)
class ThrownReply(SeatReply):
    event = "thrown"
    rank: int = _field(bodies.REPLIES["thrown"]["rank"])


@dataclass(frozen=True, kw_only=True)
class DoneReply(SeatReply):
    event = "done"


@dataclass(frozen=True, kw_only=True)
class LockedReply(SeatReply):
    event, kind = "locked", "commitment"
    commitment: str = _field(bodies.HASH)


@dataclass(frozen=True, kw_only=True)
class OpenedReply(SeatReply):
    event, kind = "opened", "opening"
    nonce: str = _field(bodies.NONCE)
    choice: int = _field(bodies.KINDS["opening"]["choice"])


# -- commands --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Command:
    command: ClassVar[str]
    seat: int = 0
    """The seat that gives it; 0 is whoever keeps the log."""


@dataclass(frozen=True, kw_only=True)
class Stop(Command):
    """End the program; the game can be resumed."""

    command = "stop"


@dataclass(frozen=True, kw_only=True)
class Hurry(Command):
    """Have bots decide at once."""

    command = "hurry"


@dataclass(frozen=True, kw_only=True)
class Back(Command):
    """Ask that a seat's last ``count`` moves, and what followed, are taken back."""

    command = "back"
    seat: int = _field(bodies.SEAT)
    count: int = _field(COUNT, default=1)


@dataclass(frozen=True, kw_only=True)
class Correct(Command):
    """Say what was really played as move ``at``; ``None``: the last move of a seat."""

    command = "correct"
    seat: int = _field(bodies.ANY_SEAT)
    at: int | None = _field(MOVE_NUMBER, default=None)
    move: str = _field(WORDS)


@dataclass(frozen=True, kw_only=True)
class Hint(Command):
    """Ask what the strongest bot would do in a seat's place; ``n`` comes back with the hint."""

    command = "hint"
    seat: int = _field(bodies.SEAT)
    n: int = _field(COUNT)


@dataclass(frozen=True, kw_only=True)
class Mistake(Command):
    """Say that a seat has entered in secret what it did not draw."""

    command = "mistake"
    seat: int = _field(bodies.SEAT)


@dataclass(frozen=True, kw_only=True)
class Dispute(Command):
    """Note that move ``at`` was not right."""

    command = "dispute"
    seat: int = _field(bodies.ANY_SEAT)
    at: int | None = _field(MOVE_NUMBER, default=None)
    text: str = _field(WORDS)


REPLIES: Mapping[str, type[SeatReply]] = {
    each.event: each
    for each in (PlayedReply, AnsweredReply, PickedReply, ThrownReply, DoneReply, LockedReply, OpenedReply)
}
COMMANDS: Mapping[str, type[Command]] = {
    each.command: each for each in (Stop, Hurry, Hint, Back, Correct, Mistake, Dispute)
}


# -- decoding --------------------------------------------------------------------------------------------------------

T = TypeVar("T")


def reply_of(body: object) -> SeatReply:
    """Return a reply. Raise :class:`RequestError`."""
    return _decoded(body, "event", REPLIES)


def command_of(body: object) -> Command:
    """Return a command. Raise :class:`RequestError`."""
    return _decoded(body, "command", COMMANDS)


def _decoded(body: object, tag: str, kinds: Mapping[str, type[T]]) -> T:
    if type(body) is not dict:
        raise RequestError("a request is a JSON object, not {seen}", seen=shown(body))
    name = body.get(tag)
    if type(name) is not str or name not in kinds:
        raise RequestError("{field} is {seen}; allowed: {allowed}", field=tag, seen=shown(name), allowed=list(kinds))
    kind = kinds[name]
    known: dict[str, Field[Any]] = {each.name: each for each in fields(kind) if each.metadata}  # type: ignore[arg-type]
    for key in body:
        if key != tag and key not in known:
            raise RequestError("{name} has no field {field}", name=name, field=shown(key))
    values = {}
    for key, each in known.items():
        if key in body:
            wanted: Type = each.metadata["type"]
            if not wanted.allows(body[key]):
                seen = shown(body[key])
                raise RequestError("{field} is {seen}; allowed: {allowed}", field=key, seen=seen, allowed=wanted.says)
            values[key] = body[key]
        elif each.default is MISSING:
            raise RequestError("{name} lacks its field {field}", name=name, field=key)
    return kind(**values)


__all__ = [
    "COMMANDS",
    "REPLIES",
    "Back",
    "Command",
    "Correct",
    "Dispute",
    "Hint",
    "Hurry",
    "Mistake",
    "RequestError",
    "SeatReply",
    "Stop",
    "command_of",
    "reply_of",
]
