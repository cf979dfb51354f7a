"""Golden sessions: what goes into a game of each kind and what comes out, kept to be compared.

    python -m tests.golden.sessions     writes them all

See ``README.md`` beside this file.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest import mock

import replies

sys.path.insert(0, str(Path(__file__).parents[1] / "play"))

from driving import Driver, Supply
from tests.asked import private, public

from tablier.course.entries import INPUTS, Body, Item
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.course.session import Effects, Session
from tablier.games import rules_of, script_of
from tablier.games.core import Position
from tablier.play.beginning import heading

FOLDER = Path(__file__).parent / "sessions"
SEATS = {"dilemma": 3, "struggle": 2, "dicke-daemonen": 2, "roudalon": 4, "d21": 2}
OPTIONS: dict[str, dict[str, Any]] = {"struggle": {"board": "YRYRBYRYYB"}, "d21": {"max_plies": 12}}
_SALTED = (replies.PLAYED, replies.PICKED, replies.TALLIED)
SEEDS = {"roudalon": 2}
"""Seeds of games in which more happens than with others."""


def names() -> list[str]:
    """Return the sessions: each game at screens, and at places beside one."""
    return [f"{game}-{where}" for where in ("screens", "table") for game in SEATS]


def _session(name: str) -> tuple[Session, dict[str, Any]]:
    game, _, where = name.rpartition("-")
    count, options = SEATS[game], OPTIONS.get(game, {})
    sources = [AT_SCREEN if where == "screens" or n == 1 else AT_TABLE for n in range(count)]
    seats = [Seat("ABCD"[n], n + 1 if where == "table" else 0, source) for n, source in enumerate(sources)]
    rules = rules_of(game, count, options)
    session = Session(Position(rules), seats, script_of(game)[0], Supply(), prelude=True)
    return session, heading(game, options, seats)


def _salted(body: Body) -> Body:
    """Return an input with a salt, as a log may have it, so that none is taken from the numbers for questions. The
    session leaves it out where nothing is secret."""
    return {**body, "salt": "5a" * 16} if body.get("event") in _SALTED else body


def record(name: str) -> str:
    """Return a session as it goes now."""
    session, head = _session(name)
    asked: list[str] = []

    class Recorded(Driver):
        def _keep(self, items: list[Item], cursor: tuple[str, int] | None) -> None:
            asked.extend(digest(session) for kind, _ in items if kind == "ask")
            super()._keep(items, cursor)

        def feed(self, kind: str, body: Body) -> Effects:
            return super().feed(kind, _salted(body))

    seed = SEEDS.get(name.rpartition("-")[0], 1)
    dice = random.Random(seed)
    with mock.patch("os.urandom", dice.randbytes):
        driver = Recorded(session, seed=seed)
        driver.begin(f"{seed:064x}")
        driver.play()
    return "".join(json.dumps(line, sort_keys=True) + "\n" for line in [["game", head], *_lines(driver.items, asked)])


def again(lines: list[list[Any]]) -> Iterator[list[Any]]:
    """Feed the inputs of a recorded session to one of today; yield its lines."""
    name = f"{lines[0][1]['game']}-{'table' if any(seat['place'] for seat in lines[0][1]['seats']) else 'screens'}"
    session, head = _session(name)
    yield ["game", head]
    begun = False
    for kind, body, *_ in lines[1:]:
        if kind in INPUTS:
            yield [kind, body]
            yield from _lines(session.feed(kind, _salted(body)).items, [digest(session)])
        elif not begun:
            begun = True
            yield from _lines(session.begin().items, [digest(session)])


def digest(session: Session) -> str:
    """Return a hash of all that the open question says, to everybody and to each of its seats, but for its wording."""
    question = session.question
    if question is None:
        return ""
    said = [public(question), *(private(question, seat) for seat in question.seats)]
    return sha256(json.dumps(_worded(said), sort_keys=True).encode()).hexdigest()[:16]


def _worded(value: Any) -> Any:
    """Return a JSON value with a mark in the place of each text: a log holds none, and the audit compares none."""
    if isinstance(value, dict):
        return "a text" if value.keys() >= {"text", "args"} else {key: _worded(each) for key, each in value.items()}
    return [_worded(each) for each in value] if isinstance(value, (list, tuple)) else value


def _lines(items: list[Item], asked: list[str]) -> Iterator[list[Any]]:
    """Entries without salts and times, a question with the hash of what it says."""
    hashes = iter(asked)
    for kind, body in items:
        kept = {key: value for key, value in body.items() if key not in ("salt", "time")}
        yield [kind, kept, next(hashes)] if kind == "ask" else [kind, kept]


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.jsonl"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in names():
        path_of(name).write_text(record(name), encoding="utf-8")
        print(path_of(name))


if __name__ == "__main__":
    main()
