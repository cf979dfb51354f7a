"""The rooms of the host: each imports only what stands below it, a game only itself and the core of games.

``python tests/test_rooms.py`` draws them anew into ``host/tablier/README.md``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import tablier
from tablier import texts
from tablier.games import PARTS

HOST = Path(tablier.__file__).parent
README = HOST / "README.md"
ROOMS = {
    "printable": "text from outside, made safe for a terminal",
    "tracing": "a trace of what a keeper does, off unless an operator switches it on",
    "extras": "the command that adds a missing extra to this installation",
    "waiting": "the one door by which the program waits, and its heaps of wake-ups",
    "interrupts": "signals that come where Python loses an exception, postponed",
    "usual": "the log and the settings that commands use where none are named",
    "texts": "templates with arguments, plurals, lists, failures that people read",
    "languages": "the languages that are here, and their catalogues",
    "messages": "the messages to screens, typed: updates, questions, evenings, results",
    "names": "people's names: which two are one",
    "games": "core: rules, positions, questions, menus, scripts; one folder a game holds all of that game",
    "record": "the notation of moves and records; replay",
    "log": "one SQLite file: every entry, chained by hashes",
    "table": "the client of the wire, its clock, the ports",
    "course": "the pure course of a game: the session, its open question, taking back and correcting, chance",
    "judge": "what follows from a log: the audit, redaction, seals",
    "bots": "bots: built in, programs and their sandbox; campaigns of many games, workers, the cluster",
    "play": "a game conducted: the way of an input, viewers, the seats of bots, the table's side, resuming",
    "archive": "ended games of many logs and clubs in one database; ratings, figures",
    "service": "deployment, the way to MicroPython's prompt, self-test, calibration",
    "simulation": "the simulated table, the emulated Pico, virtual time, simulated people, faults",
    "keeper": "one process that owns a log and its tables, conducts the games, and serves screens over a socket",
    "screens": "what is said to people, and what they type: the full screen, the line screen, an evening",
    "html": "documents of HTML, and boards as SVG in them: what report and web both need",
    "report": "a season of an archive as one page of HTML, with plots and boards",
    "web": "a client of the keeper that serves browsers: the display, a seat, the table, the log",
    "layouts": "layouts of Dicke Dämonen, made from drawings; the command of that name alone needs it",
    "adapters": "OpenSpiel, PettingZoo",
    "cli": "the commands",
}
"""From the ground up, and what each holds."""
GAMES = sorted(folder.name for folder in (HOST / "games").iterdir() if (folder / "rules.py").exists())
IMPORT = re.compile(r"^ *(?:from \S+ import (?:\([^)]*\)|.*)|import .*)$", re.MULTILINE)
BEGIN, END = "<!-- generated: rooms -->\n", "<!-- end -->\n"


@cache
def statements(file: Path) -> list[tuple[ast.Import | ast.ImportFrom, bool]]:
    """The imports of a file, at once or in a function, and whether each is for types alone."""
    return list(_imports(ast.parse(file.read_bytes()).body, False))


def _imports(body: list[ast.stmt], typing: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, typing
        else:
            alone = typing or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
            for inner in ("body", "orelse", "finalbody", "handlers", "cases"):
                yield from _imports(getattr(node, inner, []), alone)


@cache
def imports(file: Path) -> frozenset[tuple[str, ...]]:
    """The modules of the host that a file imports, anywhere in it: the words of their names, without the package's."""
    names: set[str] = set()
    for node, _ in statements(file):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file}: imports name their module in full"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        else:
            names |= {alias.name for alias in node.names}
    return frozenset(tuple(name.split(".")[1:]) for name in names if name.startswith("tablier."))


def files(part: str) -> list[Path]:
    return [HOST / f"{part}.py"] if (HOST / f"{part}.py").exists() else sorted((HOST / part).rglob("*.py"))


def imported(room: str) -> set[str]:
    """The other rooms that a room imports."""
    return {name[0] for file in files(room) for name in imports(file)} - {room}


