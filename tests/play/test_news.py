"""The news follow from the log: a resumed game tells the same, by the same numbers."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from whole_games import COUNTS, OPTIONS

import replies
from at_screens import NAMES, HandClock, Screens, at_screens
from ports import Stopped, open_desk, play_at
from sample import sample, thorough
from tablier import messages
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.judge.audit import audit
from tablier.log.store import Log
from tablier.play.audience import Watcher
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.play.views import Heard, News
from tablier.texts import Text

GAMES = sorted(COUNTS)


def numbered(screens: Screens, viewer: int | None) -> list[messages.News]:
    """Return the news of a viewer that have numbers."""
    return [news for update in screens.seen[viewer] for news in update.news if news.n is not None]


def disturb(screens: Screens, dice: random.Random, count: int) -> None:
    """Have somebody want something else than to play, as far as it is allowed now."""
    seat, ply = dice.randrange(1, count + 1), screens.running.session.ply
    position = screens.running.session.position.copy()
    wanted: list[dict[str, Any]] = [
        {"command": "back", "seat": seat},
        {"command": "dispute", "seat": seat, "at": None, "text": "It touched the rim."},
        {"command": "pause", "seat": seat},
        {"command": "call", "seat": seat},
        {"command": "mistake", "seat": seat},
        {"command": "source", "seat": seat, "source": dice.choice(("random", AT_SCREEN, AT_SCREEN))},
        {"command": "back", "seat": seat, "count": 99},
    ]
    if ply and not screens.running.session.in_prelude:
        position.pop()
        move = dice.choice(position.legal_moves)
        wanted += [{"command": "correct", "seat": seat, "at": None, "move": str(move)}] * 3
    screens.send(dice.choice(wanted))


def agree(screens: Screens, dice: random.Random) -> None:
    """Have whoever is asked beside the game say yes or pick anything; else have somebody move."""
    question = screens.running.session.question
    for seat in question.seats if question else ():
        asked = screens.latest[seat].question
        if isinstance(asked, messages.Poll | messages.Menu) and asked.mine and asked.mine.waits:
            if isinstance(asked, messages.Poll):
                screens.say(seat, replies.answer(dice.random() < 0.8))
            else:
                screens.say(seat, replies.pick(dice.randrange(len(asked.options))))
            return
    screens.reply_one(lambda some, may_pass: None if may_pass and dice.random() < 0.5 else dice.choice(some))


def test_news_say_whether_a_spectator_is_told_them() -> None:
    news = News()
    for audience in (None, (1,), (1, 2), (1, None)):
        news.say("said", Text("said"), audience)
    assert [each.own for each in news.since(1, Heard(0, 0))] == [False, True, True, False]
    assert [each.own for each in news.since(None, Heard(0, 0))] == [False, False]


@pytest.mark.parametrize("seed", range(sample(1, 40)))
@pytest.mark.parametrize("game", GAMES)
def test_who_resumes_a_game_is_told_the_same(game: str, seed: int, tmp_path: Path) -> None:
    dice, count = random.Random(seed), COUNTS[game]
    viewers = (*range(1, count + 1), None)
    kinds = Counter[str]()
    with Log.open(tmp_path / "log.db") as log:
        number = begin(log, game, OPTIONS.get(game, {}), at_screens(count), seed=f"{seed + 1:064x}")
        before: dict[int | None, list[messages.News]] = {viewer: [] for viewer in viewers}
        for _ in range(5):
            screens = Screens(log, number, HandClock(), viewers[:-1], dice=random.Random(seed))
            for viewer in viewers:
                told = numbered(screens, viewer)
                assert told[: len(before[viewer])] == before[viewer]
                since = len(before[viewer]) // 2
                late: list[Any] = []
                screens.running.welcome(Watcher((viewer,), late.append, since=(since,)))
                assert [news for news in late[0].updates[0].news if news.n is not None] == told[since:]
            for _ in range(14):
                if screens.running.over:
                    break
                (disturb(screens, dice, count) if dice.random() < 0.25 else agree(screens, dice))
            screens.running.close()
            for viewer in viewers:
                before[viewer] = numbered(screens, viewer)
                assert [news.n for news in before[viewer]] == list(range(1, len(before[viewer]) + 1))
                kinds.update(news.kind for news in before[viewer])
        assert audit(log.entries()).games == 1
    assert len(kinds) > 2


class Stop:
    """A hook that stops a game after so many moves, and keeps what was told."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.told: list[Any] = []
        self.stray = 0

    def __call__(self, running: Conductor) -> float:
        news = running._audience.news
        self.told, self.stray = [told for told in news.all if told.logged], sum(not told.logged for told in news.all)
        if running.over or running.session.ply >= self.most:
            raise Stopped
        return 0.01


