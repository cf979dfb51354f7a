"""Boards from the command line.

    python -m hardware.boards route [NAME …]   place and route boards; writes hardware/boards/NAME.kicad_pcb
    python -m hardware.boards print [NAME …]   write values, texts and revision that have changed into routed boards
    python -m hardware.boards check [NAME …]   compare the files with the wiring; with KiCad, ask its rules

Gerbers, drill files, pictures and lists of parts are made by `make hardware`.
Routing needs KiCad and Numba (.venv/bin/pip install -e '.[boards]'); takes about two minutes for the hub.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from hardware import nets
from hardware.boards import check, drawings, make, model, prints
from hardware.tools import Missing


def main(arguments: list[str]) -> int:
    """Run one command; return the exit status."""
    command, names = (arguments[0], arguments[1:]) if arguments else ("", [])
    unknown = [name for name in names if name not in model.NAMES]
    if command not in ("route", "print", "check") or unknown:
        if unknown:
            print(f"there is no board {unknown[0]!r}; there are {', '.join(model.NAMES)}", file=sys.stderr)
        else:
            print(__doc__, file=sys.stderr)
        return 2
    try:
        wiring, data = nets.Wiring(nets.read()), model.read()
        boards = [model.board(name, wiring, data) for name in names or model.NAMES]
        if command == "route":
            for board in boards:
                make.route_board(board, report=lambda text: print(text, flush=True))
            return 0
        if command == "print":
            for board in boards:
                print("\n".join(prints.write(board)) or f"{board.name}: nothing has changed")
            return 0
        found = model.faults(wiring, data)
        for board in boards:
            found += check.faults(board, wiring, check.read(board.file)) + drawings.faults(board, wiring, board.file)
            found += prints.faults(board)
            if make.version():
                with tempfile.TemporaryDirectory() as folder:
                    told = make.violations(board, Path(folder))
                    told += make.circuit_violations(board, Path(folder)) if make.kicad_cli() else []
                    found += [f"{board.name}: {entry.rstrip()}" for entry in told]
        print("\n".join(found) or "no fault found" + ("" if make.version() else "; KiCad's rules were not asked"))
        return 1 if found else 0
    except (model.Fault, Missing) as fault:
        print(fault, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
