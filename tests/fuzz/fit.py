"""Check what a table says against the questions that it was asked, without a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tablier.texts import Text
from tablier_fw import wire

Values = dict[str, Any]
_Rule = Callable[[Values, Values], Text | None]
"""Return why what was said does not fit the question."""


_ONCE = (wire.LOCKED, wire.OPENED, wire.DONE, wire.ANSWERED, wire.PICKED, wire.TALLIED, wire.COMMITTED, wire.REVEALED)
_REMEMBERED = 32  # questions: what was asked before is answered, and none of it is on its way any more


class Fit:
    """The questions of this run of the host. What the table says of another run's is not judged."""

    def __init__(self) -> None:
        self._asked: dict[int, tuple[wire.Message, Values]] = {}
        self._said: dict[int, set[tuple[Any, ...]]] = {}  # by question: (boot, event, place or index)

    def ask(self, message: wire.Message, values: tuple[Any, ...]) -> None:
        """Keep in mind what is asked from now on."""
        question = dict(zip(message.names, values, strict=True))
        self._asked[question["id"]] = (message, question)
        self._said[question["id"]] = set()
        for id in list(self._asked)[:-_REMEMBERED]:
            del self._asked[id], self._said[id]

    def misfit(self, boot: str, message: wire.Message, said: Values) -> Text | None:
        """Return why an event or a cursor of a boot cannot be, or ``None`` if it can."""
        if said["id"] not in self._asked:
            return None
        asked, question = self._asked[said["id"]]
        kinds = _KINDS.get(message)
        if kinds is not None and asked not in kinds:
            return Text("question {id} is of the kind {kind}", {"id": said["id"], "kind": asked.name})
        place = said.get("place")
        places = question["places"] << 1 if "places" in question else 1 << question.get("place", wire.PLACES + 1)
        if message is not wire.CALLED and place is not None and not places >> place & 1:
            return Text("question {id} was not put to place {place}", {"id": said["id"], "place": place})
        why = _RULES[message](question, said) if message in _RULES else None
        if why is not None:
            return why
        if message in _ONCE or message in (wire.CLOSED, wire.LANDED):
            key = (boot, message.code, said.get("place", said.get("index")))
            if key in self._said[said["id"]]:
                again = "it was said before" if place is None else "place {place} has said it before"
                return Text(again, {"place": place})
            self._said[said["id"]].add(key)
        return None


def _opened(question: Values, said: Values) -> Text | None:
    if question["allowed"][said["place"] - 1] >> said["choice"] & 1:
        return None
    return Text("option {choice} is not open to place {place}", {key: said[key] for key in ("choice", "place")})


def _picked(question: Values, said: Values) -> Text | None:
    if question["open"] >> said["option"] & 1:
        return None
    return Text("option {option} is not open", {"option": said["option"]})


def _walked(question: Values, said: Values) -> Text | None:
    if question["flags"] & (wire.SECRET | wire.QUIET):
        return Text("nobody may know where its places stand")
    if said["option"] < len(question["labels"]):
        return None
    return Text("there is no option {option}", {"option": said["option"]})


def _tallied(question: Values, said: Values) -> Text | None:
    dice, faces, given = question["dice"], said["faces"], question["given"]
    if len(faces) != dice:
        return Text("{count} faces of {dice} dice", {"count": len(faces), "dice": dice})
    if max(faces) >= len(question["colours"]):
        return Text("there is no face {face}", {"face": max(faces)})
    if not faces.startswith(given):
        args = {"dice": faces.hex(" "), "given": given.hex(" ")}
        return Text("dice {dice}, of which {given} were given", args)
    if said["kept"] >> dice or (said["kept"] and not question["flags"] & wire.MARK):
        return Text("dice {kept} cannot be kept", {"kept": f"{said['kept']:05b}"})
    return None


def _seen(name: str) -> _Rule:
    def check(question: Values, said: Values) -> Text | None:
        if said[name] >= question["seen"]:
            return None
        args = {"field": name, "value": said[name], "seen": question["seen"]}
        return Text("{field} is {value}, but the window was opened with {seen} landings", args)

    return check


def _called(question: Values, said: Values) -> Text | None:
    return None if question["flags"] & wire.CALL else Text("nobody may call now")


_KINDS: dict[wire.Message, tuple[wire.Message, ...]] = {
    wire.LOCKED: (wire.CHOICE,),
    wire.OPENED: (wire.CHOICE,),
    wire.LANDED: (wire.WINDOW,),
    wire.MOVED: (wire.WINDOW,),
    wire.DONE: (wire.WINDOW,),
    wire.CLOSED: (wire.WINDOW,),
    wire.ANSWERED: (wire.POLL,),
    wire.PICKED: (wire.MENU,),
    wire.CURSOR: (wire.MENU,),
    wire.TALLIED: (wire.TALLY,),
    wire.PRESSED: (wire.WATCH,),
    wire.COMMITTED: (wire.ROLL,),
    wire.REVEALED: (wire.ROLL,),
}
_RULES: dict[wire.Message, _Rule] = {
    wire.OPENED: _opened,
    wire.PICKED: _picked,
    wire.CURSOR: _walked,
    wire.TALLIED: _tallied,
    wire.LANDED: _seen("index"),
    wire.MOVED: _seen("index"),
    wire.CLOSED: _seen("landings"),
    wire.CALLED: _called,
}