@thorough
@pytest.mark.parametrize("game", GAMES)
def test_who_resumes_a_game_at_a_table_is_told_the_same(game: str, tmp_path: Path) -> None:
    """At another table each time, which was unplugged from the last one."""
    seated = [Seat(NAMES[n], n + 1, AT_TABLE, "random") for n in range(COUNTS[game])]
    before: list[Any] = []
    with Log.open(tmp_path / "log.db") as log:
        number = begin(log, game, OPTIONS.get(game, {}), seated)
        for seed, most in enumerate((3, 6, 6)):
            with open_desk(seated, virtual=True, seed=seed) as desk, pytest.raises(Stopped):
                play_at(desk, log, number, hook=(stop := Stop(most)))
            assert stop.told[: len(before)] == before and len(stop.told) >= most - 1
            before = stop.told


def test_players_are_told_that_a_table_is_silent_though_its_port_is_open(tmp_path: Path) -> None:
    """And that it answers again: each once."""
    told: list[str] = []
    with Log.open(tmp_path / "log.db") as log:
        seated = [Seat(NAMES[n], n + 1, AT_TABLE) for n in range(2)]
        number = begin(log, "d21", {}, seated)
        with open_desk(seated, virtual=True) as desk:

            def hook(running: Conductor) -> float:
                kinds = [told.kind for told in running._audience.news.all]
                kinds = [kind for kind in kinds if kind in ("unplugged", "plugged")]
                if kinds != told:
                    told[:] = kinds
                    if kinds[-1] == "unplugged":
                        desk.hands.say("faults")
                    elif "unplugged" in kinds:
                        raise Stopped
                    else:
                        desk.hands.say("faults drop=1")
                return 0.5

            with pytest.raises(Stopped):
                play_at(desk, log, number, hook=hook)
    assert told == ["plugged", "unplugged", "plugged"]


def test_players_are_told_that_the_table_no_longer_reads_its_buttons(tmp_path: Path) -> None:
    """And that it does again: each once."""
    told: list[str] = []
    with Log.open(tmp_path / "log.db") as log:
        seated = [Seat(NAMES[n], n + 1, AT_TABLE) for n in range(2)]
        number = begin(log, "d21", {}, seated)
        with open_desk(seated, virtual=True) as desk:

            def hook(running: Conductor) -> float:
                texts = [str(it.text) for it in running._audience.news.all]
                texts = [text for text in texts if "buttons" in text]
                if texts != told or not told:
                    told[:] = texts
                    if len(told) == 2:
                        raise Stopped
                    desk.hands.say("mend" if told else "defect sampler")
                return 2.0

            with pytest.raises(Stopped):
                play_at(desk, log, number, hook=hook)
    assert "switch it off and on" in told[0] and told[1] == "The table's buttons answer again."


def test_no_number_tells_what_others_were_told(tmp_path: Path) -> None:
    """Nor does the first number of who is told it when a game is resumed, or knows a part."""
    with Log.open(tmp_path / "log.db") as log:
        number = begin(log, "struggle", {"board": "Y" * 14}, at_screens(2), seed="5e" * 32)
        for _ in range(2):
            screens = Screens(log, number, HandClock(), (1, 2))
            private = [told for told in screens.running._audience.news.all if told.audience is not None]
            assert private
            counts = {viewer: len(numbered(screens, viewer)) for viewer in (1, 2, None)}
            for viewer, count in counts.items():
                hidden = sum(viewer not in (told.audience or ()) for told in private)
                assert count == sum(told.logged for told in screens.running._audience.news.all) - hidden
                assert [news.n for news in numbered(screens, viewer)] == list(range(1, count + 1))
            screens.running.close()


def test_what_is_of_the_moment_has_no_number_and_ends_with_its_run(tmp_path: Path) -> None:
    """Who comes back is told of it as long as nothing with a higher number was known already."""

    def told_since(number: int) -> list[str]:
        late: list[Any] = []
        screens.running.welcome(Watcher((None,), late.append, since=(number,)))
        return [news.kind for news in late[0].updates[0].news]

    with Log.open(tmp_path / "log.db") as log:
        number = begin(log, "d21", {}, at_screens(2))
        screens = Screens(log, number, HandClock(), (1, 2))
        for _ in range(2):
            screens.play_first()
        known = numbered(screens, None)[-1].n
        assert known is not None
        screens.command("back", seat=1)
        screens.say(2, replies.answer(False))
        (told,) = [news for update in screens.seen[None] for news in update.news if news.kind == "disagreed"]
        assert told.n is None
        assert told_since(known) == ["disagreed"]
        screens.play_first()
        later = numbered(screens, None)[-1].n
        assert later is not None and later > known
        assert told_since(later) == [] and "disagreed" in told_since(0)
        screens.running.close()
        again = Screens(log, number, HandClock(), (1, 2))
        assert "disagreed" not in again.told
        again.running.close()
