"""A seat on a page: what it gets, how one comes to have it, and what its scripts do."""

from __future__ import annotations

import json
import random
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from evenings import enter, key_of
from served import Served, Stream

from installed import needs
from tablier.games import GAMES, rules_of, words_of
from tablier.games.core import TABLE, Position
from tablier.games.core.questions import bare
from tablier.keeper.client import Link
from tablier.texts import render
from tablier.web.saying import parts_of

SEATS = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard", "Christine")]


def cases() -> list[list[dict[str, Any]]]:
    """What seats can do in positions of random games, as a page gets it."""
    rng, found = random.Random(4), []
    for game in GAMES:
        seats = {"d21": 2, "roudalon": 4}.get(game, 3)
        position: Position[Any] = Position(rules_of(game, seats, {}))
        while not position.is_over and position.ply < 120:
            for seat in position.to_move:
                if seat != TABLE:
                    own = (position.rules.attempt(move) for move in position.legal_moves if move.actor == seat)
                    moves = list(dict.fromkeys(map(bare, own)))
                    if len(moves) > 50 and position.ply % 8:
                        continue  # to touch each of hundreds takes long
                    found.append([{"move": each, "parts": parts_of(position.rules, seat, each)} for each in moves])
            position.push(rng.choice(list(position.legal_moves)))
    return found


def run(script: str, given: str = "") -> str:
    """Return what a script says of what it is given. Raise ``AssertionError`` where a promise of it is broken."""
    words = ["node", str(Path(__file__).with_name(script))]
    done = subprocess.run(words, input=given, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs("node")
def test_touching_and_binding_in_the_browser() -> None:
    given = cases()
    assert int(run("scripts.mjs", json.dumps(given))) == sum(map(len, given)) > 1000


@needs("node")
def test_scripts_tell_and_hide_on_a_page_what_they_should() -> None:
    run("on_page.mjs")


def test_a_seat_gets_what_it_holds_and_a_board_without_it(pages: Served, link: Link) -> None:
    begun = link.call("play", {"game": "struggle", "options": {"first": "p1"}, "seats": SEATS})
    number = begun["game"]
    with pages.browser() as browser, pages.browser() as other:
        enter(browser, key_of(begun, 1))
        with Stream(browser, "mine") as own, Stream(other, "mine,public") as public, Stream(other, "phone") as boards:
            state = own.wait(f"{number}-1", lambda state: (state["question"] or {}).get("mine"))["state"]
            assert "board" not in state and 'class="secret"' in state["hand"]
            can = {each["move"]: each["parts"] for each in state["question"]["mine"]["can"]}
            assert can["keep none"] == [["keep none"]]
            leads = {each["move"]: each["outcome"] for each in state["question"]["mine"]["can"]}
            assert leads["keep none"] == "5 dice again, in throw number 2 of 3" and all(leads.values())
            objective = next(line for line in state["reading"].split("\n") if "Anne" in line and "-" in line)
            cards = [word for word in objective.split() if word.count("-") == 4]
            assert "<svg" in boards.wait(f"board-{number}")["state"]["board"]
            seen = public.wait(f"game-{number}", lambda state: state["question"])["state"]
            assert "hand" not in seen and "reading" in seen
            assert len(cards) == 1 and not any(cards[0] in line for line in public.raw)
    link.call("stop", {"game": number})


def test_rules_are_a_page(pages: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The aim and a turn stand first, nothing that only a terminal takes. It is made once."""
    with pages.browser() as browser:
        for game in GAMES:
            page = browser.get("/rules", params={"game": game})
            assert page.headers["content-type"].startswith("text/html")
            assert render(words_of(game).aim) in unescape(page.text).partition("<h2>")[0] and "<table>" in page.text
            assert not any(render(line) in unescape(page.text) for line in words_of(game).help)
            assert "](" not in page.text and "<img" not in page.text and '<a href="../' not in page.text
        unknown = browser.get("/rules", params={"game": "chess"})
        assert unknown.status_code == 404 and "there is no game 'chess'" in unknown.text
        monkeypatch.setattr("tablier.web.seat.rules_text", lambda name: pytest.fail("made once more"))
        assert all(browser.get("/rules", params={"game": game}).status_code == 200 for game in GAMES)
