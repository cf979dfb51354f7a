"""Parse the words after a tester's verb. Raise :class:`VerbError` for wrong ones."""

from __future__ import annotations

from collections.abc import Callable

from tablier.simulation.arena import BEAMS
from tablier.simulation.cards import NO_CARD
from tablier.simulation.control import VerbError, Wait, Watch
from tablier.simulation.faults import Defects, Line
from tablier.simulation.timeline import Timeline
from tablier_fw import wire


def number_of(text: str) -> int:
    if not text.isdigit():
        raise VerbError("{seen} is not a number", seen=repr(text))
    return int(text)


def wrong_words(verb: str, words: str) -> VerbError:
    """Return the error of a verb with words that it does not take."""
    return VerbError("{verb} takes {words}", verb=verb, words=words)


def switched_on(verb: str, args: list[str]) -> bool:
    """Return True for ``on`` and False for ``off``."""
    if args not in (["on"], ["off"]):
        raise wrong_words(verb, "on, off")
    return args == ["on"]


def button_of(args: list[str]) -> int:
    """Return the bit of ``PLACE BUTTON``."""
    try:
        place, button = args
        if place not in "123456" or len(place) != 1:
            raise ValueError
        return (int(place) - 1) * 4 + wire.BUTTONS.index(button)
    except ValueError:
        raise VerbError("which button? a place from 1 to 6 and one of {names}", names=" ".join(wire.BUTTONS)) from None


def pixel_of(args: list[str]) -> int:
    """Return the first byte, in a picture, of the pixel ``GROUP N``."""
    firsts = {"ring": (wire.RING, 0), "public": (wire.PUBLIC, 1)}
    firsts |= {f"hood{place}": (wire.HOOD + place - 1, 0) for place in range(1, wire.PLACES + 1)}
    if len(args) != 2 or args[0] not in firsts or not args[1].isdigit():
        raise VerbError("which pixel? a group ({names}) and a number", names=" ".join(firsts))
    group, first = firsts[args[0]]
    number = int(args[1]) - first
    if not 0 <= number < wire.GROUPS[group]:
        last = first + wire.GROUPS[group] - 1
        text = "{group} has pixels {first} to {last}, not {seen}"
        raise VerbError(text, group=args[0], first=first, last=last, seen=args[1])
    return 3 * (sum(wire.GROUPS[:group]) + number)


def pixels_by_group(pixels: bytes) -> dict[str, list[str]]:
    """Return the colours of a picture as hexadecimal digits, by the names of their groups."""
    groups, start = {}, 0
    names = ["ring", "public", *(f"hood{place}" for place in range(1, wire.PLACES + 1))]
    for name, count in zip(names, wire.GROUPS, strict=True):
        groups[name] = [pixels[i : i + 3].hex() for i in range(start, start + 3 * count, 3)]
        start += 3 * count
    return groups


def throw_of(verb: str, ways: tuple[str, ...], args: list[str]) -> tuple[str, str]:
    """Return a card's fall and its print."""
    if not 1 <= len(args) <= 2 or args[0] not in ways:
        text = "{verb} takes one of {names}, and what is printed on the card"
        raise VerbError(text, verb=verb, names=" ".join(ways))
    return args[0], args[1] if len(args) == 2 else ""


def card_of(args: list[str]) -> str:
    """Return what is printed on a card that lies there."""
    if len(args) != 1:
        raise VerbError(NO_CARD.of(card=repr(" ".join(args))))
    return args[0]


def beam_of(args: list[str]) -> int:
    if len(args) != 1 or number_of(args[0]) >= BEAMS:
        raise VerbError("wave takes a beam, 0 to {last}", last=BEAMS - 1)
    return int(args[0])


def beams_of(args: list[str]) -> int:
    if len(args) != 1 or not args[0].isdigit() or int(args[0]) > 0xFF:
        raise VerbError("shine takes a number from 0 to 255, a bit for each beam")
    return int(args[0])


