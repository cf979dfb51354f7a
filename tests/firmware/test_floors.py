"""The floors of the firmware: each module imports only what stands below it, and only ``pico/`` touches hardware."""

import ast
from pathlib import Path

import tablier_fw

ROOT = Path(tablier_fw.__file__).parent
FLOORS = (
    {"version", "pins", "colours", "system", "wire", "words"},
    {"equipment"},
    {"board"},
    {"buttons", "landing", "scene", "seal", "rolls", "result", "tone", "link", "measures"},
    {"journal", "ledger", "peeks"},
    {"parts"},
    {"questions"},
    {"asked"},
    {"session"},
    {"status"},
    {"table"},
    {"board_sim", "pico"},
    {"main_sim", "service_sim", "main"},
)
"""From the ground up; ``board`` is the interface that both boards have."""
HARDWARE = {"machine", "rp2", "micropython", "uctypes"}


def imports(file: Path) -> set[str]:
    """Return the modules that a file imports, anywhere in it, also for its types."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            own = node.module == "tablier_fw"
            names |= {f"{node.module}.{alias.name}" for alias in node.names} if own else {str(node.module)}
    return names


def test_no_module_imports_from_above() -> None:
    floors = {name: floor for floor, names in enumerate(FLOORS) for name in names}
    seen = set()
    for file in sorted(ROOT.rglob("*.py")):
        room = file.relative_to(ROOT).parts[0].removesuffix(".py")
        if room == "__init__":
            continue
        seen.add(room)
        for name in imports(file):
            if name.startswith("tablier_fw."):
                other = name.split(".")[1]
                same = other == room
                assert same or floors[other] < floors[room], f"{file.relative_to(ROOT)} imports {name}"
    assert seen | {"board"} == set(floors)


def test_only_pico_touches_hardware() -> None:
    found = {file.relative_to(ROOT).parts[0] for file in ROOT.rglob("*.py") if imports(file) & HARDWARE}
    assert found == {"pico"}
