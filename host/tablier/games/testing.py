"""Check the rules of a game against the laws that all games obey::

    from tablier.games.testing import check

    def test_the_rules_obey_the_laws():
        check(Pig(3))

Each law is checked in random games. A :class:`LawError` names the law that is broken, the game and its seed, what was
seen, the moves that led there, and the call that plays this game again. Lights, words and bots are checked along the
games, too, and the facts of each are told; bots that take their time and simulated people are not.
"""

from __future__ import annotations

import json
import random
import re
import string
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from importlib.metadata import EntryPoint
from itertools import islice, product
from math import prod
from typing import Any

from tablier.games import GAMES, GROUP, Game, default_part
from tablier.games.core import JUDGE, TABLE, IllegalMove, MalformedMove, Move, Position, Rules, RulesError, seat_name
from tablier.games.core.bots import Bot, Searching, decide
from tablier.games.core.facts import Facts
from tablier.games.core.lights import CHOICE_COLOURS, Lights, Look, pixels_of, rings_of
from tablier.games.core.scripts import attempts_of, options_at_once
from tablier.games.core.words import OUTCOME_MAX, Words
from tablier.texts import Failure, Listed, Text, render

Seat = int | None
"""``None`` is a spectator."""

_MOST_MOVES = 5_000
_MOST_DRAWS = 20_000  # the most numbers that are tried out of those that a draw can have
_MOST_TOLD = 300  # the most moves that an error tells
_WORD = re.compile("[a-z][a-z_-]*")


class LawError(AssertionError):
    """Rules that break a law."""


def demand(holds: object, wrong: str) -> None:
    """Raise :class:`LawError` unless something holds."""
    if not holds:
        raise LawError(wrong)


class Walk:
    """A random game to its end: its states, the moves between them, and some of the states to look at closely."""

    def __init__(self, rules: Rules[Any], seed: int) -> None:
        self.rules = rules
        self.seed = seed
        self.rng = random.Random(seed)
        self.states = [rules.initial()]
        self.moves: list[Move] = []
        self.offered: list[Move] = []
        """Some of the moves that were legal."""
        self.at: int | None = None
        """After how many moves the state is that a law looks at, ``None`` where it is not one."""
        try:
            self._play()
        except LawError as error:
            raise LawError(self.told("to play it", error)) from None
        except Exception as error:
            raise LawError(self.told("to play it", f"{type(error).__name__}: {error}")) from error

    def _play(self) -> None:
        rules, rng = self.rules, self.rng
        while legal := rules.legal(self.states[-1]):
            demand(len(self.moves) < _MOST_MOVES, f"the game does not end within {_MOST_MOVES} moves")
            # Actor, then verb, then move: else the verb with most arguments is all that is ever seen.
            actor = rng.choice(sorted({move.actor for move in legal}))
            verb = rng.choice(sorted({move.verb for move in legal if move.actor == actor}))
            move = rng.choice([move for move in legal if (move.actor, move.verb) == (actor, verb)])
            self.offered += rng.sample(legal, min(3, len(legal)))
            self.moves.append(move)
            self.states.append(rules.apply(self.states[-1], move))

    @property
    def steps(self) -> Iterator[tuple[Any, Move, Any]]:
        """Return each move with the states before and after it."""
        for ply, step in enumerate(zip(self.states, self.moves, self.states[1:], strict=False), 1):
            self.at = ply
            yield step

    @property
    def all_states(self) -> Iterator[Any]:
        """Return the states, one after the other."""
        for self.at, state in enumerate(self.states):  # noqa: B020
            yield state

    def some_states(self, count: int = 12) -> Iterator[Any]:
        """Return the first state, the last, and at most ``count`` others."""
        last = len(self.moves)
        for ply in {0, last, *self.rng.sample(range(last + 1), min(count, last + 1))}:
            self.at = ply
            yield self.states[ply]

    def told(self, law: str, wrong: object) -> str:
        """Return what breaks a law: where, what was seen, and how to see it again."""
        moves = [str(move) for move in self.moves[: self.at]]
        cut = ["…"] if len(moves) > _MOST_TOLD else []
        rules = self.rules
        again = f"check({type(rules).__name__}({rules.seats}, {rules.given}), games=1, seed={self.seed})"
        led = "; ".join([*cut, *moves[-_MOST_TOLD:]]) or "none"
        return f"{self}: {law}: {wrong}\n  the moves until then: {led}\n  again: {again}"

    @property
    def viewers(self) -> Sequence[Seat]:
        return (None, *range(1, self.rules.seats + 1))

    def __repr__(self) -> str:
        return f"{self.rules.title}, {self.rules.seats} seats, options {self.rules.given}, seed {self.seed}"


