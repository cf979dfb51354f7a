from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.firmware.desk import LOG, Desk, DeskHost


@pytest.fixture
def desk() -> Iterator[Desk]:
    """A table that a host has greeted, in virtual time; the same in every run."""
    it = Desk()
    yield it
    it.close()


@pytest.fixture
def make_desk() -> Iterator[Callable[..., Desk]]:
    """Make tables, with other seeds or not greeted yet."""
    made: list[Desk] = []

    def make(*args: Any, **kwargs: Any) -> Desk:
        made.append(Desk(*args, **kwargs))
        return made[-1]

    yield make
    for it in made:
        it.close()


@pytest.fixture
def stranger(make_desk: Callable[..., Desk]) -> Iterator[DeskHost]:
    """A host of its own at a table that nobody has greeted."""
    desk = make_desk(open=False)
    for tester in desk._joined:
        tester.close()
    it = DeskHost(desk)
    yield it
    it.close()


@pytest.fixture
def raw(stranger: DeskHost) -> DeskHost:
    """A host of its own that a table has adopted."""
    stranger.hello(log=LOG)
    stranger.listen()
    return stranger
