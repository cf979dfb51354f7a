"""A host that was written from the document and the JSON file alone meets the firmware: each agrees with the other."""

from __future__ import annotations

import itertools
import json
import struct
import sys
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.wire.clients.foreign import ZEROS, Host, Json
from tests.wire.clients.interpreter import Message

DOCUMENT = json.loads((Path(__file__).resolve().parents[2] / "firmware" / "protocol.json").read_text(encoding="utf-8"))
VECTORS, CONSTANTS = DOCUMENT["vectors"], DOCUMENT["constants"]
TABLE = [sys.executable, "-m", "tablier.cli.main", "table", "sim", "--service-mode"]
EVERYBODY = 7
CONTRIBUTION = "22" * 16
Ids = Callable[[], int]
_IDS = itertools.count(101)


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with Host(TABLE, DOCUMENT, b"this log") as host:
        host.listen(0.5)
        host.greet()
        yield host


@pytest.fixture
def ids() -> Ids:
    """Return what draws ids, which do not fall while the host runs."""
    return partial(next, _IDS)


def look(colour: str) -> str:
    return bytes(CONSTANTS["colours"][colour]).hex()


def digest(layout: str, **values: int | str) -> str:
    """Hash the parts that the file lists."""
    data = bytes.fromhex(DOCUMENT["hashes"][layout].get("tag", ""))
    for part in DOCUMENT["hashes"][layout]["parts"]:
        if part["name"] != "tag":
            value = values[part["name"]]
            data += value.to_bytes(part["bytes"], "little") if isinstance(value, int) else bytes.fromhex(value)
    return sha256(data).hexdigest()


def known(host: Host, **values: int | str) -> dict[str, int | str]:
    return {"major": DOCUMENT["version"]["major"], "board": host.board, "boot": host.boot.hex(), **values}


# -- hello -----------------------------------------------------------------------------------------------------------


def test_who_is_adopted_and_who_is_answered(host: Host) -> None:
    run = host.run
    assert [name for name, _ in host.hello(run=ZEROS) if name == "table_hello"] == []
    for run_of, changes in ((b"stranger", {"challenge": "00" * 8}), (b"old host", {"major": 1})):
        (hello,) = [values for name, values in host.hello(run=run_of, **changes) if name == "table_hello"]
        assert hello["run"] == run
    bits = {each["name"]: host.abilities >> bit & 1 for bit, each in enumerate(CONSTANTS["abilities"])}
    assert all(bits.values()) and len(bits) == 15


# -- every payload that is wrong ---------------------------------------------------------------------------------------


def slot_of(message: Message, payload: bytes) -> int:
    """Return the slot that a message was to fill; 255 where it names none that is there."""
    declared = next(it for it in DOCUMENT["messages"] if it["name"] == message.name)
    slot: int | str | list[Any] = declared.get("slot", 255)
    if isinstance(slot, int):
        return slot
    field = slot if isinstance(slot, str) else slot[2]
    at = {"group": 0, "place": 4}[field]
    low, high = next(it for it in declared["fields"] if it["name"] == field)["range"]
    if len(payload) <= at or not low <= payload[at] <= high:
        return 255
    return payload[at] if isinstance(slot, str) else slot[1] + payload[at]


def test_the_table_refuses_what_the_file_says_and_for_the_reason_that_it_says(host: Host) -> None:
    count = 0
    for vector in VECTORS["faults"]:
        message, payload = host.codec.messages[vector["message"]], bytes.fromhex(vector["payload"])
        if message.way == "to host" or message.kind == "hello":
            continue
        host.write(host.codec.frame(message.code, host.boot, host.run, payload))
        refusals = [values for name, values in host.listen(0.002) if name == "refused"]
        assert refusals == [
            {
                "code": message.code,
                "slot": slot_of(message, payload),
                "revision": message.revision(payload),
                "field": vector["field"],
                "reason": vector["reason"],
            }
        ], vector
        count += 1
    assert count > 200


def test_the_table_takes_each_scene_and_question_of_the_vectors(host: Host, ids: Ids) -> None:
    """In the order of their ids, with an id of this run's own."""
    for vector in VECTORS["payloads"]:
        message = host.codec.messages[vector["message"]]
        if message.kind == "state" and message.name not in ("contribution", "roll"):
            values = vector["values"] | ({"id": ids()} if "id" in vector["values"] else {})
            host.want(message.name, **values)
            assert host.held(message.slot(values)) == message.revision(message.encode(values))
    for group, count in enumerate(CONSTANTS["groups"]):
        host.want("scene", group=group, pixels=[[0, 0, 0]] * count, light=255)
    host.want("idle", id=ids(), flags=0, game=0)


