"""The state of a game of Dicke Dämonen, and all that can be impossible about one."""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

from tablier.games.core import Move, seat_name, shown
from tablier.games.daemonen.board import Board
from tablier.games.daemonen.colours import COLOURS, EACH, FIST, FISTS, creatures, size
from tablier.texts import Text, Who

DEAL, PLACE, PREDICT, DRAW, OVER = "deal", "place", "predict", "draw", "over"
PHASES = (DEAL, PLACE, PREDICT, DRAW, OVER)
NAMED = 3
"""Colours that a prediction in solitaire may name (R-G6)."""

_LEFT = FIST - 1  # creatures left in a full fist once one is placed
_BACK = _LEFT - 1  # of these, the most that go back into the bag with a prediction


class State(NamedTuple):
    """All there is to know of a game. Seat ``n`` is at index ``n - 1``.

    Handfuls of creatures are numbers as in :mod:`tablier.games.daemonen.colours`, sets of slots as in
    :mod:`tablier.games.daemonen.board`.
    """

    phase: str
    turn: int
    """The seat whose turn it is, or that draws; when the game is over, the one that could not place."""
    bag: int
    """The handful in the bag."""
    fists: tuple[int, ...]
    predictions: tuple[tuple[str, ...], ...]
    """The colours that each seat has laid down, in its order; empty while it has predicted nothing."""
    gone: int
    """The handful that left the game with the prediction in solitaire (R-G6)."""
    placed: int
    """The slots that were filled."""
    open: int
    """The slots that are open. It follows from ``placed``, and stands here because every step asks for it."""


_PREDICT_MOVES: dict[tuple[int, int, tuple[tuple[str, ...], ...]], list[Move]] = {}
# (seat, fist, predictions) → the moves; filled as they occur, some ten thousand at most


def predict_moves(seat: int, fist: int, predictions: tuple[tuple[str, ...], ...]) -> list[Move]:
    """Return what a seat may say between placing and drawing; empty where it says nothing (R-G3, R-G6). Not to be
    changed."""
    try:
        return _PREDICT_MOVES[seat, fist, predictions]
    except KeyError:
        pass
    moves = []
    if not predictions[seat - 1]:
        taken = {colour for colours in predictions for colour in colours}
        free = [colour for colour in FISTS[fist] if colour not in taken]
        most = NAMED if len(predictions) == 1 else 1
        moves = [Move(seat, "predict", named) for n in range(1, most + 1) for named in permutations(free, n)]
    if moves:
        moves.append(Move(seat, "pass"))
    _PREDICT_MOVES[seat, fist, predictions] = moves
    return moves


# -- what is impossible ----------------------------------------------------------------------------------


def faults_of(state: State, board: Board, seats: int, first: int) -> list[Text]:
    """Return all that is impossible about a state, one sentence each.

    A state without a fault keeps every count, and its phase follows from the rest; whether some course of a game leads
    to it is not searched for.
    """
    faults = _faults_of_form(state, board, seats)
    if faults:  # what follows relies on these
        return faults
    return [
        *_faults_of_creatures(state, board),
        *_faults_of_places(state, board),
        *_faults_of_predictions(state, seats),
        *_faults_of_turns(state, seats, first),
        *_faults_of_fists(state, seats),
        *_faults_of_phase(state, board),
    ]


def _faults_of_form(state: State, board: Board, seats: int) -> list[Text]:
    faults = []
    if state.phase not in PHASES:
        faults.append(Text("The phase is {phase}; allowed: {phases}.", {"phase": shown(state.phase), "phases": PHASES}))
    if not 1 <= state.turn <= seats:
        faults.append(
            Text("The turn is that of seat {turn}; seats are 1 to {seats}.", {"turn": state.turn, "seats": seats})
        )
    for what, items in (("fists", state.fists), ("predictions", state.predictions)):
        if len(items) != seats:
            faults.append(
                Text(
                    "There are {what} of {items} seats; there must be {seats}.",
                    {"what": what, "items": len(items), "seats": seats},
                )
            )
    faults += [
        Text(
            "{who}'s fist holds {size}; a fist holds at most {fist}.",
            {"who": Who(seat), "size": size(fist), "fist": FIST},
        )
        for seat, fist in enumerate(state.fists, 1)
        if fist not in FISTS
    ]
    faults += [
        Text(
            "{who} predicted {colour}; the colours: {colours}.",
            {"who": Who(seat), "colour": shown(colour), "colours": COLOURS},
        )
        for seat, named in enumerate(state.predictions, 1)
        for colour in named
        if colour not in COLOURS
    ]
    if state.placed & ~board.all:
        faults.append(Text("Creatures are placed where the layout has no spot."))
    return faults


def _faults_of_creatures(state: State, board: Board) -> list[Text]:
    """Check that the creatures of each colour are all somewhere, once."""
    there = [colour for colour, _ in board.slots_in(state.placed)]
    there += [colour for named in state.predictions for colour in named]
    for handful in (state.bag, *state.fists, state.gone):
        there += creatures(handful)
    return [
        Text(
            "There are {count} {colour} creatures in all; there must be {each}.",
            {"count": there.count(colour), "colour": colour, "each": EACH},
        )
        for colour in COLOURS
        if there.count(colour) != EACH
    ]


