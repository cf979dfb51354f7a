"""Looking back: what was played, by the same functions as 'tablier log', and nothing that is still secret."""

from __future__ import annotations

import html
import re
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from onlookers import marks
from served import Served, served

from keeper.seen import Seen
from kept import kept, linked, opened
from tablier.games.core.drawing import Surface
from tablier.judge.redaction import record, story
from tablier.log.store import Log
from tablier.web.curve import curve
from tablier.web.reading import Reading
from tablier.web.shares import Turns

SEATS = [{"name": "Anne <b>", "source": "greedy"}, {"name": "Bernard", "source": "greedy"}]


@pytest.fixture(scope="module")
def pages(log: Path) -> Iterator[Served]:
    """A log with a game of Dilemma that is over, and its pages."""
    with kept(log), linked(log) as link, served(log) as pages:
        Seen(opened(link, "play", game="dilemma", seats=[*SEATS, {"name": "Zoe", "source": "random"}])).wait(
            lambda seen: seen and seen[-1].get("updates", [{}])[0].get("over"), 60
        )
        yield pages


def test_a_game_is_told_like_the_story_of_the_log(log: Path, browser: httpx.Client) -> None:
    page = browser.get("/log/game/1")
    with Log.read(log) as read:
        told = [sentence for each in story(read, read.game(1)).told for sentence in each.sentences]
        assert len(told) > 20
        exported = record(read, read.game(1))[0].dumps()
    assert all(html.escape(sentence, quote=True) in page.text for sentence in told)
    assert "Anne <b>" not in page.text and "Anne &lt;b&gt;" in page.text
    got = browser.get("/log/game/1/record")
    assert (got.text.strip(), got.headers["content-disposition"]) == (
        exported,
        'attachment; filename="tablier-game-1.json"',
    )


def test_each_board_is_that_after_so_many_moves_as_a_viewer_saw_it(log: Path, browser: httpx.Client) -> None:
    with Log.read(log) as read:
        last = read.game(1).moves
        moves = read.moves(1)
    first = browser.get("/log/game/1/board", params={"move": 0}).json()
    assert "makes an offer" in first["reading"] and first["board"].startswith("<svg")
    end = browser.get("/log/game/1/board", params={"move": last}).json()
    assert "wins with" in end["reading"] or "win with" in end["reading"]
    chosen = next(at for at, move in enumerate(moves, 1) if "peace" in move or "conflict" in move)
    seat = int(moves[chosen - 1][1])
    seen = [browser.get("/log/game/1/board", params={"move": chosen, "seat": n}).json()["reading"] for n in (1, 2, 3)]
    assert [text for n, text in enumerate(seen, 1) if n != seat].count(seen[seat - 1]) == 0
    assert browser.get("/log/game/1/board", params={"move": last + 1}).status_code == 404
    assert browser.get("/log/game/1/board", params={"move": "1e9"}).status_code == 400
    assert browser.get("/log/game/2000").text == "There is no game 2000 in this log.\n"


