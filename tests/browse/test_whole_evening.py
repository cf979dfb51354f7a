"""An evening of four phones and a television, from one computer: by touch alone, through everything that can happen."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from browse.friends import Friend, Organiser, decide, spent, standings
from browse.phones import CHROMIUM, chromium
from kept import linked
from tablier.keeper.access import read_token
from tablier.web.cookies import operator_key

NAMES = ("Léa", "Anne-Marie Dupont", "Bernard", "Zoé")
TOUCHES = 6
"""How often people decide in a game before bots play it to its end."""
PLAYED = ("Dilemma", "Le Roudalon", "Struggle", "Dicke Dämonen", "D.21")
KINDS = ("dilemma", "roudalon", "struggle", "dicke-daemonen", "d21")


class Computer:
    """The computer at which 'tablier web' runs, with its keeper; it can be switched off."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.address = ""
        with socket.socket() as free:  # the usual one could be another log's while this computer is off
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.switch_on("--port", str(port))

    def switch_on(self, *options: str) -> None:
        command = [str(Path(sys.executable).with_name("tablier")), "web", "--log", str(self.log), *options]
        self._pages = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._pages.stdout is not None
        address = self._pages.stdout.readline().split()[0].rstrip("/")
        assert self.address in ("", address), "a log keeps its port"
        self.address = address

    def kill_keeper(self) -> None:
        with linked(self.log, operator=False) as link:
            os.kill(link.keeper["pid"], signal.SIGKILL)

    def switch_off(self) -> None:
        self._pages.kill()
        self._pages.wait(20)
        assert self._pages.stdout is not None
        self._pages.stdout.close()
        self.kill_keeper()

    def shut_down(self) -> None:
        self._pages.send_signal(signal.SIGINT)
        self._pages.wait(20)
        assert self._pages.stdout is not None
        self._pages.stdout.close()


