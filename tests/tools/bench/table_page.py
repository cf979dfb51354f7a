"""From a press on the table page to the pixel on that page, by a browser; beside it the same for a client without a
page, as a terminal is, and what single steps take."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from unittest.mock import patch

from tests.heard import by_method

from tablier.keeper.access import read_token
from tablier.keeper.address import READY
from tablier.keeper.client import Link
from tablier.keeper.starting import join
from tablier.web.cookies import operator_key

RUNS, PRESSES = 3, 60
LIMIT_MS = 120.0
DARK = "000000"
CHROMIUM = next((path for path in ("/usr/bin/chromium", "/usr/bin/chromium-browser") if Path(path).exists()), None)
SEATS = [{"name": name, "source": "table", "place": place} for name, place in (("A", 1), ("B", 3), ("C", 5))]
_PRESSED = """async () => {
    const key = document.querySelector('#own .button[data-place="1"][data-button="plus"] .key');
    const button = key.getBoundingClientRect();
    const found = { x: button.x + button.width / 2, y: button.y + button.height / 2 };
    window.took = null;
    let begun = null;
    const watch = new MutationObserver(() => {
        if (begun === null) return;
        window.took = performance.now() - begun;
        watch.disconnect();
    });
    for (const pixel of document.querySelectorAll('#own [data-group="hood1"]')) {
        watch.observe(pixel, { attributes: true, attributeFilter: ["data-colour"] });
    }
    document.addEventListener("pointerdown", () => (begun = performance.now()), { capture: true, once: true });
    return found;
}"""
_FETCHES = """() => performance.getEntriesByType("resource").filter((each) => each.name.endsWith("/table"))
    .map((each) => each.duration)"""


@contextmanager
def pages(log: Path) -> Iterator[str]:
    """Serve the pages of a log in a process of their own."""
    command = [sys.executable, "-m", "tablier.web.server", str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        said = server.stdout.readline().split()
        assert said[0] == READY, said
        try:
            yield said[1]
        finally:
            server.terminate()


def on_page(page: Any, address: str, game: int, token: str) -> tuple[list[float], list[float]]:
    """Return the milliseconds from press to pixel, and those of the page's requests alone."""
    page.goto(f"{address}table#operator={operator_key(token)}")
    page.wait_for_selector("#own .pixel.lit")
    page.locator('#own .hood[data-hood="1"]').click()
    page.wait_for_selector('#own .hood[data-hood="1"].open .lit')
    times = []
    for _ in range(PRESSES):
        at = page.evaluate(_PRESSED)
        page.mouse.move(at["x"], at["y"])
        page.mouse.down()
        page.wait_for_function("() => window.took !== null", timeout=10_000)
        page.mouse.up()
        times.append(page.evaluate("() => window.took"))
        page.wait_for_timeout(150)
    fetches = page.evaluate(_FETCHES)
    page.keyboard.press("Escape")
    page.wait_for_selector('#own .hood[data-hood="1"]:not(.open)')
    return times, fetches


def in_terminal(link: Link, game: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds from press to pixel for a client that has no page, and those until the table has it."""
    times, answers = [], []
    changed, told = threading.Condition(), [[DARK]]

    def hear(method: str, params: Any) -> None:
        if method == "lights" and params["hood"] is not None:
            with changed:
                told.append(params["hood"])
                changed.notify_all()

    def differs(before: list[str]) -> bool:
        return told[-1] != before

    link.listen(game, by_method(hear))
    link.call("lights", {"game": game})
    link.call("lean", {"game": game, "place": 1})
    with changed:
        assert changed.wait_for(lambda: told[-1] and set(told[-1]) != {DARK}, 10)  # it is asked
    for _ in range(PRESSES):
        before, begun = told[-1], time.perf_counter()
        link.call("tester", {"game": game, "verb": "hold 1 plus"})
        answers.append((time.perf_counter() - begun) * 1000)
        with changed:
            assert changed.wait_for(partial(differs, before), 10)
        times.append((time.perf_counter() - begun) * 1000)
        link.call("tester", {"game": game, "verb": "release 1 plus"})
        link.call("lean", {"game": game, "place": 1})  # it ends after 10 s
        time.sleep(0.15)
    link.call("lean", {"game": game, "place": 0})
    link.call("lights", {"game": game, "on": False})
    return times, answers


def main() -> None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("Press to pixel on the page: not measured, Playwright is not installed (the extra 'browse')")
        return
    if CHROMIUM is None:
        print("Press to pixel on the page: not measured, there is no Chromium")
        return
    runs: list[tuple[list[float], list[float], list[float], list[float]]] = []
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, TABLIER_PORTS=f"{folder}/ports"):
            log = Path(folder) / "log.db"
            link = join(log)
            token = read_token(log)
            assert token is not None
            game = link.call("play", {"game": "dilemma", "seats": SEATS, "table": {"port": "simulated"}})["game"]
            link.call("watch", {"game": game, "viewers": [None]})
            alone = in_terminal(link, game)
            with sync_playwright() as playwright, pages(log) as address:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                page = browser.new_page(viewport={"width": 1280, "height": 900})
                runs.append((*on_page(page, address, game, token), *alone))
                browser.close()
            link.call("stop", {"game": game})
            link.call("quit")
            link.close()
    page50, page95 = middle([times for times, _, _, _ in runs])
    alone50, alone95 = middle([times for _, _, times, _ in runs])
    asked = median(median(fetches) for _, fetches, _, _ in runs)
    answered = median(median(answers) for _, _, _, answers in runs)
    met = "met" if page95 <= LIMIT_MS else "MISSED"
    print(f"Press to pixel on the table page, {PRESSES} presses a run, medians of {RUNS} runs")
    print(f"  p50 {page50:6.1f} ms    p95 {page95:6.1f} ms    (limit of p95: {LIMIT_MS:.0f} ms, {met})")
    print(f"  for a client without a page, as a terminal is: p50 {alone50:.1f} ms, p95 {alone95:.1f} ms; of that")
    print(f"    to the table, which answers: p50 {answered:.1f} ms; its pixels back: {alone50 - answered:.1f} ms")
    print("  of the page's")
    print(f"    to the table, which answers: p50 {asked:.1f} ms; its pixels back: {page50 - asked:.1f} ms")


def middle(runs: list[list[float]]) -> tuple[float, float]:
    """Return the medians of the runs' p50 and p95."""
    cuts = [quantiles(times, n=100, method="inclusive") for times in runs]
    p50, p95 = (median(run[at] for run in cuts) for at in (49, 94))
    return p50, p95
