"""An evening of five games in pictures: two phones, the television, the organiser's page and how one comes in.

    PYTHONPATH=tests:tests/web python -m tests.tools.pictures.evening FOLDER fr

Of each game: each phone when it is asked and at the end (``situations`` has what is touched); the television in it and
after it. What the pages say stands beside the pictures in ``words.txt``, by page, for a search for a word that is
wrong.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from evenings import Room, in_address
from playwright.sync_api import BrowserContext, Page, ViewportSize
from served import served

from browse.hall import Hall
from browse.phones import chromium
from browse.saying import WORDS
from kept import kept, linked

NAMES = ("Léa", "Bernard", "Zoé", "Étienne")
GAMES = {"dilemma": 3, "roudalon": 4, "struggle": 3, "dicke-daemonen": 3, "d21": 2}
PHONE, WALL, LAPTOP = (390, 844), (1920, 1080), (1280, 800)


class Camera:
    """Takes pictures of pages, and notes what they say."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said: dict[str, list[str]] = {}

    def take(self, page: Page, name: str) -> None:
        page.wait_for_timeout(300)  # lights and fonts have come
        page.screenshot(path=self.folder / f"{name}.png")
        self.said[name] = page.evaluate(WORDS)
        print(self.folder / f"{name}.png")

    def write(self) -> None:
        lines = [f"{name}\t{each}\n" for name, said in self.said.items() for each in dict.fromkeys(said)]
        (self.folder / "words.txt").write_text("".join(lines), encoding="utf-8")


def play(hall: Hall, room: Room, camera: Camera, game: str, phones: dict[str, Page], wall: Page) -> None:
    """Play a game: phones are looked at where they are asked, then bots play it to its end."""
    people = NAMES[: GAMES[game]]
    number = hall.link.call("next", {"evening": room.number, "game": game, "only": list(people), "others": []})["game"]
    hall.watch(number)
    hall.wait(number, lambda update: update["question"])
    asked = hall.latest[number]["question"]["waiting"][0]
    for name in {people[asked - 1], *people[:2]} & phones.keys():
        page = phones[name]
        page.wait_for_selector("#board svg, #hand svg")
        camera.take(page, f"{game}-{name}")
    camera.take(wall, f"{game}-wall")
    hall.link.call("pace", {"game": number, "seconds": 0})
    for seat in range(1, len(people) + 1):
        hall.link.call("source", {"game": number, "seat": seat, "source": "greedy"})
    hall.wait(number, lambda update: update["over"])
    for name in people[:2]:
        camera.take(phones[name], f"{game}-{name}-over")
    camera.take(wall, f"{game}-wall-over")


def main(argv: list[str]) -> None:
    folder, tag = Path(argv[0]), argv[1]
    folder.mkdir(parents=True, exist_ok=True)
    camera = Camera(folder)
    with tempfile.TemporaryDirectory() as there, chromium() as browser:
        log = Path(there) / "log.db"
        with kept(log), served(log) as pages, linked(log) as link:
            hall, room = Hall(pages, link), Room(link, NAMES)

            def context(size: tuple[int, int]) -> BrowserContext:
                settings: ViewportSize = {"width": size[0], "height": size[1]}
                made = browser.new_context(
                    viewport=settings, reduced_motion="reduce", extra_http_headers={"accept-language": tag}
                )
                made.set_default_timeout(90_000)  # bots that decide at once leave a page little time
                return made

            def opened(size: tuple[int, int], path: str) -> Page:
                page = context(size).new_page()
                page.goto(pages.address + path)
                return page

            wall = opened(WALL, f"/#operator={hall.operator}")
            camera.take(wall, "wall-before")
            guest = opened(PHONE, f"/in#{room.code}")
            guest.wait_for_selector("#name")
            camera.take(guest, "coming-in")
            phones = {name: opened(PHONE, f"/seat{in_address(room.keys[name])}") for name in NAMES[:2]}
            for name, page in phones.items():
                page.wait_for_selector("main")
                camera.take(page, f"waiting-{name}")
            host = opened(LAPTOP, f"/host#operator={hall.operator}")
            host.wait_for_selector("#rooms button")
            for game in GAMES:
                play(hall, room, camera, game, phones, wall)
                camera.take(host, f"{game}-host-after")
            link.call("close", {"evening": room.number})
            camera.take(wall, "wall-after")
            for name, page in phones.items():
                camera.take(page, f"after-{name}")
    camera.write()


if __name__ == "__main__":
    main(sys.argv[1:])
