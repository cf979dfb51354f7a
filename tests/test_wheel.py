"""The package as it is installed, away from this checkout: it carries the firmware and all that its programs read."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from sample import thorough
from without_extras import WITHOUT

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the wheel was unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(folder)]
    subprocess.run([*command, str(ROOT)], check=True, capture_output=True)
    (wheel,) = folder.glob("tablier-*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


def run(installed: Path, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{installed}{os.pathsep}{ROOT}", "TABLIER_LOG": str(folder / "log.db")}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
    )


def test_the_wheel_is_what_runs(installed: Path, tmp_path: Path) -> None:
    code = "import tablier.cli.main as a, tablier_fw.wire as b; print(a.__file__); print(b.__file__)"
    for line in run(installed, "-c", code, folder=tmp_path).stdout.splitlines():
        assert Path(line).is_relative_to(installed)


@pytest.mark.parametrize("folder", ["web/pages", "html/styles"])
def test_the_pages_come_with_the_wheel(installed: Path, folder: str) -> None:
    there = {path.name: path.read_bytes() for path in (installed / "tablier" / folder).iterdir()}
    assert there == {path.name: path.read_bytes() for path in (ROOT / "host" / "tablier" / folder).iterdir()}


def test_the_manual_comes_with_the_wheel(installed: Path, tmp_path: Path) -> None:
    shown = run(installed, "-m", "tablier.cli.main", "manual", "evening", folder=tmp_path)
    assert shown.returncode == 0 and "An evening" in shown.stdout, shown.stderr


@thorough
def test_a_demonstration_game_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    """The simulated table needs the firmware's sources, the log, the rules: all come from the wheel, no extra."""
    played = run(installed, "-c", WITHOUT, "play", "roudalon", folder=tmp_path)
    assert played.returncode == 0, played.stderr
    assert "Final scores" in played.stdout
    verified = run(installed, "-m", "tablier.cli.main", "log", "verify", folder=tmp_path)
    assert verified.returncode == 0, verified.stderr


@thorough
def test_the_tests_pass_on_the_wheel(installed: Path, tmp_path: Path) -> None:
    """Those that play every game with its data; all of them would only take longer."""
    parts = ["wire", "games/test_daemonen.py", "test_golden.py"]
    tests = [str(ROOT / "tests" / part) for part in parts]
    done = run(
        installed, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(ROOT), *tests, folder=tmp_path
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert " passed" in done.stdout
