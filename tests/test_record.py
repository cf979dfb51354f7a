"""The record of a game: what is accepted, what is an error, and which line names what."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sample import sample
from tablier.games import GAMES, game_class, rules_of
from tablier.games.core import Position
from tablier.record import Record, RecordError, parse_record, read_records, record_of, replay, replay_file, summary
from tablier.texts import Json
from wording import Wording

MOVES = ["p1 offer 8", "p2 throw 3 flat", "table close", "p1 duel peace", "p2 duel conflict"]
EXAMPLE: Json = {
    "tablier": 1,
    "game": "dilemma",
    "players": ["Anne", "Bernard", "Christine"],
    "options": {},
    "moves": MOVES,
}


def finished_record() -> Json:
    """A whole game: offers that nobody answers, one after another."""
    position = Position(rules_of("dilemma", 3, {"first": "p2"}))
    while not position.is_over:
        position.push(position.legal_moves[-1])
    return record_of(position, ("Anne", "Bernard", "Christine")).to_json()


def begun_record(name: str) -> Json:
    """Some moves of a game, whichever come first in the lists."""
    position = Position(rules_of(name, game_class(name).seat_counts[-1], {}))
    while position.ply < 30 and not position.is_over:
        position.push(position.legal_moves[position.ply % len(position.legal_moves)])
    return record_of(position, tuple("ABCDEF"[: position.rules.seats])).to_json()


FINISHED = finished_record()
DROP = object()


def changed(record: Json, **changes: object) -> Json:
    return {key: value for key, value in {**record, **changes}.items() if value is not DROP}


def error_of(data: object) -> str:
    with pytest.raises(RecordError) as caught:
        replay(parse_record(data))
    text = str(caught.value)
    assert len(text.splitlines()) == 1
    return text


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("records") / "games.jsonl"


def read(path: Path, content: str | bytes) -> tuple[list[Json], str | None]:
    """Return the summaries of a file's records, and the error that ended them or ``None``."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    lines = []
    try:
        for _, position in replay_file(str(path)):
            lines.append(summary(position))
    except RecordError as error:
        text = str(error)
        assert text.startswith(f"{path}: ")
        assert len(text.splitlines()) == 1
        return lines, text.removeprefix(f"{path}: ")
    return lines, None


def lines(*records: object) -> str:
    return "\n".join(json.dumps(record) for record in records) + "\n"


# -- one record ---------------------------------------------------------------------------------------------


def test_the_example_of_the_format_goes_on() -> None:
    assert summary(replay(parse_record(EXAMPLE))) == {
        "game": "dilemma",
        "ply": 5,
        "terminal": False,
        "to_move": ["p2"],
        "scores": {"p1": 0, "p2": 11, "p3": 0},
        "winners": [],
    }


def test_a_summary_has_its_keys_in_order_and_its_seats_too() -> None:
    line = summary(replay(parse_record(changed(EXAMPLE, moves=["p1 offer 8"]))))
    assert list(line) == ["game", "ply", "terminal", "to_move", "scores", "winners"]
    assert line["to_move"] == ["p2", "p3", "table"]
    assert list(line["scores"]) == ["p1", "p2", "p3"]


def test_a_finished_game_names_its_winners_and_nobody_to_move() -> None:
    line = summary(replay(parse_record(FINISHED)))
    assert line["terminal"] is True
    assert line["to_move"] == []
    assert line["winners"] == FINISHED["result"]["winners"] != []
    assert line["scores"] == FINISHED["result"]["scores"]


@pytest.mark.parametrize("key", ["tablier", "game", "players", "moves"])
def test_what_must_be_there_is_named_when_it_is_missing(key: str) -> None:
    assert error_of(changed(EXAMPLE, **{key: DROP})) == f"missing: {key}"


def test_all_that_is_missing_is_named(wording: Wording) -> None:
    wording(error_of({}))


