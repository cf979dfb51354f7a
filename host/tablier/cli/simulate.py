"""``tablier simulate``: many games between player programs, as records and figures."""

from __future__ import annotations

import argparse
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, TextIO

from tablier.cli.archive import add_archive_option, club_name, opened
from tablier.cli.common import CommandError, path_name, progress, refusing, say
from tablier.cli.files import add_force_option, whole_file
from tablier.cli.game import add_game_argument, add_game_option, default_seats, game_options
from tablier.cli.signals import Ended, Signals
from tablier.cli.workers import add_worker_options, whole_number, workers_of
from tablier.printable import printable
from tablier.texts import Text, counted, number_text, source_text, suggest, word_list

if TYPE_CHECKING:
    from tablier.archive.database import Archive
    from tablier.bots.campaigns import Campaign, Outcome, Tally
    from tablier.cli.common import Commands

_SEED_BITS = 32


def register(commands: Commands) -> None:
    parser = commands.add_parser(
        "simulate",
        help="play many games between player programs",
        description="Plays many games between player programs, and says how long they are, how they end and who wins."
        " A seed repeats the same games, whatever the number of processes or machines. A process or a machine that is"
        " lost meanwhile costs time, no game.",
    )
    add_game_argument(parser)
    parser.add_argument("--games", metavar="N", type=whole_number, default=100, help="how many games (100)")
    parser.add_argument(
        "--seats",
        metavar="[NAME=]SOURCE",
        nargs="+",
        help="who plays, clockwise: greedy (default; four where four can play), random, easy, good, strong or"
        " bot:COMMAND, a program; a game from elsewhere may have random alone",
    )
    add_game_option(parser)
    parser.add_argument(
        "--seed", metavar="S", type=int, help="a whole number (default: a random one, which is printed)"
    )
    add_worker_options(parser)
    parser.add_argument("--out", metavar="FILE", type=path_name, help="write the records to this file, one a line")
    add_force_option(parser)
    parser.add_argument(
        "--club",
        metavar="CLUB",
        type=club_name,
        help="put the games into the archive as this club's; what it has of them already is not played again",
    )
    add_archive_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    import random
    from time import monotonic

    from tablier.bots.bots import BotError
    from tablier.bots.campaigns import Campaign
    from tablier.bots.sources import COMMAND
    from tablier.bots.workers import WorkersError
    from tablier.games import rules_of, title_of
    from tablier.games.core import OptionError
    from tablier.games.core.parts import PartError

    if args.archive and args.club is None:
        raise CommandError("--archive needs --club CLUB: the games are put in as those of a club")
    if args.out and args.club:
        raise CommandError("--out and --club cannot be given together: the archive may have a part of the games")
    seed = random.SystemRandom().getrandbits(_SEED_BITS) if args.seed is None else args.seed
    options = game_options(args.option)
    with refusing(OptionError):
        names, sources = _seats(args)
        rules = rules_of(args.game, len(sources), options)
    campaign = Campaign(args.game, options, sources, names, seed)
    began = monotonic()
    if args.dask is not None and any(source.startswith(COMMAND) for source in sources):
        raise CommandError("--dask plays on other machines, which have no program of yours: leave it out")
    try:
        with refusing(OSError, WorkersError, PartError):
            tally, before = _play(args, title_of(rules.name), campaign)
    except BotError as error:
        for line in error.last_lines:
            say(line, file=sys.stderr)
        raise CommandError(error.text) from None
    if before:
        say(counted(before, "{count} game was in the archive", "{count} games were in the archive"))
    if tally.lengths:
        _report(title_of(rules.name), campaign, tally, monotonic() - began)
    return 0


def _play(args: argparse.Namespace, title: str, campaign: Campaign) -> tuple[Tally, int]:
    """Play the games. Return the counts over those that were played, and how many the archive had before."""
    from tablier.bots import campaigns

    signals = Signals()
    with (
        _records(args) as out,
        signals.caught(),
        workers_of(args) as workers,
        progress(Text("{game}", {"game": title}), args.games) as step,
    ):
        signals.release()

        def done(outcome: Outcome) -> None:
            if out is not None:
                out.write(outcome.record.dumps() + "\n")
            step(1)

        if args.club is None:
            return campaigns.run(campaign, args.games, workers, done), 0
        with opened(args, create=True) as archive:
            from tablier.archive.campaigns import add_campaign

            try:
                return add_campaign(archive, args.club, campaign, args.games, workers, done, signals.hold)
            except (KeyboardInterrupt, Ended):
                _say_interrupted(args, archive, campaign)
                raise


