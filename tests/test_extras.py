"""What playing needs is what is installed without extras; where an extra is missing, the command says which."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.metadata import PathDistribution
from pathlib import Path
from typing import Any

import pytest

from tablier import extras
from tablier.extras import command_to_add
from without_extras import WITHOUT


def run(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command, or several, where no extra is installed."""
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, *words],
        env={**os.environ, "TABLIER_LOG": str(tmp_path / "log.db")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
    )


def test_playing_needs_no_extra(tmp_path: Path) -> None:
    """A game at a simulated table is played without extras from the wheel."""
    play = "play d21 --option max_plies=4 --no-table --seat Anne=random --seat Bob=random"
    done = run(tmp_path, f"{play} ; log verify ; simulate d21 --games 1 --jobs 1 ; layout --list")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        (["table", "deploy", "--port", "/dev/null"], "deploy"),
        (["table", "service", "--port", "/dev/null"], "deploy"),
        (["table", "emulate"], "emulate"),
        (["simulate", "d21", "--dask", "tcp://127.0.0.1:8786"], "cluster"),
        (["archive", "list"], "archive"),
        (["report", "--out", "season.html"], "archive"),
    ],
)
def test_a_missing_extra_is_named(tmp_path: Path, command: list[str], extra: str) -> None:
    done = run(tmp_path, *command)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.endswith(f" is not installed: {command_to_add(extra)}")


ROOT = Path(__file__).parents[1]
METADATA = """\
Metadata-Version: 2.4
Name: tablier
Version: 0.1.0
Requires-Dist: rich==15.0.0
Provides-Extra: archive
Requires-Dist: psycopg[binary]==3.3.9; extra == 'archive'
Requires-Dist: scipy==1.17.1; (python_version < '3.15') and extra == 'archive'
Requires-Dist: tablier[archive]; extra == 'test'
Requires-Dist: pytest==9.2.0; extra == 'test'
"""


@pytest.mark.parametrize(
    ("origin", "said"),
    [
        ({"url": "file:///a%20b", "dir_info": {"editable": True}}, "--editable '/a b[archive]'"),
        ({"url": "file://{here}", "dir_info": {}}, "'{here}[archive]'"),
        ({"url": "file://{here}/a.whl", "archive_info": {}}, "'tablier[archive] @ file://{here}/a.whl'"),
        ({"url": "https://x.example/a.whl", "archive_info": {}}, "'tablier[archive] @ https://x.example/a.whl'"),
        (
            {"url": "https://x.example/t", "vcs_info": {"vcs": "git", "commit_id": "0123"}},
            "'tablier[archive] @ git+https://x.example/t@0123'",
        ),
        ({"url": "file://{here}/gone.whl", "archive_info": {}}, None),
        ({"url": "file://{here}/gone", "dir_info": {}}, None),
        (None, None),
    ],
)
def test_an_extra_is_added_as_this_program_was_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: dict[str, Any] | None, said: str | None
) -> None:
    info = tmp_path / "tablier-0.1.0.dist-info"
    info.mkdir()
    (tmp_path / "a.whl").touch()
    (info / "METADATA").write_text(METADATA)
    if origin is not None:
        (info / "direct_url.json").write_text(json.dumps(origin).replace("{here}", str(tmp_path)))
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: PathDistribution(info))
    monkeypatch.setattr(extras, "__file__", str(tmp_path / "site" / "tablier" / "extras.py"))
    by_name = "'psycopg[binary]==3.3.9' 'scipy==1.17.1; (python_version < '\"'\"'3.15'\"'\"')'"
    expected = (said or by_name).replace("{here}", str(tmp_path))
    assert command_to_add("archive") == f"{sys.executable} -m pip install {expected}"


def test_in_the_environment_of_a_checkout_its_makefile_adds_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(ROOT / ".venv"))
    origin = {"url": ROOT.as_uri(), "dir_info": {"editable": True}}
    monkeypatch.setattr(extras, "_origin", lambda found: origin)
    assert command_to_add("archive") == f"make -C {ROOT} .venv/.with-archive"


def test_no_text_names_a_package_that_nobody_has_registered() -> None:
    """Its registrant could run code on the computer of each reader."""
    files = [path for folder in ("host", "firmware", "hardware") for path in (ROOT / folder).rglob("*")]
    for path in [ROOT / "README.md", *files]:
        if path.suffix in (".py", ".md", ".js", ".po") and path.name != "extras.py":
            for line in path.read_text(encoding="utf-8").splitlines():
                assert not re.search(r"(pip|uv) [^`#]*\btablier\b(?![-/.])|install .?tablier\b", line), (
                    f"{path}: {line}"
                )
