"""The pictures of the README, drawn from the records of the repository.

    python -m tests.tools.pictures           draws them all
    python -m tests.tools.pictures struggle  draws that one

They lie in ``host/pictures``; a test says when one is not what would be drawn now. The records under ``tests/records``
are finished games of player programs, one of each game, as ``tablier simulate`` writes them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tablier.games import GAMES, drawing_of
from tablier.record import Record, read_records, replay

ROOT = Path(__file__).parents[3]
RECORDS, PICTURES = ROOT / "tests" / "records", ROOT / "host" / "pictures"

SHOWN: dict[str, tuple[int, int | None]] = {
    "dilemma": (39, None),
    "struggle": (231, 1),
    "dicke-daemonen": (74, 1),
    "roudalon": (161, None),
    "d21": (29, None),
}
"""By game: after how many moves of its record, and which seat looks (``None`` is a spectator)."""


def record_of(game: str) -> Record:
    (record,) = read_records(str(RECORDS / f"{game}.json"))
    return record


def picture(game: str) -> str:
    """The SVG document of a game's picture."""
    ply, seat = SHOWN[game]
    record = record_of(game)
    position = replay(record)
    while position.ply > ply:
        position.pop()
    view = position.rules.view(position.state, seat)
    return str(drawing_of(game).svg(position.rules, view, record.players))


def path_of(game: str) -> Path:
    return PICTURES / f"{game}.svg"


def main(games: list[str]) -> None:
    PICTURES.mkdir(exist_ok=True)
    for game in games or list(GAMES):
        path_of(game).write_text(picture(game), encoding="utf-8", newline="\n")
        print(path_of(game).relative_to(ROOT))


if __name__ == "__main__":
    main(sys.argv[1:])
