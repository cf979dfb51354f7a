"""``tablier table``: tables, real, simulated and emulated."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tablier.cli.common import (
    NO_EMULATOR,
    CommandError,
    add_json_option,
    add_log_option,
    allowed,
    extra,
    kept_log,
    log_path,
    path_name,
    read_log,
    refusing,
    say,
    say_json,
)
from tablier.messages import GameOpen, Listing, TableSettings
from tablier.printable import printable
from tablier.texts import Text, text_of

if TYPE_CHECKING:
    from tablier.cli.common import Commands
    from tablier.simulation.process import TableProcess
    from tablier.table.client import Client
    from tablier.table.clock import Clock
    from tablier.table.settings import Settings
    from tablier_fw import wire
    from tablier_fw.equipment import Equipment

_LISTEN_S = 1.0
_EQUIPMENT = {
    each.template: each
    for each in (
        Text("places are written as 1,2,5, from 1 to 6"),
        Text("a table has places from 1 to 6"),
        Text("a ring has 12 to 32 pixels"),
        Text("a starter has places 1 and 2 at most, and no arena"),
    )
}
"""What the firmware says of equipment that cannot be."""
_VOLUMES, _LIGHTS = (1, 3), (25, 100)
"""For the help, which loads no table: what the settings have, by a test."""


def register(commands: Commands) -> None:
    table = commands.add_parser("table", help="tables, real and simulated", description="Tables, real and simulated.")
    verbs = table.add_subparsers(dest="table_command", metavar="COMMAND", required=True, title="commands")
    sim = verbs.add_parser(
        "sim",
        help="run a simulated table",
        description="Runs a simulated table and prints its port, for any program to open. Takes a tester's verbs on"
        " standard input ('help' lists them), answers each with a line of JSON, and ends with its input.",
        allow_abbrev=False,
    )
    sim.add_argument(
        "--service-mode",
        action="store_true",
        help="with a service mode: the prompt of its MicroPython, which has no files",
    )
    sim.set_defaults(run=_sim)
    emulate = verbs.add_parser(
        "emulate",
        help="run an emulated table: the firmware on an emulated Pico",
        description="Runs the unchanged firmware on MicroPython for the Pico, on an emulated RP2040, and prints its"
        " port, for any program to open; twenty times slower than life and more. Takes the verbs of a simulated table."
        " TABLIER_PICO_IMAGE names MicroPython's image for the Pico (UF2); without it, it is downloaded.",
        allow_abbrev=False,
    )
    emulate.add_argument("--blank", action="store_true", help="a Pico with nothing but MicroPython on it")
    emulate.set_defaults(run=_emulate)
    for parser in (sim, emulate):
        parser.add_argument("--board", metavar="ID", type=_board, help="board id, 16 hexadecimal digits (random)")
        parser.add_argument(
            "--virtual", action="store_true", help="virtual time: it passes only while all participants wait"
        )
        parser.add_argument("--seed", type=int, help="make the board's entropy repeatable, for tests only")
        _add_equipment(parser)
    listed = verbs.add_parser(
        "list",
        help="the tables that are plugged in",
        description="Lists the ports behind which a table may be: simulated ones, and boards that run MicroPython.",
        allow_abbrev=False,
    )
    add_json_option(listed)
    listed.set_defaults(run=_list)
    set_ = verbs.add_parser(
        "set",
        help="set how loud and how bright a table is",
        description="Sets how loud and how bright a table is: at once, and for each later game with this log. Without"
        " an option, says what is set.",
        allow_abbrev=False,
    )
    set_.add_argument(
        "--port",
        metavar="PORT",
        type=path_name,
        help="the table's port, or 'simulated': those that games start (the one that is played at or plugged in)",
    )
    set_.add_argument("--volume", metavar="N", type=_number(*_VOLUMES), help="of tunes, 1 (soft) to 3 (loud)")
    sounds = set_.add_mutually_exclusive_group()
    sounds.add_argument("--mute", action="store_true", default=None, help="play no tunes")
    sounds.add_argument("--unmute", dest="mute", action="store_false", default=None, help="play them again")
    set_.add_argument("--light", metavar="N", type=_number(*_LIGHTS), help="of all pixels, 25 to 100 percent")
    set_.set_defaults(run=_set)
    add_log_option(set_)
    _register_linetest(verbs)
    for name, run, help_, description in (
        ("info", _info, "what a table says of itself", "Asks a table what it is."),
        ("monitor", _monitor, "watch every frame of the line", "Prints every frame until interrupted."),
        ("console", _console, "send frames by hand", "Sends what you type ('help' lists it), and prints what comes."),
        ("bench", _bench, "time a table's line", "Times the round trip and the throughput of the line."),
        (
            "selftest",
            _selftest,
            "find out what of a table works",
            "Tests a table: by itself what needs nobody; in a terminal, with your help, also pixels, buttons, hoods,"
            " beams, floor, impact and buzzer. Keeps the result on the table, for play to go by. Exit status 1 when"
            " something failed.",
        ),
        (
            "calibrate",
            _calibrate,
            "measure a table's floor and beams",
            "Measures the floor without and with a card and sets its thresholds between the two; measures the beams."
            " Keeps the result on the table.",
        ),
        (
            "deploy",
            _deploy,
            "put the firmware on a board",
            "Puts this version's firmware on a Raspberry Pi Pico: a table, or a board that runs MicroPython and nothing"
            " else. Copies only what changed, starts it, and waits for its hello. A table that is built in part is told"
            " once what is there, and keeps that until it is told otherwise.",
        ),
        (
            "service",
            _service,
            "bring a table to MicroPython's prompt",
            "Restarts a table into its service mode, so that mpremote gets at its MicroPython. Its next reset ends"
            " that.",
        ),
    ):
        parser = verbs.add_parser(name, help=help_, description=description, allow_abbrev=False)
        parser.add_argument(
            "--port",
            metavar="PORT",
            type=path_name,
            required=True,
            help="the board's port" if name == "deploy" else "the table's port",
        )
        if name == "monitor":
            parser.add_argument("--only", metavar="NAMES", help="only these messages, separated by commas")
        if name == "info":
            add_json_option(parser)
            add_log_option(parser)
        if name == "deploy":
            _add_equipment(parser)
            parser.add_argument("--whole", action="store_true", help="everything is there again")
        parser.set_defaults(run=run)


def _register_linetest(verbs: Commands) -> None:
    parser = verbs.add_parser(
        "linetest",
        help="pull the cable, reset, sleep: does every press arrive?",
        description="Breaks a table's line in each way that a real one meets, while buttons are pressed: port closed,"
        " nobody reading, the cable out, the computer asleep, a reset, a tool that looks for MicroPython's prompt, the"
        " power cut. Leads you through it at a real table; does all of it itself at a simulated or emulated one. Exit"
        " status 1 when a step failed.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--port",
        metavar="PORT",
        type=path_name,
        required=True,
        help="the table's port; 'simulated', 'emulated' or 'rp2040js': one that is started for this",
    )
    parser.add_argument("--only", metavar="STEPS", help="only these steps, separated by commas")
    parser.add_argument("--skip", metavar="STEPS", help="not these steps")
    parser.add_argument("--seconds", metavar="N", type=_number(2, 300), default=20, help="of each break (20)")
    parser.add_argument("--presses", metavar="N", type=_number(1, 40), default=12, help="in each break (12)")
    parser.add_argument("--json", action="store_true", help="print the outcome as JSON; all else on standard error")
    parser.set_defaults(run=_linetest)


def _add_equipment(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what there is of a table."""
    group = parser.add_argument_group("a table that is built in part")
    group.add_argument(
        "--starter",
        action="store_true",
        help="a starter on a breadboard (hardware/STARTER.md): places 1 and 2, no arena",
    )
    group.add_argument("--places", metavar="LIST", help="the places that are there, as in 1,2,5")
    group.add_argument("--ring", metavar="N", type=int, help="the pixels of its ring (32; of a starter 24)")
    group.add_argument("--no-arena", action="store_true", help="it has no arena")


