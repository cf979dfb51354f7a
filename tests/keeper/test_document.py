"""The session of the protocol's document, sent and compared line by line."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path

from kept import kept
from tablier.keeper import protocol
from tablier.keeper.access import read_token
from tablier.keeper.address import address_of

DOCUMENT = Path(protocol.__file__).with_name("PROTOCOL.md").read_text(encoding="utf-8")


def test_the_session_is_what_a_keeper_says(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
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
            known |= {f"KEY {seat}": key for seat, key in answer.get("result", {}).get("keys", {}).items()}
            if answer.get("method") == "updates" and answer["params"]["updates"][0]["question"]:
                known["QUESTION"] = str(answer["params"]["updates"][0]["question"]["id"])
    assert said == 7


def test_every_method_and_code_is_named() -> None:
    methods = re.findall(r"^\| `(\w+)` \| .* \|$", DOCUMENT.split("## Methods")[1].split("## What")[0], re.MULTILINE)
    assert sorted(methods) == sorted(protocol.NAMES)
    codes = {protocol.UNREADABLE, protocol.INVALID, protocol.UNKNOWN, protocol.WRONG}
    codes |= {protocol.REFUSED, protocol.FORBIDDEN, protocol.STALE}
    assert {int(code) for code in re.findall(r"^\| (-?\d+) \|", DOCUMENT, re.MULTILINE)} == codes
