"""The door of an evening: codes, keys, wishes, and who is told what."""

from __future__ import annotations

import queue
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.heard import by_method

from kept import kept, linked
from replying import finish
from tablier.keeper.access import door_code, person_key, screen_key
from tablier.keeper.client import KeeperError, Link
from tablier.log.store import Log
from wording import Wording

SHORT = {"game": "d21", "options": {"max_plies": 4}}
ALONE = {
    **SHORT,
    "seats": [{"name": "Anne", "source": "screen"}, {"name": "Zoe", "source": "greedy"}],
    "table": {"pace_s": 0},
}
"""A game that begins an evening by itself."""


class Device:
    """A phone or a screen: a connection, and what it has heard."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self._heard: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self.latest: Any = None
        link.on_notice = by_method(lambda method, params: self._heard.put((method, params)))

    def __call__(self, method: str, **params: Any) -> Any:
        return self.link.call(method, params)

    def follow(self, evening: int) -> Any:
        """Return how an evening stands now."""
        self("follow", evening=evening, games=False)
        self("ping")  # what was told before the answer has come then
        while not self._heard.empty():
            self._take()
        return self.latest

    def until(self, method: str, holds: Any = lambda params: True) -> Any:
        """Return the next message of this kind of which something holds."""
        while True:
            heard, params = self._take()
            if heard == method and holds(params):
                return params

    def _take(self) -> tuple[str, Any]:
        heard, params = self._heard.get(timeout=20)
        if heard == "evening":
            self.latest = params
        return heard, params

    def come_in(self, code: str, name: str) -> Any:
        """Join, enter, and return who that is."""
        entry = self("join", code=code, name=name)
        assert entry["key"] is not None
        self.enter(entry)
        return entry

    def enter(self, entry: Any) -> None:
        self("enter", **{name: entry[name] for name in ("evening", "person", "key")})

    def refused(self, method: str, **params: Any) -> str:
        with pytest.raises(KeeperError) as error:
            self(method, **params)
        return str(error.value)


@pytest.fixture
def devices(log: Path) -> Iterator[list[Device]]:
    """The operator of an evening of Anne's, and four strangers."""
    with kept(log), linked(log) as operator:
        links = [linked(log, operator=False) for _ in range(4)]
        strangers = [Device(link.__enter__()) for link in links]
        boss = Device(operator)
        boss("evening", people=[{"name": "Anne"}])
        yield [boss, *strangers]
        for link in links:
            link.__exit__(None, None, None)


def code_of(boss: Device, evening: int = 1) -> str:
    code = boss.follow(evening)["inside"]["code"]
    assert isinstance(code, str)
    return code


def test_who_has_the_code_is_there_at_once_and_has_seats_in_every_game(wording: Wording, devices: list[Device]) -> None:
    boss, lea, mia, sofa, _ = devices
    code = code_of(boss)
    sofa.follow(1)
    people = [device.come_in(code.lower(), name)["person"] for device, name in ((lea, "Léa"), (mia, "Mia"))]
    sofa.until("evening", lambda told: [each["by"] for each in told["here"]] == ["", "phone", "phone"])
    boss("next", evening=1, **SHORT, without=["Anne"])
    for number in (1, 2):
        told = lea.follow(1)
        assert (told["game"], sorted(told["seats"])) == (number, sorted(people))
        mine = told["seats"].index(people[0]) + 1
        lea("watch", game=number, viewers=[mine])
        wording(lea.refused("watch", game=number, viewers=[3 - mine]))
        wording(sofa.refused("watch", game=number, viewers=[mine]))
        lea.refused("watch", game=number, viewers=[mine, 3 - mine])  # whatever else it names
        sofa.refused("watch", game=number, viewers=[None, mine])
        if number == 1:
            boss("stop", game=1)
            boss("resume", game=1)
            lea("watch", game=1, viewers=[mine])
            finish_both(lea, mia, 1, told["seats"].index(people[0]) + 1)
            boss("another", evening=1)


def test_a_wrong_code_opens_nothing_and_ten_of_them_none_for_a_minute(wording: Wording, devices: list[Device]) -> None:
    boss, lea, mia, *_ = devices
    code = code_of(boss)
    for _ in range(5):
        wording(lea.refused("join", code="AEIO", name="Léa"))
        wording(mia.refused("known", code="AEIO"))
    wording(mia.refused("join", code=code, name="Mia"))
    assert boss("join", code=code, name="Anne")["key"], "the operator is not kept out"


