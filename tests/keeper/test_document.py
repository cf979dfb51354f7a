"""The session of the protocol's document, sent and compared line by line."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path

from msgspec import convert, structs
from tests.keeper_tables import SECTIONS
from tests.protocol_tables import renewed

from kept import kept
from tablier.course.binding import commitment
from tablier.keeper import protocol
from tablier.keeper.access import read_token
from tablier.keeper.address import address_of
from tablier.keeper.server import METHODS
from tablier.messages import Bind

DOCUMENT = Path(protocol.__file__).with_name("PROTOCOL.md").read_text(encoding="utf-8")


def test_the_session_is_what_a_keeper_says(log: Path) -> None:
    session = re.search(r"## A session.*?```\n(.*?)```", DOCUMENT, re.DOTALL)
    assert session is not None
    said = 0
    with kept(log), socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(address_of(log)))
        stream = connection.makefile("rwb")
        known = {"TOKEN": read_token(log) or ""}
        for line in session[1].splitlines():
            way, _, text = line.partition(" ")
            if way == ">":
                for name, value in known.items():
                    text = text.replace(name, value)
                stream.write(text.encode() + b"\n")
                stream.flush()
                said += 1
                continue
            heard = stream.readline().decode().rstrip("\n")
            pattern = re.escape(text).replace("…", ".*?")
            assert re.fullmatch(pattern, heard), (text, heard)
            answer = json.loads(heard)
            given = answer.get("result", {})
            for seat, person in given.get("people", {}).items():
                known |= {f"PERSON {seat}": person, f"KEY {seat}": given["enter"][person]}
            if answer.get("method") == "updates" and answer["params"]["updates"][0]["question"]:
                known["QUESTION"] = str(answer["params"]["updates"][0]["question"]["id"])
    assert said == 7


def test_the_vector_of_a_commitment_is_right() -> None:
    found = re.search(
        r'"bind": (\{.*?\})`, question (\d+), seat (\d+), the nonce\n`(\w+)` and choice (\d),'
        r" the commitment is\n`(\w+)`",
        DOCUMENT,
    )
    assert found is not None
    bind, question, seat, nonce, choice, told = found.groups()
    bound = commitment(convert(json.loads(bind), Bind), int(question), int(seat), bytes.fromhex(nonce), int(choice))
    assert bound.hex() == told


def test_every_method_and_code_is_named() -> None:
    assert renewed(DOCUMENT, SECTIONS) == DOCUMENT, "python -m tests.protocol_tables writes it anew"
    for name, method in METHODS.items():
        named = set(re.findall(r"`(\w+)`\??", method.takes))
        optional = set(re.findall(r"`(\w+)`\?", method.takes))
        fields = {each.name: each.required for each in structs.fields(method.params)}
        assert fields.keys() <= named, name
        assert {field for field, required in fields.items() if not required} <= optional or name == "series", name
    codes = {protocol.UNREADABLE, protocol.INVALID, protocol.UNKNOWN, protocol.WRONG}
    codes |= {protocol.REFUSED, protocol.FORBIDDEN, protocol.STALE}
    assert {int(code) for code in re.findall(r"^\| (-?\d+) \|", DOCUMENT, re.MULTILINE)} == codes
