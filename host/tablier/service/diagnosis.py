"""The result of the self-test: the record on the table, its findings, and what play may rely on.

The firmware measures and stores; all limits are here, with their reasons; ``firmware/SELFTEST.md`` explains them.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from tablier.table.beams import MARGIN_LEAST, MARGIN_MOST, beam_name
from tablier.table.client import Client
from tablier.table.health import FAULT, NO_POWER, PUBLIC_PIXEL, faults_of
from tablier.table.incoming import Told
from tablier.table.unusable import TableError
from tablier.texts import Json, Text, all_of, counted, day_text, time_text, word_list
from tablier_fw import result, wire
from tablier_fw.equipment import Equipment
from tablier_fw.version import __version__

BLINDED_MOST = 2
"""Percent of the time in which a receiver may see light from elsewhere: two looks of a hundred may be a camera's flash,
more is a lamp."""
APART_LEAST = 4_000
"""Between the reflections of the bare floor and of a card, of 65535: a fifth of a volt, ten times the noise of the
Pico's converter, so that a third of it is left between each of them and its threshold."""
NEAR_MOST = 1_000
"""The least distance of the empty floor's reflection from its threshold: warmth and dust move it by less."""
IMPACTS_MOST = 0
"""Impacts in a second in which nothing happens."""
HEAP_LEAST = 60_000
"""Bytes of memory that must be free."""
LOOP_MOST_US = 20_000
"""The longest turn of the main loop: what is pressed or felt meanwhile waits, and people notice more than that."""

WHOLE = Equipment()
ASK_S = 0.3
STEP_S = 0.1
GIVE_UP_S = 2.0


def pixel_name(pixel: int) -> Text:
    """Return a pixel by its place in the chains, in people's words."""
    for group, count in enumerate(wire.GROUPS):
        if pixel < count:
            if group == wire.RING:
                return Text("pixel {pixel} of the ring", {"pixel": pixel})
            if group == wire.PUBLIC:
                return PUBLIC_PIXEL.of(place=pixel + 1)
            return Text("pixel {pixel} under hood {hood}", {"pixel": pixel, "hood": group - wire.HOOD + 1})
        pixel -= count
    raise ValueError(pixel)


