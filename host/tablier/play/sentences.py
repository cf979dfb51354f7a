"""A sentence that screens know again. It is apart from what tells a game, since a screen begins without that."""

from __future__ import annotations

from tablier.texts import Text

DONE = Text("{who} throws no more.")
