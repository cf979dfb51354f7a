"""Plots as SVG that stands in a page: text as text, in the page's colours, with a second sign beside each colour.

Matplotlib writes colours and ids of its own. What is a colour of the page here is one of :data:`_INKS`, for which the
style of the page has a light and a dark one; ids get the plot's name, so that several plots stand in one page.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree

from tablier.games.core.drawing import SEATS, short
from tablier.html.elements import Markup, tag
from tablier.texts import Text, number_text, render

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

WIDTH = 5.2
"""Of a plot, in inches; with letters of 11 points it can still be read on a phone."""
_INKS = {
    "#26231f": "var(--ink)",
    "#615b53": "var(--soft)",
    "#d6cfc2": "var(--line)",
    **{colour: f"var(--seat-{number})" for number, colour in enumerate(SEATS, 1)},
    "#c9dcf0": "var(--fill)",
}
_INK, _SOFT, _LINE, *_, _FILL = _INKS
_DASHES: Sequence[str | tuple[int, tuple[int, ...]]] = (
    *("solid", (0, (6, 3)), (0, (2, 2)), (0, (8, 2, 2, 2)), (0, (1, 2)), (0, (4, 4))),
)
_MARKERS = "osD^vX"
SERIES_MOST = len(SEATS)
"""The most lines of a plot."""
_MARKS = 12
"""About how many signs a line has."""
_NAME, _NAME_OF_BAR = 20, 36
"""The columns of the longest name."""
_ROW = 0.3
"""The height of a row, in inches."""
_STYLE = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.edgecolor": _SOFT,
    "xtick.color": _SOFT,
    "ytick.color": _SOFT,
    "xtick.labelcolor": _INK,
    "ytick.labelcolor": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": _LINE,
    "hatch.color": SEATS[0],
    "hatch.linewidth": 0.8,
    "axes.axisbelow": True,
}


class Interval(NamedTuple):
    """A row of a plot of intervals."""

    name: str
    low: float
    middle: float
    high: float
    written: str


def intervals(key: str, about: Text, rows: Sequence[Interval], unit: Text) -> Markup:
    """Return a plot of values with their intervals, one under the other."""

    def draw(axes: Axes) -> None:
        places = range(len(rows))
        middles = [row.middle for row in rows]
        reach = [[row.middle - row.low for row in rows], [row.high - row.middle for row in rows]]
        axes.errorbar(
            middles, places, xerr=reach, fmt="D", color=SEATS[0], ecolor=_INK, capsize=4, markersize=6, linewidth=1.5
        )
        _name_rows(axes, [short(row.name, _NAME) for row in rows])
        for place, row in enumerate(rows):
            axes.annotate(
                row.written,
                (1, place),
                xycoords=("axes fraction", "data"),
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
            )
        axes.set_xlabel(render(unit))
        axes.grid(axis="x")

    return _plot(key, about, 0.75 + _ROW * len(rows), draw)


def bars(key: str, about: Text, rows: Sequence[tuple[str, float, str]], unit: Text) -> Markup:
    """Return a plot of bars, one under the other; each row has a name, a value, and how that is written."""

    def draw(axes: Axes) -> None:
        drawn = axes.barh(
            range(len(rows)), [value for _, value, _ in rows], 0.65, color=_FILL, edgecolor=SEATS[0], hatch="///"
        )
        axes.bar_label(drawn, [written for _, _, written in rows], padding=4, color=_INK)
        _name_rows(axes, [name for name, _, _ in rows])
        axes.margins(x=0.18)
        axes.set_xlim(left=0)
        axes.set_xlabel(render(unit))

    return _plot(key, about, 0.75 + _ROW * len(rows), draw)


def histogram(key: str, about: Text, classes: Sequence[tuple[int, int, int]], unit: Text, times: Text) -> Markup:
    """Return a histogram; a class has its first and its last number, and how often they are there."""

    def draw(axes: Axes) -> None:
        edges = [first for first, _, _ in classes]
        width = classes[0][1] - classes[0][0] + 1
        heights = [n for _, _, n in classes]
        axes.bar(edges, heights, width, align="edge", color=_FILL, edgecolor=SEATS[0], hatch="///")
        _whole_numbers(axes.yaxis)
        _whole_numbers(axes.xaxis)
        axes.set_xlabel(render(unit))
        axes.set_ylabel(render(times))
        axes.grid(axis="y")

    return _plot(key, about, 2.3, draw)


def lines(
    key: str,
    about: Text,
    series: Sequence[tuple[str, Sequence[float]]],
    unit: Text,
    height: Text,
    labels: Sequence[str] = (),
    *,
    steps: bool = False,
) -> Markup:
    """Return a plot of at most :data:`SERIES_MOST` lines; under it each is named with its dashes, its mark and
    its last value, the one that ends highest first.

    :param height: what the lines' height is.
    :param labels: what stands under the points; without them, their numbers from 0.
    :param steps: a value stays until the next one.
    """

    order = sorted(range(len(series)), key=lambda at: -series[at][1][-1])
    ends = [{"name": short(series[at][0], _NAME), "value": number_text(series[at][1][-1])} for at in order]
    names = [render(Text("{name} {value}", end)) for end in ends]
    columns = 2 if max(map(len, names)) <= _NAME else 1

    def draw(axes: Axes) -> None:
        last = len(series[0][1]) - 1
        drawn: list[Line2D] = []
        apart = max(1, last // _MARKS)
        for at, (_, values) in enumerate(series):
            drawn += axes.plot(
                range(last + 1),
                values,
                color=SEATS[at],
                linestyle=_DASHES[at],
                marker=_MARKERS[at],
                markevery=(at * apart // len(series), apart),  # lines that lie on each other both show theirs
                markersize=5,
                drawstyle="steps-post" if steps else "default",
            )
        axes.margins(x=0.02)
        _name_lines(axes, [drawn[at] for at in order], names, columns)
        axes.set_xlabel(render(unit))
        axes.set_title(render(height), loc="left", fontsize="medium")  # beside the axis, a long one would be cut off
        _whole_numbers(axes.xaxis)
        _whole_numbers(axes.yaxis)
        if labels:
            shown = range(0, len(labels), -(-len(labels) // 6))
            axes.set_xticks(shown, [labels[at] for at in shown])
        axes.grid(axis="y")

    return _plot(key, about, 2.3 + _ROW * -(-len(names) // columns), draw)


def _whole_numbers(axis: Axis) -> None:
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator("auto", integer=True, min_n_ticks=1, steps=[1, 2, 5, 10]))


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Name rows from top to bottom."""
    axes.set_yticks(range(len(names)), [short(name, _NAME_OF_BAR) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def _name_lines(axes: Axes, lines: Sequence[Line2D], names: Sequence[str], columns: int) -> None:
    """Name lines under a plot."""
    figure: Any = axes.figure
    figure.legend(
        lines,
        names,
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        handlelength=3.2,
        labelcolor="linecolor",
        columnspacing=1.5,
    )


def _plot(key: str, about: Text, height: float, draw: Callable[[Axes], None]) -> Markup:
    with _figure(key, height) as figure:
        axes = figure.add_subplot()
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(lambda value, _: number_text(value, ",.10g"))
        draw(axes)
        out = io.StringIO()
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    return tag("figure", _inline(out.getvalue(), key, render(about)), class_="plot")


@contextmanager
def _figure(key: str, height: float) -> Iterator[Figure]:
    """Give a figure that looks the same whatever the reader's own settings of Matplotlib are."""
    import matplotlib
    from matplotlib.figure import Figure

    with _drawing, matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")  # the browser has others
        matplotlib.rcdefaults()
        settings: Any = {**_STYLE, "svg.hashsalt": key}
        matplotlib.rcParams.update(settings)
        yield Figure(figsize=(WIDTH, height), layout="constrained")


_drawing = Lock()
"""Held while Matplotlib draws: its settings are those of all threads."""


def _inline(svg: str, key: str, about: str) -> Markup:
    """Return an SVG document as an element of a page."""
    root = ElementTree.fromstring(svg)
    for parent in list(root.iter()):
        for child in [each for each in parent if each.tag.endswith(("}metadata", "}style"))]:
            parent.remove(child)  # the style would be that of the whole page
    for each in root.iter():  # no page of a server lets an element have a style of its own
        each.attrib.update(re.findall(r"([\w-]+): *([^;]+)", each.attrib.pop("style", "")))
    named = set(re.findall(r"(?:href=\"|url\()#([^\")]+)", svg))
    for each in root.iter():
        each.tag = each.tag.rpartition("}")[2]
        attributes = {name.rpartition("}")[2]: _in_page(value, key, named) for name, value in each.attrib.items()}
        if each.attrib.get("id") in named:
            attributes["id"] = f"{key}-{each.attrib['id']}"
        else:
            attributes.pop("id", None)
        each.attrib.clear()
        each.attrib.update(attributes)
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.attrib.update({"role": "img", "aria-label": about})
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _in_page(value: str, key: str, named: Collection[str]) -> str:
    """Return an attribute with the page's colours, and with the ids of this plot."""

    def said(found: re.Match[str]) -> str:
        return f"#{key}-{found[1]}" if found[1] in named else _INKS.get(found[0], found[0])

    return re.sub(r"#([\w-]+)", said, value)


__all__ = ["SERIES_MOST", "Interval", "bars", "histogram", "intervals", "lines"]