def _equipment(args: argparse.Namespace, *, whole: bool = False) -> Equipment | None:
    """Return what the options say that there is of a table; ``None`` where they say nothing."""
    from tablier_fw import equipment, wire

    said = args.starter or args.no_arena or args.places is not None or args.ring is not None
    if whole and said:
        raise CommandError("--whole goes with none of --starter, --places, --ring and --no-arena")
    if not said:
        return equipment.Equipment() if whole else None
    places, ring = wire.ALL_PLACES, wire.GROUPS[wire.RING]
    if args.starter:
        places, ring = equipment.STARTER_PLACES, equipment.STARTER_RING
    try:
        if args.places is not None:
            places = equipment.places_of(args.places)
        ring = ring if args.ring is None else args.ring
        return equipment.Equipment(places, ring, not (args.starter or args.no_arena), args.starter)
    except ValueError as error:
        raise CommandError(_EQUIPMENT.get(str(error), Text("{why}", {"why": error}))) from None


def _is_board(text: str) -> bool:
    return bool(re.fullmatch(r"[0-9a-f]{16}", text))


def _board(text: str) -> bytes:
    if not _is_board(text):
        raise argparse.ArgumentTypeError(
            str(Text("{seen} is not a board id, which has 16 digits 0-9 and a-f", {"seen": repr(text)}))
        )
    return bytes.fromhex(text)


