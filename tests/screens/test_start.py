"""The start screen: keys are pressed, and the words of a command come out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from shown import text
from textual import events

from tablier.screens.preferences import Preferences
from tablier.screens.start import Offer, Playable, Port, Resumable, Start

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
    [Resumable(8, "d21: Bea, 5 moves", runs=True), Resumable(7, "struggle: Anne, 3 moves")],
    [Port("/dev/ttyACM0", "MicroPython board")],
    "http://127.0.0.1:8731/",
    ("Anne", "Bernard", "Christine", "Daniel", "Éric", "Françoise"),
)


UP_TO_GAMES = ("up",) * 7
"""To the last of the games that can be resumed, above six other lines."""


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
    assert (
        chosen(shows=["D.21", "Line up.", "Le Roudalon", "Game 7", "left: struggle: Anne", "1 is plugged in"]) is None
    )


def test_a_game_is_begun_with_the_players_of_its_last_one() -> None:
    assert chosen("enter", "enter") == ["play", "d21", "--seat", "Zoe=screen", "--seat", "Bernard=greedy"]


def test_a_game_that_was_left_is_resumed_and_one_that_is_running_is_shown() -> None:
    assert chosen(*UP_TO_GAMES, "enter") == ["resume", "7"]
    running = (*UP_TO_GAMES, "up")
    assert chosen(*running, "enter", shows=["running: d21: Bea, 5 moves"]) == ["attach", "8"]


def test_names_and_bots_are_chosen() -> None:
    keys = ("enter", "down", "ctrl+u", *"Mia", "down", "backspace", "shift+tab", "up", "up", "enter")
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
    assert chosen(*UP_TO_GAMES, "up", "up", "enter", offer=left, shows=["Evening 3", "Anne, Bea"]) == [
        "evening",
        "--resume",
        "3",
    ]


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
            assert "Resume" not in text(pilot) and "browser" not in text(pilot)
            assert "none is plugged in" in text(pilot)

    asyncio.run(look())


# -- what it leads to --------------------------------------------------------------------------------------------------


def test_a_name_is_edited_as_text_is() -> None:
    keys = ("enter", "down", "home", "delete", "J", "right", "right", "backspace", "end", "é", "up", "enter")
    words = chosen(*keys)
    assert words is not None and words[3] == "Joé=screen"


@pytest.mark.parametrize(
    ("ups", "words"), [(5, ["log", "standings"]), (4, ["people"]), (1, ["manual"])], ids=lambda it: str(it)
)
def test_results_people_and_manual_are_looked_up(ups: int, words: list[str]) -> None:
    assert chosen(*["up"] * ups, "enter") == words


def test_a_game_is_looked_back_at() -> None:
    offer = OFFER._replace(played=[Resumable(6, "D.21: Anne, Bea; won by Anne")])
    assert chosen(*["up"] * 6, "enter", "down", "enter", offer=offer, shows=["won by Anne"]) == ["log", "show", "6"]
    assert chosen(*["up"] * 6, "enter", "escape", "down", "down", "enter") == ["evening", "--new"]


def test_an_evening_begins_at_a_table_that_is_plugged_in() -> None:
    words = ["evening", "--new", "--port", "/dev/ttyACM0"]
    assert chosen("up", "up", "up", "enter", "enter", shows=["An evening at /dev/ttyACM0"]) == words


def test_settings_are_changed_and_kept() -> None:
    kept: list[Preferences] = []
    offer = OFFER._replace(languages={"en": "English", "fr": "Français"}, keep=kept.append)
    settings = ("up", "up", "enter")
    keys = (*settings, *"Léa", "down", "enter", "enter", "down", "enter", "down", "down", "down", "enter", "enter")
    assert chosen(*keys, offer=offer, shows=["Léa", "0.5 s", "yes", "Français"]) is None
    assert chosen(*keys, "escape", offer=offer) == []
    assert kept == [Preferences("Léa", 0.5, bell=True, language="fr")]
    assert chosen(*settings, "escape", *["up"] * 5, "enter", offer=offer) == ["log", "standings"]


def test_the_line_that_is_pointed_at_is_seen_however_much_there_is() -> None:
    offer = OFFER._replace(resumable=[Resumable(number, "Anne") for number in range(40, 0, -1)])
    assert chosen("up", offer=offer, shows=["Manual", "Settings"]) is None
    assert chosen(offer=offer, shows=["D.21", "Line up."]) is None
