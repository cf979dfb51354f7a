"""``firmware/protocol.json``: it is what the code says, its rules are the codec's, and it leaves nothing out."""

from __future__ import annotations

import json
import struct
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.wire import protocol_json, wire_cases
from tests.wire.clients.interpreter import Message, evaluate
from tests.wire.declarations import plain, stored

from sample import sample
from tablier.simulation.vm import Vm
from tablier.table.abilities import needed
from tablier_fw import colours, wire, words

PATH = Path(__file__).resolve().parents[2] / "firmware" / "protocol.json"
DOCUMENT = json.loads(PATH.read_text(encoding="utf-8"))
VECTORS = DOCUMENT["vectors"]
NAMES = {message.name: message for message in wire.MESSAGES}


def test_it_is_up_to_date() -> None:
    assert protocol_json.text() == PATH.read_text(encoding="utf-8"), "run: python -m tests.protocol_tables"


# -- rules ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("message", [it for it in wire.MESSAGES if it.rules], ids=lambda it: it.name)
def test_a_rule_for_programs_is_the_rule_of_the_codec(message: wire.Message) -> None:
    """On any values within their ranges, of which many break a rule."""
    noise = wire_cases.Noise(5)
    outcomes = set()
    for _ in range(sample(600, 3000)):
        values = [wire_cases.value_in(field, noise) for field in message.fields]
        for number, (index, holds) in enumerate(message.rules):
            rule = protocol_json.TESTS[message.name, message.names[index]]
            assert bool(evaluate(rule, plain(message, values))) == bool(holds(*values)), (message.name, values)
            outcomes.add((number, bool(holds(*values))))
        for _ in range(noise.below(3)):
            lawful = plain(message, wire_cases.values_in(message, noise))
            assert all(
                evaluate(protocol_json.TESTS[message.name, message.names[at]], lawful) for at, _ in message.rules
            )
    assert len(outcomes) == 2 * len(message.rules), "each held, and each was broken"


def test_the_slot_of_a_state_message_is_the_codecs() -> None:
    noise = wire_cases.Noise(6)
    for declared in DOCUMENT["messages"]:
        message = NAMES[declared["name"]]
        assert ("slot" in declared) == (message.group is wire.STATE)
        for _ in range(30 if "slot" in declared else 0):
            values = wire_cases.values_in(message, noise)
            slot = evaluate(declared["slot"], plain(message, values))
            assert slot == wire.slot_of(message, message.encode(*values))


def test_what_a_message_needs_is_what_the_host_asks_of_a_table() -> None:
    noise = wire_cases.Noise(8)
    names = [ability["name"] for ability in DOCUMENT["constants"]["abilities"]]
    for declared in DOCUMENT["messages"]:
        message = NAMES[declared["name"]]
        assert {need["ability"] for need in declared["needs"]} | set(declared["abilities"]) <= set(names)
        assert not declared["needs"] or message.way == wire.TO_TABLE
        for _ in range(60 if message.way == wire.TO_TABLE else 0):
            values = wire_cases.values_in(message, noise)
            bits = sum(1 << names.index(name) for name in Message(declared).needs(plain(message, values)))
            assert bits == needed(message, message.encode(*values)), (declared["name"], values)


def test_what_stood_before_a_change_is_there_with_the_ability_that_tells_it() -> None:
    changed = {
        (it["name"], each["field"]["name"]): each for it in DOCUMENT["messages"] for each in it.get("changed", ())
    }
    assert {key: each["ability"] for key, each in changed.items()} == words.WIDENED
    assert changed["tally", "flags"]["field"]["range"] == [0, 3] and not changed["tally", "flags"]["gone"]
    assert changed["roll", "colours"]["until"] == "2.1" and changed["roll", "colours"]["gone"]


def operators(test: object) -> set[str]:
    """Return the operators of a test, and of those in it."""
    if not isinstance(test, list) or not isinstance(test[0], str):
        return set()
    return {test[0]}.union(*(operators(operand) for operand in test[1:]))


def test_the_grammar_of_rules_has_each_operator_that_is_used_and_no_other() -> None:
    rules = [rule["test"] for message in DOCUMENT["messages"] for rule in message["rules"]]
    slots = [message["slot"] for message in DOCUMENT["messages"] if "slot" in message]
    needs = [need["test"] for message in DOCUMENT["messages"] for need in message["needs"] if "test" in need]
    used = set().union(*map(operators, rules + slots + needs))
    assert used == set(DOCUMENT["grammar"]["operators"])


# -- hashes, classes, colours ----------------------------------------------------------------------------------------


def preimage(name: str, **values: Any) -> bytes:
    """Join the parts of a hash as the file lists them."""
    layout, data = DOCUMENT["hashes"][name], b""
    for part in layout["parts"]:
        value = layout["tag"] if part["name"] == "tag" else values[part["name"]]
        value = value.to_bytes(part["bytes"], "little") if isinstance(value, int) else bytes.fromhex(value)
        assert part["at"] == len(data)
        assert len(value) == part["bytes"] or len(value) in part["bytes"], part
        data += value
    return data


def sha(data: bytes) -> str:
    return sha256(data).hexdigest()


