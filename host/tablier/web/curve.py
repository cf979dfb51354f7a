"""The points of a game as a curve, in the colours of the page that it stands in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tablier.games.core.drawing import Svg
from tablier.texts import Text, number_text, render

_DASHES = ("none", "7 4", "2 4", "12 4 2 4", "1 3", "9 9")
"""A second sign beside the colour."""
_LETTER = 0.6
"""The width of a letter, in sizes of its text."""
_GROUND, _LINE, _INK = "var(--board)", "var(--line)", "var(--ink)"


class Paper(NamedTuple):
    """What a curve is drawn on."""

    width: float
    height: float
    size: float
    """The size of its texts."""
    name: int
    """The most letters of a name beside its line."""


NEAR = Paper(720.0, 200.0, 13.0, 16)
"""For a page that is read."""
WALL, PHONE = "wall", "phone"
PAPERS: Mapping[str, Paper] = {WALL: Paper(960.0, 300.0, 32.0, 16), PHONE: Paper(390.0, 180.0, 18.0, 10)}
"""By what a page is shown on."""


def curve(
    scores: Sequence[Sequence[float]],
    names: Sequence[str],
    paper: Paper = NEAR,
    seats: Sequence[int] = (1, 2, 3, 4, 5, 6),
) -> str | None:
    """Return an SVG document with a line for each player; ``None`` where nobody has points before the end.
    ``seats``: by player, whose colour of the page the line has (``Drawing.seats``)."""
    if len(scores) < 2 or all(row == scores[0] for row in scores[:-1]):
        return None
    width, height, size, most = paper
    low, high = min(0.0, *map(min, scores)), max(0.0, *map(max, scores))
    marks = sorted({low, high, 0.0})
    labels = [_label(name, score, most) for name, score in zip(names, scores[-1], strict=True)]
    left = size * (_LETTER * max(len(number_text(mark)) for mark in marks) + 1)
    right = size * (_LETTER * max(map(len, labels)) + 1)
    top, bottom, wide = size, height - 2 * size, width - left - right
    picture = Svg(width, height, _GROUND)

    def x(at: int) -> float:
        return left + wide * at / (len(scores) - 1)

    def y(score: float) -> float:
        return bottom - (bottom - top) * (score - low) / (high - low)

    for mark in marks:
        picture.add("line", x1=left, y1=y(mark), x2=left + wide, y2=y(mark), stroke=_LINE)
        picture.text(left - size / 2, y(mark) + size / 3, number_text(mark), anchor="end", size=size, fill=_INK)
    picture.text(left, height - size / 2, "0", anchor="middle", size=size, fill=_INK)
    picture.text(left + wide, height - size / 2, str(len(scores) - 1), anchor="end", size=size, fill=_INK)
    picture.text(left + wide / 2, height - size / 2, render(Text("moves")), anchor="middle", size=size, fill=_INK)
    order = sorted(range(len(names)), key=lambda seat: -scores[-1][seat])
    beside = _apart([y(scores[-1][seat]) + size / 3 for seat in order], 1.15 * size, height - size / 4)
    for seat, at in zip(order, beside, strict=True):
        points = " ".join(f"{x(move):.1f},{y(row[seat]):.1f}" for move, row in enumerate(scores))
        picture.add(
            "polyline",
            points=points,
            fill="none",
            stroke=f"var(--seat-{seats[seat]})",
            stroke_width=size / 5,
            stroke_dasharray=_DASHES[seat],
        )
        picture.text(
            left + wide + size / 2, at, labels[seat], size=size, fill=f"var(--seat-{seats[seat]})", font_weight="bold"
        )
    marker = picture.add("line", x1=left, y1=top, x2=left, y2=bottom, stroke=_INK, stroke_width=1.5)
    marker.set("class", "marker")
    marker.set("data-from", f"{left:g}")
    marker.set("data-wide", f"{wide:g}")
    return picture.dumps()


def _label(name: str, score: float, most: int) -> str:
    short = name if len(name) <= most else f"{name[: most - 1]}…"
    return render(Text("{name} {score}", {"name": short, "score": number_text(score)}))


def _apart(wanted: Sequence[float], least: float, most: float) -> list[float]:
    """Return where texts stand that want to stand there, the highest first: apart from each other, none below
    ``most``."""
    found: list[float] = []
    for at in wanted:
        found.append(max([at, *(last + least for last in found[-1:])]))
    for number in reversed(range(len(found))):
        room = most if number == len(found) - 1 else found[number + 1] - least
        found[number] = min(found[number], room)
    return found


__all__ = ["NEAR", "PAPERS", "PHONE", "WALL", "Paper", "curve"]
