"""Seats whose source changes in a running game: a person leaves, a bot decides, the person comes back."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from driving import FLAT, driven
from whole_games import COUNTS, OPTIONS

import replies
from at_screens import NAMES, TO_A_DUEL, HandClock, Screens
from ports import Stopped, connect, console, open_desk, play_at
from sample import sample, thorough
from tablier.course.chance import HOST, TALLY, Sources
from tablier.course.declined import Declined
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.judge.audit import audit
from tablier.judge.redaction import story
from tablier.log.chain import Entry
from tablier.log.store import Log
from tablier.messages import Update
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.play.telling import meanwhile
from tablier.table.client import Client
from tablier.texts import Json, render
from tablier_fw import wire

GAMES = ("dilemma", "roudalon", "struggle", "d21", "dicke-daemonen")


def ask(running: Conductor, seat: int, source: str, *, operator: bool = False) -> None:
    """Have something else decide for a seat. Raise :class:`Declined`."""
    sender = connect(running, operator=True) if operator else console(running)
    sender.obey({"command": "source", "seat": seat, "source": source})


class Away:
    """A hook that has seat 1 left to a bot after some moves, and taken again after some more; then it stops."""

    def __init__(self, bot: str, back: str) -> None:
        self.due = [(3, bot), (12, back)]
        self.refused: list[str] = []
        self.plies: list[int] = []

    def __call__(self, running: Conductor) -> float:
        session = running.session
        if session.over or (not self.due and session.ply > 18):
            raise Stopped
        if self.due and session.ply >= self.due[0][0] and not session.in_prelude:
            try:
                ask(running, 1, self.due[0][1])
            except Declined as error:
                self.refused.append(str(error))
            else:
                self.plies.append(session.ply)
                self.due.pop(0)
        return 0.01


def check(log: Log, bot: str, own: str, plies: Sequence[int]) -> list[Entry]:
    """The log is whole, and says of each move of seat 1 who made it."""
    entries = list(log.entries(1))
    assert audit(log.entries()).games == 1
    assert entries[0].body["practice"] is False
    moves = [entry.body for entry in entries if entry.kind == "move"]
    assert len(plies) == 2
    for ply, move in enumerate(moves):
        if move["text"].startswith("p1 "):
            away = plies[0] <= ply < plies[1]
            assert move["by"] == (bot if away else own), (ply, move)
    assert any(move["by"] == bot for move in moves)
    told = [each.sentences for each in story(log, log.game(1)).told if each.entry.kind == "sits"]
    assert told[0] == ("Anne leaves; a bot takes over.",) and "Anne plays at" in told[1][0]
    return entries


@pytest.mark.parametrize("game", GAMES)
def test_a_person_at_a_screen_leaves_and_comes_back(game: str, tmp_path: Path) -> None:
    seated = [Seat(NAMES[n], 0, AT_SCREEN) for n in range(COUNTS[game])]
    with Log.open(tmp_path / "log.db") as log:
        numbers = tuple(range(1, len(seated) + 1))
        number = begin(log, game, OPTIONS.get(game, {}), seated)
        screens, dice, away = Screens(log, number, HandClock(), numbers), random.Random(5), Away("random", AT_SCREEN)
        with pytest.raises(Stopped):
            while away(screens.running):
                screens.reply_one(
                    lambda some, may_pass: None if may_pass and dice.random() < 0.5 else dice.choice(some)
                )
        screens.running.close()
        check(log, "random", AT_SCREEN, away.plies)
        check_told([screens.seen[seat] for seat in (*numbers, None)])


def check_told(seen: list[list[Update]]) -> None:
    """Whoever comes back is told nothing that it would not have been told had it stayed; the others, nothing of it."""
    told = [[news for update in updates for news in update.news] for updates in seen]
    start = next(n for n, news in enumerate(told[0]) if news.kind == "away")
    texts = [news.text for news in told[0]]
    assert render(texts[start], list(NAMES)).startswith("While you were away ")
    before = [render(text, list(NAMES)) for text in texts[:start]]
    private = [news for news in told[0][start:] if news.turn is None and not news.at]
    heard = [render(news.text, list(NAMES)) for news in private if news.kind not in ("away", "seat")]
    assert heard and set(heard) <= set(before)
    for other in told[1:]:
        changed = [n for n, news in enumerate(other) if news.kind == "seat"][-1]
        assert [news.kind for news in other[changed:] if not news.at] == ["seat"]


@pytest.mark.parametrize("game", ["struggle", "dicke-daemonen"])
def test_who_comes_back_is_told_nothing_that_was_told_to_another_seat_alone(game: str) -> None:
    options: dict[str, Any] = OPTIONS.get(game, {})
    driver = driven(game, [Seat(NAMES[n], 0, AT_SCREEN) for n in range(COUNTS[game])], until=12, **options)
    position, others = driver.session.position, set[str]()
    earlier = position.copy()
    events = []
    while earlier.ply:
        events += earlier.last_events()
        earlier.pop()
    for seat in range(1, COUNTS[game] + 1):
        mine = {str(event.text) for event in events if seat in (event.audience or (seat,))}
        told = [str(note.text) for note in meanwhile(seat, position.copy(), 0, at_table=False) if note.kind != "away"]
        assert told and set(told) <= mine
        others |= {str(event.text) for event in events} - mine
    assert others, "nothing was told to one alone"


@thorough
@pytest.mark.parametrize("game", sample(["dilemma"], list(GAMES)))
def test_a_person_leaves_a_simulated_table_and_comes_back(game: str, tmp_path: Path) -> None:
    seated = [Seat(NAMES[n], n + 1, AT_TABLE, "random") for n in range(COUNTS[game])]
    for attempt in range(20):  # the table's dice end some games of Le Roudalon before
        away = Away("greedy" if game == "dilemma" else "random", AT_TABLE)
        with Log.open(tmp_path / f"{attempt}.db") as log:
            number = begin(log, game, OPTIONS.get(game, {}), seated)
            with open_desk(seated, virtual=True, seed=3) as desk, suppress(Stopped):
                play_at(desk, log, number, hook=away)
            if not away.due:
                check(log, away_bot(away, log), AT_TABLE, away.plies)
                return
    pytest.fail("no game has lasted until the person came back")


def away_bot(away: Away, log: Log) -> str:
    return str(next(entry.body["source"] for entry in log.entries(1) if entry.kind == "sits"))


@pytest.mark.parametrize("killed_at", range(2))
def test_a_host_that_is_killed_in_between_knows_who_decides(killed_at: int, tmp_path: Path) -> None:
    """``killed_at``: while the bot decides, or after the person came back."""
    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "d21", {}, [Seat(name, 0, AT_SCREEN) for name in ("Anne", "Bernard")])
        first = Screens(log, game, HandClock(), (1, 2))
        ask(first.running, 1, "random")
        while first.running.session.ply < 3:
            first.running.work()
            first.running.clock.wait(1.0, None)
            if 2 in first.running.session.open.waiting:
                first.play_first()
        if killed_at:
            ask(first.running, 1, AT_SCREEN)
        first.running.close()  # which logs nothing
        again = Screens(log, game, HandClock(), (1, 2))
        assert again.running.session.source_of(1) == (AT_SCREEN if killed_at else "random")
        if not killed_at:
            with pytest.raises(Declined, match="a bot replies for this seat"):
                again.running.reply(_reply(again))
            ask(again.running, 1, AT_SCREEN)
            (told,) = [each for each in again.latest[1].news if each.kind == "away"][:1]
            assert render(told.text, ["Anne", "Bernard"]).startswith("While you were away ")
        again.play_first()
        again.running.close()
        assert audit(log.entries()).games == 1


def _reply(screens: Screens) -> Any:
    from tablier.play.requests import reply_of

    return reply_of(replies.play("pass", id=screens.running.session.id, seat=1))


def test_a_duel_refuses_a_change_until_it_has_opened(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        seated = [Seat(NAMES[n], 0, AT_SCREEN) for n in range(3)]
        screens = Screens(log, begin(log, "dilemma", {}, seated, seed=FLAT), HandClock(), (1, 2, 3))
        screens.play(*TO_A_DUEL)
        running = screens.running
        for seat in (1, 2):
            with pytest.raises(Declined, match="secret choice is open in which"):
                ask(running, seat, "random")
        ask(running, 3, "random")  # which has no part in it
        screens.lock(1, 0)
        with pytest.raises(Declined, match="secret choice is open"):  # only the screen that has bound it can open it
            ask(running, 1, AT_SCREEN, operator=True)
        ask(running, 2, AT_SCREEN, operator=True)
        screens.lock(2, 0)
        screens.open(1)
        screens.open(2)
        ask(running, 1, "random")
        running.close()
        assert audit(log.entries()).games == 1


REFUSED: dict[str, tuple[Json, str, str]] = {
    "no table": ({}, AT_TABLE, "without a table"),
    "no such bot": ({}, "genius", "cannot decide for a seat; allowed: table, screen,"),
    "a long name of none": ({}, "bot" * 1000, "cannot decide for a seat; allowed: table, screen,"),
    "the same": ({}, AT_SCREEN, "screen decides for Anne already"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_cannot_be_is_refused_with_a_text_and_changes_nothing(why: str, tmp_path: Path) -> None:
    options, source, text = REFUSED[why]
    with Log.open(tmp_path / "log.db") as log:
        game = begin(log, "d21", options, [Seat(name, 0, AT_SCREEN) for name in ("Anne", "Bernard")])
        screens = Screens(log, game, HandClock(), (1, 2))
        head = log.head
        with pytest.raises(Declined) as error:
            ask(screens.running, 1, source)
        said = render(error.value.text.to_json(), ["Anne", "Bernard"])
        assert text in said and len(said) < 300
        assert log.head == head
        screens.running.close()


def test_nobody_joins_a_game_of_practice(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        seated = [Seat("Anne", 0, AT_SCREEN), Seat("Bernard", 0, "random")]
        screens = Screens(log, begin(log, "d21", {}, seated, practice=True), HandClock(), (1,))
        with pytest.raises(Declined, match="practice"):
            ask(screens.running, 2, AT_SCREEN, operator=True)
        ask(screens.running, 2, "greedy", operator=True)
        ask(screens.running, 1, "random")
        ask(screens.running, 2, AT_SCREEN, operator=True)  # one person, as before
        assert screens.running.session.practice
        screens.running.close()
        assert audit(log.entries()).games == 1


def at_a_table(
    path: Path, game: str, sources: Sources, hook: Callable[[Conductor], float], options: Json | None = None
) -> None:
    with Log.open(path / "log.db") as log:
        seated = [Seat(NAMES[n], n + 1, AT_TABLE, "random") for n in range(COUNTS[game])]
        number = begin(log, game, options or {}, seated, sources=sources)
        with open_desk(seated, virtual=True, seed=3) as desk, pytest.raises(Stopped):
            play_at(desk, log, number, hook=hook)
        assert audit(log.entries()).games == 1


def test_who_draws_from_a_bag_by_hand_cannot_leave_the_table(tmp_path: Path) -> None:
    def leave(running: Conductor) -> float:
        with pytest.raises(Declined, match="draws by hand"):
            ask(running, 1, "random")
        raise Stopped

    at_a_table(tmp_path, "dicke-daemonen", Sources((TALLY,) * 3, TALLY), leave)


@thorough
def test_the_host_throws_the_dice_of_who_has_left_with_dice_of_their_own(tmp_path: Path) -> None:
    left: list[int] = []

    def leave(running: Conductor) -> float:
        session = running.session
        if not left and not session.in_prelude and session.ply >= 2:
            ask(running, 1, "random")
            assert session.sources.dice == (HOST, TALLY) and session.question is not None
            left.append(session.ply)
        if session.ply > 14:
            raise Stopped
        return 0.01

    at_a_table(tmp_path, "struggle", Sources((TALLY, TALLY)), leave)
    with Log.read(tmp_path / "log.db") as log:
        moves = [entry.body for entry in log.entries(1) if entry.kind == "move"]
        assert {move["by"] for move in moves[left[0] :] if move["text"].startswith("table roll")} == {HOST, TALLY}


@thorough
def test_everybody_leaves_the_table_and_one_comes_back(tmp_path: Path) -> None:
    plies: list[int] = []

    def leave(running: Conductor) -> float:
        session = running.session
        if not plies and session.ply >= 1:
            for seat in (1, 2):
                ask(running, seat, "random")
            assert not session.conditions.arena and not running.looked_at
            ask(running, 2, AT_TABLE)
            plies.append(session.ply)
        elif plies and session.ply > plies[0] + 4:
            raise Stopped
        return 0.01

    at_a_table(tmp_path, "d21", Sources(), leave)


@thorough
def test_a_host_that_ends_when_somebody_has_left_the_table_asks_the_bot(tmp_path: Path) -> None:
    """The question that was asked anew is the open one of the next run."""
    left: list[int] = []

    def leave(running: Conductor) -> float:
        if running.session.ply >= 4 and running.session.open.waiting == (1,):
            ask(running, 1, "random")
            left.append(running.session.ply)
            raise Stopped
        return 0.01

    def go_on(running: Conductor) -> float:
        if running.session.ply > left[0] + 3:
            raise Stopped
        return 0.01

    seated = [Seat(NAMES[n], n + 1, AT_TABLE, "random") for n in range(2)]
    with Log.open(tmp_path / "log.db") as log:
        number = begin(log, "d21", {}, seated)
        for seed, hook in ((3, leave), (4, go_on)):  # each table is another one
            with open_desk(seated, virtual=True, seed=seed) as desk, pytest.raises(Stopped):
                play_at(desk, log, number, hook=hook)
        assert audit(log.entries()).games == 1


def test_the_hood_of_who_has_left_is_dark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anybody may press a button there, and see what the bot holds."""
    hood: list[bytes] = []
    want = Client.want

    def watch(client: Client, message: wire.Message, *values: Any) -> None:
        if message is wire.SCENE and values[0] == wire.HOOD:
            hood.append(values[1])
        want(client, message, *values)

    def leave(running: Conductor) -> float:
        if running.session.in_prelude or running.session.ply < 6:
            return 0.01
        assert any(hood[-1])
        ask(running, 1, "random")
        assert not any(hood[-1])
        raise Stopped

    monkeypatch.setattr(Client, "want", watch)
    at_a_table(tmp_path, "struggle", Sources(), leave)


