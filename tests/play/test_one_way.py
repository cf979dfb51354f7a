"""The way of an input stands in one file: what appends to the log of a game, and what sets the deadline."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import tablier

HOST = Path(tablier.__file__).parent
PLAY = HOST / "play"
ELSEWHERE = {
    ("keeper/games.py", "_abandon_unopened"): "nobody conducts a game that is not open",
    ("cli/log.py", "_log_reveal"): "who reads the log says so; it is no part of play",
}
"""What appends to the log of a game beside play."""


def appends() -> list[tuple[str, str]]:
    """Return the file and the function of each call that appends to a log, except the log's own."""
    found = []
    for file in sorted(HOST.rglob("*.py")):
        if HOST / "log" in file.parents:
            continue
        for function, node in _inside(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and (node.attr == "append_all" or _is_append_of_log(node)):
                found.append((file.relative_to(HOST).as_posix(), function))
    return found


def _is_append_of_log(node: ast.Attribute) -> bool:
    return node.attr == "append" and ast.unparse(node.value).endswith("log")


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
    assert sorted(appends()) == sorted([("play/game.py", "_append"), *ELSEWHERE])


def test_one_place_alone_sets_the_deadline_of_what_is_open() -> None:
    assert sets(PLAY / "game.py", "_deadline") == {"__init__", "_set_deadline"}
