"""What people are told is a template with arguments, in every game: names, numbers and words go in when it is shown."""

from __future__ import annotations

import ast
import json
import random
import re
import string
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from tests.catalogue import OFFERS, Catalogue, Message, Reader, catalogue, classes, past, sources

from sample import sample
from tablier.games import GAMES, game_class, rules_of, script_of
from tablier.games.core import MalformedMove, Position, Rules
from tablier.games.core.questions import Conditions
from tablier.texts import (
    Failure,
    Json,
    Language,
    Text,
    TextError,
    Typed,
    Who,
    all_of,
    any_of,
    clauses,
    counted,
    in_turn,
    render,
    text_from,
)

OPTIONS: dict[str, Json] = {"d21": {"max_plies": 30}}
GAMES_PLAYED = {"d21": sample(12, 60), "struggle": sample(6, 200), "dicke-daemonen": sample(10, 200)}
MOST = 80
"""Templates that one game may need, those of its refusals included."""
NAMED = ["Anne", "Bernard", "Christine"]
NAMES, OTHERS = ([chr(first + seat) for seat in range(6)] for first in (0xE000, 0xE100))
AS_NAMES = str.maketrans(dict(zip(OTHERS, NAMES, strict=True)))


@pytest.fixture(scope="module", autouse=True)
def forget_the_sources() -> Iterator[None]:
    """Keep no tree of them: half a million objects, in which each later search for garbage looks."""
    yield
    sources.cache_clear()
    classes.cache_clear()


def games(name: str) -> Iterator[tuple[Rules[Any], random.Random]]:
    for seed in range(GAMES_PLAYED.get(name, sample(20, 200))):
        seats = game_class(name).seat_counts
        yield rules_of(name, seats[seed % len(seats)], OPTIONS.get(name)), random.Random(seed)


def told(rules: Rules[Any], rng: random.Random) -> Iterator[Text]:
    """Return the texts of a random game: about its moves, and about illegal ones."""
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


def fields(text: Json) -> set[str]:
    """The fields of both forms of a template; the number is one of them where it has two."""
    forms = (text["text"], text.get("one", ""))
    found = {field for form in forms for _, field, _, _ in string.Formatter().parse(form) if field is not None}
    return found | ({"count"} if "one" in text else set())


def templates(text: Json) -> Iterator[str]:
    assert fields(text) <= set(text["args"]), f"nothing fills a field of {text}"
    yield text["text"]
    values = list(text["args"].values())
    while values:
        value = values.pop()
        if isinstance(value, dict) and "list" in value:
            value = value["list"]
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
                assert fields(text) == set(text["args"]), f"an argument that nobody needs could tell a secret: {text}"
            state = after
        if rng.random() < 0.5:
            break


def test_every_template_is_a_literal() -> None:
    """A value that was put into the template could not be told from it any more, and no catalogue would have it."""
    found = catalogue()
    assert len(found.messages) > 800
    assert found.faults == []
    (session,) = (text for name, text, _ in sources() if name == "course/session.py")
    assert session.count("Text(text)") == 1 and all(f'"{offer}"' in session for offer in OFFERS)


def test_every_sentence_is_written_once() -> None:
    """A word alone may mean one thing here and another there, and so may a template of another context."""
    assert doubles(catalogue()) == {}


def doubles(found: Catalogue) -> dict[str, list[str]]:
    """Return the templates of more than a word that are written at several places, with these."""
    return {
        message.template: sorted(places)
        for message, places in found.places.items()
        if len(places) > 1 and re.search(r"[ {]", message.template)
    }


def test_a_sentence_that_is_written_twice_is_found() -> None:
    lines = [
        "from tablier.texts import Text, counted",
        "OVER = Text('it is over')",
        "Failure('it is over'), Text('a word'), Text('a word', context='apart'), Text('over')",
        "[counted(n, 'one {it}', '{n} of {it}') for n in (1, 2)]",
        "TEXT = '{n} of {it}'",
        "counted(3, 'one {it}', TEXT), Text('over'), OVER.of()",
    ]
    found = Catalogue()
    Reader(found, "made.py", ast.parse("\n".join(lines))).read()
    assert doubles(found) == {"it is over": ["made.py:2", "made.py:3"], "{n} of {it}": ["made.py:4", "made.py:5"]}


