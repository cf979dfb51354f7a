"""The script of Le Roudalon: what to do, then how much of it; an alliance by no and yes.

A turn at a place is a stake, a throw or an alliance, then the units or the dice. A neighbour asked for an alliance
answers by the buttons, no or yes, and so does an ally who may ask on: nobody throws before the chain is complete.
"""

from __future__ import annotations

from typing import Any

from tablier.games.core import Move, Position, Rules, left_of
from tablier.games.core.menus import Step, by_answer, by_steps
from tablier.games.core.questions import Conditions, Menus, Script, Turn
from tablier.games.core.scripts import YOUR_TURN, GameScript, ask, later
from tablier.games.roudalon.rules import ASKED, CHAIN, State
from tablier.texts import Json, Text, Who, all_of

_LABELS = {"bet": 1, "roll": 2, "ally": 3}
_TURNS = {
    frozenset({"bet"}): YOUR_TURN.to_you(Text("Stake units.")),
    frozenset({"bet", "roll"}): YOUR_TURN.to_you(Text("Stake units, or throw dice for the {pot} in the pot.")),
    frozenset({"bet", "roll", "ally"}): YOUR_TURN.to_you(
        Text("Stake units, throw dice for the {pot} in the pot, or ask {asked} to join.")
    ),
}
"""By what a seat can do: how it is asked."""
_THROWS = YOUR_TURN.to_you(Text("Throw dice for the {pot} in the pot."))
_FOLLOWS = YOUR_TURN.to_you(Text("Throw dice: {missing} more make exactly the {pot} in the pot."))
"""After an ally has thrown."""


def script(position: Position[Any], conditions: Conditions) -> Script:
    """Return the script that this position needs next."""
    rules, state = position.rules, position.state
    (seat,) = position.to_move
    return ask(later("turn", position, seat, lambda: _turn(rules, state, seat)))


def _turn(rules: Rules[State], state: State, seat: int) -> Turn:
    who, asked = Who(seat), Who(left_of(seat, rules.seats))
    moves = tuple(rules.legal(state))
    about: dict[str, Any] = {"who": who, "asked": asked, "pot": state.pot}
    missing = state.pot - sum(map(sum, state.thrown))
    text = _TURNS.get(frozenset(move.verb for move in moves), _FOLLOWS if state.thrown else _THROWS)
    text = text.of(**about, missing=missing)
    if state.phase == ASKED:
        text = _request(state, who, rules.seats)
        menus = by_answer(text, "no", "yes", {"ally": seat})
    elif state.phase == CHAIN:
        text = Text("{who}: ask {asked} to join?", about, you="Ask {asked} to join?")
        menus = by_answer(text, "done", "ally", {"ally": asked.seat})
    else:
        menus = _menus(state, seat, asked)
    return Turn("turn", (seat,), text, moves=moves, menus=menus)


def _request(state: State, who: Who, seats: int) -> Text:
    """Return the request for an alliance: the last ally asks, for all who are allied already."""
    allies = [Who((state.turn - 1 + steps) % seats + 1) for steps in range(state.allies)]
    about = {"who": who, "asking": allies[-1], "allies": all_of(allies), "pot": state.pot}
    if len(allies) == 1:
        you = "{asking} asks you: throw together for the {pot} in the pot?"
        return Text("{who}: an alliance with {asking} for the {pot} in the pot?", about, you=you)
    you = "{asking} asks you: throw with {allies} for the {pot} in the pot?"
    return Text("{who}: {asking} asks: an alliance with {allies} for the {pot} in the pot?", about, you=you)


def _menus(state: State, seat: int, asked: Who) -> Menus:
    who = {"who": Who(seat)}

    def verb_text(move: Move) -> Text:
        if move.verb == "ally":
            return Text("ask {asked} for an alliance", {"asked": asked})
        return Text("stake") if move.verb == "bet" else Text("throw")

    def verb_hint(move: Move) -> Json:
        return {"ally": asked.seat} if move.verb == "ally" else {}

    def many(move: Move) -> Text:
        if move.verb == "bet":
            return Text("{who}: stake how many units?", who)
        return Text("{who}: throw how many dice?", who)

    return by_steps(
        Step(
            part=lambda move: move.verb,
            ask=lambda move: Text("{who}, {pot} in the pot: what do you do?", {**who, "pot": state.pot}),
            text=verb_text,
            hint=verb_hint,
            label=lambda move: _LABELS[move.verb],
        ),
        Step(
            part=lambda move: move.args or None,
            ask=many,
            text=lambda move: Text("{count}", {"count": move.args[0]}),
            hint=lambda move: {"stake": move.args[0]} if move.verb == "bet" else {"throw": move.args[0]},
            label=lambda move: int(move.args[0]),
            sure=True,
        ),
    )


# Version 1 was the generic one, 2 had no prelude.
SCRIPT = GameScript(script=script, version=4)
