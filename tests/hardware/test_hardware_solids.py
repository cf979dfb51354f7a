"""The solids as STEP and STL, and the files to cut by, read by other programs than those that wrote them."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hardware.tools import Missing

from hardware import HERE, arena, mechanics, sheets, solids

DATA = arena.read()


@pytest.fixture(scope="module")
def build123d() -> Any:
    try:
        return solids.load()
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", [0, 1], ids=["arena", "place"])
def test_solids_are_where_the_prisms_are_and_share_no_volume(number: int, build123d: Any) -> None:
    """By the solid modeller's own boxes, volumes and intersections."""
    world = mechanics.worlds(DATA)[number]
    made = {name: [solids.solid(prism) for prism in item.prisms] for name, item in world.items.items()}
    boxes = {}
    for name, item in world.items.items():
        for number, (prism, solid) in enumerate(zip(item.prisms, made[name], strict=True)):
            box = solid.bounding_box()
            boxes[name, number] = box
            for got, wanted in zip(zip(box.min, box.max, strict=True), prism.bounds, strict=True):
                assert got == pytest.approx(wanted, abs=0.02), name
            assert solid.volume == pytest.approx(prism.shape.area * (prism.high - prism.low), rel=0.02), name

    def near(one: Any, other: Any) -> bool:
        return all(
            min(a, b) - max(c, d) > 0.01 for a, b, c, d in zip(one.max, other.max, one.min, other.min, strict=True)
        )

    tried = 0
    for (one, i), (other, j) in combinations(boxes, 2):
        if one != other and near(boxes[one, i], boxes[other, j]):
            common = made[one][i].intersect(made[other][j])
            found = [] if common is None or common == 0 else common if isinstance(common, list) else [common]
            assert sum(getattr(it, "volume", 0.0) for it in found) < 0.5, (one, other)
            tried += 1
    assert tried > 20


@pytest.mark.filterwarnings("ignore")
def test_step_and_stl_are_written_and_read_back(tmp_path: Path, build123d: Any) -> None:
    world = mechanics.place_world(DATA)
    path = tmp_path / "place.step"
    build123d.export_step(solids.assembly(world), str(path))
    read = build123d.import_step(str(path))
    wanted = sum(p.shape.area * (p.high - p.low) for item in world.items.values() for p in item.prisms)
    assert sum(it.volume for it in read.solids()) == pytest.approx(wanted, rel=0.01)


@pytest.mark.filterwarnings("ignore")
def test_two_runs_write_the_same_files(tmp_path: Path, build123d: Any) -> None:
    """In two processes: what is kept by address in memory comes in another order in each."""
    import subprocess
    import sys

    lines = (
        "import sys, pathlib",
        "from hardware import arena, solids",
        "solids.make(arena.read(), pathlib.Path(sys.argv[1]))",
    )
    code = "; ".join(lines)
    for run in ("one", "two"):
        subprocess.run([sys.executable, "-c", code, str(tmp_path / run)], check=True, cwd=HERE.parent)
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert len(files) > 25
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name


def test_dxf_is_sound_and_closed(tmp_path: Path) -> None:
    ezdxf = pytest.importorskip("ezdxf", reason="ezdxf is not installed: pip install -e '.[hardware]'")
    for sheet in sheets.sheets(DATA):
        path = tmp_path / f"{sheet.name}.dxf"
        path.write_text(sheets.dxf(sheet, DATA), encoding="utf-8")
        document = ezdxf.readfile(path)
        assert not document.audit().errors
        space = document.modelspace()
        assert all(line.is_closed for line in space.query("POLYLINE"))
        length = sum(1 for it in space if it.dxf.layer == "CUT")
        assert length == sum(len(placed.plate.openings) + 1 for placed in sheet.pieces)