def told(rules: Rules[Any], before: Any, move: Move, after: Any, viewer: Seat) -> list[Any]:
    """Return the events of a move that a viewer is told."""
    events = rules.events(before, move, after)
    return [event for event in events if event.audience is None or viewer in event.audience]


def _json(value: Any) -> Any:
    """Return a value as it comes out of JSON; ``None`` for one that JSON cannot hold."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError):
        return None


def _line(text: str) -> bool:
    return text == text.strip() != "" and len(text.splitlines()) == 1


# -- notation --------------------------------------------------------------------------------------------------------


def what_is_written_reads_back(walk: Walk) -> None:
    """Every legal move has a text of its own, which reads back as that move."""
    fresh = type(walk.rules)(walk.rules.seats, walk.rules.given)  # has not read any text before
    for state in walk.some_states(6):
        legal = walk.rules.legal(state)
        demand(len({str(move) for move in legal}) == len(set(legal)), "two legal moves are written alike")
        for move in legal:
            try:
                read = fresh.parse(str(move))
            except MalformedMove as error:
                raise LawError(f"'{move}' is legal and does not read back: {error}") from error
            demand(repr(read) == repr(move), f"'{move}' is {move!r} and reads back as {read!r}")


def what_is_no_move_is_malformed(walk: Walk) -> None:
    """Text that is not a move of this game is refused as malformed; any other is a move in canonical form."""
    rules, rng = walk.rules, walk.rng
    for move in rng.sample(walk.offered, min(40, len(walk.offered))):
        for other in (
            Move(rules.seats + 1, *move[1:]),
            Move(-1, *move[1:]),
            Move(move.actor, move.verb + "s", move.args),
            Move(move.actor, move.verb, (*move.args, "x")),
            str(move),
            None,
        ):
            try:
                rules.canonical(other)  # type: ignore[arg-type]
            except MalformedMove:
                continue
            raise LawError(f"{other!r} is no move, and not malformed")
        for text in _damaged(str(move), rng):
            try:
                read = rules.parse(text)
            except MalformedMove as error:
                demand(_line(str(error)), f"the error for {text!r} is not one line")
                demand(len(str(error)) < 500, f"the error for a text of {len(text)} characters is long")
                continue
            demand(rules.parse(str(read)) == read, f"{text!r} reads as '{read}', which reads as something else")
            same = sorted(re.split("[ -]", str(read))) == sorted(re.split("[ -]", text))
            demand(same, f"{text!r} reads as '{read}'")


def _damaged(text: str, rng: random.Random) -> Iterator[str]:
    at, words = rng.randrange(len(text) + 1), text.split(" ")
    word = rng.randrange(len(words))
    yield text[:at] + rng.choice(string.printable) + text[at:]
    yield text[:at] + text[at + 1 :]
    yield text[:at] + rng.choice("0123456789pabKAé٣ \n") + text[at + 1 :]
    yield " ".join(words[:word] + words[word + 1 :])
    yield " ".join(words[: word + 1] + words[word:])
    yield " ".join([*words[:word], rng.choice(["9" * 5000, "9" * 150, "-1", "0", "{p1}"]), *words[word + 1 :]])
    yield " ".join(rng.sample(words, len(words)))


# -- moves -----------------------------------------------------------------------------------------------------------


def legal_agrees_with_refuse(walk: Walk) -> None:
    """Each legal move is listed once; ``refuse`` has a reason, in one line, for all others; ``allows`` says the
    same."""
    rules = walk.rules
    pool = {*walk.offered, *(other for move in walk.offered for other in _neighbours(move, rules, walk.rng))}
    for state in walk.some_states():
        legal = rules.legal(state)
        demand(len(set(legal)) == len(legal), f"a move is listed twice: {legal}")
        for move in legal:
            demand(rules.refuse(state, move) is None, f"'{move}' is legal and refused: {rules.refuse(state, move)}")
            demand(rules.allows(state, move), f"'{move}' is legal and not allowed")
        position = Position(rules, state)
        for move in walk.rng.sample(sorted(pool, key=str), min(30, len(pool))):
            reason = rules.refuse(state, move)
            demand((reason is None) == (move in legal), f"'{move}' is not in legal, and not refused")
            demand(rules.allows(state, move) == (move in legal), f"'{move}' is not in legal, and allowed")
            if reason is not None:
                demand(_line(str(reason)), f"the reason against '{move}' is not one line: {str(reason)!r}")
                try:
                    position.push(move)
                except IllegalMove:
                    demand((position.state, position.ply) == (state, 0), f"'{move}' was refused, and played")
                else:
                    raise LawError(f"'{move}' is refused, but can be played")


def _neighbours(move: Move, rules: Rules[Any], rng: random.Random) -> Iterator[Move]:
    """Return moves that differ a little from one: another actor, another move's arguments."""
    words = str(move).split()
    names = ["table", *(f"p{n}" for n in range(1, rules.seats + 1))]
    texts = [" ".join([rng.choice(names), *words[1:]]), " ".join([*words[:-1], str(rng.randint(0, 12))])]
    if len(words) > 3:
        at, to = rng.randrange(2, len(words)), rng.randrange(2, len(words))
        words[at], words[to] = words[to], words[at]
        texts.append(" ".join(words))
    for text in texts:
        try:
            yield rules.parse(text)
        except MalformedMove:
            continue


