"""People join an evening, once, by its code; whatever is played there finds their phones."""

from __future__ import annotations

import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import httpx
import pytest
from evenings import Room, cookie_of, enter, private
from served import Served, Stream, served, until
from tests.keeper_tables import allows

import replies
from kept import kept, linked
from tablier.keeper.access import GUEST, ORGANISER, PERSON, PLAYER, SEAT
from tablier.keeper.client import Link
from tablier.keeper.server import METHODS
from tablier.texts import Json
from tablier.web import entrance, hub, joining, site
from tablier.web.events import OF_OPERATOR

# -- coming in ---------------------------------------------------------------------------------------------------------


def test_who_has_the_code_comes_in_at_once_and_all_are_told(pages: Served, room: Room) -> None:
    with pages.browser() as phone, pages.browser() as television, Stream(television) as display:
        name = f"evening-{room.number}"
        display.wait(name)
        assert phone.get("/in").status_code == 200
        known = phone.post("/known", json={"code": room.code.lower()}).json()["people"]
        assert {"Anne", "Bernard", "Christine"} <= {each["name"] for each in known if each["here"]}
        assert not phone.cookies
        answer = room.join(phone, "  Léa ")
        assert answer["evening"] == room.number
        (cookie,) = phone.cookies.jar
        assert cookie.has_nonstandard_attr("HttpOnly") and cookie.get_nonstandard_attr("SameSite") == "strict"
        told: list[str] = []
        here: list[Json] = []
        while "Léa is here." not in told or not any(each["name"] == "Léa" and each["by"] == "phone" for each in here):
            event = display.wait(name)
            told, here = told + [each["said"] for each in event["news"]], event["state"]["here"]
        with Stream(phone, "mine") as stream:
            mine = stream.wait(name, lambda state: state.get("inside"))["state"]
            assert mine["you"] == [answer["person"]] and mine["inside"]["code"] == room.code
            assert mine["inside"]["address"] == f"{pages.address}/in" and mine["inside"]["qr"] is None
            assert not mine["inside"]["wishes"]
        assert not [line for line in display.raw if room.code in line]  # who watches never learns the code


def test_the_next_game_finds_the_phone_and_so_does_one_that_was_open(pages: Served, room: Room) -> None:
    with pages.browser() as phone:
        room.join(phone, "Léa")
        with Stream(phone, "mine") as stream:
            games = []
            for game, others in (("dilemma", ["Anne"]), ("struggle", ["Anne", "Bernard"])):
                opened = room.play(game, without=others)
                seat = len(opened.people)
                state = stream.wait(f"{opened.game}-{seat}", lambda state: state["hand"] is not None)["state"]
                assert state["seats"][seat - 1]["name"] == "Léa"
                games.append(opened.game)
                room.link.call("stop", {"game": opened.game})
                stream.wait(f"{opened.game}-{seat}", lambda state: "ended" in state)
            opened = room.play("d21", only=["Anne", "Léa"])
            stream.wait(f"{opened.game}-2")
        with pages.browser() as reloaded:  # another tab, or the phone after a night
            reloaded.cookies = phone.cookies
            with Stream(reloaded, "mine") as stream:
                stream.wait(f"{opened.game}-2")
                reply = {"method": "pause", "params": {"game": opened.game, "seat": 2}}
                assert reloaded.post("/do", json=reply).json() == {"result": {}}
                refused = reloaded.post("/do", json={**reply, "params": {"game": opened.game, "seat": 1}})
                assert refused.status_code == 403


def test_a_phone_that_scans_again_is_simply_there(pages: Served, room: Room) -> None:
    with pages.browser() as phone:
        first = room.join(phone, "Léa")
        with Stream(phone, "mine") as stream:
            stream.wait(f"evening-{room.number}", lambda state: state.get("inside"))
            value = cookie_of(phone)[1]
            assert room.join(phone, "léa") == first
            assert cookie_of(phone)[1] == value
        assert not room.wishes


