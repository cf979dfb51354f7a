"""A sample of the campaign: clubs at a server that breaks once, kills at some statements, Ctrl-C in each wait."""

from __future__ import annotations

import random
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
from postgres import MISSING, Postgres, programs, server

from sample import sample, thorough
from tablier.archive.database import Archive

from .campaign import Goal, Season, correction_points, kill_points, words
from .client import Client
from .growing import Growing

_NUMBERS = count(1)


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    if programs() is None:
        pytest.skip(MISSING)
    with server() as running:
        yield running


@thorough
def test_clubs_lose_and_double_nothing_while_the_server_breaks(postgres: Postgres, tmp_path: Path) -> None:
    season = Season(tmp_path, postgres.make("clubs"), sample(2, 3), sample(Goal(1, 1, 1), Goal(50, 50, 5)), 1, postgres)
    assert season.spend().broken == []


def test_an_add_is_whole_or_not_there_wherever_it_is_killed(tmp_path: Path) -> None:
    assert kill_points(tmp_path, str(tmp_path / "archive.db"), 1, sample(29, 1)) > sample(0, 2)


def test_a_correction_is_whole_or_not_there_wherever_it_is_killed(tmp_path: Path) -> None:
    assert correction_points(tmp_path, str(tmp_path / "archive.db"), 1, sample(41, 1)) > sample(1, 3)


def test_ctrl_c_ends_a_wait_for_another_club_s_writer_at_a_file(tmp_path: Path) -> None:
    where = tmp_path / "archive.db"
    Archive.open(where, create=True).close()
    with closing(sqlite3.connect(where, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        client = waiting(tmp_path, str(where))
        client.interrupt()
        assert (client.hung, client.ended()) == (False, (-signal.SIGINT, "", ""))


@thorough
def test_ctrl_c_ends_a_wait_for_another_client_of_the_club_at_a_server(postgres: Postgres, tmp_path: Path) -> None:
    """And the others, that wait on, put each game in once."""
    where = postgres.make("waits")
    with Archive.open(where, create=True) as archive:
        with archive.writing("Club 1"):
            pass
        with archive.writing("Club 1"):
            clients = [waiting(tmp_path, where) for _ in range(3)]
            wait = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = 'waits'"
            while postgres.sql(wait) != [(len(clients),)]:
                assert not any(client.has_ended(0) for client in clients), "one has not waited"
            clients[0].interrupt()
            assert (clients[0].hung, clients[0].ended()) == (False, (-signal.SIGINT, "", ""))
    ends = [client.ended() for client in clients[1:]]
    assert [(ended.status, ended.err) for ended in ends] == [(0, ""), (0, "")]
    assert sorted(ended.out.rpartition(": ")[2] for ended in ends) == ["0 new games and 1 as before\n", "1 new game\n"]


def waiting(folder: Path, where: str) -> Client:
    """Return a client that adds a game."""
    if not (folder / "log.db").exists():
        Growing(folder / "log.db", random.Random(1)).close()
    return Client(words(folder / "log.db", "Club 1", where), folder / f"said{next(_NUMBERS)}")
