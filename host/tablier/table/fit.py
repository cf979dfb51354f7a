"""Whether what a table says can be true of the questions that it was asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tablier_fw import wire

Values = dict[str, Any]

_ONCE = (wire.LOCKED, wire.OPENED, wire.DONE, wire.ANSWERED, wire.PICKED, wire.TALLIED, wire.COMMITTED, wire.REVEALED)
_REMEMBERED = 32  # questions: what was asked before is answered, and none of it is on its way any more


class Fit:
    """Knows what was asked in this run of the host.

    Of a question that another run has asked nothing is known: what the table says of it is not judged.
    """

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

    def misfit(self, boot: str, message: wire.Message, said: Values) -> str:
        """Return why an event or a cursor of a boot cannot be, in words; empty if it can."""
        if said["id"] not in self._asked:
            return ""
        asked, question = self._asked[said["id"]]
        kinds = _KINDS.get(message)
        if kinds is not None and asked not in kinds:
            return f"question {said['id']} is {_a(asked.name)}"
        place = said.get("place")
        places = question["places"] << 1 if "places" in question else 1 << question.get("place", wire.PLACES + 1)
        if message is not wire.CALLED and place is not None and not places >> place & 1:
            return f"question {said['id']} was not put to place {place}"
        why = _RULES[message](question, said) if message in _RULES else ""
        if why:
            return why
        if message in _ONCE or message in (wire.CLOSED, wire.LANDED):
            key = (boot, message.code, said.get("place", said.get("index")))
            if key in self._said[said["id"]]:
                return "it was said before" if place is None else f"place {place} has said it before"
            self._said[said["id"]].add(key)
        return ""


def _a(name: str) -> str:
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def _opened(question: Values, said: Values) -> str:
    allowed = question["allowed"][said["place"] - 1]
    return "" if allowed >> said["choice"] & 1 else f"option {said['choice']} is not open to place {said['place']}"


def _picked(question: Values, said: Values) -> str:
    return "" if question["open"] >> said["option"] & 1 else f"option {said['option']} is not open"


def _walked(question: Values, said: Values) -> str:
    if question["flags"] & (wire.SECRET | wire.QUIET):
        return "nobody is to know where its places stand"
    return "" if said["option"] < len(question["labels"]) else f"there is no option {said['option']}"


def _tallied(question: Values, said: Values) -> str:
    dice = question["dice"]
    if len(said["faces"]) != dice:
        return f"{len(said['faces'])} faces of {dice} dice"
    if max(said["faces"]) >= len(question["colours"]):
        return f"there is no face {max(said['faces'])}"
    if not said["faces"].startswith(question["given"]):
        return f"dice {said['faces'].hex(' ')}, of which {question['given'].hex(' ')} were given"
    if said["kept"] >> dice or (said["kept"] and not question["flags"] & wire.MARK):
        return f"dice {said['kept']:05b} cannot be kept"
    return ""


def _seen(name: str) -> Callable[[Values, Values], str]:
    def check(question: Values, said: Values) -> str:
        if said[name] >= question["seen"]:
            return ""
        return f"{name} is {said[name]}, but the window was opened with {question['seen']} landings"

    return check


def _called(question: Values, said: Values) -> str:
    return "" if question["flags"] & wire.CALL else "nobody may call now"


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
_RULES: dict[wire.Message, Callable[[Values, Values], str]] = {
    wire.OPENED: _opened,
    wire.PICKED: _picked,
    wire.CURSOR: _walked,
    wire.TALLIED: _tallied,
    wire.LANDED: _seen("index"),
    wire.MOVED: _seen("index"),
    wire.CLOSED: _seen("landings"),
    wire.CALLED: _called,
}
