"""A log of two evenings for the tests of what a log keeps of its entries."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from honest import in_evenings


@pytest.fixture(scope="session")
def evenings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evenings")
    in_evenings(folder)
    return next(folder.glob("*.db"))


@pytest.fixture
def path(evenings: Path, tmp_path: Path) -> Path:
    """Return the path of a copy that a test may change."""
    return Path(shutil.copy(evenings, tmp_path / "log.db"))
