"""The table as it stands before players, from above, drawn in millimetres by the hardware's own measures.

``measures.json`` is made of them by ``python -m hardware.draw``. Each of the 68 pixels is an element with its
``data-group`` and ``data-index``; each button has ``data-place`` and ``data-button``, each hood ``data-hood``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from tablier.html.elements import Markup, tag
from tablier.screens.phrases import PLACE
from tablier.texts import Text, once_a_language, render
from tablier_fw import wire

MARGIN = 14.0
"""mm around the table."""
_SPOT, _GLOW = 5.5, 13.0
"""Radius of a lit pixel behind its film or window, and of its glow, in mm."""
_BUTTONS = (Text("minus"), Text("plus"), Text("a, no"), Text("b, yes"))
"""The names of buttons for who hears them, in the order of :data:`tablier_fw.wire.BUTTONS`."""


@cache
def measures() -> dict[str, Any]:
    """Return the measures of the table."""
    found: dict[str, Any] = json.loads((files("tablier.web") / "measures.json").read_text(encoding="utf-8"))
    return found


@once_a_language
def whole() -> Markup:
    """Return the whole table as SVG: box, arena, ring, six places."""
    data = measures()
    half = data["places"][0]["edge"] + MARGIN
    places = [
        tag("g", _place(number, small=True), transform=_stand(stand), class_="place", data_at=number)
        for number, stand in enumerate(data["places"], 1)
    ]
    return tag(
        "svg",
        tag("title", render(Text("The table from above"))),
        _cables(),
        *places,
        _box(),
        tag("g", id="cards"),
        viewBox=f"{_n(-half)} {_n(-half)} {_n(2 * half)} {_n(2 * half)}",
        class_="table",
        id="whole",
        role="img",
    )


@once_a_language
def place(number: int) -> Markup:
    """Return one place as SVG, as its player sees it, with buttons to be pressed."""
    width, depth = measures()["panel"]
    return tag(
        "svg",
        _place(number, small=False),
        viewBox=f"{_n(-width / 2 - 3)} {_n(-depth - 3)} {_n(width + 6)} {_n(depth + 6)}",
        class_="own",
        data_at=number,
        role="group",
        aria_label=render(PLACE.of(place=number)),
    )


def _stand(stand: dict[str, float]) -> str:
    """Return the transform that brings a place to where it stands."""
    return f"rotate({_n(90 * stand['quarters'])}) translate({_n(stand['along'])} {_n(stand['edge'])})"


def _place(number: int, *, small: bool) -> list[Markup]:
    """Return a place; y is downwards from the player's edge, so all of it is above 0. ``small``: as one of six."""
    data = measures()
    width, depth = data["panel"]
    hood_width, hood_depth, hood_y = data["hood"]
    window_width, window_depth, window_y = data["window"]
    x, y = data["number"]
    parts = [
        _rect(-width / 2, -depth, width, depth, "panel", rx=2),
        tag("text", str(number), x=_n(x), y=_n(-y + 4), class_="number", data_number=number),
    ]
    for index, ((at, up), button) in enumerate(zip(data["buttons"], wire.BUTTONS, strict=True)):
        parts.append(_button(number, index, button, (at, up), small=small))
    private = f"hood{number}"
    inside = [
        _rect(-hood_width / 2, -hood_y - hood_depth, hood_width, hood_depth, "inside"),
        _rect(-window_width / 2, -window_y - window_depth / 2, window_width, window_depth, "film"),
        *(_pixel(private, index, at, -up) for index, (at, up) in enumerate(data["hood_pixels"])),
        *(
            tag(
                "text",
                "",
                x=_n(at),
                y=_n(-up + (2.5 if sign else 13)),
                class_="sign" if sign else "meaning",
                data_of=index,
            )
            for index, (at, up) in enumerate(data["hood_pixels"])
            for sign in (True, False)
            if not small
        ),
    ]
    roof = tag(
        "g",
        _rect(-hood_width / 2, -hood_y - hood_depth, hood_width, hood_depth, "roof", rx=1),
        tag("text", "" if small else render(Text("lean in")), y=_n(-window_y + 3), class_="leaning"),
        class_="cover",
    )
    hood = {"role": "button", "tabindex": "0", "aria_pressed": "false"}
    label = render(Text("Lean over the hood of place {place}", {"place": number}))
    parts.append(
        tag("g", *inside, roof, class_="hood", data_hood=number, **({} if small else {**hood, "aria_label": label}))
    )
    at, up, diameter = data["public"]
    parts.append(tag("circle", cx=_n(at), cy=_n(-up), r=_n(diameter / 2 + 1.5), class_="well"))
    parts.append(_pixel("public", number - 1, at, -up))
    return parts


