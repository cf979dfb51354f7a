"""``tablier layout``: layouts of Dicke Dämonen, from drawings and by chance, and those that come with the game."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablier.cli.common import CommandError, path_name, say
from tablier.cli.files import add_force_option, add_picture_option, check_writable, write_text
from tablier.printable import printable
from tablier.texts import Failure, Text, clauses, text_of, word_list

if TYPE_CHECKING:
    from tablier.cli.common import Commands

_CIRCLE = ("x", "y", "r", "knot_deg")


def register(commands: Commands) -> None:
    parser = commands.add_parser(
        "layout",
        help="make a layout of Dicke Dämonen",
        description="Makes a layout of Dicke Dämonen from a drawing or by chance, or names all faults of the drawing."
        " Play on it with: tablier play dicke-daemonen --option layout=@FILE",
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "drawing", metavar="FILE.svg", nargs="?", type=path_name, help="four closed shapes with a knot each"
    )
    source.add_argument(
        "--circles",
        metavar="FILE.json",
        type=path_name,
        help='four circles: {"red": {"x": 0, "y": 0, "r": 3, "knot_deg": 90}, …}; degrees against the clock',
    )
    source.add_argument("--random", metavar="SEED", type=int, help="a layout by chance; a seed repeats it")
    source.add_argument("--list", action="store_true", help="list the layouts that come with the game")
    parser.add_argument("--name", metavar="NAME", help="its name (default: that of the file)")
    parser.add_argument(
        "--out", metavar="FILE", type=path_name, help="write the layout to this file instead of standard output"
    )
    add_picture_option(parser)
    add_force_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.list:
        if args.name or args.out or args.svg:
            raise CommandError("--list only lists; leave out --name, --out and --svg")
        _list()
        return 0
    from tablier.games.daemonen.layout import LayoutError
    from tablier.layouts import MissingPackage, dumps

    try:
        layout = _layout(args)
    except LayoutError as error:
        file = args.drawing or args.circles
        raise CommandError("{file}: {faults}", file=file, faults=clauses(error.faults)) from None
    except MissingPackage as error:
        raise CommandError(text_of(error)) from None
    picture = _picture(layout) if args.svg else None
    check_writable(args.out, args.svg, force=args.force)
    if args.out is None:
        sys.stdout.write(dumps(layout))
    else:
        write_text(args.out, dumps(layout), force=args.force)
    if picture is not None:
        write_text(args.svg, picture, force=args.force)
    return 0


def _layout(args: argparse.Namespace) -> dict[str, Any]:
    from tablier import layouts

    if args.random is not None:
        layout = layouts.random_layout(args.random)
        return {**layout, "name": args.name} if args.name else layout
    file = args.drawing or args.circles
    name = args.name or Path(file).stem
    try:
        content = Path(file).read_bytes()
        if args.drawing:
            return layouts.layout_from_svg(content.decode("utf-8"), name)
    except OSError as error:
        raise CommandError("{path}: {strerror}", path=file, strerror=error.strerror or error) from None
    except UnicodeDecodeError as error:
        raise CommandError("{path}: not UTF-8 (byte {byte})", path=file, byte=error.start + 1) from None
    except ValueError as error:  # a name that no file can have
        if isinstance(error, Failure):
            raise
        raise CommandError("{path}: {error}", path=file, error=error) from None
    return layouts.layout_from_circles(_circles(file, content), name)


def _circles(path: str, content: bytes) -> dict[str, dict[str, float]]:
    """Return the circles of a file, their form checked."""
    from math import isfinite

    from tablier.games.core import shown
    from tablier.games.daemonen.colours import DEMONS
    from tablier.games.daemonen.layout import LayoutError
    from tablier.record import A_NUMBER, RecordError, parse_json

    try:
        data = parse_json(content)
    except RecordError as error:
        raise CommandError("{path}: {error}", path=path, error=error) from None
    if not isinstance(data, dict):
        raise CommandError("{path}: circles are an object of the four colours, not {data}", path=path, data=shown(data))
    faults = [Text("there is no {line} circle", {"line": line}) for line in DEMONS if line not in data]
    faults += [
        Text("unknown colour {key}; allowed: {demons}", {"key": shown(key), "demons": DEMONS})
        for key in data
        if key not in DEMONS
    ]
    for line in DEMONS:
        circle = data.get(line, dict.fromkeys(_CIRCLE, 1.0))
        if not isinstance(circle, dict):
            faults.append(
                Text(
                    "the {line} circle is {circle}; it is an object of {keys}",
                    {"line": line, "circle": shown(circle), "keys": _CIRCLE},
                )
            )
            continue
        for key in _CIRCLE:
            value: Any = circle.get(key)
            number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
            if not number or (key == "r" and value <= 0):
                seen = shown(value) if key in circle else Text("missing")
                what = Text("a number greater than 0") if key == "r" else A_NUMBER
                faults.append(
                    Text(
                        "{key} of the {line} circle is {seen}; it is {what}",
                        {"key": key, "line": line, "seen": seen, "what": what},
                    )
                )
    if faults:
        raise LayoutError(faults)
    return data


def _picture(layout: dict[str, Any]) -> str:
    """Return the layout as it is drawn before a game."""
    from tablier.games import rules_of
    from tablier.games.daemonen import drawing

    rules = rules_of("dicke-daemonen", 1, {"layout": layout})
    name = printable(str(layout["name"]))
    return drawing.svg(rules, rules.view(rules.initial(), None), [name])


_HEADS = word_list("layout", "crossings", "fields", "corners outside", "points of the fields", context="column")


def _list() -> None:
    from tablier.games.daemonen.layout import layout_names, named_layout

    row = "{:<10} {:>9} {:>7} {:>16}  {}"
    say(row.format(*map(str, _HEADS)))
    for name in layout_names():
        layout = named_layout(name)
        points = sorted((len(corners) + len(knots) for _, corners, knots in layout.fields), reverse=True)
        outside = next(len(corners) for field, corners, _ in layout.fields if field == layout.outer)
        say(row.format(name, len(layout.crossings), len(layout.fields), outside, " ".join(map(str, points))))