def test_the_code_of_another_evening_leads_to_that_one(pages: Served, room: Room, link: Link) -> None:
    other = Room(link, ["Bernard"])
    with pages.browser() as phone:
        first = room.join(phone, "Léa")
        with Stream(phone, "mine") as stream:
            stream.wait(f"evening-{room.number}", lambda state: state.get("inside"))
            second = other.join(phone, "Léa")
        assert (first["evening"], second["evening"]) == (room.number, other.number)
        with Stream(phone, "mine") as stream:
            for evening in (room.number, other.number):
                stream.wait(f"evening-{evening}", lambda state: state.get("inside"))
    other.close()


def test_a_phone_is_one_person_unless_somebody_else_plays_there_too(pages: Served, room: Room) -> None:
    with pages.browser() as phone:
        wrong, right = room.join(phone, "Zoé"), room.join(phone, "Léa")
        with Stream(phone, "mine") as stream:
            state = stream.wait(f"evening-{room.number}", lambda state: state.get("inside"))["state"]
            assert state["you"] == [right["person"]]
            until(lambda: room.by()["Zoé"] == "")
        both = room.join(phone, "Zoé", also=True)
        with Stream(phone, "mine") as stream:
            state = stream.wait(f"evening-{room.number}", lambda state: len(state.get("you", ())) == 2)["state"]
            assert set(state["you"]) == {right["person"], both["person"]} and both["person"] == wrong["person"]
            opened = room.play("d21", only=["Léa", "Zoé"])
            for seat in (1, 2):
                stream.wait(f"{opened.game}-{seat}")


