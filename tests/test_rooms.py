"""The rooms of the host: each imports only what stands below it, a game only itself and the core of games."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

import tablier

HOST = Path(tablier.__file__).parent
ROOMS = (
    *("printable", "texts", "games", "record", "log", "table", "play", "service", "simulation", "keeper", "screens"),
    *("adapters", "cli"),
)
"""From the ground up."""
GAMES = sorted(folder.name for folder in (HOST / "games").iterdir() if (folder / "rules.py").exists())


@cache
def imports(file: Path) -> set[str]:
    """The modules of the host that a file imports, anywhere in it, by their full names."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file}: imports name their module in full"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def within(names: set[str], package: str) -> set[str]:
    """Those of the names that are in a package, without its name."""
    return {name.removeprefix(f"{package}.") for name in names if name.startswith(f"{package}.")}


def files(part: str) -> list[Path]:
    return [HOST / f"{part}.py"] if (HOST / f"{part}.py").exists() else sorted((HOST / part).rglob("*.py"))


def test_every_room_has_its_floor() -> None:
    there = {
        path.stem
        for path in HOST.iterdir()
        if path.stem != "__init__" and (path.suffix == ".py" or any(path.glob("*.py")))
    }
    assert there == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_imports_from_above(room: str) -> None:
    allowed = ROOMS[: ROOMS.index(room) + 1]
    for file in files(room):
        upward = {name for name in within(imports(file), "tablier") if name.split(".")[0] not in allowed}
        assert not upward, f"{file.relative_to(HOST)} imports {sorted(upward)}"


@pytest.mark.parametrize("game", [*GAMES, "core"])
def test_a_game_imports_itself_and_the_core(game: str) -> None:
    assert len(GAMES) == 5
    for file in sorted((HOST / "games" / game).rglob("*.py")):
        others = {name for name in within(imports(file), "tablier.games") if name.split(".")[0] not in (game, "core")}
        assert others <= {"encoding_again"}, f"{file.relative_to(HOST)} imports {sorted(others)}"


def test_simulation_knows_no_game_by_name() -> None:
    for file in files("simulation"):
        known = {name.split(".")[0] for name in within(imports(file), "tablier.games")} & set(GAMES)
        assert not known, f"{file.relative_to(HOST)} imports {sorted(known)}"


@pytest.mark.parametrize("room", ["log", "table", "service"])
def test_these_know_no_game(room: str) -> None:
    for file in files(room):
        known = within(imports(file), "tablier.games") | within(imports(file), "tablier.record")
        assert not known, f"{file.relative_to(HOST)} imports {sorted(known)}"
