"""The vectors of ``firmware/protocol.json``: a declaration that is wrong anywhere disagrees with one of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.wire import bends
from tests.wire.clients.declared import Json
from tests.wire.clients.interpreter import Codec, Fault, Message, Stream

DOCUMENT = json.loads((Path(__file__).resolve().parents[2] / "firmware" / "protocol.json").read_text(encoding="utf-8"))
VECTORS = DOCUMENT["vectors"]
OF = {
    declared["name"]: {
        kind: [vector for vector in VECTORS[kind] if vector["message"] == declared["name"]]
        for kind in ("payloads", "decoded", "faults", "revisions", "abilities")
    }
    for declared in DOCUMENT["messages"]
}


Bend = Callable[[Json], Iterator[tuple[str, Json]]]
"""Yields a declaration, each time wrong in something, with what that is."""


def disagreements(message: Message) -> Iterator[Json]:
    """Yield the vectors of a message that a codec made of its declaration does not agree with."""
    vectors = OF[message.name]
    for vector in (*vectors["payloads"], *vectors["decoded"]):
        if outcome(message, vector) != vector["values"]:
            yield vector
    for vector in vectors["faults"]:
        if outcome(message, vector) != (vector["field"], vector["reason"]):
            yield vector
    for vector in vectors["revisions"]:
        values = outcome(message, vector)
        slot = message.slot(values) if isinstance(values, dict) else vector["slot"]
        if (slot, message.revision(bytes.fromhex(vector["payload"]))) != (vector["slot"], vector["revision"]):
            yield vector
    for vector in vectors["abilities"]:
        values = outcome(message, vector)
        if isinstance(values, dict) and set(message.needs(values)) != set(vector["abilities"]):
            yield vector


def outcome(message: Message, vector: Json) -> Json | tuple[int, int] | str:
    """Return the values of a vector's payload, what is wrong with it, or how a wrong declaration failed."""
    try:
        return message.decode(bytes.fromhex(vector["payload"]))
    except Fault as fault:
        return fault.field, fault.reason
    except (ArithmeticError, LookupError, ValueError) as error:  # a wrong declaration may make no codec at all
        return repr(error)


def unnoticed(bend: Bend) -> tuple[list[str], int]:
    """Return what is wrong in those declarations that agree with every vector, and how many others there are."""
    bent = [
        (what, next(disagreements(Message(it)), None)) for message in DOCUMENT["messages"] for what, it in bend(message)
    ]
    return [what for what, found in bent if found is None], len(bent)


def test_a_codec_that_reads_the_file_agrees_with_every_vector() -> None:
    for declared in DOCUMENT["messages"]:
        message = Message(declared)
        assert list(disagreements(message)) == []
        for vector in OF[declared["name"]]["payloads"]:
            assert message.encode(vector["values"]).hex() == vector["payload"]


def test_its_frames_and_streams_are_those_of_the_vectors() -> None:
    codec = Codec(DOCUMENT)
    for vector in VECTORS["payloads"]:
        parts = [bytes.fromhex(vector[name]) for name in ("boot", "run", "payload")]
        line = codec.frame(codec.messages[vector["message"]].code, *parts)
        assert line == vector["line"].encode() + b"\n"
    for vector in VECTORS["streams"]:
        stream = Stream(codec, DOCUMENT["constants"])
        found = [
            codec.frame(*frame) for byte in bytes.fromhex(vector["bytes"]) for frame in stream.take(bytes((byte,)))
        ]
        assert (found, stream.bad) == ([line.encode() + b"\n" for line in vector["frames"]], vector["bad"])


def test_each_bound_that_is_off_by_one_is_noticed() -> None:
    passed, count = unnoticed(bends.bent_bounds)
    assert passed == []
    assert count > 500


@pytest.mark.parametrize(
    "bend", [bends.bent_rules, bends.bent_needs, bends.bent_slot, bends.bent_otherwise], ids=lambda bend: bend.__name__
)
def test_whatever_else_is_wrong_in_a_declaration_is_noticed(bend: Bend) -> None:
    passed, count = unnoticed(bend)
    assert passed == []
    assert count


@pytest.mark.parametrize(
    ("name", "by"),
    [
        *((name, by) for name in ("start", "end", "header") for by in (-1, 1)),
        *[("max_line", -1), ("max_line", 1), ("min_line", 1), ("max_payload", -1)],
    ],  # a line that is shorter by one, or a payload that is longer by one, is in no frame
)
def test_a_number_of_the_frame_that_is_off_by_one_is_noticed(name: str, by: int) -> None:
    constants = {**DOCUMENT["constants"], name: DOCUMENT["constants"][name] + by}
    codec = Codec({**DOCUMENT, "constants": constants})
    outcomes = []
    for vector in VECTORS["streams"]:
        stream = Stream(codec, constants)
        found = [codec.frame(*frame) for frame in stream.take(bytes.fromhex(vector["bytes"]))]
        outcomes.append((found, stream.bad) == ([line.encode() + b"\n" for line in vector["frames"]], vector["bad"]))
    assert not all(outcomes)
