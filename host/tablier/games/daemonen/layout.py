"""The layouts of the lines: as data, their check, and the named ones that come with the game.

A layout is a JSON object: ``crossings`` (a name → the two colours that cross there), ``fields`` (a name → ``corners``,
the crossings at its corners, and ``knots``, the lines whose knot lies on its border), ``outer`` (the name of the outer
field). It may have ``name``, ``lines`` and, for drawing alone, ``geometry``; other keys are ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import Any

from tablier.games.core import MISSING, OptionError, shown
from tablier.games.daemonen.colours import DEMONS
from tablier.texts import Text, TextError, Typed, clauses, text_of

CORNERS_OF_A_CROSSING = 4
FIELDS_OF_A_KNOT = 2
LINES_TO_CROSS = 2

_NAME = re.compile(r"[A-Za-z0-9_-]+")
_FAULTS_SHOWN = 12
_COLOURS_TEXT = ", ".join(DEMONS)

OUTER = "outer"
"""The name of an outer field that is a word of the notation: people read what it is."""


def field_text(name: str) -> Text:
    """Return what a field is called in a sentence."""
    return Text("the outer field") if name == OUTER else Text("field {field}", {"field": Typed("", name)})


def named_alone(name: str) -> Text:
    """Return what a field is called where its name says enough."""
    whole = Text("the outer field", context="field alone")
    return whole if name == OUTER else Text("{field}", {"field": Typed("", name)})


class LayoutError(TextError):
    """A layout cannot be played on. :attr:`faults` are all its faults, one phrase each."""

    def __init__(self, faults: Iterable[Text]) -> None:
        self.faults = tuple(faults)
        super().__init__(clauses(self.faults, _FAULTS_SHOWN))


@dataclass(frozen=True)
class Layout:
    """A layout that was checked. Equal when crossings, fields and outer field are; names and drawings do not count."""

    crossings: tuple[tuple[str, tuple[str, str]], ...]
    """Name and the two colours of each crossing."""
    fields: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]
    """Name, crossings at the corners and knots on the border of each field."""
    outer: str
    name: str = field(default="", compare=False)
    geometry: Any = field(default=None, compare=False, repr=False)
    """As it came, unchecked: the drawing decides whether it can use it."""


def corner_name(field_name: str, crossing: str) -> str:
    """Return a corner as moves name it."""
    return f"{field_name}:{crossing}"


# -- the check -------------------------------------------------------------------------------------------


def parse_layout(data: object) -> Layout:
    """Return the layout that a JSON value holds. Raise :class:`LayoutError` with all faults."""
    if not isinstance(data, dict):
        raise LayoutError([Text("a layout is an object, not {data}", {"data": shown(data)})])
    faults: list[Text] = []
    crossings = _crossings(data, faults)
    fields = _fields(data, faults)
    if "outer" not in data:
        faults.append(MISSING.of(key="outer"))
    elif not isinstance(data["outer"], str) or data["outer"] not in fields:
        faults.append(Text("outer is {outer}, which is not the name of a field", {"outer": shown(data["outer"])}))
    if "lines" in data and not _is_all_lines(data["lines"]):
        faults.append(
            Text(
                "lines is {lines}; it is the list of the four colours {colours} or missing",
                {"lines": shown(data["lines"]), "colours": _COLOURS_TEXT},
            )
        )
    if faults:  # what follows relies on the form
        raise LayoutError(faults)
    faults = [*_faults_of_corners(crossings, fields), *_faults_of_knots(fields), *_faults_of_lines(crossings)]
    if faults:
        raise LayoutError(faults)
    name = data.get("name")
    return Layout(
        crossings=tuple(crossings.items()),
        fields=tuple((name, corners, knots) for name, (corners, knots) in fields.items()),
        outer=data["outer"],
        name=name if isinstance(name, str) else "",
        geometry=data.get("geometry"),
    )


def _object(data: dict[str, Any], key: str, faults: list[Text]) -> dict[str, Any]:
    """Return the object at a key, its names checked; empty, with a fault, where there is none."""
    if key not in data:
        faults.append(MISSING.of(key=key))
        return {}
    value = data[key]
    if not isinstance(value, dict):
        faults.append(Text("{key} is {value}; it is an object of names", {"key": key, "value": shown(value)}))
        return {}
    what = key.removesuffix("s")
    faults += [
        Text(
            "{what} {name}: a name has one or more of a–z, A–Z, 0–9, _ and -, and nothing else",
            {"what": what, "name": shown(name)},
        )
        for name in value
        if not _is_name(name)
    ]
    return value


def _is_name(value: object) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def _quoted(name: object) -> str:
    """Return a name in a fault; one that is not allowed is quoted, so that a fault stays one readable line."""
    return str(name) if _is_name(name) else shown(name)


def _crossings(data: dict[str, Any], faults: list[Text]) -> dict[str, tuple[str, str]]:
    crossings = {}
    for name, lines in _object(data, "crossings", faults).items():
        if isinstance(lines, list) and len(lines) == 2 and lines[0] != lines[1] and all(map(_is_line, lines)):
            crossings[name] = (lines[0], lines[1])
        else:
            faults.append(
                Text(
                    "crossing {name} joins {lines}; it is a list of two different of {colours}",
                    {"name": _quoted(name), "lines": shown(lines), "colours": _COLOURS_TEXT},
                )
            )
    return crossings


def _fields(data: dict[str, Any], faults: list[Text]) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    known = data.get("crossings")
    fields = {}
    for name, content in _object(data, "fields", faults).items():
        if not isinstance(content, dict):
            faults.append(
                Text(
                    "field {name} is {content}; it is an object with corners and knots",
                    {"name": _quoted(name), "content": shown(content)},
                )
            )
            content = {"corners": [], "knots": []}
        lists = []
        for key, allowed in (("corners", known if isinstance(known, dict) else {}), ("knots", DEMONS)):
            items = content.get(key)
            if not isinstance(items, list):
                seen = shown(items) if key in content else "missing"
                faults.append(
                    Text(
                        "field {name}: {key} is {seen}; it is a list of {items}",
                        {"name": _quoted(name), "key": key, "seen": seen, "items": _ITEMS[key]},
                    )
                )
                items = []
            for number, item in enumerate(items):
                if not isinstance(item, str) or item not in allowed:
                    faults.append(
                        Text(
                            "field {name}: {item} in its {key} is none of the {items}",
                            {"name": _quoted(name), "item": shown(item), "key": key, "items": _ITEMS[key]},
                        )
                    )
                elif items.index(item) < number:
                    faults.append(
                        Text(
                            "field {name} lists {item} more than once in its {key}",
                            {"name": _quoted(name), "item": _quoted(item), "key": key},
                        )
                    )
            lists.append(tuple(items))
        fields[name] = (lists[0], lists[1])
    return fields


_ITEMS = {"corners": Text("crossings"), "knots": Text("colours {colours}", {"colours": _COLOURS_TEXT})}


def _is_line(value: object) -> bool:
    return isinstance(value, str) and value in DEMONS


def _is_all_lines(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_line, value)) and sorted(value) == sorted(DEMONS)


def _faults_of_corners(
    crossings: dict[str, tuple[str, str]], fields: dict[str, tuple[tuple[str, ...], tuple[str, ...]]]
) -> list[Text]:
    faults = []
    for crossing in crossings:
        at = [name for name, (corners, _) in fields.items() if crossing in corners]
        if len(at) != CORNERS_OF_A_CROSSING:
            faults.append(
                Text(
                    "crossing {crossing} is a corner of {at}; it must be one of four fields",
                    {"crossing": crossing, "at": _listed(at)},
                )
            )
    return faults


def _faults_of_knots(fields: dict[str, tuple[tuple[str, ...], tuple[str, ...]]]) -> list[Text]:
    faults = []
    for line in DEMONS:
        at = [name for name, (_, knots) in fields.items() if line in knots]
        if len(at) != FIELDS_OF_A_KNOT:
            faults.append(
                Text("the {line} knot lies on {at}; it must lie on two fields", {"line": line, "at": _listed(at)})
            )
    return faults


def _faults_of_lines(crossings: dict[str, tuple[str, str]]) -> list[Text]:
    faults = []
    for line in DEMONS:
        others = {other for pair in crossings.values() if line in pair for other in pair} - {line}
        if len(others) < LINES_TO_CROSS:
            crossed = _listed([other for other in DEMONS if other in others])
            faults.append(
                Text(
                    "the {line} line crosses {crossed}; it must cross at least two others",
                    {"line": line, "crossed": crossed},
                )
            )
    return faults


def _listed(names: list[str]) -> str:
    return f"{len(names)} ({', '.join(names)})" if names else "none"


# -- the named layouts -------------------------------------------------------------------------------------

_FOLDER = resources.files("tablier.games.daemonen") / "layouts"


@lru_cache(maxsize=1)
def layout_names() -> tuple[str, ...]:
    """Return the names of the layouts that come with the game, sorted."""
    return tuple(sorted(path.name.removesuffix(".json") for path in _FOLDER.iterdir() if path.name.endswith(".json")))


def named_layout(name: object) -> Layout:
    """Return a layout that comes with the game. Raise ``ValueError`` for an unknown name."""
    if not isinstance(name, str) or name not in layout_names():
        raise TextError("one of {names}, or a layout object", names=layout_names())
    return _shipped(name)


@lru_cache(maxsize=64)
def _shipped(name: str) -> Layout:
    return parse_layout(json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8")))


def layout_option(value: object, seats: int) -> Layout:
    """Return the check of the option ``layout``: a name or an object."""
    if not isinstance(value, dict):
        return named_layout(value)
    try:
        return parse_layout(value)
    except LayoutError as error:
        raise OptionError("option layout, an object with faults: {faults}", faults=text_of(error)) from None
