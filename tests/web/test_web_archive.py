"""The page of an archive says what ``tablier stats`` says, and is there only where one was named."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from served import Served, command, served

from kept import kept
from sample import sample
from tablier.archive.campaigns import add_campaign
from tablier.archive.database import Archive
from tablier.archive.questions import QUESTIONS, Scope, ask
from tablier.bots.campaigns import Campaign
from tablier.bots.workers import Alone

CLUB = "Beaune <b>"


@pytest.fixture(scope="module")
def where(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An archive with ten games of a club."""
    path = str(tmp_path_factory.mktemp("archive") / "archive.db")
    with Archive.open(path, create=True) as archive:
        add_campaign(archive, CLUB, Campaign("roudalon", {}, ("random", "greedy") * 2, tuple("ABCD"), 1), 10, Alone())
    return path


@pytest.fixture(scope="module")
def pages(log: Path, where: str) -> Iterator[Served]:
    with kept(log), served(log, archive=where) as pages:
        yield pages


@pytest.mark.parametrize("question", sample(["results", "dice"], QUESTIONS))
def test_a_question_has_the_answer_of_the_command(question: str, where: str, browser: httpx.Client) -> None:
    shown = browser.get("/archive", params={"ask": question})
    assert shown.status_code == 200
    with Archive.open(where) as archive:
        answers = [answer.for_people for answer in ask(archive, question, Scope()) if answer.rows]
    for answer in answers:
        assert f"<h2>{html.escape(str(answer.title), quote=True)}</h2>" in shown.text
        for row in answer.rows:
            cells = (
                html.escape(column.shown(cell), quote=True) for column, cell in zip(answer.columns, row, strict=True)
            )
            assert re.search(
                "<tr>" + "".join(f"<td[^>]*>{re.escape(cell)}</td>" for cell in cells) + "</tr>", shown.text
            )
    assert "Beaune <b>" not in shown.text


@pytest.mark.parametrize("question", sample(["results", "dice"], QUESTIONS))
def test_the_plots_of_the_report_stand_beside_the_answer(question: str, where: str, browser: httpx.Client) -> None:
    shown = browser.get("/archive", params={"ask": question})
    plots = shown.text.count('<figure class="plot">')
    assert (plots > 0) == (question in ("results", "ratings", "lengths", "play"))
    assert ("No dice or bags that people can touch were used." in shown.text) == (question == "dice")
    assert "style=" not in shown.text and 'href="/pages/plots.css"' in shown.text
    assert browser.get("/pages/plots.css").status_code == 200


def test_the_best_games_stand_there_with_their_boards(browser: httpx.Client) -> None:
    shown = browser.get("/archive", params={"ask": "best", "game": "roudalon"})
    assert shown.status_code == 200 and 'aria-current="page">The best games</a>' in shown.text
    (game,) = re.findall('<article class="best">.*?</article>', shown.text, re.DOTALL)
    assert game.count('<div class="board">') > 1 and "Look back: all" in game and "style=" not in shown.text
    for anchor in re.findall('<a href="#([^"]+)"', game):
        assert f'<li id="{anchor}">' in game
    assert browser.get("/pages/best.css").status_code == 200
    none = browser.get("/archive", params={"ask": "best", "until": "2020-01"})
    assert "There are no such games in the archive." in none.text


def test_the_column_of_names_stays_where_the_page_is_narrow(browser: httpx.Client) -> None:
    shown = browser.get("/archive", params={"ask": "results"}).text
    assert '<td class="stays">greedy (bot)</td>' in shown and '<th scope="col" class="stays">name</th>' in shown


def test_the_form_asks_about_some_of_the_games(browser: httpx.Client) -> None:
    none = browser.get("/archive", params={"ask": "results", "until": "2020-01", "club": CLUB})
    assert "There are no such games in the archive." in none.text
    tables = browser.get("/archive", params={"ask": "tables"})
    assert "Nothing was logged of a table in these games." in tables.text
    assert "until=2020-01" in none.text, "the other questions are about the same games"
    assert "greedy" in browser.get("/archive", params={"club": CLUB, "game": "roudalon", "since": "2020-01"}).text


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"ask": "<x>"}, "cannot be asked"),
        ({"game": "chess"}, "There is no game"),
        ({"since": "2026-13"}, "is not a month"),
        ({"until": "²026-01"}, "is not a month"),
        ({"ask": "evenings", "since": "0000-01"}, "is not a month"),
        ({"since": "2026-02", "until": "2026-01"}, "2026-02 comes after 2026-01: the first month has to come first"),
        ({"club": "Dijon"}, "there is no club Dijon"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_a_reason(
    params: dict[str, str], said: str, browser: httpx.Client
) -> None:
    refused = browser.get("/archive", params=params)
    assert refused.status_code == 400
    (alert,) = re.findall('<p role="alert" class="hot">(.*?)</p>', refused.text)
    assert said in html.unescape(alert)
    assert "<form" in refused.text and html.escape(CLUB) in refused.text, "another question can be asked"


def test_all_pages_lead_to_it(browser: httpx.Client) -> None:
    for page in ("/", "/seat", "/table", "/log", "/archive"):
        (pages,) = re.findall('<header class="top">.*?</header>', browser.get(page).text)
        assert 'href="/archive"' in pages
    assert 'href="/archive" aria-current="page"' in pages


def test_without_one_there_is_no_such_page(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    with kept(log), served(log) as pages, pages.browser() as browser:
        refused = browser.get("/archive")
        assert (refused.status_code, "--archive" in refused.text) == (404, True)
        assert not any("/archive" in browser.get(page).text for page in ("/", "/seat", "/table", "/log"))


def test_one_that_cannot_be_shown_is_refused_before_anything_is_served(tmp_path: Path) -> None:
    with command(tmp_path / "log.db", "--archive", str(tmp_path / "none.db")) as (program, said):
        assert program.wait(20) == 2
        assert program.stderr is not None
        (line,) = program.stderr.read().splitlines()
    assert "there is no archive" in line and not said