def _number(least: int, most: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text[:9]) <= most):
            raise argparse.ArgumentTypeError(str(allowed(text, least, most)))
        return int(text)

    return number


def _sim(args: argparse.Namespace) -> int:
    import os

    from tablier.simulation.process import serve
    from tablier.simulation.simulator import Simulator

    board = args.board or os.urandom(8)
    table = Simulator(
        board,
        virtual=args.virtual,
        seed=args.seed,
        stdin=True,
        service_mode=args.service_mode,
        equipment=_equipment(args),
    )
    return serve(table, _announce)


def _emulate(args: argparse.Namespace) -> int:
    import os

    with extra("emulate", NO_EMULATOR):
        from tablier.simulation.chip import PicoError
        from tablier.simulation.emulator import Emulator
    from tablier.service.firmware import FirmwareError
    from tablier.simulation.process import serve

    with refusing(PicoError, FirmwareError):
        table = Emulator(
            args.board or os.urandom(8),
            virtual=args.virtual,
            seed=args.seed,
            stdin=True,
            files={} if args.blank else None,
            equipment=_equipment(args),
        )
    return serve(table, _announce)


def _announce(table: TableProcess) -> None:
    say(table.port.name, flush=True)
    if sys.stdin.isatty():
        text = (
            "{what}; 'tablier play GAME --port {port} --seat NAME=table …' plays at it. It takes verbs here: try"
            " 'press 1 b', 'help', 'quit'."
        )
        say(Text(text, {"what": table.what, "port": shlex.quote(table.port.name)}))


def _list(args: argparse.Namespace) -> int:
    from tablier.table.ports import KINDS, candidates

    found = list(candidates())
    if args.json:
        say_json([{"port": port, "board": board, "what": kind} for port, board, kind in found])
        return 0
    for port, board, kind in found:
        say(f"{port}  {board}  {KINDS[kind]}")
    if not found:
        say(Text("No table is plugged in. 'tablier table sim' runs a simulated one."))
    return 0


