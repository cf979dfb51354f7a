"""A language of readers: found by its names, its catalogues read, its elisions, plurals, numbers and typed words."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from tablier.games import GAMES, game_class, rules_of, words_of
from tablier.languages import Translation, find_language, of_browser, of_environment, read_catalogue
from tablier.printable import is_printable, printable
from tablier.screens.paper import markdown_page, wrapped
from tablier.screens.replies import NOTATION
from tablier.screens.signs import in_ascii
from tablier.texts import (
    ENGLISH,
    Text,
    Typed,
    Who,
    all_of,
    counted,
    number_text,
    reading,
    render,
    spelled,
    unspelled,
)

CATALOGUE = r"""
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\n"
"Plural-Forms: nplurals=2; plural=(n > 1);\n"

msgctxt "words without their last letter before a vowel, as de, que in French"
msgid "none"
msgstr "de que le la"

msgctxt "words that become one, as de le=du à les=aux in French"
msgid "none"
msgstr "de le=du à les=aux"

msgctxt "decimal mark"
msgid "."
msgstr ","

msgctxt "semicolon"
msgid ";"
msgstr " ;"

msgctxt "colon"
msgid ":"
msgstr "\u00a0:"

msgctxt "percent"
msgid "{number}%"
msgstr "{number}\u00a0%"

msgctxt "quotes"
msgid "'{quoted}'"
msgstr "«\u00a0{quoted}\u00a0»"

msgctxt "list"
msgid "{some} and {last}"
msgstr "{some} et {last}"

msgid "{who}'s turn"
msgstr "le tour de {who}"

msgid "ask {whom}"
msgstr "Que {whom} réponde à {whom}"

msgid "{count} die"
msgid_plural "{count} dice"
msgstr[0] "{count} dé"
msgstr[1] "{count} dés"

#, fuzzy
msgid "not sure"
msgstr "pas sûr"

msgctxt "notation"
msgid "keep"
msgstr "garder"