def test_what_is_hashed_gives_the_hashes_of_the_vectors() -> None:
    for vector in VECTORS["commitments"]:
        assert sha(preimage("commitment", **vector)) == vector["commitment"]
    for vector in VECTORS["rolls"]:
        ranges = sha(b"".join(each.to_bytes(2, "little") for each in vector["ranges"]))
        assert sha(preimage("roll", **{**vector, "ranges": ranges})) == vector["commitment"]
        outcomes: list[int] = []
        counter = 0
        while len(outcomes) < len(vector["ranges"]):
            block = sha256(preimage("outcomes", **{**vector, "ranges": ranges, "counter": counter})).digest()
            counter += 1
            for word in struct.unpack("<8I", block):
                if len(outcomes) < len(vector["ranges"]):
                    below = vector["ranges"][len(outcomes)]
                    if word < 2**32 - 2**32 % below:
                        outcomes.append(word % below)
        assert outcomes == vector["outcomes"]
    first, *links = VECTORS["seals"]
    head = sha(preimage("seal", major=DOCUMENT["version"]["major"], **first))
    assert head == first["seal"]
    for link in links:
        head = sha(preimage("link", **{**link, "seal": head, "code": NAMES[link["message"]].code}))
        assert head == link["seal"]


def test_each_code_is_of_the_class_of_its_message() -> None:
    classes = {
        code: it["class"]
        for it in DOCUMENT["constants"]["classes"]
        for code in range(it["codes"][0], it["codes"][1] + 1)
    }
    assert set(classes) == set(range(128)) and set(classes.values()) == set(DOCUMENT["classes"])
    assert all(classes[message["code"]] == message["class"] for message in DOCUMENT["messages"])


def test_the_colours_and_times_of_the_table_are_there() -> None:
    assert DOCUMENT["constants"]["colours"]["TAKEN"] == list(colours.TAKEN)
    assert {"of": "table", "what": "one status to the next", "ms": 200} in DOCUMENT["times"]
    assert {it["what"]: it["most"] for it in DOCUMENT["limits"]}["bytes of a payload"] == wire.MAX_PAYLOAD


# -- nothing is left out -------------------------------------------------------------------------------------------


def test_every_message_has_vectors() -> None:
    for kind in ("payloads", "decoded", "faults"):
        assert {vector["message"] for vector in VECTORS[kind]} == set(NAMES), kind
    state = {message.name for message in wire.MESSAGES if message.group is wire.STATE}
    assert {vector["message"] for vector in VECTORS["revisions"]} == state


def test_every_field_that_can_be_wrong_is_wrong_in_a_vector() -> None:
    seen = {(vector["message"], vector["field"], vector["reason"]) for vector in VECTORS["faults"]}
    for message in DOCUMENT["messages"]:
        for index, field in enumerate(message["fields"]):
            whole = "default" in field and field["type"] == "u8"  # there, or not: it cannot be cut
            assert ((message["name"], index, wire.SHORT) in seen) != whole, (message["name"], field)
            if "range" in field or "ranges" in field or field.get("count", [0, 255]) != [0, 255]:
                assert (message["name"], index, wire.RANGE) in seen, (message["name"], field)
        for rule in message["rules"]:
            index = [field["name"] for field in message["fields"]].index(rule["field"])
            assert (message["name"], index, wire.RULE) in seen


def test_what_a_minor_version_brought_is_marked() -> None:
    marked = {message["name"]: message["since"] for message in DOCUMENT["messages"]}
    assert set(stored()[2, 0]["messages"]) == {name for name, since in marked.items() if since == "2.0"}
    fields = {
        (message["name"], field["name"]): field["since"]
        for message in DOCUMENT["messages"]
        for field in message["fields"]
        if "since" in field
    }
    assert fields["tally", "given"] == "2.1" and fields["idle", "game"] == "2.2"


IN_VM = """
import gc
gc.disable()
from tablier_fw import wire
for bytes in STREAMS:
    for size in (len(bytes), 1):
        splitter, found = wire.Splitter(), []
        for at in range(0, len(bytes), size):
            splitter.feed(bytes[at : at + size], found)
        good, bad = [], splitter.dropped
        for line in found:
            try:
                message, boot, run, payload = wire.unframe(line)
                good.append(wire.frame(message, boot, run, payload)[:-1].decode())
            except wire.WireError:
                bad += 1
        print(bad, *good)
"""


def test_the_firmware_finds_in_the_streams_what_the_file_says() -> None:
    """At once, and byte by byte. Its decoder of base64 is another one than this Python's."""
    source = f"STREAMS = {[bytes.fromhex(vector['bytes']) for vector in VECTORS['streams']]!r}\n"
    printed = Vm({}, heap="8m").run(source + IN_VM).splitlines()
    assert printed == [" ".join([str(it["bad"]), *it["frames"]]) for it in VECTORS["streams"] for _ in range(2)]


FAULTS_IN_VM = """
import gc
from tablier_fw import wire
NAMES = {message.name: message for message in wire.MESSAGES}
for name, payload, fault in FAULTS:
    found = NAMES[name].fault(payload)
    if found != fault:
        print(name, payload, found)
"""


def test_the_firmware_finds_in_payloads_the_faults_that_the_file_says() -> None:
    faults = [
        (it["message"], bytes.fromhex(it["payload"]), it["field"] << 8 | it["reason"]) for it in VECTORS["faults"]
    ]
    faults += [(it["message"], bytes.fromhex(it["payload"]), -1) for it in VECTORS["payloads"] + VECTORS["decoded"]]
    assert Vm({}, heap="8m").run(f"FAULTS = {faults!r}\n" + FAULTS_IN_VM) == ""
