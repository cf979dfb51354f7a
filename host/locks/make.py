"""Make the lock files: for each set of packages that is installed, all of them with versions and hashes.

``play.txt`` is what the package needs, the others add an extra of ``pyproject.toml``; ``build.txt`` and ``stubs.txt``
are its dependency groups. One file serves every Python from 3.11 and every platform: it lists the hashes of all files
of a version, and where platforms differ its lines have markers. Sources are used only where there is nothing else: what
it takes to build them comes from ``build.txt`` alone.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
OPTIONS = (
    *("--universal", "--python-version", "3.11", "--generate-hashes", "--only-binary", ":all:", "--no-binary", "cobs"),
    *("--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links", "--quiet"),
)


def compile_lock(out: Path, *sources: str) -> None:
    """Write what some sources need to a file."""
    uv = Path(sys.executable).with_name("uv")
    subprocess.run([uv, "pip", "compile", *OPTIONS, "-o", out, *sources], cwd=ROOT, check=True)


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "all.txt"  # the same version of a package in all files
        compile_lock(whole, "pyproject.toml", "--all-extras")
        agreed = ("--constraints", str(whole))
        compile_lock(HERE / "play.txt", "pyproject.toml", *agreed)
        for extra in project["project"]["optional-dependencies"]:
            compile_lock(HERE / f"{extra}.txt", "pyproject.toml", "--extra", extra, *agreed)
        for group in project["dependency-groups"]:
            compile_lock(HERE / f"{group}.txt", "--group", group, *agreed)


if __name__ == "__main__":
    main()
