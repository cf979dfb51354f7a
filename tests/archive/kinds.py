"""The kinds of archives that tests are run on."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest
from postgres import Postgres

KINDS = ("sqlite", "postgresql")
_NUMBERS = count(1)


def named(request: pytest.FixtureRequest, folder: Path) -> str:
    """Return the name of an archive of a kind that is not there yet."""
    if request.param == "sqlite":
        return str(folder / "archive.db")
    running: Postgres = request.getfixturevalue("postgres")
    return running.make(f"archive{next(_NUMBERS)}")
