"""What holds for every game in the registry, whatever its rules: random games, looked at from all sides.

A game that joins the registry is tested by these laws at once. It has to say two things here: with which options it is
worth playing (:data:`OPTION_SETS`), and which of its moves are secrets, and whose (:data:`SECRETS`).
"""

import json
import random
import re
import string
from copy import copy
from functools import cache, lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sample import sample
from tablier.games import GAMES, game_class, rules_of
from tablier.games.core import TABLE, IllegalMove, MalformedMove, Move, OptionError, Position, RulesError
from tablier.record import parse_record, record_of, replay
from tablier.texts import render

SMALL_D21 = {
    side: {f"{column}{row}": face for row in rows for column, face in zip("bcdef", faces, strict=True)}
    | {f"b{last}": 6, f"f{last}": 6}
    for side, rows, faces, last in [("red", (2, 3), (1, 1, 2, 3, 4), 1), ("green", (5, 6), (5, 5, 4, 3, 2), 7)]
}
OPTION_SETS = {
    "dilemma": [],
    "struggle": [{"board": "YRYBYRYYBRYY"}, {"board": "R" * 10}],
    "dicke-daemonen": [{"layout": "chain"}, {"layout": "tangle"}],
    "roudalon": [],
    "d21": [
        {"max_plies": 40},
        {"max_plies": 41, "adjacent_jumps": False},
        {"max_plies": 60, "size": 7, "setup": SMALL_D21},
    ],
}
"""Besides no options at all, and another ``first`` where there is that option."""
SEEDS = st.integers(0, sample(5, 2**32 - 1))


def no_secret(rules, before, move):
    return None


def first_choice_of_a_duel(rules, before, move):
    return move.actor if move.verb == "duel" and len(rules.to_move(before)) == 2 else None


def dealt(rules, before, move):
    """``table deal p2 …``, ``table draw p2 …``: the secret of seat 2."""
    return int(str(move).split()[2][1:]) if move.verb in ("deal", "draw") else None


SECRETS = {
    "dilemma": first_choice_of_a_duel,
    "struggle": dealt,
    "dicke-daemonen": dealt,
    "roudalon": no_secret,
    "d21": no_secret,
}
"""The seat whose secret a move is when it is made, or ``None``."""
COURSE_SHOWS_SECRETS = {"dicke-daemonen"}
"""Games in which the rules themselves let a hand decide who is asked next (R-G3, R-G4)."""

CASES = [(name, seats) for name in GAMES for seats in game_class(name).seat_counts]
every_game = pytest.mark.parametrize(("name", "seats"), CASES, ids=[f"{name}-{seats}" for name, seats in CASES])


def option_sets(name, seats):
    sets = [{}, *OPTION_SETS[name]]
    if "first" in game_class(name).OPTIONS:
        sets.append({"first": f"p{seats}"})
    return sets


@cache
def rules_for(name, seats, number):
    return rules_of(name, seats, option_sets(name, seats)[number])


class Walk:
    """A random game to its end: its states, the moves between them, and some of the states to look at closely."""

    def __init__(self, name, seats, number, seed):
        self.seed = seed
        self.rng = rng = random.Random(seed)
        self.rules = rules = rules_for(name, seats, number)
        self.states = [rules.initial()]
        self.moves = []
        self.offered = []
        while legal := rules.legal(self.states[-1]):
            assert len(self.moves) < 5_000, "the game does not end"
            # Actor, then verb, then move: else the verb with most arguments is all that is ever seen.
            actor = rng.choice(sorted({move.actor for move in legal}))
            verb = rng.choice(sorted({move.verb for move in legal if move.actor == actor}))
            move = rng.choice([move for move in legal if (move.actor, move.verb) == (actor, verb)])
            self.offered += rng.sample(legal, min(3, len(legal)))
            self.moves.append(move)
            self.states.append(rules.apply(self.states[-1], move))

    def plies(self, count):
        """So many of the plies, the first and the last among them."""
        last = len(self.moves)
        return sorted({0, last, *self.rng.sample(range(last + 1), min(count, last + 1))})

    def some_states(self, count=12):
        return [self.states[ply] for ply in self.plies(count)]

    def position(self, ply):
        position = Position(self.rules)
        for move in self.moves[:ply]:
            position.push(move)
        return position

    def __repr__(self):
        return f"<{self.rules.name}, {self.rules.seats} seats, options {self.rules.given}, seed {self.seed}>"


