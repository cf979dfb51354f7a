"""Words of prompts are typed in the language of their reader, and in English."""

import re
from collections.abc import Iterator

import pytest

from tablier.games import GAMES, words_of
from tablier.languages import find_language
from tablier.printable import printable
from tablier.screens.commands import EVENING, begun, plain, read_bare, unknown
from tablier.screens.orders import read_pace
from tablier.screens.people import People, Someone
from tablier.screens.replies import NOTATION
from tablier.texts import reading, spelled, unspelled


@pytest.fixture(autouse=True)
def french() -> Iterator[None]:
    language = find_language("fr")
    assert language is not None
    with reading(language):
        yield


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("encore", "again"), ("Règles", "rules"), ("regles", "rules"), ("retour 3", "back 3"), ("again", "again")],
)
def test_a_word_is_read_in_french_without_its_accents_and_in_english(typed: str, meant: str) -> None:
    assert plain(typed) == meant


@pytest.mark.parametrize("game", GAMES)
def test_the_help_of_a_game_names_the_words_that_are_typed(game: str) -> None:
    """``throw 3: …`` in English is ``lancer 3 : …``, and a prompt offers that word."""
    words = words_of(game)
    typed = {spelled(each.template) for each in (*NOTATION, *words.notation)}
    for text in (*words.help, *words.help_at_table):
        forms = re.findall(r"(?:^|\. )([^\W\d_]+)(?:,? [^\s.]+)*\u00a0:", str(text))
        assert set(forms) <= typed, text


def test_a_card_is_thrown_and_dice_are_by_the_same_word() -> None:
    for game, typed, move in (("dilemma", "Lancer 3", "throw 3"), ("roudalon", "lancer 2", "roll 2")):
        words = [each.template for each in (*NOTATION, *words_of(game).notation)]
        assert unspelled(typed, words) == move and spelled(move) == typed.lower()


def test_a_beginning_will_do() -> None:
    assert begun("o", ("no", "yes")) == "yes"
    assert begun("q", ("next", "back", "quit")) == "quit"
    assert begun("", ("no", "yes")) == ""


def test_a_bare_word_is_a_command_between_games() -> None:
    assert read_bare(plain("quitter"), EVENING) == ":quit"
    assert read_bare(plain("oui"), EVENING) == ":yes"


def test_what_belongs_to_a_game_is_said_between_games() -> None:
    assert str(unknown(":plateau", EVENING)) == ":plateau\u00a0: seulement pendant une partie"


def test_bots_move_faster() -> None:
    assert read_pace("accélérer", 1.0)["seconds"] < 1.0 < read_pace("ral", 1.0)["seconds"]


def test_somebody_new_has_nearly_the_name_of_somebody_known() -> None:
    people = People([Someone("Anne", 0)])
    assert people.read("nouveau Ane") == people.read("new Ane") == Someone("Ane", 0)


def test_a_space_that_breaks_no_line_is_printed_as_it_is() -> None:
    assert printable("Qui joue\u202f? Ici\u00a0: Léa\u2028") == "Qui joue\u202f? Ici\u00a0: Léa\\u2028"
