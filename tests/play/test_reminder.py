"""Who is awaited at the table is said after a minute: by a soft tone, and by a light in front of the place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playing import a_table

from ports import open_desk, turn
from sample import thorough
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.games import rules_of
from tablier.games.core import Position
from tablier.games.core import lights as core
from tablier.keeper.desk import Desk
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.lights import AWAITED, Lamps
from tablier.play.reminder import WAIT_S, Reminder
from tablier.play.table_side import AWAITED_S, TableSide
from tablier.simulation import tester as testers
from tablier.table.settings import LIGHTS, Settings
from tablier.waiting import WakeUps
from tablier_fw import colours, wire

DARK = "000000"


class Evening:
    """A game at a simulated table, in virtual time."""

    def __init__(self, desk: Desk, hands: testers.Tester) -> None:
        self.desk, self.hands = desk, hands
        self.session = desk.game.session
        self.sent: list[tuple[str, tuple[Any, ...]]] = []
        assert desk.game.client is not None
        desk.game.client.trace = self._trace

    def _trace(self, came: bool, message: wire.Message, values: tuple[Any, ...]) -> None:
        if not came and message in (wire.SCENE, wire.TONE):
            self.sent.append((message.name, values))

    def wait(self, seconds: float) -> None:
        end = self.desk.clock.now() + seconds
        while (left := end - self.desk.clock.now()) > 0:
            turn(self.desk, soonest=left)

    def press(self, place: int, *buttons: str) -> None:
        for button in buttons:
            self.hands.press(place, button)
            self.wait(0.3)

    @property
    def tune(self) -> list[int]:
        """The tones so far."""
        return [hertz for _, hertz in self.hands.say("stats")["tunes"] if hertz]

    def swelling(self) -> set[int]:
        """Return the places in front of which the ring, as it was painted last, swells in any colour."""
        ring = [values[1] for name, values in self.sent if name == "scene" and values[0] == wire.RING][-1]
        return {place for place in range(1, 7) if any(ring[3 * at + 2] == wire.PULSE for at in core.before(place))}

    def lit(self) -> set[int]:
        """Return the places in front of which the ring swells in white within half a second."""
        places: set[int] = set()
        for _ in range(5):
            ring = [bytes.fromhex(colour) for colour in self.hands.pixels()["ring"]]
            soft = {pixel for pixel, colour in enumerate(ring) if len(set(colour)) == 1 and 0 < colour[0] <= AWAITED[1]}
            places |= {place for place in range(1, 7) if soft.intersection(core.before(place))}
            self.wait(0.1)
        return places


@contextmanager
def evening(
    path: Path,
    game: str,
    seats: Sequence[Seat],
    options: dict[str, Any] | None = None,
    settings: Settings | None = None,
) -> Iterator[Evening]:
    with a_table(seed=3) as table, Log.open(path / "log.db") as log:
        number = begin(log, game, options or {}, seats)
        with open_desk(seats, table.port, virtual=True, seed=7) as desk:
            desk.set_table(settings or Settings())
            desk.begin(log, number)
            with closing(testers.Tester(table.control)) as hands:
                sitting = Evening(desk, hands)
                sitting.wait(1.0)
                yield sitting


def seated(*places: int) -> list[Seat]:
    names = ("Anne", "Bernard", "Christine", "Daniel")
    return [Seat(name, place, AT_TABLE) for name, place in zip(names, places, strict=False)]


def test_after_a_minute_a_tone_and_a_light_say_who_is_awaited_until_that_one_answers(tmp_path: Path) -> None:
    with evening(tmp_path, "dilemma", seated(1, 3, 5)) as table:
        assert table.session.open.waiting == (1,)
        table.wait(WAIT_S - 3)
        assert not table.tune and not table.lit()
        table.wait(3)
        assert table.lit() == {1}
        assert len(table.tune) == 2 and table.hands.say("stats")["volume"] == Settings().volume
        table.press(1, "b")
        assert list(table.session.open.waiting) == [2, 3]
        assert not table.lit()
        table.press(3, "a")
        table.wait(WAIT_S)
        assert table.swelling() == {5} and len(table.tune) == 4
        table.wait(AWAITED_S)
        assert not table.swelling() and len(table.tune) == 4


def test_who_walks_through_a_menu_is_not_reminded(tmp_path: Path) -> None:
    with evening(tmp_path, "dilemma", seated(1, 3, 5)) as table:
        for _ in range(2):
            table.wait(WAIT_S * 0.6)
            table.press(1, "plus")
        assert not table.tune and not table.swelling()


def duel(table: Evening) -> None:
    """Come to the duel of places 1 and 3."""
    while table.session.question is None or table.session.question.what != "duel":
        question = table.session.question
        assert question is not None
        if question.what == "offer":
            table.press(1, "b")
        elif question.what == "window":
            table.hands.land("flat")
            table.wait(1)
            for place in (3, 5):
                table.press(place, "a")
            table.wait(2)
        else:
            seat = table.session.open.waiting[0]
            place = table.session.seats[seat - 1].place
            table.press(place, "a" if question.what == "claim" and seat != 2 else "b")


def marked(ring: bytes, place: int) -> bool:
    """Return whether a ring, as the wire carries it, says that a place is awaited."""
    return any(ring[3 * pixel : 3 * pixel + 3] == bytes(AWAITED) for pixel in core.before(place))


def test_in_a_duel_it_tells_who_has_not_locked_and_nothing_of_what_is_chosen(tmp_path: Path) -> None:
    seen = []
    for button in ("a", "b"):
        path = tmp_path / button
        path.mkdir()
        with evening(path, "dilemma", seated(1, 3, 5)) as table:
            duel(table)
            table.sent.clear()
            table.press(1, button, "plus")
            shown = []
            for _ in range(int(WAIT_S + AWAITED_S) // 10):
                pixels = table.hands.pixels()
                shown.append((pixels["ring"], pixels["public"]))
                table.wait(10)
            assert table.session.open.locked and len(table.tune) == 2
            sent = [(name, values[1:] if name == "tone" else values) for name, values in table.sent]
            seen.append((shown, sent))
            rings = [values[1] for name, values in sent if name == "scene" and values[0] == wire.RING]
            marks = {place: sum(marked(ring, place) for ring in rings) for place in (1, 3, 5)}
            assert marks == {1: 0, 3: 1, 5: 0}
    assert seen[0] == seen[1]


def test_who_sits_at_a_screen_is_not_called_to_the_table(tmp_path: Path) -> None:
    seats = [Seat("Anne", 1, AT_SCREEN), Seat("Bernard", 3, AT_TABLE), Seat("Christine", 5, AT_TABLE)]
    with evening(tmp_path, "dilemma", seats) as table:
        assert table.session.open.waiting == (1,)
        table.wait(WAIT_S + AWAITED_S)
        assert not table.tune and not table.lit()


@thorough
def test_a_mute_table_says_it_by_its_light_alone_until_it_is_set_louder(tmp_path: Path) -> None:
    with evening(tmp_path, "dilemma", seated(1, 3, 5), settings=Settings(mute=True)) as table:
        table.wait(WAIT_S)
        assert table.lit() == {1} and not table.tune
        table.desk.set_table(Settings(volume=1))
        table.press(1, "b")
        table.wait(WAIT_S)
        assert table.tune and table.hands.say("stats")["volume"] == 1


def hoods_in_a_duel(path: Path, settings: Settings) -> dict[str, list[bytes]]:
    """Return what the hoods show in the duel of places 1 and 3."""
    path.mkdir()
    with evening(path, "dilemma", seated(1, 3, 5), settings=settings) as table:
        duel(table)
        table.wait(1)
        pixels = table.hands.pixels()
        return {f"hood{place}": [bytes.fromhex(each) for each in pixels[f"hood{place}"]] for place in range(1, 7)}


@thorough
def test_at_night_a_hood_shows_the_same_secret_less_brightly_and_to_nobody_else(tmp_path: Path) -> None:
    day = hoods_in_a_duel(tmp_path / "day", Settings())
    night = hoods_in_a_duel(tmp_path / "night", Settings(light=LIGHTS[0]))
    assert {name for name, hood in night.items() if any(map(any, hood))} == {"hood1", "hood3"}
    for name, hood in day.items():
        assert [tuple(channel * 64 // 256 for channel in pixel) for pixel in hood] == [*map(tuple, night[name])]
        assert len(set(hood)) == len(set(night[name])), "what differs by day differs at night"


# -- when ------------------------------------------------------------------------------------------------------------


def reminders(awaited: Sequence[int] = (2, 4)) -> list[float]:
    """Return when these places are reminded within ten minutes."""
    reminder = Reminder(WakeUps())
    reminder.postpone(0.0)
    return [now for now in range(600) if reminder.is_due(now, awaited)]


def awaited(
    *, finished: bool = False, paused: bool = False, bot: bool = False, connected: bool = True, moving: bool = False
) -> list[int]:
    """Return the places that a game's table awaits."""
    seats = [
        SimpleNamespace(is_bot=bot, at_table=not bot, place=2),
        SimpleNamespace(is_bot=False, at_table=True, place=4),
    ]
    session = SimpleNamespace(finished=finished, paused=paused, seats=seats, open=SimpleNamespace(waiting=(1, 2)))
    table: Any = SimpleNamespace(client=SimpleNamespace(connected=connected), moving=moving, _session=session)
    return TableSide.awaited(table)


