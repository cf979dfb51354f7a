"""Before the first position: who begins Le Roudalon is thrown for, at tables and at screens; resumed, and audited."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from broken_off import cut, transactions
from chaos import FAULTS, Chaos
from driving import Driver, by_id, driven, session_of
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from playing import a_table, bodies, play
from roudalon_ring import look, read

import replies
from at_screens import HandClock, Screens
from ports import Hook, Stopped, each, open_desk, play_at, until
from positions import then
from sample import sample, thorough
from tablier.cli.main import main
from tablier.course.chance import ALL_HOST, HostSeed, Sources
from tablier.course.declined import Declined
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.games import drawing_of, rules_of
from tablier.games.core import MalformedMove, Position, Rules
from tablier.games.core.drawing import CANVAS
from tablier.games.core.lights import DARK, SEATED, before
from tablier.games.roudalon import lights
from tablier.games.roudalon.rolloff import RollOff
from tablier.judge.audit import AuditError, audit
from tablier.judge.redaction import record, story
from tablier.log.chain import Entry, LogError
from tablier.log.store import Log
from tablier.messages import Update
from tablier.play.beginning import begin, heading, seed_of
from tablier.play.game import Conductor
from tablier.record import replay
from tablier.simulation.simulated import SimulatedTable
from tablier.texts import Json
from tablier_fw import wire

NAMES = ("Anne", "Bernard", "Christine", "Daniel", "Éric", "Françoise")
MIXED = Sources(("roll", "tally", "roll", "host"))
TIED = "0f" * 32
"""A seed of the host by which throws are tied."""


def seated(*sources: str, simulated: str = "") -> list[Seat]:
    places = AT_TABLE in sources
    return [
        Seat(NAMES[n], n + 1 if places else 0, source, simulated if source == AT_TABLE else "")
        for n, source in enumerate(sources)
    ]


class Fallen(random.Random):
    """Physical dice that fall as a test says."""

    def __init__(self, throws: Sequence[tuple[int, int]]) -> None:
        super().__init__(1)
        self._left = [face - 1 for throw in throws for face in throw]

    def randrange(self, *args: Any) -> int:
        return self._left.pop(0) if self._left else super().randrange(*args)


def thrown(throws: Sequence[tuple[int, int]], seats: int) -> Driver:
    """A game at a table whose people have entered these throws."""
    driver = Driver(session_of(rules_of("roudalon", seats), seated(*[AT_TABLE] * seats), Sources(("tally",) * seats)))
    driver._dice = Fallen(throws)
    driver.begin()
    for _ in throws:
        driver.step()
        driver.step()  # and what was entered is right
    return driver


def of(driver: Driver, kind: str) -> list[Json]:
    return [body for each, body in driver.items if each == kind]


# -- who begins ------------------------------------------------------------------------------------------------------


def test_three_of_six_are_tied_twice() -> None:
    first = [(3, 4), (6, 2), (1, 1), (5, 3), (2, 5), (4, 4)]
    again = [(1, 2), (2, 1), (1, 2)]
    last = [(3, 3), (6, 6), (5, 6)]
    driver = thrown([*first, *again, *last], 6)
    asked = [body["seats"] for body in of(driver, "ask") if body["what"] == "dice"]
    assert asked == [[1], [2], [3], [4], [5], [6], [2], [4], [6], [2], [4], [6]]
    assert [body["text"] for body in of(driver, "prelude")][5:8] == [
        "table throw p6 4 4",
        "table throw p2 1 2",
        "table throw p4 1 2",
    ]
    assert of(driver, "begins") == [{"options": {"first": "p4"}}]
    assert driver.session.open.asked == (4,) and driver.session.position.rules.given == {"first": "p4"}
    assert audit(driver.entries(Sources(("tally",) * 6))).games == 1


def beginner(throws: Iterator[tuple[int, ...]], seats: int) -> tuple[int, int]:
    """Return who begins, and after how many throws, without using the rules."""
    among, count = list(range(1, seats + 1)), 0
    while len(among) > 1:
        sums = {seat: sum(next(throws)) for seat in among}
        count += len(among)
        among = [seat for seat in among if sums[seat] == max(sums.values())]
    return among[0], count


@settings(max_examples=sample(20, 60), deadline=None)
@given(st.integers(0, 1 << 30), st.sampled_from([4, 6]), st.integers(1, 6))
def test_the_highest_throw_begins_however_often_it_is_tied(seed: int, seats: int, faces: int) -> None:
    """Dice of few faces are tied often."""
    dice = random.Random(seed)
    throws = [(dice.randint(1, faces), dice.randint(1, faces)) for _ in range(400 if faces > 1 else 0)]
    if not throws:
        throws = [*[(1, 1)] * seats * 3, *[(1, 1)] * (seats - 1), (1, 2)]
    first, count = beginner(iter(throws), seats)
    driver = thrown(throws[:count], seats)
    assert [body["options"]["first"] for body in of(driver, "begins")] == [f"p{first}"]
    assert len(of(driver, "prelude")) == count
    assert driver.session.ply == 0 and driver.session.past.limit() == 0, (
        "the moves of the game are counted from its first"
    )
    assert [body["by"] for body in of(driver, "prelude")] == ["tally"] * count


def test_whoever_names_a_beginner_skips_it() -> None:
    rules = rules_of("roudalon", 4, {"first": "p3"})
    assert rules.prelude() is None and isinstance(rules_of("roudalon", 4).prelude(), RollOff)
    driver = driven("roudalon", seated(*[AT_TABLE] * 4), seed=0, first="p3")
    assert not of(driver, "prelude") and not of(driver, "begins") and driver.session.open.asked == (3,)
    driver.play(3)
    entries = driver.entries(ALL_HOST, first="p3")
    assert "prelude" not in entries[1].body and audit(entries).games == 1


def test_other_games_have_none() -> None:
    for game, seats in (("dilemma", 3), ("dicke-daemonen", 2), ("d21", 2)):
        assert rules_of(game, seats).prelude() is None
        assert "prelude" not in heading(game, {}, seated(*[AT_SCREEN] * seats))


# -- Struggle: a lot -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["host", "roll"])
def test_a_lot_says_who_begins_struggle(source: str) -> None:
    begun = set()
    for seed in range(1, 13):
        seats, sources = seated(*[AT_TABLE] * 3), Sources(bag=source)
        driver = Driver(session_of(rules_of("struggle", 3), seats, sources), seed=seed)
        driver.begin(f"{seed:064x}")
        driver.play(4)
        ((lot,), (options,)) = of(driver, "prelude"), of(driver, "begins")
        first = options["options"]["first"]
        assert lot == {"text": f"table lot {first}", "by": source}
        assert driver.session.position.rules.given == {"first": first}
        assert driver.session.position.moves[3].verb == "roll" and driver.session.position.state.turn == int(first[1:])
        entries = driver.entries(sources)
        assert audit(entries).games == 1
        begun.add(first)
    assert begun == {"p1", "p2", "p3"}


def test_what_was_named_holds_also_after_a_lot() -> None:
    driver = driven("struggle", seated(*[AT_SCREEN] * 2), board="YYYYBYYYYY")
    (begun,) = of(driver, "begins")
    assert driver.session.position.rules.given == {"board": "YYYYBYYYYY", **begun["options"]}


def test_whoever_names_a_beginner_draws_no_lot() -> None:
    assert rules_of("struggle", 2, {"first": "p2"}).prelude() is None
    lot = rules_of("struggle", 2).prelude()
    assert lot is not None
    with pytest.raises(MalformedMove):
        lot.parse("table lot")
    assert [weight for _, weight in lot.chance(lot.initial())] == [1, 1]


def test_the_moves_of_a_prelude_are_read_as_those_of_a_game() -> None:
    position: Position[Any] = Position(RollOff(rules_of("roudalon", 4)))
    for text in (
        "p1 throw 3 4",
        "table dice 3 4",
        "table throw p5 1 1",
        "table throw p1 7 1",
        "table throw p1 3",
        "table throw table 1 2",
    ):
        with pytest.raises(ValueError):
            position.parse_push(text)
    with pytest.raises(ValueError, match="p1 throws next for who begins"):
        position.parse_push("table throw p2 3 4")
    assert str(position.parse_push("table throw p1 4 3")) == "table throw p1 3 4"
    assert sum(weight for _, weight in position.rules.chance(position.state)) == 36
    assert {str(move) for move in position.legal_moves} == {
        f"table throw p2 {a} {b}" for a in range(1, 7) for b in range(a, 7)
    }


def test_what_the_host_throws_before_a_game_says_nothing_of_its_dice_to_come() -> None:
    rules = rules_of("roudalon", 4, {"first": "p1"})
    alike = 0
    for seed in range(40):
        chance, throws = HostSeed(bytes([seed]) * 32), prelude("p1 1 1", "p2 1 1", "p3 1 1", seats=4)
        position: Position[Any] = Position(rules)
        then(position, "p1 bet 1", "p2 bet 1", "p3 roll 1")
        twin = Position(rules, position.state._replace(dice=(2, 2, 2, 1), rolling=2))
        for one in (throws, twin):
            one.ply = 3
        alike += chance.draw(throws).args[1:] == chance.draw(twin).args
    assert alike < 10


# -- the audit -------------------------------------------------------------------------------------------------------


@pytest.fixture(params=["entered", "rolled", "by the host"])
def sound(request: pytest.FixtureRequest) -> list[Entry]:
    source = {"entered": "tally", "rolled": "roll", "by the host": "host"}[request.param]
    sources = Sources((source,) * 4)
    entries = driven("roudalon", seated(*[AT_TABLE] * 4), until=4, sources=sources, seed=5).entries(sources)
    assert audit(entries).games == 1
    return entries


def places(entries: Sequence[Entry], kind: str) -> list[int]:
    return [n for n, entry in enumerate(entries) if entry.kind == kind]


def bent(entries: Sequence[Entry], n: int, **values: Any) -> list[Entry]:
    body = {**entries[n].body, **values}
    return [*entries[:n], replace(entries[n], body=body), *entries[n + 1 :]]


def test_a_changed_throw_is_refused(sound: list[Entry]) -> None:
    for n in places(sound, "prelude"):
        faces = "1 1" if not sound[n].body["text"].endswith("1 1") else "1 2"
        seat = sound[n].body["text"].split()[2]
        with pytest.raises(AuditError, match=f"entry {sound[n].n}: .* should stand there"):
            audit(bent(sound, n, text=f"table throw {seat} {faces}"))
        with pytest.raises(AuditError, match=f"entry {sound[n].n}"):
            audit(bent(sound, n, by="table"))


def test_another_beginner_than_the_throws_gave_is_refused(sound: list[Entry]) -> None:
    (n,) = places(sound, "begins")
    first = sound[n].body["options"]["first"]
    for seat in {"p1", "p2", "p3", "p4"} - {first}:
        with pytest.raises(AuditError, match=f"entry {sound[n].n}: begins .*{first}.* should stand there"):
            audit(bent(sound, n, options={"first": seat}))


def test_a_prelude_that_is_cut_is_refused(sound: list[Entry]) -> None:
    last = places(sound, "begins")[0]
    first = next(n for n, entry in enumerate(sound) if entry.kind in ("ask", "prelude"))
    with pytest.raises(AuditError, match=f"entry {sound[last + 1].n}: .* should stand there"):
        audit([*sound[:first], *sound[last + 1 :]])
    for n in (*places(sound, "prelude"), last):
        with pytest.raises(AuditError, match="entry"):
            audit([*sound[:n], *sound[n + 1 :]])
    body = {key: value for key, value in sound[1].body.items() if key != "prelude"}
    said = [sound[0], replace(sound[1], body=body), *sound[2:first], *sound[last + 1 :]]
    with pytest.raises(AuditError, match=f"entry {sound[1].n}: .* begins with a prelude, but"):
        audit(said)


def test_a_prelude_that_is_grafted_is_refused(sound: list[Entry]) -> None:
    (last,) = places(sound, "begins")
    first = next(n for n, entry in enumerate(sound) if entry.kind in ("ask", "prelude"))
    with pytest.raises(AuditError, match="entry"):
        audit([*sound[: last + 1], *sound[first : last + 1], *sound[last + 1 :]])
    with pytest.raises(AuditError, match="does not follow"):
        audit([*sound, sound[places(sound, "prelude")[0]]])
    with pytest.raises(AuditError, match="does not follow"):
        audit([*sound, sound[last]])
    # Onto a game whose beginner was named.
    with pytest.raises(AuditError, match=f"entry {sound[1].n}: .* has no prelude, but"):
        audit(bent(sound, 1, options={"first": "p1"}))
    named = driven("roudalon", seated(*[AT_TABLE] * 4), until=2, seed=5, first="p2")
    entries = named.entries(ALL_HOST, first="p2")
    assert audit(entries).games == 1
    with pytest.raises(AuditError, match="entry"):
        audit([*entries[:4], *sound[first : last + 1], *entries[4:]])


def test_a_log_on_the_disk_with_another_beginner_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whole and in order, as far as its chain can tell."""
    path = tmp_path / "log.db"
    with Log.open(path) as log:
        head = by_id(heading("roudalon", {}, seated(*[AT_SCREEN] * 4)))
        game = log.begin_game(items=[(None, *seed_of(head, TIED))], **head)
        position = Position(RollOff(rules_of("roudalon", 4)))
        for seat in (1, 2, 3, 4):
            text = f"table throw p{seat} {seat} {seat}"
            position.parse_push(text)
            log.append(game, "prelude", {"text": text, "by": "host"})
        n = log.append(game, "begins", {"options": {"first": "p1"}})
    assert main(["log", "verify", "--log", str(path)]) == 1
    assert f"entry {n - 4}: prelude table throw p1 1 3 should stand there" in capsys.readouterr().err