msgctxt "notation"
msgid "K"
msgstr "R"
"""


@pytest.fixture
def tongue(tmp_path: Path) -> Translation:
    folder = tmp_path / "qab" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "tablier.po").write_text(CATALOGUE.replace("\\u00a0", "\u00a0"), encoding="utf-8")
    return Translation("qab", [tmp_path])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Anne", "le tour d’Anne"),
        ("Éric", "le tour d’Éric"),
        ("Hélène", "le tour d’Hélène"),
        ("Yves", "le tour d’Yves"),
        ("Œdipe", "le tour d’Œdipe"),
        ("Hans", "le tour de Hans"),
        ("Yannick", "le tour de Yannick"),
        ("Bernard", "le tour de Bernard"),
        ("11", "le tour de 11"),
        ("23 h 30", "le tour de 23 h 30"),
        ("Le Goff", "le tour de Le Goff"),
        ("le bot", "le tour du bot"),
    ],
)
def test_words_before_a_vowel_are_elided(tongue: Translation, name: str, said: str) -> None:
    assert render(Text("{who}'s turn", {"who": Who(1)}), [name], tongue) == said


def test_a_template_without_words_has_the_stops_of_the_language(tongue: Translation) -> None:
    assert render(Text("{who}: {what}.", {"who": Who(1), "what": "8:30"}), ["Anne"], tongue) == "Anne\u00a0: 8:30."
    assert render(Text("{path}:{line}", {"path": "a", "line": 1}), [], tongue) == "a:1"
    assert render(Text("{section}:", {"section": "Jouer"}), [], tongue) == "Jouer\u00a0:"
    assert render(Text("{one}; {two}", {"one": "a;b", "two": "c"}), [], tongue) == "a;b\u202f; c"


def test_what_was_typed_is_quoted_as_the_language_does(tongue: Translation) -> None:
    text = Text("{seen}; {all}", {"seen": repr("pla"), "all": [repr("d'Anne"), "l'an", "'"]})
    assert render(text, [], tongue) == "«\u00a0pla\u00a0»\u202f; «\u00a0d'Anne\u00a0», l'an, '"
    assert str(text) == "'pla'; \"d'Anne\", l'an, '"


def test_what_begins_a_sentence_keeps_its_capital(tongue: Translation) -> None:
    assert render(Text("ask {whom}", {"whom": "Anne"}), [], tongue) == "Qu’Anne réponde à Anne"
    assert render(Text("ask {whom}", {"whom": "les autres"}), [], tongue) == "Que les autres réponde aux autres"


def test_numbers_lists_and_plurals_follow_the_language(tongue: Translation) -> None:
    dice = [counted(count, "{count} die", "{count} dice") for count in (0, 1, 2)]
    assert render(Text("{dice}", {"dice": all_of(dice)}), None, tongue) == "0 dé, 1 dé et 2 dés"
    with reading(tongue):
        assert (number_text(-2.5), str(Text("{value}", {"value": 0.5}))) == ("−2,5", "0,5")
        assert (number_text(0.125, ".1%"), number_text(0.5, ".0%")) == ("12,5\u00a0%", "50\u00a0%")
        assert str(Text("not sure")) == "not sure", "what is fuzzy is not shown"
    assert (number_text(2.5), number_text(0.5, ".0%")) == ("2.5", "50%")


def test_moves_are_read_and_typed_in_the_readers_words(tongue: Translation) -> None:
    text = Text("{move}", {"move": Typed("p1", "keep K K 9")})
    assert render(text, ["Anne"], tongue) == "garder R R 9"
    assert (render(text, ["Anne"], ENGLISH), render(text, None, tongue)) == ("keep K K 9", "p1 garder R R 9")
    with reading(tongue):
        assert spelled("keep K+2") == "garder R+2"
        assert unspelled("Garder r R+2 9", ("keep", "K")) == "keep K K+2 9"


def test_spaces_that_do_not_break_are_shown_and_do_not_break() -> None:
    said = "Qui commence\u202f? Anne\u00a0: \u00ab\u00a0oui\u00a0\u00bb"
    assert printable(said) == said and not is_printable(said), "but in no name"
    assert in_ascii(said) == 'Qui commence ? Anne : " oui "'
    assert wrapped("jouez vite\u00a0: oui", 11) == ["jouez", "vite\u00a0: oui"]
    assert markdown_page("jouez vite\u00a0: oui\u202f!", 11, colour=False) == "jouez\nvite\u00a0:\noui\u202f!\n"


def test_a_language_is_found_by_what_asks_for_it() -> None:
    assert of_environment({"LANGUAGE": "xx:en", "LANG": "fr_FR.UTF-8"}) is ENGLISH
    assert of_environment({"LC_ALL": "C.UTF-8"}) is of_environment({}) is ENGLISH
    assert find_language("tlh") is None and find_language("en_GB.UTF-8") is ENGLISH
    assert of_browser("tlh;q=1, en-GB;q=0.5, *;q=0.1") is of_browser("") is of_browser("en;q=x") is ENGLISH


def test_a_catalogue_takes_strings_over_lines_and_marks_in_them() -> None:
    header, found = read_catalogue(
        'msgid ""\nmsgstr "x: y\\n"\n\nmsgid ""\n"a \\"b\\""\n" c"\nmsgstr ""\n"d\\n"\n"e"\n'
    )
    assert (header, found) == ("x: y\n", {("", 'a "b" c'): ["d\ne"]})


@pytest.mark.parametrize("name", GAMES)
def test_every_word_of_a_games_moves_is_one_of_its_notation(name: str) -> None:
    """Else it could be typed in English alone."""
    known = {each.template for each in (*words_of(name).notation, *NOTATION)}
    found: set[str] = set()
    for seats in game_class(name).seat_counts[:2]:
        rules, rng = rules_of(name, seats, {"max_plies": 30} if name == "d21" else None), random.Random(seats)
        state: Any = rules.initial()
        for _ in range(150):
            legal = list(rules.legal(state))
            if not legal:
                break
            for move in legal:
                if move.actor:
                    found |= set(re.split(r"[ :+-]+", str(move).partition(" ")[2]))
            state = rules.apply(state, rng.choice(legal))
    assert {word for word in found if re.search(r"[A-Za-z]{2}|^[A-Z]$", word)} <= known