def faults_of(args: list[str]) -> dict[str, float]:
    """Return the options of a :class:`Line`."""
    options = {}
    for arg in args:
        name, _, value = arg.partition("=")
        try:
            options[name] = float(value)
        except ValueError:
            raise VerbError("{seen} is not a probability", seen=repr(arg)) from None
        if name not in (*Line.FAULTS, "seed"):
            known = " ".join(Line.FAULTS)
            raise VerbError("there is no fault {name}; faults: {known}, and a seed", name=repr(name), known=known)
    return options


def wait_of(args: list[str]) -> Wait:
    try:
        until, written, read, pictures = (None if arg == "-" else int(arg) for arg in args)
    except ValueError:
        raise VerbError("wait takes {form}, numbers or -", form="UNTIL WRITTEN READ PIXELS") from None
    return Wait(until, written, read, pictures)


def watch_of(args: list[str], timeline: Timeline) -> Watch:
    if len(args) not in (3, 4):
        raise wrong_words("until", "GROUP N RRGGBB [SECONDS]")
    start = pixel_of(args[:2])
    try:
        colour, limit = bytes.fromhex(args[2]), float(args[3]) if len(args) == 4 else 10.0
    except ValueError:
        raise VerbError("not a colour and a number of seconds: {seen}", seen=" ".join(args[2:])) from None
    return Watch(start, colour, timeline.now() + int(limit * 1e6))


# -- defects -----------------------------------------------------------------------------------------------


def defect_of(args: list[str]) -> Callable[[Defects], None]:
    """Return the change that a defect makes to a table."""
    form = DEFECTS.get(args[0]) if args else None
    if form is None:
        raise VerbError("which defect? one of {names}", names=" ".join(sorted(DEFECTS)))
    try:
        return form(args[1:])
    except (ValueError, LookupError):
        raise VerbError("defect {seen}: 'help' lists the forms", seen=" ".join(args)) from None


def _beam(args: list[str]) -> Callable[[Defects], None]:
    beam, percent = map(number_of, args)
    return _set_item("light", _below(beam, BEAMS), percent / 100)


def _floor(args: list[str]) -> Callable[[Defects], None]:
    sensor, percent = map(number_of, args)
    return _set_item("reflects", _below(sensor, 2), percent / 100)


def _button(args: list[str]) -> Callable[[Defects], None]:
    *button, how = args
    return _set_item("contacts", button_of(button), {"open": False, "closed": True}[how])


def _wires(args: list[str]) -> Callable[[Defects], None]:
    one, other = button_of(args[:2]), button_of(args[2:])
    return lambda defects: defects.wires.update({one: other, other: one})


def _pixel(args: list[str]) -> Callable[[Defects], None]:
    pixel = pixel_of(args) // 3
    return lambda defects: defects.dark.add(pixel)


def _hoods(args: list[str]) -> Callable[[Defects], None]:
    one, other = (1 + _below(number_of(arg) - 1, wire.PLACES) for arg in args)
    return lambda defects: defects.hoods.update({one: other, other: one})


def _set_item(name: str, key: int, value: float | bool) -> Callable[[Defects], None]:
    return lambda defects: getattr(defects, name).__setitem__(key, value)


def _below(number: int, limit: int) -> int:
    if not 0 <= number < limit:
        raise ValueError(number)
    return number


DEFECTS: dict[str, Callable[[list[str]], Callable[[Defects], None]]] = {
    "beam": _beam,
    "floor": _floor,
    "button": _button,
    "wires": _wires,
    "pixel": _pixel,
    "hoods": _hoods,
    "sampler": lambda args: lambda defects: setattr(defects, "still", True),
    "chain": lambda args: lambda defects: setattr(defects, "loose", True),
    "power": lambda args: lambda defects: setattr(defects, "unfed", True),
    "impact": lambda args: lambda defects: setattr(defects, "numb", True),
}
