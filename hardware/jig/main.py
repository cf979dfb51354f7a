"""The jig: a second Pico that presses, throws and looks at a table in a person's place.

How it is wired says ``hardware/JIG.md``. On its USB serial port it takes the verbs of the simulated table's tester, a
line each, and answers each with one line of JSON, ``{"ok": true}`` or ``{"ok": false, "error": …}``::

    press PLACE BUTTON [MS]      press a button and let go of it after MS (80); buttons: minus plus a b
    hold PLACE BUTTON            press and hold;  release PLACE BUTTON lets go
    land HOW                     a card lands now: flat, leaning, rim, outside
    clear                        take all cards out of the arena
    bump                         one knock against the table
    wave N                       a card through a beam (0-7), and out again
    block N | unblock N          break a beam for good, and let it through again
    service on | off             press the service button, or let go of it
    reset                        the reset button
    pixels | pixel GROUP N       the colours last sent: ring 0-31, public 1-6, hoodP 0-4
    supply                       the table's 3.3 V, in volts
    help                         the verbs
"""

import json
import select
import sys
from array import array
from time import sleep_us, ticks_add, ticks_diff, ticks_ms

import rp2
from machine import ADC, Pin
from words import FLOOR, GROUPS, IMPACT, WAYS, Refused, button, fall, number, one, pixel, switched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from _mpy_shed.time_mp import _TicksMs
    from rp2.asm_pio import in_, pin, pins, wait, wrap, wrap_target

# GPIOs; jig.toml says the same, and a test holds the two together.
RING_DATA = 0
PLACES_DATA = 1
BUTTONS_CLOCK = 2
BUTTONS_LATCH = 3
BUTTONS_DATA = 4
BUTTONS_OFF = 5
BEAM_LOW_1 = 6
BEAM_LOW_2 = 7
BEAM_LOW_3 = 8
BEAM_LOW_4 = 9
BEAM_RIM_1 = 10
BEAM_RIM_2 = 11
BEAM_RIM_3 = 12
BEAM_RIM_4 = 13
IMPACT_HIT = 14
RESET = 15
FLOOR_OFFER = 16
FLOOR_PILE = 17
SERVICE = 19
SUPPLY = 26

_BEAMS = (BEAM_LOW_1, BEAM_LOW_2, BEAM_LOW_3, BEAM_LOW_4, BEAM_RIM_1, BEAM_RIM_2, BEAM_RIM_3, BEAM_RIM_4)
_PRESS_MS = 80
_LONGEST_MS = 60_000
_WAVE_MS = 60
_HIT_US = 200
_RESET_MS = 20
_STUCK_MS = 5
"""A picture that pauses for so long is not whole: it began before the jig looked, or a reset cut it short."""
_LINE = 80
"""Characters of the longest line that is read."""
_FROM_PIO0, _PACE_FROM_PIO0 = 0x50200020, 4


@rp2.asm_pio(in_shiftdir=rp2.PIO.SHIFT_LEFT, autopush=True, push_thresh=24)
def _pixels() -> None:
    """WS2812: high for 0.31 µs is 0, for 0.78 µs is 1. It is looked at about 0.6 µs after the line has risen."""
    wrap_target()
    wait(1, pin, 0)[3]
    in_(pins, 1)
    wait(0, pin, 0)
    wrap()


class Line:
    """One line of pixels, read back: a state machine and a DMA channel that takes whole pictures."""

    def __init__(self, number: int, gpio: int, count: int) -> None:
        self.words = array("I", [0] * count)
        self._next = array("I", [0] * count)
        self._count = count
        self._machine = rp2.StateMachine(number, _pixels, freq=8_000_000, in_base=Pin(gpio, Pin.IN))
        self._dma = rp2.DMA()
        self._ctrl = self._dma.pack_ctrl(size=2, inc_read=False, treq_sel=_PACE_FROM_PIO0 + number, bswap=False)
        self._source = _FROM_PIO0 + 4 * number
        self._start()

    def _arm(self) -> None:
        self._left, self._since = self._count, ticks_ms()
        self._dma.config(read=self._source, write=self._next, count=self._count, ctrl=self._ctrl, trigger=True)

    def _start(self) -> None:
        self._machine.active(0)
        self._dma.active(0)
        self._machine.restart()
        while self._machine.rx_fifo():
            self._machine.get()
        self._arm()
        self._machine.active(1)

    def look(self) -> None:
        """Take a picture that is complete; begin again where one was cut short."""
        left: int = self._dma.count  # type: ignore[attr-defined]  # the stubs lack it
        if not left:
            self.words, self._next = self._next, self.words
            self._arm()
        elif left != self._left:
            self._left, self._since = left, ticks_ms()
        elif left < self._count and ticks_diff(ticks_ms(), self._since) > _STUCK_MS:
            self._start()