def test_missing_options_are_the_defaults() -> None:
    record = parse_record(changed(EXAMPLE, options=DROP))
    assert record.options == {}
    assert replay(record) == replay(parse_record(EXAMPLE))


@pytest.mark.parametrize("data", [None, [], [EXAMPLE], "dilemma", 1, True, 1.5])
def test_a_record_is_an_object(data: object) -> None:
    assert error_of(data).startswith("a record is a JSON object, not ")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"tablier": 2}, "'tablier' is 2; this program reads format 1"),
        ({"tablier": True}, "'tablier' is True"),
        ({"game": "go"}, "there is no game 'go'; the games: d21, dicke-daemonen, dilemma"),
        ({"game": None}, "'game' is a string, not null"),
        ({"players": "Anne"}, "'players' is a list of strings, not a string"),
        ({"players": ["Anne", None, "Christine"]}, "player 2: None: a player is a string, not null"),
        ({"players": ["Anne", "Bernard"]}, "3, 4 or 5 players, not 2"),
        ({"options": None}, "'options' is an object, not null"),
        ({"options": {"lives": 3}}, "no option 'lives'; its options: first"),
        ({"options": {"first": "p4"}}, "option first is 'p4'; allowed: a seat from p1 to p3"),
        ({"moves": None}, "'moves' is a list of strings, not null"),
        ({"moves": ["p1 offer 8", 3]}, "move 2: 3: a move is a string, not a number"),
        ({"moves": ["p1 offer 8", False]}, "move 2: False: a move is a string, not a truth value"),
    ],
)
def test_what_is_wrong_about_the_form_of_a_record(change: Json, reason: str) -> None:
    assert reason in error_of(changed(EXAMPLE, **change))


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("p1 offer 7", "there is an offer already"),
        ("p1  throw 3 flat", "single spaces"),
        ("p2 throw 03 flat", "'03' is not a number"),
        ("p2 throw 3 flat ", "single spaces"),
        ("p2 throw 3\tflat", "the form is: pN throw RANK LANDING"),
        ("p9 throw 3 flat", "no actor 'p9'"),
        ("p2 jump 3", "no move 'jump'"),
        ("", "a move is an actor, a verb and its arguments"),
        ("p2 throw 3 flat\n", r"not 'flat\n'"),
        ("p2 throw " + "9" * 5000 + " flat", "at most 200 characters, not 5014"),
        ("p2 throw " + "9" * 180 + " flat", "from 1 to 10"),
        ("p2 throw 3 \ud800", r"not '\ud800'"),
    ],
)
def test_a_bad_move_is_named_by_its_number_with_its_text_and_the_reason(move: str, reason: str) -> None:
    text = error_of(changed(EXAMPLE, moves=["p1 offer 8", move, "table close"]))
    assert text.startswith("move 2: '")
    assert reason in text
    assert len(text) < 500
    if len(move) < 100 and move.isprintable():
        assert f"move 2: {move!r}: " in text


def test_a_move_after_the_end_is_refused() -> None:
    moves = [*FINISHED["moves"], "p1 offer 1"]
    text = error_of(changed(FINISHED, moves=moves, result=DROP))
    assert text == f"move {len(moves)}: 'p1 offer 1': the game is over"


def test_a_simultaneous_choice_may_come_in_any_order() -> None:
    other = [*EXAMPLE["moves"][:3], "p2 duel conflict", "p1 duel peace"]
    assert replay(parse_record(changed(EXAMPLE, moves=other))) == replay(parse_record(EXAMPLE))


def test_unknown_keys_are_ignored_whatever_they_hold(path: Path) -> None:
    for value in ("9" * 5000, "-" + "9" * 5000, "1e999", '{"tablier": 2}'):
        assert read(path, lines(EXAMPLE).replace("{", f'{{"id": {value}, ', 1)) == (
            [summary(replay(parse_record(EXAMPLE)))],
            None,
        )
    data = changed(FINISHED, comment={"deep": [1]}, result={**FINISHED["result"], "turns": 30})
    assert replay(parse_record(data)) == replay(parse_record(FINISHED))


