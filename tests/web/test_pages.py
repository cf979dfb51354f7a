"""The pages' server: what browsers get of a game, and what they may do with their keys."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from evenings import key_of
from served import Served, Stream

import replies
from kept import opened
from tablier.cli.main import main
from tablier.keeper.client import Link

SEATS = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard", "Christine")]


def test_a_display_follows_a_game_from_its_first_move_to_its_closing(pages: Served, link: Link) -> None:
    with pages.browser() as browser, Stream(browser, "public,phone") as stream:
        game = opened(link, "play", game="dilemma", seats=SEATS)
        game.watch([1], lambda message: None)
        name = f"game-{game.game}"
        state = stream.wait(name, lambda state: state["question"])["state"]
        assert state["title"] == "Dilemma" and "Anne" in state["reading"]
        assert state["question"]["said"] == "Anne provokes: which card is on offer?"
        assert "mine" not in state["question"] and "view" not in state
        game.reply(replies.play("offer 5", id=state["question"]["id"], seat=1))
        stream.wait(f"board-{game.game}", lambda state: 'class="last"' in state["board"])
        event = stream.wait(name, lambda state: state["ply"] == 1)
        assert [news["said"] for news in event["news"]] == ["Anne offers the 5."]
        game.stop()
        assert stream.wait(name, lambda state: "ended" in state)["state"]["ply"] == 1


def test_a_seat_is_played_with_its_persons_key_and_lost_when_that_is_given_anew(pages: Served, link: Link) -> None:
    begun = link.call("play", {"game": "dilemma", "seats": SEATS})
    number, key = begun["game"], key_of(begun, 1)
    with pages.browser() as browser, pages.browser() as other:
        wrong = browser.post("/enter", json={**key, "key": "0" * 32})
        assert (wrong.status_code, wrong.json()) == (403, {"error": "this key is unknown, or no longer valid"})
        assert browser.post("/enter", json=key).json()["person"] == key["person"]
        cookie = next(iter(browser.cookies.jar))
        assert cookie.has_nonstandard_attr("HttpOnly") and cookie.get_nonstandard_attr("SameSite") == "strict"
        with Stream(browser, "mine") as stream:
            state = stream.wait(f"{number}-1", lambda state: state["question"])["state"]
            reply = replies.play("offer 5", id=state["question"]["id"], seat=1)
            asked = {"method": "reply", "params": {"game": number, "reply": reply}}
            assert other.post("/do", json=asked).json() == {"error": "You are in no evening that is open."}
            assert browser.post("/do", json=asked).json() == {"result": {}}
            assert stream.wait(f"{number}-1", lambda state: state["ply"] == 1)["news"]
            again = browser.post("/do", json=asked)
            assert again.status_code == 409 and again.json()["error"]
            link.call("anew", {"evening": begun["evening"], "name": "Anne"})
            assert stream.wait(f"out-{begun['evening']}")["state"]["taken"]
        assert browser.post("/do", json=asked).status_code == 409
        assert browser.post("/enter", json=key).status_code == 403
    link.call("stop", {"game": number})


def test_pages_are_told_that_a_bot_plays_and_not_which(pages: Served, link: Link) -> None:
    seats = [{"name": "Anne", "source": "screen"}, {"name": "Zoe", "source": "greedy"}]
    number = link.call("play", {"game": "d21", "seats": seats})["game"]
    with pages.browser() as browser, Stream(browser) as stream:
        state = stream.wait("list", lambda state: number in [each["game"] for each in state["games"]])["state"]
        (listed,) = (each for each in state["games"] if each["game"] == number)
        assert [seat["source"] for seat in listed["seats"]] == ["screen", "bot"]
    link.call("stop", {"game": number})


def test_pages_lead_guests_to_none_that_is_for_the_operator(pages: Served) -> None:
    with pages.browser() as browser:
        for address in ("/", "/in", "/seat", "/log"):
            assert not {"/host", "/table"} & _led_to(browser, address)
        assert "/host" in _led_to(browser, "/host"), "the page that one is on"
        browser.post("/enter", json={"operator": pages.site.browsers.operator})
        assert {"/", "/in", "/seat", "/host", "/table", "/log"} <= _led_to(browser, "/")


def _led_to(browser: httpx.Client, address: str) -> set[str]:
    """Return the addresses that the head of a page names."""
    (head,) = re.findall("<nav.*?</nav>", browser.get(address).text, re.DOTALL)
    return set(re.findall('href="([^"]*)"', head))


def test_the_operators_key_opens_what_the_operator_may_but_no_program(pages: Served, link: Link) -> None:
    asked = {"method": "evening", "params": {"people": [{"name": "Léa"}, {"name": "Mia"}]}, "as": "operator"}
    with pages.browser() as browser:
        assert browser.post("/do", json=asked).json() == {"error": "This needs the operator's key."}
        assert browser.post("/enter", json={"operator": "0" * 32}).status_code == 403
        assert browser.post("/enter", json={"operator": pages.site.browsers.operator}).json() == {"operator": True}
        evening = browser.post("/do", json=asked).json()["result"]["evening"]
        begin = {"method": "next", "params": {"evening": evening, "game": "d21"}, "as": "operator"}
        game = browser.post("/do", json=begin).json()["result"]["game"]
        program = {"game": game, "seat": 1, "source": "bot:/bin/true"}
        refused = browser.post("/do", json={"method": "source", "params": program, "as": "operator"})
        assert refused.status_code == 403 and "named at a terminal" in refused.json()["error"]
        others = [{"name": "Zoe", "source": "greedy"}, {"name": "Yves", "source": "bot:/bin/true"}]
        last = {"evening": evening, "game": "d21", "others": others}
        refused = browser.post("/do", json={"method": "next", "params": last, "as": "operator"})
        assert refused.status_code == 403 and "named at a terminal" in refused.json()["error"]
        assert browser.post("/do", json={"method": "quit", "params": {}, "as": "operator"}).status_code == 403
        assert browser.post("/do", json={"method": "stop", "params": {"game": game}, "as": "operator"}).is_success


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--port", "0"], "allowed: 1 to 65535"),
        (["--key", "key.pem"], "--key needs the certificate"),
        (["--cert", "missing.pem"], "missing.pem: not a certificate with its key in PEM"),
    ],
)
def test_bad_options_are_refused_in_one_line(
    options: list[str], why: str, log: Path, pages: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["web", "--log", str(log), *options]) == 2
    said = capsys.readouterr().err
    assert said.startswith("tablier: ") and said.count("\n") == 1 and why in said


def test_files_come_packed_to_a_browser_that_unpacks_them(pages: Served) -> None:
    with pages.browser() as browser:
        packed = browser.get("/pages/seat.js", headers={"accept-encoding": "gzip"})
        whole = browser.get("/pages/seat.js", headers={"accept-encoding": "identity"})
        assert packed.content == whole.content
        assert packed.num_bytes_downloaded < whole.num_bytes_downloaded / 2
        for came, encoding in ((packed, "gzip"), (whole, "identity")):
            asked = {"accept-encoding": encoding, "if-none-match": came.headers["etag"]}
            assert browser.get("/pages/seat.js", headers=asked).status_code == 304
            asked["accept-encoding"] = {"gzip": "identity", "identity": "gzip"}[encoding]
            assert browser.get("/pages/seat.js", headers=asked).status_code == 200, "one is not the other"