@contextmanager
def _open(args: argparse.Namespace) -> Iterator[tuple[Client, Clock]]:
    """Return a client of the table at ``--port`` that takes nothing from a game's log."""
    from tablier.simulation.clock import clock_at
    from tablier.simulation.tester import TesterError
    from tablier.table.client import Client
    from tablier.table.unusable import TableError

    with refusing(TableError, TesterError), clock_at(args.port) as clock:
        client = Client(args.port, clock, lambda boot: 0)
        client.open()
        if client.warning:
            about = {"port": args.port, "warning": client.warning}
            say(Text("tablier: {port}: warning: {warning}", about), file=sys.stderr)
        try:
            yield client, clock
        finally:
            client.close()


def _info(args: argparse.Namespace) -> int:
    from tablier.cli.selftest import consequences
    from tablier.service import diagnosis
    from tablier.table.health import BOARD, health_texts
    from tablier.table.settings import Settings, deaf, settings_text
    from tablier_fw import wire

    statuses: list[dict[str, int]] = []

    def heard(came: bool, message: wire.Message, values: tuple[Any, ...]) -> None:
        if message is wire.STATUS:
            statuses.append(dict(zip(message.names, values, strict=True)))

    with _open(args) as (client, clock):
        client.trace = heard
        deadline, begun = clock.now() + 2.0, clock.now()
        while clock.now() < (begun + _LISTEN_S if statuses else deadline):
            client.poll(0.1)
        kept = diagnosis.fetch(client) if client.status else None
    status = client.status
    if not status:
        raise CommandError(diagnosis.NO_STATUS.of(port=args.port))
    longest = {name: max(it[name] for it in statuses) for name in ("loop_us", "collect_us")}
    together = {name: sum(it[name] for it in statuses) for name in ("loops", "collections")}
    there = client.equipment
    fit = diagnosis.fitness(kept, client.board or "", client.version, client.port, there)
    settings = _kept_settings(args, client.board or "")
    cannot = deaf(client.version, client.minor)
    if args.json:
        about = {
            "board": client.board,
            "firmware": client.version,
            "boot": client.boot,
            "status": {
                name: value for name, value in {**status, **longest, **together}.items() if isinstance(value, int)
            },
            "places": list(fit.places),
            "ring": there.ring,
            "arena": there.arena,
            "starter": there.starter,
            "test": diagnosis.record_json(kept, there) if kept else None,
            "consequences": diagnosis.fitness_json(fit),
            "settings": settings.to_json() if isinstance(settings, Settings) else None,
        }
        say_json(about)
        return 0
    say(BOARD.of(board=client.board))
    say(Text("firmware  {version}", {"version": client.version}))
    say(Text("boot      {boot}", {"boot": client.boot}))
    for text in health_texts({**status, **longest, **together}):
        say(text)
    for text in diagnosis.told(kept, there) if kept else ():
        say(text)
    for line in consequences(fit):
        say(f"          {line}")
    said = settings_text(settings) if isinstance(settings, Settings) else settings
    say(Text("settings  {settings}", {"settings": said}))
    if cannot is not None:
        say(f"          {cannot}")
    return 0


def _kept_settings(args: argparse.Namespace, board: str) -> Settings | Text:
    """Return what a log says is set for a table, or why it cannot say that."""
    from tablier.log.chain import LogError
    from tablier.table.settings import Settings

    if not log_path(args).exists():
        return Settings()
    try:
        with read_log(args) as log:
            return Settings.read(log.settings(board))
    except (CommandError, LogError) as error:
        return Text("unknown ({why})", {"why": text_of(error)})


def _set(args: argparse.Namespace) -> int:
    from tablier.keeper.playable import SIMULATED
    from tablier.table.settings import Settings, settings_text

    given = {name: getattr(args, name) for name in ("volume", "mute", "light")}
    wanted = {name: value for name, value in given.items() if value is not None}
    board = None if args.port is None else _named(args)
    with kept_log(args) as link:
        if board is None:
            board = _only(link.ask(Listing, "list").games)
        told = link.ask(TableSettings, "settings", {"table": board, **wanted})
    about = {"table": board, "settings": settings_text(Settings(told.volume, told.mute, told.light))}
    say(Text("Simulated tables: {settings}" if board == SIMULATED else "Table {table}: {settings}", about))
    if told.why is not None:
        say(told.why)
    return 0


