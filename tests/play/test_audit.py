"""What ``log verify`` finds in a log whose chain is whole: attacks on a game, each of them named by its entry.

Each forgery below was accepted by the audit of choices alone, which knew nothing of moves, questions and chance.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from driving import AT, BOARD, driven, session_of, whole
from honest import in_evenings
from msgspec.structs import replace

import replies
from tablier.cli.main import main
from tablier.course.declined import Declined
from tablier.course.entries import Item
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.games import rules_of
from tablier.games.core import Position
from tablier.games.core.questions import Menu
from tablier.games.d21.rules import D21
from tablier.judge.audit import AuditError, audit, examine
from tablier.log.chain import Entry, LogError, Row, canonical, link
from tablier.log.store import Log
from tablier.play.beginning import begin, heading, seed_of
from tablier.play.game import Conductor
from tablier.table.clock import LifeClock
from tablier_fw import wire

MOVES = ["p1 offer 8", "p2 throw 3 flat", "table close", "p1 duel conflict", "p2 duel peace", "p2 offer 1"]


def seats(*sources: str) -> list[Seat]:
    places = [n if AT_TABLE in sources else 0 for n in range(1, len(sources) + 1)]
    return [Seat("ABC"[n], places[n], source) for n, source in enumerate(sources)]


def at(entries: list[Entry], kind: str, **values: Any) -> int:
    """Return the index of an entry of a kind with these values."""
    return next(n for n, entry in enumerate(entries) if entry.kind == kind and values.items() <= entry.body.items())


def changed(entries: list[Entry], n: int, **values: Any) -> list[Entry]:
    return [replace(entry, body={**entry.body, **values}) if at == n else entry for at, entry in enumerate(entries)]


@pytest.fixture(params=["at the table", "at screens", "mixed"])
def duel(request: pytest.FixtureRequest) -> list[Entry]:
    sources = {
        "at the table": (AT_TABLE,) * 3,
        "at screens": (AT_SCREEN,) * 3,
        "mixed": (AT_SCREEN, AT_TABLE, AT_TABLE),
    }
    return driven("dilemma", seats(*sources[request.param]), MOVES, until=5).entries()


def refused(entries: list[Entry], n: int, why: str) -> None:
    """The audit names the entry that stood at ``n``."""
    with pytest.raises(AuditError, match=f"entry {entries[n].n}: .*({why})"):
        audit(entries)


def test_a_true_game_is_run_again(duel: list[Entry]) -> None:
    report = audit(duel)
    assert (report.games, report.choices, report.unchecked) == (1, 2, [])


def test_a_move_that_contradicts_the_openings(duel: list[Entry]) -> None:
    n = at(duel, "move", text="p1 duel conflict")
    refused(changed(duel, n, text="p1 duel peace"), n, "p1 duel conflict should stand there")


def test_a_duel_without_locks(duel: list[Entry]) -> None:
    events = (replies.LOCKED, replies.OPENED)
    entries = [entry for entry in duel if entry.body.get("event") not in events]
    refused(entries, at(entries, "move", text="p1 duel conflict"), "does not follow")


def test_a_duel_cut_into_two_questions(duel: list[Entry]) -> None:
    """So that one place opens before the other is bound."""
    n = at(duel, "ask", what="duel")
    refused(changed(duel, n, seats=[1]), n, "should stand there")


def test_an_opening_before_all_are_bound(duel: list[Entry]) -> None:
    locks = [n for n, entry in enumerate(duel) if entry.body.get("event") == replies.LOCKED]
    opening = next(n for n, entry in enumerate(duel) if entry.body.get("event") == replies.OPENED)
    entries = duel.copy()
    entries.insert(opening, entries.pop(locks[-1]))
    with pytest.raises(AuditError, match="not bound yet"):
        audit(entries)


@pytest.mark.parametrize("change", [{"choice": 0}, {"nonce": "00" * 16}])
def test_an_opening_that_is_not_what_was_bound(duel: list[Entry], change: dict[str, Any]) -> None:
    n = next(n for n, entry in enumerate(duel) if entry.body.get("event") == replies.OPENED and entry.body["choice"])
    with pytest.raises(AuditError, match=f"entry {duel[n].n}: a false opening"):
        audit(changed(duel, n, **change))


@pytest.mark.parametrize("source", [AT_TABLE, AT_SCREEN])
def test_a_choice_handed_in_by_another_seat(source: str) -> None:
    """The preimage names the seat."""
    duel = driven("dilemma", seats(*(source,) * 3), MOVES, until=5).entries()
    opened = [n for n, entry in enumerate(duel) if entry.body.get("event") == replies.OPENED]
    who = "place" if "place" in duel[opened[0]].body else "seat"
    one, two = (duel[n].body[who] for n in opened)
    locked = [n for n, entry in enumerate(duel) if entry.body.get("event") == replies.LOCKED]
    entries = duel
    for n in (*opened, *locked):
        entries = changed(entries, n, **{who: two if duel[n].body[who] == one else one})
    with pytest.raises(AuditError, match="a false opening"):
        audit(entries)


def test_an_event_of_another_table() -> None:
    duel = driven("dilemma", seats(*(AT_TABLE,) * 3), MOVES, until=5).entries()
    n = [n for n, entry in enumerate(duel) if entry.boot][-1]
    entries = [replace(entry, boot="dd" * 8) if at == n else entry for at, entry in enumerate(duel)]
    refused(entries, n, "another table")


def test_an_entry_from_another_log(duel: list[Entry]) -> None:
    """What was locked in a game at another table, grafted with its opening."""
    nonce = bytes(16)
    for n, entry in enumerate(duel):
        if entry.body.get("event") == replies.LOCKED:
            seat: int = entry.body.get("seat") or entry.body["place"]
            foreign = wire.commitment(bytes(8), bytes(8), entry.body["id"], seat, seat, nonce, 0)
            grafted = changed(duel, n, commitment=foreign.hex())
            break
    n = next(
        n
        for n, e in enumerate(duel)
        if e.body.get("event") == replies.OPENED and e.body.get("seat", e.body.get("place")) == seat
    )
    with pytest.raises(AuditError, match=f"entry {duel[n].n}: a false opening"):
        audit(changed(grafted, n, nonce=nonce.hex(), choice=0))


def test_a_correction_is_run_again() -> None:
    """And what follows from it cannot be bent."""
    seated = [Seat(name, 0, AT_SCREEN) for name in "AB"]
    driver = driven("d21", seated, until=3)
    other = Position(driver.session.position.rules).legal_moves[-1]
    body = {"at": 1, "move": str(other), "seat": 2}
    driver.feed("correction", body)
    driver.step()
    entries = driver.entries()
    assert audit(entries).games == 1
    takeback, moved = at(entries, "takeback"), at(entries, "move", by="correction")
    refused(changed(entries, takeback, to=1), takeback, "should stand there")
    assert entries[takeback].body["agreed"] == [1]
    refused(changed(entries, takeback, agreed=[]), takeback, "should stand there")
    refused(changed(entries, moved, text="p1 pass"), moved, "should stand there")
    refused(changed(entries, moved, by="screen"), moved, "should stand there")
    n = at(entries, "correction")
    with pytest.raises(AuditError, match=f"entry {entries[n + 1].n}: a ask that does not follow"):
        audit(entries[:n] + entries[n + 1 :])  # nobody said so
    with pytest.raises(AuditError, match=f"entry {entries[n].n}: there is no move 9"):
        audit(changed(entries, n, at=9))


def test_a_question_grafted_from_another_log(duel: list[Entry]) -> None:
    """A whole one, sound in itself: asked, locked, opened."""
    n, last = at(duel, "ask", what="duel"), next(n for n, e in enumerate(duel) if e.body.get("event") == replies.OPENED)
    grafted = [replace(entry, body={**entry.body, "id": 999}) for entry in duel[n : last + 1]]
    with pytest.raises(AuditError, match=f"entry {duel[n].n}: a ask that does not follow"):
        audit([*duel, *grafted])


@pytest.mark.parametrize("game", ["struggle", "roudalon", "dicke-daemonen"])
def test_chance_that_no_source_gave(game: str) -> None:
    count = 4 if game == "roudalon" else 2
    seated = [Seat("ABCD"[n], 0, AT_SCREEN) for n in range(count)]
    entries = driven(game, seated, until=12).entries()
    assert audit(entries).games == 1
    n = max(n for n, entry in enumerate(entries) if entry.kind == "move" and entry.body["by"] == "host")
    settled: dict[str, Any] = next((entry.body["options"] for entry in entries if entry.kind == "begins"), {})
    before = Position(rules_of(game, count, settled))
    for entry in entries[:n]:
        if entry.kind == "move":
            before.parse_push(entry.body["text"])
    other = next(str(move) for move, _ in before.rules.chance(before.state) if str(move) != entries[n].body["text"])
    refused(changed(entries, n, text=other), n, "should stand there")
    seed = at(entries, "seed")
    with pytest.raises(AuditError, match="should stand there"):
        audit(changed(entries, seed, **seed_of(entries[1].body, "00" * 32)[1]))
    with pytest.raises(AuditError, match="a second seed"):
        audit([*entries[: seed + 1], *entries[seed:]])


def test_a_screen_does_not_speak_for_the_table() -> None:
    entries = driven("dilemma", seats(AT_SCREEN, AT_TABLE, AT_TABLE), MOVES, until=1).entries()
    entries.append(Entry(len(entries) + 1, 1, AT, "reply", {"event": "closed", "id": 2, "seat": 1}, ""))
    with pytest.raises(AuditError, match="is of no known kind: 'reply' 'closed'"):
        audit(entries)


@pytest.mark.parametrize("alike", [float, lambda number: number == 1])
def test_a_question_is_not_only_equal_but_written_alike(duel: list[Entry], alike: Callable[[int], Any]) -> None:
    """``1.0`` and ``true`` equal ``1``."""
    n = at(duel, "ask", seats=[1])
    for values in ({"seats": [alike(1)]}, {"id": float(duel[n].body["id"])}):
        with pytest.raises(AuditError, match=f"entry {n + 1} is not what this program writes"):
            audit(changed(duel, n, **values))


def test_practice_is_for_one_person(duel: list[Entry]) -> None:
    n = at(duel, "game")
    refused(changed(duel, n, practice=True), n, "is not practice")


def test_a_cut_tail_is_missed_when_a_head_is_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import shutil
    import sqlite3

    path = tmp_path / "log.db"
    with Log.open(path) as log:
        begin(log, "d21", {}, [Seat(name, 0, AT_SCREEN) for name in "AB"])
        head = log.head
        killed = tmp_path / "killed.db"  # its last transaction is in the -wal alone, and cut out of it
        shutil.copy(path, killed)
        written = Path(f"{path}-wal").read_bytes()
        Path(f"{killed}-wal").write_bytes(written[: -(4096 + 24)])
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM entry WHERE n = (SELECT max(n) FROM entry)")
    for cut in (path, killed):
        assert main(["log", "verify", "--log", str(cut)]) == 0
        assert main(["log", "verify", "--log", str(cut), "--head", head]) == 1
        assert "no entry has the head" in capsys.readouterr().err


def test_a_secret_is_not_found_by_trying_all_between_two_heads(tmp_path: Path) -> None:
    """The entry that holds it is salted."""
    with Log.open(tmp_path / "log.db") as log:
        running = Conductor(log, begin(log, "struggle", {}, [Seat(name, 0, AT_SCREEN) for name in "AB"]), LifeClock())
        running.start()
        entries = list(log.checked(0, log.last_entry))
    n = at(entries, "move", by="host")
    before, dealt = entries[n - 1], entries[n]
    rules = rules_of("struggle", 2)

    def hashed(body: dict[str, Any]) -> str:
        row = Row(dealt.n, dealt.game, dealt.at, dealt.kind, canonical(body), dealt.boot, dealt.number)
        return link(bytes.fromhex(before.hash), row).hex()

    assert hashed(dealt.body) == dealt.hash
    guesses = [{"text": str(move), "by": "host"} for move, _ in rules.chance(rules.initial())]
    assert dealt.body["text"] in [guess["text"] for guess in guesses]
    assert dealt.hash not in map(hashed, guesses)


@pytest.mark.parametrize(("game", "source"), [("dicke-daemonen", AT_TABLE), ("d21", AT_SCREEN)])
def test_a_salt_stands_where_something_is_secret_and_nowhere_else(
    game: str, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(D21, "secret", lambda rules, before, move, now: move.actor == 1)
    entries = driven(game, seats(source, source), until=12).entries()
    assert audit(entries).games == 1
    said = [n for n, entry in enumerate(entries) if entry.body.get("event") in (replies.PLAYED, replies.PICKED)]
    hidden = [n for n in said if "salt" in entries[n].body]
    assert len({entries[n].body["salt"] for n in hidden}) == len(hidden) > 1
    for n in hidden:
        bare = {key: value for key, value in entries[n].body.items() if key != "salt"}
        refused([*entries[:n], replace(entries[n], body=bare), *entries[n + 1 :]], n, "a secret without a salt")
    for n in set(said) - set(hidden):
        refused(changed(entries, n, salt="00" * 16), n, "a salt without a secret")
    assert set(said) > set(hidden)


def test_what_is_secret_in_a_fault_has_a_salt() -> None:
    driver = driven("dicke-daemonen", seats(AT_TABLE, AT_TABLE), seed=3)
    session = driver.session
    driver.play(lambda session: isinstance(session.question, Menu) and session.question.secret)
    assert isinstance(session.question, Menu)
    (seat,) = session.question.seats
    picked = replies.pick(len(session.question.options), id=session.id, place=seat)
    with pytest.raises(Declined) as declined:
        session.feed("table", picked)
    fault = {"what": replies.PICKED, "event": whole("table", picked), "why": declined.value.text.to_json()}
    driver.feed("fault", fault)
    entries = driver.entries()
    assert audit(entries).games == 1
    n = at(entries, "fault")
    refused(changed(entries, n, event=fault["event"]), n, "a secret without a salt")


# -- what came in and cannot be ---------------------------------------------------------------------------------------


def inserted(entries: list[Entry], n: int, *items: tuple[str, dict[str, Any]]) -> list[Entry]:
    """Return the log with entries of its game before the one at ``n``."""
    more = [Entry(0, 1, AT, kind, body, "") for kind, body in items]
    return [replace(entry, n=at) for at, entry in enumerate([*entries[:n], *more, *entries[n:]], 1)]


@pytest.mark.parametrize("where", ["late", "last", "absent"])
def test_the_seed_stands_before_all_that_could_depend_on_it(duel: list[Entry], where: str) -> None:
    n = at(duel, "seed")
    rest = [*duel[:n], *duel[n + 1 :]]
    entries = {"late": [*rest[: n + 4], duel[n], *rest[n + 4 :]], "last": [*rest, duel[n]], "absent": rest}[where]
    with pytest.raises(AuditError, match="seed must stand before all"):
        audit(entries)


def test_a_session_without_a_seed_does_not_begin() -> None:
    session = session_of(rules_of("d21", 2), seats(AT_SCREEN, AT_SCREEN))
    with pytest.raises(Declined, match="seed must stand before all"):
        session.begin()


def test_another_boot_within_a_question_without_a_gap() -> None:
    duel = driven("dilemma", seats(*(AT_TABLE,) * 3), MOVES, until=3).entries()
    hello = {"event": "hello", "board": BOARD, "boot": "ee" * 8, "version": "driven"}
    with pytest.raises(AuditError, match="a gap should follow, and the log ends"):
        audit(inserted(duel, len(duel), ("table", hello)))
    n = at(duel, "table", event=replies.ANSWERED)
    with pytest.raises(AuditError, match=r"a gap must come first|does not follow"):
        audit(inserted(duel, n, ("table", hello)))
    gap = {"boot": "dd" * 8, "after": 0, "lost": 0}
    with pytest.raises(AuditError, match="which the table has not left"):
        audit(inserted(duel, len(duel), ("gap", gap)))


@pytest.mark.parametrize(
    ("sources", "until", "restarted", "why"),
    [
        (
            (AT_SCREEN, AT_TABLE, AT_TABLE),
            0,
            ("table", {"event": "hello", "board": BOARD, "boot": "ee" * 8, "version": "driven"}),
            "a gap must come first, not a reply",
        ),
        ((AT_SCREEN,) * 3, 3, ("run", {"run": "ee" * 8}), "a void must come first, not a commitment"),
    ],
    ids=["the table", "the host"],
)
def test_after_a_restart_no_screen_replies_before_it_is_noted_what_was_lost(
    sources: tuple[str, ...], until: int, restarted: Item, why: str
) -> None:
    driver = driven("dilemma", seats(*sources), MOVES, until=until)
    driver.session.feed(*restarted)
    with pytest.raises(Declined, match=why):
        driver.step()


@pytest.mark.parametrize("off", [-1, 1])
def test_a_gap_is_after_the_last_event_that_is_logged(off: int) -> None:
    driver = driven("dilemma", seats(*(AT_TABLE,) * 3), MOVES, until=3)
    driver.reset("ee" * 8)
    entries = driver.entries()
    n = at(entries, "gap")
    assert audit(entries).games == 1
    with pytest.raises(AuditError, match="whose last one is"):
        audit(changed(entries, n, after=entries[n].body["after"] + off))


@pytest.mark.parametrize(
    ("kind", "body", "why"),
    [
        ("note", {"kind": "judge", "text": "Nobody threw.", "args": {}}, "does not follow"),
        ("note", {"kind": "bot", "text": "the bot hangs", "args": {}}, "kind is 'bot'"),
        (
            "sits",
            {"seat": 1, "source": "random", "by": 0, "why": {"text": "hangs", "args": {}}},
            "no bot has this seat",
        ),
        ("sits", {"seat": 4, "source": "random", "by": 0}, "no seat 4"),
        ("dispute", {"at": 1, "text": "No.", "seat": 99}, "seat is 99"),
        ("dispute", {"at": 1, "text": "No.", "seat": 5}, "there is no seat 5"),
        ("dispute", {"at": 99, "text": "No.", "seat": 1}, "there is no move 99"),
        ("correction", {"at": 1, "move": "offer 8", "seat": 6}, "there is no seat 6"),
        ("request", {"to": 0, "seat": 5}, "there is no seat 5"),
        ("void", {"id": 1, "why": "so"}, "no open choice or roll"),
        ("aborted", {"id": 1}, "does not follow"),
        ("move", {"text": "p1 offer 9", "by": "screen"}, "does not follow"),
    ],
)
def test_an_entry_that_nothing_has_caused(kind: str, body: dict[str, Any], why: str) -> None:
    entries = driven("dilemma", seats(*(AT_SCREEN,) * 3), MOVES, until=3).entries()
    forged = inserted(entries, len(entries), (kind, body))
    with pytest.raises(AuditError, match=why):
        audit(forged)


def test_where_people_are_simulated_nobody_practises() -> None:
    seated = [Seat(name, place, AT_TABLE, "greedy") for place, name in enumerate("ABC", 1)]
    driver = driven("dilemma", seated, MOVES, until=3)
    assert audit(driver.entries()).games == 1
    with pytest.raises(AuditError, match="is not practice"):
        audit(driver.entries(practice=True))


@pytest.mark.parametrize(
    "seat",
    [
        {"name": "A", "place": 1, "source": AT_TABLE},
        {"name": "A", "place": 1, "source": AT_SCREEN},
        {"person": "01" * 8, "named": "02" * 32, "place": 1, "source": "greedy"},
        {"person": "01" * 8, "named": "02" * 32, "name": "A", "place": 1, "source": AT_TABLE},
        {"person": "01" * 8, "place": 1, "source": AT_TABLE},
    ],
)
def test_a_person_is_named_by_id_and_nobody_else_is(seat: dict[str, Any], tmp_path: Path) -> None:
    """A name in an entry could never be changed or forgotten. Such a game is not resumed either."""
    seated = [{"name": "B", "place": 2, "source": "greedy"}, {"name": "C", "place": 3, "source": "greedy"}]
    head = {**heading("dilemma", {}, seats("greedy", "greedy", "greedy")), "seats": [seat, *seated]}
    with Log.open(tmp_path / "log.db") as log:
        game = log.begin_game(items=[(None, *seed_of(head, "00" * 32))], **head)
        with pytest.raises(AuditError, match="the seat of a person \\(person, named, place, source\\)"):
            audit(log.entries())
        if ("name" in seat) != ("named" in seat):  # else its log cannot be read at all
            with pytest.raises(LogError, match="the seat of a person"):
                Conductor(log, game, LifeClock())


def test_an_honest_table_is_not_accused_of_a_fault(duel: list[Entry]) -> None:
    """What is logged as a fault must be one, and the one that is logged."""
    n = next((n for n, it in enumerate(duel) if it.kind == "table" and it.body["event"] == replies.LOCKED), None)
    if n is None:
        return  # all are at screens
    fault = {"what": replies.LOCKED, "why": {"text": "a false opening", "args": {}}, "event": duel[n].body}
    forged = [replace(it, kind="fault", body=fault) if at == n else it for at, it in enumerate(duel)]
    with pytest.raises(AuditError, match="is not the fault that is logged"):
        audit(forged)


def test_an_evening_that_cannot_be_is_named_and_the_others_stand(tmp_path: Path) -> None:
    entries = in_evenings(tmp_path)
    assert audit(entries).games == 6
    person = entries[at(entries, "went")].body["person"]
    came, went, closed = (at(entries, kind) for kind in ("came", "went", "closed"))
    two = at(entries, "evening", evening=2)
    series, later = at(entries, "series", evening=1), at(entries, "series", evening=2)
    games = [n for n, entry in enumerate(entries) if entry.kind == "game"]
    for n, values, named, why, fall in (
        (two, {"evening": 7}, two, "cannot follow: evening 7 is not the next one", [4, 6]),
        (came, {"place": 4}, came + 1, "cannot follow: somebody else sits at place 4", [1, 2, 5]),
        (went, {"evening": 2}, games[5], "cannot follow: somebody who is to play is not there", [6]),
        (went, {"person": person[::-1]}, went, "cannot follow: somebody is named who is not there", []),
        (series, {"games": ["struggle"]}, games[1], "cannot follow: struggle is due in series 1, not d21", [2, 5]),
        (series, {"count": 1}, games[4], "cannot follow: series 1 is not running", [5]),
        (series, {"wins": 1}, series, "cannot follow: a series has either wins or count", [2, 5]),
        (later, {"series": 4}, later, "cannot follow: series 4 is not the next one", [6]),
        (closed, {"evening": 9}, closed, "cannot follow: evening 9 has not begun", []),
    ):
        report = examine(changed(entries, n, **values))
        assert [game.game for game in report.by_game if game.problem] == fall, values
        assert any(str(wrong).startswith(f"entry {entries[named].n} {why}") for wrong in report.wrong), report.wrong


def test_nothing_is_logged_of_an_evening_after_its_end(tmp_path: Path) -> None:
    entries = in_evenings(tmp_path)
    for late in ("came", "went", "series", "closed"):
        again = entries[at(entries, late, evening=1)]
        report = examine([*entries, replace(again, n=len(entries) + 1)])
        assert [str(wrong) for wrong in report.wrong] in (
            [f"entry {len(entries) + 1} cannot follow: evening 1 is over"],
            [f"entry {len(entries) + 1} cannot follow: series 1 is not the next one"],
        ), late