def test_a_computed_template_is_found(tmp_path: Path) -> None:
    lines = [
        "from tablier.texts import Text, counted",
        "WORDS = {1: 'a word'}",
        "def say(name, kind):",
        "    text = 'so far'",
        "    Text('fine'), Text(text), Text(WORDS[kind]), Text('yes' if name else 'no'), counted(2, 'one', 'many')",
        *(f"    {call}" for call in COMPUTED),
    ]
    found = Catalogue()
    Reader(found, "made.py", ast.parse("\n".join(lines))).read()
    assert found.faults == [f"made.py:{number}" for number in range(6, 6 + len(COMPUTED))]
    assert {message.template for message in found.messages} == {"fine", "so far", "a word", "yes", "no", "many"}


COMPUTED = (
    "Text(f'it is {name}')",
    "Text('it is ' + name)",
    "Text(name)",
    "Text('it is {}'.format(name))",
    "counted(2, name, 'many')",
    "Failure(f'it is {name}')",
    "Failure(str(name))",
)


ROOMS = (
    *("archive/", "cli/", "games/", "html/", "judge/", "keeper/", "layouts.py", "log/", "play/", "record.py"),
    *("report/", "screens/", "service/", "table/", "web/"),
)
"""Where nobody is told anything but by a text."""
NOT_TOLD = {
    "screens/series.py": "how a series is typed",
    "screens/lines.py": "a key of readline",
    "cli/log.py": "the name of a command, in the log",
    "cli/main.py": "the program's name and version",
    "games/__init__.py": "why a game cannot be loaded, for whoever writes it",
    "cli/browser.py": "a page that leads to another",
    "web/icons.py": "a picture",
    "games/core/drawing.py": "the names of fonts",
    "games/core/encoding.py": "the parts of an observation, for programs",
    "games/roudalon/drawing.py": "the name of the game",
    "games/testing.py": "what is wrong with rules, for whoever writes them",
    "judge/audit.py": "what is compared",
    "bots/bots.py": "the name of a thread",
    "play/resuming.py": "a file and a game in it",
    "bots/programs.py": "the name of a thread",
    "judge/redaction.py": "a file and a game in it",
    "bots/sandbox.py": "rules of the sandbox; standard error",
    "bots/usage.py": "files of the system; why a program was ended, on standard error",
    "record.py": "the name of a file",
    "archive/database.py": "an error of PostgreSQL",
    "log/bodies.py": "what a field of an entry may be",
    "log/errors.py": "an error of SQLite",
    "log/replies.py": "what a field of an entry may be",
    "html/boards.py": "CSS",
    "html/document.py": "HTML",
    "report/plots.py": "the name of a font; a warning of Matplotlib",
    "service/repl.py": "programs for the board",
    "web/layout.py": "HTML",
    "web/history_pages.py": "HTML",
    "table/greeting.py": "the program's name and version",
    "table/refusals.py": "what a field of the wire may be",
    "table/unusable.py": "how a table's version is written",
}
"""By file: what there is in it that reads like a sentence, and is none for people."""


def test_nobody_is_told_anything_past_the_catalogue() -> None:
    known = {form for message in catalogue().messages for form in (message.template, message.one)}
    files = [(name, tree) for name, _, tree in sources() if name.startswith(ROOMS)]
    found = {name: past(name, tree, known) for name, tree in files}
    assert {name: words for name, words in found.items() if words and name not in NOT_TOLD} == {}
    assert [name for name in NOT_TOLD if name in found and not found[name]] == [], "nothing is left there"


