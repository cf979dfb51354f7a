"""Every game as a PettingZoo environment: agents act one after another (AEC).

>>> from tablier.adapters.pettingzoo import env
>>> game = env("dilemma", seats=3)
>>> game.reset(seed=1)
>>> game.agent_selection
'seat_1'

Chance is drawn by the environment, from the seed of ``reset``. Agents are called ``seat_1``, ``seat_2`` …. See
``README.md`` beside this file for actions, observations and what each game adds.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import OrderEnforcingWrapper

from tablier.games import drawing_of, encoding_of, game_class
from tablier.games.core import TABLE
from tablier.games.core.encoding import Step
from tablier.texts import Json

TEXT, PICTURE = "ansi", "svg"
"""The render modes: a board for a terminal, a picture; both show what a spectator sees."""


def env(game: str, **arguments: Any) -> Any:
    """Return a game as an environment that complains about calls in the wrong order; arguments as of
    :class:`Environment`."""
    return OrderEnforcingWrapper(Environment(game, **arguments))


class Environment(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """A game as an environment.

    An observation is ``{"observation": numbers from 0 to 1, "action_mask": 1 for each legal action}``, made of what the
    agent's seat may see. Rewards come at the end: the scores. An illegal action raises ``IllegalMove`` and changes
    nothing. ``truncations`` are true when the adapter broke the game off.
    """

    metadata = {"render_modes": [TEXT, PICTURE], "name": "tablier", "is_parallelizable": False}

    def __init__(
        self,
        game: str,
        seats: int | None = None,
        options: Mapping[str, Any] | None = None,
        start: Json | None = None,
        render_mode: str | None = None,
        **more: Any,
    ) -> None:
        """``seats`` are the fewest unless given; for the others see :func:`tablier.games.encoding_of`.

        Raises ``RulesError``.
        """
        super().__init__()
        self.encoding = encoding_of(game, seats or min(game_class(game).seat_counts), options, start, **more)
        self.metadata = {**self.metadata, "name": f"tablier_{game.replace('-', '_')}_v0"}
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in self.encoding.seats]
        self.agents: list[str] = []
        self._seats = dict(zip(self.possible_agents, self.encoding.seats, strict=True))
        size = len(self.encoding.seats) + sum(prod(part.shape) for part in self.encoding.parts)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0.0, 1.0, (size,), np.float32),
                    "action_mask": spaces.Box(0, 1, (self.encoding.actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(self.encoding.actions) for agent in self.possible_agents}
        self._random: Any = None
        self._step: Step[Any] = Step.first(self.encoding)

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a new game. Without a seed the generator continues; ``options`` are ignored."""
        if seed is not None or self._random is None:
            self._random, _ = seeding.np_random(seed)
        self._step = Step.first(self.encoding)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._skip_agent_selection = None
        self._go_on()

    def step(self, action: Any) -> None:
        """Take an action for the agent whose turn it is; ``None`` if its game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._step = self._step.play(self._seats[agent], int(action))
        self._cumulative_rewards[agent] = 0.0
        self._go_on()

    def _go_on(self) -> None:
        """Draw chance, then set the next agent or the final rewards."""
        encoding = self.encoding
        while self._step.actors == (TABLE,):
            outcomes, shares = zip(*encoding.chance(self._step.node), strict=True)
            self._step = self._step.play(TABLE, outcomes[self._random.choice(len(outcomes), p=shares)])
        if self._step.actors:
            # Of several that act at once each is asked in turn, and does not see what the others chose.
            self.agent_selection = self.possible_agents[self._step.actors[0] - 1]
            return
        broken_off = encoding.cut_short(self._step.node)
        for agent, result in zip(self.agents, encoding.returns(self._step.node), strict=True):
            self.rewards[agent] = result
            self.terminations[agent] = not broken_off
            self.truncations[agent] = broken_off
        self._accumulate_rewards()
        self._deads_step_first()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return an agent's observation; its mask is all 0 unless it is to act."""
        encoding, node, seat = self.encoding, self._step.node, self._seats[agent]
        views = {True: encoding.view(node, seat), False: encoding.view(node, None)}
        numbers = [float(other == seat) for other in encoding.seats]
        for part in encoding.parts:
            numbers.extend(part.values(views[part.private]))
        mask = np.zeros(encoding.actions, np.int8)
        if agent == self.agent_selection:
            mask[encoding.legal(node, seat)] = 1
        return {"observation": np.array(numbers, np.float32), "action_mask": mask}

    def render(self) -> str:
        """Return the position as a spectator sees it, in the render mode. Raise ``ValueError`` for another mode."""
        rules = self.encoding.rules
        view, drawing = rules.view(self.encoding.state(self._step.node), None), drawing_of(rules.name)
        if self.render_mode == TEXT:
            return drawing.board(rules, view, self.possible_agents).plain
        if self.render_mode == PICTURE:
            return str(drawing.svg(rules, view, self.possible_agents))
        raise ValueError(f"the render mode is {self.render_mode!r}; allowed: {TEXT!r} and {PICTURE!r}, both strings")

    def close(self) -> None:
        """Do nothing: nothing is open."""
