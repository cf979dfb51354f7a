"""Struggle (M. Gerchambeau), 2 to 4 seats.

What follows which passage of the rulebook:

* track, pawns, objectives: *Composition du jeu*, *Préparation du jeu*; who begins: ``lot.py`` beside this file;
* three throws, a space a die, the order of the pawns: *La partie*, *Interprétation de la « main »*;
* aces: *Rôle de l'As* and the note under *L'arrivée*; colours of the spaces: *Marche des pions*;
* places and the end: *L'arrivée*; points: *La marque*, *Le vainqueur*.

The rulings R-S1 to R-S10 are in ``README.md`` beside this file.

Moves: ``table deal pN OBJECTIVE``, ``table roll FACES``, ``pN keep FACES|none``, ``pN play FIGURE+STEPS …|none``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations_with_replacement, groupby, permutations
from math import factorial, prod
from typing import Any, NamedTuple

from tablier.games.core import (
    GAME_OVER,
    ON_TURN,
    TABLE,
    Draw,
    Event,
    MalformedMove,
    Move,
    Option,
    Rules,
    dice_text,
    left_of,
    parse_seat,
    seat_name,
    seat_option,
    shown,
    whole_number,
)
from tablier.games.struggle.lot import Lot
from tablier.texts import Json, Listed, Text, TextError, Typed, Who, all_of, counted

ACE = "A"
PAWNS = ("K", "Q", "J", "10", "9")
FACES = (*PAWNS, ACE)
"""The faces of a die in canonical order."""
NAMES = {
    "K": Text("king", context="pawn"),
    "Q": Text("queen", context="pawn"),
    "J": Text("jack", context="pawn"),
    "10": Text("ten", context="pawn"),
    "9": Text("nine", context="pawn"),
}
"""By pawn: its name."""
PLACES = ("A", "B", "C", "D", "E")
DICE = 5
THROWS = 3
YELLOW, RED, BLACK = "Y", "R", "B"
COLOURS = {YELLOW: "yellow", RED: "red", BLACK: "black"}
INITIALS = {
    YELLOW: Text("y", context="initial"),
    RED: Text("r", context="initial"),
    BLACK: Text("b", context="initial"),
}
"""The letters of colours, as readers know them."""
DEFAULT_BOARD = "YYRYBYRYYBRYYRYBYYRYBYRYYRYBYRYY"
SHORTEST_BOARD = 10
POINTS = 10
"""For each pawn on the place that the objective gives it."""

DEAL, ROLL, CHOOSE, OVER = "deal", "roll", "choose", "over"
NONE = ("none",)
"""The arguments of a ``keep`` that keeps nothing and of a ``play`` that moves nothing."""

Hand = tuple[str, ...]
"""Faces in canonical order."""


def _objectives() -> Iterator[str]:
    for order in (PAWNS, PAWNS[::-1], ("K", "10", "Q", "9", "J"), ("J", "9", "Q", "10", "K")):
        for start in range(len(order)):
            yield "-".join((*order[start:], *order[:start]))


OBJECTIVES = tuple(_objectives())
"""The twenty cards: the rotations of four orders of arrival (R-S9)."""


class State(NamedTuple):
    """All of a game of Struggle. Seat ``n`` is at index ``n - 1``, a pawn at its index in :data:`PAWNS`."""

    phase: str
    turn: int
    objectives: tuple[str, ...]
    """The objectives dealt so far, in the order of the seats."""
    pawns: tuple[int, ...]
    """0 is the start, 1 to the length of the board a space; one past it is place A, the next place B, and so on."""
    throws: int
    """The number of throws in this turn."""
    hand: Hand
    """The five dice of the last throw; while dice are to be thrown, those kept."""


# -- dice, and the moves that they allow --------------------------------------------------------------
#
# What depends on dice alone is worked out once and remembered. There are 252 hands of five dice, 462 of at most
# five, and 4,116 pairs of dice that were kept and dice that are thrown, so each of these stores is small by nature.

_RANK = {face: rank for rank, face in enumerate(FACES)}
_DEALS = {seat: {card: Move(TABLE, "deal", (seat_name(seat), card)) for card in OBJECTIVES} for seat in range(1, 5)}
_STEPS = {f"{figure}+{steps}": (pawn, steps) for pawn, figure in enumerate(PAWNS) for steps in range(1, DICE + 1)}


def ordered(faces: Sequence[str]) -> Hand:
    """Return the faces in canonical order."""
    return tuple(sorted(faces, key=_RANK.__getitem__))


@cache
def _rolls(dice: int) -> tuple[Move, ...]:
    """Return every distinct throw of `dice` dice."""
    return tuple(Move(TABLE, "roll", faces) for faces in combinations_with_replacement(FACES, dice))


@cache
def _roll_chances(dice: int) -> tuple[tuple[Move, int], ...]:
    """Return every distinct throw of `dice` dice, with the number of ways to throw it."""
    return tuple(
        (move, factorial(dice) // prod(factorial(move.args.count(face)) for face in FACES)) for move in _rolls(dice)
    )


@cache
def _keeps(hand: Hand) -> dict[tuple[str, ...], None]:
    """Return the arguments of every ``keep``: each selection of fewer than all dice, once."""
    kept: set[Hand] = {()}
    for face, same in groupby(hand):
        count = len(tuple(same))
        kept = {(*some, *(face,) * more) for some in kept for more in range(count + 1)}
    kept.remove(hand)
    return {some or NONE: None for some in sorted(kept, key=lambda some: (len(some), [_RANK[face] for face in some]))}


@cache
def _keep_moves(seat: int, hand: Hand) -> tuple[Move, ...]:
    return tuple(Move(seat, "keep", args) for args in _keeps(hand))


def _figures(dice: Hand) -> dict[str, int]:
    """Return the figures that dice show, with the number of each."""
    return {figure: dice.count(figure) for figure in PAWNS if figure in dice}


def _shares(aces: int, figures: int) -> Iterator[tuple[int, ...]]:
    """Return all ways to distribute `aces` aces over `figures` figures."""
    if figures == 1:
        yield (aces,)
        return
    for first in range(aces, -1, -1):
        for rest in _shares(aces - first, figures - 1):
            yield (first, *rest)


@cache
def _plays(dice: Hand) -> dict[tuple[str, ...], None]:
    """Return the arguments of every ``play`` with the dice that count: all orders, all uses of the aces."""
    figures = _figures(dice)
    if not figures:
        return {NONE: None}
    plays = {}
    for shares in _shares(dice.count(ACE), len(figures)):
        steps = [f"{figure}+{count + aces}" for (figure, count), aces in zip(figures.items(), shares, strict=True)]
        plays.update(dict.fromkeys(permutations(steps)))
    return plays


@cache
def _play_moves(seat: int, dice: Hand) -> tuple[Move, ...]:
    return tuple(Move(seat, "play", args) for args in _plays(dice))


def points(objective: str, order: Sequence[str]) -> int:
    """Return what an objective is worth when pawns have arrived in this order, all of them or only the first."""
    return POINTS * sum(wanted == pawn for wanted, pawn in zip(objective.split("-"), order, strict=False))


def board_option(value: Any, seats: int) -> str:
    """Return the option ``board``, whose letters may be the reader's own (R-S1)."""
    if isinstance(value, str) and not set(value) <= set(COLOURS):
        known = {str(initial).upper(): colour for colour, initial in INITIALS.items()}
        value = "".join(known.get(letter, letter) for letter in value)
    if (
        not isinstance(value, str)
        or len(value) < SHORTEST_BOARD
        or not set(value) <= set(COLOURS)
        or BLACK * DICE in value
    ):
        raise TextError(
            "a string of at least {least} letters, one a space, Y yellow, R red or B black, never {dice} B in a row",
            least=SHORTEST_BOARD,
            dice=DICE,
        )
    return value


