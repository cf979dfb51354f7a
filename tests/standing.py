"""An evening as the keeper tells it, in which nothing has happened yet."""

from __future__ import annotations

from tablier.messages import Evening

BEGUN = Evening(
    evening=1,
    alone=False,
    begun=0,
    table=None,
    here=[],
    games=[],
    series=[],
    standings=[],
    next=None,
    game=None,
    seats=[],
    door=True,
    inside=None,
    ended=False,
    why=None,
)
