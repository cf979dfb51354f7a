"""Put the firmware on a board: only the files that changed, in an order that can be interrupted anywhere.

New files are written beside the old ones, as ``NAME.new``, and checked by their hashes; until then the board starts
its old firmware. Then ``main.py`` is removed, the new files replace the old ones, files of other versions are removed,
and all are checked once more; interrupted there, the board starts MicroPython's REPL. Last, a rename brings ``main.py``
back, and the board starts the new firmware. A mixture of two versions never starts, and the next deployment can
continue from each of these states.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol

from tablier.service import firmware
from tablier.service.firmware import FOLDER, MAIN, MANIFEST
from tablier.service.listener import BoardError
from tablier.service.reach import await_table, reach
from tablier.service.repl import About, Prompt
from tablier.table.greeting import Hello
from tablier.texts import Text, counted
from tablier_fw.equipment import FILE, Equipment
from tablier_fw.system import MACHINE, TESTED

NEW = ".new"
"""The suffix of a file's name until it takes its place."""

BEFORE = Text("the board still starts its old firmware")
BETWEEN = Text("until this is done, the board starts at MicroPython's prompt; try again")
"""The state that an interrupted deployment leaves, in words."""

_BLOCK = 4096  # of flash; a file takes whole ones


class DeployError(BoardError):
    """The firmware could not be put on the board; the text is one line: port, what was seen, what to do."""


class Disk(Protocol):
    """A board's file system. Every method may raise :class:`~tablier.service.listener.BoardError`."""

    @property
    def port(self) -> str:
        """Return the port, for errors."""

    def hashes(self, *names: str) -> dict[str, str]:
        """Return the SHA-256 of these files, and of all files in these folders, by name; skip missing ones."""

    def free(self) -> int:
        """Return the free bytes."""

    def read(self, name: str) -> bytes: ...

    def write(self, name: str, content: bytes) -> None:
        """Write a file, and make the folders that it needs."""

    def rename(self, old: str, new: str) -> None:
        """Rename a file, replacing the one of that name, in one step or not at all."""

    def remove(self, name: str) -> None: ...

    def tidy(self, folder: str) -> None:
        """Remove empty folders in that folder."""


@dataclass(frozen=True)
class Plan:
    """The steps after which a board has the wanted files and no others."""

    stale: tuple[str, ...]
    """Copies of an earlier deployment that are not wanted any more, or not whole."""
    copied: tuple[str, ...]
    """Files that have to be written."""
    swapped: tuple[str, ...]
    """Files but ``main.py`` whose new copy has to take their place: those just written, and those written earlier."""
    removed: tuple[str, ...]
    """Files that are not wanted."""
    unchanged: int
    """The number of files that are there as they should be."""
    main: bool | None
    """True if ``main.py`` is as it should be; ``None`` where there is none."""

    @property
    def nothing(self) -> bool:
        return bool(self.main) and not (self.stale or self.copied or self.swapped or self.removed)


def hash_of(content: bytes) -> str:
    return sha256(content).hexdigest()


def plan(wanted: Mapping[str, bytes], found: Mapping[str, str]) -> Plan:
    """Return the plan for ``wanted`` (content by name) where ``found`` is (SHA-256 by name)."""
    hashes = {name: hash_of(content) for name, content in wanted.items()}
    changed = [name for name in hashes if found.get(name) != hashes[name]]
    written = [name for name in changed if found.get(name + NEW) == hashes[name]]
    return Plan(
        stale=tuple(name for name in found if name.endswith(NEW) and name.removesuffix(NEW) not in written),
        copied=tuple(name for name in changed if name not in written),
        swapped=tuple(name for name in changed if name != MAIN),
        removed=tuple(name for name in found if name not in wanted and not name.endswith(NEW)),
        unchanged=len(wanted) - len(changed),
        main=MAIN not in changed if MAIN in found else None,
    )


Step = tuple[str, ...]
"""A verb of :class:`Disk` and the names it is about. Two more: ``room`` sees whether there is any for these files, and
``check`` whether these are what they should be."""


