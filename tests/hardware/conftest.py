"""The hardware is no part of the installed package: it is checked where it lies, beside these tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT))

pytest.importorskip("yaml", reason="PyYAML is not installed; make sets it up")

from hardware import nets  # noqa: E402


@pytest.fixture(scope="session")
def sheets() -> dict[str, nets.Sheet]:
    """The files of the wiring. Not to be changed: copy them."""
    return nets.read()


@pytest.fixture(scope="session")
def wiring(sheets: dict[str, nets.Sheet]) -> nets.Wiring:
    return nets.Wiring(sheets)
