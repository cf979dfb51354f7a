"""``tablier table``: tables, real, simulated and emulated."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tablier.cli.common import CommandError, path_name, refusing, say
from tablier.printable import printable
from tablier.texts import Text, counted

if TYPE_CHECKING:
    from tablier.cli.common import Commands
    from tablier.simulation.process import TableProcess
    from tablier.table.client import Client
    from tablier.table.clock import Clock
    from tablier_fw import wire

_LISTEN_S = 1.0


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
    verbs.add_parser(
        "list",
        help="the tables that are plugged in",
        description="Lists the ports behind which a table may be: simulated ones, and boards that run MicroPython.",
        allow_abbrev=False,
    ).set_defaults(run=_list)
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
            " else. Copies only what changed, starts it, and waits for its hello.",
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
        whose = "board" if name == "deploy" else "table"
        parser.add_argument("--port", metavar="PORT", type=path_name, required=True, help=f"the {whose}'s port")
        if name == "monitor":
            parser.add_argument("--only", metavar="NAMES", help="only these messages, separated by commas")
        parser.set_defaults(run=run)


def _board(text: str) -> bytes:
    if not re.fullmatch(r"[0-9a-f]{16}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a board id, which has 16 digits 0-9 and a-f")
    return bytes.fromhex(text)


def _sim(args: argparse.Namespace) -> int:
    import os

    from tablier.simulation.process import serve
    from tablier.simulation.simulator import Simulator

    table = Simulator(args.board or os.urandom(8), virtual=args.virtual, seed=args.seed, stdin=True)
    return serve(table, _announce)


def _emulate(args: argparse.Namespace) -> int:
    import os

    with _extra("emulate", Text("an emulated Pico needs rp2040py")):
        from tablier.simulation.emulator import Emulator
        from tablier.simulation.pico import PicoError
    from tablier.service.firmware import FirmwareError
    from tablier.simulation.process import serve

    with refusing(PicoError, FirmwareError):
        table = Emulator(
            args.board or os.urandom(8),
            virtual=args.virtual,
            seed=args.seed,
            stdin=True,
            files={} if args.blank else None,
        )
    return serve(table, _announce)


@contextmanager
def _extra(name: str, why: Text) -> Iterator[None]:
    """Turn a failed import into an error that names the missing extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise CommandError(
            "{why}; {package} is not installed: pip install 'tablier[{extra}]'",
            why=why,
            package=error.name,
            extra=name,
        ) from None


def _announce(table: TableProcess) -> None:
    say(table.port.name, flush=True)
    if sys.stdin.isatty():
        text = "{what}; play at it with 'tablier play --port'. It takes verbs here: try 'press 1 b', 'help', 'quit'."
        say(Text(text, {"what": table.what}))


def _list(args: argparse.Namespace) -> int:
    from tablier.table.ports import candidates

    found = False
    for port, board, what in candidates():
        found = True
        say(f"{port}  {board}  {what}")
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
        raise CommandError(
            "{port}: the table answers but sends no status; unplug it and plug it in again", port=args.port
        )
    about: dict[str, Any] = {"board": client.board, "version": client.version, "boot": client.boot}
    loop, collect = (max(it[name] for it in statuses) / 1000 for name in ("loop_us", "collect_us"))
    turns, collections = (sum(it[name] for it in statuses) for name in ("loops", "collections"))
    about |= {"seconds": f"{status['time'] / 1e6:.0f}", "loop": f"{loop:.1f}", "collect": f"{collect:.1f}"}
    about |= {"used": f"{status['heap_used']:,}", "free": f"{status['heap_free']:,}"}
    about |= {name: status[name] for name in ("number", "acked", "bad_frames", "resent")}
    say(Text("board     {board}", about))
    say(Text("firmware  {version}", about))
    say(Text("boot      {boot}, {seconds} s ago", about))
    say(Text("heap      {used} bytes used, {free} free", about))
    one, many = "loop      {count} turn, the longest {loop} ms", "loop      {count} turns, the longest {loop} ms"
    say(counted(turns, one, many, loop=about["loop"]))
    one, many = "garbage   {count} collection, {collect} ms", "garbage   {count} collections, the longest {collect} ms"
    say(counted(collections, one, many, collect=about["collect"]))
    say(Text("events    {number}, of which {acked} are durable", about))
    say(Text("line      {bad_frames} bad frames, {resent} events sent again", about))
    fit = diagnosis.fitness(kept, client.board or "", client.version)
    if kept:
        dates = {name: diagnosis.date_text(kept[name]) for name in ("measured", "guided", "calibrated")}
        say(Text("tested    {measured}; with people {guided}; floor calibrated {calibrated}", dates))
        for finding in diagnosis.findings(kept):
            say(Text("fault     {fault}", {"fault": finding.text}))
    for line in consequences(fit):
        say(f"          {line}")
    return 0


def _selftest(args: argparse.Namespace) -> int:
    from tablier.cli.selftest import selftest

    return selftest(args.port)


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
    with _extra("deploy", Text("deploying needs mpremote")):
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
            done = deploy(args.port, tell, progress)
    except CommandError:
        if live:
            say("")
        raise
    about = {"port": done.port, "version": done.hello.version}
    say(Text("The table is back at {port}: firmware {version}.", about))
    return 0


def _service(args: argparse.Namespace) -> int:
    with _extra("deploy", Text("MicroPython's prompt needs mpremote")):
        import mpremote  # noqa: F401  # said before the board is disturbed

        from tablier.service.listener import BoardError
        from tablier.service.reach import reach

    with refusing(BoardError):
        port, _ = reach(args.port)
    text = "{port} is at MicroPython's prompt, for 'mpremote connect {port}'. A reset starts the table again."
    say(Text(text, {"port": port}))
    return 0