def _say_interrupted(args: argparse.Namespace, archive: Archive, campaign: Campaign) -> None:
    """Say how many games of a campaign are in the archive, and how the others come in."""
    from tablier.archive.campaigns import games_of

    there = counted(games_of(archive, campaign), "{count} game is", "{count} games are")
    again = Text("run the same command again for the others")
    if args.seed is None:
        again = Text("run the same command with --seed {seed} for the others", {"seed": campaign.seed})
    about = {"there": there, "games": args.games, "again": again}
    say(Text("tablier: interrupted: {there} in the archive, of {games}; {again}", about), file=sys.stderr)


def _seats(args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return names and sources of the seats."""
    from tablier.bots.programs import BotError, program_of
    from tablier.bots.sources import COMMAND, default_bot
    from tablier.games import bots_of

    bots = bots_of(args.game)
    names, sources = [], []
    for number, given in enumerate(args.seats or [default_bot(args.game)] * default_seats(args.game), 1):
        name, equals, source = given.rpartition("=")
        before, program, command = given.partition(COMMAND)
        if program and before[-1:] in ("", "="):  # its words may have signs of their own
            name, source = before[:-1], program + command
            with refusing(BotError):
                program_of(command)
        elif source not in bots or (equals and not name):
            form = Text(
                "--seats {given}: the form is SOURCE or NAME=SOURCE; bots of this game: {bots}, or bot:COMMAND",
                {"given": repr(given), "bots": list(bots)},
            )
            raise CommandError(suggest(form, source, bots))
        names.append(name or f"{'bot' if source.startswith(COMMAND) else source} {number}")
        sources.append(source)
    return tuple(names), tuple(sources)


def _records(args: argparse.Namespace) -> AbstractContextManager[TextIO | None]:
    """Return the file for the records."""
    return nullcontext() if args.out is None else whole_file(args.out, force=args.force)


_HEADS = word_list("seat", "source", "won alone", "shared", "won", "mean score", context="column")


def _report(title: str, campaign: Campaign, tally: Tally, seconds: float) -> None:
    from statistics import mean, median

    from tablier.games import words_of

    lengths = tally.lengths
    games = len(lengths)
    played = {"title": title, "seed": campaign.seed, "seconds": number_text(seconds, ".1f")}
    one, many = (
        "{title}: {count} game with seed {seed} in {seconds} s",
        "{title}: {count} games with seed {seed} in {seconds} s",
    )
    say(counted(games, one, many, **played))
    spread = {
        "least": min(lengths),
        "most": max(lengths),
        "mean": number_text(mean(lengths), ".1f"),
        "median": number_text(median(lengths), "g"),
    }
    say(Text("  moves    {least} to {most}; mean {mean}, median {median}", spread))
    labels = words_of(campaign.game).endings
    endings = [
        Text("{ending}: {times}", {"ending": labels.get(ending, ending), "times": times})
        for ending, times in sorted(tally.endings.items(), key=lambda item: (-item[1], item[0]))
    ]
    say(Text("  ended    {endings}", {"endings": endings}))
    won = {"one": games - tally.nobody - tally.several, "several": tally.several, "nobody": tally.nobody}
    say(Text("  winners  one {one}, several {several}, nobody {nobody}", won))
    names = [printable(name) for name in campaign.names]
    width = max(map(len, names))
    seat, source, won_alone, both, all_won, score_head = map(str, _HEADS)
    say(f"  {seat:<{width + 3}} {source:<7} {won_alone:>10} {both:>7} {all_won:>7} {score_head:>11}")
    for index, name in enumerate(names):
        alone, shared = tally.alone[index], tally.shared[index]
        part, score = (alone + shared) / games, tally.scores[index] / games
        seat = f"p{index + 1} {name:<{width}}"
        source, shares = str(source_text(campaign.sources[index])), number_text(part, ">7.1%")
        say(f"  {seat} {source:<7} {alone:>10} {shared:>7} {shares} {number_text(score, '>11.2f')}")
