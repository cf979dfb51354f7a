"""Find out if OpenSpiel has a wheel for this platform: only without one may its tests be skipped."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

_PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def need_open_spiel() -> None:
    """Skip the module that calls it where OpenSpiel has no wheel."""
    requirements = map(Requirement, _PROJECT["optional-dependencies"]["adapters"])
    (needed,) = (requirement for requirement in requirements if requirement.name == "open_spiel")
    if needed.marker is not None and not needed.marker.evaluate():
        pytest.skip("OpenSpiel has no wheel for this Python on this machine", allow_module_level=True)
