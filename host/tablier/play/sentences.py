"""Sentences that are told while a game is played and when its log is shown, without what conducts a game."""

from __future__ import annotations

from tablier.texts import Text

DONE = Text("{who} has finished throwing.")
DISPUTES = Text("{who} disputes move {at}: {text}")
IMPOSSIBLE = Text("The table reported something impossible ({what}): {why}.")
