"""The words of Le Roudalon besides its rules."""

from collections.abc import Sequence
from typing import Any

from tablier.games.core import Move, Rules
from tablier.games.core.words import AN_ANSWER, Parts, Words
from tablier.games.roudalon.dice import falls
from tablier.games.roudalon.rules import OVER, Roudalon, State
from tablier.texts import Json, Text, Who, counted, word_list


def parts(rules: Rules[Any], move: Move) -> Parts:
    """Return the row of coins, the throw, or the answer: all that a seat decides is one thing."""
    return ((" ".join(map(str, (move.verb, *move.args))),),)


def outcome(rules: Rules[Any], view: Json, move: Move) -> Text | None:
    """Return the pot after a stake, how many throws take the pot, or what an answer means."""
    if not isinstance(rules, Roudalon):  # who begins is thrown for: nobody decides
        return None
    state = rules.read(view)
    after = rules.apply(state, move)
    about: dict[str, Any] = {"pot": after.pot, "who": Who(state.turn)}
    if move.verb == "bet":
        if after.phase == OVER:
            return Text("{pot} in the pot: out of reach, and the game is over", about)
        if after.dice[move.actor - 1] > state.dice[move.actor - 1]:
            return Text("{pot} in the pot, and you gain a die", about)
        return Text("{pot} in the pot; you have two dice already", about)
    if move.verb == "roll":
        return _chances(state, move.args[0])
    if move.verb == "ally":
        return Text("{who} is asked; allies share the pot", {"who": Who(rules.actor(after))})
    if move.verb == "yes":
        return Text("you throw along, and share the pot if it is taken")
    if move.verb == "done":
        return Text("nobody else is asked: the alliance throws")
    alone = Text("{who} stakes or throws alone", about)
    return alone if state.allies == 1 else Text("the others throw without you")


def warns(rules: Rules[Any], view: Json, move: Move) -> bool:
    """Return whether a throw cannot take the pot."""
    if not isinstance(rules, Roudalon) or move.verb != "roll":
        return False
    state = rules.read(view)
    return len(state.thrown) + 1 >= state.allies and not _hits(state, move.args[0])


def deed(rules: Rules[Any], view: Json, move: Move) -> Text:
    """Return a stake, a throw, a request or an answer as a command."""
    if not isinstance(rules, Roudalon):
        return Text("Throw for the beginning")
    if move.verb == "bet":
        return counted(move.args[0], "Stake {count} unit", "Stake {count} units")
    if move.verb == "roll":
        return counted(move.args[0], "Throw {count} die", "Throw {count} dice")
    state = rules.read(view)
    if move.verb == "ally":
        return Text("Ask {who} to join", {"who": Who(rules.actor(rules.apply(state, move)))})
    if move.verb == "yes":
        return Text("Join {who}", {"who": Who(state.turn)})
    return Text("Do not join") if move.verb == "no" else Text("Ask nobody else")


def steps(rules: Rules[Any], move: Move) -> Sequence[Text]:
    """Return what is touched for a move."""
    words = {"bet": Text("the units to stake"), "roll": Text("the dice to throw"), "ally": Text("whom to ask")}
    return [words.get(move.verb, AN_ANSWER)]


def _missing(state: State) -> int:
    """Return what a throw has to show to take the pot."""
    return state.pot - sum(map(sum, state.thrown))


def _hits(state: State, dice: int) -> int:
    """Return how many of all throws of some dice take the pot."""
    return sum(ways for faces, ways in falls(dice) if sum(faces) == _missing(state))


def _chances(state: State, dice: int) -> Text:
    """Return how many of all throws of some dice take the pot, and what the others do; of a throw that cannot take it,
    what it costs, beside a stake."""
    hits, thrown = _hits(state, dice), [(sum(faces), ways) for faces, ways in falls(dice)]
    throws = sum(ways for _, ways in thrown)
    about = {"ways": hits, "throws": throws, "rest": throws - hits}
    if len(state.thrown) + 1 < state.allies:
        short = sum(ways for total, ways in thrown if total < _missing(state))
        return Text("{ways} of {throws} throws take the pot, {short} fall short of it", {**about, "short": short})
    if hits:
        one = "{ways} of {throws} throws take the pot; the other {rest} lose the die"
        many = "{ways} of {throws} throws take the pot; the other {rest} lose both dice"
        return counted(dice, one, many, **about)
    if state.allies > 1:
        one, many = (
            "one die cannot take the pot: you would lose the die",
            "two dice cannot take the pot: you would lose both dice",
        )
        return counted(dice, one, many)
    one = "one die cannot take the pot: you lose the die, but no stake"
    many = "two dice cannot take the pot: you lose both, but no stake"
    return counted(dice, one, many)


WORDS = Words(
    aim=Text("Take more from the pot than you stake."),
    turn=Text("Stake 1 to 6 units and gain a die, or throw your dice: who throws exactly the pot takes it."),
    help=(
        Text("bet 3: stake 3 units and take a die. roll 2: throw two dice, for exactly the pot."),
        Text("ally: ask your left neighbour. yes, no: answer. done: ask nobody else."),
    ),
    overtaken={
        "roll": ("dice",),
        "ally": ("ally", "alliance"),
        "answer": ("ally", "alliance"),
        "done": ("alliance",),
        "dice": ("dice",),
    },
    endings={
        "taken": Text("one player took the pot", context="ended by"),
        "shared": Text("an alliance took the pot", context="ended by"),
        "unreachable": Text("nobody can reach the pot any more", context="ended by"),
    },
    notation=word_list("bet", "roll", "ally", "dice", "done", "yes", "no", context="notation"),
    outcome=outcome,
    warns=warns,
    deed=deed,
    steps=steps,
    weighty=("bet", "roll"),
    parts=parts,
)
