"""The pages that ``tablier play`` serves beside its own screen, for as long as the keeper lasts."""

from __future__ import annotations

import fcntl
import re
from pathlib import Path

import httpx
import pytest

from cli.term import Term
from tablier.web.hosts import own_addresses
from tablier.web.noted import served_at

BOTS = ("--seat", "Anne=random", "--seat", "Bernard=random")


def await_end(log: Path) -> None:
    """Wait until a log's server has ended: the server holds the lock of the note."""
    with log.with_name(log.name + "-web").open() as note:
        fcntl.flock(note, fcntl.LOCK_SH)


def address_on(term: Term) -> str:
    """Return the address that a screen shows."""
    term.shows("http://")
    found = re.search(r"(http://127\.0\.0\.1:[0-9]+/)in and the code [B-DF-HJ-NP-TV-XZ]{4}\b", " ".join(term.lines))
    assert found is not None and "operator" not in term.text, "people share this screen"
    assert b"\x1b]8;id=" in term.output and f";{found[1]}in\x1b\\".encode() in term.output, "it can be followed"
    return found[1]


@pytest.mark.long
def test_play_says_where_its_pages_are_and_ends_them_with_the_keeper(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    with Term("play", "d21", "--no-table", "--seat", "Zoe=screen", *BOTS[:2], "--log", log, web=True) as term:
        address = address_on(term)
        assert httpx.get(address).status_code == 200
        assert served_at(log) == [address]
        with Term("attach", "--log", log) as second:  # another screen of the same log serves nothing anew
            second.shows("Zoe")
            assert served_at(log) == [address]
        term.type(":quit")
        term.type("y")
        assert term.ends()[0] == 0
    await_end(log)
    assert not served_at(log)


def test_pages_for_this_computer_make_room_for_those_of_the_network(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    with Term("evening", "--plain", "--with", "Anne", "--log", log, web=True) as term:
        term.shows("In a browser of this computer: http://127.0.0.1:")
        (address,) = served_at(log)
        term.type(":door")
        term.shows("These pages are for this computer alone.")
        term.type(":door lan")
        term.until(lambda: len(served_at(log)) > 1 or not own_addresses())
        assert served_at(log)[0] == address, "at the same port"
        if own_addresses():
            term.shows("On a phone: http://")
        term.type(":end")
        assert term.ends()[0] == 0
    await_end(log)


def test_no_web_serves_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    with Term("play", "d21", "--plain", "--pace", "0", "--option", "max_plies=4", *BOTS, "--log", log) as term:
        assert term.ends()[0] == 0
        assert b"http://" not in term.output
    assert not served_at(log)
