"""A network that stalls: the phone says so within three seconds, wherever it is scrolled, and comes back by itself."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from evenings import in_address, key_of
from served import command

from browse.phones import chromium
from kept import linked

SEATS = [{"name": name, "source": "screen"} for name in ("Anne", "David")]


def test_a_phone_whose_network_stalls_says_so_within_three_seconds(tmp_path: Path) -> None:
    """Nothing is refused and nothing closed: the server only says no more, as where packets are dropped."""
    log = tmp_path / "log.db"
    with command(log) as (server, said), linked(log) as link, chromium() as browser:
        begun = link.call("play", {"game": "d21", "seats": SEATS})
        address = said[0].split()[0]
        phone = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True).new_page()
        phone.goto(f"{address}seat{in_address(key_of(begun, 2))}")
        phone.wait_for_selector("#asked:not([hidden])")
        phone.mouse.wheel(0, 5000)
        notice = phone.locator("#notice")
        for _ in range(2):
            assert not notice.is_visible()
            os.kill(server.pid, signal.SIGSTOP)
            stalled = time.monotonic()
            try:
                phone.wait_for_function("() => !document.querySelector('#notice').hidden")  # looks at each frame
                assert time.monotonic() - stalled < 3.2  # and the time that this test takes to see it
                assert "connection is lost" in notice.inner_text()
                box = notice.bounding_box()
                assert box is not None and 0 <= box["y"] < 100
                if shots := os.environ.get("TABLIER_SHOTS"):
                    phone.screenshot(path=f"{shots}/stalled.png")
            finally:
                os.kill(server.pid, signal.SIGCONT)
            notice.wait_for(state="hidden", timeout=10_000)
        link.call("stop", {"game": begun["game"]})
