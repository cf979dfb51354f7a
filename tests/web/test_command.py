"""``tablier web``: it keeps a keeper, starts it again with its games, and ends on an interrupt without a trace."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from scanned import shows_code
from served import Stream

from cli.term import Term
from keeper.seen import Seen
from tablier.cli.main import main
from tablier.keeper.client import GameLink
from tablier.keeper.starting import find, join
from tablier.web.noted import served_at
from tablier.web.serving import own_addresses

SEATS = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard", "Christine")]


@contextmanager
def command(log: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """Run ``tablier web``; yield it with what it says."""
    words = [sys.executable, "-m", "tablier.cli.main", "web", "--log", str(log), *options]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        said = []
        try:
            for line in program.stdout:
                said.append(line.strip())
                if "Ctrl-C" in line:
                    break
            yield program, said
        finally:
            program.kill()


def test_a_killed_keeper_comes_back_with_its_game_and_pages_follow(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    with command(log) as (program, said):
        address = said[0].split()[0]
        assert served_at(log) == [address] and "#operator=" in said[1]
        link = join(log)
        begun = link.call("play", {"game": "dilemma", "seats": SEATS})
        game = GameLink(link, begun["game"], {1: begun["keys"]["1"]})
        with httpx.Client(base_url=address, headers={"origin": address.rstrip("/")}, timeout=30) as browser:
            key = {"game": begun["game"], "seat": 2, "key": begun["keys"]["2"]}
            assert browser.post("/enter", json=key).is_success
            with Stream(browser, "public,mine") as stream:
                question = Seen(game, 1).wait(lambda told: told and told[-1]["updates"][0]["question"])
                game.reply({"event": "played", "id": question["id"], "seat": 1, "move": "offer 5"})
                name = f"game-{begun['game']}"
                stream.wait(name, lambda state: state["ply"] == 1)
                os.kill(link.keeper["pid"], signal.SIGKILL)
                stream.wait("keeper", lambda state: not state["here"])
                stream.wait("keeper", lambda state: state["here"])
                resumed = stream.wait(f"{begun['game']}-2", lambda state: state["ply"] == 1 and state["question"])
                assert resumed["state"]["seats"][0]["name"] == "Anne"
        link.close()
        program.send_signal(signal.SIGINT)
        assert program.wait(20) == 130
        assert program.stderr is not None and program.stderr.read() == ""
    assert not served_at(log)
    left = find(log)  # it has a game open
    assert left is not None
    left.call("stop", {"game": begun["game"]})
    left.close()
    assert find(log) is None  # nobody is left


def test_a_second_one_says_where_the_first_one_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log.db"
    with command(log) as (_, said):
        address = said[0].split()[0]
        assert main(["web", "--log", str(log)]) == 2
        assert capsys.readouterr().err == f"tablier: {log}: its pages are served already, at {address}\n"
        port = address.rstrip("/").rpartition(":")[2]
        assert main(["web", "--log", str(tmp_path / "other.db"), "--port", port]) == 2
        assert capsys.readouterr().err == f"tablier: port {port}: Address already in use\n"


def test_for_other_machines_it_says_what_that_means(tmp_path: Path) -> None:
    with Term("web", "--lan", "--log", tmp_path / "log.db") as term:
        term.shows("Ctrl-C ends.")
        term.process.send_signal(signal.SIGTERM)
        said = term.ends()[1].replace("\n", " ")
        assert "neighbours on this network can read and change" in said
        if own_addresses():
            (address,) = re.findall(r"On this network: (http://[0-9.]+:[0-9]+/)", said)
            assert shows_code(term, f"{address}seat")