def steps(wanted: Mapping[str, bytes], todo: Plan) -> Iterator[tuple[Text, Step]]:
    """Yield the steps of a plan in order, each with what the board starts when interrupted there."""
    yield from ((BEFORE, ("remove", name)) for name in todo.stale)
    if todo.copied:
        yield BEFORE, ("room", *todo.copied)
        yield from ((BEFORE, ("write", name)) for name in todo.copied)
        yield BEFORE, ("check", *(name + NEW for name in todo.copied))
    if not (todo.swapped or todo.removed):
        if not todo.main:
            yield BEFORE, ("rename", MAIN + NEW, MAIN)  # at once, in place of the one that may be there
        return
    if todo.main:
        yield BETWEEN, ("rename", MAIN, MAIN + NEW)
    elif todo.main is not None:
        yield BETWEEN, ("remove", MAIN)
    yield from ((BETWEEN, ("rename", name + NEW, name)) for name in todo.swapped)
    yield from ((BETWEEN, ("remove", name)) for name in todo.removed)
    yield BETWEEN, ("tidy", FOLDER)
    yield BETWEEN, ("check", *(name for name in wanted if name != MAIN))
    yield BETWEEN, ("rename", MAIN + NEW, MAIN)


def put(
    wanted: Mapping[str, bytes],
    disk: Disk,
    progress: Callable[[int, int, str], None] = lambda done, all, name: None,
    *,
    others: Sequence[str] = (),
) -> Plan:
    """Bring the wanted files onto a board and return the steps taken. Raise :class:`DeployError`.

    ``progress`` is called before each file: number of files written, number of files in all, name. ``others``: files
    besides the firmware's that are removed where they are not wanted.
    """
    try:
        found = disk.hashes(MAIN, MAIN + NEW, FOLDER, *others)
        _refuse_foreign(wanted, found, disk)
    except BoardError as error:
        raise DeployError("{error}; {state}", error=error, state=BEFORE) from None
    todo = plan(wanted, found)
    written = 0
    for state, (verb, *names) in steps(wanted, todo):
        try:
            if verb == "room":
                _refuse_full([wanted[name] for name in names], disk)
            elif verb == "write":
                (name,) = names
                progress(written, len(todo.copied), name)
                disk.write(name + NEW, wanted[name])
                written += 1
            elif verb == "check":
                _check(wanted, names, disk)
            elif verb == "rename":
                disk.rename(*names)
            elif verb == "remove":
                disk.remove(*names)
            else:
                disk.tidy(*names)
        except BoardError as error:
            raise DeployError("{error}; {state}", error=error, state=state) from None
    return todo


def _refuse_foreign(wanted: Mapping[str, bytes], found: Mapping[str, str], disk: Disk) -> None:
    ours = {hash_of(wanted[MAIN])}
    if MANIFEST in found:
        try:
            ours.add(json.loads(disk.read(MANIFEST))["files"][MAIN])
        except (ValueError, KeyError, TypeError):
            pass  # it is not whole
    if MAIN in found and found[MAIN] not in ours:
        raise BoardError(
            "{port}: the {main} of this board is another program's; if that is to go, remove it"
            " (mpremote fs rm :{main})",
            port=disk.port,
            main=MAIN,
        )