def to_move_names_the_actors(walk: Walk) -> None:
    """``to_move`` names the actors of the legal moves: seats in their order, then the table."""
    for state in walk.all_states:
        actors = {move.actor for move in walk.rules.legal(state)}
        due = (*sorted(actors - {TABLE}), *(actors & {TABLE}))
        demand(walk.rules.to_move(state) == due, f"to_move is {walk.rules.to_move(state)}; legal moves are of {due}")


def a_move_leaves_the_old_state_alone(walk: Walk) -> None:
    """A state is a value: hashable, and not changed by what is done with it."""
    rules = walk.rules
    for state in walk.some_states():
        legal = rules.legal(state)
        before = hash(state), repr(state)
        for move in walk.rng.sample(legal, min(6, len(legal))):
            rules.apply(state, move)
        demand((hash(state), repr(state)) == before, f"apply has changed the state {before[1]}")
        if isinstance(legal, list):
            listed = legal.copy()
            legal.clear()
            demand(rules.legal(state) == listed, "the list of legal moves is not the caller's own")


def taking_back_is_the_identity(walk: Walk) -> None:
    """Moves that are taken back lead through the same states."""
    position = Position(walk.rules)
    for move in walk.moves:
        position.push(move)
    for ply in range(len(walk.moves), 0, -1):
        demand(position.state == walk.states[ply], f"after {ply} moves the state is not the same when played again")
        demand(position.pop() == walk.moves[ply - 1], f"move {ply} is not the one that was played")
    demand(position.state == walk.rules.initial(), "with all moves taken back the state is not the first")


# -- chance ----------------------------------------------------------------------------------------------------------


