"""Games with every stream of every browser searched at every step for what its reader may not see."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from onlookers import NAMES, Game, marks
from served import Served, Stream, served

from kept import kept, linked
from sample import sample
from tablier.games.core import seat_name
from tablier.keeper.client import Link


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Link]]:
    log = tmp_path_factory.mktemp("secrets") / "log.db"
    with kept(log), linked(log) as link, served(log) as pages:
        yield pages, link


def test_objectives_of_others_reach_no_browser(pages: tuple[Served, Link]) -> None:
    with ExitStack() as stack:
        while True:
            game = Game(*pages, stack, "struggle")
            game.seen.wait(lambda told: told and told[-1].get("updates", [{}])[0].get("question"))
            objectives = {n: marks(game.updates[n]["view"]["objectives"][seat_name(n)]) for n in (1, 2, 3)}
            assert len(set(objectives.values())) == 3
            if "KQJ109" not in objectives.values():  # in this order pawns stand on every board
                break
            game.link.stop()
        for step in range(12):
            game.settle()
            for viewer, reader in game.readers.items():
                text = reader.text
                for seat, objective in objectives.items():
                    shown = objective in text or objective in marks(json.dumps(reader.states))
                    assert shown == (seat == viewer), (step, viewer, seat)
            game.choose(game.updates[None]["question"]["waiting"][0], step)
        game.link.stop()


@pytest.mark.parametrize("choices", sample([(0, 1), (1, 1)], [(0, 0), (0, 1), (1, 0), (1, 1)]))
def test_a_duel_reaches_no_browser_before_it_is_opened(pages: tuple[Served, Link], choices: tuple[int, int]) -> None:
    with ExitStack() as stack:
        game = Game(*pages, stack, "dilemma")
        game.to_a_choice()
        secret = []
        duellists = list(game.updates[None]["question"]["seats"])
        for seat, choice in zip(duellists, choices, strict=True):
            secret.append(game.choose(seat, choice)["commitment"])
        game.settle()
        question = game.updates[None]["question"]
        assert question["open"]
        first = game.reply(duellists[0])
        secret += [first["nonce"], game.binders[duellists[1]]._held[1].hex()]  # type: ignore[index]
        game.settle()
        for viewer, reader in game.readers.items():
            raw = "".join(reader.raw)
            assert not [each for each in secret if each in raw], viewer
            reading = reader.states[f"game-{game.number}"]["reading"].splitlines()
            assert all(f"{NAMES[seat - 1]}: has not chosen." in reading for seat in duellists)
            assert not re.search("(Anne|Bernard|Christine): (peace|conflict)", game.told(viewer)), viewer
        ply = game.updates[None]["ply"]
        game.reply(duellists[1])
        assert game.updates[None]["ply"] > ply
        game.settle()
        told = game.told(None)
        words = ("conflict", "peace")
        chosen = [question["options"][choice] for choice in choices]
        assert all(f": {word}" in told for word in words if any(word in each for each in chosen))
        game.link.stop()


def test_no_page_is_told_which_program_plays(pages: tuple[Served, Link]) -> None:
    server, link = pages
    seats = [{"name": "Anne", "source": "screen"}, {"name": "Zoe", "source": "bot:/bin/sleep 77"}]
    game = link.call("play", {"game": "d21", "seats": seats})["game"]
    link.call("watch", {"game": game, "viewers": [None]})
    with server.browser() as browser, Stream(browser) as stream:
        listed = stream.wait("list", lambda state: any(each["game"] == game for each in state["games"]))["state"]
        state = stream.wait(f"game-{game}", lambda state: state["seats"])["state"]
        assert [seat["source"] for seat in state["seats"]] == ["screen", "bot"]
        assert "sleep" not in json.dumps([state, listed])
    link.call("stop", {"game": game})
