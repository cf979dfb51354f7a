"""``firmware/protocol.json``: it is what the code says, its rules are the codec's, and it leaves nothing out."""

import json
from pathlib import Path

import pytest
import wire_cases
from tests.wire import protocol_json
from tests.wire.declarations import stored

from tablier.simulation.vm import Vm
from tablier_fw import wire

PATH = Path(__file__).resolve().parents[2] / "firmware" / "protocol.json"
DOCUMENT = json.loads(PATH.read_text(encoding="utf-8"))
VECTORS = DOCUMENT["vectors"]
NAMES = {message.name: message for message in wire.MESSAGES}


def test_it_is_up_to_date():
    assert protocol_json.text() == PATH.read_text(encoding="utf-8"), "run: python -m tests.protocol_tables"


# -- rules ---------------------------------------------------------------------------------------------------------


def worked(rule, message, values, index=0):
    """Return the value of a rule for the values of all fields, as the notes on its operators say."""
    if rule == "i":
        return index
    if isinstance(rule, int):
        return rule
    if isinstance(rule, str):
        return values[message.names.index(rule)]
    operator, *operands = rule
    if operator in ("count", "max", "byte"):
        at = message.names.index(operands[0])
        if operator == "byte":
            return values[at][worked(operands[1], message, values, index)]
        assert operator == "count" or message.fields[at][1] == "*B"
        return max(values[at], default=0) if operator == "max" else len(values[at]) // (len(message.fields[at][1]) - 1)
    if operator == "at":
        return operands[0][worked(operands[1], message, values, index)]
    if operator == "all":
        return int(all(worked(operands[1], message, values, at) for at in range(operands[0])))
    one, other = (worked(operand, message, values, index) for operand in operands)
    return {
        "+": lambda: one + other,
        "-": lambda: one - other,
        "&": lambda: one & other,
        "|": lambda: one | other,
        ">>": lambda: one >> other,
        "==": lambda: int(one == other),
        "!=": lambda: int(one != other),
        "<": lambda: int(one < other),
        "<=": lambda: int(one <= other),
        "and": lambda: int(bool(one) and bool(other)),
        "or": lambda: int(bool(one) or bool(other)),
    }[operator]()


@pytest.mark.parametrize("message", [it for it in wire.MESSAGES if it.rules], ids=lambda it: it.name)
def test_a_rule_for_programs_is_the_rule_of_the_codec(message):
    """On any values within their ranges, of which many break a rule."""
    noise = wire_cases.Noise(5)
    outcomes = set()
    for _ in range(3000):
        values = [wire_cases.value_in(field, noise) for field in message.fields]
        for number, (index, holds) in enumerate(message.rules):
            rule = protocol_json.TESTS[message.name, message.names[index]]
            assert bool(worked(rule, message, values)) == bool(holds(*values)), (message.name, values)
            outcomes.add((number, bool(holds(*values))))
        for _ in range(noise.below(3)):
            values = wire_cases.values_in(message, noise)
            assert all(
                worked(protocol_json.TESTS[message.name, message.names[at]], message, values) for at, _ in message.rules
            )
    assert len(outcomes) == 2 * len(message.rules), "each held, and each was broken"


def test_the_slot_of_a_state_message_is_the_codecs():
    noise = wire_cases.Noise(6)
    for declared in DOCUMENT["messages"]:
        message = NAMES[declared["name"]]
        assert ("slot" in declared) == (message.group is wire.STATE)
        for _ in range(30 if "slot" in declared else 0):
            values = wire_cases.values_in(message, noise)
            assert worked(declared["slot"], message, values) == wire.slot_of(message, message.encode(*values))


# -- nothing is left out -------------------------------------------------------------------------------------------


def test_every_message_has_vectors():
    for kind in ("payloads", "decoded", "faults"):
        assert {vector["message"] for vector in VECTORS[kind]} == set(NAMES), kind
    state = {message.name for message in wire.MESSAGES if message.group is wire.STATE}
    assert {vector["message"] for vector in VECTORS["revisions"]} == state


def test_every_field_that_can_be_wrong_is_wrong_in_a_vector():
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


def test_what_a_minor_version_brought_is_marked():
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
    splitter, found = wire.Splitter(), []
    splitter.feed(bytes, found)
    good, bad = [], splitter.dropped
    for line in found:
        try:
            message, boot, run, payload = wire.unframe(line)
            good.append(wire.frame(message, boot, run, payload)[:-1].decode())
        except wire.WireError:
            bad += 1
    print(bad, *good)
"""


def test_the_firmware_finds_in_the_streams_what_the_file_says():
    """Its decoder of base64 is another one than this Python's."""
    source = f"STREAMS = {[bytes.fromhex(vector['bytes']) for vector in VECTORS['streams']]!r}\n"
    printed = Vm({}, heap="8m").run(source + IN_VM).splitlines()
    assert printed == [" ".join([str(it["bad"]), *it["frames"]]) for it in VECTORS["streams"]]
