"""The way of an input stands in one file: what appends to the log of a game, and what sets the deadline."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import tablier

PLAY = Path(tablier.__file__).parent / "play"
APPENDS = ("append", "append_all")


def appends(folder: Path) -> list[tuple[str, str]]:
    """Return the file and the function of each call that appends to a log."""
    found = []
    for file in sorted(folder.glob("*.py")):
        for function, node in _inside(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in APPENDS and ast.unparse(node.value).endswith("log"):
                found.append((file.name, function))
    return found


def sets(file: Path, name: str) -> set[str]:
    """Return the functions of a file that set an attribute."""
    nodes = _inside(ast.parse(file.read_text(encoding="utf-8")))
    return {
        function
        for function, node in nodes
        if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store)
    }


def _inside(tree: ast.AST, function: str = "") -> Iterator[tuple[str, ast.AST]]:
    for node in ast.iter_child_nodes(tree):
        inner = node.name if isinstance(node, ast.FunctionDef) else function
        yield inner, node
        yield from _inside(node, inner)


def test_one_place_alone_appends_to_the_log_of_a_game_that_is_played() -> None:
    assert appends(PLAY) == [("game.py", "_append")]


def test_one_place_alone_sets_the_deadline_of_what_is_open() -> None:
    assert sets(PLAY / "game.py", "_deadline") == {"__init__", "_set_deadline"}