@lru_cache(maxsize=64)
def shared_walk(name, seats, number, seed):
    return Walk(name, seats, number, seed)


def walk_of(name, seats, number, seed):
    """A random game, which other tests may have looked at before, with a generator of its own."""
    walk = copy(shared_walk(name, seats, number, seed))
    walk.rng = random.Random(seed)
    return walk


def walks(test):
    """Run a test of (walk) for every game and number of seats, over option sets and seeds.

    To play a game takes longer than most of the tests: in a sample they share those of a few seeds.
    """

    @every_game
    @settings(max_examples=sample(2, 4), deadline=None)
    @given(data=st.data())
    def run(name, seats, data):
        number = data.draw(st.integers(0, len(option_sets(name, seats)) - 1), label="option set")
        test(data.draw(SEEDS.map(lambda seed: walk_of(name, seats, number, seed)), label="game"))

    run.__name__ = test.__name__
    run.__doc__ = test.__doc__
    return run


def neighbours(move, rules, rng):
    """Moves that differ a little from one: another actor, another move's arguments, one word less or more."""
    words = str(move).split()
    names = ["table", *(f"p{n}" for n in range(1, rules.seats + 1))]
    texts = [" ".join([rng.choice(names), *words[1:]])]
    texts.append(" ".join([*words[:-1], str(rng.randint(0, 12))]))
    if len(words) > 3:
        at, to = rng.randrange(2, len(words)), rng.randrange(2, len(words))
        words[at], words[to] = words[to], words[at]
        texts.append(" ".join(words))
    for text in texts:
        try:
            yield rules.parse(text)
        except MalformedMove:
            continue


def told(events, seat):
    """What of the events a seat is told (``None``: a spectator)."""
    return [event for event in events if event.audience is None or seat in event.audience]


# -- who says what it is -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_a_game_says_what_these_laws_need(name):
    assert name in OPTION_SETS, f"which options of {name} are worth playing?"
    assert name in SECRETS, f"which moves of {name} are secrets, and whose?"
    cls = game_class(name)
    assert cls.name == name
    assert cls.title
    assert list(cls.seat_counts) == sorted(set(cls.seat_counts))
    assert all(option.help for option in cls.OPTIONS.values())
    for seats in {0, 1, 2, 3, 4, 5, 6, 7} - set(cls.seat_counts):
        with pytest.raises(OptionError):
            rules_of(name, seats)


# -- legal moves -------------------------------------------------------------------------------------------------


@walks
def test_legal_moves_are_exactly_those_that_apply(walk):
    rules = walk.rules
    pool = {*walk.offered, *(other for move in walk.offered for other in neighbours(move, rules, walk.rng))}
    for state in walk.some_states():
        legal = rules.legal(state)
        assert len(set(legal)) == len(legal), "a legal move is listed twice"
        assert [move for move in legal if rules.refuse(state, move) is not None] == []
        position = Position(rules, state)
        for move in walk.rng.sample(sorted(pool, key=str), min(30, len(pool))):
            reason = rules.refuse(state, move)
            assert (reason is None) == (move in legal), (str(move), reason)
            if reason is None:
                continue
            reason = str(reason)
            assert reason == reason.strip() != "" and len(reason.splitlines()) == 1
            with pytest.raises(IllegalMove, match=re.escape(reason)):
                position.push(move)
            with pytest.raises(IllegalMove, match=re.escape(reason)):
                position.parse_push(str(move))
            assert (position.state, position.ply, position.moves) == (state, 0, [])


@walks
def test_what_no_text_says_is_no_move(walk):
    rules = walk.rules
    position = Position(rules)
    for move in walk.rng.sample(walk.offered, min(10, len(walk.offered))):
        for other in (
            Move(rules.seats + 1, *move[1:]),
            Move(-1, *move[1:]),
            Move(move.actor, move.verb + "s", move.args),
            Move(move.actor, move.verb, (*move.args, "x")),
            Move(move.actor, move.verb, 5),
            move[:1],
            str(move),
            None,
        ):
            with pytest.raises(MalformedMove):
                position.push(other)
            assert (position.ply, position.state) == (0, rules.initial())


