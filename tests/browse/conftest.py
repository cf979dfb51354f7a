"""Tests in a browser: 'make browse' runs them, and says what is missing; 'make test' leaves them out."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from shutil import which

import pytest

sys.path.append(str(Path(__file__).parents[1] / "web"))  # served.py
if os.environ.get("TABLIER_BROWSE"):
    if find_spec("playwright") is None:
        pytest.exit("tests in a browser need Playwright: make browse installs it", returncode=2)
    if not any(map(which, ("chromium", "chromium-browser", "google-chrome"))):
        pytest.exit("tests in a browser need Chromium, as your system packages it: apt install chromium", returncode=2)
else:
    collect_ignore_glob = ["test_*.py"]
