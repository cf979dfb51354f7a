"""Dicke Dämonen (Heinrich Glumpler), 1 to 4 seats.

What follows which passage of the rulebook:

* creatures and lines: *Contenu*, *Préparation*; the deal and who begins: *Début du jeu*;
* a turn: *Tour de jeu*; ghosts and demons: *1 : placer une créature*; predictions: *2 : prédisez éventuellement une
  couleur*; draws: *3 : tirez une créature au hasard*;
* the end: *Fin du jeu*; points: *Quelle couleur gagne ?*; winners: *Et quel joueur gagne ?*; one seat: *Jeu en
  solitaire*.

The rulings R-G1 to R-G8 are in ``README.md`` beside this file.

Moves: ``table draw pN COLOUR``, ``pN place white FIELD``, ``pN place COLOUR FIELD:CROSSING``, ``pN predict COLOUR``
(with one seat up to three colours, in order), ``pN pass``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from tablier.games.core import (
    GAME_OVER,
    NOTHING_MORE,
    ON_TURN,
    TABLE,
    THE_FORM,
    Event,
    MalformedMove,
    Move,
    Option,
    Rules,
    left_of,
    parse_seat,
    seat_name,
    seat_option,
    shown,
)
from tablier.games.daemonen.board import Board, board_of, texts_of
from tablier.games.daemonen.colours import (
    COLOURS,
    EACH,
    FIST,
    FISTS,
    FULL_BAG,
    NAMES,
    ONE,
    WHITE,
    counts,
    creatures,
    held,
    pack,
    size,
)
from tablier.games.daemonen.layout import Layout, field_text, layout_option
from tablier.games.daemonen.state import DEAL, DRAW, NAMED, OVER, PLACE, PREDICT, State, predict_moves
from tablier.texts import Json, Text, Typed, Who, all_of, any_of, counted, in_turn

EMPTY, STUCK = "empty", "stuck"
"""The ends of a game: the fist of the player to move is empty, or nothing in it has a place."""

_state: Any = partial(tuple.__new__, State)  # a State without the detour over its own __new__: half the time

_DRAWS = {seat: {colour: Move(TABLE, "draw", (seat_name(seat), colour)) for colour in COLOURS} for seat in range(1, 5)}
_DRAW_LISTS: dict[tuple[int, int], list[Move]] = {}
# (seat, which colours are in the bag) → its draws; at most 4 × 31 entries
_LOWEST_BITS = sum(ONE.values())


def _draws(seat: int, bag: int) -> list[Move]:
    """Return every draw from a bag. Not to be changed."""
    present = (bag | bag >> 1 | bag >> 2 | bag >> 3) & _LOWEST_BITS  # one of each colour that is there
    try:
        return _DRAW_LISTS[seat, present]
    except KeyError:
        draws = _DRAW_LISTS[seat, present] = [_DRAWS[seat][colour] for colour in held(present)]
        return draws


class Daemonen(Rules[State]):
    name = "dicke-daemonen"
    title = "Dicke Dämonen"
    seat_counts = (1, 2, 3, 4)
    OPEN_MOVES = False  # they tell what a fist holds
    OPTIONS = {
        "layout": Option("ring", layout_option, Text("how the lines lie: the name of a layout, or a layout object")),
        "first": Option("p1", seat_option, Text("the seat that moves first")),
    }

    def __init__(self, seats: int, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(seats, options)
        self.layout: Layout = self.options["layout"]
        self.board: Board = board_of(self.layout)
        self._effects = self.board.effects
        self._reach = self.board.reach
        # Read without parsing, however long the names of a layout are: replays are spent on little else.
        self._parsed = dict(texts_of(self.layout, seats))
        self._conducted: Conducted | None = None

    def initial(self) -> State:
        return State(
            phase=DEAL,
            turn=1,
            bag=FULL_BAG,
            fists=(0,) * self.seats,
            predictions=((),) * self.seats,
            gone=0,
            placed=0,
            open=self.board.all,
        )

    # -- whose move, and which ------------------------------------------------------------------

    def to_move(self, state: State) -> tuple[int, ...]:
        phase = state.phase
        if phase in (PLACE, PREDICT):
            return (state.turn,)
        return () if phase == OVER else (TABLE,)

    def legal(self, state: State) -> list[Move]:
        phase, turn, bag, fists, predictions, _, _, free = state
        if phase == PLACE:
            return self.board.placings(turn, fists[turn - 1], free)
        if phase == PREDICT:
            return predict_moves(turn, fists[turn - 1], predictions).copy()
        if phase == OVER:
            return []
        return _draws(turn, bag).copy()

    def chance(self, state: State) -> list[tuple[Move, int]]:
        if state.phase not in (DEAL, DRAW):
            return []
        bag = counts(state.bag)
        return [(move, bag[move.args[1]]) for move in _draws(state.turn, state.bag)]

    def refuse(self, state: State, move: Move) -> Text | None:
        actor, verb, args = move
        phase, turn = state.phase, state.turn
        if verb == "place":
            if phase == PLACE and actor == turn:
                effect = self._effects.get(args)
                fist = state.fists[turn - 1]
                if effect is not None and effect[0] & state.open & self._reach[fist]:
                    return None
                return self._why_not_there(state, *args)
        elif verb == "draw":
            if phase in (DEAL, DRAW) and args[0] == seat_name(turn):
                if move in _draws(turn, state.bag):
                    return None
                return Text("no {colour} creature is left in the bag", {"colour": NAMES[args[1]]})
        elif phase == PREDICT and actor == turn:
            if move in predict_moves(turn, state.fists[turn - 1], state.predictions):
                return None
            return self._why_not_predicted(state, args)
        return self._why_not_now(state, actor, verb)

    @staticmethod
    def _why_not_now(state: State, actor: int, verb: str) -> Text:
        """Return the reason when something else is due."""
        phase, turn = state.phase, {"who": Who(state.turn)}
        if phase == OVER:
            return GAME_OVER
        if verb in ("predict", "pass") and state.predictions[actor - 1]:
            return Text("{who} has predicted already", {"who": Who(actor)})
        if phase in (DEAL, DRAW):
            return Text("{who} draws a creature first", turn)
        if verb != "draw" and actor != state.turn:
            return ON_TURN.of(**turn)
        if phase == PLACE:
            return Text("{who} places a creature first", turn)
        return Text("{who} has placed a creature, and predicts or passes now", turn)

    def _why_not_there(self, state: State, colour: str, spot: str) -> Text:
        board, turn = self.board, state.turn
        field = board.field_of(spot)
        placed = board.slots_in(state.placed)
        if colour not in FISTS[state.fists[turn - 1]]:
            return Text("{who} holds no {colour} creature", {"who": Who(turn), "colour": NAMES[colour]})
        if (WHITE, field) in placed:
            return Text("field {field} is frozen by a ghost", {"field": Typed("", field)})
        if colour == WHITE:
            return Text("{field} is the outer field, and ghosts go to other fields", {"field": Typed("", field)})
        if spot == field:
            return Text("a demon goes into a corner of {field}: name its crossing, too", {"field": field_text(field)})
        crossing = board.corners[spot][1]
        lines = board.crossings[crossing]
        if colour not in lines:
            about = {"crossing": crossing, "lines": all_of([NAMES[line] for line in lines]), "colour": NAMES[colour]}
            return Text("crossing {crossing} joins {lines}; no {colour} demon goes there", about)
        return Text("there is a demon in corner {corner} already", {"corner": spot})

    @staticmethod
    def _why_not_predicted(state: State, colours: tuple[str, ...]) -> Text:
        for seat, taken in enumerate(state.predictions, 1):
            for colour in colours:
                if colour in taken:
                    return Text("{colour} is taken by {who}", {"colour": NAMES[colour], "who": Who(seat)})
        turn = state.turn
        missing = [NAMES[colour] for colour in colours if colour not in FISTS[state.fists[turn - 1]]]
        return Text("{who} holds no {colours} creature to lay down", {"who": Who(turn), "colours": any_of(missing)})

    # -- what a move does -------------------------------------------------------------------------

    def apply(self, state: State, move: Move) -> State:
        _, verb, args = move
        phase, turn, bag, fists, predictions, gone, placed, free = state
        fist = fists[turn - 1]
        if verb == "place":
            bit, keeps, one = self._effects[args]
            fist -= one
            fists = (*fists[: turn - 1], fist, *fists[turn:])
            placed |= bit
            free &= keeps
            phase = PREDICT if predict_moves(turn, fist, predictions) else DRAW
        elif verb == "draw":
            one = ONE[args[1]]
            bag -= one
            fist += one
            fists = (*fists[: turn - 1], fist, *fists[turn:])
            if phase == DRAW:
                turn = left_of(turn, self.seats)
                phase = PLACE
            elif size(fist) == FIST:
                turn += 1
                if turn > self.seats:
                    turn = self.options["first"]  # R-G1: it matters only now
                    phase = PLACE
        else:
            phase = DRAW
            if args:  # a prediction
                rest = fist - pack(args)
                if self.seats == 1:  # R-G6
                    gone = rest
                else:
                    bag += rest
                fists = (*fists[: turn - 1], 0, *fists[turn:])
                predictions = (*predictions[: turn - 1], args, *predictions[turn:])
        if phase == DRAW and not bag:
            turn = left_of(turn, self.seats)
            phase = PLACE
        if phase == PLACE and not free & self._reach[fists[turn - 1]]:  # R-G4: decided as the turn begins
            phase = OVER
        return _state((phase, turn, bag, fists, predictions, gone, placed, free))  # type: ignore[no-any-return]

    # -- points and winners -----------------------------------------------------------------------

    def points(self, state: State) -> dict[str, int]:
        """Return the points of each colour, as they stand."""
        return self.board.points(state.placed)

    def leading(self, state: State) -> list[str]:
        """Return the colours with the most points, in canonical order."""
        points = self.points(state)
        most = max(points.values())
        return [colour for colour in COLOURS if points[colour] == most]

    def scores(self, state: State) -> tuple[float, ...]:
        """R-G8: 1 for a winner; in solitaire the weighted points of the colours named; 0 while the game runs."""
        winners = self.winners(state)
        if self.seats == 1 and winners:
            points = self.points(state)
            return (sum(n * points[colour] for n, colour in zip((3, 2, 1), state.predictions[0], strict=False)),)
        return tuple(int(seat in winners) for seat in range(1, self.seats + 1))

    def winners(self, state: State) -> tuple[int, ...]:
        if state.phase != OVER:
            return ()
        if self.seats == 1:
            return (1,) if self._came_true(state) else ()
        leading = self.leading(state)
        return tuple(seat for seat, named in enumerate(state.predictions, 1) if named and named[0] in leading)

    def _came_true(self, state: State) -> bool:
        """R-G7: the colours named stand in their order, and no other stands above the last of them."""
        points, named = self.points(state), state.predictions[0]
        order = [points[colour] for colour in named]
        others = [points[colour] for colour in COLOURS if colour not in named]
        return bool(named) and order == sorted(order, reverse=True) and max(others) <= order[-1]

    def ending(self, state: State) -> str | None:
        if state.phase != OVER:
            return None
        return STUCK if state.fists[state.turn - 1] else EMPTY

    # -- who may know what ------------------------------------------------------------------------

    def view(self, state: State, seat: int | None) -> Json:
        """Return what lies on the table, the viewer's own fist, and of the bag and other fists how many creatures they
        hold.

        ``unseen`` counts the creatures that this viewer sees nowhere; it follows from the rest. When the game is over
        the fists are opened.
        """
        description = self.describe(state)
        names = self._seat_names()
        over = state.phase == OVER
        own = names if over else names[seat - 1 : seat] if seat else []
        fists, gone, bag = description["fists"], description["gone"], description.pop("bag")
        hidden = [] if over or seat else gone
        for name in names:
            if name not in own:
                hidden = hidden + fists[name]
        unseen = {colour: count + hidden.count(colour) for colour, count in bag.items()}
        return {
            **description,
            "bag": sum(bag.values()),
            "fists": {name: fist if name in own else len(fist) for name, fist in fists.items()},
            "gone": gone if over or seat else len(gone),
            "unseen": unseen,
            "majorities": self.board.majorities(state.placed),
            "leading": self.leading(state),
            "ending": self.ending(state),
            "scores": dict(zip(names, self.scores(state), strict=True)),
            "winners": [seat_name(winner) for winner in self.winners(state)],
        }

    def judged(self, before: State, move: Move, after: State) -> list[Event]:
        return []

    def secret(self, before: State, move: Move, now: State) -> bool:
        return move.verb == "draw" and now.phase != OVER

    def events(self, before: State, move: Move, after: State) -> list[Event]:
        actor, verb, args = move
        who = {"who": Who(actor)}
        if verb == "draw":
            seat = before.turn
            drawn = Text("{who}, your creature is {colour}.", {"who": Who(seat), "colour": NAMES[args[1]]})
            events = [
                Event("draw", Text("{who} draws a creature.", {"who": Who(seat)})),
                Event("creature", drawn, (seat,)),
            ]
            if before.phase == DEAL and size(after.fists[seat - 1]) == FIST:
                events.append(Event("fist", Text("{who} draws {count} creatures.", {"who": Who(seat), "count": FIST})))
        elif verb == "place":
            events = [Event("place", self._text_of_place(actor, *args))]
        elif args:
            named = in_turn([NAMES[each] for each in args])
            events = [Event("predict", PREDICTS.of(**who, colours=named))]
            back = size(before.fists[actor - 1]) - len(args)
            if back:
                about = {"creatures": creatures_text(back)}
                gone = Text("The rest of the fist leaves the game: {creatures}.", about)
                rest = (
                    gone
                    if self.seats == 1
                    else Text("The rest of the fist goes back into the bag: {creatures}.", about)
                )
                events.append(Event("rest", rest))
        else:
            events = [Event("pass", Text("{who} predicts nothing now.", who))]
        if before.bag and not after.bag:
            events.append(Event("bag", Text("The bag is empty.")))
        if after.phase == OVER:
            events += self._events_of_end(after)
        return events

    def _text_of_place(self, actor: int, colour: str, spot: str) -> Text:
        about: dict[str, Any] = {"who": Who(actor)}
        if colour == WHITE:
            return Text(
                "{who} places a ghost in field {field}, which is frozen now.", {**about, "field": Typed("", spot)}
            )
        field, crossing = self.board.corners[spot]
        about |= {"colour": NAMES[colour], "field": field_text(field), "crossing": crossing}
        return Text("{who} places a {colour} demon in {field} at crossing {crossing}.", about)

    def _events_of_end(self, state: State) -> list[Event]:
        who = {"who": Who(state.turn)}
        why = {
            EMPTY: Text("{who} has no creature left to place: the game is over.", who),
            STUCK: Text("None of {who}'s creatures has a place: the game is over.", who),
        }
        points = [
            Text("{colour} {points}", {"colour": NAMES[colour], "points": points})
            for colour, points in self.points(state).items()
        ]
        winners = self.winners(state)
        if self.seats == 1:
            one, many = "{who} wins with {count} point.", "{who} wins with {count} points."
            won = counted(int(self.scores(state)[0]), one, many, **who)
            outcome = won if winners else Text("{who} has lost.", who)
        else:
            about: dict[str, Any] = {"colours": [NAMES[colour] for colour in self.leading(state)]}
            if winners:
                about["winners"] = all_of([Who(seat) for seat in winners])
                one, many = "Most points: {colours}. {winners} wins.", "Most points: {colours}. {winners} win."
                outcome = counted(len(winners), one, many, **about)
            else:
                outcome = Text("Most points: {colours}. Nobody predicted that, and everybody loses.", about)
        return [
            Event("over", why[self.ending(state) or EMPTY]),
            Event("points", Text("Points: {points}.", {"points": points})),
            Event("outcome", outcome),
        ]

    # -- as a session conducts it -------------------------------------------------------------------

    def conducted(self) -> Conducted:
        if self._conducted is None:
            self._conducted = Conducted(self.seats, self.given)
        return self._conducted

    # -- positions that are set up ------------------------------------------------------------------

    def _seat_names(self) -> list[str]:
        return [seat_name(seat) for seat in range(1, self.seats + 1)]

    def describe(self, state: State) -> Json:
        names = self._seat_names()
        slots = self.board.slots_in(state.placed)
        return {
            "phase": state.phase,
            "turn": seat_name(state.turn),
            "bag": counts(state.bag),
            "fists": dict(zip(names, map(creatures, state.fists), strict=True)),
            "predictions": dict(zip(names, map(list, state.predictions), strict=True)),
            "gone": creatures(state.gone),
            "ghosts": [spot for colour, spot in slots if colour == WHITE],
            "demons": {spot: colour for colour, spot in slots if colour != WHITE},
            "points": self.points(state),
        }

    def read(self, description: Json) -> State:
        """``points`` follow from the rest and are not read; ``gone`` may be missing."""
        names = self._seat_names()
        turn = parse_seat(description["turn"], self.seats)
        slots = [(WHITE, spot) for spot in description["ghosts"]]
        slots += [(colour, spot) for spot, colour in description["demons"].items()]
        for slot in slots:
            if slot not in self.board.bits:
                raise ValueError(f"no {shown(slot[0])} creature can stand at {shown(slot[1])}")
            if slots.count(slot) > 1:
                raise ValueError(f"there are two ghosts in field {slot[1]}")
        placed = sum(self.board.bits[slot] for slot in slots)
        return State(
            phase=description["phase"],
            turn=turn,
            bag=_counted(description["bag"]),
            fists=tuple(_handful(description["fists"][name]) for name in names),
            predictions=tuple(tuple(description["predictions"][name]) for name in names),
            gone=_handful(description.get("gone", [])),
            placed=placed,
            open=self.board.opened(placed),
        )

    # -- notation -------------------------------------------------------------------------------------

    def parse_args(self, actor: int, verb: str, args: list[str]) -> Move:
        if actor == TABLE:
            if verb != "draw":
                raise self.wrong_verb(verb, ["draw"])
            if len(args) != 2:
                raise MalformedMove("the form is: table draw pN COLOUR")
            seat = parse_seat(args[0], self.seats)
            if seat == TABLE:
                raise MalformedMove("a draw is for a seat, not for the table")
            return _DRAWS[seat][_colour(args[1])]
        if verb == "place":
            return self._parse_place(actor, args)
        if verb == "predict":
            return self._parse_predict(actor, args)
        if verb == "pass":
            if args:
                raise MalformedMove(NOTHING_MORE.of(move=Typed("", "pass")))
            return Move(actor, "pass")
        raise self.wrong_verb(verb, ["place", "predict", "pass"])

    def parse_typed(self, text: str) -> Move:
        """Return also a demon for a field without its corner: the field may be frozen."""
        words = text.split(" ")
        if len(words) == 4 and words[1] == "place" and words[2] in NAMES and words[3] in self.board.of_field:
            return Move(parse_seat(words[0], self.seats), "place", (words[2], words[3]))
        return self.parse(text)

    def _parse_place(self, actor: int, args: list[str]) -> Move:
        if len(args) != 2:
            raise MalformedMove(
                "the form is: {ghost}, or {demon}",
                ghost=Typed("pN", "place white FIELD"),
                demon=Typed("pN", "place COLOUR FIELD:CROSSING"),
            )
        colour, spot = _colour(args[0]), args[1]
        if colour == WHITE:
            if spot not in self.board.of_field:
                text = "a ghost goes into a field, and there is no field {seen}; fields: {fields}"
                raise MalformedMove(text, seen=shown(spot), fields=list(self.board.field_names))
        elif spot not in self.board.corners:
            field, colon, _ = spot.partition(":")
            if colon and field in self.board.of_field:
                corners = [corner for corner, (at, _) in self.board.corners.items() if at == field]
                text = "there is no corner {seen}; the corners of that field: {corners}"
                raise MalformedMove(text, seen=shown(spot), corners=corners)
            text = "a demon goes into a corner FIELD:CROSSING, and there is no corner {seen}"
            raise MalformedMove(text, seen=shown(spot))
        return Move(actor, "place", (colour, spot))

    def _parse_predict(self, actor: int, args: list[str]) -> Move:
        most = NAMED if self.seats == 1 else 1
        if not 1 <= len(args) <= most:
            one, several = Typed("pN", "predict COLOUR"), Typed("p1", "predict COLOUR [COLOUR [COLOUR]]")
            raise MalformedMove(THE_FORM.of(form=one if most == 1 else several))
        colours = tuple(map(_colour, args))
        if len(set(colours)) < len(colours):
            raise MalformedMove("a prediction names different colours")
        return Move(actor, "predict", colours)


class Conducted(Daemonen):
    """The rules by which every seat without a prediction is asked for one after each placing.

    By the rules alone only a seat that holds a free colour could predict, so the question would give that away. A seat
    that holds none has one move, ``pass``, which is idle. There are more colours than seats, so one is always free.
    """

    def conducted(self) -> Conducted:
        return self

    def idle(self, state: State) -> Move | None:
        if state.phase != PREDICT or predict_moves(state.turn, state.fists[state.turn - 1], state.predictions):
            return None
        return Move(state.turn, "pass")

    def legal(self, state: State) -> list[Move]:
        idle = self.idle(state)
        return super().legal(state) if idle is None else [idle]

    def refuse(self, state: State, move: Move) -> Text | None:
        """Return why a move is not legal. An idle one may be missing: the logs of older games do not have them."""
        idle = self.idle(state)
        if idle is None or (move.actor == idle.actor and move.verb == "predict"):
            return super().refuse(state, move)
        return None if move == idle else super().refuse(super().apply(state, idle), move)

    def allows(self, state: State, move: Move) -> bool:
        idle = self.idle(state)
        return super().allows(state, move) if idle is None else move == idle

    def apply(self, state: State, move: Move) -> State:
        idle = self.idle(state)
        if idle is not None and move != idle:
            state = super().apply(state, idle)
        after = super().apply(state, move)
        if move.verb == "place" and after.phase in (DRAW, PLACE) and not state.predictions[move.actor - 1]:
            return after._replace(phase=PREDICT, turn=move.actor)
        return after


def _colour(text: str) -> str:
    if text not in COLOURS:
        raise MalformedMove(
            "there is no colour {seen}; the colours: {colours}", seen=shown(text), colours=list(COLOURS)
        )
    return text


def _handful(colours: object) -> int:
    """Return the handful of a list of colours in a description."""
    if not isinstance(colours, list) or any(colour not in COLOURS for colour in colours):
        raise ValueError(f"{shown(colours)} is not a list of the colours {', '.join(COLOURS)}")
    if any(colours.count(colour) > EACH for colour in COLOURS):
        raise ValueError(f"{shown(colours)} holds more than {EACH} of a colour")
    return pack(colours)


def _counted(numbers: object) -> int:
    """Return the handful of an object of colours and numbers in a description; a missing colour is none."""
    if not isinstance(numbers, dict) or any(type(n) is not int or not 0 <= n <= EACH for n in numbers.values()):
        raise ValueError(f"{shown(numbers)} is not an object of colours and numbers from 0 to {EACH}")
    return _handful([colour for colour, number in numbers.items() for _ in range(number)])


PREDICTS = Text("{who} predicts {colours}.")


def creatures_text(count: int) -> Text:
    """Return a number of creatures."""
    return counted(count, "{count} creature", "{count} creatures")


__all__ = ["EMPTY", "PREDICTS", "STUCK", "Daemonen", "State", "creatures_text"]