# -- without a table ---------------------------------------------------------------------------------------------------


class Room(Screens):
    """All at screens, in a time that stands still."""

    def __init__(self, log: Log, seats: int = 4, seed: str = TIED, **more: Any) -> None:
        self.game = begin(log, "roudalon", {}, seated(*[AT_SCREEN] * seats), seed=seed, **more)
        super().__init__(log, self.game, HandClock(), tuple(range(1, seats + 1)))


def test_at_the_keyboard_it_is_told_and_who_has_won_begins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log.db"
    with Log.open(path) as log:
        room = Room(log)
        first = int(log.game().options["first"][1:])
        throws = bodies(list(log.entries(1)), "prelude")
        assert len(throws) > 4, "this seed ties"
        assert room.told[:6] == ["prelude", "throw", "throw", "throw", "throw", "tied"]
        assert room.told.count("throw") == len(throws) and room.told[-1] == "begins"
        latest = room.latest[None]
        assert (
            latest.question is not None
            and latest.question.seats == [first]
            and latest.options == {"first": f"p{first}"}
        )
        assert latest.ply == 0 and latest.view["phase"] == "turn"
        late: list[Update] = []
        room.running.watch((2,), each(late.append))
        room.running._audience.publish()
        told = [news.kind for news in late[0].news]
        assert told.count("throw") == len(throws) and "begins" in told, "who comes late is told all of it"
        room.say(first, replies.play("bet 2"))
        played, missing = record(log, log.game())
        assert (played.options, played.moves, missing) == ({"first": f"p{first}"}, (f"p{first} bet 2",), 0)
        assert replay(played).ply == 1
        assert audit(log.entries()).games == 1
    assert main(["log", "show", "--log", str(path)]) == 0
    shown = capsys.readouterr().out
    assert throws[0]["text"] in shown and f"{NAMES[first - 1]} begins the game." in shown
    assert f"options: first p{first}" in shown