class Struggle(Rules[State]):
    name = "struggle"
    title = Lot.title
    seat_counts = (2, 3, 4)
    OPTIONS = {
        "board": Option(
            DEFAULT_BOARD, board_option, Text("the colours of the spaces, first space first: Y, R or B each")
        ),
        "first": Option("p1", seat_option, Text("the seat that plays first")),
    }

    def __init__(self, seats: int, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(seats, options)
        self.board: str = self.options["board"]
        self.length = len(self.board)
        """The number of the last space; a pawn beyond it has arrived."""
        # What a move of five spaces can reach from the start (index 0) to the last space; "" is past the last space.
        self._landing = ("", *self.board, *[""] * DICE)

    def prelude(self) -> Lot | None:
        return None if "first" in self.given else Lot(self)

    def initial(self) -> State:
        return State(
            phase=DEAL,
            turn=self.options["first"],
            objectives=(),
            pawns=(0,) * len(PAWNS),
            throws=0,
            hand=(),
        )

    # -- whose move, and which ------------------------------------------------------------------

    def to_move(self, state: State) -> tuple[int, ...]:
        phase = state.phase
        if phase == CHOOSE:
            return (state.turn,)
        return () if phase == OVER else (TABLE,)

    def arrived(self, state: State) -> list[str]:
        """Return the pawns that have arrived, A first."""
        length = self.length
        return [PAWNS[pawn] for at, pawn in sorted(zip(state.pawns, range(len(PAWNS)), strict=True)) if at > length]

    def _dice(self, state: State) -> Hand:
        """Return the dice of the hand that count (R-S4): aces, and the figures whose pawns have not arrived."""
        pawns, length = state.pawns, self.length
        if max(pawns) <= length:
            return state.hand
        return tuple([face for face in state.hand if face == ACE or pawns[_RANK[face]] <= length])

    def legal(self, state: State) -> Sequence[Move]:
        phase = state.phase
        if phase == CHOOSE:
            plays = _play_moves(state.turn, self._dice(state))
            return plays if state.throws == THROWS else _keep_moves(state.turn, state.hand) + plays
        if phase == ROLL:
            return _rolls(DICE - len(state.hand))
        if phase == DEAL:
            dealt = state.objectives
            return [move for card, move in _DEALS[len(dealt) + 1].items() if card not in dealt]
        return ()

    def chance(self, state: State) -> Sequence[tuple[Move, int]]:
        if state.phase == ROLL:
            return _roll_chances(DICE - len(state.hand))
        if state.phase == DEAL:
            return [(move, 1) for move in self.legal(state)]
        return ()

    def draw(self, state: State) -> Draw:
        if state.phase != ROLL:
            return super().draw(state)

        def move(numbers: Sequence[int]) -> Move:
            return self.canonical(Move(TABLE, "roll", tuple(FACES[number] for number in sorted(numbers))))

        kept = tuple(FACES.index(face) for face in state.hand)
        return Draw((len(FACES),) * (DICE - len(kept)), move, state.turn, dice=True, given=kept)

    def refuse(self, state: State, move: Move) -> Text | None:
        actor, verb, args = move
        phase, turn = state.phase, state.turn
        if phase == OVER:
            return GAME_OVER
        if phase == DEAL:
            return self._refuse_deal(state, move)
        if phase == ROLL:
            dice = DICE - len(state.hand)
            if actor != TABLE:
                about: dict[str, Any] = {"who": Who(turn), "dice": dice_text(dice)}
                return Text("{who} is throwing {dice}; enter that throw first", about)
            if verb == "deal":
                return Text("every seat has its objective already")
            if len(args) != dice:
                about = {"who": Who(turn), "dice": dice_text(dice), "count": len(args)}
                return Text("{who} throws {dice} now, not {count}", about)
            return None
        if actor == TABLE:
            return Text("{who} has thrown and decides: keep or play", {"who": Who(turn)})
        if actor != turn:
            return ON_TURN.of(who=Who(turn))
        if verb == "keep":
            return self._refuse_keep(state, args)
        return None if args in _plays(self._dice(state)) else self._refuse_play(state, args)

    @staticmethod
    def _refuse_deal(state: State, move: Move) -> Text | None:
        dealt = state.objectives
        due = len(dealt) + 1
        if move.verb != "deal":
            return Text("the objectives are dealt first; the next is for {who}", {"who": Who(due)})
        to, card = move.args
        if to != seat_name(due):
            return Text("objectives are dealt in the order of the seats; the next is for {who}", {"who": Who(due)})
        if card in dealt:
            return Text("the objective {card} was dealt already", {"card": Typed("", card)})  # to whom is a secret
        return None

    @staticmethod
    def _refuse_keep(state: State, args: tuple[str, ...]) -> Text | None:
        if state.throws == THROWS:
            return Text("the hand was thrown {count} times and is played now", {"count": THROWS})
        if args in _keeps(state.hand):
            return None
        hand = state.hand
        face = next(face for face in args if args.count(face) > hand.count(face))
        about = {
            "hand": faces_text(hand),
            "face": faces_text([face]),
            "seen": hand.count(face) or Text("no"),
            "count": args.count(face),
        }
        return Text("cannot keep {count} × {face}: the hand {hand} has {seen} {face}", about)

    def _refuse_play(self, state: State, args: tuple[str, ...]) -> Text:
        """Return why a hand cannot be played like this, when it cannot."""
        hand = faces_text(state.hand)
        figures = _figures(self._dice(state))
        if not figures:
            return Text(
                "the hand {hand} shows no figure whose pawn is on its way; the only play is 'play none'", {"hand": hand}
            )
        moves = [_STEPS[word] for word in args if args != NONE]
        for pawn, steps in moves:
            figure, count = PAWNS[pawn], figures.get(PAWNS[pawn], 0)
            about = {
                "hand": hand,
                "figure": faces_text([figure]),
                "pawn": NAMES[figure],
                "steps": steps,
                "seen": _times(count),
            }
            if sum(other == pawn for other, _ in moves) > 1:
                return Text("a pawn moves once, all its dice in one move; {figure} is named more than once", about)
            if state.pawns[pawn] > self.length:
                return Text("the {pawn} has arrived and does not move", about)
            if not count:
                return Text("the hand {hand} does not show {figure}", about)
            if steps < count:
                return Text("the hand {hand} shows {figure} {seen}; its pawn cannot move only {steps}", about)
        played = {PAWNS[pawn] for pawn, _ in moves}
        if missing := [figure for figure in figures if figure not in played]:
            return Text(
                "every figure that can be played must be played; missing: {missing}", {"missing": faces_text(missing)}
            )
        given = sum(steps for _, steps in moves) - sum(figures.values())
        aces = counted(state.hand.count(ACE), "{count} ace", "{count} aces", "no aces")
        about = {"hand": hand, "aces": aces, "given": given}
        return Text("the hand {hand} shows {aces}, each given to a figure; this play gives {given}", about)

    # -- what a move does -------------------------------------------------------------------------

    def apply(self, state: State, move: Move) -> State:
        verb, args = move.verb, move.args
        phase, turn, objectives, pawns, throws, hand = state
        if verb == "roll":
            return State(CHOOSE, turn, objectives, pawns, throws + 1, ordered(hand + args))
        if verb == "keep":
            return State(ROLL, turn, objectives, pawns, throws, () if args == NONE else args)
        if verb == "deal":
            objectives = (*objectives, args[1])
            phase = DEAL if len(objectives) < self.seats else ROLL
            return State(phase, turn, objectives, pawns, 0, ())
        moved = list(pawns)
        for _ in self.carry_out(moved, args):
            pass
        if max(moved) == self.length + len(PLACES):
            return State(OVER, turn, objectives, tuple(moved), 0, ())
        return State(ROLL, left_of(turn, self.seats), objectives, tuple(moved), 0, ())

    def carry_out(self, pawns: list[int], args: tuple[str, ...]) -> Iterator[tuple[int, int, str]]:
        """Move the pawns one by one, and tell of each: which, how far, and the colour where it comes to stand.

        The colour is ``""`` past the last space. What became of the move shows in ``pawns``: the mover has not moved
        (void), it alone has moved, or another one has too (an exchange on red, the last pawn on place E).
        """
        if args == NONE:
            return
        landing, length = self._landing, self.length
        for word in args:
            pawn, steps = _STEPS[word]
            origin = pawns[pawn]
            target = origin + steps
            colour = landing[target]
            if not colour:
                places = 1 + sum(at > length for at in pawns)
                pawns[pawn] = length + places
                if places == len(PLACES) - 1:
                    pawns[pawns.index(min(pawns))] = length + len(PLACES)
                    yield pawn, steps, colour
                    return  # R-S6
            elif colour != BLACK:
                if target not in pawns:
                    pawns[pawn] = target
                elif colour == RED:
                    pawns[pawns.index(target)] = origin
                    pawns[pawn] = target
            yield pawn, steps, colour

    def scores(self, state: State) -> tuple[float, ...]:
        order = self.arrived(state)
        dealt = tuple(points(objective, order) for objective in state.objectives)
        return dealt + (0,) * (self.seats - len(dealt))

    def ending(self, state: State) -> str | None:
        return "arrived" if state.phase == OVER else None

    # -- who may know what ------------------------------------------------------------------------

    def view(self, state: State, seat: int | None) -> Json:
        """Everything lies open but the objectives: each seat sees its own, and all of them when the game is over."""
        view = self.describe(state)
        if state.phase != OVER:
            view["objectives"] = {
                name: card if card is None or name == seat_name(seat or TABLE) else "hidden"
                for name, card in view["objectives"].items()
            }
        return view

    def judged(self, before: State, move: Move, after: State) -> list[Event]:
        return []

    def secret(self, before: State, move: Move, now: State) -> bool:
        return move.verb == "deal" and now.phase != OVER

    def events(self, before: State, move: Move, after: State) -> list[Event]:
        about: dict[str, Any] = {"who": Who(before.turn)}
        if move.verb == "deal":
            seat, card = len(after.objectives), move.args[1]
            own = Text("{who}: your order of arrival is {card}.", {"who": Who(seat), "card": Typed("", card)})
            return [
                Event("deal", Text("{who} gets a secret objective.", {"who": Who(seat)})),
                Event("objective", own, (seat,)),
            ]
        if move.verb == "roll":
            about |= {"dice": faces_text(move.args), "throw": after.throws, "most": THROWS}
            if not before.hand:
                return [Event("roll", Text("{who} throws {dice} (throw {throw} of {most}).", about))]
            about["hand"] = faces_text(after.hand)
            return [Event("roll", Text("{who} throws {dice}: the hand is {hand} (throw {throw} of {most}).", about))]
        if move.verb == "keep":
            about |= {"dice": dice_text(DICE - len(after.hand))}
            if move.args == NONE:
                return [Event("keep", Text("{who} keeps nothing and throws {dice} again.", about))]
            about |= {"kept": faces_text(move.args)}
            return [Event("keep", Text("{who} keeps {kept} and throws {dice} again.", about))]
        if move.args == NONE:
            about |= {"hand": faces_text(before.hand)}
            return [Event("none", Text("{who} has no figure to play with {hand}.", about))]
        return [
            Event("play", Text("{who} plays {pawns}.", {**about, "pawns": _pawns(move.args)})),
            *self._events_of_play(before, move.args),
            *self._events_of_end(after),
        ]

    def _events_of_play(self, before: State, args: tuple[str, ...]) -> Iterator[Event]:
        pawns = list(before.pawns)
        was = list(pawns)
        for pawn, steps, colour in self.carry_out(pawns, args):
            at = pawns[pawn]
            others = [other for other in range(len(PAWNS)) if other != pawn and pawns[other] != was[other]]
            mover: dict[str, Any] = {"pawn": NAMES[PAWNS[pawn]]}
            other = {"other": NAMES[PAWNS[others[0]]]} if others else {}
            if not colour:
                place = PLACES[at - self.length - 1]
                yield Event("arrive", Text("The {pawn} arrives on {place}.", {**mover, "place": place}))
                if others:
                    text = Text(
                        "The {other} is the last pawn and is placed on {place}.", {**other, "place": PLACES[-1]}
                    )
                    yield Event("last", text)
            elif at == was[pawn]:
                about = {**mover, "space": at + steps}
                black = Text("The {pawn} stays: space {space} is black.", about)
                taken = Text("The {pawn} stays: space {space} is yellow and occupied.", about)
                yield Event("void", black if colour == BLACK else taken)
            elif others:
                about = {**mover, **other, "space": at, "origin": _space(was[pawn])}
                text = Text("The {pawn} takes space {space} from the {other}, which goes to {origin}.", about)
                yield Event("exchange", text)
            else:
                one = "The {pawn} moves {count} space, to space {space}."
                many = "The {pawn} moves {count} spaces, to space {space}."
                yield Event("move", counted(steps, one, many, **mover, space=at))
            was = list(pawns)

    def _events_of_end(self, after: State) -> Iterator[Event]:
        if after.phase == OVER:
            order = "-".join(self.arrived(after))
            yield Event("over", Text("All pawns are in place, in the order {order}.", {"order": Typed("", order)}))
            for seat, (card, score) in enumerate(zip(after.objectives, self.scores(after), strict=True), 1):
                one, many = "{who} had {card}: {count} point.", "{who} had {card}: {count} points."
                yield Event("score", counted(int(score), one, many, who=Who(seat), card=Typed("", card)))

    # -- positions that are set up ------------------------------------------------------------------

    def describe(self, state: State) -> Json:
        dealt = dict(enumerate(state.objectives, 1))
        return {
            "phase": state.phase,
            "turn": seat_name(state.turn),
            "objectives": {seat_name(seat): dealt.get(seat) for seat in range(1, self.seats + 1)},
            "pawns": {pawn: at for pawn, at in zip(PAWNS, state.pawns, strict=True) if at <= self.length},
            "places": self.arrived(state),
            "throws": state.throws,
            "hand": list(state.hand),
        }

    def read(self, description: Json) -> State:
        cards = [description["objectives"][seat_name(seat)] for seat in range(1, self.seats + 1)]
        if set(description["objectives"]) != {seat_name(seat) for seat in range(1, self.seats + 1)}:
            raise ValueError("objectives are given for other seats than those of the game")
        dealt = sum(card is not None for card in cards)
        if None in cards[:dealt]:
            raise ValueError("objectives are dealt in the order of the seats")
        at = {str(pawn): whole_number(space) for pawn, space in description["pawns"].items()}
        places = [str(pawn) for pawn in description["places"]]
        if sorted([*at, *places]) != sorted(PAWNS):
            raise ValueError(f"each of the pawns {', '.join(PAWNS)} is either on the track or on a place")
        if any(space > self.length for space in at.values()):
            raise ValueError(f"the last space is {self.length}")
        at |= {pawn: self.length + place for place, pawn in enumerate(places, 1)}
        hand = tuple(str(face) for face in description["hand"])
        if not set(hand) <= set(FACES):
            raise ValueError(f"the faces of a die are {', '.join(FACES)}")
        return State(
            phase=str(description["phase"]),
            turn=parse_seat(description["turn"], self.seats),
            objectives=tuple(map(str, cards[:dealt])),
            pawns=tuple(at[pawn] for pawn in PAWNS),
            throws=whole_number(description["throws"]),
            hand=ordered(hand),
        )

    # -- notation -------------------------------------------------------------------------------------

    def parse_args(self, actor: int, verb: str, args: list[str]) -> Move:
        if actor == TABLE:
            if verb == "roll":
                if not 1 <= len(args) <= DICE:
                    raise MalformedMove("the form is: table roll FACES, with 1 to {most} faces", most=DICE)
                return Move(TABLE, verb, _faces(args))
            if verb == "deal":
                if len(args) != 2:
                    raise MalformedMove("the form is: table deal pN OBJECTIVE")
                seat = parse_seat(args[0], self.seats)
                if seat == TABLE:
                    raise MalformedMove("an objective is dealt to a seat, not to the table")
                if args[1] not in OBJECTIVES:
                    raise MalformedMove(
                        "there is no objective {seen}; one of the twenty: {one}", seen=shown(args[1]), one=OBJECTIVES[0]
                    )
                return _DEALS[seat][args[1]]
            raise self.wrong_verb(verb, ["deal", "roll"])
        if verb not in ("keep", "play"):
            raise self.wrong_verb(verb, ["keep", "play"])
        if args == ["none"]:
            return Move(actor, verb, NONE)
        if verb == "keep":
            if not 1 <= len(args) < DICE:
                raise MalformedMove(
                    "the form is: {form}, with 1 to {most} faces, or: {none}",
                    form=Typed("pN", "keep FACES"),
                    most=DICE - 1,
                    none=Typed("pN", "keep none"),
                )
            return Move(actor, verb, _faces(args))
        for word in args:
            if word not in _STEPS:
                raise MalformedMove(
                    "{word} is not FIGURE+STEPS; figures are {figures}, steps are 1 to {most}",
                    word=repr(word),
                    figures=[faces_text([each]) for each in PAWNS],
                    most=DICE,
                )
        if not 1 <= len(args) <= len(PAWNS):
            raise MalformedMove(
                "the form is: {form}, up to {most} of them, or: {none}",
                form=Typed("pN", "play FIGURE+STEPS"),
                most=len(PAWNS),
                none=Typed("pN", "play none"),
            )
        return Move(actor, verb, tuple(args))


def _faces(words: list[str]) -> Hand:
    for word in words:
        if word not in _RANK:
            raise MalformedMove(
                "no die shows {seen}; the faces are {faces}",
                seen=shown(word),
                faces=[faces_text([each]) for each in FACES],
            )
    return ordered(words)


SECRET_OBJECTIVE = Text("secret objective")


def faces_text(faces: Sequence[str]) -> Typed:
    """Return faces of dice as an argument of a text: as its reader calls them."""
    return Typed("", " ".join(faces))


def _times(count: int) -> Text:
    few = {0: Text("not at all"), 1: Text("once"), 2: Text("twice")}
    return few.get(count) or Text("{count} times", {"count": count})


def _pawns(play: Sequence[str]) -> Listed:
    """Return the pawns of a play, in its order."""
    return all_of([Text("the {pawn}", {"pawn": NAMES[word.partition("+")[0]]}) for word in play])


def _space(at: int) -> Text:
    return Text("space {space}", {"space": at}) if at else Text("the start")


__all__ = [
    "DEFAULT_BOARD",
    "FACES",
    "NAMES",
    "OBJECTIVES",
    "PAWNS",
    "PLACES",
    "State",
    "Struggle",
    "points",
]