def test_a_closed_door_opens_to_nobody_and_has_another_code_when_it_is_opened_again(
    wording: Wording, devices: list[Device]
) -> None:
    boss, lea, *_ = devices
    first = code_of(boss)
    boss("door", evening=1, open=False)
    told = boss.until("evening", lambda told: not told["door"])
    assert told["inside"]["code"] is None
    wording(lea.refused("join", code=first, name="Léa"))
    boss("door", evening=1, open=True)
    second = boss.until("evening", lambda told: told["door"])["inside"]["code"]
    assert second != first
    wording(lea.refused("join", code=first, name="Léa"))
    lea.come_in(second, "Léa")


def test_who_only_watches_never_gets_a_code_or_a_wish(devices: list[Device]) -> None:
    boss, lea, sofa, screen, _ = devices
    code = code_of(boss)
    assert sofa.follow(1)["inside"] is None
    assert [each["inside"] for each in boss("list")["evenings"]] == [None]
    lea.come_in(code, "Léa")
    assert lea.follow(1)["inside"] == {"code": code, "wishes": []}
    wish = screen("ask_screen", name="Television")["wish"]
    assert boss.until("evening", lambda told: told["inside"]["wishes"])["inside"]["wishes"] == [
        {"wish": wish, "kind": "screen", "name": "Television"}
    ]
    assert lea.follow(1)["inside"]["wishes"] == [], "a wish is for organisers"
    boss("decide", evening=1, wish=wish, yes=True)
    key = screen.until("let_in")["screen"]
    screen("enter", evening=1, screen=key)
    assert screen.follow(1)["inside"] == {"code": code, "wishes": []}
    assert sofa.follow(1)["inside"] is None
    lea("leave", evening=1, person=lea.latest["here"][1]["person"])
    assert lea.follow(1)["inside"] is None


def test_another_device_needs_a_yes_while_the_first_is_there_and_the_first_is_told(
    wording: Wording, devices: list[Device]
) -> None:
    boss, first, second, sofa, _ = devices
    code = code_of(boss)
    sofa.follow(1)
    entry = first.come_in(code, "Léa")
    asked = second("join", code=code, name=" léa ")
    assert asked["key"] is None and asked["person"] == entry["person"]
    assert "organisers" in second.refused("decide", evening=1, wish=asked["wish"], yes=True)
    boss("decide", evening=1, wish=asked["wish"], yes=False)
    assert second.until("turned_away") == {"evening": 1, "wish": asked["wish"]}
    first.enter(entry)
    again = second("join", code=code, name="Léa")
    boss("decide", evening=1, wish=again["wish"], yes=True)
    let_in = second.until("let_in")
    assert first.until("taken")["person"] == entry["person"]
    wording(first.refused("enter", evening=1, person=entry["person"], key=entry["key"]))
    second.enter(let_in)
    sofa.until("told", lambda told: told["text"]["text"] == "{name} has come in by phone.")


def test_who_has_gone_home_is_not_let_in_by_a_wish_that_still_waits(devices: list[Device]) -> None:
    boss, first, second, *_ = devices
    code = code_of(boss)
    entry = first.come_in(code, "Léa")
    asked = second("join", code=code, name="Léa")
    first("leave", evening=1, person=entry["person"], home=True)
    boss("decide", evening=1, wish=asked["wish"], yes=True)
    assert second.until("turned_away") == {"evening": 1, "wish": asked["wish"]}
    assert "Léa" not in [each["name"] for each in boss.follow(1)["here"]]
    second.come_in(code, "Léa")


def test_who_asks_again_has_one_wish_and_who_is_gone_has_none(devices: list[Device]) -> None:
    boss, lea, phone, screen, _ = devices
    lea.come_in(code_of(boss), "Léa")
    asked = screen("ask_screen", name="Television")
    assert screen("ask_screen", name="Television") == asked
    wish = phone("join", code=code_of(boss), name="Léa")["wish"]
    assert phone("join", code=code_of(boss), name="Léa")["wish"] == wish != asked["wish"]
    assert [each["wish"] for each in boss.follow(1)["inside"]["wishes"]] == [asked["wish"], wish]
    screen.link.close()
    boss.until("evening", lambda told: [each["wish"] for each in told["inside"]["wishes"]] == [wish])


def test_who_waits_to_be_let_in_when_an_evening_ends_is_turned_away(devices: list[Device]) -> None:
    boss, _, screen, *_ = devices
    asked = screen("ask_screen", name="Television")
    boss("close", evening=1)
    assert screen.until("turned_away") == asked
    seats = [{"name": name, "source": "greedy"} for name in ("Zoe", "Yves")]
    game = boss("play", **SHORT, seats=seats)["game"]
    boss.follow(2)
    boss("watch", game=game, viewers=[None])
    boss.until("ended")
    asked = screen("ask_screen", name="Television")
    boss("play", **SHORT, seats=seats)  # an evening that a game began ends with the next one
    assert screen.until("turned_away") == asked


