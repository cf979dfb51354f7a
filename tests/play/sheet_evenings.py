"""Evenings at a simulated table, in which people who know nothing but a sheet meet each of its lines."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playing import throws_of
from sheets import Person, Sheet

from ports import connect, work
from positions import then
from tablier.course.chance import HOST, ROLL, TALLY, Sources
from tablier.course.seats import AT_TABLE, Seat
from tablier.games import rules_of
from tablier.games.core import Position, seat_name
from tablier.games.core.questions import Tally, bare
from tablier.games.d21.script import WAYS, _distance, way_of
from tablier.games.daemonen.colours import COLOURS, creatures, pack
from tablier.games.daemonen.script import _numbers
from tablier.games.struggle.rules import FACES
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.connections import Message
from tablier.play.game import Conductor
from tablier.play.logged import log_id
from tablier.screens.model import Model
from tablier.screens.summary import LogName
from tablier.screens.turn import read_out
from tablier.simulation import tester as testers
from tablier.simulation.clock import VirtualClock
from tablier.simulation.simulated import SimulatedTable
from tablier.table.client import Client
from tablier.texts import Json
from tools.pictures.seats import SHORT_BOARD, STUCK

NAMES = ("Anne", "Bernard", "Christine", "Daniel")


STEP_S = 0.13


_FILM = 8
"""Looks of the last second, of which the brightest is what somebody sees."""


_GLANCE = 4
"""The latest of them: half a blink. Under the hood nothing is seen of what stood there before the question."""


_MOST = 1_000
"""Steps without a move, after which nobody gets any further."""


@dataclass(frozen=True)
class Evening:
    """A game, or the rest of one, in which people meet some of the lines of a sheet."""

    game: str
    places: tuple[int, ...]
    moves: tuple[str, ...] = ()
    options: Json = field(default_factory=dict)
    dice: str = HOST
    away: tuple[int, ...] = ()
    """Seats of bots."""
    slow: tuple[int, ...] = ()
    """Seats that never say that they throw no more."""
    slips: tuple[tuple[int, str], ...] = ()
    """By seat: phrases of questions that are answered wrongly once."""
    throws: tuple[tuple[str, ...], ...] | None = None
    """What is thrown in each window; by chance where nothing is said."""
    lucky: bool = True
    asks_back: bool = False
    """Whether somebody wants to take a move back, at the console."""
    calls: bool = False
    """Whether the first seat stops play once, after the first move, and lets it go on."""
    mistaken: bool = False
    """Whether the first seat enters its first creature wrongly, and notices it when all have drawn."""
    seed: int = 1
    most: int = 10**6
    """After how many moves it ends, if not with the game."""


_AGAIN = ("p1 keep A A A A", "table roll A")


_TWO_LEFT = ("p1 offer 8", *(f"p3 throw {rank} rim" for rank in range(1, 11)), "table close", "table close")


EVENINGS: dict[str, tuple[Evening, ...]] = {
    "dilemma": (
        Evening("dilemma", (1, 2, 4), seed=4),
        Evening(
            "dilemma",
            (1, 2, 4),
            slips=((2, "who threw it?"), (2, "which of"), (2, "which of")),
            throws=(("p2 throw 3 flat", "p3 throw 4 flat", "p2 throw 5 outside"),),
            slow=(2,),
            most=5,
        ),
        Evening(
            "dilemma", (1, 2, 4), (*_TWO_LEFT, "p2 offer 5"), throws=(("p1 throw 4 rim",), ()), lucky=False, most=18
        ),
        Evening("dilemma", (1, 2, 4), away=(1,), throws=((),), most=2),
    ),
    "struggle": (
        Evening("struggle", (1, 4), options=SHORT_BOARD, dice=TALLY, slips=((1, "throw all five dice again?"),)),
        Evening("struggle", (1, 4), options=SHORT_BOARD, dice=ROLL, most=8),
        Evening(
            "struggle",
            (1, 4),
            ("table deal p1 K-Q-J-10-9", "table deal p2 9-10-J-Q-K", "table roll A A A A A", *_AGAIN, *_AGAIN),
            options=SHORT_BOARD | {"first": "p1"},
            most=8,
        ),
    ),
    "roudalon": (
        Evening("roudalon", (1, 2, 4, 5), dice=TALLY, asks_back=True, seed=4),
        Evening("roudalon", (1, 2, 4, 5), dice=ROLL, options={"first": "p1"}, seed=2),
        Evening("roudalon", (1, 2, 4, 5), ("p1 bet 6", "p2 ally", "p3 yes"), options={"first": "p1"}, most=4),
    ),
    "dicke-daemonen": (Evening("dicke-daemonen", (1, 4), dice=TALLY, mistaken=True),),
    "d21": (
        Evening("d21", (1, 4), options={"max_plies": 6}, calls=True),
        Evening("d21", (1, 4), options=STUCK, most=1),
    ),
}


class Room:
    """An evening at a simulated table; what each person has seen, step by step, is kept."""

    def __init__(self, evening: Evening) -> None:
        self.evening = evening
        self.kept: list[tuple[int, Json, str | None]] = []
        """Seat, what it saw, what it pressed."""
        self._dice = random.Random(evening.seed)
        self._intents: dict[tuple[int, int], str] = {}
        self._pile: list[Json] = []
        self._due: list[list[str]] = []
        self._window = self._ply = -1
        self._windows = list(evening.throws or ())
        self._next_at = 0.0
        self._thrown: tuple[int, list[str]] = (0, [])
        self._reviewed = ""
        self.mistake: dict[str, str] = {}
        self.corrected: list[list[str]] = []
        """The fists of who has entered a creature wrongly: as it was entered, and as it is."""
        self._model = Model((), LogName(""))
        self._films: dict[str, list[list[str]]] = {}
        self._asked = 0
        self.over = False
        self._stops = evening.calls

    def play(self, table: SimulatedTable, people: dict[int, Person]) -> None:
        evening, count = self.evening, len(self.evening.places)
        rules = rules_of(evening.game, count, evening.options)
        position: Position[Any] | None = None
        if evening.moves:
            position = Position(rules.conducted())
            then(position, *evening.moves)
        seats = [
            Seat(NAMES[n], place, "greedy" if n + 1 in evening.away else AT_TABLE)
            for n, place in enumerate(evening.places)
        ]
        self.tester = testers.Tester(table.control)
        self.tester.join()
        self.clock = VirtualClock(self.tester)
        with TemporaryDirectory() as folder, Log.open(Path(folder) / "log.db") as log:
            sources = Sources((evening.dice,) * count, evening.dice if evening.game == "dicke-daemonen" else HOST)
            if evening.away:
                sources = Sources()
            number = begin(log, evening.game, evening.options, seats, seed="5e" * 32, sources=sources)
            assert table.port is not None
            client = Client(table.port, self.clock, log.cursor, None, log=log_id(log))
            client.open()
            self.running = Conductor(log, number, self.clock, client, position=position, dice=random.Random(1))
            self.running.watch((None,), self._hear)
            self.running.start()
            self._play(client, people)
            client.close()
        self.tester.close()

    def _hear(self, message: Message) -> None:
        self._model.take(message)

    def _play(self, client: Client, people: dict[int, Person]) -> None:
        asked_back = not self.evening.asks_back
        ply = steps = 0
        while steps < _MOST:
            self._work(client)
            position = self.running.session.position
            ply, steps = position.ply, steps + 1 if position.ply == ply else 0
            if self.running.over or position.ply >= self.evening.most:
                self.over = self.running.over
                break
            if not asked_back and position.ply and not self.running.session.in_prelude:
                last = next(move.actor for move in reversed(position.moves) if move.actor)
                connect(self.running, (last,)).command({"command": "back", "seat": last, "count": 1})
                asked_back = True
                continue  # what is asked now is over before anybody answers
            if self.mistake and not self.corrected and position.ply == 4 * len(self.evening.places):
                self.corrected.append(creatures(position.state.fists[0]))
                connect(self.running, operator=True).command({"command": "mistake", "seat": 1})
                continue
            if self.mistake and len(self.corrected) == 1 and position.state.fists[0] != pack(self.corrected[0]):
                self.corrected.append(creatures(position.state.fists[0]))
                self._intents.clear()
            self._look()
            if self._throw():
                continue
            self._press(people)
        else:
            raise AssertionError(f"nobody gets any further: {self._sight(1)}")
        for _ in range(120 if self.over else 0):
            self._work(client)
            self._look()
        if self.over:
            self._see_the_end(client, people)
        sight = self._sight(min(people))
        if self.over and self.evening.game == "struggle":
            reached: Position[Any] = self.running.session.position
            rules: Any = reached.rules
            sight["arrived"] = rules.arrived(reached.state)
        self.kept.append((min(people), sight, people[min(people)].press(sight)))

    def misplayed(self) -> list[tuple[str, str]]:
        """Return what somebody had in mind and what was played instead, of all moves but throws of cards."""
        moves, found = self.running.session.position.moves, []
        for (ply, seat), intent in self._intents.items():
            played = next((bare(move) for move in moves[ply:] if move.actor == seat), intent)
            if played != intent and not intent.startswith("throw"):
                found.append((intent, played))
        return found

    def _see_the_end(self, client: Client, people: dict[int, Person]) -> None:
        self.running.ask_whether_seen()
        while self.running.session.question is not None:
            self._work(client)
            self._look()
            self._press(people)

    def _press(self, people: dict[int, Person]) -> None:
        """Let each person press what the sheet says of what they see now."""
        for seat, person in people.items():
            sight = self._sight(seat)
            button = person.press(sight)
            self.kept.append((seat, sight, button))
            if button and "+" in button:
                self._stops = False
                self._call(self.evening.places[seat - 1], *button.split("+"))
            elif button:
                self.tester.press(self.evening.places[seat - 1], button)

    def _call(self, place: int, held: str, pressed: str) -> None:
        """Hold a button and press another one."""
        for said in (f"hold {place} {held}", f"press {place} {pressed}", f"release {place} {held}"):
            self.tester.say(said)
            self.clock.wait(0.03, None)

    def _work(self, client: Client) -> None:
        end = self.clock.now() + STEP_S
        while (left := end - self.clock.now()) > 0:
            for incoming in client.poll(min(work(self.running), left)):
                self.running.take(incoming)

    def _look(self) -> None:
        self._pixels = self.tester.pixels()
        hoods = [f"hood{place}" for place in self.evening.places]
        if self._asked != self.running.session.id:
            self._asked = self.running.session.id
            self._films |= {hood: [] for hood in hoods}
        for group in ("ring", "public", *hoods):
            film = self._films.setdefault(group, [])
            film.append(self._pixels[group])
            del film[:-_FILM]
        self._ring, self._public = self._brightest("ring"), self._brightest("public")

    def _brightest(self, group: str) -> list[str]:
        looks = [[bytes.fromhex(pixel) for pixel in look] for look in self._films[group]]
        return [max(pixel, key=sum).hex() for pixel in zip(*looks, strict=True)]

    def _throw(self) -> bool:
        """Throw the next card of an open window; return whether one is still in the air."""
        session, now = self.running.session, self.clock.now()
        if self.evening.game != "dilemma" or session.in_prelude:
            return False
        position = session.position
        if position.ply != self._ply:
            self._ply, self._pile = position.ply, []
            if position.state.phase == "offer":
                self.tester.say("clear")
        if session.question is None or session.question.kind != "window":
            return False
        if self._window != position.ply:
            self._window = position.ply
            if self.evening.throws is None:
                self._due = [move.split() for move in throws_of(position.state, self._dice)]
            else:
                self._due = [move.split() for move in (self._windows.pop(0) if self._windows else ())]
            self._next_at = now + 0.6
        if not self._due:
            return now < self._next_at
        if now >= self._next_at:
            actor, _, rank, how = self._due.pop(0)
            self.tester.land(how, f"{actor}:{rank}")
            self._pile.append({"name": NAMES[int(actor[1:]) - 1], "rank": int(rank), "how": how})
            self._next_at = now + 0.9
        return True

    def _sight(self, seat: int) -> Json:
        session = self.running.session
        position, question, place = session.position, session.question, self.evening.places[seat - 1]
        asks = self._model.asks_aloud
        told = [*(read_out(asks, self._model.names) if asks else ()), "", ""]
        if "Does everybody agree?" in told[0]:
            self._reviewed = told[0]
        mine = question is not None and seat in question.seats
        if question is not None and question.kind == "window" and seat in self.evening.slow:
            mine = False
        sight: Json = {
            "ply": position.ply,
            "question": session.id,
            "mine": mine,
            "heard": told[0],
            "options": told[1],
            "ring": self._ring,
            "public": self._public,
            "light": self._pixels["public"][place - 1],
            "hood": self._pixels[f"hood{place}"],
            "steady": self._steady(place),
            "pile": list(self._pile),
            "reviewed": self._reviewed,
            "lucky": self.evening.lucky,
            "intent": self._intent(seat) if mine else None,
            "peeks": {},
            "mistake": self.mistake,
            "below": 0,
            "stops": self._stops and seat == 1 and position.ply > 0 and session.open.may_call,
        }
        if self.evening.game == "dilemma" and not session.in_prelude:
            sight["below"] = len(position.state.pile)
        if mine and not session.in_prelude:
            sight |= self._about(seat, sight["intent"] or "")
        if isinstance(question, Tally) and mine:
            sight |= self._entered(question)
        return sight

    def _steady(self, place: int) -> list[str]:
        looks = [[bytes.fromhex(pixel) for pixel in look] for look in self._films[f"hood{place}"]]
        return [max(pixel, key=sum).hex() for pixel in zip(*looks[-_GLANCE:], strict=True)]

    def _intent(self, seat: int) -> str | None:
        """Return the move that a person has in mind, by the rules."""
        session = self.running.session
        position = session.position
        if session.in_prelude or seat not in position.to_move:
            return None
        if (position.ply, seat) not in self._intents:
            moves = [bare(move) for move in position.legal_moves if move.actor == seat]
            self._intents[position.ply, seat] = self._dice.choice(moves)
        return self._intents[position.ply, seat]

    def _about(self, seat: int, intent: str) -> Json:
        """Return what somebody knows of the position who has a move in mind."""
        position = self.running.session.position
        rules: Any = position.rules
        state = position.state
        if self.evening.game == "d21" and "-" in intent:
            move = rules.parse(f"{seat_name(seat)} {intent}")
            origins = {each.verb.partition("-")[0] for each in position.legal_moves}
            return {
                "origins": sorted(origins, key=lambda name: rules.grid.index[name]),
                "way": str(WAYS[way_of(rules.grid, move)]),
                "distance": _distance(rules.grid, move),
            }
        if self.evening.game == "dicke-daemonen":
            fist = creatures(state.fists[seat - 1])
            return {"fields": list(_numbers(rules)), "peeks": {"your fist": fist} if state.phase == "place" else {}}
        if self.evening.game == "roudalon" and "bet" in intent:
            dice = state.dice[seat - 1]
            return {"peeks": {"your hood": ["your first die", "both"][dice - 1 : dice] * dice}}
        if self.evening.game == "struggle" and len(state.objectives) >= seat:
            objective = state.objectives[seat - 1].split("-")
            arrived = rules.arrived(state)
            return {"peeks": {} if arrived else {"your objective": objective}}
        return {}

    def _entered(self, question: Tally) -> Json:
        game = self.evening.game
        faces = {"roudalon": "a die", "struggle": "a figure", "dicke-daemonen": "a creature"}[game]
        if self._thrown[0] != self.running.session.id:
            position = self.running.session.position
            if question.what == "draw":
                drawn = self._dice.choice(position.legal_moves).args[-1]
                thrown = [drawn]
                if self.evening.mistaken and not self.mistake:
                    other = next(colour for colour in COLOURS if colour != drawn)
                    self.mistake = {"what you had entered": drawn, "what you drew": other}
            else:
                names = FACES if game == "struggle" else tuple("123456")
                thrown = [self._dice.choice(names) for _ in range(question.dice - len(question.given))]
            self._thrown = self.running.session.id, thrown
        return {"faces": faces, "thrown": self._thrown[1], "given": len(question.given)}


def people_of(evening: Evening, sheet: Sheet) -> dict[int, Person]:
    return {
        seat: Person(sheet, seat, NAMES[seat - 1], [phrase for who, phrase in evening.slips if who == seat])
        for seat in range(1, len(evening.places) + 1)
        if seat not in evening.away
    }
