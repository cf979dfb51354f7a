"""Simulated people who follow a record, in a game that may take another course."""

from __future__ import annotations

import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playing import a_table, begin, meant_game, play
from tests.heard import an_update

import following
from following import Followed, Follower
from sample import thorough
from tablier.games.core import Position
from tablier.games.core.people import shows
from tablier.log import Log
from tablier.messages import Seat
from tablier.record import Record
from tablier.simulation import tester
from tablier.simulation.people import plain_mind
from tablier.simulation.simulated import SimulatedTable
from tablier_fw import colours
from tablier_fw.pico.plain import pack

RECORDS = [meant_game(3, seed) for seed in (1, 2, 5)]


@cache
def follower(number: int, seat: int) -> Follower:
    record = RECORDS[number]
    seats = [Seat(name="", place=seat, source="table") for seat in (1, 2, 3)]
    game = an_update(rules="dilemma", seats=seats)
    return Follower(plain_mind(game, seat, "greedy", seat), Followed(record.rules(), record.moves))


@cache
def offers_and_windows(number: int) -> list[Position[Any]]:
    record = RECORDS[number]
    position, found = Position(record.rules()), []
    for move in record.moves:
        if " offer " in move or " offer " in str(position.moves[-1]):
            found.append(position.copy())
        position.parse_push(move)
    return found


def throws_from(record: Record, ply: int) -> list[tuple[int, int, str]]:
    ahead = record.moves[ply : record.moves.index("table close", ply)]
    return [(int(seat[1:]), int(rank), how) for seat, _, rank, how in map(str.split, ahead)]


@given(st.sampled_from(range(3)), st.sampled_from(range(3)), st.data())
def test_whatever_course_the_game_takes_somebody_plays_on(played: int, followed: int, data: st.DataObject) -> None:
    """Nobody plays a card of another game, and in no window everybody waits for a throw that does not come."""
    position = data.draw(st.sampled_from(offers_and_windows(played)))
    view = position.rules.view(position.state, None)
    update = an_update(ply=position.ply, view=view)
    hands = {seat: set(view["hands"][f"p{seat}"]) for seat in (1, 2, 3)}
    people = {seat: follower(followed, seat) for seat in hands}
    for person in people.values():
        person.look(update)
    turn = position.state.turn
    if view["phase"] == "offer":
        moves = [f"offer {rank}" for rank in hands[turn]]
        assert people[turn].play(update, moves, False) in moves
        return
    pile = throws_from(RECORDS[played], position.ply)
    pile = pile[: data.draw(st.integers(0, len(pile)), label="thrown")]
    for seat, rank, _ in pile:
        hands[seat].remove(rank)
    throws = {seat: person.throw(update, pile) for seat, person in people.items() if seat != turn}
    assert any(throws.values()) or not any(people[seat].throws_later(pile) for seat in throws)
    assert all(throw is None or throw[0] in hands[seat] for seat, throw in throws.items())


@given(st.sampled_from(range(3)), st.data())
def test_a_record_that_the_game_is_is_followed(number: int, data: st.DataObject) -> None:
    position = data.draw(st.sampled_from([at for at in offers_and_windows(number) if at.state.phase == "window"]))
    update = an_update(ply=position.ply, view=position.rules.view(position.state, None))
    ahead = throws_from(RECORDS[number], position.ply)
    thrown = data.draw(st.integers(0, len(ahead)))
    throws = []
    for seat in (1, 2, 3):
        person = follower(number, seat)
        person.look(update)
        throw = person.throw(update, ahead[:thrown])
        throws += [] if throw is None else [(seat, *throw)]
    assert throws == ahead[thrown : thrown + 1]


@thorough
@pytest.mark.long
def test_where_a_record_ends_people_go_on(tmp_path: Path) -> None:
    path, file = tmp_path / "log.db", tmp_path / "record.json"
    meant, begun = RECORDS[0], 6
    file.write_text(Record(meant.game, meant.players, meant.moves[:begun]).dumps() + "\n", encoding="utf-8")
    words = ["play", *following.seated(meant), "--virtual", "--plain", "--log", str(path)]
    done = subprocess.run([sys.executable, following.__file__, str(file), *words], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and "Final scores" in done.stdout
    with Log.read(path) as log:
        moves = log.moves(1)
    assert moves[:begun] == list(meant.moves[:begun]) and len(moves) > begun


def test_where_the_game_is_not_the_records_any_more_people_go_on(tmp_path: Path) -> None:
    """As when somebody at the table has played otherwise."""
    meant = meant_game(3, 5)
    with a_table(seed=3) as table, Log.open(tmp_path / "log.db") as log:
        position = play(log, begin(log, meant, len(meant.moves) - 8), table, meant_game(3, 6).moves)
    assert position.is_over


def test_people_leave_without_a_word_when_their_table_is_gone() -> None:
    """Who ends a game ends the table too; what people say then stands below the game on the same terminal."""
    with SimulatedTable(virtual=True) as table:
        hands = tester.Tester(table.control)
        command = [sys.executable, "-m", "tablier.simulation.people", str(hands.fileno()), "{}"]
        people = subprocess.Popen(
            command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=[hands.fileno()], text=True
        )
        hands.close()
    _, told = people.communicate(timeout=60)
    assert (people.returncode, told) == (0, "")


def test_people_read_while_time_stands_still() -> None:
    """Nobody who tells them something may have to wait for them, or neither would ever go on."""
    with SimulatedTable(virtual=True) as table:
        table.tester.join()
        hands = tester.Tester(table.control)
        hands.join()
        command = [sys.executable, "-m", "tablier.simulation.people", str(hands.fileno()), "{}"]
        people = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=[hands.fileno()])
        hands.close()
        table.tester.wait(0.001)  # time goes on when they wait, and then stands again
        assert people.stdin is not None
        writing = threading.Thread(target=people.stdin.write, args=[b"null\n" * 100_000], daemon=True)
        writing.start()
        writing.join(20)
        stuck = writing.is_alive()
    people.kill()
    people.communicate()
    assert not stuck


def test_an_option_is_known_by_its_colour_as_a_pico_dims_it() -> None:
    """A Pico takes something back from a hood that is white throughout; what cannot be picked is at an eighth."""
    options = range(1, len(colours.PALETTE))
    for number in options:
        bright = colours.option_look(number)
        dim = tuple(channel >> 3 for channel in bright)
        words = [0] * 5
        pack(bytes(bright) * 5, words, [5, 0, 150 * 255 // 20], 1)
        capped = words[0] >> 16 & 255, words[0] >> 24, words[0] >> 8 & 255
        for seen in (bright, capped):
            assert [other for other in options if shows(bytes(seen).hex(), other)] == [number]
        assert not any(shows(bytes(dim).hex(), other) for other in options)
