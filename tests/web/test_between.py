"""What pages get between games: who has won, how a game went, how the evening stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import httpx
import pytest
from msgspec import structs
from served import Served, served

from keeper.seen import Seen
from kept import kept, linked, opened
from standing import BEGUN
from tablier import messages
from tablier.languages import find_language
from tablier.messages import GamePlayed, Person, Result, Series, Standing
from tablier.screens.replay import read_game
from tablier.screens.scores import how_it_ended
from tablier.screens.turning import turn_text, turning_points
from tablier.texts import Text, reading
from tablier.web.curve import PAPERS, curve
from tablier.web.saying import headline_of, players_of
from tablier.web.watch import said_evening

EVENING = structs.replace(
    BEGUN,
    here=[Person(person="", name="Anne", place=0, by="", organiser=False)],
    standings=[
        Standing(name="Anne", wins=2, bot=False),
        Standing(name="Bernard", wins=1, bot=False),
        Standing(name="Zoe", wins=1, bot=True),
        Standing(name="Daniel", wins=0, bot=False),
    ],
)


@pytest.fixture(scope="module")
def pages(log: Path) -> Iterator[Served]:
    """A log with a game that is over, another that runs, and its pages."""
    with kept(log), linked(log) as link, served(log) as pages:
        seats = [{"name": name, "source": "greedy"} for name in ("Anne", "Bernard", "Zoe")]
        Seen(opened(link, "play", game="dilemma", seats=seats)).wait(
            lambda seen: seen and seen[-1].get("updates", [{}])[0].get("over"), 60
        )
        link.call("play", {"game": "d21", "seats": [{"name": name, "source": "screen"} for name in ("Anne", "Zoe")]})
        yield pages


def test_a_game_that_is_over_is_told_by_its_curve_and_the_turning_points_that_screens_tell(
    log: Path, browser: httpx.Client
) -> None:
    told = browser.get("/log/game/1/course").json()
    played = read_game(log, 1)
    assert told["turns"] == [str(turn_text(turn, played.names)) for turn in turning_points(played.course)]
    assert told["how"].startswith("The game is over: no duel is possible any more")
    assert told["title"] == "Dilemma" and told["board"].startswith("<svg") and told["reading"]
    assert all(f">{name} " in told["curve"] for name in played.names)


def test_a_game_that_runs_tells_nothing_of_its_course(browser: httpx.Client) -> None:
    assert browser.get("/log/game/2/course").status_code == 409
    assert browser.get("/log/game/9/course").status_code == 404


def test_a_course_is_drawn_for_what_it_is_shown_on(browser: httpx.Client) -> None:
    wall, phone = (browser.get(f"/log/game/1/course?for={each}").json()["curve"] for each in ("wall", "phone"))
    assert 'width="960"' in wall and 'width="390"' in phone
    assert browser.get("/log/game/1/course?for=watch").status_code == 400


def test_how_a_game_was_won_is_said_in_a_line() -> None:
    """By what it ended; by how much, where its winner has most points."""
    names, row = ["Anne", "Bernard"], Text("a row of six")

    def said(scores: Sequence[float], winners: list[int], ending: Text | None = row) -> str:
        return str(how_it_ended(names, Result(scores=list(scores), winners=winners), ending))

    assert said([9, 5], [1]) == "The game is over: a row of six; Anne was 4 points ahead of Bernard."
    assert said([4, 5], [2]) == "The game is over: a row of six; Bernard was 1 point ahead of Anne."
    assert said([4, 5], [2], None) == "Bernard was 1 point ahead of Anne."
    for scores, winners in (([1, 0], [1]), ([9, 5], [2]), ([7, 7], [1, 2]), ([0.5, 0.5], [])):
        assert said(scores, winners) == "The game is over: a row of six."
    assert said([7, 7], [], None) == "None"


def test_winners_come_first_and_equals_share_a_rank() -> None:
    """Who has won is for the game to say: not always who has most points."""
    names = ["Anne", "Bernard", "Christine", "Daniel"]
    result = Result(scores=[3, 9, 3, 1], winners=[4])
    assert [each.rank for each in players_of(names, result)] == [3, 2, 3, 1]
    assert [each.rank for each in players_of(names, None)] == [0, 0, 0, 0]
    assert headline_of("Struggle", names, result) == "Daniel wins Struggle"
    assert headline_of("Struggle", names, Result(scores=[1] * 4, winners=[1, 3])) == "Anne and Christine win Struggle"
    assert headline_of("Struggle", names, Result(scores=[1] * 4, winners=[1, 3]), 3) == "Anne and you win Struggle"
    assert headline_of("D.21", names[:2], Result(scores=[0.5] * 2, winners=[])) == "Draw: D.21 has no winner"
    assert headline_of("Struggle", names, Result(scores=[0] * 4, winners=[])) == "Nobody wins Struggle"
    assert headline_of("Struggle", names, result, 4) == "You win Struggle"
    assert headline_of("Struggle", names, result, 1) == "Daniel wins Struggle"


def played(game: int, winners: list[int], *names: str) -> GamePlayed:
    result = Result(scores=[0.0] * len(names), winners=winners) if winners else None
    return GamePlayed(game=game, rules="struggle", seats=list(names), result=result, remarks=[])


def test_an_evening_stands_as_its_games_were_won() -> None:
    """Two who have won as often share a rank, persons and bots."""
    games = [
        played(1, [1], "Anne", "Bernard"),
        played(2, [1, 2], "Bernard", "Anne"),
        played(3, [3], "Anne", "Bernard", "Zoe"),
        played(4, [], "Anne", "Daniel"),
    ]
    series = Series(
        series=1,
        games=["struggle", "d21"],
        wins=2,
        count=0,
        played=[1, 2],
        standings=[Standing(name="Zoe", wins=0, bot=True), Standing(name="Anne", wins=1, bot=False)],
        over=False,
        complete=False,
    )
    told = said_evening(structs.replace(EVENING, games=games, series=[series], next="d21", game=4))
    assert [(each.rank, each.name, each.wins) for each in told.standings] == [
        (1, "Anne", 2),
        (2, "Bernard", 1),
        (2, "Zoe", 1),
        (4, "Daniel", 0),
    ]
    assert [each.headline for each in told.games][3] == ""
    (one,) = told.series
    assert [each.name for each in one.standings] == ["Anne", "Zoe"]
    assert one.said == "Struggle and D.21: the first to win 2 games"
    french = find_language("fr")
    assert french is not None
    with reading(french):  # where none is singular
        (one,) = said_evening(structs.replace(EVENING, games=games, series=[series], next="d21", game=4)).series
    assert one.said == "Struggle et D.21\u00a0: en 2 victoires"


def test_the_labels_of_a_curve_stand_apart_and_inside_however_close_the_lines_end() -> None:
    names = [f"Somebody with a long name {number}" for number in range(6)]
    paper = PAPERS["wall"]
    drawn = curve([(0,) * 6, (5, 5, 5, 5, 5, 5), (1, 1, 1, 1, 1, 1.5)], names, paper)
    assert drawn is not None
    beside = sorted(float(y) for y in re.findall(r'<text[^>]* y="([\d.]+)"[^>]*font-weight', drawn))
    assert len(beside) == 6 and beside[0] > 0 and beside[-1] <= paper.height
    assert all(low - high >= paper.size for high, low in pairwise(beside))


@pytest.mark.parametrize(("host", "local"), [("127.0.0.1", True), ("[::1]", True), ("192.168.1.5", False)])
def test_no_phone_is_sent_to_an_address_that_only_this_computer_reaches(host: str, local: bool) -> None:
    address = f"http://{host}:8731/in"
    told = said_evening(structs.replace(EVENING, inside=messages.Inside(code="BKTR", wishes=[])), address).inside
    assert told is not None and (told.local, told.qr is None, told.address) == (local, local, address)
    shut = said_evening(structs.replace(EVENING, inside=messages.Inside(code=None, wishes=[])), address).inside
    assert shut is not None and shut.qr is None
    assert said_evening(EVENING, address).inside is None


@pytest.mark.parametrize(
    ("here", "last", "following", "again"),
    [
        (("Anne", "Bernard"), ("Anne", "Bernard"), "d21", True),
        (("Anne",), ("Anne", "Bernard"), "d21", False),
        (("Anne",), ("Anne", "Zoe"), "d21", True),  # Zoe is a bot
        (("Anne", "Bernard"), ("Anne", "Bernard", "Zoe"), "d21", False),
        (("Anne", "Bernard"), ("Anne", "Bernard", "Zoe"), "struggle", True),
        (("Daniel",), ("Anne", "Zoe"), "struggle", False),
    ],
)
def test_another_game_is_offered_where_those_who_are_left_can_play_it(
    here: tuple[str, ...], last: tuple[str, ...], following: str, again: bool
) -> None:
    people = [Person(person=name, name=name, place=0, by="phone", organiser=False) for name in here]
    told = structs.replace(EVENING, here=people, games=[played(1, [1], *last)], next=following)
    assert said_evening(told).again is again
