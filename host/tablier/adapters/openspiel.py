"""Every game as an OpenSpiel game; importing this module registers them.

>>> import pyspiel
>>> from tablier.adapters.openspiel import load
>>> game = load("roudalon", seats=4)
>>> game.new_initial_state().legal_actions()
[0, 1, 2, 3, 4, 5]

Their names are those of records, with ``tablier_`` before and ``_`` for ``-``: ``tablier_dicke_daemonen``.
:func:`load` takes options as the rules do, and :func:`game_string` writes what ``pyspiel.load_game`` takes. See
``README.md`` beside this file for actions, observations and what each game adds.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from math import prod
from typing import Any, ClassVar
from urllib.parse import quote, unquote

import numpy as np
import pyspiel

from tablier.games import GAMES, encoding_of, game_class
from tablier.games.core import TABLE, RulesError, seat_name
from tablier.games.core.encoding import Encoding, Part, Step, text_of
from tablier.texts import Json

_SAFE = '{}[]":'  # of JSON, what the parameters of a game string may hold as it is
_PREFIX = "tablier_"


def short_name(game: str) -> str:
    """Return the name under which a game is registered."""
    return _PREFIX + game.replace("-", "_")


def _parameters(
    seats: int | None, options: Mapping[str, Any] | None, start: Json | None, more: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of an encoding as parameters of a game."""
    parameters: dict[str, Any] = {} if seats is None else {"players": seats}
    for key, value in (("options", options), ("start", start), ("more", more)):
        if value:
            parameters[key] = quote(json.dumps(value, separators=(",", ":")), safe=_SAFE)
    return parameters


def load(
    game: str,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    start: Json | None = None,
    **more: Any,
) -> Any:
    """Return an OpenSpiel game. ``seats`` are the fewest unless given; see :func:`tablier.games.encoding_of`.

    Raises ``RulesError``.
    """
    encoding_of(
        game, seats or min(game_class(game).seat_counts), options, start, **more
    )  # says what is wrong, if it is
    return pyspiel.load_game(short_name(game), _parameters(seats, options, start, more))


def game_string(
    game: str,
    seats: int | None = None,
    options: Mapping[str, Any] | None = None,
    start: Json | None = None,
    **more: Any,
) -> str:
    """Return the text that names the same game to ``pyspiel.load_game``."""
    parameters = ",".join(f"{key}={value}" for key, value in _parameters(seats, options, start, more).items())
    return f"{short_name(game)}({parameters})"


def _game_type(game: str) -> Any:
    cls = game_class(game)
    encoding = encoding_of(game, min(cls.seat_counts))
    kinds = pyspiel.GameType
    return kinds(
        short_name=short_name(game),
        long_name=f"{cls.title} (Tablier)",
        dynamics=kinds.Dynamics.SIMULTANEOUS if encoding.simultaneous else kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if encoding.outcomes else kinds.ChanceMode.DETERMINISTIC,
        information=(
            kinds.Information.IMPERFECT_INFORMATION if encoding.secrets else kinds.Information.PERFECT_INFORMATION
        ),
        utility=kinds.Utility.GENERAL_SUM if encoding.returns_sum is None else kinds.Utility.CONSTANT_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=max(cls.seat_counts),
        min_num_players=min(cls.seat_counts),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification={"players": min(cls.seat_counts), "options": "", "start": "", "more": ""},
    )


class Game(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel has no types
    """A game of Tablier. Made by :func:`load` or ``pyspiel.load_game``."""

    name: ClassVar[str]
    """As in a record."""
    type: ClassVar[Any]
    """As OpenSpiel knows it."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        texts = {key: parameters.get(key) for key in ("options", "start", "more")}
        given = {key: json.loads(unquote(text)) for key, text in texts.items() if text}
        encoding = encoding_of(
            self.name, parameters["players"], given.get("options"), given.get("start"), **given.get("more", {})
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=encoding.actions,
            max_chance_outcomes=encoding.outcomes,
            num_players=len(encoding.seats),
            min_utility=encoding.returns_from,
            max_utility=encoding.returns_to,
            utility_sum=encoding.returns_sum,
            max_game_length=encoding.most_actions,
        )
        super().__init__(self.type, info, parameters)
        self.encoding: Encoding[Any] = encoding

    def new_initial_state(self) -> State:
        return State(self)

    def max_chance_nodes_in_history(self) -> int:
        return self.encoding.most_outcomes

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        return Observer(self.encoding, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


class State(pyspiel.State):  # type: ignore[misc]
    """A game in progress. Players are seats less 1. Illegal actions raise ``IllegalMove`` and change nothing."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.step: Step[Any] = Step.first(game.encoding)
        """The one attribute: it is never changed, only replaced, so that copying it costs nothing."""

    def current_player(self) -> int:
        actors = self.step.actors
        if len(actors) == 1:
            return actors[0] - 1 if actors[0] != TABLE else int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.SIMULTANEOUS if actors else pyspiel.PlayerId.TERMINAL)

    def _legal_actions(self, player: int) -> list[int]:
        return self.step.encoding.legal(self.step.node, player + 1)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return self.step.encoding.chance(self.step.node)

    def _apply_action(self, action: int) -> None:
        self.step = self.step.play(self.step.actors[0], action)

    def _apply_actions(self, actions: list[int]) -> None:
        step = self.step
        for seat in step.actors:
            step = step.play(seat, actions[seat - 1])
        self.step = step

    def _action_to_string(self, player: int, action: int) -> str:
        actor = TABLE if player == pyspiel.PlayerId.CHANCE else player + 1
        return self.step.encoding.text(self.step.node, actor, action)

    def is_terminal(self) -> bool:
        return not self.step.actors

    def returns(self) -> list[float]:
        return list(self.step.encoding.returns(self.step.node))

    def __str__(self) -> str:
        return str(self.step)


