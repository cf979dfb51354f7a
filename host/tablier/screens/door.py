"""The door of an evening at a screen: how others come in, and who asks to be let in."""

from __future__ import annotations

from collections.abc import Callable

from tablier import messages
from tablier.messages import Evening
from tablier.screens.commands import Mistyped, in_keys
from tablier.screens.evening_link import EveningLink
from tablier.screens.orders import number_of
from tablier.screens.phrases import A_SCREEN, DOOR_CLOSED, Say
from tablier.screens.room import Room
from tablier.texts import Text


class Door:
    """The door of an evening."""

    def __init__(
        self,
        evening: EveningLink,
        say: Say,
        invite: Callable[[Room, bool], None],
        show_code: Callable[[str], object],
    ) -> None:
        """``invite`` shows how others come in, phones of this network too if that is wished; ``show_code`` shows an
        address as a QR code where there is room for it beside a question."""
        self._evening, self._say = evening, say
        self._invite, self._show_code = invite, show_code
        self._said: Text | None = None  # the way in, as was said last since a game
        self._wishes: set[int] = set()  # those of which somebody here knows

    def say(self, text: Text) -> None:
        """Print news of the evening; how others come in as :meth:`say_way_in` does."""
        if text == self._evening.room.way_in:
            self.say_way_in()
        else:
            self._say(text)

    def say_way_in(self) -> None:
        """Print how others come in, once: with a code that phones scan, where they can and there is room."""
        room = self._evening.room
        if room.way_in in (None, self._said):
            return
        self._said = room.way_in
        self._say(self._said)
        if room.scanned:
            self._show_code(room.scanned)

    def say_way_in_again(self) -> None:
        """Have the next prompt print how others come in, also where it was said before."""
        self._said = None

    def set(self, typed: str) -> None:
        """Open or close the door, or show how others come in."""
        seen, typed = typed, in_keys(typed, ("open", "close", "lan"))
        if typed not in ("", "open", "close", "lan"):
            raise Mistyped(":door {seen}: the forms are ':door', ':door open', ':door close', ':door lan'", seen=seen)
        if typed in ("open", "close"):
            self._evening.call("door", open=typed == "open")
        if typed == "close":
            self._say(DOOR_CLOSED)
        elif typed != "open":
            self._invite(self._evening.room, typed == "lan")
            self._said = self._evening.room.way_in or self._said

    def decide(self, typed: str, *, yes: bool) -> None:
        """Let somebody in who asks for that, or do not: the one who has waited longest, unless a number is typed."""
        inside = self._evening.room.inside
        wishes = [] if inside is None else [each.wish for each in inside.wishes]
        number = number_of(typed) if typed else next(iter(wishes), None)
        if number is None:
            raise Mistyped("Nobody asks to be let in.")
        self._evening.call("decide", wish=number, yes=yes)

    def new_wishes(self, told: Evening) -> list[Text]:
        """Return who asks to be let in, without those whom this has returned before."""
        wishes = [] if told.inside is None else told.inside.wishes
        new = [_wish_text(each) for each in wishes if each.wish not in self._wishes]
        self._wishes = {each.wish for each in wishes}
        return new


def _wish_text(wish: messages.Wish) -> Text:
    """Return who asks to be let in."""
    about = {"name": wish.name or A_SCREEN, "wish": wish.wish}
    if wish.kind == "screen":
        return Text(
            "{name} asks to show the code, as a screen for all (wish {wish}). yes lets it in; no does not.", about
        )
    return Text("{name} asks to come in by another device (wish {wish}). yes lets it in; no does not.", about)


__all__ = ["Door"]
