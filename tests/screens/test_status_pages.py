"""The pages beside a game: how its table is, and how its evening stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from full_screen import Port, run, until
from msgspec import structs
from shown import text
from textual.pilot import Pilot

from standing import BEGUN
from tablier.messages import GamePlayed, Person, Result, Series, Standing, TableState
from tablier.screens.commands import TABLE, TONIGHT
from tablier.screens.status_pages import evening_texts, result_texts, table_texts
from tablier.texts import Text


def won(wins: dict[str, int]) -> list[Standing]:
    return [Standing(name=name, wins=count, bot=False) for name, count in wins.items()]


def here(name: str, place: int) -> Person:
    return Person(person=name, name=name, place=place, by="", organiser=False)


ABOUT: dict[str, Any] = {"games": [], "wins": 2, "count": 0, "played": []}
EVENING_3 = structs.replace(
    BEGUN,
    evening=3,
    here=[here("Anne", 2), here("Bernard", 0)],
    games=[
        GamePlayed(
            game=7,
            rules="d21",
            seats=["Anne", "Bernard"],
            result=Result(scores=[1, 0], winners=[1]),
            remarks=[],
        ),
        GamePlayed(game=8, rules="d21", seats=["Anne", "Bernard"], result=None, remarks=[]),
    ],
    series=[
        Series(series=1, standings=won({"Bernard": 1, "Anne": 2}), over=True, complete=True, **ABOUT),
        Series(series=2, standings=won({"Anne": 1}), over=True, complete=False, **ABOUT),
        Series(series=3, standings=[], over=False, complete=False, **ABOUT),
    ],
    game=8,
)


def test_an_evening_tells_who_is_here_what_was_played_and_how_series_stand() -> None:
    assert list(map(str, evening_texts([structs.replace(EVENING_3, game=9), EVENING_3], 8))) == [
        "Evening 3",
        "Here: Anne (place 2) and Bernard",
        "Game 7, D.21: Anne 1, Bernard 0; won by Anne",
        "Series 1, over: Anne 2, Bernard 1",
        "Series 2, ended early: Anne 1",
        "Series 3: nobody has won yet",
    ]
    assert list(map(str, result_texts(EVENING_3)))[1] == "Game 8, D.21: Anne, Bernard; not over"
    assert list(map(str, evening_texts([EVENING_3], 7))) == ["This game is part of no evening."]


def test_a_table_tells_whether_it_answers_and_what_its_test_has_found() -> None:
    tested = [Text("fault     {fault}", {"fault": "dark"})]
    told = TableState(connected=False, board=None, status={}, tested=tested)
    assert list(map(str, table_texts(told, [Text("heap      1 byte free")]))) == [
        "The table does not answer.",
        "board     ?",
        "heap      1 byte free",
        "fault     dark",
    ]


def test_a_page_is_looked_up_again_as_long_as_it_is_read() -> None:
    asked: list[str] = []

    def look_up(page: str) -> Sequence[Text]:
        asked.append(page)
        return [Text("{page}, time {count}", {"page": page, "count": len(asked)})]

    async def read(pilot: Pilot[None]) -> None:
        await pilot.press("ctrl+t")
        await until(pilot, f"{TABLE}, time 3")
        await pilot.press("ctrl+o")
        await until(pilot, f"{TONIGHT}, time")
        await pilot.press("escape")
        assert "time" not in text(pilot) and "Anne>" in text(pilot)

    run(Port(), read, look_up=look_up)
    assert set(asked) == {TABLE, TONIGHT}
