"""Nothing on a page goes past the catalogue: what is shown, what is read aloud, and what scripts write, in games that
are in the middle of things."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from browse.hall import NAMES, SCENES, Hall, hall
from browse.phones import chromium
from browse.saying import WORDS
from marked import MARKED, english, with_languages
from tablier.games import GAMES

SIZES = {"phone": (390, 844), "television": (1920, 1080)}
KNOWN = (*NAMES, "Tablier", "http", "https", "Dicke", "Dämonen", *(part for game in GAMES for part in game.split("-")))


@pytest.fixture(scope="module")
def marked() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch, with_languages(patch, MARKED):
        yield


@pytest.fixture(scope="module")
def playing(marked: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Hall, Browser]]:
    with hall(tmp_path_factory.mktemp("hall") / "log.db") as made, chromium() as browser:
        yield made, browser


def past(page: Page) -> list[str]:
    """Return what a page says that has an English word."""
    said = [re.sub(r"https?://\S*|\b[0-9a-f]{64}\b", " ", each) for each in page.evaluate(WORDS)]
    return [each for each in said if english(each, *KNOWN)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scene", SCENES)
def test_a_page_in_the_middle_of_things(playing: tuple[Hall, Browser], scene: str, size: str) -> None:
    made, browser = playing
    width, height = SIZES[size]
    settings: dict[str, Any] = {"viewport": {"width": width, "height": height}, "reduced_motion": "reduce"}
    context = browser.new_context(**settings, extra_http_headers={"accept-language": MARKED.tag})
    page = context.new_page()
    SCENES[scene](made, page)
    page.wait_for_timeout(200)
    page.evaluate("() => document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert past(page) == []
    assert page.locator("html").get_attribute("lang") == MARKED.tag
    context.close()


def test_what_a_phone_keeps_of_the_pages(playing: tuple[Hall, Browser]) -> None:
    made, browser = playing
    context = browser.new_context(extra_http_headers={"accept-language": MARKED.tag})
    page = context.new_page()
    page.goto(made.address)
    for link in page.locator("link[rel=manifest]").all():
        manifest = context.request.get(f"{made.address}{link.get_attribute('href')}").json()
        assert [each for each in (manifest["name"], manifest.get("description", "")) if english(each, *KNOWN)] == []
    context.close()
