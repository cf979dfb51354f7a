"""Simulated people who play Dicke Dämonen: they know their fist from under their hood."""

from __future__ import annotations

from collections.abc import Sequence

from tablier.games.core.people import Mind, shows
from tablier.games.daemonen.colours import COLOURS
from tablier.games.daemonen.lights import DRAWN
from tablier.messages import Update
from tablier.texts import Json


class FistMind(Mind):
    """Plays Dicke Dämonen as a bot does that has seen its fist."""

    _fist: Sequence[str] = ()

    @property
    def peeks(self) -> bool:
        return True

    def see(self, update: Update, hood: Sequence[str]) -> bool:
        creatures = list(zip(DRAWN, COLOURS, strict=True))
        self._fist = [colour for seen in hood for index, colour in creatures if shows(seen, index)]
        held: int = update.view["fists"][self.own]
        return len(self._fist) == held

    def decide(self, view: Json, moves: Sequence[str], may_pass: bool) -> str | None:
        taken = {colour for named in view["predictions"].values() for colour in named}

        def can(move: str) -> bool:
            verb, *args = move.split()
            if verb == "predict":
                return all(colour in self._fist and colour not in taken for colour in args)
            return verb == "pass" or args[0] in self._fist

        mine = {**view, "fists": {**view["fists"], self.own: list(self._fist)}}
        return super().decide(mine, [move for move in moves if can(move)], may_pass)


MIND = FistMind
