"""``make release``: one archive by which a table can be ordered, the same bytes each time."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hardware.tools import Broken

from hardware import HERE, draw, make, release

Run = Callable[..., tuple[Path, list[str]]]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Make releases of a few files, in an order of their own; return their paths by what makers do."""

    def run(number: str, **makers: Callable[[Path], None]) -> tuple[Path, list[str]]:
        monkeypatch.setattr(draw, "faults", list)
        monkeypatch.setattr(make, "MAKERS", makers)
        path, lacking = release.release(tmp_path / number)
        return path, lacking

    return run


def pages(out: Path) -> None:
    (out / "order").mkdir()
    (out / "order/parts.csv").write_text("part,number\n")
    (out / "BUILD.md").write_text("take the archive\n")


def test_two_runs_give_the_same_bytes_whatever_the_time_is(made: Run) -> None:
    def later(out: Path) -> None:
        pages(out)
        for path in out.rglob("*"):
            os.utime(path, (2e9, 2e9))

    one, two = (made(number, pages=maker)[0] for number, maker in (("one", pages), ("two", later)))
    assert one.read_bytes() == two.read_bytes()
    assert one.name == two.name == f"{release.name()}.zip"


def test_its_sums_are_right_and_its_names_sorted(made: Run) -> None:
    path, _ = made("one", pages=pages)
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        inside = f"{release.name()}/"
        sums = dict(line.split("  ")[::-1] for line in archive.read(inside + release.SUMS).decode().splitlines())
        assert names == sorted(names) and all(it.startswith(inside) for it in names)
        assert {inside + it for it in sums} == set(names) - {inside + release.SUMS}
        assert all(hashlib.sha256(archive.read(inside + it)).hexdigest() == sum_ for it, sum_ in sums.items())
    said = path.with_suffix(".zip.sha256").read_text()
    assert said == f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"


def test_of_what_is_broken_no_archive_is_left(
    made: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def break_(out: Path) -> None:
        raise Broken("hub breaks KiCad's rules")

    with pytest.raises(Broken, match="circuit boards: hub breaks"):
        made("out", **{"circuit boards": break_})
    assert not (tmp_path / "out").exists()
    assert release.main([str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err == "circuit boards: hub breaks KiCad's rules\n"


def test_the_guide_begins_with_the_archive() -> None:
    guide = (HERE / "BUILD.md").read_text(encoding="utf-8")
    first = guide[guide.index("## 0.") :].split("\n1. ")[1].split("\n2. ")[0]
    assert first.startswith(f"Take the archive of the revision, `{release.name()}.zip`")
    assert f"`{release.name()}.zip`" in (HERE / "README.md").read_text(encoding="utf-8")
