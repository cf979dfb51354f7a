"""``tablier replay`` and ``tablier legal``: commands on records in files."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from tablier.cli.common import CommandError, path_name, refusing, say

if TYPE_CHECKING:
    from tablier.cli.common import Commands


def register(commands: Commands) -> None:
    text = "play the records of a file through and say how each game stands, as one line of JSON a record"
    replay = commands.add_parser("replay", help="say how the games of a file stand", description=text)
    add_file(replay)
    replay.set_defaults(run=run)
    text = "list every legal next move of a record, one a line; nothing when its game is over"
    legal = commands.add_parser("legal", help="list the legal next moves of a record", description=text)
    legal.add_argument("--json", action="store_true", help="one JSON list a record, for any number of records")
    add_file(legal)
    legal.set_defaults(run=run)


def add_file(parser: argparse.ArgumentParser) -> None:
    """Add the file that a command reads records from."""
    parser.add_argument("file", metavar="FILE", type=path_name, help="one record, or one a line; - is standard input")


def run(args: argparse.Namespace) -> int:
    from tablier.record import RecordError, file_name, replay_file, summary

    with refusing(RecordError):
        if args.command == "replay":
            for _, position in replay_file(args.file):
                say(json.dumps(summary(position)))
        elif args.json:
            for _, position in replay_file(args.file):
                say(json.dumps([str(move) for move in position.legal_moves]))
        else:
            positions = [position for _, position in replay_file(args.file)]
            if len(positions) > 1:
                raise CommandError(
                    "{file}: {positions} records; name a file with one, or say --json",
                    file=file_name(args.file),
                    positions=len(positions),
                )
            for move in positions[0].legal_moves:
                say(str(move))
    return 0