def _named(args: argparse.Namespace) -> str:
    """Return the board at ``--port``, which is asked where its port does not say it."""
    from tablier.keeper.playable import SIMULATED
    from tablier.table.ports import board_at

    if args.port == SIMULATED:
        return SIMULATED
    board = board_at(args.port)
    if board is None:
        with _open(args) as (client, _):
            board = client.board or ""
    return board


def _only(games: list[GameOpen]) -> str:
    """Return the board of the one table that can be meant: that of the running games, else the one that is plugged in,
    else those that games start. Raise :class:`CommandError` where there are several."""
    from tablier.keeper.playable import SIMULATED
    from tablier.table.ports import UnsafeDirectory, candidates

    played = {game.table: game.table for game in games if game.table is not None}
    with refusing(UnsafeDirectory):
        tables: dict[str, str] = played or {port: board for port, board, _ in candidates()} or {SIMULATED: SIMULATED}
    (_, board), *others = tables.items()
    if others or not (board == SIMULATED or _is_board(board)):
        raise CommandError("which table? Name one with --port: {tables}", tables=list(tables))
    return board


def _selftest(args: argparse.Namespace) -> int:
    from tablier.cli.selftest import selftest

    return selftest(args.port)


def _linetest(args: argparse.Namespace) -> int:
    from tablier.cli.linetest import linetest

    return linetest(args)


def _calibrate(args: argparse.Namespace) -> int:
    from tablier.cli.selftest import calibrate

    return calibrate(args.port)


def _monitor(args: argparse.Namespace) -> int:
    from tablier.cli.monitor import matching, monitor

    only = matching(args.only)
    with _open(args) as (client, _):
        monitor(client, only)
    return 0


def _console(args: argparse.Namespace) -> int:
    from tablier.cli.monitor import work

    with _open(args) as (client, clock):
        if sys.stdin.isatty():
            about = {"board": client.board, "version": client.version}
            say(Text("Table {board}, firmware {version}. 'help' lists what can be typed.", about))
        work(client, clock)
    return 0


def _bench(args: argparse.Namespace) -> int:
    from tablier.cli.monitor import bench

    with _open(args) as (client, clock):
        bench(client, clock)
    return 0


def _deploy(args: argparse.Namespace) -> int:
    with extra("deploy", Text("deploying needs mpremote")):
        from tablier.service.deploy import DeployError, deploy

    live = sys.stdout.isatty()

    def progress(done: int, all: int, name: str) -> None:
        if live:
            text = Text("Copying {at} of {all}: {name}", {"at": done + 1, "all": all, "name": printable(name)})
            sys.stdout.write(f"\r\033[K{text}")
            sys.stdout.flush()

    def tell(text: Text) -> None:
        if live:
            sys.stdout.write("\r\033[K")
        say(text, flush=True)

    try:
        with refusing(DeployError):
            done = deploy(args.port, tell, progress, _equipment(args, whole=args.whole))
    except CommandError:
        if live:
            say("")
        raise
    about = {"port": done.port, "version": done.hello.version}
    say(Text("The table is back at {port}: firmware {version}.", about))
    return 0


def _service(args: argparse.Namespace) -> int:
    with extra("deploy", Text("MicroPython's prompt needs mpremote")):
        import mpremote  # noqa: F401  # said before the board is disturbed

        from tablier.service.listener import BoardError
        from tablier.service.reach import reach

    with refusing(BoardError):
        port, _ = reach(args.port)
    text = "{port} is at MicroPython's prompt, for 'mpremote connect {port}'. A reset starts the table again."
    say(Text(text, {"port": port}))
    return 0
