"""The words of Dicke Dämonen besides its rules."""

from tablier.games.core.words import Words
from tablier.texts import Text

WORDS = Words(
    help=(
        Text("place white f5: a ghost into field f5. place red f5:g: a red demon into the corner of f5 at crossing g."),
        Text("predict red: lay a red creature down for it, once in the game. pass: predict nothing now."),
    ),
    overtaken={"creature": "creature"},
    untold=("draw",),
    by_hand=("place", "predict"),
)