def _faults_of_places(state: State, board: Board) -> list[Text]:
    corners = [spot for _, spot in board.slots_in(state.placed)]
    faults = [Text("There are two demons in corner {spot}.", {"spot": spot}) for spot in _repeated(corners)]
    if state.open != board.opened(state.placed):
        faults.append(Text("The open slots do not follow from the placed creatures."))
    return faults


def _faults_of_predictions(state: State, seats: int) -> list[Text]:
    faults = []
    most = NAMED if seats == 1 else 1
    for seat, named in enumerate(state.predictions, 1):
        if len(named) > most:
            faults.append(
                Text(
                    "{who} predicted {named}; allowed: at most {most}.",
                    {"who": Who(seat), "named": named, "most": most},
                )
            )
    laid = [colour for named in state.predictions for colour in named]
    faults += [Text("{colour} was predicted twice.", {"colour": colour}) for colour in _repeated(laid)]
    gone = size(state.gone)
    if gone and (seats > 1 or not laid):
        faults.append(Text("Creatures have left the game; they do so only with a prediction in solitaire."))
    elif seats == 1 and laid:
        left = len(laid) + gone
        if left > _LEFT or (left < _LEFT and state.bag):
            faults.append(
                Text(
                    "With the prediction {left} creatures left the fist; it held {held} then.",
                    {"left": left, "held": _LEFT},
                )
            )
    return faults


def _faults_of_turns(state: State, seats: int, first: int) -> list[Text]:
    """Check that each turn places one creature, and that turns go clockwise: the number of creatures placed says whose
    turn it is."""
    placed = state.placed.bit_count()
    if state.phase == DEAL:
        if placed or any(state.predictions):
            return [Text("Creatures are placed or predicted before the deal is over.")]
        return []
    faults = []
    turns = placed - 1 if state.phase in (PREDICT, DRAW) else placed  # turns completed before this one
    if turns < 0:
        faults.append(Text("The phase is {phase}, but no creature was placed.", {"phase": state.phase}))
    elif state.turn != (first - 1 + turns) % seats + 1:
        due = seat_name((first - 1 + turns) % seats + 1)
        faults.append(
            Text(
                "With {placed} creatures placed it is {due}'s turn, not {who}'s.",
                {"placed": placed, "due": due, "who": Who(state.turn)},
            )
        )
    for seat, named in enumerate(state.predictions, 1):
        if named and (seat - first) % seats >= placed:
            faults.append(Text("{who} has predicted, but has not placed a creature yet.", {"who": Who(seat)}))
    return faults


def _faults_of_fists(state: State, seats: int) -> list[Text]:
    """Check that a fist is refilled while the bag lasts.

    Only what a prediction with several seats gives back can fill a bag that was empty.
    """
    faults = []
    back = _BACK * sum(map(len, state.predictions)) if seats > 1 else 0
    never_empty = size(state.bag) > back
    for seat, (fist, named) in enumerate(zip(state.fists, state.predictions, strict=True), 1):
        if state.phase == DEAL:
            least, most = (FIST, FIST) if seat < state.turn else (0, FIST - 1) if seat == state.turn else (0, 0)
            if not least <= size(fist) <= most:
                dealt = f"{seat_name(state.turn)} is dealt"
                faults.append(
                    Text(
                        "{who}'s fist holds {size} while {dealt}.",
                        {"who": Who(seat), "size": size(fist), "dealt": dealt},
                    )
                )
            continue
        full = 1 if named else FIST
        if seat == state.turn and state.phase in (PREDICT, DRAW):
            full -= 1
        if size(fist) > full or (size(fist) < full and never_empty):
            faults.append(
                Text(
                    "{who}'s fist holds {size}; now it must hold {full}.",
                    {"who": Who(seat), "size": size(fist), "full": full},
                )
            )
    return faults


def _faults_of_phase(state: State, board: Board) -> list[Text]:
    fist = state.fists[state.turn - 1]
    seat = seat_name(state.turn)
    can_place = bool(state.open & board.reach[fist])
    if state.phase == PLACE and not can_place:
        return [Text("{seat} has no creature that can be placed: the game is over.", {"seat": seat})]
    if state.phase == OVER and can_place:
        return [Text("The game is over, but {seat} can place a creature.", {"seat": seat})]
    if state.phase == PREDICT and not predict_moves(state.turn, fist, state.predictions):
        return [Text("{seat} has nothing to predict, so that phase is left out.", {"seat": seat})]
    if state.phase == DRAW and not state.bag:
        return [Text("{seat} is to draw, but the bag is empty.", {"seat": seat})]
    return []


def _repeated(items: list[str]) -> list[str]:
    return sorted({item for item in items if items.count(item) > 1})
