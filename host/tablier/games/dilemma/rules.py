"""Dilemma (Alex Randolph), 3 to 5 seats.

What follows which passage of the rulebook:

* lives and cards: *Préparatifs*; offer, window, duel card: *Provocation* and *Carte de duel ≠ carte d'offre*;
* the duel and its three outcomes: *Duel*; initiative: *Nouveau tour, nouveau provocateur*;
* unanswered offer and two players left: *Cas particuliers* a) and b); end and score: *Fin de la partie*.

The rulings R-D1 to R-D8 are in ``README.md`` beside this file.

Moves: ``pN offer RANK``, ``pN throw RANK flat|leaning|rim|outside``, ``table close``, ``pN duel peace|conflict``.

What limits the speed: nothing is computed, so each step costs what Python takes to take a state of ten values apart, to
build the next one, and to join two or more ready lists of moves (some 34 moves a step with three players).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from tablier.games.core import (
    GAME_OVER,
    JUDGE,
    NOTHING_MORE,
    TABLE,
    THE_FORM,
    Event,
    MalformedMove,
    Move,
    Option,
    Rules,
    left_of,
    parse_number,
    parse_seat,
    seat_name,
    seat_option,
    whole_number,
)
from tablier.texts import Json, Text, Typed, Who, any_of

RANKS = range(1, 11)
ODDS = {"flat": 85, "leaning": 5, "rim": 4, "outside": 6}
"""How many of a hundred thrown cards land in each way where nobody throws them: without a table, and
by the hands of simulated people."""
LANDINGS = tuple(ODDS)
CHOICES = ("peace", "conflict")
ALL_CARDS = sum(1 << rank for rank in RANKS)
"""A hand is a bit mask: bit ``rank`` is set while the card is held."""

OFFER, WINDOW, DUEL, OVER = "offer", "window", "duel", "over"


class State(NamedTuple):
    """All there is to know of a game of Dilemma. Seat ``n`` is at index ``n - 1``."""

    phase: str
    turn: int
    """The seat that provokes."""
    hands: tuple[int, ...]
    lives: tuple[int, ...]
    gained: tuple[tuple[int, ...], ...]
    """Ranks of the cards lying face up before each seat."""
    offer: int
    """The rank on offer; 0 while there is none."""
    pile: tuple[tuple[int, int], ...]
    """Flat cards on the offer in order of landing, as (seat, rank)."""
    beside: tuple[tuple[int, int], ...]
    """Cards thrown in this turn that did not land flat; they are out of play."""
    fresh: bool
    """True if a card was thrown since the window opened or reopened (R-D3)."""
    choices: tuple[str, str]
    """The choices of provocateur and contractor in the duel; ``""`` while there is none."""


CLOSE = Move(TABLE, "close")
_OFFERS = {seat: [Move(seat, "offer", (rank,)) for rank in RANKS] for seat in range(1, 6)}
_THROWS = {seat: [[Move(seat, "throw", (rank, how)) for how in LANDINGS] for rank in RANKS] for seat in range(1, 6)}
_OUTCOMES = {seat: [list(zip(each, ODDS.values(), strict=True)) for each in _THROWS[seat]] for seat in _THROWS}
_ATTEMPTS = {seat: [Move(seat, "throw", (rank,)) for rank in RANKS] for seat in range(1, 6)}
_DUELS = {seat: [Move(seat, "duel", (choice,)) for choice in CHOICES] for seat in range(1, 6)}


def ranks_of(hand: int) -> list[int]:
    """Return the ranks in a hand, ascending."""
    return [rank for rank in RANKS if hand >> rank & 1]


def choices_allowed(lives: int) -> tuple[str, ...]:
    """Return the choices of a duellist, by the number of lives."""
    return CHOICES if lives else CHOICES[:1]


ByHand = list[list[Move]]
"""The moves of a seat by its hand. Not to be changed."""


def _by_hand(moves: Sequence[Sequence[Move]], last: Sequence[Move] = ()) -> ByHand:
    """For each hand the moves of all its ranks, given rank by rank, and the last ones."""
    of_hands: ByHand = [[]]
    for of_rank in moves:
        of_hands += [[*of_hand, *of_rank] for of_hand in of_hands]
    if last:
        of_hands = [[*of_hand, *last] for of_hand in of_hands]
    return [of_hand for of_hand in of_hands for _ in range(2)]  # bit 0 of a hand says nothing


@cache
def _offers_of(seat: int) -> ByHand:
    return _by_hand([[offer] for offer in _OFFERS[seat]])


@cache
def _throws_of(seat: int) -> ByHand:
    return _by_hand(_THROWS[seat])


@cache
def _throws_of_last(seat: int) -> ByHand:
    """With the close."""
    return _by_hand(_THROWS[seat], [CLOSE])


_PHASE_OF = {"offer": OFFER, "throw": WINDOW, "close": WINDOW, "duel": DUEL}
_NO_WINDOW = Text("no throwing window is open")
_OUT_OF_PHASE = {
    "offer": Text("there is an offer already"),
    "throw": _NO_WINDOW,
    "close": _NO_WINDOW,
    "duel": Text("there is no duel now"),
}

_DUELS_OF = {seat: [duels[: len(choices_allowed(lives))] for lives in range(4)] for seat, duels in _DUELS.items()}
"""For each seat what it may choose, by the number of its lives."""

_new = tuple.__new__  # of State, whose own is written in Python: half the time


def duel_card(offer: int, pile: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """Return the first flat card whose rank differs from the offer's, as (contractor, rank); ``None`` without one."""
    for seat, rank in pile:
        if rank != offer:
            return seat, rank
    return None


