"""Evenings on a keeper: several games in a row, people who come and go, series, several tables."""

from __future__ import annotations

import os
import queue
import signal
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from tests.heard import by_method

from kept import entries, kept, linked
from replying import finish
from sample import thorough
from tablier.course.asides import APART_S
from tablier.judge.audit import audit
from tablier.keeper.client import KeeperError, Link
from tablier.keeper.desk import Desk
from tablier.keeper.evening_table import EveningTable
from tablier.keeper.starting import join
from tablier.log.evenings import Evening
from tablier.log.store import Log
from tablier.simulation.simulated import SimulatedTable

VIRTUAL = {"port": "simulated", "virtual": True}
BOTS = [{"name": "Zoe", "source": "greedy"}, {"name": "Yves", "source": "greedy"}]
SHORT = {"game": "d21", "options": {"max_plies": 4}}


def crowd(*places: int) -> list[dict[str, Any]]:
    """Simulated people at these places of a table."""
    names = ("", "Uma", "Vera", "Wim", "Xaver", "Yan", "Zita")
    return [{"name": names[at], "place": at, "source": "table", "simulated": "greedy"} for at in places]


class Followed:
    """What a follower of an evening hears."""

    def __init__(self, link: Link, evening: int, *, games: bool = True) -> None:
        self.heard: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self.updates: list[Any] = []
        self.latest: Any = None
        self.pressing: Callable[[], None] | None = None
        """Presses a button, again and again: what nobody asks for is no answer."""
        link.on_notice = by_method(lambda method, params: self.heard.put((method, params)))
        link.call("follow", {"evening": evening, "games": games})

    def wait(self, holds: Callable[[Any], Any], seconds: float = 60.0) -> Any:
        """Wait until the evening stands like this."""
        while self.latest is None or not holds(self.latest):
            try:
                method, params = self.heard.get(timeout=0.3 if self.pressing else seconds)
            except queue.Empty:
                if self.pressing is None:
                    raise
                self.pressing()
                continue
            if method == "evening":
                self.latest = params
            elif method == "updates":
                self.updates.append(params)
        return self.latest

    def played(self, count: int) -> Any:
        """Wait until so many games are over, and the table is free."""

        def free(told: Any) -> bool:
            return told["game"] is None and sum(game["result"] is not None for game in told["games"]) >= count

        return self.wait(free)


def here_of(told: Any) -> list[tuple[str, int]]:
    """Who is there, and where."""
    return [(each["name"], each["place"]) for each in told["here"]]


def audited(log: Path, games: int) -> None:
    with Log.read(log) as read:
        read.verify()
        report = audit(read.entries())
        assert (report.games, report.problems if hasattr(report, "problems") else []) == (games, [])


@thorough
def test_three_short_games_in_a_row_at_one_table(log: Path) -> None:
    with kept(log), linked(log) as link, linked(log, operator=False) as sofa:
        evening = link.call("evening", {"table": VIRTUAL})["evening"]
        watched = Followed(sofa, evening)
        link.call("next", {"evening": evening, **SHORT, "others": crowd(1, 3)})
        watched.played(1)
        link.call("another", {"evening": evening})
        watched.played(2)
        link.call("next", {"evening": evening, **SHORT, "others": crowd(2, 5)})
        told = watched.played(3)
        assert [game["rules"] for game in told["games"]] == ["d21"] * 3
        assert [game["seats"] for game in told["games"]] == [["Uma", "Wim"], ["Uma", "Wim"], ["Vera", "Yan"]]
        assert {each["game"] for each in watched.updates} == {1, 2, 3}, "a follower sees every game"
        link.call("close", {"evening": evening})
        assert watched.wait(lambda told: told["ended"]) and link.call("list")["evenings"] == []
    with Log.read(log) as read:
        boards = {entry.body["board"] for entry in read.entries() if entry.body.get("event") == "hello"}
        boots = {entry.body["boot"] for entry in read.entries() if entry.body.get("event") == "hello"}
        assert (len(boards), len(boots)) == (1, 1), "the table stays between the games"
    audited(log, 3)