def test_cards_that_lie_in_the_arena_are_claimed_first(tmp_path: Path) -> None:
    """Else nobody could claim those of whoever leaves."""
    refused: list[str] = []

    def leave(running: Conductor) -> float:
        entries = [entry.body.get("event") for entry in running.log.entries(1) if entry.kind == "table"]
        if "landed" not in entries:
            return 0.01
        seat = next(n for n in (1, 2, 3) if n != running.session.position.state.turn)
        with pytest.raises(Declined, match="cards lie in the arena"):
            ask(running, seat, "random")
        refused.append("so")
        raise Stopped

    at_a_table(tmp_path, "dilemma", Sources(), leave)
    assert refused


def test_a_person_goes_from_the_table_to_a_screen_and_back(tmp_path: Path) -> None:
    """The open turn is asked anew: by menus at the table, as a whole at a screen."""
    seated = [Seat("Anne", 1, AT_TABLE, "random"), Seat("Bernard", 2, "random")]
    dice = random.Random(1)
    kinds: set[str] = set()

    def hook(running: Conductor) -> float:
        session = running.session
        if session.ply == 4 and session.source_of(1) == AT_TABLE and 1 in session.open.waiting:
            ask(running, 1, AT_SCREEN)
            assert session.question is not None and session.question.kind == "turn"
        if session.source_of(1) == AT_SCREEN and 1 in session.open.waiting:
            kinds.add(session.question.kind)  # type: ignore[union-attr]
            move = dice.choice(session.position.legal_moves)
            console(running).reply(replies.play(str(move).split(" ", 1)[1], id=session.id, seat=1))
        if session.ply >= 10 and session.source_of(1) == AT_SCREEN:
            ask(running, 1, AT_TABLE)
        if session.ply > 16:
            raise Stopped
        return 0.01

    with Log.open(tmp_path / "log.db") as log:
        number = begin(log, "d21", {}, seated)
        with open_desk(seated, virtual=True, seed=3) as desk, pytest.raises(Stopped):
            play_at(desk, log, number, hook=hook)
        assert audit(log.entries()).games == 1
        by = [entry.body["by"] for entry in log.entries(1) if entry.kind == "move"]
    assert kinds == {"turn"} and by.index(AT_SCREEN) == 4 and by[-2:].count(AT_TABLE) == 1
