"""What people are told is a template with arguments, in every game: names, numbers and words go in when it is shown."""

from __future__ import annotations

import ast
import json
import random
import re
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import tablier
from sample import sample
from tablier.games import GAMES, game_class, rules_of
from tablier.games.core import MalformedMove, Rules
from tablier.texts import Failure, Json, Text, TextError, Typed, Who, all_of, render, text_from

OPTIONS: dict[str, Json] = {"d21": {"max_plies": 30}}
GAMES_PLAYED = {"d21": sample(12, 60), "struggle": sample(6, 200), "dicke-daemonen": sample(10, 200)}
MOST = 80
"""Templates that one game may need, those of its refusals included."""
NAMES, OTHERS = ([chr(first + seat) for seat in range(6)] for first in (0xE000, 0xE100))
AS_NAMES = str.maketrans(dict(zip(OTHERS, NAMES, strict=True)))


def games(name: str) -> Iterator[tuple[Rules[Any], random.Random]]:
    for seed in range(GAMES_PLAYED.get(name, sample(20, 200))):
        seats = game_class(name).seat_counts
        yield rules_of(name, seats[seed % len(seats)], OPTIONS.get(name)), random.Random(seed)


def told(rules: Rules[Any], rng: random.Random) -> Iterator[Text]:
    """What is said in a random game: of its moves, and of others that are not legal."""
    state, pool = rules.initial(), []
    while legal := rules.legal(state):
        actor = rng.choice(sorted({move.actor for move in legal}))
        verb = rng.choice(sorted({move.verb for move in legal if move.actor == actor}))
        move = rng.choice([move for move in legal if (move.actor, move.verb) == (actor, verb)])
        after = rules.apply(state, move)
        yield from (event.text for event in rules.events(state, move, after))
        pool.append(move)
        for other in rng.sample(pool, min(2, len(pool))):
            words = [f"p{rng.randint(1, rules.seats)}", *str(other).split()[1:]]
            if rng.random() < 0.2:
                words = [*words[:2], rng.choice(["hello", "99", "none", "a1"])]
            try:
                reason = rules.refuse(state, rules.parse(" ".join(words)))
            except MalformedMove as error:
                reason = error.text
            if reason is not None:
                yield reason
        state = after


def templates(text: Json) -> Iterator[str]:
    fields = {field for _, field, _, _ in string.Formatter().parse(text["text"]) if field is not None}
    assert fields <= set(text["args"]), f"nothing fills a field of {text}"
    yield text["text"]
    values = list(text["args"].values())
    while values:
        value = values.pop()
        if isinstance(value, list):
            values += value
        elif isinstance(value, dict) and "text" in value:
            yield from templates(value)


@pytest.mark.parametrize("name", GAMES)
def test_a_game_says_all_it_says_by_few_templates(name: str) -> None:
    found: set[str] = set()
    seen = 0
    for rules, rng in games(name):
        for text in told(rules, rng):
            assert isinstance(text, Text)
            told_json = text.to_json()
            found |= set(templates(told_json))
            shown = render(told_json, NAMES)
            assert shown == render(told_json, OTHERS).translate(AS_NAMES), "only names differ"
            assert not re.search(r"\bp[1-6N]\b|[{}]", shown), f"{shown!r} names a seat or has a field left"
            assert len(shown.splitlines()) == 1 and len(str(text).splitlines()) == 1
            seen += 1
    assert seen > 1000
    # A number that is not an argument stands in a template only as part of a rule: "a rank from 1 to 10".
    assert len(found) <= MOST, sorted(found)


@pytest.mark.parametrize("name", GAMES)
def test_the_templates_of_events_hold_no_figures(name: str) -> None:
    for rules, rng in games(name):
        state = rules.initial()
        while legal := rules.legal(state):
            move = rng.choice(legal)
            after = rules.apply(state, move)
            for event in rules.events(state, move, after):
                text = event.text.to_json()
                for template in templates(text):
                    assert not re.search(r"\d", template), template
                fields = {field for _, field, _, _ in string.Formatter().parse(event.text.template) if field}
                assert fields == set(event.text.args), f"an argument that nobody needs could tell a secret: {text}"
            state = after
        if rng.random() < 0.5:
            break


