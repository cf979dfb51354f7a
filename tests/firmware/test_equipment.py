"""A table that is built in part says what is there, and what stands behind a missing place moves up."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.firmware.desk import DARK, Desk

from tablier.simulation import tester
from tablier.table.incoming import Told
from tablier_fw import equipment, wire
from tablier_fw.equipment import Equipment
from tablier_fw.pico.plain import pack

STARTER = Equipment(0b11, 24, False, True)
ODD = Equipment(0b010101)


@contextmanager
def desk_of(there: Equipment) -> Iterator[Desk]:
    desk = Desk(equipment=there)
    try:
        yield desk
    finally:
        desk.close()


@pytest.mark.parametrize("there", [Equipment(), STARTER, ODD, Equipment(0b1, 12, False)])
def test_what_is_there_is_one_line_that_is_read_again(there: Equipment) -> None:
    again = equipment.read(there.text() + "\n")
    assert vars(again) == vars(there)


@pytest.mark.parametrize(
    "line",
    [
        *("places=7", "places=", "places=1;2", "ring=11", "ring=33", "ring=x", "arena=maybe", "beams=4"),
        *("starter=yes", "starter=yes arena=no places=1,3"),
    ],
)
def test_a_line_that_cannot_be_is_refused(line: str) -> None:
    with pytest.raises(ValueError):
        equipment.read(line)


def test_pixels_behind_what_is_missing_move_up() -> None:
    there = Equipment(0b000101, 24)
    public, hoods = 32, 38
    assert there.pixels() == [*range(24), public, public + 2, *range(hoods, hoods + 5), *range(hoods + 10, hoods + 15)]


def test_the_chains_get_the_pixels_that_are_there_and_no_others() -> None:
    frame = bytes(range(204))
    groups = [2, 1, 60_000, 0, 5, 0, 1, 0, 60_000]
    words = [0] * 3
    assert pack(frame, words, groups, 3) == 0
    assert [word >> 16 & 0xFF for word in words] == [0, 3, 24], (
        "their red: the third and the fifth to ninth are not there"
    )


def test_a_status_says_what_is_there() -> None:
    with desk_of(STARTER) as desk:
        status = desk.status()
        assert (status["places"], status["ring"], status["arena"], status["starter"]) == (0b11, 24, 0, 1)
        assert vars(desk.client.equipment) == {"places": 0b11, "ring": 24, "arena": False, "starter": True}
    with desk_of(Equipment()) as desk:
        assert desk.client.equipment.whole


@pytest.mark.parametrize("there", [(wire.ALL_PLACES, 24, 0), (0b11, 24, 1)])
def test_a_starter_that_cannot_be_is_a_table(there: tuple[int, int, int]) -> None:
    with desk_of(STARTER) as desk:
        says = dict(zip(("places", "ring", "arena"), there, strict=True))
        desk.client.status = {**desk.status(), **says}
        assert not desk.client.equipment.starter


def test_a_table_of_an_older_version_is_whole() -> None:
    status = wire.STATUS.encode(0, bytes(64), *[0] * 19)
    assert wire.STATUS.unpack(status[: -len(b"....")])[-4:] == (wire.ALL_PLACES, 32, 1, 0)


def test_places_that_are_there_play_and_the_others_are_not_heard() -> None:
    with desk_of(ODD) as desk:
        desk.ask(wire.POLL, 0, 0b010101)
        assert [desk.public(place) != DARK for place in range(1, 7)] == [True, False] * 3
        for place in (1, 3, 5):
            desk.press(place, "b")
        assert [it["place"] for it in desk.values("answered")] == [1, 3, 5]
        with pytest.raises(tester.TesterError, match="no place 2"):
            desk.tester.press(2, "b")


def test_a_roll_stays_on_a_shorter_ring() -> None:
    with desk_of(Equipment(0b100001, 12, False)) as desk:
        desk.ask(wire.ROLL, 0, 6, 7, bytes([6, 0] * 3))
        desk.press(6, "b")
        desk.run(0.3)
        lit = [colour != DARK for colour in desk.pixels("ring")]
        assert not any(lit[12:]), "not there"
        dice = [(25 + at) % 12 for at in range(3)]
        assert all(lit[at] for at in dice), lit


def test_a_comet_runs_around_the_pixels_that_are_there() -> None:
    with desk_of(Equipment(ring=16)) as desk:
        desk.client.want(wire.SCENE, wire.RING, bytes([1, 255, wire.CHASE] * 32))
        dark = 0
        for _ in range(60):
            desk.run(0.02)
            dark += not any(colour != DARK for colour in desk.pixels("ring"))
        assert dark <= 10, "it is never gone for a part of its round"


def test_a_check_without_an_arena_reports_buttons_alone() -> None:
    with desk_of(STARTER) as desk:
        desk.ask(wire.CHECK, wire.MEASURE)
        desk.tester.say("hold 2 a")
        desk.run(0.5)
        told = [it.values for it in desk.seen if isinstance(it, Told) and it.message is wire.SENSED][-1]
        assert told["measured"] == 1 and told["margins"] == b"\xff" * 8 == told["blinded"]
        assert told["held"] == 1 << 6 and (told["offer"], told["pile"], told["impacts"]) == (0, 0, 0)


def test_without_5_v_the_table_says_so_and_is_dark() -> None:
    with desk_of(Equipment()) as desk:
        desk.client.want(wire.SCENE, wire.RING, bytes([1, 255, 0] * 32))
        desk.run(0.3)
        desk.tester.say("defect power")
        assert desk.status()["flags"] == wire.NO_POWER << wire.FAULTS_SHIFT
        assert set(desk.pixels("ring")) == {DARK}
        desk.tester.say("mend")
        assert desk.status()["flags"] == 0
        assert DARK not in desk.pixels("ring")