def test_the_table_counts_what_it_cannot_read(host: Host) -> None:
    """The frames of the vectors are for another boot, so these are bad, too."""
    for vector in VECTORS["streams"]:
        host.listen(0.25)
        before = host.status["bad_frames"]
        host.write(bytes.fromhex(vector["bytes"]))
        host.listen(0.25)
        assert host.status["bad_frames"] - before == vector["bad"] + len(vector["frames"]), vector["what"]


# -- questions ---------------------------------------------------------------------------------------------------------


def test_a_poll_a_menu_a_tally_and_a_watch_are_answered(host: Host, ids: Ids) -> None:
    host.want("poll", id=ids(), flags=0, places=0b11)
    assert host.pixels("public")[2:] == ["000000"] * 4
    heard = host.press(1, "a") + host.press(2, "b")
    assert [(it["place"], it["yes"]) for name, it in heard if name == "answered"] == [(1, 0), (2, 1)]
    assert host.pixels("public")[:2] == [look("TAKEN")] * 2
    host.want("menu", id=ids(), flags=0, place=3, start=1, open=0b101, labels=[4, 7, 12])
    assert host.pixels("hood3").count("000000") == 5 - 2, "label 7 is two pixels"
    heard = host.press(3, "b", "plus", "b")
    assert [it["option"] for name, it in heard if name == "cursor"][-1] == 2
    assert [it["option"] for name, it in heard if name == "picked"] == [2]
    host.want("tally", id=ids(), flags=2, place=4, dice=2, colours=[3, 9, 6], given=[2])
    heard = host.press(4, "plus", "b", "a", "b")
    assert [(it["faces"], it["kept"]) for name, it in heard if name == "tallied"] == [([2, 1], 0b01)]
    host.want("watch", id=ids(), flags=0, places=0b100000)
    heard = host.press(6, "minus", "b") + host.press(5, "a")
    assert [(it["place"], it["button"]) for name, it in heard if name == "pressed"] == [(6, 0), (6, 3)]


def test_a_window_tells_landings_and_closes(host: Host, ids: Ids) -> None:
    host.say("clear")
    host.want("window", id=ids(), flags=0, places=0b11, outside=0, quiet=3000, guard=500, seen=0, first=30)
    for how in ("flat", "leaning"):
        host.say(f"land {how}")
        landed = host.until("landed")
        assert (landed["landing"], landed["confidence"] > 50) == (CONSTANTS["landings"].index(how), True)
    host.listen(0.1)
    assert [host.pixels("ring")[at] for at in (30, 31, 0)] == [look("TAKEN")] * 2 + ["000000"]
    assert host.press(1, "b")[-1][1]["landings"] == 2, "in a status"
    assert host.status["taken"] == 0b01
    closed = host.until("closed")
    assert (closed["reason"], closed["landings"]) == (1, 2)
    host.say("clear")


def test_a_place_peeks_for_five_seconds_and_calls_where_it_may(host: Host, ids: Ids) -> None:
    host.want("scene", group=4, pixels=[[7, 255, 0]] * 5, light=255)
    host.want("idle", id=ids(), flags=1, game=0)
    assert set(host.pixels("hood3")) == {"000000"}
    assert [name for name, _ in host.press(3, "a") if name not in ("status", "pong")] == []
    assert set(host.pixels("hood3")) == {"00ff00"}
    host.listen(4.6)
    assert set(host.pixels("hood3")) == {"00ff00"}
    host.listen(0.3)
    assert set(host.pixels("hood3")) == {"000000"}
    host.say("hold 3 minus")
    host.listen(0.1)
    assert [it["place"] for name, it in host.press(3, "plus") if name == "called"] == [3]
    host.say("release 3 minus")
    host.listen(0.1)


