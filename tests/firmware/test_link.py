"""The link: whom the table listens to, what it says by itself, and that no line is too bad."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import strategies as st
from tests.firmware.desk import Desk, DeskHost
from tests.firmware.raw import RUN, Frame

from sample import sample
from tablier.table.incoming import Plugged, Rebooted, TableEvent, Unplugged
from tablier.texts import Json
from tablier_fw import wire
from tablier_fw.version import __version__

OTHER = b"another!"


@pytest.fixture
def raw(stranger: DeskHost) -> DeskHost:
    return stranger


def names(frames: list[Frame]) -> list[str]:
    return [name for _, name, _, _ in frames]


# -- hello ---------------------------------------------------------------------------------------------------------


def test_before_a_hello_the_table_says_hello_once_a_second_and_nothing_else(raw: DeskHost) -> None:
    said = raw.listen(5.5)
    assert set(names(said)) == {"table_hello"} and len(said) in (5, 6)
    times = [time for time, *_ in said]
    assert all(0.9 < b - a < 1.1 for a, b in pairwise(times[1:]))
    assert {run for _, _, run, _ in said} == {wire.NO_ID}


def test_the_hello_says_who_the_table_is(raw: DeskHost) -> None:
    raw.listen(1.5)
    hello = raw.frames[-1][3]
    assert (hello["major"], hello["minor"]) == (wire.MAJOR, wire.MINOR)
    assert hello["board"].hex() == raw.desk.table.board
    assert hello["cause"] == 1 and hello["last"] == hello["acked"] == 0
    assert hello["version"].decode().startswith(f"{__version__}; MicroPython 1.")
    boot = raw.boot
    raw.desk.tester.say("reset")
    raw.listen(1.5)
    assert raw.frames[-1][3]["cause"] == 2 and raw.boot != boot


def test_a_hello_is_answered_at_once_and_to_whoever_said_it(raw: DeskHost) -> None:
    raw.hello()
    said = raw.listen(0.01)
    assert "table_hello" in names([frame for frame in said if frame[2] == RUN])
    assert "status" in names(said)


def test_frames_of_another_run_or_another_boot_are_refused(raw: DeskHost) -> None:
    raw.hello()
    raw.listen()
    for ids in ({"run": OTHER}, {"boot": OTHER}, {"boot": wire.NO_ID}):
        before = raw.status()
        raw.send(wire.WATCH, 1, 0, 0b111111, **ids)
        after = raw.status()
        assert after["bad_frames"] == before["bad_frames"] + 1 and after["held"] == bytes(64)
    raw.send(wire.WATCH, 1, 0, 0b111111)
    assert raw.status()["held"] != bytes(64)


def test_a_new_run_takes_the_place_of_the_old_one(raw: DeskHost) -> None:
    raw.hello()
    raw.listen()
    raw.send(wire.WATCH, 7, 0, 0b111111)
    raw.desk.tester.press(1, "a")
    assert "pressed" in names(raw.listen())
    raw.run = OTHER
    raw.hello()
    said = raw.listen()
    assert {run for _, _, run, _ in said} == {OTHER}
    assert "pressed" in names(said)  # nobody has acknowledged it
    raw.send(wire.IDLE, 8, 0, run=RUN)
    held = raw.status()["held"]
    assert held[32:36] != wire.revision(wire.IDLE, wire.IDLE.encode(8, 0)).to_bytes(4, "little")


@pytest.mark.parametrize("stale", [wire.MAJOR + 1, 0])
def test_a_host_that_does_not_fit_is_told_the_tables_version_and_not_listened_to(raw: DeskHost, stale: int) -> None:
    raw.hello()
    raw.listen()
    raw.run = OTHER
    raw.hello(stale)
    said = raw.listen(0.1)
    assert "table_hello" in names(said)
    raw.send(wire.WATCH, 1, 0, 0b111111)
    assert raw.status()["held"] == bytes(64)
    assert {run for _, _, run, _ in raw.frames[-2:]} == {RUN}  # the table goes on with the host it has


def test_a_simulated_table_has_no_service_mode_and_says_so_to_any_host(raw: DeskHost) -> None:
    raw.hello(major=wire.MAJOR + 1)
    raw.listen()
    assert not raw.frames[-1][3]["abilities"] & wire.CAN_SERVE
    raw.send(wire.SERVICE, raw.challenge)
    said = raw.listen()
    answers = [(run, values) for _, name, run, values in said if name == "serving"]
    assert answers == [(RUN, {"refusal": wire.CANNOT_SERVE})]


# -- what the table says by itself ------------------------------------------------------------------------------------


def test_a_status_comes_five_times_a_second_and_when_something_changes(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    statuses: list[float] = []
    take = desk.client._take_status

    def noted(status: Json) -> None:
        statuses.append(desk.clock.now())
        take(status)

    monkeypatch.setattr(desk.client, "_take_status", noted)
    desk.run(10)
    assert 48 <= len(statuses) <= 52
    desk.run(0.05)
    before = desk.clock.now()
    desk.ask(wire.POLL, 0, 0b1)
    assert statuses[-1] - before < 0.01


def test_the_status_says_how_the_table_is(desk: Desk) -> None:
    desk.run(3)
    status = desk.status()
    assert abs(status["time"] / 1e6 - desk.clock.now()) < 0.25
    assert status["loops"] >= 4 and status["bad_frames"] == 0 and status["resent"] == 0
    desk.ask(wire.WATCH, 0, 0b1)
    desk.acking = False
    desk.press(1, "a", "b")
    desk.run(1)
    status = desk.status()
    assert (status["number"], status["acked"]) == (2, 0) and status["resent"] > 5
    desk.ack_all()
    assert desk.status()["acked"] == 2
    port = desk.client._open_port
    assert port is not None
    port.write(b"!AAAA\n!nonsense\n")
    assert desk.status()["bad_frames"] == 2


def test_there_is_memory_to_spare_in_play(desk: Desk) -> None:
    for group, count in enumerate(wire.GROUPS):
        desk.client.want(wire.SCENE, group, bytes([1, 2, wire.CHASE]) * count)
    least = 10**9
    for question in (
        (wire.WINDOW, 0, 0b111111, 0, 60000, 1000, 0),
        (wire.CHOICE, 0, 0b111111, 0, b"\7" * 6, bytes(6), b"\1\2\3"),
        (wire.TALLY, wire.MARK, 1, 5, bytes(range(1, 7)), b""),
        (wire.MENU, 0, 1, 0, 0xFFF, bytes(range(1, 13))),
        (wire.WATCH, 0, 0b111111),
    ):
        desk.ask(*question)
        desk.acking = False  # a full journal too
        for turn in range(9):
            desk.tester.land("leaning")
            for place in range(1, 7):
                desk.tester.press(place, wire.BUTTONS[turn % 4], 30)
            desk.run(0.07)
        desk.run(2.2)  # collections run in idle slots
        least = min(least, desk.status()["heap_free"])
        assert desk.status()["heap_used"] > 10_000
        desk.acking = True
        desk.ack_all()
    assert least >= 60_000


def test_a_pong_tells_the_tables_clock(raw: DeskHost) -> None:
    raw.hello()
    raw.listen()
    for asked in (0, 1, 2**40, 2**64 - 1):
        raw.send(wire.PING, asked)
        now = raw.desk.tester.time()
        ((_, _, _, pong),) = [frame for frame in raw.listen(0.05) if frame[1] == "pong"]
        assert pong["host_time"] == asked
        assert abs(pong["time"] / 1e6 - now) < 0.001


# -- reboot, cable, host -----------------------------------------------------------------------------------------------


def test_a_reboot_gives_the_scene_back_and_voids_the_question(desk: Desk) -> None:
    desk.client.want(wire.SCENE, wire.PUBLIC, bytes([1, 3, wire.STEADY]) * 6)
    id = desk.ask(wire.CHOICE, 0, 0b1, 0b10, b"\3" + bytes(5), bytes(6), b"\1\2")
    desk.client.want(wire.OUTSIDE, id, 2, 0, bytes(32))
    desk.run()
    before = desk.client.boot
    desk.tester.say("reset")
    desk.run(1)
    assert (desk.client.boot, before) in [(it.boot, it.before) for it in desk.seen if isinstance(it, Rebooted)]
    assert desk.client.boot != before
    assert desk.pixels("public") == ["030303"] * 6
    held = desk.status()["held"]
    assert held[:4] == bytes(4) and held[4:8] != bytes(4) and held[8:] == bytes(56)


def test_events_of_the_last_boot_are_not_taken_for_those_of_the_next(desk: Desk) -> None:
    desk.ask(wire.WATCH, 0, 0b1)
    desk.press(1, "a", "a", "a")
    desk.tester.say("reset")
    desk.run(1)
    desk.ask(wire.WATCH, 0, 0b1)
    desk.press(1, "b")
    boots = [(it.boot, it.number) for it in desk.events()]
    assert [number for _, number in boots] == [1, 2, 3, 1]
    assert len({boot for boot, _ in boots}) == 2


def test_a_pulled_cable_loses_nothing_and_the_port_may_have_another_name(desk: Desk) -> None:
    other = Desk(2, open=False)  # another table is plugged in too
    try:
        desk.ask(wire.WATCH, 0, 0b1)
        boot, port = desk.client.boot, desk.client.port
        desk.press(1, "a")
        desk.tester.say("unplug")
        desk.run(1)
        assert isinstance(desk.seen[-1], Unplugged) and not desk.client.connected
        pressed = []
        for button in ("b", "minus"):
            pressed.append(desk.clock.now())
            desk.tester.press(1, button)
            desk.run(0.5)
        desk.run(5)
        desk.tester.say("plug")
        desk.run(1)
        assert desk.client.boot == boot and desk.client.port != port
        assert [type(it) for it in desk.seen if not isinstance(it, TableEvent)] == [Plugged, Unplugged, Plugged]
        assert [it.values["button"] for it in desk.events()] == [2, 3, 0]
        assert [it.time for it in desk.events()[1:]] == pytest.approx(pressed, abs=0.01)
        assert other.client.board is None
    finally:
        other.close()


def test_a_table_that_falls_silent_with_its_port_open_is_told_and_is_back(desk: Desk) -> None:
    began = desk.clock.now()
    desk.tester.say("faults drop=1")
    desk.run_until(lambda: isinstance(desk.seen[-1], Unplugged), 5)
    assert 1.9 <= desk.clock.now() - began <= 2.5 and not desk.client.connected
    desk.run(5)
    desk.tester.say("faults")
    desk.run_until(lambda: isinstance(desk.seen[-1], Plugged), 5)
    assert [type(it) for it in desk.seen if not isinstance(it, TableEvent)] == [Plugged, Unplugged, Plugged]


def test_a_host_that_stood_still_does_not_blame_the_table(desk: Desk) -> None:
    desk.run(1)
    desk.clock.wait(8, None)  # and nothing is read
    desk.run(5)
    assert [type(it) for it in desk.seen] == [Plugged] and desk.client.connected


def test_the_table_keeps_its_question_while_the_cable_is_out(desk: Desk) -> None:
    desk.ask(wire.POLL, 0, 0b11)
    desk.tester.say("unplug")
    desk.run(5)
    desk.press(1, "b")
    desk.tester.say("plug")
    desk.run(1)
    desk.press(2, "a")
    assert [(it["place"], it["yes"]) for it in desk.values("answered")] == [(1, 1), (2, 0)]


def test_a_new_host_gets_what_the_last_one_had_not_made_durable(desk: Desk) -> None:
    desk.ask(wire.WATCH, 0, 0b1)
    desk.press(1, "a")
    desk.acking = False  # it dies
    desk.press(1, "b")
    pressed = desk.events()[-1].time
    desk.run(3)
    desk.client.close()
    boot = desk.client.boot
    desk.seen.clear()
    desk.acking = True
    desk.new_client(boot).open()
    desk.press(1, "minus")
    assert [(it.number, it.values["button"]) for it in desk.events()] == [(2, 3), (3, 0)]
    assert desk.events()[0].time == pytest.approx(pressed, abs=1e-3)  # when it happened, not when it came
    assert not [it for it in desk.seen if isinstance(it, Rebooted)]


def test_a_host_that_does_not_read_stops_nothing(raw: DeskHost) -> None:
    raw.hello()
    raw.listen()
    raw.send(wire.WATCH, 1, 0, 0b1)
    raw.listen()
    for _ in range(20):
        raw.desk.tester.press(1, "a", 30)
        raw.listen(1, read=False)
    raw.hello()
    numbers = [values["number"] for _, name, _, values in raw.listen(3) if name == "pressed"]
    assert list(dict.fromkeys(numbers)) == list(range(1, 21))
    raw.send(wire.ACK, 20)
    assert raw.status()["acked"] == 20


# -- lines that are bad ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "faults",
    [
        "drop=0.3",
        "double=0.5",
        "flip=0.3",
        "cut=0.3",
        *(f"drop=0.2 double=0.3 flip=0.2 cut=0.2 seed={i}" for i in (1, 2)),
    ][sample(5, 0) :],
)
def test_over_a_bad_line_each_event_comes_once_and_in_order(desk: Desk, faults: str) -> None:
    desk.ask(wire.WATCH, 0, 0b111111)
    desk.tester.say(f"faults {faults}")
    pressed = []
    for turn in range(30):
        place, button = turn % 6 + 1, turn % 4
        desk.tester.press(place, wire.BUTTONS[button], 30)
        pressed.append((place, button))
        desk.run(0.12)
        desk.client.want(wire.SCENE, wire.RING, bytes([3, turn, wire.STEADY]) * 32)
    await_events(desk, 30)
    desk.run(1)
    assert [(it["place"], it["button"]) for it in desk.values("pressed")] == pressed
    assert desk.client.status["resent"] or "double=0.5" in faults  # the line was bad indeed
    desk.run_until(lambda: desk.pixels("ring") == ["1d0000"] * 32, 10)
    desk.run_until(lambda: desk.client.status["acked"] == 30, 10)


def await_events(desk: Desk, count: int, name: str | None = None) -> None:
    desk.run_until(lambda: len(desk.events(name)) >= count, 20)


def test_a_choice_over_a_bad_line_is_still_verified(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(3)
    desk.tester.say("faults drop=0.3 double=0.3 flip=0.2 cut=0.2 seed=3")
    for count in range(3, 18, 3):
        desk.ask(wire.CHOICE, 0, 0b111, 0, b"\3\3\3\0\0\0", bytes(6), b"\1\2")
        desk.run_until(lambda: desk.holds(wire.QUESTION_SLOT))
        for place in range(1, 4):
            desk.press(place, "a", "plus")
        await_events(desk, count, "opened")
    locked = {(it["id"], it["place"]): it["commitment"] for it in desk.values("locked")}
    board, boot = desk.ids()
    assert len(desk.values("opened")) == 15
    for it in desk.values("opened"):
        bound = wire.commitment(board, boot, it["id"], it["place"], 0, it["nonce"], it["choice"])
        assert locked[it["id"], it["place"]] == bound


# -- bytes that are nothing -----------------------------------------------------------------------------------------

PIECES = st.one_of(
    st.binary(max_size=300),
    st.sampled_from([b"!", b"\n", b"\x03", b"\x04\x04", b"\r\n>>> ", b"!" * 300, b"A" * 5000, b"!\n" * 200]),
    st.tuples(st.sampled_from(wire.MESSAGES), st.binary(max_size=wire.MAX_PAYLOAD)),
    st.tuples(st.sampled_from(wire.MESSAGES), st.none()),
)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> DeskHost:
    """A host of its own at a table that does as little in a turn as a Pico."""
    monkeypatch.setenv("TABLIER_BUDGET", "1")
    host: DeskHost = request.getfixturevalue("stranger")
    return host


def test_frames_wait_in_the_port_until_there_is_time_for_them(slow: DeskHost) -> None:
    """A table takes no more bytes while it has frames to handle, or they would fill its memory."""
    slow.hello()
    before = slow.boot
    sent = range(1000)
    slow.write(b"".join(wire.frame(wire.PING, slow.boot, slow.run, wire.PING.pack(number)) for number in sent))
    answered = [values["host_time"] for _, name, _, values in slow.listen(3) if name == "pong"]
    assert answered == sorted(answered)
    assert answered[-1:] == [sent[-1]]
    slow.hello()
    assert slow.boot == before
