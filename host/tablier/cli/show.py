"""``tablier show``: the position of a record, as a board in the terminal and as a picture."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablier.cli.common import CommandError, print_board, refusing, say
from tablier.cli.files import add_force_option, add_picture_option, write_text
from tablier.cli.records import add_file
from tablier.printable import printable
from tablier.texts import Text, counted

if TYPE_CHECKING:
    from tablier.cli.common import Commands
    from tablier.games.core import Position
    from tablier.record import Record


def register(commands: Commands) -> None:
    parser = commands.add_parser(
        "show",
        help="show the position of a record",
        description="Shows the position of a record: as a spectator may see it, or as one seat does.",
    )
    add_file(parser)
    parser.add_argument("--record", metavar="N", type=int, help="which record of the file, from 1")
    parser.add_argument("--move", metavar="N", type=int, help="after N moves (default: after the last)")
    parser.add_argument("--seat", metavar="pN", help="as this seat sees it, its secrets included")
    add_picture_option(parser)
    add_force_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from textwrap import wrap

    from tablier.games import drawing_of, title_of

    record, position = _position(args)
    rules, total = position.rules, position.ply
    if args.move is not None:
        if not 0 <= args.move <= total:
            raise CommandError(
                "{file}: --move {move}: the record has {total} moves; allowed: 0 to {total}",
                file=args.file,
                move=args.move,
                total=total,
            )
        while position.ply > args.move:
            position.pop()
    seat = _seat(args.seat, rules.seats)
    view = rules.view(position.state, seat)
    if args.svg is not None:
        write_text(args.svg, drawing_of(rules.name).svg(rules, view, record.players), force=args.force)
    about = {"title": title_of(rules.name), "ply": position.ply, "seat": args.seat}
    one, many = (
        "{title}, after {ply} of {count} move, as {seer} sees it",
        "{title}, after {ply} of {count} moves, as {seer} sees it",
    )
    about["seer"] = Text("a spectator")
    if seat is not None:
        about["seer"] = Text("{seat} ({name})", {"seat": args.seat, "name": printable(record.players[seat - 1])})
    say(counted(total, one, many, **about))
    for text in _told(position, record, seat):
        say(*wrap(text, 78, initial_indent="  ", subsequent_indent="    "))
    say("")
    print_board(rules, view, record.players, *position.lately())
    return 0


def _position(args: argparse.Namespace) -> tuple[Record, Position[Any]]:
    from tablier.record import RecordError, replay_file

    found: list[tuple[Record, Position[Any]]] = []
    if args.file.isdecimal() and not Path(args.file).exists():
        text = "{file}: there is no such file; 'tablier log show {file}' shows game {file} of the log"
        raise CommandError(text, file=args.file)
    with refusing(RecordError):
        found += replay_file(args.file)
    count = len(found)
    if args.record is None and count > 1:
        raise CommandError("{file}: {count} records; say which: --record 1 to {count}", file=args.file, count=count)
    number: int = 1 if args.record is None else args.record
    if not 1 <= number <= count:
        raise CommandError(
            "{file}: --record {number}: allowed: 1 to {count}", file=args.file, number=number, count=count
        )
    return found[number - 1]


def _seat(text: str | None, seats: int) -> int | None:
    if text is None:
        return None
    known = [f"p{seat}" for seat in range(1, seats + 1)]
    if text not in known:
        raise CommandError("--seat {given}: allowed: {known}", given=repr(text), known=known)
    return known.index(text) + 1


def _told(position: Position[Any], record: Record, seat: int | None) -> list[str]:
    """Return the news of the last move for this viewer."""
    from tablier.judge.redaction import sentence

    events = [event for event in position.last_events() if event.audience is None or seat in event.audience]
    return [printable(sentence(event, record.players)) for event in events]
