"""The self-test and the calibration, step by step: lights, questions to people, meaning of their answers.

The table runs some steps alone; the others are guided by its lights and by a :class:`Dialog` with the people there.
Nothing secret is shown: all hoods get the same light.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tablier.service import diagnosis
from tablier.service.diagnosis import Finding, Record
from tablier.table import health
from tablier.table.client import Client
from tablier.table.incoming import Rebooted, Refused, TableEvent, Told, Unfit, Unplugged
from tablier.texts import Failure, Text, clauses, counted, number_text, span
from tablier_fw import colours, result, wire

Look = tuple[int, int]
"""Colour of the palette, brightness."""

DARK: Look = (colours.DARK, 0)
WHITE: Look = (colours.WHITE, 60)
DIM: Look = (colours.BLUE, 20)
GREEN: Look = (colours.GREEN, 80)
RED: Look = (colours.RED, 120)
AMBER: Look = (colours.AMBER, 80)
CYCLE: tuple[Look, ...] = ((colours.RED, 90), (colours.GREEN, 90), (colours.BLUE, 90), (colours.WHITE, 50))
"""Red, green, blue, white: in this order every pixel shows that each of its three diodes shines."""
CYCLE_S = 0.8
MEASURE_S = 15.0
"""A table that has not measured its sensors by then never will."""
TUNE = ((660, 150), (0, 80), (880, 150), (0, 80), (1100, 250))
HOODS = (1, 4, 2, 6, 3, 5)
"""Not one after the other, or people would press when it is their turn."""
SECTOR = 5
"""Pixels of the ring in front of each place."""
STEP_S = 0.1
_ALL = (1 << wire.PLACES) - 1


REFUSED = Text("the table refused a message: {why}")


def impossible(unfit: Unfit) -> Text:
    """Return what is wrong with an event of the table."""
    return Text("the table sent something impossible ({what}): {why}", {"what": unfit.what, "why": unfit.why})


class SelftestError(Failure):
    """The self-test must stop; the text says why."""


class Dialog(ABC):
    """A dialogue with the people at the table."""

    @abstractmethod
    def tell(self, text: Text) -> None:
        """Say something."""

    @abstractmethod
    def ask(self, text: Text) -> None:
        """Ask for something; the answer is typed, or given by the table's buttons."""

    @abstractmethod
    def typed(self) -> str | None:
        """Return the next typed line, if any."""


@dataclass(frozen=True)
class Press:
    place: int
    button: int


@dataclass
class Step:
    """The findings of one step."""

    name: str
    figures: Text
    findings: list[Finding] = field(default_factory=list)


