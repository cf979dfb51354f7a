"""What pixels may show as taken: what stands in the log's file, read while a host writes it."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from pathlib import Path
from typing import Any

import replies
from tablier.log.storing import unpack_body
from tablier_fw import colours

TAKEN = bytes(colours.TAKEN).hex()
ROLLED = bytes(colours.ROLLING).hex()


class Durable:
    """The durable entries of a log in use, as far as pixels can show them."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None)
        self._last = 0
        self._what = ""
        self._asked: list[int] = []
        self._put_in: set[tuple[int, int]] = set()  # (place, question)
        self._revealed: set[int] = set()  # questions
        self._landed: dict[int, int] = defaultdict(int)  # by question: landings of its window up to then

    def close(self) -> None:
        self._db.close()

    def _read(self) -> None:
        rows = self._db.execute("SELECT n, kind, body FROM entry WHERE n > ? ORDER BY n", (self._last,))
        for n, kind, text in rows:
            body = json.loads(unpack_body(text))
            self._last = n
            if kind == "ask":
                paused = body["what"] == "paused"  # what was open is asked again after it
                asked_again = bool(self._asked) and (paused or body["what"] == "window" == self._what)
                self._landed[body["id"]] = self._landed[self._asked[-1]] if asked_again else 0
                self._asked.append(body["id"])
                self._what = self._what if paused else body["what"]
            elif kind == "move":
                self._what = ""
            elif kind == "table" and body["event"] == replies.LANDED:
                self._landed[body["id"]] += 1
            elif kind == "table" and body["event"] == replies.REVEALED:
                self._revealed.add(body["id"])
            if kind == "table" and "place" in body:
                self._put_in.add((body["place"], body["id"]))

    def check(self, pixels: dict[str, Any]) -> None:
        """Check that all that the pixels show as taken is in the log."""
        self._read()
        asked = self._asked[-3:]  # the table may not have the latest question yet
        for place, colour in enumerate(pixels["public"], 1):
            if colour == TAKEN:
                assert any((place, id) in self._put_in for id in asked), f"place {place}: taken, but not in the log"
        green = pixels["ring"].count(TAKEN)
        if ROLLED in pixels["ring"]:
            assert not green or self._revealed.intersection(asked), "an outcome is shown as taken, but not in the log"
            return
        most = max((self._landed[id] for id in asked), default=0)
        assert green <= most, f"{green} landings are shown as taken, {most} are in the log"