def test_who_is_shown_out_needs_the_code_again(devices: list[Device]) -> None:
    boss, lea, *_ = devices
    code = code_of(boss)
    entry = lea.come_in(code, "Léa")
    lea("leave", evening=1, person=entry["person"])  # also one that is asleep is out
    boss("go", evening=1, name="Léa")
    lea.refused("enter", evening=1, person=entry["person"], key=entry["key"])
    new = lea.come_in(code, "Léa")
    assert new["person"] == entry["person"] and new["key"] != entry["key"]
    lea.refused("enter", evening=1, person=entry["person"], key=entry["key"])
    boss("go", evening=1, name="Léa")
    assert lea.until("taken")["person"] == entry["person"]


def test_who_goes_home_has_gone_and_needs_the_code_again(wording: Wording, devices: list[Device]) -> None:
    boss, lea, second, sofa, _ = devices
    code = code_of(boss)
    sofa.follow(1)
    entry = lea.come_in(code, "Léa")
    wording(second.refused("leave", evening=1, person=entry["person"], home=True))
    lea("leave", evening=1, person=entry["person"], home=True)
    wording(lea.until("taken")["why"]["text"])
    sofa.until("told", lambda told: told["text"]["text"] == "{name} has gone.")
    assert "Léa" not in [each["name"] for each in boss.follow(1)["here"]]
    lea.refused("enter", evening=1, person=entry["person"], key=entry["key"])
    assert lea.come_in(code, "Léa")["person"] == entry["person"]


def test_another_device_of_somebody_who_is_away_ends_the_key_of_the_first(
    wording: Wording, devices: list[Device]
) -> None:
    boss, first, second, sofa, _ = devices
    code = code_of(boss)
    sofa.follow(1)
    entry = first.come_in(code, "Léa")
    first("leave", evening=1, person=entry["person"])
    assert second.come_in(code, "Léa")["key"] != entry["key"]
    sofa.until("told", lambda told: told["text"]["text"] == "{name} has come in by phone.")
    wording(first.refused("enter", evening=1, person=entry["person"], key=entry["key"]))


def test_one_who_is_shown_out_and_comes_back_is_no_organiser(devices: list[Device]) -> None:
    boss, lea, *_ = devices
    code = code_of(boss)
    lea.come_in(code, "Léa")
    boss("organiser", evening=1, name="Léa", on=True)
    boss("go", evening=1, name="Léa")
    lea.come_in(code, "Léa")
    assert "organisers" in lea.refused("door", evening=1, open=False)


def test_who_has_come_in_to_one_evening_is_nobody_of_another(wording: Wording, devices: list[Device]) -> None:
    boss, lea, *_ = devices
    lea.come_in(code_of(boss), "Léa")
    boss("evening", people=[{"name": "Léa"}, {"name": "Zoé"}])
    boss("organiser", evening=2, name="Léa", on=True)
    assert "organisers" in lea.refused("next", evening=2, **SHORT)
    opened = boss("next", evening=2, **SHORT)
    for seat in opened["people"]:
        wording(lea.refused("watch", game=1, viewers=[int(seat)]))
    assert lea.follow(2)["inside"] is None


def test_an_organiser_conducts_the_evening_and_no_other(wording: Wording, devices: list[Device]) -> None:
    boss, lea, mia, *_ = devices
    code = code_of(boss)
    entry = lea.come_in(code, "Léa")
    assert "organisers" in lea.refused("next", evening=1, **SHORT)
    assert "operator" in lea.refused("organiser", evening=1, name="Léa", on=True)
    boss("organiser", evening=1, name="Léa", on=True)
    lea.follow(1)
    assert [each["organiser"] for each in lea.latest["here"]] == [False, True]
    boss("evening", people=[{"name": "Zoé"}, {"name": "Yann"}])
    assert "organisers" in lea.refused("next", evening=2, **SHORT)
    bot = {"name": "Zoe", "source": "bot:./mine"}
    assert "program" in lea.refused("next", evening=1, **SHORT, others=[bot])
    assert "program" in lea.refused("next", evening=1, **SHORT, others=[{"name": "Zita", "source": "greedy"}, bot])
    opened = lea("next", evening=1, **SHORT, only=["Anne"], others=[{"name": "Zoe", "source": "greedy"}])
    assert opened["enter"] == {}, "keys are for the operator"
    other = boss("next", evening=2, **SHORT)
    assert "organisers" in lea.refused("stop", game=other["game"])
    assert "operator" in lea.refused("resume", game=1, table={"port": "/dev/null"})
    wording(lea.refused("settings", evening=1, table="simulated", volume=1))
    bots = 1 if lea("list")["games"][0]["seats"][0]["source"] == "greedy" else 2
    lea("watch", game=1, viewers=[None])
    lea("source", game=1, seat=bots, source="screen", person="Léa")
    lea("watch", game=1, viewers=[bots])
    wording(mia.refused("watch", game=1, viewers=[bots]))
    assert lea("come", evening=1, name="Olga")["key"] is None, "keys are for the operator"
    lea("rename", evening=1, name="Olga", to="Helga")
    lea("door", evening=1, open=False)
    boss("organiser", evening=1, name="Léa", on=False)
    assert "for organisers" in lea.refused("source", game=1, seat=bots, source="screen", person="Anne")
    assert "organisers" in lea.refused("stop", game=1)
    lea.enter(entry)
    assert "organisers" in lea.refused("close", evening=1)