@walks
def test_to_move_names_the_actors_of_the_legal_moves_in_order(walk):
    rules = walk.rules
    for state in walk.states:
        actors = {move.actor for move in rules.legal(state)}
        assert rules.to_move(state) == (*sorted(actors - {TABLE}), *(actors & {TABLE}))


@walks
def test_any_legal_move_leads_to_a_sound_state_and_leaves_the_old_one_alone(walk):
    rules = walk.rules
    for state in walk.some_states():
        legal = rules.legal(state)
        before = hash(state), repr(state)
        for move in walk.rng.sample(legal, min(6, len(legal))):
            after = rules.apply(state, move)
            assert len(rules.scores(after)) == rules.seats
        assert (hash(state), repr(state)) == before
        if isinstance(legal, list):
            listed = legal.copy()
            legal.clear()
            assert rules.legal(state) == listed, "the list of legal moves is shared"


# -- history -----------------------------------------------------------------------------------------------------


@walks
def test_taking_back_is_the_identity(walk):
    position = Position(walk.rules)
    for move in walk.moves:
        position.push(move)
    assert position.moves == walk.moves
    for ply in range(len(walk.moves), 0, -1):
        assert (position.ply, position.state) == (ply, walk.states[ply])
        assert position.pop() == walk.moves[ply - 1]
    assert position.state == walk.rules.initial()
    with pytest.raises(IndexError):
        position.pop()


@walks
def test_a_copy_is_equal_and_independent(walk):
    ply = walk.rng.randrange(len(walk.moves))
    position = walk.position(ply)
    twin = position.copy()
    assert twin == position
    assert twin.moves == position.moves
    twin.push(walk.moves[ply])
    assert (position.state, position.ply, position.moves) == (walk.states[ply], ply, walk.moves[:ply])
    assert twin.state == walk.states[ply + 1]
    assert twin != position or walk.states[ply] == walk.states[ply + 1]
    twin.pop()
    assert twin == position


@walks
def test_a_record_replays_to_the_same_position(walk):
    for ply in (walk.rng.randrange(len(walk.moves)), len(walk.moves)):
        position = walk.position(ply)
        record = record_of(position, tuple(f"Player {n}" for n in range(walk.rules.seats)))
        assert (record.result is not None) == position.is_over
        again = parse_record(json.loads(record.dumps()))
        assert again == record
        assert replay(again) == position
        assert replay(again).moves == position.moves


# -- notation ----------------------------------------------------------------------------------------------------


@walks
def test_notation_of_every_legal_move_reads_back(walk):
    rules = walk.rules
    fresh = rules_of(rules.name, rules.seats, rules.given)  # has not read any text before
    for state in walk.some_states(6):
        legal = rules.legal(state)
        texts = [str(move) for move in legal]
        assert len(set(texts)) == len(texts)
        for move, text in zip(legal, texts, strict=True):
            assert fresh.parse(text) == move == fresh.canonical(move), text
            assert repr(fresh.parse(text)) == repr(move)  # of the same types, so written alike again
            assert text.split(" ") == text.split()


@walks
def test_a_damaged_text_is_malformed_or_a_move_in_canonical_form(walk):
    rules, rng = walk.rules, walk.rng
    for move in rng.sample(walk.offered, min(40, len(walk.offered))):
        text = str(move)
        at = rng.randrange(len(text) + 1)
        words = text.split(" ")
        word = rng.randrange(len(words))
        for damaged in (
            text[:at] + rng.choice(string.printable) + text[at:],
            text[:at] + text[at + 1 :],
            text[:at] + rng.choice("0123456789pabKAé٣ \n") + text[at + 1 :],
            " ".join(words[:word] + words[word + 1 :]),
            " ".join(words[: word + 1] + words[word:]),
            " ".join([*words[:word], rng.choice(["9" * 5000, "9" * 150, "-1", "0", "{p1}"]), *words[word + 1 :]]),
            " ".join(rng.sample(words, len(words))),
        ):
            try:
                read = rules.parse(damaged)
            except MalformedMove as error:
                assert len(str(error).splitlines()) == 1
                assert len(str(error)) < 500
                continue
            assert rules.parse(str(read)) == read
            assert rules.canonical(read) == read
            assert sorted(re.split("[ -]", str(read))) == sorted(re.split("[ -]", damaged))


