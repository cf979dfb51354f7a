"""Each page loads without an error of its scripts: what 'make smoke' runs, in less than a minute."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="Playwright is not installed")

from playwright.sync_api import Browser, ConsoleMessage, Error, Response

from browse.hall import GAMES, SCENES, Hall, Scene, at, hall
from browse.phones import chromium
from tablier.cli.main import main
from tablier.web.layout import PAGES

BOARD = "dilemma"
"""The game whose boards are looked at: the scripts know no game."""
PAGE_MS = 20_000
OTHERS = {f"{kind}-{game}" for kind in ("display", "seat") for game in GAMES if game != BOARD}
NOT_TAKEN = {"shared.js", "waking.js"}
"""Scripts that a browser does not say it has taken: that of the worker, and the one within each page."""
MISSING = "missing"
"""The scene of a page that is not there, as the browser may say."""


class Heard:
    """What browsers complain about, and which files they have taken."""

    def __init__(self) -> None:
        self.scene = ""
        self.faults: list[str] = []
        self.taken: set[str] = set()

    def show(self, scene: str, show: Scene, made: Hall, browser: Browser) -> None:
        """Show a page in a browser of its own, without the rights of another."""
        self.scene = scene
        context = browser.new_context(reduced_motion="reduce")
        context.set_default_timeout(PAGE_MS)
        context.on("weberror", lambda error: self._complain(str(error.error)))
        context.on("console", self._console)
        context.on("response", self._take)
        try:
            show(made, context.new_page())
        except Error as error:  # a page whose script fails does not become whole
            self._complain(error.message.splitlines()[0])
        context.close()

    def _complain(self, why: str) -> None:
        self.faults.append(f"{self.scene}: {why}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and self.scene != MISSING:
            self._complain(message.text)

    def _take(self, response: Response) -> None:
        self.taken.add(response.url.rpartition("/pages/")[2])
        if response.status >= 400 and self.scene != MISSING:
            self._complain(f"{response.url}: {response.status}")


@pytest.mark.timeout(120)
def test_each_page_loads_without_a_fault(tmp_path: Path) -> None:
    log, archive = tmp_path / "log.db", str(tmp_path / "archive.db")
    with hall(log, [BOARD], archive) as made, chromium() as browser:
        assert main(["archive", "add", str(log), "--club", "Beaune", "--archive", archive]) == 0
        heard = Heard()
        for scene, show in {**SCENES, "archive": at("/archive", "table")}.items():
            if scene not in OTHERS:
                heard.show(scene, show, made, browser)
            assert not heard.faults, "\n".join(heard.faults)
    scripts = {file.name for file in PAGES.iterdir() if file.name.endswith(".js")}
    assert sorted(scripts - heard.taken - NOT_TAKEN) == [], "no page that this test opens has these scripts"