# -- the result ---------------------------------------------------------------------------------------------


def test_a_finished_record_without_a_result_is_accepted() -> None:
    assert replay(parse_record(changed(FINISHED, result=DROP))).is_over


def test_a_result_in_an_unfinished_record_is_an_error(wording: Wording) -> None:
    result = {"scores": {"p1": 0, "p2": 11, "p3": 0}, "winners": []}
    wording(error_of(changed(EXAMPLE, result=result)))


def test_scores_compare_as_numbers_and_winners_as_a_set() -> None:
    scores = {name: float(score) for name, score in reversed(FINISHED["result"]["scores"].items())}
    winners = FINISHED["result"]["winners"][::-1]
    assert len(winners) > 1  # else the order says nothing
    assert replay(parse_record(changed(FINISHED, result={"scores": scores, "winners": winners}))).is_over


SCORES, WINNERS = FINISHED["result"]["scores"], FINISHED["result"]["winners"]


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (None, "'result' is an object, not null"),
        ({}, "a number for each of p1, p2, p3"),
        ({"scores": SCORES}, "the winners of a result are a list of seats"),
        ({"scores": {"p1": 54, "p2": 55}, "winners": WINNERS}, "a number for each of p1, p2, p3"),
        ({"scores": {**SCORES, "p4": 0}, "winners": WINNERS}, "and nothing else"),
        ({"scores": {**SCORES, "p1": "54"}, "winners": WINNERS}, "the score of p1 is a number, not a string"),
        ({"scores": {**SCORES, "p1": 53}, "winners": WINNERS}, "but the moves give"),
        ({"scores": {**SCORES, "p1": 1e999}, "winners": WINNERS}, "but the moves give"),
        ({"scores": SCORES, "winners": []}, "but the moves give"),
        ({"scores": SCORES, "winners": WINNERS[:1]}, "but the moves give"),
        ({"scores": SCORES, "winners": WINNERS + WINNERS[:1]}, "none twice"),
        ({"scores": SCORES, "winners": ["p4"]}, "seats of p1, p2, p3"),
        ({"scores": SCORES, "winners": [1]}, "a list of seats"),
    ],
)
def test_a_result_that_is_not_the_replayed_one_is_an_error(result: object, reason: str) -> None:
    assert reason in error_of(changed(FINISHED, result=result))


# -- what is written ------------------------------------------------------------------------------------------


def test_a_record_is_written_with_a_result_exactly_when_the_game_is_over() -> None:
    position = replay(parse_record(FINISHED))
    assert record_of(position, tuple(FINISHED["players"])).to_json() == FINISHED
    position.pop()
    assert "result" not in record_of(position, tuple(FINISHED["players"])).to_json()


def test_options_are_written_as_they_were_given() -> None:
    assert record_of(replay(parse_record(FINISHED)), ("A", "B", "C")).options == {"first": "p2"}
    assert record_of(replay(parse_record(EXAMPLE)), ("A", "B", "C")).options == {}


def test_keys_come_in_the_customary_order() -> None:
    assert list(FINISHED) == ["tablier", "game", "players", "options", "moves", "result"]


def test_a_dumped_record_is_one_line_that_reads_well() -> None:
    line = Record("dilemma", ("Zoé", "日本\n", "\x85\u2028")).dumps()
    assert "\n" not in line
    assert "Zoé" in line
    assert parse_record(json.loads(line)).players == ("Zoé", "日本\n", "\x85\u2028")


def test_a_dumped_record_can_always_be_written_as_utf_8() -> None:
    record = parse_record(json.loads('{"tablier": 1, "game": "dilemma", "players": ["é\\ud800"], "moves": []}'))
    assert parse_record(json.loads(record.dumps().encode("utf-8"))) == record


# -- files ------------------------------------------------------------------------------------------------------


