"""The lights of a game's table, live: for the operator alone, a hood for whoever leans over it and nobody else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.heard import by_method

from kept import kept, linked
from tablier.keeper import lights, protocol
from tablier.keeper.client import KeeperError, Link
from tablier.simulation.eyes import number_on
from tablier.simulation.simulated import SimulatedTable
from tablier_fw import wire

SEATS = [
    {"name": "Anne", "source": "table", "place": 1},
    {"name": "Bernard", "source": "table", "place": 3},
    {"name": "Christine", "source": "screen", "place": 5},
]
DARK = ["000000"] * 5


class Heard:
    """What a connection hears of game 1, by kind, and a way to wait for it."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.told: list[tuple[str, Any]] = []
        self._heard = threading.Condition()
        link.listen(1, by_method(self._hear))

    def _hear(self, method: str, params: Any) -> None:
        with self._heard:
            self.told.append((method, params))
            self._heard.notify_all()

    def of(self, kind: str) -> list[Any]:
        return [params for method, params in self.told if method == kind]

    def wait(self, kind: str, holds: Callable[[Any], Any] = lambda params: True, since: int = 0) -> Any:
        def found() -> Any:
            told = self.told[since:]
            return next((params for method, params in told if method == kind and holds(params)), None)

        with self._heard:
            assert self._heard.wait_for(lambda: found() is not None, 20), self.told[-3:]
            return found()

    def call(self, method: str, **params: Any) -> Any:
        return self.link.call(method, {"game": 1, **params})


@pytest.fixture
def table(tmp_path: Path) -> Iterator[tuple[Heard, Heard, Heard]]:
    """A game of Dilemma at a simulated table in life's time: two who have the operator's key, and a spectator."""
    log = tmp_path / "log.db"
    with kept(log), linked(log) as one, linked(log) as other, linked(log, operator=False) as spectator:
        one.call("play", {"game": "dilemma", "seats": SEATS, "table": {"quiet_s": 1}})
        all_ = Heard(one), Heard(other), Heard(spectator)
        for each in all_:
            each.call("watch", viewers=[None])
        all_[0].wait("updates", lambda params: params["updates"][0]["question"])
        yield all_


def test_lights_follow_the_table_and_a_hood_is_for_whoever_leans_over_it(table: tuple[Heard, Heard, Heard]) -> None:
    one, other, spectator = table
    for each in (one, other):
        each.call("lights")
    seen = one.wait("lights", lambda params: params["asked"] == [1] and params["public"][0] != "000000")
    assert [len(seen[group]) for group in ("ring", "public")] == list(wire.GROUPS[:2])
    assert (seen["simulated"], seen["connected"], seen["leaning"], seen["hood"]) == (True, True, 0, None)
    one.call("lean", place=1)
    assert number_on(one.wait("lights", lambda params: params["hood"] not in (None, DARK))["hood"]) == 1
    assert other.wait("lights", lambda params: params["leaning"] == 1)["hood"] is None
    assert spectator.wait("leaning") == {"game": 1, "place": 1}, "all are told while somebody looks"
    with pytest.raises(KeeperError, match="place 1; one at a time"):
        other.call("lean", place=3)
    one.call("tester", verb="press 1 plus")
    one.wait("lights", lambda params: params["hood"] and number_on(params["hood"]) == 2)
    one.call("lean", place=0)
    spectator.wait("leaning", lambda params: params["place"] == 0)
    other.call("lean", place=3)
    assert other.wait("lights", lambda params: params["hood"])["hood"] == DARK
    one.wait("lights", lambda params: params["leaning"] == 3)
    assert not any(params["hood"] for params in other.of("lights") if params["leaning"] == 1)
    assert not spectator.of("lights")


def test_a_hood_whose_seat_is_at_a_screen_stays_dark(
    table: tuple[Heard, Heard, Heard], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lights, "LEAN_S", 60.0)  # nobody leans back by keeping silent
    one, other, _ = table
    one.call("lights")
    with pytest.raises(KeeperError, match="place 5 is not played at the table"):
        one.call("lean", place=5)
    with pytest.raises(KeeperError, match="follow the lights"):
        other.call("lean", place=1)
    one.call("lean", place=3)
    one.wait("lights", lambda params: params["hood"] is not None)
    one.call("source", seat=2, source="screen")
    one.wait("leaning", lambda params: params["place"] == 0)
    assert one.wait("lights", lambda params: params["leaning"] == 0, len(one.told) - 1)["hood"] is None