def chance_adds_up(walk: Walk) -> None:
    """Chance has the moves of the table, with whole weights; what is drawn comes out as often as they say."""
    rules = walk.rules
    for state in walk.some_states(20):
        outcomes = dict(rules.chance(state))
        if not outcomes:
            continue
        demand(len(outcomes) == len(rules.chance(state)), "an outcome is listed twice")
        moves = {move for move in rules.legal(state) if move.actor == TABLE}
        demand(set(outcomes) == moves, "the outcomes are not the legal moves of the table")
        whole = all(type(weight) is int and weight > 0 for weight in outcomes.values())
        demand(whole, f"weights are whole numbers from 1: {list(outcomes.values())}")
        draw = rules.draw(state)
        drawn = Counter(map(draw.move, islice(product(*map(range, draw.ranges)), _MOST_DRAWS)))
        demand(set(drawn) <= moves, f"'{next(iter(set(drawn) - moves), '')}' is drawn, and no outcome")
        if prod(draw.ranges) <= _MOST_DRAWS:
            total, weights = sum(drawn.values()), sum(outcomes.values())
            for move, weight in outcomes.items():
                often = drawn[move] * weights == weight * total
                demand(often, f"'{move}' is drawn {drawn[move]} in {total} times, and weighs {weight} of {weights}")


# -- who may know what -----------------------------------------------------------------------------------------------


def events_are_for_seats_of_the_game(walk: Walk) -> None:
    """Of every move somebody is told, in one line each, and only seats of the game."""
    rules, names = walk.rules, [f"Player {n}" for n in walk.viewers[1:]]
    for before, move, after in walk.steps:
        events = rules.events(before, move, after)
        demand(events, f"nobody is told of '{move}'")
        judged = [event for event in events if event.kind == JUDGE]
        demand(rules.judged(before, move, after) == judged, f"'{move}' is judged by other events than are told")
        for event in events:
            text = render(event.text.to_json(), names)
            demand(_line(text), f"'{move}': what is told is not one line: {text!r}")
            demand(_WORD.fullmatch(event.kind), f"{event.kind!r} is no kind of event: small letters, - and _")
            demand(
                not rules.OPEN_EVENTS or (event.audience is None and event.kind != JUDGE),
                f"'{move}' has an event that is not open",
            )
            audience = set(event.audience or ())
            demand(audience <= set(walk.viewers[1:]), f"'{move}' is told to {event.audience}")


def views_are_json(walk: Walk) -> None:
    """A view is JSON, for every seat and a spectator."""
    for state in walk.some_states():
        for seat in walk.viewers:
            view = walk.rules.view(state, seat)
            demand(_json(view) == view, f"the view of {seat or 'a spectator'} is not JSON: {view}")


def secrets_do_not_leak(walk: Walk) -> None:
    """Two games that differ in a secret of one seat look alike to all others, for as long as it is secret."""
    rules = walk.rules
    secrets = [ply for ply, (before, move, after) in enumerate(walk.steps) if rules.secret(before, move, after)]
    for ply in walk.rng.sample(secrets, min(6, len(secrets))):
        _compare(walk, ply)


def _owner(rules: Rules[Any], before: Any, move: Move, after: Any) -> int:
    """Return whose secret a move is."""
    audiences = [event.audience for event in rules.events(before, move, after) if event.audience]
    return move.actor or (audiences[0][0] if audiences else TABLE)


