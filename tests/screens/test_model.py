"""Screens of every game without a table: what they show, to whom, and what typed lines do."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from msgspec import convert, structs
from room import SHORT, Room

from sample import sample
from tablier.games import GAMES, game_class
from tablier.games.core import seat_name
from tablier.messages import MyTurn, News, Question, Taken, Updates
from tablier.screens.commands import GAME, HELP, RULES
from tablier.screens.paper import wrapped
from tablier.texts import Text
from wording import Wording

NAMES = ["Anne", "Bernard", "Christine", "Daniel"]
Seats = Callable[..., Room]


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Seats]:
    rooms: list[Room] = []

    def make(game: str, screens: Sequence[Sequence[int]], names: Sequence[str] = (), *, practice: bool = False) -> Room:
        names = names or NAMES[: {"d21": 2, "roudalon": 4}.get(game, 3)]
        rooms.append(Room(tmp_path / f"{len(rooms)}.db", game, names, screens, practice=practice))
        return rooms[-1]

    yield make
    for each in rooms:
        each.close()


def confirm(room: Room, screen: int = 0) -> None:
    """Whoever is to look at a shared screen types the name."""
    model = room.models[screen]
    if model.must_confirm:
        assert model.asked is not None
        room.type(model.names[model.asked - 1], screen)
        assert not model.must_confirm


def play_out(room: Room, seed: int, every: Callable[[Room], None] = lambda room: None) -> None:
    dice = random.Random(seed)
    for _ in range(3000):
        every(room)
        asked = [n for n, model in enumerate(room.models) if model.asked is not None]
        if not asked:
            break
        confirm(room, asked[0])
        every(room)
        model = room.models[asked[0]]
        lines = list(model.lines())
        room.type("pass" if "pass" in lines and dice.random() < 0.5 else dice.choice(lines), asked[0])
    assert room.conductor.over, room.models[0].question


@pytest.mark.parametrize("game", [*SHORT][:: sample(2, 1)])
@pytest.mark.parametrize("screens", [((1,),), ((1, 2),), ((1,), (2,))], ids=["alone", "shared", "apart"])
def test_a_game_is_played_to_its_end_by_the_lines_that_a_screen_offers(
    wording: Wording, room: Seats, game: str, screens: Sequence[Sequence[int]]
) -> None:
    at = room(game, screens)
    play_out(at, seed=3)
    for model in at.models:
        assert model.over is not None
        assert model.over.head == at.log.head
        wording(model.question)
    at.type("")
    assert at.left == {0}


@pytest.mark.parametrize("answers", [("again", "quit"), ("y", "no"), ("a", ":quit")])
def test_when_the_game_is_over_another_one_is_offered(wording: Wording, room: Seats, answers: tuple[str, str]) -> None:
    at = room("d21", ((1,), (2,)))
    for model in at.models:
        model.repeats = True
    play_out(at, seed=3)
    wording(at.models[0].question)
    assert [option.line for option in at.models[0].options("")] == ["again", "quit"]  # nothing to look back at here
    at.type("")
    at.type("perhaps")
    assert at.left == set()
    wording(at.models[0].error)
    at.type(answers[0])
    at.type(answers[1], 1)
    assert at.left == {0, 1} and [model.another for model in at.models] == [True, False]


@pytest.mark.parametrize("game", SHORT)
def test_a_shared_screen_shows_a_seats_secrets_only_while_it_looks(room: Seats, game: str) -> None:
    at = room(game, [(1, 2)])
    looked = set()

    def check(at: Room) -> None:
        model, position = at.models[0], at.conductor.session.position
        if position.is_over:
            return
        view = position.rules.view(position.state, None)
        if model.view != view:
            assert model.asked is not None and not model.must_confirm, "a secret is on the screen and nobody confirmed"
            assert model.view == position.rules.view(position.state, model.asked)
            looked.add(model.asked)

    play_out(at, seed=5, every=check)
    secret = game in ("struggle", "dicke-daemonen")
    assert looked == ({1, 2} if secret else set())


def test_the_story_of_a_seat_is_not_told_to_the_next_one_at_the_screen(room: Seats) -> None:
    at = room("struggle", [(1, 2)])
    model = at.models[0]

    def story() -> str:
        return " ".join(text for _, text in model.paragraphs)

    assert "order of arrival is" not in story()
    confirm(at)
    assert "Anne: your order of arrival is" in story()
    while model.asked == 1:
        at.type("play " + next(line for line in model.lines() if line.startswith("play")).removeprefix("play "))
    assert "Anne: your order of arrival is" not in story()


def test_enter_alone_does_not_show_a_secret_and_neither_does_another_name(wording: Wording, room: Seats) -> None:
    at = room("struggle", [(1, 2)])
    model = at.models[0]
    wording(model.question)
    at.type("")
    at.type("Bernard")
    assert model.must_confirm
    wording(model.error)
    at.type("an")
    assert not model.must_confirm


def test_another_players_whole_name_does_not_show_a_secret_and_neither_does_a_beginning_of_both(
    wording: Wording, room: Seats
) -> None:
    at = room("struggle", [(1, 2, 3)], ["Anne", "Ann", "Ännchen von Tharau und zu Samland"])
    model = at.models[0]
    wording(model.question)
    at.type("Ann")
    assert model.must_confirm
    wording(model.error)
    at.type("an")
    assert model.must_confirm
    wording(model.error)
    at.type("ANNE")
    assert not model.must_confirm
    for name in ("Ann", "ännchen von tharau und zu samland"):
        while not model.must_confirm:
            at.type(next(iter(model.lines())))
        at.type(name)
        assert not model.must_confirm, f"{model.question} {model.error}"


def test_the_name_of_a_seat_at_another_screen_is_not_taken_for_one_here(wording: Wording, room: Seats) -> None:
    at = room("struggle", [(1, 3), (2,)], ["Anne", "Ann", "Bob"])
    at.type("Ann")
    assert at.models[0].must_confirm
    wording(at.models[0].error)


def test_a_whole_name_wins_over_the_beginning_of_another_in_commands(wording: Wording, room: Seats) -> None:
    at = room("struggle", [(1, 2, 3)], ["Bob", "Anne", "Ann"])
    model = at.models[0]

    def bots() -> list[str]:
        return [seat.name for seat in model.latest.seats if seat.source == "random"]

    at.type(":leave an random")
    wording(model.error)
    at.type(":leave Ann random")
    assert bots() == ["Ann"]
    at.type(":return an")  # one alone can return
    assert bots() == []
    at.type(":leave Ann random")
    at.type(":leave Anne random")
    at.type(":return Ann")
    assert bots() == ["Anne"]


def test_a_bot_is_not_taken_for_the_beginning_of_a_name(room: Seats) -> None:
    at = room("d21", [(1,), (2,)], ["Anne", "Randomina"])
    at.type(":leave random")
    assert [seat.source for seat in at.models[0].latest.seats] == ["random", "screen"]


def test_a_shared_screen_that_has_one_seat_left_shows_its_secrets_only_when_it_looks(
    wording: Wording, room: Seats
) -> None:
    at = room("struggle", [(1, 2)])
    model = at.models[0]
    at.type("anne")
    assert model.viewer == 1
    model.take(Taken(game=1, seat=1, why=Text("")))
    assert model.viewer is None and model.asked is None
    wording(model.paragraphs[-1][1])
    model.take(Updates(game=1, updates=[structs.replace(model.latest, viewer=viewer) for viewer in model.viewers]))
    assert model.viewers == (2, None) and model.viewer is None


def test_nothing_that_one_message_tells_is_lost_however_many_moves_it_tells_of(room: Seats) -> None:
    """As of a game among bots, which may be over before its screen is there."""
    model = room("d21", [(1,)]).models[0]
    for at in (0, 1000):
        news = [
            News(n=number, kind="move", text=Text(f"saying {number}"), turn=f"p{number}")
            for number in range(at + 1, at + 1001)
        ]
        model.take(Updates(game=1, updates=[structs.replace(model.latest, news=news)]))
        assert {f"saying {number}" for number in range(at + 1, at + 1001)} <= {each.text for each in model.sayings}
    assert len(model.sayings) < 1500


def test_what_is_typed_in_secret_at_a_shared_screen_is_hidden_and_not_repeated_by_an_error(
    wording: Wording, room: Seats
) -> None:
    at = room("dilemma", [(1, 2)], NAMES[:3])
    model = at.models[0]
    for _ in range(400):
        if model.hidden or at.conductor.over:
            break
        if model.must_confirm:
            confirm(at)
            continue
        lines = list(model.lines())
        throw = [line for line in lines if line.startswith("throw")]
        at.type(throw[0] if throw else lines[0])
    assert model.hidden, "no duel came about"
    told = dict(line.split(": ", 1) for _, line in model.hint("", 78))
    assert "both" in told["duel peace"]
    wording(told["duel conflict"])
    assert model.hint("", 40)[0][1].startswith("duel "), "what does not fit is left out"
    at.type("peac conflict")
    assert "peac" not in model.error and model.error
    model.changed()
    hints = {model.hint(typed, 78)[0] for typed in ("p", "c", "conflict", "xyz")}
    assert len(hints) == 1, "what stands below the line depends on what is typed"


@pytest.mark.parametrize("game", GAMES)
def test_no_move_is_a_command_and_no_command_a_move(game: str) -> None:
    """Commands begin with a colon; moves never do, and ``?`` is none."""
    rules = game_class(game)
    for verb in ("q", "b", "h", ":", "?", ":quit", ":back"):
        for count in rules.seat_counts:
            with pytest.raises(ValueError, match=r"move|space|board|die"):
                rules(count).parse(f"{seat_name(1)} {verb}")
    assert all(command.name.startswith(":") for command in GAME)


WORDS = ["q", "Quit", "exit", ":exit", "help", "h", "back", "undo", ":undo", "hint", "rules"]


@pytest.mark.parametrize("word", WORDS)
def test_the_words_of_other_programs_are_commands(room: Seats, word: str) -> None:
    at = room("roudalon", [(1,)])
    model = at.models[0]
    assert not model.hint("xyz", 78)[0][1].startswith(":") and model.hint(word, 78)[0][1].startswith(":")
    at.type(word)
    done = {
        "q": model.quitting,
        "e": model.quitting,
        "he": model.page == HELP,
        "r": model.page == RULES,
        "b": "could be taken back" in model.error,
        "u": "could be taken back" in model.error,
        "hi": bool(model.advice),
    }
    word = "help" if word == "h" else word.lstrip(":").casefold()
    assert next(happened for beginning, happened in done.items() if word.startswith(beginning))
    assert not at.stopped and not at.conductor.session.position.ply


def test_what_can_be_answered_is_no_command(room: Seats) -> None:
    """A name that begins with q is no wish to leave, nor is a die."""
    at = room("struggle", [(1,), (2,)])
    model = at.models[0]
    mine = model.mine[1]
    assert isinstance(mine, MyTurn)
    mine.moves[:] = ["keep Q", "keep Q Q"]  # of some throw or other
    at.type("q")
    assert not model.quitting
    for names, leaves in ((["Quentin", "Helen"], False), (["Anne", "Helen"], True)):
        shared = room("struggle", [(1, 2)], names)
        shared.type("q")
        assert shared.models[0].quitting is leaves and shared.models[0].must_confirm is leaves


def test_a_page_is_left_by_q(room: Seats) -> None:
    at = room("d21", [(1,)])
    for word in ("q", "back", ""):
        at.type("rules")
        assert at.models[0].page
        at.type(word)
        assert not at.models[0].page and not at.models[0].quitting


def test_a_shortened_stake_is_confirmed(wording: Wording, room: Seats) -> None:
    at = room("roudalon", [(1,)])
    model, position = at.models[0], at.conductor.session.position
    at.type("b 3")
    assert not position.ply
    wording(model.confirmation)
    assert model.hint("", 78) == [("strong", model.confirmation)]
    at.type("b 2")
    wording(model.confirmation)
    model.changed()
    assert not model.confirmation
    at.type("")
    assert not position.ply
    at.type("b 3")
    at.type("")
    assert str(at.conductor.session.position.moves[0]) == "p1 bet 3"


def test_an_offer_is_made_by_its_card_alone(room: Seats) -> None:
    """It is made in every turn, and the line below the one that is typed shows it."""
    at = room("dilemma", [(1,)])
    at.type("3")
    assert str(at.conductor.session.position.moves[0]) == "p1 offer 3"


@pytest.mark.parametrize("typed", ["bet 3", "BET  3", "bet3"])
def test_what_is_typed_in_full_needs_no_confirmation(room: Seats, typed: str) -> None:
    at = room("roudalon", [(1,)])
    at.type(typed)
    assert str(at.conductor.session.position.moves[0]) == "p1 bet 3"


def test_who_leaves_a_game_of_others_does_not_abandon_it(room: Seats) -> None:
    at = room("d21", [(1,), (2,)])
    model = at.models[0]
    at.type(":quit")
    assert model.question == "Leave? The game continues for Bernard."
    at.type("abandon")
    assert model.quitting and not at.left
    at.type("yes")
    assert at.left == {0} and not model.abandons


def test_quitting_asks_and_keeps_the_game(wording: Wording, room: Seats) -> None:
    at = room("d21", [(1,)])
    model = at.models[0]
    at.type(":quit")
    assert not model.stopped and model.question.startswith("Stop?")
    for no in ("no", ""):
        at.type(no)
        assert not model.stopped and not model.quitting
        at.type(":q")
    at.type("tablier evening")
    assert model.quitting
    wording(model.error)
    at.type("y")
    assert model.stopped and at.left == {0}
    assert at.log.game(at.game).ended is None


def test_a_half_typed_line_belongs_to_its_question(room: Seats) -> None:
    at = room("d21", [(1,)])
    model = at.models[0]
    before = model.key
    at.type(":help")
    assert model.key == before
    at.type(next(iter(model.lines())))
    assert model.key != before


def test_what_is_typed_while_others_decide_is_kept_for_the_next_question(wording: Wording, room: Seats) -> None:
    at = room("d21", [(1,), (2,)])
    first, second = at.models
    at.type(next(iter(first.lines())))
    waiting, asked = first.key, second.key
    at.type("c3", 0)
    wording(first.error)
    at.type(next(iter(second.lines())), 1)
    assert first.asked == 1 and first.key == waiting, "what was typed meanwhile stays"
    assert second.key != asked


def test_at_a_shared_screen_nothing_is_kept_for_somebody_else(room: Seats) -> None:
    at = room("d21", [(1, 2)])
    before = at.models[0].key
    at.type(next(iter(at.models[0].lines())))
    assert at.models[0].asked == 2 and at.models[0].key != before


def test_a_refused_move_says_why_and_is_asked_for_again(wording: Wording, room: Seats) -> None:
    at = room("roudalon", [(1,)])
    model, key = at.models[0], at.models[0].key
    at.type("bet 9")
    wording(model.error)
    assert model.key == key and model.asked == 1
    assert model.hint("", 78) == [("error", model.error), ("hint", "bet ▸ 1  2  3  4  5  6")], "the moves stay in sight"
    assert model.hint(":", 78) == [("error", model.error)]
    model.changed()
    assert model.hint("", 78)[0][0] == "hint"


def test_a_move_that_is_not_possible_now_is_told_apart_from_no_move(room: Seats) -> None:
    model = room("d21", [(1,)]).models[0]
    assert model.hint("c2-c9", 78) == [("hint", "not possible now; Enter says why")]
    assert model.hint("xyzzy", 78) == [("hint", "no move here begins like this")]


def test_a_take_back_is_announced_to_everybody_and_means_ones_own_last_decision(wording: Wording, room: Seats) -> None:
    at = room("d21", [(1,), (2,)], practice=True)
    at.type(first := next(iter(at.models[0].lines())), 0)
    at.type(next(iter(at.models[1].lines())), 1)
    assert at.conductor.session.position.ply == 2
    at.type(":back", 0)
    assert at.conductor.session.position.ply == 0
    for model in at.models:
        wording(model.paragraphs[-1][1])
    assert first in at.models[0].lines()
    at.type(":back 0", 0)
    wording(at.models[0].error)


def test_a_take_back_says_who_takes_back_which_moves(wording: Wording, room: Seats) -> None:
    at = room("d21", [(1,), (2,)], practice=True)
    for screen in (0, 1, 0, 1):
        at.type(next(iter(at.models[screen].lines())), screen)
    for screen, told in ((1, "Bernard takes back move 4."), (0, "Anne takes back move 3.")):
        at.type(":back", screen)
        assert [model.paragraphs[-1][1] for model in at.models] == [told, told]
    for screen in (0, 1):
        at.type(next(iter(at.models[screen].lines())), screen)
    at.type(":back", 0)
    wording(at.models[1].paragraphs[-1][1])


def test_the_end_of_a_pause_is_told(wording: Wording, room: Seats) -> None:
    at = room("d21", [(1,), (2,)])
    at.type(":pause", 1)
    wording(at.models[0].sayings[-1].text)
    at.type("no", 0)  # that is how it stands already
    wording(at.models[0].error)
    at.type("yes", 0)
    assert [model.sayings[-1].text for model in at.models] == ["The game continues."] * 2


def test_help_and_rules_are_there_for_every_game(room: Seats) -> None:
    for game in SHORT:
        at = room(game, [(1,)])
        model = at.models[0]
        story = model.paragraphs
        at.type(":h")
        assert model.page == HELP and "Enter: back" in model.question and not model.hint("", 78)
        told = [text for section in model.help() for text in section]
        assert any(text.startswith(":quit") for text in told) and len(told) > len(GAME) + 1  # pictures are left out
        full = [
            line
            for section in model.help(Text("one line"), Text("another"))
            for text in section
            for line in wrapped(text, 79)
        ]
        assert len(full) + 2 <= 21, "the help is one page of a small terminal"
        assert model.paragraphs == story, "help is a page: it pushes no news away"
        at.type("?")
        assert model.page == RULES
        at.type("")
        assert not model.page


def test_help_begins_with_what_one_stands_at(wording: Wording, room: Seats) -> None:
    model = room("dilemma", [(1,), (2,)]).models[0]
    wording(model.help()[0][0])
    assert [text.split(": ")[0] for text in model.help(typed=":pa")[0]] == [":pause", ":pace"]
    over = room("d21", [(1,)])
    over.models[0].repeats = True
    play_out(over, seed=3)
    asked, *after = over.models[0].help()[0]
    assert "c3-c6" not in str(over.models[0].help())
    wording(asked)
    assert [text.split(":")[0] for text in after] == ["again", "quit"]


def test_the_help_of_dilemma_says_how_its_window_closes(room: Seats) -> None:
    """All pass where nobody sits at a table; there a clock closes it."""
    at = room("dilemma", [(1,)])
    model = at.models[0]

    def told() -> str:
        return " ".join(text for section in model.help() for text in section)

    assert "closes when all have passed in a row" in told() and "seconds" not in told()
    model.latest.seats[1] = structs.replace(model.latest.seats[1], source="table")
    assert "closes a few seconds after the last card" in told() and "in a row" not in told()


def test_a_refusal_quotes_what_was_typed_once(room: Seats) -> None:
    at = room("d21", [(1,)])
    for typed, reason in (
        ("c3-c9", "'c3-c9': there is a die on c9 already"),
        ("c3-z9", "'c3-z9' is not possible now; did you mean c3-i9?"),
        ("hello", "'hello' is not possible now; type a move such as c2-b2"),
        ("hello there", "'hello there' is not possible now; type a move such as c2-b2"),
    ):
        at.type(typed)
        assert at.models[0].error == reason


def test_an_attempt_at_a_move_is_answered_by_the_reason_against_it(wording: Wording, room: Seats) -> None:
    at = room("dilemma", [(1,), (2,), (3,)])
    at.type("offer 8")
    thrower = at.models[1]
    at.type("throw 3", 1)
    at.type("pass", 2)
    assert "throw 3" not in thrower.lines()
    at.type("throw 3", 1)
    wording(thrower.error)


def test_a_question_says_what_can_be_typed(wording: Wording, room: Seats) -> None:
    model = room("roudalon", [(1,)]).models[0]
    wording(model.question)
    wording(room("struggle", [(1,), (2,)]).models[0].question)


def test_an_error_names_only_what_is_possible_now(wording: Wording, room: Seats) -> None:
    at = room("struggle", [(1,), (2,)])
    model = at.models[0]
    at.type("offer 3")
    lines = list(model.lines())
    wording(model.error)
    at.type("keep X")
    named = (
        model.error.removeprefix("'keep X' is not possible now; type a move such as ").replace(" or ", ", ").split(", ")
    )
    assert len(named) > 2 and set(named) <= set(lines)
    at.type(":hnit")
    wording(model.error)
    model.accept(":organiser Anne")
    wording(model.error)


def test_where_a_command_takes_the_number_of_a_move_the_last_one_is_shown(room: Seats) -> None:
    at = room("roudalon", [(1,)])
    model = at.models[0]
    at.type("bet 2")
    last = next(saying.text for saying in reversed(model.sayings) if saying.at)
    for command in (":correct", ":dispute 3"):
        assert model.hint(command, 78)[1] == ("hint", f"The last one told here: {last}")


def test_what_can_be_chosen_says_what_it_leads_to(wording: Wording, room: Seats) -> None:
    model = room("d21", [(1,)]).models[0]
    told = {option.line: option.leads for option in model.options("c3-")}
    assert told["c3-c4"] == ""
    wording(told["c3-i9"])


def test_only_bots_can_be_hurried(room: Seats) -> None:
    at = room("d21", [(1,), (2,)])
    assert at.models[1].hint("", 78) == [("hint", ":help")], "the other one is a person"
    at.type(next(iter(at.models[0].lines())))
    update = at.models[0].latest
    update.seats[1] = structs.replace(update.seats[1], source="random")
    assert at.models[0].hint("", 78) == [("hint", "Enter: skip the delay · faster, slower · :help")]


def test_names_are_cut_to_fit_and_stay_different(room: Seats) -> None:
    long = "Maximilienne-Alexandrine de la "
    at = room("d21", [(1, 2)], [long + "Tour", long + "Fontaine"])
    first, second = at.models[0].names
    assert first != second
    assert max(len(first), len(second)) <= 20
    assert at.models[0].question.startswith(first)


def test_control_characters_of_a_name_do_not_reach_the_terminal(room: Seats) -> None:
    at = room("d21", [(1, 2)], ["\x1b[2J", "B\nob"])
    model = at.models[0]
    assert (model.question + "".join(text for _, text in model.paragraphs)).isprintable()


def test_a_person_leaves_and_comes_back_by_typing(wording: Wording, room: Seats) -> None:
    at = room("d21", [(1,), (2,)], ["Anne", "Bernard"])

    def sources() -> list[str]:
        return [seat.source for seat in at.models[0].latest.seats]

    at.type(":return")
    wording(at.models[0].error)
    at.type(":leave strang")
    wording(at.models[0].error)
    at.type(":leave random")
    assert sources() == ["random", "screen"]
    assert any("Anne leaves; a bot takes over." in saying.text for saying in at.models[1].sayings)
    at.type(":leave anne greedy", 1)
    assert sources() == ["greedy", "screen"]
    at.type(":return", 1)
    assert "Type :return and a name" in at.models[1].error or "No bot plays" in at.models[1].error
    at.type(":return")
    assert sources() == ["screen", "screen"]
    assert any(saying.text.startswith("While you were away") for saying in at.models[0].sayings)
    assert not any(saying.text.startswith("While you were away") for saying in at.models[1].sayings)


def test_what_a_typed_move_may_name_next_is_lit(room: Seats) -> None:
    model = room("d21", [(1,)]).models[0]

    def lit(typed: str) -> set[str]:
        return set(model.canvas(80, typed=typed).lit)

    assert lit("") == set()
    targets = {line.split("-")[1] for line in model.lines() if line.startswith("c3-")}
    assert lit("c3-") == lit("c3") == {"c3", *targets} and len(targets) > 1
    assert lit("c3-c4") == {"c3", "c4"}
    assert "c3" in lit("c") and "d3" not in lit("c")
    assert lit("z") == lit(":hint") == set()
    model = room("dilemma", [(1,)]).models[0]
    assert lit("offer") == set(), "every move still fits"
    assert lit("offer 1") == {"p1 1", "p1 10"}


def test_a_secret_that_is_typed_lights_nothing(room: Seats) -> None:
    model = room("dicke-daemonen", [(1, 2)]).models[0]
    assert model.must_confirm
    assert not model.canvas(80, typed="place").lit


def test_the_board_marks_the_last_move_and_the_throw_after_it(room: Seats) -> None:
    at = room("d21", [(1,)])
    model = at.models[0]
    assert model.canvas(80).last is None
    at.type("c3-c4")
    assert str(model.canvas(80).last).startswith("p2 "), "a bot has answered"
    at = room("roudalon", [(1,), (2,), (3,), (4,)])
    for screen, line in enumerate(("bet 4", "bet 6", "bet 3", "bet 5")):
        at.type(line, screen)
    at.type("roll 1")
    canvas = at.models[1].canvas(80)
    assert str(canvas.last) == "p1 roll 1"
    assert [move.verb for move in canvas.fell] == ["dice"]


def test_cards_thrown_in_a_window_stay_out_of_the_hand_until_they_are_claimed(room: Seats) -> None:
    model = room("dilemma", [(1,), (2,), (3,)]).models[0]
    update = model._updates[1]

    def take(ply: int, **question: object) -> None:
        told = {"id": 9, "what": "", "seats": [], "text": Text("?").to_json(), "waiting": [], **question}
        asked = convert(told, Question)
        model.take(Updates(game=1, updates=[structs.replace(update, news=[], ply=ply, question=asked)]))

    take(4, kind="window", thrown=[[2, 7]], to_lay=[])
    assert list(model.canvas(80).thrown) == [(2, 7)]
    take(4, kind="poll")
    assert list(model.canvas(80).thrown) == [(2, 7)], "whose card it is, is asked"
    take(6, kind="turn")
    assert not model.canvas(80).thrown


def test_whoever_waits_for_a_move_is_told_for_whom(wording: Wording, room: Seats) -> None:
    at = room("d21", [(1,), (2,)])
    wording(at.models[1].question)
    wording(at.models[0].question)