def button_name(bit: int) -> Text:
    """Return the name of a button, counted from 0 over all places."""
    return Text("button {button} of place {place}", {"button": wire.BUTTONS[bit % 4], "place": bit // 4 + 1})


@dataclass(frozen=True)
class Finding:
    """A fault that the self-test found."""

    text: Text
    senses: bool = False
    """True where landings cannot be told then: windows are played by claim alone."""
    places: tuple[int, ...] = ()
    """The places that cannot be played at."""
    guide: int = 0
    """The step of ``hardware/BUILD.md`` that helps, where it is not that of the self-test's step."""
    shows: tuple[int, ...] = ()
    """The places that can be played at, though people there do not see or hear something."""
    floor: bool = False
    """True where the arena does not tell whether something lies there."""


@dataclass(frozen=True)
class Fault:
    """A finding, and what to do about it."""

    finding: Finding
    cure: Text

    def to_text(self) -> Text:
        """Return both."""
        return Text("{fault}; {cure}", {"fault": self.finding.text, "cure": self.cure})


@dataclass(frozen=True)
class Fitness:
    """The parts of a table that play may rely on."""

    by_claim: Text | None = None
    """The reason why landings are not trusted and people enter their cards; ``None`` if they are."""
    barred: dict[int, Fault] = field(default_factory=dict)
    """Places that cannot be played at, and why."""
    faults: tuple[Fault, ...] = ()
    """All that was found."""
    advice: Text | None = None
    """A word about the result itself, if there is one."""
    places: tuple[int, ...] = tuple(range(1, wire.PLACES + 1))
    """The places that are there."""
    missing: Text | None = None
    """What is not there of the table; ``None`` for a whole one."""
    margins: tuple[int | None, ...] = ()
    """By beam: the percentage of its light that it can do without, ``None`` for one that was not measured; empty for a
    table whose beams were never measured."""


Record = dict[str, Any]


MEASURED = ("buttons", "beams", "floor", "impact")
"""The steps that the table takes alone."""
OF_ARENA = ("beams", "floor", "impact", "beams with a card", "floor with a card", "impact of a card")
"""The steps that only a table with an arena has."""
GUIDED = {
    result.PIXELS: "pixels",
    result.BUTTONS: "buttons pressed",
    result.HOODS: "hoods",
    result.BEAMS: "beams with a card",
    result.FLOOR: "floor with a card",
    result.IMPACT: "impact of a card",
    result.BUZZER: "buzzer",
}
"""Those that need people, by their bits in a record's ``parts``."""
STEPS = {
    each.template: each
    for each in word_list(
        *("memory", "buttons", "beams", "floor", "impact", "pixels", "buttons pressed", "hoods", "beams with a card"),
        *("floor with a card", "impact of a card", "buzzer"),
        context="step",
    )
}
"""By step: its name."""
GUIDE = {
    "memory": 4,
    "buttons": 5,
    "beams": 16,
    "floor": 12,
    "impact": 17,
    "pixels": 9,
    "buttons pressed": 8,
    "hoods": 9,
    "beams with a card": 16,
    "floor with a card": 17,
    "impact of a card": 17,
    "buzzer": 7,
}
"""The step of ``hardware/BUILD.md`` at which to look for a fault, by the step of the self-test that shows it."""
_GUIDE_RING = 11
GUIDE_OF_STARTER = {"memory": 1, "buttons": 4, "pixels": 3, "buttons pressed": 4, "hoods": 7}
"""The same of ``hardware/STARTER.md``."""


def has(there: Equipment, step: str) -> bool:
    """Return whether a table has what a step of the self-test is about."""
    return step in GUIDE_OF_STARTER if there.starter else there.arena or step not in OF_ARENA


def remedy(step: str, finding: Finding, there: Equipment = WHOLE) -> Text:
    """Return the part of the building guide that helps with a fault found by a step."""
    if there.starter:
        return Text("see step {step} of hardware/STARTER.md", {"step": GUIDE_OF_STARTER[step]})
    return Text("see step {step} of hardware/BUILD.md", {"step": finding.guide or GUIDE[step]})


def findings(record: Record) -> list[Finding]:
    """Return all faults of a record, in the order of the self-test."""
    return [fault.finding for fault in _faults(record, WHOLE)]


def _faults(record: Record, there: Equipment) -> list[Fault]:
    return [Fault(finding, remedy(step, finding, there)) for step, finding in _found(record, there)]


def _found(record: Record, there: Equipment) -> list[tuple[str, Finding]]:
    """Return all faults of a record with their steps."""
    steps = [*measured(record).items(), *guided(record).items()]
    return [(step, finding) for step, found in steps if has(there, step) for finding in found]


def measured(record: Record) -> dict[str, list[Finding]]:
    """Return the findings of the steps that the table runs alone; leave out those not run."""
    if not record["measured"]:
        return {}
    buttons = [
        # The hub was tried before any place was built: look at the place and its ribbon first.
        Finding(
            Text("{button} counts as pressed though nobody presses it", {"button": button_name(bit)}),
            places=(bit // 4 + 1,),
            guide=8,
        )
        for bit in _bits(record["held"])
    ]
    if record["faults"] & wire.NO_CHAIN:
        text = Text("the chain of buttons does not answer: look at its cable and at U1")
        buttons.append(Finding(text, places=tuple(_places())))
    if record["faults"] & wire.NO_SAMPLES:
        text = Text("the table does not read its buttons: switch it off and on, and test it again")
        buttons.append(Finding(text, places=tuple(_places())))
    beams = []
    for beam in range(len(record["margins"])):
        fault = _beam_fault(beam_name(beam), record["margins"][beam], record["blinded"][beam])
        if fault is not None:
            beams.append(Finding(fault, senses=True))
    impacts = []
    if record["impacts"] != result.UNKNOWN and record["impacts"] > IMPACTS_MOST:
        fires = "the impact sensor reacts though nothing happens: {impacts} in a second; allowed: none"
        impacts.append(Finding(Text(fires, {"impacts": record["impacts"]}), senses=True))
    return {"buttons": buttons, "beams": beams, "floor": _bare(record), "impact": impacts}


def _bare(record: Record) -> list[Finding]:
    found = []
    for place, (_, empty) in zip(("offer", "pile"), result.thresholds(record), strict=True):
        bare, most = record[f"{place}_bare"], empty - NEAR_MOST
        if bare != result.UNMEASURED and bare > most:
            args = {"place": _SENSORS[place], "bare": bare, "most": most}
            text = "the floor's {place} sensor sees {bare} where nothing lies; allowed: {most} or less"
            found.append(Finding(Text(text, args), floor=True))
    return found


_SENSORS = {"offer": Text("offer", context="sensor"), "pile": Text("pile", context="sensor")}


def _beam_fault(beam: Text, margin: int, blinded: int) -> Text | None:
    args: dict[str, Any] = {"beam": beam}
    if blinded != result.UNKNOWN and blinded > BLINDED_MOST:
        args |= {"blinded": blinded, "most": BLINDED_MOST}
        return Text("{beam} sees light from elsewhere for {blinded} % of the time; allowed: {most} %", args)
    if margin == result.UNKNOWN:
        return None
    if margin == 0:
        return Text("{beam} reads broken though nothing is in it", args)
    if margin < MARGIN_LEAST:
        args |= {"margin": margin, "least": MARGIN_LEAST}
        return Text("{beam} fails when it loses {margin} % of its light; allowed: {least} % or more", args)
    if margin > MARGIN_MOST:
        args |= {"light": 100 - margin, "least": 100 - MARGIN_MOST}
        text = "{beam} still reads clear with {light} % of its light, so a card in it may be missed; allowed: {least} %"
        return Text(text, args)
    return None


def guided(record: Record) -> dict[str, list[Finding]]:
    """Return the findings of the steps guided by people; leave out those not run."""
    found: dict[str, list[Finding]] = {name: [] for bit, name in GUIDED.items() if record["parts"] & bit}

    def add(part: int, finding: Finding) -> None:
        found.get(GUIDED[part], []).append(finding)

    for pixel in _bits(int.from_bytes(record["dark"], "little")):
        add(result.PIXELS, _dark(pixel))
    for bit in _bits(record["dead"]):
        text = Text("{button} does not react, or as another button", {"button": button_name(bit)})
        add(result.BUTTONS, Finding(text, places=(bit // 4 + 1,)))
    for place in _places():
        seen = record["hoods"][place - 1]
        if seen not in (place, result.UNKNOWN):
            args = {"place": place, "seen": seen}
            text = Text("hood {place} is seen at place {seen}: no secret may be shown under it", args)
            if not seen:
                text = Text("hood {place} is seen by nobody: no secret may be shown under it", {"place": place})
            add(result.HOODS, Finding(text, places=(place,)))
    for beam in _bits(record["unseen"]):
        text = Text("{beam} did not react to what was moved through it", {"beam": beam_name(beam)})
        add(result.BEAMS, Finding(text, senses=True))
    for finding in floor_findings(record):
        add(result.FLOOR, finding)
    if not record["felt"]:
        add(result.IMPACT, Finding(Text("a card that fell into the tray was not felt"), senses=True))
    if not record["heard"]:
        add(result.BUZZER, Finding(Text("the buzzer was not heard"), shows=tuple(_places())))
    return found


def floor_findings(record: Record) -> list[Finding]:
    """Return the sensors of the floor that do not tell a card from the bare floor."""
    found = []
    for place in ("offer", "pile"):
        apart = record[f"{place}_card"] - record[f"{place}_bare"]
        if apart < APART_LEAST:
            text = (
                "the floor's {place} sensor sees {bare} without a card and {card} with one; allowed: {least} apart or"
                " more"
            )
            args = {"place": _SENSORS[place], "bare": record[f"{place}_bare"], "card": record[f"{place}_card"]}
            found.append(Finding(Text(text, {**args, "least": APART_LEAST}), floor=True))
    return found


def told(record: Record, there: Equipment = WHOLE) -> list[Text]:
    """Return in lines when a table was tested, the margins of its sensors, and all faults."""
    dates = {name: date_text(record[name]) for name in ("measured", "guided", "calibrated")}
    lines = [Text("tested    {measured}; with people {guided}; floor calibrated {calibrated}", dates)]
    if record["measured"] and there.arena:
        lines.append(Text("beams     {figures}", {"figures": figures(record, "beams")}))
    if record["calibrated"] and there.arena:
        lines.append(Text("floor     {figures}", {"figures": figures(record, "floor")}))
    return [*lines, *(FAULT.of(fault=finding.text) for finding in findings(record))]


def record_json(record: Record, there: Equipment = WHOLE) -> Json:
    """Return a record for programs: times, what the sensors measured, ``None`` where nothing was, and the faults."""
    measured = {name: _figure(record[name]) for name in ("offer_bare", "offer_card", "pile_bare", "pile_card")}
    return {
        **{name: _date(record[name]) for name in ("measured", "guided", "calibrated")},
        "margins": list(_margins(record)),
        "floor": measured,
        "faults": [
            {
                "step": step,
                "fault": finding.text.to_json(),
                "places": list(finding.places),
                "senses": finding.senses,
            }
            for step, finding in _found(record, there)
        ],
    }


def _figure(value: int) -> int | None:
    return None if value == result.UNMEASURED else value


def _date(seconds: int) -> str | None:
    return datetime.fromtimestamp(seconds, UTC).isoformat() if seconds else None


def fitness_json(fit: Fitness) -> Json:
    """Return for programs what the faults of a table mean for play."""
    texts = {"advice": fit.advice, "missing": fit.missing, "by_claim": fit.by_claim}
    return {
        **{name: each and each.to_json() for name, each in texts.items()},
        "barred": {str(place): fault.finding.text.to_json() for place, fault in sorted(fit.barred.items())},
    }


def figures(record: Record, step: str, there: Equipment = WHOLE) -> Text:
    """Return the measurements of a step, in a few words."""
    if step == "beams":
        margins = record["margins"]
        args = {"low": _row(margins[:4]), "rim": _row(margins[4:8]), "least": MARGIN_LEAST, "most": MARGIN_MOST}
        return Text("low {low}, rim {rim} % of the light to spare; allowed: {least} to {most}", args)
    if step == "floor":
        (full, empty), (full_2, empty_2) = result.thresholds(record)
        args = {"offer": record["offer_bare"], "pile": record["pile_bare"]}
        args |= {"empty": empty, "full": full, "empty_2": empty_2, "full_2": full_2}
        text = "offer {offer}, pile {pile}; empty up to {empty} and {empty_2}, occupied from {full} and {full_2}"
        return Text(text, args)
    if step == "floor with a card":
        return Text("offer {offer}, pile {pile}", {"offer": record["offer_card"], "pile": record["pile_card"]})
    if step == "pixels":
        return Text("all {count} shine in all colours", {"count": len(there.pixels())})
    if step == "buttons pressed":
        return Text("all {count} work", {"count": there.buttons().bit_count()})
    return _FIGURES[step]


_FIGURES = {
    "buttons": Text("the chain answers, none is stuck"),
    "impact": Text("nothing is felt while nothing happens"),
    "hoods": Text("each is seen at its own place"),
    "beams with a card": Text("all eight react"),
    "impact of a card": Text("it is felt"),
    "buzzer": Text("it is heard"),
}
"""By step: what is said of it where nothing was measured in figures."""


def _row(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))


def _dark(pixel: int) -> Finding:
    public = pixel - wire.GROUPS[wire.RING]
    hood = public - wire.GROUPS[wire.PUBLIC]
    text = Text("{pixel} is dark or wrong", {"pixel": pixel_name(pixel)})
    if public < 0:
        return Finding(text, guide=_GUIDE_RING, shows=tuple(_places()))
    return Finding(text, shows=(public + 1,)) if hood < 0 else Finding(text, places=(hood // 5 + 1,))


def _places() -> range:
    return range(1, wire.PLACES + 1)


def _bits(number: int) -> list[int]:
    return [bit for bit in range(number.bit_length()) if number >> bit & 1]


def fitness(record: Record | None, board: str, version: str, port: str = "PORT", there: Equipment = WHOLE) -> Fitness:
    """Return what play at this table may rely on. ``version``: the firmware's, as its hello tells it; ``port``: the
    table's, by which it is tested; ``there``: its equipment."""
    places = tuple(place for place in _places() if there.places >> (place - 1) & 1)
    fit = _tested(record, board, version, port, there)
    faults = tuple(fault for fault in fit.faults if _is_there(fault.finding, places))
    fit = replace(fit, places=places, missing=missing_text(there), faults=faults)
    return fit if there.arena else replace(fit, by_claim=Text("the table has no arena"), margins=())


def _is_there(finding: Finding, places: Sequence[int]) -> bool:
    """Return whether a place with a fault is there; a fault of no place counts."""
    return not finding.places or bool(set(places).intersection(finding.places))


def missing_text(there: Equipment) -> Text | None:
    """Return what is not there of a table; ``None`` for a whole one."""
    missing = []
    places = [place for place in _places() if not there.places >> (place - 1) & 1]
    if places:
        missing.append(counted(len(places), "place {places}", "places {places}", places=places))
    if there.ring < wire.GROUPS[wire.RING]:
        args = {"first": there.ring, "last": wire.GROUPS[wire.RING] - 1}
        missing.append(Text("pixels {first} to {last} of the ring", args))
    if not there.arena:
        missing.append(Text("the arena"))
    return Text("This table is built in part; not there: {missing}.", {"missing": missing}) if missing else None


def _tested(record: Record | None, board: str, version: str, port: str, there: Equipment) -> Fitness:
    at = {"port": shlex.quote(port)}
    if record is None:
        return Fitness(advice=Text("This table has not been tested: run 'tablier table selftest --port {port}'.", at))
    if record["board"].hex() != board:
        template = "The self-test stored on this table is of board {board}: run 'tablier table selftest --port {port}'."
        return Fitness(advice=Text(template, {"board": record["board"].hex(), **at}))
    found = _faults(record, there)
    senses = [fault.finding.text for fault in found if fault.finding.senses]
    barred: dict[int, Fault] = {}
    for fault in found:
        for place in fault.finding.places:
            barred.setdefault(place, fault)
    by = {text(record[name]) for name in ("measured_by", "guided_by")} - {""}
    old = sorted(by - {version.partition(";")[0]})
    template = (
        "This table was tested with firmware {old}, not its present one: run 'tablier table selftest --port {port}'."
    )
    advice = Text(template, {"old": all_of(old), **at}) if old else None
    by_claim = senses[0] if senses else None
    if len(senses) > 1:
        by_claim = Text("{first}, and {more}", {"first": senses[0], "more": _more(len(senses) - 1)})
    return Fitness(by_claim, barred, tuple(found), advice, margins=_margins(record))


def _margins(record: Record) -> tuple[int | None, ...]:
    found = tuple(None if margin == result.UNKNOWN else margin for margin in record["margins"])
    return found if any(margin is not None for margin in found) else ()


def _more(count: int) -> Text:
    return counted(count, "{count} more fault", "{count} more faults")


def text(field: bytes) -> str:
    """Return a field of a record that holds a text."""
    return field.rstrip(b"\0").decode("ascii", "replace")


def version_field(version: str = __version__) -> bytes:
    return version.partition(";")[0].encode("ascii", "replace")[:12].ljust(12, b"\0")


def date_text(seconds: int) -> Text:
    """Return a date in a record."""
    if not seconds:
        return Text("never")
    date = datetime.fromtimestamp(seconds, UTC)
    return Text("{day} {time} UTC", {"day": day_text(date), "time": time_text(date)})


def now_s(client: Client) -> int:
    """Return the seconds since 1970 by the host's clock; never 0, which stands for never."""
    return max(1, int(datetime.fromisoformat(client.clock.date(client.clock.now())).timestamp()))


# -- on the table --------------------------------------------------------------------------------------------------


def fetch(client: Client) -> Record | None:
    """Return the record stored on the table. Raise ``TableError`` if the table does not answer."""
    return store(client, b"")[1]


def examine(client: Client) -> tuple[Record | None, Fitness]:
    """Return the record stored on a table, and what play there may rely on. Raise ``TableError`` for a table that does
    not answer, or is without power."""
    record = fetch(client)
    await_status(client, client.poll)
    if faults_of(client.status) & wire.NO_POWER:
        raise TableError("{port}: {fault}", port=client.port, fault=NO_POWER)
    return record, fitness(record, client.board or "", client.version, client.port, client.equipment)


NO_STATUS = Text("{port}: the table answers but sends no status; unplug it and plug it in again")


def await_status(client: Client, passing: Callable[[float], object]) -> None:
    """Wait until a table has said how it stands. ``passing`` lets time pass at the client. Raise ``TableError`` if it
    does not."""
    end = client.clock.now() + GIVE_UP_S
    while not client.status:
        passing(STEP_S)
        if client.clock.now() > end:
            raise TableError(NO_STATUS.of(port=client.port))


def store(client: Client, packed: bytes) -> tuple[int, Record | None]:
    """Store a record on the table, unless it is empty; return the refusal and the record stored then.

    Other messages that come meanwhile are lost. Raise ``TableError`` if the table does not answer.
    """
    end, asked = client.clock.now() + GIVE_UP_S, float("-inf")
    while (now := client.clock.now()) < end:
        if now - asked >= ASK_S:
            asked = now
            client.send(wire.KEEP, packed)
        for incoming in client.poll(min(ASK_S, end - now)):
            if isinstance(incoming, Told) and incoming.message is wire.KEPT:
                kept = result.unpack(incoming.values["result"])
                if incoming.values["refusal"] or not packed or incoming.values["result"] == packed:
                    return incoming.values["refusal"], kept
    raise TableError(
        "{port}: the table does not send its stored self-test; unplug it and plug it in again", port=client.port
    )