def _compare(walk: Walk, ply: int) -> None:
    rules, first, secret = walk.rules, walk.states[ply], walk.moves[ply]
    owner = _owner(rules, first, secret, walk.states[ply + 1])
    kind = secret.actor, secret.verb, owner
    legal = [move for move in rules.legal(first) if move != secret]
    twins = [
        move for move in legal if (move.actor, move.verb, _owner(rules, first, move, rules.apply(first, move))) == kind
    ]
    if not twins:
        return
    twin = walk.rng.choice(twins)
    here = there = first
    for step, move in enumerate(walk.moves[ply:]):
        walk.at = ply + step + 1
        played = (secret, twin) if step == 0 else (move, move)
        if rules.refuse(there, played[1]) is not None:
            return  # what follows shows that it was not the twin
        befores = here, there
        here, there = rules.apply(here, played[0]), rules.apply(there, played[1])
        if not rules.secret(first, secret, here) and not rules.secret(first, twin, there):
            return
        pair = f"'{secret}' from '{twin}' after {step} more moves"
        if rules.to_move(here) != rules.to_move(there):
            demand(not rules.OPEN_MOVES, f"who can move tells {pair}")
            return
        if step == 0:
            demand(rules.view(here, owner) != rules.view(there, owner), f"its owner cannot tell {pair}")
        for viewer in (viewer for viewer in walk.viewers if viewer != owner):
            who = f"p{viewer}" if viewer else "a spectator"
            views = rules.view(here, viewer), rules.view(there, viewer)
            demand(views[0] == views[1], f"the view of {who} tells {pair}: it is {views[0]}, or {views[1]}")
            events = [told(rules, *step, viewer) for step in zip(befores, played, (here, there), strict=True)]
            demand(events[0] == events[1], f"what {who} is told tells {pair}")
            own = [{move for move in rules.legal(state) if move.actor == viewer} for state in (here, there)]
            demand(own[0] == own[1], f"the moves of {who} tell {pair}")


def what_one_seat_alone_sees_is_secret(walk: Walk) -> None:
    """Check that all see the same where no move is secret, and that none is secret at the end."""
    rules, end = walk.rules, walk.states[-1]
    if not any(rules.secret(before, move, after) for before, move, after in walk.steps):
        for state in walk.some_states():
            views = [rules.view(state, viewer) for viewer in walk.viewers]
            demand(all(view == views[0] for view in views), "seats see different things, and no move is secret")
    for before, move, _ in walk.steps:
        demand(not rules.secret(before, move, end), f"the game is over, and '{move}' is still secret")


# -- positions, and the end ------------------------------------------------------------------------------------------


def a_described_state_is_restored(walk: Walk) -> None:
    """``restore`` of what ``describe`` says, as JSON, is the same state; what describes none is refused."""
    rules = walk.rules
    for state in walk.some_states(10):
        description = rules.describe(state)
        demand(_json(description) == description, f"a description is not JSON: {description}")
        try:
            restored = rules.restore(_json(description))
        except RulesError as error:
            raise LawError(f"a state is not restored: {error}") from error
        same = restored == state and repr(restored) == repr(state)
        demand(same, f"{state!r} is restored as {restored!r}")
    odd: Sequence[Any] = ({}, {"a": 1}, [], None, 5, "x")
    for nothing in odd:
        try:
            rules.restore(nothing)
        except RulesError:
            continue
        raise LawError(f"{nothing!r} describes nothing, and is restored")


def a_game_ends_once_and_for_good(walk: Walk) -> None:
    """Winners and an ending stand when nobody can move, and not before; then everything is refused."""
    rules = walk.rules
    for state in walk.states[:-1]:
        ended = rules.ending(state), rules.winners(state)
        demand(ended == (None, ()), f"the game has not ended, with the ending {ended[0]!r} and the winners {ended[1]}")
    end = walk.states[-1]
    ending, winners = rules.ending(end), list(rules.winners(end))
    demand(ending is not None and _WORD.fullmatch(ending), f"the ending is {ending!r}: not a word")
    demand(winners == sorted(set(winners) & set(walk.viewers[1:])), f"the winners are {winners}")
    demand(not rules.chance(end), "the game is over, and chance is not")
    for move in walk.offered:
        demand(rules.refuse(end, move), f"the game is over, and '{move}' is not refused")


def scores_are_numbers(walk: Walk) -> None:
    """There is a number for each seat, at any time."""
    for state in walk.all_states:
        scores = walk.rules.scores(state)
        numbers = len(scores) == walk.rules.seats and all(type(score) in (int, float) for score in scores)
        demand(numbers and _json(scores) == list(scores), f"the scores are {scores}")


