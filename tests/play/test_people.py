"""Simulated people who follow a record, in a game that may take another course."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from playing import a_table, begin, meant_game, play

import following
from sample import thorough
from tablier.games.core.people import shows
from tablier.log.store import Log
from tablier.record import Record
from tablier.simulation import tester
from tablier.simulation.simulated import SimulatedTable
from tablier_fw import colours
from tablier_fw.pico.plain import pack

RECORDS = [meant_game(3, seed) for seed in (1, 2, 5)]


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