def test_one_who_reads_much_does_not_keep_others_waiting(
    pages: Served, browser: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, reading, arrived = threading.Semaphore(0), threading.Semaphore(0), threading.Event()
    game, record_ = Reading._game, Reading.record

    def read_slowly(self: Reading, number: int) -> Any:
        reading.release()
        read.acquire()
        return game(self, number)

    async def arrive(self: Reading, number: int) -> str:
        arrived.set()
        return await record_(self, number)

    monkeypatch.setattr(Reading, "_game", read_slowly)
    monkeypatch.setattr(Reading, "record", arrive)
    with ExitStack() as stack, ThreadPoolExecutor(1) as others:
        stack.callback(lambda: read.release(100))
        for _ in range(20):
            greedy = stack.enter_context(socket.create_connection(("127.0.0.1", pages.port), 10, ("127.0.0.2", 0)))
            greedy.sendall(f"GET /log/game/1 HTTP/1.1\r\nHost: 127.0.0.1:{pages.port}\r\n\r\n".encode())
        assert reading.acquire(timeout=10)
        came = others.submit(browser.get, "/log/game/1/record")
        assert arrived.wait(10)
        for _ in range(2):  # the one that is being read, and then this one
            read.release()
        try:
            assert came.result(10).status_code == 200
        finally:
            stack.close()


def test_what_is_asked_for_is_answered_or_refused(log: Path, browser: httpx.Client) -> None:
    with Log.read(log) as read:
        last = read.game(1).moves
    for address in ("/log/game/1", "/log/game/1/board"):
        for query, status, said in (
            ("seat=99", 404, "Game 1 has no seat 99."),
            ("seat=0", 404, "Game 1 has no seat 0."),
            (f"move={last + 1}", 404, f"Game 1 has no move {last + 1}."),
            ("move=1&move=2", 400, "The address has move more than once."),
            ("seats=2", 400, "This address does not take 'seats'."),
        ):
            refused = browser.get(f"{address}?{query}")
            assert (refused.status_code, refused.text) == (status, said + "\n"), (address, query)
        assert browser.get(f"{address}?move={last}&seat=2").status_code == 200
    for address in ("/log?after=3", "/log/verify?game=1", "/log/evening/1?game=1", "/log/game/1/record?seat=1"):
        assert browser.get(address).status_code == 400, address
    assert browser.get("/rules?game=dilemma&source=table").status_code == 400


def test_each_board_shows_the_last_move_of_a_seat(log: Path, browser: httpx.Client) -> None:
    with Log.read(log) as read:
        moves = read.moves(1)
    offered = next(at for at, move in enumerate(moves, 1) if "offer" in move)
    seat, _, rank = moves[offered - 1].split()
    board = browser.get("/log/game/1/board", params={"move": offered}).json()["board"]
    assert re.findall('data-part="(.*?)"[^>]* class="last"', board) == [f"{seat} {rank}"]
    assert 'class="last"' not in browser.get("/log/game/1/board", params={"move": 0}).json()["board"]


def test_an_evening_is_a_page_and_a_file_with_its_final_boards(browser: httpx.Client) -> None:
    assert 'href="/log/evening/1"' in browser.get("/log").text
    for address in ("/log/evening/1", "/log/evening/1/page"):
        page = browser.get(address).text
        assert page.count("<svg") == 1 and "Bernard" in page and "won by" in page
    saved = browser.get("/log/evening/1/page")
    assert "attachment" in saved.headers["content-disposition"]
    assert "<style>" in saved.text and not re.search(r"(src|href)=", saved.text)


def test_the_log_is_verified_from_a_page(browser: httpx.Client) -> None:
    assert "every game was run again" in browser.get("/log/verify").text


def test_the_log_is_not_verified_by_code_that_replaced_the_servers(
    browser: httpx.Client, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tablier.web.verifying._AGAIN_S", 0.0)
    monkeypatch.setattr("tablier.web.verifying.has_changed", lambda: True)
    with linked(log) as link:
        link.call("close", {"evening": link.call("evening")["evening"]})  # or it is known already
    answer = browser.get("/log/verify")
    assert answer.status_code == 503 and "files were changed after this program" in answer.text


def test_a_running_game_keeps_its_secrets_in_every_answer(pages: Served, log: Path, browser: httpx.Client) -> None:
    seats = [{"name": name, "source": "screen"} for name in ("Carla", "Dora", "Emil")]
    with linked(log) as link:
        game = opened(link, "play", game="struggle", seats=seats)
        seen = Seen(game, 1, 2, 3, None)
        updates = seen.wait(lambda told: told and told[-1].get("updates", [{}])[0].get("question") and told[-1])
        views = [update["view"] for update in updates["updates"]]
        cards = [views[seat - 1]["objectives"][f"p{seat}"] for seat in (1, 2, 3)]
        assert all(set(views[3]["objectives"].values()) == {"hidden"} for _ in cards)
        number = game.game
        texts = [browser.get(path).text for path in ("/log", f"/log/game/{number}", f"/log/game/{number}/record")]
        with Log.read(log) as read:
            moves = read.game(number).moves
        texts += [browser.get(f"/log/game/{number}/board", params={"move": at}).text for at in range(moves + 1)]
        texts.append(browser.get(f"/log/evening/{_evening(log, number)}").text)
        assert len(texts) == moves + 5 and all("Carla" in text for text in (texts[0], texts[1], *texts[3:]))
        told = [marks(text).replace("KQJ109START", "START") for text in texts]  # the pawns stand there in this order
        for card in map(marks, cards):
            assert not [text for text in told if card in text], card
        seat = browser.get(f"/log/game/{number}/board", params={"move": moves, "seat": 1})
        assert seat.status_code == 404 and "when the game is over" in seat.text
        assert 'class="board curve' not in texts[1]  # points follow from objectives
        game.stop()


def _evening(log: Path, game: int) -> int:
    with Log.read(log) as read:
        return read.game(game).evening


def test_points_are_a_curve_with_a_second_sign_beside_colours() -> None:
    drawn = curve([(0, 0), (1, 0), (1, 3)], ["Anne", "Bernard"])
    assert drawn is not None and drawn.count("<polyline") == 2
    assert len(set(re.findall('dasharray="(.*?)"', drawn))) == 2
    assert curve([(0, 0), (0, 0), (1, 0)], ["Anne", "Bernard"]) is None


def test_a_page_reads_its_own_games_alone_and_names_as_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, moved = tmp_path / "log.db", {"text": "p1 offer 3", "by": "table"}
    with Log.open(path) as log:
        anne = log.person("Anne")
        seat = {"person": anne, "named": log.bind(anne), "place": 1, "source": "table"}
        games = [log.begin_game("dilemma", {}, [seat]) for _ in range(9)]
        reading = Reading(path, Turns())
        monkeypatch.setattr(Log, "games", lambda log: pytest.fail("all games are read"))

        def listed(before: int | None = None) -> tuple[list[int], bool]:
            found = reading._evenings(before, 2)
            assert all(info.names == (name,) for info in found.games.values()) and len(found.games) <= 6
            return [each.number for each in found.evenings], found.more

        name = "Anne"
        for game in (1, 2, 3, 7, 8, 9):  # what nothing was played in is not listed
            log.append(games[game - 1], "move", moved)
        assert [listed(), listed(9), listed(4), listed(2), listed(1)] == [
            ([9, 8], True), ([8, 7], True), ([3, 2], True), ([1], False), ([], False)
        ]  # fmt: skip
        log.rename(anne, name := "Anna")
        assert listed(99) == ([9, 8], True)
        assert [info.moves for info in reading._evening(7).games.values()] == [1]


def test_a_board_is_that_of_the_moves_which_stand_with_names_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    with Log.open(path) as log:
        anne = log.person("Anne")
        seat = {"person": anne, "named": log.bind(anne), "place": 0, "source": "screen"}
        game = log.begin_game("d21", {}, [seat, {"name": "Zoe", "place": 0, "source": "greedy"}])
        reading = Reading(path, Turns())
        boards = []
        for move in ("p1 c3-c6", "p1 c3-b4"):
            log.append(game, "move", {"text": move, "by": "screen"})
            boards += [reading._board(game, at, None)["reading"] for at in (0, 1)]
            log.append(game, "takeback", {"to": 0, "by": 1, "agreed": []})
        assert boards[0] == boards[2] and len(set(boards)) == 3
        assert "Anne moves." in reading._board(game, 0, None)["reading"]
        log.rename(anne, "Anna")
        assert "Anna moves." in reading._board(game, 0, None)["reading"]
        on_phone = reading._board(game, 0, None, Surface.PHONE)
        assert on_phone["board"] != reading._board(game, 0, None)["board"]
        assert any(line.startswith("▶ Anna") for line in on_phone["beside"])