def test_who_comes_back_is_told_of_it_again(tmp_path: Path) -> None:
    """Nobody has made a move yet, so who begins, and why, is what there is to know."""
    with Log.open(tmp_path / "log.db") as log:
        before = Room(log)
        before.running.close()
        again = Screens(log, before.game, HandClock(), (1, 2, 3, 4))
        assert again.told == before.told and "begins" in again.told


@pytest.mark.parametrize("practice", [False, True])
def test_taking_back_ends_where_the_game_begins(practice: bool, tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        others = "greedy" if practice else AT_SCREEN
        seats = seated(others, others, AT_SCREEN, others)  # with this seed the third begins
        game = begin(log, "roudalon", {}, seats, seed=TIED, practice=practice)
        room = Screens(log, game, HandClock(), (3,))
        first, stood = log.game().options, len(bodies(list(log.entries(1)), "prelude"))
        back = {"command": "back", "seat": 3}
        room.send(back)
        assert room.refused[-1].why.template == "you have made no move that could be taken back"
        room.say(3, replies.play("bet 1"))
        room.send(back)
        for seat in () if practice else (1, 2, 4):
            room.say(seat, replies.answer(True))
        entries = list(log.entries(1))
        assert [body["to"] for body in bodies(entries, "takeback")] == [0]
        assert len(bodies(entries, "prelude")) == stood and log.game().options == first
        assert audit(log.entries()).games == 1
        # And when the game is resumed from there.
        room.running.close()
        again = Conductor(log, game, HandClock())
        again.start()
        assert not again.session.in_prelude and again.session.position.rules.given == first
        assert len(bodies(list(log.entries(1)), "prelude")) == stood
        again.close()


def test_in_the_prelude_nothing_can_be_taken_back_or_corrected() -> None:
    driver = thrown([(1, 2), (3, 4)], 4)
    session = driver.session
    assert session.in_prelude and session.position.ply == 2
    for kind, body in (
        ("request", {"to": 0, "seat": 1}),
        ("request", {"to": 1, "seat": 1}),
        ("correction", {"at": 1, "move": "table throw p1 6 6", "seat": 1}),
        ("dispute", {"at": 1, "text": "it was a six", "seat": 2}),
    ):
        with pytest.raises(Declined):
            session.feed(kind, body)
    with pytest.raises(Declined):
        session.past.before_last_of(1)


EXTERNAL = """
import json, sys
hello = json.loads(sys.stdin.readline())
print(json.dumps(hello["options"]), file=sys.stderr, flush=True)
for line in sys.stdin:
    print(json.dumps({"move": json.loads(line)["moves"][0]}), flush=True)
"""


def test_a_program_is_told_who_begins(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "bot.py").write_text(EXTERNAL)
    bot = f"bot:{sys.executable} {tmp_path / 'program' / 'bot.py'}"
    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "roudalon", {}, seated("greedy", "greedy", bot, "greedy"), seed=TIED)
        running = Conductor(log, game, HandClock())
        running.start()
        while not running.over:
            running.work()
        running.close()
        assert json.loads(capfd.readouterr().err) == log.game().options != {}
        assert audit(log.entries()).games == 1