def test_who_asks_again_because_the_answer_was_lost_is_in_without_a_wish(
    pages: Served, room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = "0123456789abcdef" * 2
    with pages.browser() as lost, pages.browser() as phone, pages.browser() as other:
        first = room.join(lost, "Léa", once=once)
        assert room.join(phone, "Léa", once=once) == first
        with Stream(phone, "mine") as stream:
            assert stream.wait(f"evening-{room.number}")["state"]["you"] == [first["person"]]
        assert "wish" in room.join(other, "Léa", once=once[::-1])
        for wrong in ("0" * 31, 5, ["0" * 32]):
            refused = other.post("/join", json={"code": room.code, "name": "Léa", "once": wrong})
            assert refused.status_code == 400
        monkeypatch.setattr(joining, "_AGAIN_S", 0.0)
        assert "wish" in room.join(other, "Léa", once=once), "it is for a page that has just asked"


def test_a_typo_never_becomes_somebody_else(pages: Served, room: Room) -> None:
    with pages.browser() as phone, pages.browser() as other:
        one, two = room.join(phone, "Léa"), room.join(other, "Lea")
        assert one["person"] != two["person"]


def test_wrong_codes_are_counted_by_client(pages: Served, room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance, "GUESSES_S", 600.0)
    code = room.code
    wrong = "BBBB" if code != "BBBB" else "CCCC"
    with pages.browser() as guesser, pages.browser() as phone:
        for path, body in (("/known", {}), ("/join", {"name": "Léa"})):
            refused = guesser.post(path, json={"code": wrong, **body})
            assert (refused.status_code, refused.json()) == (403, {"error": "this is the code of no door that is open"})
        for _ in range(entrance.GUESSES - 2):
            guesser.post("/known", json={"code": wrong})
        late = guesser.post("/known", json={"code": code})
        assert late.status_code == 429 and "wait" in late.json()["error"]
        pages.site.entrance._wrong.clear()
        assert phone.post("/known", json={"code": code}).is_success
        for bad in ("BBB", "BBBBB", "B1BB", "", "B BB"):
            assert phone.post("/known", json={"code": bad}).status_code == 400
        assert phone.post("/known", json={"code": code}).is_success  # which count for nothing


def test_a_closed_door_opens_to_no_code_and_an_open_one_to_another(pages: Served, room: Room) -> None:
    with pages.browser() as phone, pages.browser() as inside:
        code = room.code
        room.join(inside, "Zoé")
        room.call("door", open=False)
        assert phone.post("/join", json={"code": code, "name": "Léa"}).status_code == 403
        with Stream(inside, "mine") as stream:
            state = stream.wait(f"evening-{room.number}", lambda state: state.get("inside"))["state"]
            assert state["inside"]["code"] is None and state["you"]  # who is in stays in
        room.call("door", open=True)
        assert room.code != code
        assert phone.post("/join", json={"code": code, "name": "Léa"}).status_code == 403
        room.join(phone, "Léa")


# -- who lets in -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("yes", [True, False], ids=("yes", "no"))
def test_a_second_phone_waits_for_an_organiser_and_the_first_is_told(pages: Served, room: Room, yes: bool) -> None:
    with pages.browser() as first, pages.browser() as second, pages.browser() as organiser, ExitStack() as stack:
        enter(organiser, room.keys["Anne"])
        room.call("organiser", name="Anne", on=True)
        person = room.join(first, "Léa")
        own = stack.enter_context(Stream(first, "mine"))
        name = f"evening-{room.number}"
        own.wait(name, lambda state: state.get("inside"))
        asked = room.join(second, "Léa")
        assert set(asked) == {"wish"} and not second.cookies
        with Stream(organiser, "mine") as stream:
            (wish,) = stream.wait(name, lambda state: (state.get("inside") or {}).get("wishes"))["state"]["inside"][
                "wishes"
            ]
            assert (wish["kind"], wish["name"]) == ("device", "Léa")
            decide = {"method": "decide", "params": {"evening": room.number, "wish": wish["wish"], "yes": yes}}
            assert first.post("/do", json=decide).status_code == 403  # she does not let herself in
            with ThreadPoolExecutor() as pool:
                waits = pool.submit(second.post, "/join", json=asked)
                assert organiser.post("/do", json=decide).json() == {"result": {}}
                answer = waits.result()
        if yes:
            assert answer.json() == person and private(second) == {name}
            assert own.wait(f"out-{room.number}")["state"]["taken"] == "another device is Léa now"
            refused = first.post("/do", json={"method": "pause", "params": {"game": 1, "seat": 1}})
            assert refused.status_code in (403, 409)
        else:
            assert (answer.status_code, answer.json()) == (409, {"error": "You were not let in."})
            assert not second.cookies and private(first) == {name}


def test_a_phone_that_is_gone_holds_nothing_and_its_person_comes_in_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "SILENT_S", 1.0)
    monkeypatch.setattr(hub, "BEAT_S", 0.1)
    monkeypatch.setattr(site, "_SWEEP_S", 0.1)
    log = tmp_path / "log.db"
    with kept(log), served(log) as pages, linked(log) as link, pages.browser() as dead, pages.browser() as new:
        room = Room(link)
        person = room.join(dead, "Léa")
        with Stream(dead, "mine"):
            until(lambda: room.by()["Léa"] == "")
            monkeypatch.setattr(hub, "SILENT_S", 25.0)  # else the new one, which has no stream, is gone in a second too
            assert room.join(new, "Léa") == person  # at once
        with Stream(dead, "mine") as stream:  # it wakes: it is told
            assert "no longer" in stream.wait(f"out-{room.number}")["state"]["taken"]
            assert room.by()["Léa"] == "phone"
        room.close()


def test_a_screen_shows_the_code_once_it_is_let_in(pages: Served, room: Room) -> None:
    with pages.browser() as television:
        asked = television.post("/join", json={"screen": "Living room"}).json()
        assert room.wishes == [("screen", "Living room")]
        room.decide(yes=True)
        assert television.post("/join", json=asked).json() == {"evening": room.number}
        with Stream(television, "mine") as stream:
            state = stream.wait(f"evening-{room.number}", lambda state: state.get("inside"))["state"]
            assert state["inside"]["code"] == room.code and not state.get("you") and not state["inside"]["wishes"]
        for method, params in (("door", {"open": False}), ("next", {}), ("come", {"name": "Zoé"})):
            asked = {"method": method, "params": {"evening": room.number, **params}}
            assert television.post("/do", json=asked).status_code == 403