def _button(number: int, index: int, button: str, at: tuple[float, float], *, small: bool) -> Markup:
    data = measures()
    x, y = at[0], -at[1]
    key = data["key"]
    long, wide, sign_y = data["sign"]
    name = render(_BUTTONS[index])
    focus = {} if small else {"role": "button", "tabindex": "0"}
    if not small:
        focus["aria_label"] = render(Text("Place {place}: {button}", {"place": number, "button": name}))
    if button in ("a", "b"):  # on the plan its letter would be too small to be read
        sign = None if small else tag("text", button, x=_n(x), y=_n(-sign_y + 3), class_="sign")
    else:
        bars = [_rect(x - long / 2, -sign_y - wide / 2, long, wide, "bar")]
        bars += [_rect(x - wide / 2, -sign_y - long / 2, wide, long, "bar")] if button == "plus" else []
        sign = tag("g", *bars)
    reach = data["buttons"][1][0] - data["buttons"][0][0]
    return tag(
        "g",
        _rect(x - reach / 2, y - reach / 2, reach, reach + 7, "reach"),  # what a finger may touch
        _rect(x - key / 2, y - key / 2, key, key, "key", rx=1.5),
        sign,
        class_=" ".join(("button", button)),
        data_place=number,
        data_button=button,
        **focus,
    )


def _box() -> Markup:
    """Return the box with the ring and the arena."""
    data = measures()
    deck, frame, tray = data["deck"], data["frame"], data["tray"]
    along, strip = data["film"]
    outside = along + strip / 2
    sides = []
    width, inside, depth = data["tower"]
    cover, begins, ends = data["cover"]
    for turn in range(4):
        sides.append(
            tag(
                "g",
                _rect(-along, -outside, 2 * along, strip, "film"),
                _rect(-width / 2, -inside - depth, width, depth, "tower"),
                _rect(-cover / 2, -ends, cover, ends - begins, "roof"),
                transform=f"rotate({90 * turn})",
            )
        )
    pillars = [tag("polygon", points=_points(each), class_="pillar") for each in data["pillars"]]
    return tag(
        "g",
        _rect(-deck / 2, -deck / 2, deck, deck, "deck", rx=2),
        *sides,
        _rect(-frame / 2, -frame / 2, frame, frame, "frame"),
        _rect(-tray / 2, -tray / 2, tray, tray, "tray"),
        *pillars,
        *(_pixel("ring", index, x, -y) for index, (x, y) in enumerate(data["ring"])),
        class_="box",
    )


def _cables() -> Markup:
    """Return the ribbons from the box to the places."""
    data = measures()
    depth = data["panel"][1]
    return tag(
        "g",
        *(
            tag(
                "g",
                _rect(stand["along"] - 10, 0, 20, stand["edge"] - depth),
                transform=f"rotate({_n(90 * stand['quarters'])})",
            )
            for stand in data["places"]
        ),
        class_="ribbons",
    )


def _pixel(group: str, index: int, x: float, y: float) -> Markup:
    """Return a pixel and its glow; both are painted by their page."""
    return tag(
        "g",
        tag("circle", cx=_n(x), cy=_n(y), r=_n(_GLOW), class_="glow"),
        tag("circle", cx=_n(x), cy=_n(y), r=_n(_SPOT), class_="spot"),
        class_="pixel",
        data_group=group,
        data_index=index,
    )


def _rect(
    x: float, y: float, width: float, height: float, class_: str | None = None, rx: float | None = None
) -> Markup:
    round_ = None if rx is None else _n(rx)
    return tag("rect", x=_n(x), y=_n(y), width=_n(width), height=_n(height), class_=class_, rx=round_)


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{_n(x)},{_n(-y)}" for x, y in points)


def _n(value: float) -> str:
    """Return a length as short as it can be written."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"


__all__ = ["measures", "place", "whole"]
