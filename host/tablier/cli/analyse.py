"""``tablier log analyse``: what a bot would have done at a move of a finished game."""

from __future__ import annotations

import argparse
from textwrap import wrap
from typing import TYPE_CHECKING

from tablier.cli.common import print_board, refusing, say
from tablier.printable import printable
from tablier.texts import Text, number_text, render, source_text, spelled

if TYPE_CHECKING:
    from tablier.cli.common import Commands
    from tablier.games.core import Move
    from tablier.log.store import Log
    from tablier.play.analysing import Analysis


def register(actions: Commands) -> None:
    parser = actions.add_parser(
        "analyse",
        help="ask a bot what it would have done at a move of a finished game",
        description="Ask a bot what it would have done at a move of a finished game. It gets what the seat that moved"
        " could know then, and nothing else.",
    )
    parser.add_argument("game", metavar="NUMBER", type=int, help="the game's number")
    parser.add_argument("move", metavar="MOVE", type=int, help="the move's number, as 'tablier log show' counts them")
    parser.add_argument("--bot", metavar="LEVEL", help="a built-in bot (default: the best of the game)")


def run(log: Log, args: argparse.Namespace) -> None:
    from tablier.course.declined import Declined
    from tablier.games.core.parts import PartError
    from tablier.play import analysing
    from tablier.record import RecordError

    info = log.game(args.game)
    with refusing(Declined, PartError, RecordError):
        moment = analysing.moment_of(info, log.moves(info.id), args.move)
        _print(analysing.look(moment, args.bot))


def _print(found: Analysis) -> None:
    moment, decision = found.moment, found.moment.decision
    rules, names = decision.rules, moment.info.names
    who = printable(names[decision.seat - 1])
    from tablier.games import title_of

    about = {"game": moment.info.id, "title": title_of(rules.name), "at": moment.at, "moves": moment.moves, "who": who}
    say(Text("Game {game}, {title}, before move {at} of {moves}, as {who} saw it", about))
    for event in moment.told:
        text = printable(render(event.text.to_json(), names))
        say(*wrap(text, 78, initial_indent="  ", subsequent_indent="    "))
    say("")
    print_board(rules, decision.view, names)
    say("")
    best = found.options[0]
    say(Text("{who} played: {move}", {"who": who, "move": _named(moment.played)}))
    if len(decision.moves) == 1 and not decision.may_pass:
        say(Text("There was no other move."))
        return
    say(Text("{bot} would play: {move}", {"bot": source_text(found.bot), "move": _named(best.move)}))
    if found.estimates is None:
        if others := [_named(option.move) for option in found.options[1:]]:
            say(Text("Its alternatives: {moves}", {"moves": others}))
        return
    width = max(len(_named(option.move)) for option in found.options)
    for option in found.options:
        worth = "" if option.worth is None else f"{number_text(option.worth, '.3f'):>8}"
        say(f"  {_named(option.move):<{width}}{worth}".rstrip())
    say(Text("The numbers: {worth}.", {"worth": found.estimates}))


def _named(move: Move | None) -> str:
    from tablier.games.core.menus import PASS
    from tablier.games.core.questions import bare

    return spelled(PASS if move is None else bare(move))
