"""Draw the phases of each game at the table: the ring, the public pixels and a hood.

    python -m tests.tools.pictures.seats            draws them all
    python -m tests.tools.pictures.seats d21        draws those of that game
    python -m tests.tools.pictures.seats d21 FOLDER draws them into a folder

Each row is a game at a simulated table, conducted as any game is; people press what the row says, and the pixels are
the table's own, watched for a second. The drawings lie in ``host/pictures/table``. A pixel that is steady is a disc,
one that swells has a ring around it, one that blinks two, and one that is dark a thin circle.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ports import work
from tablier.course.chance import HOST, ROLL, TALLY, Sources
from tablier.course.seats import AT_TABLE, Seat
from tablier.games import rules_of
from tablier.games.core import Position
from tablier.games.dilemma.rules import LANDINGS
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.change import Change
from tablier.play.game import Conductor
from tablier.play.logged import log_id
from tablier.record import Record
from tablier.simulation.clock import VirtualClock
from tablier.simulation.simulated import SimulatedTable
from tablier.simulation.tester import Tester
from tablier.table.client import Client

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "host" / "pictures" / "table"
_FRAME_S = 0.032
_ARENA_S = {"bump": 0.6, "flat": 0.6, "leaning": 0.6}
NAMES = ("Anne", "Bernard", "Christine", "Daniel", "Éric", "Françoise")


@dataclass(frozen=True)
class Row:
    """A phase of a game."""

    words: str
    places: tuple[int, ...]
    hood: int
    """The place under whose hood we look."""
    moves: tuple[str, ...] = ()
    presses: tuple[tuple[int, str], ...] = ()
    """Place and buttons, in words. Of place 0: what the arena feels (``flat``, ``bump``, …), or seconds to wait."""
    options: dict[str, Any] = field(default_factory=dict)
    wait_s: float = 1.0
    dice: str = HOST
    """Where dice, or a bag, come from."""
    film_s: float = 1.0
    """For how long it is watched; shorter for what stands for less."""
    prelude: bool = False
    """Before the first position: the moves are those of the prelude."""


_D21 = {
    "setup": {
        "red": {"c3": 1, "d3": 2, "e3": 3, "f3": 4, "g2": 5, "h3": 6}
        | dict.fromkeys(("b2", "c2", "e2", "f2", "h2", "b4"), 1),
        "green": {f"{column}{row}": 1 for row in (8, 9) for column in "cdefgh"},
    }
}
_SETS = {
    "setup": {
        "red": {"b2": 1, "d2": 1, "f2": 2, "h2": 2, "b4": 3, "d4": 3}
        | {"f4": 4, "h4": 4, "b6": 5, "d6": 5, "f6": 6, "h7": 1},
        "green": {"h8": 5, "i9": 1} | {f"{c}8": 1 for c in "cdefg"} | {f"{c}9": 1 for c in "cdefg"},
    }
}
STUCK = {
    "size": 7,
    "adjacent_jumps": False,
    "setup": {
        "red": dict.fromkeys(("a1", "a2", "b1", "b2", "b3", "b4", "c2", "c3", "c4", "d2", "d3", "d4"), 1),
        "green": dict.fromkeys(("c1", "a3", "b5", "c5", "d5", "e2", "e3", "e4", "e5", "f2", "e6", "f6"), 1),
    },
}
"""Options of a D.21 in which no red die can move."""
_FOUR = (1, 2, 4, 5)
_THREE = (1, 2, 4)
_THROWN = ("p1 bet 6", "p2 ally", "p3 yes", "p3 done", "p2 roll 1")
_SHARED = (*_THROWN, "table dice 4", "p3 roll 1", "table dice 2")
_LONG = (*("p1 bet 6", "p2 bet 6", "p3 bet 6", "p4 bet 6", "p1 bet 6", "p2 bet 6"), "p3 bet 2")
_TIED = ("table throw p1 3 4", "table throw p2 2 6", "table throw p3 1 3", "table throw p4 3 5")
SHORT_BOARD = {"board": "YRYRYBRYRY"}


def played(game: str, seats: int, seed: int, options: dict[str, Any] | None = None) -> tuple[str, ...]:
    """The moves of a short game to its end."""
    position: Position[Any] = Position(rules_of(game, seats, options)).conducted()
    dice = random.Random(seed)
    while not position.is_over:
        position.push(dice.choice([move for move in position.legal_moves if move.verb != "keep"]))
    return tuple(map(str, position.moves))


_DEALT = ("table deal p1 K-Q-J-10-9", "table deal p2 9-10-J-Q-K")
_HAND = (*_DEALT, "table roll K K Q J A")
_ALL = "a plus a plus a plus a plus a b"
_PLAYED = (*_HAND, "p1 play Q+1 K+3 J+1")
_SWAP = (*_PLAYED, "table roll Q Q J J J")
_VOID = (*_PLAYED, "table roll K K J J J")
_CREATURES = (
    *(f"table draw p1 {colour}" for colour in ("white", "red", "blue", "yellow")),
    *(f"table draw p2 {colour}" for colour in ("red", "green", "green", "yellow")),
)
_PLACED = (*_CREATURES, "p1 place red f5:g")
_NEXT = (*_PLACED, "p1 pass", "table draw p1 blue", "p2 place green f5:b")
_FIELD = "plus plus plus plus b"


_OFFERED = ("p1 offer 8",)
_CARDS = (0, "flat leaning bump")
_DONE = ((2, "a"), (4, "a"))
_CLAIM = (_CARDS, *_DONE, (0, "2"))
_CLAIMED = ((2, "b plus plus b"), (2, "a"), (4, "b b"))
_MINE = ((2, "a"), (4, "a"))
_WRONG = (*_CLAIM, *_CLAIMED, *_MINE, (4, "a"))
_JUDGED = ((0, "leaning 0.6"), (1, "a"), (0, "2"), (1, "b b"), (1, "b"), (2, "b"), (4, "b"))
_DUEL = (*_OFFERED, "p2 throw 3 flat", "table close")
_FOUGHT = (*_DUEL, "p1 duel conflict", "p2 duel peace")
_TWO_LEFT = (*_OFFERED, *(f"p3 throw {rank} rim" for rank in range(1, 11)), "table close", "table close", "p2 offer 5")


ROWS: dict[str, tuple[Row, ...]] = {
    "dilemma": (
        Row("Anne provokes. plus, seven times: her 8 goes on offer", _THREE, 1, presses=((1, "plus " * 7),)),
        Row("8 on offer, in warm light; the window is open. a: no more", _THREE, 2, _OFFERED),
        Row("A card lies: the blue runs out, towards the offer", _THREE, 2, _OFFERED, ((0, "flat 2"),), film_s=0.1),
        Row(
            "Its last second blinks. Another card, and it begins anew",
            _THREE,
            2,
            _OFFERED,
            ((0, "flat 3.4"),),
            film_s=0.8,
        ),
        Row("Closed. Three times the ring flashes", _THREE, 2, _OFFERED, (_CARDS, *_DONE), film_s=0.6),
        Row("Who threw the first card? a: not I, b: I did. Pink: out of play", _THREE, 2, _OFFERED, _CLAIM),
        Row("b: which card is it? plus, plus: Bernard's 3", _THREE, 2, _OFFERED, (*_CLAIM, (2, "b plus plus"))),
        Row("In doubt, orange: was it a card? The screen says why", _THREE, 4, _OFFERED, (*_CLAIM, *_CLAIMED)),
        Row("All cards as they were claimed. Right? a: no, b: yes", _THREE, 4, _OFFERED, (*_CLAIM, *_CLAIMED, *_MINE)),
        Row("a: what is wrong? 2, the second card: it blinks", _THREE, 4, _OFFERED, (*_WRONG, (4, "plus"))),
        Row(
            "b, and the same card: how does it lie? 3, on the rim",
            _THREE,
            4,
            _OFFERED,
            (*_WRONG, (4, "plus b b b plus")),
        ),
        Row("Two left, and a miss: bad luck? a: no, b: yes", _THREE, 4, _TWO_LEFT, _JUDGED),
        Row("The duel: here a is peace, b conflict; plus locks", _THREE, 1, _DUEL),
        Row("Conflict and peace; the life that it costs then flashes", _THREE, 2, _FOUGHT, wait_s=0.5),
        Row("The end: Bernard has won", _THREE, 1, played("dilemma", 3, 3), wait_s=5),
    ),
    "d21": (
        Row("Which die? The first: c2 (its column, its row)", (1, 4), 1),
        Row("plus, six times: the seventh, c3", (1, 4), 1, presses=((1, "plus plus plus plus plus plus"),)),
        Row("b: which way? 1 is up, then clockwise", (1, 4), 1, presses=((1, "plus plus plus plus plus plus b"),)),
        Row(
            "b: how far? 1, to c4; b would do it",
            (1, 4),
            1,
            presses=((1, "plus plus plus plus plus plus b b"),),
        ),
        Row(
            "plus, three times: 4, to c7",
            (1, 4),
            1,
            presses=((1, "plus plus plus plus plus plus b b plus plus plus"),),
        ),
        Row(
            "The die walks there. Bernard: lavender is that die, warm his first one",
            (1, 4),
            4,
            moves=("p1 c3-c7",),
            wait_s=1.5,
        ),
        Row("No die of Anne's can move: b passes, the only answer", (1, 4), 1, options=STUCK),
        Row("A row of six: Anne has won", (1, 4), 1, options=_D21, moves=("p1 g2-g3",)),
        Row("Two sets: Anne has won", (1, 4), 1, options=_SETS, moves=("p1 h7-h9",)),
        Row("A draw", (1, 4), 1, options={"max_plies": 1}, moves=("p1 c3-c7",)),
    ),
    "roudalon": (
        Row(
            "Who begins? Anne threw 7 (VII). Bernard enters 2 and 6",
            _FOUR,
            2,
            ("table throw p1 3 4",),
            ((2, "plus b plus plus plus plus plus"),),
            prelude=True,
            dice=TALLY,
        ),
        Row("Bernard and Daniel, 8 (VIII) each, throw again", _FOUR, 2, _TIED, prelude=True, dice=TALLY),
        Row("The first stake: how many units? 1", _FOUR, 1),
        Row("plus, five times: 6 (VI) would be in the pot", _FOUR, 1, presses=((1, "plus plus plus plus plus"),)),
        Row("b: 6 in the pot; Anne has two dice. Bernard: 1, stake", _FOUR, 2, moves=("p1 bet 6",), wait_s=2),
        Row("plus, plus: 3, seek an alliance with Christine", _FOUR, 2, ("p1 bet 6",), ((2, "plus plus"),)),
        Row("Christine is asked. a: no, b: yes", _FOUR, 4, ("p1 bet 6", "p2 ally")),
        Row("b: yes. Ask Daniel too? a: nobody else, b: ask", _FOUR, 4, ("p1 bet 6", "p2 ally", "p3 yes")),
        Row("a: nobody else. Bernard throws: 6 are lacking", _FOUR, 2, ("p1 bet 6", "p2 ally", "p3 yes", "p3 done")),
        Row("He threw 4: 2 are lacking. Christine throws", _FOUR, 4, (*_THROWN, "table dice 4"), wait_s=2),
        Row("She threw 2: shares of 4 (IV) and 2 (II)", _FOUR, 4, _SHARED, wait_s=2),
        Row("A pot of 38, the longest", _FOUR, 1, _LONG, wait_s=2),
        Row("Your own dice: plus and minus turn one, b enters it", _FOUR, 4, _THROWN, ((4, "plus plus"),), dice=TALLY),
        Row("The table's dice: b throws them", _FOUR, 4, _THROWN, dice=ROLL),
        Row(
            "The end: a pot out of reach blinks, the winner swells",
            _FOUR,
            1,
            played("roudalon", 4, 2),
            ((1, "a"),),
            wait_s=5,
        ),
    ),
    "dicke-daemonen": (
        Row("A bag of your own: which colour was drawn? b", (1, 4), 1, _CREATURES[:1], ((1, "plus"),), dice=TALLY),
        Row("Anne peeks: a white, a red, a blue, a yellow creature", (1, 4), 1, _CREATURES, ((1, "a"),)),
        Row("In which field? The fifth, f5", (1, 4), 1, _CREATURES, ((1, "plus plus plus plus"),)),
        Row(
            "b: where in it? 4, crossing g of red and blue",
            (1, 4),
            1,
            _CREATURES,
            ((1, f"{_FIELD} minus minus minus"),),
        ),
        Row("5: in its middle, for a ghost", (1, 4), 1, _CREATURES, ((1, f"{_FIELD} minus minus"),)),
        Row(
            "b: which creature? It begins anywhere; dim: you have none",
            (1, 4),
            1,
            _CREATURES,
            ((1, f"{_FIELD} minus minus minus b"),),
        ),
        Row("Placed; which colour will win? The same menu", (1, 4), 1, _PLACED, wait_s=2.5),
        Row("Bernard has placed a green one; f5 goes to nobody", (1, 4), 4, _NEXT, ((4, "a"),), wait_s=2.5),
        Row("Bernard has predicted green; it is Anne's turn", (1, 4), 1, (*_NEXT, "p2 predict green"), wait_s=2.5),
        Row(
            "The end: the count; this field goes to red",
            (1, 4),
            4,
            played("dicke-daemonen", 2, 1)[:-1],
            wait_s=7.1,
            film_s=0.2,
        ),
        Row(
            "The end: how the colours stand; who has won swells",
            (1, 4),
            4,
            played("dicke-daemonen", 2, 1)[:-1],
            presses=((4, "a"),),
            wait_s=14,
        ),
    ),
    "struggle": (
        Row("Bernard peeks: 9 10 J Q K is his order of arrival", (1, 4), 4, _HAND, ((4, "a"),)),
        Row(
            "Your own dice: plus and minus turn one, b goes on",
            (1, 4),
            1,
            _DEALT,
            ((1, "plus b plus plus"),),
            dice=TALLY,
        ),
        Row("The table's dice: b throws them", (1, 4), 1, _DEALT, dice=ROLL),
        Row("Anne has thrown K K Q J A; what is marked is bright", (1, 4), 1, _HAND),
        Row("a, plus, a: both kings are kept", (1, 4), 1, _HAND, ((1, "a plus a"),)),
        Row("All five marked, b: which pawn first? 1, the king, 2 on", (1, 4), 1, _HAND, ((1, _ALL),)),
        Row("b: how far, with aces? 2 spaces, or 3", (1, 4), 1, _HAND, ((1, f"{_ALL} b"),)),
        Row("b: which second? 2, the queen; the king stands where it would", (1, 4), 1, _HAND, ((1, f"{_ALL} b b"),)),
        Row("The pawns have walked; the jack could not stop on 1", (1, 4), 4, _PLAYED, wait_s=3),
        Row("3, the jack: it takes 3 and sends the king back", (1, 4), 4, _SWAP, ((4, f"{_ALL} plus"),), wait_s=3),
        Row("1, the king: it cannot stop on black space 5, and stays", (1, 4), 4, _VOID, ((4, _ALL),), wait_s=3),
        Row(
            "The end: one light for A, two for B, up to five for E",
            (1, 4),
            4,
            played("struggle", 2, 7, SHORT_BOARD),
            presses=((4, "a"),),
            wait_s=9,
            options=SHORT_BOARD,
        ),
    ),
}


@dataclass(frozen=True)
class Seen:
    """A pixel, watched for a second."""

    colour: tuple[int, int, int]
    """At its brightest."""
    least: int
    """What is left of it at its darkest, in percent."""


def watch(game: str, row: Row) -> dict[str, list[Seen]]:
    """Play a row, and return what its ring, public pixels and hood show."""
    with SimulatedTable(virtual=True, seed=1) as table, tempfile.TemporaryDirectory() as folder:
        options = row.options if row.prelude else Record(game, NAMES[: len(row.places)], (), row.options).settled
        rules = rules_of(game, len(row.places), options)
        position: Position[Any] = Position((row.prelude and rules.prelude()) or rules.conducted())
        last = [move for move in row.moves[-1:] if not move.startswith("table")]  # else the table would move itself
        for move in row.moves[: len(row.moves) - len(last)]:
            position.parse_push(move)
        seats = [Seat(name, place, AT_TABLE) for name, place in zip(NAMES, row.places, strict=False)]
        tester = Tester(table.control)
        tester.join()
        clock = VirtualClock(tester)
        with Log.open(Path(folder) / "log.db") as log:
            sources = Sources((row.dice,) * len(seats), row.dice)
            number = begin(log, game, options, seats, seed="5e" * 32, sources=sources)
            port = table.port
            assert port is not None
            client = Client(port, clock, log.cursor, None, log=log_id(log))
            client.open()
            running = Conductor(log, number, clock, client, position=position)
            running.start()
            for move in last:  # as if it had been made at the table, so that it walks
                running.session.position.parse_push(move)
                running._table._lamps.moved(position.moves[-1], position)
                change = Change(running.session)
                change.begin()
                running.commit(change)
            _run(running, clock, client, row.wait_s)
            for place, buttons in row.presses:
                for button in buttons.split():
                    if place:
                        tester.press(place, button)
                    elif button == "bump":
                        tester.say(button)
                    elif button in LANDINGS:
                        tester.land(button)
                    _run(running, clock, client, 0.3 if place else _ARENA_S.get(button) or float(button))
            groups = ("ring", "public", f"hood{row.hood}")
            film = []
            for _ in range(round(row.film_s / _FRAME_S)):
                pixels = tester.pixels()
                film.append({group: [bytes.fromhex(colour) for colour in pixels[group]] for group in groups})
                _run(running, clock, client, _FRAME_S)
            client.close()
            tester.close()
    return {group: [_seen([each[group][n] for each in film]) for n in range(len(film[0][group]))] for group in groups}


def _run(running: Conductor, clock: VirtualClock, client: Client, seconds: float) -> None:
    end = clock.now() + seconds
    while (left := end - clock.now()) > 0:
        for incoming in client.poll(min(work(running), left)):
            running.take(incoming)


def _seen(film: Sequence[bytes]) -> Seen:
    most = max(film, key=sum)
    return Seen((most[0], most[1], most[2]), round(100 * min(map(sum, film)) / sum(most)) if sum(most) else 100)


# -- drawing --------------------------------------------------------------------------------------------------------

_HEIGHT, _WIDTH = 242, 690
_STEP = 17  # between pixels of the ring


def svg(rows: Sequence[tuple[str, int, dict[str, list[Seen]]]]) -> str:
    """Draw what was seen, a row for each phase."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT * len(rows)}" '
        'font-family="sans-serif" font-size="15">',
        '<rect width="100%" height="100%" fill="#181818"/>',
    ]
    for number, (words, hood, seen) in enumerate(rows):
        top = _HEIGHT * number
        lines.append(f'<text x="16" y="{top + 24}" fill="#eee">{words}</text>')
        x0, y0 = 100, top + 66
        ways = ((0, 0, 1, 0), (8, 0, 0, 1), (8, 8, -1, 0), (0, 8, 0, -1))
        for side, (left, up, dx, dy) in enumerate(ways):
            for n in range(8):
                at = left * _STEP + dx * (n + 0.5) * _STEP, up * _STEP + dy * (n + 0.5) * _STEP
                lines.append(_pixel(x0 + at[0], y0 + at[1], 6, seen["ring"][8 * side + n]))
        middle = 4 * _STEP
        places = ((0, 5.6), (-5.6, 2), (-5.6, -2), (0, -5.6), (5.6, -2), (5.6, 2))
        for n, (x, y) in enumerate(places):
            across, down = x0 + middle + x * _STEP, y0 + middle + y * _STEP * (0.93 if x == 0 else 1)
            lines.append(_pixel(across, down, 7, seen["public"][n]))
            aside, below = (16, 6) if x >= 0 else (-25, 6)
            lines.append(f'<text x="{across + aside}" y="{down + below}" fill="#aaa" font-size="16">{n + 1}</text>')
        lines.append(f'<text x="360" y="{top + 90}" fill="#999">under the hood of place {hood}</text>')
        for n, pixel in enumerate(seen[f"hood{hood}"]):
            lines.append(_pixel(376 + 60 * n, top + 125, 16, pixel))
    return "\n".join([*lines, "</svg>\n"])


def _pixel(x: float, y: float, radius: int, seen: Seen) -> str:
    """Draw a pixel as bright as it looks: eyes see more of little light than screens show."""
    if not any(seen.colour):
        return f'<circle cx="{x:g}" cy="{y:g}" r="{radius}" fill="#222" stroke="#444"/>'
    gain = (max(seen.colour) / 255) ** 0.35 * 255 / max(seen.colour)
    colour = "#" + "".join(f"{min(255, round(channel * gain)):02x}" for channel in seen.colour)
    around = 0 if seen.least > 90 else 2 if seen.least < 5 else 1
    rings = "".join(
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius + 3 * n}" fill="none" stroke="{colour}" stroke-width="1"/>'
        for n in range(1, around + 1)
    )
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius}" fill="{colour}"/>{rings}'


def picture(game: str) -> str:
    """Return the drawing of a game."""
    return svg([(row.words, row.hood, watch(game, row)) for row in ROWS[game]])


def main(args: list[str]) -> None:
    folder = Path(args[1]) if len(args) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for game in args[:1] or list(ROWS):
        path = folder / f"{game}.svg"
        path.write_text(picture(game), encoding="utf-8", newline="\n")
        print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
