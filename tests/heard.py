"""What has come from a keeper, as JSON, and updates in which one thing matters: for tests that look at what is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import to_builtins

from tablier import messages
from tablier.play.connections import Hinted, Message, Reconnected, Refused, Said
from tablier.texts import Json


def json_of(message: Message) -> Json:
    """Return a message to a screen, its kind as the first key."""
    match message:
        case messages.Updates(updates=updates):
            return {"updates": to_builtins(updates)}
        case messages.Taken(seat=seat):
            return {"taken": seat}
        case messages.Program():
            return {"program": to_builtins(message)}
        case Refused(why=why, seat=seat):
            return {"refused": why.to_json(), "seat": seat}
        case Hinted(n=n, hint=hint):
            return {"hint": {"n": n, **to_builtins(hint)}}
        case Reconnected():
            return {"again": True}
        case Said(text=text):
            return {"told": text.to_json()}


def an_update(**known: Any) -> messages.Update:
    """Return an update that says nothing but what is given."""
    empty: Json = {
        "game": 1,
        "rules": "d21",
        "options": {},
        "seats": [],
        "viewer": None,
        "ply": 0,
        "to_move": [],
        "last": None,
    }
    more: Json = {"fell": [], "view": {}, "question": None, "practice": False, "over": None, "now": 0.0, "news": []}
    return messages.Update(**{**empty, **more, **known})


def as_json(take: Callable[[Json], object]) -> Callable[[Message], None]:
    """Return what hands messages to a screen on as JSON."""

    def deliver(message: Message) -> None:
        take(json_of(message))

    return deliver


def by_method(hear: Callable[[str, Json], object]) -> Callable[[messages.Notice], None]:
    """Return what hands on what a keeper says: its method and its parameters."""

    def on_notice(notice: messages.Notice) -> None:
        hear(notice.METHOD, to_builtins(notice))

    return on_notice


__all__ = ["an_update", "as_json", "by_method", "json_of"]