def _refuse_full(contents: list[bytes], disk: Disk) -> None:
    needed = sum(len(content) // _BLOCK + 1 for content in contents) * _BLOCK
    free = disk.free()
    if free < needed:
        raise BoardError(
            "{port}: the board is full: {needed} KiB are needed and {free} free; remove files",
            port=disk.port,
            needed=needed // 1024,
            free=free // 1024,
        )


def _check(wanted: Mapping[str, bytes], names: list[str], disk: Disk) -> None:
    found = disk.hashes(*names)
    for name in names:
        if found.get(name) != hash_of(wanted[name.removesuffix(NEW)]):
            text = "{port}: {name} on the board is not what was written; its flash may be worn out"
            raise BoardError(text, port=disk.port, name=name)


# -- a board ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Deployed:
    """The steps taken."""

    port: str
    about: About
    plan: Plan
    hello: Hello
    """The table's greeting after it came back."""


def deploy(
    port: str,
    tell: Callable[[Text], None] = lambda text: None,
    progress: Callable[[int, int, str], None] = lambda done, all, name: None,
    equipment: Equipment | None = None,
) -> Deployed:
    """Put this package's firmware on the board at a port and wait for its hello. Raise :class:`DeployError`.

    ``tell`` gets a line about each step; ``progress`` is :func:`put`'s. ``equipment``: what there is of the table;
    ``None``: what the board knows already.
    """
    try:
        wanted = {**firmware.build_files()}
        if equipment is not None and not equipment.whole:
            wanted[FILE] = equipment.text().encode()
        port, table = reach(port)
        with Prompt(port) as prompt:
            about = prompt.about()
            told = {"board": about.board, "version": _dotted(about.version), "firmware": _name_installed(prompt, table)}
            tell(Text("Board {board}: MicroPython {version}, {firmware}.", told))
            for warning in _check_compatible(port, about, wanted):
                tell(warning)
            todo = put(wanted, prompt, progress, others=() if equipment is None else (FILE, FILE + NEW))
            tell(_done(todo))
        tell(Text("Waiting for the table to start …"))
        port, hello = await_table(about.board, port)
    except DeployError:
        raise
    except (BoardError, firmware.FirmwareError) as error:
        raise DeployError(error.text) from None
    if not hello.fits:
        raise DeployError(
            "{port}: the table started firmware {version}, which is not the one that was put on it",
            port=port,
            version=hello.version,
        )
    return Deployed(port, about, todo, hello)


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _name_installed(prompt: Prompt, table: Hello | None) -> Text:
    """Return the name of the firmware that was on the board."""
    if table is not None:
        return Text("firmware {version}", {"version": table.version.partition(";")[0]})
    try:
        return Text("firmware {version}, not running", {"version": json.loads(prompt.read(MANIFEST))["version"]})
    except (BoardError, ValueError, KeyError, TypeError):
        return Text("no firmware")


def _done(todo: Plan) -> Text:
    if todo.nothing:
        return Text("Nothing to copy: all {count} files are there.", {"count": todo.unchanged})
    args = {"unchanged": todo.unchanged, "removed": len(todo.removed)}
    one, many = "Copied {count} file, kept {unchanged}.", "Copied {count} files, kept {unchanged}."
    if todo.removed:
        one = "Copied {count} file, kept {unchanged}, removed {removed}."
        many = "Copied {count} files, kept {unchanged}, removed {removed}."
    return counted(len(todo.copied), one, many, **args)


def _check_compatible(port: str, about: About, wanted: Mapping[str, bytes]) -> Iterator[Text]:
    """Yield warnings. Raise :class:`BoardError` when the firmware cannot run on that board."""
    if about.name != "micropython":
        text = "{port}: this board runs {name}, not MicroPython; put MicroPython for the Pico on it"
        raise BoardError(text, port=port, name=about.name)
    if about.machine != MACHINE:
        text = "{port}: this board is a {machine}; the table's is a {wanted}"
        raise BoardError(text, port=port, machine=about.machine, wanted=MACHINE)
    tested = _dotted(TESTED)
    seen = _dotted(about.version)
    if not all(_can_load(about.mpy, content) for name, content in wanted.items() if name.endswith(".mpy")):
        text = "{port}: MicroPython {seen} cannot run this firmware; put MicroPython {tested} on the board"
        raise BoardError(text, port=port, seen=seen, tested=tested)
    if about.version[: len(TESTED)] < TESTED:
        text = "Warning: MicroPython {seen} is older than {tested}, with which the firmware is tested."
        yield Text(text, {"seen": seen, "tested": tested})


def _can_load(mpy: int, module: bytes) -> bool:
    """Return whether a MicroPython that says ``mpy`` of itself takes a compiled module: the second and third byte say
    for what it is compiled; the third matters only to machine code."""
    return module[1] == mpy & 0xFF and (module[2] >> 2 == 0 or module[2] == mpy >> 8 & 0xFF)
