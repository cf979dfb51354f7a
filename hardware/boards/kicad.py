"""The steps that need KiCad. Run by the Python that has ``pcbnew`` (on Debian the system's), never imported.

    python3 kicad.py build|check|plot < job.json > answer.json

``build`` makes a board file of a job: outline, holes, footprints, nets, texts, tracks, zones. ``check`` runs KiCad's
design rules on a file. ``plot`` writes gerbers and drill files. Lengths are millimetres; places are seen from the
board's front, from its middle, y upwards.
"""

import json
import math
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

Job = dict[str, Any]
"""A job as `main` reads it from JSON, a part of it, or an answer."""
Native = Any
"""An object of ``pcbnew``, which has no types."""

MIDDLE = (150.0, 100.0)
"""The middle of the board on KiCad's sheet, in millimetres."""


def main() -> None:
    # KiCad writes its own messages to the standard output: keep the answer apart.
    answer_to = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    job = json.load(sys.stdin)
    import pcbnew

    pcbnew.KIID.SeedGenerator(1)
    commands: dict[str, Callable[[ModuleType, Job], Job]] = {
        "build": build,
        "check": check,
        "plot": plot,
        "version": lambda *_: {},
    }
    answer = commands[sys.argv[1]](pcbnew, job)
    answer["version"] = pcbnew.Version()
    json.dump(answer, answer_to)
    answer_to.flush()
    # Tearing down wxWidgets without a screen can crash; nothing is left to do.
    os._exit(0)


def point(pcbnew: ModuleType, place: Sequence[float]) -> Native:
    return pcbnew.wxPointMM(round(MIDDLE[0] + place[0], 6), round(MIDDLE[1] - place[1], 6))


def build(pcbnew: ModuleType, job: Job) -> Job:
    board = pcbnew.NewBoard(job["path"]) if hasattr(pcbnew, "NewBoard") else pcbnew.BOARD()
    board.GetDesignSettings().SetBoardThickness(pcbnew.FromMM(1.6))
    block = board.GetTitleBlock()
    block.SetTitle(job["title"])
    block.SetRevision(job["revision"])
    block.SetDate(job["date"])
    nets = {}
    for name in job["nets"]:
        nets[name] = pcbnew.NETINFO_ITEM(board, name)
        board.Add(nets[name])
    _outline(pcbnew, board, job["size"], job["corner"])
    for number, place in enumerate(job["holes"], 1):
        hole = pcbnew.FootprintLoad(str(Path(job["library"]) / "MountingHole.pretty"), "MountingHole_3.2mm_M3")
        hole.SetReference(f"H{number}")
        hole.Reference().SetVisible(False)
        hole.Value().SetVisible(False)
        hole.SetPosition(point(pcbnew, place))
        board.Add(hole)
    for part in job["parts"]:
        _part(pcbnew, board, nets, job, part)
    for text in job["texts"]:
        _text(pcbnew, board, text)
    for track in job.get("tracks", ()):
        for start, end, width in track["segments"]:
            segment = pcbnew.PCB_TRACK(board)
            segment.SetStart(point(pcbnew, start))
            segment.SetEnd(point(pcbnew, end))
            segment.SetWidth(pcbnew.FromMM(width))
            segment.SetLayer(pcbnew.F_Cu if track["layer"] == 0 else pcbnew.B_Cu)
            segment.SetNet(nets[track["net"]])
            board.Add(segment)
    for via in job.get("vias", ()):
        item = pcbnew.PCB_VIA(board)
        item.SetPosition(point(pcbnew, via["at"]))
        item.SetWidth(pcbnew.FromMM(job["via"][0]))
        item.SetDrill(pcbnew.FromMM(job["via"][1]))
        item.SetNet(nets[via["net"]])
        board.Add(item)
    if job.get("pour"):
        _pour(pcbnew, board, nets, job)
    pcbnew.SaveBoard(job["path"], board)
    pads = []
    for footprint in board.GetFootprints():
        for pad in footprint.Pads():
            where, size = pad.GetPosition(), pad.GetSize()
            pads.append(
                {
                    "ref": footprint.GetReference(),
                    "pad": pad.GetNumber(),
                    "at": [pcbnew.ToMM(where.x) - MIDDLE[0], MIDDLE[1] - pcbnew.ToMM(where.y)],
                    "size": [pcbnew.ToMM(size.x), pcbnew.ToMM(size.y)],
                    "round": pad.GetShape() in (pcbnew.PAD_SHAPE_CIRCLE, pcbnew.PAD_SHAPE_OVAL),
                    "turn": pad.GetOrientation() / 10,
                    "net": pad.GetNetname(),
                    "drill": pcbnew.ToMM(pad.GetDrillSize().x),
                }
            )
    return {"pads": pads}


