"""A seat on a page: what it gets, how one comes to have it, and what its scripts do."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from served import Served, Stream

from tablier.games import GAMES, rules_of
from tablier.games.core import TABLE, Position
from tablier.games.core.questions import bare
from tablier.keeper.client import Link
from tablier.web import joining
from tablier.web.saying import parts_of

SEATS = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard", "Christine")]
SCRIPTS = Path(__file__).with_name("scripts.mjs")


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


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node on this computer")
def test_touching_and_binding_in_the_browser() -> None:
    given = cases()
    done = subprocess.run(
        ["node", str(SCRIPTS)], input=json.dumps(given), capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == sum(map(len, given)) > 1000


def test_a_seat_gets_what_it_holds_and_a_board_without_it(pages: Served, link: Link) -> None:
    begun = link.call("play", {"game": "struggle", "options": {"first": "p1"}, "seats": SEATS})
    number, key = begun["game"], begun["keys"]["1"]
    with pages.browser() as browser, pages.browser() as other:
        browser.post("/enter", json={"game": number, "seat": 1, "key": key})
        with Stream(browser, "mine,public") as own, Stream(other, "mine,public") as public:
            state = own.wait(f"{number}-1", lambda state: (state["question"] or {}).get("mine"))["state"]
            assert "board" not in state and 'class="secret"' in state["hand"]
            can = {each["move"]: each["parts"] for each in state["question"]["mine"]["can"]}
            assert can["keep none"] == [["keep none"]]
            objective = next(line for line in state["reading"].split("\n") if "Anne" in line and "-" in line)
            cards = [word for word in objective.split() if word.count("-") == 4]
            seen = public.wait(f"game-{number}", lambda state: state["question"])["state"]
            assert "hand" not in seen and "<svg" in seen["board"]
            assert len(cards) == 1 and not any(cards[0] in line for line in public.raw)
    link.call("stop", {"game": number})


def test_rules_are_served_with_how_moves_are_typed(pages: Served) -> None:
    with pages.browser() as browser:
        text = browser.get("/rules", params={"game": "dilemma"}).text
        assert text.startswith("offer 8: put your 8 on offer.") and "conflict" in text
        unknown = browser.get("/rules", params={"game": "chess"})
        assert unknown.status_code == 404 and "there is no game 'chess'" in unknown.text


def value_of(browser: httpx.Client) -> str:
    """Return the value of a browser's only cookie."""
    (value,) = browser.cookies.values()
    return value


def begin(operator: Any, pages: Served) -> int:
    """A game for three phones, which the operator's page begins."""
    assert operator.post("/enter", json={"operator": pages.site.browsers.operator}).json() == {"operator": True}
    asked = {"method": "play", "params": {"game": "dilemma", "seats": SEATS}, "as": "operator"}
    number = int(operator.post("/do", json=asked).json()["result"]["game"])
    assert operator.post("/table", json={"game": number, "begin": True}).json() == {"result": {}}
    return number


def test_a_code_seats_one_phone_once_and_everybody_is_told(pages: Served, link: Link) -> None:
    with pages.browser() as operator, pages.browser() as phone, pages.browser() as late:
        number = begin(operator, pages)
        asked = {"game": number, "seat": 2}
        assert late.post("/code", json=asked).json() == {"error": "This needs the operator's key."}
        with Stream(late) as display:
            display.wait(f"game-{number}", lambda state: state["question"])
            made = operator.post("/code", json=asked).json()
            assert made["name"] == "Bernard" and 119 < made["left"] <= 120 and made["qr"] is None
            assert made["address"].endswith(f"/seat#code={made['code']}")
            shown = display.wait("join", lambda state: state["codes"])["state"]["codes"]
            assert [each["code"] for each in shown] == [made["code"]]
            typed = f" {made['code'][:4].lower()}-{made['code'][4:]} "
            joined = phone.post("/join", json={"code": typed})
            assert joined.json() == {"game": number, "seat": 2}
            cookie = next(iter(phone.cookies.jar))
            assert cookie.has_nonstandard_attr("HttpOnly") and cookie.get_nonstandard_attr("SameSite") == "strict"
            told: list[str] = []
            gone = False
            while not (gone and any("Bernard" in each for each in told)):
                event = display.next()
                gone = gone or (event["name"] == "join" and not event["state"]["codes"])
                told += [each["said"] for each in event["news"]]
        with Stream(phone, "mine") as stream:
            assert stream.wait(f"{number}-2")["state"]["viewer"] == 2
            used = late.post("/join", json={"code": made["code"]})
            assert used.status_code == 403 and "one use" in used.json()["error"]
            held = operator.post("/code", json=asked)
            assert held.status_code == 409 and "not free" in held.json()["error"]
        assert operator.post("/code", json={"game": number, "seat": 4}).status_code == 404
    link.call("stop", {"game": number})


