"""A log for the tests of a file, its pages, and the operator's connection to its keeper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from evenings import Room
from served import Served, served

from kept import kept, linked
from tablier.keeper.client import Link


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages") / "log.db"


@pytest.fixture(scope="module")
def pages(log: Path) -> Iterator[Served]:
    with kept(log), served(log) as pages:
        yield pages


@pytest.fixture
def link(log: Path, pages: Served) -> Iterator[Link]:
    with linked(log) as link:
        yield link


@pytest.fixture
def browser(pages: Served) -> Iterator[httpx.Client]:
    with pages.browser() as browser:
        yield browser


@pytest.fixture
def room(link: Link) -> Iterator[Room]:
    room = Room(link)
    yield room
    room.close()
