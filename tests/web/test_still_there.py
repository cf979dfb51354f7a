"""Whose page is there: a stream that holds a seat ends when nothing is heard of its page, and the seat is free."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from evenings import enter, key_of
from served import Served, Stream, served, until

from kept import kept, linked
from tablier.keeper.client import Link
from tablier.web import hub, site

SEATS = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard", "Christine")]


def held(link: Link, game: int) -> list[int]:
    """Return the seats of a game that somebody holds."""
    found: list[int] = next(each["held"] for each in link.call("list")["games"] if each["game"] == game)
    return found


def test_a_phone_out_of_the_network_holds_nothing_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It closes nothing: its connection stands, and what is sent there goes nowhere."""
    monkeypatch.setattr(hub, "BEAT_S", 0.1)
    monkeypatch.setattr(site, "_SWEEP_S", 0.1)
    log = tmp_path / "log.db"
    with kept(log), served(log) as pages, linked(log) as link, pages.browser() as gone, pages.browser() as there:
        begun = link.call("play", {"game": "dilemma", "seats": SEATS})
        for browser, seat in ((gone, 1), (there, 2)):
            enter(browser, key_of(begun, seat))
        with Stream(gone, "mine,public") as silent, Stream(there, "mine,public") as answering:
            silent.wait(f"{begun['game']}-1")
            answering.wait(f"{begun['game']}-2")
            assert held(link, begun["game"]) == [1, 2]
            monkeypatch.setattr(hub, "SILENT_S", 1.0)
            until(lambda: answering.is_there() and held(link, begun["game"]) == [2])
            assert answering.is_there() and not silent.is_there()
            link.call("hurry", {"game": begun["game"]})  # the game goes on
        monkeypatch.setattr(hub, "SILENT_S", 25.0)
        with Stream(gone, "mine") as again:
            again.wait(f"{begun['game']}-1")
            assert 1 in held(link, begun["game"])  # the other one has closed its stream, and is let go of in a second
        link.call("stop", {"game": begun["game"]})


def test_a_hood_is_shown_to_no_page_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "_SWEEP_S", 0.1)
    monkeypatch.setattr(hub, "SILENT_S", 0.5)
    log = tmp_path / "log.db"
    with kept(log), served(log) as pages, pages.browser() as operator, pages.browser() as watcher:
        assert operator.post("/enter", json={"operator": pages.site.browsers.operator}).is_success
        with Stream(operator, "table") as gone, Stream(watcher, "public") as watching:
            watching.wait("list")
            gone.beat()
            until(lambda: [outlet.topics for outlet in pages.site.hub.outlets] == [{"public"}])
            assert watching.is_there()


def test_a_stranger_cannot_say_that_a_page_is_there(pages: Served) -> None:
    with pages.browser() as browser, pages.browser() as stranger, Stream(browser, "public") as stream:
        stream.wait("list")
        for guess in ("", "0" * 16, None, 1, ["a"]):
            assert stranger.post("/here", json={"stream": guess}).json() == {"here": False}
        assert stranger.post("/here", json={}).status_code == 400
        assert stream.is_there()


def test_a_stream_says_every_second_that_it_is_there(pages: Served) -> None:
    """A page tells people after two and a half seconds of silence."""
    with pages.browser() as browser, Stream(browser, "public") as stream:
        stream.wait("list")
        begun = time.monotonic()
        stream.beat()
        stream.beat()
        assert time.monotonic() - begun < 2.5
