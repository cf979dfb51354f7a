"""The start screen: keys are pressed, and the words of a command come out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from shown import text
from textual import events

from tablier.screens.start import Offer, Playable, Resumable, Start

GAMES = [
    Playable(
        "d21",
        "D.21",
        "Line up.",
        (2,),
        [("Zoe", "screen"), ("Bernard", "greedy")],
        ("easy", "greedy"),
    ),
    Playable(
        "roudalon",
        "Le Roudalon",
        "Take more.",
        (4, 6),
        [("Zoe", "screen"), *((name, "good") for name in ("Bernard", "Christine", "Daniel"))],
        ("good", "strong"),
    ),
]
OFFER = Offer(
    GAMES,
    [Resumable(7, "struggle: Anne, 3 moves")],
    ["/dev/ttyACM0  MicroPython board"],
    "http://127.0.0.1:8731/",
    ("Anne", "Bernard", "Christine", "Daniel", "Éric", "Françoise"),
)


def chosen(*keys: str, offer: Offer = OFFER, shows: Sequence[str] = (), columns: int = 80) -> list[str] | None:
    """Return what is chosen by some keys, after which the screen shows some texts, wherever its lines end."""
    app = Start(offer)

    async def press() -> None:
        async with app.run_test(size=(columns, 24)) as pilot:
            await pilot.press(*keys)
            for each in shows:
                assert each in " ".join(text(pilot).split())

    asyncio.run(press())
    return app.return_value


def test_it_shows_what_there_is() -> None:
    assert chosen(shows=["D.21", "Line up.", "Le Roudalon", "Game 7", "struggle: Anne", "ttyACM0", ":8731"]) is None


def test_a_game_is_begun_with_the_players_of_its_last_one() -> None:
    assert chosen("enter", "enter") == ["play", "d21", "--seat", "Zoe=screen", "--seat", "Bernard=greedy"]


def test_a_game_is_resumed() -> None:
    assert chosen("up", "enter") == ["resume", "7"]


def test_names_and_bots_are_chosen() -> None:
    keys = ("enter", "down", "ctrl+u", *"Mia", "down", "backspace", "left", "up", "up", "enter")
    assert chosen(*keys) == ["play", "d21", "--seat", "Mia=screen", "--seat", "Bernar=easy"]


def test_players_come_and_go_in_numbers_that_can_play() -> None:
    more = ("down", "enter", "up", "enter")
    assert chosen(*more, shows=["Éric", "Anne", "One player less"]) is None
    words = chosen(*more, *["up"] * 5, "enter")
    assert words is not None and words.count("--seat") == 6
    assert chosen(*more, "down", "down", "enter", shows=["One more player"]) is None


@pytest.mark.parametrize(
    ("typed", "wrong"),
    [("zoe", "Two players are called Zoe; give each a name of its own."), ("", "Player 2 has no name.")],
)
def test_names_that_will_not_do_are_refused(typed: str, wrong: str) -> None:
    assert chosen("enter", "up", "ctrl+u", *typed, "up", "up", "enter", shows=[wrong], columns=50) is None


def test_a_slip_of_the_finger_is_asked_about() -> None:
    offer = OFFER._replace(known=["Mia", "Zoé"])
    typed = ("enter", "down", "ctrl+u", *"Mai", "up", "enter")
    assert chosen(*typed, offer=offer, shows=["Mai: who is that?", "Mia who has played before"]) is None
    words = [chosen(*typed, *keys, offer=offer) for keys in (["enter"], ["down", "enter"], ["escape", "up", "enter"])]
    assert [each and each[3] for each in words] == ["Mia=screen", "Mai=screen", None]


def test_an_evening_is_begun_or_resumed() -> None:
    assert chosen("down", "down", "enter") == ["evening", "--new"]
    assert chosen("down", "down", "down", "enter") == ["evening", "--new", "--lan"]
    left = OFFER._replace(evenings=[Resumable(3, "Anne, Bea; 2 games; since 2026-11-28 20:15")])
    assert chosen("up", "up", "enter", offer=left, shows=["Evening 3", "Anne, Bea"]) == ["evening", "--resume", "3"]


def test_a_name_can_be_pasted_and_is_cut() -> None:
    app = Start(OFFER)

    async def press() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("enter", "down", "ctrl+u")
            assert app.screen.focused is not None
            app.screen.focused.post_message(events.Paste(f"Zoe@1=bot {'x' * 100_000}\nsecond"))
            await pilot.press("up", "enter")

    asyncio.run(press())
    assert app.return_value == ["play", "d21", "--seat", f"Zoe1bot {'x' * 32}=screen", "--seat", "Bernard=greedy"]


def test_signs_that_a_seat_cannot_have_in_its_name_are_not_typed() -> None:
    words = chosen("enter", "down", "ctrl+u", *"A=b@c", "up", "enter")
    assert words is not None and words[3] == "Abc=screen"


@pytest.mark.parametrize(
    "keys", [("ctrl+q",), ("ctrl+c",), ("escape",), ("enter", "escape", "escape"), ("q",), ("enter", "q")]
)
def test_somebody_leaves(keys: Sequence[str]) -> None:
    app = Start(OFFER)

    async def leave() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press(*keys)
            assert not app.is_running or app._exit

    asyncio.run(leave())
    assert app.return_value is None


def test_letters_of_a_name_are_no_keys() -> None:
    words = chosen("enter", "down", "ctrl+u", *"q?", "up", "enter")
    assert words is not None and words[3] == "q?=screen"


@pytest.mark.parametrize("keys", [("f1",), ("?",), ("h",), ("enter", "f1"), ("enter", "?"), ("enter", "down", "f1")])
def test_a_key_shows_the_help(keys: Sequence[str]) -> None:
    assert chosen(*keys, shows=["Esc goes back; q,"], columns=50) is None
    back = "Who plays?" if "enter" in keys else "Resume"
    assert chosen(*keys, "escape", shows=[back]) is None


def test_the_most_important_key_stands_first_and_none_is_cut() -> None:
    assert chosen("enter", shows=["Esc goes back · Type a name", "and Enter choose"], columns=50) is None


def test_a_click_points_and_a_second_one_chooses() -> None:
    app = Start(OFFER)

    async def click() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            row = next(number for number, line in enumerate(text(pilot).splitlines()) if "Le Roudalon" in line)
            await pilot.click(offset=(5, row))
            assert "Who plays?" not in text(pilot)
            await pilot.click(offset=(5, row))
            assert "Who plays?" in text(pilot) and "Daniel" in text(pilot)

    asyncio.run(click())


def test_a_first_start_has_nothing_to_resume() -> None:
    app = Start(OFFER._replace(resumable=[], tables=[], address=""))

    async def look() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            assert "Resume" not in text(pilot) and "Tables" not in text(pilot) and "browser" not in text(pilot)

    asyncio.run(look())
