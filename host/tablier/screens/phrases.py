"""Sentences that several screens say: line, full screen, evening and pages. Each stands here once, as a template."""

from __future__ import annotations

from tablier.texts import Text

EVENING_OVER = Text("Evening {evening} is over.")
