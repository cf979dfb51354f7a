"""The wire in hostile company: what is refused and how, who may take the table, what a false table can do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.firmware.desk import LOG, Desk, DeskHost
from tests.firmware.raw import RUN, WHOLE, FakeTable, Greeted, drain

from tablier.table.client import Client
from tablier.table.incoming import Rebooted, Refused, TableEvent, Unfit, Walked
from tablier.table.unusable import TableError
from tablier.texts import Json
from tablier_fw import colours, wire, words

OTHER = b"another!"
ELSEWHERE = b"diarist!"
EVENTS = {message.name for message in wire.MESSAGES if message.group == wire.EVENT}


def question(raw: DeskHost) -> bytes:
    """The revision of the open question, as a status tells it."""
    held: bytes = raw.status()["held"]
    return held[4 * wire.QUESTION_SLOT : 4 * wire.QUESTION_SLOT + 4]


def events(raw: DeskHost, seconds: float = 0.3) -> list[tuple[str, Json]]:
    """The events that come, each once: what is not acknowledged is sent again."""
    told = {values["number"]: (name, values) for _, name, _, values in raw.listen(seconds) if name in EVENTS}
    return list(told.values())


# -- what is refused changes nothing, and is answered -------------------------------------------------------------

NEVER = [
    ("a payload that is cut off", wire.POLL, b"\2\0\0\0\0", "places", "short"),
    ("a poll of nobody", wire.POLL, wire.POLL.pack(2, 0, 0), "places", "range"),
    ("presses of nobody", wire.WATCH, wire.WATCH.pack(2, 0, 0), "places", "range"),
    ("a poll of place 7", wire.POLL, wire.POLL.pack(2, 0, 64), "places", "range"),
    ("a flag that a poll has not", wire.POLL, wire.POLL.pack(2, 4, 1), "flags", "range"),
    ("no id", wire.POLL, wire.POLL.pack(0, 0, 1), "id", "range"),
    ("a place both asked and outside", wire.WINDOW, wire.WINDOW.pack(2, 0, 1, 1, 5000, 0, 0, 0), "outside", "rule"),
    ("a window of nobody", wire.WINDOW, wire.WINDOW.pack(2, 0, 0, 0, 5000, 0, 0, 0), "places", "rule"),
    ("a light beyond the ring", wire.WINDOW, wire.WINDOW.pack(2, 0, 1, 0, 5000, 0, 0, 32), "first", "range"),
    ("a label that a hood cannot show", wire.MENU, wire.MENU.pack(2, 0, 1, 0, 1, b"\x0d"), "labels", "rule"),
    ("a label that is the table's mark", wire.MENU, wire.MENU.pack(2, 2, 1, 0, 1, b"\x0f"), "labels", "range"),
    ("a menu without options", wire.MENU, wire.MENU.pack(2, 0, 1, 0, 1, b""), "labels", "range"),
    ("a menu that nothing can be picked of", wire.MENU, wire.MENU.pack(2, 0, 1, 0, 0, b"\1"), "open", "range"),
    ("a menu for place 7", wire.MENU, wire.MENU.pack(2, 0, 7, 0, 1, b"\1"), "place", "range"),
    ("six dice", wire.TALLY, wire.TALLY.pack(2, 0, 1, 6, b"\1", b""), "dice", "range"),
    ("dice without faces", wire.TALLY, wire.TALLY.pack(2, 0, 1, 1, b"", b""), "colours", "range"),
    (
        "four options",
        wire.CHOICE,
        wire.CHOICE.pack(2, 0, 1, 0, b"\1" + bytes(5), bytes(6), bytes(4)),
        "colours",
        "range",
    ),
    ("nothing allowed", wire.CHOICE, wire.CHOICE.pack(2, 0, 1, 0, bytes(6), bytes(6), b"\1"), "allowed", "rule"),
    (
        "a mark as a choice",
        wire.CHOICE,
        wire.CHOICE.pack(2, 0, 1, 0, b"\1" + bytes(5), bytes(6), b"\x0f"),
        "colours",
        "range",
    ),
    ("an unknown effect", wire.SCENE, wire.SCENE.pack(1, b"\1\1\4" * 6, 255), "pixels", "range"),
    ("the table's mark in a scene", wire.SCENE, wire.SCENE.pack(1, b"\x0f\1\0" * 6, 255), "pixels", "range"),
    ("too few pixels", wire.SCENE, wire.SCENE.pack(1, b"\1\1\0" * 5, 255), "pixels", "rule"),
    ("a light too dim to see by", wire.SCENE, wire.SCENE.pack(1, b"\1\1\0" * 6, 62), "light", "range"),
    ("a group that is not there", wire.SCENE, wire.SCENE.pack(8, b"\1\1\0" * 5, 255), "group", "range"),
    ("a word for place 0", wire.OUTSIDE, wire.OUTSIDE.pack(2, 0, 0, bytes(32)), "place", "range"),
    ("an endless note", wire.TONE, wire.TONE.pack(2, b"\1\1\x11\x27", 1), "notes", "range"),
    ("half an acknowledgement", wire.ACK, b"\1\0\0", "number", "short"),
]


def test_what_can_never_be_answered_changes_nothing_and_is_answered_with_field_and_reason(raw: DeskHost) -> None:
    raw.send(wire.POLL, 1, 0, 0b1)
    before = raw.status()["held"]
    for what, message, payload, field, reason in NEVER:
        raw.write(wire.frame(message, raw.boot, raw.run, payload))
        (refused,) = [values for _, name, _, values in raw.listen(0.05) if name == "refused"]
        assert refused == {
            "code": message.code,
            "slot": wire.slot_of(message, payload),
            "revision": wire.revision(message, payload),
            "field": message.names.index(field),
            "reason": [name for name, _ in words.REASONS].index(reason),
        }, what
    assert raw.status()["held"] == before
    raw.desk.tester.press(1, "b")
    assert [(name, it["id"]) for name, it in events(raw)] == [("answered", 1)]


def test_a_longer_payload_is_taken_as_far_as_it_is_known(raw: DeskHost) -> None:
    payload = wire.POLL.encode(1, 0, 0b1) + b"more"
    raw.write(wire.frame(wire.POLL, raw.boot, raw.run, payload))
    assert question(raw) == wire.revision(wire.POLL, payload).to_bytes(4, "little")
    raw.desk.tester.press(1, "b")
    assert [name for name, _ in events(raw)] == ["answered"]


def test_unknown_messages_are_counted_and_only_unknown_state_is_refused(raw: DeskHost) -> None:
    for code in (0x05, 0x1F, 0x3F, 0x4F, 0x6F, 0x70, 0x7F):
        raw.write(wire.frame(wire.unknown(code), raw.boot, raw.run, b"?"))
    assert raw.refusals() == []
    raw.write(wire.frame(wire.unknown(0x2F), raw.boot, raw.run, b"?"))
    (refused,) = [values for _, name, _, values in raw.listen(0.1) if name == "refused"]
    assert (refused["code"], refused["slot"], refused["reason"]) == (0x2F, wire.NO_SLOT, wire.UNKNOWN)
    status = raw.status()
    assert (status["unknown"], status["bad_frames"]) == (8, 0)


def test_the_host_says_a_refusal_once_in_words_and_stops_sending(greeted: Greeted) -> None:
    table, client = greeted
    client.want(wire.WATCH, 5, 0, 0b1)
    payload = wire.WATCH.encode(5, 0, 0b1)
    refused = wire.WATCH.code, wire.QUESTION_SLOT, wire.revision(wire.WATCH, payload), 2, wire.RANGE
    table.send(wire.REFUSED, *refused)
    table.send(wire.REFUSED, *refused)
    told = [it for it in drain(client) if isinstance(it, Refused)]
    assert [str(it.why) for it in told] == ["watch: places is 1, which the table does not take; allowed: 1–63"]
    table.heard.clear()
    for _ in range(10):
        table.clock.time += 0.2
        table.status()
        drain(client)
    assert "watch" not in [name for name, *_ in table.heard]
    client.want(wire.WATCH, 6, 0, 0b1)  # something else is sent again
    drain(client)
    assert "watch" in [name for name, *_ in table.heard]


# -- whose question it is -----------------------------------------------------------------------------------------


def answer(raw: DeskHost, id: int = 7) -> list[tuple[str, int, int]]:
    raw.send(wire.POLL, id, 0, 0b1)
    raw.listen(0.05)
    raw.desk.tester.press(1, "b")
    told = events(raw)
    if told:
        raw.send(wire.ACK, told[-1][1]["number"])
        raw.listen(0.1)
    return [(name, it["id"], it["yes"]) for name, it in told]


@pytest.mark.parametrize("log", [LOG, ELSEWHERE, wire.NO_ID], ids=["the same log", "another log", "no log"])
def test_an_answered_question_that_a_new_run_asks_is_asked_again(raw: DeskHost, log: bytes) -> None:
    assert answer(raw) == [("answered", 7, 1)]
    raw.run = OTHER
    raw.hello(log=log)
    raw.listen()
    assert answer(raw) == [("answered", 7, 1)]


def test_the_next_run_with_the_same_log_finds_the_question_as_it_was(raw: DeskHost) -> None:
    raw.send(wire.POLL, 7, 0, 0b11)
    raw.desk.tester.press(1, "b")
    raw.send(wire.ACK, events(raw)[-1][1]["number"])
    held = question(raw)
    raw.run = OTHER
    raw.hello(log=LOG)
    raw.listen()
    raw.send(wire.POLL, 7, 0, 0b11)
    assert question(raw) == held
    raw.desk.tester.press(1, "a")
    assert events(raw) == []  # that place has answered, and it is durable
    raw.desk.tester.press(2, "a")
    assert [(it["place"], it["yes"]) for _, it in events(raw)] == [(2, 0)]


def test_half_a_question_of_another_log_is_void_and_so_is_what_waited_for_that_log(raw: DeskHost) -> None:
    raw.send(wire.POLL, 7, 0, 0b11)
    raw.listen(0.05)
    raw.desk.tester.press(1, "b")
    assert len(events(raw, 0.1)) == 1
    raw.run = OTHER
    raw.hello(log=ELSEWHERE)
    said = raw.listen()
    assert "answered" not in [name for _, name, _, _ in said]
    hello = [values for _, name, run, values in said if name == "table_hello" and run == OTHER][-1]
    assert hello["last"] == hello["acked"] == 1
    assert question(raw) == bytes(4)
    assert raw.desk.pixels("public") == ["000000"] * 6


UNPAINTED = {"000000", bytes(colours.ALONE).hex()}
SECRET = bytes((colours.ROSE, 255, wire.STEADY))


def paint(raw: DeskHost) -> None:
    """Paint every group, and see it under the hood of place 1."""
    for group, count in enumerate(wire.GROUPS):
        raw.send(wire.SCENE, group, SECRET * count)
    raw.listen(0.2)
    assert peeked(raw)


def peeked(raw: DeskHost) -> bool:
    """Return True if place 1 sees what is painted under its hood, when it looks."""
    raw.desk.tester.press(1, "a")
    raw.listen(0.2)
    seen = any(color != "000000" for color in raw.desk.pixels("hood1"))
    raw.listen(5.2)
    return seen


def scenes(raw: DeskHost) -> bytes:
    held: bytes = raw.status()["held"]
    return held[: 4 * len(wire.GROUPS)]


def test_scenes_go_with_the_log_that_they_were_painted_for(raw: DeskHost) -> None:
    paint(raw)
    raw.run = OTHER
    raw.hello(log=ELSEWHERE)
    raw.listen()
    assert not peeked(raw)
    assert set(raw.desk.pixels("ring") + raw.desk.pixels("public")) <= UNPAINTED
    assert scenes(raw) == bytes(4 * len(wire.GROUPS))


@pytest.mark.parametrize(
    ("message", "values"),
    [(wire.IDLE, (1, 0)), (wire.SCENE, (wire.RING, bytes(96))), (wire.TONE, (1, b"\1\1\1\1"))],
    ids=["asked", "painted", "sounded"],
)
def test_what_a_log_has_there_stands_until_a_host_without_one_wants_anything(
    raw: DeskHost, message: wire.Message, values: tuple[object, ...]
) -> None:
    paint(raw)
    raw.send(wire.POLL, 7, 0, 0b110)
    raw.listen(0.1)
    raw.run = OTHER
    raw.hello()
    raw.listen()
    assert raw.status()["held"] == bytes(64)
    assert peeked(raw) and not UNPAINTED.issuperset(raw.desk.pixels("ring"))
    raw.send(message, *values)
    assert not peeked(raw)
    raw.desk.tester.press(2, "b")
    assert events(raw) == [] and set(raw.desk.pixels("ring")) <= UNPAINTED


def test_the_same_tune_of_another_log_is_another_tune(raw: DeskHost) -> None:
    tune = (wire.TONE, 5, b"\1\1\1\0")
    raw.send(*tune)
    raw.listen(0.1)
    before = len(raw.desk.tester.say("stats")["tunes"])
    raw.run = OTHER
    raw.hello(log=ELSEWHERE)
    raw.listen(0.1)
    raw.send(*tune)
    raw.listen(0.1)
    assert len(raw.desk.tester.say("stats")["tunes"]) > before


def test_a_host_without_a_log_may_look_on_and_disturbs_nothing(raw: DeskHost) -> None:
    raw.send(wire.POLL, 7, 0, 0b11)
    held = question(raw)
    raw.run = OTHER
    raw.hello()
    raw.listen()
    assert question(raw) == bytes(4)  # not its own
    raw.run = RUN
    raw.hello(log=LOG)
    raw.listen()
    assert question(raw) == held
    raw.desk.tester.press(2, "b")
    assert [name for name, _ in events(raw)] == ["answered"]


# -- who may take the table ---------------------------------------------------------------------------------------


def test_a_replayed_hello_takes_the_table_from_nobody(raw: DeskHost) -> None:
    first = wire.frame(
        wire.HOST_HELLO,
        wire.NO_ID,
        RUN,
        wire.HOST_HELLO.encode(wire.MAJOR, wire.MINOR, raw.challenge, LOG, bytes(16), b"test"),
    )
    raw.write(first)  # it is adopted by it, again
    raw.listen(0.1)
    raw.run = OTHER
    raw.hello(log=LOG)
    raw.listen(0.1)
    raw.send(wire.WATCH, 1, 0, 0b1)
    held = raw.status()["held"]
    raw.write(first)
    said = raw.listen(0.5)
    assert {run for _, _, run, _ in said} == {OTHER}
    assert raw.status()["held"] == held


def test_service_is_not_granted_to_a_replayed_request(raw: DeskHost) -> None:
    old = raw.challenge
    raw.hello(log=LOG)
    raw.listen(0.1)
    raw.send(wire.SERVICE, old)
    assert [values for _, name, _, values in raw.listen(0.1) if name == "serving"] == [{"refusal": wire.STRANGER}]


# -- events that are lost with a boot -----------------------------------------------------------------------------


def rebooted(desk: Desk) -> list[int | None]:
    return [it.lost for it in desk.seen if isinstance(it, Rebooted)]


@pytest.mark.parametrize("lost", [0, 1, 3])
def test_a_reset_tells_how_many_events_are_lost(desk: Desk, lost: int) -> None:
    desk.ask(wire.WATCH, 0, 0b1)
    desk.press(1, "a", "b")
    desk.acking = False
    desk.press(1, *["b"] * lost)
    desk.tester.say("reset")
    desk.run(1)
    assert rebooted(desk) == [lost]


def test_after_a_cut_of_power_it_is_unknown(desk: Desk) -> None:
    desk.ask(wire.WATCH, 0, 0b1)
    desk.press(1, "a")
    desk.tester.say("power")
    desk.run(1)
    assert rebooted(desk) == [None]


# -- a false table ------------------------------------------------------------------------------------------------


@pytest.fixture
def greeted() -> Iterator[Greeted]:
    table = FakeTable()
    table.on("host_hello", lambda *_: table.hello())
    table.on("ping", lambda asked: table.send(wire.PONG, asked, 10**9))
    client = Client(table.port, table.clock, lambda boot: 0)
    client.open()
    drain(client)
    yield table, client
    client.close()
    table.close()


POLL = (wire.POLL, 9, 0, 0b11)
MENU = (wire.MENU, 9, 0, 1, 0, 0b101, b"\1\2\3")
ROLL = (wire.ROLL, 9, 0, 1, wire.EVERYBODY, b"\6\0")
WINDOW = (wire.WINDOW, 9, 0, 0b1, 0, 5000, 1000, 2)
FALSE = [
    (POLL, (wire.ANSWERED, 9, 7, 1), "place is 7; allowed: 1–6"),
    (POLL, (wire.ANSWERED, 9, 1, 2), "yes is 2; allowed: 0–1"),
    (MENU, (wire.PICKED, 9, 1, 200), "option is 200; allowed: 0–11"),
    (ROLL, (wire.REVEALED, 9, 7, bytes(16)), "place is 7; allowed: 0–6"),
    (WINDOW, (wire.LANDED, 9, 2, 3, 0, 0, 1, 90, 0), "landing is 3; allowed: 0–2"),
]


@pytest.mark.parametrize(("asked", "said", "why"), FALSE, ids=[why for *_, why in FALSE])
def test_an_event_out_of_its_range_is_a_fault_of_the_table(
    greeted: Greeted, asked: tuple[Any, ...], said: tuple[Any, ...], why: str
) -> None:
    table, client = greeted
    client.want(*asked)
    table.send(said[0], 1, 10**9, *said[1:])
    (unfit,) = drain(client)
    assert isinstance(unfit, Unfit) and (unfit.number, unfit.what, str(unfit.why)) == (1, said[0].name, why)
    client.acknowledge(unfit)
    drain(client)
    assert ("ack", table.boot, (1,)) in table.heard


@pytest.mark.parametrize("time", [10**9 + 60 * 10**6, 2**48 - 1, 2**48, 2**64 - 1])
def test_an_absurd_time_is_a_fault(greeted: Greeted, time: int) -> None:
    table, client = greeted
    client.want(*POLL)
    table.send(wire.ANSWERED, 1, time, 9, 1, 1)
    (unfit,) = drain(client)
    assert isinstance(unfit, Unfit) and any(word in str(unfit.why) for word in ("ahead", "allowed:"))


def test_nonsense_that_is_no_event_is_said_once(greeted: Greeted) -> None:
    table, client = greeted
    client.want(*MENU)
    for _ in range(3):
        table.send(wire.CURSOR, 9, 7, 1)
        table.send(wire.STATUS, 2**60, bytes(64), *[0] * 19, *WHOLE)
        table.send(wire.PONG, 12345, 0)
    unfit = drain(client)
    assert sorted(it.what for it in unfit if isinstance(it, Unfit)) == ["cursor", "pong", "status"]
    table.send(wire.CURSOR, 9, 1, 1)
    assert [type(it) for it in drain(client)] == [Walked]


def test_an_event_of_a_newer_table_is_acknowledged_in_its_turn(greeted: Greeted) -> None:
    table, client = greeted
    client.want(*POLL)
    table.write(wire.frame(wire.unknown(0x1F), table.boot, table.run, wire.ANSWERED.pack(1, 10**9, 9, 1, 1)))
    table.send(wire.ANSWERED, 2, 10**9, 9, 1, 1)
    newer, answered = drain(client)
    assert isinstance(newer, Unfit) and newer.what == "event 0x1f" and client.unknown == 1
    assert isinstance(answered, TableEvent) and answered.number == 2


# -- what a table cannot do ---------------------------------------------------------------------------------------


def test_a_table_without_an_ability_is_named_with_what_it_lacks() -> None:
    table = FakeTable()
    table.on("host_hello", lambda *_: table.hello(abilities=wire.CAN_POLL))
    client = Client(table.port, table.clock, lambda boot: 0)
    client.open()
    client.require(wire.CAN_POLL, "dilemma")
    with pytest.raises(TableError) as caught:
        client.require(wire.CAN_POLL | wire.CAN_MENU | wire.CAN_TALLY, "dilemma")
    assert str(caught.value) == (
        f"{table.port}: dilemma needs what the table's firmware (9.9.9) does not have: menu, tally;"
        " put newer firmware on the table"
    )
    drain(client)
    client.want(*MENU)
    (refused,) = drain(client)
    assert isinstance(refused, Refused) and str(refused.why) == "menu: the table's firmware (9.9.9) has no menu"
    assert "menu" not in [name for name, *_ in table.heard]
    client.close()
    table.close()


@pytest.mark.parametrize(
    ("message", "values", "ability", "lacks"),
    [
        (wire.POLL, (9, wire.CALL, 1), wire.CAN_POLL, "call"),
        (wire.MENU, (9, wire.SECRET, 1, 0, 1, b"\1"), wire.CAN_MENU, "secret menu"),
        (wire.MENU, (9, wire.QUIET, 1, 0, 1, b"\1"), wire.CAN_MENU, "secret menu"),
        (wire.TALLY, (9, wire.VEIL, 1, 2, b"\1\2", b""), wire.CAN_TALLY, "given tally"),
        (wire.TALLY, (9, 0, 1, 2, b"\1\2", b"\1"), wire.CAN_TALLY, "given tally"),
        (wire.ROLL, (9, 0, 1, wire.EVERYBODY, b"\6\0"), wire.CAN_ROLL, "tumbling roll"),
    ],
)
def test_no_form_is_sent_that_a_table_has_no_ability_for(
    message: wire.Message, values: tuple[object, ...], ability: int, lacks: str
) -> None:
    table = FakeTable()
    table.on("host_hello", lambda *_: table.hello(abilities=ability))
    client = Client(table.port, table.clock, lambda boot: 0)
    client.open()
    drain(client)
    client.want(message, *values)
    (refused,) = drain(client)
    assert isinstance(refused, Refused)
    assert str(refused.why) == f"{message.name}: the table's firmware (9.9.9) has no {lacks}"
    assert message.name not in [name for name, *_ in table.heard]
    client.close()
    table.close()


def test_a_host_that_stays_silent_is_not_forgotten_by_the_table_it_has(make_desk: Callable[..., Desk]) -> None:
    """Its challenge is another by then; the table tells it, and takes it back."""
    desk = make_desk()
    desk.ask(wire.POLL, 0, 0b1)
    desk.clock.wait(4.0, None)
    desk.run(0.5)
    desk.press(1, "b")
    assert desk.values("answered") == [{"id": 1, "place": 1, "yes": 1}]