class Observer:
    """A player's view of a state.

    With perfect recall it is a string alone: all that the player was told and did, line by line. Without it, it is the
    view of the rules as a string, and its parts as a tensor.
    """

    def __init__(self, encoding: Encoding[Any], kind: Any, parameters: Any) -> None:
        if parameters:
            raise ValueError(f"an observation has no parameters; seen: {parameters}")
        self._encoding = encoding
        self._public: bool = kind.public_info
        self._recall: bool = kind.perfect_recall
        self._private = kind.private_info
        self.tensor: Any = None
        """All numbers in a row."""
        self.dict: dict[str, Any] = {}
        """The same numbers by part."""
        self._parts: list[tuple[Part, int | None]] = []  # and whose part it is, if not the player's own
        if self._recall:
            return
        pieces: list[tuple[str, tuple[int, ...]]] = [("player", (len(encoding.seats),))]
        for part, owner in self._chosen():
            self._parts.append((part, owner))
            pieces.append((part.name if owner is None else f"{part.name} {seat_name(owner)}", part.shape))
        self.tensor = np.zeros(sum(prod(shape) for _, shape in pieces), np.float32)
        at = 0
        for name, shape in pieces:
            self.dict[name] = self.tensor[at : at + prod(shape)].reshape(shape)
            at += prod(shape)

    def _chosen(self) -> Iterator[tuple[Part, int | None]]:
        for part in self._encoding.parts:
            if not part.private:
                if self._public:
                    yield part, None
            elif self._private == pyspiel.PrivateInfoType.SINGLE_PLAYER:
                yield part, None
            elif self._private == pyspiel.PrivateInfoType.ALL_PLAYERS:
                yield from ((part, seat) for seat in self._encoding.seats)

    def set_from(self, state: State, player: int) -> None:
        """Fill the tensor with a player's view of a state."""
        if self.tensor is None:
            return
        encoding, node = self._encoding, state.step.node
        numbers = [float(seat == player + 1) for seat in encoding.seats]
        views: dict[int | None, Json] = {}
        for part, owner in self._parts:
            seat = (owner or player + 1) if part.private else None
            if seat not in views:
                views[seat] = encoding.view(node, seat)
            numbers.extend(part.values(views[seat]))
        self.tensor[:] = numbers

    def string_from(self, state: State, player: int) -> str:
        """Return a player's view of a state as text."""
        heading = [f"observer: {seat_name(player + 1)}"] if self._public else []
        return "\n".join(heading + (self._recalled(state, player) if self._recall else self._seen(state, player)))

    def _shown(self, player: int) -> list[int]:
        """Return the seats whose private knowledge is shown."""
        if self._private == pyspiel.PrivateInfoType.ALL_PLAYERS:
            return list(self._encoding.seats)
        return [player + 1] if self._private == pyspiel.PrivateInfoType.SINGLE_PLAYER else []

    def _seen(self, state: State, player: int) -> list[str]:
        encoding, node = self._encoding, state.step.node
        public = encoding.view(node, None)
        lines = text_of(public) if self._public else []
        for seat in self._shown(player):
            own = {key: value for key, value in encoding.view(node, seat).items() if public.get(key) != value}
            lines += [f"{seat_name(seat)} {line}" for line in text_of(own)]
        return lines

    def _recalled(self, state: State, player: int) -> list[str]:
        """Return the news in order: public ones, and the private ones of the seats shown."""
        lines = []
        public = state.step.told(None)
        own = {seat: state.step.told(seat) for seat in self._shown(player)}
        for number, told in enumerate(public):
            lines += told if self._public else []
            for seat, alone in own.items():
                lines += [f"{seat_name(seat)}: {line}" for line in alone[number] if line not in told]
        return lines


def _register() -> None:
    """Register every installed game; one that cannot be loaded is left out with a warning.

    Each gets a class, since OpenSpiel drops what makes a game when the interpreter is gone; a function would not
    survive that.
    """
    for name in GAMES:
        try:
            kind = _game_type(name)
        except RulesError as error:
            warnings.warn(f"not registered: {error}", stacklevel=3)
            continue
        cls = type(short_name(name), (Game,), {"name": name, "type": kind, "__module__": __name__})
        globals()[cls.__name__] = cls  # where a pickle looks for it
        pyspiel.register_game(kind, cls)


_register()