class Pocket:
    """A phone without a network: its browser stands still, and closes no connection."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser.browser_type.launch(executable_path=CHROMIUM, args=["--no-sandbox", _POCKET])
        self._still: set[int] = set()

    def freeze(self) -> None:
        parents = dict(_parents())
        self._still = {each for each in parents if _POCKET in _read(each, "cmdline").split("\0")}
        while more := {each for each, parent in parents.items() if parent in self._still} - self._still:
            self._still |= more
        for each in self._still:
            os.kill(each, signal.SIGSTOP)

    def thaw(self) -> None:
        for each in self._still:
            os.kill(each, signal.SIGCONT)
        self._still.clear()


_POCKET = "--in-a-pocket"


def _parents() -> Iterator[tuple[int, int]]:
    """Yield the processes of this computer, each with its parent."""
    for each in Path("/proc").iterdir():
        if each.name.isdigit() and (stat := _read(int(each.name), "stat")):
            yield int(each.name), int(stat.rpartition(")")[2].split()[1])


def _read(process: int, name: str) -> str:
    try:
        return Path(f"/proc/{process}/{name}").read_text(errors="replace")
    except OSError:
        return ""


@contextmanager
def at_home(log: Path) -> Iterator[tuple[Computer, Browser, Pocket]]:
    computer = Computer(log)
    try:
        with chromium() as browser:
            pocket = Pocket(browser)
            yield computer, browser, pocket
            pocket.thaw()
            pocket.browser.close()
    finally:
        computer.shut_down()


@pytest.mark.timeout(900)
def test_four_phones_and_a_television_through_an_evening(tmp_path: Path) -> None:
    """Five games, a series, somebody who leaves, a dead phone, a killed keeper, a computer that is switched off."""
    log, rng = tmp_path / "log.db", random.Random(4)
    with at_home(log) as (computer, browser, pocket):
        token = read_token(log)
        assert token is not None
        by_key = f"#operator={operator_key(token)}"
        laptop = Organiser(browser.new_page(), f"{computer.address}/host{by_key}")
        laptop.tap("Begin the evening")
        television = browser.new_page(viewport={"width": 1920, "height": 1080})
        television.goto(f"{computer.address}/{by_key}")
        code = television.locator("#interlude .door code").inner_text()

        friends = []
        for name in NAMES:
            own = pocket.browser if name == "Zoé" else browser
            friends.append(Friend(own, lambda: computer.address, name, code))
            expect(television.locator("body")).to_contain_text(name)
        lea, anne, bernard, zoe = friends
        row = laptop.page.locator("#people li", has_text="Léa")
        row.locator("summary").click()
        row.get_by_role("button", name="Make an organiser").click()
        expect(row).to_contain_text("organiser")
        laptop.page.close()
        organiser = Organiser(lea.context.new_page(), f"{computer.address}/host")

        organiser.begin("dilemma", "Dilemma", NAMES)
        decide(friends, rng, TOUCHES)
        organiser.leave_to_bots([friend.name for friend in friends])
        expect(organiser.page.locator("#again")).to_have_text("Begin Dilemma again now, for all", timeout=60_000)

        organiser.begin("roudalon", "Le Roudalon", NAMES)  # the keeper is killed in it
        decide(friends, rng, TOUCHES)
        computer.kill_keeper()
        lea.page.wait_for_selector("#notice:not([hidden])")
        for friend in friends:
            friend.page.wait_for_selector("#notice[hidden]", state="attached", timeout=30_000)
        decide(friends, rng, 2)
        organiser.leave_to_bots([friend.name for friend in friends])
        expect(organiser.page.locator("#again")).to_have_text("Begin Le Roudalon again now, for all", timeout=60_000)

        three = [lea, anne, zoe]
        organiser.begin("struggle", "Struggle", [friend.name for friend in three])  # Zoé leaves for an hour
        decide(three, rng, 3)
        pocket.freeze()  # for all that the program minds it could be an hour: nothing else looks at how long it is
        here = organiser.page.locator("#people li", has_text="Zoé")
        expect(here).not_to_contain_text("phone", timeout=90_000)
        organiser.tap("A bot takes over for Zoé")
        decide([lea, anne], rng, 3)
        pocket.thaw()
        expect(here).to_contain_text("phone", timeout=60_000)
        organiser.tap("Give back to Zoé")
        decide(three, rng, 3)
        organiser.leave_to_bots([friend.name for friend in three])
        expect(organiser.page.locator("#again")).to_have_text("Begin Struggle again now, for all", timeout=60_000)

        three = [anne, bernard, zoe]
        organiser.begin("dicke-daemonen", "Dicke Dämonen", [friend.name for friend in three])
        decide(three, rng, TOUCHES)
        for friend in friends[1:]:  # all go home, and their batteries are empty
            friend.die()
        computer.switch_off()
        computer.switch_on()  # the next day
        for friend in friends[1:]:
            friend.wake(pocket.browser if friend is zoe else browser)
        for friend in friends:
            friend.page.wait_for_selector("#notice[hidden]", state="attached", timeout=60_000)
        button = organiser.page.get_by_role("button", name=re.compile("Resume Dicke Dämonen"))
        button.click(timeout=30_000)
        decide(three, rng, 2)
        organiser.leave_to_bots([friend.name for friend in three])
        expect(organiser.page.locator("#again")).to_have_text("Begin Dicke Dämonen again now, for all", timeout=60_000)

        organiser.begin_series("d21", 1)
        organiser.begin("d21", "D.21", ["Bernard", "Zoé"])
        decide([bernard, zoe], rng, TOUCHES)
        organiser.leave_to_bots(["Bernard", "Zoé"])
        expect(organiser.page.locator("#again")).to_have_text(re.compile("D.21"), timeout=120_000)
        shown = standings(television)
        organiser.tap("End the evening")
        organiser.tap("Yes", "dialog")
        expect(television.locator("#interlude")).to_contain_text("over", timeout=20_000)
        assert not [fault for friend in friends for fault in friend.faults]

    evening, games, won = spent(log, 1, KINDS)
    assert len(games) == 5 and evening.ended is not None and evening.series[0].complete
    assert shown == won