def test_who_is_gone_or_says_nothing_leans_no_more(
    table: tuple[Heard, Heard, Heard], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other, spectator = table
    for each in (one, other):
        each.call("lights")
    one.call("lean", place=1)
    one.link.close()
    spectator.wait("leaning", lambda params: params["place"] == 0)
    monkeypatch.setattr(lights, "LEAN_S", 0.3)
    since = len(spectator.told)
    other.call("lean", place=1)
    spectator.wait("leaning", lambda params: params["place"] == 0, since)


@pytest.mark.long
def test_a_game_goes_on_in_slow_time(table: tuple[Heard, Heard, Heard]) -> None:
    """Host and table are slow together: their clocks agree, and a card that lands is one of the open window."""
    one, _, spectator = table
    one.call("lights")
    one.wait("lights", lambda params: params["asked"] == [1] and params["public"][0] != "000000")
    one.call("tester", verb="pace 25")
    one.call("tester", verb="press 1 b")
    spectator.wait("updates", lambda params: question_of(params)["kind"] == "window")
    one.call("tester", verb="land flat p2:7@1")
    claim = spectator.wait("updates", lambda params: question_of(params).get("what") == "claim")
    assert question_of(claim)["seats"] == [2]


def question_of(params: Any) -> Any:
    return params["updates"][0]["question"] or {"kind": "", "waiting": []}


def test_the_line_is_told_by_names_alone(table: tuple[Heard, Heard, Heard]) -> None:
    one, other, _ = table
    one.call("lights", line=True)
    other.call("lights")
    one.wait("lights", lambda params: params["public"][0] != "000000")
    one.call("tester", verb="press 1 b")
    sent = one.wait("line", lambda params: any(frame["name"] == wire.PICKED.name for frame in params["frames"]))
    frames = sent["frames"]
    assert {key for frame in frames for key in frame} == {"from", "name"}
    assert {frame["name"] for frame in frames} <= {message.name for message in wire.MESSAGES}
    assert not other.of("line")


def test_after_the_last_one_has_left_the_table_is_not_asked(table: tuple[Heard, Heard, Heard]) -> None:
    one, _, _ = table
    one.call("lights")
    one.wait("lights")
    one.call("lights", on=False)
    since = len(one.told)
    one.call("tester", verb="press 1 plus")
    one.call("tester", verb="until public 2 000000")
    assert all(method != "lights" for method, _ in one.told[since:])


def test_a_game_without_a_table_has_no_lights(log: Path) -> None:
    seats = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard")]
    with kept(log), linked(log) as link:
        link.call("play", {"game": "d21", "seats": seats})
        for method, params in (("lights", {}), ("lean", {"place": 1})):
            with pytest.raises(KeeperError, match="without a table") as refused:
                link.call(method, {"game": 1, **params})
            assert refused.value.code == protocol.REFUSED


def test_of_a_real_table_it_tells_what_was_asked_for_and_no_hood(tmp_path: Path) -> None:
    log, port = tmp_path / "log.db", tmp_path / "ttyACM0"
    with SimulatedTable() as table, kept(log), linked(log) as link:
        port.symlink_to(Path(table.first_port).resolve())  # by this name nobody knows that it is simulated
        heard = Heard(link)
        link.call("play", {"game": "dilemma", "seats": SEATS, "table": {"port": str(port)}})
        heard.call("watch", viewers=[None])
        heard.call("lights")
        told = heard.wait("lights", lambda params: params["asked"] == [1])
        assert (told["simulated"], told["connected"], told["hood"]) == (False, True, None)
        ring = heard.wait("lights", lambda params: set(params["ring"]) != {"000000"})["ring"]
        assert len(ring) == wire.GROUPS[wire.RING]
        with pytest.raises(KeeperError, match="real table"):
            heard.call("lean", place=1)
        with pytest.raises(KeeperError, match="not played at a simulated table"):
            heard.call("tester", verb="pixels")
        assert not any(params["hood"] for params in heard.of("lights"))
