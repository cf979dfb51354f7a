"""Clubs that add their logs to one archive at once, while clients are killed and the server breaks."""

from __future__ import annotations

import sys
from pathlib import Path

_TESTS = Path(__file__).parents[1]
sys.path += [str(path) for path in (_TESTS, _TESTS / "archive", _TESTS / "play") if str(path) not in sys.path]