def test_whoever_waits_and_goes_leaves_no_wish(pages: Served, room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance, "_GONE_S", 0.2)
    monkeypatch.setattr(site, "_SWEEP_S", 0.1)
    with pages.browser() as screen:
        wish = screen.post("/join", json={"screen": "x"}).json()
        until(lambda: not room.wishes)
        assert screen.post("/join", json=wish).status_code == 409


def test_one_client_s_wishes_keep_nobody_else_from_asking(pages: Served, room: Room) -> None:
    with ExitStack() as stack:
        answers = []
        for _ in range(entrance.ASKING + 2):
            answers.append(stack.enter_context(pages.browser()).post("/join", json={"screen": "x"}).status_code)
        assert answers == [200] * entrance.OF_CLIENT + [503] * (entrance.ASKING + 2 - entrance.OF_CLIENT)
        elsewhere = httpx.HTTPTransport(local_address="127.0.0.2")
        headers = {"origin": pages.address}
        phone = stack.enter_context(httpx.Client(base_url=pages.address, headers=headers, transport=elsewhere))
        assert phone.post("/join", json={"screen": "television"}).status_code == 200
        while room.wishes:
            room.decide(yes=False)
        again = stack.enter_context(pages.browser())
        until(lambda: again.post("/join", json={"screen": "x"}).status_code == 200)  # who was turned away waits no more
        room.decide(yes=False)


def test_an_organiser_sets_the_table_from_a_phone(pages: Served, link: Link) -> None:
    room = Room(link, (), table={"port": "simulated", "virtual": True})
    with pages.browser() as phone:
        room.join(phone, "Léa")
        room.call("organiser", name="Léa", on=True)
        for place, name in ((1, "Anne"), (3, "Bernard")):
            room.call("come", name=name, place=place)
        room.play("d21", only=["Anne", "Bernard"])
        quiet = {"evening": room.number, "table": "simulated", "mute": True}
        answer = phone.post("/do", json={"method": "settings", "params": quiet})
        assert answer.status_code == 200, answer.text
        assert answer.json()["result"]["mute"] is True
        room.close()


def test_who_is_shown_out_is_told_and_the_key_ends(pages: Served, room: Room) -> None:
    with pages.browser() as phone, pages.browser() as organiser:
        enter(organiser, room.keys["Anne"])
        room.call("organiser", name="Anne", on=True)
        room.join(phone, "Léa")
        go = {"method": "go", "params": {"evening": room.number, "name": "Léa"}}
        with Stream(phone, "mine") as stream:
            stream.wait(f"evening-{room.number}", lambda state: state.get("inside"))
            before = cookie_of(phone)
            assert phone.post("/do", json=go).status_code == 403
            assert organiser.post("/do", json=go).json() == {"result": {}}
            assert stream.wait(f"out-{room.number}")["state"]["taken"] == "you were shown out"
        with pages.browser() as again:
            again.cookies.set(*before)
            assert f"evening-{room.number}" not in private(again)
        room.join(phone, "Léa")  # by the code she comes in anew, as long as the door is open
        assert private(phone) == {f"evening-{room.number}"}


# -- what holds, and what does not -------------------------------------------------------------------------------------