def test_a_file_may_hold_one_record_over_several_lines(path: Path) -> None:
    assert read(path, json.dumps(EXAMPLE, indent=1)) == ([summary(replay(parse_record(EXAMPLE)))], None)


def test_a_file_may_hold_one_record_a_line(path: Path) -> None:
    summaries, error = read(path, lines(EXAMPLE, FINISHED, EXAMPLE))
    assert error is None
    assert [line["ply"] for line in summaries] == [5, len(FINISHED["moves"]), 5]


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n\n\r\n"])
def test_a_last_line_may_end_or_not(path: Path, end: str) -> None:
    assert read(path, json.dumps(EXAMPLE) + end)[1] is None


def test_carriage_returns_and_empty_lines_are_ignored_and_not_counted(wording: Wording, path: Path) -> None:
    bad = changed(EXAMPLE, moves=["p1 offer 11"])
    content = "\r\n\n" + json.dumps(EXAMPLE) + "\r\n\r\n\n" + json.dumps(bad) + "\r\n"
    summaries, error = read(path, content)
    assert len(summaries) == 1
    wording(error)


@pytest.mark.parametrize("separator", ["\r", "\x0b", "\x0c", "\x85", "\u2028", "\x1e"])
def test_only_a_newline_ends_a_line(path: Path, separator: str) -> None:
    content = json.dumps(EXAMPLE) + separator + json.dumps(EXAMPLE)
    summaries, error = read(path, content)
    assert summaries == []
    assert error is not None and error.startswith("record 1: not JSON: Extra data")
    inside = json.dumps(changed(EXAMPLE, players=["a" + separator + "b", "", ""]), ensure_ascii=False)
    if separator in "\x85\u2028":  # what JSON allows inside a string does not end the record either
        assert read(path, inside + "\n" + inside)[1] is None


@pytest.mark.parametrize("content", ["", "\n", "\r\n\r\n", "  \n\t\n"])
def test_a_file_without_a_record_is_an_error(path: Path, content: str) -> None:
    assert read(path, content) == ([], "no record in this file")


def test_the_records_before_a_bad_one_are_given(path: Path) -> None:
    for bad in [b"{", b"[]", b"x", b"\xff\xfe", b'{"tablier": 1}', json.dumps(changed(EXAMPLE, moves=["x"])).encode()]:
        content = lines(EXAMPLE, FINISHED).encode() + bad + b"\n" + lines(EXAMPLE).encode()
        summaries, error = read(path, content)
        assert len(summaries) == 2
        assert error is not None and error.startswith("record 3: ")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"x", "record 1: not JSON: Expecting value (column 1)"),
        (b'{"tablier": 1 "game"}', "record 1: not JSON: Expecting ',' delimiter (column 15)"),
        (b'{"tablier": 1,\n "game" "dilemma"}\n', "record 1: not JSON: Expecting ':' delimiter (line 2, column 9)"),
        (b'{"tablier": 1}x\n{"tablier": 1}', "record 1: not JSON: Extra data (column 15)"),
        (b'{"tablier": NaN}', "record 1: not JSON: NaN is no value of JSON"),
        (b'{"x": -Infinity}', "record 1: not JSON: -Infinity is no value of JSON"),
        (b"\xff", "record 1: not UTF-8 (byte 1)"),
        ("é".encode("latin-1"), "record 1: not UTF-8 (byte 1)"),
        (json.dumps(EXAMPLE).encode("utf-16"), "record 1: begins with the byte order mark of UTF-16; save it as UTF-8"),
        (b'{"tablier": 1, "moves": [], "moves": ["x"]}', "record 1: the key 'moves' stands twice in one object"),
        (rb'{"options": {"x": [{"y\n": 1, "y\n": 1}]}}', r"record 1: the key 'y\n' stands twice in one object"),
        (b"[" * 100_000, "record 1: nested too deeply"),
        (b"[" * 100_000 + b"\n[", "record 1: nested"),
        (b'{"tablier": -' + b"9" * 5000 + b', "game": 1, "players": 1, "moves": 1}', "record 1: 'tablier' is -inf"),
        (b"{}", "record 1: missing: tablier, game, players, moves"),
        (b"[]", "record 1: a record is a JSON object, not a list"),
    ],
)
def test_what_cannot_be_read_is_named_by_file_and_record(path: Path, content: bytes, reason: str) -> None:
    summaries, error = read(path, content)
    assert summaries == []
    assert error is not None and error.startswith(reason)


