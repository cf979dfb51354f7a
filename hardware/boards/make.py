"""Make the boards: place and route them, and derive from the routed files what a board's maker needs."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from hardware import nets
from hardware.boards import model
from hardware.boards.model import Board, Fault
from hardware.tools import Missing

SCRIPT = Path(__file__).with_name("kicad.py")
LIBRARIES = (Path("/usr/share/kicad/footprints"), Path("/usr/local/share/kicad/footprints"))


NO_KICAD = "neither KiCad 6 with its Python module nor kicad-cli of 8 or later is installed (apt-get install kicad)"
NO_CLI = (
    "kicad-cli of KiCad 8 or later is not installed (Debian 12: apt-get install -t bookworm-backports kicad); KiCad 6"
    " cannot be asked without its window"
)
NO_ROUTER = "KiCad 6 with its Python module pcbnew is not installed (Debian 12: apt-get install kicad)"
_FIRST_WITH_RULES = 8
"""KiCad 7 has a kicad-cli too, but asks no rules there."""


@cache
def kicad_python() -> str | None:
    """Return the Python that has KiCad 6's ``pcbnew``: that of KICAD_PYTHON, this one, or the system's; None without.

    Later versions open the boards, but have other names for what is called here.
    """
    question = "import sys, pcbnew; sys.exit(not pcbnew.Version().startswith('6.'))"
    for candidate in (os.environ.get("KICAD_PYTHON"), sys.executable, "/usr/bin/python3"):
        if candidate and shutil.which(candidate):
            found = subprocess.run([candidate, "-c", question], capture_output=True)
            if found.returncode == 0:
                return candidate
    return None


def _installed_cli() -> tuple[str, str] | None:
    """Return ``kicad-cli``, KICAD_CLI or the one on the path, and its version; None without."""
    found = shutil.which(os.environ.get("KICAD_CLI") or "kicad-cli")
    if found is None:
        return None
    done = subprocess.run([found, "version"], capture_output=True, text=True, check=False)
    return (found, done.stdout.strip()) if not done.returncode and re.match(r"\d+\.", done.stdout) else None


def _major(version: str) -> int:
    return int(version.partition(".")[0])


@cache
def kicad_cli() -> tuple[str, str] | None:
    """Return ``kicad-cli`` of KiCad 8 or later, and its version; None without."""
    found = _installed_cli()
    return found if found and _major(found[1]) >= _FIRST_WITH_RULES else None


def no_kicad() -> str:
    """Return what to do on a machine that has no KiCad, or one of no use here."""
    found = _installed_cli()
    if found and _major(found[1]) < _FIRST_WITH_RULES:
        return (
            f"KiCad {found[1]} is installed, which cannot be asked for its rules (Ubuntu 24.04 has it): order by the"
            " archive of the release, which has the boards' files; or install a later one (sudo add-apt-repository"
            " ppa:kicad/kicad-9.0-releases; sudo apt install kicad), or name its kicad-cli: KICAD_CLI=…"
        )
    return NO_KICAD


def version() -> str | None:
    """Return the version of the KiCad that makes the boards, the newest there is; None without one."""
    newest = kicad_cli()
    if newest is not None:
        return newest[1]
    return str(kicad("version", {})["version"]) if kicad_python() else None


def _ask_cli(*arguments: str) -> None:
    """Run ``kicad-cli``, whatever the user's settings. Raise `Fault` if it fails."""
    command = kicad_cli()
    if command is None:
        raise Missing(no_kicad())
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, LC_ALL="C.UTF-8", KICAD_CONFIG_HOME=home)
        environment.pop("DISPLAY", None)
        done = subprocess.run([command[0], *arguments], capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise Fault(f"KiCad failed at {' '.join(arguments[:3])}: {(done.stderr or done.stdout).strip()[-2000:]}")


def kicad(command: str, job: dict[str, Any]) -> dict[str, Any]:
    """Run one command of ``kicad.py``. Raise `Missing` without KiCad 6, `Fault` if it fails."""
    python = kicad_python()
    if python is None:
        raise Missing(NO_ROUTER)
    # Without a home of its own KiCad would read and write the user's settings.
    environment = dict(os.environ, LC_ALL="C.UTF-8", PYTHONDONTWRITEBYTECODE="1")
    environment.pop("DISPLAY", None)
    done = subprocess.run(
        [python, str(SCRIPT), command], input=json.dumps(job), capture_output=True, text=True, env=environment
    )
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise Fault(f"KiCad failed at {command}: {done.stderr.strip()[-2000:]}") from None
    return answer


def route_board(board: Board, report: Callable[[str], None]) -> None:
    """Place a board's parts, route its nets, pour ground, and write its file beside the others."""
    if importlib.util.find_spec("numba") is None:
        raise Missing("Numba is not installed (.venv/bin/pip install -e '.[boards]')")
    from hardware.boards import router

    report(f"{board.name}: {len(board.parts)} parts, {len(board.nets())} nets")
    with tempfile.TemporaryDirectory() as folder:
        # The file in the repository stays what it was until the board is routed.
        aside = Path(folder) / board.file.name
        job = _job(board) | {"path": str(aside)}
        pads = kicad("build", job)["pads"]
        aside.with_suffix(".kicad_pro").write_text(project(board), encoding="utf-8")
        placed = [it for it in violations(board, Path(folder), aside) if not it.startswith("[unconnected")]
    if placed:
        raise Fault(f"{board.name}: parts are in each other's way:\n" + "".join(placed))
    legs = [
        router.Pad(x, y, width, height, pad["round"], pad["turn"], pad["net"], plated=pad["pad"] != "")
        for pad in pads
        for (x, y), (width, height) in [(pad["at"], pad["size"])]
    ]
    rules = router.Rules(board.rules["clearance"], board.rules["edge"], board.rules["via"][0])
    # Screws' heads.
    keep = [(x, y, 3.6) for x, y in board.holes]
    routed = router.route(board.size, legs, board.widths, rules, keep, report=report)
    job["tracks"] = [
        {
            "net": net,
            "layer": layer,
            "segments": [[start, end, width] for at, start, end, width in found.segments if at == layer],
        }
        for net, found in routed.items()
        for layer in (0, 1)
    ]
    job["vias"] = [{"net": net, "at": at} for net, found in routed.items() for at in found.vias]
    job["pour"] = _pours(board)
    kicad("build", job | {"path": str(board.file)})
    board.file.with_suffix(".kicad_pro").write_text(project(board), encoding="utf-8")
    board.file.with_suffix(".kicad_prl").unlink(missing_ok=True)


def _job(board: Board) -> dict[str, Any]:
    library = next((folder for folder in LIBRARIES if folder.is_dir()), None)
    if library is None:
        raise Missing("KiCad's footprints are not installed (apt-get install kicad-footprints)")
    return {
        "path": str(board.file),
        "library": str(library),
        "own": str(model.FOLDER / "tablier.pretty"),
        "title": board.title,
        "revision": board.rules["revision"],
        "date": board.rules["date"],
        "size": board.size,
        "corner": board.corner,
        "holes": board.holes,
        "nets": board.nets(),
        "via": board.rules["via"],
        "texts": [dict(text) for text in board.texts],
        "parts": [
            {
                "ref": part.ref,
                "value": part.value,
                "footprint": part.footprint,
                "at": part.at,
                "turn": part.turn,
                "back": part.back,
                "pads": dict(part.pads),
                "ref_text": part.ref_text,
                "value_text": part.value_text,
                "labels": dict(part.labels),
                "label_offset": part.label_offset,
            }
            for part in board.parts
        ],
    }


def _pours(board: Board) -> list[dict[str, Any]]:
    x, y = board.size[0] / 2 - 0.5, board.size[1] / 2 - 0.5
    boxes = [{"net": "GND", "box": [[-x, -y], [x, y]]}, *board.pours]
    return [
        {"layers": ["front", "back"], **box, "priority": priority, "clearance": 0.3}
        for priority, box in enumerate(boxes)
    ]


def project(board: Board) -> str:
    """Return KiCad's project file, which has the rules that the board is checked by."""
    rules = board.rules
    base = {
        "bus_width": 12.0,
        "clearance": rules["clearance"],
        "diff_pair_gap": 0.25,
        "diff_pair_via_gap": 0.25,
        "diff_pair_width": 0.2,
        "line_style": 0,
        "microvia_diameter": 0.3,
        "microvia_drill": 0.1,
        "name": "Default",
        "pcb_color": "rgba(0, 0, 0, 0.000)",
        "schematic_color": "rgba(0, 0, 0, 0.000)",
        "track_width": 0.3,
        "via_diameter": rules["via"][0],
        "via_drill": rules["via"][1],
        "wire_width": 6.0,
    }
    text = {
        "board": {
            "design_settings": {
                "defaults": {"zones": {"min_clearance": rules["clearance"]}},
                # A pad that the pour does not reach on two sides has a track.
                "rule_severities": {"starved_thermal": "warning"},
                "rules": {
                    "min_clearance": rules["clearance"],
                    "min_copper_edge_clearance": rules["edge"],
                    "min_hole_clearance": 0.25,
                    "min_hole_to_hole": 0.25,
                    "min_through_hole_diameter": 0.3,
                    "min_track_width": 0.2,
                    "min_via_annular_width": 0.13,
                    "min_via_diameter": 0.6,
                    "min_silk_clearance": 0.0,
                },
            }
        },
        "meta": {"filename": f"{board.name}.kicad_pro", "version": 1},
        "net_settings": {"classes": [base], "meta": {"version": 2}, "net_colors": None},
    }
    return json.dumps(text, indent=2) + "\n"


@contextmanager
def _aside(file: Path) -> Iterator[Path]:
    """Give a copy of a board's file to programs that write beside what they open."""
    with tempfile.TemporaryDirectory() as folder:
        for path in (file, file.with_suffix(".kicad_pro")):
            shutil.copy(path, folder)
        yield Path(folder) / file.name


def violations(board: Board, folder: Path, file: Path | None = None) -> list[str]:
    """Return what KiCad's design rules call an error or unconnected; leave the whole report in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / f"{board.name}-rules.txt"
    if kicad_cli():
        with _aside(file or board.file) as aside:
            answer = aside.with_suffix(".json")
            _ask_cli(
                "pcb", "drc", "--format", "json", "--severity-all", "--units", "mm", "--output", str(answer), str(aside)
            )
            return _told(json.loads(answer.read_text(encoding="utf-8")), report)
    with _aside(file or board.file) as aside:
        kicad("check", {"path": str(aside), "report": str(report)})
    text = re.sub(r"(?m)^\*\* (Created|Drc report) .*\n", "", report.read_text(encoding="utf-8"))
    report.write_text(text, encoding="utf-8")
    if not all(f"** Found {number} {what} **" in text for number, what in _counted(text)):
        raise Fault(f"{board.name}: KiCad's report has another form than expected; see {report}")
    entries = re.findall(r"(?m)^\[\w+\]: .*\n(?:    .*\n)*", text)
    return [entry for entry in entries if "Severity: warning" not in entry]


def _told(found: dict[str, Any], report: Path) -> list[str]:
    """Write down what ``kicad-cli pcb drc`` found; return what is an error, or unconnected."""
    entries, errors = [], []
    for kind in ("violations", "unconnected_items"):
        for it in found[kind]:
            lines = [f"[{it['type']}]: {it['description']}", f"    Severity: {it['severity']}"]
            lines += [
                f"    @({item['pos']['x']:.4f} mm, {item['pos']['y']:.4f} mm): {item['description']}"
                for item in it["items"]
            ]
            entries.append("\n".join(lines) + "\n")
            if kind == "unconnected_items" or it["severity"] != "warning":
                errors.append(entries[-1])
    report.write_text(f"KiCad {found['kicad_version']}: {len(entries)} found\n\n" + "".join(entries), encoding="utf-8")
    return errors


def _counted(text: str) -> list[tuple[int, str]]:
    """Return how many entries a report has of each kind, counted; a report that says other numbers was misread."""
    parts = re.split(r"(?m)^\*\* Found \d+ ", text)
    return [(len(re.findall(r"(?m)^\[\w+\]: ", part)), part[: part.index(" **")]) for part in parts[1:]]


_WITHOUT_LIBRARIES = ("lib_symbol_issues", "footprint_link_issues")
"""What KiCad says of every symbol and footprint while it has no libraries of the user's."""


def circuit_violations(board: Board, folder: Path, source: Path | None = None) -> list[str]:
    """Return what KiCad's electrical rules call an error in a board's schematic, and each net that differs from the
    board's; leave the whole report in a folder. Raise `Missing` without ``kicad-cli``."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as aside:
        file, answer, listed = (Path(aside) / f"{board.name}.{it}" for it in ("kicad_sch", "json", "xml"))
        shutil.copy(source or board.file.with_suffix(".kicad_sch"), file)
        _ask_cli(
            "sch", "erc", "--format", "json", "--severity-all", "--units", "mm", "--output", str(answer), str(file)
        )
        _ask_cli("sch", "export", "netlist", "--format", "kicadxml", "--output", str(listed), str(file))
        found = json.loads(answer.read_text(encoding="utf-8"))
        nets = _listed(listed.read_text(encoding="utf-8"))
    violations = [it for sheet in found["sheets"] for it in sheet["violations"] if it["type"] not in _WITHOUT_LIBRARIES]
    report = folder / f"{board.name}-schematic-rules.txt"
    errors = _told({**found, "violations": violations, "unconnected_items": []}, report)
    wanted = {(part.ref, pad): net for part in board.parts for pad, net in part.pads.items() if net}
    return errors + [
        f"[net]: pin {pad} of {ref} is on {nets.get((ref, pad))} there, on {wanted.get((ref, pad))} on the board\n"
        for ref, pad in sorted(wanted.keys() | nets.keys())
        if wanted.get((ref, pad)) != nets.get((ref, pad))
    ]


def _listed(text: str) -> dict[tuple[str, str], str]:
    """Return the net of each connected pin of the board's parts in a netlist of KiCad's."""
    listed = ElementTree.fromstring(text)
    beside = {
        part.attrib["ref"]
        for part in listed.iter("comp")
        if any(it.attrib["name"] == "exclude_from_board" for it in part.iter("property"))
    }
    return {
        (node.attrib["ref"], node.attrib["pin"]): net.attrib["name"].replace("{slash}", "/")
        for net in listed.iter("net")
        for node in net.iter("node")
        if node.attrib["ref"] not in beside and not net.attrib["name"].startswith("unconnected-")
    }


PICTURES = {
    # Drawn first is what lies on top; the colours are those of a green board with tinned pads.
    "front": (("Edge_Cuts", "#e0d060"), ("F_Silkscreen", "#ffffff"), ("F_Mask", "#c8b870"), ("F_Cu", "#2f8f4f")),
    "back": (("Edge_Cuts", "#e0d060"), ("B_Silkscreen", "#ffffff"), ("B_Mask", "#c8b870"), ("B_Cu", "#2f8f4f")),
}


def _boards() -> list[Board]:
    wiring, data = nets.Wiring(nets.read()), model.read()
    return [model.board(name, wiring, data) for name in model.NAMES]


def make(out: Path) -> None:
    """Write what it takes to order the boards into ``out``/boards.

    Raise `Fault` if a board breaks a rule, `Missing` without KiCad.
    """
    if version() is None:
        raise Missing(no_kicad())
    folder = out / "boards"
    for board in _boards():
        broken = violations(board, folder)
        if broken:
            raise Fault(f"{board.name} breaks KiCad's rules:\n" + "".join(broken))
        fabricate(board, folder)
    (folder / "ORDER.md").write_text(order(_boards()), encoding="utf-8")


def circuits(out: Path) -> None:
    """Hold the schematics to KiCad's electrical rules and to the boards, and write the reports into ``out``/boards.

    Raise `Fault` if one breaks a rule, `Missing` without ``kicad-cli``.
    """
    if kicad_cli() is None:
        raise Missing(NO_CLI)
    for board in _boards():
        broken = circuit_violations(board, out / "boards")
        if broken:
            raise Fault(f"the schematic of {board.name} breaks KiCad's rules:\n" + "".join(broken))


def pictures(out: Path) -> None:
    """Draw both sides of the boards of ``out``/boards, which `make` has written."""
    for board in _boards():
        picture(board, out / "boards")


def bills(out: Path) -> None:
    """Write a page for each board into ``out``/boards that shows where each part goes."""
    (out / "boards").mkdir(parents=True, exist_ok=True)
    for board in _boards():
        bill(board, out / "boards")


LAYERS = ("F_Cu", "B_Cu", "F_Mask", "B_Mask", "F_Silkscreen", "B_Silkscreen", "Edge_Cuts")
"""The files a maker needs beside the drill files: copper, solder mask and print of both sides, and the outline."""


def fabricate(board: Board, folder: Path) -> None:
    """Write gerbers and drill files of a board into a folder of its own, and the archive that a maker takes.

    Raise `Fault` unless all of them are there.
    """
    # KiCad takes a relative folder to be beside the board's file.
    target = folder.resolve() / board.name
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    with _aside(board.file) as aside:
        if kicad_cli():
            layers = ",".join(layer.replace("_", ".") for layer in LAYERS)
            _ask_cli(
                *("pcb", "export", "gerbers", "--no-protel-ext", "--subtract-soldermask", "--layers", layers),
                *("--output", f"{target}/", str(aside)),
            )
            _ask_cli("pcb", "export", "drill", "--excellon-separate-th", "--output", f"{target}/", str(aside))
            (target / f"{board.name}-job.gbrjob").unlink(missing_ok=True)
        else:
            kicad("plot", {"path": str(aside), "folder": str(target), "layers": LAYERS})
    expected = {f"{board.name}-{layer}.gbr" for layer in LAYERS} | {
        f"{board.name}-{kind}.drl" for kind in ("PTH", "NPTH")
    }
    lacking = sorted(expected - {path.name for path in target.iterdir() if path.stat().st_size})
    if lacking:
        raise Fault(f"{board.name}: KiCad has not written {', '.join(lacking)}; this board cannot be ordered")
    for path in sorted(target.iterdir()):
        if path.suffix in (".gbr", ".drl"):
            path.write_text(_dateless(path.read_text(encoding="utf-8")), encoding="utf-8")
    with zipfile.ZipFile(folder / f"{board.name}.zip", "w") as archive:
        for path in sorted(target.iterdir()):
            # A fixed date, and not compressed: the same board gives the same archive, whatever zlib is there.
            archive.writestr(zipfile.ZipInfo(path.name, (1980, 1, 1, 0, 0, 0)), path.read_bytes())


def _dateless(text: str) -> str:
    """Return a gerber or drill file without the moment in which it was made."""
    text = re.sub(r"(?m)^(%TF\.CreationDate|; #@! TF\.CreationDate),.*\n", "", text)
    text = re.sub(r"(?m)^(; DRILL file \{.*?\}) date .*$", r"\1", text)
    return re.sub(r"(?m)^(G04 Created by KiCad \(.*?\)) date .*\*$", r"\1*", text)


def picture(board: Board, folder: Path) -> None:
    """Draw both sides of a board from its gerbers, the back as seen from behind."""
    source = folder / board.name
    if shutil.which("gerbv") is None:
        raise Missing("gerbv is not installed (apt-get install gerbv)")
    if not source.is_dir():
        raise Missing("they are drawn from the boards' files, which are left out")
    drills = sorted(source.glob("*.drl"))
    for side, layers in PICTURES.items():
        command = ["gerbv", "--export=png", "--dpi=500", "--border=2", "--background=#0b3d1e"]
        command += [f"--output={folder / f'{board.name}-{side}.png'}"]
        if side == "back":
            command.append("--mirror=Y")
        command += [f"--foreground={colour}" for colour in ["#101010"] * len(drills)]
        command += [f"--foreground={colour}" for _, colour in layers]
        command += [str(path) for path in drills]
        command += [str(source / f"{board.name}-{layer}.gbr") for layer, _ in layers]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Fault(f"gerbv failed at {board.name}: {done.stderr.strip()}")


def bill(board: Board, folder: Path) -> None:
    """Write the page that shows, part by part, where it goes on the board."""
    spec = importlib.util.find_spec("InteractiveHtmlBom")
    python = kicad_python()
    if python is None:
        raise Missing(NO_ROUTER)
    if spec is None or spec.origin is None:
        raise Missing(
            "InteractiveHtmlBom is not installed (.venv/bin/pip install --no-deps InteractiveHtmlBom==2.12.0)"
        )
    # It runs in KiCad's Python and must not need a screen.
    environment = dict(
        os.environ,
        INTERACTIVE_HTML_BOM_NO_DISPLAY="1",
        PYTHONPATH=str(Path(spec.origin).parents[1]),
        PYTHONDONTWRITEBYTECODE="1",
        LC_ALL="C.UTF-8",
    )
    environment.pop("DISPLAY", None)
    page = folder / f"{board.name}-parts.html"
    with _aside(board.file) as aside:
        done = subprocess.run(
            [
                python,
                *("-m", "InteractiveHtmlBom.generate_interactive_bom", "--no-browser", "--include-nets"),
                *("--dest-dir", str(folder.resolve()), "--name-format", page.stem, str(aside)),
            ],
            capture_output=True,
            text=True,
            env=environment,
        )
    if done.returncode or not page.exists():
        raise Fault(f"InteractiveHtmlBom failed at {board.name}: {done.stderr.strip()[-1000:]}")


def order(boards: Sequence[Board]) -> str:
    """Return the sheet by which the boards are ordered, for one table and for five."""
    lines = [
        "# Circuit boards to order",
        "",
        "One archive a board; a maker takes it as it is. Two layers, 1.6 mm FR-4, 35 µm copper, any colour, lead-free",
        "HASL.",
        "",
        "| board | archive | size in mm | for one table | for five |",
        "| --- | --- | --- | --- | --- |",
    ]
    for board in boards:
        width, height = board.size
        count = len(board.copies)
        lines.append(f"| {board.name} | `{board.name}.zip` | {width:g} × {height:g} | {count} | {5 * count} |")
    rules = boards[0].rules
    lines += [
        "",
        f"Finest features: tracks {min(neck for board in boards for _, neck in board.widths.values()):g} mm, gaps "
        f"{rules['clearance']:g} mm, drills {rules['via'][1]:g} mm, rings of "
        f"{(rules['via'][0] - rules['via'][1]) / 2:g} mm: every maker's cheapest service. Makers sell "
        "five of a kind and up: four spare places, one spare side, four spare hubs.",
        "",
        "Each archive has gerbers (X2) and Excellon drill files in millimetres, made from the `.kicad_pcb` file of the "
        f"same name in `hardware/boards`, revision {rules['revision']}, by KiCad {version()}. White print. The hub is "
        "larger than the 100 × 100 mm that many makers sell cheapest.",
        "",
        "`…-rules.txt` is what KiCad's rules found: no error, nothing unconnected. Warnings of newer versions are "
        "footprints that differ from their library's, because names were moved, and pads that the poured copper "
        "reaches on fewer sides than it could: a track leads to them as well.",
        "",
    ]
    return "\n".join(lines)