def _line(
    pcbnew: ModuleType, board: Native, start: Sequence[float], end: Sequence[float], layer: int, width: float
) -> None:
    shape = pcbnew.PCB_SHAPE(board)
    shape.SetShape(pcbnew.SHAPE_T_SEGMENT)
    shape.SetStart(point(pcbnew, start))
    shape.SetEnd(point(pcbnew, end))
    shape.SetLayer(layer)
    shape.SetWidth(pcbnew.FromMM(width))
    board.Add(shape)


def _outline(pcbnew: ModuleType, board: Native, size: Sequence[float], corner: float) -> None:
    x, y = size[0] / 2, size[1] / 2
    for sx, sy in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
        arc = pcbnew.PCB_SHAPE(board)
        arc.SetShape(pcbnew.SHAPE_T_ARC)
        inner = sx * (x - corner), sy * (y - corner)
        cut = corner * math.sqrt(0.5)
        arc.SetArcGeometry(
            point(pcbnew, (sx * x, inner[1])),
            point(pcbnew, (inner[0] + sx * cut, inner[1] + sy * cut)),
            point(pcbnew, (inner[0], sy * y)),
        )
        arc.SetLayer(pcbnew.Edge_Cuts)
        arc.SetWidth(pcbnew.FromMM(0.1))
        board.Add(arc)
    for sign in (1, -1):
        _line(pcbnew, board, (-x + corner, sign * y), (x - corner, sign * y), pcbnew.Edge_Cuts, 0.1)
        _line(pcbnew, board, (sign * x, -y + corner), (sign * x, y - corner), pcbnew.Edge_Cuts, 0.1)


def _part(pcbnew: ModuleType, board: Native, nets: dict[str, Native], job: Job, part: Job) -> None:
    library, name = part["footprint"].split(":")
    folder = job["own"] if library == "tablier" else str(Path(job["library"]) / f"{library}.pretty")
    footprint = pcbnew.FootprintLoad(folder, name)
    if footprint is None:
        sys.exit(f"{part['ref']}: there is no footprint {part['footprint']}")
    footprint.SetFPIDAsString(part["footprint"])
    footprint.SetReference(part["ref"])
    footprint.SetValue(part["value"])
    board.Add(footprint)
    footprint.SetPosition(point(pcbnew, part["at"]))
    if part["back"]:
        footprint.Flip(footprint.GetPosition(), True)
    footprint.SetOrientationDegrees(part["turn"])
    footprint.SetPath(pcbnew.KIID_PATH(""))
    # The place of a part is the middle of its legs.
    places = [pad.GetPosition() for pad in footprint.Pads() if pad.GetNumber()]
    middle = [(min(values) + max(values)) / 2 for values in zip(*((place.x, place.y) for place in places), strict=True)]
    target = point(pcbnew, part["at"])
    footprint.Move(pcbnew.wxPoint(round(target.x - middle[0]), round(target.y - middle[1])))
    known = {pad.GetNumber() for pad in footprint.Pads() if pad.GetNumber()}
    if known != set(part["pads"]):
        sys.exit(f"{part['ref']}: {part['footprint']} has the pads {sorted(known)}, wired are {sorted(part['pads'])}")
    for pad in footprint.Pads():
        net = part["pads"].get(pad.GetNumber())
        if net:
            pad.SetNet(nets[net])
    silk = pcbnew.B_SilkS if part["back"] else pcbnew.F_SilkS
    for text, place in ((footprint.Reference(), part["ref_text"]), (footprint.Value(), part["value_text"])):
        text.SetVisible(place is not None)
        text.SetLayer(silk)
        text.SetTextSize(pcbnew.wxSizeMM(0.9, 0.9))
        text.SetTextThickness(pcbnew.FromMM(0.15))
        if place is not None:
            text.SetKeepUpright(True)
            text.SetPosition(point(pcbnew, place[:2]))
            text.SetTextAngle((place[2] - part["turn"]) * 10)
    if part["label_offset"]:
        x, y, turn = part["label_offset"]
        for pad in footprint.Pads():
            where = pad.GetPosition()
            at = pcbnew.ToMM(where.x) - MIDDLE[0] + x, MIDDLE[1] - pcbnew.ToMM(where.y) + y
            _text(
                pcbnew,
                board,
                {
                    "text": part["labels"][pad.GetNumber()],
                    "at": at,
                    "size": 0.8,
                    "turn": turn,
                    "back": part["back"],
                    "from": "left" if turn else "middle",
                },
            )
    for item in list(footprint.GraphicalItems()):
        if item.GetClass() == "MTEXT":
            footprint.Remove(item)
        elif item.GetLayer() in (pcbnew.F_SilkS, pcbnew.B_SilkS) and item.GetShape() == pcbnew.SHAPE_T_SEGMENT:
            # What a part draws beyond the board's edge, as the jack does, ends inside of it.
            item.SetStart(_inside(pcbnew, item.GetStart(), job["size"]))
            item.SetEnd(_inside(pcbnew, item.GetEnd(), job["size"]))
            item.SetLocalCoord()