def a_game_keeps_its_bounds(walk: Walk) -> None:
    """No actor has more moves than ``most_legal`` says, and no game more than ``longest``."""
    rules = walk.rules
    if rules.longest is not None:
        demand(len(walk.moves) <= rules.longest, f"the game has {len(walk.moves)} moves; longest is {rules.longest}")
    if rules.most_legal is None:
        return
    for state in walk.all_states:
        for actor, count in Counter(move.actor for move in rules.legal(state)).items():
            within = count <= rules.most_legal
            demand(within, f"{seat_name(actor)} has {count} legal moves; most_legal is {rules.most_legal}")


# -- the other parts of the game ---------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _game_of(cls: type[Rules[Any]]) -> Game:
    """Return the game of a class of rules, with the parts beside its module, installed or not."""
    named = next(each for each in cls.__mro__ if "name" in vars(each))
    name: str = cls.name
    if name in GAMES and GAMES[name].rules is named:
        return GAMES[name]
    return Game(name, [EntryPoint(name, f"{named.__module__}:{named.__qualname__}", GROUP)])


def a_choice_fits_a_table(walk: Walk) -> None:
    """Check that a table can show all options of seats that choose at once, unless the game has its own script."""
    if not walk.rules.OPEN_MOVES or _game_of(type(walk.rules)).part("script") is not default_part("script"):
        return
    most = len(CHOICE_COLOURS)
    for state in walk.all_states:
        options = options_at_once(walk.rules, state)
        demand(len(options) <= most, f"players choose among {len(options)} options at once; a table shows {most}")


def texts_have_their_arguments(walk: Walk) -> None:
    """Each field of a template has its argument: of what is told, of the help, of the names of facts, and of what a
    choice leads to."""
    for before, move, after in walk.steps:
        for event in walk.rules.events(before, move, after):
            _check_fields(f"event {event.kind}", event.text)
    game = _game_of(type(walk.rules))
    words: Words = game.part("words")
    for text in (*words.help, *words.help_at_table):
        _check_fields("help", text)
    for text in words.endings.values():
        _check_fields("endings", text)
    facts: Facts = game.part("facts")
    for text in (*facts.names.values(), *facts.values.values()):
        _check_fields("facts", text)
    for state in walk.all_states:
        _check_commands(walk.rules, words, state)
        if words.outcome is not None and options_at_once(walk.rules, state):
            for move in walk.rules.legal(state):
                outcome = words.outcome(walk.rules, walk.rules.view(state, move.actor), move)
                _check_fields("outcome", outcome)
                demand(len(str(outcome)) < OUTCOME_MAX, f"outcome: {outcome} is too long for a screen")


def _check_commands(rules: Rules[Any], words: Words, state: Any) -> None:
    """Check what pages say of the moves of seats: the commands, and a noun for each group of parts."""
    for move in rules.legal(state):
        if move.actor == TABLE:
            continue
        if words.deed is not None:
            _check_fields("deed", words.deed(rules, rules.view(state, move.actor), move))
        if words.steps is not None:
            steps = words.steps(rules, move)
            for step in steps:
                _check_fields("steps", step)
            groups = 0 if words.parts is None else len(words.parts(rules, move))
            demand(len(steps) in (0, groups), f"steps: {move} has {groups} groups of parts, and {len(steps)} steps")


def _check_fields(where: str, value: Any) -> None:
    if isinstance(value, Failure):
        value = value.text
    if isinstance(value, Text):
        for template in (value.template, value.one):
            for field in _fields(template):
                known = ", ".join(value.args) or "none"
                demand(field in value.args, f"{where}: the template has {{{field}}}, its arguments are {known}")
        for each in value.args.values():
            _check_fields(where, each)
    elif isinstance(value, Listed | list | tuple):
        for each in value.items if isinstance(value, Listed) else value:
            _check_fields(where, each)


