"""The wiring as nets: which pins are connected. Read from ``wiring/``, the only source of connections.

The keys of a file:

* ``nets``: names of nets, to be used in ``connections`` beside pins. A net has one name throughout all files.
* ``parts``: components by name. Their pins are ``pins``, or are counted from 1: ``pincount`` of them, or one for each
  of ``pinlabels``. ``loops`` are connections within a part. A part that several files name is the same in all of them.
* ``cables``: by name, with a colour for each wire (IEC 60757) and the length in metres; ``single`` wires are bought
  by the metre of wire.
* ``connections``: each a chain of nets, pins (``{J1: 5}``, by number or label) and wires (``{W31: 5}``). Lists of pins,
  with ranges such as ``13-16``, stand for as many chains.
* ``repeat``: which names of the file stand for which others: ``P1: [P1, P2]`` makes a second of every part and net
  that is named ``P1`` or ``P1_…``.
* ``free``: the pins that are left open on purpose.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from hardware import HERE

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where PyYAML was built with it
Pin = tuple[str, str]
"""A component and one of its pins."""
Sheet = dict[str, Any]
"""One file, as YAML gives it."""


@dataclass
class Component:
    name: str
    kind: str
    subtype: str
    pins: tuple[str, ...]
    labels: tuple[str, ...]
    """By pin; empty where the pins have no other name."""

    def label(self, pin: str) -> str:
        return self.labels[self.pins.index(pin)] if self.labels else pin


@dataclass
class Cable:
    name: str
    kind: str
    length: float
    single: bool
    """Single wires, not one cable."""
    colours: tuple[str, ...]
    """By wire, as IEC 60757 abbreviates them."""
    ends: dict[int, list[Pin]] = field(default_factory=lambda: defaultdict(list))
    """By wire, from 1: what it connects."""

    @property
    def wires(self) -> int:
        return len(self.colours)

    def metres(self) -> float:
        """Return how much of it is bought, in metres."""
        return self.length * self.wires if self.single else self.length


@dataclass
class Net:
    names: set[str] = field(default_factory=set)
    pins: set[Pin] = field(default_factory=set)


def read() -> dict[str, Sheet]:
    """Return the files of the wiring, by name without its ending."""
    return {
        path.stem: yaml.load(path.read_text(encoding="utf-8"), _Loader) for path in sorted(HERE.glob("wiring/*.yml"))
    }


class Wiring:
    """All nets of a set of sheets. What is wrong with them is in ``problems``; the rest is usable all the same."""

    def __init__(self, sheets: Mapping[str, Sheet]) -> None:
        self.components: dict[str, Component] = {}
        self.cables: dict[str, Cable] = {}
        self.free: set[Pin] = set()
        self.problems: list[str] = []
        self._parent: dict[Pin, Pin] = {}
        for name, sheet in sheets.items():
            for rename in _instances(sheet):
                self._add(name, sheet, rename)
        self._nets: dict[Pin, Net] = defaultdict(Net)
        for node in list(self._parent):
            net = self._nets[self._root(node)]
            if node[0]:
                net.pins.add(node)
            else:
                net.names.add(node[1])
        self._check_pins()

    # -- asking ------------------------------------------------------------------------------------------------

    def net(self, component: str, pin: str | int) -> Net:
        """Return the net of a pin, which is named by number or, where that is unique, by label."""
        return self._nets[self._root((component, self.pin(component, str(pin))))]

    def named(self, name: str) -> Net:
        """Return the net with this name."""
        return self._nets[self._root(("", name))]

    def pin(self, component: str, pin: str) -> str:
        """Return the number of a pin that is named by number or label. Raise KeyError for an unknown one."""
        known = self.components[component]
        if pin in known.pins:
            return pin
        if known.labels.count(pin) == 1:
            return known.pins[known.labels.index(pin)]
        raise KeyError(f"{component} has no pin {pin!r}; it has {', '.join(known.pins)}")

    def nets(self) -> Iterator[Net]:
        yield from {id(net): net for net in self._nets.values()}.values()

    # -- reading -----------------------------------------------------------------------------------------------

    def _add(self, sheet_name: str, sheet: Sheet, rename: Mapping[str, str]) -> None:
        for name, it in sheet["parts"].items():
            self._add_component(_renamed(name, rename), it, sheet_name)
            for one, other in it.get("loops", []):
                self._join((_renamed(name, rename), str(one)), (_renamed(name, rename), str(other)))
        for name, it in sheet.get("cables", {}).items():
            self._add_cable(_renamed(name, rename), it, sheet_name)
        for name, pins in sheet.get("free", {}).items():
            self.free |= {(_renamed(name, rename), str(pin)) for pin in pins}
        names = set(sheet.get("nets", ()))
        for entry in sheet["connections"]:
            try:
                self._connect(entry, names, rename)
            except (KeyError, ValueError, IndexError) as error:
                self.problems.append(f"{sheet_name}: {entry}: {error}")

    def _add_component(self, name: str, it: Mapping[str, Any], sheet: str) -> None:
        labels = tuple(str(label) for label in it.get("pinlabels", ()))
        count = it.get("pincount") or len(labels)
        pins = tuple(str(pin) for pin in it.get("pins") or range(1, count + 1))
        new = Component(name, it["type"], it.get("subtype", ""), pins, labels)
        known = self.components.setdefault(name, new)
        if known != new:
            self.problems.append(f"{sheet}: {name} is another component there than elsewhere")

    def _add_cable(self, name: str, it: Mapping[str, Any], sheet: str) -> None:
        if name in self.cables:
            self.problems.append(f"{sheet}: there is a cable {name} already")
            return
        self.cables[name] = Cable(name, it["type"], float(it["length"]), it.get("single", False), tuple(it["colours"]))

    def _connect(self, entry: list[Any], names: set[str], rename: Mapping[str, str]) -> None:
        columns = [_column(item) for item in entry]
        width = max(len(column) for column in columns)
        if {len(column) for column in columns} - {1, width}:
            raise ValueError("the lists are not equally long")
        columns = [column * width if len(column) == 1 else column for column in columns]
        for row in zip(*columns, strict=True):
            self._connect_row(row, names, rename)

    def _connect_row(self, row: Iterable[tuple[str, str]], names: set[str], rename: Mapping[str, str]) -> None:
        before: Pin | None = None
        wire: tuple[Cable, int] | None = None
        for name, pin in row:
            if _renamed(name, rename) in self.cables:
                wire = self.cables[_renamed(name, rename)], int(pin)
                if not 1 <= wire[1] <= wire[0].wires:
                    raise ValueError(f"{wire[0].name} has no wire {pin}")
                if wire[0].ends[wire[1]]:
                    raise ValueError(f"wire {pin} of {wire[0].name} is used twice")
                if before is None:
                    raise ValueError("a wire begins nowhere")
                wire[0].ends[wire[1]].append(before)
                continue
            if name in names:
                here: Pin = ("", _renamed(name, rename))
            else:
                component = _renamed(name, rename)
                if component not in self.components:
                    raise KeyError(f"there is no {component}")
                here = component, self.pin(component, pin)
            if wire:
                wire[0].ends[wire[1]].append(here)
                wire = None
            if before:
                self._join(before, here)
            before = here
        if wire:
            raise ValueError("a wire ends nowhere")

    # -- nets --------------------------------------------------------------------------------------------------

    def _root(self, node: Pin) -> Pin:
        parent = self._parent.setdefault(node, node)
        while parent != node:
            node, parent = parent, self._parent[parent]
        return node

    def _join(self, one: Pin, other: Pin) -> None:
        self._parent[self._root(one)] = self._root(other)

    def _check_pins(self) -> None:
        used = {pin for net in self.nets() for pin in net.pins if len(net.pins) > 1}
        for name, component in self.components.items():
            for pin in component.pins:
                if (name, pin) not in used and (name, pin) not in self.free:
                    self.problems.append(f"{name}: nothing is connected to pin {pin}")
        for name, pin in self.free:
            if name not in self.components or pin not in self.components[name].pins:
                self.problems.append(f"{name} has no pin {pin} to leave free")
            elif (name, pin) in used:
                self.problems.append(f"{name}: pin {pin} is to be free, and is not")
        for cable in self.cables.values():
            for wire in range(1, cable.wires + 1):
                if len(cable.ends[wire]) != 2:
                    self.problems.append(f"{cable.name}: wire {wire} does not lead from one pin to another")


def _instances(sheet: Sheet) -> Iterator[dict[str, str]]:
    repeat = sheet.get("repeat", {})
    if not repeat:
        yield {}
    for names in zip(*repeat.values(), strict=True):
        yield dict(zip(repeat, names, strict=True))


def _renamed(name: str, rename: Mapping[str, str]) -> str:
    head, mark, tail = name.partition("_")
    return rename.get(head, head) + mark + tail


def _column(item: Any) -> list[tuple[str, str]]:
    """Return one link of a chain as (name, pin), for each of the chains that an entry stands for."""
    if isinstance(item, str):
        return [(item, "1")]
    ((name, pins),) = item.items()
    return [(name, pin) for pin in _expanded(pins if isinstance(pins, list) else [pins])]


def _expanded(pins: Iterable[Any]) -> Iterator[str]:
    """Pins, with ranges such as 3-6 counted out."""
    for pin in pins:
        match = re.fullmatch(r"(\d+)-(\d+)", str(pin))
        if match:
            yield from (str(number) for number in range(int(match[1]), int(match[2]) + 1))
        else:
            yield str(pin)