def test_who_is_there_plays_in_clockwise_order(log: Path) -> None:
    with kept(log), linked(log) as link:
        here = [{"name": "Bernard", "place": 5}, {"name": "Anne", "place": 2}, {"name": "Christine"}]
        evening = link.call("evening", {"people": here})["evening"]
        watched = Followed(link, evening)
        with pytest.raises(KeeperError, match="place 5 is Bernard's"):
            link.call("come", {"evening": evening, "name": "Daniel", "place": 5})
        link.call("go", {"evening": evening, "name": "Christine"})
        with pytest.raises(KeeperError, match="Christine is not at this evening; those who are: Bernard, Anne"):
            link.call("go", {"evening": evening, "name": "Christine"})
        link.call("come", {"evening": evening, "name": "Daniel", "place": 1})
        link.call("come", {"evening": evening, "name": "Bernard", "place": 3})
        told = watched.wait(lambda told: ("Bernard", 3) in here_of(told))
        assert [each["name"] for each in told["here"]] == ["Bernard", "Anne", "Daniel"]
        opened = link.call("next", {"evening": evening, **SHORT, "without": ["Daniel"]})
        assert set(opened["people"]) == {"1", "2"}
        (game,) = link.call("list")["games"]
        assert [(seat["name"], seat["source"]) for seat in game["seats"]] == [("Anne", "screen"), ("Bernard", "screen")]
        with pytest.raises(KeeperError, match="game 1 of this evening runs"):
            link.call("next", {"evening": evening, **SHORT})


def test_an_empty_seat_is_filled_by_a_bot_and_another_game_has_the_same_people(log: Path) -> None:
    with kept(log), linked(log) as link:
        evening = link.call("evening", {"people": [{"name": "Anne", "place": 3}]})["evening"]
        watched = Followed(link, evening)
        bot = {"name": "Zoe", "source": "greedy", "place": 1}
        ((seat, entry),) = entries(link.call("next", {"evening": evening, **SHORT, "others": [bot]})).items()
        link.call("enter", entry)
        finish(link, 1, seat)
        link.call("come", {"evening": evening, "name": "Bernard", "place": 4})
        link.call("another", {"evening": evening})
        told = watched.wait(lambda told: len(told["games"]) == 2)
        assert [game["seats"] for game in told["games"]] == [["Zoe", "Anne"]] * 2


def test_another_game_after_practice_is_practice(log: Path) -> None:
    with kept(log), linked(log) as link:
        evening = link.call("evening", {"people": [{"name": "Anne"}]})["evening"]
        begins = {"evening": evening, **SHORT, "others": BOTS[:1], "practice": True}
        ((seat, entry),) = entries(link.call("next", begins)).items()
        link.call("enter", entry)
        finish(link, 1, seat)
        link.call("another", {"evening": evening})
    with Log.read(log) as read:
        assert [entry.body["practice"] for entry in read.entries(None, "game")] == [True, True]


def test_who_begins_changes_from_game_to_game(log: Path) -> None:
    with kept(log), linked(log) as link:
        evening = link.call("evening", {})["evening"]
        watched = Followed(link, evening)
        link.call("next", {"evening": evening, **SHORT, "others": BOTS})
        for count in (1, 2):
            watched.played(count)
            link.call("another", {"evening": evening})
        told = watched.played(3)
        assert [game["seats"][0] for game in told["games"]] == ["Zoe", "Yves", "Zoe"]
    audited(log, 3)


