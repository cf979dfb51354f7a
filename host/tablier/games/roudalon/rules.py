"""Le Roudalon (D. Saurel, 1990), 4 or 6 seats.

What follows which passage of the rulebook:

* stakes and the pot: *Les mises*; dice gained and lost: *Les dés*;
* stake or throw, the first turn: *Les différents tours de jeu*;
* the order of the turns, the last player: *Déroulement de la partie*;
* asking, throwing and sharing together: *Les alliances*.

The rulings R-R1 to R-R11 are in ``README.md`` beside this file.

Moves: ``pN bet UNITS``, ``pN roll 1|2``, ``table dice FACES``, ``pN ally``, ``pN yes|no``, ``pN done``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tablier.games.core import (
    GAME_OVER,
    NOTHING_MORE,
    ON_TURN,
    SAYS_NO,
    SAYS_YES,
    TABLE,
    THE_FORM,
    Draw,
    Event,
    MalformedMove,
    Move,
    Option,
    Rules,
    dice_text,
    parse_number,
    parse_seat,
    seat_name,
    seat_option,
    whole_number,
)
from tablier.games.roudalon.dice import FACES, MOST_DICE, REACH, falls
from tablier.games.roudalon.rolloff import RollOff
from tablier.texts import Json, Text, Typed, Who, all_of, counted

UNITS = range(1, 7)
"""The possible stakes: a stake is shown with a die."""

TURN, ASKED, CHAIN, THROW, DICE, OVER = "turn", "asked", "chain", "throw", "dice", "over"


class State(NamedTuple):
    """All there is to know of a game of Le Roudalon. Seat ``n`` is at index ``n - 1``."""

    phase: str
    """``turn``: stake, throw or ask; ``asked``: the next neighbour answers; ``chain``: a new ally may ask on;
    ``throw``: the next ally takes dice; ``dice``: they fall; ``over``."""
    turn: int
    """The seat whose turn it is; its allies are its neighbours to the left, without a gap."""
    pot: int
    dice: tuple[int, ...]
    """Dice in hand, those in the air included."""
    staked: tuple[int, ...]
    """All the units that each seat has paid into the pot."""
    refused: bool
    """True if the first neighbour said no in this turn (R-R4)."""
    allies: int
    """The number of seats in the alliance; 1 is the one whose turn it is, alone."""
    rolling: int
    """The number of dice in the air."""
    thrown: tuple[tuple[int, ...], ...]
    """The throws for the pot in this turn, clockwise from the seat whose turn it is; at the end, what took it."""


_new = tuple.__new__  # of State, whose own is written in Python: half the time

# -- the moves ------------------------------------------------------------------------------------------
#
# Each list of legal moves is one of a few; they are made once. A menu is the list and the same as a set.

Menu = tuple[tuple[Move, ...], frozenset[Move]]


def _menu(*moves: Move) -> Menu:
    return moves, frozenset(moves)


_SEATS = range(1, 7)
_BETS = {seat: [Move(seat, "bet", (units,)) for units in UNITS] for seat in _SEATS}
_ROLLS = {seat: [Move(seat, "roll", (count,)) for count in range(1, MOST_DICE + 1)] for seat in _SEATS}
_ALLY = {seat: Move(seat, "ally") for seat in _SEATS}
_DONE = {seat: Move(seat, "done") for seat in _SEATS}
_YES = {seat: Move(seat, "yes") for seat in _SEATS}
_NO = {seat: Move(seat, "no") for seat in _SEATS}
_CHANCES = {
    count: [(Move(TABLE, "dice", faces), weight) for faces, weight in falls(count)] for count in range(1, MOST_DICE + 1)
}

_MUST_BET = {seat: _menu(*_BETS[seat]) for seat in _SEATS}
_MAY_THROW = {seat: [_menu(*_BETS[seat], *_ROLLS[seat][:dice]) for dice in range(MOST_DICE + 1)] for seat in _SEATS}
_MAY_ASK = {seat: [_menu(*moves, _ALLY[seat]) for moves, _ in menus] for seat, menus in _MAY_THROW.items()}
_ANSWER = {seat: _menu(_YES[seat], _NO[seat]) for seat in _SEATS}
_ASK_ON = {seat: _menu(_ALLY[seat], _DONE[seat]) for seat in _SEATS}
_TAKE = {(seat, dice): _menu(*_ROLLS[seat][:dice]) for seat in _SEATS for dice in range(1, MOST_DICE + 1)}
_FALL = {count: _menu(*(move for move, _ in chances)) for count, chances in _CHANCES.items()}
_NOTHING: Menu = _menu()


class Roudalon(Rules[State]):
    name = "roudalon"
    title = RollOff.title
    seat_counts = (4, 6)
    OPEN_EVENTS = True
    OPEN_VIEWS = True
    OPTIONS = {
        "first": Option("p1", seat_option, Text("the seat that plays first; if none is named, it is thrown for"))
    }

    _listed: tuple[State | None, Menu] = (None, _NOTHING)
    """The state whose moves were listed last, for the move that is most often asked about next."""

    def initial(self) -> State:
        seats = self.seats
        return State(
            phase=TURN,
            turn=self.options["first"],
            pot=0,
            dice=(1,) * seats,
            staked=(0,) * seats,
            refused=False,
            allies=1,
            rolling=0,
            thrown=(),
        )

    def prelude(self) -> RollOff | None:
        return None if "first" in self.given else RollOff(self)

    # -- whose move, and which ------------------------------------------------------------------

    def _seat(self, state: State, steps: int) -> int:
        """Return the seat `steps` places to the left of the one whose turn it is."""
        return (state.turn - 1 + steps) % self.seats + 1

    def actor(self, state: State) -> int:
        """Return the one who moves; in a game that is over, nobody does."""
        phase = state.phase
        if phase == TURN:
            return state.turn
        if phase == DICE:
            return TABLE
        if phase == ASKED:
            return self._seat(state, state.allies)
        if phase == CHAIN:
            return self._seat(state, state.allies - 1)
        return self._seat(state, len(state.thrown))

    def to_move(self, state: State) -> tuple[int, ...]:
        return () if state.phase == OVER else (self.actor(state),)

    def _may_ask(self, state: State) -> bool:
        """Return whether the alliance has a next neighbour who could be asked: another seat, with a die (R-R3)."""
        allies = state.allies
        return allies < self.seats and state.dice[(state.turn - 1 + allies) % self.seats] > 0

    def _legal(self, state: State) -> Menu:
        phase, turn, pot, dice, _, refused, _, _, _ = state
        if phase == TURN:
            mine = dice[turn - 1]
            if not mine or not pot:
                return _MUST_BET[turn]
            if refused or not dice[turn % self.seats]:  # the left neighbour's
                return _MAY_THROW[turn][mine]
            return _MAY_ASK[turn][mine]
        if phase == DICE:
            return _FALL[state.rolling]
        if phase == THROW:
            seat = self.actor(state)
            return _TAKE[seat, state.dice[seat - 1]]
        if phase == ASKED:
            return _ANSWER[self.actor(state)]
        return _NOTHING if phase == OVER else _ASK_ON[self.actor(state)]

    def legal(self, state: State) -> Sequence[Move]:
        menu = self._legal(state)
        self._listed = state, menu
        return menu[0]

    def chance(self, state: State) -> Sequence[tuple[Move, int]]:
        return _CHANCES[state.rolling] if state.phase == DICE else ()

    def draw(self, state: State) -> Draw:
        def move(numbers: Sequence[int]) -> Move:
            return self.canonical(Move(TABLE, "dice", tuple(FACES[number] for number in sorted(numbers))))

        return Draw((len(FACES),) * state.rolling, move, self._seat(state, len(state.thrown)), dice=True)

    def refuse(self, state: State, move: Move) -> Text | None:
        listed, menu = self._listed
        if listed is not state:
            menu = self._legal(state)
        return None if move in menu[1] else self._why_not(state, move)

    def _why_not(self, state: State, move: Move) -> Text:
        """Return why a move that is not legal is not."""
        mover, verb, args = move
        phase = state.phase
        if phase == OVER:
            return GAME_OVER
        actor = self.actor(state)
        due = _DUE[phase].of(who=Who(actor or self._seat(state, len(state.thrown))))
        if mover != actor:
            return due
        about: dict[str, Any] = {"who": Who(actor)}
        if phase == DICE:
            one, many = "{count} die is thrown, not {seen}", "{count} dice are thrown, not {seen}"
            return counted(state.rolling, one, many, seen=len(args))
        dice = state.dice[actor - 1]
        if verb == "roll" and phase in (TURN, THROW) and (state.pot or phase == THROW):
            about |= {"dice": dice_text(dice), "count": args[0]}
            return Text("{who} has {dice} in hand and cannot throw {count}", about)
        if phase != TURN:
            return due
        if not state.pot:
            return Text("the first turn of the game is a stake")
        if verb == "ally":
            about["asked"] = Who(self._seat(state, 1))
            if not dice:
                return Text("{who} has no die and must stake", about)
            if state.refused:
                return Text("{asked} has refused; {who} stakes or throws alone this turn", about)
            return Text("{asked} holds no die and cannot be asked", about)
        if verb in ("yes", "no"):
            return Text("nobody has asked {who} for an alliance", about)
        if verb == "done":
            return Text("{who} has asked nobody; the turn is a stake, a throw or an alliance", about)
        return _STAKES

    # -- what a move does -------------------------------------------------------------------------

    def apply(self, state: State, move: Move) -> State:
        verb = move.verb
        _phase, turn, pot, dice, staked, _refused, allies, _rolling, thrown = state
        if verb == "dice":
            thrown = (*thrown, move.args)
            total = sum(map(sum, thrown))
            if total == pot:  # R-R6
                return _new(State, (OVER, turn, pot, dice, staked, False, allies, 0, thrown))
            if total < pot and len(thrown) < allies:
                return _new(State, (THROW, turn, pot, dice, staked, False, allies, 0, thrown))
            # R-R7, R-R8: the last thrower went over or fell short, and alone loses the dice just thrown.
            dice = _plus(dice, (turn + len(thrown) - 2) % self.seats, -len(move.args))
            return _new(State, (TURN, turn % self.seats + 1, pot, dice, staked, False, 1, 0, ()))
        if verb == "bet":
            units = move.args[0]
            pot += units
            paid = list(staked)
            paid[turn - 1] += units
            staked = tuple(paid)
            if dice[turn - 1] < MOST_DICE:
                dice = _plus(dice, turn - 1, 1)
            if pot > REACH * self.seats:  # R-R10
                return _new(State, (OVER, turn, pot, dice, staked, False, 1, 0, ()))
            return _new(State, (TURN, turn % self.seats + 1, pot, dice, staked, False, 1, 0, ()))
        if verb == "roll":
            return _new(State, (DICE, turn, pot, dice, staked, False, allies, move.args[0], thrown))
        if verb == "ally":
            return _new(State, (ASKED, turn, pot, dice, staked, False, allies, 0, ()))
        if verb == "yes":
            asked = _new(State, (CHAIN, turn, pot, dice, staked, False, allies + 1, 0, ()))
            return asked if self._may_ask(asked) else asked._replace(phase=THROW)
        if verb == "no" and allies == 1:  # R-R4
            return _new(State, (TURN, turn, pot, dice, staked, True, 1, 0, ()))
        return _new(State, (THROW, turn, pot, dice, staked, False, allies, 0, ()))

    def taken(self, state: State) -> tuple[int, ...]:
        """Return the units that each seat took out of the pot; all 0 until it is taken."""
        taken = [0] * self.seats
        if state.phase == OVER:
            for steps, faces in enumerate(state.thrown):
                taken[self._seat(state, steps) - 1] = sum(faces)
        return tuple(taken)

    def scores(self, state: State) -> tuple[float, ...]:
        return tuple(took - paid for took, paid in zip(self.taken(state), state.staked, strict=True))

    def ending(self, state: State) -> str | None:
        """``taken`` by one player, ``shared`` by several of an alliance, or out of reach of all (``unreachable``)."""
        if state.phase != OVER:
            return None
        return ("unreachable", "taken", "shared")[min(len(state.thrown), 2)]

    # -- who may know what ------------------------------------------------------------------------

    def view(self, state: State, seat: int | None) -> Json:
        """Everything lies open: the game has no secret."""
        return self.describe(state)

    def events(self, before: State, move: Move, after: State) -> list[Event]:
        verb, args = move.verb, move.args
        if verb == "dice":
            return list(self._events_of_dice(before, args, after))
        about: dict[str, Any] = {"who": Who(move.actor)}
        if verb == "bet":
            about |= {"units": _units(args[0]), "pot": after.pot}
            gains = after.dice[move.actor - 1] > before.dice[move.actor - 1]
            gained = Text("{who} stakes {units}: {pot} in the pot, and one more die in hand.", about)
            events = [Event("bet", gained if gains else Text("{who} stakes {units}: {pot} in the pot.", about))]
            if after.phase == OVER:
                text = "Nobody can reach {pot} any more: the game is over and nobody takes the pot."
                events.append(Event("over", Text(text, {"pot": after.pot})))
            return events
        if verb == "roll":
            return [Event("roll", Text("{who} throws {dice}.", {**about, "dice": dice_text(args[0])}))]
        if verb == "ally":
            return [
                Event("ally", Text("{who} asks {asked} for an alliance.", {**about, "asked": Who(self.actor(after))}))
            ]
        if verb == "done":
            return [Event("done", Text("{who} asks nobody else.", about)), self._event_of_chain(after)]
        events = [Event("answer", (SAYS_YES if verb == "yes" else SAYS_NO).of(**about))]
        if after.phase == THROW:
            events.append(self._event_of_chain(after))
        return events

    def _event_of_chain(self, after: State) -> Event:
        allies = all_of([Who(self._seat(after, steps)) for steps in range(after.allies)])
        text = Text("{allies} throw together for the {pot} in the pot.", {"allies": allies, "pot": after.pot})
        return Event("alliance", text)

    def _events_of_dice(self, before: State, faces: tuple[int, ...], after: State) -> Iterator[Event]:
        total = sum(map(sum, before.thrown)) + sum(faces)
        about = {"who": Who(self._seat(before, len(before.thrown))), "dice": all_of(faces), "pot": before.pot}
        if len(faces) > 1 or before.thrown:
            one = "{who} throws {dice} with one die; together {total}, and the pot is {pot}."
            many = "{who} throws {dice} with two dice; together {total}, and the pot is {pot}."
            yield Event("dice", counted(len(faces), one, many, **about, total=total))
        else:
            yield Event("dice", Text("{who} throws {dice} with one die; the pot is {pot}.", about))
        if after.phase == OVER:
            takes = [
                Text("{who} takes {units}", {"who": Who(self._seat(after, steps)), "units": sum(faces)})
                for steps, faces in enumerate(after.thrown)
            ]
            yield Event("over", Text("That is the pot: {takes}. The game is over.", {"takes": takes}))
        elif after.phase == TURN:
            lost = {"who": about["who"], "dice": dice_text(len(faces))}
            over = Text("That is over the pot: {who} loses {dice}.", lost)
            short = Text("That is short of the pot: {who} loses {dice}.", lost)
            yield Event("lost", over if total > before.pot else short)

    # -- positions that are set up ------------------------------------------------------------------

    def describe(self, state: State) -> Json:
        names = [seat_name(seat) for seat in range(1, self.seats + 1)]
        return {
            "phase": state.phase,
            "turn": seat_name(state.turn),
            "pot": state.pot,
            "dice": dict(zip(names, state.dice, strict=True)),
            "staked": dict(zip(names, state.staked, strict=True)),
            "refused": state.refused,
            "allies": [seat_name(self._seat(state, steps)) for steps in range(state.allies)],
            "rolling": state.rolling,
            "thrown": [list(faces) for faces in state.thrown],
        }

    def read(self, description: Json) -> State:
        names = [seat_name(seat) for seat in range(1, self.seats + 1)]
        for key in ("dice", "staked"):
            if set(description[key]) != set(names):
                raise ValueError(f"{key} are those of {', '.join(names)}")
        turn = parse_seat(description["turn"], self.seats)
        allies = description["allies"]
        if allies != [names[(turn - 1 + steps) % self.seats] for steps in range(len(allies))]:
            raise ValueError("allies are the one whose turn it is and the neighbours to the left, without a gap")
        if type(description["refused"]) is not bool:
            raise ValueError("refused is true or false")
        return State(
            phase=str(description["phase"]),
            turn=turn,
            pot=whole_number(description["pot"]),
            dice=tuple(whole_number(description["dice"][name]) for name in names),
            staked=tuple(whole_number(description["staked"][name]) for name in names),
            refused=description["refused"],
            allies=len(allies),
            rolling=whole_number(description["rolling"]),
            thrown=tuple(tuple(sorted(map(whole_number, faces))) for faces in description["thrown"]),
        )

    # -- notation -------------------------------------------------------------------------------------

    def parse_args(self, actor: int, verb: str, args: list[str]) -> Move:
        if actor == TABLE:
            if verb != "dice":
                raise self.wrong_verb(verb, ["dice"])
            if not 1 <= len(args) <= MOST_DICE:
                raise MalformedMove("the form is: table dice FACES, with one or two faces")
            return Move(TABLE, verb, tuple(sorted(_number(word, FACES, _SHOWS) for word in args)))
        if verb in ("bet", "roll"):
            if len(args) != 1:
                form = Typed("pN", "bet UNITS" if verb == "bet" else "roll 1|2")
                raise MalformedMove(THE_FORM.of(form=form))
            if verb == "bet":
                return _BETS[actor][_number(args[0], UNITS, _STAKES) - 1]
            return _ROLLS[actor][_number(args[0], range(1, MOST_DICE + 1), _THROWS) - 1]
        plain = {"ally": _ALLY, "yes": _YES, "no": _NO, "done": _DONE}
        if verb not in plain:
            raise self.wrong_verb(verb, ["bet", "roll", *plain])
        if args:
            raise MalformedMove(NOTHING_MORE.of(move=Typed("pN", verb)))
        return plain[verb][actor]


_DUE = {
    TURN: ON_TURN,
    ASKED: Text("{who} is asked for an alliance and answers yes or no"),
    CHAIN: Text("{who} has joined the alliance, and asks another player or is done"),
    THROW: Text("{who} throws next for the alliance, one or two of the dice in hand"),
    DICE: Text("{who}'s throw must be entered first"),
}
"""By phase, what is due: ``who`` is the seat that moves, or whose dice are in the air."""


_SHOWS = Text("a die shows {least} to {most}", {"least": FACES[0], "most": FACES[-1]})
_STAKES = Text("a stake is {least} to {most} units", {"least": UNITS[0], "most": UNITS[-1]})
_THROWS = Text("a throw is of {least} to {most} dice", {"least": 1, "most": MOST_DICE})


def _number(text: str, allowed: range, rule: Text) -> int:
    number = parse_number(text)
    if number not in allowed:
        raise MalformedMove("{rule}; not {seen}", rule=rule, seen=text)
    return number


def _plus(values: tuple[int, ...], index: int, units: int) -> tuple[int, ...]:
    changed = list(values)
    changed[index] += units
    return tuple(changed)


def _units(count: int) -> Text:
    return counted(count, "{count} unit", "{count} units", "no units")


__all__ = ["Roudalon", "State"]
