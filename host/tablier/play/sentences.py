"""A sentence that screens know again. A screen begins with it alone; what tells a game is loaded later."""

from __future__ import annotations

from tablier.texts import Text

DONE = Text("{who} throws no more.")