def drawn() -> str:
    """The rooms as a table, the uppermost first, and their arrows without those that others imply."""
    below = {room: imported(room) for room in ROOMS}
    beneath: dict[str, set[str]] = {}
    for room in ROOMS:
        beneath[room] = below[room].union(*(beneath.get(other, set()) for other in below[room]))
    rows = [f"| `{room}` | {ROOMS[room]} | {_listed(below[room])} |" for room in reversed(ROOMS)]
    arrows = [
        f"    {room} --> {other}"
        for room in reversed(ROOMS)
        for other in reversed(ROOMS)
        if other in below[room] and not any(other in beneath[between] for between in below[room])
    ]
    table = ["| room | what it holds | imports |", "|---|---|---|", *rows]
    return "\n".join([*table, "", "```mermaid", "flowchart TD", *arrows, "```", ""])


def _listed(rooms: set[str]) -> str:
    return ", ".join(room for room in reversed(ROOMS) if room in rooms) or "–"


def test_every_room_has_its_floor() -> None:
    there = {
        path.stem
        for path in HOST.iterdir()
        if path.stem != "__init__" and (path.suffix == ".py" or any(path.glob("*.py")))
    }
    assert there == set(ROOMS)


@pytest.mark.parametrize("guide", sorted(HOST.glob("*/README.md")), ids=lambda path: path.parent.name)
def test_the_readme_of_a_room_names_its_modules(guide: Path) -> None:
    """The first column of its table has each module of the folder once, and no other."""
    table = re.search(
        r"^\| (?:module|file) \| what it holds \|\n\|---\|---\|\n((?:\|.*\n)+)", guide.read_text(), re.MULTILINE
    )
    if guide.parent.name in ("adapters", "games"):  # written for those who use the modules, or add to them
        assert not table
        return
    assert table
    named = [name for row in table[1].splitlines() for name in re.findall(r"`([\w/]+\.py)`", row.split(" | ")[0])]
    assert sorted(named) == sorted(path.name for path in guide.parent.glob("*.py") if path.stem != "__init__")


def test_no_room_imports_from_above() -> None:
    for number, room in enumerate(ROOMS, 1):
        for file in files(room):
            upward = {name for name in imports(file) if name[0] not in list(ROOMS)[:number]}
            assert not upward, f"{file.relative_to(HOST)} imports {sorted(upward)}"


def test_a_game_imports_itself_and_the_core() -> None:
    assert len(GAMES) == 5
    for game in (*GAMES, "core"):
        for file in sorted((HOST / "games" / game).rglob("*.py")):
            others = {name for name in imports(file) if name[0] == "games" and name[1:2] not in ((game,), ("core",))}
            assert not others, f"{file.relative_to(HOST)} imports {sorted(others)}"


