"""An archive of each kind for tests: a file, and a database of a server of the test's own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kinds import KINDS, named
from postgres import MISSING, Postgres, programs, server

from sample import sample

sys.path.append(str(Path(__file__).parents[1] / "play"))  # honest.py and what it stands on


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server for all tests of this process."""
    if programs() is None:
        pytest.skip(MISSING)
    with server() as running:
        yield running


@pytest.fixture(params=sample(KINDS[:1], KINDS))
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The name of an archive that is not there yet; in `make test` that of a file."""
    return named(request, tmp_path)


@pytest.fixture(scope="session")
def evenings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of six ended games of three people."""
    folder = tmp_path_factory.mktemp("evenings")
    from honest import in_evenings  # which conftest's own path has to be set for

    in_evenings(folder)
    return folder / "log.db"
