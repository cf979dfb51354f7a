"""Makes one archive of all that it takes to order and build a table: ``python -m hardware.release build/release``.

Who has it needs none of the tools that it was made with. The same data and tools give the same bytes: names are sorted,
times are fixed, nothing is compressed. What this machine's tools could not make is named, here and in the archive.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
import zipfile
from pathlib import Path

from hardware import make
from hardware.boards import model
from hardware.tools import Broken

SIMULATED = "simulated circuits"
"""The files that the pages hold already, with a stamp of the data that they were made of."""
SUMS, LEFT_OUT = "SHA256SUMS", "LEFT-OUT.txt"
_DATE = (1980, 1, 1, 0, 0, 0)


def name() -> str:
    """Return the archive's name without its ending: the revision's."""
    return f"tablier-hardware-{model.read()['rules']['revision']}"


def packed(folder: Path, inside: str) -> dict[str, bytes]:
    """Return the files of a folder as an archive holds them, with their sums: name → content."""
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }
    files[SUMS] = "".join(f"{hashlib.sha256(files[it]).hexdigest()}  {it}\n" for it in sorted(files)).encode()
    return {f"{inside}/{it}": files[it] for it in sorted(files)}


def write(path: Path, files: dict[str, bytes]) -> None:
    """Write an archive of files."""
    with zipfile.ZipFile(path, "w") as archive:
        for it, content in sorted(files.items()):
            info = zipfile.ZipInfo(it, _DATE)
            info.external_attr = 0o644 << 16
            archive.writestr(info, content)


def release(out: Path) -> tuple[Path, list[str]]:
    """Write the archive into a folder; return where it is, and what it lacks. Raise Broken: nothing is written then."""
    with tempfile.TemporaryDirectory() as aside:
        folder = Path(aside) / "hardware"
        lacking = make.make(folder, without=(SIMULATED,))
        if lacking:
            (folder / LEFT_OUT).write_text("".join(f"{line}\n" for line in lacking), encoding="utf-8")
        files = packed(folder, name())
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{name()}.zip"
    write(path, files)
    path.with_suffix(".zip.sha256").write_text(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n", encoding="utf-8"
    )
    return path, lacking


def main(arguments: list[str]) -> int:
    """Make the archive; return the exit status."""
    try:
        path, lacking = release(Path(arguments[0]) if arguments else Path("build/release"))
    except Broken as broken:
        print(broken, file=sys.stderr)
        return 1
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    for line in lacking:
        print(f"left out: {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
