"""Boards from the command line.

    python -m hardware.boards route NAME …   place and route boards, write NAME.kicad_pcb (KiCad and Numba needed)
    python -m hardware.boards make FOLDER    check the boards; write gerbers, drill files, pictures, schematics
    python -m hardware.boards check          compare the boards with the wiring
"""

from __future__ import annotations

import sys
from pathlib import Path

from hardware import nets
from hardware.boards import fabricate, model


def main(arguments: list[str]) -> int:
    wiring, data = nets.Wiring(nets.read()), model.read()
    if arguments[:1] == ["route"]:
        for name in arguments[1:] or model.NAMES:
            fabricate.route_board(model.board(name, wiring, data), report=print)
        return 0
    if arguments[:1] == ["rules"]:
        for name in arguments[1:] or model.NAMES:
            print("".join(fabricate.violations(model.board(name, wiring, data), Path("/tmp"))))
        return 0
    if arguments[:1] == ["make"]:
        folder = Path(arguments[1])
        for name in arguments[2:] or model.NAMES:
            it = model.board(name, wiring, data)
            fabricate.fabricate(it, folder)
            fabricate.picture(it, folder)
        return 0
    sys.stderr.write(__doc__ or "")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