def test_a_reminder_comes_again_every_three_minutes() -> None:
    assert reminders() == [60, 240, 420]


def test_nobody_is_reminded_at_the_end_or_in_a_pause_or_while_a_bot_thinks_or_the_table_is_away_or_busy() -> None:
    assert awaited() == [2, 4] and not reminders(())
    assert not awaited(finished=True)
    assert not awaited(paused=True)
    assert not awaited(bot=True)
    assert not awaited(connected=False)
    assert not awaited(moving=True)


# -- the light -------------------------------------------------------------------------------------------------------


def ring_of(position: Position[Any], awaited: Sequence[int]) -> list[tuple[int, ...]]:
    shown: dict[int, bytes] = {}
    lamps = Lamps(shown.__setitem__, (1, 4))
    lamps.awaited = awaited
    lamps.show(position, None, None, 0.0)
    ring = shown[wire.RING]
    return [tuple(ring[at : at + 3]) for at in range(0, len(ring), 3)]


@pytest.mark.parametrize(("board", "gaps"), [("YRYRYBRYRB" * 4, True), ("YR" * 20, False)])
def test_what_the_game_shows_keeps_its_colour(board: str, gaps: bool) -> None:
    """Where it leaves no pixel dark, what it shows swells."""
    position = Position(rules_of("struggle", 2, {"board": board, "first": "p1"}))
    before, after = ring_of(position, ()), ring_of(position, (4,))
    side = core.before(4)
    for pixel in range(wire.GROUPS[wire.RING]):
        if before[pixel][1]:
            assert after[pixel][:2] == before[pixel][:2]
        if pixel not in side:
            assert after[pixel] == before[pixel]
    changed = [pixel for pixel in side if after[pixel] != before[pixel]]
    assert changed and all((after[pixel] == AWAITED) is gaps for pixel in changed)
    assert all(after[pixel][2] == wire.PULSE for pixel in changed)
    assert AWAITED[0] == colours.WHITE