# -- positions that are set up ------------------------------------------------------------------------------------


@walks
def test_every_state_of_a_game_is_sound_and_is_restored_from_its_description(walk):
    rules = walk.rules
    for state in walk.some_states(10):
        description = json.loads(json.dumps(rules.describe(state), allow_nan=False))
        assert description == rules.describe(state)
        assert rules.restore(description) == state


ODD = [
    None,
    True,
    False,
    -1,
    0,
    1,
    2,
    7,
    99,
    10**20,
    1.5,
    "",
    "p1",
    "p9",
    "table",
    "red",
    "A",
    "é",
    [],
    {},
    [[]],
    [1, 2],
]


@pytest.mark.parametrize("description", [{}, {"phase": "over"}, {"a": 1}, [], None, 5, "x"])
@every_game
def test_what_describes_nothing_is_refused(name, seats, description):
    with pytest.raises(RulesError):
        rules_of(name, seats).restore(description)


# -- the end -----------------------------------------------------------------------------------------------------


@walks
def test_a_game_ends_once_and_for_good(walk):
    rules = walk.rules
    for state in walk.states[:-1]:
        assert rules.ending(state) is None
        assert rules.winners(state) == ()
        assert rules.to_move(state)
    end = walk.states[-1]
    assert re.fullmatch("[a-z][a-z_-]*", rules.ending(end))
    assert rules.to_move(end) == ()
    assert list(rules.legal(end)) == []
    assert list(rules.chance(end)) == []
    winners = rules.winners(end)
    assert list(winners) == sorted(set(winners) & set(range(1, rules.seats + 1)))
    for move in walk.offered:
        assert rules.refuse(end, move)


@walks
def test_scores_are_a_number_for_each_seat(walk):
    for state in walk.states:
        scores = walk.rules.scores(state)
        assert len(scores) == walk.rules.seats
        assert all(type(score) in (int, float) for score in scores)
        assert json.loads(json.dumps(scores, allow_nan=False)) == list(scores)


# -- chance ------------------------------------------------------------------------------------------------------


@walks
def test_chance_covers_the_moves_of_the_table_with_whole_weights(walk):
    rules = walk.rules
    for state in walk.some_states(20):
        outcomes = rules.chance(state)
        if not outcomes:
            continue
        moves = [move for move, _ in outcomes]
        assert len(set(moves)) == len(moves)
        assert set(moves) == {move for move in rules.legal(state) if move.actor == TABLE}
        assert all(type(weight) is int and weight > 0 for _, weight in outcomes)


# -- who may know what ---------------------------------------------------------------------------------------------


@walks
def test_events_name_only_seats_of_this_game(walk):
    rules = walk.rules
    seats = range(1, rules.seats + 1)
    names = [f"Player {n}" for n in seats]
    for before, move, after in zip(walk.states, walk.moves, walk.states[1:], strict=False):
        events = rules.events(before, move, after)
        assert events, f"nobody is told of {move}"
        for event in events:
            text = render(event.text.to_json(), names)
            assert text == text.strip() != "" and len(text.splitlines()) == 1
            assert re.fullmatch("[a-z][a-z_-]*", event.kind)
            assert event.audience is None or set(event.audience) <= set(seats)


@walks
def test_a_view_is_json_for_every_seat_and_a_spectator(walk):
    rules = walk.rules
    for state in walk.some_states():
        for seat in (None, *range(1, rules.seats + 1)):
            view = rules.view(state, seat)
            assert json.loads(json.dumps(view, allow_nan=False)) == view