def _fields(template: str) -> list[str]:
    """Return the names of a template's fields; none where its braces mean nothing."""
    try:
        return [name for _, name, _, _ in string.Formatter().parse(template) if name and name.isidentifier()]
    except ValueError:
        return []


def facts_are_told_of_an_ended_game(walk: Walk) -> None:
    """What an ended game shows is told under names that the game gives, each once for a seat."""
    facts: Facts = _game_of(type(walk.rules)).part("facts")
    position = Position(walk.rules)
    for move in walk.moves:
        position.push_unchecked(move)
    facts.of(position)


def lights_show_every_position(walk: Walk) -> None:
    """Ring, public pixels, hoods and what moves can be shown, with a seat at each place."""
    rules = walk.rules
    lights: Lights = _game_of(type(rules)).part("lights")
    for state in walk.some_states(3):
        look = _look(walk, state)
        pixels_of(rules.name, lights, "ring", look)
        pixels_of(rules.name, lights, "public", look)
        if lights.hood is not None:
            for seat in range(1, rules.seats + 1):
                pixels_of(rules.name, lights, "hood", look, seat, rules.view(state, seat))
        if lights.walk is not None and walk.at:
            before = rules.view(walk.states[walk.at - 1], None)
            rings_of(rules.name, lights, "walk", look, walk.moves[walk.at - 1], before)


def _look(walk: Walk, state: Any) -> Look:
    rules = walk.rules
    return Look(
        rules=rules,
        view=rules.view(state, None),
        places=list(range(1, rules.seats + 1)),
        moves=[str(move) for move in walk.moves[: walk.at][-2:]],
        over=not rules.to_move(state),
        winners=rules.winners(state),
    )


def bots_play_legal_moves(walk: Walk) -> None:
    """A bot returns one of the moves that it is given; ``None`` only where it may pass."""
    rules = walk.rules
    bots: dict[str, type[Bot]] = _game_of(type(rules)).part("bots")
    quick = [cls for cls in bots.values() if not issubclass(cls, Searching)]
    for state in walk.some_states(3):
        legal, due = rules.legal(state), rules.to_move(state)
        for seat in (seat for seat in due if seat != TABLE):
            moves = attempts_of(rules, (move for move in legal if move.actor == seat))
            for cls in quick:
                bot = cls(type(rules)(rules.seats, rules.given), seat, random.Random(walk.seed))
                decide(rules.name, bot, rules.view(state, seat), moves, TABLE in due)


LAWS: tuple[Callable[[Walk], None], ...] = (
    a_choice_fits_a_table,
    what_is_written_reads_back,
    what_is_no_move_is_malformed,
    legal_agrees_with_refuse,
    to_move_names_the_actors,
    a_move_leaves_the_old_state_alone,
    taking_back_is_the_identity,
    chance_adds_up,
    events_are_for_seats_of_the_game,
    texts_have_their_arguments,
    views_are_json,
    secrets_do_not_leak,
    what_one_seat_alone_sees_is_secret,
    a_described_state_is_restored,
    a_game_ends_once_and_for_good,
    scores_are_numbers,
    a_game_keeps_its_bounds,
    facts_are_told_of_an_ended_game,
    lights_show_every_position,
    bots_play_legal_moves,
)


def check(rules: Rules[Any], games: int = 5, seed: int = 0) -> None:
    """Play random games, as many as ``games``, and check each against all :data:`LAWS`. Raise :class:`LawError`."""
    for number in range(seed, seed + games):
        check_walk(Walk(rules, number))


def check_walk(walk: Walk) -> None:
    """Check one game against all laws. Raise :class:`LawError`."""
    for law in LAWS:
        name = law.__name__.replace("_", " ")
        walk.at = None
        try:
            law(walk)
        except (LawError, Failure) as error:
            raise LawError(walk.told(name, error)) from error.__cause__
        except Exception as error:
            raise LawError(walk.told(name, f"{type(error).__name__}: {error}")) from error


__all__ = ["LAWS", "LawError", "Walk", "check", "check_walk"]
