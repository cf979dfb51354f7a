"""A season on one page: it says what the archive answers, needs nothing else, and lets nothing from outside in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablier.archive.campaigns import add_campaign, keep_one
from tablier.archive.closest import Close, closest
from tablier.archive.database import Archive
from tablier.archive.ended import Player, Result
from tablier.archive.facts import FactRow, facts_in
from tablier.archive.fairness import throws_needed
from tablier.archive.keeping import ClubWriter, source_of
from tablier.archive.questions import Scope, ask
from tablier.bots.campaigns import Campaign
from tablier.bots.workers import Alone
from tablier.cli.main import main
from tablier.report import page as pages
from tablier.report.best import TURNS_MOST, Best, best, lead_changes, turns
from tablier.report.games import _turning, _why
from tablier.report.plots import bars, lines
from tablier.report.season import Season
from tablier.report.sections import _shown_by, dice, winners
from tablier.texts import Text

SEASON = Campaign("roudalon", {}, ("random", "greedy", "easy", "random"), ("A", "B", "C", "D"), 3)
NASTY = '<b>&"$x$'
SEPTEMBER, OCTOBER = 1_788_600_000_000_000, 1_791_200_000_000_000


class Read(HTMLParser):
    """The elements and the text of a page, which must be nested as they are opened."""

    EMPTY = frozenset({"meta", "link", "br", "hr", "img", "input"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs] or [(tag, "", "")]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs] or [(tag, "", "")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style" and data.strip():
            self.words.append(data.strip())


def put_season(where: str, names: Sequence[str | None] = (NASTY, None, "Christine", "Daniel")) -> str:
    """Put in a club of people with games of two months, one of them forgotten, one with a name like HTML."""
    people = [Player(f"{n:016x}", name) for n, name in enumerate(names)]
    with Archive.open(where, create=True) as archive, archive.writing("Beaune") as (connection, club):
        keeping, source = ClubWriter(connection, club), source_of(connection, club, bytes(range(32))).id
        games = []
        for number in range(1, 7):
            game = keep_one(SEASON, SEPTEMBER if number < 4 else OCTOBER, number).game
            seats = tuple(
                Result(player, seat.points, seat.won) for player, seat in zip(people, game.seats, strict=True)
            )
            named = replace(game, seats=seats, evening=number // 4 + 1)
            games.append((named, facts_in(named)))
        keeping.add(source, games)
        keeping.finish()
    return where


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> str:
    return put_season(str(tmp_path_factory.mktemp("report") / "archive.db"))


@pytest.fixture(scope="module")
def page(season: str) -> str:
    with Archive.open(season) as archive:
        return pages.page(archive, Scope())


def asked(where: str, question: str, key: str) -> list[dict[str, object]]:
    with Archive.open(where) as archive:
        (answer,) = (each for each in ask(archive, question, Scope()) if each.key == key)
    return [
        {column.key: column.shown(cell) for column, cell in zip(answer.columns, row, strict=True)}
        for row in answer.rows
    ]


def text_of(page: str, key: str) -> str:
    """Return the text of a section."""
    (section,) = re.findall(f'<section id="{key}">.*?</section>', page, re.DOTALL)
    return " ".join(Read(section).words)


def test_the_page_says_what_is_answered(season: str, page: str) -> None:
    said = text_of(page, "results")
    for row in asked(season, "results", "results"):
        assert " ".join(str(row[key]) for key in ("name", "games", "won", "share", "points")) in said
    for row in asked(season, "ratings", "ratings"):
        assert f" {row['rating']} (" in said
    for row in asked(season, "endings", "endings"):
        assert f"{row['ending']} {row['games']} {row['share']}" in text_of(page, "endings")
    (lengths,) = asked(season, "lengths", "lengths")
    keys = ("players", "games", "least", "median", "most")
    assert " ".join(str(lengths[key]) for key in keys) in text_of(page, "lengths")
    for row in asked(season, "play", "roudalon.facts"):
        assert f"{row['fact']} {row['sum']} {row['per_game']}" in text_of(page, "play")
    assert "nothing speaks against its chance" in text_of(page, "dice")
    figures = text_of(page, "figures")
    assert re.search("Games 6 Evenings 2 People 4 Months with games 2", figures), figures


def test_the_page_needs_nothing_else_and_is_well_formed(page: str) -> None:
    read = Read(page)
    assert not {"script", "link", "iframe", "object", "base"} & {tag for tag, _, _ in read.attributes}
    assert not [name for _, name, _ in read.attributes if name.startswith("on") or name in ("src", "srcset", "action")]
    ids = [value for _, name, value in read.attributes if name == "id"]
    assert Counter(ids).most_common(1)[0][1] == 1
    targets = [value for _, name, value in read.attributes if name in ("href", "xlink:href")]
    targets += [f"#{at}" for _, _, value in read.attributes for at in re.findall(r"url\(#([^)]+)\)", value)]
    assert targets and {target.removeprefix("#") for target in targets} <= set(ids)
    assert not re.search(r"@import|url\((?!#)|https?://(?!www\.w3\.org/)", page)


def test_names_are_text_and_who_was_forgotten_is_somebody(page: str) -> None:
    assert "<b>" not in page and "&lt;b&gt;&amp;" in page
    assert NASTY in " ".join(Read(page).words)
    assert "somebody" in text_of(page, "results") and "None" not in " ".join(Read(page).words)


def test_the_same_games_give_the_same_page(where: str, page: str) -> None:
    with Archive.open(put_season(where)) as archive:
        assert pages.page(archive, Scope(club="Beaune")) == page


def test_the_best_game_is_shown_with_its_board_and_where_it_is(season: str, page: str) -> None:
    with Archive.open(season) as archive:
        found = closest(archive, Scope(), 99)
        assert closest(archive, Scope(), 2) == found[:2]
    key = [(close.margin, -len(close.game.moves), close.game.ended, close.game.number) for close in found]
    assert key == sorted(key)
    for close in found:
        best, second, *_ = sorted((seat.points for seat in close.game.seats), reverse=True)
        assert close.margin == best - second
        assert any(seat.won for seat in close.game.seats)
    said = text_of(page, "best")
    (number,) = re.findall(r"game (\d+) of the log that begins with 00010203", said)
    assert int(number) in {close.game.number for close in found}
    assert said.count("'tablier log show NUMBER'") == said.count("/log/game/NUMBER") == 1
    assert 'data-game="roudalon"' in page and re.search("Le Roudalon, 2026-..-.. [^,]", said), "of one club, without it"


def test_a_best_game_can_be_looked_back_at_in_the_page(season: str, page: str) -> None:
    """All moves in words, and the board after each turning point, to which that links."""
    with Archive.open(season) as archive:
        game = best(archive, Scope(), "roudalon")
    assert game is not None
    (told,) = re.findall(r'<details class="look-back">.*?</details>', page, re.DOTALL)
    moves = re.split("<li", told)[1:]
    assert len(moves) == len(game.close.game.moves)
    marked = {re.findall(r'^ id="([^"]+)"', move)[0]: move for move in moves if move.startswith(" id=")}
    assert all("<svg" in move for move in marked.values()) and told.count("<svg") == len(marked)
    linked = re.findall(r'<ul class="turning">.*?</ul>', page, re.DOTALL)
    assert [re.findall('href="#([^"]+)"', each) for each in linked] == [list(marked)]
    assert [moves.index(marked[id]) + 1 for id in marked] == [turn.at for turn in turns(game)]
    assert " stakes 6 units: 6 in the pot, and one more die in hand." in moves[0]


def duel(course: list[tuple[float, ...]], points: tuple[float, ...], changes: int, by_points: bool) -> Best:
    """Return a game of these points, as if it had been chosen."""
    game = keep_one(SEASON, SEPTEMBER, 1).game
    seats = tuple(Result(Player("", "A"), each, False) for each in points)
    first, second, *_ = sorted(points, reverse=True)
    close = Close(replace(game, seats=seats), "Beaune", None, first - second)
    return Best(close, game.replayed(), None, course, None, changes, by_points)


@pytest.mark.parametrize(
    ("points", "by_points", "said"),
    [
        ((4, 4, 4, 4), True, "; the lead changed hands once; in the end all were level."),
        ((4, 4, 1, 0), True, "; the lead changed hands once; in the end the first 2 were level."),
        ((1, 0), False, "moves; the lead changed hands once."),
    ],
)
def test_why_a_game_is_shown(points: tuple[float, ...], by_points: bool, said: str) -> None:
    assert str(_why(duel([], points, 1, by_points))).endswith(said)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=20))
def test_every_change_of_the_lead_is_told_unless_there_are_too_many(course: list[tuple[int, int]]) -> None:
    changes = lead_changes(course)
    game = duel([*course], (1, 0), changes, False)
    told = turns(game)
    leaders = [turn.at for turn in told if turn.leads]
    assert len(leaders) >= min(changes, TURNS_MOST) and len(told) <= TURNS_MOST
    (head, _) = _turning(game, "AB") or ("", "")
    assert ("greatest" in head) == (changes > TURNS_MOST)


def test_the_closest_games_are_those_of_people_in_the_months_asked_for(tmp_path: Path) -> None:
    where = put_season(str(tmp_path / "archive.db"))
    with Archive.open(where, create=True) as archive:
        add_campaign(archive, "Beaune", SEASON, 4, Alone())
        for scope, numbers in (
            (Scope(until=202609), {1, 2, 3}),
            (Scope(since=202610), {4, 5, 6}),
            (Scope(club="Beaune"), {1, 2, 3, 4, 5, 6}),
            (Scope(club="Dijon"), set()),
        ):
            found = closest(archive, scope, 99)
            assert {close.game.number for close in found} <= numbers
            assert bool(found) == bool(numbers) and all(close.log for close in found)


def test_a_plot_takes_any_name(recwarn: pytest.WarningsRecorder) -> None:
    names = ["$x^{2}$", "一二三", "<&\"'", "_hidden", "a" * 200]
    rows = [(name, 1.0, "1") for name in names]
    for plot in (
        bars("a", Text("about"), rows, Text("unit")),
        lines("b", Text("about"), [(name, [0.0, 1.0]) for name in names], Text("unit"), Text("height")),
    ):
        said = " ".join(Read(plot).words)
        assert all(name in said for name in names[:4]) and "a" * 30 not in said.replace("a" * 35, "")
    assert not recwarn.list


# -- the command -----------------------------------------------------------------------------------------


def test_the_command_writes_the_page_once(
    season: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pages, "SECTIONS", pages.SECTIONS[:1])
    out = tmp_path / "season.html"
    words = ["report", "--archive", season, "--until", "2026-09", "--out", str(out)]
    assert main(words) == 0
    assert "Games 3 Evenings 1 People 4" in text_of(out.read_text(encoding="utf-8"), "figures")
    out.write_text("mine", encoding="utf-8")
    assert main(words) == 2
    assert out.read_text(encoding="utf-8") == "mine"
    assert capsys.readouterr().err.endswith("season.html is there already; --force overwrites it\n")
    assert main([*words, "--force"]) == 0
    assert "<h1>Beaune, September 2026</h1>" in out.read_text(encoding="utf-8")


def test_an_interrupt_leaves_no_half_of_a_page(season: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(season: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "season.html").write_text("before", encoding="utf-8")
    monkeypatch.setattr(pages, "SECTIONS", (pages.SECTIONS[0], interrupted))
    assert main(["report", "--archive", season, "--force", "--out", str(tmp_path / "season.html")]) == 130
    assert [each.name for each in tmp_path.iterdir()] == ["season.html"]
    assert (tmp_path / "season.html").read_text(encoding="utf-8") == "before"


@pytest.mark.parametrize("more", [["--until", "2020-01"], ["--club", "Baune"]])
def test_without_games_there_is_one_line_and_no_file(
    more: list[str], season: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "--archive", season, "--out", str(tmp_path / "season.html"), *more]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(
        ("tablier: there are no such games in the archive", "tablier: there is no club Baune; clubs: Beaune")
    )
    assert list(tmp_path.iterdir()) == []


def test_two_of_one_name_are_two_and_so_are_two_that_were_forgotten(tmp_path: Path) -> None:
    where = put_season(str(tmp_path / "twins.db"), ("Anne", "Anne", None, None))
    with Archive.open(where) as archive:
        season = Season.of(archive, Scope())
        section, games = winners(season), season.games
    assert section is not None
    rows = re.findall(r'<th scope="row">([^<]+)</th><td[^>]*>(\d+)</td>', "".join(section.parts))
    assert sorted(rows) == [("Anne (1)", str(games)), ("Anne (2)", str(games))] + [("somebody", str(games))] * 2


def test_a_die_that_is_not_fair_is_named_in_words(tmp_path: Path) -> None:
    game = keep_one(SEASON, SEPTEMBER, 1).game
    thrown = [FactRow("die roll 6", str(face), 300 if face == 6 else 140) for face in range(1, 7)]
    with Archive.open(tmp_path / "archive.db", create=True) as archive:
        with archive.writing("Dijon") as (connection, club):
            keeping = ClubWriter(connection, club)
            keeping.add(source_of(connection, club, bytes(32)).id, [(game, thrown)])
            keeping.finish()
        section = dice(Season.of(archive, Scope()))
    assert section is not None
    said = " ".join(word for part in section.parts for word in Read(part).words)
    assert said.startswith(
        "The d6 of Le Roudalon (source: table) is not fair: in 1,000 throws or draws 6 came in 30.0%, not in"
        " 16.7%. Chance alone does as much or more with a probability of less than 0.0001. Rolled at the table: 1,000"
        " throws or draws, too few to see a loaded die. One that is not accused may still be loaded. A die of six that"
        " shows one face once in five instead of once in six is found, beside all others of this table, with a chance"
        f" of 90% after {throws_needed(6, 0.2):,} throws."
    )


@pytest.mark.parametrize(
    ("thrown", "said"),
    [
        (
            {"host": [6975], "roll": [266]},
            "Rolled at the table: 266 throws or draws, too few to see a loaded die. One that is not accused may still"
            " be loaded. A die of six that shows one face once in five instead of once in six is found, beside all"
            " others of this table, with a chance of 90% after 3,033 throws. The computer itself threw and drew 6,975"
            " times; nothing speaks against its chance, and that says nothing of real dice.",
        ),
        (
            {"tally": [3032, 4000]},
            "Thrown or drawn by hand: 7,032 throws or draws. Of 1 of 2 dice and bags they are enough to see a loaded"
            " one; of the others one that is not accused may still be loaded. A",
        ),
        ({"tally": [9, 70]}, "Thrown or drawn by hand: 79 throws or draws, at most 70 of one die or bag, too few"),
    ],
)
def test_of_dice_that_people_can_touch_is_said_whether_enough_was_thrown(
    thrown: dict[str, list[int]], said: str
) -> None:
    tested = [{"source": source, "n": n, "verdict": "no_finding"} for source, each in thrown.items() for n in each]
    assert " ".join(map(str, _shown_by(tested))).startswith(said)