def test_who_is_in_may_have_another_game_and_who_watches_may_not(devices: list[Device]) -> None:
    """As at the table, where each place may; what is played and by whom is for organisers."""
    boss, lea, mia, sofa, _ = devices
    code = code_of(boss)
    people = [device.come_in(code, name)["person"] for device, name in ((lea, "Léa"), (mia, "Mia"))]
    boss("next", evening=1, **SHORT, without=["Anne"])
    seats = lea.follow(1)["seats"]
    lea("watch", game=1, viewers=[seats.index(people[0]) + 1])
    finish_both(lea, mia, 1, seats.index(people[0]) + 1)
    assert "come in" in sofa.refused("another", evening=1)
    boss("evening", people=[{"name": "Zoé"}])
    assert "come in" in lea.refused("another", evening=2)
    assert lea("another", evening=1)["game"] == 2


def test_keys_of_another_evening_another_log_and_a_restored_backup_open_nothing(tmp_path: Path, log: Path) -> None:
    backup = tmp_path / "backup.db"
    with kept(log), linked(log) as link:
        boss = Device(link)
        entries = [boss("evening", people=[{"name": "Anne"}])["people"][0] for _ in range(2)]
        assert entries[0]["person"] == entries[1]["person"] and entries[0]["key"] != entries[1]["key"]
        boss.refused("enter", evening=1, person=entries[0]["person"], key=entries[1]["key"])
        boss("close", evening=2)
        with Log.read(log) as read:
            read.backup(backup)
        third = boss("evening", people=[{"name": "Anne"}])["people"][0]
        boss("quit")
    for side in ("", "-wal", "-shm"):
        Path(f"{log}{side}").unlink(missing_ok=True)
    backup.rename(log)
    with kept(log), linked(log) as link:
        boss = Device(link)
        again = boss("evening", people=[{"name": "Anne"}])["people"][0]
        assert (again["evening"], again["person"]) == (third["evening"], third["person"])
        boss.refused("enter", evening=3, person=third["person"], key=third["key"])
        boss.enter(again)


def test_keys_doors_and_organisers_hold_when_the_keeper_starts_anew(log: Path) -> None:
    with kept(log), linked(log) as link:
        boss = Device(link)
        (anne,) = boss("evening", people=[{"name": "Anne"}])["people"]
        boss("organiser", evening=1, name="Anne", on=True)
        for opens in (False, True):
            boss("door", evening=1, open=opens)
        code = code_of(boss)
    with kept(log), linked(log) as link, linked(log, operator=False) as phone:
        boss, mine = Device(link), Device(phone)
        assert code_of(boss) == code
        mine.enter(anne)
        mine("door", evening=1, open=False)
    with kept(log), linked(log) as link:
        told = Device(link).follow(1)
        assert (told["door"], told["inside"]["code"]) == (False, None)


def test_who_has_the_code_is_told_whom_the_log_knows_and_who_is_there(devices: list[Device]) -> None:
    boss, lea, *_ = devices
    code = code_of(boss)
    boss("come", evening=1, name="Bernard")
    boss("go", evening=1, name="Bernard")
    known = [{"name": "Anne", "here": True}, {"name": "Bernard", "here": False}]
    assert lea("known", code=code) == {"people": known}