@cache
def sources(folder: str = "") -> list[tuple[str, str, ast.Module]]:
    """The names, texts and trees of the package's files, or of those in a folder of it."""
    if folder:
        here = f"{folder}/"
        return [found for found in sources() if found[0].startswith(here)]
    root = Path(tablier.__file__).parent
    texts = [(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")) for path in root.rglob("*.py")]
    return [(name, text, ast.parse(text)) for name, text in texts]


def kinds_of_failure() -> set[str]:
    """The names of all errors whose message is a text: :class:`Failure`, and what is derived from it."""
    classes = [node for _, _, tree in sources() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    kinds, before = {Failure.__name__}, 0
    while len(kinds) > before:
        before = len(kinds)
        kinds |= {node.name for node in classes for base in node.bases if ast.unparse(base).rpartition(".")[2] in kinds}
    return kinds


def test_no_text_is_made_of_an_f_string() -> None:
    """A value that was put into the template could not be told from it any more, nor could a finished sentence."""
    makers = {"Text", *kinds_of_failure()}
    assert {"CommandError", "TableError", "LogError", "RecordError", "LayoutError", "OptionError"} <= makers
    finished = (ast.JoinedStr, ast.BinOp)
    found = []
    calls = 0
    for name, source, tree in sources():
        if "rich.text" in source:
            continue  # its Text is another one
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in makers and node.args:
                calls += 1
                text = node.args[0]
                made = isinstance(text, ast.Call) and isinstance(text.func, ast.Name) and text.func.id == "str"
                found += [f"{name}:{node.lineno}"] * (made or isinstance(text, finished))
    assert calls > 400
    assert found == []


@pytest.mark.parametrize("folder", ["table", "screens", "service", "play"])
def test_no_function_returns_a_finished_reason(folder: str) -> None:
    """What is returned or told as ``why`` is a text: nobody must take a sentence apart again."""
    found = []
    for file, _, tree in sources(folder):
        for node in ast.walk(tree):
            if isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
                name = node.arg if isinstance(node, ast.arg) else ast.unparse(node.target)
                if name.rpartition(".")[2] in ("why", "warning", "refusal", "_refusal", "reason", "advice", "by_claim"):
                    found += [f"{file}:{node.lineno}"] * ("str" in ast.unparse(node.annotation).split(" | "))
    assert found == []


def test_a_text_comes_back_from_json() -> None:
    inner = Text("{who} plays {move}", {"who": Who(2), "move": Typed("p2", "c3-c6")})
    text = Text("{first}, and {all}", {"first": inner, "all": [Who(1), 3, "x"]})
    again = text_from(json.loads(json.dumps(text.to_json())))
    assert again == text and again.to_json() == text.to_json()
    assert str(text_from("a {finished} sentence")) == "a {finished} sentence"


def test_an_error_says_values_of_any_kind_and_other_errors() -> None:
    inner = TextError("{who} has {{{count}}}", who=Who(2), count=3)
    outer = Failure("{path}: {why} {rest}", path=Path("a{b}"), why=inner, rest={"seat": 1, "text": "x"})
    assert str(outer) == "a{b}: p2 has {3} {'seat': 1, 'text': 'x'}"
    told_json = outer.text.to_json()
    assert json.loads(json.dumps(told_json)) == told_json
    assert render(told_json, ["Zoe", "Max"]).startswith("a{b}: Max has")


def test_a_text_is_told_with_names_and_recorded_with_seats() -> None:
    args = {"who": Who(2), "all": all_of([Who(1), Who(2), Who(3)]), "move": Typed("p1", "c3-c6"), "count": 3}
    text = Text("{who}: {all} may play {move} {count} times", args)
    assert render(text.to_json(), ["Zoe", "{who}", "p1"]) == "{who}: Zoe, {who} and p1 may play c3-c6 3 times"
    assert str(text) == "p2: p1, p2 and p3 may play p1 c3-c6 3 times"
