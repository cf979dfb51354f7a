"""Before each game the table is checked for what this game needs; who cannot sit where is said with the cure."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs, to_builtins
from tests.heard import by_method

from kept import kept, linked
from sample import thorough
from standing import BEGUN
from tablier import messages
from tablier.keeper.client import KeeperError, Link
from tablier.keeper.silence import ANSWERS_AGAIN, silent_text
from tablier.log.store import Log
from tablier.screens.between import Between
from tablier.screens.evening_link import EveningLink
from tablier.screens.lines import Typed
from tablier.screens.people import People
from tablier.screens.room import Room
from tablier.service import diagnosis
from tablier.simulation.simulated import SimulatedTable
from tablier.table import client as clients
from tablier.table.client import Client
from tablier.table.clock import LifeClock
from tablier.table.greeting import read_hello
from tablier.texts import Json, Text, render
from tablier_fw import result, wire
from tablier_fw.equipment import Equipment

PEOPLE = [{"name": "Anne", "place": 1}, {"name": "Bernard", "place": 2}]
SEATS = [{**one, "source": "table"} for one in PEOPLE]
THREE = [*SEATS, {"name": "Christine", "place": 4, "source": "table"}]
STUCK = {"held": 1 << 4}
WEAK = {"margins": bytes([50, 50, 10, 50, 50, 50, 50, 50])}
CANNOT_SIT = (
    "Bernard cannot sit at place 2: button minus of place 2 counts as pressed though nobody presses it; see step 8 of"
    " hardware/BUILD.md, or take a place that works: 3, 4, 5, 6"
)


@pytest.fixture(scope="module")
def shared() -> Iterator[SimulatedTable]:
    with SimulatedTable() as table:
        yield table


@pytest.fixture
def table(shared: SimulatedTable) -> SimulatedTable:
    has_found(shared)
    return shared


GOOD = {"measured": 1, "margins": bytes([50] * 8), "blinded": bytes(8), "impacts": 0}


def has_found(table: SimulatedTable, **found: Any) -> None:
    """Have the table, which is asked nothing any more, keep a self-test with these results, and all else whole."""
    table.say("reset")
    client = Client(table.first_port, LifeClock(), lambda boot: 0)
    client.open()
    try:
        record = {**result.new(bytes.fromhex(client.board or "")), **GOOD, **found}
        record["measured_by"] = record["guided_by"] = diagnosis.version_field(client.version)
        assert diagnosis.store(client, result.pack(record))[0] == 0
    finally:
        client.close()


def lacks(monkeypatch: pytest.MonkeyPatch, ability: int) -> None:
    """Have every table say that it cannot do something."""
    read = read_hello

    def hello(boot: bytes, payload: bytes) -> Any:
        said = read(boot, payload)
        return None if said is None else said._replace(abilities=said.abilities & ~ability)

    monkeypatch.setattr(clients, "read_hello", hello)


def head(log: Path) -> str:
    with Log.read(log) as read:
        return read.head


def test_every_way_a_game_begins_is_refused_before_anything_is_logged(
    log: Path, table: SimulatedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = {"port": table.first_port}
    with kept(log), linked(log) as link:
        evening = link.call("evening", {"people": PEOPLE, "table": at})["evening"]
        link.call("next", {"evening": evening, "game": "d21"})
        link.call("stop", {"game": 1})
        link.call("series", {"evening": evening, "games": ["d21"], "count": 2})
        ways: list[tuple[str, Json]] = [
            ("play", {"game": "d21", "seats": SEATS, "table": at}),
            ("next", {"evening": evening, "game": "struggle"}),
            ("next", {"evening": evening}),  # of the series
            ("another", {"evening": evening}),
            ("resume", {"game": 1}),
        ]

        def each_is_refused(why: str) -> None:
            before = head(log)
            for method, params in ways:
                with pytest.raises(KeeperError) as refused:
                    link.call(method, params)
                assert why in str(refused.value), method
            assert head(log) == before
            assert link.call("list")["games"] == []

        has_found(table, **STUCK)
        each_is_refused(CANNOT_SIT)
        has_found(table)
        with monkeypatch.context() as patch:
            lacks(patch, wire.CAN_MENU)
            each_is_refused(" does not have: menu; put newer firmware on the table")
        link.call("resume", {"game": 1})


@pytest.mark.long
def test_whoever_wants_another_game_at_the_table_is_told_why_there_is_none(
    log: Path, table: SimulatedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tablier.play.sitting.STAND_S", 0.1)
    heard: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
    with kept(log), linked(log) as link:
        here = {"people": [PEOPLE[1]], "table": {"port": table.first_port}}
        evening = link.call("evening", here)["evening"]
        link.on_notice = by_method(lambda method, params: heard.put((method, params)))
        link.call("follow", {"evening": evening})
        bot = {"name": "Zoe", "source": "greedy", "place": 3}
        link.call("next", {"evening": evening, "game": "d21", "options": {"max_plies": 2}, "others": [bot]})
        record = {**result.new(bytes.fromhex(table.board)), **GOOD, **STUCK}
        monkeypatch.setattr(diagnosis, "fetch", lambda client: record)  # the table itself is being played at
        why = None
        while why is None:
            try:
                method, told = heard.get(timeout=0.1)
            except queue.Empty:
                link.send("tester", {"game": 1, "verb": "press 2 b"}, lambda answer: None)
                continue
            why = told["why"] if method == "evening" else None
    assert CANNOT_SIT.replace("3, 4", "1, 4") in render(why, [])
    with Log.read(log) as read:
        assert len(read.games()) == 1


def news_of(link: Link, table: SimulatedTable, game: str, seats: list[Any]) -> str:
    """Begin a game, and return what a spectator is told first."""
    heard: queue.SimpleQueue[Any] = queue.SimpleQueue()
    number = link.call("play", {"game": game, "seats": seats, "table": {"port": table.first_port}})["game"]
    link.listen(number, by_method(lambda method, params: heard.put(params)))
    link.call("watch", {"game": number, "viewers": [None]})
    news: list[str] = []
    asked = False
    while not asked:
        (update,) = heard.get(timeout=20)["updates"]
        news += [render(each["text"], [seat["name"] for seat in seats]) for each in update["news"]]
        asked = update["question"] is not None
    link.call("stop", {"game": number})
    return "\n".join(news)


@thorough
def test_a_game_without_an_arena_does_not_mind_its_beams(log: Path, table: SimulatedTable) -> None:
    has_found(table, **WEAK)
    weak = "beam low 3 (south) fails when it loses 10 % of its light; allowed: 25 % or more"
    with kept(log), linked(log) as link:
        thrown = news_of(link, table, "dilemma", THREE)
        assert f"Cards are entered by those who throw them, because {weak}." in thrown
        assert f"The self-test has found: {weak}; see step 16 of hardware/BUILD.md." in thrown
        assert "beam" not in news_of(link, table, "d21", SEATS)
    with Log.read(log) as read:
        hellos = [entry.body for entry in read.entries() if entry.body.get("event") == "hello"]
    assert ["by_claim" in hello for hello in hellos] == [True, False]
    assert [hello["margins"] for hello in hellos] == [list(WEAK["margins"])] * 2, "the log keeps them for every game"


def test_what_is_not_shown_to_somebody_is_said_before_the_game(
    log: Path, table: SimulatedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    dark = (1 << wire.GROUPS[wire.RING] + 1).to_bytes(9, "little")
    has_found(table, guided=1, parts=result.PIXELS | result.BUZZER, dark=dark, heard=0)
    said = "The self-test has found: the public pixel of place 2 is dark or wrong; see step 9 of hardware/BUILD.md."
    old = Text("its Pico runs MicroPython {found}", {"found": "1.20"})
    monkeypatch.setattr(clients, "outdated", lambda version: old)
    with kept(log), linked(log) as link:
        told = news_of(link, table, "d21", SEATS)
        assert "The self-test has found: the buzzer was not heard; see step 7 of hardware/BUILD.md." in told
        assert said in told and "Of this table: its Pico runs MicroPython 1.20." in told
        bot = [SEATS[0], {"name": "Zoe", "place": 2, "source": "greedy"}]
        assert said not in news_of(link, table, "d21", bot), "nobody looks at it"


# -- built in part ---------------------------------------------------------------------------------------------------


def test_at_a_table_that_is_built_in_part_people_sit_where_places_are(log: Path) -> None:
    with SimulatedTable(equipment=Equipment(0b000101, 24, arena=False)) as part, kept(log), linked(log) as link:
        has_found(part, **WEAK)
        with pytest.raises(KeeperError) as refused:
            link.call("play", {"game": "d21", "seats": SEATS, "table": {"port": part.first_port}})
        assert str(refused.value).endswith(
            "Bernard cannot sit at place 2, which this table does not have; places: 1, 3"
        )
        people = [SEATS[0], {**SEATS[1], "place": 3}]
        missing = "not there: places 2, 4, 5, 6, pixels 24 to 31 of the ring, the arena."
        told = news_of(link, part, "d21", people)
        assert told.count(missing) == 1 and "enter" not in told
        bot = {"name": "Zoe", "place": 4, "source": "greedy"}
        told = news_of(link, part, "dilemma", [*people, bot])
        assert "Cards are entered by those who throw them, because the table has no arena." in told
        assert told.count(missing) == 1 and "beam" not in told


def test_a_table_without_5_v_begins_no_game_and_says_so_in_one_that_runs(log: Path, table: SimulatedTable) -> None:
    why = "The table has no 5 V: is its adapter plugged in, and its rocker on? Its pixels and beams are dark."
    heard: queue.SimpleQueue[Any] = queue.SimpleQueue()
    at = {"port": table.first_port}
    try:
        with kept(log), linked(log) as link:
            table.say("defect power")
            with pytest.raises(KeeperError) as refused:
                link.call("play", {"game": "d21", "seats": SEATS, "table": at})
            assert str(refused.value) == f"{table.first_port}: {why}"
            assert link.call("list")["games"] == []
            table.say("mend")
            game = link.call("play", {"game": "d21", "seats": SEATS, "table": at})["game"]
            link.listen(game, by_method(lambda method, params: heard.put(params)))
            link.call("watch", {"game": game, "viewers": [None]})

            def told() -> str:
                (update,) = heard.get(timeout=20)["updates"]
                return "\n".join(render(each["text"], []) for each in update["news"])

            table.say("defect power")
            while why not in told():
                pass
            table.say("mend")
            while "The table has its 5 V again." not in told():
                pass
            link.call("stop", {"game": game})
    finally:
        table.say("mend")


# -- at the screen of an evening -------------------------------------------------------------------------------------


class _Keeper:
    on_notice = on_silence = None

    def call(self, method: str, params: Json) -> Json:
        return dict(to_builtins(messages.Listing(games=[], unfinished=[], evenings=[BEGUN])))


def _between(typed: Typed, said: list[str], codes: list[str] | None = None) -> tuple[Between, _Keeper]:
    keeper: Any = _Keeper()

    def no_game(*_: Any) -> Any:
        raise AssertionError("no game is open")

    return Between(
        EveningLink(Room(1), keeper, no_game, lambda: True, typed),
        no_game,
        lambda *texts, **_: said.extend(str(each) for each in texts),
        people=People(),
        left=dict,
        invite=no_game,
        show_code=no_game if codes is None else codes.append,
        host=no_game,
    ), keeper


def test_the_screen_of_an_evening_says_once_why_there_is_no_game() -> None:
    why = Text("Bernard cannot sit at place {place}", {"place": 2})
    told = [structs.replace(BEGUN, why=each) for each in (None, why, why)]
    lines: Iterator[Any] = iter([*((None, each) for each in told), (":quit", None)])
    said: list[str] = []
    evening, _ = _between(Typed(), said)
    assert not evening.converse(lambda: next(lines))
    assert said.count("Bernard cannot sit at place 2") == 1


def test_the_way_in_is_said_once_with_its_code_and_not_behind_a_list_of_commands() -> None:
    lines: Iterator[Any] = iter([(None, Text("Anne is here.")), ("nonsense", None), (":quit", None)])
    said: list[str] = []
    codes: list[str] = []
    evening, keeper = _between(Typed(), said, codes)
    room = evening._evening.room
    room.latest = structs.replace(BEGUN, inside=messages.Inside(code="KXQJ", wishes=[]))
    room.served = lambda: ("http://127.0.0.1:8733/", "http://192.0.2.2:8733/")
    anne = messages.Person(person="00", name="Anne", place=0, by="phone", organiser=True)
    here = [structs.replace(BEGUN, here=each) for each in ([], [anne])]
    keeper.call = lambda *_: dict(to_builtins(messages.Listing(games=[], unfinished=[], evenings=here[-1:])))  # type: ignore[method-assign]
    evening.converse(lambda: next(lines))
    assert codes == ["http://192.0.2.2:8733/in#KXQJ"]
    assert said[:2] == [
        "Evening 1. Here: Anne (organiser).",
        "On a phone: http://192.0.2.2:8733/in and the code KXQJ",
    ]
    assert sum("KXQJ" in each for each in said) == 1 and not any(":come" in each for each in said)


def test_a_command_with_its_words_needs_no_colon_between_games() -> None:
    lines: Iterator[Any] = iter([("bots good", None), ("rename Ane", None), ("nobody d21", None), (":quit", None)])
    said: list[str] = []
    evening, _ = _between(Typed(), said)
    evening.converse(lambda: next(lines))
    assert "Bots fill the games." in said and ":rename takes two names: :rename Ane, Anne" in said
    assert any("there is no game" in each for each in said)


def test_a_silent_keeper_is_told_between_the_games_of_an_evening(monkeypatch: pytest.MonkeyPatch) -> None:
    typed: Any = Typed()
    said: list[str] = []
    evening, keeper = _between(typed, said)
    for text in (silent_text(4711, 5.0), ANSWERS_AGAIN):
        keeper.on_silence(text)  # type: ignore[misc]
    monkeypatch.setattr(typed, "line", lambda: ":quit")
    evening.converse(typed.next)
    assert "4711" in " ".join(said) and str(ANSWERS_AGAIN) in said
