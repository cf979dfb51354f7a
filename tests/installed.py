"""Programs that not every computer has, and that some tests run."""

from __future__ import annotations

import shutil

import pytest


def needs(program: str) -> pytest.MarkDecorator:
    """Return the mark of a test that runs a program, and is skipped where it is not installed."""
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")