def _inside(pcbnew: ModuleType, where: Native, size: Sequence[float]) -> Native:
    limits = [
        (middle - length / 2 + 0.4, middle + length / 2 - 0.4) for middle, length in zip(MIDDLE, size, strict=True)
    ]
    x, y = (min(max(pcbnew.ToMM(at), low), high) for at, (low, high) in zip((where.x, where.y), limits, strict=True))
    return pcbnew.wxPointMM(x, y)


def _text(pcbnew: ModuleType, board: Native, text: Job) -> None:
    item = pcbnew.PCB_TEXT(board)
    item.SetText(text["text"])
    item.SetPosition(point(pcbnew, text["at"]))
    item.SetLayer(pcbnew.B_SilkS if text.get("back") else pcbnew.F_SilkS)
    item.SetMirrored(bool(text.get("back")))
    item.SetTextSize(pcbnew.wxSizeMM(text["size"], text["size"]))
    item.SetTextThickness(pcbnew.FromMM(max(0.15, text["size"] * 0.15)))
    item.SetTextAngle(text.get("turn", 0) * 10)
    sides = {
        "left": pcbnew.GR_TEXT_HJUSTIFY_LEFT,
        "middle": pcbnew.GR_TEXT_HJUSTIFY_CENTER,
        "right": pcbnew.GR_TEXT_HJUSTIFY_RIGHT,
    }
    item.SetHorizJustify(sides[text.get("from", "middle")])
    board.Add(item)


def _pour(pcbnew: ModuleType, board: Native, nets: dict[str, Native], job: Job) -> None:
    for pour in job["pour"]:
        for layer in ({"front": pcbnew.F_Cu, "back": pcbnew.B_Cu}[side] for side in pour["layers"]):
            zone = pcbnew.ZONE(board)
            zone.SetLayer(layer)
            zone.SetNet(nets[pour["net"]])
            outline = zone.Outline()
            outline.NewOutline()
            (left, bottom), (right, top) = pour["box"]
            for corner in ((left, bottom), (right, bottom), (right, top), (left, top)):
                where = point(pcbnew, corner)
                outline.Append(where.x, where.y)
            zone.SetAssignedPriority(pour["priority"]) if hasattr(zone, "SetAssignedPriority") else zone.SetPriority(
                pour["priority"]
            )
            # Filled a little farther apart than it is checked by: filling rounds.
            zone.SetLocalClearance(pcbnew.FromMM(pour["clearance"] + 0.005))
            zone.SetMinThickness(pcbnew.FromMM(0.25))
            zone.SetThermalReliefGap(pcbnew.FromMM(0.4))
            zone.SetThermalReliefSpokeWidth(pcbnew.FromMM(0.6))
            zone.SetPadConnection(pcbnew.ZONE_CONNECTION_THERMAL)
            zone.SetIslandRemovalMode(pcbnew.ISLAND_REMOVAL_MODE_ALWAYS)
            board.Add(zone)
    pcbnew.ZONE_FILLER(board).Fill(board.Zones())
    for zone in board.Zones():
        zone.SetLocalClearance(zone.GetLocalClearance() - pcbnew.FromMM(0.005))


def check(pcbnew: ModuleType, job: Job) -> Job:
    board = pcbnew.LoadBoard(job["path"])
    pcbnew.WriteDRCReport(board, job["report"], pcbnew.EDA_UNITS_MILLIMETRES, True)
    return {}


def plot(pcbnew: ModuleType, job: Job) -> Job:
    board = pcbnew.LoadBoard(job["path"])
    controller = pcbnew.PLOT_CONTROLLER(board)
    options = controller.GetPlotOptions()
    options.SetOutputDirectory(job["folder"])
    options.SetPlotFrameRef(False)
    options.SetUseGerberProtelExtensions(False)
    options.SetSubtractMaskFromSilk(True)
    options.SetCreateGerberJobFile(False)
    options.SetUseGerberX2format(True)
    options.SetIncludeGerberNetlistInfo(True)
    layers = {
        "F_Cu": pcbnew.F_Cu,
        "B_Cu": pcbnew.B_Cu,
        "F_Mask": pcbnew.F_Mask,
        "B_Mask": pcbnew.B_Mask,
        "F_Silkscreen": pcbnew.F_SilkS,
        "B_Silkscreen": pcbnew.B_SilkS,
        "Edge_Cuts": pcbnew.Edge_Cuts,
    }
    for name in job["layers"]:
        controller.SetLayer(layers[name])
        if not controller.OpenPlotfile(name, pcbnew.PLOT_FORMAT_GERBER, name) or not controller.PlotLayer():
            raise SystemExit(f"KiCad cannot plot {name} into {job['folder']}")
    controller.ClosePlot()
    drill = pcbnew.EXCELLON_WRITER(board)
    drill.SetOptions(False, False, pcbnew.wxPoint(0, 0), False)
    drill.SetFormat(True)
    drill.CreateDrillandMapFilesSet(job["folder"], True, False)
    return {}


if __name__ == "__main__":
    main()
