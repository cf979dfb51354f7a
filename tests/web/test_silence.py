"""A keeper that was stopped, or hangs: those who wait read so, with its process and what to do."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from evenings import Room, enter
from served import Stream, served

from keeper.seen import Seen
from kept import kept, opened
from tablier.keeper import client, silence, starting
from tablier.keeper.client import KeeperError, Link
from tablier.keeper.silence import Silence
from tablier.keeper.starting import join
from tablier.texts import Json, Text, render
from tablier.web import link as web_link
from tablier.web import site
from tablier.web.link import KeeperLink

SEATS = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard")]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silence, "QUIET_S", 0.2)
    monkeypatch.setattr(silence, "SILENT_S", 0.6)
    for module in (client, silence, web_link):
        monkeypatch.setattr(module, "GIVEN_UP_S", 1.0)


@pytest.fixture
def keeper(tmp_path: Path) -> Iterator[tuple[Path, Link, int]]:
    """A log, a connection to its keeper, and the keeper's process."""
    log = tmp_path / "log.db"
    link = join(log)
    process = int(link.keeper["pid"])
    try:
        yield log, link, process
    finally:
        os.kill(process, signal.SIGCONT)
        link.close()


def test_screens_pages_and_commands_are_told_of_a_stopped_keeper(keeper: tuple[Path, Link, int]) -> None:
    log, link, process = keeper
    game = opened(link, "play", game="d21", seats=SEATS)
    seen = Seen(game, 1, 2)
    assert seen.latest["question"]
    with served(log) as pages, pages.browser() as browser, Stream(browser) as stream:
        stream.wait("keeper", lambda state: state["here"])
        os.kill(process, signal.SIGSTOP)
        told = seen.wait(lambda messages: "told" in messages[-1] and render(messages[-1]["told"]))
        state = stream.wait("keeper", lambda state: "silent" in state)["state"]
        for said in (told, state["silent"]):
            assert f"process {process}" in said and f"kill -CONT {process}" in said and "can be resumed" in said
        with pytest.raises(KeeperError, match=f"process {process}.*'kill -CONT"):
            link.call("list")
        browser.post("/enter", json={"operator": pages.site.browsers.operator})
        refused = browser.post("/do", json={"method": "stop", "params": {"game": game.game}, "as": "operator"})
        assert refused.status_code >= 400 and f"process {process}" in refused.json()["error"]
        with pytest.raises(KeeperError, match=f"process {process}"):  # who comes now is told, too
            starting.find(log)
        os.kill(process, signal.SIGCONT)
        seen.wait(lambda messages: messages[-1].get("told", {}).get("text") == "The keeper answers again.")
        assert stream.wait("keeper", lambda state: "silent" not in state)["state"]["here"]
    assert [each["game"] for each in link.call("list")["games"]] == [1]
    game.stop()


def test_who_gives_up_on_a_keeper_while_its_silence_is_told_hears_no_more(
    keeper: tuple[Path, Link, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_END_S", 0.1)
    _, link, process = keeper
    told, closed, reading = threading.Event(), threading.Event(), list[threading.Thread]()

    def tell(text: Text) -> None:
        reading.append(threading.current_thread())
        told.set()
        assert closed.wait(20)

    link.on_silence = tell
    os.kill(process, signal.SIGSTOP)
    assert told.wait(20)
    link.close()
    closed.set()
    (reader,) = reading
    reader.join(20)
    assert not reader.is_alive()


@pytest.mark.parametrize("unanswered", ["follow", "enter", "watch"])
def test_what_the_keeper_has_not_answered_a_phone_is_asked_again(
    keeper: tuple[Path, Link, int], monkeypatch: pytest.MonkeyPatch, unanswered: str
) -> None:
    """It is there without loading its page again, and no key is forgotten for want of an answer."""
    monkeypatch.setattr(site, "_SWEEP_S", 0.2)
    call, failed = KeeperLink.call, list[object]()

    async def fail_at_first(self: KeeperLink, method: str, params: Json | None = None) -> Json:
        if method == unanswered and self not in failed and len(failed) < 3:  # everybody's connection, and a phone's
            failed.append(self)
            raise KeeperError("the keeper does not answer")
        return await call(self, method, params)

    log, link, _ = keeper
    room = Room(link)
    game = room.play("d21", only=["Anne", "Bernard"]).game
    with served(log) as before, before.browser() as browser:
        enter(browser, room.keys["Anne"])
    with served(log) as pages, pages.browser() as phone:
        phone.cookies = browser.cookies
        monkeypatch.setattr(KeeperLink, "call", fail_at_first)
        with Stream(phone, "mine,public") as stream:
            you = stream.wait(f"evening-{room.number}", lambda state: state.get("you"))["state"]["you"]
            assert you == [room.keys["Anne"]["person"]]
            assert stream.wait(f"{game}-1")["state"]["question"] is not None
        assert failed
    link.call("stop", {"game": game})


def test_a_keeper_with_nothing_to_say_is_not_silent(tmp_path: Path) -> None:
    with kept(tmp_path / "log.db"):
        told: list[Any] = []
        link = join(tmp_path / "log.db")
        link.on_silence = told.append
        time.sleep(1.0)
        assert not told
        link.close()


def test_who_stood_still_himself_blames_nobody() -> None:
    heard = Silence(0.0)
    assert not heard.asks(0.1) and heard.wait(0.1) == pytest.approx(0.1)
    assert heard.seconds(100.0) == 0 and not heard.tells(100.0)
    assert heard.asks(100.0) and not heard.asks(100.1)
    assert not heard.tells(100.3) and heard.tells(100.5) and not heard.tells(100.6)
    assert heard.wait(100.5) == pytest.approx(0.3) and heard.wait(200.0) > 0  # until requests fail
    assert heard.hear(101.0) and not heard.hear(101.1)
