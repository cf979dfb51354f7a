"""``tablier invite``: a code with which a phone takes a seat, made and shown at a terminal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from scanned import shows_code
from served import Served

from cli.term import Term
from tablier.cli.main import main
from tablier.keeper.client import Link
from tablier.web.noted import noted

PEOPLE = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard")]
LAN = "http://192.0.2.7:8731/"


def test_a_code_from_a_terminal_seats_a_phone(log: Path, pages: Served, link: Link) -> None:
    game = link.call("play", {"game": "d21", "seats": PEOPLE})["game"]
    link.call("watch", {"game": game, "viewers": [None]})
    pages.site.codes.addresses = (pages.address + "/", LAN)
    with (
        noted(log, pages.site.codes.addresses),
        Term("invite", "Bernard", "--log", log) as term,
        pages.browser() as phone,
    ):
        assert term.ends()[0] == 0
        (address,) = re.findall(rf"Bernard, game {game}: (\S+)", term.text)
        code = re.search(r"The code (\w{8}) is for one use within two minutes\.", term.text)
        assert code is not None and address == f"{LAN}seat#code={code[1]}"
        assert shows_code(term, address)
        assert phone.post("/join", json={"code": code[1]}).json() == {"game": game, "seat": 2}
    link.call("stop", {"game": game})


def test_a_code_that_no_phone_can_use_is_shown_without_a_picture(log: Path, pages: Served, link: Link) -> None:
    """A QR code of 127.0.0.1 would lead a phone to itself."""
    game = link.call("play", {"game": "d21", "seats": PEOPLE})["game"]
    with pages.browser() as operator:
        operator.post("/enter", json={"operator": pages.site.browsers.operator})
        for there, has_picture in (
            ((pages.address + "/",), False),
            ((pages.address + "/", "http://[::1]:8731/"), False),
            ((pages.address + "/", "http://localhost:8731/"), False),
            ((pages.address + "/", LAN), True),
            ((pages.address + "/", "http://[fd00::5]:8731/"), True),
        ):
            pages.site.codes.addresses = there
            made = operator.post("/code", json={"game": game, "seat": 1}).json()
            assert (made["qr"] is not None) is has_picture, there
    link.call("stop", {"game": game})


def test_where_no_phone_comes_in_it_says_so(
    log: Path, pages: Served, link: Link, capsys: pytest.CaptureFixture[str]
) -> None:
    game = link.call("play", {"game": "d21", "seats": [PEOPLE[0], {"name": "Zoe", "source": "good"}]})["game"]
    pages.site.codes.addresses = (pages.address + "/",)
    with noted(log, pages.site.codes.addresses):
        assert main(["invite", "--log", str(log)]) == 0  # the only seat that waits
        said = capsys.readouterr().out.splitlines()
        assert said[0].startswith(f"Anne, game {game}: {pages.address}/seat#code=")
        serves = f"'tablier web --lan --log {log}' serves them to phones, too."
        assert said[1] == f"These pages are for this computer alone; {serves}"
        assert len(said) == 3
    link.call("stop", {"game": game})


def test_whoever_cannot_be_invited_is_said(
    log: Path, pages: Served, link: Link, capsys: pytest.CaptureFixture[str]
) -> None:
    begun = link.call("play", {"game": "d21", "seats": PEOPLE})
    game = begun["game"]

    def refused(*words: str) -> str:
        assert main(["invite", *words, "--log", str(log)]) == 2
        return capsys.readouterr().err.removeprefix("tablier: ").rstrip()

    assert refused().endswith(f"nobody serves its pages; 'tablier web --lan --log {log}' does, for phones")
    with noted(log, ("http://127.0.0.1:9/",)):
        assert refused("Anne") == "http://127.0.0.1:9/: the pages do not answer"
    with noted(log, (pages.address + "/",)):
        assert refused() == f"whose seat in game {game}? free: Anne, Bernard"
        assert refused("Zoe") == f"nobody in game {game} is called 'Zoe'; there play Anne, Bernard"
        assert refused("Anne", "--game", "9") == f"game 9 does not run; games that do: {game}"
        link.call("sit", {"game": game, "seat": 1, "key": begun["keys"]["1"]})
        assert refused("Anne") == "Seat 1 is not free: somebody plays it at a screen."
        link.call("stop", {"game": game})
        assert refused() == "no game runs"