# -- at a simulated table ----------------------------------------------------------------------------------------------


def at_table(path: Path, table: SimulatedTable, sources: Sources, hook: Hook, count: int = 4) -> list[Entry]:
    with Log.open(path) as log:
        begin(log, "roudalon", {}, seated(*[AT_TABLE] * count), seed=TIED, sources=sources)
        with suppress(Stopped):
            play(log, 1, table, None, hook=hook)
        return list(log.entries())


def sound_start(path: Path) -> tuple[str, list[str]]:
    """Return who began the game of a log, and the throws for it; check log and record."""
    with Log.read(path) as log:
        log.verify()
        assert audit(log.entries()).games == 1
        entries = list(log.entries(1))
        throws = [body["text"] for body in bodies(entries, "prelude")]
        (begins,) = bodies(entries, "begins")
        faces = iter([tuple(map(int, text.split()[3:])) for text in throws])
        first, count = beginner(faces, len(log.game(1).seats))
        assert begins["options"] == {"first": f"p{first}"} and count == len(throws)
        assert log.moves(1)[0].startswith(f"p{first} bet ")
        assert replay(record(log, log.game(1))[0]).rules.given == begins["options"]
        return f"p{first}", throws


def test_by_buttons_with_rolls_physical_dice_and_the_host_at_six_places(tmp_path: Path) -> None:
    """By people in a process of their own, who are given pixels and a spectator's updates."""
    sources = Sources(("roll", "tally", "host", "tally", "roll", "roll"))
    seats = seated(*[AT_TABLE] * 4, "greedy", AT_TABLE, simulated="random")
    path = tmp_path / "log.db"
    with Log.open(path) as log:
        game = begin(log, "roudalon", {}, seats, sources=sources)
        with open_desk(seats, virtual=True, seed=1) as keeper, suppress(Stopped):
            play_at(keeper, log, game, hook=until(6))
        entries = list(log.entries())
    sound_start(path)
    by = {body["text"].split()[2]: body["by"] for body in bodies(entries, "prelude")}
    assert by == {f"p{n}": source for n, source in enumerate(sources.dice, 1)}
    rolls = [body["seats"] for body in bodies(entries, "ask") if body["what"] == "roll"]
    assert [1] in rolls and [6] in rolls and [] in rolls, "the table rolls for a bot at once"


