"""Curves as SVG: axes with round steps, one line a curve, its name in its colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import floor, log10
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 640.0, 330.0, 60.0, 16.0, 50.0, 44.0
_COLOURS = ("#1f5fa8", "#c2410c", "#15803d", "#7e22ce")
_DASHES = ("", "7 5", "2 4", "10 4 2 4")
"""Curves that run together show by turns: each is drawn with gaps over the ones before it."""
_POINTS = 400
"""Points that a curve keeps: more do not show at this width."""


@dataclass(frozen=True)
class Curve:
    name: str
    x: Sequence[float]
    y: Sequence[float]


@dataclass(frozen=True)
class Plot:
    name: str
    title: str
    x_label: str
    y_label: str
    curves: Sequence[Curve]
    marks: Sequence[float] = field(default=())
    """Dashed upright lines, by x."""

    def svg(self) -> str:
        left, right = (pick(pick(curve.x) for curve in self.curves) for pick in (min, max))
        low, high = (pick(pick(curve.y) for curve in self.curves) for pick in (min, max))
        room = (high - low) * 0.08 + 1e-12
        low, high = min(low - room, 0.0) if low < 0 else 0.0, high + room

        def at(x: float, y: float) -> tuple[float, float]:
            return (
                _LEFT + (x - left) / (right - left) * (_WIDTH - _LEFT - _RIGHT),
                _HEIGHT - _BOTTOM - (y - low) / (high - low) * (_HEIGHT - _TOP - _BOTTOM),
            )

        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" width="{_WIDTH:g}"'
            f' height="{_HEIGHT:g}" font-family="DejaVu Sans, sans-serif" font-size="11">',
            '<rect width="100%" height="100%" fill="#ffffff"/>',
            _text(_WIDTH / 2, 16, self.title, "middle", size=13),
        ]
        for x in _ticks(left, right):
            px, _ = at(x, low)
            lines.append(_line(px, _TOP, px, _HEIGHT - _BOTTOM, "#e2e2e2"))
            lines.append(_text(px, _HEIGHT - _BOTTOM + 15, f"{x:g}", "middle"))
        for y in _ticks(low, high):
            _, py = at(left, y)
            lines.append(_line(_LEFT, py, _WIDTH - _RIGHT, py, "#e2e2e2"))
            lines.append(_text(_LEFT - 6, py + 4, f"{y:g}", "end"))
        for x in self.marks:
            px, _ = at(x, low)
            lines.append(_line(px, _TOP, px, _HEIGHT - _BOTTOM, "#777777", ' stroke-dasharray="4 3"'))
        for index, curve in enumerate(self.curves):
            points = " ".join("{:.1f},{:.1f}".format(*at(x, y)) for x, y in _thinned(curve))
            lines.append(f'<polyline fill="none" {_stroke(index)} points="{points}"/>')
        lines += self._names()
        lines += [
            _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 8, self.x_label, "middle"),
            f'<g transform="translate(14 {(_TOP + _HEIGHT - _BOTTOM) / 2:g}) rotate(-90)">'
            + _text(0, 0, self.y_label, "middle")
            + "</g>",
            "</svg>",
            "",
        ]
        return "\n".join(lines)

    def _names(self) -> list[str]:
        """Return the names of the curves, each behind a piece of its line, in a row between title and axes."""
        widths = [_SAMPLE + 6.8 * len(curve.name) for curve in self.curves]
        gap = 16.0
        x = _LEFT + (_WIDTH - _LEFT - _RIGHT - sum(widths) - gap * (len(widths) - 1)) / 2
        lines = []
        for index, (curve, width) in enumerate(zip(self.curves, widths, strict=True)):
            lines.append(f'<line x1="{x:.1f}" y1="32" x2="{x + _SAMPLE - 6:.1f}" y2="32" {_stroke(index)}/>')
            lines.append(_text(x + _SAMPLE, 36, curve.name, "start", _COLOURS[index % len(_COLOURS)]))
            x += width + gap
        return lines


_SAMPLE = 30.0
"""Width of the piece of line before a name."""


def _stroke(index: int) -> str:
    dash = _DASHES[index % len(_DASHES)]
    more = f' stroke-dasharray="{dash}"' if dash else ""
    return f'stroke="{_COLOURS[index % len(_COLOURS)]}" stroke-width="1.6"{more}'


def _thinned(curve: Curve) -> list[tuple[float, float]]:
    """Keep the first, lowest, highest and last point of each step of the width, so that no spike is lost."""
    points = list(zip(curve.x, curve.y, strict=True))
    step = (points[-1][0] - points[0][0]) / _POINTS
    kept: list[tuple[float, float]] = []
    group: list[tuple[float, float]] = []
    for point in points:
        if group and point[0] - group[0][0] > step:
            kept += _ends(group)
            group = []
        group.append(point)
    return kept + _ends(group)


def _ends(group: list[tuple[float, float]]) -> list[tuple[float, float]]:
    ends = {0, len(group) - 1}
    for pick in (min, max):
        ends.add(group.index(pick(group, key=lambda point: point[1])))
    return [group[index] for index in sorted(ends)]


def _ticks(low: float, high: float) -> list[float]:
    raw = (high - low) / 7
    power = 10 ** floor(log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw)
    first = floor(low / step + 0.999)
    return [round(index * step, 10) for index in range(first, floor(high / step) + 1)]


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, more: str = "") -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"{more}/>'


def _text(x: float, y: float, text: str, anchor: str, colour: str = "#222222", size: int = 11) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-size="{size}"'
        f' stroke="#ffffff" stroke-width="3" paint-order="stroke">{escape(text)}</text>'
    )
