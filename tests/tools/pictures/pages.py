"""Screenshots of every page and game, at the size of a phone, a laptop and a television.

    make pages            takes them all, into build/pages
    make pages README=1   takes those of the README, into host/pictures/pages
    make pages LANG=fr    takes them as a browser of that language shows them, in light colours alone

Bots have played the games up to where a person is asked, so that no two runs show the same.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from browse.hall import SCENES, Hall, hall
from browse.phones import chromium

README = Path(__file__).parents[3] / "host" / "pictures" / "pages"
SIZES: Mapping[str, dict[str, Any]] = {
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True},
    "laptop": {"viewport": {"width": 1280, "height": 800}},
    "television": {"viewport": {"width": 1920, "height": 1080}},
}
SHOWN: Mapping[str, tuple[str, str, float]] = {
    "table": ("table", "laptop", 0.75),
    "seat": ("seat-struggle", "phone", 0.75),
    "display": ("display-dilemma", "television", 0.5),
    "look-back": ("log-game", "laptop", 0.75),
}
"""Of the README, by name: which page, at which size, and by how much smaller."""


def take(made: Hall, browser: Browser, scene: str, size: str, to: Path, **options: Any) -> None:
    context = browser.new_context(reduced_motion="reduce", **SIZES[size], **options)
    page = context.new_page()
    SCENES[scene](made, page)
    page.wait_for_timeout(300)  # lights and fonts have come
    page.screenshot(path=to)
    context.close()
    print(to)


def main(argv: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder, hall(Path(folder) / "log.db") as made, chromium() as browser:
        if argv == ["--readme"]:
            README.mkdir(exist_ok=True)
            for name, (scene, size, share) in SHOWN.items():
                take(made, browser, scene, size, README / f"{name}.png", device_scale_factor=share)
            return
        to, *tags = argv
        Path(to).mkdir(parents=True, exist_ok=True)
        options = {"extra_http_headers": {"accept-language": tags[0]}} if tags else {}
        for scene in SCENES:
            for size in SIZES:
                for scheme in ("light",) if tags else ("light", "dark"):
                    name = "-".join((scene, size, *(tags or (scheme,))))
                    take(made, browser, scene, size, Path(to) / f"{name}.png", color_scheme=scheme, **options)


if __name__ == "__main__":
    main(sys.argv[1:])
