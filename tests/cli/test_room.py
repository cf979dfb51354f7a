"""The terminal as a room: people come in by the code, and are told of; the prompt keeps the door."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from cli.term import Term
from kept import kept, linked
from tablier import messages
from tablier.keeper import protocol, silence
from tablier.keeper.address import address_of
from tablier.keeper.client import KeeperError, Link
from tablier.keeper.starting import find, join

TABLIER = [sys.executable, "-m", "tablier.cli.main"]


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "log.db"
    with kept(path):
        yield path


class Phone:
    """A device that comes in by the code, or by a key."""

    def __init__(self, log: Path) -> None:
        self._context = linked(log, operator=False)
        self.link: Link = self._context.__enter__()
        self.told: list[messages.Notice] = []
        self.link.on_notice = self.told.append

    def join(self, code: str, name: str) -> dict[str, Any]:
        entry: dict[str, Any] = self.link.call("join", {"code": code, "name": name})
        if entry["key"] is not None:
            self.enter(entry["person"], entry["key"])
        return entry

    def enter(self, person: str, key: str) -> None:
        self.link.call("enter", {"evening": 1, "person": person, "key": key})

    def close(self) -> None:
        self._context.__exit__(None, None, None)


@pytest.fixture
def phones(log: Path) -> Iterator[Any]:
    made: list[Phone] = []

    def phone() -> Phone:
        made.append(Phone(log))
        return made[-1]

    yield phone
    for each in made:
        each.close()


def code_of(link: Link) -> str:
    """Return the code of the evening, as the operator is told it."""
    found: list[str] = []

    def hear(notice: messages.Notice) -> None:
        if isinstance(notice, messages.Evening) and notice.inside is not None:
            found.append(notice.inside.code or "")

    link.on_notice = hear
    link.call("follow", {"evening": 1, "games": False})
    while not found:
        link.call("list")
    return found[-1]


def here(link: Link) -> list[tuple[str, int, str, bool]]:
    (evening,) = link.call("list")["evenings"]
    return [(each["name"], each["place"], each["by"], each["organiser"]) for each in evening["here"]]


def until(holds: Callable[[], object]) -> None:
    deadline = monotonic() + 30
    while not holds():
        assert monotonic() < deadline
        sleep(0.05)


def test_the_prompt_keeps_the_door(log: Path, phones: Any) -> None:
    with linked(log) as link, Term("evening", "--plain", "--with", "Anne", "--log", log) as term:
        term.shows("Which game?")
        assert here(link) == [("Anne", 0, "terminal", False)]
        code = code_of(link)
        phone, second = phones(), phones()
        lea = phone.join(code, "Léa")
        term.shows("Léa is here.")
        term.shows("':organiser Léa' lets Léa begin games and let people in, by phone.")
        term.type(":host")
        term.shows("No browser can be opened from here")
        term.type(":come Léa@3")
        term.shows("Here: Anne, Léa@3.")
        assert second.join(code, "Léa")["wish"] == 1
        term.shows("Léa asks to come in by another device")
        term.type("yes")
        term.shows("Léa has come in")
        until(lambda: any(isinstance(each, messages.LetIn) for each in second.told))
        (let_in,) = (each for each in second.told if isinstance(each, messages.LetIn))
        second.enter(let_in.person, let_in.key)
        with pytest.raises(KeeperError):
            phone.enter(lea["person"], lea["key"])  # it is the second one's now
        for typed, said in (
            (":organiser léa", "Léa is an organiser now."),
            (":rename Léa, Lea Marie", "Léa is called Lea Marie now."),
            (":door close", "The door is closed"),
        ):
            term.type(typed)
            term.shows(said)
        assert here(link) == [("Anne", 0, "terminal", False), ("Lea Marie", 3, "phone", True)]
        with pytest.raises(KeeperError):
            phones().join(code, "Mia")
        term.type(":door open")
        term.until(lambda: term.text.rstrip().endswith("\n>"))
        assert code_of(link) != code
        term.type(":go lea")
        term.shows("Lea Marie has gone.")
        assert [name for name, *_ in here(link)] == ["Anne"]
        term.type("yes")
        term.shows("Nobody asks to be let in.")
        term.type(":end")
        assert term.ends()[0] == 0


def test_who_was_shown_out_and_is_back_is_told_like_all_others(log: Path, phones: Any) -> None:
    with linked(log) as link, Term("evening", "--plain", "--with", "Anne", "--log", log) as term:
        term.shows("Which game?")
        term.type(":go Anne")
        term.shows("Anne has gone.")
        assert "you were shown out" not in term.text
        term.type(":come Anne")
        until(lambda: here(link) == [("Anne", 0, "terminal", False)])
        phone = phones()
        assert phone.join(code_of(link), "Anne")["wish"] == 1
        term.shows("Anne asks to come in by another device")
        term.type("yes")
        term.shows("another device is Anne now")
        assert "you were shown out" not in term.text


def test_a_terminal_that_was_stopped_holds_nobody(log: Path, phones: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a computer that sleeps. Who has not come in elsewhere meanwhile is there again."""
    monkeypatch.setattr(silence, "ABSENT_S", silence.QUIET_S + 1.5)
    people = ("--with", "Anne", "--with", "Bea")
    with linked(log) as link, Term("evening", "--plain", *people, "--log", log) as term:
        term.shows("Which game?")

        def are(anne: str, bea: str) -> None:
            until(lambda: here(link) == [("Anne", 0, anne, False), ("Bea", 0, bea, False)])

        are("terminal", "terminal")
        term.process.send_signal(signal.SIGSTOP)
        are("", "")
        phones().join(code_of(link), "Anne")  # at once: nobody is asked
        are("phone", "")
        term.process.send_signal(signal.SIGCONT)
        are("phone", "terminal")
        term.type(":come Carl")
        term.shows("Here: Anne, Bea, Carl.")


