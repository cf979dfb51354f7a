"""Somebody who helps with the self-test at a simulated or emulated table: sees its pixels, does what is asked."""

from __future__ import annotations

import re
from typing import Any

from tablier.service.selftest import CYCLE, CYCLE_S, SECTOR, Dialog
from tablier.simulation.tester import Tester
from tablier.table.clock import Clock
from tablier.texts import Text
from tablier_fw import wire
from tablier_fw.colours import PALETTE
from tablier_fw.equipment import Equipment

_PATIENCE_S = 1.0
_PEEK_S = 4.5
"""A hood goes dark five seconds after the press that lit it."""
_PACE_S = 0.15
"""More than a button takes to be pressed and let go of."""


class Helper(Dialog):
    """Does nothing but what the text asks for, by what can be seen, heard and touched."""

    def __init__(self, tester: Tester, clock: Clock, there: Equipment | None = None) -> None:
        """``there``: what there is of the table, by default all."""
        self._there = there or Equipment()
        self._places = [place for place in range(1, wire.PLACES + 1) if self._there.places >> (place - 1) & 1]
        self.said: list[str] = []
        """What was told and asked, in order."""
        self._tester = tester
        self._clock = clock
        self._asked = ""
        self._asked_at = 0.0
        self._answers: list[str] = []
        self._colours: dict[tuple[str, int], set[str]] = {}
        self._pressed: Any = None
        self._count = 0
        self._peeked_at = -_PEEK_S
        self._tunes = 0
        self._done: set[int] = set()

    def tell(self, text: Text) -> None:
        self.said.append(str(text))
        if "Take it out" in str(text):
            self._tester.say("clear")

    def ask(self, text: Text) -> None:
        self.said.append(str(text))
        self._asked, self._asked_at = str(text), self._clock.now()
        self._pressed = None
        self._count = 0
        self._colours.clear()
        self._done.clear()

    def typed(self) -> str | None:
        if self._asked:
            self._act()
        return self._answers.pop(0) if self._answers else None

    @property
    def _waited(self) -> float:
        return self._clock.now() - self._asked_at

    def _answer(self, text: str) -> None:
        self._answers.append(text)
        self._asked = ""

    def _again(self) -> None:
        """Note that a question goes on: count the time from now."""
        self._asked_at = self._clock.now()

    def _act(self) -> None:
        text = self._asked
        if "red, green, blue, white" in text:
            self._look(text)
        elif text.startswith("Which ones do not"):
            self._answer(" ".join(self._wrong))
        elif place := re.match(r"Place (\d)", text):
            self._press_what_is_lit(int(place[1]))
        elif place := re.match(r"Press any button at place (\d)", text):
            self._say_which_shines(int(place[1]))
        elif "through each of the eight beams" in text:
            self._wave()
        elif text.startswith("Lay a card"):
            self._tester.land("flat")
            self._answer("")
        elif text.startswith("Take it out"):
            self._tester.say("clear")
            self._answer("")
        elif text.startswith("Let a card fall"):
            if not self._done:
                self._done.add(1)
                self._tester.land("flat")
            elif self._waited > _PATIENCE_S:
                self._answer("")
        elif "three rising tones" in text:
            if self._waited > _PATIENCE_S:
                sounded = [hertz for _, hertz in self._tester.say("stats")["tunes"] if hertz]
                rising = sounded[-3:] == sorted(set(sounded[-3:])) and len(sounded) >= 3
                self._answer("" if rising else "n")
        else:
            raise AssertionError(f"nobody would know what to do: {text}")

    def _look(self, text: str) -> None:
        """Say yes when every pixel has shown every colour; after a whole cycle, keep in mind what is wrong."""
        pixels = self._tester.pixels()
        names = ["ring"] if "ring" in text else ["public"] if "public" in text else [f"hood{n}" for n in range(1, 7)]
        peeks = names[0] == "hood1" and self._waited > _PACE_S  # who reads the question first is no quicker
        if peeks and self._clock.now() - self._peeked_at > _PEEK_S:
            self._peeked_at = self._clock.now()
            for place in self._places:
                for button in ("a", "b"):  # one of them may be dead
                    self._tester.press(place, button)
        for name in names:
            for number, colour in enumerate(pixels[name]):
                if not self._is_there(name, number):
                    continue
                self._colours.setdefault((name, number), set()).add(colour)
        wanted = {tuple(int(channel > 0) for channel in PALETTE[look[0]]) for look in CYCLE}
        self._wrong = []
        for (name, number), colours in self._colours.items():
            if not wanted <= {tuple(int(channel > 0) for channel in bytes.fromhex(colour)) for colour in colours}:
                hood = name.removeprefix("hood")
                self._wrong.append(
                    str(number) if name == "ring" else str(number + 1) if name == "public" else f"{hood}:{number}"
                )
        if self._wrong and self._waited < CYCLE_S * (len(CYCLE) + 1):
            return
        if self._wrong:
            self._answer("n")
        elif "any place" in text:
            self._tester.press(self._places[len(self._places) // 2 - 1], "b")
            self._asked = ""
        else:
            self._answer("")

    def _is_there(self, group: str, number: int) -> bool:
        names = ["ring", "public", *(f"hood{place}" for place in range(1, wire.PLACES + 1))]
        return sum(wire.GROUPS[: names.index(group)]) + number in self._there.pixels()

    def _press_what_is_lit(self, place: int) -> None:
        first, ring = (place - 1) * SECTOR, self._tester.pixels()["ring"]
        before = [bytes.fromhex(ring[at % self._there.ring]) for at in range(first, first + len(wire.BUTTONS))]
        lit = [n for n, (red, green, blue) in enumerate(before) if red and red == green == blue]
        if lit != self._pressed and lit:
            if self._waited > _PACE_S:
                self._again()
                self._pressed = lit
                self._count = lit[0] + 1
                self._tester.press(place, wire.BUTTONS[lit[0]])
        elif not lit and self._waited > _PATIENCE_S:  # a pixel is dark: from left to right, then
            self._again()
            self._count += 1
            self._tester.press(place, wire.BUTTONS[self._count - 1])
        elif lit and self._waited > _PATIENCE_S:
            self._again()
            self._answers.append("")

    def _say_which_shines(self, place: int) -> None:
        if self._waited < 0.4:
            return
        if self._pressed is None:
            self._pressed = place
            self._tester.press(place, "plus")
            return
        pixels = self._tester.pixels()
        shines = [it for it in range(1, 7) if any(colour != "000000" for colour in pixels[f"hood{it}"])]
        assert len(shines) < 2
        if shines or self._waited > 0.8:
            self._answer("" if shines == [place] else str(sum(shines)))

    def _wave(self) -> None:
        if len(self._done) < 8:
            self._tester.say(f"wave {len(self._done)}")
            self._done.add(len(self._done))
            self._again()
        elif self._waited > _PATIENCE_S:
            self._answer("")
