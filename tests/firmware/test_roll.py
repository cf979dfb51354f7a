"""A roll: who does what when, what an evil host is refused, what the pixels show; and the tally that is given."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

import pytest
from tests.firmware.desk import DARK, PENDING, TAKEN, Desk, lit, steady
from tests.firmware.raw import RawHost

from sample import each
from tablier.simulation.simulated import SimulatedTable
from tablier.table.incoming import Rebooted, Refused
from tablier_fw import colours, rolls, wire

FACES = bytes((colours.RED, colours.ORANGE, colours.YELLOW, colours.GREEN, colours.AZURE, colours.MAGENTA))
LOOK = [bytes(colours.option_look(index)).hex() for index in FACES]
FACE = [bytes(look).hex() for look in colours.FACE_LOOKS]
MARK = bytes(colours.ROLLING).hex()
DICE = struct.pack("<5H", *[6] * 5)
BYTES = bytes(range(16))


def ask(desk: Desk, place: int = 2, audience: int = wire.EVERYBODY, ranges: bytes = DICE) -> int:
    return desk.ask(wire.ROLL, 0, place, audience, ranges)


def start(desk: Desk, place: int = 2) -> None:
    """Start a roll, and let it tumble until the table has committed."""
    desk.press(place, "b")
    desk.run(1)


def stand(desk: Desk) -> None:
    """Let an outcome stand until something else can be asked."""
    desk.run(2.2)


def row(rolled: Sequence[int], state: str = TAKEN) -> list[str]:
    """Return the outcome that the ring shows."""
    return [state, MARK, *(FACE[outcome] for outcome in rolled), MARK, state]


def contribute(desk: Desk, id: int, added: bytes = BYTES) -> None:
    """Answer the latest commitment."""
    desk.client.want(wire.CONTRIBUTION, id, desk.values("committed")[-1]["commitment"], added)
    desk.run(0.3)


def derived(desk: Desk, id: int, place: int = 2, ranges: bytes = DICE, added: bytes = BYTES) -> list[int]:
    """Return the outcome of both sides; check that the nonce matches the commitment."""
    board, boot = desk.ids()
    committed, revealed = desk.values("committed")[-1], desk.values("revealed")[-1]
    assert committed["id"] == revealed["id"] == id and committed["place"] == revealed["place"] == place
    bound = rolls.commitment(board, boot, id, place, ranges, revealed["nonce"])
    assert bound == committed["commitment"]
    return rolls.outcomes(board, boot, id, place, ranges, revealed["nonce"], added)


def refusals(desk: Desk) -> list[str]:
    return [str(it.why) for it in desk.seen if isinstance(it, Refused)]


def test_a_place_starts_a_roll_and_all_see_what_both_have_derived(desk: Desk) -> None:
    id = ask(desk)
    desk.run(1)
    assert desk.events() == [] and [lit(colour) for colour in desk.pixels("public")] == [False, True] + [False] * 4
    assert desk.press(1, "b") == [] and desk.press(2, "a", "plus", "minus") == []
    assert desk.press(2, "b") == [], "it tumbles first"
    assert [it.message.name for it in desk.run(1)] == ["committed"]
    assert desk.public(2) == TAKEN
    assert desk.press(2, "b") == []
    desk.run(2)
    assert desk.events("revealed") == [], "nothing is told before the host has contributed"
    contribute(desk, id)
    rolled = derived(desk, id)
    assert desk.pixels("ring")[3:12] == row(rolled)
    assert not any(map(lit, desk.pixels("ring")[:3] + desk.pixels("ring")[12:]))
    assert not any(lit(colour) for place in range(1, 7) for colour in desk.pixels(f"hood{place}"))


def test_a_roll_without_a_place_begins_at_once_and_asks_nobody(desk: Desk) -> None:
    id = ask(desk, 0)
    assert [it.message.name for it in desk.run(1.1)] == ["committed"]
    assert not any(map(lit, desk.pixels("public")))
    contribute(desk, id)
    assert desk.pixels("ring")[-2:] + desk.pixels("ring")[:7] == row(derived(desk, id, 0))


@pytest.mark.parametrize("place", each(3, range(wire.PLACES + 1)))
def test_dice_tumble_between_their_marks_and_come_up_in_front_of_their_place(desk: Desk, place: int) -> None:
    """Each die shows the faces that it has, and no other: one of a single face does not turn."""
    ranges = struct.pack("<4H", 6, 1, 2, 12)
    id = ask(desk, place, ranges=ranges)
    if place:
        desk.press(place, "b")
    first = max(0, place - 1) * 5
    shown: list[set[str]] = [set() for _ in range(4)]
    for _ in range(60):
        desk.run(0.012)
        ring = desk.pixels("ring")
        ring = ring[first:] + ring[:first]
        assert ring[-1] == ring[4] == MARK
        for die, colours_of in enumerate(shown):
            colours_of.add(ring[die])
    assert shown == [set(FACE[:6]), {FACE[0]}, set(FACE[:2]), set(FACE)]
    desk.run(0.5)
    contribute(desk, id)
    ring = desk.pixels("ring")
    assert ring[first - 2 :][: 2 if first < 2 else 8] + ring[: 6 if first < 2 else 0] == row(
        derived(desk, id, place, ranges)
    )


def test_a_secret_roll_is_seen_under_one_hood_and_that_there_was_one_by_all(desk: Desk) -> None:
    ranges = struct.pack("<4H", 6, 6, 6, 6)
    id = ask(desk, 2, 4, ranges)
    start(desk)
    contribute(desk, id)
    rolled = derived(desk, id, ranges=ranges)
    shown = desk.tester.pixels()
    assert shown["hood4"] == [*(FACE[outcome] for outcome in rolled), MARK]
    assert shown["ring"] == [DARK] * 3 + row([]) + [DARK] * 25
    assert not any(lit(colour) for place in (1, 2, 3, 5, 6) for colour in shown[f"hood{place}"])


def test_of_a_roll_for_nobody_all_see_that_there_was_one(desk: Desk) -> None:
    id = ask(desk, 2, wire.NOBODY)
    start(desk)
    contribute(desk, id)
    derived(desk, id)
    shown = desk.tester.pixels()
    assert shown["ring"] == [DARK] * 3 + row([]) + [DARK] * 25
    assert not any(lit(colour) for place in range(1, 7) for colour in shown[f"hood{place}"])


@pytest.mark.parametrize(
    "ranges", [(25, 24, 23, 1, 65535, 2, 2), (6, 6, 13), (6,) * 29], ids=["a draw", "one wide range", "too many dice"]
)
def test_what_dice_cannot_show_is_a_roll_without_dice(desk: Desk, ranges: tuple[int, ...]) -> None:
    packed = struct.pack(f"<{len(ranges)}H", *ranges)
    id = ask(desk, 1, wire.EVERYBODY, packed)
    start(desk, 1)
    contribute(desk, id)
    rolled = derived(desk, id, 1, packed)
    assert all(outcome < count for outcome, count in zip(rolled, ranges, strict=True))
    assert desk.pixels("ring") == [MARK, TAKEN] + [DARK] * 28 + [TAKEN, MARK]


def test_as_many_dice_as_there_is_room_for_fill_the_ring(desk: Desk) -> None:
    packed = struct.pack("<28H", *[6] * 28)
    id = ask(desk, 1, wire.EVERYBODY, packed)
    start(desk, 1)
    contribute(desk, id)
    ring = desk.pixels("ring")
    assert ring[-2:] + ring[:-2] == row(derived(desk, id, 1, packed))


def test_an_outcome_is_shown_at_once_and_pending_until_it_is_durable(desk: Desk) -> None:
    id = ask(desk)
    desk.acking = False
    desk.press(2, "b")
    desk.run(1)
    assert set(desk.film("public", 1, 1.1)) == {PENDING, DARK}
    contribute(desk, id)
    desk.run(1)
    assert desk.events("revealed") == [], "the commitment is not durable"
    desk.ack_all()
    desk.run(0.02)
    assert len(desk.events("revealed")) == 1
    rolled = derived(desk, id)
    assert desk.pixels("ring")[4:11] == row(rolled)[1:-1]
    assert set(desk.film("ring", 3, 3)) == set(desk.film("ring", 11, 1.1)) == {PENDING, DARK}
    assert desk.client.status["acknowledged"] == 0
    desk.ack_all()
    desk.run(0.3)
    assert desk.pixels("ring")[3:12] == row(rolled) and desk.client.status["acknowledged"] == 1


# -- what an evil host is refused ----------------------------------------------------------------------------------


def before_the_commitment(desk: Desk, id: int) -> None:
    """Bytes that are fixed before the nonce could be bent to."""
    desk.client.want(wire.CONTRIBUTION, id, bytes(32), BYTES)


def another_commitment(desk: Desk, id: int) -> None:
    start(desk)
    desk.client.want(wire.CONTRIBUTION, id, bytes(32), BYTES)


def another_question(desk: Desk, id: int) -> None:
    start(desk)
    desk.client.want(wire.CONTRIBUTION, id - 1 or id + 1, desk.values("committed")[-1]["commitment"], BYTES)


@pytest.mark.parametrize("deed", [before_the_commitment, another_commitment, another_question])
def test_bytes_for_no_commitment_that_is_open_are_refused(desk: Desk, deed: Callable[[Desk, int], None]) -> None:
    id = ask(desk)
    deed(desk, id)
    desk.run(0.5)
    assert refusals(desk) == ["contribution: the open question does not wait for it"]
    assert desk.events("revealed") == []
    if not desk.events("committed"):
        start(desk)
    contribute(desk, id)
    derived(desk, id)


def test_other_bytes_for_the_same_commitment_are_refused_and_the_same_change_nothing(desk: Desk) -> None:
    id = ask(desk)
    desk.acking = False
    start(desk)
    contribute(desk, id)
    contribute(desk, id, bytes(16))
    assert refusals(desk) == ["contribution: the open question does not wait for it"]
    commitment = desk.values("committed")[-1]["commitment"]
    desk.client._send(wire.CONTRIBUTION, wire.CONTRIBUTION.encode(id, commitment, BYTES))
    desk.run(0.3)
    assert len(refusals(desk)) == 1
    desk.ack_all()
    desk.acking = True
    desk.run(0.5)
    assert desk.pixels("ring")[5:10] == [FACE[outcome] for outcome in derived(desk, id)]
    contribute(desk, id, BYTES[::-1])  # late: it is told already
    assert len(refusals(desk)) == 2 and len(desk.events("revealed")) == 1


def test_bytes_of_the_roll_before_are_refused(desk: Desk) -> None:
    id = ask(desk)
    start(desk)
    contribute(desk, id)
    before = desk.values("committed")[-1]["commitment"]
    stand(desk)
    again = ask(desk)
    start(desk)
    for replayed in (id, again):
        desk.client.want(wire.CONTRIBUTION, replayed, before, BYTES[::-1])
        desk.run(0.3)
    assert len(refusals(desk)) == 2 and len(desk.events("revealed")) == 1


@pytest.mark.parametrize(
    ("place", "audience", "ranges"),
    [(2, wire.EVERYBODY, struct.pack("<5H", *[4] * 5)), (2, wire.NOBODY, DICE), (5, wire.EVERYBODY, DICE)],
    ids=["other ranges", "another audience", "another place"],
)
def test_a_question_that_is_changed_after_the_commitment_takes_another_one(
    desk: Desk, place: int, audience: int, ranges: bytes
) -> None:
    """What the table has committed to is opened for what was asked then, or never."""
    id = ask(desk)
    start(desk)
    before = desk.values("committed")[-1]["commitment"]
    desk.client.want(wire.ROLL, id, 0, place, audience, ranges)
    desk.run(0.3)
    desk.client.want(wire.CONTRIBUTION, id, before, BYTES)
    desk.run(0.3)
    assert refusals(desk) and not desk.events("revealed")
    assert len(desk.events("committed")) == 1, "and the place has to press again"


def test_no_other_question_takes_bytes(desk: Desk) -> None:
    for message, *values in (
        (wire.POLL, 0, 1),
        (wire.IDLE, 0),
        (wire.CHOICE, 0, 1, 0, b"\1" + bytes(5), bytes(6), b"\1"),
    ):
        id = desk.ask(message, *values)
        desk.client.want(wire.CONTRIBUTION, id, bytes(32), BYTES)
        desk.run(0.3)
    assert len(refusals(desk)) == 3


# -- cables and resets ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("when", each(2, ["committed", "started", "contributed"]))
def test_a_roll_survives_a_pulled_cable(desk: Desk, when: str) -> None:
    id = ask(desk)
    if when != "started":
        start(desk)
    if when == "contributed":
        desk.acking = False
        contribute(desk, id)
    desk.tester.say("unplug")
    desk.run(0.5)
    if when == "started":
        desk.tester.press(2, "b")
    desk.run(2)
    desk.tester.say("plug")
    desk.acking = True
    desk.run(2)
    desk.ack_all()
    if when != "contributed":
        contribute(desk, id)
    desk.run(1)
    assert desk.pixels("ring")[5:10] == [FACE[outcome] for outcome in derived(desk, id)]
    assert len({it["commitment"] for it in desk.values("committed")}) == 1


def test_a_reset_voids_a_roll_and_its_bytes_are_nothing_to_the_next(desk: Desk) -> None:
    id = ask(desk)
    start(desk)
    before = desk.values("committed")[-1]["commitment"]
    desk.tester.say("reset")
    desk.run(2)
    assert any(isinstance(it, Rebooted) for it in desk.seen)
    again = ask(desk)
    start(desk)
    assert desk.values("committed")[-1]["commitment"] != before
    desk.client.want(wire.CONTRIBUTION, again, before, BYTES)
    desk.run(0.3)
    assert len(refusals(desk)) == 1 and desk.events("revealed") == []
    contribute(desk, again)
    assert desk.pixels("ring")[5:10] == [FACE[outcome] for outcome in derived(desk, again)]
    assert id != again


def test_another_run_of_the_host_ends_a_roll_as_the_first_began_it(desk: Desk) -> None:
    id = ask(desk)
    start(desk)
    desk.client.close()
    desk.new_client(desk.client.boot)
    desk.client.open()
    desk.client.want(wire.ROLL, id, 0, 2, wire.EVERYBODY, DICE)
    desk.run(0.3)
    contribute(desk, id)
    assert len(desk.events("committed")) == 1
    assert desk.pixels("ring")[5:10] == [FACE[outcome] for outcome in derived(desk, id)]


def test_a_call_waits_for_the_outcomes() -> None:
    """A roll that a place has started cannot be looked at and called away."""
    with SimulatedTable(virtual=True, seed=1) as table:
        host = RawHost(table)
        host.hello(log=b"the log!")
        host.listen(0.1)
        host.send(wire.ROLL, 5, wire.CALL, 2, wire.EVERYBODY, DICE)
        host.listen(0.1)
        table.tester.press(2, "b")
        host.listen(0.2)
        table.tester.say("hold 3 minus")
        host.listen(0.1)
        table.tester.say("hold 3 plus")
        host.listen(1.0)
        names = [name for _, name, _, _ in host.frames]
        assert "committed" in names and "called" not in names
        committed = [values for _, name, _, values in host.frames if name == "committed"][-1]
        host.send(wire.ACK, committed["number"])
        host.send(wire.CONTRIBUTION, 5, committed["commitment"], BYTES)
        host.listen(0.3)
        host.send(wire.ACK, committed["number"] + 1)
        host.listen(0.3)
        assert "called" in [name for _, name, _, _ in host.frames]
        host.close()


# -- the tally that is given ---------------------------------------------------------------------------------------


def test_given_dice_are_not_entered(desk: Desk) -> None:
    id = desk.ask(wire.TALLY, 0, 3, 4, FACES, bytes([5, 2]))
    assert steady(desk, 3) == [LOOK[5], LOOK[2], LOOK[0], DARK, DARK]
    desk.press(3, "a", "a", "a", "plus", "b", "a", "a", "plus", "b", "minus")  # back to the first that is entered
    assert steady(desk, 3) == [LOOK[5], LOOK[2], LOOK[2], LOOK[5], DARK]
    desk.press(3, "b")
    assert desk.values("tallied") == [{"id": id, "place": 3, "kept": 0, "faces": bytes([5, 2, 2, 5])}]


def test_a_secret_tally_begins_anywhere_and_says_nothing_of_its_walk(desk: Desk) -> None:
    begun, pressed = set(), set()

    def face() -> str:
        if desk.pixels("hood3")[0] == DARK:  # it blinks
            desk.run(0.512)
        return desk.pixels("hood3")[0]

    for _ in range(10):
        desk.ask(wire.TALLY, wire.VEIL, 3, 1, FACES, b"")
        seen = len(desk.seen)
        begun.add(face())
        presses = 0
        while face() != LOOK[4]:
            desk.press(3, "plus")
            presses += 1
        pressed.add(presses)
        assert len(desk.seen) == seen, "the walk is reported"
        desk.press(3, "b")
        assert desk.values("tallied")[-1]["faces"] == bytes([4])
    assert len(begun) > 2 and len(pressed) > 2