def in_play(state: State) -> int:
    """Return how many seats held a card when the turn began: those of R-D6."""
    thrown = {seat for seat, _ in (*state.pile, *state.beside)}
    return sum(bool(hand) or seat == state.turn or seat in thrown for seat, hand in enumerate(state.hands, 1))


class Dilemma(Rules[State]):
    name = "dilemma"
    title = "Dilemma"
    seat_counts = (3, 4, 5)
    OPEN_VIEWS = True
    OPTIONS = {"first": Option("p1", seat_option, Text("the seat that provokes first"))}

    def __init__(self, seats: int, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(seats, options)
        self._offers = [_offers_of(seat) for seat in range(1, seats + 1)]
        self._throwers = [self._throwers_at(turn) for turn in range(1, seats + 1)]
        """For each provocateur, the others: where their hand is, and their throws by it; with the last one's the close.

        The first two, whom there always are, stand apart from the rest: a list of all moves begins as the sum of two.
        """

    def _throwers_at(self, turn: int) -> tuple[int, ByHand, int, ByHand, list[tuple[int, ByHand]]]:
        *others, last = (seat for seat in range(1, self.seats + 1) if seat != turn)
        throwers = [(seat - 1, _throws_of(seat)) for seat in others] + [(last - 1, _throws_of_last(last))]
        return *throwers[0], *throwers[1], throwers[2:]

    def initial(self) -> State:
        seats = self.seats
        return State(
            phase=OFFER,
            turn=self.options["first"],
            hands=(ALL_CARDS,) * seats,
            lives=(3 if seats == 3 else 2,) * seats,
            gained=((),) * seats,
            offer=0,
            pile=(),
            beside=(),
            fresh=False,
            choices=("", ""),
        )

    # -- whose move, and which ------------------------------------------------------------------

    def to_move(self, state: State) -> tuple[int, ...]:
        phase = state.phase
        if phase == WINDOW:
            turn = state.turn
            seats = [n for n, hand in enumerate(state.hands, 1) if hand and n != turn]
            return (*seats, TABLE)
        if phase == OFFER:
            return (state.turn,)
        if phase == DUEL:
            return tuple(sorted(seat for seat, choice in self._duellists(state) if not choice))
        return ()

    @staticmethod
    def _duellists(state: State) -> tuple[tuple[int, str], tuple[int, str]]:
        """Provocateur and contractor with their choices."""
        card = duel_card(state.offer, state.pile)
        assert card is not None
        first, second = state.choices
        return (state.turn, first), (card[0], second)

    def legal(self, state: State) -> list[Move]:
        phase = state.phase
        if phase == WINDOW:
            hands = state.hands
            one, throws_of_one, two, throws_of_two, others = self._throwers[state.turn - 1]
            moves = throws_of_one[hands[one]] + throws_of_two[hands[two]]
            for index, throws in others:
                moves += throws[hands[index]]
            return moves
        if phase == OFFER:
            turn = state.turn
            return self._offers[turn - 1][state.hands[turn - 1]].copy()
        if phase == DUEL:
            lives = state.lives
            (turn, first), (contractor, second) = self._duellists(state)
            mine = [] if first else _DUELS_OF[turn][lives[turn - 1]]
            theirs = [] if second else _DUELS_OF[contractor][lives[contractor - 1]]
            return mine + theirs if turn < contractor else theirs + mine
        return []

    def refuse(self, state: State, move: Move) -> Text | None:
        actor, verb, args = move
        phase = state.phase
        if phase != _PHASE_OF[verb]:
            return GAME_OVER if phase == OVER else _OUT_OF_PHASE[verb]
        if verb == "throw":
            if actor == state.turn:
                return Text("{who} made the offer and does not throw at it", {"who": Who(actor)})
        elif verb == "close":
            return None
        elif verb == "duel":
            return self._refuse_choice(state, actor, args[0])
        elif actor != state.turn:
            return Text("it is {who}'s turn to provoke", {"who": Who(state.turn)})
        hand = state.hands[actor - 1]
        if hand >> args[0] & 1:
            return None
        held = ranks_of(hand) or Text("none")
        about = {"who": Who(actor), "rank": args[0], "held": held}
        if (actor, args[0]) in (*state.pile, *state.beside):
            return Text("{who} has thrown the {rank} already; cards in hand: {held}", about)
        return Text("{who} does not hold the {rank}; cards in hand: {held}", about)

    def _refuse_choice(self, state: State, actor: int, choice: str) -> Text | None:
        (turn, first), (contractor, second) = self._duellists(state)
        if actor != turn and actor != contractor:
            about = {"who": Who(actor), "one": Who(turn), "other": Who(contractor)}
            return Text("{who} is not in this duel; {one} and {other} are", about)
        if first if actor == turn else second:
            return Text("{who} has chosen already", {"who": Who(actor)})
        if choice not in choices_allowed(state.lives[actor - 1]):
            return Text("{who} has no life left and can only choose peace", {"who": Who(actor)})
        return None

    # -- how a card lands without a table ---------------------------------------------------------

    def attempt(self, move: Move) -> Move:
        return _ATTEMPTS[move.actor][move.args[0] - 1] if move.verb == "throw" else move

    def parse_typed(self, text: str) -> Move:
        words = text.split(" ")
        if len(words) == 3 and words[1] == "throw":
            return self.attempt(self.parse(f"{text} {LANDINGS[0]}"))
        return self.parse(text)

    def outcomes(self, attempt: Move) -> list[tuple[Move, int]]:
        return _OUTCOMES[attempt.actor][attempt.args[0] - 1] if attempt.verb == "throw" else []

    # -- what a move does -------------------------------------------------------------------------

    def apply(self, state: State, move: Move) -> State:
        actor, verb, args = move
        phase, turn, hands, lives, gained, offer, pile, beside, _fresh, choices = state
        if verb == "throw":
            rank, how = args
            left = [*hands]
            left[actor - 1] ^= 1 << rank
            if how == "flat":
                pile += ((actor, rank),)
            else:
                beside += ((actor, rank),)
            return _new(State, (phase, turn, tuple(left), lives, gained, offer, pile, beside, True, choices))
        if verb == "close":
            if duel_card(offer, pile) is not None:
                return _new(State, (DUEL, turn, hands, lives, gained, offer, pile, beside, False, choices))
            if state.fresh:  # R-D3: reopened, the invalid cards stay in the pile
                return _new(State, (phase, turn, hands, lives, gained, offer, pile, beside, False, choices))
            return self._end_turn(state, _add(gained, turn, offer), lives)
        if verb == "offer":
            rank = args[0]
            left = list(hands)
            left[turn - 1] ^= 1 << rank
            hands = tuple(left)
            return _new(State, (WINDOW, turn, hands, lives, gained, rank, (), (), False, choices))
        # A choice in the duel; the outcome follows from the second one.
        choices = (args[0], choices[1]) if actor == turn else (choices[0], args[0])
        if not (choices[0] and choices[1]):
            return _new(State, (phase, turn, hands, lives, gained, offer, pile, beside, False, choices))
        card = duel_card(offer, pile)
        assert card is not None
        contractor, rank = card
        if choices[0] == "conflict":
            lives = _less(lives, turn)
        if choices[1] == "conflict":
            lives = _less(lives, contractor)
        if choices == ("peace", "peace"):
            gained = _add(_add(gained, turn, rank), contractor, offer)
        elif choices == ("conflict", "peace"):
            gained = _add(gained, turn, offer, rank)
        elif choices == ("peace", "conflict"):
            gained = _add(gained, contractor, offer, rank)
        return self._end_turn(state, gained, lives)

    def _end_turn(self, state: State, gained: tuple[tuple[int, ...], ...], lives: tuple[int, ...]) -> State:
        """Return the next turn, or the end when at most one seat holds a card (R-D4, R-D5)."""
        hands, turn = state.hands, state.turn
        if sum(map(bool, hands)) <= 1:
            return _new(State, (OVER, turn, hands, lives, gained, 0, (), (), False, ("", "")))
        turn = left_of(turn, self.seats)
        while not hands[turn - 1]:
            turn = left_of(turn, self.seats)
        return _new(State, (OFFER, turn, hands, lives, gained, 0, (), (), False, ("", "")))

    def scores(self, state: State) -> tuple[float, ...]:
        return tuple(map(sum, state.gained))

    def ending(self, state: State) -> str | None:
        return "cards" if state.phase == OVER else None

    # -- who may know what ------------------------------------------------------------------------

    def view(self, state: State, seat: int | None) -> Json:
        """Everything lies open but a choice in a duel that the other duellist has not made yet."""
        view = self.describe(state)
        if state.phase == DUEL:
            view["choices"] = {
                seat_name(who): (choice if who == seat else "made") if choice else None
                for who, choice in self._duellists(state)
            }
        return view

    def secret(self, before: State, move: Move, now: State) -> bool:
        """Return whether a move is secret: a choice is during the duel in which it was made, that is until the
        other one is made."""
        return move.verb == "duel" and now.phase == DUEL and now._replace(choices=before.choices) == before

    def judged(self, before: State, move: Move, after: State) -> list[Event]:
        if move.verb != "throw" or move.args[1] == "flat":
            return []
        return super().judged(before, move, after)

    def events(self, before: State, move: Move, after: State) -> list[Event]:
        actor, verb, args = move
        who = Who(actor)
        if verb == "offer":
            return [Event("offer", Text("{who} offers the {rank}.", {"who": who, "rank": args[0]}))]
        if verb == "throw":
            rank, how = args
            about = {"who": who, "rank": rank}
            events = [Event("throw", Text("{who} throws the {rank}: {how}.", {**about, "how": _THROWN[how]}))]
            if how != "flat" and in_play(before) == 2:
                events.append(Event(JUDGE, Text(_JUDGE, about)))
            return events
        if verb == "close":
            return self._events_of_close(before, after)
        chosen = Event("choice", Text("{who} has chosen.", {"who": who}))
        if after.phase == DUEL:
            return [chosen]
        return [chosen, *self._events_of_duel(before, move), *_events_of_end(after)]

    def _events_of_close(self, before: State, after: State) -> list[Event]:
        turn, offer = Who(before.turn), before.offer
        if after.phase == DUEL:
            card = duel_card(offer, before.pile)
            assert card is not None
            about = {"card": card[1], "contractor": Who(card[0]), "offer": offer, "provocateur": turn}
            text = Text("{contractor}'s {card} answers {provocateur}'s {offer}: a duel.", about)
            return [Event("duel", text)]
        if after.phase == WINDOW:
            return [Event("reopen", Text("No valid card lies on the offer; everyone but its owner may throw again."))]
        text = Text("Nobody answers: {who} gains the offered {offer}.", {"who": turn, "offer": offer})
        return [Event("unanswered", text), *_events_of_end(after)]

    @staticmethod
    def _events_of_duel(before: State, move: Move) -> list[Event]:
        card = duel_card(before.offer, before.pile)
        assert card is not None
        turn, contractor = Who(before.turn), Who(card[0])
        cards = {"offer": before.offer, "card": card[1]}
        mine, theirs = (
            (move.args[0], before.choices[1]) if move.actor == before.turn else (before.choices[0], move.args[0])
        )
        opened = {"one": turn, "first": CHOSEN[mine], "other": contractor, "second": CHOSEN[theirs]}
        if mine == theirs == "peace":
            about = {"one": turn, "other": contractor, **cards}
            outcome = Text("They trade: {one} gains the {card}, {other} gains the {offer}.", about)
        elif mine == theirs:
            outcome = Text("Both duellists lose a life; the {offer} and the {card} are out.", cards)
        else:
            about = {"who": turn if mine == "conflict" else contractor, **cards}
            outcome = Text("{who} gains the {offer} and the {card}, and loses a life.", about)
        return [
            Event("opened", Text("{one}: {first}. {other}: {second}.", opened)),
            Event("outcome", outcome),
        ]

    # -- positions that are set up ------------------------------------------------------------------

    def describe(self, state: State) -> Json:
        names = [seat_name(seat) for seat in range(1, self.seats + 1)]
        description: Json = {
            "phase": state.phase,
            "turn": seat_name(state.turn),
            "hands": dict(zip(names, map(ranks_of, state.hands), strict=True)),
            "lives": dict(zip(names, state.lives, strict=True)),
            "gained": dict(zip(names, map(list, state.gained), strict=True)),
        }
        if state.phase in (WINDOW, DUEL):
            description["offer"] = state.offer
            description["pile"] = [[seat_name(seat), rank] for seat, rank in state.pile]
            description["beside"] = [[seat_name(seat), rank] for seat, rank in state.beside]
            description["fresh"] = state.fresh
        if state.phase == DUEL:
            description["choices"] = {seat_name(seat): choice or None for seat, choice in self._duellists(state)}
        return description

    def read(self, description: Json) -> State:
        names = [seat_name(seat) for seat in range(1, self.seats + 1)]

        def cards(key: str) -> tuple[tuple[int, int], ...]:
            return tuple((self._seat(seat), whole_number(rank)) for seat, rank in description.get(key, ()))

        hands = [list(map(whole_number, description["hands"][name])) for name in names]
        for name, hand in zip(names, hands, strict=True):
            if any(rank not in RANKS for rank in hand) or len(set(hand)) < len(hand):
                raise ValueError(f"{name} holds {hand}; a hand holds ranks from 1 to 10, each at most once")
        state = State(
            phase=description["phase"],
            turn=self._seat(description["turn"]),
            hands=tuple(sum(1 << rank for rank in hand) for hand in hands),
            lives=tuple(whole_number(description["lives"][name]) for name in names),
            gained=tuple(tuple(map(whole_number, description["gained"][name])) for name in names),
            offer=whole_number(description.get("offer", 0)),
            pile=cards("pile"),
            beside=cards("beside"),
            fresh=bool(description.get("fresh", False)),
            choices=("", ""),
        )
        if state.phase == DUEL and duel_card(state.offer, state.pile):
            made = description["choices"]
            first, second = (made[seat_name(seat)] or "" for seat, _ in self._duellists(state))
            state = state._replace(choices=(first, second))
        return state

    def _seat(self, text: str) -> int:
        seat = parse_seat(text, self.seats)
        if seat == TABLE:
            raise ValueError("the table is no seat")
        return seat

    # -- notation -------------------------------------------------------------------------------------

    def parse_args(self, actor: int, verb: str, args: list[str]) -> Move:
        if actor == TABLE:
            if verb != "close":
                raise self.wrong_verb(verb, ["close"])
            if args:
                raise MalformedMove(NOTHING_MORE.of(move="table close"))
            return CLOSE
        if verb == "offer" and len(args) == 1:
            return _OFFERS[actor][_rank(args[0]) - 1]
        if verb == "throw" and len(args) == 2:
            if args[1] not in LANDINGS:
                raise MalformedMove(
                    "a card lands {landings}; not {seen}", landings=any_of(LANDINGS), seen=repr(args[1])
                )
            return _THROWS[actor][_rank(args[0]) - 1][LANDINGS.index(args[1])]
        if verb == "duel" and len(args) == 1:
            if args[0] not in CHOICES:
                raise MalformedMove("the choice in a duel is peace or conflict; not {seen}", seen=repr(args[0]))
            return _DUELS[actor][CHOICES.index(args[0])]
        if verb in ("offer", "throw", "duel"):
            shape = {"offer": "offer RANK", "throw": "throw RANK LANDING", "duel": "duel CHOICE"}[verb]
            raise MalformedMove(THE_FORM.of(form=Typed("pN", shape)))
        raise self.wrong_verb(verb, ["offer", "throw", "duel"])


CHOSEN = {"peace": Text("peace", context="choice"), "conflict": Text("conflict", context="choice")}
"""By choice: its name."""
LIES = {
    "flat": Text("flat", context="landing"),
    "leaning": Text("leaning", context="landing"),
    "rim": Text("on the rim", context="landing"),
    "outside": Text("outside", context="landing"),
}
"""By landing: how the card lies."""
_THROWN = {
    "flat": LIES["flat"],
    "leaning": Text("leaning against the edge, out of play"),
    "rim": Text("on the rim, out of play"),
    "outside": Text("outside, out of play"),
}
_JUDGE = "Two players are left: to miss on purpose is forbidden. If {who} did with the {rank}, take it back."


def _rank(text: str) -> int:
    rank = parse_number(text)
    if rank not in RANKS:
        raise MalformedMove("a card has a rank from 1 to 10; not {seen}", seen=text)
    return rank


def _add(gained: tuple[tuple[int, ...], ...], seat: int, *ranks: int) -> tuple[tuple[int, ...], ...]:
    return (*gained[: seat - 1], (*gained[seat - 1], *ranks), *gained[seat:])


def _less(lives: tuple[int, ...], seat: int) -> tuple[int, ...]:
    return (*lives[: seat - 1], lives[seat - 1] - 1, *lives[seat:])


def _events_of_end(after: State) -> list[Event]:
    if after.phase == OVER:
        return [Event("over", Text("No duel is left: the game is over."))]
    return []


__all__ = [
    "CHOICES",
    "CHOSEN",
    "LANDINGS",
    "LIES",
    "ODDS",
    "Dilemma",
    "State",
    "choices_allowed",
    "duel_card",
    "ranks_of",
]
