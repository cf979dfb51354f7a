"""The points of a game as a curve."""

from __future__ import annotations

from collections.abc import Sequence

from tablier.games.core.drawing import Svg
from tablier.printable import number_text
from tablier.texts import Text, render

WIDTH, HEIGHT = 720.0, 200.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 40.0, 150.0, 14.0, 26.0
_INKS = ("#1763b5", "#c0392b", "#1f7a3d", "#b26a00", "#6a3d9a", "#3d4a57")
_DASHES = ("none", "7 4", "2 4", "12 4 2 4", "1 3", "9 9")
"""A second sign beside the colour."""
_LABEL = 15.0


def curve(scores: Sequence[Sequence[float]], names: Sequence[str]) -> str | None:
    """Return an SVG document with a line for each player; ``None`` where nobody has points before the end."""
    if len(scores) < 2 or all(row == scores[0] for row in scores[:-1]):
        return None
    low, high = min(map(min, scores)), max(map(max, scores))
    high = high if high > low else low + 1
    picture = Svg(WIDTH, HEIGHT)
    bottom, wide = HEIGHT - _BOTTOM, WIDTH - _LEFT - _RIGHT

    def x(at: int) -> float:
        return _LEFT + wide * at / (len(scores) - 1)

    def y(score: float) -> float:
        return bottom - (bottom - _TOP) * (score - low) / (high - low)

    for score in sorted({low, high, 0.0} if low < 0 < high else {low, high}):
        picture.add("line", x1=_LEFT, y1=y(score), x2=_LEFT + wide, y2=y(score), stroke="#d6cfc2")
        picture.text(_LEFT - 6, y(score) + 5, number_text(score), anchor="end", size=13)
    picture.text(_LEFT, HEIGHT - 6, "0", anchor="middle", size=13)
    picture.text(_LEFT + wide, HEIGHT - 6, str(len(scores) - 1), anchor="middle", size=13)
    ends: list[float] = []
    order = sorted(range(len(names)), key=lambda seat: -scores[-1][seat])
    for seat in order:
        points = " ".join(f"{x(at):.1f},{y(row[seat]):.1f}" for at, row in enumerate(scores))
        picture.add(
            "polyline",
            points=points,
            fill="none",
            stroke=_INKS[seat],
            stroke_width=2.5,
            stroke_dasharray=_DASHES[seat],
        )
        label = max([y(scores[-1][seat]) + 5, *(end + _LABEL for end in ends)])
        ends = [label]
        about = {"name": names[seat], "score": number_text(scores[-1][seat])}
        said = render(Text("{name} {score}", about))
        picture.text(_LEFT + wide + 8, min(label, HEIGHT - 4), said, size=13, fill=_INKS[seat], font_weight="bold")
    marker = picture.add("line", x1=_LEFT, y1=_TOP, x2=_LEFT, y2=bottom, stroke="#26231f", stroke_width=1.5)
    marker.set("id", "marker")
    marker.set("data-from", f"{_LEFT:g}")
    marker.set("data-wide", f"{wide:g}")
    return picture.dumps()


__all__ = ["curve"]