class Jig:
    def __init__(self) -> None:
        self._off = Pin(BUTTONS_OFF, Pin.OUT, value=1)  # first: what the registers hold after power-on is not known
        self._clock, self._latch, self._data = (
            Pin(gpio, Pin.OUT, value=0) for gpio in (BUTTONS_CLOCK, BUTTONS_LATCH, BUTTONS_DATA)
        )
        self._closed = 0
        self._shift()
        self._off(0)
        self._light = [Pin(gpio, Pin.OUT, value=1) for gpio in _BEAMS]
        self._floor = [Pin(gpio, Pin.OUT, value=0) for gpio in (FLOOR_OFFER, FLOOR_PILE)]
        self._hit, self._reset, self._service = (
            Pin(gpio, Pin.OPEN_DRAIN, value=1) for gpio in (IMPACT_HIT, RESET, SERVICE)
        )
        self._supply = ADC(SUPPLY)
        ring = GROUPS[0][2]
        self._lines = (Line(0, RING_DATA, ring), Line(1, PLACES_DATA, sum([it[2] for it in GROUPS]) - ring))
        self._cards: list[set[int]] = []
        self._landings = 0
        self._inside = [0] * 11  # things in each beam, and on each sensor of the floor
        self._due: list[tuple[_TicksMs, Callable[..., None], tuple[int, ...]]] = []
        self._verbs: dict[str, Callable[[list[str]], dict[str, object] | None]] = {
            "press": self.press,
            "hold": lambda args: self.touch(button(args), True),
            "release": lambda args: self.touch(button(args), False),
            "land": self.land,
            "clear": self.clear,
            "bump": lambda args: self.feel(IMPACT, True),
            "wave": self.wave,
            "block": lambda args: self.feel(one(args, 8), True),
            "unblock": self.unblock,
            "service": lambda args: self._service(not switched(args)),
            "reset": self.reset,
            "pixels": self.pixels,
            "pixel": self.pixel,
            "supply": lambda args: {"volts": round(self._supply.read_u16() / 65535 * 3.3 * 2, 2)},
            "help": lambda args: {"verbs": sorted(self._verbs)},
        }

    # -- what is due ---------------------------------------------------------------------------------------

    def _later(self, ms: int, action: Callable[..., None], *values: int) -> None:
        self._due.append((ticks_add(ticks_ms(), ms), action, values))

    def turn(self) -> None:
        """Do what is due, in its order, and look at the pixels."""
        now = ticks_ms()
        due = [it for it in self._due if ticks_diff(now, it[0]) >= 0]
        if due:
            self._due = [it for it in self._due if ticks_diff(now, it[0]) < 0]
            for _, action, values in sorted(due, key=lambda it: ticks_diff(it[0], now)):
                action(*values)
        for line in self._lines:
            line.look()

    # -- buttons -------------------------------------------------------------------------------------------

    def _shift(self) -> None:
        # What goes in first ends in the last register: the button with the highest bit.
        for bit in range(23, -1, -1):
            self._data(self._closed >> bit & 1)
            self._clock(1)
            self._clock(0)
        self._latch(1)
        self._latch(0)

    def touch(self, bit: int, closed: bool) -> None:
        self._closed = self._closed | 1 << bit if closed else self._closed & ~(1 << bit)
        self._shift()

    def press(self, args: list[str]) -> None:
        ms = number(args.pop(), _LONGEST_MS) if len(args) == 3 else _PRESS_MS
        bit = button(args)
        if self._closed >> bit & 1:
            raise Refused("that button is pressed already")
        self.touch(bit, True)
        self._later(ms, self.touch, bit, False)

    def reset(self, args: list[str]) -> None:
        self._reset(0)
        self._later(_RESET_MS, self._reset, 1)

    # -- the arena -----------------------------------------------------------------------------------------

    def feel(self, line: int, there: bool) -> None:
        """Something gets into a beam or on the floor, or out of it; or knocks."""
        if line == IMPACT:
            self._hit(0)
            sleep_us(_HIT_US)
            self._hit(1)
            return
        self._inside[line] += 1 if there else -1
        if line < IMPACT:
            self._light[line](not self._inside[line])
        else:
            self._floor[line - FLOOR](self._inside[line] > 0)

    def unblock(self, args: list[str]) -> None:
        line = one(args, 8)
        if not self._inside[line]:
            raise Refused("nothing is in that beam")
        self.feel(line, False)

    def wave(self, args: list[str]) -> None:
        line = one(args, 8)
        self.feel(line, True)
        self._later(_WAVE_MS, self.feel, line, False)

    def land(self, args: list[str]) -> None:
        if not 1 <= len(args) <= 2 or args[0] not in WAYS:
            raise Refused("land takes one of %s, and what is printed on the card" % " ".join(WAYS))
        if args[0] == "outside":
            return
        held = [line % 4 for stays in self._cards for line in stays if line < IMPACT]
        columns = [(self._landings + step) % 4 for step in range(4)]
        self._landings += 1
        column = ([it for it in columns if it not in held] + columns)[0]
        stays: set[int] = set()
        for ms, line, there in fall(args[0], column):
            self._later(ms, self.feel, line, there)
            if line != IMPACT:
                (stays.add if there else stays.discard)(line)
        self._cards.append(stays)

    def clear(self, args: list[str]) -> None:
        # What still falls lies first.
        wait = max([0] + [ticks_diff(it[0], ticks_ms()) for it in self._due])
        for stays in self._cards:
            for line in stays:
                self._later(wait + 1, self.feel, line, False)
        self._cards = []

    # -- pixels --------------------------------------------------------------------------------------------

    def _colours(self) -> list[str]:
        # As they are sent, a word is green, red, blue.
        return [
            "%02x%02x%02x" % (word >> 8 & 255, word >> 16 & 255, word & 255)
            for line in self._lines
            for word in line.words
        ]

    def pixel(self, args: list[str]) -> dict[str, object]:
        return {"colour": self._colours()[pixel(args)]}

    def pixels(self, args: list[str]) -> dict[str, object]:
        colours = self._colours()
        groups: dict[str, object] = {}
        for name, _, count in GROUPS:
            groups[name], colours = colours[:count], colours[count:]
        return groups

    # -- verbs ---------------------------------------------------------------------------------------------

    def obey(self, line: str) -> dict[str, object]:
        """Return the answer to a line."""
        verb, *args = line.split()
        try:
            if verb not in self._verbs:
                raise Refused("there is no verb '%s'; verbs: %s" % (verb, " ".join(sorted(self._verbs))))
            answer: dict[str, object] = self._verbs[verb](args) or {}
        except Refused as error:
            return {"ok": False, "error": str(error)}
        answer["ok"] = True
        return answer


def main() -> None:
    jig = Jig()
    poll = select.poll()
    poll.register(sys.stdin, select.POLLIN)
    line = ""
    while True:
        jig.turn()
        pause = 1  # in ms; half a picture's time, and the processor sleeps
        while poll.poll(pause):
            pause = 0
            char = sys.stdin.read(1)
            if char != "\n":
                line = (line + char)[: _LINE + 1]
                continue
            if len(line) > _LINE:
                print(json.dumps({"ok": False, "error": "a line has at most %d characters" % _LINE}))
            elif line.strip():
                print(json.dumps(jig.obey(line)))
            line = ""
            break


main()
