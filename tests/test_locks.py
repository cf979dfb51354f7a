"""What is installed: versions and hashes of everything, whatever a package index says on the day."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from installed import needs

ROOT = Path(__file__).parent.parent
LOCKS = ROOT / "host" / "locks"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
GROUPS = PROJECT["dependency-groups"]
ALL = ["play", *EXTRAS, *GROUPS]
_LINE = re.compile(r"([a-z0-9][a-z0-9-]*)==([0-9][0-9a-z.]*)( ; [\w .'()<>=!]+)?")


@cache
def lock(name: str) -> dict[str, list[tuple[str, str, int]]]:
    """The packages of a lock file: for each a version, a marker and how many hashes, once for each of its lines."""
    packages: dict[str, list[tuple[str, str, int]]] = {}
    for entry in (LOCKS / f"{name}.txt").read_text(encoding="utf-8").replace("\\\n", "").splitlines():
        package, *hashes = re.split(r" +--hash=", entry.strip())
        match = _LINE.fullmatch(package.strip())
        assert match, f"{name}.txt: {entry[:100]!r} is no 'name==version'"
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", each.strip()) for each in hashes), package
        packages.setdefault(match[1], []).append((match[2], (match[3] or "").removeprefix(" ; "), len(hashes)))
    return packages


def needed(name: str) -> Iterator[Requirement]:
    """Return the requirements of an extra in pyproject.toml, including extras within extras."""
    if name in GROUPS:
        yield from map(Requirement, GROUPS[name])
        return
    yield from map(Requirement, PROJECT["project"]["dependencies"])
    names = [name] if name in EXTRAS else []
    for extra in names:
        for requirement in map(Requirement, EXTRAS[extra]):
            if requirement.name == "tablier":
                names += [each for each in sorted(requirement.extras) if each not in names]
            else:
                yield requirement


def test_there_is_a_lock_for_each_set_that_is_installed() -> None:
    assert {path.stem for path in LOCKS.glob("*.txt")} == set(ALL)
    assert set(PROJECT["build-system"]["requires"]) <= set(GROUPS["build"])


def test_each_line_has_hashes_and_names_no_place() -> None:
    for name in ALL:
        assert lock(name)
        assert all(hashes for lines in lock(name).values() for *_, hashes in lines), name


def test_what_the_project_asks_for_is_in_the_lock_with_the_same_version() -> None:
    for name in ALL:
        for requirement in needed(name):
            (pin,) = requirement.specifier
            assert pin.operator == "==", f"{requirement} is not pinned"
            locked = lock(name)[canonicalize_name(requirement.name)]
            assert {version for version, *_ in locked} == {pin.version}


def test_a_package_has_the_same_version_in_every_lock() -> None:
    seen: dict[str, set[tuple[str, ...]]] = {}
    for name in ALL:
        for package, lines in lock(name).items():
            seen.setdefault(package, set()).add(tuple(sorted(version for version, *_ in lines)))
    assert {package: versions for package, versions in seen.items() if len(versions) > 1} == {}


@pytest.mark.parametrize("name", ["play", "test", "build"])
def test_the_lock_holds_what_its_packages_need_in_turn(name: str) -> None:
    """By what the packages that are installed here say themselves; with the versions that are locked."""
    extras: dict[str, set[str]] = {canonicalize_name(each.name): each.extras for each in needed(name)}
    for package, lines in lock(name).items():
        here = [version for version, marker, _ in lines if not marker or Marker(marker).evaluate()]
        try:
            found = distribution(package)
        except PackageNotFoundError:
            assert not here, f"{package} is locked and not installed"
            continue
        assert [found.version] == here
        for text in found.requires or ():
            requirement = Requirement(text)
            asked = {"extra": ""}, *({"extra": extra} for extra in extras.get(package, set()))
            if requirement.marker is None or any(requirement.marker.evaluate(each) for each in asked):
                assert canonicalize_name(requirement.name) in lock(name), f"{package} needs {requirement}"


PYTHON = """#!/bin/sh
case "$*" in
*waiting.py*) exec {python} "$@" ;;
"-m venv "*) mkdir -p "$3/bin" && cp {log}/python "$3/bin/python" ;;
"-m pip "*) echo "begin $*" >>{log}/said; sleep 0.05; echo "end $*" >>{log}/said ;;
esac
"""
"""What stands in for Python: it says what is installed when, and takes a moment for it."""


@needs("make")
def test_one_make_at_a_time_sets_up_the_environment(tmp_path: Path) -> None:
    for file in ("Makefile", "pyproject.toml", "firmware/tablier_fw/version.py", "host/locks"):
        to = tmp_path / "checkout" / file
        to.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / file).is_dir() else shutil.copy)(ROOT / file, to)
    python = tmp_path / "python"
    python.write_text(PYTHON.format(python=sys.executable, log=tmp_path), encoding="utf-8")
    python.chmod(0o755)
    targets = (".venv/.with-lint", ".venv/.with-test", ".venv/.with-lint", ".venv/.play")
    makes = [
        subprocess.Popen(
            ["make", f"PYTHON={python}", target],
            cwd=tmp_path / "checkout",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))},
        )
        for target in targets
    ]
    complaints = [make.communicate(timeout=60)[1] for make in makes]
    assert [make.returncode for make in makes] == [0] * len(makes), complaints
    said = (tmp_path / "said").read_text(encoding="utf-8").splitlines()
    begun, ended = said[::2], said[1::2]
    assert [line.removeprefix("begin ") for line in begun] == [line.removeprefix("end ") for line in ended]
    assert len(set(begun)) == len(begun), "what one has installed the others find"
    assert sum("--editable" in line for line in begun) == 1
    assert any("waiting for another make" in complaint for complaint in complaints)


def test_make_installs_by_the_locks_alone() -> None:
    """Every way to pip in the Makefile demands hashes, or installs this checkout and nothing else."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (install,) = re.findall(r"^(\w+) = .*-m pip install", makefile, re.MULTILINE)
    uses = [line for line in makefile.splitlines() if f"$({install})" in line]
    assert uses and all("--require-hashes" in line or "--no-deps" in line for line in uses)
    assert all("--no-build-isolation" in line for line in uses), "nothing is fetched to build with"
    assert makefile.count("pip install") == 1
    assert (ROOT / ".ci" / "run").read_text(encoding="utf-8").count("pip") == 0


def test_what_is_run_of_the_tests_has_what_they_need() -> None:
    """The bench lacked the terminal that its screens are measured in, unless 'make test' had been run before."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    rules = re.findall(r"^([a-z-]+): (.*?) ## .*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    needy = {name: before for name, before, recipe in rules if re.search(r"python -m (pytest|tests)\b", recipe)}
    bare = {name for name, before in needy.items() if not re.search(r"\.with-(test|browse)\b", before)}
    assert bare == {"sheets", "algorithms", "lint"}, "these programs need nothing of what tests need"
    assert len(needy) > 15
