"""The types that the pages' scripts are checked against are those of what is sent."""

from __future__ import annotations

import json

from msgspec import structs
from tests.page_types import TYPES, text

from tablier.messages import Sent
from tablier.web import states


def test_the_types_of_the_pages_are_those_of_what_they_are_sent() -> None:
    assert TYPES.read_text(encoding="utf-8") == text(), "python -m tests.protocol_tables writes them anew"


def test_the_pages_are_checked_strictly() -> None:
    config = json.loads((TYPES.parents[3] / "deno.json").read_text(encoding="utf-8"))
    assert config["compilerOptions"]["strict"] and config["compilerOptions"]["checkJs"]


def test_every_state_is_declared() -> None:
    """What a channel says is one of them, or in one."""
    declared = text()
    for name, value in vars(states).items():
        if isinstance(value, type) and issubclass(value, states.State | Sent) and value.__module__ == states.__name__:
            assert f"export interface {name} {{" in declared or not structs.fields(value) or value is states.State, name