def test_a_series_goes_round_its_games_and_is_over_when_its_games_were_played(log: Path) -> None:
    with kept(log), linked(log) as link:
        evening = link.call("evening", {})["evening"]
        watched = Followed(link, evening)
        with pytest.raises(KeeperError, match="a series has wins or count"):
            link.call("series", {"evening": evening, "games": ["d21"]})
        link.call("series", {"evening": evening, "games": ["dilemma", "struggle", "dilemma"], "count": 3})
        assert watched.wait(lambda told: told["series"])["next"] == "dilemma"
        link.call("next", {"evening": evening, "others": [*BOTS, {"name": "Xaver", "source": "random"}]})
        assert watched.played(1)["next"] == "struggle"
        link.call("another", {"evening": evening})
        assert not watched.played(2)["series"][0]["over"]
        link.call("another", {"evening": evening})
        told = watched.played(3)
        assert told["series"][0]["over"] and told["series"][0]["played"] == [1, 2, 3]
        assert [game["rules"] for game in told["games"]] == ["dilemma", "struggle", "dilemma"]
        link.call("close", {"evening": evening})
    audited(log, 3)


def test_a_game_in_between_counts_in_no_series(log: Path) -> None:
    with kept(log), linked(log) as link:
        evening = link.call("evening", {})["evening"]
        watched = Followed(link, evening)
        link.call("series", {"evening": evening, "games": ["d21", "struggle"], "count": 2})
        link.call("next", {"evening": evening, "game": "struggle", "others": BOTS})
        told = watched.played(1)
        assert (told["series"][0]["played"], told["next"]) == ([], "d21")
        link.call("next", {"evening": evening, **SHORT, "others": BOTS})
        told = watched.played(2)
        assert (told["series"][0]["played"], told["next"]) == ([2], "struggle")


