"""The codec, as both sides run it: the same cases in CPython and in the MicroPython VM, and laws over any bytes."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.wire import wire_cases

from tablier_fw import wire, words
from vm_cases import verdicts


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    """The verdict of each case in the VM, and the fingerprint there."""
    return verdicts(Path(wire_cases.__file__).read_text(encoding="utf-8"), ["fingerprint"])


@pytest.mark.parametrize("name", wire_cases.CASES)
def test_in_cpython(name: str) -> None:
    getattr(wire_cases, name)()


@pytest.mark.parametrize("name", wire_cases.CASES)
def test_in_the_vm(said: dict[str, str], name: str) -> None:
    assert said.get(name) == "passed"


def test_both_do_the_same_to_the_same_noise(said: dict[str, str]) -> None:
    assert said["fingerprint"] == repr(wire_cases.fingerprint())


# -- laws --------------------------------------------------------------------------------------------------


Content = tuple[wire.Message, tuple[Any, ...]]


@st.composite
def frames(draw: st.DrawFn) -> Content:
    """A message, and values that its declaration allows."""
    message = draw(st.sampled_from(wire.MESSAGES))
    noise = wire_cases.Noise(draw(st.integers(0, 2**31 - 1)))
    return message, tuple(wire_cases.values_in(message, noise))


FRAMES = frames()
IDS = st.binary(min_size=8, max_size=8)
MAGIC = st.sampled_from([b"!", b"\n", b"=", b"\r\n", b"A" * 300, b"!" * 300])
GARBAGE = st.lists(st.binary(max_size=20) | MAGIC, max_size=5).map(b"".join)


@given(FRAMES, IDS, IDS)
def test_any_frame_makes_the_round_trip(content: Content, boot: bytes, run: bytes) -> None:
    message, values = content
    line = wire.frame(message, boot, run, message.encode(*values))
    assert len(line) <= wire.MAX_LINE and line.startswith(b"!") and line.endswith(b"\n")
    assert all(0x20 <= byte < 0x7F for byte in line[:-1])
    assert wire.unframe(line[:-1])[:3] == (message, boot, run)
    assert message.decode(wire.unframe(line[:-1])[3]) == values


@given(GARBAGE | st.binary(max_size=400).map(lambda body: b"!" + base64.b64encode(body)))
@example(b"!=")
@example(b"!====")
@example("!é".encode())
def test_no_bytes_raise_anything_but_a_wire_error(line: bytes) -> None:
    try:
        message, _, _, payload = wire.unframe(line)
        message.decode(payload)
        wire.slot_of(message, payload)
    except wire.WireError as error:
        assert str(error)


@given(st.sampled_from(wire.MESSAGES), st.binary(max_size=wire.MAX_PAYLOAD))
def test_no_payload_raises_anything_but_a_wire_error(message: wire.Message, payload: bytes) -> None:
    line = wire.frame(message, bytes(8), bytes(8), payload)
    assert wire.unframe(line[:-1])[3] == payload
    fault = message.fault(payload)
    try:
        again = message.encode(*message.decode(payload))
    except wire.WireError as error:
        assert error.fault == fault >= 0
        assert fault >> 8 < len(message.fields) and words.REASONS[fault & 0xFF][0] in ("short", "range", "rule")
    else:
        assert fault == -1 and payload.startswith(again)


STREAMS = st.lists(st.tuples(GARBAGE, FRAMES | st.none()), max_size=6)


@given(STREAMS, st.lists(st.integers(1, 400), max_size=30))
def test_every_intact_frame_is_found_however_the_stream_is_cut(
    stream: list[tuple[bytes, Content | None]], cuts: list[int]
) -> None:
    sent, data = [], b""
    for garbage, content in stream:
        data += garbage
        if content is not None:
            message, values = content
            line = wire.frame(message, bytes(8), bytes(8), message.encode(*values))
            sent.append(line[:-1])
            data += line
    splitter = wire.Splitter()
    found: list[bytes] = []
    rest = data
    for cut in cuts:
        splitter.feed(rest[:cut], found)
        rest = rest[cut:]
    splitter.feed(rest, found)
    assert [line for line in found if line in sent] == sent
    whole: list[bytes] = []
    wire.Splitter().feed(data, whole)
    assert found == whole
