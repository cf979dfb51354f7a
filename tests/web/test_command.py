"""``tablier web``: it keeps a keeper, starts it again with its games, and ends on an interrupt without a trace."""

from __future__ import annotations

import os
import re
import select
import signal
import socket
import ssl
import subprocess
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from evenings import enter, key_of
from msgspec import convert
from scanned import shows_code
from served import Stream, command

import replies
from cli.term import Term
from installed import needs
from keeper.seen import Seen
from tablier.cli.main import main
from tablier.keeper.client import GameLink, entries_of
from tablier.keeper.starting import find, join
from tablier.messages import Opened
from tablier.web.hosts import own_addresses
from tablier.web.noted import served_at

SEATS = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard", "Christine")]


def test_a_killed_keeper_comes_back_with_its_game_and_pages_follow(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    with command(log) as (program, said):
        address = said[0].split()[0]
        assert served_at(log) == [address] and "#operator=" in said[1]
        link = join(log)
        begun = link.call("play", {"game": "dilemma", "seats": SEATS})
        game = GameLink(link, begun["game"], {1: entries_of(convert(begun, Opened))[1]})
        with httpx.Client(base_url=address, headers={"origin": address.rstrip("/")}, timeout=30) as browser:
            enter(browser, key_of(begun, 2))
            with Stream(browser, "public,mine") as stream:
                question = Seen(game, 1).wait(lambda told: told and told[-1]["updates"][0]["question"])
                game.reply(replies.play("offer 5", id=question["id"], seat=1))
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
        assert main(["web", "--log", str(log)]) == 0
        assert capsys.readouterr().out.splitlines() == said[:2]  # the operator's too
        assert main(["web", "--lan", "--log", str(log)]) == 2
        assert capsys.readouterr().err == f"tablier: {log}: its pages are served already, at {address}\n"
        port = address.rstrip("/").rpartition(":")[2]
        assert main(["web", "--log", str(tmp_path / "other.db"), "--port", port]) == 2
        assert capsys.readouterr().err == f"tablier: port {port}: Address already in use\n"


def test_a_log_is_served_again_at_its_port_unless_somebody_else_has_that(tmp_path: Path) -> None:
    """Phones look for it there."""
    log, other = tmp_path / "log.db", tmp_path / "other.db"
    with command(log) as (_, said):
        first = said[0].split()[0]
        with command(other) as (_, said):
            second = said[0].split()[0]
    with command(other) as (_, said):
        assert said[0].split()[0] == second != first
    with socket.create_server(("127.0.0.1", httpx.URL(first).port or 0)), command(log) as (_, said):
        assert said[0].split()[0] != first


def test_for_other_machines_it_says_what_that_means(tmp_path: Path) -> None:
    with Term("web", "--lan", "--log", tmp_path / "log.db") as term:
        term.shows("Ctrl-C ends.")
        term.process.send_signal(signal.SIGTERM)
        said = term.ends()[1].replace("\n", " ")
        assert "neighbours on this network can read and change" in said
        if own_addresses():
            (address,) = re.findall(r"On this network: (http://[0-9.]+:[0-9]+/)", said)
            assert shows_code(term, f"{address}in")


def certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """Make a certificate for this machine; return it, and its key."""
    cert, key = folder / f"{name}.pem", folder / f"{name}-key.pem"
    kind = ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1")
    of = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
    subprocess.run(["openssl", *kind, *of, "-keyout", key, "-out", cert], check=True, capture_output=True)
    return cert, key


@needs("openssl")
def test_pages_come_by_https_with_a_certificate_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, (cert, key), (_, other) = tmp_path / "log.db", certificate(tmp_path, "own"), certificate(tmp_path, "other")
    assert main(["web", "--log", str(log), "--cert", str(cert), "--key", str(other)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"tablier: {cert}, {other}: not a certificate with its key in PEM") and said.count("\n") == 1
    with command(log, "--cert", str(cert), "--key", str(key), files=200) as (program, told), ExitStack() as stack:
        address = told[0].split()[0]
        assert address.startswith("https://127.0.0.1:")
        port = httpx.URL(address).port or 0
        silent = [stack.enter_context(socket.create_connection(("127.0.0.1", port), 10)) for _ in range(500)]
        assert silent[0].recv(1) == b"" and not select.select(silent[-1:], [], [], 0)[0]  # the first one made room
        trusting = ssl.create_default_context(cafile=cert)
        headers = {"origin": address.rstrip("/")}
        with httpx.Client(base_url=address, headers=headers, verify=trusting, timeout=20) as browser:
            assert browser.get("/").status_code == 200
            operator = told[1].partition("#operator=")[2].split()[0]
            assert browser.post("/enter", json={"operator": operator}).is_success
            (cookie,) = browser.cookies.jar
            assert cookie.secure and cookie.path == "/" and cookie.name.startswith("__Host-tablier-")
            assert not cookie.domain_specified
            plain = {"origin": address.rstrip("/").replace("https", "http")}
            assert browser.post("/enter", json={"operator": operator}, headers=plain).status_code == 403
            with Stream(browser) as stream:
                stream.wait("list")
                link = join(log)
                link.call("play", {"game": "d21", "seats": SEATS[:2]})
                stream.wait("list", lambda state: state["games"])
                link.call("stop", {"game": 1})
                link.close()
        with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
            httpx.get(address)
        with pytest.raises(httpx.TransportError):
            httpx.get(address.replace("https", "http"))
        program.send_signal(signal.SIGTERM)
        program.wait(20)
        assert program.stderr is not None and program.stderr.read() == ""
