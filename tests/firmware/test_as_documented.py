"""Single sentences of ``firmware/PROTOCOL.md`` that no other test tells apart: the table does what they say."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.firmware.desk import LOG, PENDING, TAKEN, DeskHost
from tests.firmware.raw import RUN, Frame

from tablier.texts import Json
from tablier_fw import colours, rolls, wire

OTHER = b"another!"
CHOICE = (0, 0b000001, 0b000010, b"\3" + bytes(5), b"\1\2\0\0\0\0", bytes((colours.AZURE, colours.ORANGE)))


def answers(frames: list[Frame], name: str) -> list[Json]:
    return [values for _, message, _, values in frames if message == name]


def press(raw: DeskHost, place: int, *buttons: str) -> None:
    for button in buttons:
        raw.desk.tester.press(place, button)
        raw.listen(0.15)


def lock(raw: DeskHost, place: int) -> None:
    """Choose the first option that the hood offers, and lock it."""
    hood = raw.desk.pixels(f"hood{place}")
    press(raw, place, "a" if hood[1] != "000000" else "b", "plus")


def held(raw: DeskHost, slot: int) -> int:
    return int.from_bytes(raw.status()["held"][4 * slot : 4 * slot + 4], "little")


# -- line and frame ------------------------------------------------------------------------------------------------


def a_ping(raw: DeskHost) -> bytes:
    return wire.frame(wire.PING, raw.boot, raw.run, wire.PING.encode(7))


GOOD, NOISE = 1, 0


@pytest.mark.parametrize(
    ("line", "taken", "bad"),
    [
        (lambda ping: b"\n\n\n", NOISE, 0),
        (lambda ping: b"noise\n", NOISE, 1),
        (lambda ping: b"noise" + ping, GOOD, 1),
        (lambda ping: ping[:20] + ping, GOOD, 1),
        (lambda ping: ping[:-1] + b"\r\n", GOOD, 0),
        (lambda ping: ping[:9] + b" -_\t\x00\xff" + ping[9:], GOOD, 0),
        (lambda ping: ping[:-2].rstrip(b"=") + b"\n", NOISE, 1),
        (lambda ping: b"!AAAA\n", NOISE, 1),
        (lambda ping: b"!" + b"A" * 300 + b"\n" + ping, GOOD, 1),
        (lambda ping: b"!" + b"=" * 30 + b"\n", NOISE, 1),
        (lambda ping: b"\r\n", NOISE, 1),
        (lambda ping: b"noise" + ping[:12] + bytes((ping[12] ^ 1,)) + ping[13:], NOISE, 2),
    ],
)
def test_what_is_counted_as_a_bad_frame_and_what_is_taken(
    raw: DeskHost, line: Callable[[bytes], bytes], taken: int, bad: int
) -> None:
    before = raw.status()["bad_frames"]
    raw.write(line(a_ping(raw)))
    assert len(answers(raw.listen(0.05), "pong")) == taken
    assert raw.status()["bad_frames"] - before == bad


@pytest.mark.parametrize("pieces", [1, 4])
def test_a_line_that_is_too_long_is_counted_once_however_it_comes(raw: DeskHost, pieces: int) -> None:
    before = raw.status()["bad_frames"]
    for _ in range(pieces):
        raw.write(b"x" * (4 * wire.MAX_LINE // pieces))
        raw.listen(0.02)
    assert raw.status()["bad_frames"] - before == 1, "before it ends"
    raw.write(b"\n" + a_ping(raw))
    assert answers(raw.listen(0.05), "pong")
    assert raw.status()["bad_frames"] - before == 1


# -- hello ---------------------------------------------------------------------------------------------------------


def test_a_hello_without_a_run_is_not_answered(raw: DeskHost) -> None:
    raw.listen(0.1)
    before = raw.status()["bad_frames"]
    raw.send(wire.HOST_HELLO, wire.MAJOR, 0, raw.challenge, LOG, bytes(16), b"", boot=wire.NO_ID, run=wire.NO_ID)
    assert answers(raw.listen(0.1), "table_hello") == []
    assert raw.status()["bad_frames"] == before + 1


def test_a_hello_out_of_its_declaration_is_answered_and_adopts_nobody(raw: DeskHost) -> None:
    raw.run = b"somebody"
    payload = wire.HOST_HELLO.pack(wire.MAJOR, wire.MINOR, raw.challenge, LOG, bytes(16), bytes(97))
    raw.write(wire.frame(wire.HOST_HELLO, wire.NO_ID, raw.run, payload))
    assert [(name, run) for _, name, run, _ in raw.listen(0.05) if name == "table_hello"] == [("table_hello", RUN)]


def test_what_is_over_reads_as_empty_to_a_new_run_of_the_same_log(raw: DeskHost) -> None:
    slots = range(wire.QUESTION_SLOT, wire.TONE_SLOT + 1)
    raw.send(wire.OUTSIDE, 5, 2, 0, bytes(32))
    raw.send(wire.TONE, 1, b"\xb8\1\1\0", 1)
    raw.send(wire.POLL, 5, 0, 0b1)
    raw.listen(0.1)
    mine = [held(raw, slot) for slot in slots]
    raw.run = b"run two!"
    raw.hello(log=LOG)
    raw.listen(0.05)
    assert [held(raw, slot) for slot in slots] == mine, "it is open, so it stands"
    press(raw, 1, "b")
    raw.send(wire.ACK, 1)
    raw.listen(0.05)
    raw.run = b"run three"[:8]
    raw.hello(log=LOG)
    raw.listen(0.05)
    assert [bool(it) for it in mine] == [True, False, True, False, False, False, False, True]
    assert [held(raw, slot) for slot in slots] == [0] * 7 + mine[7:]


def test_what_a_log_was_told_is_nothing_until_it_acknowledges(raw: DeskHost) -> None:
    raw.send(wire.WATCH, 1, 0, 0b1)
    raw.listen(0.05)
    press(raw, 1, "a", "b")
    raw.send(wire.ACK, 2)
    assert raw.status()["told"] == 2
    raw.run = b"run two!"
    raw.hello(log=OTHER)
    (hello, *_) = answers(raw.listen(0.05), "table_hello")
    assert (hello["acked"], raw.status()["told"]) == (2, 0)
    raw.send(wire.ACK, hello["acked"])
    assert raw.status()["told"] == 2
    raw.run = b"run three"[:8]
    raw.hello(log=wire.NO_ID)
    raw.listen(0.05)
    raw.send(wire.ACK, hello["acked"])
    assert raw.status()["told"] == 0


def test_a_hello_that_is_too_short_is_answered_and_adopts_nobody(raw: DeskHost) -> None:
    whole = wire.HOST_HELLO.encode(wire.MAJOR, wire.MINOR, raw.challenge, LOG, bytes(16), b"x")
    for size in (0, 4, 12, 35, 36):
        raw.write(wire.frame(wire.HOST_HELLO, wire.NO_ID, OTHER, whole[:size]))
        assert {run for _, name, run, _ in raw.listen(0.05) if name == "table_hello"} == {RUN}
    raw.send(wire.PING, 1)
    assert answers(raw.listen(0.05), "pong")


def test_the_boot_of_a_hello_does_not_matter_and_its_challenge_does(raw: DeskHost) -> None:
    raw.run = OTHER
    fresh = raw.challenge
    hello = wire.HOST_HELLO.encode(wire.MAJOR, wire.MINOR, fresh, LOG, bytes(16), b"x")
    raw.write(wire.frame(wire.HOST_HELLO, b"any boot", OTHER, hello))
    assert {run for _, name, run, _ in raw.listen(0.05) if name == "table_hello"} == {OTHER}
    assert raw.challenge != fresh


def test_who_is_taken_over_from_is_told_nothing_and_not_heard(raw: DeskHost) -> None:
    raw.run = OTHER
    raw.hello(log=LOG)
    said = raw.listen(0.5)
    assert {run for _, _, run, _ in said} == {OTHER}
    before = raw.status()["bad_frames"]
    raw.send(wire.PING, 1, run=RUN)
    assert not answers(raw.listen(0.1), "pong")
    assert raw.status()["bad_frames"] == before + 1


def test_the_latest_id_is_remembered_of_one_run_only(raw: DeskHost) -> None:
    raw.send(wire.POLL, 50, 0, 1)
    raw.send(wire.POLL, 49, 0, 1)
    assert raw.refusals() == [("poll", "id", "old")]
    raw.run = OTHER
    raw.hello(log=LOG)
    raw.listen(0.1)
    raw.send(wire.POLL, 49, 0, 1)
    assert raw.refusals() == []
    assert held(raw, wire.QUESTION_SLOT) == wire.revision(wire.POLL, wire.POLL.encode(49, 0, 1))


# -- events --------------------------------------------------------------------------------------------------------


def test_an_acknowledgement_ahead_of_the_last_event_is_ignored_as_a_whole(raw: DeskHost) -> None:
    raw.send(wire.WATCH, 1, 0, 1)
    raw.listen(0.1)
    press(raw, 1, "a", "b")
    for number in (3, 1000, wire.MAX_ID):
        raw.send(wire.ACK, number)
        assert raw.status()["acked"] == 0
    raw.send(wire.ACK, 2)
    assert raw.status()["acked"] == 2
    raw.send(wire.ACK, 1)
    assert raw.status()["acked"] == 2


# -- desired state -------------------------------------------------------------------------------------------------


def test_slots_keep_what_they_hold_until_something_else_takes_its_place(raw: DeskHost) -> None:
    raw.send(wire.TONE, 5, b"\xb8\1\x0a\0")
    raw.send(wire.OUTSIDE, 9, 4, 1, bytes(32))
    raw.send(wire.IDLE, 10, 0)
    raw.send(wire.POLL, 11, 0, 1)
    raw.listen(2)
    assert held(raw, wire.TONE_SLOT) and held(raw, wire.OUTSIDE_SLOT + 3)


def test_a_tune_is_played_again_under_another_id_only_smaller_or_not(raw: DeskHost) -> None:
    def tunes() -> int:
        return len([hertz for _, hertz in raw.desk.tester.say("stats")["tunes"] if hertz])

    played = []
    for id in (5, 5, 3, 3, 1000):
        raw.send(wire.TONE, id, b"\xb8\1\x0a\0")
        raw.listen(0.2)
        played.append(tunes())
    assert played == [1, 1, 2, 2, 3]


@pytest.mark.parametrize(
    ("message", "values", "field", "reason"),
    [
        (wire.POLL, (7, 0, 1), 0, wire.OLD),
        (wire.CONTRIBUTION, (8, bytes(32), bytes(16)), wire.NO_FIELD, wire.UNDUE),
    ],
)
def test_the_field_of_what_is_old_or_undue(
    raw: DeskHost, message: wire.Message, values: tuple[object, ...], field: int, reason: int
) -> None:
    raw.send(wire.POLL, 8, 0, 1)
    raw.listen(0.1)
    raw.send(message, *values)
    (refused,) = answers(raw.listen(0.1), "refused")
    assert (refused["code"], refused["field"], refused["reason"]) == (message.code, field, reason)


def test_an_unknown_state_message_is_refused_of_no_field_and_no_slot(raw: DeskHost) -> None:
    raw.write(wire.frame(wire.unknown(0x2F), raw.boot, raw.run, b"\1\0\0\0"))
    (refused,) = answers(raw.listen(0.1), "refused")
    assert (refused["slot"], refused["field"], refused["reason"]) == (wire.NO_SLOT, wire.NO_FIELD, wire.UNKNOWN)


def test_a_menu_opens_options_that_are_there_and_no_others(raw: DeskHost) -> None:
    raw.send(wire.MENU, 5, 0, 1, 0, 0b111, bytes((1, 2, 3)))
    assert raw.refusals() == []
    raw.write(wire.frame(wire.MENU, raw.boot, raw.run, wire.MENU.pack(6, 0, 1, 0, 0b1111, bytes((1, 2, 3)))))
    assert raw.refusals() == [("menu", "open", "rule")]


# -- words for places whose source is elsewhere --------------------------------------------------------------------


@pytest.mark.parametrize("before", [True, False], ids=["before its question", "after it"])
def test_a_word_for_a_place_counts_for_its_question_whenever_it_comes(raw: DeskHost, before: bool) -> None:
    word = (wire.OUTSIDE, 20, 2, 2, bytes(range(32)))
    if before:
        raw.send(*word)
        raw.listen(0.1)
    raw.send(wire.CHOICE, 20, *CHOICE)
    raw.listen(0.1)
    lock(raw, 1)
    raw.send(wire.ACK, 1)
    opened = answers(raw.listen(0.2), "opened")
    if not before:
        assert opened == []
        raw.send(*word)
        opened = answers(raw.listen(0.2), "opened")
    assert [it["place"] for it in opened][:1] == [1]


def test_a_word_for_another_question_or_place_does_nothing(raw: DeskHost) -> None:
    raw.send(wire.CHOICE, 20, *CHOICE)
    raw.send(wire.OUTSIDE, 19, 2, 2, bytes(32))
    raw.send(wire.OUTSIDE, 20, 3, 2, bytes(32))
    raw.listen(0.1)
    lock(raw, 1)
    raw.send(wire.ACK, 1)
    assert answers(raw.listen(0.5), "opened") == [] and raw.refusals() == []


# -- what is shown -------------------------------------------------------------------------------------------------


def test_options_and_faces_are_shown_at_160_and_dim_ones_at_an_eighth_or_a_quarter(raw: DeskHost) -> None:
    def shown(index: int, parts: int = 1) -> str:
        return bytes(channel // parts for channel in colours.dim(index, 160)).hex()

    raw.send(wire.CHOICE, 5, *CHOICE)
    raw.listen(0.15)
    hood = raw.desk.pixels("hood1")
    assert {hood[1], hood[3]} == {shown(colours.AZURE), shown(colours.ORANGE)}
    raw.send(wire.MENU, 6, wire.SECRET, 1, 0, 0b01, bytes((colours.RED, colours.RED)))
    raw.listen(0.15)
    seen = set(raw.desk.pixels("hood1"))
    press(raw, 1, "plus")
    assert seen | set(raw.desk.pixels("hood1")) == {"000000", shown(colours.RED), shown(colours.RED, 8)}
    raw.send(wire.TALLY, 7, wire.MARK, 1, 2, bytes((colours.RED, colours.GREEN)), b"\0\1")
    raw.listen(0.15)
    assert raw.desk.pixels("hood1")[1] == shown(colours.GREEN, 4)
    press(raw, 1, "plus", "a")
    assert {raw.desk.pixels("hood1")[0]} == {shown(colours.RED, 4)}


def test_a_chase_lights_each_pixel_in_its_own_colour_when_the_comet_is_there(raw: DeskHost) -> None:
    palette = [colours.RED, colours.GREEN, colours.BLUE, colours.WHITE, colours.YELLOW, colours.PINK]
    raw.send(wire.SCENE, wire.PUBLIC, bytes(part for colour in palette for part in (colour, 255, wire.CHASE)))
    raw.listen(0.2)
    heads = []
    for _ in range(60):
        raw.listen(0.0345)
        public = [bytes.fromhex(pixel) for pixel in raw.desk.pixels("public")]
        now = raw.desk.tester.say("time")["now"] // 1000
        (head,) = [at for at in range(6) if public[at] == bytes(colours.PALETTE[palette[at]])]
        for behind in range(6):
            at = (head - behind) % 6
            part = [1, 2, 4, 8][behind] if behind < 4 else 0
            full = colours.PALETTE[palette[at]]
            assert public[at] == bytes(channel // part if part else 0 for channel in full), (head, behind)
        heads.append((head, (now % 1024) * 6 >> 10))
    assert {head for head, _ in heads} == set(range(6))
    assert all((due - head) % 6 in (0, 1) for head, due in heads), "from pixel 0 upwards, once round in a period"


# -- landings, calls, results --------------------------------------------------------------------------------------


def test_what_landings_counts(raw: DeskHost) -> None:
    raw.send(wire.WINDOW, 5, 0, 0b1, 0, 60000, 1000, 2)
    raw.listen(0.2)
    assert raw.status()["landings"] == 2, "those that were seen before"
    raw.desk.tester.land("flat")
    raw.listen(0.6)
    raw.desk.tester.say("bump")
    raw.listen(0.6)
    number = max(it["number"] for it in answers(raw.frames, "landed"))
    assert {it["index"] for it in answers(raw.frames, "landed")} == {2, 3}
    assert raw.status()["landings"] == 2, "none of them is durable"
    raw.send(wire.ACK, number)
    assert raw.status()["landings"] == 4
    press(raw, 1, "a")
    raw.listen(1.5)
    assert {it["landings"] for it in answers(raw.frames, "closed")} == {4}
    raw.send(wire.IDLE, 6, 0)
    assert raw.status()["landings"] == 0


@pytest.mark.parametrize(("flags", "heard"), [(0, ["pressed", "pressed"]), (wire.CALL, ["pressed", "called"])])
def test_a_call_while_presses_are_watched(raw: DeskHost, flags: int, heard: list[str]) -> None:
    raw.send(wire.WATCH, 5, flags, 0b1)
    raw.listen(0.1)
    for verb in ("hold 1 minus", "hold 1 plus", "release 1 plus", "release 1 minus"):
        raw.desk.tester.say(verb)
        raw.listen(0.1)
    said = {values["number"]: name for _, name, _, values in raw.frames if name in ("pressed", "called")}
    assert [said[number] for number in sorted(said)] == heard


def test_the_order_of_what_keep_refuses(raw: DeskHost) -> None:
    def kept(result: bytes) -> object:
        raw.send(wire.KEEP, result)
        (answer,) = answers(raw.listen(0.1), "kept")
        return answer["refusal"]

    raw.send(wire.POLL, 5, 0, 1)
    raw.listen(0.1)
    assert kept(b"") == wire.KEEPS, "only asked for: never refused"
    assert kept(b"no result") == wire.ASKS_STILL, "a question is open, whatever it is"
    raw.send(wire.IDLE, 6, 0, 1)
    raw.listen(0.1)
    assert kept(b"no result") == wire.CANNOT_KEEP
    raw.write(wire.frame(wire.KEEP, raw.boot, raw.run, b"\5ab"))
    assert raw.refusals() == [("keep", "result", "short")]


def test_a_place_is_pending_until_its_roll_is_durable(raw: DeskHost) -> None:
    """The contribution before the commitment is durable is due; the nonce comes when both are there."""
    raw.send(wire.ROLL, 5, 0, 1, wire.EVERYBODY, b"\6\0")
    raw.listen(0.1)
    press(raw, 1, "b")
    raw.listen(1.2)
    (committed, *_) = answers(raw.frames, "committed")
    raw.send(wire.CONTRIBUTION, 5, committed["commitment"], bytes(16))
    assert answers(raw.listen(0.3), "revealed") == []
    assert raw.desk.public(1) in (PENDING, "000000")
    raw.send(wire.ACK, committed["number"])
    (revealed, *_) = answers(raw.listen(0.1), "revealed")
    assert raw.desk.public(1) == TAKEN
    board = bytes.fromhex(raw.desk.table.board)
    assert rolls.commitment(board, raw.boot, 5, 1, b"\6\0", revealed["nonce"]) == committed["commitment"]


@pytest.mark.parametrize("dice", [4, 5])
def test_under_a_hood_there_is_room_for_four_dice(raw: DeskHost, dice: int) -> None:
    raw.send(wire.ROLL, 5, 0, 0, 3, b"\6\0" * dice)
    raw.listen(1.2)
    (committed, *_) = answers(raw.frames, "committed")
    raw.send(wire.ACK, committed["number"])
    raw.send(wire.CONTRIBUTION, 5, committed["commitment"], bytes(16))
    (revealed, *_) = answers(raw.listen(0.1), "revealed")
    board = bytes.fromhex(raw.desk.table.board)
    rolled = rolls.outcomes(board, raw.boot, 5, 0, b"\6\0" * dice, revealed["nonce"], bytes(16))
    faces = [bytes(colours.FACE_LOOKS[each]).hex() for each in rolled] if dice == 4 else []
    shown = [*faces, bytes(colours.ROLLING).hex()]
    assert raw.desk.pixels("hood3") == [*shown, *["000000"] * (5 - len(shown))]
    raw.send(wire.ACK, revealed["number"])
    raw.listen(0.1)
    raw.send(wire.CONTRIBUTION, 5, committed["commitment"], bytes(16))
    assert raw.refusals() == [], "it is held"
    raw.run = b"run two!"
    raw.hello(log=LOG)
    raw.listen(0.05)
    raw.send(wire.CONTRIBUTION, 5, committed["commitment"], bytes(16))
    assert raw.refusals() == [("contribution", "", "undue")]