def tell_kinds(told: list[str], update: Update) -> None:
    told += [news.kind for news in update.news]


@thorough
def test_from_every_entry_of_a_prelude(tmp_path: Path) -> None:
    """At another table with another boot, as after a host that was killed there."""
    path = tmp_path / "log.db"
    with a_table(seed=7) as table:
        entries = at_table(path, table, MIXED, until(1))
    sound_start(path)
    stop = next(entry.n for entry in entries if entry.kind == "move")
    ends = [n for n in transactions(entries) if n < stop and any(e.kind == "game" for e in entries[:n])]
    assert len(ends) >= 8
    with a_table(seed=8) as table:
        for n in ends[:: sample(8, 1)]:
            copy = tmp_path / f"cut{n}.db"
            cut(path, copy, n)
            stood = [entry.body["text"] for entry in entries[:n] if entry.kind == "prelude"]
            told: list[str] = []
            with Log.open(copy) as log, suppress(Stopped):
                play(log, 1, table, None, hook=until(1), watch=partial(tell_kinds, told))
            _, now = sound_start(copy)
            assert now[: len(stood)] == stood, f"taken up after entry {n}"
            assert told.count("throw") == len(now) and told[0] == "prelude", "what was thrown before is told again"
            table.say("reset")


@thorough
def test_with_a_cable_that_is_pulled_and_a_reset_button_that_is_pressed(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    with SimulatedTable(virtual=True, seed=3) as table:
        Log.open(path).close()
        table.say(FAULTS)
        chaos = Chaos(table, path, 5, {"unplug": 2, "reset": 3}, 0.4)
        entries = at_table(path, table, Sources(("roll", "tally") * 3), until(1, chaos), 6)
    sound_start(path)
    first = next(entry.n for entry in entries if entry.kind == "begins")
    assert [entry.n for entry in entries if entry.kind == "gap" and entry.n < first], "a reset fell into the prelude"


def test_a_host_that_is_killed_between_the_parts_of_a_roll(tmp_path: Path) -> None:
    path = tmp_path / "log.db"

    def leave(running: Conductor) -> float:
        if running.session.open.rolling and running.session.in_prelude:
            raise KeyboardInterrupt
        return 0.01

    with SimulatedTable(virtual=True) as table, Log.open(path) as log:
        game = begin(log, "roudalon", {}, seated(*[AT_TABLE] * 4), sources=Sources(("roll",) * 4))
        for _ in range(3):
            with pytest.raises(KeyboardInterrupt):
                play(log, game, table, None, hook=until(1, leave))
        with pytest.raises(Stopped):
            play(log, game, table, None, hook=until(1))
        added = [body["id"] for body in bodies(list(log.entries()), "contribution")]
    sound_start(path)
    assert len(added) == len(set(added)) >= 4


def test_a_record_waits_for_who_begins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log.db"

    def leave(running: Conductor) -> float:
        if running.session.position.ply == 2:
            raise Stopped
        return 0.01

    with SimulatedTable(virtual=True) as table:
        at_table(path, table, Sources(("tally",) * 4), until(1, leave))
    with Log.read(path) as log:
        assert log.game().moves == 0 and log.game().options == {}
        with pytest.raises(LogError, match="has not begun"):
            record(log, log.game())
        told = [it for it in story(log, log.game()).told if it.entry.kind == "prelude"]
        assert [len(it.sentences) for it in told] == [1, 1] and not any(it.withheld for it in told)
    assert main(["log", "export", "--log", str(path)]) == 2
    out = capsys.readouterr()
    assert out.out == "" and out.err.count("\n") == 1 and "has no record yet" in out.err
    for action in ("list", "show", "verify"):
        assert main(["log", action, "--log", str(path)]) == 0


# -- what is seen ------------------------------------------------------------------------------------------------------


def prelude(*throws: str, seats: int = 6) -> Position[Any]:
    rules: Rules[Any] = RollOff(rules_of("roudalon", seats))
    position: Position[Any] = Position(rules)
    for text in throws:
        position.parse_push(f"table throw {text}")
    return position


PLACES = (1, 2, 3, 4, 5, 6)
FIRST = ("p1 3 4", "p2 2 6", "p3 1 1", "p4 3 5", "p5 2 5", "p6 4 4")


@pytest.mark.parametrize("total", range(2, 13))
def test_every_throw_is_read_off_the_ring_in_front_of_who_threw_it(total: int) -> None:
    low = max(1, total - 6)
    position = prelude(*[f"p{seat} {low} {total - low}" for seat in range(1, 6)])
    ring = lights.ring(look(position, PLACES))
    assert [read(ring, before(place)) for place in PLACES] == [total] * 5 + [0]


def test_who_is_tied_swells_until_it_has_thrown_again_and_who_is_out_goes_dark() -> None:
    tied = prelude(*FIRST)
    ring = lights.ring(look(tied, PLACES))
    assert [read(ring, before(place)) for place in PLACES] == [0, 8, 0, 8, 0, 8]
    assert {pixel[2] for pixel in ring if pixel != DARK} == {wire.PULSE}
    public = lights.public(look(tied, PLACES))
    assert [pixel[:2] for pixel in public] == [SEATED[:2], lights.TWO_DICE] * 3
    assert [pixel[2] for pixel in public] == [wire.STEADY, wire.PULSE, *[wire.STEADY] * 4], "the next to throw swells"
    again = prelude(*FIRST, "p2 1 2")
    ring = lights.ring(look(again, PLACES))
    assert [read(ring, before(place)) for place in PLACES] == [0, 3, 0, 8, 0, 8]
    effects = [{ring[pixel][2] for pixel in before(place) if ring[pixel] != DARK} for place in (2, 4, 6)]
    assert effects == [{wire.STEADY}, {wire.PULSE}, {wire.PULSE}]


def test_the_last_throw_is_seen_beside_the_others_before_who_begins_swells_alone() -> None:
    position = prelude(*FIRST, "p2 1 2", "p4 3 3", "p6 5 6")
    twin = position.copy()
    move = twin.pop()
    walk = lights.walk(look(position, PLACES), move, twin.rules.view(twin.state, None))
    seen = [[read(ring, before(place)) for place in (2, 4, 6)] for ring in walk]
    assert seen[0] == [3, 6, 11] and seen[-1] == [0, 0, 11]
    assert seen.index([0, 0, 11]) >= 5 and seen.count([0, 0, 11]) >= 10, "long enough to be read"


def test_a_screen_draws_it() -> None:
    position = prelude("p1 3 4", "p2 2 6", seats=4)
    rules, view = position.rules, position.rules.view(position.state, None)
    text = str(drawing_of("roudalon").text(rules, view, NAMES[:4], CANVAS))
    assert "Christine throws two dice: the highest throw begins" in text and "▶ Christine" in text
    assert "⚁2  ⚅6" in text and "to begin" in text
    assert drawing_of("roudalon").svg(rules, view, NAMES[:4]).count("<svg") == 1
    over = prelude("p1 3 4", "p2 2 6", "p3 1 1", "p4 1 1", seats=4)
    view = over.rules.view(over.state, None)
    assert "Bernard begins" in str(drawing_of("roudalon").text(over.rules, view, NAMES[:4], CANVAS))


def test_the_ring_of_a_table_shows_what_was_thrown(tmp_path: Path) -> None:
    seen: list[list[int]] = []

    def watch(running: Conductor) -> float:
        session = running.session
        if session.in_prelude and session.question is not None and session.position.ply:
            ring = table.tester.pixels()["ring"]
            seen.append([sum(ring[pixel] != "000000" for pixel in before(place)) for place in (1, 2, 4)])
        return 0.2

    with SimulatedTable(virtual=True) as table, Log.open(tmp_path / "log.db") as log:
        seats = [Seat(NAMES[n], place, AT_TABLE) for n, place in enumerate((1, 2, 4, 5))]
        begin(log, "roudalon", {}, seats, sources=Sources(("tally",) * 4))
        with suppress(Stopped):
            play(log, 1, table, None, hook=until(1, watch))
        throws = [body["text"].split() for body in bodies(list(log.entries()), "prelude")]
    signs = [len(lights.roman(int(a) + int(b))) for _, _, _, a, b in throws[:3]]
    assert [signs[0], 0, 0] in seen and [*signs[:2], 0] in seen and signs in seen


def test_what_was_thrown_before_a_game_is_resumed_is_not_shown_throw_by_throw_again(tmp_path: Path) -> None:
    def leave(running: Conductor) -> float:
        if running.session.position.ply == 3:
            raise KeyboardInterrupt
        return 0.1

    seen: list[list[int]] = []
    times: list[float] = []

    def watch(running: Conductor) -> float:
        ring = table.tester.pixels()["ring"]
        seen.append([sum(ring[pixel] != "000000" for pixel in before(place)) for place in (1, 2, 4)])
        times.append(running.clock.now())
        if times[-1] > times[0] + 0.5:
            raise Stopped
        return 0.1

    with SimulatedTable(virtual=True) as table, Log.open(tmp_path / "log.db") as log:
        seats = [Seat(NAMES[n], place, AT_TABLE) for n, place in enumerate((1, 2, 4, 5))]
        begin(log, "roudalon", {}, seats, sources=Sources(("tally",) * 4))
        with pytest.raises(KeyboardInterrupt):
            play(log, 1, table, None, hook=until(1, leave))
        throws = [body["text"].split() for body in bodies(list(log.entries()), "prelude")]
        with pytest.raises(Stopped):
            play(log, 1, table, None, hook=until(1, watch))
    assert seen[-1] == [len(lights.roman(int(a) + int(b))) for _, _, _, a, b in throws]
