"""The declarations of the wire as JSON, those of earlier versions, and by which rule the one grows out of the other.

``python -m tests.wire.declarations`` stores those of today under their version, in ``tests/wire/versions``: do that
before the minor version is raised. From what is stored follows since when each message and each field is there.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tablier_fw import wire, words

FOLDER = Path(__file__).parent / "versions"
TYPES = {"B": "u8", "H": "u16", "I": "u32", "Q": "u64"}

Json = dict[str, Any]


def field_of(field: tuple[Any, ...]) -> Json:
    """Return a field's declaration.

    ``type`` is ``u8`` to ``u64``; ``bytes``, of ``size``; or ``row``: a count of one byte, in ``count``, and as many
    units, each a tuple of the types in ``unit``. ``range`` (in a row one for each number of the unit) is left out where
    every value of the type is allowed; for ``bytes`` it is each byte's. ``default`` stands for a field that the payload
    ends before.
    """
    name, form, low, high, least, most, default = field
    declared: Json = {"name": name}
    if form[0] == "*":
        lows = low if isinstance(low, tuple) else (low,) * (len(form) - 1)
        highs = high if isinstance(high, tuple) else (high,) * (len(form) - 1)
        ranges = [_range(code, *bounds) for code, *bounds in zip(form[1:], lows, highs, strict=True)]
        declared |= {"type": "row", "unit": [TYPES[code] for code in form[1:]], "count": [least, most]}
        declared |= {"ranges": ranges} if any(ranges) else {}
    elif form[-1] == "s":
        each = _range("B", low, high)
        declared |= {"type": "bytes", "size": int(form[:-1])} | ({"range": each} if each else {})
    else:
        between = _range(form, low, high)
        declared |= {"type": TYPES[form]} | ({"range": between} if between else {})
    if default is not None:
        declared["default"] = as_json(form, default)
    return declared


def _range(code: str, low: int, high: int | None) -> list[int] | None:
    full = (1 << 8 * struct.calcsize("<" + code)) - 1
    return None if not low and (high is None or high >= full) else [low, full if high is None else high]


def declare(messages: Iterable[Any]) -> list[Json]:
    """Return the declarations of messages."""
    return [
        {
            "code": message.code,
            "name": message.name,
            "way": "to table" if message.way == wire.TO_TABLE else "to host",
            "class": message.group,
            "fields": [field_of(field) for field in message.fields],
        }
        for message in messages
    ]


def plain(message: wire.Message, values: Sequence[Any]) -> Json:
    """Return values of fields as JSON."""
    return {name: as_json(form, value) for (name, form, *_), value in zip(message.fields, values, strict=True)}


def as_json(form: str, value: Any) -> Any:
    """Return the value of a field as JSON: a row as a list of its units, bytes in hexadecimal, a u64 as text."""
    if form[0] == "*":
        units = list(struct.iter_unpack("<" + form[1:], value))
        return [unit[0] for unit in units] if len(form) == 2 else [list(unit) for unit in units]
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if form == "Q" else value


def numbered() -> dict[str, list[str]]:
    """Return what bits and numbers mean, in their order."""
    of = {"abilities": words.ABILITIES, "reasons": words.REASONS, "doubts": words.DOUBTS}
    return {what: [name for name, _ in rows] for what, rows in of.items()}


@cache
def stored() -> dict[tuple[int, int], Json]:
    """Return what is stored, by version: ``messages`` by name, and ``numbered``."""
    found = {}
    for path in FOLDER.glob("*.json"):
        major, minor = map(int, path.stem.split("."))
        content = json.loads(path.read_text(encoding="utf-8"))
        found[major, minor] = {**content, "messages": {message["name"]: message for message in content["messages"]}}
    return dict(sorted(found.items()))


def since(message: str, field: str | None = None) -> str:
    """Return the first minor version of this major one that has a message, or a field of it, as ``2.1``."""
    for version, declared in stored().items():
        if version[0] == wire.MAJOR and message in declared["messages"]:
            names = [it["name"] for it in declared["messages"][message]["fields"]]
            if field is None or field in names:
                return f"{version[0]}.{version[1]}"
    return f"{wire.MAJOR}.{wire.MINOR}"


# -- how a minor version may differ --------------------------------------------------------------------------------


def grown(old: Json, new: Json) -> Iterator[str]:
    """Yield what of a message a minor version may not change, against an earlier one. See "Growing" in the document."""
    name = old["name"]
    for key in ("code", "way", "class"):
        if old[key] != new[key]:
            yield f"{name}: its {key} is another"
    if old["class"] == "hello" and old["fields"] != new["fields"]:
        yield f"{name}: the fields of a hello never change"
        return
    kept = new["fields"][: len(old["fields"])]
    for before, after in zip(old["fields"], kept, strict=False):
        where = f"{name}.{before['name']}"
        if {**before, **_RANGES} != {**after, **_RANGES}:
            yield f"{where} is {after['name']} now, or another type"
        elif not _within(before, after):
            yield f"{where}: its range is narrower"
        elif not _within(after, before) and not _announced(old, before["name"]):
            yield f"{where}: its range is wider, and no ability says so"
    for before in old["fields"][len(kept) :]:
        if not _announced(old, before["name"]):
            yield f"{name}.{before['name']} is gone, and no ability says so"
    for after in new["fields"][len(old["fields"]) :]:
        if "default" not in after:
            yield f"{name}.{after['name']} is new and has no default"


_RANGES: Json = {"range": None, "ranges": None, "count": None}


def _within(field: Json, other: Json) -> bool:
    """Return True if whatever a field's range allows the other's does, too."""
    if "count" in field and not (field["count"][0] >= other["count"][0] and field["count"][1] <= other["count"][1]):
        return False
    mine = field.get("ranges") or [field.get("range")]
    theirs = other.get("ranges") or [other.get("range")] * len(mine)
    return all(
        there is None or (here is not None and here[0] >= there[0] and here[1] <= there[1])
        for here, there in zip(mine, theirs, strict=True)
    )


def _announced(message: Json, field: str) -> bool:
    """Return True for a change of what a table takes that an ability tells. A host has none."""
    return message["way"] == "to table" and (message["name"], field) in words.WIDENED


def main() -> None:
    path = FOLDER / f"{wire.MAJOR}.{wire.MINOR}.json"
    lines = ",\n  ".join(json.dumps(message) for message in declare(wire.MESSAGES))
    text = f'{{"numbered": {json.dumps(numbered())},\n "messages": [\n  {lines}\n ]}}\n'
    path.write_text(text, encoding="utf-8")
    print(f"{path.name}: stored")


if __name__ == "__main__":
    main()