def test_a_key_opens_its_own_evening_and_no_other(pages: Served, link: Link, tmp_path: Path) -> None:
    """Of another evening, of another log, of a backup that was restored: each has an evening of this number."""
    log = tmp_path / "log.db"
    with kept(log), linked(log) as other:
        Room(other, ["Anne"]).close()
    backup = tmp_path / "backup.db"
    shutil.copy(log, backup)
    shutil.copy(f"{log}-token", f"{backup}-token")
    with kept(log), linked(log) as other:
        room = Room(other, ["Anne"])
        key = room.keys["Anne"]
    with kept(backup), served(backup) as restored, linked(backup) as other, restored.browser() as phone:
        room = Room(other, ["Anne"])
        mine = room.keys["Anne"]
        assert key["evening"] == room.number and key["person"] == mine["person"] and key["key"] != mine["key"]
        for shown in (
            key,
            {**mine, "key": key["key"]},
            {**mine, "evening": room.number - 1},
            {"evening": room.number, "screen": mine["key"]},
            {**mine, "person": "0" * 16},
        ):
            assert phone.post("/enter", json=shown).status_code == 403
        assert not phone.cookies
        enter(phone, mine)
        room.close()
        assert phone.post("/enter", json=mine).status_code == 403


def test_a_phone_is_there_again_with_a_new_keeper_and_a_new_server_at_the_same_port(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    with ExitStack() as stack:
        with kept(log), served(log) as pages, linked(log) as link:
            room = Room(link)
            phone = stack.enter_context(pages.browser())
            room.join(phone, "Léa")
            game = room.play("dilemma", without=["Anne"]).game
            with Stream(phone, "mine") as stream:
                stream.wait(f"{game}-3")
        with kept(log), served(log) as pages, linked(log) as link, pages.browser() as again:  # the next day
            link.call("resume", {"game": game})
            link.call("watch", {"game": game, "viewers": [None]})
            again.cookies = phone.cookies
            with Stream(again, "mine") as stream:
                assert stream.wait(f"{game}-3")["state"]["seats"][2]["name"] == "Léa"
            link.call("stop", {"game": game})


def test_an_organisers_phone_resumes_a_game_on_the_phones_of_its_people(pages: Served, room: Room) -> None:
    """Of two people with phones, the first one organises; the game was stopped, and another one played since."""
    with pages.browser() as anne, pages.browser() as bernard:
        enter(anne, room.keys["Anne"])
        enter(bernard, room.keys["Bernard"])
        room.call("organiser", name="Anne", on=True)
        with Stream(anne, "mine") as first, Stream(bernard, "mine") as second:

            def do(method: str, params: Json) -> Json:
                answer = anne.post("/do", json={"method": method, "params": params})
                assert answer.status_code == 200, answer.text
                told: Json = answer.json()["result"]
                return told

            game = do("next", {"evening": room.number, "game": "d21", "only": ["Anne", "Bernard"]})["game"]
            second.wait(f"{game}-2")
            do("stop", {"game": game})
            second.wait(f"{game}-2", lambda state: state.get("ended"))
            other = do("next", {"evening": room.number, "game": "d21", "only": ["Bernard", "Anne"]})["game"]
            do("stop", {"game": other})
            do("resume", {"game": game})
            for number, stream in enumerate((first, second), 1):
                state = stream.wait(f"{game}-{number}", lambda state: "ended" not in state)["state"]
                assert state["question"] is not None
            do("stop", {"game": game})


ROLES: dict[str, tuple[str, ...]] = {
    "watcher": (),
    "person": (GUEST, PERSON),
    "player": (GUEST, PERSON, PLAYER, SEAT),
    "organiser": (GUEST, PERSON, ORGANISER),
}


@pytest.mark.parametrize("role", ROLES)
def test_each_role_is_refused_what_it_may_not_ask_for(pages: Served, room: Room, role: str) -> None:
    opened = room.play("d21", only=["Bernard", "Christine"])
    evening, game = {"evening": room.number}, {"game": opened.game}
    named, seat = {**evening, "name": "Bernard"}, {**game, "seat": 1}
    reply = replies.answer(True, id=1, seat=1)
    asked: dict[str, Json] = {
        **dict.fromkeys(("hurry", "stop", "resume", "table"), game),
        **dict.fromkeys(("pause", "call", "hint"), seat),
        **dict.fromkeys(("go", "anew", "come"), named),
        **dict.fromkeys(("next", "another", "close"), evening),
        "reply": {**game, "reply": reply},
        "back": {**seat, "count": 1},
        "mistake": {**seat, "at": 1},
        "correct": {**seat, "at": 1, "move": "x"},
        "dispute": {**seat, "text": "x"},
        "pace": {**game, "seconds": 1},
        "wait": {**game, "on": True},
        "source": {**seat, "source": "good"},
        "analyse": {**game, "at": 1},
        "rename": {**named, "to": "Otto"},
        "door": {**evening, "open": False},
        "decide": {**evening, "wish": 1, "yes": True},
        "series": {**evening, "games": ["d21"], "wins": 1},
        "settings": {"table": "simulated", "mute": True},
        "organiser": {**named, "on": True},
        "evening": {},
        "leave": {**evening, "person": room.keys["Christine"]["person"], "home": True},
    }
    assert set(asked) == {*OF_OPERATOR, "reply", "leave"}
    others = (
        "play",
        "quit",
        "lights",
        "lean",
        "tester",
        "enter",
        "join",
        "known",
        "ask_screen",
        "list",
        "watch",
        "ping",
    )
    with pages.browser() as browser:
        if role != "watcher":
            enter(browser, room.keys["Bernard" if role == "player" else "Anne"])
        if role == "organiser":
            room.call("organiser", name="Anne", on=True)
        with Stream(browser, "mine,public") as stream:
            if role != "watcher":
                stream.wait(f"evening-{room.number}", lambda state: state.get("inside"))
            before = room.told()
            for method, params in asked.items():
                for more in ({}, {"as": "operator"}):
                    if more or not allows(METHODS[method].right, *ROLES[role]) or role == "watcher":
                        answer = browser.post("/do", json={"method": method, "params": params, **more})
                        assert answer.status_code in (400, 403), (method, more, answer.text)
                        assert answer.status_code == 403 or method in ("mistake", "correct"), (method, answer.text)
            for method in others:
                for more in ({}, {"as": "operator"}):
                    assert browser.post("/do", json={"method": method, "params": {}, **more}).status_code == 403
            assert room.told() == before


# -- many at once ------------------------------------------------------------------------------------------------------


def came(pages: Served, room: Room, code: str, name: str, order: list[int]) -> list[str]:
    """Have a fresh browser come in, whose answers arrive in some order; return who it is then."""
    with pages.browser() as phone, ExitStack() as stack:
        answers = [stack.enter_context(pages.browser()).get(path) for path in ("/in", "/pages/joining.js")]
        stream = stack.enter_context(Stream(stack.enter_context(pages.browser()), "mine,public"))
        joined = stack.enter_context(pages.browser()).post("/join", json={"code": code, "name": name})
        assert joined.status_code == 200, joined.text
        every = [*answers, stream.response, joined]
        for at in order:
            phone.cookies.update(every[at].cookies)
        with Stream(phone, "mine") as own:
            state = own.wait(f"evening-{room.number}", lambda state: state.get("you"))["state"]
        return [each["name"] for each in state["here"] if each["person"] in state["you"]]


def test_each_of_many_fresh_browsers_has_its_person(pages: Served, link: Link) -> None:
    """Answers arrive in any order: those to a browser's first requests, which it makes without a cookie, and that to
    its joining. 'make browse' has 500 of them."""
    rng, names = random.Random(47), [f"Guest {number}" for number in range(1, 21)]
    for _ in range(2):
        room = Room(link, [])
        code, orders = room.code, [rng.sample(range(4), 4) for _ in names]
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(partial(came, pages, room, code), names, orders))
        assert found == [[name] for name in names]
        assert {person.name for person in room.told().here} == set(names)
        room.close()