def test_a_choice_opens_what_was_locked_and_binds_the_host_too(host: Host, ids: Ids) -> None:
    id = ids()
    bound = digest("commitment", **known(host, question=id, place=5, seat=9, nonce="11" * 16, choice=1))
    host.want(
        "choice",
        id=id,
        flags=0,
        places=0b11,
        outside=0b10000,
        allowed="030300000000",
        seats="010200000900",
        colours=[9, 4],
    )
    heard: list[tuple[str, Json]] = []
    chosen = {}
    for place in (1, 2):
        hood = host.pixels(f"hood{place}")
        assert hood[2] == look("GENUINE")
        palette = [tuple(colour) for colour in CONSTANTS["palette"]]
        shown = tuple(bytes.fromhex(hood[1]))
        chosen[place] = 0 if shown == tuple(channel * 160 // 255 for channel in palette[9]) else 1
        heard += host.press(place, "a", "plus")
    locked = {it["place"]: it["commitment"] for name, it in heard if name == "locked"}
    assert not any(name == "opened" for name, _ in heard)
    heard = host.want("outside", id=id, place=5, seat=9, commitment=bound) + host.listen(0.2)
    for it in [values for name, values in heard if name == "opened"]:
        parts = {
            "question": id,
            "place": it["place"],
            "seat": it["place"],
            "nonce": it["nonce"],
            "choice": it["choice"],
        }
        assert digest("commitment", **known(host, **parts)) == locked.pop(it["place"])
        assert it["choice"] == chosen[it["place"]]
    assert locked == {}


def roll(host: Host, id: int, ranges: list[int], place: int = 0, audience: int = EVERYBODY) -> list[int]:
    """Roll as the document says, and return the outcomes."""
    host.want("roll", id=id, flags=0, place=place, audience=audience, ranges=ranges)
    if place:
        host.press(place, "b")
    committed = host.until("committed")
    host.send("contribution", {"id": id, "commitment": committed["commitment"], "bytes": CONTRIBUTION})
    revealed = host.until("revealed")
    packed = sha256(struct.pack(f"<{len(ranges)}H", *ranges)).hexdigest()
    parts = known(host, question=id, place=place, ranges=packed, nonce=revealed["nonce"], contribution=CONTRIBUTION)
    assert digest("roll", **parts) == committed["commitment"]
    outcomes: list[int] = []
    counter = 0
    while len(outcomes) < len(ranges):
        for word in struct.unpack("<8I", bytes.fromhex(digest("outcomes", **parts, counter=counter))):
            if len(outcomes) < len(ranges) and word < 2**32 - 2**32 % ranges[len(outcomes)]:
                outcomes.append(word % ranges[len(outcomes)])
        counter += 1
    return outcomes


def test_a_roll_shows_on_the_ring_what_both_sides_derive(host: Host, ids: Ids) -> None:
    outcomes = roll(host, ids(), [6, 6, 12], place=3)
    faces = [bytes(CONSTANTS["colours"]["FACE_LOOKS"][each]).hex() for each in outcomes]
    host.listen(0.05)
    ring = host.pixels("ring")
    first = 5 * (3 - 1)
    row = [look("TAKEN"), look("ROLLING"), *faces, look("ROLLING"), look("TAKEN")]
    assert ring[first - 2 : first + 5] == row and ring.count("000000") == 32 - len(row)
    host.want("idle", id=ids(), flags=0, game=0)
    assert (host.status["begun"], host.status["abandoned"]) == (host.status["acknowledged"], 0)


# -- the seal, the service mode ----------------------------------------------------------------------------------------


def test_the_seal_of_a_boot_is_the_picture_that_the_log_gives(host: Host, ids: Ids) -> None:
    roll(host, ids(), [6] * 5)
    seal = digest("seal", **known(host))
    for name, it in host.events:
        if name in ("committed", "revealed", "opened"):
            head = struct.pack("<BIIB", host.codec.messages[name].code, it["number"], it["id"], it["place"])
            said = {
                "committed": lambda it: it["commitment"] + it["roll"].to_bytes(4, "little").hex(),
                "revealed": lambda it: it["nonce"] + CONTRIBUTION,
                "opened": lambda it: it["nonce"] + f"{it['choice']:02x}",
            }[name](it)
            seal = sha256(bytes.fromhex(seal) + head + bytes.fromhex(said)).hexdigest()
    host.want("idle", id=ids(), flags=0, game=0)
    host.say("service on")
    host.listen(0.1)
    bits = f"{int(seal, 16):0256b}"
    palette = [CONSTANTS["palette"][index] for index in (0, 1, 3, 6, 12, 9, 13, 15)]
    picture = [palette[int(bits[at : at + 3], 2)] for at in range(0, 96, 3)]
    assert host.pixels("ring") == [bytes(channel * 160 // 255 for channel in colour).hex() for colour in picture]
    host.say("service off")
    host.listen(10.1)
    assert host.pixels("ring") == ["000000"] * 32


def test_the_table_leaves_for_its_service_mode_when_no_game_is_open(host: Host, ids: Ids) -> None:
    refusals = []
    for game, challenge in ((0, "00" * 8), (1, None), (0, None)):
        host.want("idle", id=ids(), flags=0, game=game)
        host.send("service", {"challenge": challenge or host.challenge.hex()})
        refusals.append(host.until("serving")["refusal"])
    assert refusals == [3, 1, 0]
    assert set(host.pixels("ring")) == set(host.pixels("public")) == {look("SERVICE")}
    host.listen(2.2)
    assert host.text.endswith(b">>> ")
    boot = host.boot
    host.say("reset")
    host.listen(0.2)
    assert host.greet()["cause"] == 2 and host.boot != boot
