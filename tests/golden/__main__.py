"""Golden playthroughs: one game of each kind as a text that a person can follow, kept to be compared.

    python -m tests.golden          writes them all
    python -m tests.golden struggle writes that one

After a change of the rules, write them again and read the difference: it is what the change does.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from textwrap import wrap
from typing import Any

from tablier.games import GAMES, rules_of
from tablier.games.core import Position, seat_name
from tablier.record import record_of
from tablier.texts import render

FOLDER = Path(__file__).parent
NAMES = ("Anne", "Bernard", "Christine", "Daniel", "Éric", "Françoise")
WIDTH = 116
EVERY = 10  # the moves after which the whole position is told again

RED = {"c3": 1, "d3": 2, "e3": 3, "f3": 4, "g3": 5, "c2": 1, "d2": 1, "e2": 2, "f2": 2, "g2": 4, "c4": 5, "e4": 4}
GREEN = {"c6": 1, "d6": 2, "e6": 3, "f6": 1, "g6": 4, "c7": 3, "d7": 2, "e7": 1, "f7": 4, "g7": 1, "h4": 3, "h5": 2}
PLAYS: dict[str, tuple[int, dict[str, Any], int]] = {
    "dilemma": (3, {"first": "p2"}, 100),
    "struggle": (3, {"board": "YRYRBYRYYBRYYRYB"}, 5),
    "dicke-daemonen": (3, {"layout": "ring"}, 88),
    "roudalon": (4, {}, 1522),
    "d21": (2, {"size": 9, "max_plies": 60, "setup": {"red": RED, "green": GREEN}}, 233),
}
"""Seats, options and seed of each game's playthrough; the seeds were chosen for games in which much happens."""
COUNTED = {("d21", "seen")}
"""What of a position is too much to print: its size is told instead."""


def playthrough(name: str) -> str:
    """The text of a game's playthrough."""
    seats, options, seed = PLAYS[name]
    rules = rules_of(name, seats, options)
    rng = random.Random(seed)
    position = Position(rules)
    shown: dict[str, Any] = {}
    lines = [f"{rules.title}: {', '.join(NAMES[:seats])}", *wrap(f"Options: {json.dumps(options)}", WIDTH), ""]
    while not position.is_over:
        assert position.ply < 2_000, "the game does not end"
        lines += _position(position, shown) + _legal(position) + _move(position, rng) + [""]
    lines += _position(position, {})
    lines.append(
        f"  The end ({rules.ending(position.state)}). Winners: {_value(_seats(rules.winners(position.state)))}."
    )
    lines += ["", record_of(position, NAMES[:seats]).dumps()]
    return "\n".join(lines) + "\n"


def _position(position: Position[Any], shown: dict[str, Any]) -> list[str]:
    """The position: all of it every few plies, else what has changed since it was last shown."""
    rules, state = position.rules, position.state
    now = {**rules.describe(state), "scores": list(rules.scores(state))}
    if position.ply % EVERY == 0:
        shown.clear()
    changed = {key: value for key, value in now.items() if key not in shown or shown[key] != value}
    gone = [key for key in shown if key not in now]
    shown.clear()
    shown.update(now)
    lines = [f"— {position.ply} — to move: {_value(_seats(position.to_move))}"]
    for key, value in changed.items():
        text = f"({len(value)})" if (rules.name, key) in COUNTED else _value(value)
        lines += wrap(f"  {key:<9} {text}", WIDTH, subsequent_indent=" " * 12, drop_whitespace=True)
    return lines + ([f"  no more   {' '.join(gone)}"] if gone else [])


def _seats(actors: tuple[int, ...]) -> list[str]:
    return [seat_name(actor) for actor in actors]


def _value(value: Any) -> str:
    """A value of a description in few characters."""
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_value(inner)}" for key, inner in value.items()) or "–"
    if isinstance(value, list):
        mark = ", " if any(isinstance(inner, list) for inner in value) else " "
        return mark.join(map(_value, value)) or "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None else str(value)


def _legal(position: Position[Any]) -> list[str]:
    """The legal moves by actor and verb; of many, the first and the last."""
    groups: dict[str, list[str]] = {}
    for move in position.legal_moves:
        actor, verb, *args = str(move).split(" ", 2)
        group, what = (f"{actor} {verb}", args[0]) if args else (actor, verb)
        groups.setdefault(group, []).append(what)
    lines = []
    for group, args in groups.items():
        some = args if len(args) <= 10 else [*args[:4], "…", *args[-2:]]
        many = f" ({len(args)})" if len(args) > 10 else ""
        lines += wrap(f"  legal     {group}{many} {' | '.join(some)}".rstrip(), WIDTH, subsequent_indent=" " * 12)
    return lines


def _move(position: Position[Any], rng: random.Random) -> list[str]:
    """Play a move and tell what happened. Any actor is as likely, then any verb, then any move."""

    def one(options: list[Any]) -> Any:
        return options[int(rng.random() * len(options))]  # random() alone is promised to stay the same

    legal = position.legal_moves
    actor = one(sorted({move.actor for move in legal}))
    verb = one(sorted({move.verb for move in legal if move.actor == actor}))
    move = one([move for move in legal if (move.actor, move.verb) == (actor, verb)])
    position.push(move)
    lines = [f"  > {move}"]
    for event in position.last_events():
        to = f" (told to {_value(_seats(event.audience))} alone)" if event.audience is not None else ""
        lines += wrap(f"  * {event.kind}: {render(event.text.to_json(), NAMES)}{to}", WIDTH, subsequent_indent=" " * 12)
    return lines


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.txt"


def main(names: list[str]) -> None:
    for name in names or list(GAMES):
        path_of(name).write_text(playthrough(name), encoding="utf-8")
        print(path_of(name))


if __name__ == "__main__":
    main(sys.argv[1:])
