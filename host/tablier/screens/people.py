"""People as they are typed: those who are known by name or number, others by a name that is not nearly a known one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tablier.names import near_name, same_name, short_name
from tablier.screens.commands import Mistyped, plain
from tablier.texts import Json, Text

_NEW = re.compile(r"new\s+(?=\S)", re.IGNORECASE)
"""What stands before the name of somebody new, where that is nearly a known one."""
_NUMBERS = re.compile(r"\d{1,3}(@\d)?(\s+\d{1,3}(@\d)?)*")


class Someone(NamedTuple):
    """Somebody with a place at the table, 0 for none."""

    name: str
    place: int = 0

    @property
    def placed(self) -> str:
        return f"{self.name}@{self.place}" if self.place else self.name

    @property
    def params(self) -> Json:
        """Return the person as the keeper takes one."""
        return self._asdict()


def read_person(text: str) -> Someone:
    """Return somebody of an evening, typed as ``NAME`` or ``NAME@PLACE``. Raise :class:`Mistyped`."""
    name, at, place = text.partition("@")
    if "=" in name:
        raise Mistyped("{seen}: a name has no =; bots come with ':bots'", seen=repr(text))
    if not name.strip() or (at and place not in tuple("123456")):
        raise Mistyped("{seen}: the form is NAME or NAME@PLACE; places are 1 to 6", seen=repr(text))
    return Someone(name.strip(), int(place or 0))


class People:
    """Those who are known, each with the place that they like, numbered from 1."""

    def __init__(self, known: Iterable[Someone] = ()) -> None:
        self._known = {same_name(each.name): each for each in known}

    def add(self, known: Iterable[Someone]) -> None:
        """Know more people, and where they sit now."""
        self._known |= {same_name(each.name): each for each in known}

    def drop(self, name: str) -> None:
        """Know somebody no longer by a name, which was changed."""
        self._known.pop(same_name(name), None)

    @property
    def names(self) -> list[str]:
        return [each.name for each in self._known.values()]

    @property
    def numbered(self) -> list[Text]:
        return numbered([each.placed for each in self._known.values()])

    def is_known(self, name: str) -> bool:
        return same_name(name) in self._known

    def read(self, text: str) -> Someone:
        """Return the person that a text names. Raise :class:`Mistyped` where it may be a slip of the finger, or several
        people."""
        one = read_person(text.strip())
        found = self._known.get(same_name(one.name))
        if found is None and one.name.isascii() and one.name.isdigit():
            if not 1 <= int(one.name) <= len(self._known):
                raise Mistyped("{seen}: nobody has that number", seen=repr(one.name))
            found = list(self._known.values())[int(one.name) - 1]
            return Someone(found.name, one.place or found.place)
        if found is not None:
            return Someone(found.name, one.place)
        if new := _NEW.match(typed := plain(one.name)):
            return Someone(typed[new.end() :], one.place)
        near = near_name(one.name, self.names) or short_name(one.name, self.names)
        if near is not None:
            slip = {"name": one.name, "near": near}
            raise Mistyped(Text("{name}: did you mean {near}? For somebody new of that name: new {name}", slip))
        words = one.name.split()
        if len(words) > 1 and all(map(self.is_known, words)):
            about: Json = {"name": one.name, "names": words}
            raise Mistyped(Text("{name}: several people? {names}. Somebody new: new {name}", about))
        return one

    def read_all(self, line: str) -> list[Someone]:
        """Return the people that a line names, separated by commas; numbers also by blanks. Raise :class:`Mistyped`."""
        found: list[Someone] = []
        for part in filter(None, map(str.strip, line.split(","))):
            numbers = _NUMBERS.fullmatch(part) is not None and not self.is_known(part)
            found += map(self.read, part.split() if numbers else [part])
        return list(distinct(found))

    def fitting(self, line: str) -> list[str]:
        """Return the lines that one being typed may become, for Tab: its last name in full."""
        *before, begun = line.split(",")
        head = ",".join([*before, " "]) if before else ""
        return [head + name for name in self.names if same_name(name).startswith(same_name(begun))]


def distinct(people: Iterable[Someone]) -> Sequence[Someone]:
    """Return people of whom each has a name and a place of their own. Raise :class:`Mistyped`."""
    found: list[Someone] = []
    for each in people:
        for other in found:
            if same_name(other.name) == same_name(each.name):
                raise Mistyped("{name} is named twice", name=each.name)
            if each.place and each.place == other.place:
                about = {"place": each.place, "name": other.name, "other": each.name}
                raise Mistyped(Text("place {place} is {name}'s; type another one for {other}: {other}@PLACE", about))
        found.append(each)
    return found


def numbered(names: Sequence[str]) -> list[Text]:
    """Return names with numbers by which they can be typed."""
    return [Text("{number} {name}", {"number": number, "name": name}) for number, name in enumerate(names, 1)]


__all__ = ["People", "Someone", "distinct", "numbered", "read_person"]
