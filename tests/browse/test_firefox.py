"""A seat in Firefox, driven by geckodriver: a secret choice is touched, bound in the browser, and opened."""

from __future__ import annotations

import random
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx
import pytest
from evenings import NAMES, in_address, key_of
from served import served

from kept import kept, linked
from replying import PlayedGame, begin, by_chance, game_of
from tablier.log.store import Log

FIREFOX = shutil.which("firefox") or shutil.which("firefox-esr")
DRIVER = shutil.which("geckodriver")
MISSING = [name for name, path in (("Firefox", FIREFOX), ("geckodriver", DRIVER)) if path is None]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"there is no {' and no '.join(MISSING)}")
SPOT = """(part) => {
    part?.scrollIntoView({ block: "center", behavior: "instant" });
    const box = part?.getBoundingClientRect();
    return box && [box.left + box.width / 2, box.top + box.height / 2];
}"""


class Firefox:
    """A window, by the protocol of WebDriver."""

    def __init__(self, driver: str) -> None:
        self._driver = httpx.Client(base_url=driver, timeout=60, verify=False)
        settings = {"binary": FIREFOX, "args": ["-headless", "-width", "390", "-height", "844"]}
        wanted = {"browserName": "firefox", "moz:firefoxOptions": settings}
        session = self._driver.post("/session", json={"capabilities": {"alwaysMatch": wanted}}).json()["value"]
        if "sessionId" not in session:
            self._driver.close()
            raise AssertionError(session["message"])
        self._session = f"/session/{session['sessionId']}"

    def close(self) -> None:
        self._driver.delete(self._session)
        self._driver.close()

    def go(self, address: str) -> None:
        self._say("url", {"url": address})

    def run(self, script: str) -> Any:
        """Return what a script returns."""
        return self._say("execute/sync", {"script": script, "args": []})

    def until(self, script: str) -> Any:
        """Wait until a script returns something that holds; return it."""
        until = monotonic() + 30
        while not (found := self.run(script)):
            assert monotonic() < until, self.run("return document.body.innerText")
            sleep(0.05)
        return found

    def touch(self, selector: str) -> None:
        """Touch the middle of what is there with a finger: what lies over it gets that."""
        x, y = self.until(f"return ({SPOT})(document.querySelector({selector!r}))")
        finger = {"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}}
        steps = [{"type": "pointerMove", "x": round(x), "y": round(y)}, {"type": "pointerDown", "button": 0}]
        self._say("actions", {"actions": [{**finger, "actions": [*steps, {"type": "pointerUp", "button": 0}]}]})

    def _say(self, what: str, body: Any) -> Any:
        answer = self._driver.post(f"{self._session}/{what}", json=body)
        assert answer.is_success, answer.text
        return answer.json()["value"]


@contextmanager
def firefox(folder: Path) -> Iterator[Firefox]:
    """Run Firefox, with a profile of its own."""
    assert DRIVER is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [DRIVER, "--port", str(port), "--profile-root", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as driver:
        try:
            assert driver.stdout is not None
            assert any("Listening on" in line for line in driver.stdout)
            window = Firefox(f"http://127.0.0.1:{port}")
            try:
                yield window
            finally:
                window.close()
        finally:
            driver.terminate()


def test_a_choice_is_made_in_firefox(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    with kept(log), served(log) as pages, linked(log) as link, firefox(tmp_path) as window:
        begun = begin(link, "dilemma", NAMES, first="p1")
        game = PlayedGame(game_of(link, begun), (1, 2, 3), pick=by_chance(random.Random(3), 0.0))
        game.play(lambda update: update["question"] and update["question"]["kind"] == "choice")
        seen, question = game.seen, game.seen.latest["question"]
        one, two = question["seats"]
        window.go(f"{pages.address}/seat{in_address(key_of(begun, one))}")
        window.touch(f'[data-part="p{one} peace"].offered')
        window.touch("[data-key=confirm]:enabled")
        seen.wait(lambda told: seen.latest["question"]["waiting"] == [two])
        kept_there = window.until("return sessionStorage.length && JSON.stringify({...sessionStorage})")
        nonce = re.search(r'nonce\\":\\"([0-9a-f]{32})', kept_there)
        assert nonce is not None and nonce[1] not in str(seen.messages)
        assert game.reply(two, lambda options, _: next(each for each in options if "conflict" in each))
        assert game.reply(two), "it opens"
        window.until("return /conflict/.test(document.querySelector('#story').textContent)")
        link.call("stop", {"game": game.number})
    with Log.read(log) as read:
        made = {entry.body["text"] for entry in read.entries() if entry.kind == "move"}
    assert {f"p{one} duel peace", f"p{two} duel conflict"} <= made