def test_the_guide_to_games_names_all_parts_and_what_they_import() -> None:
    guide = (HOST / "games" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)\.py` \| `(\w+)`, .*?\[`(\w+)`\]\(core/(\w+)\.py\)", guide, re.MULTILINE)
    assert rows == [(module, part.name, part.kind, part.core) for module, part in PARTS.items()]
    (allowed,) = re.findall(r"Of Tablier a game imports (.*?), nothing else", guide, re.DOTALL)
    for game in GAMES:
        for file in (HOST / "games" / game).rglob("*.py"):
            for name in imports(file):
                own = name[:2] in (("games", game), ("games", "core"))
                assert own or f"`tablier.{name[0]}`" in allowed, f"{file.relative_to(HOST)} imports {name}"
            for word in re.findall(r"^from tablier_fw import (.*)", file.read_text(encoding="utf-8"), re.MULTILINE):
                assert all(f"`{each}`" in allowed for each in word.split(", "))


def test_no_game_is_known_by_name() -> None:
    rooms = "course judge bots play simulation keeper screens html report web adapters"
    for file in (file for room in rooms.split() for file in files(room)):
        known = {name for name in imports(file) if name[0] == "games" and name[1:2] and name[1] in GAMES}
        assert not known, f"{file.relative_to(HOST)} imports {sorted(known)}"
    for room in ("log", "table", "service"):
        assert not imported(room) & {"games", "record"}, room


def test_the_course_knows_neither_log_nor_table() -> None:
    assert not imported("course") & {"log", "table"}
    with_wire = {file.name for file in files("course") if re.search("^from tablier_fw", file.read_text(), re.MULTILINE)}
    assert with_wire == {"on_wire.py", "binding.py", "chance.py"}, "what is on the wire, bound, and drawn by a table"
    assert "log" not in imported("bots")


def needs(files: Iterable[Path], above: Path) -> dict[str, set[str]]:
    """Return the modules among files that each of them imports, at once, in a function or for types.

    ``above``: the folder of their package."""
    dotted = [(".".join(file.relative_to(above).with_suffix("").parts), file) for file in files]
    names = {name.removesuffix(".__init__"): file for name, file in dotted}

    def module(name: str) -> str:
        while name and name not in names:
            name = name.rpartition(".")[0]
        return name

    found: dict[str, set[str]] = {}
    for own, file in names.items():
        asked: set[str] = set()
        for node, _ in statements(file):
            whole = node.module + "." if isinstance(node, ast.ImportFrom) and node.module else ""
            asked |= {module(whole + alias.name) for alias in node.names}
        found[own] = asked - {own, ""}
    return found


def in_circles(below: dict[str, set[str]]) -> set[str]:
    """Return the modules that import themselves by way of others."""

    def reached(module: str) -> set[str]:
        found: set[str] = set()
        left = [module]
        while left:
            more = below[left.pop()] - found
            found |= more
            left += more
        return found

    return {module for module in below if module in reached(module)}


@pytest.mark.parametrize("room", ROOMS)
def test_no_module_imports_itself_by_way_of_others(room: str) -> None:
    """Not even for its annotations: a module can be read with what it imports, and without what imports it."""
    assert not in_circles(needs(files(room), HOST.parent))


def test_no_drawing_of_the_hardware_imports_itself_by_way_of_others() -> None:
    hardware = HOST.parents[1] / "hardware"
    assert not in_circles(needs(sorted(hardware.glob("*.py")), hardware.parent))


def test_play_and_judge_share_the_course_alone() -> None:
    assert "judge" not in imported("play") and "play" not in imported("judge")


def test_texts_are_imported_from_where_they_stand() -> None:
    """The core of games has them for those who write one."""
    theirs = set(texts.__all__)
    for file in HOST.rglob("*.py"):
        if HOST / "games" not in file.parents:
            twice = {name[2] for name in imports(file) if name[:2] == ("games", "core") and name[2:]} & theirs
            assert not twice, f"{file} imports {sorted(twice)} from tablier.games.core"


def test_nothing_that_plays_needs_what_makes_layouts() -> None:
    assert {room for room in ROOMS if "layouts" in imported(room)} == {"cli"}


def test_no_test_imports_from_a_file_of_tests() -> None:
    """What several share stands in modules for it."""
    for file in Path(__file__).parent.rglob("*.py"):
        for line in IMPORT.findall(file.read_text(encoding="utf-8")):
            assert not re.search(r"\btest_", line), f"{file}: {line.strip()}"


def test_the_drawing_of_the_rooms_is_what_they_import() -> None:
    written = README.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    assert written.strip() == drawn().strip(), "python tests/test_rooms.py draws it"


if __name__ == "__main__":
    before, _, rest = README.read_text(encoding="utf-8").partition(BEGIN)
    README.write_text(f"{before}{BEGIN}\n{drawn()}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


def at_run_time(file: Path) -> Iterator[str]:
    """Yield what a module imports, at once or in a function; imports for types alone make no circle."""
    for node, typing in statements(file):
        if isinstance(node, ast.ImportFrom) and node.module and not typing:
            yield from (node.module, *(f"{node.module}.{each.name}" for each in node.names))
        elif isinstance(node, ast.Import) and not typing:
            yield from (each.name for each in node.names)


def test_no_modules_import_each_other_in_a_circle() -> None:
    files = {".".join(path.relative_to(HOST.parent).with_suffix("").parts): path for path in HOST.rglob("*.py")}
    graph = {name: {*at_run_time(path)} & files.keys() - {name} for name, path in files.items()}
    TopologicalSorter(graph).prepare()
