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
from evenings import in_address, key_of
from msgspec import convert
from served import served

from keeper.seen import Seen
from kept import kept, linked
from tablier.course.binding import Binder
from tablier.keeper.client import GameLink, entries_of
from tablier.log import Log
from tablier.messages import Bind, Opened

FIREFOX = shutil.which("firefox") or shutil.which("firefox-esr")
DRIVER = shutil.which("geckodriver")
MISSING = [name for name, path in (("Firefox", FIREFOX), ("geckodriver", DRIVER)) if path is None]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"there is no {' and no '.join(MISSING)}")
SEATS = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard", "Christine")]
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
    command = [DRIVER, "--port", str(port), "--profile-root", folder]
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
    log, rng = tmp_path / "log.db", random.Random(3)
    with kept(log), served(log) as pages, linked(log) as link, firefox(tmp_path) as window:
        begun = link.call("play", {"game": "dilemma", "options": {"first": "p1"}, "seats": SEATS})
        game = GameLink(link, begun["game"], entries_of(convert(begun, Opened)))
        seen = Seen(game, 1, 2, 3)

        def reply(body: dict[str, Any]) -> None:
            before = len(seen.messages)
            game.reply(body)
            seen.wait(lambda told: len(told) > before)

        while (question := seen.wait(lambda told: told[-1].get("updates") and seen.latest["question"]))[
            "kind"
        ] != "choice":
            seat = question["waiting"][0]
            mine, head = seen.updates[seat - 1]["question"]["mine"], {"id": question["id"], "seat": seat}
            if question["kind"] == "poll":
                reply({**head, "event": "answered", "yes": False})
            elif question["kind"] == "menu":
                reply({**head, "event": "picked", "option": 0})
            else:
                reply({**head, "event": "played", "move": rng.choice(mine["moves"])})
        one, two = question["seats"]
        window.go(f"{pages.address}/seat{in_address(key_of(begun, one))}")
        window.touch(f'[data-part="p{one} peace"].offered')
        window.touch("[data-key=confirm]:enabled")
        seen.wait(lambda told: seen.latest["question"]["waiting"] == [two])
        kept_there = window.until("return sessionStorage.length && JSON.stringify({...sessionStorage})")
        nonce = re.search(r'nonce\\":\\"([0-9a-f]{32})', kept_there)
        assert nonce is not None and nonce[1] not in str(seen.messages)
        binder, question = Binder(), seen.updates[two - 1]["question"]
        conflict = next(at for at, each in enumerate(question["options"]) if "conflict" in each)
        reply(binder.lock(convert(question["mine"]["bind"], Bind), question["id"], two, conflict))
        opening = binder.open(question["id"], two)
        assert opening is not None
        reply(opening)
        window.until("return /conflict/.test(document.querySelector('#story').textContent)")
        link.call("stop", {"game": game.game})
    with Log.read(log) as read:
        made = {entry.body["text"] for entry in read.entries() if entry.kind == "move"}
    assert {f"p{one} duel peace", f"p{two} duel conflict"} <= made