def test_a_code_that_is_late_does_not_hold(pages: Served, link: Link, monkeypatch: pytest.MonkeyPatch) -> None:
    with pages.browser() as operator, Stream(operator) as display:
        number = begin(operator, pages)
        monkeypatch.setattr(joining, "VALID_S", 0.5)
        code = operator.post("/code", json={"game": number, "seat": 1}).json()["code"]
        display.wait("join", lambda state: state["codes"])
        display.wait("join", lambda state: not state["codes"])
        late = operator.post("/join", json={"code": code})
        assert late.status_code == 403 and "two minutes" in late.json()["error"]
    link.call("stop", {"game": number})


def test_one_code_is_redeemed_by_one_of_two_who_come_at_once(pages: Served, link: Link) -> None:
    with pages.browser() as one, pages.browser() as other, ThreadPoolExecutor() as pool:
        number = begin(one, pages)
        made = one.post("/code", json={"game": number, "seat": 3, "show": False}).json()
        with Stream(other) as display:
            seen: set[str] = set()
            while not {"join", f"game-{number}"} <= seen:
                seen.add(display.next()["name"])
            assert not any(made["code"] in line for line in display.raw)
        answers = list(pool.map(lambda who: who.post("/join", json={"code": made["code"]}), (one, other)))
        assert sorted(each.status_code for each in answers) == [200, 403]
    link.call("stop", {"game": number})


def test_of_two_phones_of_one_name_the_one_that_played_last_plays_on(pages: Served, link: Link) -> None:
    with pages.browser() as operator, pages.browser() as old, pages.browser() as new, ExitStack() as streams:
        games = []
        for phone in (old, new):
            games.append(begin(operator, pages))
            code = operator.post("/code", json={"game": games[-1], "seat": 2}).json()["code"]
            phone.post("/join", json={"code": code})
        for phone, game in zip((old, new), games, strict=True):
            streams.enter_context(Stream(phone, "mine")).wait(f"{game}-2")
        asked = {"method": "play", "params": {"game": "struggle", "seats": SEATS}, "as": "operator"}
        begun = operator.post("/do", json=asked).json()["result"]
        assert begun["passed"] == [2]
        assert [phone.post("/enter", json={}).status_code for phone in (old, new)] == [409, 200]
        mine = [f".{begun['game']}-2-{begun['keys']['2']}" in value_of(phone) for phone in (old, new)]
        assert mine == [False, True]
        for game in (*games, begun["game"]):
            link.call("stop", {"game": game})


def test_phones_play_on_in_the_next_game_without_a_code(pages: Served, link: Link) -> None:
    with pages.browser() as operator, pages.browser() as phone:
        first = begin(operator, pages)
        code = operator.post("/code", json={"game": first, "seat": 2}).json()["code"]
        assert phone.post("/join", json={"code": code}).json() == {"game": first, "seat": 2}
        with Stream(phone, "mine") as stream:
            stream.wait(f"{first}-2")
            asked = {"method": "play", "params": {"game": "struggle", "seats": SEATS}, "as": "operator"}
            begun = operator.post("/do", json=asked).json()["result"]
            assert begun["passed"] == [2]
            state = stream.wait(f"{begun['game']}-2", lambda state: state["hand"])["state"]
            assert state["title"] == "Struggle" and state["viewer"] == 2
            assert state["keep"] and phone.post("/enter", json={}).status_code == 200
        with Stream(phone, "mine") as stream:  # its cookie has the seat now
            assert "keep" not in stream.wait(f"{begun['game']}-2")["state"]
        assert f".{begun['game']}-2-{begun['keys']['2']}" in value_of(phone)
        for game in (first, begun["game"]):
            link.call("stop", {"game": game})