def test_nothing_that_a_game_is_begun_with_changes_while_it_is_set_up(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_up, refused = Desk.set_up, threading.Event()

    def later(desk: Desk) -> None:
        refused.wait(60)
        set_up(desk)

    monkeypatch.setattr(Desk, "set_up", later)
    with kept(log), linked(log) as link:
        people = [{"name": "Anne", "place": 1}, {"name": "Bea", "place": 2}]
        evening = link.call("evening", {"people": people, "table": VIRTUAL})["evening"]
        begun: queue.SimpleQueue[Any] = queue.SimpleQueue()
        link.send("next", {"evening": evening, "game": "d21"}, begun.put)
        for method, params in (("close", {}), ("go", {"name": "Bea"}), ("series", {"games": ["d21"], "count": 1})):
            with pytest.raises(KeeperError, match=r"^evening 1 is about to begin a game$"):
                link.call(method, {"evening": evening, **params})
        refused.set()
        game = begun.get(timeout=60)["result"]["game"]
        link.call("stop", {"game": game})
        link.call("close", {"evening": evening})
    audited(log, 1)


def test_two_evenings_at_two_tables_at_once_and_a_fourth_is_refused(log: Path) -> None:
    with kept(log), linked(log) as link, linked(log) as other:
        first = link.call("evening", {"table": VIRTUAL})["evening"]
        second = other.call("evening", {"table": VIRTUAL})["evening"]
        one, two = Followed(link, first), Followed(other, second)
        link.call("next", {"evening": first, **SHORT, "others": crowd(1, 2)})
        other.call("next", {"evening": second, **SHORT, "others": crowd(3, 4)})
        assert [game["seats"] for game in one.played(1)["games"]] == [["Uma", "Vera"]]
        assert [game["seats"] for game in two.played(1)["games"]] == [["Wim", "Xaver"]]
        link.call("evening", {})
        with pytest.raises(KeeperError, match=r"too many evenings are open \(3\): 1, 2, 3; end one"):
            link.call("evening", {})
        link.call("close", {"evening": second})
        link.call("evening", {})
    audited(log, 2)


def test_a_game_left_in_an_evening_that_was_ended_is_resumed(log: Path) -> None:
    people = {"people": [{"name": "Anne"}]}
    with kept(log), linked(log) as link:
        for number in (1, 2):
            link.call("evening", people)
            link.call("series", {"evening": number, "games": ["d21"], "count": 1})
            link.call("next", {"evening": number, "options": {"max_plies": 4}, "others": BOTS[:1]})
            link.call("stop", {"game": number})
            link.call("close", {"evening": number})
        opened = link.call("resume", {"game": 1})
        (told,) = link.call("list")["evenings"]
        assert (told["evening"], told["alone"], told["ended"]) == (1, True, False), (
            "over with its game, as one by itself"
        )
        assert [each["over"] for each in told["series"]] == [False]
        watched = Followed(link, 1)
        ((seat, entry),) = entries(opened).items()
        link.call("enter", entry)
        finish(link, 1, seat)
        assert link.call("another", {"evening": 1})["game"] == 3
        link.call("stop", {"game": 3})
        link.call("close", {"evening": 1})
        assert link.call("list")["evenings"] == [] and watched
        link.call("resume", {"game": 3})
        link.call("stop", {"game": 3})
    with Log.read(log) as read:
        first, second = read.evenings()
        assert (first.games, first.series[0].complete, second.ended is None) == ((1, 3), True, False)
        assert first.ended is None and first.alone and not first.by_itself
    audited(log, 3)


def test_a_keeper_does_not_look_at_each_game_that_was_left(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked, read = list[int](), Log.evening

    def look(log: Log, number: int) -> Evening:
        looked.append(number)
        return read(log, number)

    monkeypatch.setattr(Log, "evening", look)
    with kept(log), linked(log) as link:
        for _ in range(8):
            opened = link.call("play", {**SHORT, "seats": [{"name": "Anne", "source": "screen"}, BOTS[0]]})
            (entry,) = entries(opened).values()
            link.call("enter", entry)
            link.call("watch", {"game": opened["game"], "viewers": [None]})
            link.call("stop", {"game": opened["game"]})
            link.call("leave", {"evening": opened["evening"], "person": entry["person"]})
        link.call("list")
        looked.clear()
        link.call("list")
        assert not looked, "nobody is at any of them"
        link.call("enter", entry)
        told = Followed(link, opened["evening"], games=False)
        assert link.call("resume", {"game": opened["game"]})["evening"] == opened["evening"] and told
        assert [each["evening"] for each in link.call("list")["evenings"]] == [opened["evening"]]


def test_an_evening_goes_on_where_its_log_stands_when_its_keeper_was_killed(log: Path) -> None:
    link = join(log)
    table = {**VIRTUAL, "quiet_s": 2, "pace_s": 0.25}
    evening = link.call("evening", {"people": [{"name": "Anne", "place": 3}], "table": table})["evening"]
    link.call("series", {"evening": evening, "games": ["d21"], "wins": 2})
    watched = Followed(link, evening)
    not_too_short = {"max_plies": 6}  # the second game still runs then
    link.call("next", {"evening": evening, "options": not_too_short, "others": crowd(1, 5), "without": ["Anne"]})
    watched.played(1)
    link.call("another", {"evening": evening})
    os.kill(link.keeper["pid"], signal.SIGKILL)
    link.close()
    again = join(log)
    (told,) = again.call("list")["evenings"]
    assert told["evening"] == evening and here_of(told) == [("Anne", 3)] and told["next"] == "d21"
    watched = Followed(again, evening, games=False)
    again.call("resume", {"game": 2})
    again.call("watch", {"game": 2, "viewers": [None]})
    watched.played(2)
    again.call("another", {"evening": evening})
    again.call("watch", {"game": 3, "viewers": [None]})
    told = watched.played(3)
    assert [game["seats"] for game in told["games"]] == [["Uma", "Yan"]] * 3
    again.call("close", {"evening": evening})
    again.call("quit")
    again.close()
    audited(log, 3)
    with Log.read(log) as read:
        (spent,) = read.evenings()
        kept = EveningTable.read(spent).table
        assert (kept.quiet_s, kept.pace_s, kept.virtual) == (2, 0.25, True), "they hold for the later games, too"


@thorough
def test_a_table_that_comes_back_under_another_name_is_still_the_evenings(log: Path) -> None:
    with SimulatedTable(virtual=True) as table, kept(log), linked(log) as link:
        evening = link.call("evening", {"table": {"port": table.first_port, "virtual": True}})["evening"]
        watched = Followed(link, evening)
        link.call("next", {"evening": evening, **SHORT, "others": crowd(1, 5)})
        watched.played(1)
        table.say("unplug")
        with pytest.raises(KeeperError, match="which is not there; plug it in"):
            link.call("another", {"evening": evening})
        table.say("plug")
        assert table.port != table.first_port
        link.call("another", {"evening": evening})
        assert [game["seats"] for game in watched.played(2)["games"]] == [["Uma", "Yan"]] * 2
    audited(log, 2)


@pytest.mark.long
def test_a_press_at_the_table_begins_the_next_game(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablier.play.sitting.STAND_S", 0.1)
    with kept(log), linked(log) as link:
        here = [{"name": "Anne", "place": 2}]
        evening = link.call("evening", {"people": here, "table": {"port": "simulated"}})["evening"]
        watched = Followed(link, evening)
        link.call("next", {"evening": evening, **SHORT, "others": [{"name": "Zoe", "source": "greedy"}]})
        watched.pressing = lambda: link.send("tester", {"game": 1, "verb": "press 2 b"}, lambda answer: None)
        told = watched.wait(lambda told: len(told["games"]) == 2 and told["game"] == 2)
        what = [up["question"]["what"] for each in watched.updates for up in each["updates"] if up["question"]]
        assert "another" in what
        assert [game["seats"] for game in told["games"]] == [["Anne", "Zoe"]] * 2
        link.call("stop", {"game": 2})
    audited(log, 2)
    with Log.read(log) as read:
        yes = next(entry.at for entry in read.entries(1) if entry.body.get("yes"))
        begun = next(entry.at for entry in read.entries(2))
    apart = datetime.fromisoformat(begun) - datetime.fromisoformat(yes)
    assert apart.total_seconds() >= APART_S, "a second press would answer the next game's first question"


def test_at_a_table_each_seat_has_a_place(log: Path) -> None:
    """Dilemma asks for cards by places, those of a screen and a bot, too; a bot makes room for who comes."""
    with kept(log), linked(log) as link:
        here = [{"name": "Anne", "place": 2}, {"name": "Bernard"}]
        evening = link.call("evening", {"people": here, "table": {"port": "simulated"}})["evening"]
        link.call("next", {"evening": evening, "game": "dilemma", "others": BOTS[:1]})
        seats = link.call("list")["games"][0]["seats"]
        assert [(seat["name"], seat["place"]) for seat in seats] == [("Anne", 2), ("Bernard", 3), ("Zoe", 4)]
        link.call("stop", {"game": 1})
        link.call("come", {"evening": evening, "name": "Bernard", "place": 4})
        link.call("another", {"evening": evening})
        seats = link.call("list")["games"][0]["seats"]
        assert [(seat["name"], seat["place"]) for seat in seats] == [("Anne", 2), ("Bernard", 4), ("Zoe", 5)]
        link.call("stop", {"game": 2})


def test_dice_go_with_their_seats_into_another_game(log: Path) -> None:
    """And with who begins."""
    with kept(log), linked(log) as link:
        evening = link.call("evening", {"table": VIRTUAL})["evening"]
        chance = {"dice": ["tally", "roll"], "bag": "host"}
        short = {"game": "struggle", "options": {"board": "Y" * 10, "first": "p1"}}
        link.call("next", {"evening": evening, **short, "others": crowd(1, 3), "chance": chance})
        link.call("stop", {"game": 1})
        link.call("another", {"evening": evening})
        link.call("stop", {"game": 2})
    with Log.read(log) as read:
        begun = [next(read.entries(game, "game")).body for game in (1, 2)]
    dice = [dict(zip([seat["name"] for seat in each["seats"]], each["chance"]["dice"], strict=True)) for each in begun]
    assert dice == [{"Uma": "tally", "Wim": "roll"}] * 2
    assert [each["options"]["first"] for each in begun] == ["p1", "p2"]


def test_somebody_is_renamed_in_a_running_game(log: Path) -> None:
    with kept(log), linked(log) as link:
        people = [{"name": "Ane"}, {"name": "Bernard"}]
        evening = link.call("evening", {"people": people})["evening"]
        watched = Followed(link, evening)
        link.call("next", {"evening": evening, **SHORT})
        watched.wait(lambda told: watched.updates and told["game"] == 1)
        link.call("rename", {"evening": evening, "name": "Ane", "to": "Anne"})
        watched.wait(lambda told: [each["name"] for each in told["here"]] == ["Anne", "Bernard"])
        assert [seat["name"] for seat in link.call("list")["games"][0]["seats"]] == ["Anne", "Bernard"]

        def names() -> list[str]:
            return [seat["name"] for seat in watched.updates[-1]["updates"][0]["seats"]]

        watched.wait(lambda told: names() == ["Anne", "Bernard"])
        with pytest.raises(KeeperError, match="is somebody else's name"):
            link.call("rename", {"evening": evening, "name": "Anne", "to": "bernard"})
        link.call("stop", {"game": 1})
    audited(log, 1)


def test_another_game_follows_one_that_was_resumed_after_others(log: Path) -> None:
    """As 'tablier play' begins them: each is an evening of its own, of which the last one alone is open."""
    seats = [{"name": "Anne", "source": "screen"}, BOTS[0]]
    with kept(log), linked(log) as link:
        for game in (1, 2):
            link.call("play", {**SHORT, "seats": seats})
            link.call("stop", {"game": game})
        opened = link.call("resume", {"game": 1})
        ((seat, entry),) = entries(opened).items()
        link.call("enter", entry)
        finish(link, 1, seat)
        assert link.call("another", {"evening": opened["evening"]})["game"] == 3
        link.call("stop", {"game": 3})
    with Log.read(log) as read:
        assert [evening.games for evening in read.evenings()] == [(1, 3), (2,)]


def test_who_has_a_seat_of_a_game_that_is_resumed_is_there_again(log: Path) -> None:
    names = ("Anne", "Chantal")
    with kept(log), linked(log) as link:
        link.call("evening", {"people": [{"name": name} for name in names]})
        game = link.call("next", {"evening": 1, "game": "d21"})["game"]
        for ends in (False, True):
            link.call("stop", {"game": game})
            link.call("go", {"evening": 1, "name": "Chantal"})
            if ends:
                link.call("close", {"evening": 1})
            opened = link.call("resume", {"game": game})
            (told,) = link.call("list")["evenings"]
            assert [one["name"] for one in told["here"]] == [*names]
            assert set(opened["enter"]) == set(opened["people"].values()), "both can sit at one screen"
    audited(log, 1)


def test_a_bot_gives_way_to_a_person_of_its_name(log: Path) -> None:
    bot = {"name": "Bernard", "source": "greedy"}
    with kept(log), linked(log) as link:
        link.call("evening", {"people": [{"name": "Bernrad"}]})
        first = link.call("next", {"evening": 1, **SHORT, "others": [bot]})["game"]
        link.call("watch", {"game": first, "viewers": [None]})
        link.call("rename", {"evening": 1, "name": "Bernrad", "to": "Bernard"})
        assert [seat["name"] for seat in link.call("list")["games"][0]["seats"]] == ["Bernard", "Bernard (bot)"]
        link.call("stop", {"game": first})
        link.call("resume", {"game": first})
        link.call("stop", {"game": first})
        again = link.call("another", {"evening": 1})["game"]
        link.call("stop", {"game": again})
        link.call("next", {"evening": 1, **SHORT, "others": [bot]})
        told = link.call("list")["evenings"][0]["games"]
        assert [set(each["seats"]) for each in told] == [{"Bernard", "Bernard (bot)"}, *[{"Bernard", "Anne"}] * 2]
    audited(log, 3)
