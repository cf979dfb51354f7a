"""Hands that do at a simulated or emulated table what people do in the trials of its line, by a tester's verbs."""

from __future__ import annotations

from tablier.service.linetest import Hands, Line, Skipped
from tablier.simulation.tester import Gone, Tester, TesterError

_PACE_S = 0.25
"""Between two presses: more than a button takes to be pressed and let go of."""


class SimulatedHands(Hands):
    """Hands that make every press, and as many as they are asked for."""

    def __init__(self, tester: Tester) -> None:
        self._tester = tester
        self._is_virtual = bool(tester.say("time")["virtual"])

    def agree(self, line: Line) -> None:
        """Do nothing: these hands are always there."""

    def press(self) -> None:
        try:
            self._tester.press(1, "b")
        except Gone:
            raise
        except TesterError:
            pass  # the table does not look at its buttons: that press is lost, which the trial finds out

    def press_some(self, line: Line, many: int) -> None:
        for _ in range(many):
            # In life's time it is answered when the release was felt: the press arrives before.
            self._tester.ask("press 1 b")
            if self._is_virtual:
                self._tester.answer()
            line.until(lambda: False, _PACE_S, alone=True)
            if not self._is_virtual:
                self._tester.answer()

    def pressed(self, line: Line, expected: int) -> int:
        return expected

    def pull(self, line: Line) -> None:
        self._tester.say("unplug")
        line.rest(line.poll)
        self._tester.say("plug")

    def sleep(self, line: Line) -> None:
        try:
            self._tester.say("usb suspend")
        except Gone:
            raise
        except TesterError as error:
            raise Skipped from error  # a table of a version whose computer cannot sleep
        line.rest(line.freeze)
        self._tester.say("usb resume")

    def reset(self, line: Line) -> None:
        self._tester.say("reset")

    def cut_power(self, line: Line) -> None:
        self._tester.say("power")