def test_an_evening_that_a_game_began_is_one_like_others_once_somebody_comes(log: Path) -> None:
    with kept(log), linked(log) as link:
        boss = Device(link)
        game = boss("play", **SHORT, seats=[{"name": name, "source": "greedy"} for name in ("Zoe", "Yves")])["game"]
        boss("come", evening=1, name="Anne")
        assert not boss.follow(1)["alone"]
        boss("watch", game=game, viewers=[None])
        boss.until("evening", lambda told: told["games"][0]["result"])
        assert not boss.latest["ended"]
        boss("play", **SHORT, seats=[{"name": name, "source": "greedy"} for name in ("Zoe", "Yves")])
        boss("next", evening=1, others=[{"name": "Zoe", "source": "greedy"}])
        boss("stop", game=3)
        boss("close", evening=1)
    with Log.read(log) as read:
        assert [each.games for each in read.evenings()] == [(1, 3), (2,)]


def test_a_key_and_a_code_follow_from_all_that_they_are_of() -> None:
    token, other, one, two = "1" * 64, "2" * 64, "a" * 64, "b" * 64
    keys = [
        person_key(token, one, "ab" * 8, 0),
        person_key(other, one, "ab" * 8, 0),
        person_key(token, two, "ab" * 8, 0),
        person_key(token, one, "cd" * 8, 0),
        person_key(token, one, "ab" * 8, 1),
        screen_key(token, one),
        screen_key(other, one),
        screen_key(token, two),
    ]
    assert len(set(keys)) == len(keys) and all(re.fullmatch("[0-9a-f]{32}", key) for key in keys)
    codes = [door_code(token, one, 0), door_code(other, one, 0), door_code(token, two, 0), door_code(token, one, 1)]
    codes += [door_code(token, one, opened) for opened in range(2, 500)]
    assert len(set(codes)) > 490 and all(re.fullmatch("[BCDFGHJKLMNPRSTVWXZ]{4}", code) for code in codes)
    assert len(set(codes[:4])) == 4


@pytest.fixture
def game_of_anne(log: Path) -> Iterator[tuple[Device, Device, str]]:
    """The operator of an evening that a game of Anne's began by itself, Anne's phone, and her id."""
    with kept(log), linked(log) as link, linked(log, operator=False) as phone:
        boss, lea = Device(link), Device(phone)
        opened = boss("play", **ALONE)
        (person,) = opened["enter"]
        assert opened["people"] == {"1": person}
        lea("enter", evening=1, person=person, key=opened["enter"][person])
        yield boss, lea, person


def test_games_in_a_row_that_began_by_themselves_are_one_evening(
    log: Path, game_of_anne: tuple[Device, Device, str]
) -> None:
    boss, lea, _ = game_of_anne
    told = boss.follow(1)
    assert told["alone"] and [each["name"] for each in told["here"]] == ["Anne"]
    for number in (1, 2, 3):
        finish(lea.link, number, 1 + [bool(one) for one in lea.follow(1)["seats"]].index(True))
        if number < 3:
            assert boss("another", evening=1)["evening"] == 1
    lea.come_in(boss.follow(1)["inside"]["code"], "Anne")
    told = boss.follow(1)
    won = [game["seats"][seat - 1] for game in told["games"] for seat in game["result"]["winners"]]
    assert {each["name"]: each["wins"] for each in told["standings"]} == {
        "Anne": won.count("Anne"),
        "Zoe": won.count("Zoe"),
    }
    assert boss("play", **ALONE)["evening"] == 2, "a game by itself begins another"
    with Log.read(log) as read:
        assert [each.games for each in read.evenings()] == [(1, 2, 3), (4,)]


def test_an_evening_that_a_game_began_holds_those_who_follow_it_when_a_later_one_has_begun(
    game_of_anne: tuple[Device, Device, str],
) -> None:
    boss, lea, person = game_of_anne
    lea("follow", evening=1, games=False)
    finish(lea.link, 1, 1)
    boss("play", **ALONE)
    assert lea("another", evening=1)["game"] == 3, "the end of the first stood there still"
    told = lea.until("evening", lambda told: told["game"] == 3)
    assert told["evening"] == 1, "she was told by itself"
    finish(lea.link, 3, 1 + told["seats"].index(person))
    boss("follow", evening=1, games=False)
    boss("close", evening=1)
    assert lea.until("evening", lambda told: told["ended"])["evening"] == 1, "and of the end, too"
    assert "1" in lea.refused("another", evening=1), "and it is over"


def finish_both(one: Device, other: Device, game: int, seat: int) -> None:
    """Play a game of two to its end; ``seat``: that of the first."""
    playing = threading.Thread(target=finish, args=(one.link, game, seat))
    playing.start()
    finish(other.link, game, 3 - seat)
    playing.join()