@walks
def test_a_secret_is_nobody_elses(walk):
    """Two games that differ in a secret of one seat look alike to all others until the rules make it public."""
    rules = walk.rules
    owner_of = SECRETS[rules.name]
    secrets = [
        (ply, owner)
        for ply, move in enumerate(walk.moves)
        if (owner := owner_of(rules, walk.states[ply], move)) is not None
    ]
    for ply, move in enumerate(walk.moves):
        if (ply, owner_of(rules, walk.states[ply], move)) not in secrets:
            assert not rules.secret(walk.states[ply], move, walk.states[ply + 1]), f"{move} is no secret"
    for ply, owner in walk.rng.sample(secrets, min(6, len(secrets))):
        compare_from(walk, ply, owner)


def compare_from(walk, ply, owner):
    rules = walk.rules
    here, there = walk.states[ply], walk.states[ply]
    secret = walk.moves[ply]
    others = [None, *(seat for seat in range(1, rules.seats + 1) if seat != owner)]
    twins = [
        move
        for move in rules.legal(here)
        if (move.actor, move.verb) == (secret.actor, secret.verb)
        and SECRETS[rules.name](rules, here, move) == owner
        and move != secret
    ]
    if not twins:
        return
    twin = walk.rng.choice(twins)
    for step, move in enumerate(walk.moves[ply:]):
        moves = (secret, twin) if step == 0 else (move, move)
        if rules.refuse(there, moves[1]) is not None:
            return  # what followed shows that it was not the twin
        befores = here, there
        here, there = rules.apply(here, moves[0]), rules.apply(there, moves[1])
        if public(rules.name, step, move):
            assert not rules.secret(walk.states[ply], secret, here)
            return
        if not rules.to_move(here) or not rules.to_move(there):
            return  # the end makes all public
        if rules.to_move(here) != rules.to_move(there):
            assert rules.name in COURSE_SHOWS_SECRETS
            return
        if step == 0:
            assert rules.view(here, owner) != rules.view(there, owner), "its owner does not see it"
        assert rules.secret(walk.states[ply], secret, here)
        assert rules.secret(walk.states[ply], twin, there)
        for seat in others:
            assert rules.view(here, seat) == rules.view(there, seat), (step, seat, str(secret), str(twin))
            events = [
                told(rules.events(before, played, after), seat)
                for before, played, after in zip(befores, moves, (here, there), strict=True)
            ]
            assert events[0] == events[1], (step, seat)
            legal = [{move for move in rules.legal(state) if move.actor == seat} for state in (here, there)]
            assert legal[0] == legal[1], (step, seat)


def public(name, step, move):
    """Whether a later move makes the secret public: the second choice of a duel opens both."""
    return name == "dilemma" and step > 0 and move.verb == "duel"


@walks
def test_a_secret_ends_with_the_game(walk):
    rules, end = walk.rules, walk.states[-1]
    for before, move in zip(walk.states, walk.moves, strict=False):
        assert not rules.secret(before, move, end)


@pytest.mark.parametrize(("name", "seats"), [case for case in CASES if SECRETS.get(case[0]) is no_secret])
def test_a_game_without_secrets_looks_the_same_to_all(name, seats):
    walk = Walk(name, seats, 0, seed=1)
    for state in walk.some_states():
        views = [walk.rules.view(state, seat) for seat in (None, *range(1, seats + 1))]
        assert all(view == views[0] for view in views)


# -- options -------------------------------------------------------------------------------------------------------

JSON = st.recursive(
    st.sampled_from(ODD) | st.text(max_size=4) | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@every_game
@settings(max_examples=sample(12, 25), deadline=None)
@given(data=st.data())
def test_an_option_of_any_value_is_an_option_error_or_fine(name, seats, data):
    for key in [*game_class(name).OPTIONS, "nonsense"]:
        try:
            rules = rules_of(name, seats, {key: data.draw(JSON, label=key)})
        except OptionError as error:
            assert len(str(error).splitlines()) == 1
            assert len(str(error)) < 1000
        else:
            assert key != "nonsense"
            assert rules.to_move(rules.initial())


@every_game
def test_rules_do_not_share_their_options_with_the_giver(name, seats):
    for options in option_sets(name, seats):
        given_options = json.loads(json.dumps(options))
        rules = rules_of(name, seats, given_options)
        assert rules.given == options
        given_options["nonsense"] = 1
        assert rules.given == options
