"""The record of a game: one JSON object, its moves in notation; reading, checking and replaying it.

The format is the project's contract with other programs: ``tablier`` is 1; ``game``, ``players`` and ``moves`` must be
there; ``options`` may be missing; ``result`` belongs to finished games. Files are UTF-8 and hold one record, or one
record a line.
"""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from tablier.games import rules_of
from tablier.games.core import IllegalMove, MalformedMove, Position, Rules, RulesError, seat_name, shown
from tablier.printable import printable_json
from tablier.texts import Json, Text, TextError, text_of

FORMAT = 1
STANDARD_INPUT = "-"
"""Stands for standard input where a file of records is named."""


class RecordError(TextError):
    """A record, or a file of them, that cannot be read or replayed; the text is one line: where, what, why."""


@dataclass(frozen=True)
class Record:
    """The moves of one game, finished or not."""

    game: str
    players: tuple[str, ...]
    moves: tuple[str, ...] = ()
    options: Json = field(default_factory=dict)
    result: Json | None = None

    def rules(self) -> Rules[Any]:
        """Raise ``OptionError`` when the game, its options or the number of players is not allowed."""
        return rules_of(self.game, len(self.players), self.options)

    @property
    def settled(self) -> Json:
        """Return the options with which the moves were made: those that a prelude would settle have their defaults,
        if the record does not name them."""
        prelude = self.rules().prelude()
        named = {key: prelude.game.OPTIONS[key].default for key in prelude.SETTLES} if prelude else {}
        return {**named, **self.options}

    def to_json(self) -> Json:
        """Return the record as its JSON object, keys in the customary order."""
        data: Json = {
            "tablier": FORMAT,
            "game": self.game,
            "players": list(self.players),
            "options": self.options,
            "moves": list(self.moves),
        }
        if self.result is not None:
            data["result"] = self.result
        return data

    def dumps(self) -> str:
        """Return the record as one line of JSON, which UTF-8 can always say, and which commands no terminal."""
        return printable_json(json.dumps(self.to_json(), ensure_ascii=False))


def record_of(position: Position[Any], players: tuple[str, ...]) -> Record:
    """Return the record of a position's history, with the result when the game is over.

    What a session asked idly is not in it.
    """
    rules = position.rules
    return Record(
        game=rules.name,
        players=players,
        moves=tuple(map(str, position.recorded)),
        options=rules.given,
        result=result_of(position) if position.is_over else None,
    )


def ranks(won: Sequence[bool], points: Sequence[float] | None = None) -> list[int]:
    """Return the rank of each seat of a game: the winners share the first, the others follow by points.

    :param points: more being better; without them all that have not won tie.
    """
    keys = [(not winner, 0.0 if winner or points is None else -points[seat]) for seat, winner in enumerate(won)]
    known = {key: rank for rank, key in enumerate(sorted(set(keys)), 1)}
    return [known[key] for key in keys]


def result_of(position: Position[Any]) -> Json:
    """``{"scores": {seat: number}, "winners": [seat]}``, the running scores while the game runs."""
    rules, state = position.rules, position.state
    return {
        "scores": {seat_name(seat): score for seat, score in enumerate(rules.scores(state), 1)},
        "winners": [seat_name(seat) for seat in rules.winners(state)],
    }


def summary(position: Position[Any]) -> Json:
    """Return what ``tablier replay`` prints of a record."""
    return {
        "game": position.rules.name,
        "ply": position.ply,
        "terminal": position.is_over,
        "to_move": [seat_name(actor) for actor in position.to_move],
        **result_of(position),
    }


# -- reading -------------------------------------------------------------------------------------------


def parse_record(data: object) -> Record:
    """Return the record that a JSON value holds, its form checked, its moves not yet. Raise :class:`RecordError`."""
    if not isinstance(data, dict):
        raise RecordError("a record is a JSON object, not {kind}", kind=_kind(data))
    missing = [key for key in ("tablier", "game", "players", "moves") if key not in data]
    if missing:
        raise RecordError("missing: {missing}", missing=missing)
    if type(data["tablier"]) is not int or data["tablier"] != FORMAT:
        raise RecordError(
            "'tablier' is {tablier}; this program reads format {known}", tablier=shown(data["tablier"]), known=FORMAT
        )
    if not isinstance(data["game"], str):
        raise RecordError("'game' is a string, not {kind}", kind=_kind(data["game"]))
    options = data.get("options", {})
    if not isinstance(options, dict):
        raise RecordError("'options' is an object, not {kind}", kind=_kind(options))
    result = data.get("result")
    if "result" in data and not isinstance(result, dict):
        raise RecordError("'result' is an object, not {kind}", kind=_kind(result))
    return Record(
        game=data["game"],
        players=_strings(data, "players", "player"),
        moves=_strings(data, "moves", "move"),
        options=options,
        result=result,
    )


def _strings(data: Json, key: str, one: str) -> tuple[str, ...]:
    """Return the strings of the list at a key; an error names ``one`` of them by its number, as for an illegal move."""
    value = data[key]
    if not isinstance(value, list):
        raise RecordError("{key} is a list of strings, not {kind}", key=repr(key), kind=_kind(value))
    for number, item in enumerate(value, 1):
        if not isinstance(item, str):
            raise RecordError(
                "{one} {number}: {item}: a {one} is a string, not {kind}",
                one=one,
                number=number,
                item=shown(item),
                kind=_kind(item),
            )
    return tuple(value)


_KINDS: dict[type, Text] = {
    dict: Text("an object"),
    list: Text("a list"),
    str: Text("a string"),
    bool: Text("a truth value"),
    type(None): Text("null"),
}


A_NUMBER = Text("a number")


def _kind(value: object) -> Text:
    return _KINDS.get(type(value)) or A_NUMBER


