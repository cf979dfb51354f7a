"""Everything that a table asks is read out: people there hear what a terminal prints, and see lights without words."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import cast

import pytest
from driving import Driver, driven

from sample import sample
from tablier import messages
from tablier.course.chance import HOST, ROLL, TALLY, Sources
from tablier.course.seats import AT_TABLE, Seat
from tablier.games import game_of
from tablier.games.core.questions import Menu
from tablier.log.fold import GameInfo
from tablier.play.connections import Connection
from tablier.play.views import Snapshot
from tablier.screens.line import Line
from tablier.screens.summary import LogName
from tablier.screens.turn import named
from tablier.texts import Json, Text, render

NAMES = ("Anne", "Bernard", "Christine", "David", "Edith", "Frank")
ANSWERS = sample(120, 4000)
GAMES = ("dilemma", "struggle", "dicke-daemonen", "roudalon", "d21")
TABLES = [(game, seats) for game in GAMES for seats in game_of(game).rules.seat_counts if seats > 1]
_ROW = [chr(98 + n) for n in range(12)]
LARGE: Json = {
    "size": 26,
    "setup": {"red": {f"{column}2": 1 for column in _ROW}, "green": {f"{column}25": 1 for column in _ROW}},
}
"""A board of D.21 on which every step has more options than a hood has numbers."""


class Listener:
    """Somebody at a table who hears what a terminal prints, from some question on."""

    def __init__(self, driver: Driver, options: Json) -> None:
        self._session = driver.session
        self._info = GameInfo(1, driver.session.position.rules.name, options, [], "", None, 0, None, 1)
        self._out = io.StringIO()
        self._line = Line((), LogName(""), io.StringIO(), self._out)
        self._line._at_terminal = lambda: True  # type: ignore[method-assign]
        self._line._connection = cast(Connection, object())  # nothing is said by it
        self._heard = 0

    def hear(self, news: Sequence[messages.News] = ()) -> str:
        """Return what is printed of the game as it stands now, in one line."""
        seen = Snapshot(self._session, self._info, self._session.over, "", 0.0, None)
        self._line._step("message", messages.Updates(game=1, updates=[seen.update(None, list(news))]))
        said, self._heard = self._out.getvalue()[self._heard :], len(self._out.getvalue())
        return " ".join(said.split())


def at_table(game: str, seats: int, *, options: Json | None = None, source: str = HOST, seed: int = 1) -> Driver:
    people = [Seat(name, place, AT_TABLE) for place, name in enumerate(NAMES[:seats], 1)]
    sources = Sources((source,) * seats, source) if source != HOST else Sources()
    return driven(game, people, sources=sources, seed=seed, **(options or {}))


def unheard(driver: Driver, options: Json | None = None, answers: int = ANSWERS) -> list[str]:
    """Return what the table asks in a game after which nobody knows what is asked, or of whom."""
    session, listener = driver.session, Listener(driver, options or {})
    silent: list[str] = []
    before, waited = 0, 0
    for _ in range(answers):
        if session.over:
            break
        said = listener.hear()
        question, waiting = session.question, list(session.open.waiting)
        assert question is not None
        text = render(question.text, NAMES)
        asks = session.id != before
        if asks and text not in said:
            silent.append(f"asked in silence: {text}")
        if asks and isinstance(question, Menu):
            options_said = [render(option, NAMES) for option in question.options]
            silent += [f"{text}: {option} is not heard" for option in options_said if option not in said]
        if asks and waiting:
            names = render(Text("{names}", {"names": named(waiting, NAMES)}), NAMES)
            at = said.rfind(text)
            if not (said[:at].endswith(f"{names}: ") or _addresses(text, names)):
                silent.append(f"not said that {names} is asked: {text}")
        if not asks and len(waiting) == 1 < waited and f"Waiting for {NAMES[waiting[0] - 1]}" not in said:
            silent.append(f"not said that {NAMES[waiting[0] - 1]} is awaited alone: {text}")
        before, waited = session.id, len(waiting)
        driver.step()
    return silent


def _addresses(text: str, name: str) -> bool:
    return text.startswith(tuple(f"{name}{after}" for after in (": ", ", ", " ")))


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_whatever_a_table_asks_is_read_out_with_who_is_asked(game: str, seats: int) -> None:
    assert unheard(at_table(game, seats)) == []


@pytest.mark.parametrize("game", ["struggle", "roudalon", "dicke-daemonen"])
@pytest.mark.parametrize("source", [ROLL, TALLY])
def test_rolls_and_what_people_enter_are_read_out_too(game: str, source: str) -> None:
    assert unheard(at_table(game, 4, source=source)) == []


def test_the_second_step_of_a_long_list_is_read_out() -> None:
    driver = at_table("d21", 2, options=LARGE)
    assert unheard(driver, LARGE, answers=60) == []