@pytest.mark.parametrize("indent", [None, 2], ids=["a line each", "one over many lines"])
def test_a_record_that_an_editor_has_begun_with_a_byte_order_mark_is_read(path: Path, indent: int | None) -> None:
    summaries, error = read(path, json.dumps(EXAMPLE, indent=indent).encode("utf-8-sig"))
    assert (len(summaries), error) == (1, None)


def test_a_result_and_an_option_are_named_by_file_and_record(wording: Wording, path: Path) -> None:
    wording(read(path, lines(EXAMPLE, changed(EXAMPLE, result={})))[1])
    wording(read(path, lines(changed(EXAMPLE, options={"x": 1})))[1])


@pytest.mark.parametrize("name", ["none.json", ".", "x" * 300, "a\nb", "nul\0"])
def test_a_file_that_cannot_be_read_is_one_line_with_its_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(RecordError) as caught:
        list(read_records(f"{tmp_path}/{name}"))
    text = str(caught.value)
    assert len(text.splitlines()) == 1
    assert str(tmp_path) in text


def test_a_deeply_nested_value_is_quoted_short(path: Path) -> None:
    deep = "[" * 900 + "]" * 900
    for record in (
        lines(EXAMPLE).replace("{}", f'{{"first": {deep}}}'),
        lines(EXAMPLE).replace("1,", f"{deep},", 1),
        lines(FINISHED).replace('"winners": [', f'"winners": [{deep},'),
    ):
        error = read(path, record)[1]
        assert error is not None and error.startswith("record 1: ")
        assert len(error) < 300


# -- anything at all ------------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.sampled_from(MOVES),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=sample(80, 200), deadline=None)
@given(content=st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_arbitrary_bytes_are_a_record_error_of_one_line(path: Path, content: bytes) -> None:
    summaries, error = read(path, content)
    assert summaries == []
    assert error is not None


@settings(max_examples=sample(100, 300), deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_a_damaged_file_is_read_or_a_record_error_of_one_line(path: Path, data: st.DataObject, seed: int) -> None:
    content = bytearray(lines(EXAMPLE, FINISHED, EXAMPLE).encode())
    rng = random.Random(seed)
    for _ in range(data.draw(st.integers(1, 4))):
        at, to = rng.randrange(len(content)), rng.randrange(len(content))
        how = rng.randrange(4)
        if how == 0:
            content[at] ^= 1 << rng.randrange(8)
        elif how == 1:
            del content[at : at + rng.randrange(20)]
        elif how == 2:
            content[at:at] = data.draw(st.binary(max_size=8))
        else:
            content[at:at] = content[to : to + rng.randrange(40)]
    read(path, bytes(content))


def spots(value: object, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from spots(inner, (*at, key))


@settings(max_examples=sample(100, 300), deadline=None)
@given(base=st.sampled_from([EXAMPLE, FINISHED, *map(begun_record, GAMES)]), data=st.data())
def test_a_record_with_other_values_is_replayed_or_a_record_error_of_one_line(base: Json, data: st.DataObject) -> None:
    record = json.loads(json.dumps(base))
    places = [spot for spot in spots(record) if spot]
    *way, last = data.draw(st.sampled_from(places))
    holder = record
    for key in way:
        holder = holder[key]
    if isinstance(holder, dict) and data.draw(st.booleans()):
        del holder[last]
    else:
        holder[last] = data.draw(JSON)
    try:
        position = replay(parse_record(record))
    except RecordError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert [str(move) for move in position.moves] == record["moves"]
