"""Draws what a good solder joint looks like, cut through and from above, beside four that are not."""

from __future__ import annotations

from hardware.plan import Drawing

_BOARD, _COPPER, _LEG, _SOLDER, _INK = "#7fae8c", "#c77b30", "#8a8f98", "#c9ced6", "#333333"
_WIDE, _TALL = 52.0, 62.0
_JOINTS = (  # words, and the solder's outline at the right of the leg, from the pad's end
    ("good", "a cone that curves in,", "shiny, all around the leg", "M 6 0 Q 2.2 1 1.6 9"),
    ("too little", "the hole shows:", "heat the pad, add solder", "M 2.6 0 Q 2 0.6 1.6 1.6"),
    ("too much", "a ball that hides the leg:", "take some off with braid", "M 6 0 C 9.5 5 6 12 1.6 11.4"),
    ("cold", "sits on the pad like a drop,", "dull: heat it again, with flux", "M 2.2 1.6 C 7 0.6 7 6 1.6 7.4"),
)


def drawing() -> Drawing:
    """Return the picture."""
    picture = Drawing(_WIDE * 5 + 4, _TALL + 20, "What a solder joint looks like, cut through")
    for number, (name, one, other, curve) in enumerate(_JOINTS):
        x = 4 + _WIDE * number + _WIDE / 2
        _leg(picture, x, _TALL / 2, curve)
        _words(picture, x, name, one, other)
    x = 4 + _WIDE * 4 + _WIDE / 2
    for side in (-1, 1):
        _leg(picture, x + side * 7.6, _TALL / 2, _JOINTS[0][3])
    y = _TALL / 2
    bridge = f"M {x - 6} {y - 2.4} Q {x} {y - 5.4} {x + 6} {y - 2.4} V {y} H {x - 6} Z"
    picture.add("path", d=bridge, fill=_SOLDER, stroke=_INK, stroke_width=0.3)
    _words(picture, x, "a bridge", "two pads joined:", "draw a hot, clean tip between")
    return picture


def _leg(picture: Drawing, x: float, y: float, curve: str) -> None:
    """Draw a board cut through at a hole, the leg in it, and solder by its right half's outline."""
    picture.add("rect", x=x - 12, y=y, width=24, height=6.4, fill=_BOARD)
    picture.add("rect", x=x - 6, y=y - 0.6, width=12, height=0.6, fill=_COPPER)
    picture.add("rect", x=x - 6, y=y + 6.4, width=12, height=0.6, fill=_COPPER)
    picture.add("rect", x=x - 2.4, y=y, width=4.8, height=6.4, fill="#ffffff")
    for side in (-1, 1):
        half = picture.add("path", d=f"{curve} V 0 Z", fill=_SOLDER, stroke=_INK, stroke_width=0.3)
        half.set("transform", f"translate({x} {y - 0.6}) scale({side} -1)")
    picture.add("rect", x=x - 1.6, y=y - 14, width=3.2, height=26, fill=_LEG, stroke=_INK, stroke_width=0.3)


def _words(picture: Drawing, x: float, name: str, one: str, other: str) -> None:
    picture.text(x, _TALL - 8, name, 4.5)
    picture.text(x, _TALL, one, 3)
    picture.text(x, _TALL + 5, other, 3)