def replay(record: Record, *, conducted: bool = False) -> Position[Any]:
    """Play every move of a record, checked, and compares its result. Raise :class:`RecordError`.

    ``conducted``: the moves are those of a session, what it asked idly included.
    """
    try:
        rules = record.rules()
        position = Position(rules.conducted() if conducted else rules)
    except RulesError as error:
        raise RecordError(text_of(error)) from None
    for number, text in enumerate(record.moves, 1):
        try:
            position.parse_push(text)
        except (MalformedMove, IllegalMove) as error:
            raise RecordError(
                "move {number}: {given}: {error}", number=number, given=shown(text), error=error
            ) from None
    if record.result is not None:
        _compare_result(record.result, position)
    return position


def _compare_result(result: Json, position: Position[Any]) -> None:
    if not position.is_over:
        raise RecordError("the record has a result, but its game is not over")
    seats = position.rules.seats
    names = [seat_name(seat) for seat in range(1, seats + 1)]
    scores, winners = result.get("scores"), result.get("winners")
    if not isinstance(scores, dict) or set(scores) != set(names):
        raise RecordError("the scores of a result hold a number for each of {names}, and nothing else", names=names)
    for name, score in scores.items():
        if isinstance(score, bool) or not isinstance(score, int | float):
            raise RecordError("the score of {name} is a number, not {kind}", name=name, kind=_kind(score))
    if not isinstance(winners, list) or not all(isinstance(name, str) for name in winners):
        raise RecordError("the winners of a result are a list of seats")
    if not set(winners) <= set(names) or len(set(winners)) < len(winners):
        raise RecordError(
            "the winners of a result are seats of {names}, none twice; seen: {winners}",
            names=names,
            winners=shown(winners),
        )
    replayed = result_of(position)
    if scores != replayed["scores"]:
        raise RecordError(
            "the result says scores {scores}, but the moves give {given}",
            scores=shown(scores),
            given=replayed["scores"],
        )
    if set(winners) != set(replayed["winners"]):
        raise RecordError(
            "the result says winners {winners}, but the moves give {given}",
            winners=shown(winners),
            given=replayed["winners"],
        )


def read_records(path: str) -> Iterator[Record]:
    """Return the records of a file, one after another.

    Raises :class:`RecordError`, which names the file and the number of the record, after the good records before it.
    """
    try:
        content = Path(path).read_bytes() if path != STANDARD_INPUT else _standard_input()
    except OSError as error:
        raise RecordError("{path}: {strerror}", path=file_name(path), strerror=error.strerror or error) from None
    except ValueError as error:  # a name that no file can have
        raise RecordError("{path}: {error}", path=file_name(path), error=error) from None
    number = 0
    for number, part in enumerate(_parts(content), 1):
        try:
            yield parse_record(parse_json(part))
        except RecordError as error:
            raise _in_file(path, number, error) from None
    if not number:
        raise RecordError("{path}: no record in this file", path=file_name(path))


def _in_file(path: str, number: int, error: RecordError) -> RecordError:
    return RecordError("{path}: record {number}: {error}", path=file_name(path), number=number, error=error)


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise OSError("it is closed")
    return sys.stdin.buffer.read()


def file_name(path: str) -> str:
    """Return a file's name in an error, which is one line whatever the name."""
    if path == STANDARD_INPUT:
        return "standard input"
    return path if path.isprintable() else shown(path)


def _parts(content: bytes) -> list[bytes]:
    """Return the file as the texts that hold a record each: its lines, or the whole if its first value is longer."""
    content = content.removeprefix(codecs.BOM_UTF8)
    lines = [line for line in content.split(b"\n") if line.removesuffix(b"\r").strip(b" \t")]
    return [content] if len(lines) > 1 and _goes_on(lines[0]) else lines


def _goes_on(line: bytes) -> bool:
    """Return whether a JSON value begins on this line and would have to end on a later one."""
    try:
        text = line.decode("utf-8")
        _DECODER.decode(text)
    except json.JSONDecodeError as error:
        return error.pos >= len(text.rstrip())
    except (ValueError, RecursionError):
        pass
    return False


def parse_json(content: bytes) -> object:
    """Return the value of JSON in a file that people may have written. Raise :class:`RecordError` also for what other
    readers silently repair: a key that an object has twice. A byte order mark, with which some editors begin UTF-8, is
    passed over."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise RecordError("begins with the byte order mark of UTF-16; save it as UTF-8")
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        return _DECODER.decode(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise RecordError("not UTF-8 (byte {byte})", byte=error.start + 1) from None
    except RecursionError:
        raise RecordError("nested too deeply") from None
    except json.JSONDecodeError as error:
        text = "not JSON: {what} (column {column})"
        if b"\n" in content:
            text = "not JSON: {what} (line {line}, column {column})"
        raise RecordError(text, what=error.msg, line=error.lineno, column=error.colno) from None
    except RecordError:
        raise
    except ValueError as error:
        raise RecordError("not JSON: {error}", error=error) from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no value of JSON")


def _whole(digits: str) -> int | float:
    """Return a whole number; one with more digits than Python converts counts as beyond all others, as 1e999 does."""
    try:
        return int(digits)
    except ValueError:
        return float(digits)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object, none of whose keys may stand there twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise RecordError("the key {key} stands twice in one object; leave one out", key=shown(twice))
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse_constant, parse_int=_whole)


def replay_file(path: str) -> Iterator[tuple[Record, Position[Any]]]:
    """Replay every record of a file. Raise :class:`RecordError` naming file, record and move."""
    for number, record in enumerate(read_records(path), 1):
        try:
            yield record, replay(record)
        except RecordError as error:
            raise _in_file(path, number, error) from None
