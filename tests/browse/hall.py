"""A hall with all five games going on, and each page of it in a browser, in the middle of things."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from evenings import in_address, key_of
from playwright.sync_api import Page
from served import Served, served
from tests.heard import by_method

from kept import kept, linked
from tablier.keeper.client import KeeperError, Link
from tablier.texts import Json

NAMES = ("Anne", "Bernard", "Christine", "Daniel")
GAMES: Mapping[str, tuple[int, int]] = {
    "d21": (2, 8),
    "dicke-daemonen": (3, 14),
    "dilemma": (3, 6),
    "roudalon": (4, 0),
    "struggle": (3, 12),
}
"""By game: players, and the move after which the first of them is a person."""
_WAIT_S = 90.0


class Hall:
    """The pages of a log with games in it."""

    def __init__(self, pages: Served, link: Link) -> None:
        self.pages, self.link = pages, link
        self.address = pages.address
        self.operator: str = pages.site.browsers.operator
        self.latest: dict[int, Json] = {}
        self.games: dict[str, tuple[int, Json]] = {}
        """By name: the number of the game that waits for Anne, and her key."""
        self.over = 0
        """The number of a game that is over."""
        self.at_table = 0

    def watch(self, game: int) -> None:
        def hear(method: str, params: Json) -> None:
            if method == "updates":
                self.latest[game] = params["updates"][0]

        self.link.listen(game, by_method(hear))
        self.link.call("watch", {"game": game, "viewers": [None]})

    def wait(self, game: int, holds: Callable[[Json], object]) -> None:
        deadline = time.monotonic() + _WAIT_S
        while not (game in self.latest and holds(self.latest[game])):
            assert time.monotonic() < deadline, self.latest.get(game)
            time.sleep(0.05)

    def begin(self, name: str) -> None:
        """Have bots play a game up to where Anne, whom it then waits for, takes her seat."""
        count, ply = GAMES[name]
        seats = [{"name": each, "source": "greedy"} for each in NAMES[:count]]
        options = {"first": "p1"} if name == "roudalon" else {}
        if not ply:
            seats[0]["source"] = "screen"
        begun = self.link.call("play", {"game": name, "seats": seats, "options": options, "table": {"pace_s": 0.2}})
        number = begun["game"]
        self.watch(number)
        self.wait(number, lambda update: update["ply"] >= ply)
        key = key_of(begun, 1) if "1" in begun["people"] else self._sit(number, begun["evening"])
        self.games[name] = (number, key)
        self.wait(number, lambda update: 1 in (update["question"] or {"waiting": ()})["waiting"])

    def _sit(self, number: int, evening: int) -> Json:
        """Take the first seat from its bot; that cannot be while a secret choice is open."""
        key = self.link.call("come", {"evening": evening, "name": NAMES[0]})
        given = {"game": number, "seat": 1, "source": "screen", "person": NAMES[0]}
        deadline = time.monotonic() + _WAIT_S
        while True:
            with suppress(KeeperError):
                self.link.call("source", given)
                return {each: key[each] for each in ("evening", "person", "key")}
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def finish(self) -> None:
        """Have bots play a game to its end."""
        seats = [{"name": name, "source": "greedy"} for name in NAMES[:3]]
        self.over = self.link.call("play", {"game": "dilemma", "seats": seats})["game"]
        self.watch(self.over)
        self.wait(self.over, lambda update: update["over"])

    def throw(self) -> None:
        """Begin a game at a simulated table with simulated people; it waits for Anne's offer."""
        seats: list[Json] = [{"name": NAMES[0], "source": "table", "place": 1}]
        seats += [
            {"name": name, "source": "table", "place": place, "simulated": "good"}
            for name, place in zip(NAMES[1:3], (3, 5), strict=True)
        ]
        asked = {"game": "dilemma", "seats": seats, "options": {"first": "p1"}, "table": {"port": "simulated"}}
        self.at_table = self.link.call("play", asked)["game"]
        self.watch(self.at_table)
        self.wait(self.at_table, lambda update: 1 in (update["question"] or {"waiting": ()})["waiting"])

    def stop(self) -> None:
        for number in [number for number, _ in self.games.values()] + [self.at_table]:
            if number:
                self.link.call("stop", {"game": number})


Scene = Callable[[Hall, Page], None]


@contextmanager
def hall(log: Path, games: Collection[str] = GAMES, archive: str | None = None) -> Iterator[Hall]:
    """These games, one that is over, and one at a table; ``archive`` is shown, too, once it is there."""
    with kept(log), served(log, archive=archive) as pages, linked(log) as link:
        made = Hall(pages, link)
        try:
            made.finish()
            for game in games:
                made.begin(game)
            made.throw()
            yield made
        finally:
            made.stop()


# -- the pages ---------------------------------------------------------------------------------------------------------


def display(game: str) -> Scene:
    def show(hall: Hall, page: Page) -> None:
        page.goto(hall.address)
        page.wait_for_selector("#board svg")
        page.locator(".top select").select_option(str(hall.games[game][0]))
        page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        page.wait_for_selector("#board svg")

    return show


def seat(game: str) -> Scene:
    def show(hall: Hall, page: Page) -> None:
        page.goto(f"{hall.address}/seat{in_address(hall.games[game][1])}")
        page.wait_for_selector("#asked .what")
        page.wait_for_selector("#board svg")

    return show


def at(address: str, selector: str) -> Scene:
    """``address`` may name ``{game}``, a game that is over, ``{running}``, and the ``{operator}``'s key."""

    def show(hall: Hall, page: Page) -> None:
        running = next(number for number, _ in hall.games.values())
        page.goto(hall.address + address.format(game=hall.over, running=running, operator=hall.operator))
        page.wait_for_selector(selector)

    return show


SCENES: Mapping[str, Scene] = {
    **{f"display-{game}": display(game) for game in GAMES},
    **{f"seat-{game}": seat(game) for game in GAMES},
    "table": at("/table#operator={operator}", "#whole .pixel.lit"),
    "log": at("/log", ".card"),
    "log-game": at("/log/game/{game}", "#shown svg"),
    "log-running": at("/log/game/{running}", "#shown svg"),
    "log-evening": at("/log/evening/{game}", ".board svg"),
    "log-verify": at("/log/verify", ".head"),
    "in": at("/in", "#code"),
    "nobody": at("/seat", "#join a"),
    "host": at("/host#operator={operator}", "#rooms button"),
    "host-closed": at("/host", "#which p"),
    "table-closed": at("/table", "#closed"),
    "missing": at("/log/game/999999", "h1"),
}
"""By name: shows a page as soon as it is whole."""

__all__ = ["GAMES", "SCENES", "Hall", "Scene", "hall"]
