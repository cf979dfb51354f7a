"""The people at an evening, as a screen changes them: they come and go, get other names, and organise."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import convert

from tablier import messages
from tablier.messages import Entry, Evening
from tablier.names import bare_name, same_name
from tablier.screens.commands import Mistyped, in_keys
from tablier.screens.evening_link import EveningLink
from tablier.screens.names import seats_meant
from tablier.screens.orders import number_of
from tablier.screens.people import People, Someone
from tablier.screens.phrases import Say
from tablier.texts import Text, suggest


class Attendance:
    """The people of an evening."""

    def __init__(self, evening: EveningLink, people: People, say: Say) -> None:
        """``people``: those whom the log knows."""
        self._evening, self._people, self._say = evening, people, say
        self._names: dict[str, str] = {}  # of those who were here, by person
        self._advised = False  # somebody here has read how others run the evening, or does so

    @property
    def known(self) -> list[str]:
        """Return the names of all who are known."""
        return self._people.names

    @property
    def here(self) -> list[str]:
        """Return the names of those who are there, in the order of their numbers."""
        return [each.name for each in self._evening.look().here]

    def learn(self, told: Evening) -> None:
        """Take note of who is there, and of names that were changed."""
        for each in told.here:
            former = self._names.get(each.person, each.name)
            if former != each.name:  # else a slip that was mended is known
                self._people.drop(former)
            self._names[each.person] = each.name
        self._people.add(Someone(each.name, each.place) for each in told.here)

    def fitting(self, line: str) -> list[str]:
        """Return the lines that one of names being typed may become, for Tab."""
        return self._people.fitting(line)

    def come(self, typed: str) -> None:
        """Have people come, or sit at other places."""
        try:
            people = self._people.read_all(typed)
        except Mistyped as error:
            if "," not in typed:
                raise
            self._say(error.text)
            raise Mistyped("Nobody of this line has come in.") from None
        if not people:
            raise Mistyped(":come takes names: :come Anne, Bernard@3")
        here = set(map(same_name, self.here))
        for each in people:
            if same_name(each.name) in here and not each.place:
                self._say(Text("{name} is here already.", {"name": each.name}))
            place = {"place": each.place} if each.place else {}
            come = convert(self._evening.call("come", name=each.name, **place), Entry)
            self._evening.room.enter(self._evening.link, [come])
        self._people.add(people)

    def see_off(self, typed: str) -> None:
        """Have people go."""
        names = self.find(typed)
        if not names:
            raise Mistyped(":go takes names: :go Anne, Bernard")
        here = {each.name: each for each in self._evening.look().here}
        for name in names:
            if name in here:
                self._evening.see_off(here[name])

    def name_organiser(self, typed: str) -> None:
        """Have somebody be an organiser, or no longer."""
        if not typed:
            raise Mistyped(":organiser takes a name: :organiser Anne")
        name, _, last = typed.rpartition(" ")
        off = in_keys(last, ("off",)) == "off" and bool(name)
        self._evening.call("organiser", name=_name_meant(name if off else typed, self.here), on=not off)

    def rename(self, typed: str) -> None:
        """Give somebody who is here another name: ``OLD, NEW``; without a comma both are single words."""
        old, _, new = typed.partition("," if "," in typed else " ")
        if not new.strip():
            raise Mistyped(":rename takes two names: :rename Ane, Anne")
        self._evening.call("rename", name=_name_meant(old.strip(), self.here), to=new.strip())

    def find(self, line: str) -> list[str]:
        """Return the names of people who are there, typed by name, by its beginning or by number. Raise
        :class:`Mistyped`."""
        here = self.here
        found: list[str] = []
        for typed in filter(None, map(str.strip, line.split(","))):
            words = typed.split() if typed.replace(" ", "").isdigit() else [typed]
            found += [_name_meant(word, here) for word in words]
        return list(dict.fromkeys(found))

    def who_may_organise(self, told: Evening) -> list[Text]:
        """Return how the first one with a phone may run the evening, once and unless somebody does."""
        first = next((each.name for each in told.here if each.by == "phone"), None)
        if self._advised or first is None:
            return []
        self._advised = True
        if any(each.organiser for each in told.here):
            return []
        return [Text("':organiser {name}' lets {name} begin games and let people in, by phone.", {"name": first})]


def here_text(one: messages.Person) -> Text:
    """Return who is at an evening: the place at its table, and whether it may be organised from there."""
    name = Someone(one.name, one.place).placed
    return Text("{name} (organiser)" if one.organiser else "{name}", {"name": name})


def _name_meant(typed: str, here: Sequence[str]) -> str:
    number = number_of(typed)
    fits = seats_meant(typed, here, range(1, len(here) + 1)) or ([number] if number else [])
    if not fits and (bare := bare_name(typed)):  # without its accents
        fits = [at for at, name in enumerate(here, 1) if bare_name(name).startswith(bare)]
    if len(fits) != 1 or fits[0] > len(here):
        absent = Text("{name} is not here; here: {here}", {"name": repr(typed), "here": list(here) or Text("nobody")})
        raise Mistyped(suggest(absent, typed, here))
    return here[fits[0] - 1]


__all__ = ["Attendance", "here_text"]
