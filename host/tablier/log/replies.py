"""The replies of seats away from the table, each kind declared once: what a screen or a bot says, and what is logged.

Every field has one type and one range (``1`` is no ``"1"`` and no ``true``). An unknown field is refused like a missing
one. What a reply means to the open question stands in :mod:`tablier.course.on_wire`, by its event.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, ClassVar, get_args

import msgspec
from msgspec import Meta, Struct

from tablier.printable import is_printable
from tablier.texts import Json
from tablier_fw import wire

MOVE_MAX = 200
"""The most characters of a move, and of what is said of one."""


def _whole(low: int, high: int) -> Meta:
    return Meta(ge=low, le=high, description=f"a number from {low} to {high}")


def _hex(count: int) -> Meta:
    form = f"^[0-9a-f]{{{2 * count}}}$"
    return Meta(pattern=form, max_length=2 * count, description=f"{count} bytes in lower-case hexadecimal")


_WORDS = f"1 to {MOVE_MAX} printable characters"
Words = Annotated[str, Meta(min_length=1, max_length=MOVE_MAX, description=_WORDS)]
WordsOrPass = Annotated[Words | None, Meta(description=f"{_WORDS}, or null")]
Yes = Annotated[bool, Meta(description="true or false")]
_SALT = re.compile("[0-9a-f]{32}")


def check_printable(request: Struct, *names: str) -> None:
    """Raise ``ValueError``, naming the field, for words that are not printable: no pattern can say that."""
    for name in names:
        words = getattr(request, name)
        if words is not None and not is_printable(words):
            raise ValueError(f"printable `{name}`")


class SeatReply(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="event", tag=""):
    """The reply of a seat away from the table to question ``id``."""

    kind: ClassVar[str] = "reply"
    """The kind of the entry that it becomes."""

    id: Annotated[int, _whole(1, wire.MAX_ID)]
    seat: Annotated[int, _whole(1, wire.PLACES)]

    @property
    def event(self) -> str:
        return tag_of(type(self))

    def body(self) -> Json:
        """Return the body of its entry."""
        return {"event": self.event, **msgspec.structs.asdict(self)}


class PlayedReply(SeatReply, frozen=True, kw_only=True, tag="played"):
    move: WordsOrPass
    """Without its actor; ``None`` is a pass."""

    def __post_init__(self) -> None:
        if self.move is not None and not is_printable(self.move):
            raise ValueError("printable `move`")


class AnsweredReply(SeatReply, frozen=True, kw_only=True, tag="answered"):
    yes: Yes


class PickedReply(SeatReply, frozen=True, kw_only=True, tag="picked"):
    option: Annotated[int, _whole(0, wire.MAX_OPTIONS - 1)]


class ThrownReply(SeatReply, frozen=True, kw_only=True, tag="thrown"):
    rank: Annotated[int, _whole(0, (1 << 32) - 1)]


class DoneReply(SeatReply, frozen=True, kw_only=True, tag="done"):
    pass


class LockedReply(SeatReply, frozen=True, kw_only=True, tag="locked"):
    kind = "commitment"
    commitment: Annotated[str, _hex(32)]


class OpenedReply(SeatReply, frozen=True, kw_only=True, tag="opened"):
    kind = "opening"
    nonce: Annotated[str, _hex(16)]
    choice: Annotated[int, _whole(0, 2)]


AnyReply = PlayedReply | AnsweredReply | PickedReply | ThrownReply | DoneReply | LockedReply | OpenedReply


def tag_of(kind: type[Struct]) -> str:
    """Return the word by which a struct is told from others of its union."""
    return str(kind.__struct_config__.tag)


REPLIES: Mapping[str, type[SeatReply]] = {tag_of(each): each for each in get_args(AnyReply)}
KINDS = frozenset(each.kind for each in REPLIES.values())
"""The kinds of entries that replies become."""


def misfit(kind: str, body: Json) -> str | None:
    """Return what is wrong with the body of a reply's entry; an empty string if nothing is, ``None`` where there is no
    such reply."""
    event = body.get("event")
    reply = REPLIES.get(event) if type(event) is str else None
    if reply is None or reply.kind != kind:
        return None
    said = body
    if "salt" in said and event == "played":  # of a secret move
        said = {**body}
        salt = said.pop("salt")
        if not isinstance(salt, str) or not _SALT.fullmatch(salt):
            return "salt is not 16 bytes in lower-case hexadecimal"
    try:
        msgspec.convert(said, reply, strict=True)
    except msgspec.ValidationError as error:
        return str(error)
    return ""