def made_once(node: ast.AST) -> Iterator[ast.Call]:
    """Yield the texts that a module puts into words when it is imported, in whatever language is spoken then."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.Call) and re.match(r"(str|render)\((Text|counted)\b", ast.unparse(child)):
            yield child
        yield from made_once(child)


def test_no_module_puts_a_text_into_words_when_it_is_imported() -> None:
    assert not [f"{name}:{call.lineno}" for name, _, tree in sources() for call in made_once(tree)]
    assert [*made_once(ast.parse("HEAD = str(Text('lives', context='column'))"))]


def test_a_sentence_past_the_catalogue_is_found() -> None:
    lines = [
        "say(f'{count} moves were made')",
        "note = 'The game is over.'",
        'def f(): "It is none."',
        "throw(f'throw {rank}')",
    ]
    assert past("made.py", ast.parse("\n".join(lines)), ()) == [(1, "{} moves were made"), (2, "The game is over.")]


class Shouted(Language):
    """A language of which every message is one of the catalogue, and stands between marks; it has three numbers."""

    def __init__(self) -> None:
        self.found = catalogue()
        self.missing: set[str] = set()

    def find(self, context: str, template: str, one: str = "", count: int = 1) -> str:
        known = Message(template, context, one) in self.found.messages if one else self.found.knows(template, context)
        if context == "notation":  # what is there in none stands as it is
            return template
        if not known:
            self.missing.add(template)
        form = "one: " if count == 1 else "few: " if count < 5 else "many: "
        return f"«{form if one else ''}{template}»"


@pytest.mark.parametrize("name", GAMES)
def test_all_that_a_game_says_is_in_the_catalogue(name: str) -> None:
    language = Shouted()
    for number, (rules, rng) in enumerate(games(name)):
        for text in told(rules, rng):
            shown = render(text, NAMES, language)
            assert shown.startswith("«") and shown.endswith("»")
        if number == 3:
            break
    assert language.missing == set()


def test_another_language_picks_the_form_joins_lists_and_knows_what_a_word_means() -> None:
    class German(Language):
        def find(self, context: str, template: str, one: str = "", count: int = 1) -> str:
            words = {
                ("", "{who} moves {colour}: {list}."): "{list}, so zieht {who} {colour}.",
                ("colour", "red"): "Rot",
                ("list", "{some} and {last}"): "{some} und {last}",
                ("", "{count} dice"): "{count} Würfel",
            }
            return words.get((context, template), template)

    things = [counted(number, "{count} die", "{count} dice", "no dice") for number in (1, 2, 0)]
    text = Text("{who} moves {colour}: {list}.", {"who": Who(1), "colour": RED, "list": all_of(things)})
    assert render(text, ["Zoe"]) == "Zoe moves red: 1 die, 2 dice and no dice."
    assert render(text, ["Zoe"], German()) == "1 Würfel, 2 Würfel und no dice, so zieht Zoe Rot."
    assert (
        str(Text("{ways}; {order}", {"ways": any_of("abc"), "order": in_turn("abc")})) == "a, b or c; a, then b, then c"
    )
    assert str(clauses(["no", "never", "not", "nor"], 2)) == "no; never; and 2 more"


RED = Text("red", context="colour")


@pytest.mark.parametrize("folder", ["table", "screens", "service", "play"])
def test_no_function_returns_a_finished_reason(folder: str) -> None:
    """What is returned or told as ``why`` is a text: nobody must take a sentence apart again."""
    found = []
    for file, _, tree in sources():
        if not file.startswith(f"{folder}/"):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
                name = node.arg if isinstance(node, ast.arg) else ast.unparse(node.target)
                if name.rpartition(".")[2] in ("why", "warning", "refusal", "_refusal", "reason", "advice", "by_claim"):
                    found += [f"{file}:{node.lineno}"] * ("str" in ast.unparse(node.annotation).split(" | "))
    assert found == []


def test_a_reader_who_is_asked_is_spoken_to() -> None:
    """A text that has words of its own for who is asked says "you" to one who is, and names the others."""
    about = {"who": [Who(1), Who(2)], "one": Who(1), "other": Who(2), "then": Text("ask {who}", {"who": Who(2)})}
    text = text_from(Text("{one} and {other}: {then}?", about, you="Duel of {one} and {other}: {then}?").to_json())
    assert [render(text, NAMED, you=seat) for seat in range(4)] == [
        "Anne and Bernard: ask Bernard?",
        "Duel of you and Bernard: ask Bernard?",
        "Duel of Anne and you: ask Bernard?",
        "Anne and Bernard: ask Bernard?",
    ]


def test_no_question_of_a_game_names_who_reads_it_there() -> None:
    """At a screen of their own people read what they are asked, not what somebody of their name is."""
    for game in GAMES:
        script, _ = script_of(game)
        asked = set()
        for rules, rng in islice(games(game), 4):
            position: Position[Any] = Position(rules)
            while not position.is_over and position.ply < 150:
                made = script(position, Conditions()) if position.to_move[0] else ()
                question = next(made, None) if isinstance(made, Iterator) else None
                if question is not None:
                    for seat in question.seats:
                        said = render(question.text, NAMES, you=seat)
                        assert NAMES[seat - 1] not in said, said
                        asked.add(question.what)
                position.push(rng.choice(list(position.legal_moves)))
        assert asked, game


def test_a_text_comes_back_from_json() -> None:
    inner = Text("{who} plays {move}", {"who": Who(2), "move": Typed("p2", "c3-c6")})
    about = {"first": inner, "all": [Who(1), 3, "x"], "list": all_of([Who(1), 3]), "dice": counted(3, "die", "dice")}
    text = Text("{first}, {all}, {list}, {dice}, {red}", {**about, "red": RED})
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