def test_who_plays_by_a_phone_is_not_at_the_terminal_too(log: Path, phones: Any) -> None:
    with linked(log) as link, Term("evening", "--plain", "--with", "Bea", "--log", log) as term:
        term.shows("Which game?")
        phone = phones()
        lea = phone.join(code_of(link), "Léa")
        term.shows("Léa is here.")
        term.type(":come Léa@3")
        term.shows("Here: Bea, Léa@3.")
        term.type("d21")
        term.shows("D.21, game 1")
        phone.link.call("leave", {"evening": 1, "person": lea["person"]})
        until(lambda: here(link) == [("Bea", 0, "terminal", False), ("Léa", 3, "", False)])


def test_a_game_is_shown_for_who_is_here_and_goes_on_for_the_others(log: Path, phones: Any) -> None:
    with linked(log) as link, Term("evening", "--plain", "--with", "Anne", "--log", log) as term:
        term.shows("Which game?")
        phone = phones()
        phone.join(code_of(link), "Léa")
        term.shows("Léa is here.")
        term.type("d21")
        term.shows("D.21, game 1: Anne, Léa.")
        (game,) = link.call("list")["games"]
        assert game["held"] == [1, 2]
        term.shows("Anne")
        term.type("quit")
        term.shows("Leave? The game continues for Léa.")
        term.type("yes")
        term.shows("Game 1 continues for Léa")
        assert [each["game"] for each in link.call("list")["games"]] == [1], "Léa still plays"
        term.shows("D.21, game 1, is being played. Enter shows it here.")
        term.type("")
        term.until(lambda: term.text.count("D.21, game 1: Anne, Léa.") >= 1 and "Type" in term.lines[-1] + term.text)
        before = len(term.output)
        for typed, said in (("quit", b"Leave? The game"), ("yes", b"Enter shows it here.")):
            term.type(typed)
            term.until(lambda said=said: said in term.output[before:])  # type: ignore[misc]
        link.call("stop", {"game": 1})
        term.shows("D.21 was stopped. resume 1 plays it on.")
        term.shows("Which game? Enter resumes D.21, game 1")


def test_an_evening_that_an_organiser_ends_elsewhere_ends_at_the_prompt(log: Path) -> None:
    with linked(log) as link, Term("evening", "--plain", "--with", "Anne", "--log", log) as term:
        term.shows("Which game?")
        link.call("close", {"evening": 1})
        status, said = term.ends()
        assert status == 0 and said.rstrip().endswith("Evening 1 is over.")


def test_invite_shows_where_and_by_which_code_people_come_in(log: Path) -> None:
    def invite(*options: str) -> subprocess.CompletedProcess[str]:
        command = [*TABLIER, "invite", *options, "--log", str(log)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    none = invite()
    assert (none.returncode, none.stderr) == (2, "tablier: no evening is open\n")
    with linked(log) as link:
        link.call("evening", {})
        assert "nobody serves its pages" in invite().stderr
        other = invite("--evening", "7")
        assert (other.returncode, other.stderr) == (2, "tablier: evening 7 is not open; open: 1\n")


def test_somebody_is_renamed_while_the_keeper_runs(log: Path) -> None:
    with linked(log) as link:
        link.call("evening", {"people": [{"name": "Ane"}]})
        command = [*TABLIER, "people", "rename", "ane", "Anne", "--yes", "--log", str(log)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr) == ("Ane is called Anne now; no game was played so far.\n", "")
        assert here(link) == [("Anne", 0, "", False)]
        done = subprocess.run(
            [*command[:-4], "Bea", "--yes", *command[-2:]], capture_output=True, text=True, check=False
        )
        assert done.returncode == 2 and "nobody is called ane" in done.stderr


def test_the_keeper_stays_as_long_as_a_phone_is_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log.db"
    operator = join(log)
    people = operator.call("evening", {"people": [{"name": "Léa"}]})["people"]
    monkeypatch.setattr(protocol, "hello", partial(protocol.hello, passive=True))  # as the server of the pages says
    phone = Link(address_of(log))
    phone.call("enter", {key: people[0][key] for key in ("evening", "person", "key")})
    operator.close()
    assert [each["evening"] for each in phone.call("list")["evenings"]] == [1]
    phone.close()
    while find(log) is not None:
        sleep(0.05)


def test_a_game_by_itself_names_the_evening_that_is_open(log: Path) -> None:
    with linked(log) as link:
        link.call("evening", {"people": [{"name": "Anne"}]})
        options = [
            "--option",
            "max_plies=2",
            "--pace",
            "0",
            "--no-table",
            "--seat",
            "Zoe=screen",
            "--seat",
            "Yves=random",
        ]
        with Term("play", "d21", "--plain", *options, "--log", log) as term:
            term.shows("Evening 1 is open. This game is played apart from it; 'tablier evening")
            term.shows("D.21, game 1")


def test_five_games_of_play_are_one_evening_and_show_who_comes(log: Path, phones: Any) -> None:
    options = ["--option", "max_plies=2", "--pace", "0", "--no-table", "--seat", "Zoe=screen", "--seat", "Yves=random"]
    with linked(log) as link, Term("play", "d21", "--plain", *options, "--log", log) as term:
        term.shows("D.21, game 1")
        phones().join(code_of(link), "Léa")
        term.shows("Léa is here.")
        assert here(link)[0] == ("Zoe", 0, "terminal", False)
        for game in range(1, 4):
            term.shows(f"D.21, game {game}")
            term.type(":leave random")
            term.shows(f"Logged as game {game}")
            term.type("again")
        term.shows("D.21, game 4")
        (evening,) = link.call("list")["evenings"]
        assert len(evening["games"]) == 4
