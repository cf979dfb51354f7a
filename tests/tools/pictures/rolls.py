"""Draw what people see of hosts that would throw again unseen, or paint a roll that never was.

    python -m tests.tools.pictures.rolls            draws them all, into build/rolls
    python -m tests.tools.pictures.rolls idle       draws that one

Each host is played against the firmware itself in the VM, with its own frames; what is drawn is what the pixels were.
``tests/firmware/test_hostile_rolls.py`` says what people can tell from it.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import wrap
from typing import Any

from tests.firmware.raw import RawHost

from tablier.simulation.simulated import SimulatedTable
from tablier_fw import colours, rolls, wire

FOLDER = Path(__file__).parents[3] / "build" / "rolls"
STEP_S = 0.032
LOG, OTHER_LOG = b"the log!", b"another!"
CONTRIBUTION = bytes(range(16))
TWO_DICE = struct.pack("<2H", 6, 6)


@dataclass
class Look:
    """A picture that the table showed."""

    time: float
    ring: list[str]
    public: list[str]
    words: str = ""
    """What there is to say about it; only such pictures are drawn."""


@dataclass
class Roll:
    """A roll that the table has committed to, as the host heard of it."""

    committed: dict[str, Any]
    committed_at: float
    place: int
    ranges: bytes
    audience: int
    outcome: list[int] | None = None
    revealed_at: float = 0.0
    acknowledged: bool = False


@dataclass
class Stage:
    """A simulated table, a host that says what it likes, and a film of what people see."""

    table: SimulatedTable
    host: RawHost
    film: list[Look] = field(default_factory=list)
    rolls: list[Roll] = field(default_factory=list)
    asked: tuple[int, int, bytes, int] = (0, 0, b"", 0)
    refusals: list[int] = field(default_factory=list)
    """What ``service`` was answered."""
    counts: dict[str, Any] = field(default_factory=dict)
    """The last status."""
    _seen: int = 0

    def run(self, seconds: float) -> None:
        """Let time pass, and film."""
        end = self.host.clock.now() + seconds
        while self.host.clock.now() < end - 1e-6:
            self.host.listen(min(STEP_S, end - self.host.clock.now()))
            self.look()
            self._hear()

    def look(self) -> None:
        pixels = self.table.tester.pixels()
        self.film.append(Look(self.host.clock.now(), pixels["ring"], pixels["public"]))

    def _hear(self) -> None:
        for when, name, _, values in self.host.frames[self._seen :]:
            if name == "committed" and not any(roll.committed == values for roll in self.rolls):
                _, place, ranges, audience = self.asked
                self.rolls.append(Roll(values, when, place, ranges, audience))
            elif name == "revealed" and self.rolls[-1].outcome is None:
                roll = self.rolls[-1]
                board = bytes.fromhex(self.table.board or "")
                ids = (board, self.host.boot, values["id"], roll.place, roll.ranges, values["nonce"])
                assert rolls.commitment(*ids) == roll.committed["commitment"]
                roll.outcome, roll.revealed_at = rolls.outcomes(*ids, CONTRIBUTION), when
            elif name == "serving":
                self.refusals.append(values["refusal"])
        self._seen = len(self.host.frames)

    def say(self, words: str) -> None:
        """Have the latest picture drawn, under these words."""
        self.film[-1].words = words

    # -- what hosts do ---------------------------------------------------------------------------------------------

    def greet(self, run: bytes, log: bytes) -> None:
        """Begin as another run of a host."""
        self.host.run = run
        self.host.hello(log=log)
        self.host.listen(0.05)

    def roll(
        self, id: int, ranges: bytes = TWO_DICE, audience: int = wire.EVERYBODY, place: int = 2, more: bytes = b""
    ) -> None:
        """Ask for a roll until the table has committed; ``more`` follows the payload."""
        self.asked = id, place, ranges, audience
        payload = wire.ROLL.encode(id, 0, place, audience, ranges) + more
        self.state(wire.ROLL, payload)
        if place:
            self.table.tester.press(place, "b")
        self.run(0.6)
        self.say("the place has pressed b: it tumbles")
        self.run(0.6)

    def state(self, message: wire.Message, payload: bytes) -> None:
        """Say what is desired until the table holds it, for three seconds at most."""
        slot, wanted = wire.slot_of(message, payload), wire.revision(message, payload)
        for _ in range(20):
            self.host.write(wire.frame(message, self.host.boot, self.host.run, payload))
            self.run(0.15)
            held = [values["held"] for _, name, _, values in self.host.frames if name == "status"]
            if held and int.from_bytes(held[-1][4 * slot : 4 * slot + 4], "little") == wanted:
                return

    def hear_nonce(self) -> None:
        """Make the commitment durable and contribute: the host knows the dice now."""
        committed = self.rolls[-1].committed
        self.host.send(wire.ACK, committed["number"])
        self.host.send(wire.CONTRIBUTION, committed["id"], committed["commitment"], CONTRIBUTION)
        self.run(0.1)
        self.say("the host has heard the nonce: the outcome stands")

    def acknowledge(self) -> None:
        roll = self.rolls[-1]
        roll.acknowledged = True
        self.host.send(wire.ACK, roll.committed["number"] + 1)
        self.run(0.05)

    def status(self) -> dict[str, Any]:
        """Return a fresh status."""
        self.run(0.25)
        status: dict[str, Any] = [values for _, name, _, values in self.host.frames if name == "status"][-1]
        return status

    def idle(self, id: int) -> None:
        self.state(wire.IDLE, wire.IDLE.encode(id, 0))


@contextmanager
def staged(seed: int = 1) -> Iterator[Stage]:
    """A table with a host that it has adopted."""
    with SimulatedTable(virtual=True, seed=seed, board="e6614103e7452d2f") as table:
        host = RawHost(table)
        stage = Stage(table, host)
        stage.greet(b"run  one", LOG)
        yield stage
        host.close()


# -- the hosts ------------------------------------------------------------------------------------------------------


def honest(stage: Stage) -> None:
    """Asks, acknowledges, goes on."""
    stage.roll(1)
    stage.hear_nonce()
    stage.acknowledge()
    stage.say("the outcome is in the log")
    stage.idle(2)
    stage.say("the next question is asked")


def acknowledging(stage: Stage) -> None:
    """Acknowledges each roll that it does not like, and asks again."""
    for id in range(1, 4):
        stage.roll(id)
        stage.hear_nonce()
        stage.acknowledge()
        stage.run(0.5)
        stage.say(f"roll {id} of three, seen like any other")


def idle(stage: Stage) -> None:
    """Sends idle as soon as it has heard the nonce, and asks again."""
    stage.roll(1)
    stage.hear_nonce()
    stage.idle(2)
    stage.run(1)
    stage.say("it stood for two seconds, and has left its sign")


def same_id(stage: Stage) -> None:
    """Puts another question under the same id."""
    stage.roll(1)
    stage.hear_nonce()
    stage.state(wire.ROLL, wire.ROLL.encode(1, 0, 2, wire.EVERYBODY, struct.pack("<2H", 6, 5)))
    stage.run(0.8)
    stage.say("asked anew under the same id: the sign is there first")


def unheard(stage: Stage) -> None:
    """Drops a roll that was committed to before it is revealed."""
    stage.roll(1)
    stage.idle(2)
    stage.run(0.4)
    stage.say("dropped before the nonce was told")


def another_log(stage: Stage) -> None:
    """Comes back with another log, to which everything before is void."""
    stage.roll(1)
    stage.hear_nonce()
    stage.greet(b"run  two", OTHER_LOG)
    stage.idle(1)
    stage.run(0.8)
    stage.say("another log asks: the sign is there")


def another_run(stage: Stage) -> None:
    """Comes back as another run with the same log, and asks something else."""
    stage.roll(1)
    stage.hear_nonce()
    stage.greet(b"run  two", LOG)
    stage.idle(2)
    stage.run(0.8)
    stage.say("another run asks: the sign is there")


def without_log(stage: Stage) -> None:
    """Comes back as a run without a log, and asks something else."""
    stage.roll(1)
    stage.hear_nonce()
    stage.greet(b"run  two", wire.NO_ID)
    stage.idle(1)
    stage.run(0.8)
    stage.say("a host without a log asks: the sign is there")


def silent(stage: Stage) -> None:
    """Hears the nonce and goes away."""
    stage.roll(1)
    stage.hear_nonce()
    for _ in range(120):
        stage.host.pause(STEP_S)
        stage.look()
    stage.say("the host is gone; the outcome still stands")


def nobody(stage: Stage) -> None:
    """Rolls for nobody."""
    stage.roll(1, audience=wire.NOBODY)
    stage.hear_nonce()
    stage.idle(2)
    stage.run(0.8)
    stage.say("a roll for nobody leaves its sign, too")


def empty_hood(stage: Stage) -> None:
    """Rolls for a hood where nobody sits."""
    stage.roll(1, audience=5)
    stage.hear_nonce()
    stage.idle(2)
    stage.run(0.8)
    stage.say("a roll under an empty hood leaves its sign, too")


def no_colours(stage: Stage) -> None:
    """Sends the empty colours that hosts of version 2.1 could send: their dice were not shown."""
    stage.roll(1, more=b"\0")
    stage.hear_nonce()
    stage.idle(2)


def alike(stage: Stage) -> None:
    """Sends colours that are all alike, as hosts of version 2.1 could: each of their dice looked like a six."""
    stage.roll(1, more=bytes([6]) + bytes([colours.GREEN]) * 6)
    stage.hear_nonce()
    stage.idle(2)


def dice_before(stage: Stage) -> None:
    """Rolls four dice and tells of the last two."""
    stage.roll(1, struct.pack("<4H", 6, 6, 6, 6))
    stage.hear_nonce()
    stage.say("four dice are seen, not two")
    stage.idle(2)


def ones_before(stage: Stage) -> None:
    """Puts ranges without chance before the dice, to shift them."""
    stage.roll(1, struct.pack("<6H", 1, 1, 1, 1, 6, 6))
    stage.hear_nonce()
    stage.say("six dice are seen; four of them did not turn")
    stage.idle(2)


def wide_before(stage: Stage) -> None:
    """Puts a range before the dice that no die has."""
    stage.roll(1, struct.pack("<3H", 13, 6, 6))
    stage.hear_nonce()
    stage.say("a draw: no dice between the marks")
    stage.idle(2)


def many_before(stage: Stage) -> None:
    """Puts more ranges before the dice than the ring has pixels."""
    stage.roll(1, struct.pack("<40H", *[6] * 40))
    stage.hear_nonce()
    stage.say("a draw: no dice between the marks")
    stage.idle(2)


def service(stage: Stage) -> None:
    """Asks for the service mode, which would darken the table."""
    stage.roll(1)
    stage.hear_nonce()
    for _ in range(15):
        stage.host.send(wire.SERVICE, stage.host.challenge)
        stage.run(0.1)
    stage.say("asked for service mode 15 times")
    stage.idle(2)


def hasty(stage: Stage) -> None:
    """Asks something else while the dice tumble: nobody has heard anything yet."""
    stage.asked = 1, 2, TWO_DICE, wire.EVERYBODY
    for id in range(1, 9, 2):
        stage.state(wire.ROLL, wire.ROLL.encode(id, 0, 2, wire.EVERYBODY, TWO_DICE))
        stage.table.tester.press(2, "b")
        stage.run(0.5)
        stage.say("it tumbles, and is not begun")
        stage.idle(id + 1)


def crowd(stage: Stage) -> None:
    """Paints more dice, over the whole ring, before and while its own stand."""
    pixels = b"".join(bytes((face, colours.OPTION_LEVEL, wire.STEADY)) for face in colours.FACES[:4] * 8)
    stage.state(wire.SCENE, wire.SCENE.encode(wire.RING, pixels))
    stage.roll(1)
    stage.hear_nonce()
    stage.state(wire.SCENE, wire.SCENE.encode(wire.RING, pixels[3:] + pixels[:3]))
    stage.say("nothing that is painted is seen beside it")
    stage.acknowledge()
    stage.idle(2)


def painter(stage: Stage) -> None:
    """Paints a tumble and two dice without any roll, in the colours that come nearest to the mark."""
    sixes = [(colours.FACES[5], colours.OPTION_LEVEL, wire.STEADY)] * 2
    for mark in (colours.BLUE, colours.MAGENTA, colours.LAVENDER):
        marked = [(mark, colours.OPTION_LEVEL, wire.STEADY)]
        state = [(colours.GREEN, 120, wire.STEADY)]
        for words, middle, rest in (
            ("tumble", sixes, [(mark, 160, wire.CHASE)]),
            ("outcome", sixes, [(colours.DARK, 0, wire.STEADY)]),
        ):
            around = state if words == "outcome" else rest
            pixels = rest * 3 + around + marked + middle + marked + around + rest * 23
            stage.state(wire.SCENE, wire.SCENE.encode(wire.RING, b"".join(map(bytes, pixels))))
            stage.run(1)
            stage.say(f"a painted {words}: no mark of a roll")


HOSTS: dict[str, Callable[[Stage], None]] = {
    host.__name__: host
    for host in (
        *(honest, acknowledging, idle, same_id, unheard, another_log, another_run, without_log, silent, nobody),
        *(empty_hood, no_colours, alike, dice_before, ones_before, wide_before, many_before, service, hasty, crowd),
        painter,
    )
}


# -- drawing --------------------------------------------------------------------------------------------------------

_WIDE, _HIGH, _TOP = 230, 254, 34
_STEP = 16


def svg(title: str, looks: list[Look]) -> str:
    """Draw pictures beside each other, each under its words."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE * len(looks)} {_TOP + _HIGH}" '
        'font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="#181818"/>',
        f'<text x="16" y="22" fill="#eee" font-size="15">{title}</text>',
    ]
    for number, look in enumerate(looks):
        x0, y0 = number * _WIDE + 50, _TOP + 64
        for line, words in enumerate(wrap(look.words, 34)):
            lines.append(f'<text x="{number * _WIDE + 16}" y="{_TOP + 12 + 13 * line}" fill="#bbb">{words}</text>')
        for side, (left, top, dx, dy) in enumerate(((0, 0, 1, 0), (8, 0, 0, 1), (8, 8, -1, 0), (0, 8, 0, -1))):
            for n in range(8):
                across, down = left * _STEP + dx * (n + 0.5) * _STEP, top * _STEP + dy * (n + 0.5) * _STEP
                lines.append(_pixel(x0 + across, y0 + down, 6, look.ring[8 * side + n]))
        places = ((4, 9.6), (-1.6, 6), (-1.6, 2), (4, -1.6), (9.6, 2), (9.6, 6))
        for (x, y), colour in zip(places, look.public, strict=True):
            lines.append(_pixel(x0 + x * _STEP, y0 + y * _STEP, 5, colour))
        lines.append(f'<text x="{x0 + 38}" y="{y0 + 68}" fill="#777">{look.time - looks[0].time:+.2f} s</text>')
    return "\n".join([*lines, "</svg>\n"])


def _pixel(x: float, y: float, radius: int, colour: str) -> str:
    channels = bytes.fromhex(colour)
    if not any(channels):
        return f'<circle cx="{x:g}" cy="{y:g}" r="{radius}" fill="#222" stroke="#444"/>'
    gain = (max(channels) / 255) ** 0.35 * 255 / max(channels)  # eyes see more of little light than screens show
    shown = "".join(f"{min(255, round(channel * gain)):02x}" for channel in channels)
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius}" fill="#{shown}"/>'


def main(names: list[str]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in names or list(HOSTS):
        with staged() as stage:
            HOSTS[name](stage)
        path = FOLDER / f"{name}.svg"
        path.write_text(svg(f"{name}: {HOSTS[name].__doc__}", [look for look in stage.film if look.words]), "utf-8")
        print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