class Examination:
    """One self-test or calibration. ``durable`` is the client's cursor, since these events go into no log.
    ``new_id`` returns an id for each question; ids rise as long as the client lives."""

    def __init__(
        self, client: Client, durable: dict[str, int], new_id: Callable[[], int], person: Dialog | None = None
    ) -> None:
        self.client = client
        self.person = person
        self.steps: list[Step] = []
        self.record: Record = {}
        self._durable = durable
        self._new_id = new_id
        self._question = 0
        self._sensed: dict[str, Any] = {}
        self.there = diagnosis.WHOLE
        self._places: Sequence[int] = ()
        """The places that are there."""

    @property
    def findings(self) -> list[Finding]:
        """Return all faults found by this examination and by earlier ones of this table."""
        return [finding for step in self.steps for finding in step.findings]

    # -- beginning and end -----------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Check that the table is free. Raise :class:`SelftestError`, and ``TableError``."""
        check_free(self.client, self._pass)
        status = self.client.status
        self._refuse_without_power(health.faults_of(status))
        self.there = self.client.equipment
        self._places = [place for place in range(1, wire.PLACES + 1) if self.there.places >> (place - 1) & 1]
        kept = diagnosis.fetch(self.client)
        board = bytes.fromhex(self.client.board or "")
        self.record = kept if kept and kept["board"] == board else result.new(board)
        self._memory(status["heap_free"], status["loop_us"])

    def end(self) -> None:
        """Darken the table and ask nothing."""
        self._dark()
        self._want(wire.IDLE, 0)
        self._pass(STEP_S)

    def keep(self) -> bool:
        """Store the record on the table; return True if the table took it."""
        self.end()
        refusal, _ = diagnosis.store(self.client, result.pack(self.record))
        return not refusal

    def _memory(self, heap: int, loop_us: int) -> None:
        found = []
        if heap < diagnosis.HEAP_LEAST:
            found.append(
                Finding(
                    Text(
                        "{heap} bytes of memory are free; allowed: {least} or more",
                        {"heap": number_text(heap, ","), "least": number_text(diagnosis.HEAP_LEAST, ",")},
                    )
                )
            )
        if loop_us > diagnosis.LOOP_MOST_US:
            found.append(
                Finding(
                    Text(
                        "the main loop took {took} ms for a turn; allowed: {most} ms",
                        {"took": round(loop_us / 1000), "most": diagnosis.LOOP_MOST_US // 1000},
                    )
                )
            )
        args = {"heap": number_text(heap, ","), "took": number_text(loop_us / 1000, ".1f")}
        self._done("memory", Text("{heap} bytes free, longest turn {took} ms, nothing waits", args), found)

    def _done(self, name: str, figures: Text, found: Sequence[Finding] = ()) -> None:
        self.steps.append(Step(name, figures, list(found)))

    # -- without people ----------------------------------------------------------------------------------------------

    def measure(self) -> None:
        """Run the steps that need nobody. The arena must be empty, and nobody may touch the table."""
        self._dark()
        self._want(wire.CHECK, wire.MEASURE)
        end = self.client.clock.now() + MEASURE_S
        while not self._sensed.get("measured"):
            self._pass(STEP_S)
            if self.client.clock.now() > end:
                raise SelftestError(
                    "the table has not measured its sensors within {seconds} s", seconds=number_text(MEASURE_S, "g")
                )
        sensed = self._wait_for_reading()
        self.record |= {
            "measured": diagnosis.now_s(self.client),
            "measured_by": diagnosis.version_field(self.client.version),
            "margins": sensed["margins"],
            "blinded": sensed["blinded"],
            "offer_bare": sensed["offer"] if self.there.arena else result.UNMEASURED,
            "pile_bare": sensed["pile"] if self.there.arena else result.UNMEASURED,
            "impacts": sensed["impacts"] if self.there.arena else result.UNKNOWN,
            "held": sensed["held"],
            "faults": sensed["faults"],
        }
        self._refuse_without_power(sensed["faults"])
        self._tell(diagnosis.measured(self.record))

    # -- with people ---------------------------------------------------------------------------------------------------

    def guide(self) -> None:
        """Run the steps that need people."""
        record = self.record
        record |= {"guided": diagnosis.now_s(self.client)}
        record |= {"guided_by": diagnosis.version_field(self.client.version)}
        self._pixels()
        self._buttons()
        self._hoods()
        if self.there.arena:
            self._beams()
            self._floor()
            self._impact()
        if self.has("buzzer"):
            self._buzzer()
        record["parts"] = sum(bit for bit, step in diagnosis.GUIDED.items() if self.has(step))
        self._tell(diagnosis.guided(record))

    def has(self, step: str) -> bool:
        """Return whether the table has what a step is about."""
        return diagnosis.has(self.there, step)

    def _tell(self, steps: Mapping[str, list[Finding]]) -> None:
        for step, found in steps.items():
            if self.has(step):
                self._done(step, diagnosis.figures(self.record, step, self.there), found)

    def _refuse_without_power(self, faults: int) -> None:
        """Raise :class:`SelftestError` where pixels and beams are dark because nothing feeds them."""
        if faults & wire.NO_POWER:
            raise SelftestError(health.NO_POWER)

    @property
    def _here(self) -> Dialog:
        assert self.person is not None
        return self.person

    def _pixels(self) -> None:
        dark = 0
        hoods = list(range(wire.HOOD, len(wire.GROUPS)))
        ring = Text("Does every pixel of the ring shine red, green, blue, white in turn?")
        dark |= self._colours([wire.RING], ring, lambda word: int(word), 0)
        public = Text("Does the public pixel of every place shine red, green, blue, white in turn?")
        dark |= self._colours([wire.PUBLIC], public, lambda word: int(word) - 1, 1)
        under = Text(
            "Press a button at each place, which lights its hood for five seconds. Does every pixel under every hood"
            " shine red, green, blue, white in turn?"
        )
        dark |= self._colours(hoods, under, _under_hood, 0)
        self.record["dark"] = dark.to_bytes(9, "little")

    def _colours(self, groups: list[int], asked: Text, number: Callable[[str], int], first: int) -> int:
        """Show the colours in turn until somebody confirms them; return the pixels that fail."""
        # While presses are watched the table's own light on the public pixels hides theirs, and the hoods are dark.
        at_table = groups == [wire.RING]
        self._dark()
        self._watch(at_table)
        begun = self.client.clock.now()

        def cycle() -> None:
            colour = CYCLE[int((self.client.clock.now() - begun) / CYCLE_S) % len(CYCLE)]
            for group in groups:
                self._paint(group, [colour] * wire.GROUPS[group])

        if self._confirm(asked, at_table, cycle):
            return 0
        count = self.there.ring if at_table else sum(wire.GROUPS[group] for group in groups)
        start = sum(wire.GROUPS[: groups[0]])
        form = span(first, count - 1 + first)
        if len(groups) > 1:
            form = Text("as hood:pixel (2:0 is the left one under hood 2)")
        self._here.ask(Text("Which ones do not? Type their numbers, {form}, and Enter.", {"form": form}))
        while True:
            for thing in self._pass(STEP_S, cycle):
                if isinstance(thing, str):
                    try:
                        numbers = [number(word) for word in thing.replace(",", " ").split()]
                        if numbers and all(0 <= each < count for each in numbers):
                            return sum(1 << start + each for each in set(numbers))
                    except ValueError:
                        pass
                    args = {"seen": repr(thing), "form": form}
                    self._here.ask(Text("{seen}: not pixels; type numbers, {form}.", args))

    def _buttons(self) -> None:
        dead = 0
        self._dark()
        self._watch()
        for place in self._places:
            text = (
                "Place {place} (the ring is lit before it): press its buttons from left to right, minus, plus, a, b,"
                " each when the ring's white light comes to it. Enter for one that is not heard."
            )
            self._here.ask(Text(text, {"place": place}))
            looks = [DIM] * len(wire.BUTTONS)
            for button in range(len(wire.BUTTONS)):
                bit = (place - 1) * 4 + button
                looks[button] = WHITE
                self._light_place(place, looks)
                heard = self._wait_for(lambda thing: isinstance(thing, Press) or thing == "")
                if heard != Press(place, button):
                    dead |= 1 << bit
                    about = {"button": diagnosis.button_name(bit)}
                    told = Text("{button}: not heard", about)
                    if isinstance(heard, Press):
                        about["other"] = diagnosis.button_name((heard.place - 1) * 4 + heard.button)
                        told = Text("{button}: heard as {other}", about)
                    self._here.tell(told)
                looks[button] = RED if dead >> bit & 1 else GREEN
            self._light_place(place, looks)
        self.record["dead"] = dead

    def _hoods(self) -> None:
        # A hood shows what is painted when its place asks for it and its buttons are not read.
        seen = bytearray([result.UNKNOWN] * wire.PLACES)
        self._watch(False)
        for hood in HOODS:
            if hood not in self._places:
                continue
            self._dark()
            self._paint(wire.HOOD + hood - 1, [WHITE] * 5, wire.PULSE)
            text = (
                "Press any button at place {place}. Enter: its own hood shines, for five seconds. Otherwise type the"
                " place whose hood shines, or 0 for none."
            )
            self._here.ask(Text(text, {"place": hood}))
            answer = self._wait_for(lambda thing: thing in ("", *map(str, range(wire.PLACES + 1))))
            seen[hood - 1] = int(answer) if answer else hood  # type: ignore[arg-type]
        self.record["hoods"] = bytes(seen)

    def _beams(self) -> None:
        self._dark()
        self._want(wire.CHECK, 0)
        text = "Move a card through each of the eight beams, tier by tier; Enter when the rest do not answer."
        self._here.ask(Text(text))
        self._wait_until(lambda: self._sensed.get("seen") == 0xFF, self._light_beams)
        self.record["unseen"] = ~int(self._sensed.get("seen", 0)) & 0xFF

    def _light_beams(self) -> None:
        """Light two pixels of the ring over each receiver, the low tier on the left: amber, green once it answered."""
        pixels = [DARK] * wire.GROUPS[wire.RING]
        seen = int(self._sensed.get("seen", 0))
        for beam in range(8):
            look = GREEN if seen >> beam & 1 else AMBER
            at = 8 * (beam % 4) + (1 if beam < 4 else 5)
            pixels[at] = pixels[at + 1] = look
        self._paint(wire.RING, pixels)

    def _floor(self) -> None:
        self._dark()
        self._want(wire.CHECK, 0)
        text = "Lay a card across the empty floor, from east to west, so that it covers both windows; then Enter."
        self._here.ask(Text(text))
        self._wait_until(lambda: False)
        sensed = self._wait_for_reading()
        self.record |= {"offer_card": sensed["offer"], "pile_card": sensed["pile"]}
        self._here.ask(Text("Take it out again, then Enter."))
        self._wait_until(lambda: False)

    def _impact(self) -> None:
        self._want(wire.CHECK, 0)
        text = "Let a card fall flat into the tray, from a hand's height. Enter if nothing happens."
        self._here.ask(Text(text))
        self.record["felt"] = int(self._wait_until(lambda: int(self._sensed.get("impacts", 0)) > 0))
        self._here.tell(Text("A card was felt. Take it out.") if self.record["felt"] else Text("Nothing was felt."))

    def _buzzer(self) -> None:
        self._dark()
        self._watch()
        notes = b"".join(hertz.to_bytes(2, "little") + ms.to_bytes(2, "little") for hertz, ms in TUNE)
        self.client.want(wire.TONE, self._question, notes)
        self.record["heard"] = int(self._confirm(Text("Did you hear three rising tones?"), True))

    # -- calibration ---------------------------------------------------------------------------------------------------

    def calibrate(self) -> None:
        """Measure the floor empty and covered, and set its thresholds in between. Call :meth:`measure` first.

        Raise :class:`SelftestError` if the two are too close, and where there is no arena.
        """
        if not self.there.arena:
            raise SelftestError("the table has no arena, so there is nothing to calibrate")
        self._floor()
        record = self.record
        found = diagnosis.floor_findings(record)
        if found:
            raise SelftestError(clauses([finding.text for finding in found]))
        for place in ("offer", "pile"):
            bare, card = record[f"{place}_bare"], record[f"{place}_card"]
            record[f"{place}_empty"] = bare + (card - bare) // 3
            record[f"{place}_full"] = bare + 2 * (card - bare) // 3
        record["parts"] |= result.FLOOR
        record["calibrated"] = diagnosis.now_s(self.client)
        self._done("floor", diagnosis.figures(record, "floor"))

    # -- lights and questions -------------------------------------------------------------------------------------

    def _want(self, message: wire.Message, *values: int) -> None:
        self._question = self._new_id()
        self._sensed = {}
        self.client.want(message, self._question, *values)

    def _watch(self, watching: bool = True) -> None:
        if watching:
            self._want(wire.WATCH, 0, _ALL)
        else:
            self._want(wire.IDLE, 0)

    def _paint(self, group: int, looks: Sequence[Look], effect: int = wire.STEADY) -> None:
        self.client.want(wire.SCENE, group, b"".join(bytes((*look, effect)) for look in looks))

    def _dark(self) -> None:
        for group, count in enumerate(wire.GROUPS):
            self._paint(group, [DARK] * count)

    def _light_place(self, place: int, looks: Sequence[Look]) -> None:
        """Light the ring in front of a place: a pixel for each of its buttons."""
        pixels = [DARK] * wire.GROUPS[wire.RING]
        for at, look in enumerate(looks, (place - 1) * SECTOR):
            pixels[at % self.there.ring] = look
        self._paint(wire.RING, pixels)

    def _confirm(self, text: Text, at_table: bool, meanwhile: Callable[[], None] = lambda: None) -> bool:
        asked = Text("{question} Enter: yes. n: no.", {"question": text})
        if at_table:
            asked = Text("{question} Enter, or b at any place: yes. n, or a: no.", {"question": text})
        self._here.ask(asked)
        while True:
            for thing in self._pass(STEP_S, meanwhile):
                if isinstance(thing, Press) and at_table and thing.button in (wire.A, wire.B):
                    return thing.button == wire.B
                if isinstance(thing, str):
                    word = thing.strip().lower()
                    if word in ("", "y", "yes"):
                        return True
                    if word in ("n", "no"):
                        return False
                    self._here.ask(Text("{seen}: Enter means yes, n means no.", {"seen": repr(thing)}))

    def _wait_for(self, fits: Callable[[Press | str], bool]) -> Press | str:
        """Return the first press or typed line that fits."""
        while True:
            for thing in self._pass(STEP_S):
                if fits(thing):
                    return thing

    def _wait_until(self, holds: Callable[[], bool], meanwhile: Callable[[], None] = lambda: None) -> bool:
        """Wait until a condition holds, or for Enter; return the condition."""
        while not holds():
            if "" in self._pass(STEP_S, meanwhile):
                return holds()
        meanwhile()
        return True

    def _wait_for_reading(self) -> dict[str, Any]:
        """Return a sensor report from now: the second that arrives, because the first may be older."""
        sensed: dict[str, Any] = {}
        for _ in range(2):
            before = self._sensed
            end = self.client.clock.now() + MEASURE_S
            while self._sensed is before:
                self._pass(STEP_S)
                if self.client.clock.now() > end:
                    raise SelftestError("the table sends no readings of its sensors")
            sensed = self._sensed
        return sensed

    def _pass(self, seconds: float, meanwhile: Callable[[], None] = lambda: None) -> list[Press | str]:
        """Let some time pass; return the presses and the typed lines."""
        meanwhile()
        things: list[Press | str] = []
        for incoming in self.client.poll(seconds):
            if isinstance(incoming, TableEvent):
                self._durable[incoming.boot] = incoming.number
                self.client.acknowledge(incoming)
                if incoming.message is wire.PRESSED and incoming.values["id"] == self._question:
                    things.append(Press(incoming.values["place"], incoming.values["button"]))
            elif isinstance(incoming, Told):
                if incoming.message is wire.SENSED and incoming.values["id"] == self._question:
                    self._sensed = incoming.values
            elif isinstance(incoming, Unfit):
                self._durable[incoming.boot] = max(incoming.number, self._durable.get(incoming.boot, 0))
                self.client.acknowledge(incoming)
                raise SelftestError(impossible(incoming))
            elif isinstance(incoming, Refused):
                raise SelftestError(REFUSED.of(why=incoming.why))
            elif isinstance(incoming, Rebooted):
                raise SelftestError("the table restarted during the test; start again")
            elif isinstance(incoming, Unplugged):
                raise SelftestError("the table does not answer any more: is its cable plugged in?")
        while self.person is not None and (line := self.person.typed()) is not None:
            things.append(line)
        return things


def check_free(client: Client, passing: Callable[[float], object]) -> None:
    """Check that no game waits in a table. ``passing`` lets time pass at the client. Raise :class:`SelftestError`, and
    ``TableError``."""
    diagnosis.await_status(client, passing)
    waiting = client.status["number"] - client.status["acked"]
    if waiting:
        one = "{count} event of a game waits in the table for its log: 'tablier resume' first, or reset the table"
        many = "{count} events of a game wait in the table for its log: 'tablier resume' first, or reset the table"
        raise SelftestError(counted(waiting, one, many))


def _under_hood(word: str) -> int:
    hood, _, pixel = word.partition(":")
    if not 1 <= int(hood) <= wire.PLACES or not 0 <= int(pixel) < wire.GROUPS[wire.HOOD]:
        raise ValueError(word)
    return (int(hood) - 1) * wire.GROUPS[wire.HOOD] + int(pixel)
